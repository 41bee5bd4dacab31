"""Exercise `shift_weights`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def shift_weights(height, width, shift):
    """Let every pixel attend to the one that lies `shift` away, or to nothing beyond the border."""
    places = np.arange(height * width)
    rows = places // width + shift[0]
    columns = places % width + shift[1]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    asking = places[inside]
    seen = (rows * width + columns)[inside]
    weights = np.zeros((places.size, places.size))
    weights[asking, seen] = 1
    return weights


def _cases() -> tuple[Case, ...]:
    return (
        Case((2, 3, (0, 1)), "example"),
        Case((4, 6, (1, -1))),
        Case((5, 3, (-1, 1))),
        Case((3, 5, (2, 1))),
        Case((4, 7, (-1, -2))),
        Case((5, 4, (0, -1))),
        Case((6, 4, (1, 0))),
        Case((4, 4, (1, 1)), "square"),
        Case((3, 4, (0, 0)), "itself"),
        Case((1, 6, (0, 2)), "line"),
        Case((6, 1, (-1, 0)), "line"),
        Case((2, 5, (3, -1)), "far"),
        Case((3, 2, (0, 4)), "far"),
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes, shifts = (
        rng.integers(3, 9, (4, 2)).tolist(),
        rng.integers(-2, 3, (4, 2)).tolist(),
    )
    return tuple(
        Case((*size, tuple(shift)))
        for size, shift in zip(sizes, shifts, strict=True)
    )


def _pixel(c: Context) -> str:
    """Say where the first wrong pixel looks, and where it should."""
    if c.got.shape != c.expected.shape:
        return f"Shape {c.expected.shape} is asked for; yours is {c.got.shape}."
    i = int((c.got != c.expected).any(axis=1).argmax())
    width, (down, right) = c.given["width"], c.given["shift"]
    r, column = divmod(i, width)
    there = np.flatnonzero(c.expected[i])
    goal = (
        f"pixel {there[0]}"
        if there.size
        else f"no pixel, so that row {i} of the weights should be all zeros"
    )
    got = np.flatnonzero(c.got[i])
    if not got.size:
        yours = f"your row {i} is all zeros"
    elif got.size > 1:
        yours = f"your row has {got.size} entries that are not 0"
    else:
        size = c.got[i, got[0]]
        yours = f"you have a {size:.3g} at pixel {got[0]}"
    return (
        f"In an image of {c.given['height']} × {width}, pixel {i} is in row {r}, column {column}. "
        f"({down}, {right}) away from it lies {goal}; {yours}."
    )


exercise = Exercise(
    shift_weights,
    place=30,
    minutes=12,
    level="medium",
    prepares=("W_O_from_conv",),
    section="Nine heads, each with one shift",
    task="""
Write `shift_weights(height, width, shift)`, the weights of a head that looks at one neighbor. The
pixels of an image are numbered row by row, all counted from 0. Return an array of floating-point
numbers of shape (n, n), n = height·width: row i has a 1 where pixel j lies `shift` = (down, right)
away from pixel i, and zeros elsewhere. Where that place is outside the image, the whole row is 0. A
shift may be negative, 0, or larger than the image.
""",
    drawn=_drawn,
    cases=_cases,
    terms={"pixel": _pixel},
    kinds={
        "square": Kind("for a square image"),
        "itself": Kind(
            "for the shift (0, 0)", "Every pixel sees itself: the identity."
        ),
        "line": Kind("for an image with a single row or column"),
        "far": Kind(
            "for a shift that leads out of the image everywhere",
            "Nobody sees anything: all weights are 0.",
        ),
    },
    faults=fault_list("""
