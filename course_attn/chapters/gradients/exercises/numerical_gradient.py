"""Exercise `numerical_gradient`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
    told_apart,
)

__all__ = ["exercise"]


def numerical_gradient(f, x, eps):
    """Measure the gradient of f by nudging every entry of x, both ways."""
    gradient = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        above = x.copy()
        below = x.copy()
        above[i] += eps
        below[i] -= eps
        rise = f(above) - f(below)
        gradient[i] = rise / (2 * eps)
    return gradient


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261503).standard_normal

    def given(*shape: int, eps: float) -> tuple[Any, ...]:
        """Return a function of arrays of this shape in which every entry counts differently."""
        C, D = draw(shape), draw(shape)

        def f(x: np.ndarray) -> float:
            if np.shape(x) != shape:
                raise ValueError(
                    f"f was called with an array of shape {np.shape(x)}; it takes "
                    f"the shape of x, {shape}"
                )
            return float(
                (C * np.exp(x / 2) + D * x).sum() + 0.3 * (C * x).sum() ** 2
            )

        f.__qualname__ = f.__name__
        return f, 1.2 * draw(shape) + 0.4, eps

    def cube(x: np.ndarray) -> float:
        if np.shape(x) != (2,):
            raise ValueError(
                f"f was called with an array of shape {np.shape(x)}; it takes the shape of x, (2,)"
            )
        return float(x[0] ** 3 + 10 * x[1])

    cube.__qualname__ = cube.__name__
    return (
        Case((cube, np.array([2.0, 5.0]), 0.5), "example"),
        Case(given(4, 3, eps=0.1)),
        Case(given(3, 5, eps=0.25)),
        Case(given(7, eps=0.2), "vector"),
        Case(given(1, eps=0.3), "one-number"),
        Case(given(3, 3, eps=0.15), "square"),
        Case(given(2, 3, 4, eps=0.1), "three-axes"),
        Case(given(5, 2, eps=1e-4), "small"),
    )


def _calls(c: Context) -> str | None:
    """Look at where f is called: which entries are moved, how far, and both ways or one."""
    x, eps = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]]), 0.25
    seen: list[np.ndarray] = []

    def record(at: Any) -> float:
        seen.append(np.array(at, dtype=float))
        return float(seen[-1].sum())

    result = c.call(record, x.copy(), eps)
    shapes = {at.shape for at in seen} - {x.shape}
    if shapes:
        return (
            f"For an x of shape (2, 3) you call f with shape {min(shapes)}. f takes a whole array "
            "of the shape of x, in which one entry is moved."
        )
    moved = [at - x for at in seen]
    most = max((int((abs(by) > 1e-9).sum()) for by in moved), default=0)
    if most == 0:
        return "You never call f at a place other than x: move an entry before each call."
    first, last = (int((abs(by) > 1e-9).sum()) for by in (moved[0], moved[-1]))
    if first < 2 < last:
        return (
            f"In your last call of f {last} entries are moved at once: what was moved is not put "
            "back. Start each round from x as it is."
        )
    if most > 1:
        return (
            f"Some of your calls of f move {most} entries at once. Each is moved alone, with all "
            "others as they are in x."
        )
    steps = np.array([by.flat[abs(by).argmax()] for by in moved if by.any()])
    off = ~np.isclose(abs(steps), eps)
    besides = ""
    if result is not None and result.shape != x.shape:
        besides = f" Besides, for an x of shape (2, 3) your result has shape {result.shape}."
    if off.any():
        return (
            f"Some of your calls of f move an entry by {number(abs(steps[off][0]))}. Up and down, "
            f"the step is `eps`, here {eps}: the function's third argument says how far.{besides}"
        )
    if not ((steps > 0).any() and (steps < 0).any()):
        way = "up" if (steps > 0).any() else "down"
        return f"You move entries only {way}. Move each by eps, here {eps}, up and down.{besides}"
    return None


exercise = Exercise(
    numerical_gradient,
    place=40,
    minutes=10,
    level="medium",
    section="Is it right? Nudge every number",
    task="""
The judge of this chapter. Write `numerical_gradient(f, x, eps)`: f is a function that takes a
floating-point array of the shape of x and returns one number; x is such an array, with any number
of axes (at least one). Return an array of the shape of x with the gradient of f at x, measured by
central differences: entry i is the slope between the two points where $x_i$ alone is moved by eps
up and by eps down. `eps` may be large, so that the slope is not quite the derivative: still,
compute it as described. x stays as it is.
""",
    cases=_cases,
    terms={
        "first": lambda c: told_apart(
            np.asarray(c.got).flat[0], c.expected.flat[0]
        )[0],
        "wanted": lambda c: told_apart(
            np.asarray(c.got).flat[0], c.expected.flat[0]
        )[1],
    },
    kinds={
        "vector": Kind("for an x with a single axis"),
        "one-number": Kind("for an x with a single number"),
        "three-axes": Kind(
            "for an x with three axes",
            "`np.ndindex(x.shape)` counts the entries of any array.",
        ),
        "small": Kind("for a small nudge, 1e-4"),
    },
    faults=fault_list("""
