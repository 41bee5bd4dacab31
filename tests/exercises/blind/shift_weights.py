import numpy as np


def shift_weights__1(height, width, shift):
    # mistake: down and right exchanged
    n = height * width
    right, down = shift
    W = np.zeros((n, n))
    for r in range(height):
        for c in range(width):
            y, x = r + down, c + right
            if 0 <= y < height and 0 <= x < width:
                W[r * width + c, y * width + x] = 1
    return W


def shift_weights__2(height, width, shift):
    # mistake: transposed: row j has the 1 at i
    down, right = shift
    W = np.zeros((height * width, height * width))
    for i in range(height * width):
        y, x = i // width + down, i % width + right
        if 0 <= y < height and 0 <= x < width:
            W[y * width + x, i] = 1.0
    return W


def shift_weights__3(height, width, shift):
    # mistake: wraps around at the borders
    n = height * width
    W = np.zeros((n, n))
    for r in range(height):
        for c in range(width):
            j = (r + shift[0]) % height * width + (c + shift[1]) % width
            W[r * width + c, j] = 1
    return W


def shift_weights__14(height, width, shift):
    # mistakes: down and right exchanged; wraps around
    n = height * width
    W = np.zeros((n, n))
    for i in range(n):
        r, c = divmod(i, width)
        W[i, (r + shift[1]) % height * width + (c + shift[0]) % width] = 1
    return W


def shift_weights__15(height, width, shift):
    # mistakes: transposed; integers
    n = height * width
    W = np.zeros((n, n), int)
    for i in range(n):
        r, c = i // width + shift[0], i % width + shift[1]
        if 0 <= r < height and 0 <= c < width:
            W[r * width + c, i] = 1
    return W
