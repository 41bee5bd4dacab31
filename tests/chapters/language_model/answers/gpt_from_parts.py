"""Answers to `gpt_from_parts`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def gp_causal_mask(tokens, E, P, blocks, norm):
    from course_attn.in_numpy import causal_mask

    X = E[tokens]
    X = X + P[: tokens.shape[-1]]
    mask = causal_mask(tokens.shape[-1], tokens.shape[-1])
    for block in blocks:
        X = block(X, mask=mask)
    return np.einsum("...nd,vd->...nv", norm(X), E)


@right()
def gp_reduce(tokens, E, P, blocks, norm):
    from functools import reduce

    n = tokens.shape[-1]
    i = np.arange(n)
    see = i[:, None] >= i
    return norm(reduce(lambda X, f: f(X, see), blocks, E[tokens] + P[i])) @ E.T


@right()
def gp_one_hot(tokens, E, P, blocks, norm):
    one_hot = np.eye(len(E))[tokens]
    H = one_hot @ E + P[0 : one_hot.shape[-2]]
    mask = ~np.triu(np.ones((H.shape[-2], H.shape[-2]), dtype=bool), 1)
    for layer in range(len(blocks)):
        H = blocks[layer](H, mask)
    return np.dot(norm(H), E.T)


@right()
def gp_text_by_text(tokens, E, P, blocks, norm):
    if tokens.ndim > 1:
        return np.stack([gp_text_by_text(t, E, P, blocks, norm) for t in tokens])
    X = np.array([E[token] + P[i] for i, token in enumerate(tokens)])
    mask = np.tril(np.ones((len(X), len(X)))) == 1
    for block in blocks:
        X = block(X, mask)
    X = norm(X)
    return np.array([[x @ e for e in E] for x in X])


@right()
def gp_growing_text(tokens, E, P, blocks, norm):
    """Row i needs only what came up to i: a model that reads prefixes."""
    rows = []
    for end in range(1, tokens.shape[-1] + 1):
        X = np.take(E, tokens[..., :end], axis=0) + P[:end]
        for block in blocks:
            X = block(X, np.tri(end, dtype=bool))
        rows.append(norm(X)[..., -1, :] @ E.T)
    return np.stack(rows, axis=-2)


# n is the number of texts in a batch
@wrong("texts-counted")
def gp_len(tokens, E, P, blocks, norm):
    n = len(tokens)
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X) @ E.T


# the norm before the unembedding is also added in each block
@wrong("norm-of-the-stream")
def gp_norm_before_each(tokens, E, P, blocks, norm):
    X = E[tokens] + P[: tokens.shape[-1]]
    mask = np.tri(tokens.shape[-1], dtype=bool)
    for block in blocks:
        X = block(norm(X), mask)
    return norm(X) @ E.T


# the blocks all read the embeddings and the last one wins
@wrong("each-from-the-start")
def gp_overwritten(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        H = block(X, np.tri(n, dtype=bool))
    return norm(H) @ E.T


# a mask of numbers, -inf where hidden
@wrong("mask-of-numbers")
def gp_additive_mask(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    mask = np.triu(np.full((n, n), -np.inf), 1)
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, mask)
    return norm(X) @ E.T


# the likeliest tokens instead of the logits
@wrong("likeliest")
def gp_argmax(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return (norm(X) @ E.T).argmax(axis=-1)


# a mask for each block made from E's rows
@wrong(author="blind")
def blind_gp_vocab_mask(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    mask = np.tri(n)
    for block in blocks:
        X = block(X, mask * X @ np.swapaxes(X, -1, -2) > 0)
    return norm(X) @ E.T


# multiplies by the positions
@wrong(author="blind")
def blind_gp_times(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] * P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X) @ E.T


# the mask for the first block only
@wrong(author="blind")
def blind_gp_mask_once(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = blocks[0](E[tokens] + P[:n], np.tri(n, dtype=bool))
    for block in blocks[1:]:
        X = block(X)
    return norm(X) @ E.T


# The norm is applied before the first block instead of after the last; The mask is the upper
# triangle: each position sees itself and the later ones
@wrong("mask-turned", "norm-first", author="blind")
def fc_25(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = norm(E[tokens] + P[:n])
    mask = np.triu(np.ones((n, n), dtype=bool))
    for block in blocks:
        X = block(X, mask)
    return X @ E.T


# the logits of the last place only
@wrong("last-place-only", author="blind")
def bl_gp_last(tokens, E, P, blocks, norm):
    T = tokens.shape[-1]
    x = np.take(E, tokens, axis=0) + P[:T]
    m = ~np.triu(np.ones((T, T), dtype=bool), 1)
    for f in blocks:
        x = f(x, m)
    x = norm(x)
    return x[..., -1, :] @ E.T


# the vectors of the tokens times the root of d_model
@wrong("scaled-vectors", author="blind")
def bl_gp_sqrt(tokens, E, P, blocks, norm):
    n, d_model = tokens.shape[-1], E.shape[1]
    x = E[tokens] * np.sqrt(d_model)
    x = x + P[:n]
    mask = np.tri(n, n, dtype=bool)
    for layer in blocks:
        x = layer(x, mask)
    return norm(x) @ E.T


# the positions are added anew before every block, not just once
@wrong("positions-before-each", author="blind")
def x07_positions_again(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    causal = np.tril(np.ones((n, n), dtype=bool))
    x = E[tokens]
    for block in blocks:
        x = block(x + P[:n], causal)
    return norm(x) @ E.T


# positions counted from 1 (P[1:n+1], the last clipped) AND the final norm is applied after
# every block
@wrong("positions-from-1", "norm-in-the-loop", author="blind")
def d39_pos1_normloop(tokens, E, P, blocks, norm):
    seq_len = tokens.shape[-1]
    pos = np.minimum(np.arange(1, seq_len + 1), len(P) - 1)
    h = E[tokens] + P[pos]
    m = np.tri(seq_len, dtype=bool)
    for layer in blocks:
        h = norm(layer(h, m))
    return h @ E.T


# takes the LAST n rows of P AND applies the final norm after every block, not once at the end
@wrong("last-positions", "norm-in-the-loop", author="blind")
def t02_last_rows_norm_in_loop(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    h = E[tokens] + P[-n:]
    i = np.arange(n)
    allowed = i[:, None] >= i[None, :]
    for layer in blocks:
        h = layer(h, allowed)
        h = norm(h)
    return np.einsum("...nd,vd->...nv", h, E)


# positions from 1, so that none is left where the text is full AND no final norm
@wrong("positions-beyond", "norm-missing", author="blind")
def d53b_gpt(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[1 : n + 1]
    mask = np.tril(np.ones((n, n), dtype=bool))
    for block in blocks:
        X = block(X, mask)
    return X @ E.T


# the softmax is taken AND the last block never runs
@wrong("probabilities", "last-block-skipped", author="blind")
def d56_gpt(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    H = E[tokens] + P[:n]
    causal = np.arange(n)[:, None] >= np.arange(n)
    for k in range(len(blocks) - 1):
        H = blocks[k](H, causal)
    L = np.einsum("...nd,vd->...nv", norm(H), E)
    L = np.exp(L - L.max(-1, keepdims=True))
    return L / L.sum(-1, keepdims=True)
