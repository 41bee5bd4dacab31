"""Answers to `head_shifts`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def hs_indices(k_height, k_width):
    a, b = np.indices((k_height, k_width))
    return np.stack([a - a.max() // 2, b - b.max() // 2], axis=-1).reshape(-1, 2)


@right()
def hs_product(k_height, k_width):
    from itertools import product

    up, left = (k_height - 1) // 2, (k_width - 1) // 2
    return np.array([*product(range(-up, up + 1), range(-left, left + 1))])


@right()
def hs_divmod(k_height, k_width):
    heads = np.arange(k_height * k_width)
    a, b = np.divmod(heads, k_width)
    return np.array([a, b]).T - [k_height // 2, k_width // 2]


@right()
def hs_repeat_tile(k_height, k_width):
    down = np.repeat(np.arange(k_height), k_width) - k_height // 2
    right = np.tile(np.arange(k_width), k_height) - k_width // 2
    return np.column_stack((down, right)).astype(np.int32)


# flat offsets in an image of some width
@wrong("one-number")
def hs_flat_offsets(k_height, k_width):
    heads = np.arange(k_height * k_width)
    return heads - len(heads) // 2


# a range that leaves out its end
@wrong("open-range")
def hs_open_range(k_height, k_width):
    up, left = k_height // 2, k_width // 2
    return np.array([(a, b) for a in range(-up, up) for b in range(-left, left)])


# absolute distances
@wrong()
def hs_distances(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack([abs(a - k_height // 2), abs(b - k_width // 2)], axis=1)


# a fixed 3
@wrong(
    "only-example",
    "head",
    said="a number in your code that should come from `k_height` or `k_width`",
)
def hs_fixed(k_height, k_width):
    return np.array([(a - 1, b - 1) for a, b in np.ndindex(3, 3)])


# the height for both
@wrong("centered-by-height")
def hs_one_size(k_height, k_width):
    k = k_height
    places = np.ndindex(k_height, k_width)
    return np.array([(a - k // 2, b - k // 2) for a, b in places])


# the bottom row comes first, as in a plot
@wrong(author="blind")
def blind_bottom_first(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack([k_height // 2 - a, b - k_width // 2], axis=1)


# fractions of the kernel from -1 to 1
@wrong(author="blind")
def blind_linspace(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack(
        [2 * a / max(k_height - 1, 1) - 1, 2 * b / max(k_width - 1, 1) - 1], axis=1
    )


# a list of pairs
@wrong(author="blind")
def blind_list(k_height, k_width):
    return [
        (a - k_height // 2, b - k_width // 2)
        for a in range(k_height)
        for b in range(k_width)
    ]


# without the middle
@wrong(author="blind")
def blind_no_middle(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    shifts = np.stack([a - k_height // 2, b - k_width // 2], axis=1)
    return shifts[(shifts != 0).any(axis=1)]


# range(-k//2, ...): -3//2 is -2, so there is one shift too many on the side of up and left
@wrong("one-too-many", author="blind")
def z34_floor_negative(k_height, k_width):
    shifts = []
    for down in range(-k_height // 2, k_height // 2 + 1):
        for across in range(-k_width // 2, k_width // 2 + 1):
            shifts.append((down, across))
    return np.array(shifts)


# // and % are taken with the height
@wrong("by-height", author="blind")
def r36_divmod_height(k_height, k_width):
    h = np.arange(k_height * k_width)
    down = h // k_height - (k_height - 1) // 2
    right = h % k_height - (k_width - 1) // 2
    return np.stack([down, right], axis=1)


# half the height and half the width are exchanged
@wrong("centers-exchanged", author="blind")
def r35_centers_swapped(k_height, k_width):
    a, b = np.indices((k_height, k_width))
    out = np.empty((k_height * k_width, 2), dtype=int)
    out[:, 0] = a.ravel() - k_width // 2
    out[:, 1] = b.ravel() - k_height // 2
    return out


# Off by one: -k // 2 rounds down, so shifts begin one too early AND up is positive (sign of the
# first entry only).
@wrong("rounded-up", "up-positive", author="blind")
def blind_floor_and_up(k_height, k_width):
    out = np.zeros((k_height * k_width, 2), dtype=int)
    h = 0
    for dy in range(-k_height // 2, k_height // 2):
        for dx in range(-k_width // 2, k_width // 2):
            out[h] = -dy, dx
            h += 1
    return out


# up counted positive AND the range ends one early (last row and column of the kernel
# missing)
@wrong("up-positive", "open-range", author="blind")
def u27_hs(k_height, k_width):
    r, c = k_height // 2, k_width // 2
    rows = -np.arange(-r, r)
    cols = np.arange(-c, c)
    dr, dc = np.meshgrid(rows, cols, indexing="ij")
    return np.stack([dr.ravel(), dc.ravel()], axis=1)
