"""Right answers to the exercises of `scores`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()

# dot_scores


@right("dot_scores")
def ds_einsum(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K)


@right("dot_scores")
def ds_mt(Q, K):
    return Q @ np.moveaxis(K, -1, -2)


@right("dot_scores")
def ds_broadcast(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(-1)


@right("dot_scores")
def ds_loop_over_keys(Q, K):
    return np.stack(
        [(Q * K[..., j, None, :]).sum(-1) for j in range(K.shape[-2])], axis=-1
    )


# cosine_scores


@right("cosine_scores")
def cs_maximum(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@right("cosine_scores")
def cs_small_epsilon(Q, K):
    q = np.sqrt((Q**2).sum(axis=-1, keepdims=True)) + 1e-8
    k = np.sqrt((K**2).sum(axis=-1, keepdims=True)) + 1e-8
    return np.einsum("...id,...jd->...ij", Q / q, K / k)


@right("cosine_scores")
def cs_dots_over_lengths(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    dots = Q @ np.swapaxes(K, -1, -2)
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


@right("cosine_scores")
def cs_nan_to_num(Q, K):
    q, k = (
        np.linalg.norm(Q, axis=-1, keepdims=True),
        np.linalg.norm(K, axis=-1, keepdims=True),
    )
    return np.nan_to_num(Q / q) @ np.swapaxes(np.nan_to_num(K / k), -1, -2)


@right("cosine_scores")
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


@right("cosine_scores")
def cs_own_copy_written_into(Q, K):
    Q, K = Q.copy(), K.copy()
    for X in (Q, K):
        n = np.linalg.norm(X, axis=-1, keepdims=True)
        n[n == 0] = 1
        X /= n
    return Q @ np.swapaxes(K, -1, -2)


# additive_scores


@right("additive_scores")
def as_loops(Q, K, W_q, W_k, v):
    if Q.ndim > 2:
        return np.stack(
            [as_loops(q, k, W_q, W_k, v) for q, k in zip(Q, K, strict=True)]
        )
    return np.array([[v @ np.tanh(q @ W_q + k @ W_k) for k in K] for q in Q])


@right("additive_scores")
def as_expand_dims(Q, K, W_q, W_k, v):
    hidden = np.expand_dims(Q @ W_q, -2) + np.expand_dims(K @ W_k, -3)
    return (np.tanh(hidden) * v).sum(axis=-1)


@right("additive_scores")
def as_einsum(Q, K, W_q, W_k, v):
    q, k = (
        np.einsum("...id,dh->...ih", Q, W_q),
        np.einsum("...jd,dh->...jh", K, W_k),
    )
    return np.einsum(
        "...ijh,h->...ij", np.tanh(q[..., None, :] + k[..., None, :, :]), v
    )


@right("additive_scores")
def as_sigmoid_form_of_tanh(Q, K, W_q, W_k, v):
    x = (Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]
    return (2 / (1 + np.exp(-2 * x)) - 1) @ v


@right("additive_scores")
def as_loop_over_keys(Q, K, W_q, W_k, v):
    k = K @ W_k
    columns = [
        np.tanh(Q @ W_q + k[..., j, None, :]) @ v for j in range(K.shape[-2])
    ]
    return np.stack(columns, axis=-1)


# nadaraya_watson


@right("nadaraya_watson")
def nwr_softmax(x_query, x, y, bandwidth):
    scores = -0.5 * ((x_query[:, None] - x) / bandwidth) ** 2
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers * y).sum(1) / powers.sum(1)


@right("nadaraya_watson")
def nwr_loop(x_query, x, y, bandwidth):
    out = np.empty(len(x_query))
    for i, query in enumerate(x_query):
        k = np.exp(-((query - x) ** 2) / 2 / bandwidth**2)
        out[i] = np.average(y, weights=k)
    return out


@right("nadaraya_watson")
def nwr_density(x_query, x, y, bandwidth):
    u = np.subtract.outer(x_query, x) / bandwidth
    k = np.exp(-(u**2) / 2) / (bandwidth * np.sqrt(2 * np.pi))
    return k @ y / k.sum(axis=1)


@right("nadaraya_watson")
def nwr_sorts_pairs(x_query, x, y, bandwidth):
    order = np.argsort(x)
    x, y = x[order], y[order]
    kernel = np.exp(-np.square(x_query.reshape(-1, 1) - x) / 2 / bandwidth**2)
    return np.dot(kernel, y) / np.sum(kernel, axis=-1)


# fooled_by_length


@right("fooled_by_length")
def fl_all_point_away():
    return np.array([1.0, 0.0]), np.array([[-0.8, 0.0], [-1.0, 1.0]])


@right("fooled_by_length")
def fl_three_dimensions():
    return [0, 0, 1.0], [[0, 0, 1.0], [0.8, 1, 1.2], [0, 0, -1.5]]


# cosine_scores_torch


@right("cosine_scores_torch")
def cst_torch_function(Q, K):
    import torch

    return torch.cosine_similarity(Q[..., :, None, :], K[..., None, :, :], dim=-1)


@right("cosine_scores_torch")
def cst_norms(Q, K):
    q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q @ K.mT) / (q @ k.mT)


# raises_the_score


@right("raises_the_score")
def rts_list_in_another_order():
    return ["g", "F", "d", "a"]


@right("raises_the_score")
def rts_computed():
    q, k = np.array([4.0, 3.0]), np.array([2.0, 1.0])
    scores = {
        "dot": lambda q: q @ k,
        "cosine": lambda q: round(q @ k / np.linalg.norm(q) / np.linalg.norm(k), 9),
        "Gaussian": lambda q: -((q - k) ** 2).sum() / 2,
    }
    moves = {
        "along": k,
        "toward": k - q,
        "across": np.array([1, -2]),
        "twice": 10 * q,
    }
    pairs = "dot along,Gaussian along,dot toward,Gaussian toward,dot across,cosine across"
    pairs += ",dot twice,cosine twice"
    found = set()
    for letter, pair in zip("abcdefgh", pairs.split(",")):
        score, move = pair.split()
        if scores[score](q + 0.1 * moves[move]) > scores[score](q):
            found.add(letter)
    return found
