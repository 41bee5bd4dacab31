"""Exercise `alibi_bias` of chapter 8."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
)
from course_attn.exercises.order._steps import unchanged

__all__ = ["exercise"]


def alibi_bias(n_heads, n):
    """Lower each score in proportion to the distance of its key, in every head by its own slope."""
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    distance = np.arange(n)[:, None] - np.arange(n)
    return -slopes[:, None, None] * distance


def _cases() -> tuple[Case, ...]:
    sizes = ((2, 3, "example"), (4, 5, "plain"), (8, 5, "eight"), (16, 7, "plain"))
    more = ((4, 4, "square"), (1, 5, "one-head"), (8, 29, "eight"))
    return tuple(Case((n_heads, n), kind) for n_heads, n, kind in sizes + more)


def _past_only(fill: Callable[..., Any], n_heads: int, n: int) -> Any:
    """Look at the keys up to the query's own position only; a causal mask hides the others."""
    bias = fill(n_heads, n)
    if not isinstance(bias, np.ndarray) or bias.ndim < 2:
        return bias
    if bias.shape[-2:] != (n, n) or bias.dtype.kind != "f":
        return bias
    return np.where(np.tri(n, dtype=bool), bias, bias.dtype.type(0))


def _slopes(n_heads: int) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


def _back(n: int) -> np.ndarray:
    return np.arange(n)[:, None] - np.arange(n)


def _lowered(
    n_heads: int,
    n: int,
    *,
    slopes: Callable[..., Any] = _slopes,
    distance: Callable[..., Any] = _back,
    sign: int = -1,
    finish: Callable[..., Any] = unchanged,
) -> np.ndarray:
    return finish(sign * slopes(n_heads)[:, None, None] * distance(n))


def _seen_slopes(c: Context) -> np.ndarray | None:
    """Return the slopes that the result shows: the step to the left of the last entry."""
    if c.got.shape != c.expected.shape or c.got.shape[-1] < 2:
        return None
    return c.got[:, -1, -1] - c.got[:, -1, -2]


def _listed(values: np.ndarray) -> str:
    shown = ", ".join(number(value) for value in values[:4])
    return f"{shown}, …" if len(values) > 4 else shown


def _compared(c: Context) -> str:
    own, right = _seen_slopes(c), _slopes(c.given["n_heads"])
    if own is None:
        return f"For {len(right)} heads the slopes are {_listed(right)}."
    return f"For {len(right)} heads yours are {_listed(own)}; they should be {_listed(right)}."


def _last_row(c: Context) -> str:
    right = f"The last row of the first head should be {_row(c.expected)}"
    if c.got.shape != c.expected.shape:
        return f"{right}."
    return f"{right}; yours is {_row(c.got)}."


def _row(array: np.ndarray) -> str:
    shown = ", ".join(number(entry) for entry in array[0, -1][-6:] + 0.0)
    return f"[{'…, ' if array.shape[-1] > 6 else ''}{shown}]"


def _diagonal(c: Context) -> str | None:
    if c.got.shape != c.expected.shape:
        return None
    own = np.einsum("hii->hi", c.got)
    if np.allclose(own, 0, atol=1e-4):
        return None
    h, i = map(int, np.argwhere(np.abs(own) > 1e-4)[0])
    return (
        f"A query is at distance 0 from its own key, so the diagonal is 0. Your entry {(h, i, i)} "
        f"is {number(own[h, i])}."
    )


def _wrong_slopes(c: Context) -> str | None:
    own = _seen_slopes(c)
    if own is None or np.allclose(own, _slopes(c.given["n_heads"]), rtol=1e-3):
        return None
    if not np.allclose(
        c.got, np.tril(-own[:, None, None] * _back(c.got.shape[-1])), atol=1e-4
    ):
        return None
    return f"The distances are right, the slopes are not. {_compared(c)}"