wrapped-line: (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
            → (rows * width + columns >= 0) & (rows * width + columns < places.size)
    You only ask whether the *number* of the pixel exists. A row's last pixel is followed by
    the first pixel of the next row, which does not lie to its right. Row and column are to be
    inside, each by itself. {pixel}
torus: rows = places // width + shift[0] → rows = (places // width + shift[0]) % height
        and columns = places % width + shift[1] → columns = (places % width + shift[1]) % width
    Your image wraps around: what leaves it on one side comes in on the other (`np.roll`, `%`).
    Beyond the border is nothing. {pixel}
clamped: rows = places // width + shift[0]
            → rows = np.clip(places // width + shift[0], 0, height - 1)
        and columns = places % width + shift[1]
            → columns = np.clip(places % width + shift[1], 0, width - 1)
    Where the shift leads out of the image, you take the nearest pixel at its border (`clip`?).
    There, this head has nothing to look at. {pixel}
width-forgotten: rows * width + columns → rows + columns
    You add row and column. Pixels are numbered row by row, and each row has {width}: pixel j is in
    place `row * width + column`. {pixel}
times-height: places[inside] → (places // width * height + places % width)[inside]
        and rows * width + columns → rows * height + columns
    You number the pixels `row * height + column`, which is right for square images only. Row by
    row, how many pixels come before row 1? {pixel}
by-height: places // width + shift[0] → places // height + shift[0]
        and places % width + shift[1] → places % height + shift[1]
    You divide the number of a pixel by the height, here {height}, to get its row and column. Of 2
    rows with 6 pixels each, in which is pixel 5? {pixel}
columns-first: places // width + shift[0] → places % height + shift[0]
        and places % width + shift[1] → places // height + shift[1]
        and rows * width + columns → columns * height + rows
    You number the pixels column by column. Here they are numbered row by row, as a text is read.
    {pixel}
transposed: weights[asking, seen] → weights[seen, asking]
    Your heads look to the opposite side. Do you write `A[j, i]`? Row i belongs to the pixel that
    looks. (Or do you subtract the shift?) {pixel}
right-first: places // width + shift[0] → places // width + shift[1]
        and places % width + shift[1] → places % width + shift[0]
    You take the shift for (right, down), as in (x, y). It is (down, right), row first. {pixel}
left-unchecked: (columns >= 0) & → (nothing)
    You do not check the left border: a column of −1 is the last pixel of the row above. {pixel}
top-unchecked: (rows >= 0) & → (nothing)
    You do not check the upper border. In Python a negative index counts from the end, so that heads
    look at the bottom of the image. {pixel}
negative-index: (rows >= 0) & (rows < height) & (columns >= 0)
            → (rows >= -height) & (rows < height) & (columns >= -width)
        and (rows * width + columns)[ → (rows % height * width + columns % width)[
    Up and left, what leaves your image comes in on the other side: a negative row or column counts
    from the end in Python, and raises no `IndexError`. {pixel}
never-0: rows >= 0 → rows > 0
        and columns >= 0 → columns > 0
    Nobody sees row 0 or column 0 of your image. From which number are they counted? {pixel}
index-returned: return weights → return np.where(inside, rows * width + columns, -1)
    You return *which* pixel each one sees. Asked for are the weights of such a head, a table with a
    1 at that place. {pixel}
truth-values: return weights → return weights > 0
    You return truth values. Asked for are floating-point numbers: the values of pixels are
    multiplied by them.
right-unchecked: & (columns < width) → (nothing)
    You do not check the right border: in a row of {width}, which pixel has the number of column
    {width}? {pixel}
down-subtracted: places // width + shift[0] → places // width - shift[0]
    You subtract the first number of the shift. It counts *down*: which way do the numbers of the
    rows grow? {pixel}
itself-beyond: = 1 → = 1 ⏎ weights[places[~inside], places[~inside]] = 1
    Where the shift leads out of the image, your pixels look at themselves. What should such a row
    of the weights be? {pixel}
"""),
    properties=(Property("pixel", _pixel, any_shape=True),),
    wrong_lines=("wrapped-line", "transposed", "width-forgotten"),
    hints=(
        "In an image of 2 × 3, which pixel lies to the right of pixel 0, and which to the right of "
        "pixel 2?",
        "Row and column of every pixel, plus the shift, give row and column of what it sees. Look "
        "whether both are inside, and only then make one number of them.",
        "`places // width + shift[0]` and `places % width + shift[1]`; the number of the pixel "
        "seen is `rows * width + columns`, for those that are inside.",
    ),
    built_ins=twins("perspective.shift_weights"),
)
