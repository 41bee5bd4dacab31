"""Exercise `scaled_attention_torch`, the twin of `scaled_attention`."""

import torch

from course_attn.chapters.scaling.exercises.scaled_attention import (
    exercise as numpy_exercise,
)

__all__ = ["exercise"]


def scaled_attention_torch(Q, K, V):
    """Give every query the mixture of the values whose keys it matches."""
    divisor = Q.shape[-1] ** 0.5
    scores = Q @ K.transpose(-1, -2) / divisor
    # From here to the weights: torch.softmax(scores, dim=-1), step by step.
    largest = scores.amax(dim=-1, keepdim=True)
    exps = torch.exp(scores - largest)
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / total
    return weights @ V


exercise = numpy_exercise.twin(
    scaled_attention_torch,
    place=70,
    minutes=6,
    level="easy",
    prepares=(
        "causal_attention_torch",
        "MultiHeadAttention",
        "grouped_attention_torch",
    ),
    section="In PyTorch",
    task="""
The same in PyTorch: `scaled_attention_torch(Q, K, V)` takes tensors (…, n_q, d_k), (…, n_k, d_k)
and (…, n_k, d_v) and returns $\\mathrm{softmax}(Q K^\\top / \\sqrt{d_k})\\, V$, differentiable and
in the dtype of its arguments. Scores may be in the thousands. `torch.softmax` is welcome as a step;
`scaled_dot_product_attention` is not.
""",
    in_float64=("large",),
    hints=(
        "What in your NumPy version does PyTorch write otherwise?",
        "`K.transpose(-1, -2)` takes two dimensions; `dim=` is `axis=`.",
        "`Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5`: a plain number needs no `torch.sqrt`.",
    ),
    built_ins=numpy_exercise.built_ins,
)
