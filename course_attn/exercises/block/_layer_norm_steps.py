"""Steps of `layer_norm`, right and wrong."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

__all__ = [
    "EPS",
    "along",
    "mean",
    "normed",
    "squares_first",
    "with_eps",
]

EPS = 1e-5


def mean(X: np.ndarray) -> np.ndarray:
    return X.mean(axis=-1, keepdims=True)


def mean_square(centered: np.ndarray, X: np.ndarray) -> np.ndarray:
    return mean(centered**2)


def root(variance: np.ndarray) -> np.ndarray:
    return np.sqrt(variance + EPS)


def scaled(unit: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return gain * unit + bias


def normed(
    X: np.ndarray,
    gain: np.ndarray,
    bias: np.ndarray,
    *,
    center: Callable[..., Any] = lambda X: X - mean(X),
    variance: Callable[..., Any] = mean_square,
    spread: Callable[..., Any] = root,
    rescale: Callable[..., Any] = scaled,
) -> np.ndarray:
    divisor = spread(variance(X - mean(X), X))
    return rescale(center(X) / divisor, gain, bias)


def along(axis: Any) -> Callable[..., Any]:
    """Return the version that takes mean and variance over another axis."""

    def wrong(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
        centered = X - X.mean(axis=axis, keepdims=True)
        variance = (centered**2).mean(axis=axis, keepdims=True)
        return gain * centered / np.sqrt(variance + EPS) + bias

    return wrong


def squares_first(centered: np.ndarray, X: np.ndarray) -> np.ndarray:
    return (X**2).mean(axis=-1, keepdims=True) - mean(X) ** 2


def with_eps(eps: float) -> Callable[..., Any]:
    return partial(normed, spread=lambda variance: np.sqrt(variance + eps))
