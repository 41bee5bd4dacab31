"""Exercise `MultiHeadAttention` of chapter 7: the PyTorch module."""

from collections.abc import Callable
from typing import Any

import torch

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    WrongForm,
    number,
)
from course_attn.exercises.multi_head._attention import cases
from course_attn.exercises.multi_head._steps import worst_row

__all__ = ["exercise"]

_MATRICES = ("W_Q", "W_K", "W_V", "W_O")


class MultiHeadAttention(torch.nn.Module):
    """Let several heads attend side by side, and mix what they found."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        """Return one output for each element."""
        parts = (*X.shape[:-1], self.n_heads, X.shape[-1] // self.n_heads)
        Q = self.W_Q(X).reshape(parts).transpose(-2, -3)
        K = self.W_K(X).reshape(parts).transpose(-2, -3)
        V = self.W_V(X).reshape(parts).transpose(-2, -3)
        scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        return self.W_O((weights @ V).transpose(-2, -3).reshape(X.shape))


def _cases() -> tuple[Case, ...]:
    """Take inputs of the NumPy exercise, in float32 but for one of them."""
    made, unused = [], ("float32", "one-head", "square")
    for case in cases(20260707):
        if case.kind in unused:
            continue
        kind = "float64" if case.kind == "equal-heads" else case.kind
        dtype = "f8" if kind == "float64" else "f4"
        arrays = [a.astype(dtype) for a in case.args[:5]]
        made.append(Case((*arrays, *case.args[5:]), kind))
    return tuple(made)


def _with_weights(
    make: Callable[..., Any],
    X: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    n_heads: int,
    mask: Any,
) -> Any:
    """Make the module, put these matrices in the place of its own and let it run."""
    layer = make(X.shape[-1], n_heads)
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`MultiHeadAttention(d_model, n_heads)` gives a `{type(layer).__name__}`. Write a "
            "class: `class MultiHeadAttention(torch.nn.Module)`.",
            "no-module",
        )
    weights = {}
    for name, W in zip(_MATRICES, (W_Q, W_K, W_V, W_O), strict=True):
        weights.update(_renamed(layer, name, W))
    own = {**dict(layer.named_parameters()), **dict(layer.named_buffers())}
    rest = {
        name: value.to(X.dtype) if value.is_floating_point() else value
        for name, value in own.items()
        if name not in weights
    }
    return torch.func.functional_call(layer, rest | weights, (X, mask))


def _renamed(layer: torch.nn.Module, name: str, W: Any) -> dict[str, Any]:
    """Say under which name, and which way round, a matrix belongs into the module."""
    own = getattr(layer, name, None)
    if isinstance(own, torch.nn.Linear):
        if own.bias is not None:
            raise WrongForm(
                f"`{name}` has a bias. Here all four maps are products with a matrix, nothing "
                "added: `torch.nn.Linear(…, …, bias=False)`.",
                "bias",
            )
        found, key, wanted = own.weight, f"{name}.weight", W.T
    elif isinstance(own, torch.nn.Parameter):
        found, key, wanted = own, name, W
    else:
        what = "is missing" if own is None else f"is a `{type(own).__name__}`"
        raise WrongForm(
            f"The attribute `{name}` {what}. Keep `self.{name} = torch.nn.Linear(d_model, d_model, "
            "bias=False)` in `__init__`, one for all heads: the check puts matrices of its own "
            "there.",
            "attribute",
        )
    if found.shape != wanted.shape:
        raise WrongForm(
            f"With d_model = {W.shape[0]}, `{key}` should have shape {tuple(wanted.shape)}, and "
            f"has {tuple(found.shape)}. One matrix holds the columns of all heads side by side.",
            "weight-shape",
        )
    return {key: wanted}


class _Variant(torch.nn.Module):
    """The module with its steps to be replaced."""

    def __init__(
        self, d_model: int, n_heads: int, **steps: Callable[..., Any]
    ) -> None:
        super().__init__()
        for name in _MATRICES:
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))
        self.n_heads, self.steps = n_heads, steps

    def forward(self, X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Take the steps."""
        steps = self.steps
        Q, K, V = (steps["cut"](A, self.n_heads) for A in steps["project"](self, X))
        scores = steps["score"](Q, K) / steps["root"](X.shape[-1], self.n_heads)
        weights = steps["weigh"](steps["hide"](scores, mask))
        return steps["finish"](self, steps["join"](weights @ V))


