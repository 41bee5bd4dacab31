"""What arguments must be, read from the annotations, for both twins.

A function says once, in its annotations, what it takes: shapes as jaxtyping writes them, and
numbers as the types below. `check_arguments` turns a misfit into an error that names the argument,
what it got and what it needs. A call that fits is remembered by its types, shapes, dtypes and
numbers; the next one like it costs a look-up. NaN and infinite entries are not looked for; what
they do is said in the docstrings of the functions and of the package.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from math import inf, isfinite
from numbers import Integral, Number, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from course_attn._shapes import (
    Arrays,
    Pattern,
    dtype_name,
    kind_name,
)

__all__ = [
    "WHOLE",
    "Activation",
    "Axis",
    "Call",
    "Count",
    "Default",
    "Divides",
    "Finite",
    "Flag",
    "Function",
    "Lengthens",
    "Must",
    "NonEmpty",
    "NotNegative",
    "OfAxes",
    "Positive",
    "Probability",
    "Rule",
    "Share",
    "Size",
    "Whole",
    "be",
    "check_arguments",
]

F = TypeVar("F", bound=Callable[..., Any])

_MOST_REMEMBERED = 4096


class Call(Arrays):
    """One call: its arguments, and what is known so far of the arrays among them."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        super().__init__()
        self.arguments = arguments


# --- what a value must be by itself ---------------------------------------------------------------


class Rule:
    """What an annotation demands of a value; `check` raises an error that names the argument."""

    # Whether it compares the value with others, which are checked before.
    compares = False
    # Whether it reads entries of arrays: then no call is remembered.
    reads_entries = False
    # The axis that it compares with, which may be one that only a module knows.
    of = ""

    def check(self, name: str, value: Any, call: Call) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Must(Rule):
    """Something must hold of the value, in these words."""

    words: str
    holds: Callable[[Any], bool] = field(repr=False)
    got: str = "{value}"
    error: type[Exception] = ValueError

    def check(self, name: str, value: Any, call: Call) -> None:
        if not self.holds(value):
            kinds = {"kind": type(value).__qualname__, "path": kind_name(value)}
            got = self.got.format(value=value, **kinds)
            raise self.error(f"{name} must {self.words}, got {got}")


def be(called: str, kind: Any, got: str = "{kind} {value!r}") -> Must:
    """Demand an object of a class; True and False are not numbers."""

    def fits(value: Any) -> bool:
        is_flag = isinstance(value, bool)
        return isinstance(value, kind) and is_flag == (kind is bool)

    return Must(f"be {called}", fits, got, TypeError)


WHOLE = be("a whole number", Integral)
_REAL = be("a real number", Real, got="{kind}")
_FINITE = Must("be a finite number", isfinite)
_AT_LEAST_0 = Must("be at least 0", lambda x: x >= 0)
_AT_LEAST_1 = Must("be at least 1", lambda n: n >= 1)
_POSITIVE = Must("be a finite number greater than 0", lambda x: 0 < x < inf)
_PROBABILITY = Must("lie between 0 and 1", lambda p: 0 <= p <= 1)
_SHARE = Must("be greater than 0 and at most 1", lambda p: 0 < p <= 1)
_SUCH_AS_RELU = "a function, such as relu or gelu of this module"

Whole = Annotated[int, WHOLE]
Size = Annotated[int, WHOLE, _AT_LEAST_0]
Count = Annotated[int, WHOLE, _AT_LEAST_1]
Finite = Annotated[float, _REAL, _FINITE]
Positive = Annotated[float, _REAL, _POSITIVE]
NotNegative = Annotated[float | int, _REAL, _FINITE, _AT_LEAST_0]  # 0 is an int
Probability = Annotated[float, _REAL, _FINITE, _PROBABILITY]
Share = Annotated[float | int, _REAL, _FINITE, _SHARE]
Flag = Annotated[bool, be("True or False", bool)]
Function = Annotated[Callable[..., Any], be("a function", Callable)]
Activation = Annotated[Callable[[Any], Any], be(_SUCH_AS_RELU, Callable)]


# --- what it must be beside axes and other arguments ----------------------------------------------


class OfAxes(Rule):
    """Something must hold of the value and of the length of each of these axes."""

    def __init__(
        self, says: str, holds: Callable[[Any, Any], bool], *axes: str
    ) -> None:
        self.says, self.holds, self.axes = says, holds, axes

    def __repr__(self) -> str:
        return f"{self.says!r} for {self.axes}"

    def check(self, name: str, value: Any, call: Call) -> None:
        for axis in self.axes:
            n, array = call.lengths[axis]
            if not self.holds(value, n):
                words = {"name": name, "value": value, "axis": axis, "n": n}
                words |= {"array": array, "shape": call.shape(array)}
                words |= {"place": call.pattern_of(array).place_of(axis)}
                raise ValueError(self.says.format(**words))


_EMPTY = "{array} must have at least one element along axis {place}, got {shape}"

