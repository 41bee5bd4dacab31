"""Exercise `moving_average_weights` of chapter 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault, Kind, number

__all__ = ["exercise"]


def moving_average_weights(n, window):
    """Give the weights of a centered moving average; at the edges, of what is there."""
    i, j = np.arange(n)[:, None], np.arange(n)
    inside = np.abs(i - j) <= window // 2
    return inside / inside.sum(axis=1, keepdims=True)


def _average_cases() -> tuple[Case, ...]:
    sizes = [(5, 3), (11, 5), (13, 3), (7, 7), (23, 11)]
    cases = [
        Case(size, "plain" if i else "example") for i, size in enumerate(sizes)
    ]
    return (*cases, Case((11, 1), "window-1"))


def _averaging(
    n: int,
    window: int,
    *,
    near: Callable[..., Any] = lambda i, j, n, window: np.abs(i - j) <= window // 2,
    total: Callable[..., Any] = lambda inside, window: inside.sum(
        axis=1, keepdims=True
    ),
) -> np.ndarray:
    i, j = np.arange(n)[:, None], np.arange(n)
    inside = near(i, j, n, window).astype(float)
    return inside / np.maximum(total(inside, window), 1)


def _end_missing(i: np.ndarray, j: np.ndarray, n: int, window: int) -> np.ndarray:
    half = window // 2
    return (j >= i - half) & (j < np.minimum(n - 1, i + half))


def _negative_start(
    i: np.ndarray, j: np.ndarray, n: int, window: int
) -> np.ndarray:
    half = window // 2
    start = np.where(i < half, n + i - half, i - half)
    return (j >= start) & (j <= i + half)


def _full_windows_only(
    i: np.ndarray, j: np.ndarray, n: int, window: int
) -> np.ndarray:
    half = window // 2
    return (np.abs(i - j) <= half) & (i >= half) & (i < n - half)


exercise = Exercise(
    solution=moving_average_weights,
    place=30,
    section="On real data: smoothing a photograph",
    task="""
A moving average is a weighted sum too. Write `moving_average_weights(n, window)`: the (n, n) matrix
whose row i averages the `window` values centered on i (`window` is odd and at most n), all with
equal weights. Near the edges, average over those values that exist, so that every row still sums to
1: `moving_average_weights(5, 3)` starts with `[1/2, 1/2, 0, 0, 0]`, `[1/3, 1/3, 1/3, 0, 0]`.
""",
    cases=_average_cases,
    variant=_averaging,
    kinds={
        "window-1": Kind(
            "for a window of 1", "That window holds i alone: copy each value."
        )
    },
    faults=(
        Fault(
            "edges",
            {"total": lambda inside, window: window},
            lambda c: (
                f"The middle is right, but at the edges you still divide by {c.given['window']}, "
                f"although fewer values are there: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "not-divided",
            {"total": lambda inside, window: 1.0},
            lambda c: (
                "You mark the right values, but with weight 1 each: that is a moving *sum*. Your "
                f"rows sum to {c.sums()}; an average's sum to 1."
            ),
        ),
        Fault(
            "too-wide",
            {"near": lambda i, j, n, window: np.abs(i - j) <= window},
            lambda c: (
                f"Your window reaches {c.given['window']} to each side, so it holds "
                f"{2 * c.given['window'] + 1} values. A window of {c.given['window']} reaches "
                f"{c.given['window'] // 2} to each side."
            ),
        ),
        Fault(
            "too-narrow",
            {
                "near": lambda i, j, n, window: (
                    np.abs(i - j) < np.maximum(window // 2, 1)
                )
            },
            lambda c: (
                "Your window is one short on each side: the value at distance "
                f"{c.given['window'] // 2} belongs to it (`<=`, not `<`)."
            ),
        ),
        Fault(
            "right-end-missing",
            {
                "near": lambda i, j, n, window: (
                    (j >= i - window // 2) & (j < i + max(window // 2, 1))
                )
            },
            "Your window misses its last value: `range(a, b)` and `[a:b]` stop before b, so the "
            "right end has to be `i + window // 2 + 1`.",
        ),
        Fault(
            "end-missing",
            {"near": _end_missing},
            "The end of your window is cut off: `range(a, b)` and `[a:b]` stop before b. The "
            "largest allowed end is n, not n − 1.",
        ),
        Fault(
            "negative-start",
            {"near": _negative_start},
            "Near the beginning `i - window // 2` is negative, and a slice that starts at −1 "
            "starts at the *last* entry, so it is empty and the row stays zero. Use `max(0, …)`.",
        ),
        Fault(
            "window-of-3",
            lambda n, window: _averaging(n, 3),
            lambda c: (
                "Your window always holds 3 values, one to each side; here it should hold "
                f"{c.given['window']}."
            ),
        ),
        Fault(
            "not-centered",
            {"near": lambda i, j, n, window: (j <= i) & (j > i - window)},
            lambda c: (
                "Your window ends at i: it looks only backwards. Centered means as many values "
                f"after i as before it, here {c.given['window'] // 2}."
            ),
        ),
        Fault(
            "looks-ahead",
            {"near": lambda i, j, n, window: (j >= i) & (j < i + window)},
            lambda c: (
                "Your window starts at i: it looks only forwards. Centered means as many values "
                f"before i as after it, here {c.given['window'] // 2}."
            ),
        ),
        Fault(
            "wraps-around",
            {"near": lambda i, j, n, window: (j - i + window // 2) % n < window},
            lambda c: (
                "At the edges your window wraps around: row 0 gives weight to the last value, "
                f"{number(c.got[0, -1])}. A negative index means the other end in Python; "
                "`np.roll` wraps too."
            ),
        ),
        Fault(
            "edges-empty",
            {"near": _full_windows_only, "total": lambda inside, window: window},
            "The first and the last rows are all zero: where the window sticks out, average over "
            "the values that exist.",
        ),
        Fault(
            "columns",
            {"total": lambda inside, window: inside.sum(axis=0, keepdims=True)},
            lambda c: (
                "You divide by the sums of the columns: they sum to 1, and your rows to "
                f"{c.sums()}. A row holds the weights of one output."
            ),
        ),
    ),
    hints=(
        "Write down row 0, row 1 and row 2 for n = 5 and window = 3. Which entries are not zero, "
        "and what do they have in common?",
        "Entry (i, j) belongs to the window when j is at most `window // 2` away from i. First "
        "mark those entries, then make every row sum to 1, as in the exercise before.",
        "With `i` as a column and `j` as a row, `abs(i - j) <= window // 2` is the whole matrix of "
        "marks. Divide it by its own row sums, kept as a column.",
    ),
)
