"""Question `fooled_by_length`."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from whywrong import Question, Reason, number

__all__ = ["exercise"]


def fooled_by_length():
    """Give a query and keys, alike in length, of which not the most similar one wins."""
    query = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.0], [1.2, 1.6]])
    return query, keys


@dataclass(frozen=True)
class _Answer:
    query: np.ndarray
    lengths: np.ndarray
    dots: np.ndarray
    cosines: np.ndarray
    winner: int  # the key with the largest dot product
    closest: int  # the key with the smallest angle
    longest: int

    @property
    def same(self) -> bool:
        return self.winner == self.closest

    @property
    def rival(self) -> int:
        """The key with the smallest angle of those that do not win."""
        others = self.cosines.copy()
        others[self.winner] = -2
        return int(others.argmax())

    @property
    def top(self) -> str:
        return number(self.dots.max())

    @property
    def of_longest(self) -> str:
        return number(self.dots[self.longest])


def _read(value: Any) -> _Answer:
    try:
        query, keys = (np.asarray(part, dtype=float) for part in value)
    except (TypeError, ValueError):
        raise ValueError("Return two things: `return query, keys`.") from None
    if query.ndim != 1 or keys.ndim != 2 or keys.shape[1] != len(query):
        raise ValueError(
            "First the query, of shape (d,), then the keys, (n, d), with the same d. Yours have "
            f"{query.shape} and {keys.shape}."
        )
    if len(keys) < 2 or not (np.isfinite(query).all() and np.isfinite(keys).all()):
        raise ValueError("Return two keys or more, and finite numbers only.")
    dots, lengths = keys @ query, np.linalg.norm(keys, axis=1)
    cosines = dots / np.maximum(lengths * np.linalg.norm(query), 1e-300)
    best = (int(array.argmax()) for array in (dots, cosines, lengths))
    return _Answer(query, lengths, dots, cosines, *best)


exercise = Question(
    fooled_by_length,
    place=20,
    minutes=8,
    level="medium",
    prepares=("cosine_scores",),
    section="What the dot product rewards: direction and length",
    task="""
"The largest dot product belongs to the most similar key" is wrong, and not only for a key a hundred
times as long as the others. Show it: return from `fooled_by_length()` a query of shape (d,) and
keys of shape (n, d), n ≥ 2, such that the key with the largest dot product is *not* the key with
the smallest angle to the query, although no key is more than twice as long as another.
""",
    read=_read,
    reasons=(
        Reason(
            "zero-vector",
            lambda a: not (a.query.any() and a.lengths.all()),
            "A vector of zeros has no direction, so it has no angle to compare: choose another.",
        ),
        Reason(
            "one-dimension",
            lambda a: len(a.query) < 2,
            "On a line there are only two directions, along the query and against it. Use d ≥ 2.",
        ),
        Reason(
            "same-direction",
            lambda a: (
                a.dots[a.winner] > 0
                and abs(a.cosines[a.winner] - a.cosines[a.rival]) < 1e-9
                and np.ptp(a.lengths) > 0
            ),
            "Keys {0.winner} and {0.rival} have the same angle to the query. Turn the longer one "
            "away a little.".format,
        ),
        Reason(
            "equal-lengths",
            lambda a: a.same and np.ptp(a.lengths) < 1e-9,
            "Your keys all have the same length: then both rules pick the same key, always. The "
            "length is what fools the dot product.",
        ),
        Reason(
            "too-far-off",
            lambda a: a.same and a.longest != a.winner and a.dots[a.longest] <= 0,
            "Your longest key, {0.longest}, is at an angle of 90° or more to the query: its dot "
            "product is {0.of_longest}, and more length does not raise it.".format,
        ),
        Reason(
            "too-short",
            lambda a: a.same and a.longest != a.winner,
            "Key {0.longest} is the longest, but not long enough for its angle: its dot product is "
            "{0.of_longest}, and that of key {0.winner}, closest in angle, is {0.top}.".format,
        ),
        Reason(
            "same-winner",
            lambda a: a.same,
            "Key {0.winner} wins both: its dot product, {0.top}, and its cosine are the largest. "
            "Give another key a worse direction but more length.".format,
        ),
        Reason(
            "tie",
            lambda a: np.isclose(a.dots[a.winner], a.dots[a.closest], 1e-9, 0),
            "Keys {0.winner} and {0.closest} have the same dot product, {0.top}: neither is the "
            "largest. Turn the one with the larger angle a little toward the query.".format,
        ),
        Reason(
            "lengths-apart",
            lambda a: a.lengths.max() > 2.000001 * a.lengths.min(),
            lambda a: (
                f"Key {a.winner} wins, and key {a.closest} is closest in angle. But your longest "
                f"key is {number(a.lengths.max() / a.lengths.min())} times as long as your "
                "shortest, and twice is the limit. With lengths more alike, how near must the "
                "angles be?"
            ),
        ),
    ),
    hints=(
        "A dot product is |q|·|k|·cos θ. One factor is about similarity. What can you do with the "
        "other one?",
        "Let key 0 point exactly along the query, and key 1 be twice as long, off by some angle. "
        "How large may the angle be? Its cosine makes up for the length.",
        "With the query (1, 0) and key 0 = (1, 0), the dot product is 1. Any key of length 2 or "
        "less whose first coordinate is above 1 and whose second is not 0 beats it.",
    ),
)
