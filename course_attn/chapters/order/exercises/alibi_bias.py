"""Exercise `alibi_bias`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import listed, number

__all__ = ["exercise"]


def alibi_bias(n_heads, n_q):
    """Lower each score in proportion to the distance of its key, in every head by its own slope."""
    heads = np.arange(1, n_heads + 1)
    slopes = 2.0 ** -(8 * heads / n_heads)
    i = np.arange(n_q)
    distances = i[:, None] - i
    bias = -slopes[:, None, None] * distances
    return bias


def _cases() -> tuple[Case, ...]:
    sizes = {
        "example": [(2, 3)],
        "plain": [(4, 7), (16, 7)],
        "eight": [(8, 5), (8, 29)],
        "one-head": [(1, 5)],
        "single": [(4, 1)],
    }
    return tuple(
        Case(args, kind) for kind, given in sizes.items() for args in given
    )


def _past_only(answer: Callable[..., Any], n_heads: int, n_q: int) -> Any:
    """Look at the keys up to the query's own position only; a causal mask hides the others."""
    bias = answer(n_heads, n_q)
    seen = np.tri(n_q, dtype=bool)
    heads_last = (n_q, n_q, n_heads)
    if (
        isinstance(bias, np.ndarray)
        and bias.shape == heads_last != heads_last[::-1]
    ):
        seen = seen[:, :, None]
    elif not isinstance(bias, np.ndarray) or bias.shape[-2:] != (n_q, n_q):
        return bias
    zeros = np.zeros_like(bias)
    return np.where(seen, bias, zeros) + zeros  # no −0


def _slopes(c: Context) -> str:
    """Quote the slopes that the result shows: the step to the left of the last entry."""
    shown = [
        listed(np.abs(bias[:, -1, -1] - bias[:, -1, -2]))
        for bias in (c.got, c.expected)
        if bias.shape == c.expected.shape and bias.shape[-1] > 1
    ]
    if len(shown) < 2:
        return ""
    return f"For {len(c.expected)} heads your slopes are {shown[0]}; they should be {shown[1]}."


def _not_all_axes(c: Context) -> str | None:
    n_heads, n_q = c.given["n_heads"], c.given["n_q"]
    if c.got.shape == (n_q, n_q):
        return (
            f"You return shape {c.got.shape}, one table for all heads. Each head has a slope "
            f"and so a table of its own: shape {(n_heads, n_q, n_q)}."
        )
    if c.got.size == n_heads and n_q > 1:
        return (
            f"You return shape {c.got.shape}, one number per head: the slopes. Each is still to be "
            f"multiplied by the table of distances i − j, shape {(n_q, n_q)}."
        )
    return None


def _diagonal(c: Context) -> str | None:
    off = np.argwhere(np.abs(np.einsum("hii->hi", c.got)) > 1e-4)
    if not len(off):
        return None
    h, i = map(int, off[0])
    return (
        f"A query is at distance 0 from its own key, so the diagonal is 0. Your entry {(h, i, i)} "
        f"is {number(c.got[h, i, i])}."
    )


