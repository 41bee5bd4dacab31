import numpy as np


def rotary__1(X, positions):
    # mistake: interleaved pairs (2f, 2f + 1) instead of halves
    d = X.shape[-1]
    w = 10000.0 ** (-2 * np.arange(d // 2) / d)
    phi = positions[:, None] * w
    a, b = X[..., 0::2], X[..., 1::2]
    out = np.empty(X.shape)
    out[..., 0::2] = a * np.cos(phi) - b * np.sin(phi)
    out[..., 1::2] = a * np.sin(phi) + b * np.cos(phi)
    return out


def rotary__2(X, positions):
    # mistake: turns the other way around
    h = X.shape[-1] // 2
    phi = np.outer(positions, 10000.0 ** (-np.arange(h) / h))
    c, s = np.cos(phi), np.sin(phi)
    a, b = X[..., :h], X[..., h:]
    return np.concatenate([a * c + b * s, b * c - a * s], axis=-1)


def rotary__3(X, positions):
    # mistake: positions are ignored, rows counted from 0
    n, d = X.shape[-2:]
    w = 10000.0 ** (-2 * np.arange(d // 2) / d)
    phi = np.arange(n)[:, None] * w
    a, b = X[..., : d // 2], X[..., d // 2 :]
    return np.concatenate(
        [a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], -1
    )


def rotary__4(X, positions):
    # mistake: factor 2 missing in the exponent of the frequency
    d = X.shape[-1]
    f = np.arange(d // 2)
    phi = positions[:, None] * 10000.0 ** (-f / d)
    a, b = X[..., : d // 2], X[..., d // 2 :]
    return np.concatenate(
        [a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], -1
    )


def rotary__15(X, positions):
    # mistakes: interleaved pairs; turned the other way
    d = X.shape[-1]
    phi = positions[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    Y = np.zeros(X.shape)
    Y[..., ::2] = X[..., ::2] * np.cos(phi) + X[..., 1::2] * np.sin(phi)
    Y[..., 1::2] = X[..., 1::2] * np.cos(phi) - X[..., ::2] * np.sin(phi)
    return Y
