"""Answers to `gpt_parameters`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


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
def gp_untied_no_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return 2 * n_vocab * d + n_ctx * d + n_layers * (12 * d * d + 4 * d) + 2 * d


@wrong()
def gp_norm_per_layer_three(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 15 * d)


@wrong()
def gp_text(n_layers, d_model, n_vocab, n_ctx):
    return "124M"


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


# counts the final layer norm once in each block, not once in all
@wrong("final-in-every-block", author="fresh")
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


# forgets the final norm
@wrong("no-final-norm", author="blind")
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


# d_ff is hard-coded as 3072, right only for d_model = 768
@wrong("hard-coded", author="blind")
def k33_hard_coded(n_layers, d_model, n_vocab, n_ctx):
    d_ff = 3072
    total = d_model * (n_vocab + n_ctx)
    for _ in range(n_layers):
        total += 2 * (2 * d_model)
        for _ in "QKVO":
            total += d_model * d_model + d_model
        total += d_model * d_ff + d_ff
        total += d_ff * d_model + d_model
    total += 2 * d_model
    return total


# returns the number in millions, rounded (124), not the whole number
@wrong("no-number", said="in millions", author="blind")
def k35_millions(n_layers, d_model, n_vocab, n_ctx):
    block = 12 * d_model**2 + 13 * d_model
    everything = n_layers * block + d_model * (n_vocab + n_ctx + 2)
    return round(everything / 1_000_000)


# forgets the final layer norm AND the bias of W_O
@wrong("terms", said="0 × d_model outside the blocks", author="blind")
def k60_final_and_bias(n_layers, d_model, n_vocab, n_ctx):
    embeddings = n_vocab * d_model + n_ctx * d_model
    qkv = 3 * (d_model * d_model + d_model)
    proj = d_model * d_model
    ff = 2 * 4 * d_model * d_model + 4 * d_model + d_model
    ln = 2 * (d_model + d_model)
    return embeddings + n_layers * (qkv + proj + ff + ln)


# counts a separate output matrix (n_vocab x d_model) AND forgets the final layer norm
@wrong("untied", "no-final-norm", author="blind")
def y33_head_nonorm(n_layers, d_model, n_vocab, n_ctx):
    wte = n_vocab * d_model
    wpe = n_ctx * d_model
    lm_head = d_model * n_vocab
    attn = 4 * d_model * (d_model + 1)
    mlp = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    ln = 2 * d_model
    return wte + wpe + n_layers * (ln + attn + ln + mlp) + lm_head


# the token vectors are counted twice (an output matrix of its own) AND the position vectors are
# forgotten
@wrong("untied", "no-positions", author="blind")
def p19_untied_no_positions(n_layers, d_model, n_vocab, n_ctx):
    tok = n_vocab * d_model
    block = 12 * d_model**2 + 9 * d_model + 4 * d_model
    lm_head = d_model * n_vocab
    ln_f = 2 * d_model
    return tok + n_layers * block + ln_f + lm_head


# the biases of the four matrices of attention are missing
@wrong("four-vectors", author="blind")
def t34_no_attention_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    emb = n_vocab * d + n_ctx * d
    att = 4 * d * d
    ff = d * 4 * d + 4 * d + 4 * d * d + d
    ln = 2 * 2 * d
    return emb + n_layers * (att + ff + ln) + 2 * d


# Positions count n_ctx numbers, not n_ctx vectors of d_model AND only one layer norm per block.
@wrong("numbers-for-positions", "one-norm", author="blind")
def blind_positions_and_one_norm(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    total = n_vocab * d + n_ctx
    for _ in range(n_layers):
        for _ in ("Q", "K", "V", "O"):
            total += d * d + d
        total += d * 4 * d + 4 * d
        total += 4 * d * d + d
        total += d + d
    total += d + d
    return total


# each bias of attention is one number instead of d_model AND only one layer norm per block
@wrong("one-bias-each", "one-norm", author="blind")
def n21_single_bias_and_one_norm(n_layers, d_model, n_vocab, n_ctx):
    def layer_norm():
        return 2 * d_model

    total = d_model * (n_vocab + n_ctx)
    for _ in range(n_layers):
        total += 4 * (d_model**2 + 1)
        total += layer_norm()
        total += 8 * d_model**2 + 4 * d_model + d_model
    total += layer_norm()
    return total