def _steps(c: Context) -> str | None:
    own, right = (-np.diff(bias[:, -1])[:, ::-1] for bias in (c.got, c.expected))
    if own.shape[1] and np.allclose(own, own[:, :1], rtol=1e-3):
        return f"In each head all steps back cost the same, but not the right amount. {_slopes(c)}"
    if own.shape[1] < 2:
        return None
    return (
        "Each step back should cost the same. In the last row of your first head the steps from "
        f"the query backward cost {listed(-own[0])}; each should cost {number(-right[0, 0])}."
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers((1, 3), (5, 12), size=(4, 2)).tolist()
    return tuple(Case((2**doublings, n)) for doublings, n in sizes)


exercise = Exercise(
    alibi_bias,
    place=60,
    minutes=10,
    level="medium",
    section="Third place: lower the scores by distance",
    task="""
Write `alibi_bias(n_heads, n_q)` for n_q queries and the same n_q keys: an array of shape
(n_heads, n_q, n_q) that holds $-\\lambda_h\\,(i - j)$ for head h, query i and key j ≤ i. The heads,
along axis 0, are numbered h = 1, 2, …, n_heads, and have the slopes
$\\lambda_h = 2^{-8h / n_\\text{heads}}$; `n_heads` is a power of two. A causal mask will hide the
keys j > i, so the check does not look at the entries above the diagonal: put there what you like.
""",
    drawn=_drawn,
    cases=_cases,
    use=_past_only,
    arguments=("n_heads", "n_q"),
    kinds={
        "eight": Kind("for 8 heads"),
        "one-head": Kind("for a single head", "Its slope is 2 to the power −8."),
        "single": Kind("for a single query", "Its only key is at distance 0."),
    },
    terms={"slopes": _slopes},
    faults=fault_list("""
positive: -slopes[ → slopes[
    Your bias *grows* with the distance, and far keys win: the minus before the slope is missing,
    or i and j are exchanged. {worst_row}
from-zero: np.arange(1, n_heads + 1) → np.arange(n_heads)
    You number the heads from 0, so that the first slope is 2⁰ = 1. Here h runs from 1. {slopes}
reversed: np.arange(1, n_heads + 1) → np.arange(n_heads, 0, -1)
    Your slopes stand in the opposite order: is the first head the steepest, or the last? {slopes}
over-h: 8 * heads / n_heads → 8 / heads
    Your exponent is −8/h, with the number of the head *below* the line, so that the slopes grow
    from head to head. It is −8h/n_heads. {slopes}
for-eight-heads: 2.0 ** -(8 * heads / n_heads) → 2.0**-heads
    Your slopes are 1/2, 1/4, 1/8, … whatever the number of heads, which is right for 8 heads
    only. The exponent is −8h/n_heads. {slopes}
precedence: 2.0 ** -(8 * heads / n_heads) → 2.0**-8 * heads / n_heads
    `2 ** -8 * h / n_heads` is read as (2 to the power −8) · h / n_heads: `**` binds first. Put
    the exponent in parentheses. {slopes}
base-e: 2.0 ** -(8 * heads / n_heads) → np.exp(-(8 * heads / n_heads))
    You raise e to the power −8h/n_heads; it is 2 that is raised. {slopes}
no-slopes: 2.0 ** -(8 * heads / n_heads) → np.ones(n_heads)
    All your heads have the slope 1, so that all look equally near. {slopes}
squared: 8 * heads / → 8 * 2.0 ** (heads - 1) /
    From head to head your slopes are squared, so that the exponent *doubles*. It should grow by
    the same amount each time: by what is a slope multiplied to give the next? {slopes}
one-slope: 2.0 ** -(8 * heads / n_heads) → np.full(n_heads, 2.0 ** (-8 / n_heads))
    All your heads have the slope of the first, 2 to the power −8/n_heads: the number h of the
    head is missing in the exponent. {slopes}
exchanged: 8 * heads / n_heads → n_heads * heads / 8
    Your exponent is −n_heads·h/8, right for 8 heads only. Which of the two stands below the line?
squared-distances: * distances → * distances**2
    You square the distances: how much more should each step back cost than the one before?
from-the-end: i[:, None] - i → np.full((n_q, 1), n_q - 1) - i
    You count the distance from the end of the sequence, whatever the query. It is that from the
    query's own place, i − j, and 0 on the diagonal. {worst_row}
by-key: i[:, None] - i → 0 * i[:, None] + i
    You count by the number of the key alone, whatever the query. How far is key j from query i?
    {worst_row}
from-1: i[:, None] - i → i[:, None] - i + 1
    Your distances begin at 1. How far is a query from its own key? {worst_row}
heads-last: return bias → return np.moveaxis(bias, 0, -1)
    You return shape {your.shape}, the heads last. Scores of many heads have the axes (head,
    query, key): {right.shape}.
exponent-positive: 2.0 ** -(8 → 2.0 ** (8
    The minus in the exponent is missing: your slopes are 1 or more, and grow from head to head.
    {slopes}
without-8: 8 * heads / n_heads → heads / n_heads
    The factor 8 is missing in the exponent: what is the slope of the last head? {slopes}
from-two: np.arange(1, n_heads + 1) → np.arange(2, n_heads + 2)
    Your slopes begin one step too late: the exponent of the first head belongs to h = 1. Is 1
    added to h twice? {slopes}
"""),
    properties=(
        Property("axes", _not_all_axes, any_shape=True),
        Property("diagonal", _diagonal),
        Property("slopes", _steps),
    ),
    hints=(
        "Two things are multiplied: a slope for each head, and a table of distances. Make each by "
        "itself first.",
        "`np.arange(n_q)[:, None] - np.arange(n_q)` is the table i − j, shape (n_q, n_q). The "
        "slopes have shape (n_heads,), and need two more axes to be multiplied with it.",
        "`slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)`, and "
        "`slopes[:, None, None]` has shape (n_heads, 1, 1). Mind the sign.",
    ),
    built_ins=twins("order.alibi_bias"),
)
