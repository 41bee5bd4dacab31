"""Exercise `scaled_attention_torch` of chapter 5, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, Kind, number

__all__ = ["exercise"]


def scaled_attention_torch(Q, K, V):
    """Give every query the mixture of the values whose keys it matches."""
    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ V


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260511)

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        drawn = (1.5 * rng.standard_normal((*batch, *size)) for size in sizes)
        return tuple(array.astype(np.float32) for array in drawn)

    Q, K, V = (array.astype(float) for array in given(5, 7, 3, 11))
    return (
        Case(given(2, 3, 5, 7), "example"),
        Case(given(5, 7, 11, 3)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(5, 7, 11, 13, 2, 3), "batch"),
        Case(tuple(a.astype(float) for a in given(11, 13, 5, 3)), "float64"),
        Case((40 * Q, 40 * K, V), "large"),
    )


def _attended(
    Q: torch.Tensor,
    K: torch.Tensor,
    V: torch.Tensor,
    *,
    divisor: Callable[..., Any] = lambda Q, K, V: Q.shape[-1] ** 0.5,
    weigh: Callable[..., Any] = lambda scores: scores.softmax(dim=-1),
) -> torch.Tensor:
    return weigh(Q @ K.transpose(-1, -2) / divisor(Q, K, V)) @ V


exercise = Exercise(
    solution=scaled_attention_torch,
    place=50,
    section="In PyTorch",
    library="torch",
    task="""
The same in PyTorch: `scaled_attention_torch(Q, K, V)` takes tensors (…, n_q, d_k), (…, n_k, d_k)
and (…, n_k, d_v) and returns $\\mathrm{softmax}(Q K^T / \\sqrt{d_k})\\, V$, differentiable and in
the dtype of its arguments. Scores may be in the thousands. `torch.softmax` is welcome as a step;
`scaled_dot_product_attention` is not.
""",
    cases=_cases,
    variant=_attended,
    kinds={
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: `torch.softmax` can do that; by hand, subtract each "
            "row's largest before `exp`.",
        ),
    },
    faults=(
        Fault(
            "unscaled",
            {"divisor": lambda Q, K, V: 1.0},
            lambda c: (
                "The scores are not divided by √d_k = "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}."
            ),
        ),
        Fault(
            "divided-by-d",
            {"divisor": lambda Q, K, V: Q.shape[-1]},
            lambda c: (
                f"You divide by d_k = {c.given['Q'].shape[-1]}; divide by its root, "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}."
            ),
        ),
        Fault(
            "multiplied",
            {"divisor": lambda Q, K, V: Q.shape[-1] ** -0.5},
            "You multiply by √d_k where you should divide.",
        ),
        Fault(
            "root-of-n-k",
            {"divisor": lambda Q, K, V: K.shape[-2] ** 0.5},
            lambda c: (
                f"You divide by √n_k = √{c.given['K'].shape[-2]}, the number of keys; the features "
                "are `shape[-1]`."
            ),
        ),
        Fault(
            "root-of-n-q",
            {"divisor": lambda Q, K, V: Q.shape[-2] ** 0.5},
            lambda c: (
                f"You divide by √n_q = √{c.given['Q'].shape[-2]}, the number of queries "
                "(`len(Q)`); the features are `shape[-1]`."
            ),
        ),
        Fault(
            "root-of-d-v",
            {"divisor": lambda Q, K, V: V.shape[-1] ** 0.5},
            "You divide by the root of the width of the *values*. The scores are sums over the d_k "
            "features of queries and keys.",
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
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Scaling does "
                "not replace the shift by each row's largest score; `torch.softmax` does it."
            ),
        ),
        Fault(
            "no-softmax",
            {"weigh": lambda scores: scores},
            "The softmax is missing: you mix with the raw scores.",
        ),
    ),
    hints=(
        "What in your NumPy version does PyTorch write otherwise?",
        "`K.transpose(-1, -2)` takes two dimensions; `dim=` is `axis=`.",
        "`Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5`: a plain number needs no `torch.sqrt`.",
    ),
    built_ins=(
        "torch.nn.functional.scaled_dot_product_attention",
        "course_attn.in_torch.qkv.attention",
        "course_attn.in_torch.qkv.fused_attention",
    ),
)
