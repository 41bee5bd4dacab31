"""Answers to the exercises of `scores` by somebody who had not seen the known mistakes."""

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("dot_scores")
def fresh_dot_einsum(Q, K):
    return np.einsum("...qf,...kf->...qk", Q, K)


@right("dot_scores")
def fresh_dot_multiply_and_add(Q, K):
    every_pair = np.expand_dims(Q, -2) * np.expand_dims(K, -3)
    return every_pair.sum(axis=-1)


@right("cosine_scores")
def fresh_cos_divide_where(Q, K):
    scores = np.einsum("...if,...jf->...ij", Q, K)
    for X, axis in ((Q, -1), (K, -2)):
        size = np.expand_dims(np.hypot.reduce(X, axis=-1), axis)
        size = np.broadcast_to(size, scores.shape)
        scores = np.divide(scores, size, out=np.zeros_like(scores), where=size > 0)
    return scores


@right("cosine_scores")
def fresh_cos_row_by_row(Q, K):
    def unit(vector):
        size = np.linalg.norm(vector)
        return vector / size if size > 0 else vector

    out = np.empty((*Q.shape[:-1], K.shape[-2]), dtype=np.result_type(Q, K, 0.0))
    for place in np.ndindex(out.shape):
        *batch, i, j = place
        out[place] = unit(Q[(*batch, i)]) @ unit(K[(*batch, j)])
    return out


@right("additive_scores")
def fresh_add_unit_by_unit(Q, K, W_Q, W_K, v):
    queries, keys = Q @ W_Q, K @ W_K
    total = np.zeros_like(queries[..., :, None, 0] + keys[..., None, :, 0])
    for h, weight in enumerate(v):
        inside = queries[..., :, None, h] + keys[..., None, :, h]
        total = total + weight * np.tanh(inside)
    return total


@right("additive_scores")
def fresh_add_concatenated(Q, K, W_Q, W_K, v):
    *lead, n_q, d_q = Q.shape
    n_k, d_k = K.shape[-2:]
    left = np.broadcast_to(Q[..., :, None, :], (*lead, n_q, n_k, d_q))
    right = np.broadcast_to(K[..., None, :, :], (*lead, n_q, n_k, d_k))
    pairs = np.concatenate([left, right], axis=-1)
    layer = np.concatenate([W_Q, W_K], axis=0)
    return np.einsum("...h,h->...", np.tanh(pairs @ layer), v)


@right("nadaraya_watson")
def fresh_nad_one_by_one(x_query, x, y, bandwidth):
    out = np.empty_like(x_query)
    for i, new in enumerate(x_query):
        far = ((x - new) / bandwidth) ** 2
        near = np.exp((far.min() - far) / 2)
        out[i] = (near * y).sum() / near.sum()
    return out


@right("nadaraya_watson")
def fresh_nad_log_weights(x_query, x, y, bandwidth):
    logs = -0.5 * (np.subtract.outer(x_query, x) / bandwidth) ** 2
    log_total = np.logaddexp.reduce(logs, axis=1)
    return np.einsum("ij,j->i", np.exp(logs.T - log_total).T, y)


@right("fooled_by_length")
def fresh_fooled_on_a_circle():
    degrees = np.radians([5.0, 50.0, 85.0])
    lengths = np.array([1.0, 1.8, 2.0])
    keys = np.exp(1j * degrees) * lengths
    return np.array([1.0, 0.0]), np.stack([keys.real, keys.imag], axis=1)


@right("fooled_by_length")
def fresh_fooled_by_search():
    rng = np.random.default_rng(1)
    while True:
        q, keys = rng.normal(size=4), rng.normal(size=(6, 4))
        dots = keys @ q
        lengths = np.linalg.norm(keys, axis=1)
        alike = lengths.max() < 2 * lengths.min()
        if alike and dots.argmax() != (dots / lengths).argmax():
            return q, keys


@right("cosine_scores_torch")
def fresh_cost_reciprocal_lengths(Q, K):
    q_scale = torch.einsum("...f,...f->...", Q, Q).rsqrt()
    k_scale = torch.einsum("...f,...f->...", K, K).rsqrt()
    letters = "...qf,...kf,...q,...k->...qk"
    return torch.einsum(letters, Q, K, q_scale, k_scale)


@right("cosine_scores_torch")
def fresh_cost_key_by_key(Q, K):
    size = torch.linalg.vector_norm
    columns = []
    for key in K.unbind(-2):
        dots = (Q * key.unsqueeze(-2)).sum(-1)
        columns.append(dots / size(Q, dim=-1) / size(key, dim=-1, keepdim=True))
    return torch.stack(columns, dim=-1)


