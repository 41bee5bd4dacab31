"""Answers to `numerical_gradient`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ng_put_back(f, x, eps):
    x = x.copy()
    slopes = np.empty_like(x)
    for i in np.ndindex(*x.shape):
        old = x[i]
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        down = f(x)
        x[i] = old
        slopes[i] = (up - down) / 2 / eps
    return slopes


@right()
def ng_unit_arrays(f, x, eps):
    out = []
    for one in np.eye(x.size):
        e = one.reshape(x.shape) * eps
        out.append((f(x + e) - f(x - e)) / (2 * eps))
    return np.array(out).reshape(x.shape)


@right()
def ng_flat(f, x, eps):
    flat = x.ravel()
    grad = np.zeros(x.size)
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = eps
        high, low = (flat + step).reshape(x.shape), (flat - step).reshape(x.shape)
        grad[k] = 0.5 * (f(high) - f(low)) / eps
    return grad.reshape(x.shape)


@right()
def ng_two_halves(f, x, eps):
    """The mean of the forward and the backward difference is the central one."""
    middle = f(x)
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"])
    for _ in it:
        i = it.multi_index
        moved = x.copy()
        moved[i] += eps
        forward = (f(moved) - middle) / eps
        moved[i] = x[i] - eps
        backward = (middle - f(moved)) / eps
        grad[i] = (forward + backward) / 2
    return grad


@right()
def ng_in_the_array_itself(f, x, eps):
    grad = np.zeros(x.shape)
    for i, old in np.ndenumerate(x):
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        grad[i] = (up - f(x)) / (2 * eps)
        x[i] = old
    return grad


# the nudge is never taken back
@wrong(said="in place")
def ng_drifting(f, x, eps):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        grad[i] = (up - f(x)) / (2 * eps)
    return grad


# a slice is no copy
@wrong("same-array", "in-place")
def ng_slice_for_copy(f, x, eps):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        above, below = x[:], x[:]
        above[i] = above[i] + eps
        below[i] = below[i] - eps
        grad[i] = (f(above) - f(below)) / (2 * eps)
    return grad


# eps times a random direction
@wrong(author="blind")
def blind_random(f, x, eps):
    e = np.random.default_rng(0).standard_normal(x.shape)
    return (f(x + eps * e) - f(x - eps * e)) / (2 * eps) * e


# loops over two axes only
@wrong(author="blind")
def blind_two_axes(f, x, eps):
    g = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            up, down = x.copy(), x.copy()
            up[i, j] += eps
            down[i, j] -= eps
            g[i, j] = (f(up) - f(down)) / (2 * eps)
    return g


# flattens and forgets to reshape
@wrong("flat", author="blind")
def blind_flat(f, x, eps):
    g = []
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g.append((f(up) - f(down)) / (2 * eps))
    return np.array(g)


# the return is inside the loop
@wrong(author="blind")
def blind_return_in_loop(f, x, eps):
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / (2 * eps)
        return g


# the whole gradient is overwritten each time
@wrong("last-only", author="blind")
def blind_overwritten(f, x, eps):
    for i in np.ndindex(x.shape):
        g = np.zeros_like(x)
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / (2 * eps)
    return g


# nudges once up, then once back
@wrong("one-sided-halved", author="blind")
def blind_up_and_back(f, x, eps):
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        moved = x.copy()
        moved[i] += eps
        up = f(moved)
        moved[i] -= eps
        g[i] = (up - f(moved)) / (2 * eps)
    return g


# entries are moved and never put back
@wrong("stays-below", author="blind")
def blind_not_back(f, x, eps):
    x = np.array(x, dtype=float)
    g = np.zeros_like(x)
    for idx in np.ndindex(*x.shape):
        x[idx] += eps
        up = f(x)
        x[idx] -= 2 * eps
        down = f(x)
        g[idx] = (up - down) / (2 * eps)
    return g


# the way down subtracts eps only once, so it is back at x: (f(x+eps) - f(x)) / (2 eps)
@wrong("one-sided-halved", said="or only back to x?", author="blind")
def o40_back_at_x(f, x, eps):
    y = x.copy()
    g = np.zeros_like(y)
    it = np.nditer(y, flags=["multi_index"])
    for _ in it:
        i = it.multi_index
        y[i] += eps
        up = f(y)
        y[i] -= eps
        down = f(y)
        g[i] = (up - down) / (2 * eps)
    return g


# nudges by a share of the entry AND stops before the last one
@wrong("relative-nudge", "last-skipped", author="blind")
def d66_ng(f, x, eps):
    g = np.zeros(x.size)
    for k in range(x.size - 1):
        a, b = x.copy().ravel(), x.copy().ravel()
        a[k] *= 1 + eps
        b[k] *= 1 - eps
        g[k] = (f(a.reshape(x.shape)) - f(b.reshape(x.shape))) / (2 * eps)
    return g.reshape(x.shape)


# what was moved up stays moved AND the result has one axis
@wrong("stays-above", "flat", author="blind")
def d68_ng(f, x, eps):
    up = x.copy()
    slopes = []
    for i in np.ndindex(*x.shape):
        down = x.copy()
        up[i] += eps
        down[i] -= eps
        slopes.append((f(up) - f(down)) / (2 * eps))
    return np.array(slopes)
