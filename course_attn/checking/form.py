"""Whether what was handed in can be called, and whether arrays of the right kind come back.

Decided once, for all exercises: a list or a tuple is refused even with the right numbers; float64
for float32 input passes with a remark (NumPy often promotes); a dtype coarser than the input's is
refused, since it throws digits away; where one number or one truth value is asked for, Python's
own ``float`` and ``bool`` pass in NumPy exercises.
"""

import dis
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from course_attn.checking.context import Finding
from course_attn.checking.guard import Outcome

__all__ = [
    "entry_problem",
    "form_problem",
    "is_stub",
    "nothing_returned",
    "parameter_names",
    "precision_remark",
]


_Kind = inspect.Parameter
_EMPTY_BODY = {
    "RESUME",
    "NOP",
    "LOAD_CONST",
    "RETURN_VALUE",
    "RETURN_CONST",
    "MAKE_CELL",
}


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters."""
    positional = (_Kind.POSITIONAL_ONLY, _Kind.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [
        parameter.name for parameter in parameters if parameter.kind in positional
    ]


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
        if p.kind not in (_Kind.VAR_POSITIONAL, _Kind.VAR_KEYWORD)
    ]
    missing = [name for name in expected if name not in named]
    extra = [name for name in named if name not in expected]
    if len(named) == len(expected) or not (missing or extra):
        return f"Your function takes ({', '.join(named)}) in a way that does not fit the call."
    if len(named) < len(expected):
        return f"Your function has no argument {_listed(missing or expected[len(named) :])}."
    without_default = [p.name for p in parameters if p.default is _Kind.empty]
    required = [name for name in extra if name in without_default] or named[
        len(expected) :
    ]
    return f"Your function asks for {_listed(required)}, which the check does not pass."


def _listed(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _article(noun: str) -> str:
    if noun == "ndarray":
        return "a NumPy array"
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} `{noun}`"


_WORDS = {
    "b": "truth values",
    "i": "integers",
    "u": "integers",
    "f": "real numbers",
}


def form_problem(
    outcome: Outcome, expected: np.ndarray, given: tuple[Any, ...], side: ModuleType
) -> Finding | None:
    """Say what kind of thing came back instead of an array; None if it is one."""
    value = outcome.value
    if value is None:
        return nothing_returned(outcome.printed)
    if not side.is_native(value) and not _is_one_number(value, expected, side):
        return _not_native(value, expected, side)
    return _dtype_problem(side.as_numpy(value), expected, value, given, side)


def precision_remark(
    value: Any, given: tuple[Any, ...], side: ModuleType
) -> str | None:
    """Return a remark where the result is finer than all inputs."""
    finest = max((side.precision(item) or 0 for item in given), default=0)
    own = side.precision(value)
    if own is None or not 0 < finest < own:
        return None
    return (
        f"for float{8 * finest} input you return float{8 * own}. That passes; keeping the input's "
        "dtype would save memory."
    )


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


def _is_one_number(value: Any, expected: np.ndarray, side: ModuleType) -> bool:
    in_numpy = side.NOUN == "a NumPy array"
    return in_numpy and expected.ndim == 0 and isinstance(value, bool | int | float)


def _not_native(value: Any, expected: np.ndarray, side: ModuleType) -> Finding:
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
        f"{right} return {_what_it_is(value)}: return {side.NOUN} instead.",
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
    side: ModuleType,
) -> Finding | None:
    if array.dtype.kind == "O":
        return Finding(
            ("object-array",),
            "You return an array of Python objects (dtype `object`), not of numbers. Usually rows "
            "of different lengths, or a `None` among the numbers, cause this.",
        )
    if not _kind_fits(array, expected, value):
        return Finding(("dtype",), _wrong_kind(array, expected))
    own, coarsest = (
        side.precision(value),
        min(filter(None, map(side.precision, given)), default=0),
    )
    if own is not None and own < coarsest:
        return Finding(("dtype",), _coarser(own, coarsest, side))
    finest = max(filter(None, map(side.precision, given)), default=own)
    if side.NOUN == "a PyTorch tensor" and own is not None and own > finest:
        return Finding(("dtype",), _finer(own, finest))
    return None


def _finer(own: int, finest: int) -> str:
    return (
        f"The input is float{8 * finest}, but you return float{8 * own}: in PyTorch a result has "
        "the dtype of its arguments, or the next layer refuses it. Where does `.double()`, a NumPy "
        "array or `dtype=torch.float64` come in?"
    )


def _kind_fits(array: np.ndarray, expected: np.ndarray, value: Any) -> bool:
    kinds = {"i": "iu", "u": "iu"}.get(expected.dtype.kind, expected.dtype.kind)
    plain_int = isinstance(value, int) and expected.dtype.kind == "f"
    return array.dtype.kind in kinds or (plain_int and not isinstance(value, bool))


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


def _coarser(own: int, coarsest: int, side: ModuleType) -> str:
    message = f"The input is float{8 * coarsest}, but you return float{8 * own}: digits are lost."
    if side.NOUN == "a PyTorch tensor":
        return (
            message
            + " `torch.zeros` and its relatives make float32 unless you pass `dtype=`; "
            "`torch.zeros_like(x)` and `x.new_zeros(…)` follow `x`."
        )
    return message + " Keep the input's dtype: `np.zeros(shape, dtype=x.dtype)`."
