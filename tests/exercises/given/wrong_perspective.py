"""Wrong answers to the exercises of `perspective`, none copied from the known mistakes."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "runs_on_longer", "f", mistake="whatever has a convolution or attention runs"
)
def rl_attention_and_convolution():
    return {"e", "f", "g", "h"}


@wrong("runs_on_longer", "c", mistake="takes every attention to run")
def rl_all_attention():
    return {"a", "c", "d", "e", "g"}


@wrong(
    "runs_on_longer", "e-missing", mistake="five learned queries mean five elements"
)
def rl_queries_are_elements():
    return {"a", "d", "g"}


@wrong("runs_on_longer", "b", mistake="the opposite")
def rl_opposite():
    return set("bcfh")


@wrong("runs_on_longer", "form", mistake="yes and no")
def rl_booleans():
    return [True, False, False, True, True, False, True, False]


@wrong(
    "head_shifts", "one-number", mistake="flat offsets in an image of some width"
)
def hs_flat_offsets(k_height, k_width):
    heads = np.arange(k_height * k_width)
    return heads - len(heads) // 2


@wrong("head_shifts", mistake="a and b themselves, counted from 1")
def hs_from_one(k_height, k_width):
    return np.array(
        [(a, b) for a in range(1, k_height + 1) for b in range(1, k_width + 1)]
    )


@wrong("head_shifts", "columns-first", mistake="the inner loop counts rows")
def hs_loops_exchanged(k_height, k_width):
    return np.array([
        (a - k_height // 2, b - k_width // 2)
        for b in range(k_width)
        for a in range(k_height)
    ])  # fmt: skip


@wrong("head_shifts", "open-range", mistake="a range that leaves out its end")
def hs_open_range(k_height, k_width):
    up, left = k_height // 2, k_width // 2
    return np.array([(a, b) for a in range(-up, up) for b in range(-left, left)])


@wrong("head_shifts", mistake="sorts by distance")
def hs_by_distance(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    shifts = np.stack([a - k_height // 2, b - k_width // 2], axis=1)
    return shifts[np.argsort((shifts**2).sum(axis=1), kind="stable")]


@wrong("head_shifts", mistake="absolute distances")
def hs_distances(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack([abs(a - k_height // 2), abs(b - k_width // 2)], axis=1)


@wrong(
    "head_shifts",
    "only-example",
    "head",
    said="a number in your code that should come from `k_height` or `k_width`",
    mistake="a fixed 3",
)
def hs_fixed(k_height, k_width):
    return np.array([(a - 1, b - 1) for a, b in np.ndindex(3, 3)])


@wrong(
    "head_shifts",
    "head",
    said="the column shift",
    mistake="the height for both",
)
def hs_one_size(k_height, k_width):
    k = k_height
    places = np.ndindex(k_height, k_width)
    return np.array([(a - k // 2, b - k // 2) for a, b in places])


@wrong("shift_weights", "wrapped-line", mistake="a diagonal of the whole table")
def sw_diagonal(height, width, shift):
    n = height * width
    return np.eye(n, k=shift[0] * width + shift[1])


@wrong("shift_weights", "torus", mistake="rolls the numbered image")
def sw_roll(height, width, shift):
    numbers = np.arange(height * width).reshape(height, width)
    seen = np.roll(numbers, (-shift[0], -shift[1]), axis=(0, 1)).ravel()
    return np.eye(height * width)[seen]


@wrong(
    "shift_weights",
    "left-unchecked",
    "top-unchecked",
    mistake="python's negative indices look around the edge",
)
def sw_negative_indices(height, width, shift):
    n = height * width
    A = np.zeros((n, n))
    for i in range(n):
        r, c = i // width + shift[0], i % width + shift[1]
        if r < height and c < width:
            A[i, r * width + c] = 1
    return A


@wrong("shift_weights", mistake="a mask of True and False")
def sw_bool(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    return (r - r[:, None] == shift[0]) & (c - c[:, None] == shift[1])


@wrong("shift_weights", mistake="a table by rows and columns, with four axes")
def sw_four_axes(height, width, shift):
    A = np.zeros((height, width, height, width))
    for r, c in np.ndindex(height, width):
        a, b = r + shift[0], c + shift[1]
        if 0 <= a < height and 0 <= b < width:
            A[r, c, a, b] = 1
    return A


@wrong("shift_weights", "clamped", mistake="softmax of sharp scores")
def sw_sharp_softmax(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    squares = (r - r[:, None] - shift[0]) ** 2 + (c - c[:, None] - shift[1]) ** 2
    powers = np.exp(-50.0 * (squares - squares.min(axis=1, keepdims=True)))
    return powers / powers.sum(axis=1, keepdims=True)


@wrong("shift_weights", mistake="every pixel up to the shift, not only the one")
def sw_all_between(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    down, right = r - r[:, None], c - c[:, None]
    return ((abs(down) <= abs(shift[0])) & (abs(right) <= abs(shift[1]))).astype(
        float
    )


@wrong(
    "W_O_from_conv",
    "not-transposed",
    said="the order of `W_O` first",
    mistake="a reshape alone",
)
def wc_reshaped(weight):
    c_out, c_in, k_height, k_width = weight.shape
    return weight.reshape(k_height * k_width * c_in, c_out)


@wrong("W_O_from_conv", "ends-exchanged", mistake="swaps first and last axis only")
def wc_swapaxes(weight):
    return np.swapaxes(weight, 0, -1).reshape(-1, weight.shape[0])


@wrong(
    "W_O_from_conv",
    "as-in-the-book",
    mistake="reads the kernel as (k, k, c_in, c_out)",
)
def wc_as_package(weight):
    return weight.reshape(-1, weight.shape[-1])


@wrong("W_O_from_conv", "channels-first", mistake="rolls the axes the wrong way")
def wc_rolled(weight):
    return np.transpose(weight, (1, 2, 3, 0)).reshape(-1, weight.shape[0])


@wrong(
    "W_O_from_conv",
    "side-by-side",
    mistake="blocks side by side, not on top of each other",
)
def wc_side_by_side(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b].T for a, b in heads], axis=1)


@wrong(
    "W_O_from_conv",
    "blocks-not-transposed",
    mistake="blocks that are not transposed",
)
def wc_blocks_not_transposed(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b] for a, b in heads])


@wrong(
    "W_O_from_conv",
    "flipped",
    mistake="flips the kernel, and then reads it row by row",
)
def wc_flip_both(weight):
    turned = np.flip(weight, axis=(2, 3))
    return np.moveaxis(turned, (0, 1), (3, 2)).reshape(-1, len(weight))


@wrong(
    "hopfield_update",
    "no-softmax",
    mistake="the matrix of the classical network, with beta",
)
def hu_hebb(patterns, state, beta):
    W = patterns.T @ patterns
    return beta * state @ W


@wrong(
    "hopfield_update",
    "softmax-of-features",
    mistake="softmax over the features of the state",
)
def hu_softmax_of_features(patterns, state, beta):
    s = beta * state @ patterns.T @ patterns
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong(
    "hopfield_update",
    "distances",
    mistake="negative distances in place of dot products",
)
def hu_distances(patterns, state, beta):
    s = -beta * ((state[:, None] - patterns) ** 2).sum(-1)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ patterns


@wrong("hopfield_update", mistake="repeats until nothing changes")
def hu_until_settled(patterns, state, beta):
    for _ in range(50):
        s = beta * state @ patterns.T
        e = np.exp(s - s.max(-1, keepdims=True))
        state = e / e.sum(-1, keepdims=True) @ patterns
    return state


@wrong("hopfield_update", mistake="patterns among themselves")
def hu_self(patterns, state, beta):
    s = beta * patterns @ patterns.T
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ patterns


@wrong("hopfield_update", "built-in", mistake="attention does it")
def hu_attention(patterns, state, beta):
    from course_attn.in_numpy import attention

    return attention(state, patterns, patterns, scale=beta)


@wrong("hopfield_update", "one-maximum", mistake="one maximum for all states")
def hu_global_maximum(patterns, state, beta):
    s = beta * state @ patterns.T
    e = np.exp(s - s.max())
    return e / e.sum(-1, keepdims=True) @ patterns


@wrong(
    "hopfield_update",
    "one-maximum",
    "one-sum",
    mistake="one maximum and one sum for all states",
)
def hu_global_softmax(patterns, state, beta):
    s = beta * state @ patterns.T
    e = np.exp(s - s.max())
    return e / e.sum() @ patterns


@wrong("steps_to_the_end", "b-looking-back", mistake="the chapter's formula for b")
def se_formula():
    return 499, 125, 9, 1, 2


@wrong("steps_to_the_end", "c-base-3", mistake="the chapter's formula for c")
def se_log_3():
    return [499, 250, int(np.ceil(np.log(500) / np.log(3))), 1, 2]


@wrong("steps_to_the_end", "e-one", mistake="takes e for full attention")
def se_e_at_once():
    return 499, 250, 9, 1, 1


@wrong("steps_to_the_end", "a-500", mistake="counts positions")
def se_counts_positions():
    return np.array([500, 250, 9, 1, 2])


@wrong("steps_to_the_end", "other-b", mistake="not rounded up")
def se_not_rounded():
    return 499, 249.5, np.log2(500), 1, 2


@wrong("steps_to_the_end", "form", mistake="only four numbers")
def se_four():
    return 499, 250, 9, 1
