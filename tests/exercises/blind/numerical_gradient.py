import numpy as np


def numerical_gradient__1(f, x, eps):
    # mistake: forward difference, only one side is moved
    g = np.zeros(x.shape)
    fx = f(x)
    for i in np.ndindex(x.shape):
        xp = x.astype(float)
        xp[i] += eps
        g[i] = (f(xp) - fx) / eps
    return g


def numerical_gradient__2(f, x, eps):
    # mistake: divides by eps instead of 2 eps
    g = np.zeros(x.shape)
    for idx in np.ndindex(*x.shape):
        a = np.array(x, dtype=float)
        b = np.array(x, dtype=float)
        a[idx] += eps
        b[idx] -= eps
        g[idx] = (f(a) - f(b)) / eps
    return g


def numerical_gradient__3(f, x, eps):
    # mistake: x is changed and not put back (ends eps too low in every entry)
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        grad[i] = (up - down) / (2 * eps)
    return grad


def numerical_gradient__4(f, x, eps):
    # mistake: moves all entries at the same time
    d = (f(x + eps) - f(x - eps)) / (2 * eps)
    return d * np.ones(x.shape)


def numerical_gradient__13(f, x, eps):
    # mistakes: one-sided; x is not restored
    g = np.zeros_like(x)
    f0 = f(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        g[i] = (f(x) - f0) / eps
    return g
