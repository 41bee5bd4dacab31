import numpy as np


def is_equivariant__1(model, X):
    # mistake: tests invariance, the outputs are not permuted
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = rng.permutation(len(X))
        if not np.allclose(model(X[p]), model(X), rtol=1e-6):
            return False
    return True


def is_equivariant__2(model, X):
    # mistake: tries the reversed order only
    return bool(np.allclose(model(X[::-1]), model(X)[::-1], rtol=1e-6, atol=1e-12))


def is_equivariant__3(model, X):
    # mistake: return True inside the loop, after the first permutation (which swaps the first two)
    for k in range(1, len(X)):
        p = np.arange(len(X))
        p[[0, k]] = p[[k, 0]]
        a, b = model(X[p]), model(X)[p]
        if np.abs(a - b).max() > 1e-6 * np.abs(b).max():
            return False
        return True


def is_equivariant__4(model, X):
    # mistake: the permutation is applied once more instead of undone
    Y = model(X)
    for _ in range(40):
        p = np.random.permutation(len(X))
        if np.abs(model(X[p])[p] - Y).max() > 1e-6 * np.abs(Y).max():
            return False
    return True


def is_equivariant__8(model, X):
    # mistakes: only cyclic shifts are tried; a tolerance of 5 % hides small differences
    Y = model(X)
    for k in range(len(X)):
        Z = model(np.roll(X, k, axis=0))
        if np.abs(Z - np.roll(Y, k, axis=0)).max() > 0.05 * np.abs(Y).max():
            return False
    return True
