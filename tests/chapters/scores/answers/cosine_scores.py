"""Answers to `cosine_scores`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def cs_maximum(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@right()
def cs_small_epsilon(Q, K):
    q = np.sqrt((Q**2).sum(axis=-1, keepdims=True)) + 1e-8
    k = np.sqrt((K**2).sum(axis=-1, keepdims=True)) + 1e-8
    return np.einsum("...id,...jd->...ij", Q / q, K / k)


@right()
def cs_dots_over_lengths(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    dots = Q @ np.swapaxes(K, -1, -2)
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


@right()
def cs_nan_to_num(Q, K):
    q, k = (
        np.linalg.norm(Q, axis=-1, keepdims=True),
        np.linalg.norm(K, axis=-1, keepdims=True),
    )
    return np.nan_to_num(Q / q) @ np.swapaxes(np.nan_to_num(K / k), -1, -2)


@right()
def cs_loops(Q, K):
    if Q.ndim > 2:
        return np.stack([cs_loops(q, k) for q, k in zip(Q, K, strict=True)])
    out = np.zeros((len(Q), len(K)), dtype=Q.dtype)
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            length = np.sqrt(q @ q) * np.sqrt(k @ k)
            if length > 0:
                out[i, j] = q @ k / length
    return out


@right()
def cs_own_copy_written_into(Q, K):
    Q, K = Q.copy(), K.copy()
    for X in (Q, K):
        n = np.linalg.norm(X, axis=-1, keepdims=True)
        n[n == 0] = 1
        X /= n
    return Q @ np.swapaxes(K, -1, -2)


@right(author="fresh")
def fresh_cos_divide_where(Q, K):
    scores = np.einsum("...if,...jf->...ij", Q, K)
    for X, axis in ((Q, -1), (K, -2)):
        size = np.expand_dims(np.hypot.reduce(X, axis=-1), axis)
        size = np.broadcast_to(size, scores.shape)
        scores = np.divide(scores, size, out=np.zeros_like(scores), where=size > 0)
    return scores


@right(author="fresh")
def fresh_cos_row_by_row(Q, K):
    def unit(vector):
        size = np.linalg.norm(vector)
        return vector / size if size > 0 else vector

    out = np.empty((*Q.shape[:-1], K.shape[-2]), dtype=np.result_type(Q, K, 0.0))
    for place in np.ndindex(out.shape):
        *batch, i, j = place
        out[place] = unit(Q[(*batch, i)]) @ unit(K[(*batch, j)])
    return out


# a zero key still gives NaN
@wrong()
def cs_keys_unguarded(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    q = np.where(q == 0, 1, q)
    return (Q / q) @ np.swapaxes(
        K / np.linalg.norm(K, axis=-1, keepdims=True), -1, -2
    )


# a square root too many
@wrong()
def cs_two_roots(Q, K):
    q = np.maximum(np.sqrt(np.linalg.norm(Q, axis=-1, keepdims=True)), 1e-12)
    k = np.maximum(np.sqrt(np.linalg.norm(K, axis=-1, keepdims=True)), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


# lengths of pairs i, i in place of all pairs
@wrong()
def cs_lengths_of_pairs(Q, K):
    dots = np.einsum("...id,...jd->...ij", Q, K)
    return dots / (np.linalg.norm(Q, axis=-1) * np.linalg.norm(K, axis=-1))


# handed over to the course's PyTorch twin
@wrong("built-in")
def cs_torch_twin(Q, K):
    import torch

    from course_attn.in_torch.scores import cosine_scores

    return cosine_scores(torch.from_numpy(Q), torch.from_numpy(K)).numpy()


@wrong()
def cs_nan_to_one(Q, K):
    with np.errstate(all="ignore"):
        lengths = (
            np.linalg.norm(Q, axis=-1)[..., :, None]
            * np.linalg.norm(K, axis=-1)[..., None, :]
        )
        return np.nan_to_num(Q @ np.swapaxes(K, -1, -2) / lengths, nan=1.0)


@wrong()
def cs_in_place(Q, K):
    Q /= np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    K /= np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return Q @ np.swapaxes(K, -1, -2)


@wrong()
def cs_centered(Q, K):
    Q = Q - Q.mean(axis=-1, keepdims=True)
    K = K - K.mean(axis=-1, keepdims=True)
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@wrong()
def cs_at_least_one(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1)  # meant to avoid 0
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


# adds 1 to the lengths to avoid a division by zero, which changes every score AND does not divide
# by the length of the query
@wrong(author="fresh")
def fresh_cos_plus_one_keys_only(Q, K):
    lengths = np.sqrt((K**2).sum(axis=-1)) + 1
    return (Q @ np.swapaxes(K, -1, -2)) / lengths[..., None, :]


# cuts negative cosines off at 0, though a cosine runs from -1 to 1
@wrong(author="unseen")
def second_sc_no_negative_cosines(Q, K):
    class Directions:
        def __init__(self, rows):
            lengths = np.sqrt(np.einsum("...d,...d->...", rows, rows))
            lengths = np.where(lengths == 0, 1.0, lengths)
            self.rows = rows / lengths[..., None]

        def compare(self, other):
            cosines = np.einsum("...id,...jd->...ij", self.rows, other.rows)
            return np.clip(cosines, 0, 1)  # rounding may take it outside

    return Directions(Q).compare(Directions(K))


# adds a small number to the lengths, 0.01, to avoid 0/0, which makes short vectors' cosines too
# small
@wrong(said="A constant added to the lengths", author="unseen")
def fifth_sc_added_to_lengths(Q, K):
    def unit(A):
        return A / (np.linalg.norm(A, axis=-1, keepdims=True) + 0.01)

    return np.einsum("...id,...jd->...ij", unit(Q), unit(K))


# as soon as one vector is zero, all scores are 0, instead of those of that vector only
@wrong("all-zero", author="blind")
def b7_scores_9(Q, K):
    q_len = np.sqrt((Q**2).sum(-1))[..., :, None]
    k_len = np.sqrt((K**2).sum(-1))[..., None, :]
    dots = np.einsum("...id,...jd->...ij", Q, K)
    lengths = q_len * k_len
    if np.any(lengths == 0):
        return np.zeros_like(dots)
    return dots / lengths


# both lengths are columns, where the keys' should be a row
@wrong("two-columns", author="blind")
def blind_cs_two_columns(Q, K):
    lq = np.linalg.norm(Q, axis=-1, keepdims=True)
    lk = np.linalg.norm(K, axis=-1, keepdims=True)
    lengths = lq * lk
    lengths[lengths == 0] = 1
    return Q @ np.swapaxes(K, -1, -2) / lengths


# the keys are normalized, and their lengths divided out once more
@wrong("keys-twice", author="blind")
def c6_keys_twice_h13(Q, K):
    def unit(A):
        n = np.linalg.norm(A, axis=-1, keepdims=True)
        return np.divide(A, n, out=np.zeros_like(A, dtype=float), where=n > 0), n

    Q1, nq = unit(Q)
    K1, nk = unit(K)
    nk = np.swapaxes(np.where(nk > 0, nk, 1.0), -1, -2)
    return (Q1 @ np.swapaxes(K1, -1, -2)) / nk


# divides by the norms of the whole arrays (Frobenius), not of each vector
@wrong("whole-length", author="blind")
def o32_frobenius(Q, K):
    dots = np.einsum("...id,...jd->...ij", Q, K)
    bottom = np.linalg.norm(Q) * np.linalg.norm(K)
    if bottom == 0:
        return np.zeros_like(dots)
    return dots / bottom


# keys are not divided by their length AND the scores lose their sign (absolute value)
@wrong("keys-not-normalized", "absolute", author="blind")
def o33_keys_and_abs(Q, K):
    length = np.sqrt(np.sum(Q * Q, axis=-1, keepdims=True))
    length = np.where(length > 0, length, 1)
    return np.abs(np.matmul(Q / length, np.swapaxes(K, -1, -2)))


# as soon as any vector is zero all scores are set to 0
@wrong("all-zero", author="blind")
def f8_x32_all_zero(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    dots = Q @ np.swapaxes(K, -2, -1)
    if np.any(lengths == 0):
        return np.zeros_like(dots)
    return dots / lengths


# returns the cosine distance 1 - cos AND zero vectors give nan (0/0)
@wrong("zero-vector", "distance", author="blind")
def n32_distance_and_nan(Q, K):
    q_unit = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    k_unit = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return 1 - q_unit @ np.swapaxes(k_unit, -1, -2)


# a zero vector gets 1 instead of 0 AND the lengths are made of means instead of sums
@wrong("zero-as-one", "root-mean-square", author="blind")
def a07_one_mean(Q, K):
    lq = np.sqrt(np.mean(Q * Q, axis=-1))[..., :, None]
    lk = np.sqrt(np.mean(K * K, axis=-1))[..., None, :]
    norm = lq * lk
    return np.where(
        norm > 0, Q @ K.swapaxes(-1, -2) / np.where(norm > 0, norm, 1), 1.0
    )
