"""Answers to `nadaraya_watson`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def nwr_softmax(x_query, x, y, bandwidth):
    scores = -0.5 * ((x_query[:, None] - x) / bandwidth) ** 2
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers * y).sum(1) / powers.sum(1)


@right()
def nwr_loop(x_query, x, y, bandwidth):
    out = np.empty(len(x_query))
    for i, query in enumerate(x_query):
        k = np.exp(-((query - x) ** 2) / 2 / bandwidth**2)
        out[i] = np.average(y, weights=k)
    return out


@right()
def nwr_density(x_query, x, y, bandwidth):
    u = np.subtract.outer(x_query, x) / bandwidth
    k = np.exp(-(u**2) / 2) / (bandwidth * np.sqrt(2 * np.pi))
    return k @ y / k.sum(axis=1)


@right()
def nwr_sorts_pairs(x_query, x, y, bandwidth):
    order = np.argsort(x)
    x, y = x[order], y[order]
    kernel = np.exp(-np.square(x_query.reshape(-1, 1) - x) / 2 / bandwidth**2)
    return np.dot(kernel, y) / np.sum(kernel, axis=-1)


@right(author="fresh")
def fresh_nad_one_by_one(x_query, x, y, bandwidth):
    out = np.empty_like(x_query)
    for i, new in enumerate(x_query):
        far = ((x - new) / bandwidth) ** 2
        near = np.exp((far.min() - far) / 2)
        out[i] = (near * y).sum() / near.sum()
    return out


@right(author="fresh")
def fresh_nad_log_weights(x_query, x, y, bandwidth):
    logs = -0.5 * (np.subtract.outer(x_query, x) / bandwidth) ** 2
    log_total = np.logaddexp.reduce(logs, axis=1)
    return np.einsum("ij,j->i", np.exp(logs.T - log_total).T, y)


# sorts x but not y
@wrong()
def nwr_sorts_x(x_query, x, y, bandwidth):
    x = np.sort(x)
    kernel = np.exp(-0.5 * ((x_query[:, None] - x) / bandwidth) ** 2)
    return kernel @ y / kernel.sum(axis=1)


# the 2 is squared, too
@wrong()
def nwr_two_inside(x_query, x, y, bandwidth):
    kernel = np.exp(-(((x_query[:, None] - x) / (2 * bandwidth)) ** 2))
    return kernel @ y / kernel.sum(axis=1)


# handed over to the course's PyTorch twin
@wrong("built-in")
def nwr_torch_twin(x_query, x, y, bandwidth):
    import torch

    from course_attn.in_torch.scores import nadaraya_watson

    tensors = map(torch.from_numpy, (x_query, x, y))
    return nadaraya_watson(*tensors, bandwidth=bandwidth).numpy()


@wrong()
def nwr_one_query(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[0] - x) ** 2) / (2 * bandwidth**2))
    return weights @ y / weights.sum()


@wrong()
def nwr_x_for_y(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth**2))
    return weights @ x / weights.sum(1)


@wrong()
def nwr_boxcar(x_query, x, y, bandwidth):
    weights = (np.abs(x_query[:, None] - x) <= bandwidth).astype(float)
    return weights @ y / np.maximum(weights.sum(1), 1)


@wrong()
def nwr_interpolates(x_query, x, y, bandwidth):
    return np.interp(x_query, x, y)


# normalizes over the queries instead of over the data points, so that the weights of a query do not
# sum to 1
@wrong(author="fresh")
def fresh_nad_wrong_axis(x_query, x, y, bandwidth):
    gaps = np.subtract.outer(x_query, x) / bandwidth
    logs = -(gaps**2) / 2
    kernel = np.exp(logs - logs.max(axis=0))
    return (kernel / kernel.sum(axis=0)) @ y


# the exponent is divided by 2 and multiplied by bandwidth squared, for want of parentheses around 2
# * bandwidth**2
@wrong(author="unseen")
def second_sc_no_parentheses(x_query, x, y, bandwidth):
    def predict(x_new):
        w = [math.exp(-((x_new - x_j) ** 2) / 2 * bandwidth**2) for x_j in x]
        return sum(w_j * y_j for w_j, y_j in zip(w, y)) / sum(w)

    return np.array([predict(x_new) for x_new in x_query])


# the bandwidth is not squared AND the sum is divided by the number of points instead of by the sum
# of the weights
@wrong(author="unseen")
def second_sc_bandwidth_and_mean(x_query, x, y, bandwidth):
    result = np.zeros(len(x_query))
    for i in range(len(x_query)):
        for j in range(len(x)):
            difference = x_query[i] - x[j]
            result[i] += np.exp(-(difference**2) / (2 * bandwidth)) * y[j]
    return result / len(x)


# divides by 2 times the bandwidth, which is not squared, AND normalizes the weights over the
# queries instead of over the data points
@wrong(author="unseen")
def third_sc_bandwidth_and_axis(x_query, x, y, bandwidth):
    exponents = -((x_query[:, None] - x[None, :]) ** 2) / (2 * bandwidth)
    exponents = exponents - exponents.max(axis=0)
    kernel = np.exp(exponents)
    weights = kernel / kernel.sum(axis=0)
    return weights @ y


# takes the absolute distance instead of the squared one AND divides by the bandwidth without the
# factor 2 and the square
@wrong(said="A Gaussian squares the ratio", author="unseen")
def fifth_sc_laplace(x_query, x, y, bandwidth):
    d = np.abs(np.subtract.outer(x_query, x))
    w = np.exp(-d / bandwidth)
    return np.einsum("qj,j->q", w, y) / w.sum(axis=1)


# '/ 2 * b**2' multiplies by the squared bandwidth (precedence)
@wrong(said="is the `*` in front of `bandwidth ** 2` right", author="blind")
def b6_scores_4(x_query, x, y, bandwidth):
    diff = x_query[:, None] - x[None, :]
    expo = -(diff**2) / 2 * bandwidth**2
    w = np.exp(expo - expo.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ y


# the factor 2 in the exponent is missing, and the weights are normalized over the queries instead
# of over the data
@wrong("two-missing", "columns", author="blind")
def b6_scores_8(x_query, x, y, bandwidth):
    kernel = np.exp(-(((x_query.reshape(-1, 1) - x) / bandwidth) ** 2))
    kernel = kernel / kernel.sum(axis=0)
    return (kernel * y).sum(axis=1)


# kernel of |x| in place of the square, and the bandwidth is not squared
@wrong("bandwidth-not-squared", "distance-not-squared", author="blind")
def own_scores_3(x_query, x, y, bandwidth):
    d = np.abs(x_query[:, None] - x[None, :])
    w = np.exp(-d / (2 * bandwidth))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ y


# uses the height of the Gaussian density and averages over the points, instead of dividing by the
# sum of the weights
@wrong("density-averaged", author="blind")
def b7_scores_11(x_query, x, y, bandwidth):
    z = (x_query[:, None] - x[None, :]) / bandwidth
    kernel = np.exp(-0.5 * z**2) / (bandwidth * np.sqrt(2 * np.pi))
    return (kernel * y).mean(axis=1)


# no maximum subtracted, and + 1e-12 in the denominator: a query far away gets 0 instead of the
# nearest y
@wrong(said="is anything added to their sum", author="blind")
def b8_guard(x_query, x, y, bandwidth):
    result = []
    for q in x_query:
        k = np.exp(-0.5 * ((q - x) / bandwidth) ** 2)
        result.append((k * y).sum() / (k.sum() + 1e-12))
    return np.array(result)


# the 2 is forgotten; and the weighted values are averaged instead of summed
@wrong("two-missing", "averaged", author="blind")
def c6_double_l47(x_query, x, y, bandwidth):
    diff = x_query[:, np.newaxis] - x
    s = -(diff**2) / bandwidth**2
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return np.mean(w * y, axis=-1)


# numerator and denominator are not 0 again for each query
@wrong("running", author="blind")
def r06_running_sums(x_query, x, y, bandwidth):
    result = []
    top, bottom = 0.0, 0.0
    for xq in x_query:
        for xj, yj in zip(x, y):
            w = np.exp(-((xq - xj) ** 2) / (2 * bandwidth**2))
            top += w * yj
            bottom += w
        result.append(top / bottom)
    return np.array(result)


# absolute distance instead of squared, and 1e-8 is added to the denominator, which swamps small
# sums
@wrong(
    "distance-not-squared",
    said="It is also wrong for a query eight bandwidths",
    author="blind",
)
def t10_h18_abs_eps(x_query, x, y, bandwidth):
    dist = np.abs(np.subtract.outer(x_query, x))
    kern = np.exp(-dist / (2 * bandwidth * bandwidth))
    return (kern * y).sum(1) / (kern.sum(1) + 1e-8)
