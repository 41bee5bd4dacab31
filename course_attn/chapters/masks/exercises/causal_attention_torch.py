"""Exercise `causal_attention_torch`, the twin of `causal_attention`."""

import torch

from course_attn.chapters.masks.exercises.causal_attention import (
    exercise as numpy_exercise,
)
from whywrong import fault_list

__all__ = ["exercise"]


def causal_attention_torch(Q, K, V):
    """Give every query the mixture of the values up to its own position."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    position = torch.arange(n_q, device=Q.device)[:, None] + (n_k - n_q)
    mask = torch.arange(n_k, device=Q.device) <= position
    scores = Q @ torch.transpose(K, -1, -2) / Q.shape[-1] ** 0.5
    masked_scores = torch.where(mask, scores, -torch.inf)
    row_maximum = masked_scores.amax(dim=-1, keepdim=True)
    shift = torch.where(torch.isneginf(row_maximum), 0.0, row_maximum)
    exps = torch.exp(masked_scores - shift)
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total == 0, 1.0, total)
    return weights @ V


exercise = numpy_exercise.twin(
    causal_attention_torch,
    place=70,
    minutes=20,
    level="hard",
    prepares=("MultiHeadAttention",),
    section="In PyTorch",
    task="""
The same in PyTorch: `causal_attention_torch(Q, K, V)` takes tensors (…, n_q, d_k), (…, n_k, d_k)
and (…, n_k, d_v) and returns $\\mathrm{softmax}(Q K^\\top / \\sqrt{d_k})\\, V$ where query i sees
only the keys $j \\le i + n_k - n_q$, in the dtype of its arguments. A query that sees no key gets
zeros, and its gradients must not be NaN either. Scores may be in the thousands, those of the future
far larger than the allowed ones. Build it yourself, without `scaled_dot_product_attention`.
""",
    faults=fault_list("""
future-only: <= position → > position
    The polarity is flipped somewhere: your queries see *only* the future. `masked_fill(m, …)`
    fills where m is *True*, so it takes `~mask`. {moved}
top-left: (n_k - n_q) → 0
    Right for n_q = n_k, but your mask is aligned to the top left (as PyTorch's own `is_causal` is):
    of {K.rows} keys, your last of {Q.rows} queries sees {Q.rows} at most, and should see all. Shift
    by n_k − n_q (in `tril` that is the `diagonal`, in `triu` it is one more).
"""),
    # In float32, scores from which 1e9 is subtracted are all the same: that is "empty-uniform".
    without=("empty-unmasked",),
    # There float32 rounds the gradients of right answers, too.
    in_float64=("large", "low"),
    hints=(
        "What does `masked_fill` fill: where the mask is True, or where it is False?",
        "`torch.ones(n_q, n_k, dtype=torch.bool).tril(diagonal)` is a mask; which diagonal?",
        "Adding −∞ and a later `nan_to_num` repair the numbers of an empty row and not its "
        "gradient. Leave such rows unmasked before the softmax, and fill their *weights* with 0.",
    ),
    built_ins=numpy_exercise.built_ins,
)
