"""Answers to `sinusoidal_encoding`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
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


@right()
def se_exp(n, d_model):
    assert_even = d_model // 2 * 2 == d_model
    if not assert_even:
        raise ValueError("odd")
    turn = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    angles = np.outer(np.arange(n), turn)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


@right()
def se_where(n, d_model):
    if d_model % 2:
        raise ValueError("odd d_model")
    i, k = np.indices((n, d_model))
    angles = i / np.power(10000, (k - k % 2) / d_model)
    return np.where(k % 2 == 0, np.sin(angles), np.cos(angles))


@right()
def se_complex(n, d_model):
    if d_model & 1:
        raise ValueError
    step = np.exp(1j * 1e4 ** (-2 * np.arange(d_model // 2) / d_model))
    z = step ** np.arange(n)[:, None]
    out = np.zeros((n, d_model))
    out[:, ::2], out[:, 1::2] = z.imag, z.real
    return out


@right()
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


@right()
def se_shifted_cosine(n, d_model):
    if d_model % 2:
        raise ValueError
    k = np.arange(d_model)
    return np.sin(
        np.arange(n)[:, None] * 10000.0 ** (-(k // 2 * 2) / d_model)
        + np.pi / 2 * (k % 2)
    )


@right()
def se_columns(n, d_model):
    if d_model % 2 == 1:
        raise ValueError(d_model)
    columns = []
    for f in range(d_model // 2):
        angle = np.arange(n) * 10000.0 ** (-2 * f / d_model)
        columns += [np.sin(angle), np.cos(angle)]
    return np.column_stack(columns)


@right(author="fresh")
def fresh_sin_complex(n, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    omega = np.array([10000.0 ** (-c / d_model) for c in range(0, d_model, 2)])
    z = np.exp(1j * np.outer(np.arange(n), omega))
    P = np.empty((n, d_model))
    P[:, 0::2], P[:, 1::2] = z.imag, z.real
    return P


@right(author="fresh")
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


@wrong()
def se_precedence(n, d_model):
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            P[i, 2 * f] = np.sin(i / 10000**2 * f / d_model)
            P[i, 2 * f + 1] = np.cos(i / 10000**2 * f / d_model)
    return P


@wrong()
def se_half_as_many(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.sin(a)


@wrong()
def se_angles(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.repeat(a, 2, axis=1)


@wrong()
def se_asserts(n, d_model):
    assert d_model % 2 == 0
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong()
def se_returns_none_for_odd(n, d_model):
    if d_model % 2:
        return None
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong()
def se_wrong_reshape(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)]).reshape(n, d_model)


@wrong()
def se_positions_are_columns(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(d_model) * 10000.0 ** (-np.arange(n)[:, None] / d_model)
    return np.where(np.arange(d_model) % 2, np.cos(a), np.sin(a))


@wrong()
def se_blocks_without_error(n, d_model):
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])


@wrong()
def se_handed_over(n, d_model):
    from course_attn.in_numpy.order import sinusoidal_encoding

    return sinusoidal_encoding(n, d_model)


# The logarithm of 10000 is missing in the exponential: the base is e.
@wrong("angles", said="base is 2.718")
def se_base_e(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] * np.exp(-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


# `//` cuts every exponent down to 0.
@wrong("whole-exponent")
def se_whole_exponent(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model))
    for f in range(d_model // 2):
        a = np.arange(n) / 10000 ** (2 * f // d_model)
        P[:, 2 * f], P[:, 2 * f + 1] = np.sin(a), np.cos(a)
    return P


# For one position the axis of positions is squeezed away.
@wrong(said="single position")
def se_squeezed(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model).squeeze()


# reads f as the column, 10000^(-2c / d_model) for c = 0, 2, 4, ...: the exponent is doubled once
# too often
@wrong(author="fresh")
def fresh_sin_doubled(n, d_model):
    if d_model & 1:
        raise ValueError("d_model cannot be paired")

    def pair(i, c):
        phi = i / 10000 ** (2 * c / d_model)
        return [math.sin(phi), math.cos(phi)]

    rows = [sum((pair(i, c) for c in range(0, d_model, 2)), []) for i in range(n)]
    return np.array(rows).reshape(n, d_model)


# counts the positions from 1 AND does not refuse an odd d_model: its last column stays 0
@wrong(author="fresh")
def fresh_sin_from_one(n, d_model):
    enc = np.zeros((n, d_model))
    pos = np.arange(1, n + 1)
    for f in range(d_model // 2):
        w = 1 / 10000 ** (2 * f / d_model)
        enc[:, 2 * f] = np.sin(pos * w)
        enc[:, 2 * f + 1] = np.cos(pos * w)
    return enc


# divides with // in the exponent of the frequency, so that it is rounded down to a whole number and
# all pairs but the first get the frequency 1/10000
@wrong(author="unseen")
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


# divides the exponent by the number of pairs minus one instead of by d_model / 2
@wrong(said="run from 1 down to exactly 1/10000", author="unseen")
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


# uses the number of the column for f, so each frequency has twice the exponent (and the two of a
# pair differ)
@wrong("counter-doubled", author="blind")
def b6_order_2(n, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for pos in range(n):
        for c in range(d_model):
            angle = pos / 10000 ** (2 * c / d_model)
            P[pos, c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
    return P


# all sines come first and then all cosines, and positions count from 1
@wrong("blocks", "from-one", author="blind")
def b6_order_8(n, d_model):
    if d_model % 2 == 1:
        raise ValueError
    position = np.arange(1, n + 1).reshape(-1, 1)
    freq = 1 / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(position * freq), np.cos(position * freq)])


# base 1000 instead of 10000
@wrong("base-1000", author="blind")
def own_order_2(n, d_model):
    if d_model % 2 != 0:
        raise ValueError("odd")
    i = np.arange(n)[:, None]
    f = np.arange(d_model // 2)
    ang = i / 1000 ** (2 * f / d_model)
    P = np.empty((n, d_model))
    P[:, ::2], P[:, 1::2] = np.sin(ang), np.cos(ang)
    return P


# every column has its own frequency, 10000^(-c/d), so the cosine of a pair does not have the
# frequency of its sine
@wrong("one-frequency-per-column", author="blind")
def b7_order_44(n, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    P = np.zeros((n, d_model))
    for i in range(n):
        for c in range(d_model):
            angle = i / 10000 ** (c / d_model)
            P[i, c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
    return P


# the base is 1000 instead of 10000, AND sine and cosine are exchanged
@wrong("exchanged", "base-1000", author="blind")
def u21_base_and_exchange(n, d_model):
    if d_model & 1:
        raise ValueError("must be even")
    E = np.zeros((n, d_model))
    f = np.arange(d_model // 2)
    ang = np.outer(np.arange(n), 1000.0 ** (-2 * f / d_model))
    E[:, 0::2] = np.cos(ang)
    E[:, 1::2] = np.sin(ang)
    return E


# the exponent's sign: multiplies by 10000^(+2f/d), frequencies grow instead of falling
@wrong("growing", author="blind")
def f8_v27_growing(n, d_model):
    if d_model & 1:
        raise ValueError
    table = np.empty((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            phi = i * 10000 ** (2 * f / d_model)
            table[i][2 * f] = math.sin(phi)
            table[i][2 * f + 1] = math.cos(phi)
    return table


# every column has a frequency of its own AND sine and cosine are swapped
@wrong("one-frequency-per-column", "exchanged", author="blind")
def i36_columns_swapped(n, d_model):
    if d_model % 2 == 1:
        raise ValueError("odd d_model")
    pos = np.arange(n)[:, None]
    c = np.arange(d_model)[None, :]
    phi = pos / np.power(10000, c / d_model)
    phi[:, 0::2] = np.cos(phi[:, 0::2])
    phi[:, 1::2] = np.sin(phi[:, 1::2])
    return phi


# the exponent is positive AND counts columns, so that the cosine has a frequency of its own
@wrong("one-frequency-per-column", "growing", author="blind")
def d16_columns(n, d_model):
    if d_model % 2:
        raise ValueError(d_model)
    c = np.arange(d_model)
    angles = np.arange(n)[:, None] * 10000 ** (c / d_model)
    return np.where(c % 2 == 0, np.sin(angles), np.cos(angles))
