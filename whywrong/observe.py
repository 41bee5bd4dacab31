"""What can be said of an answer's shape and numbers without knowing the mistake.

How they relate to the right ones, and in which cases they are wrong.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from whywrong.arrays import agree, different
from whywrong.calls import safely
from whywrong.context import Finding, Sentences, number, place_of_largest
from whywrong.declare import Exercise, Kind
from whywrong.form import (
    entry_problem,
    form_problem,
    is_stub,
    nothing_returned,
    precision_remark,
)
from whywrong.gradients import gradient_problem
from whywrong.learner import axes_of
from whywrong.running import Trial

__all__ = ["advice_for", "entry_problem", "form_problem", "gradient_problem"]
__all__ += [
    "is_stub",
    "kind_of",
    "listed",
    "not_finite",
    "nothing_returned",
    "pattern",
]
__all__ += ["precision_remark", "shape_problem", "where_it_fails"]

_SAID = Sentences("""
shape: You return shape {have}; shape {want} is asked for.
one: One number is asked for.
ones more: There is an axis of length 1 too many: `keepdims=True`, `[None]` or a `reshape` left it
    there.
ones same: The axis of length 1 stands in the wrong place.
ones less: An axis of length 1 is missing: a sum without `keepdims=True`, an index such as
    `[..., 0, :]` or a `squeeze` takes it away.
axes swapped: The last two axes are swapped.
axes order: The lengths stand in another order: are axes exchanged, or two sizes in a `reshape`?
axes length: Axis {axis} has the wrong length.
axes less: An axis is missing: something was summed or averaged over too much.
axes twice: The leading axes {lead} are there twice: every entry of the batch is combined with every
    other. `@`, and an einsum with `...`, go through them side by side.
axes one: There is an axis too many: something still has to be summed or picked out.
axes more: There are {more} axes too many.
nan: {bad} of {all} numbers are NaN, {where}. 0/0, ∞ − ∞, ∞/∞ and 0·∞ give NaN; which of them can
    happen here?
inf: {bad} of {all} numbers are infinity, {where}. A division by 0, the logarithm of 0, or `exp` of
    something above 709 (88 in float32) gives it.
transposed: You return the transpose of the right answer: rows and columns swapped.
sign: The sign is wrong.
signs: Every number has the wrong sign.
factor: Every number is {times} the right one: a factor is missing or one too many.
empty-rows: {empty} of {all} rows are all zeros: were they ever filled, or is all that they see
    hidden?
order: The right numbers in the wrong places: a `reshape` or an axis order is off.
nearly: It is nearly right: the largest error is {error}. A computer's own rounding is far smaller.
    A constant such as `+ 1e-3` in a denominator, or numbers rounded on the way, would give this.
some one: Only {noun} {which} (of {all}) is wrong. What is special about it?
some: Only {noun}s {which} (of {all}) are wrong. What do they have in common?
only-one-row: It is right for a single row, but fails for arrays with more axes.
only-batch: It is right with one axis in front, and fails without: which step of yours takes that
    axis for granted?
only-example: It is right for the first, small inputs and wrong for arrays of other sizes: look for
    a number in your code that should come from `.shape`.
only-example input: It is right for the first inputs and wrong for others: look for a number in your
    code that should come from {names}.
only-example numbers: It is right for the numbers of the first, small inputs, and wrong for others:
    which signs, sizes or ties does your code rely on?
kind example: for the first, small inputs
kind plain: for arrays of other sizes
kind square: where the sizes happen to be equal
kind batch: with leading batch axes
kind vector: for a one-dimensional argument
kind float32: for float32 input
kind float64: for float64 input
advice numpy batch: Count axes from the end: `axis=-1`, `np.swapaxes(x, -1, -2)`. In a batch, `.T`
    turns all axes around, and `axis=0` or `axis=1` means another axis. A new axis is counted from
    the end, too: `x[..., None, :]`, and not `x[None]`.
advice torch batch: Count dimensions from the end: `dim=-1`, `x.transpose(-1, -2)`. `.T`, `.t()` and
    `torch.mm` are for matrices, and `dim=0` or `dim=1` means another dimension in a batch. A new
    dimension is counted from the end, too: `x[..., None, :]`, and not `x[None]`.
batch axes: In a batch, the first axes are those of the batch. Which step (or loop) of yours takes
    its first axis for another one?
batch end: You count axes from the end. Write down the shape of each step there: which axis of the
    one meets which axis of the other?
batch T: In a batch, `.T` turns all axes around, and the first axes are those of the batch.
batch einsum: In a batch, the first axes are those of the batch: in `einsum`, `...` stands for them.
batch vstack: `vstack` joins along the first axis, which in a batch is one of the batch:
    `concatenate` joins along the axis that you name, counted from the end.
batch tensordot: `tensordot` combines every entry of a batch with every other; `@` goes through them
    side by side.
