"""What the tests of the chapter on masks are given, and weights by their definition."""

import math
from collections.abc import Sequence

import numpy as np

D = 3  # the width of the vectors


def three(n_q: int = 5, n_k: int = 5, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return random queries, keys and values; the values are one column wider."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n_q, D)),
        rng.normal(size=(n_k, D)),
        rng.normal(size=(n_k, D + 1)),
    )


def allowed_softmax(
    scores: Sequence[float], allowed: Sequence[bool]
) -> list[float]:
    """Return the weights over the allowed scores only, in plain Python numbers."""
    exps = [
        math.exp(s) if ok else 0.0 for s, ok in zip(scores, allowed, strict=True)
    ]
    return [p / math.fsum(exps) for p in exps]
