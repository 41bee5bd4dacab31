"""What can be said of an answer without knowing the mistake.

Whether it can be called, what kind of thing comes back, how its shape and its numbers relate to the
right ones, in which cases it fails, and whether gradients reach its arguments.

What kind of thing passes is decided once, for all exercises: a list or a tuple is refused even with
the right numbers; float64 for float32 input passes with a remark (NumPy often promotes); a dtype
coarser than the input's is refused, since it throws digits away; where one number or one truth
value is asked for, Python's own ``float`` and ``bool`` pass in NumPy exercises.
"""

import dis
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from whywrong.arrays import Side, agree, different
from whywrong.context import Finding, number, span
from whywrong.declare import Exercise, Kind
from whywrong.running import (
    Outcome,
    Trial,
    call_guarded,
    crash_finding,
)

__all__ = [
    "entry_problem",
    "form_problem",
    "gradient_problem",
    "is_stub",
    "kind_of",
    "listed",
    "not_finite",
    "nothing_returned",
    "pattern",
    "precision_remark",
    "shape_problem",
    "where_it_fails",
]


# --- whether it can be called ---------------------------------------------------------------------


def entry_problem(
    function: Any, name: str, expected: list[str], *, may_be_class: bool = False
) -> Finding | None:
    """Say why this cannot be called with the exercise's arguments; None if it can."""
    if inspect.isclass(function) and not may_be_class:
        return Finding(
            ("class",),
            f"`{function.__name__}` is a class. This exercise asks for a function: "
            f"`def {name}({', '.join(expected)}): …`.",
        )
    if not callable(function):
        return Finding(("not-callable",), _not_callable(function, name))
    return _signature_problem(function, name, expected)


def _not_callable(value: Any, name: str) -> str:
    if isinstance(value, str):
        return f"You passed the text {value!r}. Pass the function itself: `check({name})`."
    if value is None:
        return (
            f"You passed `None`, not a function. Write `check({name})` without parentheses after "
            f"`{name}`, and run the cell that defines it again if its name was overwritten."
        )
    return (
        f"`{name}` is not a function here but {_article(type(value).__name__)}. Either "
        f"`check({name}(…))` was written for `check({name})`, or the name was overwritten "
        f"(`{name} = {name}(…)`): then run the cell with `def {name}` again."
    )


def _article(noun: str) -> str:
    if noun == "ndarray":
        return "a NumPy array"
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} `{noun}`"


def _signature_problem(
    function: Any, name: str, expected: list[str]
) -> Finding | None:
    try:
        signature = inspect.signature(function)
    except (
        TypeError,
        ValueError,
    ):  # some functions written in C tell nothing about themselves
        return None
    try:
        signature.bind(*expected)
    except TypeError:
        wanted = f"`def {name}({', '.join(expected)})`"
        return Finding(
            ("signature",),
            _mismatch(signature, expected) + f" It should be {wanted}.",
        )
    return None


