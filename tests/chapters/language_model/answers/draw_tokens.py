"""Answers to `draw_tokens`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def dt_searchsorted(probabilities, u):
    return np.searchsorted(np.cumsum(probabilities), u, side="right")


@right()
def dt_argmax(probabilities, u):
    return (np.cumsum(probabilities)[None] > u[:, None]).argmax(axis=1)


@right()
def dt_loops(probabilities, u):
    tokens = []
    for number in u:
        token, total = 0, probabilities[0]
        while total <= number:
            token += 1
            total += probabilities[token]
        tokens.append(token)
    return np.array(tokens)


@right()
def dt_subtracting(probabilities, u):
    tokens = np.zeros(len(u), dtype=int)
    left = u.astype(float)
    for token, p in enumerate(probabilities):
        here = (left >= 0) & (left < p)
        tokens[here] = token
        left = left - p
    return tokens


@right()
def dt_digitize(probabilities, u):
    return np.digitize(u, np.cumsum(probabilities)).astype(np.int32)


# np.random in place of u
@wrong()
def dt_random(probabilities, u):
    return np.random.choice(len(probabilities), size=len(u), p=probabilities)


# the nearest sum
@wrong("nearest")
def dt_nearest(probabilities, u):
    return np.abs(np.cumsum(probabilities) - u[:, None]).argmin(axis=1)


# a leading 0 in the sums shifts all by one
@wrong("one-too-far")
def dt_leading_zero(probabilities, u):
    edges = np.concatenate([[0.0], np.cumsum(probabilities)])
    return np.searchsorted(edges, u, side="right")


# the last token whose sum is below u
@wrong("one-too-early", author="blind")
def blind_dt_last_below(probabilities, u):
    sums = np.cumsum(probabilities)
    return np.array(
        [np.flatnonzero(sums <= x)[-1] if (sums <= x).any() else 0 for x in u]
    )


# a bool matrix
@wrong("only-compared", author="blind")
def blind_dt_matrix(probabilities, u):
    return np.cumsum(probabilities) > u[:, None]


# one pointer for all u, which never goes back
@wrong(said="does each u begin again at token 0?", author="blind")
def blind_dt_pointer(probabilities, u):
    sums, token, tokens = np.cumsum(probabilities), 0, []
    for x in u:
        while sums[token] <= x:
            token += 1
        tokens.append(token)
    return np.array(tokens)


# sorts the probabilities first, and returns ranks in the sorted list as if they were tokens
@wrong("ranks", author="blind")
def z15_sorted(probabilities, u):
    p = np.sort(probabilities)[::-1]
    out = []
    for r in u:
        total = 0.0
        for tok, x in enumerate(p):
            total += x
            if total > r:
                out.append(tok)
                break
    return np.array(out, dtype=int)


# the running sum is not set back to 0 for the next number u
@wrong("not-reset", author="blind")
def f6_i43_not_reset(probabilities, u):
    drawn = np.zeros(len(u), dtype=int)
    total = 0.0
    for k, number in enumerate(u):
        for token, p in enumerate(probabilities):
            total += p
            if total > number:
                drawn[k] = token
                break
    return drawn


# u is sorted and the tokens come in that order, not in the order of u, AND stops at sum >= u,
# so that u = 0 draws a first token of probability 0
@wrong("zero-drawn", "u-sorted", author="blind")
def g06_draw_sorted(probabilities, u):
    cdf = np.cumsum(probabilities)
    out = []
    t = 0
    for x in np.sort(u):
        while t < len(cdf) - 1 and cdf[t] < x:
            t += 1
        out.append(t)
    return np.array(out, dtype=int)


# the sum is not set back to 0 for the next draw AND >= instead of >, so that u = 0 draws a first
# token of probability 0
@wrong("zero-drawn", "not-reset", author="blind")
def m17_not_reset_ge(probabilities, u):
    tokens = []
    total = 0.0
    for x in u:
        for t, p in enumerate(probabilities):
            total += p
            if total >= x:
                tokens.append(t)
                break
    return np.array(tokens)


# softmax is applied to the probabilities AND the token is one too high
@wrong("one-too-far", "softmaxed", author="blind")
def m18_softmax_plus_one(probabilities, u):
    p = np.exp(probabilities)
    p /= p.sum()
    c = p.cumsum()
    return (c[None, :] <= u[:, None]).sum(axis=1) + 1


# the sum is compared before the token's own probability is added (one token too late) AND
# the result is floats
@wrong("compared-before", "dtype", author="blind")
def v17_late_and_float(probabilities, u):
    out = np.zeros(len(u))
    for k, r in enumerate(u):
        total = 0.0
        for t in range(len(probabilities)):
            if total > r:
                break
            total += probabilities[t]
        out[k] = t
    return out


# softmax of the probabilities, as if they were logits AND the zeros are thrown out first,
# so the tokens are numbered among those left
@wrong("zeros-left-out", "softmaxed", author="blind")
def v18_softmax_and_filter(probabilities, u):
    p = probabilities[probabilities > 0]
    p = np.exp(p) / np.exp(p).sum()
    edges = np.cumsum(p)
    edges[-1] = 1.0
    return np.array([int(np.argmax(edges > x)) for x in u])


# draws with 1 - u AND never draws the last token
@wrong("u-mirrored", "last-never-drawn", author="blind")
def c09_reverse(probabilities, u):
    sums = np.cumsum(probabilities[:-1])
    return np.searchsorted(sums, 1 - u, side="right").clip(0, len(sums) - 1)
