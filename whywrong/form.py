"""What can be said of an answer before its numbers are: can it be called, and what comes back.

What kind of thing passes is decided once, for all exercises: a list or a tuple is refused even with
the right numbers; float64 for float32 input passes with a remark (NumPy often promotes); a dtype
coarser than the input's is refused, since it throws digits away; where one number or one truth
value is asked for, Python's own ``float`` and ``bool`` pass in NumPy exercises.
"""

import dis
import inspect
from typing import Any

import numpy as np

from whywrong.arrays import Side
from whywrong.calls import Outcome
from whywrong.context import Finding, Sentences

__all__ = ["entry_problem", "form_problem", "is_stub", "nothing_returned"]
__all__ += ["precision_remark"]

_SAID = Sentences("""
class: `{own}` is a class. This exercise asks for a function: `def {name}({given}): …`.
not-callable text: You passed the text {value!r}. Pass the function itself: `check({name})`.
not-callable nothing: You passed `None`, not a function. Write `check({name})` without parentheses
    after `{name}`, and run the cell that defines it again if its name was overwritten.
not-callable value: `{name}` is not a function here but {what}. Either `check({name}(…))` was
    written for `check({name})`, or the name was overwritten (`{name} = {name}(…)`): then run the
    cell with `def {name}` again.
signature: {mismatch} It should be `def {name}({given})`.
fit: Your function takes ({named}) in a way that does not fit the call.
missing: Your function has no argument {names}.
extra: Your function asks for {names}, which the check does not pass.
prints: Your function prints its result and returns `None`: the caller gets nothing to work with.
    Replace `print(…)` with `return …`.
returns-none: Your function computes, but returns `None`. End it with `return …`, and check that
    every branch reaches a `return`.
one-number: You return one number, {value!r}; an array of shape {shape} is asked for. A sum or mean
    without `axis=` runs over everything.
not-an-array: {who} return {what}: return {noun} instead.
too-many: You return shape {shape}, more numbers than can be looked at; {right} is asked for.
object-array: You return an array of Python objects (dtype `object`), not of numbers. Usually rows
    of different lengths, or a `None` among the numbers, cause this.
dtype: You return {have} (dtype `{dtype}`), but {want} are asked for.
dtype whole: Rounding, `//`, or an array made with an integer dtype cuts decimals.
dtype real: `zeros` and `ones` without `dtype=`, and `/`, make them.
dtype truth: A comparison (`<=`, `==`) gives them; 0 and 1 are numbers.
dtype complex: The square root of a negative number, or `**0.5` of one, may be the cause.
finer: The input is float{given}, but you return float{own}: in PyTorch a result has the dtype of
    its arguments, or the next layer refuses it. Where does `.double()`, a NumPy array or
    `dtype=torch.float64` come in?
coarser: The input is float{given}, but you return float{own}: digits are lost. {keep}
coarser numpy: Keep the input's dtype all the way: `np.zeros(…, dtype=x.dtype)`.
coarser torch: Keep the dtype of the arguments all the way: `.float()` makes float32, and so do
    `torch.zeros` and `torch.tensor` unless you pass `dtype=`; `torch.zeros_like(x)` and
    `x.new_zeros(…)` follow `x`.
finer-remark: for float{given} input you return float{own}. That passes; keeping the input's dtype
    would save memory.
""")


# --- whether it can be called ---------------------------------------------------------------------


def entry_problem(
    function: Any, name: str, expected: list[str], *, may_be_class: bool = False
) -> Finding | None:
    """Say why this cannot be called with the exercise's arguments; None if it can."""
    words = {"name": name, "given": ", ".join(expected)}
    if inspect.isclass(function) and not may_be_class:
        return _SAID.find("class", own=function.__name__, **words)
    if not callable(function):
        nothing = "nothing" if function is None else "value"
        which = "text" if isinstance(function, str) else nothing
        noun = type(function).__name__
        what = "a NumPy array" if noun == "ndarray" else _with_article(noun)
        words |= {"value": function, "what": what}
        return _SAID.find(f"not-callable {which}", **words)
    try:
        signature = inspect.signature(function)
    # Some functions in C tell nothing about themselves.
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*expected)
    except TypeError:
        mismatch = _mismatch(signature, expected)
        return _SAID.find("signature", mismatch=mismatch, **words)
    return None


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} `{noun}`"


def _mismatch(signature: inspect.Signature, expected: list[str]) -> str:
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {
        p.name: p.default is p.empty
        for p in signature.parameters.values()
        if p.kind not in starred
    }
    missing = [name for name in expected if name not in named]
    extra = [name for name in named if name not in expected]
    if len(named) == len(expected) or not (missing or extra):
        return _SAID.say("fit", named=", ".join(named))
    which, names = "missing", missing or expected[len(named) :]
    if len(named) > len(expected):
        required = [name for name in extra if named[name]]
        which, names = "extra", required or [*named][len(expected) :]
    first, last = ", ".join(f"`{name}`" for name in names[:-1]), f"`{names[-1]}`"
    joined = {"missing": "or", "extra": "and"}[which]
    return _SAID.say(which, names=f"{first} {joined} {last}" if first else last)


