"""Exercise `moving_average_weights`."""

from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def moving_average_weights(n, window):
    """Give the weights of a centered moving average; at the edges, of what is there."""
    i = np.arange(n)[:, None]
    j = np.arange(n)
    half = window // 2
    marks = np.abs(i - j) <= half
    count = marks.sum(axis=1, keepdims=True)
    return marks / count


def _cases() -> tuple[Case, ...]:
    # A window of 1 cut short by one is empty, which gives zeros, NaN or an exception: as with a
    # vector, the other cases are to tell the mistake.
    others = Case((11, 1), "vector"), Case((1, 1), "vector")
    plain = (Case(size) for size in [(11, 5), (13, 3), (7, 7), (23, 11)])
    return Case((5, 3), "example"), *plain, *others


def _reach(c: Context) -> str | None:
    weights, more = c.got[c.got != 0], ""
    if len(weights) and np.ptp(weights) < 1e-6 < np.ptp(c.got.sum(-1)):
        more = f" And all your weights are {weights[0]:g}, however few values a row has."
    # A row in the middle shows the window as it is.
    for i in sorted(range(len(c.got)), key=lambda i: abs(i - len(c.got) // 2)):
        have, want = c.got[i], c.expected[i]
        if ((have != 0) != (want != 0)).any():
            return (
                f"For {c.given['n']} values and a window of {c.given['window']}, your row {i} "
                f"gives weight to the values {np.flatnonzero(have).tolist()}; it should be "
                f"{np.flatnonzero(want).tolist()}.{more}"
            )
    return (
        f"The right values have weights, but not the right weights. {c.worst_row}"
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers((9, 1), (30, 5), size=(4, 2)).tolist()
    return tuple(Case((n, 2 * reach + 1)) for n, reach in sizes)


exercise = Exercise(
    moving_average_weights,
    place=30,
    minutes=12,
    level="medium",
    prepares=("causal_mask", "sliding_window_mask"),
    section="On real data: smoothing a photograph",
    task="""
A moving average is a weighted sum too. Write `moving_average_weights(n, window)`: the (n, n) matrix
whose row i averages the `window` values centered on i (`window` is odd and at most n), all with
equal weights. Near the edges, average over those values that exist, so that every row still sums to
1: `moving_average_weights(5, 3)` starts with `[1/2, 1/2, 0, 0, 0]`, `[1/3, 1/3, 1/3, 0, 0]`.
""",
    drawn=_drawn,
    cases=_cases,
    kinds={
        "vector": Kind(
            "for a window of 1", "It holds i alone: copy each value.", apart=True
        )
    },
    terms={"half": lambda c: c.given["window"] // 2},
    faults=fault_list("""
edges: marks.sum(axis=1, keepdims=True) → window
    The middle is right, but at the edges you still divide by {window}, although fewer values
    are there: your rows sum to {your.sums}.
not-divided: marks.sum(axis=1, keepdims=True) → 1
    Every value in your window has the weight 1: that is a moving *sum*. Your rows sum to
    {your.sums}; an average's sum to 1.
marks-only: marks / count → marks
    You return the marks `True` and `False`. Divide each row by the number of its marks, and
    they become weights that sum to 1.
too-wide: window // 2 → window
    Your window reaches {window} to each side. A window of {window} reaches {half} to each side.
right-end-missing: np.abs(i - j) → np.maximum(i - j, j - i + 1)
    Your window misses its last value: `range(a, b)` and `[a:b]` stop before b, so the right end
    has to be `i + window // 2 + 1`.
begins-too-early: np.abs(i - j) → np.maximum(i - j - 1, j - i)
    Your window begins one value too early: its left end is `i - window // 2`, here {half} before i.
negative-start: <= half → <= np.where(i < half, -1, half)
        and marks / count → marks / np.maximum(count, 1)
    Near the beginning `i - window // 2` is negative, and a slice that starts at −1 starts at
    the *last* entry, so it is empty and the row stays zero. Use `max(0, …)`.
negative-start-nan: <= half → <= np.where(i < half, -1, half)
    Near the beginning `i - window // 2` is negative, and a slice that starts at −1 starts at the
    *last* entry: it is empty, and 0/0 is NaN ({your.nan_rows} of your rows). Use `max(0, …)`.
one-too-wide: window // 2 → window // 2 + 1
    Your window reaches one value too far to each side. A window of {window} holds i itself and
    {half} to each side.
window-of-3: window // 2 → 1
    Your window always holds 3 values, one to each side; here it should hold {window}.
not-centered: j = np.arange(n) → j = np.arange(n) + (window - 1) // 2
    Your window ends at i: it looks only backward. Centered means as many values after i as
    before it, here {half}.
looks-ahead: j = np.arange(n) → j = np.arange(n) - (window - 1) // 2
    Your window begins at i: it looks only ahead. Centered means as many values before i as after
    it, here {half}.
wraps-around: np.abs(i - j) <= half → (j - i + half) % n <= 2 * half
    At the edges your window wraps around, so that row 0 gives weight to the last value: it is
    {your.row}. A negative index means the other
    end in Python; `np.roll` wraps too.
negative-column: np.abs(i - j) <= half → (np.abs(i - j) <= half) | (j - n >= i - half)
    In the first rows the columns left of the edge are negative, and a negative index counts from
    the right end: row 0 is {your.row}. What does not exist is left out: {right.row}.
edges-empty: <= half → <= np.where((i < half) | (i >= n - half), -1, half)
        and marks / count → marks / np.maximum(count, 1)
    The first and the last rows are all zero: where the window sticks out, average over the
    values that exist.
edges-repeated: j = np.arange(n) → j = np.arange(-n, 2 * n)
        and marks / count → 1 * marks @ (np.clip(j, 0, n - 1)[:, None] == np.arange(n)) / count
    Where your window sticks out, the value at the edge is counted once more for each missing
    one: row 0 is {your.row}. Average over the values that exist: {right.row}.
edges-shifted: np.abs(i - j) <= half → (np.abs(np.clip(i, half, n - 1 - half) - j) <= half)
    At the edges you move the window inward, so that it still holds {window} values: row 0 is
    {your.row}. It stays centered on i, and what does not exist is left out: {right.row}.
columns: marks.sum(axis=1, keepdims=True) → marks.sum(axis=0, keepdims=True)
    Entry (i, j) is divided by the count of j (a sum over axis 0, or one without `keepdims=True`?),
    and your rows sum to {your.sums}. Each *row* has to be divided by its own sum.
left-end-missing: np.abs(i - j) → np.maximum(i - j + 1, j - i)
    Your window misses its first value: it begins right after i − {half}. Is the comparison at its
    left end `<` or `<=`?
ends-too-late: np.abs(i - j) → np.maximum(i - j, j - i - 1)
    Your window ends one value too late: the last one should lie {half} after i. Is 1 added, and
    then `<=` used as well?
over-everything: marks.sum(axis=1, keepdims=True) → marks.sum()
    You divide by the number of marks in the whole matrix, and your rows sum to {your.sums}. Each
    row is to sum to 1: along which axis do you add up?
"""),
    properties=(Property("reach", _reach),),
    hints=(
        "Write down row 0, row 1 and row 2 for n = 5 and window = 3. Which entries are not zero, "
        "and what do they have in common?",
        "Entry (i, j) belongs to the window when j is at most `window // 2` away from i. First "
        "mark those entries, then make every row sum to 1, as in the exercise before.",
        "With `i` as a column and `j` as a row, `abs(i - j) <= window // 2` is the whole matrix of "
        "marks. Divide it by its own row sums, kept as a column.",
    ),
)
