"""A row of scores that the reader drags, and the weights that softmax makes of it."""

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
from course_attn.in_numpy.softmax import entropy, softmax

__all__ = ["softmax_bars"]

_CAPTION = (
    "Cold weights are nearly one-hot, hot ones nearly equal. Try: make the largest weight 0.90 by "
    "the temperature alone. Then add 5 to all scores: what changes, and what does not? And 5 to a "
    "single one?"
)


def softmax_bars(
    scores: ArrayLike, names: Sequence[str], *, temperature: float = 1.0
) -> Widget:
    """Let the reader drag scores, their common shift and the temperature of their softmax.

    Parameters
    ----------
    scores : array, shape (n,)
        One row, of 2 to 5 scores from -5 to 5.
    names : sequence of str
        What they belong to: short words.
    temperature : float
        Where it begins, from 0.1 to 20.

    Examples
    --------
    >>> print(str(softmax_bars([2.0, 1.0, -1.0], ["cat", "sat", "mat"]))[:44])
    <softmax_bars: Cold weights are nearly one-h
    """
    row = checked_array("scores", scores, (None,), "(n,)")
    if not 2 <= len(row) <= 5:
        raise ValueError(f"scores must have length 2 to 5, got {len(row)}")
    for score in row:
        checked_number("scores", float(score), -5, 5)
    words = checked_names("names", names, len(row), "scores")
    begin = checked_number("temperature", temperature, 0.1, 20)
    rows = {}
    for t in sorted({0.1, 1.0, 10.0, begin}):
        weights = softmax(row, temperature=t)
        nats = float(entropy(weights))
        numbers = [*weights, nats, np.exp(nats)]
        rows[f"T = {t:g}"] = [f"{number:.2f}" for number in numbers]
    scored = ", ".join(
        f"{name} " + f"{score:g}".replace("-", "−")
        for name, score in zip(words, row, strict=True)
    )
    return widget(
        __file__,
        {"names": words, "scores": row.tolist(), "temperature": begin},
        fallback=plain_table(
            f"Weights of the scores {scored}",
            list(rows),
            [*words, "entropy (nats)", "keys in play"],
            rows.values(),
        ),
        alt="Bars of scores that can be dragged, the bars of their softmax weights, and the curve "
        "of the entropy over the temperature with a dot at the present one.",
        caption=_CAPTION,
    )