_LOADING = {"LOAD_CONST", "RETURN_CONST"}
_EMPTY_BODY = _LOADING | {"RESUME", "NOP", "RETURN_VALUE", "MAKE_CELL"}


def is_stub(function: Any) -> bool:
    """Whether a function's body does nothing: `pass`, `...`, a docstring, `return None`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return False
    steps = list(dis.get_instructions(code))
    returned = [step.argval for step in steps if step.opname in _LOADING]
    return returned == [None] and {step.opname for step in steps} <= _EMPTY_BODY


# --- what kind of thing comes back ----------------------------------------------------------------


_MOST_NUMBERS = 10_000_000


def form_problem(
    outcome: Outcome,
    expected: np.ndarray,
    given: tuple[Any, ...],
    side: Side,
) -> Finding | None:
    """Say what kind of thing came back instead of an array; None if it is one."""
    value = outcome.value
    if value is None:
        return nothing_returned(outcome.printed)
    is_number = isinstance(value, bool | int | float) and not expected.ndim
    if not side.is_native(value) and not (is_number and side.name == "numpy"):
        return _not_native(value, expected, side)
    array = side.as_numpy(value)
    if (
        array.size > _MOST_NUMBERS + expected.size
    ):  # a view may name more than memory holds
        return _SAID.find("too-many", shape=array.shape, right=expected.shape)
    if array.dtype.kind == "O":
        return _SAID.find("object-array")
    if not _kind_fits(array, expected, value):
        return Finding(("dtype",), _wrong_kind(array, expected))
    return _wrong_precision(side.precision(value), given, side)


def nothing_returned(printed: str) -> Finding:
    """Say that `None` came back, and whether the result was printed instead."""
    return _SAID.find("prints" if printed.strip() else "returns-none")


def _not_native(value: Any, expected: np.ndarray, side: Side) -> Finding:
    if isinstance(value, bool | int | float | complex) and expected.ndim:
        return _SAID.find("one-number", value=value, shape=expected.shape)
    same = _same_numbers(value, expected)
    who = "The numbers are right, but you" if same else "You"
    what = _with_article(type(value).__name__)
    if type(value).__module__.split(".")[0] == "torch":
        what = "a PyTorch tensor in a NumPy exercise"
    elif isinstance(value, np.ndarray | np.generic):
        flow = "(and gradients cannot flow through it)"
        what = f"a NumPy array in a PyTorch exercise {flow}"
    return _SAID.find("not-an-array", who=who, what=what, noun=side.noun)


def _same_numbers(value: Any, expected: np.ndarray) -> bool:
    try:
        plain = value.detach() if hasattr(value, "detach") else value
        array = np.asarray(plain, dtype=float)
        same_shape = array.shape == expected.shape
        return same_shape and np.allclose(array, expected, rtol=1e-4)
    except Exception:  # whatever it is, it is not a list of numbers
        return False


def _kind_fits(array: np.ndarray, expected: np.ndarray, value: Any) -> bool:
    wanted = expected.dtype.kind
    whole = type(value) is not bool and isinstance(value, int) and wanted == "f"
    return array.dtype.kind in ("iu" if wanted in "iu" else wanted) or whole


_WORDS = dict(b="truth values", i="integers", u="integers", f="real numbers")


def _wrong_kind(array: np.ndarray, expected: np.ndarray) -> str:
    have, want = (
        _WORDS.get(dtype.kind, f"dtype `{dtype}`")
        for dtype in (array.dtype, expected.dtype)
    )
    said = _SAID.say("dtype", have=have, dtype=array.dtype, want=want)
    kinds = array.dtype.kind + expected.dtype.kind
    hint = "truth" if kinds[1] == "b" else "complex" if kinds[0] == "c" else ""
    hint = {"if": "whole", "uf": "whole", "fi": "real"}.get(kinds, hint)
    return f"{said} {_SAID[f'dtype {hint}']}" if hint else said


def _wrong_precision(
    own: int | None, given: tuple[Any, ...], side: Side
) -> Finding | None:
    """Say that a result has fewer digits than all its inputs, or more; None if it has not."""
    sizes = [size for size in map(side.precision, given) if size]
    if own is None or not sizes or min(sizes) <= own <= max(sizes):
        return None
    if own < min(sizes):
        words = {"given": 8 * min(sizes), "keep": _SAID[f"coarser {side.name}"]}
        return Finding(("dtype",), _SAID.say("coarser", own=8 * own, **words))
    said = _SAID.say("finer", given=8 * max(sizes), own=8 * own)
    return Finding(("dtype",), said) if side.name == "torch" else None


def precision_remark(value: Any, given: tuple[Any, ...], side: Side) -> str | None:
    """Return a remark where the result is finer than all inputs."""
    finest = max((side.precision(item) or 0 for item in given), default=0)
    own = side.precision(value)
    if own is None or not 0 < finest < own:
        return None
    return _SAID.say("finer-remark", given=8 * finest, own=8 * own)
