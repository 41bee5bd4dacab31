"""Exercise `transformer_block` of chapter 9."""

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
from course_attn.exercises.block._steps import wrong_row
from course_attn.exercises.block._wiring import wired, wiring_faults

__all__ = ["exercise"]


def transformer_block(X, attend, process, norm_1, norm_2, mask):
    """Add to X what attention finds, then what the feed-forward network makes of it."""
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H))


# --- parts ----------------------------------------------------------------------------------------


def _attention(W_QK: np.ndarray, W_V: np.ndarray) -> Callable[..., np.ndarray]:
    """Return an attention layer with these matrices."""

    def attend(X: np.ndarray, mask: Any = None) -> np.ndarray:
        scores = X @ W_QK @ np.swapaxes(X, -1, -2) / np.sqrt(X.shape[-1])
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True) @ X @ W_V

    return attend


def _network(
    W_1: np.ndarray, b_1: np.ndarray, W_2: np.ndarray
) -> Callable[..., np.ndarray]:
    """Return a feed-forward network with these matrices."""

    def process(X: np.ndarray) -> np.ndarray:
        return np.maximum(X @ W_1 + b_1, 0) @ W_2

    return process


def _norm(gain: np.ndarray, bias: np.ndarray) -> Callable[..., np.ndarray]:
    """Return a layer norm with this gain and bias."""

    def norm(X: np.ndarray) -> np.ndarray:
        centered = X - X.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-5)
        return gain * centered / spread + bias

    return norm


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260903)
    draw = rng.standard_normal

    def parts(d: int) -> tuple[Any, ...]:
        return (
            _attention(2 * draw((d, d)) / d, draw((d, d)) / np.sqrt(d)),
            _network(
                draw((d, 2 * d + 1)), draw(2 * d + 1), draw((2 * d + 1, d)) / d
            ),
            _norm(1 + 0.4 * draw(d), 0.4 * draw(d)),
            _norm(1 + 0.4 * draw(d), 0.4 * draw(d)),
        )

    def given(n: int, d: int, *batch: int, mask: Any = None) -> tuple[Any, ...]:
        mask = np.tri(n, dtype=bool) if mask is None else mask
        return 3 * draw((*batch, n, d)) + 1, *parts(d), mask

    window = np.abs(np.subtract.outer(range(7), range(7))) < 2
    return (
        Case(given(3, 4), "example"),
        Case(given(5, 7)),
        Case(given(7, 3, mask=window), "window"),
        Case(given(5, 7, mask=np.ones((5, 5), dtype=bool)), "open"),
        Case(given(5, 5), "square"),
        Case(given(5, 7, 2, 3), "batch"),
    )


def _sees_the_future(c: Context) -> str | None:
    X, *parts, mask = c.given.values()
    if c.got.shape != X.shape or mask.all() or X.ndim > 2:
        return None
    changed = X.copy()
    changed[-1] += np.arange(1, X.shape[-1] + 1)
    blind = ~mask[:, -1]
    moved = c.call(changed, *parts, mask)
    if moved is None or moved.shape != c.got.shape or c.kind == "window":
        return None
    change = np.abs(moved - c.got)[blind].max()
    if not change > 1e-6:
        return None
    return (
        "The mask forbids all elements but the last to see the last one. When that one changes, "
        f"the others' outputs change by up to {number(change)} in yours: is the mask passed on, "
        "`attend(…, mask)`?"
    )


exercise = Exercise(
    solution=transformer_block,
    place=30,
    section="Two places for the norm",
    task="""
Write `transformer_block(X, attend, process, norm_1, norm_2, mask)`, a **pre-norm** block. Its parts
are given as functions: `attend(X, mask)` is self-attention, `process(X)` the feed-forward network,
`norm_1(X)` and `norm_2(X)` are the layer norms of the first and the second part, each with its own
gain and bias. Each function takes an array of shape (…, n, d_model) and returns one of the same
shape. Your work is the wiring: which part reads what, and what is added to what. Pass `mask`, a
bool array (n, n), on to `attend`; if you leave it out, `attend` lets everything be seen. Do not
change X itself.
""",
    cases=_cases,
    variant=wired,
    kinds={
        "open": Kind("where the mask allows everything"),
        "window": Kind("where the mask is not causal but a window"),
        "square": Kind("where n = d_model"),
    },
    faults=(
        *wiring_faults(),
        Fault(
            "mask-lost",
            {"allow": lambda mask: None},
            lambda c: (
                "The mask is not passed on: without it `attend` lets every element see the whole "
                f"future, and no error tells you. `attend(…, mask)`. {wrong_row(c)}"
            ),
        ),
        Fault(
            "mask-flipped",
            {"allow": np.logical_not},
            lambda c: (
                "You flip the mask. `attend` takes it in the convention of this course, True = "
                f"may attend: pass it on as it is. {wrong_row(c)}"
            ),
        ),
    ),
    properties=(Property("sees-the-future", _sees_the_future),),
    hints=(
        "Follow X through the block: to which two sums is something added, and what goes into each "
        "part?",
        "Keep X as it is, and give a *normed copy* to attention. The sum of both is H; do the same "
        "with H, the second norm and the feed-forward network.",
        "`H = X + attend(norm_1(X), mask)`; the second line looks like it, without a mask.",
    ),
)