def _mismatch(signature: inspect.Signature, expected: list[str]) -> str:
    parameters = signature.parameters.values()
    named = [
        p.name
        for p in parameters
        if p.kind
        not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    missing = [name for name in expected if name not in named]
    extra = [name for name in named if name not in expected]
    if len(named) == len(expected) or not (missing or extra):
        return f"Your function takes ({', '.join(named)}) in a way that does not fit the call."
    if len(named) < len(expected):
        return f"Your function has no argument {_named(missing or expected[len(named) :])}."
    without_default = [
        p.name for p in parameters if p.default is inspect.Parameter.empty
    ]
    required = [name for name in extra if name in without_default] or named[
        len(expected) :
    ]
    return (
        f"Your function asks for {_named(required)}, which the check does not pass."
    )


def _named(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


_EMPTY_BODY = {
    "RESUME",
    "NOP",
    "LOAD_CONST",
    "RETURN_VALUE",
    "RETURN_CONST",
    "MAKE_CELL",
}


def is_stub(function: Any) -> bool:
    """Whether a function's body does nothing: `pass`, `...`, a docstring, `return None`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return False
    steps = list(dis.get_instructions(code))
    returned = [
        step.argval
        for step in steps
        if step.opname in ("LOAD_CONST", "RETURN_CONST")
    ]
    return returned == [None] and {step.opname for step in steps} <= _EMPTY_BODY


# --- what kind of thing comes back ----------------------------------------------------------------


def form_problem(
    outcome: Outcome,
    expected: np.ndarray,
    given: tuple[Any, ...],
    side: Side,
    uses: Collection[str] = (),
) -> Finding | None:
    """Say what kind of thing came back instead of an array; None if it is one.

    ``uses`` are the names in the learner's code: no other is blamed.
    """
    value = outcome.value
    if value is None:
        return nothing_returned(outcome.printed)
    if not side.is_native(value) and not _is_one_number(value, expected, side):
        return _not_native(value, expected, side)
    array = side.as_numpy(value)
    return _dtype_problem(array, expected, value, given, side, uses)


def nothing_returned(printed: str) -> Finding:
    """Say that `None` came back, and whether the result was printed instead."""
    if printed.strip():
        return Finding(
            ("prints",),
            "Your function prints its result and returns `None`: the caller gets nothing to work "
            "with. Replace `print(…)` with `return …`.",
        )
    return Finding(
        ("returns-none",),
        "Your function computes, but returns `None`. End it with `return …`, and check that every "
        "branch reaches a `return`.",
    )


def _is_one_number(value: Any, expected: np.ndarray, side: Side) -> bool:
    in_numpy = side.name == "numpy"
    return in_numpy and expected.ndim == 0 and isinstance(value, bool | int | float)


def _not_native(value: Any, expected: np.ndarray, side: Side) -> Finding:
    if isinstance(value, bool | int | float | complex) and expected.ndim:
        shape = tuple(int(size) for size in expected.shape)
        return Finding(
            ("one-number",),
            f"You return one number, {value!r}; an array of shape {shape} is asked for. A sum or "
            "mean without `axis=` runs over everything.",
        )
    right = (
        "The numbers are right, but you"
        if _same_numbers(value, expected)
        else "You"
    )
    return Finding(
        ("not-an-array",),
        f"{right} return {_what_it_is(value)}: return {side.noun} instead.",
    )


def _what_it_is(value: Any) -> str:
    kind = type(value)
    if kind.__module__.split(".")[0] == "torch":
        return "a PyTorch tensor in a NumPy exercise"
    if isinstance(value, np.ndarray | np.generic):
        return "a NumPy array in a PyTorch exercise (and gradients cannot flow through it)"
    name = kind.__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} `{name}`"


def _same_numbers(value: Any, expected: np.ndarray) -> bool:
    try:
        array = np.asarray(
            value.detach() if hasattr(value, "detach") else value, dtype=float
        )
        return array.shape == expected.shape and np.allclose(
            array, expected, rtol=1e-4
        )
    except Exception:  # whatever it is, it is not a list of numbers
        return False


def _dtype_problem(
    array: np.ndarray,
    expected: np.ndarray,
    value: Any,
    given: tuple[Any, ...],
    side: Side,
    uses: Collection[str],
) -> Finding | None:
    if array.dtype.kind == "O":
        return Finding(
            ("object-array",),
            "You return an array of Python objects (dtype `object`), not of numbers. Usually rows "
            "of different lengths, or a `None` among the numbers, cause this.",
        )
    if not _kind_fits(array, expected, value):
        return Finding(("dtype",), _wrong_kind(array, expected))
    own = side.precision(value)
    if own is None:
        return None
    sizes = [size for size in map(side.precision, given) if size]
    coarsest, finest = min(sizes, default=own), max(sizes, default=own)
    if own < coarsest:
        return Finding(("dtype",), _coarser(own, coarsest, side, uses))
    if side.name == "torch" and own > finest:
        return Finding(("dtype",), _finer(own, finest, uses))
    return None


def _finer(own: int, finest: int, uses: Collection[str]) -> str:
    said = (
        f"The input is float{8 * finest}, but you return float{8 * own}: in PyTorch a result has "
        "the dtype of its arguments, or the next layer refuses it."
    )
    made = _either(uses, _WIDENING)
    if made:
        return f"{said} Here {made} widens it."
    return f"{said} Where does `.double()`, a NumPy array or `dtype=torch.float64` come in?"


# What sets the kind of numbers, by the names in the code.
_WIDENING = {"double": "`.double()`", "float64": "`float64`"}
_NARROWING = {
    "float": "`float`",
    "float32": "`float32`",
    "single": "`single`",
    "half": "`half`",
    "float16": "`float16`",
    "bfloat16": "`bfloat16`",
}
_MAKING = ("zeros", "ones", "empty", "full", "eye", "arange", "linspace", "tensor")


def _either(uses: Collection[str], words: Mapping[str, str]) -> str:
    """Return those of some words that the learner's code has: "a", "b" or "c"."""
    said = [word for name, word in words.items() if name in uses]
    return " or ".join(said)


def _kind_fits(array: np.ndarray, expected: np.ndarray, value: Any) -> bool:
    kinds = {"i": "iu", "u": "iu"}.get(expected.dtype.kind, expected.dtype.kind)
    plain_int = isinstance(value, int) and expected.dtype.kind == "f"
    return array.dtype.kind in kinds or (plain_int and not isinstance(value, bool))


_WORDS = {
    "b": "truth values",
    "i": "integers",
    "u": "integers",
    "f": "real numbers",
}


def _wrong_kind(array: np.ndarray, expected: np.ndarray) -> str:
    have = _WORDS.get(array.dtype.kind, f"dtype `{array.dtype}`")
    want = _WORDS.get(expected.dtype.kind, f"dtype `{expected.dtype}`")
    message = (
        f"You return {have} (dtype `{array.dtype}`), but {want} are asked for."
    )
    if array.dtype.kind in "iu" and expected.dtype.kind == "f":
        return (
            message
            + " Rounding, `//`, or an array made with an integer dtype cuts decimals."
        )
    if expected.dtype.kind == "b":
        return (
            message + " A comparison (`<=`, `==`) gives them; 0 and 1 are numbers."
        )
    if array.dtype.kind == "c":
        return (
            message
            + " The square root of a negative number, or `**0.5` of one, may be the cause."
        )
    return message


def _coarser(own: int, coarsest: int, side: Side, uses: Collection[str]) -> str:
    message = f"The input is float{8 * coarsest}, but you return float{8 * own}: digits are lost."
    words = dict(_NARROWING)
    if side.name == "numpy":
        del words["float"]  # there it is float64
    made = _either(uses, words)
    if made:
        return (
            f"{message} Here {made} makes it so: leave the numbers in the dtype in which they "
            "come."
        )
    makes = [name for name in _MAKING if name in uses]
    if side.name == "torch":
        if makes or not uses:
            which = f"`torch.{makes[0]}` makes" if makes else "`torch.zeros` makes"
            return (
                f"{message} {which} float32 unless you pass `dtype=`; `torch.zeros_like(x)` and "
                "`x.new_zeros(…)` follow `x`."
            )
        return f"{message} Keep the dtype of the arguments all the way."
    name = makes[0] if makes else "zeros"
    return f"{message} Keep the input's dtype: `np.{name}(…, dtype=x.dtype)`."


def precision_remark(value: Any, given: tuple[Any, ...], side: Side) -> str | None:
    """Return a remark where the result is finer than all inputs."""
    finest = max((side.precision(item) or 0 for item in given), default=0)
    own = side.precision(value)
    if own is None or not 0 < finest < own:
        return None
    return (
        f"for float{8 * finest} input you return float{8 * own}. That passes; keeping the input's "
        "dtype would save memory."
    )


# --- its shape ------------------------------------------------------------------------------------


def shape_problem(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say how the shape differs; None if it does not."""
    if got.shape == expected.shape:
        return None
    have, want = _shape_words(got.shape), _shape_words(expected.shape)
    said = f"You return shape {have}; shape {want} is asked for."
    return Finding(
        ("shape",), f"{said} {_explained(got.shape, expected.shape)}".strip()
    )


def _shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as Python writes it."""
    return str(tuple(int(size) for size in shape))


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
        return _too_many(have, want)
    return ""


def _too_many(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    lead = want[:-2]
    if lead and sorted(have) == sorted((*lead, *want)):
        return (
            f"The leading axes {_shape_words(lead)} are there twice: every entry of the batch is "
            "combined with every other. `@`, and an einsum with `...`, go through them side by "
            "side."
        )
    if len(have) == len(want) + 1:
        return "There is an axis too many: something still has to be summed or picked out."
    return f"There are {len(have) - len(want)} axes too many."


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


# --- its numbers ----------------------------------------------------------------------------------


def not_finite(
    got: np.ndarray, expected: np.ndarray, uses: Collection[str] = ()
) -> Finding | None:
    """Say where NaN or infinity came back in place of a number.

    ``uses`` are the names in the learner's code, which may have an infinity of its own.
    """
    if got.dtype.kind != "f":
        return None
    for name, test in (("NaN", np.isnan), ("infinity", np.isinf)):
        bad = test(got) & ~test(expected)
        if bad.any():
            where = f"first at index {_index(bad)}" if got.ndim else "as the result"
            cause = _CAUSES[name]
            if name == "infinity" and "inf" in uses:
                cause = _OWN_INFINITY
            message = (
                f"{bad.sum()} of {bad.size} numbers are {name}, {where}. {cause}"
            )
            return Finding(("nan" if name == "NaN" else "inf",), message)
    return None


def _index(mask: np.ndarray) -> str:
    place = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return _shape_words(tuple(int(axis) for axis in place))


_CAUSES = {
    "NaN": "0/0, ∞ − ∞, ∞/∞ and 0·∞ give NaN; which of them can happen here?",
    "infinity": "A division by 0, or `exp` of something above 709 (88 in float32), gives it.",
}

_OWN_INFINITY = (
    "It may be the `inf` of your own code: where does that go? (A division by 0, or `exp` of "
    "something above 709, gives it as well.)"
)


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


_Pattern = Callable[[np.ndarray, np.ndarray, float], str | None]


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


def _floor(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    """Recognize the logarithm of a small number that was added."""
    wrong = different(got, expected, rtol)
    lowest = float(got[wrong].min()) if wrong.any() else 0.0
    k = -lowest / np.log(10)
    is_power = 3 <= round(k) <= 45 and abs(k - round(k)) < 1e-3
    if not is_power or not (got[wrong] - expected[wrong] > 0).all():
        return None
    if not np.isclose(got[wrong], lowest, rtol=1e-3).mean() > 0.5:
        return None
    return (
        f"Your numbers stop at {number(lowest)}, which is log(1e-{round(k)}): a small number "
        "inside a logarithm, added or put in for 0, keeps them there."
    )


_RELATIONS: tuple[tuple[str, _Pattern], ...] = (
    ("floor", _floor),
    ("transposed", _transposed),
    ("factor", _factor),
    ("offset", _offset),
    ("empty-rows", _empty_rows),
    ("row-factors", _row_factors),
    ("order", _reordered),
    ("nearly", _nearly),
    ("some-rows", _some_rows),
)


# --- the cases in which it fails ------------------------------------------------------------------


def where_it_fails(trial: Trial, *, advise: bool = True) -> Finding | None:
    """Say which cases fail, where the first is right; None where nothing is to be learned.

    With ``advise``, what is most often wrong there is said, too.
    """
    exercise, cases = trial.exercise, trial.cases
    right = {cases[i].kind for i in trial.right}
    failing = list(
        dict.fromkeys(cases[i].kind for i in sorted(trial.wrong + trial.crashed))
    )
    if not right or not failing or "example" in failing:
        return None
    if _only_one_row(trial):
        return Finding(("only-one-row",), _one_row_words(trial))
    if "plain" in failing and right <= {"example", "square"}:
        return _narrow(trial, failing)
    phrases = listed([kind_of(exercise, kind).phrase for kind in failing])
    advice = _advice(trial, failing[0]) if advise else ""
    sentence = f"It is right in other cases, but fails {phrases}."
    ids = (f"fails-{failing[0]}",) if len(failing) == 1 else ()
    return Finding(ids, f"{sentence} {advice}".strip())


def _only_one_row(trial: Trial) -> bool:
    """Whether a single row is all that it is right for, and all else has several."""

    def axes(cases: list[int]) -> list[int]:
        wanted = [trial.expected[i] for i in cases]
        return [w.ndim for w in wanted if isinstance(w, np.ndarray) and w.any()]

    # Zeros may come out right in many ways.
    of_right, of_failing = axes(trial.right), axes(trial.wrong + trial.crashed)
    return of_right == [1] * max(len(of_right), 2) and 1 not in of_failing


# What is another thing for several rows, by its name in the code.
_FOR_ONE_ROW = {
    "outer": "`{library}.outer` flattens what it is given and multiplies each number by each, "
    "those of other rows, too.",
    "diagflat": "`{library}.diagflat` flattens what it is given: one diagonal for all rows.",
    "diag": "`{library}.diag` makes a matrix of a single row only; of a matrix it *reads* the "
    "diagonal.",
}


def _one_row_words(trial: Trial) -> str:
    library = "torch" if trial.exercise.library == "torch" else "np"
    said = ["It is right for a single row, but fails for arrays with more axes."]
    said += [
        words.format(library=library)
        for name, words in _FOR_ONE_ROW.items()
        if name in trial.uses
    ]
    if len(said) > 1:
        said.append(
            "Each row needs a matrix of its own, or a formula that needs no matrix."
        )
    return " ".join(said)


def _advice(trial: Trial, kind: str) -> str:
    """Return what goes wrong there most often, as far as the learner's code has it at all."""
    advice = kind_of(trial.exercise, kind).advice
    if not trial.uses or advice not in (_BATCH, _TORCH_BATCH.advice):
        return advice
    library = trial.exercise.library
    first = advice.split(". ")[0] + "."
    turning = [name for name in ("T", "t", "mm") if name in trial.uses]
    if library == "torch" and turning:
        said = " and ".join(
            {"mm": "`torch.mm`", "t": "`.t()`", "T": "`.T`"}[n] for n in turning
        )
        return (
            f"{first} {said} {'is' if len(turning) == 1 else 'are'} for matrices."
        )
    if turning[:1] == ["T"]:
        return f"{first} In a batch, `.T` turns all axes around."
    return f"{first} In a batch, the first axes are those of the batch."


def listed(phrases: list[str]) -> str:
    """Return phrases one after the other, with "and" before the last."""
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
    if "square" in failing and not _has_arrays(trial, i):
        numbers = " or ".join(f"`{name}`" for name in trial.names)
        return Finding(
            ("only-example",),
            "It is right for the first inputs and wrong for others: look for a number in your "
            f"code that should come from {numbers}.",
        )
    return _ONLY_EXAMPLE if "square" in failing else _ONLY_SQUARE


def _has_arrays(trial: Trial, i: int) -> bool:
    return any(np.ndim(value) for value in trial.cases[i].args)


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


_BATCH = (
    "Count axes from the end: `axis=-1`, `np.swapaxes(x, -1, -2)`. In a batch, `.T` turns all axes "
    "around, and `axis=0` or `axis=1` means another axis."
)
_KINDS = {
    "example": Kind("for the first, small inputs"),
    "plain": Kind("for arrays of other sizes"),
    "square": Kind("where the sizes happen to be equal"),
    "batch": Kind("with leading batch axes", _BATCH),
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


# --- its gradients --------------------------------------------------------------------------------


def gradient_problem(trial: Trial) -> Finding | None:
    """Compare the gradients of every case with the reference's; None where all agree."""
    for i in range(len(trial.outcomes)):
        if isinstance(trial.expected[i], np.ndarray):
            found = _gradient_in_case(trial, i)
            if found:
                return found
    return None


def _gradient_in_case(trial: Trial, i: int) -> Finding | None:
    side = trial.side
    wide = _with_gradient(side, tuple(map(side.widen, trial.given(i))))
    wanted = _gradients(trial.exercise.used(trial.exercise.solution)(*wide), wide)
    given = _with_gradient(side, trial.given(i))
    outcome = call_guarded(trial.function, given, seconds=trial.clock.left)
    if outcome.error is not None:
        return _stops(trial, i, outcome.error)
    if not outcome.value.requires_grad:
        return _DETACHED
    found = _gradients(outcome.value, given)
    return _compared(trial, found, wanted, trial.tolerance(i))


def _with_gradient(side: Side, given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        value.requires_grad_() if side.precision(value) is not None else value
        for value in given
    )


# Where a softmax saturates, some gradients are next to nothing and consist of rounding: they are
# compared at this share of the largest gradient of the case.
_FLOOR = 1e-3


def _gradients(output: Any, given: tuple[Any, ...]) -> list[np.ndarray | None]:
    """Return the gradient of one fixed weighting of the output, by argument; None if there is none.

    Asked for are the gradients of the arguments that require one.
    """
    import torch

    weighting = torch.linspace(
        -1.0, 2.0, output.numel(), dtype=torch.float64, device=output.device
    )
    total = (output.double() * weighting.reshape(output.shape)).sum()
    asked = [
        isinstance(value, torch.Tensor) and value.requires_grad for value in given
    ]
    leaves = [
        value for value, is_asked in zip(given, asked, strict=True) if is_asked
    ]
    grads = iter(torch.autograd.grad(total, leaves, allow_unused=True))
    found = [next(grads) if is_asked else None for is_asked in asked]
    return [None if grad is None else grad.cpu().numpy() for grad in found]


def _compared(
    trial: Trial,
    found: list[np.ndarray | None],
    wanted: list[np.ndarray | None],
    rtol: float,
) -> Finding | None:
    sizes = (np.abs(want).max(initial=0) for want in wanted if want is not None)
    largest = max(sizes, default=0)
    if largest < _FLOOR**2:  # they are all zero: what comes out is rounding
        largest = 1.0
    for name, have, want in zip(trial.names, found, wanted, strict=True):
        if want is None:
            continue
        if have is None:
            return Finding(
                ("detached",),
                f"The numbers are right, but no gradient reaches `{name}`: on its way it is copied "
                "out of the graph (`torch.tensor(…)`, `.detach()`, `.item()`, `.data`).",
            )
        negligible = (
            np.abs(have - want).max(initial=0) <= 10 * rtol * _FLOOR * largest
        )
        if not negligible and not agree(have, want, 10 * rtol):
            return Finding(("gradient",), _wrong_gradient(name, have, trial.uses))
    return None


# What puts another number in the place of a NaN, and what makes one, by the names in the code.
_HIDING = {
    "where": "`where`",
    "nan_to_num": "`nan_to_num`",
    "masked_fill": "`masked_fill`",
    "masked_fill_": "`masked_fill_`",
    "isnan": "`isnan`",
}
_RISKY = {
    "softmax": "before the softmax, which makes NaN of a row of −∞ alone",
    "log_softmax": "before the softmax, which makes NaN of a row of −∞ alone",
    "norm": "before the norm, whose slope at 0 is NaN",
    "sqrt": "before the root, whose slope at 0 is infinite",
    "log": "before the logarithm",
}


def _wrong_gradient(name: str, have: np.ndarray, uses: Collection[str]) -> str:
    if np.isnan(have).any():
        hider = _either(uses, _HIDING)
        what = f"that {hider} hides" if hider else "that does not show"
        risky = [text for word, text in _RISKY.items() if word in uses]
        before = [*risky, "before the division, the root or the power"][0]
        return (
            f"The numbers are right, but the gradient with respect to `{name}` is NaN: a NaN or an "
            f"infinity {what} in the result still comes back in its gradient. Replace the "
            f"dangerous input already {before}."
        )
    return (
        f"The numbers are right, but the gradient with respect to `{name}` is not: some step of "
        "the way is computed outside the graph (`.detach()`, `.data`, `torch.no_grad()`)."
    )


def _stops(trial: Trial, i: int, error: BaseException) -> Finding:
    found = crash_finding(error, trial.function, trial.called_with(i), trial.clock)
    return Finding(
        ("detached",),
        "The numbers are right, but as soon as the tensors require gradients (as in training), "
        f"your function stops: stay in PyTorch all the way.\n\n{found.message}",
    )


_DETACHED = Finding(
    ("detached",),
    "The numbers are right, but the result is cut off from its inputs: no gradient can flow back. "
    "`.detach()`, `.numpy()`, `.item()`, `torch.tensor(…)` and `torch.no_grad()` all cut.",
)
