"""Steps that several exercises of `order` share."""

import numpy as np

__all__ = ["frequencies", "softmax", "unchanged"]


def unchanged(value, *unused):
    """Change nothing: the right version of a step that some mistakes add."""
    return value


def frequencies(d: int, base: float = 10000.0) -> np.ndarray:
    """Return the frequency of each of the d/2 pairs (rounded up for odd d)."""
    return base ** (-np.arange(0, d, 2) / d)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of each row; rows of −∞ alone are not expected."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
