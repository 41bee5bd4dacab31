"""Exercise `cosine_scores_torch` of chapter 2, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, Kind, number

__all__ = ["exercise"]


def cosine_scores_torch(Q, K):
    """Give the cosine of the angle between every query and every key; 0 for a zero vector."""
    directions_q = torch.nn.functional.normalize(Q, dim=-1)
    directions_k = torch.nn.functional.normalize(K, dim=-1)
    return directions_q @ directions_k.transpose(-1, -2)


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260211)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    return (
        Case((draw(2, 3), draw(5, 3)), "example"),
        Case((draw(5, 7), draw(11, 7))),
        Case((draw(5, 5), draw(5, 5)), "square"),
        Case((draw(2, 3, 5, 7), draw(2, 3, 11, 7)), "batch"),
        Case((draw(7, 13).astype(float), draw(3, 13).astype(float)), "float64"),
    )


def _same(tensor: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return tensor


def _length(X: torch.Tensor) -> torch.Tensor:
    return X.norm(dim=-1, keepdim=True)


def _no_length(X: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(X[..., :1])


def _cosines(
    Q: torch.Tensor,
    K: torch.Tensor,
    *,
    length_q: Callable[..., Any] = _length,
    length_k: Callable[..., Any] = _length,
    finish: Callable[..., Any] = _same,
) -> torch.Tensor:
    return finish(Q / length_q(Q) @ (K / length_k(K)).transpose(-1, -2))


def _largest(c: Any) -> str:
    return number(np.abs(c.got).max())


exercise = Exercise(
    solution=cosine_scores_torch,
    place=60,
    section="In PyTorch",
    library="torch",
    task="""
The same in PyTorch: `cosine_scores_torch(Q, K)` takes tensors (…, n_q, d) and (…, n_k, d) and
returns the cosine of every query with every key, (…, n_q, n_k), in the dtype of its arguments and
differentiable. No zero vectors here.
""",
    cases=_cases,
    variant=_cosines,
    kinds={
        "float64": Kind(
            "for float64 tensors", "A `torch.ones` or `torch.zeros` without dtype?"
        ),
    },
    faults=(
        Fault(
            "keys-not-normalized",
            {"length_k": _no_length},
            lambda c: (
                "You divide by the queries' lengths only: your largest score is "
                f"{_largest(c)} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "queries-not-normalized",
            {"length_q": _no_length},
            lambda c: (
                "You divide by the keys' lengths only: your largest score is "
                f"{_largest(c)} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "not-normalized",
            {"length_q": _no_length, "length_k": _no_length},
            lambda c: (
                "These are the plain dot products: divide by both lengths. Your largest score is "
                f"{_largest(c)} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "wrong-axis",
            {
                "length_q": lambda X: X.norm(dim=-2, keepdim=True),
                "length_k": lambda X: X.norm(dim=-2, keepdim=True),
            },
            "You divide each *feature* by its length over all vectors. The length of a vector runs "
            "along its own features, `dim=-1` (`F.normalize` takes `dim=1` unless told otherwise).",
        ),
        Fault(
            "no-keepdim",
            {
                "length_q": lambda X: X.norm(dim=-1),
                "length_k": lambda X: X.norm(dim=-1),
            },
            "The lengths are right, but laid out as a row: feature j is divided by the length of "
            "vector j, where that fits at all. `keepdim=True` keeps them a column.",
        ),
        Fault(
            "one-length",
            {"length_q": torch.norm, "length_k": torch.norm},
            "You divide by the length of the whole tensor: `.norm()` takes all of it.",
        ),
        Fault(
            "root-missing",
            {
                "length_q": lambda X: (X**2).sum(dim=-1, keepdim=True),
                "length_k": lambda X: (X**2).sum(dim=-1, keepdim=True),
            },
            "You divide by the *squared* lengths: the root is missing.",
        ),
        Fault(
            "transposed-result",
            {"finish": lambda cosines: cosines.transpose(-1, -2)},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*: swap them."
            ),
        ),
        Fault(
            "row-by-row",
            lambda Q, K: torch.cosine_similarity(Q, K, dim=-1),
            "You pair query i with key i only. Every query meets every key.",
        ),
    ),
    hints=(
        "Which `dim` are the features on, counted from the end?",
        "Normalize both to length 1 first; then the dot products are the cosines.",
        "`X / X.norm(dim=-1, keepdim=True)` for both, and `Qn @ Kn.transpose(-1, -2)`.",
    ),
    built_ins=("course_attn.in_torch.scores.cosine_scores",),
)
