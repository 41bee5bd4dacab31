import numpy as np


def gpt_from_parts__1(tokens, E, P, blocks, norm):
    # mistake: no positions
    n = tokens.shape[-1]
    X = E[tokens]
    mask = np.tri(n, dtype=bool)
    for b in blocks:
        X = b(X, mask)
    return norm(X) @ E.T


def gpt_from_parts__2(tokens, E, P, blocks, norm):
    # mistake: the mask is not handed to the blocks
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X)
    return norm(X) @ E.T


def gpt_from_parts__3(tokens, E, P, blocks, norm):
    # mistake: final norm forgotten
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return X @ E.T


def gpt_from_parts__4(tokens, E, P, blocks, norm):
    # mistake: a residual connection around each block, which has it inside already
    n = tokens.shape[-1]
    h = E[tokens] + P[np.arange(n)]
    causal = np.tril(np.ones((n, n))).astype(bool)
    for f in blocks:
        h = h + f(h, causal)
    return np.einsum("...d,vd->...v", norm(h), E)


def gpt_from_parts__8(tokens, E, P, blocks, norm):
    # mistakes: upper triangle as mask; the norm is applied after every block
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    mask = np.triu(np.ones((n, n), dtype=bool))
    for block in blocks:
        X = norm(block(X, mask))
    return X @ E.T
