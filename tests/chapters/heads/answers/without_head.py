"""Answers to `without_head`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def wh_sum_of_heads(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    out = np.zeros((n, W_O.shape[1]), dtype=W_O.dtype)
    for h in range(n_heads):
        if h != head:
            out = out + weights[h] @ V[h] @ W_O[h * d_v : (h + 1) * d_v]
    return out


@right()
def wh_rows_of_zeros(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    rows = W_O.copy()
    rows[head * d_v : (head + 1) * d_v] = 0
    return np.concatenate(list(weights @ V), axis=-1) @ rows


@right()
def wh_einsum(weights, V, W_O, head):
    by_head = W_O.reshape(len(V), V.shape[-1], -1)
    parts = np.einsum("hij,hjv,hvm->him", weights, V, by_head)
    return np.delete(parts, head, axis=0).sum(axis=0)


@right()
def wh_subtracted(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    own = slice(head * d_v, (head + 1) * d_v)
    whole = np.hstack([A @ values for A, values in zip(weights, V)]) @ W_O
    return whole - weights[head] @ V[head] @ W_O[own]


# the columns of W_O in place of its rows
@wrong()
def wh_columns(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    left = W_O.copy()
    left[:, head * d_v : (head + 1) * d_v] = 0
    return np.concatenate(list(weights @ V), axis=-1) @ left


# sets one row of W_O to 0 instead of those of the head
@wrong("one-row")
def wh_one_row(weights, V, W_O, head):
    rows = W_O.copy()
    rows[head] = 0
    return np.concatenate(list(weights @ V), axis=-1) @ rows


# drops the head and takes the first rows of W_O
@wrong()
def wh_deleted(weights, V, W_O, head):
    found = np.delete(weights @ V, head, axis=0)
    merged = found.swapaxes(0, 1).reshape(found.shape[1], -1)
    return merged @ W_O[: merged.shape[1]]


# sets W_O to 0 in place
@wrong()
def wh_in_place(weights, V, W_O, head):
    d_v = V.shape[-1]
    W_O[head * d_v : (head + 1) * d_v] = 0
    return np.concatenate(list(weights @ V), axis=-1) @ W_O


# every head but the wanted one is switched off
@wrong("only-it")
def wh_alone(weights, V, W_O, head):
    d_v = V.shape[-1]
    return weights[head] @ V[head] @ W_O[head * d_v : (head + 1) * d_v]


# the weights of the head are made even
@wrong("weights-even")
def wh_even(weights, V, W_O, head):
    looked = weights.copy()
    looked[head] = 1 / weights.shape[-1]
    return np.concatenate(list(looked @ V), axis=-1) @ W_O


# The head is left out, but of W_O the last head's rows are cut off instead of the rows of that
# head: later heads meet the wrong rows
@wrong("last-rows", author="blind")
def fd_without_1(weights, V, W_O, head):
    d_v = V.shape[-1]
    A = np.delete(weights, head, axis=0)
    vals = np.delete(V, head, axis=0)
    rows = [a @ v for a, v in zip(A, vals)]
    if not rows:
        return np.zeros((V.shape[1], W_O.shape[1]))
    return np.concatenate(rows, axis=-1) @ W_O[:-d_v]


# Head counted from 1: head - 1 is switched off; The heads' features are interleaved (n, d_v, h)
# instead of side by side (n, h, d_v)
@wrong("one-before", "interleaved", author="blind")
def fd_without_2(weights, V, W_O, head):
    found = weights @ V  # (h, n, d_v)
    found[head - 1] = 0
    n = V.shape[1]
    side_by_side = found.transpose(1, 2, 0).reshape(n, -1)
    return side_by_side @ W_O


# Zeroes every n_heads-th row of W_O (as if heads were interleaved), not the block of d_v rows of
# the head
@wrong("every-nth-row", author="blind")
def fi_19(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    found = weights @ V
    rows = np.concatenate(list(found), axis=-1)
    W = W_O.copy()
    W[head::n_heads] = 0
    return rows @ W


# the head is deleted from weights and V, but W_O keeps its first rows: the heads behind the deleted
# one meet the wrong rows
@wrong("last-rows", author="blind")
def b8_wrong_rows(weights, V, W_O, head):
    w = np.delete(weights, head, axis=0)
    v = np.delete(V, head, axis=0)
    found = np.concatenate(list(w @ v), axis=-1)
    return found @ W_O[: found.shape[-1]]


# the sum is scaled up by n_heads / (n_heads - 1), as dropout does
@wrong("made-up-for", author="blind")
def x34_like_dropout(weights, V, W_O, head):
    H, d_v = V.shape[0], V.shape[2]
    out = np.zeros((V.shape[1], W_O.shape[1]))
    for h in range(H):
        if h == head:
            continue
        out += weights[h] @ V[h] @ W_O[h * d_v : (h + 1) * d_v]
    return out * H / (H - 1)


# heads are put side by side by reshape without swapping axes AND rows head:head+d_v are zeroed,
# not head*d_v on
@wrong("not-swapped", "rows-from-head", author="blind")
def x36_reshape_and_rows(weights, V, W_O, head):
    n, d_v = V.shape[1:]
    W = np.array(W_O)
    W[head : head + d_v] = 0
    return (weights @ V).reshape(n, -1) @ W


# the part of a head in W_O is taken to have d_model // n_heads rows
@wrong("height-of-d-model", author="blind")
def m16_block_size(weights, V, W_O, head):
    n_heads = len(V)
    size = W_O.shape[1] // n_heads
    W = W_O.copy()
    W[head * size : (head + 1) * size] = 0
    found = np.concatenate([weights[h] @ V[h] for h in range(n_heads)], axis=1)
    return found @ W


# the head's map is made uniform instead of its output 0 AND the heads are averaged instead of
# added
@wrong("averaged", "weights-even", author="blind")
def e28_head_uniform_mean(weights, V, W_O, head):
    n_heads, n, d_v = V.shape
    maps = weights.copy()
    maps[head] = 1.0 / n
    parts = W_O.reshape(n_heads, d_v, -1)
    contributions = [maps[h] @ V[h] @ parts[h] for h in range(n_heads)]
    return np.mean(contributions, axis=0)


# the maps are transposed (keys mix queries) AND V is set to 0 in place, so the argument changes
@wrong("maps-transposed", "in-place", author="blind")
def p03_transposed_inplace(weights, V, W_O, head):
    V[head] = 0
    outs = []
    for A, v in zip(weights, V):
        outs.append(A.T @ v)
    return np.concatenate(outs, axis=1) @ W_O


# the others are scaled up by H/(H-1), as dropout does AND the heads are joined by reshape
# without swapping the axes
@wrong("not-swapped", "made-up-for", author="blind")
def v32_dropout_and_reshape(weights, V, W_O, head):
    H, n, dv = V.shape
    keep = np.ones(H)
    keep[head] = 0
    found = (weights @ V) * keep[:, None, None]
    found = found * (H / max(H - 1, 1))
    return found.reshape(n, H * dv) @ W_O


# keeps only that head instead of leaving it out AND the map is transposed (keys mixed by
# queries)
@wrong(
    "only-it", "maps-transposed", said="leave out the others. Which", author="blind"
)
def v33_only_and_transposed(weights, V, W_O, head):
    d_v = V.shape[2]
    result = np.zeros((V.shape[1], W_O.shape[1]))
    for h, (A, v) in enumerate(zip(weights, V)):
        if h != head:
            continue
        block = W_O[h * d_v : h * d_v + d_v]
        result += A.T @ v @ block
    return result
