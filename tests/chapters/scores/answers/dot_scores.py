"""Answers to `dot_scores`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ds_einsum(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K)


@right()
def ds_mt(Q, K):
    return Q @ np.moveaxis(K, -1, -2)


@right()
def ds_broadcast(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(-1)


@right()
def ds_loop_over_keys(Q, K):
    return np.stack(
        [(Q * K[..., j, None, :]).sum(-1) for j in range(K.shape[-2])], axis=-1
    )


@right(author="fresh")
def fresh_dot_einsum(Q, K):
    return np.einsum("...qf,...kf->...qk", Q, K)


@right(author="fresh")
def fresh_dot_multiply_and_add(Q, K):
    every_pair = np.expand_dims(Q, -2) * np.expand_dims(K, -3)
    return every_pair.sum(axis=-1)


# np.inner scores the queries of every batch entry against the keys of all batch entries, so batches
# get extra axes
@wrong("every-batch")
def ds_inner(Q, K):
    return np.inner(Q, K)  # right in two dimensions only


@wrong()
def ds_wrong_transpose(Q, K):
    return Q.T @ K


@wrong()
def ds_cosine(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K, -1, -2)


@wrong()
def ds_softmaxed(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


# squeeze removes an axis of length 1
@wrong()
def ds_squeezes(Q, K):
    return np.squeeze(Q @ np.swapaxes(K, -1, -2))


# half of the scores lose their sign
@wrong()
def ds_relu(Q, K):
    return np.maximum(Q @ np.swapaxes(K, -1, -2), 0)


# handed over to the course's PyTorch twin
@wrong("built-in")
def ds_torch_twin(Q, K):
    import torch

    from course_attn.in_torch.scores import dot_scores

    return dot_scores(torch.from_numpy(Q), torch.from_numpy(K)).numpy()


# reshapes the keys where they should be transposed, which mixes the entries of different keys
@wrong(author="fresh")
def fresh_dot_reshape(Q, K):
    *lead, n_k, d = K.shape
    return Q @ K.reshape(*lead, d, n_k)


# divides by the square root of d, which is not asked for AND swaps queries and keys
@wrong(author="fresh")
def fresh_dot_scaled_and_swapped(Q, K):
    width = Q.shape[-1]
    flipped = np.swapaxes(Q, -1, -2)
    return np.matmul(K, flipped) / width**0.5


# for each query the product with every key is divided by the number of features
@wrong("averaged", author="unseen")
def fourth_sco_mean_of_products(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K) / Q.shape[-1]


# adds up with = instead of +=: only the product of the last features remains
@wrong(said="replace what was there", author="unseen")
def fifth_sc_last_feature(Q, K):
    scores = np.zeros((*Q.shape[:-1], K.shape[-2]))
    for f in range(Q.shape[-1]):
        scores[...] = Q[..., :, f, None] * K[..., None, :, f]
    return scores


# K is reshaped to (d, n_k) instead of transposed AND the queries are normalized to length 1
@wrong("reshaped", "unit-queries", author="blind")
def g15_reshaped_unit_queries(Q, K):
    *batch, n_k, d = K.shape
    Kt = K.reshape(*batch, d, n_k)
    unit = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    return unit @ Kt


# K is reshaped to (d, n_k) instead of transposed AND the largest score of the row is
# subtracted
@wrong("reshaped", "maximum-subtracted", author="blind")
def l18_reshape_and_max(Q, K):
    *batch, n_k, d = K.shape
    KT = K.reshape(*batch, d, n_k)
    out = np.matmul(Q, KT)
    out = out - np.max(out, axis=-1, keepdims=True)
    return out


# keys are normalized to length 1 first AND tensordot pairs every batch with every batch
@wrong("unit-keys", "every-batch", author="blind")
def u15_dot(Q, K):
    K_hat = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return np.tensordot(Q, K_hat, axes=([-1], [-1]))
