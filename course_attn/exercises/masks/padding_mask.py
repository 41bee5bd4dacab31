"""Exercise `padding_mask` of chapter 6."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault, Kind, Property
from course_attn.exercises.masks._steps import (
    allows_too_little,
    allows_too_much,
    same,
    seen_by,
)

__all__ = ["exercise"]


def padding_mask(lengths, n_k):
    """Let every query of a sequence see its real keys, and not the filling behind them."""
    return np.arange(n_k) < lengths[:, None, None]


def _padding_cases() -> tuple[Case, ...]:
    return (
        Case((np.array([3, 1]), 5), "example"),
        Case((np.array([5, 2, 7]), 7)),
        Case((np.array([4, 4, 1, 9, 11]), 11)),
        Case((np.array([1, 3, 2]), 3), "square"),
        Case((np.array([0, 2, 5]), 5), "empty"),
        Case((np.array([2]), 7), "one"),
    )


def _padded(
    lengths: np.ndarray,
    n_k: int,
    *,
    compare: Callable[..., Any] = np.less,
    count: Callable[..., Any] = lambda n_k, lengths: np.arange(n_k),
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    return finish(compare(count(n_k, lengths), lengths[:, None, None]))


exercise = Exercise(
    solution=padding_mask,
    place=30,
    section="Padding: sentences of different lengths",
    task="""
Write `padding_mask(lengths, n_k)`: `lengths` is an array of integers (batch,), the number of real
keys of each sequence, which come first; the rest of its n_k keys is filling. Return a bool array of
shape (batch, 1, n_k), True where the key is real, so that it broadcasts over the queries: $m_{b1j}$
is True if $j < \\mathrm{length}_b$. A length may be 0.
""",
    cases=_padding_cases,
    variant=_padded,
    kinds={
        "empty": Kind("where a sequence has length 0"),
        "one": Kind("for a batch of one sequence"),
        "square": Kind("where there are as many sequences as keys"),
    },
    faults=(
        Fault(
            "one-too-many",
            {"compare": np.less_equal},
            lambda c: (
                "Off by one: positions count from 0, so a sequence of length "
                f"{int(c.given['lengths'][0])} ends at position {int(c.given['lengths'][0]) - 1}. "
                f"Yours allows {seen_by(c.got[0].ravel())}: `<`, not `<=`."
            ),
        ),
        Fault(
            "one-too-few",
            {"compare": lambda j, length: j < length - 1},
            lambda c: (
                f"Off by one: a sequence of length {int(c.given['lengths'][0])} has "
                f"{int(c.given['lengths'][0])} real keys, at the positions 0 to "
                f"{int(c.given['lengths'][0]) - 1}. Yours allows {seen_by(c.got[0].ravel())}. `<` "
                "leaves out the length itself already: subtract nothing."
            ),
        ),
        Fault(
            "longest",
            {"count": lambda n_k, lengths: np.arange(lengths.max())},
            lambda c: (
                "Your mask is as wide as the longest sequence, "
                f"{int(c.given['lengths'].max())}; n_k plays no part in it. The keys number n_k = "
                f"{c.given['n_k']}, and all of them may be filling at the end, even in the longest "
                f"sequence: shape {c.expected.shape}."
            ),
        ),
        Fault(
            "polarity",
            {"compare": np.greater_equal},
            lambda c: (
                "The polarity is flipped: True marks the filling. The first sequence has "
                f"{int(c.given['lengths'][0])} real keys, and yours allows "
                f"{seen_by(c.got[0].ravel())}."
            ),
        ),
        Fault(
            "filled-in-front",
            {"count": lambda n_k, lengths: np.arange(n_k)[::-1]},
            lambda c: (
                "You take the filling to come first. Here the real keys do: of length "
                f"{int(c.given['lengths'][0])}, yours allows {seen_by(c.got[0].ravel())}."
            ),
        ),
        Fault(
            "no-query-axis",
            {"finish": lambda mask: mask[:, 0]},
            lambda c: (
                f"The truth values are right, but the shape is {c.got.shape}: beside scores "
                "(batch, n_q, n_k) that lines up the sequences with the *queries*. An axis of "
                'length 1 between them, `[:, None, :]`, says "for all queries".'
            ),
        ),
        Fault(
            "queries-masked",
            {"finish": lambda mask: np.swapaxes(mask, -1, -2)},
            lambda c: (
                f"Your shape is {c.got.shape}: broadcast over the scores, that masks *queries* "
                "(whole rows). Keys are the last axis."
            ),
        ),
        Fault(
            "float",
            {"finish": lambda mask: mask.astype(float)},
            lambda c: (
                f"You return numbers 0 and 1 (dtype `{c.got.dtype}`), not truth values. The "
                "comparison alone gives them."
            ),
        ),
        Fault(
            "bias",
            {"finish": lambda mask: np.where(mask, 0.0, -np.inf)},
            "You return a bias, 0 and −∞, to be added to the scores. Asked for is the mask: True "
            "and False.",
        ),
        Fault(
            "square-mask",
            {"finish": lambda mask: mask & np.swapaxes(mask, -1, -2)},
            lambda c: (
                f"Your shape is {c.got.shape}: you mask the filling among the queries too. A row "
                "of False for every padded query is one more empty row to look after; the mask is "
                "for the keys."
            ),
        ),
    ),
    properties=(
        Property("allows-filling", allows_too_much),
        Property("hides-real", allows_too_little),
    ),
    hints=(
        "Which positions of a sequence of length 3 are real?",
        "Compare the positions 0 … n_k − 1 with each sequence's length: a row against a column.",
        "`lengths[:, None, None]` has shape (batch, 1, 1), and `np.arange(n_k)` has shape (n_k,).",
    ),
    built_ins=("course_attn.in_numpy.masks.padding_mask",),
)
