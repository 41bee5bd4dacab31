import numpy as np


def layer_norm__1(X, gain, bias):
    # mistake: mean and variance over the positions (axis -2)
    if X.ndim == 1:
        X = X[None]
    mu = X.mean(axis=-2, keepdims=True)
    var = X.var(axis=-2, keepdims=True)
    return gain * (X - mu) / np.sqrt(var + 1e-5) + bias


def layer_norm__2(X, gain, bias):
    # mistake: epsilon is added outside of the root
    mu = X.mean(-1, keepdims=True)
    return gain * (X - mu) / (X.std(-1, keepdims=True) + 1e-5) + bias


def layer_norm__3(X, gain, bias):
    # mistake: variance with d_model - 1
    mu = X.mean(axis=-1, keepdims=True)
    s2 = X.var(axis=-1, ddof=1, keepdims=True)
    return (X - mu) / np.sqrt(s2 + 1e-5) * gain + bias


def layer_norm__4(X, gain, bias):
    # mistake: the variance as mean of squares minus square of mean, which cancels far from 0
    mu = X.mean(axis=-1, keepdims=True)
    var = (X**2).mean(axis=-1, keepdims=True) - mu**2
    return gain * (X - mu) / np.sqrt(np.maximum(var, 0) + 1e-5) + bias


def layer_norm__9(X, gain, bias):
    # mistakes: mean not subtracted before dividing (RMS norm); bias is left out
    ms = np.mean(X**2, axis=-1, keepdims=True)
    return gain * X / np.sqrt(ms + 1e-5)
