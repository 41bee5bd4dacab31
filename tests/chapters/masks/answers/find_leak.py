"""Answers to `find_leak`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def fl_one_at_a_time(model, X):
    before = model(X)
    leaks = []
    for j in range(1, len(X)):
        changed = X.copy()
        changed[j] = -3 * changed[j] + 0.7
        moved = np.abs(model(changed) - before).max(axis=-1) > 1e-8
        leaks += list(np.flatnonzero(moved[:j]))
    return min(leaks) if leaks else None


@right()
def fl_by_prefix(model, X):
    whole = model(X)
    for i in range(len(X)):
        if not np.allclose(model(X[: i + 1])[-1], whole[i], atol=1e-7):
            return i


@right()
def fl_random(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    for i in range(len(X)):
        changed = np.concatenate(
            [X[: i + 1], rng.standard_normal(X[i + 1 :].shape)]
        )
        if np.abs(model(changed)[i] - before[i]).max() > 1e-9:
            return i
    return None


@right()
def fl_swapped_in_zeros(model, X):
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] = 0
        if not np.allclose(model(changed)[i], model(X)[i]):
            return np.int64(i)


@right()
def fl_relative(model, X):
    rng = np.random.default_rng(1)
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += rng.normal(size=X[i + 1 :].shape)
        gap = np.abs(model(changed)[i] - before[i]).max()
        if gap > 1e-9 * np.abs(before[i]).max():
            return i
    return None


@right()
def fl_number_by_number(model, X):
    before, leaks = model(X), set()
    for j, k in np.ndindex(X.shape):
        changed = X.copy()
        changed[j, k] = 2.0 - changed[j, k]
        moved = ~np.isclose(model(changed), before).all(axis=1)
        leaks |= {i for i in range(j) if moved[i]}
    return min(leaks, default=None)


@right()
def fl_half(model, X):
    before, n = model(X), len(X)
    for i in range(n):
        for scale in (0.5, 2.0, -1.0):
            changed = np.where(np.arange(n)[:, None] > i, scale * X, X)
            if np.abs(model(changed) - before)[i].max(initial=0.0) > 1e-7:
                return i


def fresh_has_moved(old, new):
    """Say whether a row changed by more than rounding."""
    size = max(np.abs(old).max(), np.abs(new).max())
    return not np.abs(new - old).max() <= 1e-8 * size


@right(author="fresh")
def fresh_fl_all_suffixes(model, X):
    rng = np.random.default_rng(123)
    kept = np.array(model(X.copy()))

    def leaks(i):
        for size in (0.5, 1.0, 3.0):
            step = size * rng.normal(size=X.shape)
            step[: i + 1] = 0
            for changed in (X + step, X - step):
                if fresh_has_moved(kept[i], np.array(model(changed))[i]):
                    return True
        return False

    return next(filter(leaks, range(len(X) - 1)), None)


@right(author="fresh")
def fresh_fl_smallest_of_all(model, X):
    """Change inputs one at a time and all from one on; keep the smallest output."""
    rng = np.random.default_rng(5)
    n, Y, guilty = len(X), np.array(model(X.copy())), set()
    for j in range(1, n):
        for stop in (j + 1, n):
            for size in (-2.0, 0.7, 1.0, 2.0):
                Z = X.copy()
                Z[j:stop] = Z[j:stop] + size * rng.normal(size=Z[j:stop].shape)
                out = np.array(model(Z))
                guilty |= {i for i in range(j) if fresh_has_moved(Y[i], out[i])}
    return min(guilty, default=None)


@wrong()
def fl_changes_x_itself(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        X[i + 1 :] += 1
        if not np.allclose(model(X)[i], before[i]):
            return i


@wrong()
def fl_counts_from_one(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += np.arange(1.0, len(X) - i)[:, None]
        if not np.allclose(model(changed)[i], before[i]):
            return i + 1
    return None


@wrong()
def fl_alias(model, X):
    for i in range(len(X) - 1):
        changed = X
        changed[i + 1 :] = 0
        if not np.allclose(model(changed)[i], model(X)[i]):
            return i
    return None


@wrong()
def fl_any_position(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += np.arange(1.0, len(X) - i)[:, None]
        if not np.allclose(model(changed), before):
            return i
    return None


def _leak_finder(change, same):
    """Search as asked for, with a change and a comparison of the learner's own."""

    def find(model, X):
        before = model(X)
        for i in range(len(X) - 1):
            changed = X.copy()
            change(changed[i + 1 :])
            if not same(model(changed)[i], before[i]):
                return i
        return None

    return find


