"""Exercise `in_convex_hull`."""

from itertools import product

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import number

__all__ = ["exercise"]


def in_convex_hull(point, triangle):
    """Say whether the point is a weighted average of the triangle's corners."""
    equations = np.vstack([triangle.T, np.ones(3)])
    right_side = np.append(point, 1.0)
    weights = np.linalg.solve(equations, right_side)
    return bool(np.all(weights >= 0))


_SIZES = {"plain": 1.0, "large": 100.0, "small": 0.01}


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260103)
    flat = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    far = np.array([[6.0, 2.0], [9.0, 3.0], [7.0, 8.0]])
    near_flat = np.array([[1.0, 1.0], [3.0, 3.0], [-1.0, 2.0], [2.0, -1.0]])
    near_far = np.array([[7.0, 4.0], [8.9, 6.0]])
    found = [(point, flat, "example") for point in near_flat]
    found += [(point, far, "example") for point in near_far]
    while len(found) < 40:
        triangle = rng.uniform(-5.0, 5.0, (3, 2))
        weights = rng.dirichlet((1.0, 1.0, 1.0))
        if len(found) % 8 < 4:
            weights[:2] = rng.uniform(-0.7, 1.2, 2)
            weights[2] = 1.0 - weights[:2].sum()
        area = np.linalg.det(triangle[1:] - triangle[0])
        if abs(area) > 4.0 and np.abs(weights).min() > 0.08:
            kind = ("small", "large", "plain", "plain")[len(found) % 4]
            corners = _SIZES[kind] * (triangle + rng.uniform(-9.0, 9.0, 2))
            found.append((weights @ corners, corners, kind))
    # Each triangle comes both ways around, so that only what depends on it fails in one of them.
    return tuple(
        Case((point, corners[::step].copy()), kind)
        for point, corners, kind in found
        for step in (1, -1)
    )


def _weights(c: Context) -> str:
    equations = np.vstack([c.given["triangle"].T, np.ones(3)])
    weights = np.linalg.solve(equations, np.append(c.given["point"], 1.0))
    return ", ".join(map(number, weights))


def _where(c: Context) -> str:
    point, *corners = (
        f"({number(x)}, {number(y)})"
        for x, y in (c.given["point"], *c.given["triangle"])
    )
    verdict = "inside" if c.expected else "outside"
    return f"{point} is {verdict} the triangle {', '.join(corners)}"


def _rounding(c: Context) -> str | None:
    point, triangle = c.given["point"], c.given["triangle"]
    nearby = (c.call(point * (1 + k * 1e-12), triangle) for k in range(1, 40))
    if all(other is None or bool(other) == bool(c.got) for other in nearby):
        return None
    return c.filled(
        "Your answer flips when the point moves by a millionth of a millionth, far from the "
        "border: two computed numbers are compared with `==`, and rounding decides. Allow for it "
        "(`np.isclose`), or look at signs. {where}."
    )


# Points on all sides of a triangle, some inside, to try an answer on.
_CORNERS = np.array([[-1.0, 0.5], [3.0, 1.0], [0.5, 4.0]])
_POINTS = [
    np.roll(weights, k) @ _CORNERS
    for weights in ((1.4, -0.2, -0.2), (-0.4, 0.7, 0.7), (0.8, 0.1, 0.1))
    for k in range(3)
]


def _stretched(c: Context) -> str | None:
    for point, factors in product(_POINTS, ((20, 1), (1, 20))):
        before = c.call(point, _CORNERS)
        after = c.call(point * factors, _CORNERS * factors)
        if before is not None and after is not None and bool(before) != bool(after):
            return c.filled(
                "Your answer changes when the whole picture is stretched along one axis, which "
                "changes no weight. Do you compare distances? Or are edges or corners the rows of "
                "your matrix, and not its columns? {where}; its weights are {weights}."
            )
    return None


def _untested(c: Context) -> str | None:
    """Name the weights that may be negative: at each point of the middle group, one is."""
    if c.expected:
        return None
    said = [c.call(point, _CORNERS) for point in _POINTS[:6]]
    inside = [value is not None and bool(value) for value in said]
    tested = [k for k in range(3) if not inside[3 + k]]
    names = "first", "second", "third"
    # Of the first group, each point has one weight above 0.
    if inside[:3] == [tested == [k] for k in range(3)] and len(tested) == 1:
        return c.filled(
            f"You test one of the three weights (or edges): that of the {names[tested[0]]} corner, "
            "or the edge opposite it. Does a loop return before it has seen the others? {where}, "
            "with the weights {weights}."
        )
    if len(tested) != 2:
        return None
    which = names[inside.index(True, 3) - 3]
    return c.filled(
        f"You test two of the three weights (or edges). Missing is the {which} corner's weight, or "
        "the edge opposite that corner. {where}, with the weights {weights}."
    )


def _verdict(c: Context) -> str:
    return c.filled(
        "{where}: as a combination of the corners whose weights sum to 1 it has the weights "
        "{weights}. You return {your}."
    )


