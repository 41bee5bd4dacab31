"""Answers to `from_torch_masks`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ftm_neither(attn_mask, key_padding_mask, is_causal):
    hidden = attn_mask | key_padding_mask[:, None]
    if is_causal:
        hidden = hidden | np.triu(np.ones(attn_mask.shape, dtype=bool), k=1)
    return ~hidden


@right()
def ftm_loop(attn_mask, key_padding_mask, is_causal):
    allowed = ~attn_mask
    if is_causal:
        allowed &= np.tril(np.ones_like(allowed))
    return np.stack([allowed & ~row for row in key_padding_mask])


@right()
def ftm_where(attn_mask, key_padding_mask, is_causal):
    n_q, n_k = attn_mask.shape
    later = is_causal & (np.arange(n_k) > np.arange(n_q)[:, None])
    return np.where(
        attn_mask | later | np.expand_dims(key_padding_mask, 1), False, True
    )


@right()
def ftm_product(attn_mask, key_padding_mask, is_causal):
    kept = (
        np.logical_not(attn_mask)[None] * np.logical_not(key_padding_mask)[:, None]
    )
    return np.tril(kept) if is_causal else kept


@right()
def ftm_one_by_one(attn_mask, key_padding_mask, is_causal):
    batch, (n_q, n_k) = len(key_padding_mask), attn_mask.shape
    mask = np.zeros((batch, n_q, n_k), dtype=bool)
    for b in range(batch):
        for i in range(n_q):
            for j in range(n_k):
                if (
                    attn_mask[i, j]
                    or key_padding_mask[b, j]
                    or (is_causal and j > i)
                ):
                    continue
                mask[b, i, j] = True
    return mask


# a shape of the batch, and no padding in it
@wrong("no-padding")
def ftm_no_padding(attn_mask, key_padding_mask, is_causal):
    mask = np.tril(~attn_mask) if is_causal else ~attn_mask
    return np.repeat(mask[None], len(key_padding_mask), axis=0)


@wrong("unchanged", "never-causal")
def ftm_as_given(attn_mask, key_padding_mask, is_causal):
    return attn_mask & key_padding_mask[:, None, :]


# keeps the future with triu, where tril keeps the past
@wrong()
def ftm_upper_triangle(attn_mask, key_padding_mask, is_causal):
    mask = ~attn_mask & ~key_padding_mask[:, None, :]
    return np.triu(mask) if is_causal else mask


# `is_causal` hides a query from itself, too
@wrong()
def ftm_not_itself(attn_mask, key_padding_mask, is_causal):
    mask = ~attn_mask & ~key_padding_mask[:, None, :]
    return np.tril(mask, -1) if is_causal else mask


# negates the padding mask but not attn_mask AND aligns the causal mask to the bottom right
@wrong(said="*bottom right*", author="unseen")
def fifth_ma_half_negated(attn_mask, key_padding_mask, is_causal):
    allowed = attn_mask[None] & ~key_padding_mask[:, None]
    if is_causal:
        n_q, n_k = attn_mask.shape
        allowed = allowed & np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    return allowed


# with is_causal, attn_mask is ignored instead of being applied in addition
@wrong(said="the triangle takes the place of `attn_mask`", author="unseen")
def fifth_ma_causal_instead(attn_mask, key_padding_mask, is_causal):
    batch, n_k = key_padding_mask.shape
    n_q = attn_mask.shape[0]
    ours = np.zeros((batch, n_q, n_k), dtype=bool)
    for b in range(batch):
        for i in range(n_q):
            for j in range(n_k):
                dropped = j > i if is_causal else attn_mask[i, j]
                ours[b, i, j] = not (dropped or key_padding_mask[b, j])
    return ours


# the padding mask is not turned around, and the causal mask is aligned to the bottom right
@wrong("padding-unchanged", "bottom-right", author="blind")
def b6_masks_8(attn_mask, key_padding_mask, is_causal):
    n_q, n_k = attn_mask.shape
    ours = np.logical_not(attn_mask)
    if is_causal:
        rows = np.arange(n_q)[:, None]
        ours = ours & (np.arange(n_k)[None, :] <= rows + n_k - n_q)
    return ours[None] & key_padding_mask[:, None, :]


# the padding is put on the axis of the queries instead of the keys'
@wrong("padding-of-queries", author="blind")
def b8_padding_axis(attn_mask, key_padding_mask, is_causal):
    drop = attn_mask[None] | key_padding_mask[:, :, None]
    if is_causal:
        n_q, n_k = attn_mask.shape
        drop = drop | (np.arange(n_k) > np.arange(n_q)[:, None])
    return ~drop


# rows in which nothing is allowed are opened again, for all keys
@wrong("opened", author="blind")
def b8_opens_empty_rows(attn_mask, key_padding_mask, is_causal):
    n_q, n_k = attn_mask.shape
    may = (
        np.logical_not(attn_mask)[None] & np.logical_not(key_padding_mask)[:, None]
    )
    if is_causal:
        may &= np.tril(np.ones((n_q, n_k), bool))
    # no row may be empty, else softmax gives NaN
    may[~may.any(axis=-1)] = True
    return may


# the causal loop indexes the batch axis: allowed[i, i+1:] instead of allowed[:, i, i+1:]
@wrong(said="The triangle, on the axes of queries and keys", author="blind")
def b8_loop_on_batch(attn_mask, key_padding_mask, is_causal):
    allowed = ~(attn_mask | key_padding_mask[:, None, :])
    if is_causal:
        for i in range(attn_mask.shape[0]):
            allowed[i, i + 1 :] = False
    return allowed


# the causal mask excludes the diagonal AND attn_mask is not inverted
@wrong("attention-unchanged", "not-itself", author="blind")
def p08_both(attn_mask, key_padding_mask, is_causal):
    allowed = attn_mask.copy()
    if is_causal:
        allowed &= np.tril(np.ones(attn_mask.shape, bool), -1)
    return allowed & ~np.expand_dims(key_padding_mask, 1)


# the padding mask is not inverted (keeps exactly the padding) AND the causal triangle leaves out
# the diagonal
@wrong("padding-unchanged", "not-itself", author="blind")
def w15_both(attn_mask, key_padding_mask, is_causal):
    m = ~attn_mask
    m = m[None, :, :] & key_padding_mask[:, None, :]
    if is_causal:
        n_q, n_k = attn_mask.shape
        i = np.arange(n_q)[:, None]
        j = np.arange(n_k)[None, :]
        m &= j < i
    return m


# the padding is put on the axis of the queries: rows are hidden instead of columns
@wrong("padding-of-queries-cut", author="blind")
def c6_rows_h24(attn_mask, key_padding_mask, is_causal):
    batch = len(key_padding_mask)
    n_q, n_k = attn_mask.shape
    mask = np.ones((batch, n_q, n_k), dtype=bool)
    for b in range(batch):
        for i in range(n_q):
            for j in range(n_k):
                if attn_mask[i, j] or (i < n_k and key_padding_mask[b, i]):
                    mask[b, i, j] = False
                if is_causal and j > i:
                    mask[b, i, j] = False
    return mask


# Causality is applied always, whatever is_causal says AND the result is still in PyTorch's
# polarity (final ~ forgotten).
@wrong("dropped", "always-causal", author="blind")
def blind_always_and_polarity(attn_mask, key_padding_mask, is_causal):
    drop = attn_mask[np.newaxis] | key_padding_mask[:, np.newaxis]
    if is_causal is not None:
        drop = drop | np.triu(np.ones_like(attn_mask), 1)
    return drop
