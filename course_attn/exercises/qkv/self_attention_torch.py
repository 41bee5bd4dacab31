"""Exercise `SelfAttention` of chapter 4, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, Kind, WrongForm

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
        return torch.softmax(Q @ K.transpose(-1, -2), dim=-1) @ V


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260411)

    def given(n: int, d: int, d_k: int, d_v: int, *batch: int) -> tuple[Any, ...]:
        sizes = ((*batch, n, d), (d, d_k), (d, d_k), (d, d_v))
        drawn = [rng.standard_normal(size) for size in sizes]
        drawn[1:] = [1.5 * matrix / np.sqrt(d) for matrix in drawn[1:]]
        return tuple(array.astype(np.float32) for array in drawn)

    X, *matrices = (array.astype(float) for array in given(7, 5, 3, 11))
    return (
        Case(given(3, 5, 2, 7), "example"),
        Case(given(7, 5, 3, 2)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(5, 7, 13, 11, 2, 3), "batch"),
        Case(tuple(a.astype(float) for a in given(11, 13, 5, 3)), "float64"),
        Case((40 * X, *matrices), "large"),
    )


def _with_weights(
    make: Callable[..., Any], X: Any, W_Q: Any, W_K: Any, W_V: Any
) -> Any:
    """Make the module, put these matrices in the place of its own and let it run."""
    if isinstance(make, torch.nn.Module):
        raise WrongForm(
            "You passed a module that is made already. Pass the class itself, without arguments: "
            "`check(SelfAttention)`. The check makes modules of several sizes.",
            "instance",
        )
    layer = make(W_Q.shape[0], W_Q.shape[1], W_V.shape[1])
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`SelfAttention(d_model, d_k, d_v)` gives a `{type(layer).__name__}`. Write a class: "
            "`class SelfAttention(torch.nn.Module)`.",
            "no-module",
        )
    weights: dict[str, Any] = {}
    replaced: dict[int, str] = {}
    for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
        key, own, wanted = _place(layer, name, W)
        if id(own) in replaced:
            raise _one_for_two(replaced[id(own)], name)
        if own.shape != wanted.shape:
            raise WrongForm(
                f"With d_model = {W.shape[0]}, `{key}` should have shape {tuple(wanted.shape)}, "
                f"and has {tuple(own.shape)}.",
                "weight-shape",
            )
        weights[key], replaced[id(own)] = wanted, name
    # What has two names in the module is listed once: PyTorch sees to the other name.
    rest = {
        name: value.to(X.dtype) if value.is_floating_point() else value
        for name, value in (*layer.named_parameters(), *layer.named_buffers())
        if id(value) not in replaced
    }
    return torch.func.functional_call(layer, rest | weights, (X,))


def _one_for_two(first: str, second: str) -> WrongForm:
    if (first, second) == ("W_Q", "W_K"):
        return WrongForm(
            "`W_Q` and `W_K` are one and the same matrix in your module. Then every query equals "
            "its own key and the scores are symmetric: what an element looks for could not differ "
            "from what it offers. Make each with a `torch.nn.Linear(…)` of its own.",
            "one-matrix",
        )
    return WrongForm(
        f"`{first}` and `{second}` are one and the same matrix in your module: changing one "
        "changes both. Make each with a `torch.nn.Linear(…)` of its own.",
        "shared-matrix",
    )


def _place(layer: torch.nn.Module, name: str, W: Any) -> tuple[str, Any, Any]:
    """Say where a matrix belongs in the module: the name, what is there, and which way round."""
    own = getattr(layer, name, None)
    if isinstance(own, torch.nn.Linear):
        if own.bias is not None:
            raise WrongForm(
                f"`{name}` has a bias. Q, K and V are products with a matrix, nothing added: "
                "`torch.nn.Linear(…, …, bias=False)`.",
                "bias",
            )
        return f"{name}.weight", own.weight, W.T
    if isinstance(own, torch.nn.Parameter):
        return name, own, W
    what = "is missing" if own is None else f"is a `{type(own).__name__}`"
    raise WrongForm(
        f"The attribute `{name}` {what}. Keep `self.{name} = torch.nn.Linear(…, bias=False)` "
        "in `__init__`: the check puts matrices of its own there.",
        "attribute",
    )


class _Variant(torch.nn.Module):
    """The module with its steps to be replaced."""

    def __init__(
        self, sizes: tuple[int, int, int], **steps: Callable[..., Any]
    ) -> None:
        super().__init__()
        d_model, d_k, d_v = sizes
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)
        self.steps = steps

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Take the steps."""
        steps = self.steps
        Q, K, V = steps["project"](self, X)
        scores = steps["scale"](steps["score"](Q, K), Q)
        return steps["mix"](steps["weigh"](scores), V)


