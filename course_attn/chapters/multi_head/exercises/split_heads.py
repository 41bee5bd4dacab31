"""Exercise `split_heads`."""

from contextlib import suppress
from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, WrongForm, fault_list
from whywrong.context import number

__all__ = ["exercise", "traced"]


def split_heads(X, n_heads):
    """Cut the features of every element into equal parts, one for each head."""
    *batch, n, d = X.shape
    if d % n_heads:
        raise ValueError(f"{n_heads} heads cannot share {d} features equally")
    width = d // n_heads
    parts = X.reshape(*batch, n, n_heads, width)
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
        Case((draw((1, 12)), 3), "one-element"),
        Case((draw((2, 3, 7, 10)), 5), "batch"),
        Case((draw((1, 5, 6)), 2), "batch"),
        Case((draw((11, 26)).astype("f4"), 13), "float32"),
        Case((draw((6, 5)), 3), "indivisible"),
        Case((draw((4, 3)), 6), "indivisible"),
        Case((draw((3, 4, 10)), 4), "indivisible"),
    )


def _used(answer: Any, X: np.ndarray, n_heads: int) -> Any:
    """Call the answer; say where it is the number of elements that n_heads has to divide."""
    try:
        return answer(X, n_heads)
    except ValueError as error:
        *batch, n, d = X.shape
        other = np.resize(np.arange(1.0 * X.size), (*batch, n_heads, d))
        with suppress(ValueError):
            shape = np.shape(answer(other, n_heads))
            if shape == split_heads(other, n_heads).shape:
                raise WrongForm(
                    f"For {n_heads} heads you stop with a `ValueError` if X has shape {X.shape}, "
                    f"but not if it has shape {other.shape}. The heads share the d = {d} "
                    f"features, not the n = {n} elements: which does n_heads have to divide?",
                    "elements-divided",
                ) from error
        raise


def traced(c: Context) -> str | None:
    """Say which entry of X stands at the first wrong place, and which belongs there."""
    if isinstance(c.expected, Exception) or c.got.shape != c.expected.shape:
        return None

    empty = np.argwhere(~c.got.any(axis=-1) & c.expected.any(axis=-1))
    if len(empty):
        return (
            f"Row {empty[0].tolist()} is all zeros: nothing is ever written there. Where does a "
            "loop of yours end?"
        )
    place = np.argwhere(~np.isclose(c.got, c.expected, rtol=1e-6, atol=0))[0]
    texts = []
    for value in (c.got[tuple(place)], c.expected[tuple(place)]):
        found = np.argwhere(np.isclose(c.given["X"], value, rtol=1e-6, atol=0))
        source = f"X{found[0].tolist()} = " if len(found) else ""
        texts.append(source + number(value))
    return f"At {place.tolist()} you have {texts[0]}; {texts[1]} belongs there."


