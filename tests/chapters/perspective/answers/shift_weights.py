"""Answers to `shift_weights`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sw_loops(height, width, shift):
    A = np.zeros((height * width, height * width))
    for r in range(height):
        for c in range(width):
            row, column = r + shift[0], c + shift[1]
            if 0 <= row < height and 0 <= column < width:
                A[r * width + c, row * width + column] = 1.0
    return A


@right()
def sw_kron(height, width, shift):
    down, right = shift
    return np.kron(np.eye(height, k=down), np.eye(width, k=right))


@right()
def sw_compare(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    rows = r[None, :] - r[:, None] == shift[0]
    columns = c[None, :] - c[:, None] == shift[1]
    return (rows & columns).astype(float)


@right()
def sw_padded(height, width, shift):
    """A numbered image in a frame of −1, from which a window is cut."""
    reach = max(abs(shift[0]), abs(shift[1]))
    numbers = np.arange(height * width).reshape(height, width)
    framed = np.pad(numbers, reach, constant_values=-1)
    top, left = reach + shift[0], reach + shift[1]
    seen = framed[top : top + height, left : left + width].ravel()
    return (seen[:, None] == np.arange(height * width)) * 1.0


@right()
def sw_one_pixel_at_a_time(height, width, shift):
    columns = []
    for j in range(height * width):
        r, c = j // width - shift[0], j % width - shift[1]
        column = np.zeros((height, width))
        if r in range(height) and c in range(width):
            column[r, c] = 1
        columns.append(column.ravel())
    return np.stack(columns, axis=1)


# a diagonal of the whole table
@wrong("wrapped-line")
def sw_diagonal(height, width, shift):
    n = height * width
    return np.eye(n, k=shift[0] * width + shift[1])


# python's negative indices look around the edge
@wrong("left-unchecked", "top-unchecked")
def sw_negative_indices(height, width, shift):
    n = height * width
    A = np.zeros((n, n))
    for i in range(n):
        r, c = i // width + shift[0], i % width + shift[1]
        if r < height and c < width:
            A[i, r * width + c] = 1
    return A


# softmax of sharp scores
@wrong("clamped")
def sw_sharp_softmax(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    squares = (r - r[:, None] - shift[0]) ** 2 + (c - c[:, None] - shift[1]) ** 2
    powers = np.exp(-50.0 * (squares - squares.min(axis=1, keepdims=True)))
    return powers / powers.sum(axis=1, keepdims=True)


# kron in the other order
@wrong("columns-first", author="blind")
def blind_kron_order(height, width, shift):
    return np.kron(np.eye(width, k=shift[1]), np.eye(height, k=shift[0]))


# returns which pixel, not the weights
@wrong("index-returned", author="blind")
def blind_index(height, width, shift):
    i = np.arange(height * width)
    r, c = i // width + shift[0], i % width + shift[1]
    inside = (0 <= r) & (r < height) & (0 <= c) & (c < width)
    return np.where(inside, r * width + c, -1)


# or for and
@wrong(author="blind")
def blind_or(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    same_row = r - r[:, None] == shift[0]
    same_column = c - c[:, None] == shift[1]
    return (same_row | same_column).astype(float)


# pixels are numbered r · height + c
@wrong("times-height", author="blind")
def blind_times_height(height, width, shift):
    n = height * width
    W = np.zeros((n, n))
    for r in range(height):
        for c in range(width):
            r2, c2 = r + shift[0], c + shift[1]
            if 0 <= r2 < height and 0 <= c2 < width:
                W[r * height + c, r2 * height + c2] = 1
    return W


# row 0 and column 0 are never seen
@wrong("never-0", author="blind")
def blind_strict(height, width, shift):
    down, right = shift
    W = np.zeros((height * width, height * width))
    for i in range(height * width):
        y = i // width + down
        x = i % width + right
        if y > 0 and x > 0 and y < height and x < width:
            W[i, y * width + x] = 1
    return W


# relies on `IndexError`, which negative indices do not raise
@wrong("negative-index", author="blind")
def blind_negative_index(height, width, shift):
    dy, dx = shift
    W = np.zeros((height, width, height, width))
    for y in range(height):
        for x in range(width):
            try:
                W[y, x, y + dy, x + dx] = 1.0
            except IndexError:
                pass
    return W.reshape(height * width, -1)


# the pixel number is taken apart by the height instead of the width
@wrong("by-height", author="blind")
def w18_by_height(height, width, shift):
    n = height * width
    out = np.zeros((n, n), dtype=float)
    for i in range(n):
        row, col = i // height, i % height
        row += shift[0]
        col += shift[1]
        if row < 0 or row >= height or col < 0 or col >= width:
            continue
        out[i, row * width + col] = 1
    return out


# clipped to the border, and truth values
@wrong("clamped", "truth-values", author="blind")
def b15_sw_clipped_bool(height, width, shift):
    d, r = shift
    rows, cols = np.divmod(np.arange(height * width), width)
    rows = np.clip(rows + d, 0, height - 1)
    cols = np.clip(cols + r, 0, width - 1)
    target = rows * width + cols
    return target[:, None] == np.arange(height * width)[None, :]
