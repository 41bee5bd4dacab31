"""Question `fooled_by_length` of chapter 2."""

from typing import Any

import numpy as np

from course_attn.checking import Question, Reason, number
from course_attn.exercises.scores._steps import no_zero

__all__ = ["exercise"]


def fooled_by_length():
    """Give a query and keys for which the longest key beats the most similar one."""
    query = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.0], [10.0, 20.0]])
    return query, keys


def _read_query_and_keys(value: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        query, keys = (np.asarray(part, dtype=float) for part in value)
    except (TypeError, ValueError):
        raise ValueError("Return two things: `return query, keys`.") from None
    if query.ndim != 1 or keys.ndim != 2 or keys.shape[1] != len(query):
        raise ValueError(
            "The query should have shape (d,) and the keys (n, d), with the same d. Yours have "
            f"{query.shape} and {keys.shape}."
        )
    if not (np.isfinite(query).all() and np.isfinite(keys).all()):
        raise ValueError("Use finite numbers only.")
    return query, keys


def _winners(answer: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
    """Return the key with the largest dot product and the one with the largest cosine."""
    query, keys = answer
    dots = keys @ query
    return int(dots.argmax()), int(
        (dots / no_zero(np.linalg.norm(keys, axis=1))).argmax()
    )


def _same_winner(answer: tuple[np.ndarray, np.ndarray]) -> str:
    query, keys = answer
    winner = _winners(answer)[0]
    return (
        f"Key {winner} wins both: its dot product is {number(keys[winner] @ query)}, and its "
        "direction is the closest too. Give another key a worse direction but more length."
    )


def _ties(answer: tuple[np.ndarray, np.ndarray]) -> bool:
    query, keys = answer
    by_dot, by_cosine = _winners(answer)
    dots = keys @ query
    cosines = dots / no_zero(np.linalg.norm(keys, axis=1))
    return bool(
        dots[by_dot] - dots[by_cosine] < 1e-9 * abs(dots[by_dot])
        or cosines[by_cosine] - cosines[by_dot] < 1e-9
    )


exercise = Question(
    solution=fooled_by_length,
    place=50,
    section="What the dot product rewards: direction and length",
    task="""
"The largest dot product belongs to the most similar key" is wrong. Show it: return from
`fooled_by_length()` a query of shape (d,) and keys of shape (n, d), n ≥ 2, such that the key with
the largest dot product is *not* the key with the smallest angle to the query.
""",
    read=_read_query_and_keys,
    reasons=(
        Reason(
            "zero-query",
            lambda answer: not answer[0].any(),
            "A query of zeros has the dot product 0 with every key and no angle to any: choose "
            "another.",
        ),
        Reason(
            "one-key",
            lambda answer: len(answer[1]) < 2,
            "With fewer than two keys there is nothing to confuse: return at least two.",
        ),
        Reason(
            "one-dimension",
            lambda answer: len(answer[0]) < 2,
            "On a line there are only two directions, along the query and against it. Use d ≥ 2, "
            "where a key can be *somewhat* off.",
        ),
        Reason(
            "all-negative",
            lambda answer: (answer[1] @ answer[0]).max() <= 0,
            "No key points the query's way (no dot product is positive). Begin with one that does.",
        ),
        Reason(
            "equal-lengths",
            lambda answer: (
                _winners(answer)[0] == _winners(answer)[1]
                and np.ptp(np.linalg.norm(answer[1], axis=1)) < 1e-9
            ),
            "Your keys all have the same length: then both rules pick the same key, always. The "
            "length is what fools the dot product.",
        ),
        Reason(
            "same-winner",
            lambda answer: _winners(answer)[0] == _winners(answer)[1],
            _same_winner,
        ),
        Reason(
            "tie",
            _ties,
            "Two keys tie for the first place in one of the two rankings. Make the difference "
            "clear.",
        ),
    ),
    hints=(
        "A dot product is |q|·|k|·cos θ. One factor is about similarity. What can you do with the "
        "other one?",
        "Let key 0 point exactly along the query, and be short. Let key 1 be off by some angle, "
        "below 90°.",
        "With the query (1, 0) and key 0 = (1, 0), the dot product is 1. Any long key whose first "
        "coordinate is above 1 and whose second is not 0 beats it.",
    ),
)
