"""Answers to `is_equivariant`."""

from itertools import permutations

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ie_every_permutation_of_few(model, X):
    n = len(X)
    if n <= 5:
        orders = map(list, permutations(range(n)))
    else:
        rng = np.random.default_rng()
        orders = (rng.permutation(n) for _ in range(50))
    Y = model(X)
    return all(np.allclose(model(X[order]), Y[order]) for order in orders)


@right()
def ie_every_swap(model, X):
    before = model(X)
    for i in range(len(X)):
        for j in range(i):
            order = np.arange(len(X))
            order[[i, j]] = j, i
            if not np.allclose(model(X[order]), before[order], rtol=1e-7):
                return np.False_
    return np.True_


@right()
def ie_matrices(model, X):
    rng = np.random.default_rng(3)
    for _ in range(24):
        P = np.eye(len(X))[rng.permutation(len(X))]
        gap = np.abs(model(P @ X) - P @ model(X)).max()
        if gap > 1e-6 * np.abs(model(X)).max():
            return False
    return True


@right()
def ie_undone(model, X):
    equal = []
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(X.shape[0])
        out = np.empty_like(model(X))
        out[order] = model(X[order])
        equal.append(np.allclose(out, model(X)))
    return np.array(equal).all()


@right()
def ie_legacy_random(model, X):
    for _ in range(50):
        p = np.random.permutation(len(X))  # noqa: NPY002
        if not np.isclose(model(X[p]), model(X)[p]).all():
            return False
    return True


@right()
def ie_small_absolute_tolerance(model, X):
    rng = np.random.default_rng(11)
    Y = model(X)
    for _ in range(36):
        order = rng.permutation(len(X))
        if np.max(np.abs(model(X[order]) - Y[order])) > 1e-6 * np.abs(Y).max():
            return False
    return True


@right()
def ie_two_dozen(model, X):
    rng = np.random.default_rng(8)
    orders = [rng.permutation(len(X)) for _ in range(24)]
    return bool(np.all([np.allclose(model(X[o]), model(X)[o]) for o in orders]))


@right(author="fresh")
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


@right(author="fresh")
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


@wrong()
def ie_shuffles_in_place(model, X):
    before = model(X)
    order = np.random.default_rng(0).permutation(len(X))
    X[:] = X[order]
    return np.allclose(model(X), before[order])


@wrong()
def ie_array(model, X):
    order = np.arange(len(X))[::-1]
    return np.isclose(model(X[order]), model(X)[order])


@wrong()
def ie_invariance_of_reversal(model, X):
    return np.allclose(model(X[::-1]), model(X))


@wrong()
def ie_swap_last_two(model, X):
    order = np.r_[: len(X) - 2, len(X) - 1, len(X) - 2]
    return np.allclose(model(X[order]), model(X)[order])


@wrong()
def ie_any(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(50)]
    return any(
        np.allclose(model(X[o]), model(X)[o]) for o in [*orders, np.arange(len(X))]
    )


@wrong()
def ie_prints(model, X):
    order = np.arange(len(X))[::-1]
    print(np.allclose(model(X[order]), model(X)[order]))


# One random permutation is not enough: some models hand on half of them.
@wrong(said="one order")
def ie_one_random(model, X):
    order = np.random.default_rng(1).permutation(len(X))
    return np.allclose(model(X[order]), model(X)[order])


# Inputs and outputs are permuted by two different random orders.
@wrong("two-orders")
def ie_two_draws(model, X):
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = len(X)
        if not np.allclose(
            model(X[rng.permutation(n)]), model(X)[rng.permutation(n)]
        ):
            return False
    return True


# The first permutation decides: `return True` stands inside the loop.
@wrong()
def ie_returns_in_the_loop(model, X):
    rng = np.random.default_rng(4)
    for _ in range(50):
        order = rng.permutation(len(X))
        if np.allclose(model(X[order]), model(X)[order]):
            return True
        else:
            return False


# The tolerance is absolute and too small for large outputs: rounding is more there.
@wrong(said="tolerance")
def ie_absolute_and_tiny(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-13 for o in orders)


