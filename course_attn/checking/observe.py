"""What can be said of wrong numbers without knowing the mistake: shapes, relations, cases."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking.arrays import agree, different
from course_attn.checking.context import Finding, number, span
from course_attn.checking.declare import Exercise, Kind
from course_attn.checking.trial import Trial

__all__ = [
    "kind_of",
    "not_finite",
    "pattern",
    "shape_problem",
    "shape_words",
    "where_it_fails",
]


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as Python writes it."""
    return str(tuple(int(size) for size in shape))


def shape_problem(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say how the shape differs; None if it does not."""
    if got.shape == expected.shape:
        return None
    have, want = shape_words(got.shape), shape_words(expected.shape)
    said = f"You return shape {have}; shape {want} is asked for."
    return Finding(
        ("shape",), f"{said} {_explained(got.shape, expected.shape)}".strip()
    )


def _explained(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if want == ():
        return "One number is asked for."
    if _without_ones(have) == _without_ones(want):
        return _ones(have, want)
    if len(have) == len(want):
        return _same_length(have, want)
    if len(have) < len(want) and _is_part(have, want):
        return "An axis is missing: something was summed or averaged over too much."
    if len(have) > len(want) and _is_part(want, have):
        return "There is an axis too many: something still has to be summed or picked out."
    return ""


def _ones(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if len(have) > len(want):
        return "There is an axis of length 1 too many: `keepdims=True` or `[None]` left it there."
    if len(have) == len(want):
        return "The axis of length 1 stands in the wrong place."
    return "An axis of length 1 is missing: `keepdims=True` keeps it."


def _same_length(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if len(have) >= 2 and have == (*want[:-2], want[-1], want[-2]):
        return "The last two axes are swapped."
    if sorted(have) == sorted(want):
        return "The axes are in another order."
    wrong = [
        axis
        for axis, sizes in enumerate(zip(have, want, strict=True))
        if len(set(sizes)) > 1
    ]
    return f"Axis {wrong[0]} has the wrong length." if len(wrong) == 1 else ""


def _without_ones(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size != 1]


def _is_part(short: tuple[int, ...], long: tuple[int, ...]) -> bool:
    """Whether the sizes of one shape occur in this order among those of the other."""
    rest = iter(long)
    return all(size in rest for size in short)


_Pattern = Callable[[np.ndarray, np.ndarray, float], str | None]


def not_finite(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say where NaN or infinity came back in place of a number."""
    if got.dtype.kind != "f":
        return None
    for name, test in (("NaN", np.isnan), ("infinity", np.isinf)):
        bad = test(got) & ~test(expected)
        if bad.any():
            where = f"first at index {_index(bad)}" if got.ndim else "as the result"
            message = f"{bad.sum()} of {bad.size} numbers are {name}, {where}. {_CAUSES[name]}"
            return Finding(("nan" if name == "NaN" else "inf",), message)
    return None


def pattern(got: np.ndarray, expected: np.ndarray, rtol: float) -> Finding | None:
    """Say how the numbers relate, where there is a simple relation; None if there is none."""
    if (
        got.dtype.kind != "f"
        or expected.dtype.kind != "f"
        or not np.isfinite(got).all()
    ):
        return None
    for name, relation in _RELATIONS:
        with np.errstate(all="ignore"):
            message = relation(got, expected, rtol)
        if message:
            return Finding((name,), message)
    return None


def _index(mask: np.ndarray) -> str:
    place = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return shape_words(tuple(int(axis) for axis in place))


def _transposed(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2 or got.shape[-1] != got.shape[-2]:
        return None
    turned = agree(np.swapaxes(got, -1, -2), expected, rtol)
    return (
        "You return the transpose of the right answer: rows and columns swapped."
        * turned
    )


def _factor(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    large = np.abs(expected) > 1e-3 * np.abs(expected).max(initial=0)
    ratio = float(np.median(got[large] / expected[large])) if large.any() else 1.0
    if (
        not np.isfinite(ratio)
        or ratio == 0
        or abs(ratio - 1) < 1e-2  # that is `nearly`
        or not agree(got, ratio * expected, rtol)
    ):
        return None
    if np.isclose(ratio, -1, rtol=1e-4):
        return (
            "Every number has the wrong sign."
            if got.size > 1
            else "The sign is wrong."
        )
    if got.size == 1:  # one number is some multiple of any other
        return None
    times = (
        f"{number(ratio)} times" if abs(ratio) >= 1 else f"1/{number(1 / ratio)} of"
    )
    return f"Every number is {times} the right one: a factor is missing or one too many."


def _offset(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    shift = float(np.median(got - expected))
    if got.size < 2 or not agree(got - shift, expected, rtol):
        return None
    more = "too large" if shift > 0 else "too small"
    return f"Every number is {more} by the same {number(abs(shift))}."


def _empty_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    empty = ~got.any(axis=-1) & expected.any(axis=-1)
    if not empty.any() or empty.all():
        return None
    return (
        f"{empty.sum()} of {empty.size} rows are all zeros: were they ever filled?"
    )


def _row_factors(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2 or got.shape[-1] < 2:
        return None
    ratios = (got * expected).sum(-1, keepdims=True) / (expected**2).sum(
        -1, keepdims=True
    )
    if not np.isfinite(ratios).all() or np.ptp(ratios) == 0 or ratios.min() <= 1e-9:
        return None
    if not agree(got, ratios * expected, rtol):
        return None
    return (
        f"Within each row the proportions are right, but the rows are {span(ratios)} times the "
        "right ones: what a row is divided by is wrong."
    )


def _reordered(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    for axis in range(got.ndim):
        if agree(np.flip(got, axis), expected, rtol):
            return f"The right numbers, but axis {axis} runs backwards."
    if agree(np.sort(got, axis=None), np.sort(expected, axis=None), rtol):
        return "The right numbers in the wrong places: a `reshape` or an axis order is off."
    return None


def _some_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    wrong = different(got, expected, rtol)
    # For the stubs, `any` may give a single truth value even along an axis.
    cells: Any = wrong.reshape(-1, *wrong.shape[-2:]).any(axis=0)
    return _some(cells.any(axis=1), "row") or _some(cells.any(axis=0), "column")


def _some(wrong: np.ndarray, noun: str) -> str | None:
    if 2 * wrong.sum() > len(wrong):
        return None
    which = np.flatnonzero(wrong)
    listed = ", ".join(map(str, which[:4])) + (", …" if len(which) > 4 else "")
    if len(which) == 1:
        return f"Only {noun} {listed} (of {len(wrong)}) is wrong. What is special about it?"
    return f"Only {noun}s {listed} (of {len(wrong)}) are wrong. What do they have in common?"


def _nearly(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    scale = np.abs(expected).max(initial=0)
    error = np.abs(got - expected).max(initial=0)
    if not 0 < error < 1e-2 * scale:
        return None
    return (
        f"It is nearly right: the largest error is {number(error)}. A computer's own rounding "
        "is far smaller. A constant such as `+ 1e-3` in a denominator, or numbers rounded on the "
        "way, would give this."
    )


_CAUSES = {
    "NaN": "0/0, ∞ − ∞, ∞/∞ and 0·∞ give NaN; which of them can happen here?",
    "infinity": "A division by 0, or `exp` of something above 709 (88 in float32), gives it.",
}
_RELATIONS: tuple[tuple[str, _Pattern], ...] = (
    ("transposed", _transposed),
    ("factor", _factor),
    ("offset", _offset),
    ("empty-rows", _empty_rows),
    ("row-factors", _row_factors),
    ("order", _reordered),
    ("nearly", _nearly),
    ("some-rows", _some_rows),
)


_KINDS = {
    "example": Kind("for the first, small inputs"),
    "plain": Kind("for arrays of other sizes"),
    "square": Kind("where the sizes happen to be equal"),
    "batch": Kind(
        "with leading batch axes",
        "Count axes from the end: `axis=-1`, `np.swapaxes(x, -1, -2)`. In a batch, `.T` turns all "
        "axes around, and `axis=0` or `axis=1` means another axis.",
    ),
    "vector": Kind(
        "for a one-dimensional argument",
        "It has one axis only: count from the end (`axis=-1`), and look at every place where your "
        "code takes a second axis for granted.",
    ),
    "float32": Kind(
        "for float32 input",
        "Numbers above 3.4e38 do not exist there, nor the 8th digit.",
    ),
    "float64": Kind("for float64 input", "Keep the input's dtype all the way."),
}
_TORCH_BATCH = Kind(
    "with leading batch axes",
    "Count dimensions from the end: `dim=-1`, `x.transpose(-1, -2)`. `.T`, `.t()` and `torch.mm` "
    "are for matrices, and `dim=0` or `dim=1` means another dimension in a batch.",
)
_ONLY_EXAMPLE = Finding(
    ("only-example",),
    "It is right for the first, small inputs and wrong for arrays of other sizes: look for a "
    "number in your code that should come from `.shape`.",
)
_ONLY_THESE_NUMBERS = Finding(
    ("only-example",),
    "It is right for the numbers of the first, small inputs, and wrong for others: which signs, "
    "sizes or ties does your code rely on?",
)
_ONLY_SQUARE = Finding(
    ("only-square",),
    "It is right only where sizes happen to be equal: look for an axis or a size that was mistaken "
    "for another.",
)


def kind_of(exercise: Exercise, name: str) -> Kind:
    """Return how to speak of a kind of cases."""
    known = dict(_KINDS)
    if exercise.library == "torch":
        known["batch"] = _TORCH_BATCH
    known.update(exercise.kinds)
    return known.get(name) or Kind(f"in the case {name!r}")


def where_it_fails(trial: Trial) -> Finding | None:
    """Say which cases fail, where the first is right; None where nothing is to be learned."""
    exercise, cases = trial.exercise, trial.cases
    right = {cases[i].kind for i in trial.right}
    failing = list(
        dict.fromkeys(cases[i].kind for i in sorted(trial.wrong + trial.crashed))
    )
    if not right or not failing or "example" in failing:
        return None
    if "plain" in failing and right <= {"example", "square"}:
        return _narrow(trial, failing)
    phrases = _listed([kind_of(exercise, kind).phrase for kind in failing])
    advice = kind_of(exercise, failing[0]).advice
    sentence = f"It is right in other cases, but fails {phrases}."
    ids = (f"fails-{failing[0]}",) if len(failing) == 1 else ()
    return Finding(ids, f"{sentence} {advice}".strip())


def _listed(phrases: list[str]) -> str:
    most, last = phrases[:-1], phrases[-1]
    if len(phrases) > 3:
        most, last = phrases[:3], "elsewhere"
    return f"{', '.join(most)} and {last}" if most else last


def _narrow(trial: Trial, failing: list[str]) -> Finding:
    """Tell hard-coded sizes and mistaken axes from numbers that happen to come out right."""
    i = next(i for i, case in enumerate(trial.cases) if case.kind == "plain")
    wanted = np.asarray(trial.expected[i]).shape
    if trial.outcomes[i].error is None and trial.got(i).shape == wanted:
        return _ONLY_THESE_NUMBERS
    return _ONLY_EXAMPLE if "square" in failing else _ONLY_SQUARE