batch len: `len(x)` and `x.shape[0]` are the length of the *first* axis: in a batch, the number of
    its entries. Count from the end: `x.shape[-2]`, `x[..., i, :]`.
batch range: In a batch, the first axis is one of the batch: which axis does your loop go through?
advice vector: It has one axis only: count from the end (`axis=-1`), and look at every place where
    your code takes a second axis for granted.
advice float32: Numbers above 3.4e38 do not exist there, nor the 8th digit.
advice float64: Keep the input's dtype all the way.
""")
_say = _SAID.say

_Shape = tuple[int, ...]


# --- its shape ------------------------------------------------------------------------------------


def shape_problem(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say how the shape differs; None if it does not."""
    if got.shape == expected.shape:
        return None
    said = _say("shape", have=got.shape, want=expected.shape)
    return Finding(
        ("shape",), f"{said} {_explained(got.shape, expected.shape)}".strip()
    )


def _explained(have: _Shape, want: _Shape) -> str:
    if want == ():
        return _SAID["one"]
    more = len(have) - len(want)
    mine, right = ([size for size in shape if size != 1] for shape in (have, want))
    if mine == right:
        return _SAID[f"ones {'more' if more > 0 else 'less' if more else 'same'}"]
    if not more:
        return _same_length(have, want)
    if more < 0:
        return _SAID["axes less"] if _is_part(have, want) else ""
    if not _is_part(want, have):
        return ""
    lead = want[:-2]
    if lead and sorted(have) == sorted((*lead, *want)):
        return _say("axes twice", lead=lead)
    return _say("axes one" if more == 1 else "axes more", more=more)


def _same_length(have: _Shape, want: _Shape) -> str:
    if len(have) >= 2 and have == (*want[:-2], want[-1], want[-2]):
        return _SAID["axes swapped"]
    if sorted(have) == sorted(want):
        return _SAID["axes order"]
    wrong = [axis for axis, size in enumerate(have) if size != want[axis]]
    return _say("axes length", axis=wrong[0]) if len(wrong) == 1 else ""


def _is_part(short: _Shape, long: _Shape) -> bool:
    """Whether the sizes of one shape occur in this order among those of the other."""
    rest = iter(long)
    return all(size in rest for size in short)


# --- its numbers ----------------------------------------------------------------------------------