NonEmpty = partial(OfAxes, _EMPTY, lambda _, n: n > 0)
Divides = partial(
    OfAxes,
    "{array} must have a width that is a multiple of {name} = {value}, got {shape}",
    lambda value, n: n % value == 0,
)


class _OneAxis(Rule):
    """The number of an axis of the first array, which has elements along it."""

    def check(self, name: str, value: Any, call: Call) -> None:
        array = next(iter(call.arrays))
        shape = call.shape(array)
        WHOLE.check(name, value, call)
        if not -len(shape) <= value < len(shape):
            raise ValueError(
                f"{name} {value} is out of range for {array} with shape {shape}"
            )
        if shape[int(value)] == 0:
            raise ValueError(_EMPTY.format(array=array, place=value, shape=shape))


Axis = Annotated[int, _OneAxis()]


# --- annotations, read once -----------------------------------------------------------------------


@dataclass(frozen=True)
class Default:
    """Where None is given, the array of this other argument is meant."""

    argument: str


@dataclass(frozen=True)
class Lengthens:
    """With this argument, what broadcasts is longer along an axis than the arrays given say."""

    axis: str


class _Contract(NamedTuple):
    """What one annotation says: patterns of an array, rules, and whether None fits."""

    patterns: tuple[Pattern, ...] = ()
    rules: tuple[Rule, ...] = ()
    optional: bool = False
    default: str = ""
    lengthens: str = ""


def _read(annotation: Any) -> _Contract:
    """Read an annotation; it says nothing if neither a pattern nor a rule is found in it."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        found = _read(parts[0])
        rules = tuple(m for m in parts[1:] if isinstance(m, Rule))
        return found._replace(
            # A type with a rule of its own needs none that follows from the type.
            rules=rules or found.rules,
            default="".join(m.argument for m in parts if isinstance(m, Default)),
            lengthens="".join(m.axis for m in parts if isinstance(m, Lengthens)),
        )
    if origin in (Union, UnionType):
        several = [_read(part) for part in parts if part is not NoneType]
        patterns = tuple(p for found in several for p in found.patterns)
        rules = tuple(r for found in several for r in found.rules)
        return _Contract(patterns, rules, NoneType in parts)
    if hasattr(annotation, "dim_str"):
        return _Contract((Pattern.read(annotation),))
    if origin is Literal:
        words = " or ".join(map(repr, parts))
        is_one = Must(f"be {words}", lambda word: word in parts, got="{value!r}")
        return _Contract(rules=(be(words, str), is_one))
    # Of a Sequence[Cache] only that it is a sequence is checked.
    kind = origin or annotation
    if (
        not isinstance(kind, type)
        or kind in (Any, object)
        or issubclass(kind, Number | str)
    ):
        return _Contract()
    # Without its repr: that of a module has many lines.
    return _Contract(rules=(be(f"a {kind.__qualname__}", kind, got="{path}"),))


def _contracts(
    function: Callable[..., Any], parameters: list[inspect.Parameter]
) -> dict[str, _Contract]:
    """Read the annotations of a function, each of which must say something."""
    contracts = {p.name: _read(p.annotation) for p in parameters}
    for p in parameters:
        if not contracts[p.name].patterns + contracts[p.name].rules:
            code = function.__code__
            raise TypeError(
                f"{code.co_filename}:{code.co_firstlineno}: in {function.__qualname__}, "
                f"the annotation of {p.name} says nothing that can be checked: "
                f"{inspect.formatannotation(p.annotation)}; use a jaxtyping shape, a type "
                f"of course_attn._contracts such as Count or Positive, or a class"
            )
    return contracts


# --- calls, checked -------------------------------------------------------------------------------


def _check(contracts: Mapping[str, _Contract], call: Call) -> None:
    """Check arrays before numbers: these may depend on their shapes."""
    given = {
        name: value
        for name, value in call.arguments.items()
        if not (value is None and contracts[name].optional)
    }
    arrays = {n: value for n, value in given.items() if contracts[n].patterns}
    stand_ins = {
        name: (contract.default, contract.patterns)
        for name, contract in contracts.items()
        if contract.default and name not in arrays
    }
    names: dict[str, str] = {}
    for default, (own,) in stand_ins.values():
        (other,) = contracts[default].patterns
        names |= zip(own.axes, other.axes, strict=True)
    axes = [c.lengthens for n, c in contracts.items() if c.lengthens and n in given]
    longer = {axis: f"{axis}_all" for axis in axes}
    for name in arrays:
        several = contracts[name].patterns
        call.patterns[name] = tuple(p.renamed(names, longer) for p in several)
    call.take(arrays)
    _bind_numbers(contracts, call)
    for name in arrays:
        call.fit(name)
    for name, (default, patterns) in stand_ins.items():
        # A module may know how wide its default must be.
        call.arrays[name], call.patterns[name] = call.arrays[default], patterns
        call.fit(name)
    rules = [(rule, name) for name in given for rule in contracts[name].rules]
    for rule, name in sorted(rules, key=lambda entry: entry[0].compares):
        rule.check(name, given[name], call)


def _bind_numbers(contracts: Mapping[str, _Contract], call: Call) -> None:
    """Give an axis named like a whole number among the arguments that length."""
    axes = {
        a for several in call.patterns.values() for p in several for a in p.axes
    }
    for name in axes & call.arguments.keys():
        rules = contracts[name].rules
        if WHOLE in rules:
            value = call.arguments[name]
            for rule in rules:
                if isinstance(rule, Must):
                    rule.check(name, value, call)
            call.lengths[name] = (value, name)


# --- the decorator --------------------------------------------------------------------------------


def check_arguments(function: F) -> F:
    """Check, at every call, that the arguments are what the annotations say.

    An axis name stands for one length in the whole call, ``*batch`` for any number of equal leading
    axes. Nothing is broadcast: a length of 1 does not fit 7. Only where the name has a ``#``, as in
    ``Bool[Array, "*#batch #n_q #n_k"]``, may the length also be 1 and leading axes be left out;
    earlier arguments say the full shape. An axis named like a whole number among the arguments, or
    like one that a module keeps (``self.d_model``), has that length. All floating-point arrays have
    one dtype, in a method that of the module's own parameters.

    A call that does not fit raises before the function runs: `TypeError` for a wrong kind of value
    or dtype, or for different floating dtypes, `ValueError` for a shape or a number out of range.
    So does, at once, an annotation that cannot be read. Inside `torch.compile` and `torch.export`
    nothing is checked.
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    is_method = parameters[0].name == "self"
    contracts = _contracts(function, parameters[is_method:])
    patterns = [p for contract in contracts.values() for p in contract.patterns]
    rules = [rule for contract in contracts.values() for rule in contract.rules]
    names = {axis for p in patterns for axis in (*p.axes, p.leading) if axis}
    names |= {rule.of for rule in rules if rule.of}
    own_axes = tuple(names) if is_method else None
    is_torch = any(pattern.library == "torch" for pattern in patterns)
    reads_entries = any(rule.reads_entries for rule in rules)
    remembered: set[Any] = set()

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if is_torch and _is_compiling():
            return function(*args, **kwargs)
        key = _key(args, kwargs, own_axes)
        if reads_entries or key not in remembered:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                # Python's own error names the function.
                return function(*args, **kwargs)
            bound.apply_defaults()
            call = Call(bound.arguments)
            if own_axes is not None:
                _bind_module(bound.arguments.pop("self"), own_axes, call)
            _check(contracts, call)
            if len(remembered) >= _MOST_REMEMBERED:
                remembered.clear()
            remembered.add(key)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def _bind_module(module: Any, axes: tuple[str, ...], call: Call) -> None:
    """Let the arrays fit the widths of a module and the dtype of its parameters."""
    name, own = f"the {type(module).__name__}", vars(module)
    call.lengths |= {axis: (own[axis], name) for axis in axes if axis in own}
    if (dtype := _parameter_dtype(module)) is not None:
        call.float_dtypes[name] = dtype_name(dtype)


