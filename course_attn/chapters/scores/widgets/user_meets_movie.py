"""A user's taste and a movie, six numbers to change, with their products and the score."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_names,
    plain_table,
    widget,
)
from course_attn.in_numpy.scores import dot_scores

__all__ = ["user_meets_movie"]

_CAPTION = (
    "A dot product, feature by feature. Equal signs add to the score, even two minuses; different "
    "signs take from it. Try: make the movie funny. Then give it the taste of the user, all three "
    "numbers. Which movie would score more still?"
)


def user_meets_movie(
    user: ArrayLike, movie: ArrayLike, features: Sequence[str]
) -> Widget:
    """Let the reader change a taste and a movie, and see their dot product as a sum.

    Parameters
    ----------
    user, movie : array, shape (3,)
        From -1, dislikes or has none of it, to 1, loves it or is full of it.
    features : sequence of str
        The names of the three features.

    Raises
    ------
    ValueError
        If there are not three numbers from -1 to 1 in each, or not three names.

    Examples
    --------
    >>> names = ["action", "romance", "humor"]
    >>> print(str(user_meets_movie([1, 0, 0], [1, 0, 0], names))[:33])
    <user_meets_movie: A dot product,
    """
    both = [
        checked_array(name, given, (3,), "(3,)")
        for name, given in (("user", user), ("movie", movie))
    ]
    for name, array in zip(("user", "movie"), both, strict=True):
        if np.abs(array).max() > 1:
            raise ValueError(f"{name} must lie from -1 to 1, got {array.tolist()}")
    names = checked_names("features", features, 3, "numbers of a user")
    taste, content = both
    score = dot_scores(taste[None], content[None]).item()
    rows = [[*taste, ""], [*content, ""], [*taste * content, score]]
    return widget(
        __file__,
        {
            "user": taste.tolist(),
            "movie": content.tolist(),
            "features": names,
        },
        fallback=plain_table(
            "A user meets a movie",
            ["user", "movie", "product"],
            [*names, "score"],
            [[_written(cell) for cell in row] for row in rows],
        ),
        alt="A table with a column for each of three features. The numbers of the user and of the "
        "movie can be changed; below stand their products, which add up to the score.",
        caption=_CAPTION,
    )


def _written(cell: float | str) -> str:
    """Write a number with two digits and a true minus sign."""
    if isinstance(cell, str):
        return cell
    return f"{cell:.2f}".replace("-", "\N{MINUS SIGN}")
