"""Whether what was handed in can be called at all, and with the right arguments."""

import dis
import inspect
from collections.abc import Callable
from typing import Any

from course_attn.checking.context import Finding

__all__ = ["entry_problem", "is_stub", "parameter_names"]

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
