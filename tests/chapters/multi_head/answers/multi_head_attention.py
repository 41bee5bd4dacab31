"""Answers to `multi_head_attention`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@right()
def mha_loop(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        block = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = X @ W_Q[:, block], X @ W_K[:, block], X @ W_V[:, block]
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        heads.append(_softmax(np.where(mask, scores, -1e9)) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


@right()
def mha_sum_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    out, width = 0, X.shape[-1] // n_heads
    for start in range(0, X.shape[-1], width):
        stop = start + width
        scores = (
            X @ (W_Q[:, start:stop] @ W_K[:, start:stop].T) @ X.swapaxes(-1, -2)
        )
        bias = np.where(mask, 0.0, -np.inf)
        A = _softmax(scores * width**-0.5 + bias)
        out = out + A @ X @ W_V[:, start:stop] @ W_O[start:stop]
    return out


@right()
def mha_einsum(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    Q, K, V = (
        np.einsum("...nd,dhk->...hnk", X, W.reshape(d, n_heads, -1))
        for W in (W_Q, W_K, W_V)
    )
    s = np.einsum("...hik,...hjk->...hij", Q, K) / np.sqrt(Q.shape[-1])
    e = np.exp(s) * mask
    A = e / e.sum(-1, keepdims=True)
    W_out = W_O.reshape(n_heads, -1, d)
    return np.einsum("...hij,...hjv,hvd->...id", A, V, W_out)


@right()
def mha_course_steps(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from course_attn.in_numpy.multi_head import merge_heads, split_heads
    from course_attn.in_numpy.qkv import attention

    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return merge_heads(attention(Q, K, V, mask=mask)) @ W_O


@right()
def mha_scaled_queries(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from scipy.special import softmax

    n, d = X.shape[-2:]
    heads_first = X.shape[:-2] + (n, n_heads, d // n_heads)
    QKV = X @ np.hstack([W_Q, W_K, W_V])
    Q, K, V = np.split(QKV, 3, axis=-1)
    Q, K, V = (np.moveaxis(A.reshape(heads_first), -2, -3) for A in (Q, K, V))
    S = (Q * (d // n_heads) ** -0.5) @ K.swapaxes(-2, -1)
    S[..., ~mask] = -np.inf
    out = np.moveaxis(softmax(S, axis=-1) @ V, -3, -2)
    return out.reshape(X.shape) @ W_O


@right()
def mha_sequence_by_sequence(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    if X.ndim > 2:
        rest = (W_Q, W_K, W_V, W_O, n_heads, mask)
        return np.array([mha_sequence_by_sequence(x, *rest) for x in X])
    out = np.zeros(X.shape)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    for h in np.split(np.arange(X.shape[1]), n_heads):
        for i in range(len(X)):
            seen = np.flatnonzero(mask[i])
            a = _softmax(K[np.ix_(seen, h)] @ Q[i, h] / np.sqrt(len(h)))
            out[i, h] = a @ V[np.ix_(seen, h)]
    return out @ W_O


@right()
def mha_all_sequences_in_one_axis(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d = X.shape[-2:]
    rows = X.reshape(-1, n, d)
    Q, K, V = (
        (rows @ W).reshape(len(rows), n, n_heads, -1).transpose(0, 2, 1, 3)
        for W in (W_Q, W_K, W_V)
    )
    S = np.where(mask, Q @ K.transpose(0, 1, 3, 2) * (n_heads / d) ** 0.5, -1e9)
    out = (_softmax(S) @ V).transpose(0, 2, 1, 3).reshape(X.shape)
    return out @ W_O


@right(author="fresh")
def fresh_mha_einsum(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = W_Q.shape[0]
    in_heads = (d, n_heads, d // n_heads)
    q, k, v = (
        np.einsum("...nd,dhc->...hnc", X, W.reshape(in_heads))
        for W in (W_Q, W_K, W_V)
    )
    s = np.einsum("...ic,...jc->...ij", q, k) * (d // n_heads) ** -0.5
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    back = W_O.reshape(n_heads, d // n_heads, d)
    return np.einsum("...hij,...hjc,hcd->...id", a, v, back)


@right(author="fresh")
def fresh_mha_sum_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = W_Q.shape[1] // n_heads
    Y = np.zeros(X.shape, dtype=np.result_type(X, W_O))

    def attend(q, keys, values):
        scores = keys @ q / d_k**0.5
        weights = np.exp(scores - scores.max())
        return weights @ values / weights.sum()

    for b in np.ndindex(*X.shape[:-2]):
        for h in range(n_heads):
            mine = slice(h * d_k, (h + 1) * d_k)
            Q, K, V = (X[b] @ W[:, mine] for W in (W_Q, W_K, W_V))
            for i, row in enumerate(mask):
                # This head meets its own rows of W_O.
                Y[b][i] += attend(Q[i], K[row], V[row]) @ W_O[mine]
    return Y


@wrong("one-head-for-all")
def mha_single(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return _softmax(np.where(mask, S, -np.inf)) @ V @ W_O


@wrong("transposed-projections")
def mha_rows_of_the_matrices(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        b = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = (X @ W[b].T for W in (W_Q, W_K, W_V))
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)
        heads.append(_softmax(np.where(mask, S, -np.inf)) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


def _heads(A, n_heads):
    *batch, n, d = A.shape
    return A.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


def _joined(A):
    *batch, h, n, d = A.shape
    return A.swapaxes(-2, -3).reshape(*batch, n, h * d)


@wrong("root-of-d-model", "no-output-matrix")
def mha_no_output(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(X.shape[-1])
    return _joined(_softmax(np.where(mask, S, -np.inf)) @ V)


@wrong("no-scale", "mask-inverted")
def mha_mask_in_the_mha_way(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2)
    return _joined(_softmax(np.where(mask, -1e9, S)) @ V) @ W_O


@wrong("nothing-but-nan")
def mha_zero_times_infinity(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    with np.errstate(invalid="ignore"):
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]) + ~mask * -np.inf
        return _joined(_softmax(S) @ V) @ W_O


@wrong("root-of-d-model", "masked-after")
def mha_mask_after_scale_d_model(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    A = _softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(X.shape[-1]))
    return _joined((A * mask) @ V) @ W_O


@wrong()
def mha_big_t(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.T / np.sqrt(Q.shape[-1]), -1e9)
    return _joined(_softmax(S) @ V) @ W_O


@wrong("heads-not-joined")
def mha_heads_never_merged(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return _softmax(np.where(mask, S, -1e9)) @ V


@wrong("within-each-element")
def mha_positions_attend_across_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(*batch, n, n_heads, -1) for W in (W_Q, W_K, W_V))
    A = _softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    return (A @ V).reshape(X.shape) @ W_O


@wrong(said="nothing of 1, 2 reaches")
def mha_first_head_only(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    out = np.zeros(Q.shape)
    for h in range(n_heads):
        out[..., h, :, :] = (_softmax(S) @ V)[..., h, :, :]
        return _joined(out) @ W_O


@wrong("input-added")
def mha_residual(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    return X + _joined(_softmax(S) @ V) @ W_O


@wrong()
def mha_softmax_of_the_output(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), 0)
    return _joined(_softmax(S @ V)) @ W_O


@wrong("built-in")
def mha_handed_over(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from course_attn.in_numpy.multi_head import multi_head_attention

    return multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads=n_heads, mask=mask)


# every head takes the first block of columns
@wrong()
def mha_always_the_first_block(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for _ in range(n_heads):
        Q, K, V = X @ W_Q[:, :d_k], X @ W_K[:, :d_k], X @ W_V[:, :d_k]
        S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -1e9)
        heads.append(_softmax(S) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


# the blocks start at h, not at h d_k
@wrong()
def mha_blocks_start_at_h(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        Q, K, V = (X @ W[:, h : h + d_k] for W in (W_Q, W_K, W_V))
        S = np.where(mask, Q @ K.swapaxes(-1, -2) / d_k**0.5, -np.inf)
        heads.append(_softmax(S) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


def _attended(X, W_Q, W_K, W_V, n_heads, mask, scale=None):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(scale or Q.shape[-1])
    return _softmax(np.where(mask, S, -1e9)) @ V


# the values are not projected
@wrong()
def mha_values_as_they_are(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    return _joined(_attended(X, W_Q, W_K, np.eye(len(W_V)), n_heads, mask)) @ W_O


# keys and values are exchanged
@wrong()
def mha_values_before_keys(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    return _joined(_attended(X, W_Q, W_V, W_K, n_heads, mask)) @ W_O


def _soft(S):
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


# multiplies the weights by the mask after softmax and does not renormalize, so the rows no longer
# sum to 1
@wrong(author="fresh")
def fresh_mha_mask_after(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    d_k = d // n_heads

    def blocks(M):
        return M.reshape(d, n_heads, d_k)

    q = np.einsum("...nd,dhk->...hnk", X, blocks(W_Q))
    k = np.einsum("...nd,dhk->...hnk", X, blocks(W_K))
    v = np.einsum("...nd,dhk->...hnk", X, blocks(W_V))
    a = _soft(np.einsum("...hik,...hjk->...hij", q, k) / d_k**0.5)
    a = a * mask
    return np.einsum("...hij,...hjk,hkd->...id", a, v, W_O.reshape(n_heads, d_k, d))


# adds the mask of bool to the scores, so that allowed scores grow by 1 and nothing is hidden
@wrong(author="fresh")
def fresh_mha_add_bool(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d_model = X.shape
    d_k = d_model // n_heads

    def to_heads(T):
        return T.reshape(*batch, n, n_heads, d_k).swapaxes(-3, -2)

    Q, K, V = to_heads(X @ W_Q), to_heads(X @ W_K), to_heads(X @ W_V)
    scores = Q @ K.swapaxes(-2, -1) / math.sqrt(d_k) + mask
    out = _soft(scores) @ V
    return out.swapaxes(-3, -2).reshape(*batch, n, d_model) @ W_O


# takes the softmax over the heads, which are the last axis of its scores, not over the keys
@wrong(author="unseen")
def second_mh_softmax_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // n_heads
    Q, K, V = (
        (X @ W).reshape(*X.shape[:-1], n_heads, d_k) for W in (W_Q, W_K, W_V)
    )
    scores = np.einsum("...ihc,...jhc->...ijh", Q, K) / np.sqrt(d_k)
    scores = np.where(mask[:, :, None], scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    heads = np.einsum("...ijh,...jhc->...ihc", weights, V)
    return heads.reshape(X.shape) @ W_O


# divides the scores by the root of d_model instead of d_k, the width of a head AND multiplies by
# the transpose of W_O
@wrong(author="unseen")
def third_mh_einsum_two(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    Q, K, V = (
        np.einsum("...nd,dhk->...hnk", X, W.reshape(d, n_heads, d // n_heads))
        for W in (W_Q, W_K, W_V)
    )
    S = np.einsum("...hik,...hjk->...hij", Q, K) / np.sqrt(d)
    S = np.where(mask, S, -np.inf)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A /= A.sum(axis=-1, keepdims=True)
    O = W_O.reshape(d, n_heads, d // n_heads)
    return np.einsum("...hij,...hjk,dhk->...id", A, V, O)


# overwrites the output with each head's share of W_O instead of adding the shares: only the last
# head counts
@wrong(said="nothing of 0, 1 reaches the output", author="unseen")
def fifth_mh_last_head(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    for h in range(n_heads):
        cols = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = X @ W_Q[:, cols], X @ W_K[:, cols], X @ W_V[:, cols]
        s = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        Y = (e / e.sum(axis=-1, keepdims=True)) @ V @ W_O[cols]
    return Y


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# the result is not multiplied by W_O, and the mask is set to zero weights after the softmax
@wrong("masked-after", "no-output-matrix", author="blind")
def b6_multi_head_8(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d = X.shape[-2:]
    d_k = d // n_heads

    def cut(Y):
        return np.moveaxis(Y.reshape(Y.shape[:-1] + (n_heads, d_k)), -2, -3)

    Q, K, V = cut(X @ W_Q), cut(X @ W_K), cut(X @ W_V)
    A = my_softmax(np.einsum("...id,...jd->...ij", Q, K) / d_k**0.5)
    A = A * mask
    Y = np.moveaxis(A @ V, -3, -2)
    return Y.reshape(X.shape)


# softmax over the heads and no scaling
@wrong("no-scale", "over-the-heads", author="blind")
def own_multi_head_3(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], n_heads, -1), -2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    S = np.where(mask, Q @ np.swapaxes(K, -1, -2), -1e30)
    E = np.exp(S - S.max(axis=-3, keepdims=True))
    A = E / E.sum(axis=-3, keepdims=True)
    Y = np.swapaxes(A @ V, -2, -3)
    return Y.reshape(X.shape) @ W_O


# cuts X into blocks of features before the projection, so each head sees only its own part of X
# (diagonal blocks of the matrices)
@wrong("slices-of-x", author="blind")
def b7_multi_head_38(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // n_heads
    outs = []
    for h in range(n_heads):
        part = slice(h * d_k, (h + 1) * d_k)
        x = X[..., part]
        q = x @ W_Q[part, part]
        k = x @ W_K[part, part]
        v = x @ W_V[part, part]
        s = q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -np.inf)
        a = np.exp(s - s.max(axis=-1, keepdims=True))
        a = a / a.sum(axis=-1, keepdims=True)
        outs.append(a @ v)
    return np.concatenate(outs, axis=-1) @ W_O


# copy and paste: the values are made with W_K, W_V is never used
@wrong("values-from-W_K", author="blind")
def k24_values_of_keys(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    out = np.zeros(X.shape)
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_K
    for h in range(n_heads):
        a, b = h * d_k, (h + 1) * d_k
        scores = Q[..., a:b] @ np.swapaxes(K[..., a:b], -2, -1) / np.sqrt(d_k)
        scores[..., ~mask] = -np.inf
        out[..., a:b] = _softmax(scores) @ V[..., a:b]
    return out @ W_O


# scores are multiplied by the mask: a forbidden key gets score 0, not weight 0
@wrong("fill-zero", author="blind")
def f6_i27_times_mask(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d = X.shape
    dk = d // n_heads

    def split(M):
        return np.moveaxis((X @ M).reshape(*batch, n, n_heads, dk), -2, -3)

    q, k, v = split(W_Q), split(W_K), split(W_V)
    s = q @ k.swapaxes(-1, -2) / dk**0.5
    y = _softmax(s * mask) @ v
    return np.moveaxis(y, -3, -2).reshape(*batch, n, d) @ W_O


# keys come from W_Q (W_K unused) AND the result is multiplied by W_O transposed
@wrong("keys-from-W_Q", "output-matrix-transposed", author="blind")
def o04_keys_and_wo(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    dk = X.shape[-1] // n_heads
    heads = []
    for i in range(n_heads):
        cols = np.arange(i * dk, i * dk + dk)
        q = (X @ W_Q)[..., cols]
        k = (X @ W_Q)[..., cols]
        v = (X @ W_V)[..., cols]
        logits = np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(dk)
        logits[..., ~mask] = -np.inf
        heads.append(np.matmul(_softmax(logits), v))
    return np.concatenate(heads, -1) @ W_O.T


# scores are K Q^T (keys ask the queries) AND W_O is forgotten
@wrong("keys-ask", "no-output-matrix", author="blind")
def f8_x25_kq_and_no_wo(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    dk = W_Q.shape[1] // n_heads
    result = np.zeros_like(X)
    for h in range(n_heads):
        cols = range(h * dk, (h + 1) * dk)
        q = X @ W_Q[:, cols]
        k = X @ W_K[:, cols]
        v = X @ W_V[:, cols]
        sc = np.matmul(k, np.swapaxes(q, -1, -2)) / np.sqrt(dk)
        sc = np.where(mask, sc, -1e9)
        result[..., cols] = _soft(sc) @ v
    return result


# split by a reshape alone to (n_heads, n, d_k), so that a head gets mixed rows (and put back
# likewise) AND W_O is not applied
@wrong("cut-and-joined-by-reshape", "no-output-matrix", author="blind")
def a39_split_no_out(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d_model = X.shape[-2:]
    d_k = d_model // n_heads
    shape = X.shape[:-2] + (n_heads, n, d_k)
    Q = (X @ W_Q).reshape(shape)
    K = (X @ W_K).reshape(shape)
    V = (X @ W_V).reshape(shape)
    logits = Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)
    logits = np.where(mask, logits, -np.inf)
    return (_soft(logits) @ V).reshape(X.shape)


# the mask is turned around AND the heads' results stand side by side in reverse
@wrong("mask-inverted", "heads-reversed", author="blind")
def mask_inverted_and_heads_in_reverse(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    parts = []
    for h in range(n_heads):
        c = slice(h * d_k, (h + 1) * d_k)
        q, k, v = (X @ W_Q)[..., c], (X @ W_K)[..., c], (X @ W_V)[..., c]
        s = np.where(mask, -1e9, q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k))
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        parts.insert(0, e / e.sum(axis=-1, keepdims=True) @ v)
    return np.concatenate(parts, axis=-1) @ W_O
