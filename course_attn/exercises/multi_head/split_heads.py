"""Exercise `split_heads` of chapter 7."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.multi_head._steps import same, traced

__all__ = ["exercise"]


def split_heads(X, n_heads):
    """Cut the features of every element into equal parts, one for each head."""
    *batch, n, d = X.shape
    if d % n_heads:
        raise ValueError(f"{n_heads} heads cannot share {d} features equally")
    parts = X.reshape(*batch, n, n_heads, d // n_heads)
    return parts.swapaxes(-2, -3)


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260701).standard_normal
    numbered = 10.0 * np.arange(4)[:, None] + np.arange(6)
    return (
        Case((numbered, 3), "example"),
        Case((draw((5, 14)), 2)),
        Case((draw((7, 15)), 5)),
        Case((draw((6, 6)), 3), "square"),
        Case((draw((5, 7)), 1), "one-head"),
        Case((draw((3, 7)), 7), "narrow"),
        Case((draw((2, 3, 7, 10)), 5), "batch"),
        Case((draw((11, 26)).astype("f4"), 13), "float32"),
        Case((draw((6, 5)), 3), "indivisible"),
        Case((draw((5, 7)), 2), "indivisible"),
        Case((draw((4, 3)), 6), "indivisible"),
    )


def _refuse(d: int, n_heads: int) -> None:
    if d % n_heads:
        raise ValueError("n_heads must divide d")


def _cut(X: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut every row into parts, (..., n, n_heads, d_head); what is left over is dropped."""
    width = X.shape[-1] // n_heads
    rows = X[..., : n_heads * width]
    return rows.reshape(*X.shape[:-1], n_heads, width)


def _cut_in_turn(X: np.ndarray, n_heads: int) -> np.ndarray:
    width = X.shape[-1] // n_heads
    rows = X[..., : n_heads * width]
    return rows.reshape(*X.shape[:-1], width, n_heads).swapaxes(-1, -2)


def _cut_swapped(X: np.ndarray, n_heads: int) -> np.ndarray:
    width = X.shape[-1] // n_heads
    rows = X[..., : n_heads * width]
    return rows.reshape(*X.shape[:-1], width, n_heads)


