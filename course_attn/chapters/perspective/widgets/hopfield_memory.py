"""A memory of small pictures that the reader damages, and that repairs them by attention."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_names,
    checked_number,
    plain_table,
    widget,
)
from course_attn.in_numpy.perspective import hopfield_update
from course_attn.in_numpy.qkv import attention_weights

__all__ = ["hopfield_memory"]

_CAPTION = (
    "A memory of pictures of 8 by 8 signs: a filled square is 1, an empty one −1, a gray one not "
    "known. Try: draw over the picture, as badly as you like, and press “One update”. Store fewer "
    "patterns: with how many does the classical network repair one, too? Lower β: when does an "
    "update mix several patterns, and what do more updates do then?"
)
_BETAS = (0.01, 0.125, 1.0)
_SIDE = 8


def hopfield_memory(
    patterns: ArrayLike,
    names: Sequence[str],
    *,
    start: int = 0,
    beta: float = 1.0,
) -> Widget:
    """Let the reader draw over a stored picture, and update it by steps of attention.

    It begins with a pattern whose lower half is lost: 0, neither black (1) nor white (-1). Beside
    it stands where a classical Hopfield network, which sets one sign after the other, comes to rest
    when it begins with the same picture. Without JavaScript it is a table of the weights at several
    β.

    Parameters
    ----------
    patterns : array, shape (n_patterns, 64)
        From 2 to 10 patterns of 8 by 8 entries, each 1 or -1.
    names : sequence of str
        What they are called: a letter or a short word each.
    start : int
        The pattern that is shown first, counted from 0.
    beta : float
        Where the slider begins, from 0.01 to 3.

    Examples
    --------
    >>> eyes = [[1.0, -1.0] * 32, [-1.0, -1.0, 1.0, 1.0] * 16]
    >>> print(str(hopfield_memory(eyes, ["a", "b"]))[:41])
    <hopfield_memory: A memory of pictures of
    """
    X = checked_array("patterns", patterns, (None, _SIDE**2), "(n_patterns, 64)")
    if not 2 <= len(X) <= 10:
        raise ValueError(f"patterns must have length 2 to 10, got {len(X)}")
    if (odd := X[np.abs(X) != 1]).size:
        raise ValueError(
            f"patterns must have entries 1 and -1 only, got {odd[0]:g}"
        )
    words = checked_names("names", names, len(X), "patterns")
    if not 0 <= start < len(X):
        raise ValueError(f"start must be from 0 to {len(X) - 1}, got {start}")
    begin = checked_number("beta", beta, 0.01, 3)
    half = X[[start]].copy()
    half[:, _SIDE**2 // 2 :] = 0
    rows, cells = [], []
    for b in sorted({*_BETAS, begin}):
        weights = attention_weights(half, X, scale=b)[0]
        wrong = _wrong(hopfield_update(X, half, beta=b)[0], X[start])
        rows.append(f"β = {b:g}")
        cells.append([*(f"{weight:.2f}" for weight in weights), str(wrong)])
    rows.append("classical")
    cells.append(
        [*("" for _ in words), str(_wrong(_settled(X, half[0]), X[start]))]
    )
    return widget(
        __file__,
        {
            "patterns": X.astype(int).tolist(),
            "names": words,
            "start": int(start),
            "beta": begin,
        },
        fallback=plain_table(
            f"Weights of the patterns for the upper half of “{words[start]}”, and how many of the "
            "64 signs are wrong after one update",
            rows,
            [*words, "wrong"],
            cells,
        ),
        alt="A picture of 8 by 8 squares to draw on, the weights of the stored patterns as bars, "
        "the picture that a classical network makes of it, and a button for one update.",
        caption=_CAPTION,
    )


def _wrong(state: np.ndarray, pattern: np.ndarray) -> int:
    return int((np.sign(state) != pattern).sum())


def _settled(X: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Let a classical network set one sign after the other, until none changes."""
    W = X.T @ X - len(X) * np.eye(X.shape[1])
    state, before = state.copy(), None
    while before is None or (state != before).any():
        before = state.copy()
        for f, weights in enumerate(W):
            state[f] = 1.0 if state @ weights >= 0 else -1.0
    return state
