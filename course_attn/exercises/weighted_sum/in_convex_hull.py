"""Exercise `in_convex_hull` of chapter 1."""

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, number, span

__all__ = ["exercise"]


def in_convex_hull(point, triangle):
    """Say whether the point is a weighted average of the triangle's corners."""
    equations = np.vstack(
        [triangle.T, np.ones(3)]
    )  # the mixture is the point; weights sum to 1
    weights = np.linalg.solve(equations, np.append(point, 1.0))
    return bool(np.all(weights >= 0))


def _hull_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260103)
    example = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    cases = [
        Case((np.array([1.0, 1.0]), example), "example"),
        Case((np.array([3.0, 3.0]), example), "example"),
    ]
    while len(cases) < 42:
        triangle = rng.uniform(-5.0, 5.0, (3, 2))
        (ax, ay), (bx, by) = triangle[1:] - triangle[0]
        weights = rng.uniform(-0.7, 1.2, 3)
        weights[2] = 1.0 - weights[:2].sum()
        if abs(ax * by - ay * bx) > 4.0 and np.abs(weights).min() > 0.08:
            turn = "counterclockwise" if ax * by > ay * bx else "clockwise"
            cases.append(Case((weights @ triangle, triangle), turn))
    return tuple(cases)


def _corner_weights(point: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    equations = np.vstack([triangle.T, np.ones(3)])
    return np.linalg.solve(equations, np.append(point, 1.0))


def _in_box(point: np.ndarray, triangle: np.ndarray) -> bool:
    return bool(
        np.all((triangle.min(axis=0) <= point) & (point <= triangle.max(axis=0)))
    )


def _left_of_all_edges(point: np.ndarray, triangle: np.ndarray) -> bool:
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    return bool(np.all(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0] >= 0))


def _in_circle(point: np.ndarray, triangle: np.ndarray) -> bool:
    center = triangle.mean(axis=0)
    reach = np.linalg.norm(triangle - center, axis=1).max()
    return bool(np.linalg.norm(point - center) <= reach)


def _where(c: Context) -> str:
    point, triangle = c.given["point"], c.given["triangle"]
    corners = ", ".join(f"({number(x)}, {number(y)})" for x, y in triangle)
    verdict = "inside" if c.expected else "outside"
    return f"({number(point[0])}, {number(point[1])}) is {verdict} the triangle {corners}"


exercise = Exercise(
    solution=in_convex_hull,
    place=40,
    section="Why it works: the output stays among the values",
    task="""
A weighted average of three points in the plane lies in the triangle between them. Write
`in_convex_hull(point, triangle)`: `True` if `point`, of shape (2,), is a weighted average of the
three rows of `triangle`, of shape (3, 2), with non-negative weights that sum to 1; else `False`.
The corners may run either way around. No point on the border and no flat triangle is asked for.
""",
    cases=_hull_cases,
    kinds={
        "clockwise": Kind(
            "for triangles whose corners run clockwise",
            "A cross product changes its sign with the direction: ask whether all have *the same* "
            "sign.",
        ),
        "counterclockwise": Kind(
            "for triangles whose corners run counterclockwise"
        ),
    },
    faults=(
        Fault(
            "bounding-box",
            _in_box,
            lambda c: (
                "You test each coordinate against the corners' smallest and largest: that is the "
                f"box around the triangle, which is larger. {_where(c)}, but inside the box."
            ),
        ),
        Fault(
            "third-weight",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle)[1:] >= 0)
            ),
            lambda c: (
                "Two of the weights are tested, and the first corner's is not: it is 1 minus the "
                f"two others, and negative when they sum to more than 1. {_where(c)}."
            ),
        ),
        Fault(
            "last-weight",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle)[:2] >= 0)
            ),
            lambda c: (
                "Two of the weights are tested, and the last corner's is not: it is 1 minus the "
                f"two others, and negative when they sum to more than 1. {_where(c)}."
            ),
        ),
        Fault(
            "only-counterclockwise",
            _left_of_all_edges,
            lambda c: (
                "You ask that the point lie to the left of every edge. When the corners run "
                f"clockwise, the inside is on the right: {_where(c)}. Ask for the same side."
            ),
        ),
        Fault(
            "only-clockwise",
            lambda point, triangle: _left_of_all_edges(point, triangle[::-1]),
            lambda c: (
                "You ask that the point lie to the right of every edge. When the corners run "
                f"counterclockwise, the inside is on the left: {_where(c)}. Ask for the same side."
            ),
        ),
        Fault(
            "sum-forgotten",
            lambda point, triangle: bool(
                np.all(np.linalg.lstsq(triangle.T, point, rcond=None)[0] >= 0)
            ),
            lambda c: (
                "You solve for weights without asking that they sum to 1; two equations leave a "
                f"whole line of solutions, and `lstsq` picks the shortest. {_where(c)}."
            ),
        ),
        Fault(
            "any-weight",
            lambda point, triangle: bool(
                np.any(_corner_weights(point, triangle) >= 0)
            ),
            lambda c: (
                "One non-negative weight is enough for you; all three have to be. Weights that sum "
                f"to 1 always have a positive one. {_where(c)}."
            ),
        ),
        Fault(
            "at-most-one",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle) <= 1)
            ),
            lambda c: (
                "You test that no weight is above 1. That follows when none is negative, but not "
                f"the other way around: {_where(c)}, with weights "
                f"{span(_corner_weights(*c.given.values()))}."
            ),
        ),
        Fault(
            "negated",
            lambda point, triangle: (
                not np.all(_corner_weights(point, triangle) >= 0)
            ),
            lambda c: f"Your answer is the wrong way around, always: {_where(c)}.",
        ),
        Fault(
            "circle",
            _in_circle,
            lambda c: (
                "You compare distances from the center, which describes a circle around the "
                f"triangle: {_where(c)}, but inside the circle."
            ),
        ),
    ),
    hints=(
        "A point in the triangle is w₀·a + w₁·b + w₂·c. Which three conditions do the weights "
        "fulfill? And how many unknowns are there against how many equations?",
        'Two coordinates and "the weights sum to 1" are three linear equations for three weights. '
        "They always have a solution; what must not happen to it?",
        "Stack `triangle.T` on a row of ones, solve for the right-hand side `(x, y, 1)` with "
        "`np.linalg.solve`, and test that no weight is negative.",
    ),
)
