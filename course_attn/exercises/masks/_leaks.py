"""Models that leak and models that do not, for `find_leak`."""

from collections.abc import Callable

import numpy as np

from course_attn.checking import Case
from course_attn.exercises.masks._steps import (
    minus_infinity,
    softmax,
    softmax_or_zero,
)
from course_attn.exercises.masks.causal_mask import causal_mask

__all__ = ["leak_cases"]


def _mixing(weights: np.ndarray, name: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a model that mixes its inputs by fixed weights, and then bends each output."""

    def model(X: np.ndarray) -> np.ndarray:
        return np.tanh(0.3 * weights[: len(X), : len(X)] @ X) + X

    model.__name__ = name
    return model


def _running_sum_model(X: np.ndarray) -> np.ndarray:
    """Add up all inputs so far."""
    return np.cumsum(X, axis=0)


def _causal_model(X: np.ndarray) -> np.ndarray:
    """Attention as it should be."""
    scores = X @ X.T / np.sqrt(X.shape[-1])
    return softmax_or_zero(minus_infinity(scores, causal_mask(len(X), len(X)))) @ X


def _open_model(X: np.ndarray) -> np.ndarray:
    """Attention that forgot its mask."""
    return softmax(X @ X.T / np.sqrt(X.shape[-1])) @ X


def _late_model(X: np.ndarray) -> np.ndarray:
    """Attention that masks after the softmax: the future still takes its share."""
    scores = X @ X.T / np.sqrt(X.shape[-1])
    return (softmax(scores) * causal_mask(len(X), len(X))) @ X


def _neighbor(n: int, i: int, j: int) -> np.ndarray:
    """Return causal weights but for one entry: position i sees position j."""
    weights = np.tri(n) / np.arange(1, n + 1)[:, None]
    weights[i, j] = 0.7
    return weights


def _rounding_model(X: np.ndarray) -> np.ndarray:
    """Add the sum of all inputs and take it away again: no leak, but it rounds."""
    return (X + X.sum(axis=0)) - X.sum(axis=0)


def _peeking(
    i: int, j: int, reads: np.ndarray, writes: np.ndarray, name: str
) -> Callable[[np.ndarray], np.ndarray]:
    """Return a model whose output i sees input j through some features only."""

    def model(X: np.ndarray) -> np.ndarray:
        outputs = np.tanh(np.cumsum(X, axis=0))
        if j < len(X):
            outputs[i] += X[j] @ reads * writes
        return outputs

    model.__name__ = name
    return model


def leak_cases() -> tuple[Case, ...]:
    """Pair models with inputs; the kind says where the leak is."""
    rng = np.random.default_rng(20260604)
    draw = rng.standard_normal
    faint = _neighbor(7, 3, 5)
    faint[3, 5] = 1e-3
    all_3, last_3 = np.ones(3), np.array([0.0, 0.0, 1.0])
    balanced = _peeking(2, 3, np.ones(2), np.array([0.6, -0.6]), "balanced_model")
    return (
        Case((_open_model, draw((5, 3))), "example"),
        Case((_causal_model, draw((7, 3))), "no-leak"),
        Case((_late_model, draw((5, 2))), "example"),
        Case(
            (_mixing(_neighbor(7, 2, 3), "next_word_model"), draw((7, 5))),
            "middle",
        ),
        Case(
            (_mixing(_neighbor(11, 4, 10), "last_word_model"), draw((11, 3))),
            "middle",
        ),
        Case(
            (_mixing(_neighbor(7, 0, 4), "first_only_model"), draw((7, 3))),
            "first",
        ),
        Case((_mixing(faint, "faint_model"), draw((7, 3))), "faint"),
        Case((_mixing(_neighbor(5, 3, 4), "end_model"), draw((5, 2))), "middle"),
        Case(
            (_mixing(_neighbor(7, 0, 1), "second_too_model"), draw((7, 3))),
            "first",
        ),
        Case((_running_sum_model, draw((11, 3))), "no-leak"),
        Case((_rounding_model, draw((7, 3))), "rounding"),
        Case((balanced, draw((7, 2))), "balanced"),
        Case(
            (_peeking(3, 4, last_3, all_3, "last_feature_model"), draw((5, 3))),
            "last-in",
        ),
        Case(
            (_peeking(1, 2, all_3, last_3, "last_output_model"), draw((5, 3))),
            "last-out",
        ),
    )
