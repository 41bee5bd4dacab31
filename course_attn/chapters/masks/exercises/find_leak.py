"""Exercise `find_leak`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault_list,
    number,
)

__all__ = ["exercise"]


def find_leak(model, X):
    """Return the first position whose output depends on a later input, or None."""
    old_outputs = model(X)
    change = np.random.default_rng(0).normal(size=X.shape)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += change[i + 1 :]
        new_outputs = model(changed)
        if not np.allclose(new_outputs[i], old_outputs[i]):
            return i
    return None


def _position(find: Callable[..., Any], model: Any, X: np.ndarray) -> np.ndarray:
    """Read a position as a whole number, and None as -1."""
    found = find(model, X)
    if isinstance(found, np.ndarray) and found.size == 1:
        found = found.item()
    if found is None:
        return np.array(-1)
    is_number = isinstance(found, int | np.integer) and not isinstance(found, bool)
    if not is_number or found < 0:
        raise WrongForm(
            f"You return {repr(found)[:30]}. Asked for is *where* it leaks: the *first* such "
            "position, one whole number of 0 or more, or `None` if there is no leak.",
            "not-a-position",
            np.array(-1) if found == -1 else None,
        )
    return np.array(int(found))


def _open_model(X: np.ndarray, allowed: Any = True) -> np.ndarray:
    """Attention in which every position sees every other, or those that are allowed."""
    scores = np.where(allowed, X @ X.T / np.sqrt(X.shape[-1]), -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ X


def _causal_model(X: np.ndarray) -> np.ndarray:
    return _open_model(X, np.tri(len(X), dtype=bool))


def _rounding_model(X: np.ndarray) -> np.ndarray:
    """Add the sum of all inputs and take it away again: no leak, but it rounds."""
    return (X + X.sum(axis=0)) - X.sum(axis=0)


def _mixing(n: int, i: int, j: int, weight: float = 0.7) -> Any:
    """Return a model that mixes its inputs so far; but position i sees position j, too."""
    weights = np.tri(n) / np.arange(1, n + 1)[:, None]
    weights[i, j] = weight

    def mixing_model(X: np.ndarray) -> np.ndarray:
        return np.tanh(0.3 * weights[: len(X), : len(X)] @ X) + X

    return mixing_model


def _both(one: Any, other: Any) -> Any:
    """Return a model with the leaks of two."""

    def model_with_two_leaks(X: np.ndarray) -> np.ndarray:
        return one(X) + other(X)

    return model_with_two_leaks


def _peeking(i: int, j: int, reads: Any, writes: Any) -> Any:
    """Return a model whose output i sees input j, through some features only."""

    def peeking_model(X: np.ndarray) -> np.ndarray:
        so_far = np.tanh(np.cumsum(X, axis=0))
        outputs = np.resize(so_far.T, (len(writes), len(X))).T
        if j < len(X):
            outputs[i] += X[j] @ np.array(reads) * np.array(writes)
        return outputs

    return peeking_model


def _differing(i: int, j: int) -> Any:
    """Return a model whose output i sees by how much inputs j and j + 1 differ, and no more."""

    def differing_model(X: np.ndarray) -> np.ndarray:
        outputs = np.tanh(np.cumsum(X, axis=0))
        if j + 1 < len(X):
            outputs[i] += X[j] - X[j + 1]
        return outputs

    return differing_model


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260604).standard_normal
    return (
        Case((_open_model, draw((5, 3))), "example"),
        Case((_causal_model, draw((7, 3))), "no-leak"),
        Case((_mixing(7, 2, 3), draw((7, 5))), "middle"),
        Case((_mixing(11, 4, 10), draw((11, 3))), "middle"),
        Case((_mixing(7, 0, 4), draw((7, 3))), "first"),
        Case((_both(_mixing(7, 1, 5), _mixing(7, 2, 3)), draw((7, 4))), "two"),
        Case((_mixing(7, 3, 6, 1e-3), draw((7, 3))), "faint"),
        Case((_mixing(5, 3, 4, -0.7), draw((5, 2))), "middle"),
        Case((_mixing(7, 0, 1), draw((7, 3))), "first"),
        Case((_rounding_model, draw((7, 11))), "rounding"),
        Case((_peeking(2, 3, [1, 1], [0.6, -0.6]), draw((7, 2))), "features"),
        Case((_peeking(3, 4, [0, 0, 1], [1, 1, 1]), draw((5, 3))), "features"),
        Case((_peeking(1, 2, [1, 1, 1], [0, 0, 1]), draw((5, 3))), "features"),
        Case((_peeking(0, 1, [1, 1], [1, 0]), draw((5, 2))), "features"),
        Case((_peeking(2, 4, [1, 0.5], [3, 7, 4, 6, 5]), draw((7, 2))), "wide"),
        Case((_mixing(6, 1, 3), draw((6, 1))), "middle"),
        Case((_differing(1, 3), draw((7, 3))), "differences"),
        Case((_open_model, draw((1, 3))), "one"),
        Case((_both(_mixing(7, 0, 1), _mixing(7, 3, 5)), draw((7, 4))), "two"),
        Case((_mixing(7, 0, 2, 1e-3), draw((7, 3))), "faint"),
    )


def _said(position: Any) -> str:
    return "`None`" if int(position) < 0 else f"position {int(position)}"


def _changes_made(c: Context) -> list[np.ndarray]:
    """Call the learner's function with a model that notes by how much each input was changed."""
    X = c.given["X"]
    noted: list[np.ndarray] = []

    def spy(changed: np.ndarray) -> np.ndarray:
        noted.append(np.abs(changed - X))
        return np.zeros(X.shape)  # never a leak: all positions are tried

    c.call(spy, X)
    return noted