def _parameter_dtype(module: Any) -> Any:
    """Return the dtype of the module's own first parameter, or the one it keeps, or None."""
    for parameter in getattr(module, "_parameters", {}).values():
        if parameter is not None:
            return parameter.dtype
    return vars(module).get("dtype")


def _key(
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    own_axes: tuple[str, ...] | None,
) -> tuple[Any, ...]:
    """Return what the checks read of a call: two calls with one key fare alike."""
    key: list[Any] = []
    if own_axes is not None:
        module, *args = args  # type: ignore[assignment]
        own = map(vars(module).get, own_axes)
        key += type(module), _parameter_dtype(module), *own
    key += map(_token, args)
    for name, value in kwargs.items():
        key += name, _token(value)
    return tuple(key)


_PLAIN = {bool, int, float}


def _token(value: Any) -> Any:
    """Return what the checks read of a value."""
    if value is None:  # as most optional arguments are
        return None
    kind = type(value)
    if kind in _PLAIN:  # as most options are
        return kind, value
    shape = getattr(value, "shape", None)
    # NumPy's numbers have the shape (); in a class such as np.float32 it is no tuple.
    if isinstance(shape, tuple) and (shape or not isinstance(value, Number)):
        return kind, shape, getattr(value, "dtype", None)
    if isinstance(value, str | Number | type) or kind.__name__.lower().endswith(
        "dtype"
    ):
        return kind, value
    if isinstance(value, tuple):
        return kind, *map(_token, value)
    if isinstance(value, Mapping):
        return kind, *((name, _token(entry)) for name, entry in value.items())
    # An object of any other class is judged by its class, and must not be kept alive.
    return kind


def _is_compiling() -> bool:
    """Tell whether `torch.compile` is tracing the call: it cannot follow the checks."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()
