"""Exercise `softmax_torch`, the twin of `softmax`."""

import torch

from course_attn.chapters.softmax.exercises.softmax import (
    exercise as numpy_exercise,
)

__all__ = ["exercise"]


def softmax_torch(scores):
    """Turn every row of scores into positive weights that sum to 1."""
    row_maximum = scores.amax(dim=-1, keepdim=True)
    exps = torch.exp(scores - row_maximum)
    row_sum = exps.sum(dim=-1, keepdim=True)
    weights = exps / row_sum
    return weights


exercise = numpy_exercise.twin(
    softmax_torch,
    place=70,
    minutes=5,
    level="easy",
    prepares=("SelfAttention",),
    section="In PyTorch",
    task="""
The same in PyTorch: `softmax_torch(scores)` takes a tensor (…, n) and returns the weights along the
last axis, differentiable, in the dtype of its argument, for rows that may lie thousands apart.
Build it from `exp`, a sum and a maximum.
""",
    without=("infinity-as-0",),
    without_cases=("minus-infinity",),
    in_float64=("large", "low"),
    wrong_lines=("global-shift", "sum-not-shifted", "shift-after-exp"),
    hints=(
        "What does `scores.max(dim=-1)` return? It is not just a tensor.",
        "In PyTorch it is `dim` and `keepdim` (without s) that NumPy calls `axis` and `keepdims`.",
        "Subtract `scores.amax(dim=-1, keepdim=True)`, `.exp()`, divide by the sum, also kept.",
    ),
    built_ins=numpy_exercise.built_ins,
)
