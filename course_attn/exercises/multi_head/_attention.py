"""Multi-head attention step by step, each step to be replaced by a mistake."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, number, span
from course_attn.exercises.multi_head._steps import merged, same, split

__all__ = [
    "attended",
    "cases",
    "cut_in_turn",
    "cut_straight",
    "dots",
    "flat",
    "hidden_weight",
    "joined_in_turn",
    "joined_straight",
    "kept_weight",
    "own_slices",
    "right_weights",
    "softmax",
]


def _mask(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a mask in which every row and every column has a True and a False."""
    while True:
        mask = rng.uniform(size=(n, n)) < 0.6
        mixed = [mask.any(axis) & ~mask.all(axis) for axis in (0, 1)]
        if np.all(mixed) and (mask != mask.T).any():
            return mask


def cases(seed: int, *, dtype: str = "f8") -> tuple[Case, ...]:
    """Make inputs on which mistakes separate: no ones, no identities, no equal sizes."""
    rng = np.random.default_rng(seed)

    def given(n: int, d_model: int, n_heads: int, *batch: int) -> tuple[Any, ...]:
        X = rng.standard_normal((*batch, n, d_model))
        W = 1.5 * rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)
        arrays = (array.astype(dtype) for array in (X, *W))
        return *arrays, n_heads, _mask(n, rng)

    # Two sentences in one sequence: each word sees itself and its own sentence's earlier words.
    two_sentences = np.kron(np.eye(2), np.tri(2)).astype(bool)
    example = (*given(4, 6, 3)[:-1], two_sentences)
    wide = [a.astype("f4") if a.dtype.kind == "f" else a for a in example[:5]]
    return (
        Case(example, "example"),
        Case(given(5, 14, 2)),
        Case(given(7, 15, 5)),
        Case(given(6, 6, 3), "square"),
        Case(given(5, 9, 3), "equal-heads"),
        Case(given(7, 5, 1), "one-head"),
        Case(given(5, 22, 11, 2, 3), "batch"),
        Case((*wide, *example[5:]), "float32"),
    )


def dots(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the score of every query with every key."""
    return Q @ K.swapaxes(-1, -2)


def minus_infinity(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Hide what is not allowed, as it should be."""
    return np.where(mask, scores, -np.inf)


def softmax(scores: np.ndarray, axis: int | None = -1) -> np.ndarray:
    """Return the softmax; a row of −∞ alone gives NaN."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def attended(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    n_heads: int,
    mask: np.ndarray,
    *,
    matrices: Callable[..., Any] = lambda *matrices: matrices[:3],
    project: Callable[..., Any] = np.matmul,
    cut: Callable[..., Any] = split,
    score: Callable[..., Any] = dots,
    root: Callable[..., Any] = lambda d_model, n_heads, n: (
        (d_model / n_heads) ** 0.5
    ),
    see: Callable[..., Any] = same,
    hide: Callable[..., Any] = minus_infinity,
    weigh: Callable[..., Any] = softmax,
    veil: Callable[..., Any] = same,
    mix: Callable[..., Any] = np.matmul,
    join: Callable[..., Any] = merged,
    finish: Callable[..., Any] = np.matmul,
) -> np.ndarray:
    """Attend with several heads, in steps that a mistake may replace."""
    with np.errstate(all="ignore"):
        used = matrices(W_Q, W_K, W_V, n_heads)
        Q, K, V = (cut(project(X, W), n_heads) for W in used)
        scores = score(Q, K) / root(X.shape[-1], n_heads, X.shape[-2])
        seen = see(mask)
        weights = veil(weigh(hide(scores, seen)), seen)
        return finish(join(mix(weights, V)), W_O)


def own_slices(*args: Any) -> list[np.ndarray]:
    """Keep of each matrix what leads from a head's slice of X to that same head."""
    *matrices, n_heads = args
    width = matrices[0].shape[0] // n_heads
    blocks = np.kron(np.eye(n_heads), np.ones((width, width)))
    return [W * blocks.astype(W.dtype) for W in matrices]


def cut_straight(A: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut into heads without swapping axes."""
    *batch, n, d = A.shape
    return A.reshape(*batch, n_heads, n, d // n_heads)


def cut_in_turn(A: np.ndarray, n_heads: int) -> np.ndarray:
    """Deal the features to the heads in turn."""
    *batch, n, d = A.shape
    parts = A.reshape(*batch, n, d // n_heads, n_heads)
    return np.moveaxis(parts, -1, -3)


def joined_straight(heads: np.ndarray) -> np.ndarray:
    """Join heads without swapping axes."""
    *batch, n_heads, n, d_k = heads.shape
    return heads.reshape(*batch, n, n_heads * d_k)


def joined_in_turn(heads: np.ndarray) -> np.ndarray:
    """Join heads feature by feature."""
    return flat(np.moveaxis(heads, -3, -1))


def flat(rows: np.ndarray) -> np.ndarray:
    """Make the last two axes one."""
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])


def right_weights(given: Any) -> np.ndarray:
    """Return the weights of all heads for a case's arguments, (..., n_heads, n, n)."""
    n_heads, X = given["n_heads"], given["X"]
    Q, K = (split(X @ given[W], n_heads) for W in ("W_Q", "W_K"))
    scores = dots(Q, K) / (X.shape[-1] / n_heads) ** 0.5
    return softmax(minus_infinity(scores, given["mask"]))


def hidden_weight(c: Context) -> str:
    """Say how much weight would go, without a mask, where none may go."""
    given = dict(c.given) | {"mask": np.ones_like(c.given["mask"])}
    hidden = (right_weights(given) * ~c.given["mask"]).sum(axis=-1)
    return f"up to {number(hidden.max())} of a query's unit of weight"


def kept_weight(c: Context) -> str:
    """Say how much of that weight goes where it may."""
    given = dict(c.given) | {"mask": np.ones_like(c.given["mask"])}
    return span((right_weights(given) * c.given["mask"]).sum(axis=-1))
