"""Answers to `in_convex_hull`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ch_same_side(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    sides = np.sign(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0])
    return abs(sides.sum()) == 3


@right()
def ch_areas(point, triangle):
    def area(a, b, c):
        return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return np.isclose(parts, area(a, b, c))


@right()
def ch_two_unknowns(point, triangle):
    a, b, c = triangle
    u, w = np.linalg.solve(np.column_stack([b - a, c - a]), point - a)
    return np.array(u >= 0 and w >= 0 and u + w <= 1)


@right()
def ch_angles(point, triangle):
    arms = triangle - point
    turn = np.angle((arms @ [1, 1j]) / (np.roll(arms, 1, axis=0) @ [1, 1j]))
    return bool(abs(turn.sum()) > 3)


@right()
def ch_crossings(point, triangle):
    inside, (x, y) = False, point
    for k in range(3):
        (ax, ay), (bx, by) = triangle[k], triangle[k - 1]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return bool(inside)


@right(author="fresh")
def fresh_hull_turns(point, triangle):
    p = complex(*point)
    corners = [complex(*corner) for corner in triangle]
    nexts = corners[1:] + corners[:1]
    sides = zip(corners, nexts)
    turns = {((b - a).conjugate() * (p - a)).imag > 0 for a, b in sides}
    return len(turns) == 1


@right(author="fresh")
def fresh_hull_cramer(point, triangle):
    def area(corners):
        return np.linalg.det(np.column_stack([corners, np.ones(3)]))

    whole, found = area(triangle), []
    for c in range(3):
        moved = np.array(triangle, dtype=float)
        moved[c] = point
        found.append(area(moved) / whole)
    return bool(min(found) >= 0)


# areas compared with ==: rounding
@wrong()
def ch_areas_exactly(point, triangle):
    def area(a, b, c):
        return (
            abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2
        )

    a, b, c = triangle
    return bool(
        area(point, b, c) + area(a, point, c) + area(a, b, point) == area(a, b, c)
    )


# only two of the three edges are tested
@wrong()
def ch_two_edges(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    cross = edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0]
    return bool(cross[0] * cross[1] > 0)


# an absolute tolerance larger than small triangles
@wrong()
def ch_absolute_tolerance(point, triangle):
    def area(a, b, c):
        return (
            abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2
        )

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return bool(abs(parts - area(a, b, c)) < 1e-3)


# the corners must be columns of the equations
@wrong()
def ch_not_transposed(point, triangle):
    equations = np.hstack([triangle, np.ones((3, 1))])
    return bool((np.linalg.solve(equations, np.append(point, 1)) >= 0).all())


@wrong()
def ch_nearest_corner(point, triangle):
    sides = np.linalg.norm(triangle - np.roll(triangle, 1, axis=0), axis=1)
    return bool(np.linalg.norm(triangle - point, axis=1).max() <= sides.max())


@wrong()
def ch_wrong_orientation(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    return bool(np.all(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0] <= 0))


# handed over to matplotlib
@wrong("built-in")
def ch_matplotlib(point, triangle):
    from matplotlib.path import Path

    return bool(Path(triangle).contains_point(point))


# checks that two of the weights are non-negative but not the third, so points beyond the opposite
# side count as inside
@wrong(author="unseen")
def third_ws_third_weight_unchecked(point, triangle):
    a, b, c = triangle
    sides = np.column_stack([b - a, c - a])
    u, v = np.linalg.solve(sides, point - a)
    return bool(u >= 0 and v >= 0)


# solves for the weights, but only asks that none is negative, not for the sum 1
@wrong("sum-forgotten", author="blind")
def own_weighted_sum_3(point, triangle):
    M = triangle.T
    w, *_ = np.linalg.lstsq(M, point, rcond=None)
    return bool((w >= 0).all())


# second corner as base
@wrong("untested", author="blind")
def own_weighted_sum_110(point, triangle):
    a, b, c = triangle
    u, v = np.linalg.solve(np.array([a - b, c - b]).T, point - b)
    return bool(u > 0 and v > 0 and u < 1 and v < 1)


# checks the side for two edges only; the third edge (last corner to first) is never looked at
@wrong("middle-weight", said="the edge opposite", author="blind")
def y35_two_edges(point, triangle):
    signs = []
    for i in range(len(triangle) - 1):
        (ax, ay), (bx, by) = triangle[i], triangle[i + 1]
        px, py = point
        cross = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        signs.append(cross > 0)
    return all(signs) or not any(signs)


# the return stands inside the loop: only the first edge is looked at
@wrong(said="one of the three weights", author="blind")
def c6_first_edge_j48(point, triangle):
    for i in range(3):
        a, b, c = triangle[i], triangle[(i + 1) % 3], triangle[(i + 2) % 3]
        e = b - a
        side_p = e[0] * (point[1] - a[1]) - e[1] * (point[0] - a[0])
        side_c = e[0] * (c[1] - a[1]) - e[1] * (c[0] - a[0])
        if side_p * side_c < 0:
            return False
        else:
            return True


# the edges stand as rows in the system where they must be columns AND that the third weight 1 -
# s - t is not negative is not tested
@wrong("first-weight", "edges-as-rows", author="blind")
def a55_rows_third(point, triangle):
    a, b, c = triangle
    M = np.array([b - a, c - a])
    s, t = np.linalg.solve(M, point - a)
    return bool(s >= 0 and t >= 0)


# only two of the three sides are tested AND the corners are taken to run counterclockwise
@wrong("middle-weight", "only-counterclockwise", author="blind")
def a56_two_sides_ccw(point, triangle):
    for k in range(2):
        p, q = triangle[k], triangle[k + 1]
        cross = (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (
            point[0] - p[0]
        )
        if cross < 0:
            return False
    return True


# edges are the rows of the matrix, not its columns AND u <= 1, v <= 1 in place of u + v <= 1
@wrong("edges-as-rows", "parallelogram", author="blind")
def s06_rows_and_square(point, triangle):
    A = triangle[0]
    edges = np.array([triangle[1] - A, triangle[2] - A])
    x = np.linalg.inv(edges) @ (point - A)
    return bool(np.all(x >= 0) and np.all(x <= 1))


# the third weight is never tested AND the point is not taken from the corner as the edges are
@wrong("first-weight", "not-from-corner", author="blind")
def a03_no_origin(point, triangle):
    a, b, c = triangle
    edges = np.stack([b - a, c - a], axis=1)
    s, t = np.linalg.solve(edges, point)
    return bool(s >= 0 and t >= 0)