@wrong(
    "dot_scores",
    mistake="reshapes the keys where they should be transposed, which mixes the "
    "entries of different keys",
)
def fresh_dot_reshape(Q, K):
    *lead, n_k, d = K.shape
    return Q @ K.reshape(*lead, d, n_k)


@wrong(
    "dot_scores",
    mistake="the result is transposed: a row for each key instead of a row for each"
    " query",
)
def fresh_dot_einsum_transposed(Q, K):
    return np.einsum("...id,...jd->...ji", Q, K)


@wrong(
    "dot_scores",
    mistake="np.inner scores the queries of every batch entry against the keys of "
    "all batch entries, so batches get extra axes",
)
def fresh_dot_inner(Q, K):
    return np.inner(Q, K)


@wrong(
    "dot_scores",
    mistake="divides by the square root of d, which is not asked for AND swaps "
    "queries and keys",
)
def fresh_dot_scaled_and_swapped(Q, K):
    width = Q.shape[-1]
    flipped = np.swapaxes(Q, -1, -2)
    return np.matmul(K, flipped) / width**0.5


@wrong(
    "cosine_scores",
    mistake="divides by the norms of the whole matrices instead of the length of "
    "each query and each key",
)
def fresh_cos_whole_norm(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2)
    size = np.linalg.norm(Q) * np.linalg.norm(K)
    return scores / size if size > 0 else scores


@wrong(
    "cosine_scores",
    mistake="divides by the squared lengths: the square root is missing",
)
def fresh_cos_squared_lengths(Q, K):
    def direction(X):
        length = np.einsum("...f,...f->...", X, X)[..., None]
        return X / np.where(length > 0, length, 1).astype(X.dtype)

    return np.einsum("...if,...jf->...ij", direction(Q), direction(K))


@wrong(
    "cosine_scores",
    mistake="adds 1 to the lengths to avoid a division by zero, which changes every"
    " score AND does not divide by the length of the query",
)
def fresh_cos_plus_one_keys_only(Q, K):
    lengths = np.sqrt((K**2).sum(axis=-1)) + 1
    return (Q @ np.swapaxes(K, -1, -2)) / lengths[..., None, :]


@wrong(
    "cosine_scores",
    mistake="takes the lengths over axis 1, which is the axis of the features only "
    "without batch axes",
)
def fresh_cos_axis_one(Q, K):
    q_len, k_len = (np.linalg.norm(X, axis=1, keepdims=True) for X in (Q, K))
    q_len[q_len == 0] = 1
    k_len[k_len == 0] = 1
    return (Q / q_len) @ np.swapaxes(K / k_len, -1, -2)


@wrong(
    "additive_scores",
    mistake="applies tanh to the query's and the key's part separately, before they"
    " are added",
)
def fresh_add_tanh_first(Q, K, W_Q, W_K, v):
    from_query = np.tanh(Q @ W_Q) @ v
    from_key = np.tanh(K @ W_K) @ v
    return from_query[..., :, None] + from_key[..., None, :]


@wrong(
    "additive_scores",
    mistake="applies tanh after the sum with v instead of to each hidden unit "
    "before it",
)
def fresh_add_tanh_last(Q, K, W_Q, W_K, v):
    pair = (Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :]
    return np.tanh(pair @ v)


@wrong(
    "additive_scores",
    mistake="the inserted axes are the wrong way round, so that rows belong to keys"
    " and columns to queries",
)
def fresh_add_transposed(Q, K, W_Q, W_K, v):
    total = 0
    for h in range(len(v)):
        asked = (Q @ W_Q[:, h])[..., None, :]
        offered = (K @ W_K[:, h])[..., :, None]
        total = total + v[h] * np.tanh(asked + offered)
    return total


@wrong(
    "additive_scores",
    mistake="multiplies the projected query and key where they should be added AND "
    "takes the mean over the hidden units instead of the sum",
)
def fresh_add_product_and_mean(Q, K, W_Q, W_K, v):
    hidden = np.einsum("...ia,af,...jb,bf->...ijf", Q, W_Q, K, W_K)
    return (np.tanh(hidden) * v).mean(axis=-1)


