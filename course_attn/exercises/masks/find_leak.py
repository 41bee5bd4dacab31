"""Exercise `find_leak` of chapter 6."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Exercise, Fault, Kind, Property, WrongForm
from course_attn.exercises.masks._leak_search import (
    bad_probe,
    dependence,
    first_seen,
    said,
    searched,
    too_small,
    try_on,
)
from course_attn.exercises.masks._leaks import leak_cases

__all__ = ["exercise"]


def find_leak(model, X):
    """Return the first position whose output depends on a later input, or None."""
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += np.arange(1, len(X) - i)[:, None]
        if not np.allclose(model(changed)[i], before[i]):
            return i
    return None


def _position(find: Callable[..., Any], model: Any, X: np.ndarray) -> np.ndarray:
    """Read a position as a whole number, and None as -1."""
    found = find(model, X)
    if found is None:
        return np.array(-1)
    if isinstance(found, bool | np.bool_):
        raise WrongForm(
            f"You return {bool(found)}. Asked for is *where* it leaks: the first position, a whole "
            "number, or `None` if there is no leak.",
            "truth-value",
        )
    found = (
        found.item() if isinstance(found, np.ndarray) and found.size == 1 else found
    )
    if not isinstance(found, int | np.integer) or found < 0:
        raise WrongForm(
            f"You return {repr(found)[:30]}; return one whole number of 0 or more, or `None` if "
            "there is no leak.",
            "not-a-position",
        )
    return np.array(int(found))


exercise = Exercise(
    solution=find_leak,
    place=60,
    section="A leak detector",
    task="""
Write `find_leak(model, X)`: `model` is a function that takes X, shape (n, d), and returns one
output for each position, shape (n, d_out). Return the first position i (from 0) whose output
depends on an input *after* i, or `None` if there is none. Call the model as often as you like;
rounding (a relative change below $10^{-9}$) is no leak, but a change of $10^{-4}$ is one.
""",
    cases=leak_cases,
    variant=searched,
    use=_position,
    kinds={
        "example": Kind("for attention that forgot its mask"),
        "no-leak": Kind("for a model that does not leak"),
        "middle": Kind(
            "where one position in the middle sees one later input",
            "Try every position, and every input after it.",
        ),
        "first": Kind("where only the first position leaks"),
        "faint": Kind(
            "where the leak is faint",
            "Is your tolerance too generous, or your change to the inputs too small?",
        ),
        "rounding": Kind(
            "for a model that does not leak but rounds",
            "Differences in the 16th digit are no leak: compare with a tolerance.",
        ),
        "balanced": Kind(
            "where one feature of an output rises by as much as another falls",
            "Compare the outputs number by number.",
        ),
        "last-in": Kind(
            "where only the last feature of an input is looked at",
            "Change all features of the inputs.",
        ),
        "last-out": Kind(
            "where only the last feature of an output shows the leak",
            "Compare all features of the outputs.",
        ),
    },
    faults=(
        Fault(
            "itself",
            {"changes": lambda n, i: slice(i, n)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: output i may "
                "well depend on input i. Change only the inputs *after* i, and compare only the "
                "output *at* i."
            ),
        ),
        Fault(
            "only-last",
            {"changes": lambda n, i: slice(n - 1, n)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you change the last "
                "input only. A position may peek at its neighbor and not at the last one."
            ),
        ),
        Fault(
            "only-next",
            {"changes": lambda n, i: slice(i + 1, i + 2)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you change the next "
                "input only. A position may peek further ahead; change all that come after it."
            ),
        ),
        Fault(
            "past",
            {
                "changes": lambda n, i: slice(0, i),
                "positions": lambda n: range(1, n),
            },
            lambda c: (
                f"You say {said(c.got)}: you change the inputs *before* i, and those it is "
                "supposed to depend on."
            ),
        ),
        Fault(
            "last-position-first",
            {"positions": lambda n: range(n - 2, -1, -1)},
            lambda c: (
                f"You say {said(c.got)}, which leaks indeed, but it is the last such position; "
                f"the first is {int(c.expected)}."
            ),
        ),
        Fault(
            "first-position-only",
            {"positions": lambda n: range(1)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you look at the "
                "output at position 0 only."
            ),
        ),
        Fault(
            "stops-too-early",
            {"positions": lambda n: range(n - 2)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: your loop ends "
                "before the last position but one, which still has one input after it."
            ),
        ),
        Fault(
            "seen-not-seer",
            first_seen,
            lambda c: (
                f"You say {said(c.got)}: that is an *input* which is seen too early. Asked for is "
                f"the output that sees it, {said(c.expected)}."
            ),
        ),
        Fault(
            "from-one",
            lambda model, X: None if (i := searched(model, X)) is None else i + 1,
            lambda c: (
                f"You say {said(c.got)}, one too many: positions count from 0 here, so it is "
                f"{said(c.expected)}."
            ),
        ),
        Fault(
            "next-and-last",
            {"changes": lambda n, i: [i + 1, n - 1]},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you change the next "
                f"and the last input only, and here {dependence(c)}. Change all inputs after i."
            ),
        ),
        Fault(
            "exact",
            {"alarm": lambda old, new: (new != old).any()},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you compare the "
                "outputs exactly, digit by digit. This model adds the sum of all inputs and takes "
                "it away again, so that a later input changes how an output is *rounded*, in the "
                "16th digit. Compare with a tolerance: `np.allclose`."
            ),
        ),
        Fault(
            "nan-probe",
            {"probe": lambda d: np.full(d, np.nan)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right. {bad_probe(c)} "
                "Change the inputs to other finite numbers."
            ),
        ),
        Fault(
            "sums",
            {"alarm": lambda old, new: not np.isclose(new.sum(), old.sum())},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you compare the sums "
                "(or means) of an output's features. Here one feature rises by as much as another "
                "falls, and the sum stays. Compare number by number: `np.allclose` does."
            ),
        ),
        Fault(
            "first-feature",
            {"probe": lambda d: 1.5 * (np.arange(d) == 0)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you change only "
                f"feature 0 of the later inputs, and this model looks at feature "
                f"{c.given['X'].shape[1] - 1}. Change all features."
            ),
        ),
        Fault(
            "first-output",
            {"alarm": lambda old, new: not np.allclose(new[0], old[0])},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: you compare only "
                "feature 0 of the outputs, and here the leak shows in another one. Compare all "
                "features of output i."
            ),
        ),
        Fault(
            "coarse",
            {"alarm": lambda old, new: not np.allclose(new, old, atol=0.05)},
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} leaks faintly: "
                f"{too_small(c) or 'your tolerance is too generous.'} A model finds even a faint "
                "leak when it is trained."
            ),
        ),
        Fault(
            "never",
            lambda model, X: None,
            "You always say `None`: do you compare the outputs before a change with those after "
            "it, and `return i` at a difference? (`changed = X` is no copy.)",
        ),
    ),
    properties=(
        Property(
            "small-change",
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: {too_small(c)}"
                if too_small(c) and int(c.expected) >= 0
                else None
            ),
        ),
        Property(
            "elsewhere",
            lambda c: (
                f"You say {said(c.got)}, where {said(c.expected)} is right: {dependence(c)}."
                f"{try_on(c)}"
            ),
        ),
    ),
    hints=(
        "If an output depends on an input, what happens to it when you change that input?",
        "For each position i in turn: change all inputs after i (in a copy), call the model again, "
        "and compare the outputs at i.",
        "`changed = X.copy(); changed[i + 1:] += …`, then `np.allclose(model(changed)[i], "
        "model(X)[i])`; `return i` at the first difference, and `return None` after the loop.",
    ),
)
