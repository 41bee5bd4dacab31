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
def al_sign(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return slopes[:, None, None] * np.abs(i[:, None] - i)


@wrong()
def al_one_table(n_heads, n_q):
    i = np.arange(n_q)
    return -(i[:, None] - i) * 2.0 ** (-8 / n_heads)


@wrong()
def al_integers(n_heads, n_q):
    i = np.arange(n_q)
    return np.stack([-(i[:, None] - i)] * n_heads)


@wrong()
def al_integer_division(n_heads, n_q):
    slopes = 2.0 ** -(8 * np.arange(1, n_heads + 1) // n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i)


@wrong()
def al_slopes_from_one_over_two(n_heads, n_q):
    slopes = np.linspace(0.5, 2**-8, n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i)


@wrong()
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


# Distances are divided by n_q − 1; each step back should cost the slope itself.
@wrong("slopes")
def al_divided_by_the_longest(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i) / (n_q - 1)


# The course's function did it all.
@wrong("built-in")
def al_handed_over_in_torch(n_heads, n_q):
    from course_attn.in_torch import alibi_bias

    return alibi_bias(n_heads, n_q).numpy()


# All heads get the slope of the first: the number of the head is missing.
@wrong("one-slope")
def al_every_head_alike(n_heads, n_q):
    i = np.arange(n_q)
    return np.stack([-(2 ** (-8 / n_heads)) * (i[:, None] - i)] * n_heads)


# The logarithm of the distance is taken; it should grow evenly.
@wrong("slopes", said="cost the same")
def al_logarithm(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * np.log1p(np.abs(i[:, None] - i))


# The bias is divided by √n_heads, as nobody asked.
@wrong("slopes", said="One part of it is too much")
def al_scaled(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i) / np.sqrt(n_heads)


# uses the slopes 2^(-h) for any number of heads, which is right for 8 heads only
@wrong(author="fresh")
def fresh_alibi_eight(n_heads, n_q):
    return np.array(
        [
            [[-(2.0**-h) * (i - j) for j in range(n_q)] for i in range(n_q)]
            for h in range(1, n_heads + 1)
        ]
    )


# divides the distance by n, so that the bias depends on the length of the sequence
@wrong(author="fresh")
def fresh_alibi_relative(n_heads, n_q):
    i, j = np.mgrid[:n_q, :n_q]
    distance = (i - j) / n_q
    mu = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return -np.tensordot(mu, distance, axes=0)


# has the sign the wrong way round: keys far away are raised, not lowered
@wrong(author="fresh")
def fresh_alibi_raises(n_heads, n_q):
    bias = np.full((n_heads, n_q, n_q), -np.inf)
    mu = 1.0
    for h in range(n_heads):
        mu *= 2 ** (-8 / n_heads)
        for i in range(n_q):
            for j in range(i + 1):
                bias[h, i, j] = -mu * (j - i)
    return bias


# counts the heads from 0, so that the first slope is 1 AND puts the heads on the last axis
@wrong(author="fresh")
def fresh_alibi_heads_last(n_heads, n_q):
    slopes = np.exp2(-8 * np.arange(n_heads) / n_heads)
    pos = np.arange(n_q)
    return np.einsum("ij,h->ijh", pos[None, :] - pos[:, None], slopes)


# halves the slope from one head to the next whatever the number of heads, which is right for 8
# heads only
@wrong(author="unseen")
def second_ord_alibi_always_halves(n_heads, n_q):
    return np.array(
        [
            [[-(0.5**h) * (i - j) for j in range(n_q)] for i in range(n_q)]
            for h in range(1, n_heads + 1)
        ],
        dtype=float,
    )


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


# the heads are counted from 0 in the slopes, so the first has slope 1
@wrong("from-zero", author="blind")
def b6_order_4(n_heads, n_q):
    i = np.arange(n_q)
    distance = i[:, None] - i[None, :]
    slopes = np.array([2 ** (-8 * h / n_heads) for h in range(n_heads)])
    return -slopes[:, None, None] * distance


# every head has the same slope
@wrong("one-slope", author="blind")
def own_order_4(n_heads, n_q):
    i = np.arange(n_q)
    d = i[:, None] - i
    slope = 2 ** (-8 / n_heads)
    return np.stack([-slope * d for _ in range(n_heads)])


# takes the slopes 1/2, 1/4, 1/8, ... of the example with eight heads for every number of heads
@wrong("for-eight-heads", author="blind")
def b7_order_46(n_heads, n_q):
    slopes = [1 / 2**h for h in range(1, n_heads + 1)]
    pos = np.arange(n_q)
    distance = pos[:, None] - pos[None, :]
    return np.stack([-m * distance for m in slopes])
