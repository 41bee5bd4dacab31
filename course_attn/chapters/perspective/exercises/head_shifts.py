"""Exercise `head_shifts`."""

from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault,
    fault_list,
)

__all__ = ["exercise"]


def head_shifts(k_height, k_width):
    """Say for every head of a convolution how far down and how far to the right it looks."""
    heads = np.arange(k_height * k_width)
    a = heads // k_width
    b = heads % k_width
    row_shift = a - k_height // 2
    column_shift = b - k_width // 2
    return np.stack([row_shift, column_shift], axis=1)


def _cases() -> tuple[Case, ...]:
    return (
        Case((3, 3), "example"),
        Case((3, 5)),
        Case((7, 3)),
        Case((5, 9)),
        Case((5, 5), "square"),
        Case((1, 5), "flat"),
        Case((7, 1), "flat"),
        Case((1, 1), "one"),
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    return tuple(
        Case(tuple(half)) for half in (2 * rng.integers(0, 6, (4, 2)) + 1).tolist()
    )


def _head(c: Context) -> str:
    """Quote the first wrong head, its entry of the kernel, and its shift."""
    if c.got.shape != c.expected.shape:
        return f"Asked for is shape {c.expected.shape}, a row for each head, not {c.got.shape}."
    h = int((c.got != c.expected).any(axis=1).argmax())
    k_height, k_width = c.given["k_height"], c.given["k_width"]
    a, b = divmod(h, k_width)
    return (
        f"In a kernel of {k_height} × {k_width}, head {h} belongs to entry ({a}, {b}). Its shift "
        f"is {c.row(h, 'expected')}; you have {c.row(h)}."
    )


exercise = Exercise(
    head_shifts,
    place=20,
    minutes=7,
    level="easy",
    prepares=("shift_weights", "W_O_from_conv"),
    section="Nine heads, each with one shift",
    task="""
A kernel need not be square. Write `head_shifts(k_height, k_width)`, both odd: return an array of
integers of shape (k_height·k_width, 2), whose row h is the shift (down, right) of head h, that is,
how far below and how far to the right of a pixel the head looks; up and left are negative. Head h
belongs to entry (a, b) of the kernel, which is read row by row, as a text is, all counted from 0.
The entry in the middle looks at the pixel itself, and the kernel is not flipped: its upper left
entry looks up and to the left.
""",
    drawn=_drawn,
    cases=_cases,
    terms={"head": _head},
    kinds={
        "plain": Kind("for kernels of other sizes"),
        "square": Kind("for a square kernel"),
        "flat": Kind("for a kernel with a single row or column", apart=True),
        "one": Kind(
            "for a kernel with a single entry",
            "Its only head looks at the pixel itself.",
            apart=True,
        ),
    },
    faults=(
        *fault_list("""
not-centered: a - k_height // 2 → a
        and b - k_width // 2 → b
    Your shifts begin with (0, 0): the head of the upper left entry would look at the pixel itself.
    The *middle* entry does; subtract half of the kernel's size. {head}
rounded-up: a - k_height // 2 → a - (k_height + 1) // 2
        and b - k_width // 2 → b - (k_width + 1) // 2
    You subtract half the size rounded *up*: the middle of 3 is 1, counted from 0, and
    you subtract 2. {head}
flipped: return np.stack([row_shift, column_shift], axis=1)
            → return -np.stack([row_shift, column_shift], axis=1)
    Your kernel is flipped: its upper left entry looks down and to the right. Networks do not flip
    it. {head}
columns-first: a = heads // k_width → a = heads % k_height
        and b = heads % k_width → b = heads // k_height
    You number the entries column by column. The kernel is read row by row: after (0, 0) comes
    (0, 1). {head}
swapped: np.stack([row_shift, column_shift], axis=1) → np.stack([column_shift, row_shift], axis=1)
    Your two columns are swapped, as in (x, y). A shift is (down, right), row first, as an index of
    the image is. {head}
rows-by-height: heads // k_width → heads // k_height
    You find the row by dividing by the *height* of the kernel. A row has k_width = {k_width}
    entries; then the next row begins. {head}
by-height: a = heads // k_width → a = heads // k_height
        and b = heads % k_width → b = heads % k_height
    You divide by the *height* of the kernel to find row and column. A row has k_width = {k_width}
    entries; then the next row begins. {head}
columns-not-centered: b - k_width // 2 → b
    You center the rows, and not the columns: your heads look to the right only. {head}
centered-by-height: b - k_width // 2 → b - k_height // 2
    You center the columns by half the *height* of the kernel. Along which side of it are they
    counted? {head}
centers-exchanged: a - k_height // 2 → a - k_width // 2
        and b - k_width // 2 → b - k_height // 2
    Half the height and half the width are interchanged: along which side of the kernel are rows
    counted, and along which columns? {head}
up-positive: np.stack([row_shift, → np.stack([-row_shift,
    Your first column counts *up*. Down is positive here, as in an index of the image. {head}
open-range: np.arange(k_height * k_width)
            → np.arange(k_height * k_width).reshape(k_height, k_width)[:-1, :-1].ravel()
    Your shifts end too early: a `range` leaves out its end, and the last row and column of the
    kernel have heads as well. {head}
one-number: return np.arange(k_height * k_width) - k_height * k_width // 2
    You give each head a single number, its place in a line of neighbors. (This is the common wrong
    formula: an image is not a line.) A shift has two, rows and columns. {head}
as-a-grid: np.stack([row_shift, column_shift], axis=1)
            → np.stack([row_shift, column_shift], axis=1).reshape(k_height, k_width, 2)
    You return a grid of shifts, shape {your.shape}. The heads stand in one line: {right.shape}.
rows-not-centered: a - k_height // 2 → a
    You center the columns, and not the rows: your heads never look up. {head}
columns-by-height: heads % k_width → heads % k_height
    You find the column by the *height* of the kernel. How many entries does a row have? {head}
two-rows: , axis=1) → , axis=0)
    You return shape {your.shape}, a row for each direction. It should have a row for each *head*.
"""),
        fault(
            "one-too-many",
            "down = range(-k_height // 2, k_height // 2 + 1)\n"
            "right = range(-k_width // 2, k_width // 2 + 1)\n"
            "return np.array([(a, b) for a in down for b in right])",
            says="Your shifts begin one too early, above and to the left: `//` rounds down, so "
            "that `-3 // 2` is −2. How far above the middle of 3 rows is the first? {head}",
        ),
    ),
    properties=(Property("head", _head, any_shape=True),),
    wrong_lines=("rows-by-height", "columns-not-centered", "swapped"),
    hints=(
        "Write the nine shifts of a 3 × 3 kernel into its nine places. Which is that of head 4, "
        "and which of head 5?",
        "First the row a and the column b of entry h, counted from 0; then subtract those of the "
        "middle entry.",
        "`h // k_width` and `h % k_width` are row and column; the middle is in row k_height // 2 "
        "and column k_width // 2. `np.stack([…, …], axis=1)`.",
    ),
)