# Models to write in one line, and what is right for each.
_TO_TRY = {
    "lambda X: X.cumsum(axis=0)": -1,
    "lambda X: X + X[-1]": 0,
    "lambda X: X + X[3]": 0,
    "lambda X: np.roll(X, -1, axis=0)": 0,
}


def _blind_to(c: Context) -> str | None:
    """Say what the answer does not look at: falling outputs, or some of the inputs."""
    X, said = c.given["X"], []

    def moving(by: float) -> Any:
        return lambda Z: by * np.abs(Z - X).sum() * np.ones(X.shape)

    found = [c.call(moving(by), X) for by in (1.0, -1.0)]
    if found in ([0, -1], [-1, 0], [1, -1], [-1, 1]):
        ways = ("rises", "falls")[:: 1 if found[1] == -1 else -1]
        said.append(
            "you notice where an output {}, and not where it {}".format(*ways)
        )
        if 1 in found:
            said.append("where all outputs see later inputs, you say 1, and not 0")
    last = np.eye(len(X))[
        -2:-1
    ].T  # only the last output but one sees the last input
    if found != [-1, -1] and all(
        c.call(lambda Z, by=by: by * last * np.abs(Z[-1] - X[-1]).sum(), X) == -1
        for by in (1.0, -1.0)
    ):
        said.append(
            f"you never look at output {len(X) - 2}, the last that has an input after it"
        )
    changed = np.sum(_changes_made(c) or [0 * X], axis=0)
    if np.flatnonzero(changed.sum(axis=1)).tolist() == [len(X) - 1] != [1]:
        said.append("of the inputs you change only the last")
    if np.flatnonzero(changed.sum(axis=0)).tolist() == [0] and X.shape[1] > 1:
        said.append("of an input's features you change only the first")
    if c.call(lambda Z: 1 + 1e-13 * Z[::-1], X) == 0:
        said.append(
            "you take a change in the 13th digit for a leak, which is rounding"
        )
    return c.filled("{told}: ") + ", and ".join(said) + "." if said else None


def _input(c: Context) -> str | None:
    if [c.call(lambda X, j=j: X + X[j], np.eye(7)) for j in (3, 5)] != [3, 5]:
        return None
    return c.filled(
        "{told}: you return the *input* that is seen. Asked for is the *output* that sees it."
    )


