import numpy as np


def online_softmax__1(scores, tile):
    # mistake: every tile gets a softmax of its own
    n = scores.shape[-1]
    out = np.zeros(scores.shape)
    for a in range(0, n, tile):
        s = scores[..., a : a + tile]
        m = s.max(axis=-1, keepdims=True)
        m = np.where(np.isinf(m), 0, m)
        e = np.exp(s - m)
        l = e.sum(axis=-1, keepdims=True)
        out[..., a : a + tile] = e / np.where(l == 0, 1, l)
    return out


def online_softmax__2(scores, tile):
    # mistake: the sum so far is not shrunk when the maximum grows
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(m.shape)
    for a in range(0, n, tile):
        s = scores[..., a : a + tile]
        m = np.maximum(m, s.max(axis=-1, keepdims=True))
        l = l + np.exp(s - np.where(np.isinf(m), 0, m)).sum(-1, keepdims=True)
    ref = np.where(np.isinf(m), 0, m)
    return np.exp(scores - ref) / np.where(l == 0, 1, l)


def online_softmax__10(scores, tile):
    # mistake: tiles are cut from the first axis
    m = np.full(scores.shape[1:], -np.inf)
    l = np.zeros(m.shape)
    for a in range(0, len(scores), tile):
        s = scores[a : a + tile]
        new = np.maximum(m, s.max(axis=0))
        ref = np.where(np.isinf(new), 0, new)
        l = l * np.exp(m - ref) + np.exp(s - ref).sum(axis=0)
        m = new
    return np.exp(scores - np.where(np.isinf(m), 0, m)) / np.where(l == 0, 1, l)


def online_softmax__11(scores, tile):
    # mistake: a row of -inf alone becomes equal weights
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(m.shape)
    for a in range(0, scores.shape[-1], tile):
        s = scores[..., a : a + tile]
        new = np.maximum(m, s.max(-1, keepdims=True))
        ref = np.where(np.isinf(new), 0, new)
        l = l * np.exp(m - ref) + np.exp(s - ref).sum(-1, keepdims=True)
        m = new
    w = np.exp(scores - np.where(np.isinf(m), 0, m)) / np.where(l == 0, 1, l)
    return np.where(np.isinf(m), 1 / scores.shape[-1], w)


def online_softmax__12(scores, tile):
    # mistakes: sum not rescaled; last short tile dropped
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(m.shape)
    for t in range(n // tile):
        s = scores[..., t * tile : (t + 1) * tile]
        m = np.maximum(m, s.max(-1, keepdims=True))
        l += np.exp(s - np.where(np.isinf(m), 0, m)).sum(-1, keepdims=True)
    return np.exp(scores - np.where(np.isinf(m), 0, m)) / np.where(l == 0, 1, l)
