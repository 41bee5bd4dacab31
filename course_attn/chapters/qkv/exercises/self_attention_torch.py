"""Exercise `SelfAttention`, the twin of `unscaled_attention`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.chapters.qkv.exercises.unscaled_attention import (
    exercise as numpy_exercise,
)
from whywrong import Case, WrongForm, fault_list

__all__ = ["exercise"]


class SelfAttention(torch.nn.Module):
    """Let the elements of one sequence attend to each other (not scaled)."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        """Return one output for each element."""
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        scores = Q @ K.transpose(-1, -2)
        # From here to the weights: torch.softmax(scores, dim=-1), step by step.
        largest = scores.amax(dim=-1, keepdim=True)
        exps = torch.exp(scores - largest)
        total = exps.sum(dim=-1, keepdim=True)
        weights = exps / total
        return weights @ V


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260411).standard_normal

    def given(n: int, d: int, d_k: int, d_v: int, *batch: int) -> list[Any]:
        matrices = (1.5 * draw((d, e)) / d**0.5 for e in (d_k, d_k, d_v))
        return [draw((*batch, n, d)), *matrices]

    def single(arrays: list[Any]) -> tuple[Any, ...]:
        return tuple(array.astype(np.float32) for array in arrays)

    X, *matrices = given(8, 5, 3, 11)
    shifted = given(7, 5, 3, 2)
    # One constant feature of X makes the first entry of all keys 1 and of all queries about 150.
    shifted[0][:, -1], shifted[2][:, 0] = 1.0, 0.0
    shifted[1][-1], shifted[2][-1, 0] = [150.0, 0.0, 0.0], 1.0
    return (
        Case(single(given(3, 8, 2, 5)), "example"),
        Case(single(given(9, 6, 4, 2))),
        Case(single(given(5, 5, 5, 5)), "square"),
        Case(single(given(5, 7, 13, 11, 2, 3)), "batch"),
        Case(single(given(1, 7, 2, 5)), "one"),
        Case(single(given(5, 4, 1, 7)), "one"),
        Case(single(shifted), "shifted"),
        Case(tuple(given(11, 13, 5, 3)), "float64"),
        Case((40 * X, *matrices), "large"),
    )


def _with_weights(
    make: Callable[..., Any], X: Any, W_Q: Any, W_K: Any, W_V: Any
) -> Any:
    """Make the module, put these matrices in the place of its own and let it run."""
    if isinstance(make, torch.nn.Module):
        raise WrongForm(
            "You passed a module that has already been made. Pass the class itself, "
            "`check(SelfAttention)`: the check makes modules of several sizes.",
            "instance",
        )
    layer = make(W_Q.shape[0], W_Q.shape[1], W_V.shape[1])
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`SelfAttention(d_model, d_k, d_v)` gives a `{type(layer).__name__}`. Write a class: "
            "`class SelfAttention(torch.nn.Module)`.",
            "no-module",
        )
    biased = [
        name
        for name in ("W_Q", "W_K", "W_V")
        if getattr(getattr(layer, name, None), "bias", None) is not None
    ]
    weights: dict[str, Any] = {}
    replaced: dict[int, str] = {}
    for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
        key, own, wanted = _place(layer, name, W)
        if id(own) in replaced:
            raise WrongForm(
                f"`{replaced[id(own)]}` and `{name}` are one and the same matrix in your module: "
                "what an element looks for could not differ from what it offers. Make each with a "
                "`torch.nn.Linear(…)` of its own.",
                "one-matrix",
            )
        if own.shape != wanted.shape:
            raise WrongForm(
                f"With d_model = {W.shape[0]}, d_k = {W_K.shape[1]} and d_v = {W_V.shape[1]}, "
                f"`{key}` should have shape {tuple(wanted.shape)}, and has {tuple(own.shape)}. "
                f"`torch.nn.Linear(in, out)`: `{name}` takes d_model "
                f"numbers to {'d_v' if name == 'W_V' else 'd_k'}.",
                "weight-shape",
            )
        weights[key], replaced[id(own)] = wanted, name
    layer = layer.to(X.dtype)
    if not biased:
        return torch.func.functional_call(layer, weights, (X,))
    weights |= {f"{name}.bias": 0 * getattr(layer, name).bias for name in biased}
    raise WrongForm(
        f"There is a bias in `{'`, `'.join(biased)}`. Q, K and V are products with a matrix, "
        "nothing added: `torch.nn.Linear(…, …, bias=False)`.",
        "bias",
        torch.func.functional_call(layer, weights, (X,)),
    )


def _place(layer: torch.nn.Module, name: str, W: Any) -> tuple[str, Any, Any]:
    """Say where a matrix belongs in the module: the name, what is there, and which way round."""
    own = getattr(layer, name, None)
    if isinstance(own, torch.nn.Linear):
        place = f"{name}.weight", own.weight, W.T
    elif isinstance(own, torch.nn.Parameter):
        place = name, own, W
    else:
        what = "is missing" if own is None else f"is a `{type(own).__name__}`"
        raise WrongForm(
            f"The attribute `{name}` {what}. Keep `self.{name} = torch.nn.Linear(…, bias=False)` "
            "in `__init__`: the check puts matrices of its own there.",
            "attribute",
        )
    if not place[1].requires_grad:
        raise WrongForm(
            f"`{name}` cannot learn: its `requires_grad` is False, so an optimizer leaves it as it "
            "was drawn. Do not freeze it.",
            "frozen",
        )
    return place


exercise = numpy_exercise.twin(
    SelfAttention,
    place=70,
    minutes=15,
    level="medium",
    prepares=("scaled_attention_torch", "MultiHeadAttention"),
    section="In PyTorch",
    task="""
