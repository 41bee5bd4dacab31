import numpy as np


def moving_average_weights__1(n, window):
    # mistake: window taken as the half width on each side
    i = np.arange(n)
    W = (np.abs(i[:, None] - i[None, :]) <= window).astype(float)
    return W / W.sum(axis=1, keepdims=True)


def moving_average_weights__2(n, window):
    # mistake: divides by window everywhere, so rows at the edge do not sum to 1
    W = np.zeros((n, n))
    h = window // 2
    for i in range(n):
        for j in range(max(0, i - h), min(n, i + h + 1)):
            W[i, j] = 1 / window
    return W


def moving_average_weights__3(n, window):
    # mistake: window ends at i (trailing), not centered
    A = np.zeros((n, n))
    for i in range(n):
        lo = max(0, i - window + 1)
        A[i, lo : i + 1] = 1 / (i + 1 - lo)
    return A


def moving_average_weights__4(n, window):
    # mistake: < instead of <=, the window is two values too narrow
    idx = np.arange(n)
    near = np.abs(np.subtract.outer(idx, idx)) < window // 2
    near = near | np.eye(n, dtype=bool)
    return near / near.sum(axis=1)[:, None]


def moving_average_weights__12(n, window):
    # mistakes: trailing window; always divided by window
    A = np.tri(n) - np.tri(n, k=-window)
    return A / window
