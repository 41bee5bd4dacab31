"""Sizes, and the softmax without any function of ours, for the chapter on fast attention."""

import numpy as np
from hypothesis import strategies as st

sizes = st.integers(1, 6)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the weights of each row, without any function of ours."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
