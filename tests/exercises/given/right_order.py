"""Right answers to the exercises of `order`, each written in another way. None may be refused."""

from itertools import permutations

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("sinusoidal_encoding")
def se_loops(n, d_model):
    if d_model % 2 != 0:
        raise ValueError
    rows = []
    for i in range(n):
        row = []
        for f in range(d_model // 2):
            angle = i / 10000 ** (2 * f / d_model)
            row += [np.sin(angle), np.cos(angle)]
        rows.append(row)
    return np.array(rows)


@right("sinusoidal_encoding")
def se_exp(n, d_model):
    assert_even = d_model // 2 * 2 == d_model
    if not assert_even:
        raise ValueError("odd")
    turn = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    angles = np.outer(np.arange(n), turn)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


@right("sinusoidal_encoding")
def se_where(n, d_model):
    if d_model % 2:
        raise ValueError("odd d_model")
    i, k = np.indices((n, d_model))
    angles = i / np.power(10000, (k - k % 2) / d_model)
    return np.where(k % 2 == 0, np.sin(angles), np.cos(angles))


@right("sinusoidal_encoding")
def se_complex(n, d_model):
    if d_model & 1:
        raise ValueError
    step = np.exp(1j * 1e4 ** (-2 * np.arange(d_model // 2) / d_model))
    z = step ** np.arange(n)[:, None]
    out = np.zeros((n, d_model))
    out[:, ::2], out[:, 1::2] = z.imag, z.real
    return out


@right("sinusoidal_encoding")
def se_float32(n, d_model):
    P = np.zeros((n, d_model), dtype=np.float32)
    position = np.arange(n, dtype=np.float32)[:, None]
    div = np.exp(
        np.arange(0, d_model, 2, dtype=np.float32)
        * np.float32(-np.log(10000.0) / d_model)
    )
    P[:, 0::2] = np.sin(position * div)
    P[:, 1::2] = np.cos(position * div)  # an odd width raises ValueError here
    return P


@right("sinusoidal_encoding")
def se_shifted_cosine(n, d_model):
    if d_model % 2:
        raise ValueError
    k = np.arange(d_model)
    return np.sin(
        np.arange(n)[:, None] * 10000.0 ** (-(k // 2 * 2) / d_model)
        + np.pi / 2 * (k % 2)
    )


@right("rotary")
def ro_rotate_half(X, positions):
    d = X.shape[-1]
    freqs = 1.0 / 10000 ** (np.arange(0, d, 2) / d)
    angles = np.outer(positions, freqs)
    angles = np.concatenate([angles, angles], axis=-1)
    turned = np.concatenate([-X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + turned * np.sin(angles)


@right("rotary")
def ro_complex(X, positions):
    d = X.shape[-1]
    z = X[..., : d // 2] + 1j * X[..., d // 2 :]
    f = np.arange(d // 2)
    z = z * np.exp(1j * positions[:, None] * 10000.0 ** (-2 * f / d))
    return np.concatenate([z.real, z.imag], axis=-1)


@right("rotary")
def ro_loops(X, positions):
    out = np.empty_like(X)
    half = X.shape[-1] // 2
    for i, p in enumerate(positions):
        for f in range(half):
            phi = p * 10000 ** (-f / half)
            a, b = X[..., i, f], X[..., i, f + half]
            out[..., i, f] = a * np.cos(phi) - b * np.sin(phi)
            out[..., i, f + half] = a * np.sin(phi) + b * np.cos(phi)
    return out


@right("rotary")
def ro_matrices(X, positions):
    d = X.shape[-1]
    half = d // 2
    R = np.zeros((len(positions), d, d))
    for i, p in enumerate(positions):
        phi = p * 10000.0 ** (-2 * np.arange(half) / d)
        c, s = np.diag(np.cos(phi)), np.diag(np.sin(phi))
        R[i] = np.block([[c, s], [-s, c]])  # rows are multiplied from the left
    return np.einsum("...nd,nde->...ne", X, R)


@right("rotary")
def ro_float32_angles(X, positions):
    d = X.shape[-1]
    freq = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(X.dtype)
    angles = (positions[:, None] * freq).astype(X.dtype)
    a, b = np.split(X, 2, axis=-1)
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate((a * c - b * s, b * c + a * s), axis=-1)


@right("rotary")
def ro_flat(X, positions):
    *batch, n, d = X.shape
    flat = X.reshape(-1, n, d)
    return np.array([ro_rotate_half(x, positions) for x in flat]).reshape(X.shape)


@right("alibi_bias")
def al_absolute(n_heads, n_q):
    m = 2 ** (-8 / n_heads)
    slopes = np.array([m ** (h + 1) for h in range(n_heads)])
    i = np.arange(n_q)
    return -slopes.reshape(-1, 1, 1) * np.abs(i[:, None] - i[None, :])


@right("alibi_bias")
def al_masked(n_heads, n_q):
    out = np.full((n_heads, n_q, n_q), -np.inf)
    for h in range(n_heads):
        for i in range(n_q):
            for j in range(i + 1):
                out[h, i, j] = -(2 ** (-8 * (h + 1) / n_heads)) * (i - j)
    return out


@right("alibi_bias")
def al_zeros_above(n_heads, n_q):
    out = np.zeros((n_heads, n_q, n_q))
    slopes = np.logspace(-8 / n_heads, -8, n_heads, base=2)
    for i in range(n_q):
        for j in range(i):
            out[:, i, j] = slopes * (j - i)
    return out


@right("alibi_bias")
def al_nan_above(n_heads, n_q):
    distance = np.where(
        np.tri(n_q, dtype=bool), np.subtract.outer(range(n_q), range(n_q)), np.nan
    )
    slopes = np.geomspace(2 ** (-8 / n_heads), 2**-8, n_heads)
    return np.einsum("h,ij->hij", -slopes, distance)


@right("alibi_bias")
def al_float32(n_heads, n_q):
    slopes = 0.5 ** (8 * np.arange(1, n_heads + 1, dtype=np.float32) / n_heads)
    i = np.arange(n_q, dtype=np.float32)
    return (slopes[:, None, None] * (i - i[:, None])).astype(np.float32)


@right("can_tell_order")
def ct_text():
    return "cdf"


@right("can_tell_order")
def ct_list():
    return ["F", "c", "d"]


@right("is_equivariant")
def ie_every_permutation_of_few(model, X):
    n = len(X)
    if n <= 5:
        orders = map(list, permutations(range(n)))
    else:
        rng = np.random.default_rng()
        orders = (rng.permutation(n) for _ in range(50))
    Y = model(X)
    return all(np.allclose(model(X[order]), Y[order]) for order in orders)


@right("is_equivariant")
def ie_every_swap(model, X):
    before = model(X)
    for i in range(len(X)):
        for j in range(i):
            order = np.arange(len(X))
            order[[i, j]] = j, i
            if not np.allclose(model(X[order]), before[order], rtol=1e-7):
                return np.False_
    return np.True_


@right("is_equivariant")
def ie_matrices(model, X):
    rng = np.random.default_rng(3)
    for _ in range(24):
        P = np.eye(len(X))[rng.permutation(len(X))]
        if np.abs(model(P @ X) - P @ model(X)).max() > 1e-6:
            return False
    return True


@right("is_equivariant")
def ie_undone(model, X):
    equal = []
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(X.shape[0])
        out = np.empty_like(model(X))
        out[order] = model(X[order])
        equal.append(np.allclose(out, model(X)))
    return np.array(equal).all()


@right("is_equivariant")
def ie_legacy_random(model, X):
    for _ in range(50):
        p = np.random.permutation(len(X))  # noqa: NPY002
        if not np.isclose(model(X[p]), model(X)[p]).all():
            return False
    return True


@right("LearnedPositions")
def lp_embedding(n_max, d_model):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Embedding(n_max, d_model)

        def forward(self, X):
            if X.size(-2) > self.P.num_embeddings:
                raise ValueError("too long")
            return X + self.P(torch.arange(X.size(-2), device=X.device))

    return Mine()


@right("LearnedPositions")
def lp_zeros(n_max, d_model):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Parameter(torch.zeros((n_max, d_model)))
            self.register_buffer("used", torch.zeros(()))  # plays no part
            self.n_max = n_max

        def forward(self, X):
            n = X.shape[-2]
            if n > self.n_max:
                raise ValueError(n)
            out = torch.empty_like(X)
            for i in range(n):
                out[..., i, :] = X[..., i, :] + self.P[i]
            return out

    return Mine()


@right("rotary")
def ro_table_looked_up(X, positions):
    """Make the angles of all positions up to the last, and pick those asked for."""
    half = X.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    table = np.outer(np.arange(positions.max() + 1), frequencies)
    cos, sin = np.cos(table)[positions], np.sin(table)[positions]
    a, b = X[..., :half], X[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


@right("sinusoidal_encoding")
def se_columns(n, d_model):
    if d_model % 2 == 1:
        raise ValueError(d_model)
    columns = []
    for f in range(d_model // 2):
        angle = np.arange(n) * 10000.0 ** (-2 * f / d_model)
        columns += [np.sin(angle), np.cos(angle)]
    return np.column_stack(columns)


@right("is_equivariant")
def ie_small_absolute_tolerance(model, X):
    rng = np.random.default_rng(11)
    Y = model(X)
    for _ in range(36):
        order = rng.permutation(len(X))
        if np.max(np.abs(model(X[order]) - Y[order])) > 1e-6 * np.abs(Y).max():
            return False
    return True


@right("is_equivariant")
def ie_two_dozen(model, X):
    rng = np.random.default_rng(8)
    orders = [rng.permutation(len(X)) for _ in range(24)]
    return bool(np.all([np.allclose(model(X[o]), model(X)[o]) for o in orders]))


@right("LearnedPositions")
def lp_expanded(n_max, d_model):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

        def forward(self, X):
            n = X.shape[-2]
            if n > len(self.P):
                raise ValueError("the table is too short")
            return X + self.P.narrow(0, 0, n).expand(*X.shape)

    return Mine()
