"""Exercise `cosine_scores_torch`, the twin of `cosine_scores`."""

import torch

from course_attn.chapters.scores.exercises.cosine_scores import (
    exercise as numpy_exercise,
)
from whywrong import fault_list

__all__ = ["exercise"]


def cosine_scores_torch(Q, K):
    """Give the cosine of the angle between every query and every key."""
    directions = []
    for vectors in (Q, K):
        lengths = torch.linalg.norm(vectors, dim=-1, keepdim=True)
        directions.append(vectors / lengths)
    queries, keys = directions
    cosines = queries @ torch.transpose(keys, -1, -2)
    return cosines


exercise = numpy_exercise.twin(
    cosine_scores_torch,
    place=70,
    minutes=6,
    level="easy",
    prepares=("SelfAttention",),
    section="In PyTorch",
    task="""
The same in PyTorch: `cosine_scores_torch(Q, K)` takes tensors (…, n_q, d) and (…, n_k, d) and
returns the cosine of every query with every key, (…, n_q, n_k), in the dtype of its arguments and
differentiable. No zero vectors here.
""",
    without_cases=("zero-vector", "one-feature"),
    without=("zero-vector", "zero-key", "zero-as-one", "all-zero", "minimum"),
    faults=fault_list("""
axis-1: dim=-1 → dim=1
    Your lengths are taken along axis 1 (as `F.normalize` does unless told otherwise), which is the
    features' axis only without a batch. The last axis, `dim=-1`, is theirs with a batch and
    without.
"""),
    hints=(
        "Which `dim` are the features on, counted from the end?",
        "Normalize both to length 1 first; then the dot products are the cosines.",
        "`X / X.norm(dim=-1, keepdim=True)` for both, and `Qn @ Kn.transpose(-1, -2)`.",
    ),
    built_ins=numpy_exercise.built_ins,
)
