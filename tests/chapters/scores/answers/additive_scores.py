"""Answers to `additive_scores`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def as_loops(Q, K, W_q, W_k, v):
    if Q.ndim > 2:
        return np.stack(
            [as_loops(q, k, W_q, W_k, v) for q, k in zip(Q, K, strict=True)]
        )
    return np.array([[v @ np.tanh(q @ W_q + k @ W_k) for k in K] for q in Q])


@right()
def as_expand_dims(Q, K, W_q, W_k, v):
    hidden = np.expand_dims(Q @ W_q, -2) + np.expand_dims(K @ W_k, -3)
    return (np.tanh(hidden) * v).sum(axis=-1)


@right()
def as_einsum(Q, K, W_q, W_k, v):
    q, k = (
        np.einsum("...id,dh->...ih", Q, W_q),
        np.einsum("...jd,dh->...jh", K, W_k),
    )
    return np.einsum(
        "...ijh,h->...ij", np.tanh(q[..., None, :] + k[..., None, :, :]), v
    )


@right()
def as_sigmoid_form_of_tanh(Q, K, W_q, W_k, v):
    x = (Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]
    return (2 / (1 + np.exp(-2 * x)) - 1) @ v


@right()
def as_loop_over_keys(Q, K, W_q, W_k, v):
    k = K @ W_k
    columns = [
        np.tanh(Q @ W_q + k[..., j, None, :]) @ v for j in range(K.shape[-2])
    ]
    return np.stack(columns, axis=-1)


@right(author="fresh")
def fresh_add_unit_by_unit(Q, K, W_Q, W_K, v):
    queries, keys = Q @ W_Q, K @ W_K
    total = np.zeros_like(queries[..., :, None, 0] + keys[..., None, :, 0])
    for h, weight in enumerate(v):
        inside = queries[..., :, None, h] + keys[..., None, :, h]
        total = total + weight * np.tanh(inside)
    return total


@right(author="fresh")
def fresh_add_concatenated(Q, K, W_Q, W_K, v):
    *lead, n_q, d_q = Q.shape
    n_k, d_k = K.shape[-2:]
    left = np.broadcast_to(Q[..., :, None, :], (*lead, n_q, n_k, d_q))
    right = np.broadcast_to(K[..., None, :, :], (*lead, n_q, n_k, d_k))
    pairs = np.concatenate([left, right], axis=-1)
    layer = np.concatenate([W_Q, W_K], axis=0)
    return np.einsum("...h,h->...", np.tanh(pairs @ layer), v)


@wrong()
def as_no_outer(Q, K, W_q, W_k, v):
    return np.tanh(Q @ W_q + K @ W_k) @ v


@wrong()
def as_weights_transposed(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q.T)[..., :, None, :] + (K @ W_k.T)[..., None, :, :]) @ v


@wrong()
def as_weights_swapped(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_k)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


@wrong()
def as_v_inside(Q, K, W_q, W_k, v):
    return np.tanh(
        ((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) * v
    ).sum(-1)


# one matrix for both
@wrong()
def as_one_matrix(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


# a tanh around the finished score
@wrong()
def as_bounded(Q, K, W_q, W_k, v):
    hidden = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :])
    return np.tanh((hidden * v).sum(axis=-1))


# the products with v are not summed
@wrong()
def as_not_summed(Q, K, W_q, W_k, v):
    return v * np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :])


# handed over to the course's PyTorch twin
@wrong("built-in")
def as_torch_twin(Q, K, W_q, W_k, v):
    import torch

    from course_attn.in_torch.scores import additive_scores

    return additive_scores(*map(torch.from_numpy, (Q, K, W_q, W_k, v))).numpy()


# multiplies the projected query and key where they should be added AND takes the mean over the
# hidden units instead of the sum
@wrong(author="fresh")
def fresh_add_product_and_mean(Q, K, W_Q, W_K, v):
    hidden = np.einsum("...ia,af,...jb,bf->...ijf", Q, W_Q, K, W_K)
    return (np.tanh(hidden) * v).mean(axis=-1)


# overwrites the score with each hidden unit's share instead of adding it: only the last counts
@wrong(said="which rounds does `scores` hold", author="unseen")
def fourth_sc_last_hidden_unit(Q, K, W_Q, W_K, v):
    from_q = Q @ W_Q
    from_k = K @ W_K
    for h in range(len(v)):
        total = from_q[..., :, None, h] + from_k[..., None, :, h]
        scores = v[h] * np.tanh(total)
    return scores


# multiplies the tanh of the query by the tanh of the key, where the two are to be added before a
# single tanh
@wrong(said="tanh of the query and that of the key and multiply", author="unseen")
def fifth_sc_product_of_tanhs(Q, K, W_Q, W_K, v):
    return np.einsum("...ih,...jh,h->...ij", np.tanh(Q @ W_Q), np.tanh(K @ W_K), v)


# tanh of each part by itself, added afterwards, instead of tanh of the sum
@wrong("tanh-before-sum", author="blind")
def b6_scores_3(Q, K, W_Q, W_K, v):
    hq = np.tanh(Q @ W_Q)
    hk = np.tanh(K @ W_K)
    hidden = hq[..., :, None, :] + hk[..., None, :, :]
    return hidden @ v


# averages over the hidden units instead of summing
@wrong("mean", author="blind")
def own_scores_2(Q, K, W_Q, W_K, v):
    a = (Q @ W_Q)[..., :, None, :]
    b = (K @ W_K)[..., None, :, :]
    return (np.tanh(a + b) * v).mean(-1)


# logistic sigmoid instead of tanh; axes swapped: the result is (n_k, n_q)
@wrong("sigmoid", "transposed-result", author="blind")
def fa_22(Q, K, W_Q, W_K, v):
    h = np.expand_dims(K @ W_K, -2) + np.expand_dims(Q @ W_Q, -3)
    return (1 / (1 + np.exp(-h)) * v).sum(axis=-1)


# the scores are divided by sqrt(d_hidden), as if they were dot products
@wrong("scaled", author="blind")
def b8_scaled(Q, K, W_Q, W_K, v):
    d = W_Q.shape[1]
    A = Q @ W_Q
    B = K @ W_K
    T = np.tanh(A[..., :, np.newaxis, :] + B[..., np.newaxis, :, :])
    return T @ v / np.sqrt(d)


# the result is (n_k, n_q): queries and keys in the wrong order, AND v is applied inside the tanh
@wrong("tanh-after-v", "transposed-result", author="blind")
def b8_transposed_v_inside(Q, K, W_Q, W_K, v):
    a = (Q @ W_Q)[..., None, :, :]
    b = (K @ W_K)[..., :, None, :]
    return np.tanh((a + b) @ v)


# tanh by hand with exp(x) instead of exp(2x): it is tanh(x/2)
@wrong("half", author="blind")
def x03_own_tanh(Q, K, W_Q, W_K, v):
    def tanh(z):
        return (np.exp(z) - 1) / (np.exp(z) + 1)

    summed = (Q @ W_Q)[..., None, :] + (K @ W_K)[..., None, :, :]
    return tanh(summed) @ v


# tanh of query and key separately AND the mean over the hidden units instead of the sum
@wrong("tanh-before-sum", "mean", author="blind")
def m50_apart_and_mean(Q, K, W_Q, W_K, v):
    tq = np.tanh(Q @ W_Q)[..., :, None, :]
    tk = np.tanh(K @ W_K)[..., None, :, :]
    return np.mean((tq + tk) * v, axis=-1)


# divided by sqrt(d_hidden), and the new axes are put where they fit without batch axes only
@wrong("axes-from-the-front", "scaled", author="blind")
def t10_j36_scaled_no_batch(Q, K, W_Q, W_K, v):
    hidden = np.tanh((Q @ W_Q)[:, None] + (K @ W_K)[None, :])
    return np.dot(hidden, v) / len(v) ** 0.5
