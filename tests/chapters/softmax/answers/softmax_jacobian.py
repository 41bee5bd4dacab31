"""Answers to `softmax_jacobian`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sj_einsum(weights):
    n = weights.shape[-1]
    return np.einsum("...i,ij->...ij", weights, np.eye(n)) - np.einsum(
        "...i,...j->...ij", weights, weights
    )


@right()
def sj_delta(weights):
    return weights[..., :, None] * (
        np.eye(weights.shape[-1]) - weights[..., None, :]
    )


@right()
def sj_loops(weights):
    n = weights.shape[-1]
    J = np.empty((*weights.shape, n), dtype=weights.dtype)
    for i in range(n):
        for j in range(n):
            J[..., i, j] = weights[..., i] * (
                (1 if i == j else 0) - weights[..., j]
            )
    return J


@right()
def sj_recursive(weights):
    if weights.ndim > 1:
        return np.stack([sj_recursive(row) for row in weights])
    return np.diag(weights) - np.outer(weights, weights)


@right()
def sj_filled_diagonal(weights):
    J = -weights[..., :, None] @ weights[..., None, :]
    i = np.arange(weights.shape[-1])
    J[..., i, i] += weights
    return J


@right()
def sj_batched_diag(weights):
    J = np.zeros((*weights.shape, weights.shape[-1]), weights.dtype)
    np.einsum("...ii->...i", J)[...] = weights
    return J - weights[..., :, None] @ weights[..., None, :]


@right()
def sj_flattened_batch(weights):
    n = weights.shape[-1]
    rows = weights.reshape(-1, n)
    made = [np.diagflat(row) - np.multiply.outer(row, row) for row in rows]
    return np.array(made).reshape(*weights.shape, n)


@right(author="fresh")
def fresh_jac_diagonal_view(weights):
    J = np.einsum("...j,...m->...jm", -weights, weights)
    diagonal = np.einsum("...jj->...j", J)
    diagonal += weights
    return J


@right(author="fresh")
def fresh_jac_columns(weights):
    n = weights.shape[-1]
    columns = []
    for m in range(n):
        a_m = weights[..., m : m + 1]
        delta = (np.arange(n) == m).astype(weights.dtype)
        columns.append(weights * (delta - a_m))
    return np.stack(columns, axis=-1)


@wrong()
def sj_diag_minus_dot(weights):
    return np.diag(weights) - weights @ weights


@wrong()
def sj_kronecker_swapped(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (1 - np.eye(n) - weights[..., None, :])


@wrong()
def sj_loops_half(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(i, n):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
    return J


@wrong()
def sj_finite_differences_of_weights(weights):
    n, step = weights.shape[-1], 1e-6
    rows = [(weights + step * np.eye(n)[j] - weights) / step for j in range(n)]
    return np.stack(rows, axis=-1)


@wrong()
def sj_of_log_softmax(weights):
    n = weights.shape[-1]
    return np.eye(n) - np.broadcast_to(weights[..., None, :], (*weights.shape, n))


# only j ≥ m are filled
@wrong("lower-half")
def sj_lower(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(i + 1):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
    return J


# the loop returns after the first row
@wrong()
def sj_returns_early(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n), dtype=weights.dtype)
    for i in range(n):
        for j in range(n):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
        return J


@wrong("built-in")
def sj_the_course_in_torch(weights):
    import torch

    from course_attn.in_torch.softmax import softmax_jacobian

    return softmax_jacobian(torch.from_numpy(weights)).numpy()


# the entries off the diagonal have the wrong sign
@wrong(author="fresh")
def fresh_jac_sign_off_diagonal(weights):
    n = weights.shape[-1]
    J = np.zeros(weights.shape + (n,), dtype=weights.dtype)
    for j in range(n):
        for m in range(n):
            if j == m:
                J[..., j, m] = weights[..., j] * (1 - weights[..., j])
            else:
                J[..., j, m] = weights[..., j] * weights[..., m]
    return J


# takes the softmax of the weights, as if they were scores AND has 1 in place of a_j on the diagonal
# before the product is subtracted
@wrong(author="fresh")
def fresh_jac_softmax_again(weights):
    e = np.exp(weights)
    a = e / e.sum(axis=-1, keepdims=True)
    delta = np.eye(a.shape[-1], dtype=a.dtype)
    return delta - a[..., :, None] * a[..., None, :]


# the entries off the diagonal have the wrong sign, plus instead of minus AND the diagonal lacks the
# factor a_j, being 1 - a_j instead of a_j (1 - a_j)
@wrong(author="unseen")
def second_sm_jacobian_sign_and_diagonal(weights):
    n = weights.shape[-1]
    J = np.zeros(weights.shape + (n,))
    for row in np.ndindex(weights.shape[:-1]):
        a = weights[row]
        for j in range(n):
            for m in range(n):
                J[row + (j, m)] = 1 - a[j] if j == m else a[j] * a[m]
    return J


# uses the weight of the row index twice, a_j (delta_jm - a_j), where the second one must be a_m
@wrong(author="unseen")
def third_sm_jacobian_same_index(weights):
    delta = np.eye(weights.shape[-1])
    return np.einsum("...j,...jm->...jm", weights, delta - weights[..., :, None])


# the weight in front stands along the columns too: a_m (delta - a_m)
@wrong("column-weight-twice", author="blind")
def b6_softmax_5(weights):
    n = weights.shape[-1]
    a = weights[..., np.newaxis, :]
    return a * (np.eye(n) - a)


# only the diagonal, a (1 - a), forgets the others
@wrong("sigmoid-like", author="blind")
def own_softmax_3(weights):
    n = weights.shape[-1]
    return np.eye(n) * (weights * (1 - weights))[..., None]


# reads the delta as 1 everywhere: a_j (1 - a_m) also off the diagonal
@wrong("delta-everywhere", author="blind")
def b7_softmax_16(weights):
    a = weights[..., :, None]
    b = weights[..., None, :]
    return a * (1 - b)


# the sign of the whole is wrong AND delta is not multiplied by a_j
@wrong("delta-alone", "sign", author="blind")
def b8_sign_delta(weights):
    n = weights.shape[-1]
    outer = weights[..., :, None] * weights[..., None, :]
    return outer - np.eye(n)


# flattens the leading axes and never restores them
@wrong("flattened", author="blind")
def c6_flat_l03(weights):
    n = weights.shape[-1]
    rows = weights.reshape(-1, n)
    result = np.zeros((len(rows), n, n))
    for r, a in enumerate(rows):
        result[r] = np.diag(a) - np.outer(a, a)
    return result


# the second term lacks its factor: a_j δ_jm − a_m
@wrong("subtracted-factor-missing", author="blind")
def i28_factor(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * np.eye(n) - weights[..., None, :]


# the diagonal is a_j instead of a_j (1 − a_j) AND the entries beside it are + a_j a_m
@wrong("diagonal-without-square", "plus", author="blind")
def i30_diag_plus(weights):
    out = np.zeros(weights.shape + (weights.shape[-1],))
    for idx in np.ndindex(*weights.shape[:-1]):
        a = weights[idx]
        for j in range(len(a)):
            for m in range(len(a)):
                if j == m:
                    out[idx + (j, m)] = a[j]
                else:
                    out[idx + (j, m)] = a[j] * a[m]
    return out


# off the diagonal the minus sign is missing AND a batch is flattened into one long row
@wrong("off-diagonal-sign", "one-long-row", author="blind")
def m26_no_minus_ravel(weights):
    a = weights.ravel()
    n = len(a)
    J = np.zeros((n, n))
    for j in range(n):
        for m in range(n):
            J[j, m] = a[j] * (1 - a[j]) if j == m else a[j] * a[m]
    return J


# the minus sign is missing off the diagonal AND leading axes are flattened to one and not
# restored
@wrong("off-diagonal-sign", "flattened", author="blind")
def p08_sign_flat(weights):
    n = weights.shape[-1]
    rows = weights.reshape(-1, n)
    J = np.zeros((len(rows), n, n))
    for r, a in enumerate(rows):
        for j in range(n):
            for m in range(n):
                if j == m:
                    J[r, j, m] = a[j] * (1 - a[j])
                else:
                    J[r, j, m] = a[j] * a[m]
    return J
