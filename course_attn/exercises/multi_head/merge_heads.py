"""Exercise `merge_heads` of chapter 7."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.multi_head._steps import same, traced

__all__ = ["exercise"]


def merge_heads(X):
    """Write the heads' vectors side by side: one row for each element."""
    *batch, n_heads, n, d_k = X.shape
    rows = X.swapaxes(-2, -3)
    return rows.reshape(*batch, n, n_heads * d_k)


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260702).standard_normal
    h, i, c = np.ogrid[:3, :4, :2]
    return (
        Case((100.0 * h + 10 * i + c,), "example"),
        Case((draw((2, 5, 7)),)),
        Case((draw((5, 7, 3)),)),
        Case((draw((5, 5, 5)),), "square"),
        Case((draw((1, 5, 7)),), "one-head"),
        Case((draw((7, 3, 1)),), "narrow"),
        Case((draw((2, 3, 5, 7, 11)),), "batch"),
        Case((draw((13, 11, 2)).astype("f4"),), "float32"),
    )


def _joined(
    X: np.ndarray,
    *,
    arrange: Callable[..., Any] = lambda X: X.swapaxes(-2, -3),
    join: Callable[..., Any] = lambda rows: rows.reshape(*rows.shape[:-2], -1),
) -> np.ndarray:
    return join(arrange(X))


def _reshaped(X: np.ndarray) -> np.ndarray:
    *batch, n_heads, n, d_k = X.shape
    return X.reshape(*batch, n, n_heads * d_k)


def _stacked_below(X: np.ndarray) -> np.ndarray:
    *batch, n_heads, n, d_k = X.shape
    return X.reshape(*batch, n_heads * n, d_k)


def _element(c: Context) -> str:
    """Say what the first row of the result is and what it should be."""
    return (
        f"Your row for element 0 is {c.row()}; it should be {c.row(0, 'expected')}."
    )


def _sizes(c: Context) -> str:
    *_, n_heads, n, d_k = c.given["X"].shape
    return f"n_heads = {n_heads}, n = {n} and d_k = {d_k}"


def _mixed(c: Context) -> str | None:
    return traced(c) if c.got.shape == c.expected.shape else None


exercise = Exercise(
    solution=merge_heads,
    place=20,
    section="With the heads as a batch axis",
    task="""
Write `merge_heads(X)`: X has shape (…, n_heads, n, d_k), for every head one row for each
element; return an array of shape (…, n, n_heads·d_k). The row of element i holds the i-th
rows of all heads side by side: first that of head 0, then that of head 1, and so on. It
undoes `split_heads`. In the first test $X_{hic} = 100\\,h + 10\\,i + c$, counted from 0.
""",
    cases=_cases,
    variant=_joined,
    kinds={
        "one-head": Kind(
            "for a single head", "Its axis, of length 1, disappears all the same."
        ),
        "narrow": Kind("where every head has a single feature"),
        "square": Kind("where all sizes are equal"),
    },
    faults=(
        Fault(
            "reshape-only",
            {"arrange": same, "join": _reshaped},
            lambda c: (
                "You `reshape` at once. The shape is right, and the numbers are in the wrong "
                "places: `reshape` keeps them in the order in which they are stored, and in X one "
                f"head is stored after the other. {_element(c)} Your row holds several elements of "
                "*one* head; it should hold one element of all heads. Swap heads and positions "
                "first."
            ),
        ),
        Fault(
            "in-turn",
            {"arrange": lambda X: np.moveaxis(X, -3, -1)},
            lambda c: (
                "You take the heads in turn: feature 0 of every head, then feature 1 of every "
                f"head. {_element(c)} A head's vector stays in one piece."
            ),
        ),
        Fault(
            "features-swapped",
            {"arrange": lambda X: X.swapaxes(-1, -3)},
            lambda c: (
                f"You swap heads with *features*, and your result has shape {c.got.shape}. Swap "
                f"heads with positions: {_sizes(c)} should give {c.expected.shape}."
            ),
        ),
        Fault(
            "below-each-other",
            {"arrange": same, "join": _stacked_below},
            lambda c: (
                f"You write the heads below each other: shape {c.got.shape}, one row for each head "
                "*and* element. Side by side they give one row for each element: "
                f"{c.expected.shape}."
            ),
        ),
        Fault(
            "not-joined",
            {"join": same},
            lambda c: (
                f"The axes are in the right order, but you return shape {c.got.shape}: the last "
                "two still have to become one, of length n_heads·d_k."
            ),
        ),
        Fault(
            "added",
            lambda X: X.sum(axis=-3),
            lambda c: (
                f"You *add* the heads: shape {c.got.shape}. Then nobody can tell any more which "
                "head found what. Write their vectors side by side, "
                f"{c.row(0, 'expected')} for element 0."
            ),
        ),
        Fault(
            "averaged",
            lambda X: X.mean(axis=-3),
            lambda c: (
                f"You average the heads: shape {c.got.shape}. Each should keep its own place in "
                f"the row: {c.row(0, 'expected')} for element 0."
            ),
        ),
        Fault(
            "backward",
            {"arrange": lambda X: np.flip(X, axis=-3).swapaxes(-2, -3)},
            lambda c: (
                f"The heads come in the wrong order, the last one first. {_element(c)}"
            ),
        ),
        Fault(
            "columns",
            lambda X: X.swapaxes(-1, -2).reshape(*X.shape[:-3], -1, X.shape[-2]),
            lambda c: (
                f"You return shape {c.got.shape}, one *column* for each element. Elements are "
                f"rows: {c.expected.shape}."
            ),
        ),
        Fault(
            "first-axis",
            lambda X: np.concatenate(list(X), axis=-1),
            lambda c: (
                "Right for one sequence. In a batch the first axis is not that of the heads: you "
                f"write sequences side by side, and return shape {c.got.shape} instead of "
                f"{c.expected.shape}. The heads are axis −3."
            ),
        ),
    ),
    properties=(Property("misplaced", _mixed),),
    hints=(
        "What should the row of element 0 look like? In which order are those numbers stored in X?",
        "The two steps of `split_heads`, backward: swap two axes, then join the last two.",
        "`X.swapaxes(-2, -3)` has shape (…, n, n_heads, d_k); `reshape` it to "
        "(…, n, n_heads * d_k).",
    ),
    built_ins=("course_attn.in_numpy.multi_head.merge_heads",),
)