def _reshaped(X: np.ndarray, n_heads: int) -> np.ndarray:
    *batch, n, d = X.shape
    rows = X[..., : d // n_heads * n_heads]
    return rows.reshape(*batch, n_heads, n, d // n_heads)


def _minus_one(X: np.ndarray, n_heads: int) -> np.ndarray:
    *batch, n, d = X.shape
    return X.reshape(*batch, -1, n_heads, d // n_heads).swapaxes(-2, -3)


def _with_heads(
    X: np.ndarray,
    n_heads: int,
    *,
    refuse: Callable[..., Any] = _refuse,
    cut: Callable[..., Any] = _cut,
    arrange: Callable[..., Any] = lambda parts: parts.swapaxes(-2, -3),
) -> np.ndarray:
    refuse(X.shape[-1], n_heads)
    return arrange(cut(X, n_heads))


def _sizes(c: Context) -> str:
    """Say how X is to be cut."""
    *_, n, d = c.given["X"].shape
    n_heads = c.given["n_heads"]
    return f"n = {n}, d = {d} and n_heads = {n_heads}"


def _first_rows(c: Context) -> str:
    """Say what the first head holds, row by row, and what it should."""
    if c.got.ndim < 2 or c.got.shape[-2] < 2:
        return traced(c)
    return (
        f"Your head 0 begins with the rows {c.row(0)} and {c.row(1)}; it should begin with "
        f"{c.row(0, 'expected')} and {c.row(1, 'expected')}, the first parts of X[0] and X[1]."
    )


def _dropped(c: Context) -> str:
    *_, n, d = c.given["X"].shape
    n_heads = c.given["n_heads"]
    left = d % n_heads
    some = "the last feature" if left == 1 else f"the last {left} features"
    return (
        f"{n_heads} heads cannot share {d} features equally: you give each {d // n_heads} and "
        f"return shape {c.got.shape}, and {some} of every element got lost without a word. Asked "
        "for is an error: `if d % n_heads: raise ValueError(…)`, before anything is cut."
    )


def _wrong_numbers(c: Context) -> str | None:
    if isinstance(c.expected, Exception) or c.got.shape != c.expected.shape:
        return None
    rows = c.got.reshape(-1, c.got.shape[-2], c.got.shape[-1])
    X = c.given["X"].reshape(-1, *c.given["X"].shape[-2:])
    for h, head in enumerate(rows):
        sequence = X[h // c.given["n_heads"]]
        for i, row in enumerate(head):
            if not np.isin(row, sequence[i]).all() and np.isin(row, X).all():
                return (
                    "Row i of every head must consist of features of element i, and of no other: "
                    f"row {i} of your head {h % c.given['n_heads']} mixes others in. {traced(c)}"
                )
    return traced(c)


exercise = Exercise(
    solution=split_heads,
    place=10,
    section="With the heads as a batch axis",
    task="""
Write `split_heads(X, n_heads)`: X has shape (…, n, d), one element a row; return an
array of shape (…, n_heads, n, d/n_heads). Each row of X is cut into n_heads equal
parts, one after the other, and head h gets part h of every element, so that row i
of every head still belongs to element i. If n_heads does not divide d, raise a
`ValueError`. In the first test $X_{ic} = 10\\,i + c$ (with i and c counted from 0),
so that you can see where each number comes from: 23 is feature 3 of element 2.
""",
    cases=_cases,
    variant=_with_heads,
    kinds={
        "indivisible": Kind(
            "for a width that n_heads does not divide",
            "There the task asks for a `ValueError`, before anything is cut: `if …: raise "
            "ValueError(…)`. (`assert` raises an `AssertionError`, which says that the program "
            "is wrong, not its input; and an error is raised, not returned.)",
        ),
        "one-head": Kind(
            "for a single head", "Its axis, of length 1, is there all the same."
        ),
        "narrow": Kind("where every head gets a single feature"),
        "square": Kind("where n = d"),
    },
    faults=(
        Fault(
            "reshape-only",
            {"cut": _reshaped, "arrange": same},
            lambda c: (
                "You `reshape` straight to (…, n_heads, n, d/n_heads). The shape is right, and the "
                "numbers are in the wrong places: `reshape` keeps them in the order in which they "
                "are stored, so head 0 gets the *first elements*, cut up, where it should get the "
                f"first features of all of them. {_first_rows(c)} Cut the last axis in two first, "
                "and then swap heads and positions."
            ),
        ),
        Fault(
            "not-moved",
            {"arrange": same},
            lambda c: (
                f"You cut rightly, but return shape {c.got.shape}: positions first, then heads. "
                "The heads should come before the positions, as a batch axis, so that `Q @ Kᵀ` "
                "compares positions within a head. Swap the axes −2 and −3."
            ),
        ),
        Fault(
            "in-turn",
            {"cut": _cut_in_turn},
            lambda c: (
                "You deal the features out in turn, like cards: head h gets features h, "
                f"h + {c.given['n_heads']}, h + {2 * c.given['n_heads']}, … Asked for are "
                "*blocks*: head 0 the first part of each row, head 1 the next. "
                f"{_first_rows(c)} In the reshape, n_heads comes before d/n_heads."
            ),
        ),
        Fault(
            "sizes-swapped",
            {"cut": _cut_swapped},
            lambda c: (
                f"You make d/n_heads heads of n_heads features each: for {_sizes(c)} you return "
                f"shape {c.got.shape}. There are {c.given['n_heads']} heads: "
                "`reshape(…, n, n_heads, d // n_heads)`, the heads before the features."
            ),
        ),
        Fault(
            "features-first",
            {"arrange": lambda parts: np.moveaxis(parts, -3, -1)},
            lambda c: (
                f"You return shape {c.got.shape}: within each head the features come before the "
                "positions, so that every head is transposed. Elements are rows, in the heads "
                f"too: {c.expected.shape}."
            ),
        ),
        Fault(
            "heads-before-the-batch",
            {"arrange": lambda parts: np.moveaxis(parts, -2, 0)},
            lambda c: (
                "Right for one sequence. In a batch your heads come first of all, shape "
                f"{c.got.shape}; they should stand just before the positions, "
                f"{c.expected.shape}. Count axes from the end: the heads become axis −3."
            ),
        ),
        Fault(
            "backward",
            {
                "arrange": lambda parts: np.flip(parts, axis=-2).swapaxes(-2, -3),
            },
            lambda c: (
                "The heads come in the wrong order: your head 0 has the *last* part of every row. "
                f"{_first_rows(c)}"
            ),
        ),
        Fault(
            "positions-cut",
            lambda X, n_heads: np.stack(np.split(X, n_heads, axis=-2), axis=-3),
            lambda c: (
                f"You cut the sequence, not its features: for {_sizes(c)} each of your heads has "
                f"shape {c.got.shape[-2:]}. Every head keeps all {c.given['X'].shape[-2]} elements "
                "and gets some features of each."
            ),
        ),
        Fault(
            "copies",
            lambda X, n_heads: np.repeat(X[..., None, :, :], n_heads, axis=-3),
            lambda c: (
                f"You give every head all {c.given['X'].shape[-1]} features: shape {c.got.shape}. "
                "They share them: each gets "
                f"{c.given['X'].shape[-1] // c.given['n_heads']}."
            ),
        ),
        Fault(
            "error-missing",
            {"refuse": same},
            _dropped,
        ),
        Fault(
            "minus-one",
            _minus_one,
            lambda c: (
                f"For {_sizes(c)} you return shape {c.got.shape}: the `-1` in your reshape let "
                f"NumPy find a number of positions that fits, {c.got.shape[-2]} instead of "
                f"{c.given['X'].shape[-2]}. Asked for is an error where n_heads does not divide "
                "d: `if d % n_heads: raise ValueError(…)`."
            ),
        ),
    ),
    properties=(Property("elements-mixed", _wrong_numbers),),
    hints=(
        "Which of the three sizes n_heads, n and d/n_heads lie next to each other in memory, when "
        "a row of X is cut into parts?",
        "Two steps: cut the last axis in two, (…, n, n_heads, d/n_heads), which leaves every "
        "number where it is; then swap two axes.",
        "`X.reshape(*X.shape[:-1], n_heads, d // n_heads)`, then `.swapaxes(-2, -3)`; the check "
        "`d % n_heads` comes first.",
    ),
    built_ins=("course_attn.in_numpy.multi_head.split_heads",),
)