@wrong(
    "nadaraya_watson",
    mistake="normalizes over the queries instead of over the data points, so that "
    "the weights of a query do not sum to 1",
)
def fresh_nad_wrong_axis(x_query, x, y, bandwidth):
    gaps = np.subtract.outer(x_query, x) / bandwidth
    logs = -(gaps**2) / 2
    kernel = np.exp(logs - logs.max(axis=0))
    return (kernel / kernel.sum(axis=0)) @ y


@wrong(
    "nadaraya_watson",
    mistake="parentheses are missing: multiplies by the squared bandwidth instead "
    "of dividing by it",
)
def fresh_nad_parentheses(x_query, x, y, bandwidth):
    guesses = []
    for new in x_query:
        logs = -((new - x) ** 2) / 2 * bandwidth**2
        near = np.exp(logs - logs.max())
        guesses.append(sum(near * y) / sum(near))
    return np.array(guesses)


@wrong(
    "nadaraya_watson",
    mistake="takes the absolute difference instead of its square AND does not "
    "square the bandwidth",
)
def fresh_nad_absolute(x_query, x, y, bandwidth):
    def predict(new):
        logs = [-abs(new - old) / (2 * bandwidth) for old in x]
        top = max(logs)
        near = [np.exp(entry - top) for entry in logs]
        return sum(w * outcome for w, outcome in zip(near, y)) / sum(near)

    return np.array([predict(new) for new in x_query])


@wrong(
    "nadaraya_watson",
    mistake="uses the normal density and divides by the number of points, so that "
    "the weights of a query do not sum to 1",
)
def fresh_nad_density(x_query, x, y, bandwidth):
    z = (x_query[:, None] - x[None, :]) / bandwidth
    density = np.exp(-0.5 * z**2) / (bandwidth * (2 * np.pi) ** 0.5)
    return np.einsum("ij,j->i", density, y) / len(x)


@wrong(
    "fooled_by_length",
    mistake="holds the keys as columns, but they are read as rows, of which the "
    "first wins by dot product and by angle",
)
def fresh_fooled_columns():
    query = np.array([1.0, 0.0])
    similar, long = [1.0, 0.0], [5.0, 8.0]
    return query, np.column_stack([similar, long])


@wrong("fooled_by_length", mistake="returns the keys first and the query second")
def fresh_fooled_swapped():
    q = np.array([1.0, 0.0, 0.0])
    keys = np.stack([q, 20 * np.array([0.2, 1.0, 0.0])])
    return keys, q


@wrong(
    "fooled_by_length",
    mistake="the long key points the opposite way: its dot product is large in size"
    " but negative, so it is not the largest",
)
def fresh_fooled_opposite():
    query = np.array([1.0, 2.0])
    keys = np.array([scale * query + [0.1, 0.0] for scale in (1.0, -50.0)])
    return query, keys


@wrong(
    "fooled_by_length",
    mistake="the query is a matrix with one row instead of a vector AND the longest"
    " key has the smallest angle, too",
)
def fresh_fooled_row_and_agreeing():
    query = np.array([[1.0, 0.0]])
    keys = np.array([[1.0, 0.5], [10.0, 1.0], [2.0, 2.0]])
    return query, keys


@wrong(
    "cosine_scores_torch",
    mistake="compares query i with key i only, instead of every query with every "
    "key",
)
def fresh_cost_row_meets_row(Q, K):
    return torch.cosine_similarity(Q, K, dim=-1)


@wrong(
    "cosine_scores_torch",
    mistake="divides by the sum of the absolute entries instead of the Euclidean "
    "length",
)
def fresh_cost_l1(Q, K):
    def unit(X):
        rows = [row / row.abs().sum(-1, keepdim=True) for row in X.unbind(-2)]
        return torch.stack(rows, dim=-2)

    return torch.einsum("...qf,...kf->...qk", unit(Q), unit(K))


@wrong(
    "cosine_scores_torch",
    mistake="computes the lengths without gradient, so that the gradient lacks "
    "their part",
)
def fresh_cost_lengths_no_grad(Q, K):
    with torch.no_grad():
        q_size = Q.square().sum(-1, keepdim=True).sqrt()
        k_size = K.square().sum(-1, keepdim=True).sqrt()
    return (Q / q_size) @ (K / k_size).mT


@wrong(
    "cosine_scores_torch",
    mistake="takes the lengths along the wrong axis, of each feature instead of "
    "each vector AND casts everything to float32",
)
def fresh_cost_columns_float(Q, K):
    q, k = Q.float(), K.float()
    q = q / q.norm(dim=-2, keepdim=True)
    k = k / k.norm(dim=-2, keepdim=True)
    return torch.matmul(q, k.transpose(-2, -1))
