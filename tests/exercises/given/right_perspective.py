"""Right answers to the exercises of `perspective`, each written in another way."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("runs_on_longer")
def rl_list():
    return ["a", "d", "e", "g"]


@right("runs_on_longer")
def rl_text():
    return "adeg"


@right("runs_on_longer")
def rl_difference():
    return set("abcdefgh") - set("bcfh")


@right("runs_on_longer")
def rl_capitals():
    return ("G", "E", "D", "A")


@right("head_shifts")
def hs_loops(k_height, k_width):
    shifts = []
    for a in range(k_height):
        for b in range(k_width):
            shifts.append((a - k_height // 2, b - k_width // 2))
    return np.array(shifts)


@right("head_shifts")
def hs_indices(k_height, k_width):
    a, b = np.indices((k_height, k_width))
    return np.stack([a - a.max() // 2, b - b.max() // 2], axis=-1).reshape(-1, 2)


@right("head_shifts")
def hs_product(k_height, k_width):
    from itertools import product

    up, left = (k_height - 1) // 2, (k_width - 1) // 2
    return np.array([*product(range(-up, up + 1), range(-left, left + 1))])


@right("head_shifts")
def hs_divmod(k_height, k_width):
    heads = np.arange(k_height * k_width)
    a, b = np.divmod(heads, k_width)
    return np.array([a, b]).T - [k_height // 2, k_width // 2]


@right("head_shifts")
def hs_repeat_tile(k_height, k_width):
    down = np.repeat(np.arange(k_height), k_width) - k_height // 2
    right = np.tile(np.arange(k_width), k_height) - k_width // 2
    return np.column_stack((down, right)).astype(np.int32)


@right("shift_weights")
def sw_loops(height, width, shift):
    A = np.zeros((height * width, height * width))
    for r in range(height):
        for c in range(width):
            row, column = r + shift[0], c + shift[1]
            if 0 <= row < height and 0 <= column < width:
                A[r * width + c, row * width + column] = 1.0
    return A


@right("shift_weights")
def sw_kron(height, width, shift):
    down, right = shift
    return np.kron(np.eye(height, k=down), np.eye(width, k=right))


@right("shift_weights")
def sw_compare(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    rows = r[None, :] - r[:, None] == shift[0]
    columns = c[None, :] - c[:, None] == shift[1]
    return (rows & columns).astype(float)


@right("shift_weights")
def sw_padded(height, width, shift):
    """A numbered image in a frame of −1, from which a window is cut."""
    reach = max(abs(shift[0]), abs(shift[1]))
    numbers = np.arange(height * width).reshape(height, width)
    framed = np.pad(numbers, reach, constant_values=-1)
    top, left = reach + shift[0], reach + shift[1]
    seen = framed[top : top + height, left : left + width].ravel()
    return (seen[:, None] == np.arange(height * width)) * 1.0


@right("shift_weights")
def sw_one_pixel_at_a_time(height, width, shift):
    columns = []
    for j in range(height * width):
        r, c = j // width - shift[0], j % width - shift[1]
        column = np.zeros((height, width))
        if r in range(height) and c in range(width):
            column[r, c] = 1
        columns.append(column.ravel())
    return np.stack(columns, axis=1)


@right("W_O_from_conv")
def wc_loops(weight):
    c_out, c_in, k_height, k_width = weight.shape
    rows = []
    for a in range(k_height):
        for b in range(k_width):
            for f in range(c_in):
                rows.append(weight[:, f, a, b])
    return np.array(rows)


@right("W_O_from_conv")
def wc_moveaxis(weight):
    return np.moveaxis(weight, (0, 1), (-1, -2)).reshape(-1, len(weight))


@right("W_O_from_conv")
def wc_blocks(weight):
    heads = np.ndindex(weight.shape[2:])
    return np.concatenate([weight[:, :, a, b].T for a, b in heads])


@right("W_O_from_conv")
def wc_einsum(weight):
    c_out, c_in, k_height, k_width = weight.shape
    W_O = np.einsum("ofab->abfo", weight)
    return W_O.reshape(k_height * k_width * c_in, c_out)


@right("W_O_from_conv")
def wc_transpose_late(weight):
    by_output = weight.transpose(0, 2, 3, 1).reshape(len(weight), -1)
    return by_output.T


@right("hopfield_update")
def hu_course_softmax(patterns, state, beta):
    from course_attn.in_numpy import softmax

    return softmax(beta * (state @ patterns.T)) @ patterns


@right("hopfield_update")
def hu_scipy(patterns, state, beta):
    from scipy.special import softmax

    return np.dot(softmax(np.dot(state, patterns.T) * beta, axis=1), patterns)


@right("hopfield_update")
def hu_loops(patterns, state, beta):
    new = np.zeros_like(state)
    for i, xi in enumerate(state):
        s = np.array([beta * (xi @ x) for x in patterns])
        a = np.exp(s - s.max())
        new[i] = sum(w * x for w, x in zip(a / a.sum(), patterns, strict=True))
    return new


@right("hopfield_update")
def hu_columns(patterns, state, beta):
    """With patterns as columns, as the paper has it."""
    X, xi = patterns.T, state.T
    s = beta * X.T @ xi
    p = np.exp(s - s.max(axis=0))
    return (X @ (p / p.sum(axis=0))).T


@right("hopfield_update")
def hu_unscaled_function(patterns, state, beta):
    from course_attn.in_numpy import attention_weights

    return attention_weights(state, patterns, scale=beta) @ patterns


@right("hopfield_update")
def hu_logsumexp(patterns, state, beta):
    s = np.einsum("md,nd->mn", beta * state, patterns)
    a = np.exp(s - np.logaddexp.reduce(s, axis=1)[:, None])
    return np.einsum("mn,nd->md", a, patterns)


@right("steps_to_the_end")
def se_list():
    return [499, 250, 9, 1, 2]


@right("steps_to_the_end")
def se_array():
    return np.array([499, 250, 9, 1, 2])


@right("steps_to_the_end")
def se_math():
    import math

    n = 500
    return (
        n - 1,
        math.ceil((n - 1) / 2),
        math.ceil(math.log2(n)),
        1,
        2,
    )


@right("steps_to_the_end")
def se_simulated():
    n, found = 500, [499]
    i = np.arange(n)
    apart = np.abs(i[:, None] - i)
    middle = (i == 250) | (i[:, None] == 250)
    steps = (
        lambda layer: apart <= 2,
        lambda layer: (apart == 0) | (apart == 2**layer),
        lambda layer: apart >= 0,
        lambda layer: (apart <= 2) | middle,
    )
    for sees in steps:
        known = i == n - 1
        layers = []
        while not known[0]:
            layers.append(sees(len(layers)))
            known = layers[-1][known].any(axis=0)
        found.append(len(layers))
    return found
