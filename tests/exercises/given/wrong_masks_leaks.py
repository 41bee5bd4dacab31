"""Wrong answers to `find_leak`. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("find_leak")
def fl_true_false(model, X):
    changed = X.copy()
    changed[-1] += 1
    return not np.allclose(model(changed)[:-1], model(X)[:-1])


@wrong("find_leak")
def fl_changes_x_itself(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        X[i + 1 :] += 1
        if not np.allclose(model(X)[i], before[i]):
            return i


@wrong("find_leak")
def fl_counts_from_one(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
        if not np.allclose(model(changed)[i], before[i]):
            return i + 1
    return None


@wrong("find_leak")
def fl_minus_one(model, X):
    return -1


@wrong("find_leak")
def fl_alias(model, X):
    for i in range(len(X) - 1):
        changed = X
        changed[i + 1 :] = 0
        if not np.allclose(model(changed)[i], model(X)[i]):
            return i
    return None


@wrong("find_leak")
def fl_any_position(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
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
        rows += amount

    return change


@wrong("find_leak", "exact")
def fl_exact(model, X):
    return _leak_finder(_add(1.0), lambda a, b: not (a != b).any())(model, X)


@wrong("find_leak", "exact")
def fl_exact_noise(model, X):
    rng = np.random.default_rng(0)

    def noise(rows):
        rows[:] = rng.standard_normal(rows.shape)

    return _leak_finder(noise, np.array_equal)(model, X)


@wrong("find_leak", "sums")
def fl_sums(model, X):
    same = _leak_finder(_add(1.0), lambda a, b: np.isclose(a.sum(), b.sum()))
    return same(model, X)


@wrong("find_leak", "sums")
def fl_means(model, X):
    same = _leak_finder(_add(5.0), lambda a, b: abs(a.mean() - b.mean()) < 1e-9)
    return same(model, X)


@wrong("find_leak", "first-feature")
def fl_first_feature(model, X):
    def change(rows):
        rows[:, 0] += 1.0

    return _leak_finder(change, np.allclose)(model, X)


@wrong("find_leak", "first-output")
def fl_first_output(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.isclose(a[0], b[0]))(model, X)


@wrong("find_leak", "coarse", said="0.001")
def fl_small_change(model, X):
    return _leak_finder(_add(1e-3), np.allclose)(model, X)


@wrong("find_leak", said="0.0001")
def fl_smaller_change(model, X):
    return _leak_finder(_add(1e-4), np.allclose)(model, X)


@wrong("find_leak", said="0.0001")
def fl_smaller_change_atol(model, X):
    def same(a, b):
        return np.allclose(a, b, atol=1e-4)

    return _leak_finder(_add(1e-4), same)(model, X)


@wrong("find_leak", "coarse", said="tolerance is too generous")
def fl_generous(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.abs(a - b).max() < 0.01)(
        model, X
    )


@wrong("find_leak", "nan-probe", said="inf makes a bad probe")
def fl_infinity(model, X):
    return _leak_finder(_add(np.inf), np.allclose)(model, X)


@wrong("find_leak", "nan-probe", said="nan makes a bad probe")
def fl_nan(model, X):
    return _leak_finder(_add(np.nan), np.allclose)(model, X)


@wrong("find_leak", said="output 0 depends on input 4")
def fl_next_and_last(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        for j in (i + 1, len(X) - 1):
            changed = X.copy()
            changed[j] += 1.0
            if not np.allclose(model(changed)[i], before[i]):
                return i
    return None


@wrong("find_leak", said="output 4 depends on input 10")
def fl_three_ahead(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 : i + 4] += 1.0
        if not np.allclose(model(changed)[i], before[i]):
            return i
    return None


@wrong("find_leak", mistake="any feature that stays is taken for no leak")
def fl_any_feature_same(model, X):
    return _leak_finder(_add(1.0), lambda a, b: np.isclose(a, b).any())(model, X)


@wrong("find_leak", mistake="return None inside the loop: only position 0 is tried")
def fl_returns_in_loop(model, X):
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
        if not np.allclose(model(changed)[i], model(X)[i]):
            return i
        return None


@wrong("find_leak", mistake="compares the output with the input")
def fl_input_compared(model, X):
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
        if not np.allclose(model(changed)[i], changed[i]):
            return i
    return None


@wrong("find_leak", mistake="gives all leaking positions, not the first")
def fl_all_positions(model, X):
    leaks = []
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
        if not np.allclose(model(changed)[i], model(X)[i]):
            leaks.append(i)
    return leaks or None


@wrong("find_leak", mistake="looks at one later output, i + 1, instead of output i")
def fl_next_output(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1.0
        if not np.allclose(model(changed)[i + 1], before[i + 1]):
            return i
    return None