exercise = Exercise(
    solution=alibi_bias,
    place=30,
    section="Third place: lower the scores by distance",
    task="""
Write `alibi_bias(n_heads, n)` for n queries and the same n keys: an array of shape (n_heads, n, n)
that holds $-\\mu_h\\,(i - j)$ for head h, query i and key j ≤ i. The heads, along axis 0, are
numbered h = 1, 2, …, n_heads, and have the slopes $\\mu_h = 2^{-8h / n_\\text{heads}}$; `n_heads`
is a power of two. A causal mask will hide the keys j > i, so the check does not look at the
entries above the diagonal: put there what you like.
""",
    cases=_cases,
    variant=_lowered,
    use=_past_only,
    arguments=("n_heads", "n"),
    kinds={
        "eight": Kind("for 8 heads"),
        "one-head": Kind("for a single head", "Its slope is 2 to the power −8."),
        "square": Kind("where n_heads = n"),
    },
    faults=(
        Fault(
            "positive",
            {"sign": 1},
            lambda c: (
                "The sign is missing: your bias *grows* with the distance, and far keys win. It "
                f"has to lower them. {_last_row(c)}"
            ),
        ),
        Fault(
            "from-zero",
            {"slopes": lambda n: 2.0 ** (-8 * np.arange(n) / n)},
            lambda c: (
                "Your slopes begin one step too early, with 2 to the power 0 = 1: the heads are "
                f"numbered h = 1, 2, …, n_heads in the exponent. {_compared(c)}"
            ),
        ),
        Fault(
            "for-eight-heads",
            {"slopes": lambda n: 2.0 ** -np.arange(1, n + 1)},
            lambda c: (
                "Your slopes are 1/2, 1/4, 1/8, … whatever the number of heads, which is right "
                "for 8 heads only. The exponent −8h/n_heads spreads the slopes down to "
                f"1/256 for any number. {_compared(c)}"
            ),
        ),
        Fault(
            "divided-by-eight",
            {"slopes": lambda n: 2.0 ** (-np.arange(1, n + 1) * n / 8)},
            lambda c: (
                "The fraction in your exponent is upside down: 8/n_heads, not n_heads/8. "
                f"{_compared(c)}"
            ),
        ),
        Fault(
            "not-geometric",
            {"slopes": lambda n: 1 / np.arange(1, n + 1)},
            lambda c: (
                "Your slopes are 1, 1/2, 1/3, …; they should shrink by the same *factor* from head "
                f"to head. {_compared(c)}"
            ),
        ),
        Fault(
            "exponent-positive",
            {"slopes": lambda n: 2.0 ** (8 * np.arange(1, n + 1) / n)},
            lambda c: (
                "The minus in the exponent is missing: slopes up to 256 leave nothing but the "
                f"query's own key. {_compared(c)}"
            ),
        ),
        Fault(
            "natural-base",
            {"slopes": lambda n: np.exp(-8 * np.arange(1, n + 1) / n)},
            lambda c: (
                "Your slopes are powers of e; they should be powers of 2 (`2.0 ** …`). "
                f"{_compared(c)}"
            ),
        ),
        Fault(
            "heads-backward",
            {"slopes": lambda n: _slopes(n)[::-1]},
            lambda c: (
                "Your slopes come in the opposite order: the first head is the steepest. "
                f"{_compared(c)}"
            ),
        ),
        Fault(
            "no-slopes",
            {"slopes": np.ones},
            lambda c: (
                "All your heads have the slope 1, so that all look equally near. "
                f"{_compared(c)}"
            ),
        ),
        Fault(
            "by-key-only",
            {"distance": lambda n: -np.arange(n) + np.zeros((n, 1))},
            lambda c: (
                "You add slope · j, whatever the query. Each of your rows is the right one plus a "
                "constant, which softmax ignores, so attention would come out the same; but asked "
                "for is −slope · (i − j), with 0 on the diagonal. "
                f"{_last_row(c)}"
            ),
        ),
        Fault(
            "from-the-end",
            {"distance": lambda n: np.arange(n)[::-1] + np.zeros((n, 1))},
            lambda c: (
                "All your rows are the same: you measure the distance of each key from the *last* "
                "position. It is counted from the query, i − j, and is 0 on the diagonal."
            ),
        ),
        Fault(
            "one-too-many",
            {"distance": lambda n: _back(n) + 1},
            lambda c: (
                "Your distances are one too many: a query's own key is at distance 0. "
                f"{_last_row(c)}"
            ),
        ),
        Fault(
            "squared",
            {"distance": lambda n: _back(n) ** 2},
            lambda c: (
                "You square the distance. ALiBi is *linear*: each step back costs the same. "
                f"{_last_row(c)}"
            ),
        ),
        Fault(
            "relative-distance",
            {"distance": lambda n: _back(n) / n},
            lambda c: (
                "You divide the distance by n: the same neighbor would count less in a longer "
                f"sentence. {_last_row(c)}"
            ),
        ),
        Fault(
            "heads-last",
            {"finish": lambda bias: np.moveaxis(bias, 0, -1)},
            lambda c: (
                f"You return shape {c.got.shape}, the heads last. Scores of many heads have the "
                f"axes (head, query, key): {c.expected.shape}."
            ),
        ),
    ),
    properties=(
        Property("diagonal", _diagonal),
        Property("slopes", _wrong_slopes),
    ),
    hints=(
        "Two things are multiplied: a slope for each head, and a table of distances. Make each by "
        "itself first.",
        "`np.arange(n)[:, None] - np.arange(n)` is the table i − j, shape (n, n). The slopes have "
        "shape (n_heads,), and need two more axes to be multiplied with it.",
        "`slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)`, and "
        "`slopes[:, None, None]` has shape (n_heads, 1, 1). Mind the sign.",
    ),
    built_ins=("course_attn.in_numpy.order.alibi_bias",),
)
