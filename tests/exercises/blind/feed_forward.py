import numpy as np


def feed_forward__1(X, W_1, b_1, W_2, b_2):
    # mistake: no ReLU
    return (X @ W_1 + b_1) @ W_2 + b_2


def feed_forward__2(X, W_1, b_1, W_2, b_2):
    # mistake: a second ReLU on the output
    relu = lambda z: np.maximum(z, 0)
    return relu(relu(X @ W_1 + b_1) @ W_2 + b_2)


def feed_forward__3(X, W_1, b_1, W_2, b_2):
    # mistake: the bias is added after the ReLU
    h = np.maximum(X @ W_1, 0) + b_1
    return h @ W_2 + b_2


def feed_forward__4(X, W_1, b_1, W_2, b_2):
    # mistake: the second bias is forgotten
    h = X @ W_1 + b_1
    h[h < 0] = 0
    return h @ W_2


def feed_forward__8(X, W_1, b_1, W_2, b_2):
    # mistakes: leaky ReLU; the first bias is forgotten
    h = X @ W_1
    h = np.where(h > 0, h, 0.01 * h)
    return h @ W_2 + b_2
