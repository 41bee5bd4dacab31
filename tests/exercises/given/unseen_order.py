"""Wrong answers to `order` by others who had not seen the known mistakes, either."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "sinusoidal_encoding",
    mistake="puts the number of the column, not of the pair, into the frequency, so that the sine and the cosine of a"
    " pair have different frequencies",
)
def second_ord_column_in_frequency(n, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    table = []
    for position in range(n):
        row = []
        for column in range(d_model):
            angle = position * 10000 ** (-2 * column / d_model)
            if column % 2 == 0:
                row.append(math.sin(angle))
            else:
                row.append(math.cos(angle))
        table.append(row)
    return np.array(table, dtype=float).reshape(n, d_model)


@wrong(
    "rotary",
    mistake="overwrites the first half before the second is computed, so that the second half is made from the already"
    " turned a",
)
def second_ord_rotary_in_place(X, positions):
    out = np.array(X, dtype=float)
    half = out.shape[-1] // 2
    omega = 10000.0 ** (-np.arange(half) / half)
    phi = np.asarray(positions)[:, None] * omega
    a, b = out[..., :half], out[..., half:]
    out[..., :half] = a * np.cos(phi) - b * np.sin(phi)
    out[..., half:] = a * np.sin(phi) + b * np.cos(phi)
    return out


@wrong(
    "rotary",
    mistake="turns the pairs the other way round AND divides the exponent of the frequencies by d/2 instead of d",
)
def second_ord_rotary_einsum(X, positions):
    *lead, n, d = X.shape
    pairs = d // 2
    omega = 10000.0 ** (-2 * np.arange(pairs) / pairs)
    phi = np.einsum("i,f->if", positions, omega)
    turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
    # s: which half a feature is in, t: which half it goes to
    return np.einsum(
        "stif,...isf->...itf", turn, X.reshape(*lead, n, 2, pairs)
    ).reshape(X.shape)


@wrong(
    "alibi_bias",
    mistake="halves the slope from one head to the next whatever the number of heads, which is right for 8 heads only",
)
def second_ord_alibi_always_halves(n_heads, n_q):
    return np.array(
        [
            [[-(0.5**h) * (i - j) for j in range(n_q)] for i in range(n_q)]
            for h in range(1, n_heads + 1)
        ],
        dtype=float,
    )


@wrong(
    "is_equivariant",
    mistake="answers True as soon as one permutation works, instead of asking that all of them do",
)
def second_ord_one_success_is_enough(model, X):
    rng = np.random.default_rng(1)
    Y = model(X)
    for _ in range(200):
        order = rng.permutation(len(X))
        if np.allclose(
            model(X[order]), Y[order], rtol=1e-6, atol=1e-6 * np.abs(Y).max()
        ):
            return True
    return False


@wrong(
    "LearnedPositions",
    mistake="takes the length of the sequence from axis 1, which is right only if there is exactly one batch axis",
)
class SecondOrdLengthFromAxisOne(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        length = X.size(1)
        if length > self.n_max:
            raise ValueError("the sequence is too long")
        return X + self.P[:length]


@wrong(
    "sinusoidal_encoding",
    mistake="divides with // in the exponent of the frequency, so that it is rounded down to a "
    "whole number and all pairs but the first get the frequency 1/10000",
)
def third_or_floor_exponent(n, d_model):
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            w = 10000.0 ** (-2 * f // d_model)
            P[i, 2 * f] = np.sin(i * w)
            P[i, 2 * f + 1] = np.cos(i * w)
    return P


@wrong(
    "rotary",
    mistake="overwrites the first half before the second is computed, so that the second half is "
    "made from the already turned a instead of the original one",
)
def third_or_overwritten_half(X, positions):
    d = X.shape[-1]
    half = d // 2
    angles = np.outer(positions, 10000.0 ** (-2 * np.arange(half) / d))
    cos, sin = np.cos(angles), np.sin(angles)
    out = X.copy()
    a, b = out[..., :half], out[..., half:]
    out[..., :half] = a * cos - b * sin
    out[..., half:] = a * sin + b * cos
    return out


@wrong(
    "rotary",
    mistake="turns in the other direction, by minus the angle AND divides the exponent of the "
    "frequency by the number of pairs d/2 instead of d",
)
def third_or_complex_rotary(X, positions):
    n_pairs = X.shape[-1] // 2
    z = X[..., :n_pairs] + 1j * X[..., n_pairs:]
    w = 10000.0 ** (-2 * np.arange(n_pairs) / n_pairs)
    z = np.einsum("...nf,nf->...nf", z, np.exp(-1j * np.outer(positions, w)))
    return np.concatenate([z.real, z.imag], axis=-1)


@wrong(
    "alibi_bias",
    mistake="the exponent of the slope has no parentheses: it computes 2^-8 times h / n_heads, not "
    "2 to the power -8 h / n_heads",
)
def third_or_slope_precedence(n_heads, n_q):
    return np.array(
        [
            [
                [-(2**-8 * h / n_heads) * (i - j) for j in range(n_q)]
                for i in range(n_q)
            ]
            for h in range(1, n_heads + 1)
        ]
    ).reshape(n_heads, n_q, n_q)


@wrong(
    "is_equivariant",
    mistake="tries cyclic shifts only, so that a model that mixes each row with its neighbors in a "
    "ring passes as equivariant",
)
def third_or_only_shifts(model, X):
    Y = model(X)
    return all(
        np.abs(model(np.roll(X, s, axis=0)) - np.roll(Y, s, axis=0)).max()
        <= 1e-6 * np.abs(Y).max()
        for s in range(len(X))
    )


@wrong(
    "LearnedPositions",
    mistake="goes through the first axis, so that in a batch every sequence gets one row of P, by "
    "its number in the batch, instead of a row for each position",
)
class ThirdOrFirstAxis(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        if X.shape[-2] > self.n_max:
            raise ValueError("the sequence is too long")
        out = torch.empty_like(X)
        for i, x in enumerate(X):
            out[i] = x + self.P[i]
        return out


@wrong(
    "sinusoidal_encoding",
    said="run from 1 down to exactly 1/10000",
    mistake="divides the exponent by the number of pairs minus one instead of by d_model / 2",
)
def fifth_or_pairs_less_one(n, d_model):
    if d_model % 2:
        raise ValueError("odd")
    pairs = d_model // 2
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(pairs):
            omega = 10000 ** (-f / max(pairs - 1, 1))
            P[i, 2 * f] = np.sin(i * omega)
            P[i, 2 * f + 1] = np.cos(i * omega)
    return P


@wrong(
    "rotary",
    said="You rotate the other way",
    mistake="counts the rows 0, 1, 2 … instead of using the given positions AND turns the wrong "
    "way round",
)
def fifth_or_rows_and_back(X, positions):
    half = X.shape[-1] // 2
    omega = 10000.0 ** (-2 * np.arange(half) / X.shape[-1])
    angle = np.arange(len(positions))[:, None] * omega
    z = X[..., :half] + 1j * X[..., half:]
    z = z * np.exp(-1j * angle)
    return np.concatenate([z.real, z.imag], axis=-1)


@wrong(
    "alibi_bias",
    said="from the end of the sequence",
    mistake="takes the distance from the end of the sequence, n_q - 1 - j, instead of from the "
    "query's own place, i - j",
)
def fifth_or_from_the_end(n_heads, n_q):
    slopes = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    row = np.arange(n_q - 1, -1, -1)
    return np.array([[-slope * row for _ in range(n_q)] for slope in slopes])