def _elsewhere(c: Context) -> str:
    """Say which inputs the output sees, and suggest a simple model for which it fails, too."""
    model, X, i, seen = c.given["model"], c.given["X"], int(c.expected), []
    for j in range(i + 1, len(X) if i >= 0 else 0):
        changed = X.copy()
        changed[j] += np.arange(1, X.shape[1] + 1)
        if not np.allclose(model(changed)[i], model(X)[i]):
            seen.append(f"input {j}")
    why = f"output {i} depends on {', '.join(seen)} (of 0 to {len(X) - 1})"
    told = (
        c.filled("{told}: ")
        + (why if seen else "no output sees later inputs")
        + "."
    )
    for source, right in _TO_TRY.items():
        got = c.call(eval(source), np.eye(7))
        if got is not None and int(got) != right:
            return (
                f"{told} Try `find_leak({source}, np.eye(7))`: it should give {_said(right)}, "
                f"and yours gives {_said(got)}."
            )
    return told


exercise = Exercise(
    find_leak,
    place=60,
    minutes=15,
    level="medium",
    prepares=("is_equivariant", "leaking_norms"),
    section="A leak detector",
    task="""
Write `find_leak(model, X)`: `model` is a function that takes X, shape (n, d), and returns one
output for each position, shape (n, d_out). Return the first position i (from 0) whose output
depends on an input *after* i, or `None` if there is none. Call the model as often as you like;
the outputs are about 1 in size, so that a change below $10^{-9}$ is rounding and no leak, but one
of $10^{-4}$ is a leak.
""",
    cases=_cases,
    use=_position,
    terms={
        "you_say": lambda c: f"You say {_said(c.got)}",
        "told": lambda c: (
            f"You say {_said(c.got)}, where {_said(c.expected)} is right"
        ),
        "wanted": lambda c: _said(c.expected),
        "compared": lambda c: (
            "you change input i itself, too. Change only the inputs *after* i"
            if any(change[0].any() for change in _changes_made(c))
            else "what you compare is not output i alone. Compare only that"
        ),
        "change": lambda c: number(np.max(_changes_made(c))),
        "too_coarse": lambda c: (
            "Your tolerance is too generous: how small may a leak be?"
            if np.max(_changes_made(c)) > 0.1
            else c.filled("You change the inputs by {change} at most: take more.")
        ),
    },
    kinds={
        "example": Kind("for attention that forgot its mask"),
        "no-leak": Kind("for a model that does not leak"),
        "middle": Kind(
            "where one position in the middle sees one later input",
            "Try every position, and every input after it.",
        ),
        "first": Kind("where only the first position leaks"),
        "two": Kind(
            "where two positions leak",
            "Do you return as soon as some changed input shows? A smaller position may leak from a "
            "later input.",
        ),
        "faint": Kind(
            "where the leak is faint",
            "Is your tolerance too generous, or your change to the inputs too small?",
        ),
        "rounding": Kind("for a model that does not leak but rounds"),
        "features": Kind("where only some of the features show the leak"),
        "differences": Kind(
            "where an output sees only how later inputs differ from each other",
            "Do you change them all by the same amount? Give each its own.",
        ),
        "wide": Kind("where outputs have more features than inputs"),
        "one": Kind("for a single position", "Nothing comes after it: `None`."),
    },
    faults=fault_list("""
itself: changed[i + 1 :] += change[i + 1 :] → changed[i:] += change[i:]
    {told}: {compared}.
only-last: changed[i + 1 :] += change[i + 1 :] → changed[-1] += change[-1]
    {told}: you change the last input only. A position may peek at its neighbor and not at the last.
only-next: changed[i + 1 :] += change[i + 1 :] → changed[i + 1] += change[i + 1]
    {told}: you change the next input only. Change all that come after it.
in-place: changed = X.copy() ⏎ changed[i + 1 :] += → changed = X ⏎ changed[i + 1 :] +=
    {told}: you change X itself, and the change stays: when position 1 is tried, input 1 is no
    longer what it was. `X[…] += …` writes into X, and so it does under a second name,
    `changed = X`: start each time from `X.copy()`.
latest-input: for i in range(len(X) - 1):
            → for j, i in ((j, i) for j in reversed(range(len(X))) for i in range(j)):
        and changed[i + 1 :] += change[i + 1 :] → changed[j] += change[j]
    {told}: of all outputs that leak you return the one that sees the *latest* input. Do you stop at
    the first input whose change shows? Another may be seen by an earlier output.
from-one: return i → return i + 1
    {you_say}, one too many: positions count from 0 here, so it is {wanted}.
last: in range(len(X) - 1): → in reversed(range(len(X))):
    {told}: yours is the *last* position that leaks. When you have found the first, return it.
zero-is-false: return i → return i or None
    {told}. Other positions yours does find. 0 counts as false in Python: `first or None` and `if
    first:` take position 0 for nothing (`first is None` does not). Or does your loop skip it?
exact: not np.allclose(new_outputs[i], old_outputs[i]) → (new_outputs[i] != old_outputs[i]).any()
    {told}: you compare the outputs exactly. This model adds the sum of all inputs and takes it away
    again, so that a later input changes the 16th digit. Compare with a tolerance: `np.allclose`.
nan-probe: np.random.default_rng(0).normal(size=X.shape) → np.full(X.shape, np.nan)
    {told}. A change of {change} makes a bad probe: 0·∞ and 0·NaN are NaN, so that even a weight of
    exactly 0 lets it through. Change the inputs to other finite numbers.
sums: np.allclose(new_outputs[i], old_outputs[i])
        → np.isclose(new_outputs[i].sum(), old_outputs[i].sum())
    {told}: you compare the sums (or means) of an output's features. Here one rises by as much as
    another falls, and the sum stays. Compare number by number: `np.allclose` does.
only-rises: not np.allclose(new_outputs[i], old_outputs[i])
        → (new_outputs[i] - old_outputs[i]).max() > 1e-8
    {told}: you see an output that rises, and not one that falls. Take differences without their
    sign.
first-feature: changed[i + 1 :] += change[i + 1 :] → changed[i + 1 :, 0] += change[i + 1 :, 0]
    {told}: you change only feature 0 of the later inputs, and the model sees another. Change all.
first-output: np.allclose(new_outputs[i], old_outputs[i])
        → np.allclose(new_outputs[i][0], old_outputs[i][0])
    {told}: you compare only feature 0 of the outputs, and here another shows the leak.
alike: np.random.default_rng(0).normal(size=X.shape) → np.ones(X.shape)
    {told}: you change all later inputs by the same amount, and this model sees only by how much
    they differ from each other. Change each by a number of its own.
coarse: np.allclose(new_outputs[i], old_outputs[i])
        → np.allclose(new_outputs[i], old_outputs[i], atol=0.01)
    {you_say}, where {wanted} leaks faintly. {too_coarse}
never: return None
    You always say `None`: do you compare the outputs before a change with those after it, and
    `return i` at a difference? (`changed = X` is no copy.)
earlier-inputs: changed[i + 1 :] += change[i + 1 :] → changed[:i] += change[:i]
    {told}: you change the inputs *before* i, which an output may see. Which ones must it not see?
input-returned: for i in range(len(X) - 1): → for i, j in zip(*np.tril_indices(len(X), -1)[::-1]):
        and changed[i + 1 :] += change[i + 1 :] → changed[j] += change[j]
        and return i → return int(j)
    {told}: you return the first *input* that an earlier output sees. Which output sees it?
first-skipped: if → if i and
    {told}: you never try position 0. Where does your loop begin?
"""),
    properties=(
        Property("blind-to", _blind_to),
        Property("input", _input),
        Property("elsewhere", _elsewhere),
    ),
    hints=(
        "If an output depends on an input, what happens to it when you change that input?",
        "For each position i: change all inputs after i (in a copy), call the model again, and "
        "compare the outputs at i.",
        "`changed = X.copy(); changed[i + 1:] += …`, then `np.allclose(model(changed)[i], "
        "model(X)[i])`; `return i` at the first difference, and `return None` after the loop.",
    ),
)
