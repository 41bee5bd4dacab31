"""Exercise `cross_attention_torch`, the twin of `cross_attention`."""

import torch

from course_attn.chapters.encoder_decoder.exercises.cross_attention import (
    exercise as numpy_exercise,
)
from whywrong import fault_list

__all__ = ["exercise"]


def cross_attention_torch(X, Z, W_Q, W_K, W_V, source_mask):
    """Let the elements of a target ask those of a source, whose padding is hidden."""
    Q = X @ W_Q
    K = Z @ W_K
    V = Z @ W_V
    scores = Q @ torch.transpose(K, -1, -2) / Q.shape[-1] ** 0.5
    key_mask = source_mask[..., None, :]
    masked_scores = torch.where(key_mask, scores, -torch.inf)
    weights = torch.softmax(masked_scores, dim=-1)
    return weights @ V


exercise = numpy_exercise.twin(
    cross_attention_torch,
    place=40,
    minutes=8,
    level="medium",
    section="In one line: cross-attention, and the block around it",
    task="""
The same in PyTorch: `cross_attention_torch(X, Z, W_Q, W_K, W_V, source_mask)` takes tensors X (…,
n_q, d_model) and Z (…, n_k, d_model), three matrices and `source_mask` (…, n_k), a tensor of bool
that is False where the source has padding, and returns $\\mathrm{softmax}(Q K^\\top /
\\sqrt{d_k})\\, V$ of shape (…, n_q, d_v), in the dtype of its arguments, with $Q = X W_Q$, $K = Z
W_K$ and $V = Z W_V$. Every source has at least one element that is not padding; padding may stand
between elements. PyTorch's own functions may be steps of it, and each has its own idea of what True
means.
""",
    without=("mask-inverted-added",),  # in float32 the same as mask-inverted-finite
    faults=fault_list("""
mask-inverted: torch.where(key_mask, scores, -torch.inf)
            → torch.where(key_mask, -torch.inf, scores)
    The mask is turned around: you hide the elements and read the padding. Here True means that
    there *is* an element; `masked_fill` and `key_padding_mask` hide where it is True.
mask-inverted-zeros: torch.where(key_mask, scores, -torch.inf)
            → torch.where(key_mask, -torch.inf, scores)
        and return weights → return torch.nan_to_num(weights)
    The mask is turned around: you hide the elements and read the padding. Here True means that
    there *is* an element; `scaled_dot_product_attention`, too, reads True as *may attend*.
causal-instead: torch.where(key_mask
            → torch.where(torch.tril(scores < torch.inf)
    You use a causal mask (`is_causal`?) in place of the source's: early queries do not see all of
    the source, and late ones see its padding. What has to be hidden here, and does it depend on
    the query?
"""),
    hints=(
        "Which of the two sequences do keys and values come from, and which axis of the scores "
        "is theirs?",
        "The mask needs an axis for the queries. And does the function want to know what to "
        "hide, or what to keep?",
        "`scores.masked_fill(~source_mask[..., None, :], -torch.inf)`, then "
        "`.softmax(dim=-1) @ V`.",
    ),
)
