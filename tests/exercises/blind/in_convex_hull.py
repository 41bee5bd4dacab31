import numpy as np


def in_convex_hull__1(point, triangle):
    # mistake: tests the bounding box
    low, high = triangle.min(axis=0), triangle.max(axis=0)
    return bool(np.all(point > low) and np.all(point < high))


def in_convex_hull__2(point, triangle):
    # mistake: right only for corners that run counterclockwise
    a, b, c = triangle

    def cross(u, v):
        return u[0] * v[1] - u[1] * v[0]

    return bool(
        cross(b - a, point - a) > 0
        and cross(c - b, point - b) > 0
        and cross(a - c, point - c) > 0
    )


def in_convex_hull__3(point, triangle):
    # mistake: asks for weights of at most 1, but not for non-negative ones
    A = np.vstack([triangle.T, np.ones(3)])
    w = np.linalg.solve(A, np.append(point, 1))
    return bool((w <= 1).all())


def in_convex_hull__6(point, triangle):
    # mistake: tests that no weight is 0 (w.all()) instead of none below 0
    A = np.vstack([triangle.T, np.ones(3)])
    w = np.linalg.solve(A, np.array([point[0], point[1], 1.0]))
    return bool(w.all() >= 0)


def in_convex_hull__8(point, triangle):
    # mistakes: one positive weight is enough (any for all); the answer is inverted
    A = np.vstack([triangle.T, np.ones(3)])
    w = np.linalg.solve(A, np.append(point, 1))
    return not bool((w > 0).any())
