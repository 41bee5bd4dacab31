"""Wrong answers to `perspective`, written from the tasks alone."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "runs_on_longer", "g-missing", mistake="thinks positions of any kind stop it"
)
def blind_no_positions():
    return {"a", "d", "e"}


@wrong("runs_on_longer", "c", mistake="all but the plain dense layer")
def blind_all_but_dense():
    return set("acdefgh")


@wrong("runs_on_longer", "a-missing", mistake="nothing dense")
def blind_nothing_dense():
    return {"e", "g"}


@wrong("runs_on_longer", "c", mistake="a table is only a matrix")
def blind_with_table():
    return "a c e g"


@wrong("head_shifts", mistake="the bottom row comes first, as in a plot")
def blind_bottom_first(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack([k_height // 2 - a, b - k_width // 2], axis=1)


@wrong("head_shifts", mistake="kernels are taken to be square")
def blind_square(k_height, k_width):
    k = k_height
    return np.array([(a - k // 2, b - k // 2) for a in range(k) for b in range(k)])


@wrong("head_shifts", "columns-first", mistake="a meshgrid with its axes exchanged")
def blind_meshgrid(k_height, k_width):
    down = np.arange(k_height) - k_height // 2
    right = np.arange(k_width) - k_width // 2
    D, R = np.meshgrid(down, right)
    return np.stack([D.ravel(), R.ravel()], axis=1)


@wrong("head_shifts", mistake="fractions of the kernel from -1 to 1")
def blind_linspace(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    return np.stack(
        [2 * a / max(k_height - 1, 1) - 1, 2 * b / max(k_width - 1, 1) - 1], axis=1
    )


@wrong("head_shifts", mistake="a list of pairs")
def blind_list(k_height, k_width):
    return [
        (a - k_height // 2, b - k_width // 2)
        for a in range(k_height)
        for b in range(k_width)
    ]


@wrong("head_shifts", mistake="without the middle")
def blind_no_middle(k_height, k_width):
    a, b = np.divmod(np.arange(k_height * k_width), k_width)
    shifts = np.stack([a - k_height // 2, b - k_width // 2], axis=1)
    return shifts[(shifts != 0).any(axis=1)]


@wrong("shift_weights", mistake="one axis after the other: a sum of two tables")
def blind_sum_of_tables(height, width, shift):
    rows = np.kron(np.eye(height, k=shift[0]), np.eye(width))
    columns = np.kron(np.eye(height), np.eye(width, k=shift[1]))
    return rows + columns


@wrong("shift_weights", "columns-first", mistake="kron in the other order")
def blind_kron_order(height, width, shift):
    return np.kron(np.eye(width, k=shift[1]), np.eye(height, k=shift[0]))


@wrong(
    "shift_weights",
    "index-returned",
    mistake="returns which pixel, not the weights",
)
def blind_index(height, width, shift):
    i = np.arange(height * width)
    r, c = i // width + shift[0], i % width + shift[1]
    inside = (0 <= r) & (r < height) & (0 <= c) & (c < width)
    return np.where(inside, r * width + c, -1)


@wrong("shift_weights", mistake="or for and")
def blind_or(height, width, shift):
    r, c = np.divmod(np.arange(height * width), width)
    same_row = r - r[:, None] == shift[0]
    same_column = c - c[:, None] == shift[1]
    return (same_row | same_column).astype(float)


@wrong("shift_weights", mistake="leaves the rows at the border out")
def blind_only_inner(height, width, shift):
    A = np.zeros((height * width, height * width))
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            row, column = r + shift[0], c + shift[1]
            if 0 <= row < height and 0 <= column < width:
                A[r * width + c, row * width + column] = 1
    return A


@wrong("shift_weights", mistake="<= at the far border")
def blind_one_too_far(height, width, shift):
    A = np.zeros((height * width, height * width))
    for i in range(height * width):
        r, c = i // width + shift[0], i % width + shift[1]
        if 0 <= r < height and 0 <= c <= width and r * width + c < height * width:
            A[i, r * width + c] = 1
    return A


@wrong("W_O_from_conv", "transposed", mistake="as nn.Linear's weight")
def blind_linear(weight):
    return weight.transpose(0, 2, 3, 1).reshape(len(weight), -1)


@wrong("W_O_from_conv", "heads-apart", mistake="the heads alone")
def blind_heads_axis(weight):
    c_out, c_in, k_height, k_width = weight.shape
    return weight.transpose(2, 3, 1, 0).reshape(k_height * k_width, c_in, c_out)


@wrong("W_O_from_conv", "flipped", mistake="rotates by a quarter")
def blind_rot90(weight):
    turned = np.rot90(weight, 2, axes=(2, 3))
    return turned.transpose(2, 3, 1, 0).reshape(-1, len(weight))


@wrong("W_O_from_conv", "not-transposed", mistake="transposes what is flat")
def blind_flat_transposed(weight):
    return weight.reshape(-1, len(weight))


@wrong(
    "W_O_from_conv",
    "channels-between",
    mistake="moves the axes one by one, and one too many",
)
def blind_moved_twice(weight):
    moved = np.moveaxis(np.moveaxis(weight, 0, -1), 0, 1)
    return moved.reshape(-1, len(weight))


@wrong("W_O_from_conv", mistake="averages the heads")
def blind_mean(weight):
    c_out, c_in, k_height, k_width = weight.shape
    W_O = weight.transpose(2, 3, 1, 0).reshape(-1, c_out)
    return W_O / (k_height * k_width)


@wrong("hopfield_update", mistake="beta as an exponent of the weights")
def blind_power(patterns, state, beta):
    s = state @ patterns.T
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return a**beta @ patterns


@wrong("hopfield_update", mistake="the mean dot product")
def blind_mean_product(patterns, state, beta):
    s = beta * state @ patterns.T / state.shape[-1]
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    return a / a.sum(axis=-1, keepdims=True) @ patterns


@wrong("hopfield_update", mistake="the largest state wins everything")
def blind_argmax_state(patterns, state, beta):
    best = (state @ patterns.T).argmax(axis=-1)
    return np.tanh(beta) * patterns[best]


@wrong("hopfield_update", mistake="tanh of the classical field")
def blind_tanh(patterns, state, beta):
    return np.tanh(beta * state @ patterns.T @ patterns)


@wrong("hopfield_update", mistake="a state moves only where it is far")
def blind_descent(patterns, state, beta):
    s = beta * state @ patterns.T
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return state - beta * (state - a @ patterns)


@wrong("hopfield_update", mistake="one state only")
def blind_one_state(patterns, state, beta):
    s = np.array([beta * float(state[0] @ x) for x in patterns])
    a = np.exp(s - s.max())
    return a / a.sum() @ patterns


@wrong("steps_to_the_end", "a-500", mistake="the 2017 table, read literally")
def blind_table():
    return 500, 4, 4, 1, 100


@wrong(
    "steps_to_the_end", "b-logarithm", mistake="the logarithm to base 2 for b, too"
)
def blind_all_log():
    return 499, 9, 9, 1, 2


@wrong("steps_to_the_end", "e-window", mistake="distance 500")
def blind_distance():
    return [499, 250, 9, 1, 250]


@wrong("steps_to_the_end", "c-one-less", mistake="half of the way, from the middle")
def blind_middle():
    return [499, 250, 8, 1, 2]


@wrong("steps_to_the_end", "form", mistake="words")
def blind_words():
    return ["499", "250", "nine", "1", "2"]
