"""Exercise `causal_attention` of chapter 6."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
)
from course_attn.exercises.masks._steps import (
    drawn,
    minus_infinity,
    nan_rows,
    softmax,
    softmax_or_zero,
    uniform_where_empty,
)
from course_attn.exercises.masks.causal_mask import causal_mask

__all__ = ["exercise"]


def causal_attention(Q, K, V):
    """Give every query the mixture of the values up to its own position."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q
    hidden = np.where(mask, scores, -np.inf)
    largest = np.where(mask.any(axis=-1), hidden.max(axis=-1), 0.0)[..., None]
    powers = np.exp(hidden - largest)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total) @ V


# Every query has an allowed score above 709, whose power is infinite; in three of five rows one of
# the future lies so far above the allowed ones that their powers, shifted by it, are rounded to 0.
_LARGE_SEED = 20260926


def _causal_attention_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260602)

    def triple(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int, seed: int | None = None
    ) -> tuple[Any, ...]:
        draw = (np.random.default_rng(seed) if seed else rng).standard_normal
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(1.5 * draw((*batch, *size)) for size in sizes)

    wide = tuple(array.astype("f4") for array in triple(11, 13, 5, 3))
    Q, K, V = triple(5, 7, 3, 2, seed=_LARGE_SEED)
    return (
        Case(triple(3, 3, 5, 2), "example"),
        Case(triple(7, 7, 11, 3), "square"),
        Case(triple(5, 7, 3, 2)),
        Case(triple(5, 7, 11, 13, 2, 3), "batch"),
        Case(triple(1, 7, 5, 3), "one-query"),
        Case((30 * Q, 30 * K, V), "large"),
        Case(triple(7, 3, 5, 2), "more-queries"),
        Case(wide, "float32"),
    )


def _attended(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    *,
    scale: Callable[..., Any] = lambda scores, Q, V: scores / np.sqrt(Q.shape[-1]),
    allow: Callable[..., Any] = causal_mask,
    hide: Callable[..., Any] = minus_infinity,
    weigh: Callable[..., Any] = softmax_or_zero,
) -> np.ndarray:
    scores = scale(Q @ np.swapaxes(K, -1, -2), Q, V)
    mask = allow(Q.shape[-2], K.shape[-2])
    return weigh(hide(scores.astype(Q.dtype), mask)) @ V


