"""Steps that several exercises of `qkv` share."""

from typing import Any

import numpy as np

__all__ = ["one_hot", "same", "softmax", "unit"]


def same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the softmax along one axis."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def unit(X: np.ndarray) -> np.ndarray:
    """Divide each row by its length."""
    return X / np.sqrt((X**2).sum(axis=-1, keepdims=True))


def one_hot(scores: np.ndarray) -> np.ndarray:
    """Put the whole weight on each row's largest score."""
    return (scores == scores.max(axis=-1, keepdims=True)).astype(scores.dtype)