exercise = Exercise(
    in_convex_hull,
    place=50,
    minutes=15,
    level="medium",
    section="The proof, and a test for a point",
    task="""
A weighted average of three points in the plane lies in the triangle between them. Write
`in_convex_hull(point, triangle)`: `True` if `point`, of shape (2,), is a weighted average of the
three rows of `triangle`, of shape (3, 2), with non-negative weights that sum to 1; else `False`.
The corners may run either way around. No point on the border and no flat triangle is asked for.
""",
    cases=_cases,
    kinds={
        "plain": Kind("for some triangles of ordinary size"),
        "large": Kind("for large triangles"),
        "small": Kind("for small triangles", "Is a tolerance too large for them?"),
    },
    terms={"where": _where, "weights": _weights},
    faults=fault_list("""
bounding-box: return bool(np.all((triangle.min(0) <= point) & (point <= triangle.max(0))))
    You test each coordinate against the corners' smallest and largest: that is the box around
    the triangle, which is larger. {where}, but inside the box.
first-weight: weights >= 0 → weights[1:] >= 0
    You test two of the three weights (or edges). Missing is the first corner's weight, or the edge
    opposite that corner: {where}, beyond that edge.
middle-weight: weights >= 0 → weights[::2] >= 0
    You test two of the three weights (or edges). Missing is the second corner's weight, or the edge
    opposite that corner: {where}, beyond that edge.
last-weight: weights >= 0 → weights[:2] >= 0
    You test two of the three weights (or edges). Missing is the third corner's weight, or the edge
    opposite that corner: {where}, beyond that edge.
one-edge: weights >= 0 → weights[2:] >= 0
    You test one of the three weights (or edges). Does a loop return before it has seen the others?
    {where}, with the weights {weights}.
edges-as-rows: np.linalg.solve(equations, right_side)
            → np.linalg.solve(triangle[1:] - triangle[0], point - triangle[0])
        and return bool → weights = np.append(1 - weights.sum(), weights) ⏎ return bool
    The two edges are the *rows* of your equations. Each edge has to be a column, since its weight
    multiplies both of its coordinates. {where}.
parallelogram: weights >= 0 → (weights[1:] >= 0) & (weights[1:] <= 1)
    You ask that the weights of two edges lie between 0 and 1, each by itself: that is a whole
    parallelogram. The triangle is half of it: what holds for their *sum* there? {where}.
only-counterclockwise: np.append(point, 1.0) → np.append(point, 1.0) * np.linalg.det(equations)
    You ask that the point lie to the left of every edge. When the corners run clockwise, the
    inside is on the right: {where}. Ask for the same side.
only-clockwise: np.append(point, 1.0) → np.append(point, 1.0) * -np.linalg.det(equations)
    You ask that the point lie to the right of every edge. When the corners run counterclockwise,
    the inside is on the left: {where}. Ask for the same side.
not-from-corner: np.append(point, 1.0) → np.append(point + triangle[0], 1.0)
    Your edges start at the first corner, but the point is still measured from the origin. What has
    to be subtracted from it, too? {where}.
sum-forgotten: np.linalg.solve(equations, right_side)
            → np.linalg.lstsq(triangle.T, point, rcond=None)[0]
    You solve for weights without asking that they sum to 1; two equations leave a whole line of
    solutions, and `lstsq` picks the shortest. {where}.
not-transposed: np.vstack([triangle.T, np.ones(3)]) → np.column_stack([triangle, np.ones(3)])
    The matrix of your equations is transposed: a corner has to be a *column*, since its weight
    multiplies both of its coordinates. {where}.
always-true: np.all( → np.any(
    For three weights that sum to 1 you return `True`, whatever they are, but {where}. One of them
    is always positive: *all* have to be. (Do you add areas? With a sign they always add up.)
always-false: return False
    You return `False` for every point, but {where}.
three-values: np.all( → np.asarray(
        and bool( → (
    You return a truth value for each of the three weights. One is asked for: what has to hold for
    the three together?
at-most-one: weights >= 0 → weights <= 1
    You test that no weight is above 1. That follows when none is negative, but not the other
    way around: {where}, with the weights {weights}.
"""),
    properties=(
        Property("rounding", _rounding),
        Property("stretched", _stretched),
        Property("untested", _untested),
        Property("verdict", _verdict),
    ),
    wrong_lines=("first-weight", "at-most-one", "not-transposed"),
    hints=(
        "A point in the triangle is w₀·a + w₁·b + w₂·c. Which three conditions do the weights "
        "fulfill? And how many unknowns are there against how many equations?",
        'Two coordinates and "the weights sum to 1" are three linear equations for three weights. '
        "They always have a solution; what must not happen to it?",
        "Stack `triangle.T` on a row of ones, solve for the right-hand side `(x, y, 1)` with "
        "`np.linalg.solve`, and test that no weight is negative.",
    ),
    built_ins=(
        "matplotlib.path.Path.contains_point",
        "matplotlib.path.Path.contains_points",
    ),
)