def _add(amount):
    def change(rows):
        rows += amount * np.linspace(1.0, 0.5, len(rows))[:, None]

    return change


@wrong("exact")
def fl_exact(model, X):
    return _leak_finder(_add(1.0), lambda a, b: not (a != b).any())(model, X)


@wrong("sums")
def fl_sums(model, X):
    same = _leak_finder(_add(1.0), lambda a, b: np.isclose(a.sum(), b.sum()))
    return same(model, X)


@wrong("first-feature")
def fl_first_feature(model, X):
    def change(rows):
        rows[:, 0] += np.linspace(1.0, 0.5, len(rows))

    return _leak_finder(change, np.allclose)(model, X)


@wrong("first-output")
def fl_first_output(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.isclose(a[0], b[0]))(model, X)


@wrong("coarse", said="0.001")
def fl_small_change(model, X):
    return _leak_finder(_add(1e-3), np.allclose)(model, X)


@wrong(said="should this be multiplied by `amount`")
def fl_smaller_change(model, X):
    return _leak_finder(_add(1e-4), np.allclose)(model, X)


@wrong("coarse", said="tolerance is too generous")
def fl_generous(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.abs(a - b).max() < 0.01)(
        model, X
    )


@wrong("nan-probe", said="inf makes a bad probe")
def fl_infinity(model, X):
    return _leak_finder(_add(np.inf), np.allclose)(model, X)


@wrong("nan-probe", said="nan makes a bad probe")
def fl_nan(model, X):
    return _leak_finder(_add(np.nan), np.allclose)(model, X)


@wrong(said="output 0 depends on input 4")
def fl_next_and_last(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        for j in (i + 1, len(X) - 1):
            changed = X.copy()
            changed[j] += 1.0
            if not np.allclose(model(changed)[i], before[i]):
                return i
    return None


@wrong(said="output 4 depends on input 10")
def fl_three_ahead(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 : i + 4] += 1.0
        if not np.allclose(model(changed)[i], before[i]):
            return i
    return None


# any feature that stays is taken for no leak
@wrong()
def fl_any_feature_same(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.isclose(a, b).any())(model, X)


# changes input i itself as well as the later ones, so honest models seem to leak
@wrong(author="fresh")
def fresh_fl_changes_own(model, X):
    before = model(X)
    for i in range(len(X)):
        other = X.copy()
        other[i:] += 1.0 + np.random.default_rng(i).random(X[i:].shape)
        if not np.allclose(model(other)[i], before[i], rtol=1e-7, atol=1e-9):
            return i
    return None


# changes X in place and never puts it back, so later outputs move for honest reasons AND takes any
# difference for a leak, rounding included
@wrong(author="fresh")
def fresh_fl_in_place_exact(model, X):
    Y = model(X.copy())
    i = 0
    while i < len(X) - 1:
        X[i + 1 :] += np.random.default_rng(i).normal(size=X[i + 1 :].shape)
        if (model(X)[i] != Y[i]).any():
            return i
        i += 1
    return None


# only reverses the order of the later inputs, so it misses a model that uses their sum, and one in
# which the last but one position sees the last
@wrong(author="unseen")
def second_ma_reverses_future(model, X):
    before = model(X)

    def search(i):
        if i == len(X):
            return None
        changed = np.concatenate([X[: i + 1], X[i + 1 :][::-1]])
        after = model(changed)
        if not np.allclose(after[i], before[i], rtol=1e-7, atol=1e-12):
            return i
        return search(i + 1)

    return search(0)


# changes only the input right after i, so a leak from farther ahead is missed
@wrong("only-next", author="blind")
def b6_masks_5(model, X):
    base = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1] = changed[i + 1] + 1.0
        new = model(changed)
        if not np.allclose(new[i], base[i], rtol=1e-8, atol=1e-10):
            return i
    return None