def _made(
    d_model: int,
    d_k: int,
    d_v: int,
    *,
    project: Callable[..., Any] = lambda layer, X: (
        layer.W_Q(X),
        layer.W_K(X),
        layer.W_V(X),
    ),
    score: Callable[..., Any] = lambda Q, K: Q @ K.transpose(-1, -2),
    scale: Callable[..., Any] = lambda scores, Q: scores,
    weigh: Callable[..., Any] = lambda scores: scores.softmax(dim=-1),
    mix: Callable[..., Any] = torch.matmul,
) -> torch.nn.Module:
    steps = {
        "project": project,
        "score": score,
        "scale": scale,
        "weigh": weigh,
        "mix": mix,
    }
    return _Variant((d_model, d_k, d_v), **steps)


exercise = Exercise(
    solution=SelfAttention,
    place=50,
    section="In PyTorch",
    library="torch",
    task="""
Write the PyTorch module `SelfAttention(d_model, d_k, d_v)`: its `__init__` makes `self.W_Q`,
`self.W_K` and `self.W_V`, each a `torch.nn.Linear(…, bias=False)` (keep these names: the check puts
matrices of its own into them), and `forward(X)` takes X of shape (…, n, d_model) to
$\\mathrm{softmax}(Q K^T)\\, V$ of shape (…, n, d_v), **without scaling yet**. Scores may be in the
thousands. Call it as `check(SelfAttention)`.
""",
    cases=_cases,
    variant=_made,
    use=_with_weights,
    arguments=("X", "W_Q", "W_K", "W_V"),
    kinds={
        "float64": Kind(
            "for float64 tensors", "A new tensor made without `dtype=`?"
        ),
        "square": Kind("where all sizes are equal"),
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: `torch.softmax` can do that; by hand, subtract each "
            "row's largest before `exp`.",
        ),
    },
    faults=(
        Fault(
            "scaled",
            {"scale": lambda scores, Q: scores / Q.shape[-1] ** 0.5},
            lambda c: (
                "Right idea, one chapter early: you divide the scores by √d_k = "
                f"√{c.given['W_Q'].shape[-1]}. Here it is softmax(Q Kᵀ) V."
            ),
        ),
        Fault(
            "one-matrix",
            {"project": lambda m, X: (m.W_Q(X), m.W_Q(X), m.W_V(X))},
            "Queries and keys are made by the same W_Q: the scores become symmetric, and W_K "
            "learns nothing.",
        ),
        Fault(
            "weight-not-transposed",
            {
                "project": lambda m, X: tuple(
                    X @ layer.weight for layer in (m.W_Q, m.W_K, m.W_V)
                )
            },
            "You multiply by `.weight` as it is. `nn.Linear` stores its matrix as (out, in), so "
            "that the product is `X @ W.weight.T`, or simply `self.W_Q(X)`, which does it for you. "
            "Square matrices hide the mistake; others do not even fit.",
        ),
        Fault(
            "unprojected-keys-and-queries",
            {"project": lambda m, X: (X, X, m.W_V(X))},
            "You score X against X: W_Q and W_K play no part. Elements attend mostly to themselves "
            "then.",
        ),
        Fault(
            "swapped",
            {"project": lambda m, X: (m.W_K(X), m.W_Q(X), m.W_V(X))},
            "Queries and keys are swapped: what you ask with was made by W_K. Row i of the scores "
            "belongs to query i, made by W_Q.",
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda scores: scores.softmax(dim=-2)},
            "The softmax runs down the columns. Each query shares out one unit of weight: "
            "`dim=-1`.",
        ),
        Fault(
            "no-shift",
            {
                "weigh": lambda scores: (
                    scores.exp() / scores.exp().sum(-1, keepdim=True)
                )
            },
            lambda c: (
                "Right for small scores. Here exp of some is infinite: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Subtract each "
                "row's largest score first; `torch.softmax` does."
            ),
        ),
        Fault(
            "no-softmax",
            {"weigh": lambda scores: scores},
            "The softmax is missing: you mix with the raw scores.",
        ),
        Fault(
            "mixed-down-the-columns",
            {"mix": lambda weights, V: weights.transpose(-1, -2) @ V},
            "The weights are right, but you mix with their columns: `weights @ V`, not "
            "`weights.T @ V`. Since n_q = n_k here, the shapes fit either way.",
        ),
        Fault(
            "returns-weights",
            {"mix": lambda weights, V: weights},
            lambda c: (
                f"You return the weights, shape {c.got.shape}: mix the values with them."
            ),
        ),
    ),
    hints=(
        "`self.W_Q(X)` is X W_Q: calling an `nn.Linear` does the product, its transpose included.",
        "Project three times, score, softmax over the keys, mix.",
        "`Q @ K.transpose(-1, -2)`, `torch.softmax(…, dim=-1)`, and `@ V`.",
    ),
    built_ins=("course_attn.in_torch.qkv_layers.SelfAttention",),
)
