"""The layer of learned positions, in float64."""

import torch

from course_attn.in_torch import LearnedPositions


def rows(n_max: int = 11, d_model: int = 5) -> LearnedPositions:
    """Return the module in float64."""
    torch.manual_seed(0)
    return LearnedPositions(n_max, d_model).double()