# returns the leak that the first changed input shows, not the smallest position over all inputs (an
# earlier position may depend on a later input)
@wrong("fails-two", "elsewhere", author="blind")
def b7_masks_35(model, X):
    base = model(X)
    n = len(X)
    for j in range(1, n):
        changed = X.copy()
        changed[j] = changed[j] + 1.0
        out = model(changed)
        for i in range(j):
            if not np.allclose(out[i], base[i], rtol=1e-7, atol=1e-9):
                return i
    return None


# all later inputs move alike
@wrong("alike")
def fl_moves_alike(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1e-2
        if np.abs(model(changed)[i] - before[i]).max() > 1e-9:
            return i
    return None


# input i changes, too; that the last position is tried as well does no harm
@wrong("itself", author="blind")
def blind_own_input(model, X):
    before = model(X)
    for i in range(len(X)):
        changed = X.copy()
        changed[i:] = np.random.default_rng(3).normal(size=changed[i:].shape)
        if np.abs(model(changed)[i] - before[i]).max() > 1e-9:
            return i
    return None


# no absolute value: changes are added up with their signs, negative ones are missed
@wrong("blind-to", said="not where it falls", author="blind")
def b8_signed(model, X):
    n, d = X.shape
    before = model(X)
    gen = np.random.default_rng(0)
    for i in range(n - 1):
        other = X.copy()
        other[i + 1 :] = gen.standard_normal((n - 1 - i, d))
        diff = model(other)[i] - before[i]
        if diff.sum() > 1e-6:
            return i
    return None


# `or None` turns a leak at position 0 into None
@wrong("zero-is-false", author="blind")
def b8_zero_is_false(model, X):
    rng = np.random.default_rng(7)
    base = model(X)
    leaky = set()
    for j in range(1, X.shape[0]):
        Z = np.array(X)
        Z[j] += rng.normal(size=Z.shape[1])
        delta = np.max(np.abs(model(Z) - base), axis=-1)
        leaky |= {i for i in range(j) if delta[i] > 1e-6}
    first = min(leaky) if leaky else None
    return first or None


# returns the input that leaks (j), not the output that sees it (i)
@wrong(said="you return the *input*", author="blind")
def b8_returns_input(model, X):
    n = len(X)
    rng = np.random.default_rng(11)
    y = model(X)
    for i in range(n):
        for j in range(i + 1, n):
            X2 = X.copy()
            X2[j] = rng.normal(size=X.shape[1])
            if np.abs(model(X2)[i] - y[i]).max() > 1e-6:
                return j


# only the very last input is changed AND the difference has no absolute value
@wrong(said="you change only the last", author="blind")
def b8_last_signed(model, X):
    rng = np.random.default_rng(4)
    base = model(X)
    Y = X.copy()
    Y[-1] = rng.normal(size=X.shape[1])
    new = model(Y)
    for i in range(len(X) - 1):
        if (new[i] - base[i]).sum() > 1e-6:
            return i
    return None


# returns the last leaking position: the loop does not stop at the first
@wrong("last", author="blind")
def k39_last(model, X):
    leak = None
    base = model(X)
    for pos in range(len(X)):
        other = np.concatenate([X[: pos + 1], np.random.randn(*X[pos + 1 :].shape)])
        diff = np.max(np.abs(model(other)[pos] - base[pos]))
        if diff > 1e-8:
            leak = pos
    return leak


# changes only the last input AND adds up the difference with its signs
@wrong("blind-to", said="you change only the last", author="blind")
def m45_last_by_one(model, X):
    X2 = X.copy()
    X2[-1] += 1.0
    diff = model(X2) - model(X)
    for i in range(len(X) - 1):
        if diff[i].sum() > 1e-8:
            return i
    return None


# goes through the changed inputs from the last to the first and returns the first hit, which
# need not be the first position that leaks
@wrong("latest-input", author="blind")
def f8_v22_first_hit(model, X):
    rng = np.random.default_rng(3)
    before = model(X)
    n = X.shape[0]
    for j in reversed(range(1, n)):
        other = X.copy()
        other[j] = rng.normal(size=X.shape[1])
        moved = np.abs(model(other) - before).max(axis=1) > 1e-6
        hits = np.flatnonzero(moved[:j])
        if hits.size:
            return int(hits[0])
    return None


# changes the last input only (a leak from one in the middle is missed) AND asks for a change
# above 1e-2 (one of 1e-4 is a leak)
@wrong("only-last", "coarse", author="blind")
def f8_v24_last_and_tolerance(model, X):
    Z = np.array(X, dtype=float)
    Z[-1] = Z[-1] + 1
    diff = np.abs(model(Z) - model(X)).max(axis=-1)
    for pos, d in enumerate(diff[:-1]):
        if d > 0.01:
            return pos


# compares exactly, so that rounding counts as a leak AND changes only the first feature
@wrong("blind-to", said="you change only the first, and you take", author="blind")
def a48_exact_one_feature(model, X):
    y = model(X)
    for i in range(X.shape[0] - 1):
        Xp = X.copy()
        Xp[i + 1 :, 0] += 1
        if not np.array_equal(model(Xp)[i], y[i]):
            return i
    return None


# X is changed in place and not restored, so that earlier changes stay, and the tolerance is 0.01,
# so that leaks of 1e-4 are missed
@wrong("in-place", "coarse", author="blind")
def t10_h14_inplace_loose(model, X):
    Y = model(X).copy()
    n = X.shape[0]
    for i in range(n - 1):
        X[i + 1 :] = X[i + 1 :] + 1.0
        new = model(X)
        if not np.allclose(new[i], Y[i], rtol=0, atol=1e-2):
            return i
    return None


# signed difference without abs, and it returns i + 1, the first input seen, not the position i
@wrong(said="you say 1, and not 0", author="blind")
def t10_h15_signed_plus1(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    n, d = X.shape
    for pos in range(n - 1):
        other = X.copy()
        other[pos + 1 :] += rng.normal(size=(n - pos - 1, d))
        diff = model(other)[pos] - before[pos]
        if np.max(diff) > 1e-6:
            return pos + 1


# difference without abs: an output that falls is not noticed AND the loop stops one too
# early, position n-2 is never checked
@wrong("blind-to", said="you never look at output 5", author="blind")
def v05_signed_and_short(model, X):
    n = X.shape[0]
    y = model(X)
    for i in range(n - 2):
        X2 = np.array(X)
        X2[i + 1 :] += np.random.default_rng(i).standard_normal(X2[i + 1 :].shape)
        change = (model(X2) - y)[i].max()
        if change > 1e-7:
            return i
    return None


# the position of the input is returned AND only changes above 0.01 are seen
@wrong("coarse", "input-returned", author="blind")
def d31_leak(model, X):
    y = model(X)
    n = X.shape[0]
    for j in range(n):
        Z = np.array(X)
        Z[j] = 0
        diff = np.abs(model(Z) - y).max(axis=1)
        for i in range(j):
            if diff[i] > 1e-2:
                return j
    return None


# position 0 is never tried AND -1 stands for None
@wrong("first-skipped", "not-a-position", author="blind")
def d32_leak(model, X):
    y = model(X)
    for i in range(1, len(X)):
        Z = X.copy()
        Z[i + 1 :] = np.random.default_rng(0).standard_normal(Z[i + 1 :].shape)
        if (np.abs(model(Z)[i] - y[i]) > 1e-7).any():
            return i
    return -1
