"""The checks of arguments that both twins share.

A function states the shapes of its arguments once, as jaxtyping annotations; `check_arguments`
reads them there and turns a misfit into an error that names the argument, what it got and what it
needs. Only ``.shape`` and ``.dtype`` are read, so the same code serves NumPy arrays and PyTorch
tensors, on any device. What NaN and infinite entries mean is said in each function's docstring.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from math import isfinite
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

__all__ = [
    "check_arguments",
    "check_axis",
    "check_count",
    "check_finite",
    "check_flag",
    "check_float_dtype",
    "check_lengths",
    "check_positive",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_CONVERT = {"numpy": "np.asarray", "torch": "torch.as_tensor"}


def check_arguments(function: Function) -> Function:
    """Check, at every call, that the arrays have the kinds, dtypes and shapes of the annotations.

    Parameters
    ----------
    function : callable
        Its array parameters are annotated like ``Float[np.ndarray, "*batch n_q d_k"]``, or with a
        union of such. An axis name stands for one length in the whole call, ``*batch`` for any
        number of equal leading axes. Nothing is broadcast: a length of 1 does not fit 7. Only
        where the name has a ``#``, as in ``Bool[np.ndarray, "*#batch #n_q #n_k"]``, may the
        length also be 1 and leading axes be left out; earlier arguments say the full shape.

    Returns
    -------
    callable
        The same function; a call that does not fit raises, before the function runs:
        `TypeError` for no array, the wrong library, a wrong dtype or different floating dtypes;
        `ValueError` for a shape. Inside `torch.compile` and `torch.export` nothing is checked.
    """
    signature = inspect.signature(function)
    patterns = {
        name: found
        for name, parameter in signature.parameters.items()
        if (found := _patterns(parameter.annotation))
    }

    optional = {
        name for name, p in signature.parameters.items() if p.default is None
    }

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if _is_compiling():
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        arrays = {
            name: given[name]
            for name in patterns
            if name in given and not (given[name] is None and name in optional)
        }
        for name, array in arrays.items():
            _check_kind(name, array, patterns[name])
        _check_one_dtype(arrays)
        lengths = _Lengths()
        for name, array in arrays.items():
            _check_shape(name, array, patterns[name], lengths)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def _is_compiling() -> bool:
    """Tell whether `torch.compile` is tracing the call: it cannot follow the checks."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


@dataclass(frozen=True)
class _Pattern:
    """One jaxtyping annotation: where the array comes from, its dtypes, the names of its axes."""

    library: str
    dtypes: tuple[str, ...]
    leading: (
        str | None
    )  # "batch" in "*batch n d"; None where the number of axes is fixed
    axes: tuple[str, ...]
    broadcasts: bool  # whether the axes are named with a "#", as in "*#batch #n #d"

    def __str__(self) -> str:
        names = ([f"*{self.leading}"] if self.leading else []) + list(self.axes)
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"

    def takes(self, n_axes: int) -> bool:
        return (
            n_axes >= len(self.axes) if self.leading else n_axes == len(self.axes)
        )


@dataclass
class _Lengths:
    """The axis lengths seen so far in one call, each with the argument that set it."""

    seen: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def misfit(
        self, axis: str, length: Any, argument: str, broadcasts: bool
    ) -> str | None:
        """Record a new axis; for a known one say where its length differs from before."""
        known, setter = self.seen.setdefault(axis, (length, argument))
        fits = known == length or (broadcasts and _broadcasts(length, known))
        return None if fits else f"{axis} = {known} from {setter}"


def _broadcasts(length: Any, known: Any) -> bool:
    """Tell whether the length of an axis, or those of leading axes, can be stretched to `known`."""
    if not isinstance(known, tuple):
        return length == 1
    n = len(length)
    return n <= len(known) and all(
        a in (1, b) for a, b in zip(length, known[len(known) - n :], strict=True)
    )


def _patterns(annotation: Any) -> tuple[_Pattern, ...]:
    """Return the patterns of an annotation; none if it does not annotate an array."""
    if get_origin(annotation) in (Union, UnionType):
        return tuple(p for part in get_args(annotation) for p in _patterns(part))
    if not hasattr(annotation, "dim_str"):
        return ()
    broadcasts = "#" in annotation.dim_str
    words = annotation.dim_str.replace("#", "").split()
    leading = (
        words.pop(0).removeprefix("*")
        if words and words[0].startswith("*")
        else None
    )
    library = annotation.array_type.__module__.partition(".")[0]
    dtypes = _FLOATS if "float32" in annotation.dtypes else tuple(annotation.dtypes)
    return (_Pattern(library, dtypes, leading, tuple(words), broadcasts),)


def _dtype_name(array: Any) -> str:
    """Return the dtype as both libraries spell it: ``float32``, ``int64``, ``bool``."""
    return getattr(array.dtype, "name", str(array.dtype)).removeprefix("torch.")


def _check_kind(name: str, array: Any, patterns: tuple[_Pattern, ...]) -> None:
    """Check that `array` comes from the right library and has a dtype of the right kind."""
    library, dtypes = patterns[0].library, patterns[0].dtypes
    convert = _CONVERT[library]
    homes = {cls.__module__.partition(".")[0] for cls in type(array).__mro__}
    if (
        library not in homes
        or not hasattr(array, "shape")
        or not hasattr(array, "dtype")
    ):
        kind = "numpy.ndarray" if library == "numpy" else "torch.Tensor"
        raise TypeError(
            f"{name} must be a {kind}, got {type(array).__module__}.{type(array).__qualname__}; "
            f"convert it with {convert}({name})"
        )
    if _dtype_name(array) not in dtypes:
        raise TypeError(
            f"{name} must be {_kind_of(dtypes)}, got dtype {_dtype_name(array)}; convert it first"
        )


