import numpy as np


def sinusoidal_encoding__1(n, d_model):
    # mistake: all sines first, then all cosines, not side by side
    if d_model % 2:
        raise ValueError("odd")
    pos = np.arange(n)[:, None]
    omega = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    return np.concatenate([np.sin(pos * omega), np.cos(pos * omega)], axis=1)


def sinusoidal_encoding__2(n, d_model):
    # mistake: factor 2 missing in the exponent
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    w = 1 / 10000 ** (np.arange(d_model // 2) / d_model)
    P[:, 0::2] = np.sin(np.outer(np.arange(n), w))
    P[:, 1::2] = np.cos(np.outer(np.arange(n), w))
    return P


def sinusoidal_encoding__3(n, d_model):
    # mistake: positions counted from 1
    if d_model % 2 != 0:
        raise ValueError
    PE = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            w = 10000 ** (-2 * f / d_model)
            PE[i, 2 * f] = np.sin((i + 1) * w)
            PE[i, 2 * f + 1] = np.cos((i + 1) * w)
    return PE


def sinusoidal_encoding__4(n, d_model):
    # mistake: no ValueError for an odd d_model (last column left 0)
    P = np.zeros((n, d_model))
    for f in range(d_model // 2):
        angle = np.arange(n) * 10000 ** (-2 * f / d_model)
        P[:, 2 * f] = np.sin(angle)
        P[:, 2 * f + 1] = np.cos(angle)
    return P


def sinusoidal_encoding__13(n, d_model):
    # mistakes: sines and cosines in two halves; no error for odd d_model
    a = np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])
