"""Exercise `causal_attention_torch` of chapter 6, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import BuiltIn, Case, Exercise, Fault, Kind, number

__all__ = ["exercise"]


def causal_attention_torch(Q, K, V):
    """Give every query the mixture of the values up to its own position."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    position = torch.arange(n_q, device=Q.device)[:, None] + n_k - n_q
    mask = torch.arange(n_k, device=Q.device) <= position
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~mask & ~empty, float("-inf")).softmax(dim=-1)
    return weights.masked_fill(empty, 0.0) @ V


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260611)

    def triple(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int, rng: Any = rng
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        drawn = (1.5 * rng.standard_normal((*batch, *size)) for size in sizes)
        return tuple(array.astype(np.float32) for array in drawn)

    wide = tuple(array.astype(float) for array in triple(11, 13, 5, 3))
    # The same numbers as in the NumPy exercise: see there what is special about them.
    large = triple(5, 7, 3, 2, rng=np.random.default_rng(20260926))
    Q, K, V = (array.astype(float) for array in large)
    return (
        Case(triple(3, 3, 5, 2), "example"),
        Case(triple(7, 7, 11, 3), "square"),
        Case(triple(5, 7, 3, 2)),
        Case(triple(5, 7, 11, 13, 2, 3), "batch"),
        Case(triple(1, 7, 5, 3), "one-query"),
        Case(wide, "float64"),
        Case((30 * Q, 30 * K, V), "large"),
        Case(triple(7, 3, 5, 2), "more-queries"),
    )


def _causal(n_q: int, n_k: int, diagonal: int | None = None) -> torch.Tensor:
    everything = torch.ones(n_q, n_k, dtype=torch.bool)
    return everything.tril(n_k - n_q if diagonal is None else diagonal)


def _hidden(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def _softmax_or_zero(hidden: torch.Tensor, dim: int = -1) -> torch.Tensor:
    empty = torch.isneginf(hidden).all(dim=dim, keepdim=True)
    return hidden.masked_fill(empty, 0.0).softmax(dim=dim).masked_fill(empty, 0.0)


def _uniform_where_empty(hidden: torch.Tensor) -> torch.Tensor:
    empty = torch.isneginf(hidden).all(dim=-1, keepdim=True)
    return hidden.masked_fill(empty, 0.0).softmax(dim=-1)


def _unshifted(hidden: torch.Tensor) -> torch.Tensor:
    powers = hidden.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def _unshifted_or_zero(hidden: torch.Tensor) -> torch.Tensor:
    powers = hidden.exp()
    total = powers.sum(dim=-1, keepdim=True)
    return powers / total.masked_fill(total == 0, 1.0)


def _late_weights(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    weights = (Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5).softmax(dim=-1)
    return weights * _causal(Q.shape[-2], K.shape[-2])


def _renormalized(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor
) -> torch.Tensor:
    weights = _late_weights(Q, K)
    return weights / weights.sum(dim=-1, keepdim=True) @ V


def _attended(
    Q: torch.Tensor,
    K: torch.Tensor,
    V: torch.Tensor,
    *,
    divisor: Callable[..., Any] = lambda d_k: d_k**0.5,
    allow: Callable[..., Any] = _causal,
    hide: Callable[..., Any] = _hidden,
    weigh: Callable[..., Any] = _softmax_or_zero,
) -> torch.Tensor:
    scores = Q @ K.transpose(-1, -2) / divisor(Q.shape[-1])
    return weigh(hide(scores, allow(Q.shape[-2], K.shape[-2]))) @ V


exercise = Exercise(
    solution=causal_attention_torch,
    place=70,
    section="In PyTorch",
    library="torch",
    task="""
The same in PyTorch: `causal_attention_torch(Q, K, V)` takes tensors (…, n_q, d_k), (…, n_k, d_k)
and (…, n_k, d_v) and returns $\\mathrm{softmax}(Q K^T / \\sqrt{d_k})\\, V$ where query i sees the
keys $j \\le i + n_k - n_q$ only. A query that sees no key gets zeros, and its gradients must not be
NaN either. Scores may be in the thousands, those of the future far larger than the allowed ones.
Build it yourself, without `scaled_dot_product_attention`.
""",
    cases=_cases,
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
            "They lie thousands apart here: hide the future *before* the softmax, with −∞.",
        ),
    },
    faults=(
        Fault(
            "no-mask",
            {"allow": lambda n_q, n_k: torch.ones(n_q, n_k, dtype=torch.bool)},
            "Nothing is masked: every query sees the whole future. Trained on all positions at "
            "once, such a model copies the answers.",
        ),
        Fault(
            "future-only",
            {"allow": lambda n_q, n_k: ~_causal(n_q, n_k)},
            "The polarity is flipped somewhere: your queries see *only* the future. "
            "`masked_fill(m, …)` fills where m is *True*, so it takes `~mask`.",
        ),
        Fault(
            "not-itself",
            {"allow": lambda n_q, n_k: _causal(n_q, n_k, n_k - n_q - 1)},
            "Off by one: no query sees its own position.",
        ),
        Fault(
            "one-ahead",
            {"allow": lambda n_q, n_k: _causal(n_q, n_k, n_k - n_q + 1)},
            "Off by one: every query sees one key of the future. (`triu(1)` marks what to hide, "
            "`triu(2)` is one too late.)",
        ),
        Fault(
            "top-left",
            {"allow": lambda n_q, n_k: _causal(n_q, n_k, 0)},
            lambda c: (
                "Right for n_q = n_k, but aligned to the top left (as PyTorch's own `is_causal` "
                f"is): with n_q = {c.given['Q'].shape[-2]} and n_k = {c.given['K'].shape[-2]} the "
                "last query misses the last keys. `tril(diagonal=n_k - n_q)`."
            ),
        ),
        Fault(
            "shift-cut-at-0",
            {"allow": lambda n_q, n_k: _causal(n_q, n_k, max(0, n_k - n_q))},
            "With more queries than keys the shift of the mask, n_k − n_q, is negative and should "
            "stay so; you cut it at 0. The first queries stand before the first key and get zeros, "
            "but yours see keys.",
        ),
        Fault(
            "unscaled",
            {"divisor": lambda d_k: 1.0},
            lambda c: (
                "The scores are not divided by √d_k = "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}."
            ),
        ),
        Fault(
            "divided-by-d",
            {"divisor": lambda d_k: d_k},
            lambda c: (
                f"You divide by d_k = {c.given['Q'].shape[-1]}; divide by its root, "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}."
            ),
        ),
        Fault(
            "fill-zero",
            {"hide": lambda scores, mask: scores.masked_fill(~mask, 0.0)},
            "You fill with 0, but exp(0) is 1: the future keeps weight. Fill with "
            '`float("-inf")`.',
        ),
        Fault(
            "after-softmax",
            lambda Q, K, V: _late_weights(Q, K) @ V,
            "You mask *after* the softmax: the future has already taken its share, and the weights "
            "that are left sum to less than 1.",
        ),
        Fault(
            "renormalized-late",
            _renormalized,
            lambda c: (
                "Masking after the softmax and dividing again is right on paper. But where scores "
                "of the future lie thousands above the allowed ones, these have weights that are "
                "rounded to 0, and 0/0 is NaN; so it is for queries that see no key: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs here. Hide the future "
                "*before* the softmax."
            ),
        ),
        Fault(
            "renormalized-late-guarded",
            lambda Q, K, V: _renormalized(Q, K, V).nan_to_num(0.0),
            lambda c: (
                "You let the future take part in the softmax, or in its shift, and remove it "
                "afterward. On paper that is right, but where its scores lie thousands above the "
                f"allowed ones, all of these get powers of 0: your first output is {c.row()} "
                f"instead of {c.row(of='expected')}. Hide the future first: `masked_fill` with −∞, "
                "then the softmax."
            ),
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted_or_zero},
            lambda c: (
                "Right for small scores. Here exp of some is infinite: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Subtract each "
                "row's largest allowed score before `exp`; `torch.softmax` does it for you."
            ),
        ),
        Fault(
            "no-shift-empty-nan",
            {"weigh": _unshifted},
            lambda c: (
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs here are NaN, and "
                "there are two reasons for that. Where scores are in the hundreds or thousands, "
                "their powers are infinite: subtract each row's largest allowed score before `exp` "
                "(`torch.softmax` does). And a query that sees no key has only powers of 0: 0/0 is "
                "NaN, and its output should be zeros."
            ),
        ),
        Fault(
            "empty-nan",
            {"weigh": lambda hidden: hidden.softmax(dim=-1)},
            lambda c: (
                "Nearly. The softmax of a row of −∞ is NaN: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs here. They should be "
                "zeros."
            ),
        ),
        Fault(
            "empty-uniform",
            {"weigh": _uniform_where_empty},
            "Nearly. A query that sees no key gets the mean of all values: the same fill "
            "everywhere gives equal weights. It should get zeros.",
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda hidden: _softmax_or_zero(hidden, -2)},
            "The softmax runs down the columns: each query shares out its weight along `dim=-1`.",
        ),
    ),
    hints=(
        "What does `masked_fill` fill: where the mask is True, or where it is False?",
        "`torch.ones(n_q, n_k, dtype=torch.bool).tril(diagonal)` is a mask; which diagonal aligns "
        "it to the bottom right?",
        "An adding of −∞ and a `nan_to_num` repair the numbers of an empty row and not its "
        "gradient. Leave such rows unmasked before the softmax, and `masked_fill` their *weights* "
        "with 0.",
    ),
    built_ins=(
        "course_attn.in_torch.masks.causal_attention",
        BuiltIn(
            "course_attn.in_torch.qkv.attention", when=lambda given: given["causal"]
        ),
        BuiltIn("torch.nn.functional.scaled_dot_product_attention"),
        "course_attn.in_torch.qkv.fused_attention",
    ),
)
