"""Exercise `weighted_sum_torch`, the twin of `weighted_sum`."""

import torch  # noqa: F401, which the mistakes need

from course_attn.chapters.weighted_sum.exercises.weighted_sum import (
    exercise as numpy_exercise,
)

__all__ = ["exercise"]


def weighted_sum_torch(weights, values):
    """Mix the values by the weights: output i is the sum over j of weights[i, j] * values[j]."""
    outputs = weights @ values
    return outputs


exercise = numpy_exercise.twin(
    weighted_sum_torch,
    place=70,
    minutes=4,
    level="easy",
    prepares=("SelfAttention",),
    section="In PyTorch",
    task="""
The same in PyTorch: `weighted_sum_torch(weights, values)` takes tensors (…, n_q, n_k) and (…, n_k,
d) and returns a tensor (…, n_q, d) in the dtype of its arguments. PyTorch has to be able to
differentiate it, as it does when a model learns: the check tries that, too.
""",
    hints=(
        "Your NumPy version may need fewer changes than you think.",
        "Stay in PyTorch: `torch.zeros` loses the dtype on the way, and `.item()` the derivative.",
        "`@` means the same for tensors, leading batch axes included.",
    ),
    built_ins=numpy_exercise.built_ins,
)