# The tolerance is absolute and too generous for small outputs.
@wrong(said="tolerance")
def ie_absolute_and_coarse(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-3 for o in orders)


# Both sides are sorted before they are compared: which row stands where is lost.
@wrong()
def ie_sorted_numbers(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(
        np.allclose(
            np.sort(model(X[o]), axis=None), np.sort(model(X)[o], axis=None)
        )
        for o in orders
    )


# Only the last of many permutations decides.
@wrong()
def ie_last_one_decides(model, X):
    rng = np.random.default_rng(2)
    same = False
    for _ in range(50):
        order = rng.permutation(len(X))
        same = np.allclose(model(X[order]), model(X)[order])
    return same


# compares the outputs bit by bit, so that rounding makes the answer False
@wrong(author="fresh")
def fresh_equi_exact(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    orders = (rng.permutation(len(X)) for _ in range(40))
    return all(np.array_equal(model(X[p]), before[p]) for p in orders)


# only asks whether the same rows come out in any order, not whether each stands where its element
# went
@wrong(author="fresh")
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


# tries only cyclic shifts of the rows, not permutations of all kinds
@wrong(author="fresh")
def fresh_equi_shifts(model, X):
    out = model(X)
    scale = np.abs(out).max() + 1e-300
    for k in range(1, X.shape[0]):
        gap = model(np.roll(X, k, axis=0)) - np.roll(out, k, axis=0)
        if np.abs(gap).max() > 1e-6 * scale:
            return False
    return True


# returns inside the loop, so that one permutation decides AND its tolerance is so coarse that a
# change of 0.001 passes
@wrong(author="fresh")
def fresh_equi_first_only(model, X):
    rng = np.random.default_rng(2)
    for _ in range(30):
        p = rng.permutation(X.shape[0])
        a, b = model(X[p]), model(X)[p]
        return bool(np.allclose(a, b, rtol=1e-2, atol=1e-2))


# answers True as soon as one permutation works, instead of asking that all of them do
@wrong(author="unseen")
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


# tries cyclic shifts only, so that a model that mixes each row with its neighbors in a ring passes
# as equivariant
@wrong(author="unseen")
def third_or_only_shifts(model, X):
    Y = model(X)
    return all(
        np.abs(model(np.roll(X, s, axis=0)) - np.roll(Y, s, axis=0)).max()
        <= 1e-6 * np.abs(Y).max()
        for s in range(len(X))
    )


# tries a single permutation, the reversal
@wrong("fails-neighbors", "wrongly", author="blind")
def b6_order_1(model, X):
    out = model(X)
    flipped = model(X[::-1].copy())
    return bool(np.allclose(flipped, out[::-1], rtol=1e-7, atol=1e-9))


# compares the sorted outputs
@wrong("fails-invariant", "wrongly", author="blind")
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


# permutes the output of the permuted input once more by p instead of back by the inverse of p
@wrong("moved-back", author="blind")
def b7_order_43(model, X):
    rng = np.random.default_rng(0)
    Y = model(X)
    for _ in range(50):
        p = rng.permutation(len(X))
        Y_p = model(X[p])
        if not np.allclose(Y_p[p], Y, rtol=1e-6, atol=1e-9):
            return False
    return True


# an absolute tolerance, where a relative change is asked for
@wrong("fails-large", "wrongly", said="compares in proportion")
def ie_absolute(model, X):
    rng = np.random.default_rng(3)
    for _ in range(24):
        P = np.eye(len(X))[rng.permutation(len(X))]
        if np.abs(model(P @ X) - P @ model(X)).max() > 1e-6:
            return False
    return True


# an absolute tolerance wide enough for large outputs, too wide for small ones
@wrong("fails-faint", "wrongly", said="Your tolerance is too generous")
def ie_absolute_and_wide(model, X):
    rng = np.random.default_rng(3)
    orders = [rng.permutation(len(X)) for _ in range(24)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() <= 1e-2 for o in orders)
