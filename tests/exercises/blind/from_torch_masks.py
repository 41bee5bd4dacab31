import numpy as np


def from_torch_masks__1(attn_mask, key_padding_mask, is_causal):
    # mistake: the polarity is not turned
    n_q, n_k = attn_mask.shape
    m = attn_mask[None] | key_padding_mask[:, None, :]
    if is_causal:
        m = m | ~np.tri(n_q, n_k, dtype=bool)
    return m


def from_torch_masks__2(attn_mask, key_padding_mask, is_causal):
    # mistake: only attn_mask is turned round, padding not
    m = ~attn_mask[None] & key_padding_mask[:, None, :]
    if is_causal:
        m = m & np.tri(*attn_mask.shape, dtype=bool)
    return m


def from_torch_masks__3(attn_mask, key_padding_mask, is_causal):
    # mistake: causal mask aligned to the bottom right
    n_q, n_k = attn_mask.shape
    ok = ~attn_mask & ~key_padding_mask[:, None, :]
    if is_causal:
        ok &= np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    return ok


def from_torch_masks__4(attn_mask, key_padding_mask, is_causal):
    # mistake: allowed if one of the masks allows it (or for and)
    ok = ~attn_mask[None] | ~key_padding_mask[:, None, :]
    if is_causal:
        ok = ok & np.tril(np.ones(attn_mask.shape, dtype=bool))
    return ok


def from_torch_masks__8(attn_mask, key_padding_mask, is_causal):
    # mistakes: the padding is forgotten; past and future are exchanged in the causal mask
    ok = np.repeat(~attn_mask[None], len(key_padding_mask), axis=0)
    if is_causal:
        ok = ok & np.triu(np.ones(attn_mask.shape, dtype=bool))
    return ok
