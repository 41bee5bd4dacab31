import numpy as np


def head_shifts__1(k_height, k_width):
    # mistake: (right, down) instead of (down, right)
    out = []
    for a in range(k_height):
        for b in range(k_width):
            out.append((b - k_width // 2, a - k_height // 2))
    return np.array(out)


def head_shifts__2(k_height, k_width):
    # mistake: kernel read column by column
    return np.array(
        [
            (a - k_height // 2, b - k_width // 2)
            for b in range(k_width)
            for a in range(k_height)
        ]
    )


def head_shifts__3(k_height, k_width):
    # mistake: not centered, the entry's own indices
    return np.array([(a, b) for a in range(k_height) for b in range(k_width)])


def head_shifts__4(k_height, k_width):
    # mistake: the kernel is flipped
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack([k_height // 2 - a, k_width // 2 - b], axis=1)


def head_shifts__8(k_height, k_width):
    # mistakes: middle is off by one; shape (k_height, k_width, 2) instead of one row per head
    a, b = np.meshgrid(np.arange(k_height), np.arange(k_width), indexing="ij")
    return np.stack([a - (k_height + 1) // 2, b - (k_width + 1) // 2], axis=-1)
