"""Answers to `scaled_attention`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sc_scaled_query(Q, K, V):
    s = (Q * Q.shape[-1] ** -0.5) @ K.swapaxes(-1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ V / e.sum(-1, keepdims=True)


@right()
def sc_both_by_the_fourth_root(Q, K, V):
    r = Q.shape[-1] ** 0.25
    s = np.einsum("...id,...jd->...ij", Q / r, K / r)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("...ij,...jv->...iv", e / e.sum(-1, keepdims=True), V)


@right()
def sc_course_softmax_temperature(Q, K, V):
    from course_attn.in_numpy.softmax import softmax

    return (
        softmax(Q @ np.swapaxes(K, -1, -2), temperature=float(np.sqrt(K.shape[-1])))
        @ V
    )


@right()
def sc_loops(Q, K, V):
    out = np.empty((*Q.shape[:-1], V.shape[-1]))
    for where in np.ndindex(Q.shape[:-1]):
        s = K[where[:-1]] @ Q[where] / Q.shape[-1] ** 0.5
        e = np.exp(s - s.max())
        out[where] = e / e.sum() @ V[where[:-1]]
    return out


@right()
def sc_in_place(Q, K, V):
    s = (Q @ np.swapaxes(K, -1, -2)) / np.float32(Q.shape[-1] ** 0.5)
    s = np.exp(s - s.max(-1)[..., None])
    return (s @ V) / s.sum(-1)[..., None]


@right()
def sc_scipy(Q, K, V):
    from scipy.special import softmax

    return softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), axis=-1) @ V


@right(author="fresh")
def fresh_sa_online_over_keys(Q, K, V):
    """Go through the keys one at a time, with a running maximum."""
    root = math.sqrt(Q.shape[-1])
    top = np.full(Q.shape[:-1], -np.inf, dtype=Q.dtype)
    total = np.zeros_like(top)
    out = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=Q.dtype)
    for j in range(K.shape[-2]):
        s = np.einsum("...id,...d->...i", Q, K[..., j, :]) / root
        new = np.maximum(top, s)
        fade, e = np.exp(top - new), np.exp(s - new)
        total = total * fade + e
        out = out * fade[..., None] + e[..., None] * V[..., j, None, :]
        top = new
    return out / total[..., None]


@right(author="fresh")
def fresh_sa_recursive_batch(Q, K, V):
    if Q.ndim > 2:
        parts = [fresh_sa_recursive_batch(q, k, v) for q, k, v in zip(Q, K, V)]
        shape = Q.shape[:-1] + V.shape[-1:]
        return np.array(parts, dtype=Q.dtype).reshape(shape)
    rows = []
    for q in Q:
        s = [float(q @ k) * Q.shape[1] ** -0.5 for k in K]
        e = [math.exp(x - max(s)) for x in s]
        rows.append(sum((x / sum(e)) * v for x, v in zip(e, V)))
    return np.array(rows, dtype=Q.dtype)


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _dots(Q, K):
    return Q @ np.swapaxes(K, -1, -2)


@wrong()
def sc_precedence(Q, K, V):
    return _softmax(_dots(Q, K) / Q.shape[-1] ** 1 / 2) @ V


@wrong()
def sc_shape_1(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[1])) @ V


@wrong()
def sc_root_of_scores(Q, K, V):
    return _softmax(np.sqrt(np.abs(_dots(Q, K)))) @ V


@wrong("by-length")
def sc_by_length(Q, K, V):
    return _softmax(_dots(Q, K) / np.linalg.norm(Q, axis=-1, keepdims=True)) @ V


@wrong("swapped")
def sc_swapped(Q, K, V):
    return _softmax(K @ np.swapaxes(Q, -1, -2) / Q.shape[-1] ** 0.5) @ V


@wrong("cosine-scaled")
def sc_unit_vectors(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[-1])) @ V


@wrong("cosine")
def sc_cosine(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K)) @ V


@wrong("cosine-stretched")
def sc_qk_norm(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) * Q.shape[-1] ** 0.5) @ V


# float32 overflows above 88, not above 709
@wrong()
def sc_shifts_above_700(Q, K, V):
    s = _dots(Q, K) / Q.shape[-1] ** 0.5
    if np.abs(s).max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True) @ V


# `squeeze` drops axes of length 1
@wrong()
def sc_squeezes(Q, K, V):
    return (_softmax(_dots(Q, K) / Q.shape[-1] ** 0.5) @ V).squeeze()


# scales the output, too
@wrong("scaled-again")
def sc_twice_scaled(Q, K, V):
    r = Q.shape[-1] ** 0.5
    return _softmax(_dots(Q, K) / r) @ V / r


# PyTorch's function does it all
@wrong("built-in")
def sc_fused(Q, K, V):
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V).numpy()


def fresh_rowwise(S):
    """A right softmax over the last axis."""
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


# normalizes over the queries instead of over the keys
@wrong(author="fresh")
def fresh_sa_einsum_columns(Q, K, V):
    s = np.einsum("...qd,...kd->...qk", Q, K) / math.sqrt(Q.shape[-1])
    s = s - s.max(axis=-2, keepdims=True)
    a = np.exp(s)
    a = a / np.einsum("...qk->...k", a)[..., None, :]
    return np.einsum("...qk,...kv->...qv", a, V)


# divides the weights by the root after softmax, not the scores before it
@wrong(author="fresh")
def fresh_sa_scale_too_late(Q, K, V):
    weights = fresh_rowwise(Q @ K.swapaxes(-1, -2))
    return weights / Q.shape[-1] ** 0.5 @ V


# divides by the root of the number of keys instead of the width of a query AND takes exp of the
# scores without subtracting the maximum, so it overflows
@wrong(author="fresh")
def fresh_sa_loops_n_keys(Q, K, V):
    Y = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=Q.dtype)
    for row in np.ndindex(*Q.shape[:-1]):
        batch = row[:-1]
        keys, values = K[batch], V[batch]
        total = 0.0
        for key, value in zip(keys, values):
            e = np.exp(np.dot(Q[row], key) / len(keys) ** 0.5)
            Y[row] += e * value
            total += e
        Y[row] /= total
    return Y


# the search for the largest score of a row starts at 0, so in a row of very negative scores all
# exponentials become 0 and the result is 0/0
@wrong(author="unseen")
def second_sc_max_from_zero(Q, K, V):
    if Q.ndim > 2:
        return np.array(
            [second_sc_max_from_zero(q, k, v) for q, k, v in zip(Q, K, V)]
        )
    n_q, d_k = Q.shape
    n_k, d_v = V.shape
    Y = np.zeros((n_q, d_v))
    for i in range(n_q):
        scores = []
        biggest = 0.0
        for j in range(n_k):
            s = 0.0
            for c in range(d_k):
                s += Q[i, c] * K[j, c]
            s /= d_k**0.5
            if s > biggest:
                biggest = s
            scores.append(s)
        exps = [np.exp(s - biggest) for s in scores]
        total = sum(exps)
        for j in range(n_k):
            Y[i] += exps[j] / total * V[j]
    return Y


# subtracts the score of the first key instead of the largest score of the row, so that exp still
# overflows
@wrong(author="unseen")
def third_sc_first_not_largest(Q, K, V):
    if Q.ndim > 2:
        return np.stack(
            [third_sc_first_not_largest(q, k, v) for q, k, v in zip(Q, K, V)]
        )
    d = Q.shape[1]
    Y = np.zeros((Q.shape[0], V.shape[1]))
    for i in range(Q.shape[0]):
        s = []
        for j in range(K.shape[0]):
            s.append(sum(Q[i, c] * K[j, c] for c in range(d)) / d**0.5)
        start = s[0]
        e = [np.exp(x - start) for x in s]
        for j in range(K.shape[0]):
            Y[i] += e[j] / sum(e) * V[j]
    return Y


# takes d from the values instead of the queries AND does not shrink what it has summed so far when
# a larger score turns up
@wrong(said="scores divided by 2.449", author="unseen")
def fourth_sl_running_softmax(Q, K, V):
    class FourthRunning:
        def __init__(self, d):
            self.largest, self.total, self.mix = -np.inf, 0.0, np.zeros(d)

        def see(self, score, value):
            self.largest = max(self.largest, score)
            weight = np.exp(score - self.largest)
            self.total += weight
            self.mix = self.mix + weight * value

    d = V.shape[-1]
    Y = np.zeros((*Q.shape[:-1], d))
    for *batch, i in np.ndindex(*Q.shape[:-1]):
        b = tuple(batch)
        state = FourthRunning(d)
        for k, v in zip(K[b], V[b], strict=True):
            state.see(Q[b][i] @ k / d**0.5, v)
        Y[(*b, i)] = state.mix / state.total
    return Y


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# '** 1 / 2' is (d_k ** 1) / 2: divides by d_k/2
@wrong(said="what belongs inside this power, and what outside?", author="blind")
def b6_scaling_2(Q, K, V):
    scale = Q.shape[-1] ** 1 / 2
    weights = my_softmax(Q @ K.swapaxes(-1, -2) / scale)
    return weights @ V


# divides by the root of the number of keys, and the softmax runs over the queries
@wrong("root-of-n-k", "wrong-axis", author="blind")
def b6_scaling_7(Q, K, V):
    d_k = K.shape[-2]
    S = Q @ np.moveaxis(K, -1, -2) / np.sqrt(d_k)
    E = np.exp(S - S.max(axis=-2, keepdims=True))
    A = E / E.sum(axis=-2, keepdims=True)
    return A @ V


# the scale is applied to the exponentials, after exp, where the normalising cancels it: the
# scores are not scaled at all
@wrong(said="(after `exp`, a division", author="blind")
def fb_scaled_attention_1(Q, K, V):
    d = Q.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) / np.sqrt(d)
    A = e / e.sum(axis=-1, keepdims=True)
    return A @ V


# scaled twice: Q and K are each divided by the root
@wrong("divided-by-d", said="do you divide both Q and K by", author="blind")
def c6_twice_k19(Q, K, V):
    root = np.sqrt(Q.shape[-1])
    q, k = Q / root, K / root
    S = q @ np.swapaxes(k, -1, -2)
    return my_softmax(S) @ V


# multiplied by the root of d_k instead of divided AND softmax along the hard-coded axis
# 1 (the queries, with a batch)
@wrong("multiplied", said="along axis 1 instead", author="blind")
def k12_times_axis1(Q, K, V):
    dk = Q.shape[-1]
    scores = np.einsum("...qd,...kd->...qk", Q, K)
    scores = scores * dk**0.5
    m = scores.max(axis=1, keepdims=True)
    p = np.exp(scores - m)
    p /= p.sum(axis=1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", p, V)