Write the PyTorch module `SelfAttention(d_model, d_k, d_v)`: its `__init__` makes `self.W_Q`,
`self.W_K` and `self.W_V`, each a `torch.nn.Linear(…, bias=False)` or a `torch.nn.Parameter` W for
X @ W (keep these names: the check puts matrices of its own into them), and `forward(X)` takes X of
shape (…, n, d_model) to $\\mathrm{softmax}(Q K^\\top)\\, V$ of shape (…, n, d_v), in the dtype of
X, **without scaling yet**. Scores may be in the thousands. `torch.softmax` is welcome as a step.
Call it as `check(SelfAttention)`.
""",
    cases=_cases,
    use=_with_weights,
    arguments=("X", "W_Q", "W_K", "W_V"),
    terms={
        "Q": lambda c: c.given["X"] @ c.given["W_Q"],
        "V": lambda c: c.given["X"] @ c.given["W_V"],
    },
    faults=fault_list("""
swapped: self.W_Q(X), self.W_K(X) → self.W_K(X), self.W_Q(X)
    Queries and keys are swapped: you score `K @ Qᵀ` (or what you ask with was made by W_K).
queries-from-W_K: self.W_Q(X), self.W_K(X) → self.W_K(X), self.W_K(X)
    What you take for queries is made with W_K: W_Q plays no part and learns nothing.
root-of-d-model: scores = → scores = X.shape[-1] ** -0.5 *
    You divide the scores by √d_model = √{X.last}. Here the formula is softmax(Q Kᵀ) V: nothing is
    divided yet.
divided-by-d-model: scores = → scores = 1 / X.shape[-1] *
    You divide the scores by d_model = {X.last}: nothing is divided in softmax(Q Kᵀ) V.
causal: largest = → scores = scores - 1e9 * torch.ones_like(scores).triu(1) ⏎ largest =
    In yours no element sees a later one: output 0 is the value of element 0 alone. Is there a
    causal mask? Here every element may attend to every other.
one-matrix: self.W_K(X) → self.W_Q(X)
    Your scores are those of queries with queries: they become symmetric, and W_K learns nothing.
    Is W_Q used twice, or K not at all?
weight-not-transposed: Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
            → Q, K, V = (X @ W.weight for W in (self.W_Q, self.W_K, self.W_V))
    You multiply by `.weight` as it is. `nn.Linear` stores its matrix as (out, in), so the product
    is `X @ W.weight.T`, or simply `self.W_Q(X)`. Square matrices hide the mistake.
unprojected-keys-and-queries: self.W_Q(X), self.W_K(X) → X, X
    You score X against X: W_Q and W_K play no part, and the scores are symmetric.
own-value-added: weights @ V → weights @ V + V
    You add each element's own value to what it has gathered. What, besides the mixture, stands in
    the formula softmax(Q Kᵀ) V?
not-mixed: weights @ V → V
    Your output is V itself: nothing is mixed. Does every value meet the sum of a row of weights,
    which is 1, where each weight has a value of its own to meet?
unprojected-values: self.W_V(X) → X
    You mix the elements X themselves: W_V plays no part. Values are V = X W_V, so the output has
    shape {right.shape}; yours has {your.shape}.
"""),
    hints=(
        "`self.W_Q(X)` is X W_Q: calling an `nn.Linear` does the product, its transpose included.",
        "Project three times, score, softmax over the keys, mix.",
        "`Q @ K.transpose(-1, -2)`, `torch.softmax(…, dim=-1)`, and `@ V`.",
    ),
    built_ins=(
        "course_attn.in_torch.qkv_layers.SelfAttention",
        "course_attn.in_torch.qkv_layers.CrossAttention",
    ),
)