def _cut(A: torch.Tensor, n_heads: int) -> torch.Tensor:
    return A.unflatten(-1, (n_heads, A.shape[-1] // n_heads)).transpose(-2, -3)


def _cut_straight(A: torch.Tensor, n_heads: int) -> torch.Tensor:
    *batch, n, d = A.shape
    return A.reshape(*batch, n_heads, n, d // n_heads)


def _joined_straight(heads: torch.Tensor) -> torch.Tensor:
    *batch, n_heads, n, d_k = heads.shape
    return heads.reshape(*batch, n, n_heads * d_k)


def _projected(layer: Any, X: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return layer.W_Q(X), layer.W_K(X), layer.W_V(X)


def _minus_infinity(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def _made(
    d_model: int,
    n_heads: int,
    *,
    project: Callable[..., Any] = _projected,
    cut: Callable[..., Any] = _cut,
    score: Callable[..., Any] = lambda Q, K: Q @ K.mT,
    root: Callable[..., Any] = lambda d_model, n_heads: (d_model / n_heads) ** 0.5,
    hide: Callable[..., Any] = _minus_infinity,
    weigh: Callable[..., Any] = lambda scores: scores.softmax(dim=-1),
    join: Callable[..., Any] = lambda heads: heads.transpose(-2, -3).flatten(-2),
    finish: Callable[..., Any] = lambda layer, out: layer.W_O(out),
) -> torch.nn.Module:
    steps = {"project": project, "cut": cut, "score": score, "root": root}
    steps |= {"hide": hide, "weigh": weigh, "join": join, "finish": finish}
    return _Variant(d_model, n_heads, **steps)


def _d_k(c: Context) -> int:
    return c.given["X"].shape[-1] // c.given["n_heads"]


exercise = Exercise(
    solution=MultiHeadAttention,
    place=80,
    section="In PyTorch",
    library="torch",
    task="""
Write the PyTorch module `MultiHeadAttention(d_model, n_heads)`, self-attention with several heads.
Its `__init__` keeps `n_heads`, which divides d_model, and makes `self.W_Q`, `self.W_K`, `self.W_V`
and `self.W_O`, each a `torch.nn.Linear(d_model, d_model, bias=False)` (keep these names: the check
puts matrices of its own into them). `forward(X, mask)` takes X of shape (…, n, d_model) and a mask
of bool of shape (n, n), True where the row's element may attend to the column's (every row has a
True), to the outputs of shape (…, n, d_model). PyTorch's `scaled_dot_product_attention` may do the
attention within the heads, if you like. Call it as `check(MultiHeadAttention)`.
""",
    cases=_cases,
    variant=_made,
    use=_with_weights,
    arguments=("X", *_MATRICES, "n_heads", "mask"),
    kinds={
        "float64": Kind(
            "for float64 tensors", "A new tensor made without `dtype=`?"
        ),
    },
    faults=(
        Fault(
            "scores-added",
            {"score": lambda Q, K: (Q @ K.mT).sum(dim=-3, keepdim=True)},
            lambda c: (
                "All your heads share one set of scores, the sum of theirs: that is what Q Kᵀ over "
                f"all {c.given['X'].shape[-1]} features is. Make the heads a batch dimension "
                f"before `Q @ K.transpose(-1, -2)`. {worst_row(c)}"
            ),
        ),
        Fault(
            "cut-by-reshape",
            {"cut": _cut_straight},
            lambda c: (
                "You cut into heads by `view` or `reshape` alone, which mixes up the elements: "
                "first to (…, n, n_heads, d_k), then `.transpose(-2, -3)`. Nothing complains, and "
                f"training only works less well. {worst_row(c)}"
            ),
        ),
        Fault(
            "joined-by-reshape",
            {"join": _joined_straight},
            lambda c: (
                "You bring the heads together by `reshape` alone: row 0 then holds several "
                "elements of one head. `.transpose(-2, -3)` first (and since the result is not "
                f"contiguous, `reshape`, not `view`). {worst_row(c)}"
            ),
        ),
        Fault(
            "keys-by-queries-matrix",
            {"project": lambda m, X: (m.W_Q(X), m.W_Q(X), m.W_V(X))},
            lambda c: (
                f"Your keys are made by `W_Q`; W_K learns nothing. {worst_row(c)}"
            ),
        ),
        Fault(
            "values-by-keys-matrix",
            {"project": lambda m, X: (m.W_Q(X), m.W_K(X), m.W_K(X))},
            lambda c: (
                f"Your values are made by `W_K`; W_V learns nothing. {worst_row(c)}"
            ),
        ),
        Fault(
            "queries-and-keys-swapped",
            {"score": lambda Q, K: K @ Q.mT},
            lambda c: (
                f"Queries and keys are swapped: rows ask, `Q @ K.mT`. {worst_row(c)}"
            ),
        ),
        Fault(
            "not-projected",
            {"project": lambda m, X: (X, X, X)},
            lambda c: (
                "You cut X itself into heads: W_Q, W_K and W_V play no part, and learn nothing. "
                f"{worst_row(c)}"
            ),
        ),
        Fault(
            "no-scale",
            {"root": lambda d_model, n_heads: 1.0},
            lambda c: (
                f"The scale is missing: divide the scores by √d_k = √{_d_k(c)} ≈ "
                f"{number(_d_k(c) ** 0.5)}. {worst_row(c)}"
            ),
        ),
        Fault(
            "root-of-d-model",
            {"root": lambda d_model, n_heads: d_model**0.5},
            lambda c: (
                f"You divide by √d_model = √{c.given['X'].shape[-1]}; a head's scores are sums of "
                f"d_k = {_d_k(c)} products, so √{_d_k(c)} is right. {worst_row(c)}"
            ),
        ),
        Fault(
            "no-mask",
            {"hide": lambda scores, mask: scores},
            lambda c: f"The mask plays no part. {worst_row(c)}",
        ),
        Fault(
            "mask-inverted",
            {"hide": lambda scores, mask: scores.masked_fill(mask, float("-inf"))},
            lambda c: (
                "You hide what the mask *allows*: `masked_fill` fills where its argument is True, "
                f"so it needs `~mask`. {worst_row(c)}"
            ),
        ),
        Fault(
            "filled-with-zero",
            {"hide": lambda scores, mask: scores * mask},
            lambda c: (
                "You set the hidden scores to 0, an ordinary score whose power is 1: those keys "
                f"still get weight. −∞ gives none. {worst_row(c)}"
            ),
        ),
        Fault(
            "down-the-columns",
            {"weigh": lambda scores: scores.softmax(dim=-2)},
            lambda c: (
                "Your softmax runs down the columns. Each query shares out one unit of weight: "
                f"`dim=-1`. {worst_row(c)}"
            ),
        ),
        Fault(
            "across-the-heads",
            {"weigh": lambda scores: scores.clamp(min=-1e9).softmax(dim=-3)},
            lambda c: (
                f"Your softmax runs across the {c.given['n_heads']} heads; `dim=-1` are the keys. "
                f"{worst_row(c)}"
            ),
        ),
        Fault(
            "no-output-matrix",
            {"finish": lambda m, out: out},
            lambda c: (
                "The last map, `self.W_O(…)`, is missing: the heads are never mixed, and W_O "
                f"learns nothing. {worst_row(c)}"
            ),
        ),
    ),
    hints=(
        "The steps are those of `multi_head_attention`; `self.W_Q(X)` is X W_Q, its transpose "
        "included.",
        "`.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)` splits, `.transpose(-2, -3)"
        ".flatten(-2)` merges.",
        "`scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)`, mixed with V, merged, and "
        "`self.W_O` of it.",
    ),
    points=2,
    built_ins=(
        "course_attn.in_torch.multi_head_layers.MultiHeadAttention",
        "course_attn.in_torch.multi_head.multi_head_attention",
        "course_attn.in_torch.multi_head.multi_head_attention_loop",
        "torch.nn.MultiheadAttention",
        "torch.nn.functional.multi_head_attention_forward",
    ),
)
