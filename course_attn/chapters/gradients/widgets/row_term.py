"""Scores and the gradients of their weights, to be changed, and the gradients of the scores."""

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
from course_attn.in_numpy.gradients import softmax_backward
from course_attn.in_numpy.softmax import softmax

__all__ = ["row_term"]

_CAPTION = (
    "The gradients of the weights, dA, and of the scores, dS; striped where "
    "negative. Try: point at a number of dS, or move to it with the arrow keys, and read its sum. "
    "Add 1 to a whole row of dA: does dS move? Then multiply all scores until nothing is left of "
    "dS. Which row holds out longest?"
)
_MOST = 6


def row_term(
    scores: ArrayLike,
    d_weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    picked: tuple[int, int] = (0, 0),
) -> Widget:
    """Let the reader change scores and gradients of weights, and open each gradient of a score.

    Parameters
    ----------
    scores : array, shape (n_q, n_k)
        At most 6 rows and 6 columns of scores from -10 to 10.
    d_weights : array, shape (n_q, n_k)
        The gradient of a loss with respect to the weights, their softmax; from -100 to 100.
    queries, keys : sequence of str
        What rows and columns belong to: short words.
    picked : tuple of int
        Row and column of the gradient that is open at first.

    Examples
    --------
    >>> print(str(row_term([[0.0, 1.0]], [[2.0, -1.0]], ["the"], ["cat", "sat"]))[:42])
    <row_term: The gradients of the weights, d
    """
    S = checked_array("scores", scores, (None, None), "(n_q, n_k)").round(6)
    n_q, n_k = S.shape
    if max(S.shape) > _MOST:
        raise ValueError(
            f"scores must have at most {_MOST} rows and columns, got {S.shape}"
        )
    d = checked_array("d_weights", d_weights, S.shape, str(S.shape)).round(6)
    for argument, numbers, limit in (("scores", S, 10), ("d_weights", d, 100)):
        for number in numbers.ravel().tolist():
            checked_number(argument, number, -limit, limit)
    rows = checked_names("queries", queries, n_q, "rows of scores")
    columns = checked_names("keys", keys, n_k, "columns of scores")
    i, j = picked
    if not (0 <= i < n_q and 0 <= j < n_k):
        raise ValueError(
            f"picked must be a row and a column of scores, got {picked}"
        )
    A = softmax(S)
    tables = {"S": S, "A = softmax(S)": A, "dA": d, "dS": softmax_backward(A, d)}
    plain = (
        plain_table(name, rows, columns, _texts(array))
        for name, array in tables.items()
    )
    return widget(
        __file__,
        {
            "rows": rows,
            "columns": columns,
            "scores": S.tolist(),
            "gradients": d.tolist(),
            "picked": [int(i), int(j)],
        },
        fallback='<div class="attn-row">\n' + "\n".join(plain) + "\n</div>",
        alt="Four tables: scores and gradients of weights to change, the weights, and the "
        "gradients of the scores, each of which opens into its sum; and a slider that multiplies "
        "all scores.",
        caption=_CAPTION,
    )


def _texts(array: np.ndarray) -> list[list[str]]:
    return [[f"{x:z.2f}".replace("-", "−") for x in row] for row in array.tolist()]
