"""A query and a key as arrows to be dragged, with dot product, cosine and distance."""

import math

from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    plain_table,
    widget,
)
from course_attn.in_numpy.scores import cosine_scores, dot_scores

__all__ = ["two_arrows"]

_CAPTION = (
    "The cosine sees only the angle, the dot product the lengths, too. Try: drag the key onto the "
    "query. Cosine and distance cannot get better; what becomes of the dot product? Then turn the "
    "key by more than 65° and let it score more than the query would as a key."
)
# How far the picture reaches from zero, in features.
_X, _Y = (-2.5, 2.5), (-1.5, 4.5)


def two_arrows(query: ArrayLike, key: ArrayLike) -> Widget:
    """Let the reader drag a query and a key, and see what three measures say of them.

    Parameters
    ----------
    query, key : array, shape (2,)
        Where the arrows begin: within the picture, from (-2.5, -1.5) to (2.5, 4.5).

    Raises
    ------
    ValueError
        If an arrow is not two numbers, or ends outside the picture.

    Examples
    --------
    >>> print(str(two_arrows([1.0, 0.5], [1.0, 4.0]))[:44])
    <two_arrows: The cosine sees only the angle,
    """
    q, k = (
        checked_array(name, given, (2,), "(2,)")
        for name, given in (("query", query), ("key", key))
    )
    for name, (right, up) in (("query", q), ("key", k)):
        if not (_X[0] <= right <= _X[1] and _Y[0] <= up <= _Y[1]):
            raise ValueError(
                f"{name} must lie from ({_X[0]}, {_Y[0]}) to ({_X[1]}, {_Y[1]}), "
                f"got ({right:g}, {up:g})"
            )
    dot, cosine = (
        float(score(q[None], k[None])[0, 0])
        for score in (dot_scores, cosine_scores)
    )
    (a, b), (c, d) = ([_in_a_sum(entry) for entry in row] for row in (q, k))
    cells = [
        (f"{a}·{c} + {b}·{d}", dot),
        (f"{_signed(dot)} ÷ ({math.hypot(*q):.2f} · {math.hypot(*k):.2f})", cosine),
        (f"√(({a} − {c})² + ({b} − {d})²)", math.dist(q, k)),
    ]
    return widget(
        __file__,
        {"query": q.tolist(), "key": k.tolist(), "x": _X, "y": _Y},
        fallback=plain_table(
            f"The query ({q[0]:g}, {q[1]:g}) and the key ({k[0]:g}, {k[1]:g})".replace(
                "-", "\N{MINUS SIGN}"
            ),
            ["dot product", "cosine", "distance"],
            ["sum", "value"],
            [(text, _signed(value)) for text, value in cells],
        ),
        alt="Two arrows from zero that can be dragged, a solid one for the query and a dashed one "
        "for the key, with the angle between them; beside them dot product, cosine and distance.",
        caption=_CAPTION,
    )


def _signed(value: float) -> str:
    """Write a number with two digits and a true minus sign."""
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _in_a_sum(value: float) -> str:
    """Write a number as short as it goes, a negative one in brackets."""
    return f"{value:g}" if value >= 0 else f"(\N{MINUS SIGN}{-value:g})"
