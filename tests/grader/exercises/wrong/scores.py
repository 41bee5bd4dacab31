"""Wrong answers to the exercises of `scores` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

# dot_scores


@answers("dot_scores")
def ds_plain_t(Q, K):
    return Q @ K.T


@answers("dot_scores")
def ds_inner(Q, K):
    return np.inner(Q, K)  # right in two dimensions only


@answers("dot_scores")
def ds_wrong_transpose(Q, K):
    return Q.T @ K


@answers("dot_scores")
def ds_cosine(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K, -1, -2)


@answers("dot_scores")
def ds_reshape(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@answers("dot_scores")
def ds_softmaxed(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


# cosine_scores


@answers("cosine_scores")
def cs_no_axis(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q) * np.linalg.norm(K))


@answers("cosine_scores")
def cs_nan_for_zero(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    return (Q @ np.swapaxes(K, -1, -2)) / lengths


@answers("cosine_scores")
def cs_large_epsilon(Q, K):
    Q = Q / (np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-2)
    K = K / (np.linalg.norm(K, axis=-1, keepdims=True) + 1e-2)
    return Q @ np.swapaxes(K, -1, -2)


@answers("cosine_scores")
def cs_axis_1(Q, K):
    q = np.linalg.norm(Q, axis=1, keepdims=True)
    k = np.linalg.norm(K, axis=1, keepdims=True)
    q[q == 0], k[k == 0] = 1, 1
    return (Q / q) @ np.swapaxes(K / k, -1, -2)  # right without a batch


@answers("cosine_scores")
def cs_nan_to_one(Q, K):
    with np.errstate(all="ignore"):
        lengths = (
            np.linalg.norm(Q, axis=-1)[..., :, None]
            * np.linalg.norm(K, axis=-1)[..., None, :]
        )
        return np.nan_to_num(Q @ np.swapaxes(K, -1, -2) / lengths, nan=1.0)


@answers("cosine_scores")
def cs_root_of_product_forgotten(Q, K):
    q, k = (Q**2).sum(-1, keepdims=True), (K**2).sum(-1, keepdims=True)
    norm = q @ np.swapaxes(k, -1, -2)
    return Q @ np.swapaxes(K, -1, -2) / np.where(norm == 0, 1, norm)


@answers("cosine_scores")
def cs_in_place(Q, K):
    Q /= np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    K /= np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return Q @ np.swapaxes(K, -1, -2)


@answers("cosine_scores")
def cs_centered(Q, K):
    Q = Q - Q.mean(axis=-1, keepdims=True)
    K = K - K.mean(axis=-1, keepdims=True)
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@answers("cosine_scores")
def cs_clipped(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return np.clip((Q / q) @ np.swapaxes(K / k, -1, -2), 0, 1)


@answers("cosine_scores")
def cs_at_least_one(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1)  # meant to avoid 0
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


# additive_scores


@answers("additive_scores")
def as_no_outer(Q, K, W_q, W_k, v):
    return np.tanh(Q @ W_q + K @ W_k) @ v


@answers("additive_scores")
def as_weights_transposed(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q.T)[..., :, None, :] + (K @ W_k.T)[..., None, :, :]) @ v


@answers("additive_scores")
def as_weights_swapped(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_k)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


@answers("additive_scores")
def as_no_batch(Q, K, W_q, W_k, v):
    out = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            out[i, j] = v @ np.tanh(Q[i] @ W_q + K[j] @ W_k)
    return out


@answers("additive_scores")
def as_v_inside(Q, K, W_q, W_k, v):
    return np.tanh(
        ((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) * v
    ).sum(-1)


@answers("additive_scores")
def as_softmaxed(Q, K, W_q, W_k, v):
    scores = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) @ v
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


# nadaraya_watson


@answers("nadaraya_watson")
def nwr_softmax_of_distance(x_query, x, y, bandwidth):
    distance = np.abs(x_query[:, None] - x)
    weights = np.exp(-distance / bandwidth)
    return weights @ y / weights.sum(1)


@answers("nadaraya_watson")
def nwr_one_query(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[0] - x) ** 2) / (2 * bandwidth**2))
    return weights @ y / weights.sum()


@answers("nadaraya_watson")
def nwr_x_for_y(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth**2))
    return weights @ x / weights.sum(1)


@answers("nadaraya_watson")
def nwr_boxcar(x_query, x, y, bandwidth):
    weights = (np.abs(x_query[:, None] - x) <= bandwidth).astype(float)
    return weights @ y / np.maximum(weights.sum(1), 1)


@answers("nadaraya_watson")
def nwr_interpolates(x_query, x, y, bandwidth):
    return np.interp(x_query, x, y)


# fooled_by_length


@answers("fooled_by_length")
def fl_aligned():
    return np.array([1.0, 0.0]), np.array([[3.0, 0.0], [1.0, 1.0]])


@answers("fooled_by_length")
def fl_scaled():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]])


@answers("fooled_by_length")
def fl_unit():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.6, 0.8]])


@answers("fooled_by_length")
def fl_keys_only():
    return np.eye(2)


# cosine_scores_torch


@answers("cosine_scores_torch")
def cst_default_dim(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q) @ F.normalize(K).transpose(-1, -2)


@answers("cosine_scores_torch")
def cst_t(Q, K):
    return (Q / Q.norm(dim=-1, keepdim=True)) @ (
        K / K.norm(dim=-1, keepdim=True)
    ).t()


@answers("cosine_scores_torch")
def cst_no_grad_lengths(Q, K):
    import torch

    with torch.no_grad():
        q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q / q) @ (K / k).transpose(-1, -2)


@answers("cosine_scores_torch")
def cst_no_keepdim(Q, K):
    return (Q / Q.norm(dim=-1)) @ (K / K.norm(dim=-1)).transpose(-1, -2)
