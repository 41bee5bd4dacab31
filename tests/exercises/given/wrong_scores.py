"""Wrong answers to the exercises of `scores` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()

# dot_scores


@wrong("dot_scores")
def ds_plain_t(Q, K):
    return Q @ K.T


@wrong("dot_scores")
def ds_inner(Q, K):
    return np.inner(Q, K)  # right in two dimensions only


@wrong("dot_scores")
def ds_wrong_transpose(Q, K):
    return Q.T @ K


@wrong("dot_scores")
def ds_cosine(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K, -1, -2)


@wrong("dot_scores")
def ds_reshape(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@wrong("dot_scores")
def ds_softmaxed(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


@wrong("dot_scores", mistake="scaled by the square root of d")
def ds_scaled(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(Q.shape[-1])


@wrong("dot_scores", mistake="the features are not what is summed over")
def ds_einsum_letters(Q, K):
    return np.einsum("...ij,...jk->...ik", Q, K)


@wrong("dot_scores", mistake="squeeze removes an axis of length 1")
def ds_squeezes(Q, K):
    return np.squeeze(Q @ np.swapaxes(K, -1, -2))


@wrong("dot_scores", mistake="half of the scores lose their sign")
def ds_relu(Q, K):
    return np.maximum(Q @ np.swapaxes(K, -1, -2), 0)


@wrong("dot_scores", "built-in", mistake="handed over to the course's PyTorch twin")
def ds_torch_twin(Q, K):
    import torch

    from course_attn.in_torch.scores import dot_scores

    return dot_scores(torch.from_numpy(Q), torch.from_numpy(K)).numpy()


# cosine_scores


@wrong("cosine_scores", mistake="a zero key still gives NaN")
def cs_keys_unguarded(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    q = np.where(q == 0, 1, q)
    return (Q / q) @ np.swapaxes(
        K / np.linalg.norm(K, axis=-1, keepdims=True), -1, -2
    )


@wrong("cosine_scores", mistake="a square root too many")
def cs_two_roots(Q, K):
    q = np.maximum(np.sqrt(np.linalg.norm(Q, axis=-1, keepdims=True)), 1e-12)
    k = np.maximum(np.sqrt(np.linalg.norm(K, axis=-1, keepdims=True)), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@wrong("cosine_scores", mistake="a constant that changes short vectors")
def cs_constant(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-5
    k = np.linalg.norm(K, axis=-1, keepdims=True) + 1e-5
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@wrong("cosine_scores", mistake="lengths of pairs i, i in place of all pairs")
def cs_lengths_of_pairs(Q, K):
    dots = np.einsum("...id,...jd->...ij", Q, K)
    return dots / (np.linalg.norm(Q, axis=-1) * np.linalg.norm(K, axis=-1))


@wrong(
    "cosine_scores", "built-in", mistake="handed over to the course's PyTorch twin"
)
def cs_torch_twin(Q, K):
    import torch

    from course_attn.in_torch.scores import cosine_scores

    return cosine_scores(torch.from_numpy(Q), torch.from_numpy(K)).numpy()


@wrong("cosine_scores")
def cs_no_axis(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q) * np.linalg.norm(K))


@wrong("cosine_scores")
def cs_nan_for_zero(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    return (Q @ np.swapaxes(K, -1, -2)) / lengths


@wrong("cosine_scores")
def cs_large_epsilon(Q, K):
    Q = Q / (np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-2)
    K = K / (np.linalg.norm(K, axis=-1, keepdims=True) + 1e-2)
    return Q @ np.swapaxes(K, -1, -2)


@wrong("cosine_scores")
def cs_axis_1(Q, K):
    q = np.linalg.norm(Q, axis=1, keepdims=True)
    k = np.linalg.norm(K, axis=1, keepdims=True)
    q[q == 0], k[k == 0] = 1, 1
    return (Q / q) @ np.swapaxes(K / k, -1, -2)  # right without a batch


@wrong("cosine_scores")
def cs_nan_to_one(Q, K):
    with np.errstate(all="ignore"):
        lengths = (
            np.linalg.norm(Q, axis=-1)[..., :, None]
            * np.linalg.norm(K, axis=-1)[..., None, :]
        )
        return np.nan_to_num(Q @ np.swapaxes(K, -1, -2) / lengths, nan=1.0)


@wrong("cosine_scores")
def cs_root_of_product_forgotten(Q, K):
    q, k = (Q**2).sum(-1, keepdims=True), (K**2).sum(-1, keepdims=True)
    norm = q @ np.swapaxes(k, -1, -2)
    return Q @ np.swapaxes(K, -1, -2) / np.where(norm == 0, 1, norm)


@wrong("cosine_scores")
def cs_in_place(Q, K):
    Q /= np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    K /= np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return Q @ np.swapaxes(K, -1, -2)


@wrong("cosine_scores")
def cs_centered(Q, K):
    Q = Q - Q.mean(axis=-1, keepdims=True)
    K = K - K.mean(axis=-1, keepdims=True)
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@wrong("cosine_scores")
def cs_clipped(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return np.clip((Q / q) @ np.swapaxes(K / k, -1, -2), 0, 1)


@wrong("cosine_scores")
def cs_at_least_one(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1)  # meant to avoid 0
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


# additive_scores


@wrong("additive_scores")
def as_no_outer(Q, K, W_q, W_k, v):
    return np.tanh(Q @ W_q + K @ W_k) @ v


@wrong("additive_scores")
def as_weights_transposed(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q.T)[..., :, None, :] + (K @ W_k.T)[..., None, :, :]) @ v


@wrong("additive_scores")
def as_weights_swapped(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_k)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


@wrong("additive_scores")
def as_no_batch(Q, K, W_q, W_k, v):
    out = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            out[i, j] = v @ np.tanh(Q[i] @ W_q + K[j] @ W_k)
    return out


@wrong("additive_scores")
def as_v_inside(Q, K, W_q, W_k, v):
    return np.tanh(
        ((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) * v
    ).sum(-1)


@wrong("additive_scores")
def as_softmaxed(Q, K, W_q, W_k, v):
    scores = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) @ v
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


@wrong("additive_scores", mistake="one matrix for both")
def as_one_matrix(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


@wrong("additive_scores", mistake="a tanh around the finished score")
def as_bounded(Q, K, W_q, W_k, v):
    hidden = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :])
    return np.tanh((hidden * v).sum(axis=-1))


@wrong("additive_scores", mistake="the products with v are not summed")
def as_not_summed(Q, K, W_q, W_k, v):
    return v * np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :])


@wrong(
    "additive_scores",
    "built-in",
    mistake="handed over to the course's PyTorch twin",
)
def as_torch_twin(Q, K, W_q, W_k, v):
    import torch

    from course_attn.in_torch.scores import additive_scores

    return additive_scores(*map(torch.from_numpy, (Q, K, W_q, W_k, v))).numpy()


# nadaraya_watson


@wrong("nadaraya_watson", mistake="sorts x but not y")
def nwr_sorts_x(x_query, x, y, bandwidth):
    x = np.sort(x)
    kernel = np.exp(-0.5 * ((x_query[:, None] - x) / bandwidth) ** 2)
    return kernel @ y / kernel.sum(axis=1)


@wrong("nadaraya_watson", mistake="the 2 is squared, too")
def nwr_two_inside(x_query, x, y, bandwidth):
    kernel = np.exp(-(((x_query[:, None] - x) / (2 * bandwidth)) ** 2))
    return kernel @ y / kernel.sum(axis=1)


@wrong("nadaraya_watson", mistake="the weights are divided by a sum over queries")
def nwr_sum_over_queries(x_query, x, y, bandwidth):
    kernel = np.exp(-0.5 * ((x_query[:, None] - x) / bandwidth) ** 2)
    return (kernel / kernel.sum(axis=0)) @ y


@wrong("nadaraya_watson", mistake="leaves out all points beyond 1.5 bandwidths")
def nwr_cut_off(x_query, x, y, bandwidth):
    distance = np.abs(x_query[:, None] - x) / bandwidth
    kernel = np.exp(-(distance**2) / 2) * (distance < 1.5)
    return kernel @ y / kernel.sum(axis=1)


@wrong(
    "nadaraya_watson",
    "built-in",
    mistake="handed over to the course's PyTorch twin",
)
def nwr_torch_twin(x_query, x, y, bandwidth):
    import torch

    from course_attn.in_torch.scores import nadaraya_watson

    tensors = map(torch.from_numpy, (x_query, x, y))
    return nadaraya_watson(*tensors, bandwidth=bandwidth).numpy()


@wrong("nadaraya_watson")
def nwr_softmax_of_distance(x_query, x, y, bandwidth):
    distance = np.abs(x_query[:, None] - x)
    weights = np.exp(-distance / bandwidth)
    return weights @ y / weights.sum(1)


@wrong("nadaraya_watson")
def nwr_one_query(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[0] - x) ** 2) / (2 * bandwidth**2))
    return weights @ y / weights.sum()


@wrong("nadaraya_watson")
def nwr_x_for_y(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth**2))
    return weights @ x / weights.sum(1)


@wrong("nadaraya_watson")
def nwr_boxcar(x_query, x, y, bandwidth):
    weights = (np.abs(x_query[:, None] - x) <= bandwidth).astype(float)
    return weights @ y / np.maximum(weights.sum(1), 1)


@wrong("nadaraya_watson")
def nwr_interpolates(x_query, x, y, bandwidth):
    return np.interp(x_query, x, y)


# fooled_by_length


@wrong("fooled_by_length")
def fl_aligned():
    return np.array([1.0, 0.0]), np.array([[3.0, 0.0], [1.0, 1.0]])


@wrong("fooled_by_length")
def fl_scaled():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]])


@wrong("fooled_by_length")
def fl_unit():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.6, 0.8]])


@wrong("fooled_by_length")
def fl_keys_only():
    return np.eye(2)


@wrong("fooled_by_length", mistake="the long key is too far off")
def fl_perpendicular():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 50.0]])


@wrong("fooled_by_length", mistake="the longer key is not long enough")
def fl_too_short():
    return np.array([1.0, 0.0]), np.array([[2.0, 0.0], [1.0, 3.0]])


@wrong("fooled_by_length", mistake="two equal dot products")
def fl_tie():
    return np.array([1.0, 0.0]), np.array([[1.0, 3.0], [1.0, 0.0]])


# cosine_scores_torch


@wrong("cosine_scores_torch", mistake="a sum of sizes is no length")
def cst_sum_of_sizes(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q, p=1, dim=-1) @ F.normalize(K, p=1, dim=-1).transpose(
        -1, -2
    )


@wrong("cosine_scores_torch", mistake="subtracts the means")
def cst_centered(Q, K):
    q, k = Q - Q.mean(-1, keepdim=True), K - K.mean(-1, keepdim=True)
    q, k = q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
    return q @ k.mT


@wrong("cosine_scores_torch", "built-in", mistake="handed over to the course")
def cst_course(Q, K):
    from course_attn.in_torch.scores import cosine_scores

    return cosine_scores(Q, K)


@wrong("cosine_scores_torch")
def cst_default_dim(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q) @ F.normalize(K).transpose(-1, -2)


@wrong("cosine_scores_torch")
def cst_t(Q, K):
    return (Q / Q.norm(dim=-1, keepdim=True)) @ (
        K / K.norm(dim=-1, keepdim=True)
    ).t()


@wrong("cosine_scores_torch")
def cst_no_grad_lengths(Q, K):
    import torch

    with torch.no_grad():
        q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q / q) @ (K / k).transpose(-1, -2)


@wrong("cosine_scores_torch")
def cst_no_keepdim(Q, K):
    return (Q / Q.norm(dim=-1)) @ (K / K.norm(dim=-1)).transpose(-1, -2)


@wrong(
    "fooled_by_length",
    "lengths-apart",
    mistake="the chapter's own example, in which a key is a hundred times as long",
)
def fl_as_in_the_chapter():
    angle = np.radians(80)
    keys = [[1.0, 0.0], [100 * np.cos(angle), 100 * np.sin(angle)]]
    return np.array([1.0, 0.0]), np.array(keys)


@wrong("fooled_by_length", "too-short", mistake="twice as long, but at 63 degrees")
def fl_angle_too_large():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.89, 1.78]])


# raises_the_score


@wrong("raises_the_score", "c", mistake="toward the key is not along the key")
def rts_toward():
    return {"a", "c", "d", "f", "g"}


@wrong("raises_the_score", "b", mistake="along the key is not nearer to the key")
def rts_nearer_by_going_along():
    return "a b d f g"


@wrong("raises_the_score", "h", mistake="thinks that length counts for the cosine")
def rts_long_cosine():
    return {"a", "d", "f", "g", "h"}


@wrong("raises_the_score", "e", mistake="a smaller angle alone does not do it")
def rts_angle_decides():
    return ["a", "d", "e", "f", "g"]


@wrong("raises_the_score", "f-missing", mistake="across the key changes the angle")
def rts_across_changes_nothing():
    return ("a", "d", "g")


@wrong("raises_the_score", "unknown-letter", mistake="there is no move i")
def rts_letter_too_many():
    return {"a", "d", "f", "g", "i"}
