"""Answers to `multi_head_flops`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def flops_in_short(n, d_model, n_heads):
    return 4 * n * d_model * (2 * d_model + n)


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


@wrong("additions-forgotten")
def flops_multiplications(n, d_model, n_heads):
    return 4 * n * d_model**2 + 2 * n**2 * d_model


@wrong("full-width-heads")
def flops_every_head_whole(n, d_model, n_heads):
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_model


@wrong("no-output-matrix")
def flops_without_w_o(n, d_model, n_heads):
    return 6 * n * d_model**2 + 4 * n**2 * d_model


@wrong()
def flops_true_division(n, d_model, n_heads):
    d_k = d_model / n_heads
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_k


@wrong("one-head", "one-product")
def flops_scores_in_one_head(n, d_model, n_heads):
    return 8 * n * d_model**2 + 2 * n**2 * d_model // n_heads


@wrong("projections-in-every-head")
def flops_projections_by_head_and_full(n, d_model, n_heads):
    return n_heads * 8 * n * d_model**2 + 4 * n**2 * d_model


# the softmax does not count: products of matrices only
@wrong()
def flops_with_the_softmax(n, d_model, n_heads):
    return 8 * n * d_model**2 + 4 * n**2 * d_model + 3 * n_heads * n**2


# b − 1 additions instead of b for each sum
@wrong()
def flops_of_sums_by_hand(n, d_model, n_heads):
    def product(a, b, c):
        return a * c * (2 * b - 1)

    d_k = d_model // n_heads
    inside = product(n, d_k, n) + product(n, n, d_k)
    return 4 * product(n, d_model, d_model) + n_heads * inside


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


# counts the product with W_O once for every head, at full size; it happens once, after the merge
@wrong(author="fresh")
def fresh_flops_wo_per_head(n, d_model, n_heads):
    d_k = d_model // n_heads
    total = 0
    h = 0
    while h < n_heads:
        total += 3 * (2 * n * d_model * d_k)
        total += 2 * n * d_k * n
        total += 2 * n * n * d_k
        total += 2 * n * d_model * d_model
        h += 1
    return total


# counts the scores of one head only, not of all n_heads AND leaves out the product with W_O
@wrong(author="fresh")
def fresh_flops_one_head_no_wo(n, d_model, n_heads):
    d_k = d_model // n_heads
    dims = [(n, d_model, d_model)] * 3 + [(n, d_k, n)]
    dims += [(n, n, d_k)] * n_heads
    return sum(2 * math.prod(t) for t in dims)


# counts the product with W_O as if its input were one head's d_k features wide, not all heads'
# d_model
@wrong(author="unseen")
def third_mh_recursive_flops(n, d_model, n_heads):
    d_k = d_model // n_heads

    def product(a, b, c):
        return 2 * a * b * c

    def heads(left):
        if left == 0:
            return 0
        projections = 3 * product(n, d_model, d_k)
        scores = product(n, d_k, n)
        mixing = product(n, n, d_k)
        return projections + scores + mixing + heads(left - 1)

    return heads(n_heads) + product(n, d_k, d_model)


# forgets the factor 2 (counts multiplications only)
@wrong("additions-forgotten", author="blind")
def own_multi_head_4(n, d_model, n_heads):
    d_k = d_model // n_heads
    proj = 4 * n * d_model * d_model
    return proj + n_heads * 2 * n * n * d_k


# counts the projections to queries, keys and values with the full width once for every head
@wrong("parts", said="is `d_model` right here, as it is", author="blind")
def b7_multi_head_40(n, d_model, n_heads):
    d_k = d_model // n_heads
    per_head = 0
    per_head += 3 * 2 * n * d_model * d_model
    per_head += 2 * n * d_k * n
    per_head += 2 * n * n * d_k
    output = 2 * n * d_model * d_model
    return n_heads * per_head + output
