"""The search of `find_leak`, right and wrong, and what can be said of a wrong one."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Context, number

__all__ = [
    "bad_probe",
    "dependence",
    "first_seen",
    "said",
    "searched",
    "too_small",
    "try_on",
]


def said(position: Any) -> str:
    """Write a position as a learner's function returns it."""
    return "`None`" if int(position) < 0 else f"position {int(position)}"


def searched(
    model: Any,
    X: np.ndarray,
    *,
    changes: Callable[..., Any] = lambda n, i: slice(i + 1, n),
    positions: Callable[..., Any] = lambda n: range(n - 1),
    alarm: Callable[..., Any] = lambda old, new: not np.allclose(new, old),
    probe: Callable[..., Any] = lambda d: 1.5 * np.arange(1, d + 1),
) -> int | None:
    """Search for a leak, in steps that a mistake may replace."""
    before = model(X)
    for i in positions(len(X)):
        changed = X.copy()
        changed[changes(len(X), i)] += probe(X.shape[1])
        if alarm(before[i], model(changed)[i]):
            return i
    return None


def first_seen(model: Any, X: np.ndarray) -> int | None:
    """Return the position that is seen too early, where the one that sees it is asked for."""
    found = [
        searched(
            model,
            X,
            changes=lambda n, i, j=j: slice(j, j + 1),
            positions=lambda n, j=j: range(j),
        )
        for j in range(1, len(X))
    ]
    leaks = [j for j, i in enumerate(found, 1) if i is not None]
    return leaks[0] if leaks else None


def _changes_made(c: Context) -> list[np.ndarray]:
    """Call the learner's function with a model that notes by how much each input was changed."""
    model, X = c.given["model"], c.given["X"]
    noted: list[np.ndarray] = []

    def spy(changed: np.ndarray) -> np.ndarray:
        noted.append(np.array(changed, dtype=float))
        return model(changed)

    c.call(spy, X)
    return [np.abs(made - X) for made in noted if made.shape == X.shape]


def bad_probe(c: Context) -> str:
    """Say why infinity or NaN cannot tell what an output depends on."""
    infinite = any(np.isinf(change).any() for change in _changes_made(c))
    name, sign = ("Infinity", "∞") if infinite else ("NaN", "NaN")
    return (
        f"{name} makes a bad probe: 0·{sign} is NaN, so that even a weight of exactly 0 lets it "
        "through."
    )


def too_small(c: Context) -> str:
    """Say that the inputs are changed by little; nothing where the change is large enough."""
    largest = max((change.max() for change in _changes_made(c)), default=0.0)
    if not 0 < largest < 0.05:
        return ""
    return (
        f"you change the inputs by {number(largest)} at most, and what arrives through a small "
        "weight is lost in your tolerance. Nothing forces a small change: take about 1, or more."
    )


def dependence(c: Context) -> str:
    """Say which later inputs the first leaking output sees."""
    model, X, i = c.given["model"], c.given["X"], int(c.expected)
    if i < 0:
        return "no output depends on a later input"
    seen = [
        str(j)
        for j in range(i + 1, len(X))
        if searched(model, X, changes=lambda n, i, j=j: j, positions=lambda n: [i])
        is not None
    ]
    noun = "input" if len(seen) == 1 else "inputs"
    return f"output {i} depends on {noun} {', '.join(seen)} (of 0 to {len(X) - 1})"


# Models to write in one line, and what is right for each.
_TO_TRY = (
    ("lambda X: X.cumsum(axis=0)", lambda X: X.cumsum(axis=0), None),
    ("lambda X: X + X[-1]", lambda X: X + X[-1], 0),
    ("lambda X: X + X[3]", lambda X: X + X[3], 0),
    ("lambda X: np.roll(X, -1, axis=0)", lambda X: np.roll(X, -1, axis=0), 0),
)


def try_on(c: Context) -> str:
    """Suggest a simple model on which the learner's function fails too."""
    for source, model, right in _TO_TRY:
        got = c.call(model, np.eye(7))
        if got is not None and int(got) != (-1 if right is None else right):
            wanted = "None" if right is None else right
            return (
                f" Try `find_leak({source}, np.eye(7))`: it should give `{wanted}`, and yours "
                f"gives {said(got)}."
            )
    return ""
