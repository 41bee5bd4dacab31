import numpy as np


def gpt_parameters__1(n_layers, d_model, n_vocab, n_ctx):
    # mistake: the last step is counted as a matrix of its own
    d = d_model
    block = 4 * (d * d + d) + 2 * 4 * d * d + 4 * d + d + 4 * d
    return 2 * n_vocab * d + n_ctx * d + n_layers * block + 2 * d


def gpt_parameters__2(n_layers, d_model, n_vocab, n_ctx):
    # mistake: the six matrices have no biases
    d = d_model
    return (n_vocab + n_ctx) * d + n_layers * (12 * d**2 + 4 * d) + 2 * d


def gpt_parameters__3(n_layers, d_model, n_vocab, n_ctx):
    # mistake: final layer norm forgotten
    d = d_model
    att = 4 * d * d + 4 * d
    ff = 8 * d * d + 5 * d
    return n_vocab * d + n_ctx * d + n_layers * (att + ff + 4 * d)


def gpt_parameters__4(n_layers, d_model, n_vocab, n_ctx):
    # mistake: both biases of the feed-forward network counted with d_ff
    d = d_model
    return (
        d * (n_vocab + n_ctx)
        + n_layers * (12 * d * d + 4 * d + 8 * d + 4 * d)
        + 2 * d
    )


def gpt_parameters__8(n_layers, d_model, n_vocab, n_ctx):
    # mistakes: d_ff taken as d_model; one layer norm per block
    d = d_model
    return (n_vocab + n_ctx) * d + n_layers * (6 * (d * d + d) + 2 * d) + 2 * d
