"""Wrong answers to the exercises of `order` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("sinusoidal_encoding")
def se_precedence(n, d_model):
    P = np.zeros((n, d_model))
    for i in range(n):
        for f in range(d_model // 2):
            P[i, 2 * f] = np.sin(i / 10000**2 * f / d_model)
            P[i, 2 * f + 1] = np.cos(i / 10000**2 * f / d_model)
    return P


@wrong("sinusoidal_encoding")
def se_column_counter_doubled(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model))
    for f in range(0, d_model, 2):
        P[:, f] = np.sin(np.arange(n) / 10000 ** (2 * f / d_model))
        P[:, f + 1] = np.cos(np.arange(n) / 10000 ** (2 * (f + 1) / d_model))
    return P


@wrong("sinusoidal_encoding")
def se_base_1000(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 1000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong("sinusoidal_encoding")
def se_half_as_many(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.sin(a)


@wrong("sinusoidal_encoding")
def se_angles(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.repeat(a, 2, axis=1)


@wrong("sinusoidal_encoding")
def se_asserts(n, d_model):
    assert d_model % 2 == 0
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong("sinusoidal_encoding")
def se_returns_none_for_odd(n, d_model):
    if d_model % 2:
        return None
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong("sinusoidal_encoding")
def se_wrong_reshape(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)]).reshape(n, d_model)


@wrong("sinusoidal_encoding")
def se_positions_are_columns(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(d_model) * 10000.0 ** (-np.arange(n)[:, None] / d_model)
    return np.where(np.arange(d_model) % 2, np.cos(a), np.sin(a))


@wrong("sinusoidal_encoding")
def se_blocks_and_from_one(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(1, n + 1)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])


@wrong("sinusoidal_encoding")
def se_blocks_without_error(n, d_model):
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(a), np.cos(a)])


@wrong("sinusoidal_encoding")
def se_integer_array(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model), dtype=int)
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    P[:, ::2], P[:, 1::2] = np.sin(a), np.cos(a)
    return P


@wrong("rotary")
def ro_in_place(X, positions):
    half = X.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
    first = X[..., :half]
    X[..., :half] = first * np.cos(angles) - X[..., half:] * np.sin(angles)
    X[..., half:] = first * np.sin(angles) + X[..., half:] * np.cos(angles)
    return X


@wrong("rotary")
def ro_rotate_half_without_minus(X, positions):
    d = X.shape[-1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    angles = np.tile(angles, 2)
    other = np.concatenate([X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@wrong("rotary")
def ro_rolled(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles) + np.roll(X, d // 2, axis=-1) * np.sin(angles)


@wrong("rotary")
def ro_minus_in_wrong_half(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    other = np.concatenate([X[..., d // 2 :], -X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@wrong("rotary")
def ro_llama_base(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 500000.0 ** (-np.arange(0, d, 2) / d)), 2)
    other = np.concatenate([-X[..., d // 2 :], X[..., : d // 2]], axis=-1)
    return X * np.cos(angles) + other * np.sin(angles)


@wrong("rotary")
def ro_interleaved_by_index(X, positions):
    d = X.shape[-1]
    angles = np.outer(np.arange(X.shape[-2]), 10000.0 ** (-np.arange(0, d, 2) / d))
    out = np.empty_like(X)
    a, b = X[..., ::2], X[..., 1::2]
    out[..., ::2] = a * np.cos(angles) - b * np.sin(angles)
    out[..., 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return out


@wrong("rotary")
def ro_over_the_batch(X, positions):
    d = X.shape[-1]
    angles = positions * (10000.0 ** (-np.arange(0, d, 2) / d))[:, None]
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


@wrong("rotary")
def ro_joined_along_rows(X, positions):
    d = X.shape[-1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[..., : d // 2], X[..., d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c])


@wrong("rotary")
def ro_cosine_only(X, positions):
    d = X.shape[-1]
    angles = np.tile(np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)), 2)
    return X * np.cos(angles)


@wrong("rotary")
def ro_two_axes_only(X, positions):
    d = X.shape[1]
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d))
    a, b = X[:, : d // 2], X[:, d // 2 :]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=1)


@wrong("rotary")
def ro_scaled(X, positions):
    return ro_minus_in_wrong_half(X, -positions) / np.sqrt(X.shape[-1])


@wrong("alibi_bias")
def al_sign(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return slopes[:, None, None] * np.abs(i[:, None] - i)


@wrong("alibi_bias")
def al_one_table(n_heads, n_q):
    i = np.arange(n_q)
    return -(i[:, None] - i) * 2.0 ** (-8 / n_heads)


@wrong("alibi_bias")
def al_integers(n_heads, n_q):
    i = np.arange(n_q)
    return np.stack([-(i[:, None] - i)] * n_heads)


@wrong("alibi_bias")
def al_integer_division(n_heads, n_q):
    slopes = 2.0 ** -(8 * np.arange(1, n_heads + 1) // n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i)


@wrong("alibi_bias")
def al_slopes_from_one_over_two(n_heads, n_q):
    slopes = np.linspace(0.5, 2**-8, n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i)


@wrong("alibi_bias")
def al_from_zero_and_sign(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(n_heads) / n_heads)
    i = np.arange(n_q)
    return slopes[:, None, None] * (i[:, None] - i)


@wrong("alibi_bias")
def al_only_the_slopes(n_heads, n_q):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@wrong("can_tell_order")
def ct_only_with_positions():
    return {"d", "e", "f"}


@wrong("can_tell_order")
def ct_deep():
    return {"b", "c", "d", "f"}


@wrong("can_tell_order")
def ct_no_mask():
    return {"d", "f"}


@wrong("is_equivariant")
def ie_shuffles_in_place(model, X):
    before = model(X)
    order = np.random.default_rng(0).permutation(len(X))
    X[:] = X[order]
    return np.allclose(model(X), before[order])


@wrong("is_equivariant")
def ie_array(model, X):
    order = np.arange(len(X))[::-1]
    return np.isclose(model(X[order]), model(X)[order])


@wrong("is_equivariant")
def ie_invariance_of_reversal(model, X):
    return np.allclose(model(X[::-1]), model(X))


@wrong("is_equivariant")
def ie_swap_last_two(model, X):
    order = np.r_[: len(X) - 2, len(X) - 1, len(X) - 2]
    return np.allclose(model(X[order]), model(X)[order])


@wrong("is_equivariant")
def ie_any(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(50)]
    return any(
        np.allclose(model(X[o]), model(X)[o]) for o in [*orders, np.arange(len(X))]
    )


@wrong("is_equivariant")
def ie_prints(model, X):
    order = np.arange(len(X))[::-1]
    print(np.allclose(model(X[order]), model(X)[order]))


@wrong("sinusoidal_encoding")
def se_handed_over(n, d_model):
    from course_attn.in_numpy.order import sinusoidal_encoding

    return sinusoidal_encoding(n, d_model)


@wrong("rotary")
def ro_handed_over(X, positions):
    from course_attn.in_numpy.order import rotary

    return rotary(X, positions)


@wrong("alibi_bias")
def al_handed_over(n_heads, n_q):
    from course_attn.in_numpy import order

    return order.alibi_bias(n_heads, n_q)


# Mistakes that no fault lists, or that only some inputs show


@wrong(
    "sinusoidal_encoding", "built-in", mistake="The course's function did it all."
)
def se_handed_over_in_torch(n, d_model):
    from course_attn.in_torch.order import sinusoidal_encoding

    return sinusoidal_encoding(n, d_model).numpy()


@wrong(
    "sinusoidal_encoding",
    "angles",
    mistake="Positions are divided by n − 1: they should be 0, 1, 2, … (and n = 1 gives 0/0).",
)
def se_from_zero_to_one(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.linspace(0, 1, n)[:, None] / 10000 ** (
        np.arange(0, d_model, 2) / d_model
    )
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong(
    "sinusoidal_encoding",
    "angles",
    said="base is 2.718",
    mistake="The logarithm of 10000 is missing in the exponential: the base is e.",
)
def se_base_e(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] * np.exp(-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong(
    "sinusoidal_encoding",
    "whole-exponent",
    mistake="`//` cuts every exponent down to 0.",
)
def se_whole_exponent(n, d_model):
    if d_model % 2:
        raise ValueError
    P = np.zeros((n, d_model))
    for f in range(d_model // 2):
        a = np.arange(n) / 10000 ** (2 * f // d_model)
        P[:, 2 * f], P[:, 2 * f + 1] = np.sin(a), np.cos(a)
    return P


@wrong(
    "sinusoidal_encoding",
    said="single position",
    mistake="For one position the axis of positions is squeezed away.",
)
def se_squeezed(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model).squeeze()


@wrong("rotary", "built-in", mistake="The course's function did it all.")
def ro_handed_over_in_torch(X, positions):
    import torch

    from course_attn.in_torch import rotary

    return rotary(torch.from_numpy(X), torch.from_numpy(positions)).numpy()


@wrong(
    "rotary",
    "fails-far",
    "angles",
    said="thousands",
    mistake="The table of angles has 512 rows; positions beyond it are cut down to 511.",
)
def ro_short_table(X, positions):
    half = X.shape[-1] // 2
    table = np.outer(np.arange(512), 10000.0 ** (-np.arange(half) / half))
    angles = table[np.minimum(positions, 511)]
    a, b = X[..., :half], X[..., half:]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


@wrong(
    "rotary",
    mistake="The positions are sorted first; each belongs to its row and must stay there.",
)
def ro_sorts_positions(X, positions):
    return ro_minus_in_wrong_half(X, -np.sort(positions))


@wrong(
    "rotary",
    "angles-transposed",
    mistake="The table of angles is transposed: positions should run along the rows.",
)
def ro_outer_reversed(X, positions):
    half = X.shape[-1] // 2
    angles = np.outer(10000.0 ** (-np.arange(half) / half), positions)
    a, b = X[..., :half], X[..., half:]
    c, s = np.cos(angles), np.sin(angles)
    return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)


@wrong(
    "rotary",
    "angles",
    mistake="Pair f is turned by position · f: the power of 10000 is missing.",
)
def ro_linear_frequencies(X, positions):
    half = X.shape[-1] // 2
    z = X[..., :half] + 1j * X[..., half:]
    z = z * np.exp(1j * positions[:, None] * np.arange(half))
    return np.concatenate([z.real, z.imag], axis=-1)


@wrong(
    "alibi_bias",
    "slopes",
    mistake="Distances are divided by n_q − 1; each step back should cost the slope itself.",
)
def al_divided_by_the_longest(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i) / (n_q - 1)


@wrong("alibi_bias", "built-in", mistake="The course's function did it all.")
def al_handed_over_in_torch(n_heads, n_q):
    from course_attn.in_torch import alibi_bias

    return alibi_bias(n_heads, n_q).numpy()


@wrong(
    "alibi_bias",
    "one-slope",
    mistake="All heads get the slope of the first: the number of the head is missing.",
)
def al_every_head_alike(n_heads, n_q):
    i = np.arange(n_q)
    return np.stack([-(2 ** (-8 / n_heads)) * (i[:, None] - i)] * n_heads)


@wrong(
    "alibi_bias",
    "slopes",
    said="cost the same",
    mistake="The logarithm of the distance is taken; it should grow evenly.",
)
def al_logarithm(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * np.log1p(np.abs(i[:, None] - i))


@wrong(
    "can_tell_order",
    "opposite",
    mistake="These are the models that cannot tell; the question is which can.",
)
def ct_those_that_cannot():
    return "abe"


@wrong("can_tell_order", "none", mistake="Three of them can.")
def ct_none():
    return set()


@wrong(
    "is_equivariant",
    said="one order",
    mistake="One random permutation is not enough: some models hand on half of them.",
)
def ie_one_random(model, X):
    order = np.random.default_rng(1).permutation(len(X))
    return np.allclose(model(X[order]), model(X)[order])


@wrong(
    "is_equivariant",
    "two-orders",
    mistake="Inputs and outputs are permuted by two different random orders.",
)
def ie_two_draws(model, X):
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = len(X)
        if not np.allclose(
            model(X[rng.permutation(n)]), model(X)[rng.permutation(n)]
        ):
            return False
    return True


@wrong(
    "is_equivariant",
    mistake="The first permutation decides: `return True` stands inside the loop.",
)
def ie_returns_in_the_loop(model, X):
    rng = np.random.default_rng(4)
    for _ in range(50):
        order = rng.permutation(len(X))
        if np.allclose(model(X[order]), model(X)[order]):
            return True
        else:
            return False


@wrong(
    "is_equivariant",
    said="tolerance",
    mistake="The tolerance is absolute and too small for large outputs: rounding is more there.",
)
def ie_absolute_and_tiny(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-13 for o in orders)


@wrong(
    "is_equivariant",
    said="tolerance",
    mistake="The tolerance is absolute and too generous for small outputs.",
)
def ie_absolute_and_coarse(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-3 for o in orders)


@wrong(
    "is_equivariant",
    mistake="Both sides are sorted before they are compared: which row stands where is lost.",
)
def ie_sorted_numbers(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(
        np.allclose(
            np.sort(model(X[o]), axis=None), np.sort(model(X)[o], axis=None)
        )
        for o in orders
    )


@wrong(
    "is_equivariant",
    mistake="Only the last of many permutations decides.",
)
def ie_last_one_decides(model, X):
    rng = np.random.default_rng(2)
    same = False
    for _ in range(50):
        order = rng.permutation(len(X))
        same = np.allclose(model(X[order]), model(X)[order])
    return same


@wrong(
    "sinusoidal_encoding",
    mistake="Two pi per wavelength: the angles are multiplied by 2π.",
)
def se_full_turns(n, d_model):
    if d_model % 2:
        raise ValueError
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    a = 2 * np.pi * a
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d_model)


@wrong(
    "alibi_bias",
    "slopes",
    said="One part of it is too much",
    mistake="The bias is divided by √n_heads, as nobody asked.",
)
def al_scaled(n_heads, n_q):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    i = np.arange(n_q)
    return -slopes[:, None, None] * (i[:, None] - i) / np.sqrt(n_heads)
