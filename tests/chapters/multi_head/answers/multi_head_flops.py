"""Answers to `multi_head_flops`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def flops_of_terms(n, d_model, n_heads):
    d_k = d_model // n_heads
    sizes = 3 * n_heads * [(n, d_model, d_k)] + [(n, d_model, d_model)]
    sizes += n_heads * [(n, d_k, n), (n, n, d_k)]
    return 2 * sum(np.prod(abc) for abc in sizes)


@right(author="fresh")
def fresh_flops_closed_form(n, d_model, n_heads):
    return 4 * n * d_model * (n + 2 * d_model)


@right(author="fresh")
def fresh_flops_list(n, d_model, n_heads):
    d_k, matmuls = d_model // n_heads, []
    for _ in range(n_heads):
        matmuls += [(n, d_model, d_k)] * 3
        matmuls += [(n, d_k, n), (n, n, d_k), (n, d_k, d_model)]
    return sum(2 * a * b * c for a, b, c in matmuls)


@wrong("one-head", "one-product")
def flops_scores_in_one_head(n, d_model, n_heads):
    return 8 * n * d_model**2 + 2 * n**2 * d_model // n_heads


@wrong("projections-in-every-head")
def flops_projections_by_head_and_full(n, d_model, n_heads):
    return n_heads * 8 * n * d_model**2 + 4 * n**2 * d_model


# the products with the four matrices are missing
@wrong()
def flops_inside_the_heads(n, d_model, n_heads):
    return 4 * n**2 * d_model


# projections to d_k columns are those of one head
@wrong()
def flops_narrow_projections(n, d_model, n_heads):
    d_k = d_model // n_heads
    return 6 * n * d_model * d_k + 2 * n * d_model**2 + 4 * n**2 * d_model


# counts 2b - 1 operations for a sum of b terms (one addition less), not 2b
@wrong(author="fresh")
def fresh_flops_one_less(n, d_model, n_heads):
    def product(a, b, c):
        return a * c * (b + (b - 1))

    d_k = d_model // n_heads
    ops = [product(n, d_model, d_model) for _ in range(4)]
    ops += [product(n, d_k, n) for _ in range(n_heads)]
    ops += [product(n, n, d_k) for _ in range(n_heads)]
    return sum(ops)


# lets every head work with all d_model features in scores and mixing, not with d_k
@wrong("full-width-heads", author="fresh")
def fresh_flops_full_width(n, d_model, n_heads):
    projections = 4 * 2 * n * d_model * d_model
    per_head = 2 * n * d_model * n + 2 * n * n * d_model
    return projections + n_heads * per_head


# counts the projections to queries, keys and values with the full width once for every head
@wrong("whole-matrix-in-every-head", author="blind")
def b7_multi_head_40(n, d_model, n_heads):
    d_k = d_model // n_heads
    per_head = 0
    per_head += 3 * 2 * n * d_model * d_model
    per_head += 2 * n * d_k * n
    per_head += 2 * n * n * d_k
    output = 2 * n * d_model * d_model
    return n_heads * per_head + output


# one operation per term in the projections (factor 2 missing there), AND the mixing of the values
# is forgotten
@wrong("additions-forgotten", said="A factor of 2 is missing", author="blind")
def u32_half_and_no_mixing(n, d_model, n_heads):
    d_k = d_model // n_heads
    proj = 4 * n * d_model**2
    scores = n_heads * 2 * n * d_k * n
    return proj + scores


# the mixing of the values is forgotten AND the softmax is counted (3 n^2 in each head)
@wrong("softmax-counted", "one-product", author="blind")
def f6_l49_double(n, d_model, n_heads):
    d_head = d_model // n_heads
    flops = 8 * n * d_model**2
    for _ in range(n_heads):
        flops += 2 * n * n * d_head
        flops += 3 * n * n
    return flops


# the factor 2 is missing for scores and mixing (only the projections have it)
@wrong("one-product", said="Did you forget the factor 2", author="blind")
def o34_no_two(n, d_model, n_heads):
    d_k = d_model // n_heads
    proj = 4 * 2 * n * d_model * d_model
    heads = n_heads * (n * d_k * n + n * n * d_k)
    return proj + heads


# the factor 2 is forgotten, and the mixing of the values
@wrong("additions-forgotten", "one-product", author="blind")
def t40_no2_no_mix(n, d_model, n_heads):
    proj = 4 * n * d_model * d_model
    scores = n_heads * (n * (d_model // n_heads) * n)
    return proj + scores


# the softmax is counted (3 n^2 per head) AND W_Q, W_K, W_V are counted for one head only (not
# times n_heads)
@wrong("softmax-counted", "projections-of-one-head", author="blind")
def d16_softmax_onehead(n, d_model, n_heads):
    dk = d_model // n_heads
    qkv = 3 * 2 * n * d_model * dk
    out = 2 * n * d_model * d_model
    scores = 2 * n * dk * n
    soft = 3 * n * n
    mixing = 2 * n * n * dk
    return qkv + out + n_heads * (scores + soft + mixing)


# the scores are counted with d_model instead of d_k in each head, and W_O as a (d_k, d_model)
# matrix
@wrong("full-width-scores", "one-matrix-for-one-head", author="blind")
def t10_j18_wide_scores_thin_WO(n, d_model, n_heads):
    d_k = d_v = d_model // n_heads
    qkv = 3 * 2 * n * d_model * d_k * n_heads
    scores = n_heads * 2 * n * d_model * n
    values = n_heads * 2 * n * n * d_v
    out = 2 * n * d_v * d_model
    return qkv + scores + values + out


# each head's W_Q, W_K, W_V counted as d_model x d_model (not d_model x d_k) AND the
# mixing of the values is forgotten
@wrong("one-product", "whole-matrix-in-every-head", author="blind")
def k15_full_proj_nomix(n, d_model, n_heads):
    d_k = d_model // n_heads

    def mm(a, b, c):
        return 2 * a * b * c

    total = 0
    for _ in range(n_heads):
        total += 3 * mm(n, d_model, d_model)
        total += mm(n, d_k, n)
    total += mm(n, d_model, d_model)
    return total


# one head's columns in the projections, and only three of them
@wrong("no-output-matrix", "projections-of-one-head", author="blind")
def b15_mh_one_head_columns(n, d_model, n_heads):
    d = d_model // n_heads
    one = 2 * n * d_model * d
    s = 2 * n * d * n
    m = 2 * n * n * d
    return 3 * one + n_heads * (s + m)
