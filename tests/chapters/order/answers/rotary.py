"""Answers to `rotary`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ro_rotate_half(X, positions):
    d = X.shape[-1]
    freqs = 1.0 / 10000 ** (np.arange(0, d, 2) / d)
    angles = np.outer(positions, freqs)
    angles = np.concatenate([angles, angles], axis=-1)
    turned = np.concatenate([-X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + turned * np.sin(angles)


@right()
def ro_complex(X, positions):
    d = X.shape[-1]
    z = X[..., : d // 2] + 1j * X[..., d // 2 :]
    f = np.arange(d // 2)
    z = z * np.exp(1j * positions[:, None] * 10000.0 ** (-2 * f / d))
    return np.concatenate([z.real, z.imag], axis=-1)


@right()
def ro_matrices(X, positions):
    d = X.shape[-1]
    half = d // 2
    R = np.zeros((len(positions), d, d))
    for i, p in enumerate(positions):
        phi = p * 10000.0 ** (-2 * np.arange(half) / d)
        c, s = np.diag(np.cos(phi)), np.diag(np.sin(phi))
        R[i] = np.block([[c, s], [-s, c]])  # rows are multiplied from the left
    return np.einsum("...nd,nde->...ne", X, R)


@right()
def ro_float32_angles(X, positions):
    d = X.shape[-1]
    freq = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(X.dtype)
    angles = (positions[:, None] * freq).astype(X.dtype)
    a, b = np.split(X, 2, axis=-1)
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate((a * c - b * s, b * c + a * s), axis=-1)


@right()
def ro_flat(X, positions):
    *batch, n, d = X.shape
    flat = X.reshape(-1, n, d)
    return np.array([ro_rotate_half(x, positions) for x in flat]).reshape(X.shape)


@right()
def ro_table_looked_up(X, positions):
    """Make the angles of all positions up to the last, and pick those asked for."""
    half = X.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    table = np.outer(np.arange(positions.max() + 1), frequencies)
    cos, sin = np.cos(table)[positions], np.sin(table)[positions]
    a, b = X[..., :half], X[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


@right(author="fresh")
def fresh_rot_complex(X, positions):
    half = X.shape[-1] // 2
    wide = X.astype(np.float64)
    omega = np.array([10000.0 ** (-f / half) for f in range(half)])
    turn = np.exp(1j * np.multiply.outer(np.asarray(positions), omega))
    z = (wide[..., :half] + 1j * wide[..., half:]) * turn
    return np.concatenate([z.real, z.imag], axis=-1).astype(X.dtype)


@right(author="fresh")
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


@wrong()
def ro_in_place(X, positions):
    half = X.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
    first = X[..., :half]
    X[..., :half] = first * np.cos(angles) - X[..., half:] * np.sin(angles)
    X[..., half:] = first * np.sin(angles) + X[..., half:] * np.cos(angles)
    return X


@wrong()
def ro_rolled(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles) + np.roll(X, d // 2, axis=-1) * np.sin(angles)


@wrong()
def ro_over_the_batch(X, positions):
    d = X.shape[-1]
    angles = positions * (10000.0 ** (-np.arange(0, d, 2) / d))[:, None]
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


@wrong()
def ro_joined_along_rows(X, positions):
    d = X.shape[-1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c])


@wrong()
def ro_cosine_only(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles)


@wrong()
def ro_two_axes_only(X, positions):
    d = X.shape[1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[:, : d // 2], X[:, d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=1)


@wrong()
def ro_minus_in_wrong_half(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    other = np.concatenate([X[..., d // 2 :], -X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@wrong()
def ro_scaled(X, positions):
    return ro_minus_in_wrong_half(X, -positions) / np.sqrt(X.shape[-1])


@wrong()
def ro_handed_over(X, positions):
    from course_attn.in_numpy.order import rotary

    return rotary(X, positions)


# The table of angles has 512 rows; positions beyond it are cut down to 511.
@wrong("fails-far", "angles", said="thousands")
def ro_short_table(X, positions):
    half = X.shape[-1] // 2
    table = np.outer(np.arange(512), 10000.0 ** (-np.arange(half) / half))
    angles = table[np.minimum(positions, 511)]
    a, b = X[..., :half], X[..., half:]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


# Pair f is turned by position · f: the power of 10000 is missing.
@wrong("angles")
def ro_linear_frequencies(X, positions):
    half = X.shape[-1] // 2
    z = X[..., :half] + 1j * X[..., half:]
    z = z * np.exp(1j * positions[:, None] * np.arange(half))
    return np.concatenate([z.real, z.imag], axis=-1)


# writes the two features of a turned pair side by side (interleaved), so that features change
# places
@wrong(author="fresh")
def fresh_rot_complex_interleaved(X, positions):
    half = X.shape[-1] // 2
    z = X[..., :half] + 1j * X[..., half:]
    turn = np.exp(1j * np.outer(positions, 10000.0 ** (-np.arange(half) / half)))
    z = z * turn
    pairs = np.stack([z.real, z.imag], axis=-1)
    return pairs.reshape(X.shape).astype(X.dtype)


# turns in the other direction, by minus the angle AND divides the exponent of the frequency by the
# number of pairs d/2 instead of d
@wrong(author="unseen")
def third_or_complex_rotary(X, positions):
    n_pairs = X.shape[-1] // 2
    z = X[..., :n_pairs] + 1j * X[..., n_pairs:]
    w = 10000.0 ** (-2 * np.arange(n_pairs) / n_pairs)
    z = np.einsum("...nf,nf->...nf", z, np.exp(-1j * np.outer(positions, w)))
    return np.concatenate([z.real, z.imag], axis=-1)


# counts the rows 0, 1, 2 … instead of using the given positions AND turns the wrong way round
@wrong(said="You rotate the other way", author="unseen")
def fifth_or_rows_and_back(X, positions):
    half = X.shape[-1] // 2
    omega = 10000.0 ** (-2 * np.arange(half) / X.shape[-1])
    angle = np.arange(len(positions))[:, None] * omega
    z = X[..., :half] + 1j * X[..., half:]
    z = z * np.exp(-1j * angle)
    return np.concatenate([z.real, z.imag], axis=-1)


# the first half is overwritten before the second half is computed from it (a is a view)
@wrong("used-too-early", author="blind")
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


# turns the other way (signs of the sines), and the exponent is f/d instead of 2f/d
@wrong("backward", "half-exponent", author="blind")
def b6_order_7(X, positions):
    d = X.shape[-1]
    f = np.arange(d // 2)
    theta = np.outer(positions, 10000.0 ** (-f / d))
    x1, x2 = np.split(X, 2, axis=-1)
    first = x1 * np.cos(theta) + x2 * np.sin(theta)
    second = -x1 * np.sin(theta) + x2 * np.cos(theta)
    return np.concatenate([first, second], axis=-1)


# neighbors are paired, and positions are taken to be 0, 1, 2
@wrong("interleaved", "by-index", author="blind")
def own_order_3(X, positions):
    n, d = X.shape[-2:]
    phi = np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(d // 2) / d))
    a, b = X[..., 0::2], X[..., 1::2]
    out = np.empty_like(X)
    out[..., 0::2] = a * np.cos(phi) - b * np.sin(phi)
    out[..., 1::2] = a * np.sin(phi) + b * np.cos(phi)
    return out


# subtracts the first row's position: turns by positions - positions[0]
@wrong("from-first", author="blind")
def k28_from_first(X, positions):
    n, d = X.shape[-2:]
    rel = np.asarray(positions) - positions[0]
    out = np.zeros_like(X, dtype=float)
    for r in range(n):
        for f in range(d // 2):
            t = rel[r] * 10000 ** (-2 * f / d)
            out[..., r, f] = X[..., r, f] * np.cos(t) - X[
                ..., r, f + d // 2
            ] * np.sin(t)
            out[..., r, f + d // 2] = X[..., r, f] * np.sin(t) + X[
                ..., r, f + d // 2
            ] * np.cos(t)
    return out


# pairs feature f with feature d-1-f (mirrored) instead of f + d/2
@wrong("mirrored", author="blind")
def k29_mirrored(X, positions):
    d = X.shape[-1]
    Y = np.empty(X.shape)
    for f in range(d // 2):
        g = d - 1 - f
        phi = positions * 10000 ** (-2 * f / d)
        Y[..., f] = X[..., f] * np.cos(phi) - X[..., g] * np.sin(phi)
        Y[..., g] = X[..., f] * np.sin(phi) + X[..., g] * np.cos(phi)
    return Y


# one speed for all pairs: the frequency is that of the first pair (angle = position)
@wrong("one-speed", author="blind")
def k30_one_speed(X, positions):
    first, second = np.split(X, 2, axis=-1)
    phi = positions.reshape(-1, 1)
    cos, sin = np.cos(phi), np.sin(phi)
    return np.concatenate(
        (first * cos - second * sin, first * sin + second * cos), axis=-1
    )


# The second half is computed from the first half already overwritten AND f runs from 1 to d/2 in
# place of 0 to d/2 - 1.
@wrong("used-too-early", "from-1", author="blind")
def blind_overwritten_from1(X, positions):
    out = np.array(X, dtype=float)
    h = out.shape[-1] // 2
    f = np.arange(1, h + 1)
    w = 10000.0 ** (-2 * f / (2 * h))
    p = np.asarray(positions)[:, np.newaxis] * w
    c, s = np.cos(p), np.sin(p)
    out[..., :h] = out[..., :h] * c - out[..., h:] * s
    out[..., h:] = out[..., :h] * s + out[..., h:] * c
    return out


# positions are counted from the smallest one (positions - min) AND the turn is by minus phi (sign
# of both sines)
@wrong("backward", "from-smallest", author="blind")
def p29_min_backward(X, positions):
    d = X.shape[-1]
    pos = positions - positions.min()
    freqs = 1.0 / 10000 ** (np.arange(0, d, 2) / d)
    ang = np.outer(pos, freqs)
    ang = np.concatenate([ang, ang], axis=-1)
    x1, x2 = np.split(X, 2, axis=-1)
    swapped = np.concatenate([x2, -x1], axis=-1)
    return X * np.cos(ang) + swapped * np.sin(ang)


# the second entry has a minus, too AND comes first
@wrong("both-minus", "halves-exchanged", author="blind")
def b21_swapped(X, positions):
    d = X.shape[-1]
    phi = np.einsum("i,f->if", positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[..., : d // 2], X[..., d // 2 :]
    first, second = (
        a * np.cos(phi) - b * np.sin(phi),
        b * np.cos(phi) - a * np.sin(phi),
    )
    return np.concatenate([second, first], axis=-1)
