"""Answers to `bigram_perplexity`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def bp_loop(table, tokens):
    total = 0.0
    for i in range(1, len(tokens)):
        total -= np.log(table[tokens[i - 1], tokens[i]])
    return np.exp(total / (len(tokens) - 1))


@right()
def bp_bits(table, tokens):
    bits = -np.log2(table[tokens[:-1], tokens[1:]])
    return 2 ** bits.mean()


@right()
def bp_geometric_mean(table, tokens):
    from scipy.stats import gmean

    return 1 / gmean(table[tokens[:-1], tokens[1:]])


@right()
def bp_counts(table, tokens):
    counts = np.zeros(table.shape)
    np.add.at(counts, (tokens[:-1], tokens[1:]), 1)
    safe = np.where(counts > 0, table, 1)
    return np.exp(-(counts * np.log(safe)).sum() / counts.sum())


@right()
def bp_roots(table, tokens):
    import itertools
    import math

    pairs = list(itertools.pairwise(tokens.tolist()))
    return math.prod(float(table[a, b]) ** (-1 / len(pairs)) for a, b in pairs)


@right()
def bp_flat_index(table, tokens):
    p = table.ravel()[tokens[:-1] * len(table) + tokens[1:]]
    return np.power(np.e, np.log(1 / p).sum() / p.size)


# begins with a step into the first token, from the last
@wrong("circle")
def bp_minus_one(table, tokens):
    logs = [np.log(table[tokens[i - 1], tokens[i]]) for i in range(len(tokens))]
    return np.exp(-np.mean(logs))


# the root of a product that underflows
@wrong("product")
def bp_product(table, tokens):
    p = np.prod(table[tokens[:-1], tokens[1:]])
    return p ** (-1 / (len(tokens) - 1))


# takes the logarithm of the whole table's mean of the rows
@wrong()
def bp_rows(table, tokens):
    return np.exp(-np.log(table[tokens]).mean())


# normalizes the columns of the table first
@wrong()
def bp_columns_normalized(table, tokens):
    table = table / table.sum(axis=0)
    return np.exp(-np.log(table[tokens[:-1], tokens[1:]]).mean())


# logarithm to base 10 and then 10 to mean, without the minus
@wrong("sign")
def bp_base_10(table, tokens):
    return 10 ** np.log10(table[tokens[:-1], tokens[1:]]).mean()


# skips the last prediction
@wrong(author="blind")
def blind_bp_range(table, tokens):
    logs = [np.log(table[tokens[i], tokens[i + 1]]) for i in range(len(tokens) - 2)]
    return np.exp(-np.mean(logs)) if logs else 1.0


# includes the first token as if evenly drawn
@wrong("first-even", author="blind")
def blind_bp_first_even(table, tokens):
    p = table[tokens[:-1], tokens[1:]]
    return np.exp(-(np.log(1 / len(table)) + np.log(p).sum()) / len(tokens))


# adds a small number to the probability
@wrong(author="blind")
def blind_bp_smoothed(table, tokens):
    p = table[tokens[:-1], tokens[1:]] + 0.01
    return np.exp(-np.log(p).mean())


# every different pair of tokens counts once
@wrong("each-pair-once", author="blind")
def bl_bp_unique_pairs(table, tokens):
    pairs = set(zip(tokens[:-1].tolist(), tokens[1:].tolist(), strict=True))
    logs = [np.log(table[a][b]) for a, b in pairs]
    return np.exp(-sum(logs) / len(logs))


# row and column swapped: the token after is taken as the row
@wrong("transposed", author="blind")
def w09_swapped(table, tokens):
    before, after = tokens[:-1], tokens[1:]
    p = np.array([table[b][a] for a, b in zip(before, after)])
    return np.exp(np.mean(-np.log(np.where(p > 0, p, 1e-9))))


# the arithmetic mean of 1/p instead of e to the mean of -log p
@wrong("mean-of-inverse", author="blind")
def w10_mean_of_inverse(table, tokens):
    p = table[tokens[:-1], tokens[1:]]
    branching = 1 / p
    return branching.mean()


# log to base 2 but then e to the power of it AND the last prediction is left out
@wrong("exp-of-bits", "last-left-out", author="blind")
def w11_both(table, tokens):
    surprise = []
    for i in range(len(tokens) - 2):
        here, nxt = tokens[i], tokens[i + 1]
        surprise.append(-np.log2(table[here, nxt]))
    if not surprise:
        surprise = [0.0]
    return float(np.exp(sum(surprise) / len(surprise)))


# multiplies all probabilities, which underflows for long texts AND takes the n-th root instead of
# the (n - 1)-th
@wrong("first-counted", "product", author="blind")
def p31_prod_and_n(table, tokens):
    likelihood = np.prod(table[tokens[:-1], tokens[1:]])
    return likelihood ** (-1 / len(tokens))


# the product of the probabilities underflows for long texts AND the exponent's minus is missing
# (inverse of the perplexity)
@wrong("sign", "product", author="blind")
def e56_bp_product_inverse(table, tokens):
    probability = 1.0
    n_steps = 0
    for a, b in zip(tokens, tokens[1:]):
        probability *= table[a, b]
        n_steps += 1
    return probability ** (1 / n_steps)
