"""Answers to `n_parameters`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def np_four_terms(d_model, n_heads, d_k, d_v, biases):
    W_Q = W_K = d_model * (n_heads * d_k)
    W_V = d_model * (n_heads * d_v)
    W_O = (n_heads * d_v) * d_model
    total = W_Q + W_K + W_V + W_O
    if biases:
        total += 2 * n_heads * d_k + n_heads * d_v + d_model
    return total


@right()
def np_of_arrays(d_model, n_heads, d_k, d_v, biases):
    shapes = [(d_model, n_heads * w) for w in (d_k, d_k, d_v)]
    shapes.append((n_heads * d_v, d_model))
    if biases:
        shapes += [(columns,) for _, columns in shapes]
    return sum(np.prod(shape) for shape in shapes)


@right()
def np_by_heads(d_model, n_heads, d_k, d_v, biases):
    count = d_model if biases else 0
    for _ in range(n_heads):
        count += 2 * d_model * (d_k + d_v) + (2 * d_k + d_v) * int(biases)
    return count


@right(author="fresh")
def fresh_np_linears(d_model, n_heads, d_k, d_v, biases):
    ins_outs = [(d_model, d_k * n_heads)] * 2
    ins_outs += [(d_model, d_v * n_heads), (d_v * n_heads, d_model)]
    # A bias is one more row.
    return sum((rows + (1 if biases else 0)) * cols for rows, cols in ins_outs)


@right(author="fresh")
def fresh_np_by_head(d_model, n_heads, d_k, d_v, biases):
    def heads(left):
        if left == 0:
            return d_model if biases else 0
        matrices = 2 * d_model * (d_k + d_v)
        vectors = d_k + d_k + d_v if biases else 0
        return matrices + vectors + heads(left - 1)

    return heads(n_heads)


@wrong("four-squares")
def np_four_squares(d_model, n_heads, d_k, d_v, biases):
    return 4 * d_model**2 + 4 * d_model * biases


@wrong("no-output-matrix", "no-output-bias")
def np_three_matrices(d_model, n_heads, d_k, d_v, biases):
    return n_heads * (2 * d_k + d_v) * (d_model + biases)


@wrong()
def np_float(d_model, n_heads, d_k, d_v, biases):
    return n_heads * d_model * 2 * (d_k + d_v) / 1 + biases * n_heads * d_k


@wrong("no-values-bias")
def np_no_bias_of_values(d_model, n_heads, d_k, d_v, biases):
    count = 2 * d_model * n_heads * (d_k + d_v)
    return count + (2 * n_heads * d_k + d_model if biases else 0)


@wrong("all-of-width-d-k")
def np_widths_of_d_k(d_model, n_heads, d_k, d_v, biases):
    width = n_heads * d_k
    return 4 * d_model * width + (3 * width + d_model) * biases


# the biases of one head only
@wrong()
def np_biases_of_one_head(d_model, n_heads, d_k, d_v, biases):
    count = 2 * d_model * n_heads * (d_k + d_v)
    return count + (2 * d_k + d_v + d_model) * biases


# W_V is forgotten
@wrong()
def np_without_values(d_model, n_heads, d_k, d_v, biases):
    count = n_heads * (2 * d_model * d_k + d_v * d_model)
    return count + (n_heads * (2 * d_k + d_v) + d_model if biases else 0)


# the biases are counted twice
@wrong()
def np_biases_twice(d_model, n_heads, d_k, d_v, biases):
    vectors = n_heads * (2 * d_k + d_v) + d_model
    return 2 * n_heads * d_model * (d_k + d_v) + 2 * biases * vectors


# the course's function does it all
@wrong("built-in")
def np_the_course_s(d_model, n_heads, d_k, d_v, biases):
    from course_attn.costs import n_parameters

    return n_parameters(
        d_model=d_model, n_heads=n_heads, d_k=d_k, d_v=d_v, biases=biases
    )


# gives every head a bias of the output, of d_model numbers; there is only one
@wrong(author="fresh")
def fresh_np_output_bias_per_head(d_model, n_heads, d_k, d_v, biases):
    total = 0
    for _ in range(n_heads):
        for width in (d_k, d_k, d_v):
            total += d_model * width
            if biases:
                total += width
        total += d_v * d_model
        if biases:
            total += d_model
    return total


# counts W_O for one head only (d_v d_model) AND counts the biases of queries, keys and values for
# one head only
@wrong(author="fresh")
def fresh_np_one_head_slips(d_model, n_heads, d_k, d_v, biases):
    def linear(rows, cols, extra):
        return rows * cols + (extra if biases else 0)

    q = linear(d_model, n_heads * d_k, d_k)
    k = linear(d_model, n_heads * d_k, d_k)
    v = linear(d_model, n_heads * d_v, d_v)
    o = linear(d_v, d_model, d_model)
    return q + k + v + o


# counts W_O as a square matrix of d_model by d_model, though it has n_heads * d_v rows AND counts
# each bias of the queries, keys and values with d_model numbers, though it is as long as their
# width
@wrong(author="unseen")
def second_mh_square_output_and_biases(d_model, n_heads, d_k, d_v, biases):
    shapes = {
        "W_Q": (d_model, n_heads * d_k),
        "W_K": (d_model, n_heads * d_k),
        "W_V": (d_model, n_heads * d_v),
        "W_O": (d_model, d_model),
    }
    total = sum(rows * columns for rows, columns in shapes.values())
    if biases:
        total += d_model * len(shapes)
    return total


# makes the vector of biases as long as a row of the map's input, not of its result
@wrong(author="unseen")
def third_mh_bias_of_input(d_model, n_heads, d_k, d_v, biases):
    class Linear:
        def __init__(self, d_in, d_out):
            self.weight = d_in * d_out
            self.bias = d_in if biases else 0

        def count(self):
            return self.weight + self.bias

    layers = [
        Linear(d_model, n_heads * d_k),
        Linear(d_model, n_heads * d_k),
        Linear(d_model, n_heads * d_v),
        Linear(n_heads * d_v, d_model),
    ]
    return sum(layer.count() for layer in layers)


# counts the key matrix with d_v columns AND counts a bias for the output for each head
@wrong(author="unseen")
def fourth_mh_two_counts(d_model, n_heads, d_k, d_v, biases):
    total = 0
    for _ in range(n_heads):
        total += d_model * d_k + d_model * d_v + d_model * d_v + d_v * d_model
        if biases:
            total += 2 * d_k + d_v + d_model
    return total


# the bias of W_O is given the length of its input instead of its output
@wrong("output-bias-of-width-d-v", author="blind")
def b6_multi_head_4(d_model, n_heads, d_k, d_v, biases):
    n_qk = d_model * n_heads * d_k
    n_v = d_model * n_heads * d_v
    total = 2 * n_qk + n_v + n_heads * d_v * d_model
    if biases:
        total += 2 * n_heads * d_k + n_heads * d_v + n_heads * d_v
    return total


# every bias is counted with d_model numbers, also those of W_Q, W_K and W_V, whose results have
# n_heads d_k or n_heads d_v features
@wrong("biases-of-width-d-model", author="blind")
def b7_multi_head_39(d_model, n_heads, d_k, d_v, biases):
    w_q = d_model * n_heads * d_k
    w_k = d_model * n_heads * d_k
    w_v = d_model * n_heads * d_v
    w_o = n_heads * d_v * d_model
    total = w_q + w_k + w_v + w_o
    if biases:
        total += 4 * d_model
    return total


# the output's bias is counted for each head
@wrong("output-bias-per-head", author="blind")
def blind_np_output_bias_per_head(d_model, n_heads, d_k, d_v, biases):
    per_head = d_model * (2 * d_k + 2 * d_v)
    if biases:
        per_head += 2 * d_k + d_v + d_model
    return n_heads * per_head


# the keys' matrix (and bias) is not counted, Q only AND biases are counted even if biases is False
@wrong("keys-missing", "always-biases", author="blind")
def v40_no_keys_always_biases(d_model, n_heads, d_k, d_v, biases):
    q = (d_model + 1) * n_heads * d_k
    v = (d_model + 1) * n_heads * d_v
    o = (n_heads * d_v + 1) * d_model
    return q + v + o


# W_V (and its bias) counted with d_k features instead of d_v
@wrong("values-matrix-of-width-d-k", author="blind")
def f6_l15_values(d_model, n_heads, d_k, d_v, biases):
    rows = d_model + int(biases)
    return 3 * rows * n_heads * d_k + (n_heads * d_v + int(biases)) * d_model


# the biases are counted even if there are none AND W_V is counted with d_k
@wrong("one-matrix-of-width-d-k", "always-biases", author="blind")
def n48_always_and_d_k(d_model, n_heads, d_k, d_v, biases):
    W_QKV = 3 * d_model * d_k * n_heads
    W_O = n_heads * d_v * d_model
    b = 2 * n_heads * d_k + n_heads * d_v + d_model
    return W_QKV + W_O + b


# W_V is counted with d_k columns per head AND the biases of Q, K, V are counted for one head
# only
@wrong(
    "one-matrix-of-width-d-k",
    "biases-of-one-head",
    said="15 where n_heads·d_v = 6 is right",
    author="blind",
)
def a07_dk_one_head_bias(d_model, n_heads, d_k, d_v, biases):
    count = 3 * (d_model * n_heads * d_k) + (n_heads * d_v) * d_model
    if biases:
        count = count + d_k + d_k + d_v + d_model
    return count


# W_O is counted once per head, with all its n_heads*d_v rows each time AND the biases are
# always counted
@wrong("output-in-every-head", "always-biases", author="blind")
def a08_out_per_head_always(d_model, n_heads, d_k, d_v, biases):
    N = 0
    for _ in range(n_heads):
        for width in (d_k, d_k, d_v):
            N += d_model * width + width
        N += n_heads * d_v * d_model
    N += d_model
    return N


# W_Q, W_K and W_V of one head, and each bias of width d_model
@wrong("biases-of-width-d-model", "projections-of-one-head", author="blind")
def b15_mh_one_head(d_model, n_heads, d_k, d_v, biases):
    W_Q = d_model * d_k
    W_K = d_model * d_k
    W_V = d_model * d_v
    W_O = n_heads * d_v * d_model
    b = 4 * d_model if biases else 0
    return W_Q + W_K + W_V + W_O + b
