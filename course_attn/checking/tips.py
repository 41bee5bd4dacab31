"""What NumPy's and PyTorch's most common error messages mean, in words a beginner needs."""

import re
from collections.abc import Callable

__all__ = ["tip_for"]

_Tip = Callable[[re.Match[str]], str]


def tip_for(error: BaseException) -> str:
    """Return what an exception's text suggests; nothing where it suggests nothing certain."""
    try:
        text = str(error)
    except Exception:  # a learner's exception may itself be broken
        return ""
    for expression, tip in _TIPS:
        match = re.search(expression, text)
        if match:
            return tip(match)
    return ""


def _broadcast(match: re.Match[str]) -> str:
    shapes = [_sizes(shape) for shape in re.findall(r"\(([\d,]*)\)", match[1])]
    if len(shapes) != 2:
        return ""
    long, short = sorted(shapes, key=len, reverse=True)
    if short and short == long[:-1]:
        return (
            f"Shapes are lined up from the right, so that {short[-1]} meets {long[-1]} here. A sum "
            "or maximum along an axis keeps that axis, with length 1, by `keepdims=True`: the "
            f"shape {long} then meets {(*short, 1)}."
        )
    first, second = shapes
    if len(first) > 1 and len(second) > 1 and first[-1] == second[-2]:
        return (
            "`*` multiplies entry by entry. If a matrix product is meant, rows times columns, it "
            "is `A @ B`."
        )
    return ""


def _product(first: str, second: str) -> str:
    return (
        "In `A @ B` the last axis of A is as long as the last but one of B (its only one, if B is "
        f"a vector). Here their lengths are {first} and {second}: is a transpose missing, or one "
        "too many?"
    )


def _truth(library: str) -> str:
    return (
        "`not`, `and`, `or` and `if` ask for one truth value, and an array has many. Entry by "
        f'entry, "not" is `~mask`, which is short for `{library}.logical_not(…)`; `&` is "and", '
        '`|` is "or".'
    )


def _minus(library: str) -> str:
    return (
        f'`-` is not made for truth values. "Not", entry by entry, is `~`: `~mask`, which is '
        f"short for `{library}.logical_not(…)`."
    )


def _sizes(shape: str) -> tuple[int, ...]:
    return tuple(int(size) for size in shape.split(",") if size)


_TIPS: tuple[tuple[str, _Tip], ...] = (
    (r"could not be broadcast together with shapes (.*)", _broadcast),
    (
        r"matmul: .*\(size (\d+) is different from (\d+)\)",
        lambda m: _product(m[2], m[1]),
    ),
    (
        r"shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)",
        lambda m: _product(m[1], m[2]),
    ),
    (r"truth value of an array .* is ambiguous", lambda m: _truth("np")),
    (r"Boolean value of Tensor .* is ambiguous", lambda m: _truth("torch")),
    (r"numpy boolean (negative|subtract)", lambda m: _minus("np")),
    (r"`-` operator, (on|with) .*bool tensor", lambda m: _minus("torch")),
)
