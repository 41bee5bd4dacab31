import numpy as np


def softmax_jacobian__1(weights):
    # mistake: sign reversed
    n = weights.shape[-1]
    I = np.eye(n)
    return weights[..., :, None] * (weights[..., None, :] - I)


def softmax_jacobian__2(weights):
    # mistake: np.diag, right for a single row only
    return np.diag(weights) - np.outer(weights, weights)


def softmax_jacobian__9(weights):
    # mistake: two indices for the batch, crashes for a single row or more axes
    eye = np.eye(weights.shape[1])
    return np.einsum("bj,jm->bjm", weights, eye) - np.einsum(
        "bj,bm->bjm", weights, weights
    )


def softmax_jacobian__14(weights):
    # mistakes: sign reversed; a single row only
    return np.outer(weights, weights) - np.diag(weights)


def softmax_jacobian__15(weights):
    # mistakes: softmax applied again; only the diagonal
    e = np.exp(weights)
    a = e / e.sum(axis=-1, keepdims=True)
    return (a * (1 - a))[..., None] * np.eye(a.shape[-1])
