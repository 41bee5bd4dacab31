import numpy as np


def find_leak__1(model, X):
    # mistake: returns the input that leaks, not the output that sees it
    Y = model(X)
    for j in range(1, len(X)):
        Z = X.copy()
        Z[j] += 1
        if np.abs(model(Z)[:j] - Y[:j]).max() > 1e-7 * np.abs(Y).max():
            return j
    return None


def find_leak__2(model, X):
    # mistake: only the last input is moved
    Z = X.copy()
    Z[-1] += 1.0
    diff = np.abs(model(Z) - model(X)).max(axis=1)
    for i in range(len(X) - 1):
        if diff[i] > 1e-7 * np.abs(model(X)).max():
            return i
    return None


def find_leak__5(model, X):
    # mistake: the inputs before i are moved, not those after it
    Y = model(X)
    for i in range(1, len(X)):
        Z = X.copy()
        Z[:i] += np.random.randn(i, X.shape[1])
        if not np.allclose(model(Z)[i], Y[i], rtol=1e-6):
            return i
    return None


def find_leak__7(model, X):
    # mistake: the last leaking position instead of the first
    Y = model(X)
    found = None
    for i in range(len(X) - 1):
        Z = X.copy()
        Z[i + 1 :] += np.random.randn(*Z[i + 1 :].shape)
        if np.abs(model(Z)[i] - Y[i]).max() > 1e-7 * np.abs(Y[i]).max():
            found = i
    return found


def find_leak__8(model, X):
    # mistakes: a tolerance of 1 % overlooks small leaks; -1 instead of None
    Y = model(X)
    for i in range(len(X) - 1):
        Z = X.copy()
        Z[i + 1 :] += np.random.randn(*Z[i + 1 :].shape)
        if not np.allclose(model(Z)[i], Y[i], rtol=1e-2, atol=1e-2):
            return i
    return -1
