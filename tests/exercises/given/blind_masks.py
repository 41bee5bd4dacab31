"""Wrong answers to the exercises of `masks`, written blind in three rounds, and what they are told."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "causal_mask",
    "wrong-entry",
    said="the two sides of `-` are swapped",
    mistake="the offset has the wrong sign (n_q - n_k)",
)
def b6_masks_1(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    offset = n_q - n_k
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j <= i + offset
    return mask


@wrong(
    "masked_softmax",
    "empty-uniform",
    mistake="fills with -1e9, so a row with nothing allowed gets equal weights, not zeros",
)
def b6_masks_2(scores, mask):
    s = np.where(mask, scores, -1e9)
    s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "padding_mask",
    "filled-in-front",
    mistake="takes the padding to come first (real keys at the end)",
)
def b6_masks_3(lengths, n_k):
    cols = np.arange(n_k)
    real = cols[None, :] >= n_k - np.asarray(lengths)[:, None]
    return real[:, None, :]


@wrong(
    "from_torch_masks",
    "or",
    mistake="a key is dropped only if *both* masks drop it (and instead of or)",
)
def b6_masks_4(attn_mask, key_padding_mask, is_causal):
    drop = attn_mask[None, :, :] & key_padding_mask[:, None, :]
    allowed = ~drop
    if is_causal:
        n_q, n_k = attn_mask.shape
        allowed = allowed & np.tri(n_q, n_k, dtype=bool)
    return allowed


@wrong(
    "find_leak",
    "only-next",
    mistake="changes only the input right after i, so a leak from farther ahead is missed",
)
def b6_masks_5(model, X):
    base = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1] = changed[i + 1] + 1.0
        new = model(changed)
        if not np.allclose(new[i], base[i], rtol=1e-8, atol=1e-10):
            return i
    return None


@wrong(
    "causal_attention_torch",
    "gradient",
    said="`nan_to_num` or `masked_fill` hides",
    mistake="adds -inf and turns the NaN of an empty row to 0 afterwards: the outputs are right, the gradients NaN",
)
def b6_masks_6(Q, K, V):
    n_q, n_k, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    future = torch.ones(n_q, n_k, dtype=torch.bool).triu(1 + n_k - n_q)
    bias = torch.zeros(n_q, n_k, dtype=Q.dtype).masked_fill(future, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores + bias, dim=-1), nan=0.0)
    return weights @ V


@wrong(
    "causal_attention",
    "top-left",
    "after-softmax",
    said="First: Your mask",
    mistake="multiplies the weights by the mask after the softmax, and aligns the mask to the top left",
)
def b6_masks_7(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    A = my_softmax(S)
    A = np.tril(A)
    return A @ V


@wrong(
    "from_torch_masks",
    "padding-unchanged",
    "bottom-right",
    mistake="the padding mask is not turned around, and the causal mask is aligned to the bottom right",
)
def b6_masks_8(attn_mask, key_padding_mask, is_causal):
    n_q, n_k = attn_mask.shape
    ours = np.logical_not(attn_mask)
    if is_causal:
        rows = np.arange(n_q)[:, None]
        ours = ours & (np.arange(n_k)[None, :] <= rows + n_k - n_q)
    return ours[None] & key_padding_mask[:, None, :]


@wrong(
    "masked_softmax",
    "fill-zero",
    mistake="hidden scores are set to 0 before the softmax",
)
def own_masks_1(scores, mask):
    s = np.where(mask, scores, 0.0)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "padding_mask", "one-for-all", mistake="one mask for all (the longest length)"
)
def own_masks_2(lengths, n_k):
    lengths = np.asarray(lengths)
    m = np.arange(n_k) < lengths.max()
    return np.broadcast_to(m, (len(lengths), 1, n_k)).copy()


@wrong(
    "causal_attention",
    "not-itself",
    "unscaled",
    said="Second: The scores",
    mistake="strictly lower triangle and no scaling",
)
def own_masks_3(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = Q @ K.swapaxes(-1, -2)
    allowed = np.tril(np.ones((n_q, n_k), dtype=bool), n_k - n_q - 1)
    S = np.where(allowed, S, -np.inf)
    top = S.max(axis=-1, keepdims=True)
    E = np.exp(S - np.where(np.isneginf(top), 0, top))
    total = E.sum(axis=-1, keepdims=True)
    return (E / np.where(total == 0, 1, total)) @ V


@wrong(
    "find_leak",
    "elsewhere",
    said="is `j` the right one here",
    mistake="returns the position that it changed, not the one that noticed",
)
def own_masks_4(model, X):
    base = model(X)
    for j in range(1, len(X)):
        Y = X.copy()
        Y[j] += 1.0
        out = model(Y)
        for i in range(j):
            if not np.allclose(out[i], base[i]):
                return j
    return None


@wrong(
    "causal_mask",
    "shift-cut-at-0",
    mistake="the offset is cut off at 0, so that with more queries than keys the first queries see keys",
)
def b7_masks_31(n_q, n_k):
    offset = max(0, n_k - n_q)
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        mask[i, : i + offset + 1] = True
    return mask


@wrong(
    "masked_softmax",
    "renormalized-late-guarded",
    mistake="the shift is the maximum over all scores, forbidden ones included, so the allowed powers underflow and the row becomes zeros",
)
def b7_masks_32(scores, mask):
    shift = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - shift) * mask
    total = powers.sum(axis=-1, keepdims=True)
    return np.where(total > 0, powers / np.where(total > 0, total, 1), 0.0)


@wrong(
    "causal_attention",
    "top-left",
    "fill-zero",
    mistake="(two) multiplies the scores with the mask, which makes them 0 and not -inf, and aligns the mask to the top left",
)
def b7_masks_33(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    M = np.tril(np.ones((n_q, n_k)))
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    S = S * M
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ V


@wrong(
    "from_torch_masks",
    "or",
    mistake='combines "drop" and "padding" by and before it negates (De Morgan): a key is lost only if both masks drop it',
)
def b7_masks_34(attn_mask, key_padding_mask, is_causal):
    drop = attn_mask[None, :, :] & key_padding_mask[:, None, :]
    allowed = ~drop
    if is_causal:
        n_q, n_k = attn_mask.shape
        allowed = allowed & np.tri(n_q, n_k, dtype=bool)
    return allowed


@wrong(
    "find_leak",
    "fails-two",
    "elsewhere",
    mistake="returns the leak that the first changed input shows, not the smallest position over all inputs (an earlier position may depend on a later input)",
)
def b7_masks_35(model, X):
    base = model(X)
    n = len(X)
    for j in range(1, n):
        changed = X.copy()
        changed[j] = changed[j] + 1.0
        out = model(changed)
        for i in range(j):
            if not np.allclose(out[i], base[i], rtol=1e-7, atol=1e-9):
                return i
    return None


@wrong(
    "causal_attention_torch",
    "gradient",
    mistake="repairs the NaN of rows that see nothing by nan_to_num on the output only, so that the gradient of V is NaN",
)
def b7_masks_36(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    i = torch.arange(n_q)[:, None]
    j = torch.arange(n_k)[None, :]
    allowed = j <= i + n_k - n_q
    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    scores = scores.masked_fill(~allowed, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ V
    return torch.nan_to_num(out, nan=0.0)


@wrong(
    "masked_softmax",
    "fails-empty",
    "branch",
    said="as soon as this holds, all numbers come from one branch. Those that are wrong now would be right without it: which of them is it meant for?",
    mistake="one empty row makes all zero",
)
def own_masks_101(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    if not mask.any(axis=-1).all():
        return np.zeros_like(scores)
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