def _late_weights(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return softmax(scores) * causal_mask(Q.shape[-2], K.shape[-2])


def _renormalized(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    weights = _late_weights(Q, K)
    return weights / weights.sum(axis=-1, keepdims=True) @ V


def _unshifted(hidden: np.ndarray) -> np.ndarray:
    powers = np.exp(hidden)
    return powers / powers.sum(axis=-1, keepdims=True)


def _unshifted_or_zero(hidden: np.ndarray) -> np.ndarray:
    powers = np.exp(hidden)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _towering(c: Context) -> str:
    """Say how far above the allowed scores of a row one of the future lies, at most."""
    Q, K = c.given["Q"], c.given["K"]
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = causal_mask(*scores.shape[-2:])
    allowed = np.where(mask, scores, -np.inf).max(axis=-1)
    gap = np.where(mask, -np.inf, scores).max(axis=-1) - allowed
    return number(gap[np.isfinite(allowed)].max())


def _moved_by_future(c: Context) -> str:
    """Say how far the first output moves when only the last key's value changes."""
    Q, K, V = (c.given[name].copy() for name in "QKV")
    if Q.shape[-2] < 2 or K.shape[-2] != Q.shape[-2]:
        return ""
    V[..., -1, :] += 10.0
    moved = c.call(Q, K, V)
    if moved is None or moved.shape != c.got.shape:
        return ""
    by = np.abs(moved - c.got)[..., 0, :].max()
    if not by > 1e-6:
        return ""
    return (
        f" Adding 10 to the last value moves your *first* output by {number(by)}."
    )


exercise = Exercise(
    solution=causal_attention,
    place=40,
    section="New queries, old keys: the rectangular mask",
    task="""
Write `causal_attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^T / \\sqrt{d_k})\\, V$ in which query
i sees only the keys $j \\le i + n_k - n_q$ (the last query stands at the last key). Q is (…, n_q,
d_k), K (…, n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). A query that sees no key, as
the first ones do where n_q > n_k, gets zeros. Scores may be in the thousands, those of the future
far larger than the allowed ones. You may use your own functions from before.
""",
    cases=_causal_attention_cases,
    variant=_attended,
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees them all: shift the mask by n_k − n_q.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing: their outputs are zeros.",
        ),
        "plain": Kind(
            "where n_q and n_k differ", "The queries are the *last* n_q positions."
        ),
        "square": Kind("where n_q = n_k"),
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: hide the future first, then subtract each row's "
            "largest *allowed* score before `exp`.",
        ),
    },
    faults=(
        Fault(
            "no-mask",
            {"allow": lambda n_q, n_k: np.ones((n_q, n_k), dtype=bool)},
            lambda c: (
                "Nothing is masked: every query sees the whole future."
                f"{_moved_by_future(c)} Good attention, but a model trained with it cheats."
            ),
        ),
        Fault(
            "future-only",
            {"allow": lambda n_q, n_k: ~causal_mask(n_q, n_k)},
            lambda c: (
                "The polarity is flipped somewhere: your queries see *only* the future."
                f"{_moved_by_future(c)} `np.where(mask, scores, -np.inf)` keeps where True."
            ),
        ),
        Fault(
            "not-itself",
            {"allow": lambda n_q, n_k: drawn(n_q, n_k, compare=np.less)},
            "Off by one: no query sees its own position. The first of n queries sees nothing at "
            "all then, though it may see key 0.",
        ),
        Fault(
            "one-ahead",
            {
                "allow": lambda n_q, n_k: drawn(
                    n_q, n_k, compare=lambda j, i: j <= i + 1
                )
            },
            lambda c: (
                "Off by one: every query sees one key of the future, the very one that it has to "
                f"guess. The first output should be the first value, {c.row(of='V')}, and is "
                f"{c.row()}."
                if c.given["Q"].shape[-2] == c.given["K"].shape[-2]
                else "Off by one: every query sees one key of the future."
            ),
        ),
        Fault(
            "upside-down",
            {"allow": lambda n_q, n_k: drawn(n_q, n_k, compare=np.greater_equal)},
            lambda c: (
                "The mask is upside down: each query sees itself and what comes *after* it."
                f"{_moved_by_future(c)} (`tril`, not `triu`.)"
            ),
        ),
        Fault(
            "top-left",
            {"allow": lambda n_q, n_k: drawn(n_q, n_k, shift=lambda n_q, n_k: 0)},
            lambda c: (
                "Right for n_q = n_k, but your mask is aligned to the top left: with "
                f"n_q = {c.given['Q'].shape[-2]} and n_k = {c.given['K'].shape[-2]} your last "
                f"query sees {c.given['Q'].shape[-2]} keys at most, where it should see all "
                f"{c.given['K'].shape[-2]}. Shift by n_k − n_q."
            ),
        ),
        Fault(
            "shift-cut-at-0",
            {
                "allow": lambda n_q, n_k: drawn(
                    n_q, n_k, shift=lambda n_q, n_k: max(0, n_k - n_q)
                )
            },
            lambda c: (
                "With more queries than keys the shift of the mask, n_k − n_q, is negative and "
                "should stay so; you cut it at 0. The first queries stand before the first key and "
                "get zeros, but yours see keys."
            ),
        ),
        Fault(
            "unscaled",
            {"scale": lambda scores, Q, V: scores},
            lambda c: (
                "The mask is right, and the scores are not divided by √d_k = "
                f"√{c.given['Q'].shape[-1]}."
            ),
        ),
        Fault(
            "root-of-d-v",
            {"scale": lambda scores, Q, V: scores / np.sqrt(V.shape[-1])},
            lambda c: (
                f"You divide by √d_v = √{c.given['V'].shape[-1]}, the width of the values. The "
                f"scores are sums over the d_k = {c.given['Q'].shape[-1]} components of a query."
            ),
        ),
        Fault(
            "divided-by-d",
            {"scale": lambda scores, Q, V: scores / Q.shape[-1]},
            lambda c: (
                f"You divide by d_k = {c.given['Q'].shape[-1]}; divide by its root, "
                f"{number(np.sqrt(c.given['Q'].shape[-1]))}."
            ),
        ),
        Fault(
            "after-softmax",
            lambda Q, K, V: _late_weights(Q, K) @ V,
            "You mask *after* the softmax: the future no longer enters the mixture, but it has "
            "taken its share of the weight, so that the rest sums to less than 1, and your outputs "
            "are too small. Hide the scores before the softmax.",
        ),
        Fault(
            "renormalized-late",
            _renormalized,
            lambda c: (
                "Masking after the softmax and dividing again is right on paper. But here a score "
                f"of the future lies {_towering(c)} above the allowed ones, whose weights are then "
                "rounded to 0, and 0/0 is NaN; so it is for queries that see no key. Hide the "
                "future *before* the softmax, so that the shift is the largest allowed score."
            ),
        ),
        Fault(
            "renormalized-late-guarded",
            lambda Q, K, V: np.nan_to_num(_renormalized(Q, K, V)),
            lambda c: (
                "You let the future take part in the softmax, or in its shift, and remove it "
                "afterward. On paper that is right, but here a score of the future lies "
                f"{_towering(c)} above the allowed ones: shifted by it, all allowed powers are "
                "rounded to 0, and the output becomes "
                f"{c.row()} instead of {c.row(of='expected')}. Hide the future first, then shift "
                "by the largest *allowed* score."
            ),
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted_or_zero},
            lambda c: (
                "Right for small scores. Here exp of some is infinite: "
                f"{nan_rows(c)}. Subtract each row's largest allowed score before `exp`."
            ),
        ),
        Fault(
            "no-shift-empty-nan",
            {"weigh": _unshifted},
            lambda c: (
                f"{nan_rows(c)}, for one of two reasons. Where scores are in the "
                "hundreds or thousands, their powers are infinite: subtract each row's largest "
                "allowed score before `exp`. And a query that sees no key has only powers of 0: "
                "0/0 is NaN, and its output should be zeros."
            ),
        ),
        Fault(
            "fill-zero",
            {"hide": lambda scores, mask: np.where(mask, scores, 0)},
            lambda c: (
                "You set the future's scores to 0, but exp(0) is 1: the future keeps weight."
                f"{_moved_by_future(c)} Use −∞."
            ),
        ),
        Fault(
            "added-mask",
            {"hide": lambda scores, mask: scores + mask},
            lambda c: (
                "You add the mask to the scores, where True counts as 1: allowed keys get a small "
                f"bonus, and nothing is hidden.{_moved_by_future(c)}"
            ),
        ),
        Fault(
            "empty-nan",
            {"weigh": softmax},
            lambda c: (
                "Nearly. Queries that see no key become NaN (−∞ − (−∞)): "
                f"{nan_rows(c)}. They should get zeros."
            ),
        ),
        Fault(
            "empty-uniform",
            {"weigh": uniform_where_empty},
            lambda c: (
                "Nearly. A query that sees no key gets the mean of all values, "
                f"{c.row()}: with the same fill everywhere the softmax is uniform. It should get "
                "zeros."
            ),
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda hidden: softmax_or_zero(hidden, -2)},
            "The softmax runs down the columns. Each *query* (row) shares out one unit of weight "
            "among the keys: use the last axis.",
        ),
    ),
    properties=(Property("sees-the-future", lambda c: _sees_later(c)),),
    hints=(
        "You have every part: scores with their scale, a mask, a softmax that respects it, a "
        "mixture. In which order do they come?",
        "The mask needs n_q and n_k, which are `Q.shape[-2]` and `K.shape[-2]`. It acts on the "
        "scores, before the softmax.",
        "`scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5`, then "
        "`masked_softmax(scores, causal_mask(n_q, n_k)) @ V`.",
    ),
    built_ins=(
        "course_attn.in_numpy.masks.causal_attention",
        BuiltIn(
            "course_attn.in_numpy.qkv.attention", when=lambda given: given["causal"]
        ),
    ),
)


def _sees_later(c: Context) -> str | None:
    moved = _moved_by_future(c)
    return f"Your outputs depend on the future.{moved}" if moved else None
