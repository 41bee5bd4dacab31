"""Answers to `attention_flops`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def af_prod(n_q, n_k, d_k, d_v, n_heads):
    return np.prod([2, n_q, n_k, d_k + d_v, n_heads])


@right()
def af_counted(n_q, n_k, d_k, d_v, n_heads):
    total = 0
    for _ in range(n_heads):
        for a, b, c in ((n_q, d_k, n_k), (n_q, n_k, d_v)):
            total += 2 * a * b * c
    return total


@right(author="fresh")
def fresh_af_products(n_q, n_k, d_k, d_v, n_heads):
    products = [(n_q, d_k, n_k), (n_q, n_k, d_v)] * n_heads
    return sum(2 * a * b * c for a, b, c in products)


@right(author="fresh")
def fresh_af_per_pair(n_q, n_k, d_k, d_v, n_heads):
    pairs = n_q * n_k * n_heads
    per_pair = (d_k + d_v) << 1
    return pairs * per_pair


@wrong("dtype")
def af_float(n_q, n_k, d_k, d_v, n_heads):
    return 2.0 * n_heads * n_q * n_k * (d_k + d_v)


@wrong(said="3 · n_heads · n_q · n_k too many")
def af_with_softmax(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (2 * d_k + 2 * d_v + 3)


@wrong()
def af_split_widths(n_q, n_k, d_k, d_v, n_heads):
    return 2 * n_q * n_k * (d_k + d_v) // n_heads


# the additions are missing in the scores
@wrong()
def af_half_scores(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * (n_q * d_k * n_k + 2 * n_q * n_k * d_v)


# counts one addition too few for each sum, b - 1 instead of b, where the task counts 2 operations
# for each term
@wrong(author="unseen")
def second_fst_one_addition_less(n_q, n_k, d_k, d_v, n_heads):
    def product(left, right):
        (a, b), (_, c) = left, right
        multiplications = a * b * c
        additions = a * (b - 1) * c
        return multiplications + additions

    scores = product((n_q, d_k), (d_k, n_k))
    mixing = product((n_q, n_k), (n_k, d_v))
    return sum(scores + mixing for _ in range(n_heads))


# the second product counts d_k where d_v belongs AND the heads are forgotten
@wrong(author="unseen")
def fourth_fst_flops(n_q, n_k, d_k, d_v, n_heads):
    first = 2 * n_q * n_k * d_k
    second = 2 * n_q * n_k * d_k
    return first + second


# the mixing is counted with d_k features too, instead of d_v
@wrong("values-as-wide-as-keys", author="blind")
def b6_fast_1(n_q, n_k, d_k, d_v, n_heads):
    scores = 2 * n_q * d_k * n_k
    mixing = 2 * n_q * n_k * d_k
    return n_heads * (scores + mixing)


# d_k is divided by n_heads, as if it were the width of all heads together, and the mixing is
# counted with d_k instead of d_v
@wrong("values-as-wide-as-keys", "scores-split", author="blind")
def t10_h12_dk_per_head(n_q, n_k, d_k, d_v, n_heads):
    total = 0
    for _ in range(n_heads):
        total += 2 * n_q * (d_k // n_heads) * n_k
        total += 2 * n_q * n_k * d_k
    return total


# d_k and d_v are split between the heads AND each sum has one addition less
@wrong("widths-split", "one-addition-less", author="blind")
def d16_split_exact(n_q, n_k, d_k, d_v, n_heads):
    def product(a, b, c):
        return a * c * (b + b - 1)

    first = product(n_q, d_k // n_heads, n_k)
    return n_heads * (first + product(n_q, n_k, d_v // n_heads))