exercise = Exercise(
    split_heads,
    place=10,
    minutes=10,
    level="medium",
    prepares=("merge_heads", "multi_head_attention", "MultiHeadAttention"),
    section="With the heads as a batch axis",
    task="""
Write `split_heads(X, n_heads)`: X has shape (…, n, d), one row per element; return an
array of shape (…, n_heads, n, d/n_heads). Each row of X is cut into n_heads equal
parts, one after the other, and head h gets part h of every element, so that row i
of every head still belongs to element i. If n_heads does not divide d, raise a
`ValueError`. In the first test $X_{ic} = 10\\,i + c$ (with i and c counted from 0),
so that you can see where each number comes from: 23 is feature 3 of element 2.
""",
    cases=_cases,
    use=_used,
    kinds={
        "indivisible": Kind(
            "for a width that n_heads does not divide",
            "There the task asks for `if …: raise ValueError(…)`, before anything is cut "
            "(`assert` raises another error, for programs that are wrong, not inputs).",
        ),
        "one-head": Kind("for a single head", "Its axis, of length 1, stays."),
        "narrow": Kind("where every head gets a single feature"),
        "one-element": Kind(
            "for a sequence of one element", "Its axis, of length 1, stays."
        ),
    },
    terms={
        "first_rows": lambda c: (
            c.filled(
                "Your first head begins with {your.row} and {your.second}; it should begin with "
                "{right.row} and {right.second}, the first parts of X[0] and X[1]."
            )
            if c.got.shape == c.expected.shape
            else f"Of X[0], that is its first {c.term('width')} features."
        ),
        "width": lambda c: c.given["X"].shape[-1] // c.given["n_heads"],
        "lost": lambda c: c.given["X"].shape[-1] % c.given["n_heads"],
    },
    faults=fault_list("""
reshape-only: X.reshape(*batch, n, n_heads, width) → X.reshape(*batch, n_heads, n, width)
        and parts.swapaxes(-2, -3) → parts
    You `reshape` straight to (…, n_heads, n, d/n_heads). The numbers stay in the order in which
    they are stored: the first head gets the *first elements*, cut up. {first_rows} Cut the last
    axis in two, then swap heads and elements.
not-moved: parts.swapaxes(-2, -3) → parts
    You return shape {your.shape}: elements first, then heads. Swap the axes −2 and −3, so that
    each head has a row for every element.
in-turn: X.reshape(*batch, n, n_heads, width)
            → X.reshape(*batch, n, width, n_heads).swapaxes(-1, -2)
    You deal the features out in turn, like cards; the first head should get the first *block* of
    each row, the second the next. {first_rows} Does a slice have n_heads as its step, or does
    d/n_heads come before n_heads in a `reshape`?
sizes-exchanged: X.reshape(*batch, n, n_heads, width) → X.reshape(*batch, n, width, n_heads)
    You cut each row into {width} parts of {n_heads}: shape {your.shape}. Asked for are {n_heads}
    parts, one for each head, of {width} features.
parts-overlap: X.reshape(*batch, n, n_heads, width)
            → np.stack([X[..., h : h + width] for h in range(n_heads)], axis=-2)
    The parts of your heads overlap: that of head h (counted from 0) begins at feature h. It should
    begin where the part before it ends: at which multiple of h?
columns-reshaped: X.reshape(*batch, n, n_heads, width)
            → X.swapaxes(-1, -2).reshape(*batch, n_heads, n, width)
        and parts.swapaxes(-2, -3) → parts
    You transpose X and `reshape`: a row then holds several elements. {first_rows} Cut each
    *row* of X in parts, and then swap two axes.
heads-before-the-batch: parts.swapaxes(-2, -3) → np.moveaxis(parts, -2, 0)
    This is right for one sequence. In a batch your heads come first of all, shape {your.shape};
    they belong just before the elements, {right.shape}: axis −3, counted from the end.
positions-cut: return np.stack(np.split(X, n_heads, axis=-2), axis=-3)
    You cut the sequence, not its features: shape {your.shape}. Every head keeps all {X.rows}
    elements and gets some features of each.
error-missing: raise ValueError(f"{n_heads} heads cannot share {d} features equally")
            → X = X[..., : d - d % n_heads]
    {n_heads} heads cannot share {X.last} features equally: you give each {width}, and of every
    element the last {lost} features are silently dropped. What does the task ask for there?
axes-from-the-front: parts.swapaxes(-2, -3) → parts.swapaxes(0, 1)
    You swap the axes 0 and 1, counted from the front. In a batch other axes stand there: count
    from the end, where elements and heads are.
axes-1-and-2: parts.swapaxes(-2, -3) → parts.swapaxes(1, 2)
    You swap the axes 1 and 2, which are elements and heads only with exactly one batch axis. How
    do you count them so that any number of batch axes may come before?
heads-reversed: return → parts = parts[..., ::-1, :] ⏎ return
    Your heads come in reverse: the first one gets the *last* part of each row. {first_rows}
heads-transposed: return → parts = parts.swapaxes(-1, -3) ⏎ return
    Your heads are transposed, with a row for each *feature*: shape {your.shape}. A row of a head
    belongs to an element, {right.shape}.
"""),
    properties=(Property("misplaced", traced),),
    hints=(
        "A row of X is cut into parts: which of n_heads, n and d/n_heads are neighbors in memory?",
        "Cut the last axis in two, which leaves every number where it is; then swap two axes.",
        "After the check `X.reshape(*X.shape[:-1], n_heads, d // n_heads).swapaxes(-2, -3)`.",
    ),
    built_ins=twins("multi_head.split_heads"),
)