def _kind_of(dtypes: tuple[str, ...]) -> str:
    """Say in words which dtypes fit."""
    if _FLOATS[0] in dtypes:
        return f"floating-point ({', '.join(_FLOATS)})"
    return (
        "of an integer dtype (int64)"
        if "int64" in dtypes
        else f"of dtype {dtypes[0]}"
    )


def _check_one_dtype(arrays: dict[str, Any]) -> None:
    """Check that all floating-point arguments have the same dtype."""
    floats = {
        name: _dtype_name(a)
        for name, a in arrays.items()
        if "float" in _dtype_name(a)
    }
    if len(set(floats.values())) > 1:
        found = ", ".join(f"{name} is {dtype}" for name, dtype in floats.items())
        raise TypeError(
            f"all arguments must have one dtype, but {found}; convert them to the same"
        )


def _check_shape(
    name: str, array: Any, patterns: tuple[_Pattern, ...], lengths: _Lengths
) -> None:
    """Check the shape of one argument against the pattern that has its number of axes."""
    shape, n_axes = tuple(array.shape), len(array.shape)
    pattern = next((p for p in reversed(patterns) if p.takes(n_axes)), None)
    if pattern is None:
        wanted = " or ".join(str(p) for p in patterns)
        raise ValueError(
            f"{name} must have shape {wanted}, got {n_axes} axes: {shape}"
        )
    n_leading = n_axes - len(pattern.axes)
    axes = list(zip(pattern.axes, shape[n_leading:], strict=True))
    if pattern.leading:
        axes = [(pattern.leading, shape[:n_leading]), *axes]
    misfits = [
        m
        for axis, length in axes
        if (m := lengths.misfit(axis, length, name, pattern.broadcasts))
    ]
    if misfits:
        fit = "broadcast to" if pattern.broadcasts else "have"
        hint = "" if pattern.broadcasts else "; axes of length 1 are not broadcast"
        raise ValueError(
            f"{name} must {fit} shape {pattern} with {' and '.join(misfits)}, got {shape}{hint}"
        )


def check_axis(axis: int, **array: Any) -> None:
    """Check that `axis` names a non-empty axis of the one array given.

    Raises
    ------
    TypeError
        If `axis` is not a whole number.
    ValueError
        If the array has no such axis, or if that axis has length 0.
    """
    ((name, value),) = array.items()
    shape, n_axes = tuple(value.shape), len(value.shape)
    if not isinstance(axis, Integral) or isinstance(axis, bool):
        raise TypeError(
            f"axis must be a whole number, got {type(axis).__qualname__} {axis!r}"
        )
    if not -n_axes <= axis < n_axes:
        raise ValueError(
            f"axis must be one of {name}'s, whose shape is {shape}, got {axis}"
        )
    if shape[axis] == 0:
        raise ValueError(
            f"{name} must have at least one element along axis {axis}, got {shape}"
        )


def check_finite(**number: Any) -> None:
    """Check that the one number given is real and finite.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it is infinite or NaN.
    """
    ((name, value),) = number.items()
    _check_real(name, value)
    if not isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")


def check_positive(**number: Any) -> None:
    """Check that the one number given is real, finite and greater than zero.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it is zero, negative, infinite or NaN.
    """
    ((name, value),) = number.items()
    _check_real(name, value)
    if not (isfinite(value) and value > 0):
        raise ValueError(
            f"{name} must be a finite number greater than 0, got {value}"
        )


def _check_real(name: str, value: Any) -> None:
    """Check that a number is real, and not True or False."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(
            f"{name} must be a real number, got {type(value).__qualname__}"
        )


def check_count(at_least: int, **number: Any) -> None:
    """Check that the one number given is whole and not below `at_least`.

    Raises
    ------
    TypeError
        If it is not a whole number.
    ValueError
        If it is too small.
    """
    ((name, value),) = number.items()
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(
            f"{name} must be a whole number, got {type(value).__qualname__} {value!r}"
        )
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")


def check_lengths(lengths: Any, *, n_k: int) -> None:
    """Check that every length lies between 0 and `n_k`; this reads the numbers.

    Raises
    ------
    ValueError
        If one does not.
    """
    outside = [length for length in lengths.tolist() if not 0 <= length <= n_k]
    if outside:
        raise ValueError(
            f"lengths must lie between 0 and n_k = {n_k}, got {outside[0]}"
        )


def check_float_dtype(like: Any, **dtype: Any) -> None:
    """Check that `dtype` is a floating-point dtype of the library that the array `like` is from.

    Raises
    ------
    TypeError
        If it is not.
    """
    ((name, value),) = dtype.items()
    library = _home(type(like))
    home = _home(value if isinstance(value, type) else type(value))
    called = getattr(value, "__name__", None) or getattr(value, "name", str(value))
    called = str(called).removeprefix("torch.")
    if home != library or called not in _FLOATS:
        got = f"{home}.{called}" if home in _CONVERT else repr(value)
        raise TypeError(
            f"{name} must be a floating-point dtype of {library}, got {got}"
        )


def _home(kind: type) -> str:
    """Return the name of the library that a type is from."""
    return kind.__module__.partition(".")[0]


def check_flag(**flag: Any) -> None:
    """Check that the one argument given is True or False.

    Raises
    ------
    TypeError
        If it is not, also if it is 0 or 1.
    """
    ((name, value),) = flag.items()
    if not isinstance(value, bool):
        raise TypeError(
            f"{name} must be True or False, got {type(value).__qualname__} {value!r}"
        )
