"""Answers to `is_equivariant`."""

import numpy as np

from tests.exercises.answers import right, wrong


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


# The tolerance is absolute and too small for large outputs: rounding is more there.
@wrong(said="tolerance")
def ie_absolute_and_tiny(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-13 for o in orders)


# The tolerance is absolute and too generous for small outputs.
@wrong(said="outputs are at most 0.002098 here")
def ie_absolute_and_coarse(model, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(40)]
    return all(np.abs(model(X[o]) - model(X)[o]).max() < 1e-3 for o in orders)


# compares the outputs bit by bit, so that rounding makes the answer False
@wrong(author="fresh")
def fresh_equi_exact(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    orders = (rng.permutation(len(X)) for _ in range(40))
    return all(np.array_equal(model(X[p]), before[p]) for p in orders)


# compares the sorted outputs
@wrong("fails-invariant", "wrongly", said="without sorting", author="blind")
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


# True as soon as one permutation holds
@wrong("wrongly", said="Is one that passes enough", author="blind")
def bl_equi_first_success(model, X):
    rng = np.random.default_rng(1)
    out = model(X)
    scale = np.abs(out).max()
    for _ in range(40):
        perm = rng.permutation(X.shape[0])
        if np.all(np.abs(model(X[perm]) - out[perm]) <= 1e-6 * scale):
            return True
    return False


# the generator is made anew in each round: one permutation, thirty times
@wrong("fails-sometimes", "wrongly", said="30 times", author="blind")
def bl_equi_same_permutation(model, X):
    Y = model(X)
    ok = True
    for _ in range(30):
        rng = np.random.default_rng(42)
        idx = rng.permutation(len(X))
        near = 1e-6 * np.abs(Y).max()
        ok = ok and np.allclose(model(X[idx]), Y[idx], rtol=1e-6, atol=near)
    return bool(ok)


# only the last order counts
@wrong(said="is only the last one kept")
def ie_last(model, X):
    rng = np.random.default_rng(4)
    for _ in range(30):
        order = rng.permutation(len(X))
        same = np.allclose(model(X[order]), model(X)[order])
    return same


# tries only cyclic shifts (roll) AND compares exactly, so that rounding counts
@wrong("wrongly", said="You try cyclic shifts", author="blind")
def w30_both(model, X):
    out = model(X)
    for k in range(1, len(X)):
        moved = model(np.roll(X, k, axis=0))
        if not np.array_equal(moved, np.roll(out, k, axis=0)):
            return False
    return True


# True as soon as one permutation fits, in place of all AND compares exactly, so that rounding
# counts.
@wrong("wrongly", said="one order that passes", author="blind")
def blind_any_exact(model, X):
    Y = model(X)
    for seed in range(40):
        perm = np.random.default_rng(seed).permutation(len(X))
        if np.array_equal(model(X[perm]), Y[perm]):
            return True
    return False


# Tries only rotations (np.roll), no other permutations AND lets a relative change of 5 % pass.
@wrong("wrongly", said="tolerance is too generous", author="blind")
def blind_roll_loose(model, X):
    out = model(X)
    n = X.shape[0]
    good = [
        np.allclose(
            model(np.roll(X, k, axis=0)), np.roll(out, k, axis=0), rtol=0.05
        )
        for k in range(1, n)
    ]
    return all(good)


# True as soon as one permutation agrees AND the tolerance of 1e-2 lets a change of 1e-3 through
@wrong("wrongly", said="tolerance is too generous", author="blind")
def r06_any(model, X):
    out = model(X)
    for seed in range(50):
        perm = np.random.default_rng(seed).permutation(X.shape[0])
        diff = np.abs(model(X[perm]) - out[perm]).max()
        if diff <= 1e-2 * np.abs(out).max():
            return True
    return False
