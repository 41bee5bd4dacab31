"""Answers to `feed_forward`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ff_python_loops(X, W_1, b_1, W_2, b_2):
    out = np.zeros_like(X)
    for where in np.ndindex(X.shape[:-1]):
        out[where] = b_2
        for k in range(len(b_1)):
            feature = X[where] @ W_1[:, k] + b_1[k]
            if feature > 0:
                out[where] += feature * W_2[k]
    return out


@right()
def ff_half_of_absolute(X, W_1, b_1, W_2, b_2):
    h = np.dot(X, W_1) + b_1
    return np.dot((h + abs(h)) / 2, W_2) + b_2


@right()
def ff_where(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    return np.where(hidden > 0, hidden, 0) @ W_2 + b_2


@right()
def ff_mask(X, W_1, b_1, W_2, b_2):
    h = np.einsum("...d,df->...f", X, W_1) + b_1
    h = h * (h > 0)
    return np.einsum("...f,fd->...d", h, W_2) + b_2


@right()
def ff_row_by_row(X, W_1, b_1, W_2, b_2):
    def one(x):
        h = x @ W_1 + b_1
        h[h < 0] = 0
        return h @ W_2 + b_2

    return np.apply_along_axis(one, -1, X)


@right()
def ff_clip_columns(X, W_1, b_1, W_2, b_2):
    hidden = (W_1.T @ X[..., None])[..., 0] + b_1
    return (W_2.T @ hidden.clip(min=0)[..., None])[..., 0] + b_2


@right(author="fresh")
def fresh_ff_einsum(X, W_1, b_1, W_2, b_2):
    hidden = np.einsum("...i,ij->...j", X, W_1) + b_1
    return np.einsum("...j,ji->...i", (hidden + np.abs(hidden)) / 2, W_2) + b_2


@right(author="fresh")
def fresh_ff_loops(X, W_1, b_1, W_2, b_2):
    Y = np.empty_like(X)
    for place in np.ndindex(*X.shape[:-1]):
        y = b_2.copy()
        for column, bias, row in zip(W_1.T, b_1, W_2):
            h = X[place] @ column + bias
            if h > 0:
                y = y + h * row
        Y[place] = y
    return Y


@wrong()
def ff_linear(X, W_1, b_1, W_2, b_2):
    return X @ W_1 @ W_2 + b_2


@wrong()
def ff_python_max(X, W_1, b_1, W_2, b_2):
    return max(X @ W_1 + b_1, 0) @ W_2 + b_2


@wrong()
def ff_w_1_twice(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 + b_1, 0) @ W_1.T + b_2


@wrong()
def ff_w_transposed(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1.T + b_1, 0) @ W_2.T + b_2


@wrong()
def ff_sign_slip(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 - b_1, 0) @ W_2 - b_2


# W_2 is used first
@wrong("matrices-swapped")
def ff_swapped(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_2 + b_1, 0) @ W_1 + b_2


# squeeze
@wrong()
def ff_squeezed(X, W_1, b_1, W_2, b_2):
    return np.squeeze(np.maximum(X @ W_1 + b_1, 0) @ W_2 + b_2)


# handed over to the course's PyTorch
@wrong("built-in")
def ff_by_torch(X, W_1, b_1, W_2, b_2):
    import torch

    from course_attn.in_torch.block import feed_forward

    return feed_forward(*map(torch.from_numpy, (X, W_1, b_1, W_2, b_2))).numpy()


# applies the ReLU to the result, and has none between the two matrices
@wrong(author="fresh")
def fresh_ff_relu_at_end(X, W_1, b_1, W_2, b_2):
    for W, b in ((W_1, b_1), (W_2, b_2)):
        X = X @ W + b
    return np.where(X > 0, X, 0)


# writes np.max(H, 0), which takes the largest number along axis 0, where np.maximum(H, 0) is needed
@wrong(author="unseen")
def second_blk_max_along_axis(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    hidden = np.max(hidden, 0)
    return hidden @ W_2 + b_2


# the gate lacks the bias that the hidden features have
@wrong(said="or is it `X @ W_1 + b_1`, as elsewhere?", author="unseen")
def fourth_blk_gate(X, W_1, b_1, W_2, b_2):
    gate = (X @ W_1 > 0).astype(X.dtype)
    hidden = gate * (X @ W_1 + b_1)
    return hidden @ W_2 + b_2


# overwrites the output with each hidden unit's share instead of adding it: only the last unit
# counts
@wrong(said="which rounds does `out` hold", author="unseen")
def fifth_bl_last_unit(X, W_1, b_1, W_2, b_2):
    hidden = np.maximum(X @ W_1 + b_1, 0)
    for unit in range(W_2.shape[0]):
        out = hidden[..., unit, None] * W_2[unit]
    return out + b_2


# Leaky ReLU (0.01 times the negative part) instead of ReLU; A residual X is added; the network
# alone is asked for
@wrong("leaky", "residual", author="blind")
def fc_08(X, W_1, b_1, W_2, b_2):
    hidden = np.einsum("...i,ij->...j", X, W_1) + b_1
    hidden = np.where(hidden > 0, hidden, 0.01 * hidden)
    return X + np.einsum("...j,ji->...i", hidden, W_2) + b_2


# GELU instead of ReLU AND a residual connection is added
@wrong("activation", said="GELU (as GPT-2 and BERT), and add X", author="blind")
def g08_gelu_and_residual(X, W_1, b_1, W_2, b_2):
    def act(z):
        return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))

    h = act(np.matmul(X, W_1) + b_1)
    return X + np.matmul(h, W_2) + b_2


# GELU in place of ReLU AND a max(., 0) on the result of the second layer, too
@wrong(
    "activation",
    said="You use GELU (as GPT-2 and BERT), and a ReLU on the result",
    author="blind",
)
def s21_gelu_outer_relu(X, W_1, b_1, W_2, b_2):
    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    first = gelu(np.einsum("...d,df->...f", X, W_1) + b_1)
    second = np.einsum("...f,fd->...d", first, W_2) + b_2
    return np.maximum(second, 0)
