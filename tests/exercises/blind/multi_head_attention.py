import numpy as np


def multi_head_attention__1(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    # mistake: scaled by sqrt(d_model) and not by sqrt(d_k)
    n, d = X.shape[-2:]

    def sp(Z):
        return np.swapaxes(Z.reshape(*Z.shape[:-1], n_heads, d // n_heads), -3, -2)

    Q, K, V = sp(X @ W_Q), sp(X @ W_K), sp(X @ W_V)
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    S = np.where(mask, S, -np.inf)
    A = np.exp(S - S.max(-1, keepdims=True))
    A /= A.sum(-1, keepdims=True)
    return np.swapaxes(A @ V, -3, -2).reshape(X.shape) @ W_O


def multi_head_attention__2(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    # mistake: W_O is forgotten
    heads = []
    dk = X.shape[-1] // n_heads
    for h in range(n_heads):
        c = slice(h * dk, (h + 1) * dk)
        q, k, v = X @ W_Q[:, c], X @ W_K[:, c], X @ W_V[:, c]
        s = np.where(mask, q @ np.swapaxes(k, -1, -2) / np.sqrt(dk), -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        heads.append(e / e.sum(axis=-1, keepdims=True) @ v)
    return np.concatenate(heads, axis=-1)


def multi_head_attention__3(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    # mistake: heads made by reshape to (n_heads, n, d_k) and back without swaps
    n, d = X.shape[-2:]
    shape = X.shape[:-2] + (n_heads, n, d // n_heads)
    Q, K, V = [(X @ W).reshape(shape) for W in (W_Q, W_K, W_V)]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // n_heads)
    S = np.where(mask, S, -1e30)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return (A @ V).reshape(X.shape) @ W_O


def multi_head_attention__4(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    # mistake: softmax normalizes over the queries (axis -2)
    d = X.shape[-1]
    dk = d // n_heads
    out = []
    for h in range(n_heads):
        c = slice(h * dk, (h + 1) * dk)
        S = (X @ W_Q)[..., c] @ np.swapaxes((X @ W_K)[..., c], -1, -2) / dk**0.5
        S = np.where(mask, S, -1e30)
        A = np.exp(S - S.max(axis=-2, keepdims=True))
        A = A / A.sum(axis=-2, keepdims=True)
        out.append(A @ (X @ W_V)[..., c])
    return np.concatenate(out, -1) @ W_O


def multi_head_attention__13(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    # mistakes: mask inverted; scaled by sqrt(d_model)
    d = X.shape[-1]
    dk = d // n_heads
    parts = []
    for h in range(n_heads):
        c = slice(h * dk, h * dk + dk)
        s = (X @ W_Q[:, c]) @ np.swapaxes(X @ W_K[:, c], -1, -2) / np.sqrt(d)
        s = np.where(~mask, s, -1e9)
        e = np.exp(s - s.max(-1, keepdims=True))
        parts.append(e / e.sum(-1, keepdims=True) @ (X @ W_V[:, c]))
    return np.concatenate(parts, axis=-1) @ W_O
