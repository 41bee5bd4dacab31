"""Steps of `rotary`, right and wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.exercises.order._steps import frequencies, unchanged

__all__ = [
    "added",
    "angle_per_feature",
    "both_plus",
    "exchanged",
    "first_only",
    "halves",
    "neighbors",
    "one_after_the_other",
    "rotated",
    "two_layouts",
    "woven",
]


def halves(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = X.shape[-1] // 2
    return X[..., :half], X[..., half:]


def joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second], axis=-1)


def neighbors(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return X[..., 0::2], X[..., 1::2]


def woven(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def turned(
    first: np.ndarray, second: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    cos, sin = np.cos(angles), np.sin(angles)
    return first * cos - second * sin, first * sin + second * cos


def both_plus(
    first: np.ndarray, second: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    cos, sin = np.cos(angles), np.sin(angles)
    return first * cos + second * sin, first * sin + second * cos


def one_after_the_other(
    first: np.ndarray, second: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    new = first * np.cos(angles) - second * np.sin(angles)
    return new, new * np.sin(angles) + second * np.cos(angles)


def exchanged(
    first: np.ndarray, second: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return turned(first, second, angles)[::-1]


def first_only(
    first: np.ndarray, second: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return turned(first, second, angles)[0], second


def rotated(
    X: np.ndarray,
    positions: np.ndarray,
    *,
    place: Callable[..., Any] = unchanged,
    frequency: Callable[..., Any] = frequencies,
    part: Callable[..., Any] = halves,
    turn: Callable[..., Any] = turned,
    join: Callable[..., Any] = joined,
) -> np.ndarray:
    angles = place(positions, X)[:, None] * frequency(X.shape[-1])
    return join(*turn(*part(X), angles))


def two_layouts(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Repeat the angles as for neighbors, and rotate halves."""
    angles = np.repeat(positions[:, None] * frequencies(X.shape[-1]), 2, axis=-1)
    first, second = halves(X)
    return X * np.cos(angles) + joined(-second, first) * np.sin(angles)


def angle_per_feature(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    d = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-np.arange(d) / d)
    first, second = halves(X)
    return X * np.cos(angles) + joined(-second, first) * np.sin(angles)


def added(X: np.ndarray, positions: np.ndarray) -> np.ndarray:
    angles = positions[:, None] * frequencies(X.shape[-1])
    return X + woven(np.sin(angles), np.cos(angles))
