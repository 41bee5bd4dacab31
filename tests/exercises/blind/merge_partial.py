import numpy as np


def merge_partial__1(m1, l1, o1, m2, l2, o2):
    # mistake: no guard where both maxima are -inf: -inf - (-inf) is NaN
    m = np.maximum(m1, m2)
    a1, a2 = np.exp(m1 - m), np.exp(m2 - m)
    l = a1 * l1 + a2 * l2
    o = a1[..., None] * o1 + a2[..., None] * o2
    return m, l, o


def merge_partial__2(m1, l1, o1, m2, l2, o2):
    # mistake: sums are just added, without shrinking them to the common maximum
    m = np.maximum(m1, m2)
    return m, l1 + l2, o1 + o2


def merge_partial__3(m1, l1, o1, m2, l2, o2):
    # mistake: the two factors are exchanged
    m = np.maximum(m1, m2)
    safe = np.where(np.isinf(m), 0.0, m)
    f1 = np.exp(m1 - safe)
    f2 = np.exp(m2 - safe)
    l = f2 * l1 + f1 * l2
    o = f2[..., None] * o1 + f1[..., None] * o2
    return m, l, o


def merge_partial__10(m1, l1, o1, m2, l2, o2):
    # mistake: one maximum for all queries together
    m = np.maximum(m1, m2)
    top = m.max()
    top = top if np.isfinite(top) else 0
    a, b = np.exp(m1 - top), np.exp(m2 - top)
    return m, a * l1 + b * l2, a[..., None] * o1 + b[..., None] * o2


def merge_partial__11(m1, l1, o1, m2, l2, o2):
    # mistakes: o not rescaled; NaN where no part has a key
    m = np.maximum(m1, m2)
    l = np.exp(m1 - m) * l1 + np.exp(m2 - m) * l2
    o = o1 + o2
    return m, l, o
