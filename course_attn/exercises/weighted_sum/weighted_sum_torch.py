"""Exercise `weighted_sum_torch` of chapter 1, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, span

__all__ = ["exercise"]


def weighted_sum_torch(weights, values):
    """Mix the values by the weights: output i is the sum over j of weights[i, j] * values[j]."""
    return weights @ values


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260111)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(0.1, 1.0, shape).astype(np.float32)

    return (
        Case((draw(2, 3), draw(3, 5)), "example"),
        Case((draw(5, 7), draw(7, 3))),
        Case((draw(5, 5), draw(5, 5)), "square"),
        Case((draw(2, 3, 5, 7), draw(2, 3, 7, 11)), "batch"),
        Case((draw(11, 13).astype(float), draw(13, 3).astype(float)), "float64"),
    )


def _same(tensor: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return tensor


def _mixed(
    weights: torch.Tensor,
    values: torch.Tensor,
    *,
    weigh: Callable[..., Any] = _same,
    mix: Callable[..., Any] = torch.matmul,
    finish: Callable[..., Any] = _same,
) -> torch.Tensor:
    return finish(mix(weigh(weights), values))


exercise = Exercise(
    solution=weighted_sum_torch,
    place=60,
    section="In PyTorch",
    library="torch",
    task="""
The same in PyTorch: `weighted_sum_torch(weights, values)` takes tensors (…, n_q, n_k) and (…, n_k,
d) and returns a tensor (…, n_q, d), in the dtype of its arguments and differentiable: the check
also sends a gradient back through your function.
""",
    cases=_cases,
    variant=_mixed,
    faults=(
        Fault(
            "transposed-weights",
            {"weigh": lambda weights: weights.transpose(-1, -2)},
            "The weights are transposed: your output i uses column i of `weights`, but row i holds "
            "the weights of output i. Where n_q and n_k differ, the shapes do not even fit.",
        ),
        Fault(
            "softmaxed",
            {"weigh": lambda weights: weights.softmax(dim=-1)},
            "You apply a softmax to the weights. They are weights already, not scores: use them as "
            "they are.",
        ),
        Fault(
            "renormalized",
            {"weigh": lambda weights: weights / weights.sum(dim=-1, keepdim=True)},
            lambda c: (
                "You divide the weights by their row sums first. Take them as they are: here the "
                f"rows sum to {c.sums('weights')}."
            ),
        ),
        Fault(
            "mean",
            {"mix": lambda weights, values: weights @ values / values.shape[-2]},
            lambda c: (
                "You average where you should sum: every number is "
                f"{c.given['values'].shape[-2]} times too small."
            ),
        ),
        Fault(
            "unweighted",
            {"mix": lambda weights, values: torch.ones_like(weights) @ values},
            lambda c: (
                "All your outputs are the plain sum of the values: the weights, between "
                f"{span(c.given['weights'])}, play no part."
            ),
        ),
        Fault(
            "elementwise",
            lambda weights, values: weights * values,
            "`*` multiplies entry by entry and sums nothing: the matrix product is `@`.",
        ),
        Fault(
            "swapped-factors",
            lambda weights, values: values @ weights,
            "You multiply in the wrong order: `values @ weights` mixes the columns of `values`.",
        ),
    ),
    hints=(
        "Your NumPy version may need fewer changes than you think.",
        "Stay in PyTorch: `torch.zeros` and `.item()` lose the dtype or the gradient on the way.",
        "`@` means the same for tensors, leading batch axes included.",
    ),
    built_ins=(
        "course_attn.in_torch.weighted_sum.weighted_sum",
        "course_attn.in_torch.weighted_sum.weighted_sum_loop",
    ),
)
