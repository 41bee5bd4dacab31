"""Which section of its chapter each exercise practices, by the section's heading.

The exercise notebooks link to it. A new exercise gets its line here.
"""

import re

SECTIONS = {
    "weighted_sum": {
        "weighted_sum": "In one line: a matrix product",
        "normalize_weights": "Weights that make an average",
        "moving_average_weights": "On real data: smoothing a photograph",
        "in_convex_hull": "Why it works: the output stays among the values",
        "mixture_shape": "In one line: a matrix product",
        "weighted_sum_torch": "In PyTorch",
    },
    "scores": {
        "dot_scores": "In one line: all pairs at once",
        "cosine_scores": "The score is a choice",
        "additive_scores": "The score is a choice",
        "nadaraya_watson": "An old friend: kernel regression",
        "fooled_by_length": "What the dot product rewards: direction and length",
        "cosine_scores_torch": "In PyTorch",
    },
    "softmax": {
        "softmax": "Why it works in a computer: the shift",
        "softmax_with_temperature": "How sharp? The temperature",
        "entropy": "Measuring sharpness: entropy",
        "softmax_jacobian": "How weights respond to scores: the Jacobian",
        "true_of_softmax": "Why it works in a computer: the shift",
        "hide_the_axis_bug": "What goes wrong",
        "softmax_torch": "In PyTorch",
    },
    "qkv": {
        "project_qkv": "In one line: the matrix form",
        "attention": "In one line: the matrix form",
        "soft_lookup": "A soft dictionary",
        "possible_scores": "Why it works: what two matrices can express",
        "SelfAttention": "In PyTorch",
    },
    "scaling": {
        "scaled_attention": "In one line: divide by the root",
        "init_projection": "Matrices that keep the variance",
        "score_variance": "When an assumption fails",
        "which_d": "Which d?",
        "scaled_attention_torch": "In PyTorch",
    },
    "masks": {
        "causal_mask": "The same, entry by entry",
        "masked_softmax": "A row with nothing to see",
        "padding_mask": "Padding: sentences of different lengths",
        "causal_attention": "New queries, old keys: the rectangular mask",
        "to_torch_mha_mask": "Two polarities and two alignments",
        "find_leak": "A leak detector",
        "causal_attention_torch": "In PyTorch",
    },
    "multi_head": {
        "split_heads": "With the heads as a batch axis",
        "merge_heads": "With the heads as a batch axis",
        "multi_head_attention": "With the heads as a batch axis",
        "true_of_average": "The map that no head has",
        "n_parameters": "What it costs",
        "multi_head_flops": "What it costs",
        "head_from_torch": "Inside nn.MultiheadAttention",
        "MultiHeadAttention": "In PyTorch",
    },
    "order": {
        "sinusoidal_encoding": "Sinusoids",
        "rotary": "The formula",
        "alibi_bias": "Third place: lower the scores by distance",
        "can_tell_order": "Who can tell the order?",
        "is_equivariant": "Why it works",
        "LearnedPositions": "Learned rows",
    },
    "block": {
        "layer_norm": "Layer norm and RMS norm",
        "feed_forward": "Feed-forward network, ReLU and GELU",
        "transformer_block": "Two places for the norm",
        "gpt_parameters": "Counting parameters",
        "TransformerBlock": "In PyTorch",
        "Stack": "Stack, and the whole picture",
    },
    "fast": {
        "attention_flops": "Where do time and memory go?",
        "merge_partial": "In one line: merging two parts",
        "online_softmax": "By hand: one score after the other",
        "cached_step": "Decoding: one query at a time",
        "repeat_kv": "Shared heads: multi-query and grouped-query attention",
        "sliding_window_mask": "Windows, and what happens when the first word leaves",
        "grouped_attention_torch": "Shared heads: multi-query and grouped-query attention",
    },
}


def link_to_section(slug: str, exercise: str) -> str:
    """Return a sentence that links an exercise to the section it practices."""
    heading = SECTIONS[slug][exercise]
    anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return f"Practices the section [{heading}](../{slug}.ipynb#{anchor})."
