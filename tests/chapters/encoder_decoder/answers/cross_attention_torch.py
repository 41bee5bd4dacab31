"""Answers to `cross_attention_torch`."""

import math

import torch
import torch.nn.functional as F

from tests.exercises.answers import right, wrong


@right()
def cat_fused(X, Z, W_Q, W_K, W_V, source_mask):
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    return F.scaled_dot_product_attention(
        Q, K, V, attn_mask=source_mask.unsqueeze(-2)
    )


@right()
def cat_masked_fill(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (X @ W_Q) @ (Z @ W_K).mT / W_Q.shape[-1] ** 0.5
    scores = scores.masked_fill(~source_mask[..., None, :], -torch.inf)
    return scores.softmax(dim=-1) @ (Z @ W_V)


@right()
def cat_added(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (
        torch.einsum("...qd,...kd->...qk", X @ W_Q, Z @ W_K) / W_Q.shape[-1] ** 0.5
    )
    bias = torch.zeros_like(source_mask, dtype=X.dtype)
    bias[~source_mask] = -1e9
    return torch.softmax(scores + bias[..., None, :], dim=-1) @ (Z @ W_V)


# True hides in `masked_fill`
@wrong("mask-inverted")
def cat_polarity(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (X @ W_Q) @ (Z @ W_K).mT / W_Q.shape[-1] ** 0.5
    scores = scores.masked_fill(source_mask[..., None, :], -torch.inf)
    return scores.softmax(dim=-1) @ (Z @ W_V)


# PyTorch's is_causal, aligned to the top left, in place of the mask
@wrong("causal-instead")
def cat_is_causal(X, Z, W_Q, W_K, W_V, source_mask):
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


# the mask is forgotten
@wrong("padding-seen")
def cat_no_mask(X, Z, W_Q, W_K, W_V, source_mask):
    return F.scaled_dot_product_attention(X @ W_Q, Z @ W_K, Z @ W_V)


# keys and values from the decoder
@wrong("all-from-x-unmasked")
def cat_self(X, Z, W_Q, W_K, W_V, source_mask):
    return F.scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)


# queries exchanged with keys and values
@wrong("exchanged-unmasked")
def cat_exchanged(X, Z, W_Q, W_K, W_V, source_mask):
    return F.scaled_dot_product_attention(Z @ W_Q, X @ W_K, X @ W_V)


# a timid fill
@wrong("reads-the-padding")
def cat_timid(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (X @ W_Q) @ (Z @ W_K).mT / W_Q.shape[-1] ** 0.5
    scores = scores.masked_fill(~source_mask[..., None, :], -1.0)
    return scores.softmax(dim=-1) @ (Z @ W_V)


# the softmax runs over the queries
@wrong()
def cat_dim(X, Z, W_Q, W_K, W_V, source_mask):
    scores = (X @ W_Q) @ (Z @ W_K).mT / W_Q.shape[-1] ** 0.5
    scores = scores.masked_fill(~source_mask[..., None, :], -torch.inf)
    return scores.softmax(dim=-2) @ (Z @ W_V)


# masked_fill with source_mask itself: fills the elements, not the padding
@wrong("mask-inverted-finite", author="blind")
def ct_blind_finite_fill(X, Z, W_Q, W_K, W_V, source_mask):
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    S = Q @ K.transpose(-1, -2) / K.shape[-1] ** 0.5
    S = S.masked_fill(source_mask[..., None, :], -1e9)
    return S.softmax(dim=-1) @ V


# mask inverted; scale forgotten (scale=1.0)
@wrong("mask-inverted-zeros", "unscaled", said="too, reads True", author="blind")
def ct_blind_inverted_unscaled(X, Z, W_Q, W_K, W_V, source_mask):
    return torch.nn.functional.scaled_dot_product_attention(
        X @ W_Q, Z @ W_K, Z @ W_V, attn_mask=~source_mask[..., None, :], scale=1.0
    )


# the mask becomes a float: 1 and 0 are added to the scores, which hides nothing
@wrong("mask-added", author="blind")
def n01_float_mask(X, Z, W_Q, W_K, W_V, source_mask):
    q, k, v = X @ W_Q, Z @ W_K, Z @ W_V
    m = source_mask.unsqueeze(-2).to(q.dtype)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m)


# Mask inverted for scaled_dot_product_attention (there True = may attend) AND scaled twice (Q
# divided by sqrt(d_k) first, SDPA does it again).
@wrong("mask-inverted-zeros", "divided-by-d", author="blind")
def blind_inverted_and_twice(X, Z, W_Q, W_K, W_V, source_mask):
    d_k = W_Q.shape[1]
    Q = (X @ W_Q) / math.sqrt(d_k)
    padding = ~source_mask
    return F.scaled_dot_product_attention(
        Q, Z @ W_K, Z @ W_V, attn_mask=padding[..., None, :]
    )
