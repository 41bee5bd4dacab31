"""Answers to the exercises of `order` by somebody who had not seen the known mistakes."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("sinusoidal_encoding")
def fresh_sin_complex(n, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    omega = np.array([10000.0 ** (-c / d_model) for c in range(0, d_model, 2)])
    z = np.exp(1j * np.outer(np.arange(n), omega))
    P = np.empty((n, d_model))
    P[:, 0::2], P[:, 1::2] = z.imag, z.real
    return P


@right("sinusoidal_encoding")
def fresh_sin_comprehension(n, d_model):
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"an odd number of features, {d_model}, cannot be paired")
    numbers = [
        wave(i * math.pow(10000, -2 * f / d_model))
        for i in range(n)
        for f in range(pairs)
        for wave in (math.sin, math.cos)
    ]
    return np.array(numbers, dtype=float).reshape(n, d_model)


@right("rotary")
def fresh_rot_complex(X, positions):
    half = X.shape[-1] // 2
    wide = X.astype(np.float64)
    omega = np.array([10000.0 ** (-f / half) for f in range(half)])
    turn = np.exp(1j * np.multiply.outer(np.asarray(positions), omega))
    z = (wide[..., :half] + 1j * wide[..., half:]) * turn
    return np.concatenate([z.real, z.imag], axis=-1).astype(X.dtype)


@right("rotary")
def fresh_rot_matrix_per_row(X, positions):
    d = X.shape[-1]
    Y = np.zeros_like(X)
    for r, i in enumerate(positions):
        R = np.zeros((d, d))
        for f in range(d // 2):
            g, phi = f + d // 2, int(i) * 10000 ** (-2 * f / d)
            R[f, f] = R[g, g] = math.cos(phi)
            R[f, g], R[g, f] = -math.sin(phi), math.sin(phi)
        Y[..., r, :] = np.einsum("gf,...f->...g", R, X[..., r, :])
    return Y


@right("alibi_bias")
def fresh_alibi_fromfunction(n_heads, n_q):
    def entry(h, i, j):
        return (j - i) / 2 ** (8 * (h + 1) / n_heads)

    return np.fromfunction(entry, (n_heads, n_q, n_q))


@right("alibi_bias")
def fresh_alibi_loops(n_heads, n_q):
    root = 2 ** (-8 / n_heads)
    slope, sheets = root, []
    while len(sheets) < n_heads:
        sheets.append(
            [
                [-slope * (i - j) if j <= i else 0.0 for j in range(n_q)]
                for i in range(n_q)
            ]
        )
        slope *= root
    return np.array(sheets).reshape(n_heads, n_q, n_q)


@right("is_equivariant")
def fresh_equi_put_back(model, X):
    """Shuffle, apply the model, put the rows back: nothing must have changed."""
    rng = np.random.default_rng(7)
    plain = np.array(model(X.copy()))
    tolerance = 1e-7 * np.abs(plain).max(initial=0.0)

    def restored(order):
        Y = np.empty_like(plain)
        Y[order] = model(X[order])
        return Y

    tries = (rng.permutation(len(X)) for _ in range(100))
    return all(bool((abs(restored(p) - plain) <= tolerance).all()) for p in tries)


@right("is_equivariant")
def fresh_equi_matrices(model, X):
    n = X.shape[0]
    rng = np.random.default_rng(11)
    outputs = np.array(model(X.copy()))

    def same(A, B):
        return np.linalg.norm(A - B) <= 1e-6 * np.linalg.norm(B)

    def walk(Pi, steps):
        if steps == 0:
            return True
        Pi = np.eye(n)[rng.permutation(n)] @ Pi
        return bool(same(model(Pi @ X), Pi @ outputs)) and walk(Pi, steps - 1)

    return walk(np.eye(n), 80)


@right("LearnedPositions")
class FreshByIndex(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        P = torch.nn.Parameter(torch.randn(n_max, d_model))
        self.register_parameter("P", P)

    def forward(self, X):
        n_max, n = self.P.shape[0], X.shape[-2]
        if n_max < n:
            raise ValueError(f"there are only {n_max} rows for {n} elements")
        return X + self.P.index_select(0, torch.arange(n, device=X.device))


@right("LearnedPositions")
class FreshRowByRow(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.empty(n_max, d_model).uniform_(-1, 1))

    def forward(self, X):
        n = X.shape[-2]
        if n > len(self.P):
            raise ValueError("the sequence is longer than n_max")
        Y = X.to(torch.promote_types(X.dtype, self.P.dtype), copy=True)
        for i in range(n):
            Y[..., i, :] = Y[..., i, :] + self.P[i]
        return Y


# sinusoidal_encoding


@wrong(
    "sinusoidal_encoding",
    mistake="divides the exponent with //, so that it is rounded down to a "
    "whole number",
)
def fresh_sin_floor(n, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            omega = 10000.0 ** (-2 * f // d_model)
            P[i, 2 * f] = math.sin(i * omega)
            P[i, 2 * f + 1] = math.cos(i * omega)
    return P


@wrong(
    "sinusoidal_encoding",
    mistake="gives each column a frequency of its own, 10000^(-c / d_model), so"
    " that the cosine of a pair has another one than its sine",
)
def fresh_sin_per_column(n, d_model):
    if d_model % 2 != 0:
        raise ValueError("odd")
    angle = np.outer(np.arange(n), 10000.0 ** (-np.arange(d_model) / d_model))
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))


@wrong(
    "sinusoidal_encoding",
    mistake="reads f as the column, 10000^(-2c / d_model) for c = 0, 2, 4, ...:"
    " the exponent is doubled once too often",
)
def fresh_sin_doubled(n, d_model):
    if d_model & 1:
        raise ValueError("d_model cannot be paired")

    def pair(i, c):
        phi = i / 10000 ** (2 * c / d_model)
        return [math.sin(phi), math.cos(phi)]

    rows = [sum((pair(i, c) for c in range(0, d_model, 2)), []) for i in range(n)]
    return np.array(rows).reshape(n, d_model)


@wrong(
    "sinusoidal_encoding",
    mistake="counts the positions from 1 AND does not refuse an odd d_model: "
    "its last column stays 0",
)
def fresh_sin_from_one(n, d_model):
    enc = np.zeros((n, d_model))
    pos = np.arange(1, n + 1)
    for f in range(d_model // 2):
        w = 1 / 10000 ** (2 * f / d_model)
        enc[:, 2 * f] = np.sin(pos * w)
        enc[:, 2 * f + 1] = np.cos(pos * w)
    return enc


# rotary


@wrong(
    "rotary",
    mistake="overwrites the first feature of each pair before the second one is"
    " computed from it",
)
def fresh_rot_overwrite(X, positions):
    Y = X.copy()
    half = X.shape[-1] // 2
    w = 10000.0 ** (-np.arange(half) / half)
    phi = positions[:, None] * w
    a, b = Y[..., :half], Y[..., half:]
    a[...] = a * np.cos(phi) - b * np.sin(phi)
    b[...] = a * np.sin(phi) + b * np.cos(phi)
    return Y


@wrong(
    "rotary",
    mistake="writes the two features of a turned pair side by side "
    "(interleaved), so that features change places",
)
def fresh_rot_complex_interleaved(X, positions):
    half = X.shape[-1] // 2
    z = X[..., :half] + 1j * X[..., half:]
    turn = np.exp(1j * np.outer(positions, 10000.0 ** (-np.arange(half) / half)))
    z = z * turn
    pairs = np.stack([z.real, z.imag], axis=-1)
    return pairs.reshape(X.shape).astype(X.dtype)


@wrong(
    "rotary",
    mistake="turns each row by its index in X and ignores the positions",
)
def fresh_rot_row_index(X, positions):
    n, d = X.shape[-2:]
    out = np.empty_like(X)
    for i in range(n):
        for f in range(d // 2):
            phi = i * 10000 ** (-2 * f / d)
            a, b = X[..., i, f], X[..., i, f + d // 2]
            out[..., i, f] = a * math.cos(phi) - b * math.sin(phi)
            out[..., i, f + d // 2] = a * math.sin(phi) + b * math.cos(phi)
    return out


@wrong(
    "rotary",
    mistake="turns the other way round, by the angle -phi AND uses the exponent"
    " -f / d, without the 2",
)
def fresh_rot_backwards(X, positions):
    d = X.shape[-1]
    phi = np.einsum("i,f->if", positions, 10000.0 ** (-np.arange(d // 2) / d))
    c, s = np.cos(phi), np.sin(phi)
    R = np.array([[c, s], [-s, c]])
    parts = X.reshape(X.shape[:-1] + (2, d // 2))
    turned = np.einsum("uvif,...ivf->...iuf", R, parts)
    return turned.reshape(X.shape).astype(X.dtype)


# alibi_bias


@wrong(
    "alibi_bias",
    mistake="uses the slopes 2^(-h) for any number of heads, which is right for"
    " 8 heads only",
)
def fresh_alibi_eight(n_heads, n_q):
    return np.array(
        [
            [[-(2.0**-h) * (i - j) for j in range(n_q)] for i in range(n_q)]
            for h in range(1, n_heads + 1)
        ]
    )


@wrong(
    "alibi_bias",
    mistake="divides the distance by n, so that the bias depends on the length "
    "of the sequence",
)
def fresh_alibi_relative(n_heads, n_q):
    i, j = np.mgrid[:n_q, :n_q]
    distance = (i - j) / n_q
    mu = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return -np.tensordot(mu, distance, axes=0)


@wrong(
    "alibi_bias",
    mistake="has the sign the wrong way round: keys far away are raised, not "
    "lowered",
)
def fresh_alibi_raises(n_heads, n_q):
    bias = np.full((n_heads, n_q, n_q), -np.inf)
    mu = 1.0
    for h in range(n_heads):
        mu *= 2 ** (-8 / n_heads)
        for i in range(n_q):
            for j in range(i + 1):
                bias[h, i, j] = -mu * (j - i)
    return bias


@wrong(
    "alibi_bias",
    mistake="counts the heads from 0, so that the first slope is 1 AND puts the"
    " heads on the last axis",
)
def fresh_alibi_heads_last(n_heads, n_q):
    slopes = np.exp2(-8 * np.arange(n_heads) / n_heads)
    pos = np.arange(n_q)
    return np.einsum("ij,h->ijh", pos[None, :] - pos[:, None], slopes)


# can_tell_order


@wrong(
    "can_tell_order",
    mistake="takes e for one that can, though the mean adds the same to both "
    "sentences, and misses the causal mask (c)",
)
def fresh_order_only_positions():
    return {"d", "e", "f"}


@wrong(
    "can_tell_order",
    mistake="believes that depth helps (b): a stack of equivariant layers is "
    "equivariant",
)
def fresh_order_depth():
    return {"b", "c", "d", "f"}


# is_equivariant


@wrong(
    "is_equivariant",
    mistake="compares the outputs bit by bit, so that rounding makes the answer"
    " False",
)
def fresh_equi_exact(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    orders = (rng.permutation(len(X)) for _ in range(40))
    return all(np.array_equal(model(X[p]), before[p]) for p in orders)


@wrong(
    "is_equivariant",
    mistake="only asks whether the same rows come out in any order, not whether"
    " each stands where its element went",
)
def fresh_equi_bag(model, X):
    scale = np.abs(model(X)).max() or 1.0

    def bag(Y):
        return np.array(sorted(np.round(Y / scale, 6).tolist()))

    rng = np.random.default_rng(1)
    target = bag(model(X))
    for _ in range(50):
        if not np.allclose(bag(model(rng.permutation(X))), target, atol=1e-5):
            return False
    return True


@wrong(
    "is_equivariant",
    mistake="tries only cyclic shifts of the rows, not permutations of all kinds",
)
def fresh_equi_shifts(model, X):
    out = model(X)
    scale = np.abs(out).max() + 1e-300
    for k in range(1, X.shape[0]):
        gap = model(np.roll(X, k, axis=0)) - np.roll(out, k, axis=0)
        if np.abs(gap).max() > 1e-6 * scale:
            return False
    return True


@wrong(
    "is_equivariant",
    mistake="returns inside the loop, so that one permutation decides AND its "
    "tolerance is so coarse that a change of 0.001 passes",
)
def fresh_equi_first_only(model, X):
    rng = np.random.default_rng(2)
    for _ in range(30):
        p = rng.permutation(X.shape[0])
        a, b = model(X[p]), model(X)[p]
        return bool(np.allclose(a, b, rtol=1e-2, atol=1e-2))


# LearnedPositions


@wrong(
    "LearnedPositions",
    mistake="refuses a sequence of exactly n_max elements, though there is a "
    "row for each",
)
class FreshRefusesFull(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        n = X.size(-2)
        if n >= self.P.size(0):
            raise ValueError(f"there are no rows for {n} positions")
        return X + self.P[:n]


@wrong(
    "LearnedPositions",
    mistake="adds the rows in place and so changes the caller's X",
)
class FreshInPlace(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

    def forward(self, X):
        if X.shape[-2] > self.n_max:
            raise ValueError("the sequence is too long")
        for i in range(X.shape[-2]):
            X[..., i, :] += self.P[i]
        return X


@wrong(
    "LearnedPositions",
    mistake="takes the length from axis 1, which is that of the elements only "
    "if there is exactly one batch axis",
)
class FreshAxisOne(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        n = X.shape[1]
        if n > len(self.P):
            raise ValueError("too long")
        return X + torch.stack([self.P[i] for i in range(n)])


@wrong(
    "LearnedPositions",
    mistake="multiplies X by the root of d_model before adding AND starts again"
    " with row 0 after n_max elements, where it should raise a "
    "ValueError",
)
class FreshWrapsAround(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max, self.d_model = n_max, d_model
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        where = torch.arange(X.shape[-2], device=X.device) % self.n_max
        return X * math.sqrt(self.d_model) + self.P[where]
