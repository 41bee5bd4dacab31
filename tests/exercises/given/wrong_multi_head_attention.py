"""Wrong answers to `multi_head_attention` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _heads(A, n_heads):
    *batch, n, d = A.shape
    return A.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


def _joined(A):
    *batch, h, n, d = A.shape
    return A.swapaxes(-2, -3).reshape(*batch, n, h * d)


@wrong("multi_head_attention", "cut-by-reshape", "joined-by-reshape")
def mha_reshape_both_ways(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d = X.shape
    Q, K, V = (
        (X @ W).reshape(*batch, n_heads, n, d // n_heads) for W in (W_Q, W_K, W_V)
    )
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    A = _softmax(np.where(mask, S, -1e9))
    return (A @ V).reshape(X.shape) @ W_O


@wrong("multi_head_attention", "one-head-for-all")
def mha_single(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return _softmax(np.where(mask, S, -np.inf)) @ V @ W_O


@wrong("multi_head_attention", "slices-of-x")
def mha_slices_of_x(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        b = slice(h * d_k, (h + 1) * d_k)
        x = X[..., b]
        S = (x @ W_Q[b, b]) @ (x @ W_K[b, b]).swapaxes(-1, -2) / np.sqrt(d_k)
        heads.append(_softmax(np.where(mask, S, -np.inf)) @ (x @ W_V[b, b]))
    return np.concatenate(heads, axis=-1) @ W_O


@wrong("multi_head_attention", "transposed-projections")
def mha_rows_of_the_matrices(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        b = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = (X @ W[b].T for W in (W_Q, W_K, W_V))
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)
        heads.append(_softmax(np.where(mask, S, -np.inf)) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


@wrong("multi_head_attention", "root-of-d-model", "no-output-matrix")
def mha_no_output(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(X.shape[-1])
    return _joined(_softmax(np.where(mask, S, -np.inf)) @ V)


@wrong("multi_head_attention", "no-scale", "mask-inverted")
def mha_mask_in_the_mha_way(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2)
    return _joined(_softmax(np.where(mask, -1e9, S)) @ V) @ W_O


@wrong("multi_head_attention", "nothing-but-nan")
def mha_zero_times_infinity(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    with np.errstate(invalid="ignore"):
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]) + ~mask * -np.inf
        return _joined(_softmax(S) @ V) @ W_O


@wrong("multi_head_attention", "down-the-columns")
def mha_axis_1(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    return _joined(_softmax(S, axis=1) @ V) @ W_O


@wrong("multi_head_attention", "root-of-d-model", "masked-after")
def mha_mask_after_scale_d_model(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    A = _softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(X.shape[-1]))
    return _joined((A * mask) @ V) @ W_O


@wrong("multi_head_attention")
def mha_big_t(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.T / np.sqrt(Q.shape[-1]), -1e9)
    return _joined(_softmax(S) @ V) @ W_O


@wrong("multi_head_attention")
def mha_two_axes(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d = X.shape
    Q, K, V = (
        (X @ W).reshape(n, n_heads, -1).transpose(1, 0, 2) for W in (W_Q, W_K, W_V)
    )
    S = np.where(mask, Q @ K.transpose(0, 2, 1) / np.sqrt(d // n_heads), -1e9)
    return (_softmax(S) @ V).transpose(1, 0, 2).reshape(n, d) @ W_O


@wrong("multi_head_attention", "heads-not-joined")
def mha_heads_never_merged(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return _softmax(np.where(mask, S, -1e9)) @ V


@wrong("multi_head_attention", "within-each-element")
def mha_positions_attend_across_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(*batch, n, n_heads, -1) for W in (W_Q, W_K, W_V))
    A = _softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    return (A @ V).reshape(X.shape) @ W_O


@wrong("multi_head_attention", said="nothing of 1, 2 reaches")
def mha_first_head_only(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    out = np.zeros(Q.shape)
    for h in range(n_heads):
        out[..., h, :, :] = (_softmax(S) @ V)[..., h, :, :]
        return _joined(out) @ W_O


@wrong("multi_head_attention", said="`X` is added")
def mha_residual(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    return X + _joined(_softmax(S) @ V) @ W_O


@wrong("multi_head_attention")
def mha_softmax_of_the_output(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), 0)
    return _joined(_softmax(S @ V)) @ W_O


@wrong("multi_head_attention")
def mha_same_keys_for_all_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    K = K[..., :1, :, :]
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)
    return _joined(_softmax(S) @ V) @ W_O


@wrong("multi_head_attention", "built-in")
def mha_handed_over(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from course_attn.in_numpy.multi_head import multi_head_attention

    return multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads=n_heads, mask=mask)


def _attended(X, W_Q, W_K, W_V, n_heads, mask, scale=None):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(scale or Q.shape[-1])
    return _softmax(np.where(mask, S, -1e9)) @ V


@wrong(
    "multi_head_attention", mistake="every head takes the first block of columns"
)
def mha_always_the_first_block(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for _ in range(n_heads):
        Q, K, V = X @ W_Q[:, :d_k], X @ W_K[:, :d_k], X @ W_V[:, :d_k]
        S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -1e9)
        heads.append(_softmax(S) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


@wrong("multi_head_attention", mistake="the blocks start at h, not at h d_k")
def mha_blocks_start_at_h(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        Q, K, V = (X @ W[:, h : h + d_k] for W in (W_Q, W_K, W_V))
        S = np.where(mask, Q @ K.swapaxes(-1, -2) / d_k**0.5, -np.inf)
        heads.append(_softmax(S) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


@wrong(
    "multi_head_attention", mistake="`=` keeps the last head's contribution only"
)
def mha_only_the_last_head(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    heads = _attended(X, W_Q, W_K, W_V, n_heads, mask)
    d_k = heads.shape[-1]
    for h in range(n_heads):
        out = heads[..., h, :, :] @ W_O[h * d_k : (h + 1) * d_k]
    return out


@wrong(
    "multi_head_attention", mistake="scaled by the number of heads, not their width"
)
def mha_root_of_n_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    return _joined(_attended(X, W_Q, W_K, W_V, n_heads, mask, n_heads)) @ W_O


@wrong("multi_head_attention", mistake="the values are not projected")
def mha_values_as_they_are(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    return _joined(_attended(X, W_Q, W_K, np.eye(len(W_V)), n_heads, mask)) @ W_O


@wrong("multi_head_attention", mistake="keys and values are exchanged")
def mha_values_before_keys(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    return _joined(_attended(X, W_Q, W_V, W_K, n_heads, mask)) @ W_O


@wrong("multi_head_attention", mistake="the values of head 0 serve all heads")
def mha_values_of_head_0(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    shared = np.tile(W_V[:, :d_k], n_heads)
    return _joined(_attended(X, W_Q, W_K, shared, n_heads, mask)) @ W_O


@wrong("multi_head_attention", mistake="a head whose scores are divided twice")
def mha_scaled_twice(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = _attended(X, W_Q / d_k**0.5, W_K, W_V, n_heads, mask)
    return _joined(heads) @ W_O


@wrong("multi_head_attention", "built-in", mistake="PyTorch's function does it all")
def mha_handed_to_pytorch(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    import torch

    from course_attn.in_torch.multi_head import multi_head_attention

    arrays = map(torch.from_numpy, (X, W_Q, W_K, W_V, W_O))
    allowed = torch.from_numpy(mask)
    return multi_head_attention(*arrays, n_heads=n_heads, mask=allowed).numpy()


@wrong(
    "multi_head_attention",
    "sees-what-is-hidden",
    mistake="True and False are added as 1 and 0, which hides nothing",
)
def mha_mask_added(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q, K, V = (_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]) + mask
    return _joined(_softmax(S) @ V) @ W_O