def not_finite(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say where NaN or infinity came back in place of a number."""
    if got.dtype.kind != "f":
        return None
    for name, test in (("nan", np.isnan), ("inf", np.isinf)):
        bad = test(got) & ~test(expected)
        if bad.any():
            first = f"first at index {place_of_largest(bad)}"
            where = first if got.ndim else "as the result"
            return _SAID.find(name, bad=bad.sum(), all=bad.size, where=where)
    return None


def pattern(got: np.ndarray, expected: np.ndarray, rtol: float) -> Finding | None:
    """Say how the numbers relate, where there is a simple relation; None if there is none."""
    if got.dtype.kind + expected.dtype.kind != "ff" or not np.isfinite(got).all():
        return None
    for relation in _RELATIONS:
        with np.errstate(all="ignore"):
            message = relation(got, expected, rtol)
        if message:
            name = relation.__name__[1:].replace("_", "-")
            return Finding((name,), message)
    return None


def _transposed(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2 or got.shape[-1] != got.shape[-2]:
        return None
    turned = agree(np.swapaxes(got, -1, -2), expected, rtol)
    return _SAID["transposed"] if turned else None


def _factor(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    large = np.abs(expected) > 1e-3 * np.abs(expected).max(initial=0)
    ratio = float(np.median(got[large] / expected[large])) if large.any() else 1.0
    # A ratio near 1 is `nearly`.
    if not np.isfinite(ratio) or ratio == 0 or abs(ratio - 1) < 1e-2:
        return None
    if not agree(got, ratio * expected, rtol):
        return None
    if np.isclose(ratio, -1, rtol=1e-4):
        return _SAID["signs" if got.size > 1 else "sign"]
    if got.size == 1:  # one number is some multiple of any other
        return None
    is_large = abs(ratio) >= 1
    times = f"{number(ratio)} times" if is_large else f"1/{number(1 / ratio)} of"
    return _say("factor", times=times)


def _empty_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    empty = ~got.any(axis=-1) & expected.any(axis=-1)
    if not empty.any() or empty.all():
        return None
    return _say("empty-rows", empty=empty.sum(), all=empty.size)


def _order(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    same = agree(np.sort(got, axis=None), np.sort(expected, axis=None), rtol)
    return _SAID["order"] if same else None


def _nearly(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    scale = np.abs(expected).max(initial=0)
    error = np.abs(got - expected).max(initial=0)
    return _say("nearly", error=number(error)) if 0 < error < 1e-2 * scale else None


def _some_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    wrong = different(got, expected, rtol)
    cells: Any = wrong.reshape(-1, *wrong.shape[-2:]).any(axis=0)
    rows, columns = cells.any(axis=1), cells.any(axis=0)
    are_whole = np.array_equal(columns, cells.all(axis=0))
    return _some(rows, "row") or (_some(columns, "column") if are_whole else None)


def _some(wrong: np.ndarray, noun: str) -> str | None:
    if 2 * wrong.sum() > len(wrong):
        return None
    which = np.flatnonzero(wrong)
    names = ", ".join([*map(str, which[:4]), *["…"] * (len(which) > 4)])
    name = "some one" if len(which) == 1 else "some"
    return _say(name, noun=noun, which=names, all=len(wrong))


# Each is named like what it recognizes.
_RELATIONS: tuple[Callable[[np.ndarray, np.ndarray, float], str | None], ...]
_RELATIONS = (_transposed, _factor, _empty_rows, _order, _nearly, _some_rows)


# --- the cases in which it fails ------------------------------------------------------------------

_MOST_KINDS = 2


def where_it_fails(trial: Trial, *, advise: bool = True) -> Finding | None:
    """Say which cases fail, where the first is right; None where nothing is to be learned.

    With ``advise``, what is most often wrong there is said, too.
    """
    exercise, cases = trial.exercise, trial.cases
    right = {cases[i].kind for i in trial.right}
    wrong = sorted(trial.wrong + trial.crashed)
    failing = list(dict.fromkeys(cases[i].kind for i in wrong))
    if right == {"batch"} and "example" in failing:
        # Zeros may come out right in many ways.
        shown = [trial.expected[i] for i in trial.right]
        tells = any(r.any() for r in shown if isinstance(r, np.ndarray))
        return _SAID.find("only-batch") if tells else None
    if not right or not failing or "example" in failing:
        return None
    if _only_one_row(trial):
        return _SAID.find("only-one-row")
    if "plain" in failing:
        return _narrow(trial) if right <= {"example", "square"} else None
    special = [kind for kind in failing if kind != "square"] or failing
    if len(special) > _MOST_KINDS:  # they have nothing to do with the mistake
        return None
    phrases = listed([kind_of(exercise, kind).phrase for kind in special])
    advice = advice_for(trial, special[0]) if advise else ""
    fails, is_right = "is wrong", "right"
    if set(wrong) & set(trial.crashed):
        fails, is_right = "fails", "is right"
    sentence = f"Your answer {fails} {phrases}, and {is_right} otherwise."
    ids = (f"fails-{special[0]}",) if len(special) == 1 else ()
    return Finding(ids, f"{sentence} {advice}".strip())


def _only_one_row(trial: Trial) -> bool:
    """Whether a single row is all that it is right for, and all else has several."""

    def axes(cases: list[int]) -> list[int]:
        wanted = [trial.expected[i] for i in cases]
        return [w.ndim for w in wanted if isinstance(w, np.ndarray) and w.any()]

    # Zeros may come out right in many ways.
    of_right, of_failing = axes(trial.right), axes(trial.wrong + trial.crashed)
    return of_right == [1] * max(len(of_right), 2) and 1 not in of_failing


def advice_for(trial: Trial, kind: str) -> str:
    """Return what goes wrong there most often, as far as the learner's code has it at all."""
    advice, library = kind_of(trial.exercise, kind).advice, trial.exercise.library
    if not trial.uses or advice != _SAID[f"advice {library} batch"]:
        return advice
    counted = safely(lambda: axes_of(trial.function), [])
    if any(axis >= 0 for axis in counted):
        return advice
    has = next((name for name in _IN_A_BATCH if name in trial.uses), "axes")
    return _SAID[f"batch {'end' if counted and has == 'axes' else has}"]


_IN_A_BATCH = ("len", "vstack", "einsum", "tensordot", "T", "range")


def listed(phrases: list[str]) -> str:
    """Return phrases one after the other, with "and" before the last."""
    most, last = phrases[:-1], phrases[-1]
    if len(phrases) > 3:
        most, last = phrases[:3], "elsewhere"
    return f"{', '.join(most)} and {last}" if most else last


def _narrow(trial: Trial) -> Finding:
    """Tell hard-coded sizes and mistaken axes from numbers that happen to come out right."""
    i = next(i for i, case in enumerate(trial.cases) if case.kind == "plain")
    wanted = np.asarray(trial.expected[i]).shape
    if trial.outcomes[i].error is None and trial.got(i).shape == wanted:
        return _SAID.find("only-example numbers")
    if any(np.ndim(value) for value in trial.cases[i].args):
        return _SAID.find("only-example")
    names = " or ".join(f"`{name}`" for name in trial.names)
    return _SAID.find("only-example input", names=names)


def kind_of(exercise: Exercise, name: str) -> Kind:
    """Return how to speak of a kind of cases."""
    known = exercise.kinds.get(name)
    phrase = _SAID.get(f"kind {name}", f"in the case {name!r}")
    own = _SAID.get(f"advice {exercise.library} {name}", "")
    return known or Kind(phrase, own or _SAID.get(f"advice {name}", ""))
