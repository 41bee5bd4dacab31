"""Wrong answers to the exercises of `order` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


@answers("sinusoidal_encoding")
def se_precedence(n, d_model):
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            P[i, 2 * f] = np.sin(i / 10000**2 * f / d_model)
            P[i, 2 * f + 1] = np.cos(i / 10000**2 * f / d_model)
    return P


@answers("sinusoidal_encoding")
def se_column_counter_doubled(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model))
    for f in range(0, d_model, 2):
        P[:, f] = np.sin(np.arange(n) / 10000 ** (2 * f / d_model))
        P[:, f + 1] = np.cos(np.arange(n) / 10000 ** (2 * (f + 1) / d_model))
    return P


@answers("sinusoidal_encoding")
def se_base_1000(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 1000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@answers("sinusoidal_encoding")
def se_half_as_many(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.sin(a)


@answers("sinusoidal_encoding")
def se_angles(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.repeat(a, 2, axis=1)


@answers("sinusoidal_encoding")
def se_asserts(n, d_model):
    assert d_model % 2 == 0
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@answers("sinusoidal_encoding")
def se_returns_none_for_odd(n, d_model):
    if d_model % 2:
        return None
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@answers("sinusoidal_encoding")
def se_wrong_reshape(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)]).reshape(n, d_model)


@answers("sinusoidal_encoding")
def se_positions_are_columns(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(d_model) * 10000.0 ** (-np.arange(n)[:, None] / d_model)
    return np.where(np.arange(d_model) % 2, np.cos(a), np.sin(a))


@answers("sinusoidal_encoding")
def se_blocks_and_from_one(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(1, n + 1)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])


@answers("sinusoidal_encoding")
def se_blocks_without_error(n, d_model):
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])


@answers("sinusoidal_encoding")
def se_integer_array(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model), dtype=int)
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    P[:, ::2], P[:, 1::2] = np.sin(a), np.cos(a)
    return P


@answers("rotary")
def ro_in_place(X, positions):
    half = X.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
    first = X[..., :half]
    X[..., :half] = first * np.cos(angles) - X[..., half:] * np.sin(angles)
    X[..., half:] = first * np.sin(angles) + X[..., half:] * np.cos(angles)
    return X


@answers("rotary")
def ro_rotate_half_without_minus(X, positions):
    d = X.shape[-1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    angles = np.tile(angles, 2)
    other = np.concatenate([X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@answers("rotary")
def ro_rolled(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles) + np.roll(X, d // 2, axis=-1) * np.sin(angles)


@answers("rotary")
def ro_minus_in_wrong_half(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    other = np.concatenate([X[..., d // 2 :], -X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@answers("rotary")
def ro_llama_base(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 500000.0 ** (-np.arange(0, d, 2) / d)), 2)
    other = np.concatenate([-X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@answers("rotary")
def ro_interleaved_by_index(X, positions):
    d = X.shape[-1]
    angles = np.outer(np.arange(X.shape[-2]), 10000.0 ** (-np.arange(0, d, 2) / d))
    out = np.empty_like(X)
    a, b = X[..., ::2], X[..., 1::2]
    out[..., ::2] = a * np.cos(angles) - b * np.sin(angles)
    out[..., 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return out


@answers("rotary")
def ro_over_the_batch(X, positions):
    d = X.shape[-1]
    angles = positions * (10000.0 ** (-np.arange(0, d, 2) / d))[:, None]
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


@answers("rotary")
def ro_joined_along_rows(X, positions):
    d = X.shape[-1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c])


@answers("rotary")
def ro_cosine_only(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles)


@answers("rotary")
def ro_two_axes_only(X, positions):
    d = X.shape[1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[:, : d // 2], X[:, d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=1)


@answers("rotary")
def ro_scaled(X, positions):
    return ro_minus_in_wrong_half(X, -positions) / np.sqrt(X.shape[-1])


@answers("alibi_bias")
def al_sign(n_heads, n):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n)
    return slopes[:, None, None] * np.abs(i[:, None] - i)


@answers("alibi_bias")
def al_one_table(n_heads, n):
    i = np.arange(n)
    return -(i[:, None] - i) * 2.0 ** (-8 / n_heads)


@answers("alibi_bias")
def al_integers(n_heads, n):
    i = np.arange(n)
    return np.stack([-(i[:, None] - i)] * n_heads)


@answers("alibi_bias")
def al_integer_division(n_heads, n):
    slopes = 2.0 ** -(8 * np.arange(1, n_heads + 1) // n_heads)
    i = np.arange(n)
    return -slopes[:, None, None] * (i[:, None] - i)


@answers("alibi_bias")
def al_slopes_from_one_over_two(n_heads, n):
    slopes = np.linspace(0.5, 2**-8, n_heads)
    i = np.arange(n)
    return -slopes[:, None, None] * (i[:, None] - i)


@answers("alibi_bias")
def al_from_zero_and_sign(n_heads, n):
    slopes = 2.0 ** (-8 * np.arange(n_heads) / n_heads)
    i = np.arange(n)
    return slopes[:, None, None] * (i[:, None] - i)


@answers("alibi_bias")
def al_only_the_slopes(n_heads, n):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@answers("can_tell_order")
def ct_only_with_positions():
    return {"d", "e", "f"}


@answers("can_tell_order")
def ct_deep():
    return {"b", "c", "d", "f"}


@answers("can_tell_order")
def ct_no_mask():
    return {"d", "f"}


@answers("is_equivariant")
def ie_shuffles_in_place(model, X):
    before = model(X)
    order = np.random.default_rng(0).permutation(len(X))
    X[:] = X[order]
    return np.allclose(model(X), before[order])


@answers("is_equivariant")
def ie_array(model, X):
    order = np.arange(len(X))[::-1]
    return np.isclose(model(X[order]), model(X)[order])


@answers("is_equivariant")
def ie_invariance_of_reversal(model, X):
    return np.allclose(model(X[::-1]), model(X))


@answers("is_equivariant")
def ie_swap_last_two(model, X):
    order = np.r_[: len(X) - 2, len(X) - 1, len(X) - 2]
    return np.allclose(model(X[order]), model(X)[order])


@answers("is_equivariant")
def ie_any(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(50)]
    return any(
        np.allclose(model(X[o]), model(X)[o]) for o in [*orders, np.arange(len(X))]
    )


@answers("is_equivariant")
def ie_prints(model, X):
    order = np.arange(len(X))[::-1]
    print(np.allclose(model(X[order]), model(X)[order]))


@answers("sinusoidal_encoding")
def se_handed_over(n, d_model):
    from course_attn.in_numpy.order import sinusoidal_encoding

    return sinusoidal_encoding(n, d_model)


@answers("rotary")
def ro_handed_over(X, positions):
    from course_attn.in_numpy.order import rotary

    return rotary(X, positions)


@answers("alibi_bias")
def al_handed_over(n_heads, n):
    from course_attn.in_numpy import order

    return order.alibi_bias(n_heads, n)
