"""Answers to `alibi_bias`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def al_absolute(n_heads, n_q):
    m = 2 ** (-8 / n_heads)
    slopes = np.array([m ** (h + 1) for h in range(n_heads)])
    i = np.arange(n_q)
    return -slopes.reshape(-1, 1, 1) * np.abs(i[:, None] - i[None, :])


@right()
def al_masked(n_heads, n_q):
    out = np.full((n_heads, n_q, n_q), -np.inf)
    for h in range(n_heads):
        for i in range(n_q):
            for j in range(i + 1):
                out[h, i, j] = -(2 ** (-8 * (h + 1) / n_heads)) * (i - j)
    return out


@right()
def al_zeros_above(n_heads, n_q):
    out = np.zeros((n_heads, n_q, n_q))
    slopes = np.logspace(-8 / n_heads, -8, n_heads, base=2)
    for i in range(n_q):
        for j in range(i):
            out[:, i, j] = slopes * (j - i)
    return out


@right()
def al_nan_above(n_heads, n_q):
    distance = np.where(
        np.tri(n_q, dtype=bool), np.subtract.outer(range(n_q), range(n_q)), np.nan
    )
    slopes = np.geomspace(2 ** (-8 / n_heads), 2**-8, n_heads)
    return np.einsum("h,ij->hij", -slopes, distance)


@right()
def al_float32(n_heads, n_q):
    slopes = 0.5 ** (8 * np.arange(1, n_heads + 1, dtype=np.float32) / n_heads)
    i = np.arange(n_q, dtype=np.float32)
    return (slopes[:, None, None] * (i - i[:, None])).astype(np.float32)


@right(author="fresh")
def fresh_alibi_fromfunction(n_heads, n_q):
    def entry(h, i, j):
        return (j - i) / 2 ** (8 * (h + 1) / n_heads)

    return np.fromfunction(entry, (n_heads, n_q, n_q))


@right(author="fresh")
def fresh_alibi_loops(n_heads, n_q):
    root = 2 ** (-8 / n_heads)
    slope, sheets = root, []
    while len(sheets) < n_heads:
        sheets.append(
            [
                [-slope * (i - j) if j <= i else 0.0 for j in range(n_q)]
                for i in range(n_q)
            ]
        )
        slope *= root
    return np.array(sheets).reshape(n_heads, n_q, n_q)


@wrong()
def al_integers(n_heads, n_q):
    i = np.arange(n_q)
    return np.stack([-(i[:, None] - i)] * n_heads)


@wrong("positive", "from-zero", said="your slopes are [1, 0.0625]")
def al_from_zero_and_sign(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(n_heads) / n_heads)
    i = np.arange(n_q)
    return slopes[:, None, None] * (i[:, None] - i)


@wrong()
def al_only_the_slopes(n_heads, n_q):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@wrong()
def al_handed_over(n_heads, n_q):
    from course_attn.in_numpy import order

    return order.alibi_bias(n_heads, n_q)


# The logarithm of the distance is taken; it should grow evenly.
@wrong("slopes", said="cost the same")
def al_logarithm(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * np.log1p(np.abs(i[:, None] - i))


# The bias is divided by √n_heads, as nobody asked.
@wrong("slopes", said="should this be divided by `np.sqrt(n_heads)`?")
def al_scaled(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i) / np.sqrt(n_heads)


# counts the heads from 0, so that the first slope is 1 AND puts the heads on the last axis
@wrong(author="fresh")
def fresh_alibi_heads_last(n_heads, n_q):
    slopes = np.exp2(-8 * np.arange(n_heads) / n_heads)
    pos = np.arange(n_q)
    return np.einsum("ij,h->ijh", pos[None, :] - pos[:, None], slopes)


# the exponent of the slope has no parentheses: it computes 2^-8 times h / n_heads, not 2 to the
# power -8 h / n_heads
@wrong(author="unseen")
def third_or_slope_precedence(n_heads, n_q):
    return np.array(
        [
            [
                [-(2**-8 * h / n_heads) * (i - j) for j in range(n_q)]
                for i in range(n_q)
            ]
            for h in range(1, n_heads + 1)
        ]
    ).reshape(n_heads, n_q, n_q)


# takes the distance from the end of the sequence, n_q - 1 - j, instead of from the query's own
# place, i - j
@wrong(said="from the end of the sequence", author="unseen")
def fifth_or_from_the_end(n_heads, n_q):
    slopes = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    row = np.arange(n_q - 1, -1, -1)
    return np.array([[-slope * row for _ in range(n_q)] for slope in slopes])


# every head has the same slope
@wrong("one-slope", author="blind")
def own_order_4(n_heads, n_q):
    i = np.arange(n_q)
    d = i[:, None] - i
    slope = 2 ** (-8 / n_heads)
    return np.stack([-slope * d for _ in range(n_heads)])


# the slope is squared from head to head, not multiplied by the first
@wrong("squared", author="blind")
def bl_al_squared_slopes(n_heads, n_q):
    slope = 2 ** (-8 / n_heads)
    out = []
    rel = np.subtract.outer(np.arange(n_q), np.arange(n_q))
    for _ in range(n_heads):
        out.append(-slope * rel)
        slope *= slope
    return np.array(out)


# e instead of 2 is raised to the power AND the sign is wrong (rewards distance)
@wrong("positive", "base-e", author="blind")
def v21_exp_and_sign(n_heads, n_q):
    h = np.arange(n_heads) + 1
    lam = np.exp(-8 * h / n_heads)
    i, j = np.indices((n_q, n_q))
    return lam[:, None, None] * (i - j)


# the exponent is -8/(h) misremembered as -8/h AND the distance is counted from 1 (i - j + 1)
@wrong("over-h", "from-1", author="blind")
def e07_alibi_over_h_plus1(n_heads, n_q):
    rows = np.arange(n_q).reshape(-1, 1)
    cols = np.arange(n_q).reshape(1, -1)
    distance = rows - cols + 1
    biases = []
    for h in range(1, n_heads + 1):
        m = 2.0 ** (-8.0 / h)
        biases.append(-m * distance)
    return np.array(biases)


# the sign is positive below the diagonal AND the slope's order is reversed (the last head gets
# the steepest)
@wrong("positive", "reversed", author="blind")
def e08_alibi_sign_reversed(n_heads, n_q):
    ratio = 2 ** (-8 / n_heads)
    lam = ratio ** np.arange(n_heads, 0, -1)
    D = np.subtract.outer(np.arange(n_q), np.arange(n_q))
    return np.einsum("h,ij->hij", lam, D)


# the sign: distance raises the scores AND the heads are along the last axis
@wrong("positive", "heads-last", author="blind")
def g35_sign_and_heads_last(n_heads, n_q):
    B = np.zeros((n_q, n_q, n_heads))
    for h in range(1, n_heads + 1):
        lam = 2 ** (-8 * h / n_heads)
        for i in range(n_q):
            for j in range(i + 1):
                B[i, j, h - 1] = lam * (i - j)
    return B


# n_heads and 8 are exchanged AND the distances are squared
@wrong("exchanged", "squared-distances", author="blind")
def d44_alibi(n_heads, n_q):
    lam = np.array([2 ** (-n_heads * h / 8) for h in range(1, n_heads + 1)])
    a, b = np.mgrid[:n_q, :n_q]
    return np.einsum("h,ij->hij", -lam, (a - b) ** 2)
