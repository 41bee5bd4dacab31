"""Answers to `W_O_from_conv`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def wc_loops(weight):
    c_out, c_in, k_height, k_width = weight.shape
    rows = []
    for a in range(k_height):
        for b in range(k_width):
            for f in range(c_in):
                rows.append(weight[:, f, a, b])
    return np.array(rows)


@right()
def wc_moveaxis(weight):
    return np.moveaxis(weight, (0, 1), (-1, -2)).reshape(-1, len(weight))


@right()
def wc_blocks(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b].T for a, b in heads])


@right()
def wc_einsum(weight):
    c_out, c_in, k_height, k_width = weight.shape
    W_O = np.einsum("ofab->abfo", weight)
    return W_O.reshape(k_height * k_width * c_in, c_out)


@right()
def wc_transpose_late(weight):
    by_output = weight.transpose(0, 2, 3, 1).reshape(len(weight), -1)
    return by_output.T


# a reshape alone
@wrong("not-transposed", said="(a, b, f, o) first")
def wc_reshaped(weight):
    c_out, c_in, k_height, k_width = weight.shape
    return weight.reshape(k_height * k_width * c_in, c_out)


# swaps first and last axis only
@wrong("ends-exchanged")
def wc_swapaxes(weight):
    return np.swapaxes(weight, 0, -1).reshape(-1, weight.shape[0])


# reads the kernel as (k, k, c_in, c_out)
@wrong("as-in-the-book")
def wc_as_package(weight):
    return weight.reshape(-1, weight.shape[-1])


# blocks side by side, not on top of each other
@wrong("side-by-side")
def wc_side_by_side(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b].T for a, b in heads], axis=1)


# blocks that are not transposed
@wrong("blocks-not-transposed")
def wc_blocks_not_transposed(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b] for a, b in heads])


# the heads alone
@wrong("heads-apart", author="blind")
def blind_heads_axis(weight):
    c_out, c_in, k_height, k_width = weight.shape
    return weight.transpose(2, 3, 1, 0).reshape(k_height * k_width, c_in, c_out)


# moves the axes one by one, and one too many
@wrong("channels-between", author="blind")
def blind_moved_twice(weight):
    moved = np.moveaxis(np.moveaxis(weight, 0, -1), 0, 1)
    return moved.reshape(-1, len(weight))


# The kernel is flipped; The kernel's entries are read column by column, not row by row
@wrong("columns-before-rows", "flipped", author="blind")
def fd_wo_2(weight):
    c_out, c_in, kh, kw = weight.shape
    flipped = weight[:, :, ::-1, ::-1]
    blocks = []
    for b in range(kw):
        for a in range(kh):
            blocks.append(flipped[:, :, a, b].T)
    return np.concatenate(blocks, axis=0)


# heads are counted by a · k_height + b: right for square kernels only
@wrong("times-height", author="blind")
def blind_times_height(weight):
    c_out, c_in, kh, kw = weight.shape
    W = np.zeros((kh * kw * c_in, c_out))
    for a in range(kh):
        for b in range(kw):
            h = a * kh + b
            W[h * c_in : (h + 1) * c_in] = weight[:, :, a, b].T
    return W


# output and input channels swapped: each head's block is c_out x c_in stacked as if it were
# (c_in, c_out), not transposed
@wrong("in-out-swapped", said="does not transpose", author="blind")
def f8_x35_block_not_transposed(weight):
    c_out, c_in, kh, kw = weight.shape
    blocks = [
        weight[:, :, a, b].reshape(c_in, c_out)
        for a in range(kh)
        for b in range(kw)
    ]
    return np.vstack(blocks)


# the kernel's entries are run through column by column AND everything is divided by their
# number
@wrong("columns-before-rows", "divided", author="blind")
def a11_columns_mean(weight):
    c_out, c_in, kh, kw = weight.shape
    blocks = []
    for col in range(kw):
        for row in range(kh):
            blocks.append(weight[:, :, row, col].T)
    return np.vstack(blocks) / (kh * kw)


# takes the kernel to be square (both loops over the height) AND divides by the number of
# heads
@wrong("square-only", "divided", author="blind")
def v09_square_and_mean(weight):
    k = weight.shape[2]
    parts = []
    for row in range(k):
        for col in range(k):
            parts.append(weight[:, :, row, col].T)
    return np.vstack(parts) / len(parts)


# columns before rows AND the loop stops before the last head
@wrong("columns-before-rows", "last-head-empty", author="blind")
def c37_loops(weight):
    o, c, kh, kw = weight.shape
    W = np.zeros((kh * kw * c, o))
    for h in range(kh * kw - 1):
        W[h * c : (h + 1) * c] = weight[:, :, h % kh, h // kh].T
    return W
