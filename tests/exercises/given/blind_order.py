"""Wrong answers to the exercises of `order`, written blind in three rounds, and what they are told."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "is_equivariant",
    "fails-neighbors",
    "wrongly",
    mistake="tries a single permutation, the reversal",
)
def b6_order_1(model, X):
    out = model(X)
    flipped = model(X[::-1].copy())
    return bool(np.allclose(flipped, out[::-1], rtol=1e-7, atol=1e-9))


@wrong(
    "sinusoidal_encoding",
    "counter-doubled",
    mistake="uses the number of the column for f, so each frequency has twice the exponent (and the two of a pair differ)",
)
def b6_order_2(n, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for pos in range(n):
        for c in range(d_model):
            angle = pos / 10000 ** (2 * c / d_model)
            P[pos, c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
    return P


@wrong(
    "rotary",
    "used-too-early",
    mistake="the first half is overwritten before the second half is computed from it (a is a view)",
)
def b6_order_3(X, positions):
    out = np.array(X, dtype=float)
    half = X.shape[-1] // 2
    omega = 10000.0 ** (-2 * np.arange(half) / X.shape[-1])
    phi = np.asarray(positions)[:, None] * omega
    cos, sin = np.cos(phi), np.sin(phi)
    a, b = out[..., :half], out[..., half:]
    out[..., :half] = a * cos - b * sin
    out[..., half:] = a * sin + b * cos
    return out


@wrong(
    "alibi_bias",
    "from-zero",
    mistake="the heads are counted from 0 in the slopes, so the first has slope 1",
)
def b6_order_4(n_heads, n_q):
    i = np.arange(n_q)
    distance = i[:, None] - i[None, :]
    slopes = np.array([2 ** (-8 * h / n_heads) for h in range(n_heads)])
    return -slopes[:, None, None] * distance


@wrong(
    "LearnedPositions",
    "no-error",
    mistake="a sequence that is too long starts again at row 0 instead of raising an error",
)
class B6Order5(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        positions = torch.arange(X.shape[-2]) % self.n_max
        return X + self.P[positions]


@wrong(
    "can_tell_order",
    "c-missing",
    mistake="overlooks that a causal mask shows the order (c)",
)
def b6_order_6():
    return {"d", "f"}


@wrong(
    "rotary",
    "backward",
    "half-exponent",
    mistake="turns the other way (signs of the sines), and the exponent is f/d instead of 2f/d",
)
def b6_order_7(X, positions):
    d = X.shape[-1]
    f = np.arange(d // 2)
    theta = np.outer(positions, 10000.0 ** (-f / d))
    x1, x2 = np.split(X, 2, axis=-1)
    first = x1 * np.cos(theta) + x2 * np.sin(theta)
    second = -x1 * np.sin(theta) + x2 * np.cos(theta)
    return np.concatenate([first, second], axis=-1)


@wrong(
    "sinusoidal_encoding",
    "blocks",
    "from-one",
    mistake="all sines come first and then all cosines, and positions count from 1",
)
def b6_order_8(n, d_model):
    if d_model % 2 == 1:
        raise ValueError
    position = np.arange(1, n + 1).reshape(-1, 1)
    freq = 1 / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(position * freq), np.cos(position * freq)])


@wrong(
    "is_equivariant",
    "fails-invariant",
    "wrongly",
    mistake="compares the sorted outputs",
)
def own_order_1(model, X):
    rng = np.random.default_rng(0)
    base = np.sort(model(X), axis=0)
    for _ in range(40):
        p = rng.permutation(len(X))
        if not np.allclose(
            np.sort(model(X[p]), axis=0), base, rtol=1e-8, atol=1e-10
        ):
            return False
    return True


@wrong(
    "sinusoidal_encoding",
    "angles",
    said="`1000` stands where `10000` belongs",
    mistake="base 1000 instead of 10000",
)
def own_order_2(n, d_model):
    if d_model % 2 != 0:
        raise ValueError("odd")
    i = np.arange(n)[:, None]
    f = np.arange(d_model // 2)
    ang = i / 1000 ** (2 * f / d_model)
    P = np.empty((n, d_model))
    P[:, ::2], P[:, 1::2] = np.sin(ang), np.cos(ang)
    return P


@wrong(
    "rotary",
    "interleaved",
    "by-index",
    mistake="neighbors are paired, and positions are taken to be 0, 1, 2 ",
)
def own_order_3(X, positions):
    n, d = X.shape[-2:]
    phi = np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(d // 2) / d))
    a, b = X[..., 0::2], X[..., 1::2]
    out = np.empty_like(X)
    out[..., 0::2] = a * np.cos(phi) - b * np.sin(phi)
    out[..., 1::2] = a * np.sin(phi) + b * np.cos(phi)
    return out


@wrong("alibi_bias", "one-slope", mistake="every head has the same slope")
def own_order_4(n_heads, n_q):
    i = np.arange(n_q)
    d = i[:, None] - i
    slope = 2 ** (-8 / n_heads)
    return np.stack([-slope * d for _ in range(n_heads)])


@wrong(
    "is_equivariant",
    "moved-back",
    mistake="permutes the output of the permuted input once more by p instead of back by the inverse of p",
)
def b7_order_43(model, X):
    rng = np.random.default_rng(0)
    Y = model(X)
    for _ in range(50):
        p = rng.permutation(len(X))
        Y_p = model(X[p])
        if not np.allclose(Y_p[p], Y, rtol=1e-6, atol=1e-9):
            return False
    return True


@wrong(
    "sinusoidal_encoding",
    "one-frequency-per-column",
    mistake="every column has its own frequency, 10000^(-c/d), so the cosine of a pair does not have the frequency of its sine",
)
def b7_order_44(n, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for i in range(n):
        for c in range(d_model):
            angle = i / 10000 ** (c / d_model)
            P[i, c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
    return P


@wrong(
    "rotary",
    "used-too-early",
    mistake="a is a view of the array that is being overwritten, so the second half is computed from the already turned first half",
)
def b7_order_45(X, positions):
    out = np.array(X, dtype=float)
    half = X.shape[-1] // 2
    freq = 10000.0 ** (-np.arange(half) / half)
    phi = np.asarray(positions)[:, None] * freq
    a = out[..., :half]
    b = out[..., half:]
    out[..., :half] = a * np.cos(phi) - b * np.sin(phi)
    out[..., half:] = a * np.sin(phi) + b * np.cos(phi)
    return out


@wrong(
    "alibi_bias",
    "for-eight-heads",
    mistake="takes the slopes 1/2, 1/4, 1/8, ... of the example with eight heads for every number of heads",
)
def b7_order_46(n_heads, n_q):
    slopes = [1 / 2**h for h in range(1, n_heads + 1)]
    pos = np.arange(n_q)
    distance = pos[:, None] - pos[None, :]
    return np.stack([-m * distance for m in slopes])


@wrong(
    "LearnedPositions",
    "last-rows",
    said="if `>=` stands where `>` belongs",
    mistake="(two) takes the last n rows of P instead of the first, and refuses a sequence of exactly n_max too",
)
class B7Order47(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        n = X.shape[-2]
        if n >= self.n_max:
            raise ValueError("sequence too long")
        return X + self.P[-n:]


@wrong(
    "text_that_moves",
    "e-missing",
    mistake="thinks that e fails, since the matrices were trained with the other layout, though the test asks only whether the outputs stay",
)
def b7_order_48():
    return {"a", "c"}
