"""Answers to `cross_attention`."""

import numpy as np

from course_attn.in_numpy import attention, project_qkv, softmax
from tests.exercises.answers import right, wrong


@right()
def ca_with_attention(X, Z, W_Q, W_K, W_V, source_mask):
    mask = np.expand_dims(source_mask, axis=-2)
    return attention(X @ W_Q, Z @ W_K, Z @ W_V, mask=mask)


@right()
def ca_projected_and_added(X, Z, W_Q, W_K, W_V, source_mask):
    Q, K, V = project_qkv(X, W_Q, W_K, W_V, Z=Z)
    bias = np.where(source_mask, 0.0, -1e9)[..., np.newaxis, :].astype(Q.dtype)
    return (
        softmax(
            Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]).astype(Q.dtype) + bias
        )
        @ V
    )


@right()
def ca_renormalized(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (
        np.einsum("...qd,...kd->...qk", X @ W_Q, Z @ W_K) * W_K.shape[1] ** -0.5
    )
    exps = np.exp(scores) * source_mask[..., None, :]
    return np.einsum("...qk,...kv->...qv", exps, Z @ W_V) / exps.sum(-1)[..., None]


@right()
def ca_source_by_source(X, Z, W_Q, W_K, W_V, source_mask):
    """Cut the padding off each source."""
    batch = source_mask.shape[:-1]
    result = np.empty((*batch, X.shape[-2], W_V.shape[-1]), dtype=X.dtype)
    for place in np.ndindex(*batch):
        kept = Z[place][source_mask[place]]
        result[place] = attention(X[place] @ W_Q, kept @ W_K, kept @ W_V)
    return result


@right()
def ca_query_by_query(X, Z, W_Q, W_K, W_V, source_mask):
    K, V = Z @ W_K, Z @ W_V
    rows = []
    for i in range(X.shape[-2]):
        scores = (K @ (X[..., i, :] @ W_Q)[..., None])[..., 0] / W_Q.shape[
            -1
        ] ** 0.5
        weights = softmax(np.where(source_mask, scores, -np.inf))
        rows.append((weights[..., None] * V).sum(axis=-2))
    return np.stack(rows, axis=-2)


# the target asks itself
@wrong("all-from-x-unmasked")
def ca_self_attention(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, X @ W_K, X @ W_V)


# the source asks the target
@wrong("exchanged-unmasked")
def ca_source_asks(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(Z @ W_Q, X @ W_K, X @ W_V)


# a causal mask besides that of the padding
@wrong("causal-bottom-right")
def ca_causal(X, Z, W_Q, W_K, W_V, source_mask):
    mask = source_mask[..., None, :]
    return attention(X @ W_Q, Z @ W_K, Z @ W_V, mask=mask, causal=True)


# the causal mask of the decoder in place of the source's
@wrong("causal-instead")
def ca_causal_only(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, Z @ W_K, Z @ W_V, causal=True)


# a causal mask aligned to the top left
@wrong("causal")
def ca_tril(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5
    scores = np.where(source_mask[..., None, :], scores, -np.inf)
    seen = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    return softmax(np.where(seen, scores, -np.inf)) @ Z @ W_V


# the mask is read as in PyTorch's key_padding_mask, where True hides
@wrong("mask-inverted")
def ca_polarity(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5
    hidden = np.broadcast_to(source_mask[..., None, :], scores.shape)
    scores[hidden] = -np.inf
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ (Z @ W_V)


# the mask hides rows, not columns, of the scores
@wrong("queries-masked")
def ca_column(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5
    scores = scores + np.where(source_mask[..., :, None], 0.0, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ (Z @ W_V)


# the mask lacks the axis of the queries, which shows in a batch only
@wrong("mask-without-axis")
def ca_plain_mask(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5
    return softmax(np.where(source_mask, scores, -np.inf)) @ (Z @ W_V)


# the padding's weights are cleared after the softmax
@wrong("after-softmax")
def ca_cleared(X, Z, W_Q, W_K, W_V, source_mask):
    weights = softmax(X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5)
    return np.where(source_mask[..., None, :], weights, 0) @ (Z @ W_V)


# only the values of the padding are set to 0, their keys still take weight
@wrong("after-softmax")
def ca_values_zeroed(X, Z, W_Q, W_K, W_V, source_mask):
    V = (Z @ W_V) * source_mask[..., :, None]
    return attention(X @ W_Q, Z @ W_K, V)


# the padding's elements are set to 0, which does not hide them
@wrong("padding-zeroed")
def ca_zeroed(X, Z, W_Q, W_K, W_V, source_mask):
    Z = np.where(source_mask[..., :, None], Z, 0)
    return attention(X @ W_Q, Z @ W_K, Z @ W_V)


# scaled by the width of the model
@wrong("root-of-d-model")
def ca_scaled_by_d_model(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / np.sqrt(Z.shape[-1])
    return softmax(np.where(source_mask[..., None, :], scores, -np.inf)) @ (Z @ W_V)


# the values are the elements of the source themselves
@wrong()
def ca_without_w_v(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, Z @ W_K, Z, mask=source_mask[..., None, :])


# W_Q and W_K are exchanged
@wrong("matrices-exchanged")
def ca_matrices_exchanged(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_K, Z @ W_Q, Z @ W_V, mask=source_mask[..., None, :])


# keys and values are exchanged
@wrong()
def ca_keys_for_values(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_V, -1, -2) / W_Q.shape[1] ** 0.5
    return softmax(np.where(source_mask[..., None, :], scores, -np.inf)) @ (Z @ W_K)


# self-attention as in the decoder's first part, copied
@wrong("ignores-the-source")
def ca_self_causal(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, X @ W_K, X @ W_V, causal=True)


# the source asks, and its padding is hidden as queries
@wrong("rows-of-the-source")
def ca_exchanged_columns(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(Z @ W_Q, X @ W_K, X @ W_V, mask=source_mask[..., :, None])


# the mask is added to the scores as ones and zeros
@wrong("mask-added")
def ca_mask_added(X, Z, W_Q, W_K, W_V, source_mask):
    scores = X @ W_Q @ np.swapaxes(Z @ W_K, -1, -2) / W_Q.shape[1] ** 0.5
    return softmax(scores + source_mask[..., None, :]) @ (Z @ W_V)


# mask inverted; scale forgotten
@wrong("mask-inverted-zeros", "unscaled", author="blind")
def ca_blind_inverted_unscaled(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(
        X @ W_Q, Z @ W_K, Z @ W_V, mask=~source_mask[..., None, :], scale=1.0
    )


# mask[:, None, :] works for one batch axis only (forgotten case: no batch axis, two batch axes)
@wrong(said="`[..., None, :]`", author="blind")
def ca_blind_one_batch_axis(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, Z @ W_K, Z @ W_V, mask=source_mask[:, None, :])


# divides by sqrt(n_k)
@wrong("root-of-keys", author="blind")
def ca_blind_root_of_keys(X, Z, W_Q, W_K, W_V, source_mask):
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])
    S = np.where(source_mask[..., None, :], S, -np.inf)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    return A / A.sum(axis=-1, keepdims=True) @ V


# `Z[source_mask]` strings the elements of all sources together
@wrong("strung-together", author="blind")
def ca_blind_select(X, Z, W_Q, W_K, W_V, source_mask):
    real = Z[source_mask]
    Q = X @ W_Q
    K = real @ W_K
    V = real @ W_V
    A = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    return A @ V


# source_mask is passed on without an axis for the queries, so its batch axis meets the queries
@wrong("mask-without-axis", author="blind")
def x48_no_query_axis(X, Z, W_Q, W_K, W_V, source_mask):
    return attention(X @ W_Q, Z @ W_K, Z @ W_V, mask=source_mask)


# boolean indexing Z[source_mask] flattens the batch: all queries see the elements of all
# sources
@wrong("fails-batch", said="one long list", author="blind")
def x50_boolean_index(X, Z, W_Q, W_K, W_V, source_mask):
    there = Z[source_mask]
    return attention(X @ W_Q, there @ W_K, there @ W_V)


# Scores are divided by sqrt(d_model) AND the additive mask has the wrong polarity (real elements
# get -1e9).
@wrong("mask-inverted-added", "root-of-d-model", author="blind")
def blind_dmodel_and_polarity(X, Z, W_Q, W_K, W_V, source_mask):
    d_model = X.shape[-1]
    Q, K, V = np.matmul(X, W_Q), np.matmul(Z, W_K), np.matmul(Z, W_V)
    S = np.matmul(Q, np.swapaxes(K, -1, -2)) / np.sqrt(d_model)
    S = S + source_mask[..., np.newaxis, :] * -1e9
    S = S - S.max(axis=-1, keepdims=True)
    E = np.exp(S)
    return np.matmul(E / E.sum(axis=-1, keepdims=True), V)


# W_Q and W_K are swapped (queries by W_K, keys by W_Q) AND the mask is rebuilt from the number of
# elements, as if padding were always at the end.
@wrong("matrices-exchanged", "counted", author="blind")
def blind_swapped_and_prefix(X, Z, W_Q, W_K, W_V, source_mask):
    queries = X @ W_K
    keys = Z @ W_Q
    values = Z @ W_V
    n_k = Z.shape[-2]
    lengths = source_mask.sum(axis=-1)
    seen = np.arange(n_k) < lengths[..., None]
    return attention(queries, keys, values, mask=seen[..., None, :])
