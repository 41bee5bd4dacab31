"""Wrong answers to `scores` by others who had not seen the known mistakes, either."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "dot_scores",
    mistake="the result is transposed: its rows belong to the keys and its columns to the queries",
)
def second_sc_rows_are_keys(Q, K):
    products = Q[..., np.newaxis, :, :] * K[..., :, np.newaxis, :]
    return products.sum(axis=-1)


@wrong(
    "cosine_scores",
    mistake="cuts negative cosines off at 0, though a cosine runs from -1 to 1",
)
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


@wrong(
    "additive_scores",
    mistake="takes the tanh of the query's part and of the key's part separately and adds them, instead of the tanh of their sum",
)
def second_sc_tanh_before_adding(Q, K, W_Q, W_K, v):
    from_queries = np.tanh(Q @ W_Q) @ v
    from_keys = np.tanh(K @ W_K) @ v
    return from_queries[..., :, None] + from_keys[..., None, :]


@wrong(
    "nadaraya_watson",
    mistake="the exponent is divided by 2 and multiplied by bandwidth squared, for want of parentheses around 2 * bandwidth**2",
)
def second_sc_no_parentheses(x_query, x, y, bandwidth):
    def predict(x_new):
        w = [math.exp(-((x_new - x_j) ** 2) / 2 * bandwidth**2) for x_j in x]
        return sum(w_j * y_j for w_j, y_j in zip(w, y)) / sum(w)

    return np.array([predict(x_new) for x_new in x_query])


@wrong(
    "nadaraya_watson",
    mistake="the bandwidth is not squared "
    "AND the sum is divided by the number of points instead of by the sum of the weights",
)
def second_sc_bandwidth_and_mean(x_query, x, y, bandwidth):
    result = np.zeros(len(x_query))
    for i in range(len(x_query)):
        for j in range(len(x)):
            difference = x_query[i] - x[j]
            result[i] += np.exp(-(difference**2) / (2 * bandwidth)) * y[j]
    return result / len(x)


@wrong(
    "cosine_scores_torch",
    mistake="measures the lengths along axis 1, which is the vectors' axis only when there are no batch axes, instead of along the last axis",
)
def second_sc_norm_along_axis_1(Q, K):
    Q = Q / Q.norm(dim=1, keepdim=True)
    K = K / K.norm(dim=1, keepdim=True)
    return Q @ K.transpose(-2, -1)


@wrong(
    "dot_scores",
    mistake="the new axes are put in the wrong places, so the rows of the result belong to the keys and the columns to the queries",
)
def third_sc_axes_swapped(Q, K):
    queries = Q[..., None, :, :]
    keys = K[..., :, None, :]
    return (queries * keys).sum(axis=-1)


@wrong(
    "cosine_scores",
    mistake="divides by the squared lengths, because the square root is missing",
)
def third_sc_squared_lengths(Q, K):
    dots = np.einsum("...id,...jd->...ij", Q, K)
    length_q = np.einsum("...id,...id->...i", Q, Q)
    length_k = np.einsum("...jd,...jd->...j", K, K)
    lengths = np.einsum("...i,...j->...ij", length_q, length_k)
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


@wrong(
    "additive_scores",
    mistake="applies tanh to the projected query and the projected key separately and adds afterward, instead of taking tanh of their sum",
)
def third_sc_tanh_each(Q, K, W_Q, W_K, v):
    class Judge:
        def __init__(self, matrix):
            self.matrix = matrix

        def hidden(self, X):
            return np.tanh(X @ self.matrix)

        def opinion(self, X):
            return self.hidden(X) @ v

    return Judge(W_Q).opinion(Q)[..., :, None] + Judge(W_K).opinion(K)[..., None, :]


@wrong(
    "nadaraya_watson",
    mistake="divides by 2 times the bandwidth, which is not squared, AND normalizes the weights over the queries instead of over the data points",
)
def third_sc_bandwidth_and_axis(x_query, x, y, bandwidth):
    exponents = -((x_query[:, None] - x[None, :]) ** 2) / (2 * bandwidth)
    exponents = exponents - exponents.max(axis=0)
    kernel = np.exp(exponents)
    weights = kernel / kernel.sum(axis=0)
    return weights @ y


@wrong(
    "fooled_by_length",
    mistake="both keys point in the same direction, so the key with the largest dot product has the smallest angle too (it is a tie)",
)
def third_sc_same_direction():
    query = np.array([1.0, 1.0])
    short_key = query
    long_key = 5 * query
    return query, np.stack([short_key, long_key])


@wrong(
    "cosine_scores_torch",
    mistake="torch.nn.functional.normalize works along axis 1 unless told otherwise, so with a batch axis it does not normalize along the features",
)
def third_sc_normalize_default_dim(Q, K):
    unit_q = torch.nn.functional.normalize(Q)
    unit_k = torch.nn.functional.normalize(K)
    return unit_q @ unit_k.transpose(-2, -1)


@wrong(
    "dot_scores",
    said="divided by the length of the last axis",
    mistake="for each query the product with every key is divided by the number of features",
)
def fourth_sco_mean_of_products(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K) / Q.shape[-1]


@wrong(
    "additive_scores",
    said="which rounds does `scores` hold",
    mistake="overwrites the score with each hidden unit's share instead of adding it: only the "
    "last counts",
)
def fourth_sc_last_hidden_unit(Q, K, W_Q, W_K, v):
    from_q = Q @ W_Q
    from_k = K @ W_K
    for h in range(len(v)):
        total = from_q[..., :, None, h] + from_k[..., None, :, h]
        scores = v[h] * np.tanh(total)
    return scores


@wrong(
    "cosine_scores",
    said="A constant added to the lengths",
    mistake="adds a small number to the lengths, 0.01, to avoid 0/0, which makes short vectors' "
    "cosines too small",
)
def fifth_sc_added_to_lengths(Q, K):
    def unit(A):
        return A / (np.linalg.norm(A, axis=-1, keepdims=True) + 0.01)

    return np.einsum("...id,...jd->...ij", unit(Q), unit(K))


@wrong(
    "dot_scores",
    said="replace what was there",
    mistake="adds up with = instead of +=: only the product of the last features remains",
)
def fifth_sc_last_feature(Q, K):
    scores = np.zeros((*Q.shape[:-1], K.shape[-2]))
    for f in range(Q.shape[-1]):
        scores[...] = Q[..., :, f, None] * K[..., None, :, f]
    return scores


@wrong(
    "nadaraya_watson",
    said="A Gaussian squares the ratio",
    mistake="takes the absolute distance instead of the squared one AND divides by the bandwidth "
    "without the factor 2 and the square",
)
def fifth_sc_laplace(x_query, x, y, bandwidth):
    d = np.abs(np.subtract.outer(x_query, x))
    w = np.exp(-d / bandwidth)
    return np.einsum("qj,j->q", w, y) / w.sum(axis=1)


@wrong(
    "additive_scores",
    said="tanh of the query and that of the key and multiply",
    mistake="multiplies the tanh of the query by the tanh of the key, where the two are to be "
    "added before a single tanh",
)
def fifth_sc_product_of_tanhs(Q, K, W_Q, W_K, v):
    return np.einsum("...ih,...jh,h->...ij", np.tanh(Q @ W_Q), np.tanh(K @ W_K), v)
