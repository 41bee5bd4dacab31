"""Answers to `project_qkv`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def pq_list(X, W_Q, W_K, W_V, Z):
    return [np.matmul(X, W_Q), np.matmul(Z, W_K), np.matmul(Z, W_V)]


@right()
def pq_einsum(X, W_Q, W_K, W_V, Z):
    def times(A, W):
        return np.einsum("...nd,dk->...nk", A, W)

    return times(X, W_Q), times(Z, W_K), times(Z, W_V)


@right()
def pq_together(X, W_Q, W_K, W_V, Z):
    K, V = np.split(Z @ np.hstack([W_K, W_V]), [W_K.shape[1]], axis=-1)
    return X @ W_Q, K, V


@right()
def pq_columns(X, W_Q, W_K, W_V, Z):
    return tuple(
        np.swapaxes(W.T @ np.swapaxes(A, -1, -2), -1, -2)
        for A, W in ((X, W_Q), (Z, W_K), (Z, W_V))
    )


@right()
def pq_stacked(X, W_Q, W_K, W_V, Z):
    W = np.concatenate([W_Q, W_K, W_V], axis=-1)
    d_k = W_Q.shape[-1]
    return (X @ W)[..., :d_k], (Z @ W)[..., d_k : 2 * d_k], (Z @ W)[..., 2 * d_k :]


@right(author="fresh")
def fresh_proj_joint(X, W_Q, W_K, W_V, Z):
    d_k = W_K.shape[1]
    both = np.einsum("...nd,dw->...nw", Z, np.hstack([W_K, W_V]))
    Q = np.tensordot(X, W_Q, axes=1)
    return Q, both[..., :d_k], both[..., d_k:]


@right(author="fresh")
def fresh_proj_loops(X, W_Q, W_K, W_V, Z):
    def project(source, W):
        Y = np.zeros(source.shape[:-1] + W.shape[1:], dtype=source.dtype)
        for d, row in enumerate(W):
            Y += source[..., d, None] * row
        return Y

    return tuple(project(s, W) for s, W in ((X, W_Q), (Z, W_K), (Z, W_V)))


@wrong()
def pq_two(X, W_Q, W_K, W_V, Z):
    return X @ W_Q, Z @ W_K


@wrong()
def pq_only_q(X, W_Q, W_K, W_V, Z):
    return X @ W_Q


@wrong()
def pq_keys_of_queries(X, W_Q, W_K, W_V, Z):
    Q = X @ W_Q
    return Q, Q, Z @ W_V


@wrong()
def pq_scaled_keys(X, W_Q, W_K, W_V, Z):
    return X @ W_Q, Z @ W_K / np.sqrt(W_K.shape[1]), Z @ W_V


@wrong("matrices-swapped")
def pq_swapped_matrices(X, W_Q, W_K, W_V, Z):
    return X @ W_K, Z @ W_Q, Z @ W_V


# the keys are divided by √d_k, as scores are later
@wrong()
def pq_scaled_queries_and_keys(X, W_Q, W_K, W_V, Z):
    r = W_K.shape[1] ** 0.25
    return X @ W_Q / r, Z @ W_K / r, Z @ W_V


# the values are made from the keys
@wrong()
def pq_values_from_keys(X, W_Q, W_K, W_V, Z):
    K = Z @ W_K
    return X @ W_Q, K, K @ W_V


# PyTorch's version of the course does it
@wrong("built-in")
def pq_course_in_torch(X, W_Q, W_K, W_V, Z):
    import torch

    from course_attn.in_torch.qkv import project_qkv

    X, W_Q, W_K, W_V, Z = map(torch.from_numpy, (X, W_Q, W_K, W_V, Z))
    return [A.numpy() for A in project_qkv(X, W_Q, W_K, W_V, Z=Z)]


# multiplies by the transposes of the matrices, as torch.nn.Linear does
@wrong(author="fresh")
def fresh_proj_transposed(X, W_Q, W_K, W_V, Z):
    def linear(x, W):
        return np.einsum("...nd,kd->...nk", x, W)

    return linear(X, W_Q), linear(Z, W_K), linear(Z, W_V)


# cuts the joint projection of Z in the middle, as if d_k and d_v were always equal
@wrong(author="fresh")
def fresh_proj_cut_in_the_middle(X, W_Q, W_K, W_V, Z):
    both = Z @ np.concatenate([W_K, W_V], axis=1)
    half = both.shape[-1] // 2
    return X @ W_Q, both[..., :half], both[..., half:]


# makes the keys with W_Q in place of W_K AND makes the values from X in place of Z
@wrong(author="fresh")
def fresh_proj_shared_and_own_values(X, W_Q, W_K, W_V, Z):
    Q = np.matmul(X, W_Q)
    K = np.matmul(Z, W_Q)
    V = np.matmul(X, W_V)
    return Q, K, V


# takes the values' columns from d_v on, where d_k is the border of the packed product
@wrong(said="`cut = W_V.shape[1]`", author="unseen")
def fourth_qkv_cut_at_dv(X, W_Q, W_K, W_V, Z):
    KV = Z @ np.concatenate([W_K, W_V], axis=1)
    cut = W_V.shape[1]
    return X @ W_Q, KV[..., :cut], KV[..., cut:]


# computes the values from X, the asking elements, instead of from Z
@wrong(said="values from X", author="unseen")
def fifth_qk_values_of_x(X, W_Q, W_K, W_V, Z):
    def project(elements, W):
        return np.einsum("...nd,de->...ne", elements, W)

    return project(X, W_Q), project(Z, W_K), project(X, W_V)


# keys are made from X instead of Z, and values and keys are returned in the wrong order
@wrong("keys-from-x", "values-second", author="blind")
def b6_qkv_8(X, W_Q, W_K, W_V, Z):
    queries = np.matmul(X, W_Q)
    keys = np.matmul(X, W_K)
    values = np.matmul(Z, W_V)
    return queries, values, keys


# einsum with exactly one batch axis: other numbers of axes fail
@wrong(said="In `einsum`, `...` stands for any number", author="blind")
def t30_one_batch_axis(X, W_Q, W_K, W_V, Z):
    f = "bnd,dk->bnk"
    return np.einsum(f, X, W_Q), np.einsum(f, Z, W_K), np.einsum(f, Z, W_V)


# queries are already divided by sqrt(d_k), which the task does not ask for
@wrong("scaled-queries", author="blind")
def y22_scaled(X, W_Q, W_K, W_V, Z):
    d_k = W_Q.shape[1]
    return np.matmul(X, W_Q) / np.sqrt(d_k), np.matmul(Z, W_K), np.matmul(Z, W_V)


# the keys are made with W_Q (copied line) AND values are returned before keys
@wrong(
    "one-matrix",
    "values-second",
    said="You return the three in another order",
    author="blind",
)
def a16_copy_order(X, W_Q, W_K, W_V, Z):
    Q = np.matmul(X, W_Q)
    K = np.matmul(Z, W_Q)
    V = np.matmul(Z, W_V)
    return Q, V, K
