"""Answers to `gpt_parameters`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def gp_closed(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return d * (n_vocab + n_ctx + 2) + n_layers * d * (12 * d + 13)


@right()
def gp_shapes(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = [(d,)] * 4
    block += [(d, 3 * d), (3 * d,), (d, d), (d,)]
    block += [(d, 4 * d), (4 * d,), (4 * d, d), (d,)]
    shapes = [(n_vocab, d), (n_ctx, d), (d,), (d,)] + block * n_layers
    return sum(int(np.prod(shape)) for shape in shapes)


@right()
def gp_numpy_integer(n_layers, d_model, n_vocab, n_ctx):
    d = np.int64(d_model)
    return d * (n_vocab + n_ctx + 2) + n_layers * d * (12 * d + 13)


@right()
def gp_torch(n_layers, d_model, n_vocab, n_ctx):
    import torch

    d = d_model

    def embedding(n):
        # Drawing numbers on the device "meta" would import PyTorch's compiler, for seconds.
        return torch.nn.Embedding.from_pretrained(torch.empty(n, d, device="meta"))

    with torch.device("meta"):
        block = torch.nn.TransformerEncoderLayer(d, 1, 4 * d)
        rest = [embedding(n_vocab), embedding(n_ctx), torch.nn.LayerNorm(d)]

    def count(module):
        return sum(p.numel() for p in module.parameters())

    return n_layers * count(block) + sum(map(count, rest))


@right(author="fresh")
def fresh_gp_shapes(n_layers, d_model, n_vocab, n_ctx):
    d, d_ff = d_model, 4 * d_model
    norm = [(d,), (d,)]
    block = [(d, d), (d,)] * 4 + [(d, d_ff), (d_ff,), (d_ff, d), (d,)] + norm * 2
    shapes = [(n_vocab, d), (n_ctx, d)] + block * n_layers + norm
    return sum(math.prod(shape) for shape in shapes)


@right(author="fresh")
def fresh_gp_polynomial(n_layers, d_model, n_vocab, n_ctx):
    return (n_layers * (12 * d_model + 13) + n_vocab + n_ctx + 2) * d_model


@wrong()
def gp_constant(n_layers, d_model, n_vocab, n_ctx):
    return 124_439_808


@wrong()
def gp_rounded(n_layers, d_model, n_vocab, n_ctx):
    return 124e6


@wrong()
def gp_untied_no_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return 2 * n_vocab * d + n_ctx * d + n_layers * (12 * d * d + 4 * d) + 2 * d


@wrong()
def gp_norm_per_layer_three(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 15 * d)


@wrong()
def gp_heads_multiply(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (
        12 * (4 * d * d + 4 * d) + 8 * d * d
    )


@wrong()
def gp_text(n_layers, d_model, n_vocab, n_ctx):
    return "124M"


# biases of attention outside of the loop
@wrong()
def gp_attention_biases_once(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * d * d + (d * 4 * d + 4 * d) + (4 * d * d + d) + 2 * 2 * d
    return d * (n_vocab + n_ctx) + n_layers * block + 4 * d + 2 * d


# embeddings are not in every block
@wrong()
def gp_embedding_in_each_layer(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    per_layer = 4 * (d * d + d) + 8 * d * d + 5 * d + 4 * d + n_vocab * d
    return n_layers * per_layer + n_ctx * d + 2 * d


# the last step has no bias
@wrong()
def gp_output_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 13 * d) + n_vocab


# a norm has a bias, too
@wrong("gains-only")
def gp_rms_norms(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * (d * d + d) + (4 * d * d + 4 * d) + (4 * d * d + d) + 2 * d
    return (n_vocab + n_ctx) * d + n_layers * block + d


# counts a matrix for the last step of its own, though it uses the token vectors again
@wrong(author="fresh")
def fresh_gp_untied(n_layers, d_model, n_vocab, n_ctx):
    def linear(n_in, n_out):
        return n_in * n_out + n_out

    norm = 2 * d_model
    attention = 4 * linear(d_model, d_model)
    mlp = linear(d_model, 4 * d_model) + linear(4 * d_model, d_model)
    start = (n_vocab + n_ctx) * d_model
    return (
        start + n_layers * (2 * norm + attention + mlp) + norm + d_model * n_vocab
    )


# counts the final layer norm once in each block, not once in all
@wrong(author="fresh")
def fresh_gp_norm_in_loop(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    total = n_vocab * d
    total += n_ctx * d
    for _ in range(n_layers):
        for _ in "QKVO":
            total += d * d + d
        total += d * (4 * d) + 4 * d
        total += (4 * d) * d + d
        for _ in ("norm_1", "norm_2", "final"):
            total += d + d
    return total


# counts the d_model biases of W_1 where there are 4 d_model AND gives a layer norm a gain only, no
# bias
@wrong(author="fresh")
def fresh_gp_recursive(n_layers, d_model, n_vocab, n_ctx):
    if n_layers == 0:
        return d_model * (n_vocab + n_ctx) + d_model
    block = 12 * d_model**2 + 6 * d_model + 2 * d_model
    return block + fresh_gp_recursive(n_layers - 1, d_model, n_vocab, n_ctx)


# counts only one of the two matrices of the feed-forward network
@wrong(author="fresh")
def fresh_gp_one_matrix(n_layers, d_model, n_vocab, n_ctx):
    d_ff = 4 * d_model
    weights = 4 * d_model**2 + d_model * d_ff
    biases = 4 * d_model + d_ff + d_model
    norms = 2 * (d_model + d_model)
    per_layer = weights + biases + norms
    return n_layers * per_layer + d_model * (n_vocab + n_ctx + 2)


# gives the first matrix of the feed-forward network a bias of width d_model instead of 4 d_model
# AND counts the token vectors a second time for the last step
@wrong(author="unseen")
def second_blk_counter(n_layers, d_model, n_vocab, n_ctx):
    class Counter:
        def __init__(self):
            self.total = 0

        def table(self, rows):
            self.total += rows * d_model

        def linear(self, width_in, width_out):
            self.total += width_in * width_out + d_model

        def norm(self):
            self.total += 2 * d_model

        def block(self):
            self.norm()
            for _ in "QKVO":
                self.linear(d_model, d_model)
            self.norm()
            self.linear(d_model, 4 * d_model)
            self.linear(4 * d_model, d_model)

    count = Counter()
    count.table(n_vocab)
    count.table(n_ctx)
    for _ in range(n_layers):
        count.block()
    count.norm()
    count.table(n_vocab)
    return count.total


# gives the second layer of the feed-forward network a bias of 4 d_model numbers instead of d_model
# AND counts the position vectors once in every block instead of once in all
@wrong(author="unseen")
def third_bl_biases_and_positions(n_layers, d_model, n_vocab, n_ctx):
    class Counter:
        total = 0

        def matrix(self, rows, columns):
            self.total += rows * columns

        def vector(self, width):
            self.total += width

    count = Counter()
    count.matrix(n_vocab, d_model)
    for _ in range(n_layers):
        count.matrix(n_ctx, d_model)
        for _ in "QKVO":
            count.matrix(d_model, d_model)
            count.vector(d_model)
        for rows, columns in [(d_model, 4 * d_model), (4 * d_model, d_model)]:
            count.matrix(rows, columns)
            count.vector(4 * d_model)
        for _ in ("gain 1", "bias 1", "gain 2", "bias 2"):
            count.vector(d_model)
    count.vector(2 * d_model)
    return count.total


# counts three matrices in attention instead of four AND one norm per block instead of two
@wrong(said="11 × n_layers · d_model²", author="unseen")
def fourth_blk_three_and_one(n_layers, d_model, n_vocab, n_ctx):
    def linear(a, b):
        return a * b + b

    block = (
        3 * linear(d_model, d_model)
        + linear(d_model, 4 * d_model)
        + linear(4 * d_model, d_model)
        + 2 * d_model
    )
    return (n_vocab + n_ctx) * d_model + n_layers * block + 2 * d_model


# the last step gets a matrix of its own (tokens counted twice), and the first feed-forward bias is
# given d_model entries instead of 4 d_model
@wrong("terms", author="blind")
def b6_block_7(n_layers, d_model, n_vocab, n_ctx):
    embed = n_vocab * d_model + n_ctx * d_model
    attn = 4 * (d_model * d_model + d_model)
    d_ff = 4 * d_model
    ff = 2 * d_model * d_ff + 2 * d_model
    norms = 2 * 2 * d_model
    unembed = d_model * n_vocab
    return embed + n_layers * (attn + ff + norms) + 2 * d_model + unembed


# forgets the final norm
@wrong("terms", said="you leave out the layer norm", author="blind")
def own_block_4(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * (d * d + d) + (d * 4 * d + 4 * d) + (4 * d * d + d) + 4 * d
    return n_vocab * d + n_ctx * d + n_layers * block


# every one of the six biases is counted with d_model numbers, although the first of the
# feed-forward network has 4 d_model
@wrong("vectors-10", author="blind")
def b7_block_52(n_layers, d_model, n_vocab, n_ctx):
    emb = n_vocab * d_model + n_ctx * d_model
    attn = 4 * d_model**2
    ffn = 2 * d_model * (4 * d_model)
    bias = 6 * d_model
    norms = 2 * 2 * d_model
    block = attn + ffn + bias + norms
    final = 2 * d_model
    return emb + n_layers * block + final
