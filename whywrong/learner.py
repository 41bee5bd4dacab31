"""What a learner's answer consists of: its functions, its helpers, the names that it uses."""

import ast
import inspect
import re
import textwrap
from types import CodeType
from typing import Any

__all__ = ["axes_of", "codes_of", "functions_of", "home_of"]
__all__ += ["names_of", "names_used", "with_helpers"]

_MOST_PARTS = 8


def functions_of(part: Any) -> list[Any]:
    """Return a function, or those of a class or of an object that can be called."""
    inner = inspect.unwrap(getattr(part, "func", part))
    inner = getattr(inner, "__func__", inner)
    if inspect.isfunction(inner):
        return [inner]
    owner = inner if inspect.isclass(inner) else type(inner)
    return [
        inspect.unwrap(f) for f in vars(owner).values() if inspect.isfunction(f)
    ]


def home_of(part: Any) -> dict[str, Any] | None:
    """Return the namespace in which code was defined."""
    return next((f.__globals__ for f in functions_of(part)), None)


def codes_of(part: Any) -> list[CodeType]:
    """Return the code of its functions, with what is defined inside."""
    codes = [f.__code__ for f in functions_of(part)]
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    return codes


def names_of(part: Any) -> dict[str, Any]:
    """Return the names that code can see, those around it included."""
    names: dict[str, Any] = {}
    for function in functions_of(part):
        names |= function.__globals__
        free, cells = function.__code__.co_freevars, function.__closure__ or ()
        around = dict(zip(free, cells, strict=False))
        around.pop("__class__", None)
        names |= {name: cell.cell_contents for name, cell in around.items()}
    return names


def with_helpers(answer: Any) -> list[Any]:
    """Return the answer, and the functions and classes of the same notebook that it calls."""
    found, home = [answer], home_of(answer)
    for part in found:
        names, codes = names_of(part), codes_of(part)
        used = [name for c in codes for name in (*c.co_names, *c.co_freevars)]
        for helper in map(names.get, used):
            is_code = inspect.isfunction(helper) or inspect.isclass(helper)
            is_own = is_code and helper not in found and home_of(helper) is home
            if is_own and len(found) < _MOST_PARTS:
                found.append(helper)
    return found


def names_used(answer: Any) -> frozenset[str]:
    """Return the names in the code of an answer, and of the helpers it calls.

    They are those of functions, of attributes, of keywords and of its own variables.
    """
    used: set[str] = set()
    for code in (code for part in with_helpers(answer) for code in codes_of(part)):
        used.update(code.co_names, code.co_varnames, code.co_freevars)
        for const in code.co_consts:
            if isinstance(const, tuple):  # the names of keywords
                used |= {word for word in const if isinstance(word, str)}
    return frozenset(used)


# Calls whose numbers are no axes.
_NO_AXES = {"range", "reshape", "view", "zeros", "ones", "full", "arange", "pow"}


def axes_of(part: Any) -> list[int]:
    """Return the axes that code names by their numbers."""
    texts = (textwrap.dedent(inspect.getsource(f)) for f in functions_of(part))
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    named = [k.value for c in calls for k in c.keywords if k.arg in ("axis", "dim")]
    placed = [
        arg
        for call in calls
        if getattr(call.func, "attr", "range") not in _NO_AXES
        for arg in call.args
    ]
    codes = map(ast.unparse, named + placed)
    return [int(code) for code in codes if re.fullmatch(r"-?\d+", code)]
