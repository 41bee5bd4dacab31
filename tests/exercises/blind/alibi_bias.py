import numpy as np


def alibi_bias__1(n_heads, n_q):
    # mistake: heads are numbered from 0, so the first slope is 1
    h = np.arange(n_heads)
    slopes = 2.0 ** (-8 * h / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i[None, :])


def alibi_bias__2(n_heads, n_q):
    # mistake: sign, the bias grows with distance
    i, j = np.indices((n_q, n_q))
    lam = np.array([2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)])
    return lam.reshape(-1, 1, 1) * (i - j)


def alibi_bias__3(n_heads, n_q):
    # mistake: slopes 1/2, 1/4, 1/8 ... whatever the number of heads
    out = np.zeros((n_heads, n_q, n_q))
    for h in range(1, n_heads + 1):
        for i in range(n_q):
            for j in range(i + 1):
                out[h - 1, i, j] = -(0.5**h) * (i - j)
    return out


def alibi_bias__7(n_heads, n_q):
    # mistake: the position of the query is used, not its distance from the key
    h = np.arange(1, n_heads + 1)
    lam = 2.0 ** (-8 * h / n_heads)
    return -lam[:, None, None] * np.tile(np.arange(n_q)[:, None], (1, n_q))


def alibi_bias__8(n_heads, n_q):
    # mistakes: slopes in reverse order of the heads; distance counted one too large
    lam = [2.0 ** (-8 * h / n_heads) for h in range(n_heads, 0, -1)]
    d = np.arange(n_q)[:, None] - np.arange(n_q)[None] + 1
    return np.stack([-l * d for l in lam])
