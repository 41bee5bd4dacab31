"""Exercise `merge_heads`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from course_attn.chapters.multi_head.exercises.split_heads import traced
from whywrong import Case, Exercise, Kind, Property, fault_list

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
        Case((draw((3, 1, 5)),), "one-element"),
        Case((draw((2, 3, 5, 7, 11)),), "batch"),
        Case((draw((1, 4, 2, 6)),), "batch"),
        Case((draw((13, 11, 2)).astype("f4"),), "float32"),
    )


exercise = Exercise(
    merge_heads,
    place=20,
    minutes=5,
    level="easy",
    prepares=("multi_head_attention", "MultiHeadAttention"),
    section="With the heads as a batch axis",
    task="""
Write `merge_heads(X)`: X has shape (…, n_heads, n, d_k), for every head one row for each
element; return an array of shape (…, n, n_heads·d_k). The row of element i holds the i-th
rows of all heads side by side: first that of the first head, then that of the second, and
so on. It undoes `split_heads`. In the first test $X_{hic} = 100\\,h + 10\\,i + c$, counted from 0.
""",
    cases=_cases,
    kinds={
        "one-head": Kind("for a single head", "Its axis, of length 1, disappears."),
        "narrow": Kind("where every head has a single feature"),
        "one-element": Kind(
            "for a sequence of one element", "Its axis, of length 1, stays."
        ),
    },
    terms={
        "element": lambda c: c.filled(
            "Your row for element 0 is {your.row}; it should be {right.row}."
        ),
    },
    faults=fault_list("""
reshape-only: X.swapaxes(-2, -3) → X
    You `reshape` at once, and the numbers stay in the order in which they are stored, one head
    after the other. {element} Yours holds what *one* head found for several
    elements. Swap heads and elements first.
in-turn: X.swapaxes(-2, -3) → X.swapaxes(-2, -3).swapaxes(-1, -2)
    You take the heads in turn: feature 0 of every head, then feature 1 of every head. {element}
    A head's vector stays in one piece.
heads-with-features: X.swapaxes(-2, -3) → X.swapaxes(-1, -3)
    You swap heads with *features* (axes −3 and −1) before you join. {element} Swap heads with
    elements, axes −3 and −2.
elements-below-each-other: rows.reshape(*batch, n, n_heads * d_k)
            → rows.reshape(*batch, n * n_heads, d_k)
    You swap the right axes and then join the wrong two, elements with heads: shape
    {your.shape}. The *last* two axes, heads and features, become one: {right.shape}.
heads-below-each-other: X.swapaxes(-2, -3) → X
        and rows.reshape(*batch, n, n_heads * d_k) → rows.reshape(*batch, n_heads * n, d_k)
    The heads stand *below* one another in yours: shape {your.shape}, all rows of the first head,
    then those of the second. They belong side by side, {right.shape}: which axis grows?
added: return X.sum(axis=-3)
    You *add* the heads: shape {your.shape}. Write them side by side: {right.row} for element 0.
averaged: return X.mean(axis=-3)
    You average the heads: shape {your.shape}. Write them side by side: {right.row} for element 0.
last-head-missing: rows = → X = X * (np.arange(n_heads) < n_heads - 1)[:, None, None] ⏎ rows =
    Your last head is missing: zeros stand in its place. {element} Heads are counted from 0: does a
    loop of yours end one too early?
first-head-missing: rows = → X = X * (np.arange(n_heads) > 0)[:, None, None] ⏎ rows =
    Your first head is missing: zeros stand in its place. {element} Heads are counted from 0: does a
    loop of yours begin at 1?
last-head-left-out: = X.shape → = (X := X[..., :-1, :, :]).shape
    Your last head is left out: shape {your.shape}, where {right.shape} is asked for. Does a loop or
    a slice of yours end one too early?
reversed: X.swapaxes → X[..., ::-1, :, :].swapaxes
    Your heads stand in reverse order, the last one first. {element} On which side of what you
    have already do you put the next head?
first-axis: = X.shape → = (X := np.moveaxis(X, 0, -3)).shape
    This is right for one sequence. In a batch the first axis is not that of the heads: you
    write sequences side by side, and return shape {your.shape}. The heads are axis −3.
not-joined: rows.reshape(*batch, n, n_heads * d_k) → rows
    Your heads still have an axis of their own: shape {your.shape}. Which two axes become one, so
    that it is {right.shape}?
one-long-row: rows.reshape(*batch, n, n_heads * d_k) → rows.reshape(*batch, n * n_heads * d_k)
    You join the elements, too: shape {your.shape}. How many axes have to be joined for
    {right.shape}?
"""),
    properties=(Property("misplaced", traced),),
    hints=(
        "What should the row of element 0 look like? In which order are those numbers stored in X?",
        "The two steps of `split_heads`, backward: swap two axes, then join the last two.",
        "`X.swapaxes(-2, -3)` is (…, n, n_heads, d_k); `reshape` it to (…, n, n_heads * d_k).",
    ),
    built_ins=twins("multi_head.merge_heads"),
)