one-sided: below[i] -= eps → below[i] -= 0
        and 2 * eps → eps
    You compare with f(x) itself, (f(x + eps) − f(x))/eps. Nudge both ways: then the curve's bend
    cancels, and the error falls with eps², not with eps. Your first entry is {first}; {wanted} is
    right.
one-sided-halved: below[i] -= eps → below[i] -= 0
    You compare f(x + eps) with f(x) itself and divide by 2 eps, the distance of *two* nudges. (If
    you change x in place: after `+= eps`, does `-= eps` bring you to x − eps, or only back to x?)
    Your first entry is {first}; {wanted} is right.
one-eps: rise / (2 * eps) → rise / eps
    You divide by eps. From x − eps to x + eps it is 2 eps: all slopes come out doubled.
    Your first entry is {first}; {wanted} is right.
all-at-once: above[i] += eps → above += eps
        and below[i] -= eps → below -= eps
    You nudge *all* entries at once, so that each of your numbers is the same, the sum of the whole
    gradient. Move one entry at a time, the one at `[i]`.
relative-nudge: above[i] += eps → above[i] *= 1 + eps
        and below[i] -= eps → below[i] *= 1 - eps
    You move an entry by a *share* eps of itself, so that a 0 stays where it is. How far is each
    entry moved?
half-nudge: above[i] += eps → above[i] += eps / 2
        and below[i] -= eps → below[i] -= eps / 2
    You move an entry by eps/2, up and down. How far is it from the one point to the other then?
last-skipped: in np.ndindex(x.shape) → in list(np.ndindex(x.shape))[:-1]
    You never come to the last entry: where does your loop end?
whole-rows: np.ndindex(x.shape) → range(len(x))
    Your `i` counts rows, and `[i]` is a whole row of x: all of its entries move at once. Count all
    entries, in any number of axes: `np.ndindex(x.shape)`.
same-array: below = x.copy() → below = above
    All your numbers are 0: f is called twice at the same place. Are the array that you nudge up and
    the one that you nudge down one and the same (`below = above` makes no second one)?
not-put-back: for i in → above, below = x.copy(), x.copy() ⏎ for i in
        and above = x.copy() → pass
        and below = x.copy() → pass
    Your last number is the slope along *all* entries at once: each entry that you have moved stays
    moved, and in the second round the first is still off. Where does every round have to start
    from?
stays-above: for i in → above = x.copy() ⏎ for i in
        and above = x.copy() → pass
    What you have moved *up* stays moved up in all later rounds. Where does each round have to start
    from?
stays-below: below[i] -= eps → below[i] -= eps ⏎ x = below
    After its round an entry is not put back: it stays at x − eps, and all later ones are measured
    there. Where does every round have to start from?
last-only: gradient[i] = rise → gradient = np.zeros(x.shape) ⏎ gradient[i] = rise
    Only your last entry is not 0: the array of the results is made anew in every round. Make it
    once, before the loop.
flat: return gradient → return gradient.ravel()
    You return the numbers in one row, shape {your.shape}. The gradient has the shape of x,
    {right.shape}.
precedence: rise / (2 * eps) → rise / 2 * eps
    `rise / 2 * eps` divides by 2 and then *multiplies* by eps: what has to be in parentheses?
    Your first entry is {first}; {wanted} is right.
sign: f(above) - f(below) → f(below) - f(above)
    The sign is wrong: which of the two values of f is subtracted, if a slope is above 0 where f
    rises? Your first entry is {first}; {wanted} is right.
backward: above[i] += eps → above[i] += 0
        and 2 * eps → eps
    You compare f(x) with f(x − eps) only, (f(x) − f(x − eps))/eps. Where else is f to be measured?
    Your first entry is {first}; {wanted} is right.
"""),
    properties=(Property("calls", _calls, any_shape=True),),
    wrong_lines=("one-eps", "same-array", "whole-rows"),
    hints=(
        "For x = [2, 5] and eps = 0.5: at which four places do you need f?",
        "A loop over all entries: two copies of x, one entry moved up in the one and down in the "
        "other, the difference of f divided by their distance.",
        "`for i in np.ndindex(x.shape)`, `above = x.copy()`, `above[i] += eps`, the same below, "
        "and then `(f(above) - f(below)) / (2 * eps)`.",
    ),
    built_ins=(
        *twins("gradients.numerical_gradient"),
        "scipy.optimize.approx_fprime",
        "numpy.gradient",
    ),
)
