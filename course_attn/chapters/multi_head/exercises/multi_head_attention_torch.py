"""Exercise `MultiHeadAttention`, the twin of `multi_head_attention`."""

from typing import Any

import torch

from course_attn.chapters.multi_head.exercises.multi_head_attention import (
    exercise as numpy_exercise,
)
from whywrong import WrongForm, fault_list

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
        *batch, n, d_model = X.shape
        n_heads = self.n_heads
        d_k = d_model // n_heads
        projections = self.W_Q(X), self.W_K(X), self.W_V(X)
        Q, K, V = (
            A.reshape(*batch, n, n_heads, d_k).transpose(-2, -3)
            for A in projections
        )
        scores = Q @ K.transpose(-1, -2)
        scores = scores / d_k**0.5
        scores = torch.where(mask, scores, -torch.inf)
        weights = scores.softmax(dim=-1)
        heads = weights @ V
        joined = heads.transpose(-2, -3).reshape(*batch, n, d_model)
        return self.W_O(joined)


def _with_weights(make: Any, *given: Any) -> Any:
    """Make the module, put these matrices in the place of its own and let it run."""
    X, *matrices, n_heads, mask = given
    layer = make(X.shape[-1], n_heads)
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`MultiHeadAttention(d_model, n_heads)` gives a `{type(layer).__name__}`. Write a "
            "class: `class MultiHeadAttention(torch.nn.Module)`.",
            "no-module",
        )
    weights, maps = {}, dict[int, str]()
    for name, W in zip(_MATRICES, matrices, strict=True):
        own: Any = getattr(layer, name, None)
        found, key, wanted = own, name, W
        if isinstance(own, torch.nn.Linear):
            found, key, wanted = own.weight, f"{name}.weight", W.mT
        _refuse(name, own, found, wanted)
        if (other := maps.setdefault(id(found), name)) != name:
            raise WrongForm(
                f"`{other}` and `{name}` are one and the same map. Make four `torch.nn.Linear`.",
                "shared",
            )
        weights[key] = wanted
    layer = layer.to(X.dtype)
    biased = [
        name
        for name in _MATRICES
        if getattr(getattr(layer, name), "bias", None) is not None
    ]
    if not biased:
        return torch.func.functional_call(layer, weights, (X, mask))
    weights |= {f"{name}.bias": 0 * getattr(layer, name).bias for name in biased}
    raise WrongForm(
        f"There is a bias in `{'`, `'.join(biased)}`. All four maps here are products only: "
        "`bias=False`.",
        "bias",
        torch.func.functional_call(layer, weights, (X, mask)),
    )


def _refuse(name: str, own: Any, found: Any, wanted: Any) -> None:
    """Refuse a map that cannot take the check's matrix, or that cannot learn."""
    if not isinstance(found, torch.nn.Parameter):
        what = "is missing" if own is None else f"is a `{type(own).__name__}`"
        raise WrongForm(
            f"The attribute `{name}` {what}. Keep `self.{name} = torch.nn.Linear(d_model, d_model, "
            "bias=False)` in `__init__`, one for all heads: the check puts its own matrix there.",
            "attribute",
        )
    if found.shape != wanted.shape:
        raise WrongForm(
            f"With d_model = {len(wanted)} the matrix of `{name}` should have shape "
            f"{tuple(wanted.shape)}, for all heads, and has {tuple(found.shape)}.",
            "weight-shape",
        )
    if not found.requires_grad:
        raise WrongForm(
            f"`{name}` cannot learn: its `requires_grad` is False. Leave it True.",
            "frozen",
        )
    # Zeros in W_O can learn, and some models start so.
    if name != "W_O" and found.numel() > 1 and (found == found.flatten()[0]).all():
        raise WrongForm(
            f"All entries of `{name}` start as {found.flatten()[0].item():.4g}, so its features "
            "start alike. Start with random numbers, as `torch.nn.Linear` does.",
            "constant",
        )


exercise = numpy_exercise.twin(
    MultiHeadAttention,
    place=80,
    minutes=20,
    level="hard",
    prepares=("TransformerBlock", "grouped_attention_torch"),
    section="In PyTorch",
    task="""
Write the PyTorch module `MultiHeadAttention(d_model, n_heads)`, self-attention with several heads.
Its `__init__` keeps `n_heads`, which divides d_model, and makes `self.W_Q`, `self.W_K`, `self.W_V`
and `self.W_O`, each a `torch.nn.Linear(d_model, d_model, bias=False)` or a `torch.nn.Parameter` W
for X @ W (keep these names: the check puts matrices of its own into them). `forward(X, mask)` takes
X of shape (…, n, d_model) and a mask of bool of shape (n, n), True where the row's element may
attend to the column's (every row has a True), to the outputs of shape (…, n, d_model), in the dtype
of its arguments. PyTorch's `scaled_dot_product_attention` may do the attention within the heads, if
you like. Call it as `check(MultiHeadAttention)`.
""",
    use=_with_weights,
    arguments=("X", *_MATRICES, "n_heads", "mask"),
    without=("slices-of-x",),
    faults=fault_list("""
transposed-projections: self.W_Q(X), self.W_K(X), self.W_V(X)
            → X @ self.W_Q.weight, X @ self.W_K.weight, X @ self.W_V.weight
    You multiply by `self.W_Q.weight` (and those of W_K and W_V) as they are stored, which is
    *transposed*. `self.W_Q(X)` is `X @ self.W_Q.weight.T`. {worst_row}
keys-from-W_Q: self.W_K(X) → self.W_Q(X)
values-from-W_K: self.W_V(X) → self.W_K(X)
keys-and-values-swapped: self.W_K(X), self.W_V(X) → self.W_V(X), self.W_K(X)
down-the-columns: scores.softmax(dim=-1) → scores.softmax(dim=-2)
over-the-heads: scores.softmax(dim=-1) → scores.softmax(dim=-3)
        and -torch.inf → -1e9
softmax-after-mixing: scores.softmax(dim=-1) → torch.where(mask, scores, 0.0)
        and weights @ V → (weights @ V).softmax(dim=-1)
nothing-but-nan: return self → return torch.nan * self
heads-reversed: heads.transpose(-2, -3) → heads.flip(-3).transpose(-2, -3)
mask-added: torch.where(mask, scores, -torch.inf) → scores + 1.0 * mask
no-output-matrix: self.W_O(joined) → joined
output-matrix-transposed: self.W_O(joined) → joined @ self.W_O.weight
    You multiply by `self.W_O.weight` as it is stored, which is *transposed*: `self.W_O(…)` does
    what you want. It is square, so no error tells you. {worst_row}
heads-averaged: self.W_O(joined) → self.W_O(joined) / n_heads
input-added: self.W_O(joined) → X + self.W_O(joined)
heads-not-joined: self.W_O(joined) → heads
"""),
    hints=(
        "The steps are those of `multi_head_attention`; `self.W_Q(X)` is X W_Q.",
        "`.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)` splits, `.transpose(-2, -3)"
        ".flatten(-2)` merges.",
        "`scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)`; mix, merge, then `self.W_O`.",
    ),
    built_ins=numpy_exercise.built_ins,
)
