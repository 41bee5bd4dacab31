"""What arguments must be, read from the annotations, for both twins.

A function says once, in its annotations, what it takes: shapes as jaxtyping writes them, and
numbers as the types below. `check_arguments` turns a misfit into an error that names the argument,
what it got and what it needs. Of arrays only ``.shape`` and ``.dtype`` are read, so the same code
serves NumPy arrays and PyTorch tensors on any device. A call that fits is remembered by its types,
shapes, dtypes and numbers; the next one like it costs a look-up. NaN and infinite entries are not
looked for; what they do is said in the docstrings of the functions and of the package.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from math import inf, isfinite
from numbers import Integral, Number, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

__all__ = [
    "Activation",
    "AtMost",
    "Axis",
    "Below",
    "Count",
    "Default",
    "Divides",
    "Entries",
    "Even",
    "Finite",
    "Flag",
    "FloatDtypeOf",
    "Function",
    "Layers",
    "Lengthens",
    "NoLonger",
    "NonEmpty",
    "NotNegative",
    "Odd",
    "Pair",
    "Positive",
    "Probability",
    "Share",
    "Size",
    "UpTo",
    "Whole",
    "check_arguments",
]

F = TypeVar("F", bound=Callable[..., Any])

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_CONVERT = {"numpy": "np.asarray", "torch": "torch.as_tensor"}
_MOST_REMEMBERED = 4096
_TOLD_BY_VALUE = (str, Number, type)


class _Rule(Protocol):
    """What an annotation demands of a value beyond its type and shape."""

    def check(self, name: str, value: Any, call: "_Call") -> None:
        """Raise an error that names the argument if it does not fit."""


# --- numbers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Whole:
    """A whole number, not below `at_least`."""

    at_least: float = -inf

    def check(self, name: str, value: Any, call: "_Call") -> None:
        _check_whole(name, value)
        if value < self.at_least:
            raise ValueError(
                f"{name} must be at least {self.at_least}, got {value}"
            )


@dataclass(frozen=True)
class _Number:
    """A finite real number between two bounds; `must` says what it must be."""

    must: str
    above: float = -inf
    at_least: float = -inf
    at_most: float = inf

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if not _is_number(value, Real):
            kind = type(value).__qualname__
            raise TypeError(f"{name} must be a real number, got {kind}")
        if not isfinite(value) and "finite" not in self.must:
            raise ValueError(f"{name} must be a finite number, got {value}")
        within = self.above < value and self.at_least <= value <= self.at_most
        if not (isfinite(value) and within):
            raise ValueError(f"{name} must {self.must}, got {value}")


class _TrueOrFalse:
    """True or False, and not 0 or 1."""

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"{name} must be True or False, got {_described(value)}"
            )


@dataclass(frozen=True)
class _Callable:
    """A function, and not the name of one; with examples of what is meant, if there are some."""

    such_as: str = ""

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if not callable(value):
            raise TypeError(
                f"{name} must be a function{self.such_as}, got {_described(value)}"
            )


class _OneAxis:
    """The number of an axis of the first array, along which that array has elements."""

    def check(self, name: str, value: Any, call: "_Call") -> None:
        array_name = next(iter(call.arrays))
        shape = tuple(call.arrays[array_name].shape)
        _check_whole(name, value)
        if not -len(shape) <= value < len(shape):
            raise ValueError(
                f"{name} {value} is out of range for {array_name} with shape {shape}"
            )
        if shape[int(value)] == 0:
            raise ValueError(_must_have_elements(array_name, int(value), shape))


class _TwoWhole:
    """Two whole numbers: how far down, and how far to the right."""

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError(
                f"{name} must be a pair (down, right) of whole numbers, got {_described(value)}"
            )
        for number in value:
            _check_whole(name, number)


Count = Annotated[int, _Whole(1)]  # 1, 2, 3, ...
Size = Annotated[int, _Whole(0)]  # 0, 1, 2, ...
Whole = Annotated[int, _Whole()]  # ..., -1, 0, 1, ...
Finite = Annotated[float, _Number("be a finite number")]
Positive = Annotated[float, _Number("be a finite number greater than 0", above=0)]
NotNegative = Annotated[
    float | int, _Number("be at least 0", at_least=0)
]  # 0 is an int
Probability = Annotated[
    float, _Number("lie between 0 and 1", at_least=0, at_most=1)
]
Flag = Annotated[bool, _TrueOrFalse()]
Pair = Annotated[tuple[int, int], _TwoWhole()]
Share = Annotated[
    float | int, _Number("be greater than 0 and at most 1", above=0, at_most=1)
]
Axis = Annotated[int, _OneAxis()]
Function = Annotated[Callable[..., Any], _Callable()]
Activation = Annotated[
    Callable[[Any], Any], _Callable(", such as relu or gelu of this module")
]


def _is_number(value: Any, kind: type) -> bool:
    """Tell whether this is a number of such a kind, and not True or False."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _check_whole(name: str, value: Any) -> None:
    if not _is_number(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {_described(value)}")


def _type_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _described(value: Any) -> str:
    return f"{type(value).__qualname__} {value!r}"


# --- what else an annotation may demand -----------------------------------------------------------


class NonEmpty:
    """The axes of these names have at least one element."""

    def __init__(self, *axes: str) -> None:
        self.axes = axes

    def __repr__(self) -> str:
        return f"NonEmpty{self.axes}"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        shape, pattern = tuple(value.shape), call.pattern_of(name)
        for axis in self.axes:
            place = pattern.axes.index(axis)
            if shape[place - len(pattern.axes)] == 0:
                place -= len(pattern.axes) if pattern.leading else 0
                raise ValueError(_must_have_elements(name, place, shape))


def _must_have_elements(name: str, axis: int, shape: tuple[int, ...]) -> str:
    return f"{name} must have at least one element along axis {axis}, got {shape}"


class Even:
    """A number, or the width of an array, is even."""

    def __repr__(self) -> str:
        return "Even()"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        is_array = hasattr(value, "shape")
        if (value.shape[-1] if is_array else value) % 2:
            must = "have an even width" if is_array else "be even"
            got = tuple(value.shape) if is_array else value
            raise ValueError(
                f"{name} must {must}, since features come in pairs, got {got}"
            )


class Odd:
    """The axes of these names have odd lengths: there is a middle."""

    def __init__(self, *axes: str) -> None:
        self.axes = axes

    def __repr__(self) -> str:
        return f"Odd{self.axes}"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        for axis in self.axes:
            length, _ = call.lengths.seen[axis]
            if length % 2 == 0:
                raise ValueError(
                    f"{name} must have an odd {axis}, so that it has a middle, "
                    f"got {tuple(value.shape)}"
                )


class Divides:
    """A number divides the lengths of these axes."""

    def __init__(self, *axes: str) -> None:
        self.axes = axes

    def __repr__(self) -> str:
        return f"Divides{self.axes}"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        for axis in self.axes:
            length, array_name = call.lengths.seen[axis]
            if length % value:
                shape = tuple(call.arrays[array_name].shape)
                raise ValueError(
                    f"{array_name} must have a width that is a multiple of "
                    f"{name} = {value}, got {shape}"
                )


@dataclass(frozen=True)
class Default:
    """Where None is given, the array of this other argument is meant."""

    argument: str


@dataclass(frozen=True)
class Lengthens:
    """With this argument, what broadcasts is longer along an axis than the arrays given say."""

    axis: str


@dataclass(frozen=True)
class UpTo:
    """The entries of an array of whole numbers lie between 0 and another argument."""

    argument: str

    def check(self, name: str, value: Any, call: "_Call") -> None:
        most = call.arguments[self.argument]
        outside = [entry for entry in value.tolist() if not 0 <= entry <= most]
        if outside:
            raise ValueError(
                f"{name} must lie between 0 and {self.argument} = {most}, "
                f"got {outside[0]}"
            )


@dataclass(frozen=True)
class Below:
    """The entries of an array of whole numbers count from 0 along an axis, or are another argument.

    On other devices than the CPU nothing is read: that would wait for the device, which finds wrong
    numbers itself.
    """

    axis: str
    besides: str | None = None

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if str(getattr(value, "device", "cpu")) != "cpu":
            return
        n, _ = call.lengths.seen[self.axis]
        # PyTorch would fit n to a narrow dtype, and 200 is -56 in int8.
        value = value.long() if hasattr(value, "long") else value
        outside = (value < 0) | (value >= n)
        said = ""
        if self.besides is not None:
            other = call.arguments[self.besides]
            outside &= value != other
            said = f", or be {self.besides} = {other}"
        if outside.any():
            raise ValueError(
                f"{name} must lie between 0 and {self.axis} - 1 = {n - 1}{said}, "
                f"got {value[outside].reshape(-1)[0].item()}"
            )


@dataclass(frozen=True)
class AtMost:
    """A number is at most the length of an axis."""

    axis: str

    def check(self, name: str, value: Any, call: "_Call") -> None:
        length, _ = call.lengths.seen[self.axis]
        if value > length:
            raise ValueError(
                f"{name} must be at most {self.axis} = {length}, got {value}"
            )


@dataclass(frozen=True)
class NoLonger:
    """An axis of an array is at most as long as another axis."""

    axis: str
    than: str

    def check(self, name: str, value: Any, call: "_Call") -> None:
        (length, _), (most, _) = (
            call.lengths.seen[axis] for axis in (self.axis, self.than)
        )
        if length > most:
            raise ValueError(
                f"{name} must have at most {self.than} = {most} elements along {self.axis}, "
                f"got {length}"
            )


@dataclass(frozen=True)
class FloatDtypeOf:
    """A floating-point dtype of this library."""

    library: str

    def check(self, name: str, value: Any, call: "_Call") -> None:
        home = _library(value if isinstance(value, type) else type(value))
        called = getattr(value, "__name__", None) or getattr(value, "name", None)
        called = str(called or value).removeprefix("torch.")
        if home != self.library or called not in _FLOATS:
            got = f"{home}.{called}" if home in _CONVERT else repr(value)
            raise TypeError(
                f"{name} must be a floating-point dtype of {self.library}, got {got}"
            )


class Entries:
    """A mapping has arrays of these names and shapes, and no other entry.

    ``Annotated[Mapping[str, Array], Entries(Float, Array, W_1="d_model d_ff", b_1="d_ff")]``
    """

    def __init__(self, kind: Any, array: type, **shapes: str) -> None:
        self.patterns = {
            name: _pattern(kind[array, s]) for name, s in shapes.items()
        }

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}={p}" for name, p in self.patterns.items())
        return f"Entries({shapes})"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        _check_mapping(name, value)
        self.check_names(name, value, ", ".join(self.patterns))
        patterns = {entry: (pattern,) for entry, pattern in self.patterns.items()}
        call.add_arrays({entry: value[entry] for entry in self.patterns}, patterns)

    def check_names(self, name: str, value: Mapping[str, Any], wanted: str) -> None:
        """Raise an error unless there are just these entries; `wanted` says which."""
        missing = [entry for entry in self.patterns if entry not in value]
        unknown = [str(entry) for entry in value if entry not in self.patterns]
        found = [f"misses {_listed(missing)}"] if missing else []
        found += [f"has unknown {_listed(unknown)}"] if unknown else []
        if found:
            raise ValueError(
                f"{name} must have the entries {wanted}, but {' and '.join(found)}"
            )


class Layers:
    """A mapping has the arrays of a model, some once and some for each of its layers.

    Named as in a state dict: what `each` layer has follows the prefix and the layer's number, as in
    ``transformer.blocks.0.norm_1.gain``. There is at least one layer, and none is left out.
    """

    def __init__(
        self,
        kind: Any,
        array: type,
        prefix: str,
        *,
        each: Mapping[str, str],
        once: Mapping[str, str],
    ) -> None:
        self.kind, self.array, self.prefix = kind, array, prefix
        self.each, self.once = each, once

    def __repr__(self) -> str:
        return f"Layers({self.prefix!r}, once={self.once}, each={self.each})"

    def check(self, name: str, value: Any, call: "_Call") -> None:
        _check_mapping(name, value)
        start = f"{self.prefix}."
        numbers = {
            str(entry).removeprefix(start).partition(".")[0]
            for entry in value
            if str(entry).startswith(start)
        }
        n_layers = max(1, sum(number.isdecimal() for number in numbers))
        shapes = dict(self.once) | {
            f"{start}{layer}.{entry}": shape
            for layer in range(n_layers)
            for entry, shape in self.each.items()
        }
        entries = Entries(self.kind, self.array, **shapes)
        layers = f"{n_layers} layer{'s' if n_layers > 1 else ''}"
        entries.check_names(name, value, f"of a model of {layers}")
        entries.check(name, value, call)


def _listed(names: Sequence[str]) -> str:
    """Name all if they are few, else the first: a large model has hundreds."""
    few = 12
    more = [f"{len(names) - few} more"] if len(names) > few else []
    return ", ".join([*names[:few], *more])


def _check_mapping(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(
            f"{name} must be a mapping of names to arrays, such as a dict, "
            f"got {_type_name(value)}"
        )


@dataclass(frozen=True)
class _Choice:
    """One of these words: what ``Literal["pre", "post"]`` means."""

    words: tuple[str, ...]

    def check(self, name: str, value: Any, call: "_Call") -> None:
        wanted = " or ".join(repr(word) for word in self.words)
        if not isinstance(value, str):
            raise TypeError(f"{name} must be {wanted}, got {_described(value)}")
        if value not in self.words:
            raise ValueError(f"{name} must be {wanted}, got {value!r}")


@dataclass(frozen=True)
class _Instance:
    """An object of this class: what a class as an annotation means."""

    kind: type

    def check(self, name: str, value: Any, call: "_Call") -> None:
        if not isinstance(value, self.kind):
            # Without its repr: that of a module has many lines.
            got = _type_name(value)
            raise TypeError(f"{name} must be a {self.kind.__qualname__}, got {got}")


# What compares an argument with others, or with entries of a mapping, which are checked before.
_LAST = (UpTo, Below, AtMost, NoLonger)


# --- annotations, read once -----------------------------------------------------------------------


class _Pattern(NamedTuple):
    """One jaxtyping annotation: where the array comes from, its dtypes, the names of its axes."""

    library: str
    dtypes: tuple[str, ...]
    # "batch" in "*batch n d"; None where the number of axes is fixed
    leading: str | None
    axes: tuple[str, ...]
    # whether the axes are named with a "#", as in "*#batch #n #d"
    broadcasts: bool

    def __str__(self) -> str:
        names = ([f"*{self.leading}"] if self.leading else []) + list(self.axes)
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"

    def takes(self, n_axes: int) -> bool:
        fixed = len(self.axes)
        return n_axes >= fixed if self.leading else n_axes == fixed

    def renamed(self, names: Mapping[str, str]) -> "_Pattern":
        """Return the pattern with other names for some of its axes."""
        axes = tuple(names.get(axis, axis) for axis in self.axes)
        return self._replace(axes=axes)


@dataclass(frozen=True)
class _Contract:
    """What one annotation says: patterns of an array, or rules, and whether None fits."""

    patterns: tuple[_Pattern, ...] = ()
    rules: tuple[_Rule, ...] = ()
    default: Default | None = None
    lengthens: Lengthens | None = None
    optional: bool = False


def _contract(annotation: Any) -> _Contract:
    """Read an annotation.

    Raises
    ------
    TypeError
        If it says nothing that can be checked.
    """
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        rules = tuple(m for m in metadata if hasattr(m, "check"))
        # A type with a rule of its own needs none that follows from the type.
        reads_type = _is_array(inner) or not rules
        found = _contract(inner) if reads_type else _Contract()
        default = next((m for m in metadata if isinstance(m, Default)), None)
        lengthens = next((m for m in metadata if isinstance(m, Lengthens)), None)
        return _Contract(
            found.patterns, found.rules + rules, default, lengthens, found.optional
        )
    if get_origin(annotation) in (Union, UnionType):
        parts = get_args(annotation)
        found_all = [_contract(part) for part in parts if part is not NoneType]
        patterns = tuple(p for found in found_all for p in found.patterns)
        rules = tuple(r for found in found_all for r in found.rules)
        return _Contract(patterns, rules, optional=NoneType in parts)
    if hasattr(annotation, "dim_str"):
        return _Contract((_pattern(annotation),))
    if get_origin(annotation) is Literal:
        return _Contract(rules=(_Choice(get_args(annotation)),))
    # Of a Sequence[Cache] only that it is a sequence is checked.
    kind = get_origin(annotation) or annotation
    is_class = isinstance(kind, type) and kind not in (Any, object)
    if is_class and not issubclass(kind, Number | str):
        return _Contract(rules=(_Instance(kind),))
    raise TypeError("it says nothing that can be checked")


def _is_array(annotation: Any) -> bool:
    """Tell whether this is a shape as jaxtyping writes it, or a union with one."""
    parts = get_args(annotation)
    return hasattr(annotation, "dim_str") or any(map(_is_array, parts))


def _pattern(annotation: Any) -> _Pattern:
    broadcasts = "#" in annotation.dim_str
    words = annotation.dim_str.replace("#", "").split()
    has_leading = bool(words) and words[0].startswith("*")
    leading = words.pop(0).removeprefix("*") if has_leading else None
    is_float = "float32" in annotation.dtypes
    dtypes = _FLOATS if is_float else tuple(annotation.dtypes)
    library = _library(annotation.array_type)
    return _Pattern(library, dtypes, leading, tuple(words), broadcasts)


def _library(kind: type) -> str:
    """Return the name of the library that a type is from."""
    return kind.__module__.partition(".")[0]


def _contracts(
    function: Callable[..., Any], parameters: Sequence[inspect.Parameter]
) -> dict[str, _Contract]:
    """Read the annotations of a function.

    Raises
    ------
    TypeError
        If one cannot be read; with the file and the line of the function.
    """
    found = {}
    for p in parameters:
        try:
            found[p.name] = _contract(p.annotation)
        except TypeError:
            code = function.__code__
            raise TypeError(
                f"{code.co_filename}:{code.co_firstlineno}: in {function.__qualname__}, "
                f"the annotation of {p.name} says nothing that can be checked: "
                f"{inspect.formatannotation(p.annotation)}; use a jaxtyping shape, a type "
                f"of course_attn._contracts such as Count or Positive, or a class"
            ) from None
    return found


# --- calls, checked -------------------------------------------------------------------------------


@dataclass
class _Lengths:
    """The axis lengths seen so far in one call, each with the argument that set it."""

    seen: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def misfit(
        self, axis: str, length: Any, argument: str, broadcasts: bool
    ) -> str | None:
        """Record a new axis; for a known one say where its length differs from before."""
        if broadcasts and length == 1:
            # It fits any length, and sets none.
            return None
        known, setter = self.seen.setdefault(axis, (length, argument))
        if known == length or (broadcasts and _broadcasts(length, known)):
            return None
        return f"{axis} = {known}" + (f" from {setter}" if setter != axis else "")


def _broadcasts(length: Any, known: Any) -> bool:
    """Tell whether the length of an axis, or those of leading axes, can be stretched to `known`."""
    if not isinstance(known, tuple):
        return length == 1
    n = len(length)
    return n <= len(known) and all(
        a in (1, b) for a, b in zip(length, known[len(known) - n :], strict=True)
    )


class _Call:
    """One call: what was given, and what is known of it so far."""

    def __init__(
        self,
        contracts: Mapping[str, _Contract],
        arguments: Mapping[str, Any],
        owner: Any = None,
        own_axes: Iterable[str] | None = None,
    ) -> None:
        self.contracts, self.arguments = contracts, arguments
        self.arrays: dict[str, Any] = {}
        self.patterns: dict[str, tuple[_Pattern, ...]] = {}
        self.lengths = _Lengths()
        self.float_dtypes: dict[str, str] = {}
        if owner is not None:
            self._bind_owner(owner, own_axes or ())

    def _bind_owner(self, owner: Any, axes: Iterable[str]) -> None:
        """Let the arrays fit the widths of the module and the dtype of its parameters."""
        name, own = f"the {type(owner).__name__}", vars(owner)
        self.lengths.seen |= {a: (own[a], name) for a in axes if a in own}
        if (dtype := _parameter_dtype(owner)) is not None:
            self.float_dtypes[name] = _named(dtype)

    def check(self) -> None:
        """Check arrays before numbers: these may depend on their shapes."""
        arrays = {n: v for n, v in self.arguments.items() if self._is_array(n, v)}
        self.add_arrays(arrays, self._patterns_of(arrays))
        self._check_stand_ins()
        rules = [
            (rule, name, value)
            for name, value in self.arguments.items()
            if not self._may_be_none(name, value)
            for rule in self.contracts[name].rules
        ]
        rules.sort(key=lambda entry: isinstance(entry[0], _LAST))
        for rule, name, value in rules:
            rule.check(name, value, self)

    def _is_array(self, name: str, value: Any) -> bool:
        has_pattern = bool(self.contracts[name].patterns)
        return has_pattern and not self._may_be_none(name, value)

    def _may_be_none(self, name: str, value: Any) -> bool:
        return value is None and self.contracts[name].optional

    def _patterns_of(
        self, arrays: Mapping[str, Any]
    ) -> dict[str, tuple[_Pattern, ...]]:
        """Return the patterns of the arrays given; where one stands for another, with its names."""
        names: dict[str, str] = {}
        longer: dict[str, str] = {}
        for name, contract in self.contracts.items():
            if contract.default and name not in arrays:
                (own,) = contract.patterns
                (other,) = self.contracts[contract.default.argument].patterns
                names |= dict(zip(own.axes, other.axes, strict=True))
            if contract.lengthens and self.arguments.get(name) is not None:
                axis = contract.lengthens.axis
                longer[axis] = f"{axis}_all"
        return {
            name: tuple(
                p.renamed(names | longer if p.broadcasts else names)
                for p in self.contracts[name].patterns
            )
            for name in arrays
        }

    def _check_stand_ins(self) -> None:
        """Check that an array that stands for one left out has the lengths a module wants of it."""
        for name, contract in self.contracts.items():
            if contract.default and name not in self.arrays:
                array = self.arrays[contract.default.argument]
                self.arrays[name], self.patterns[name] = array, contract.patterns
                self._check_shape(name, tuple(array.shape))

    def add_arrays(
        self,
        arrays: Mapping[str, Any],
        patterns: Mapping[str, tuple[_Pattern, ...]],
    ) -> None:
        """Check arrays: first of what kind they are, then their dtypes, then their shapes."""
        for name, array in arrays.items():
            _check_kind(name, array, patterns[name])
        dtypes = {name: _named(array.dtype) for name, array in arrays.items()}
        self.float_dtypes |= {n: d for n, d in dtypes.items() if "float" in d}
        if len(set(self.float_dtypes.values())) > 1:
            found = ", ".join(f"{n} is {d}" for n, d in self.float_dtypes.items())
            raise TypeError(
                f"all arguments must have one dtype, but {found}; convert them to the same"
            )
        self._bind_numbers(patterns)
        self.arrays |= arrays
        self.patterns |= patterns
        for name, array in arrays.items():
            self._check_shape(name, tuple(array.shape))

    def _bind_numbers(self, patterns: Mapping[str, tuple[_Pattern, ...]]) -> None:
        """Give an axis named like a whole number among the arguments that length."""
        given = [p for several in patterns.values() for p in several]
        axes = {axis for p in given for axis in p.axes}
        for name in axes & self.arguments.keys():
            value = self.arguments[name]
            for rule in self.contracts[name].rules:
                if isinstance(rule, _Whole):
                    rule.check(name, value, self)
                    self.lengths.seen[name] = (value, name)

    def pattern_of(self, name: str) -> _Pattern:
        """Return the pattern that has as many axes as the array.

        Raises
        ------
        ValueError
            If there is none.
        """
        shape = tuple(self.arrays[name].shape)
        for pattern in reversed(self.patterns[name]):
            if pattern.takes(len(shape)):
                return pattern
        wanted = " or ".join(str(pattern) for pattern in self.patterns[name])
        raise ValueError(
            f"{name} must have shape {wanted}, got {len(shape)} axes: {shape}"
        )

    def _check_shape(self, name: str, shape: tuple[int, ...]) -> None:
        pattern = self.pattern_of(name)
        broadcasts = pattern.broadcasts
        found = [
            self.lengths.misfit(axis, length, name, broadcasts)
            for axis, length in _axes(pattern, shape)
        ]
        if misfits := [misfit for misfit in found if misfit]:
            fit = "broadcast to" if broadcasts else "have"
            hint = "" if broadcasts else "; axes of length 1 are not broadcast"
            raise ValueError(
                f"{name} must {fit} shape {pattern} with {' and '.join(misfits)}, "
                f"got {shape}{hint}"
            )


def _axes(pattern: _Pattern, shape: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    """Give the name and the length of each axis; of all leading ones together."""
    n_leading = len(shape) - len(pattern.axes)
    if pattern.leading:
        yield pattern.leading, shape[:n_leading]
    yield from zip(pattern.axes, shape[n_leading:], strict=True)


def _check_kind(name: str, array: Any, patterns: tuple[_Pattern, ...]) -> None:
    """Check that `array` comes from the right library and has a dtype of the right kind."""
    library, dtypes = patterns[0].library, patterns[0].dtypes
    is_ours = library in {_library(kind) for kind in type(array).__mro__}
    if not (is_ours and hasattr(array, "shape") and hasattr(array, "dtype")):
        kind = "numpy.ndarray" if library == "numpy" else "torch.Tensor"
        raise TypeError(
            f"{name} must be a {kind}, got {_type_name(array)}; "
            f"convert it with {_CONVERT[library]}({name})"
        )
    if (dtype := _named(array.dtype)) not in dtypes:
        raise TypeError(
            f"{name} must be {_kind_of(dtypes)}, got dtype {dtype}; convert it first"
        )


def _named(dtype: Any) -> str:
    """Return the dtype as both libraries spell it: ``float32``, ``int64``, ``bool``."""
    return getattr(dtype, "name", str(dtype)).removeprefix("torch.")


def _kind_of(dtypes: tuple[str, ...]) -> str:
    """Say in words which dtypes fit."""
    if _FLOATS[0] in dtypes:
        return f"floating-point ({', '.join(_FLOATS)})"
    is_int = "int64" in dtypes
    return "of an integer dtype (int64)" if is_int else f"of dtype {dtypes[0]}"


# --- the decorator --------------------------------------------------------------------------------


def check_arguments(function: F) -> F:
    """Check, at every call, that the arguments are what the annotations say.

    An axis name stands for one length in the whole call, ``*batch`` for any number of equal leading
    axes. Nothing is broadcast: a length of 1 does not fit 7. Only where the name has a ``#``, as in
    ``Bool[Array, "*#batch #n_q #n_k"]``, may the length also be 1 and leading axes be left out;
    earlier arguments say the full shape. An axis named like a whole number among the arguments, or
    like one that a module keeps (``self.d_model``), has that length. All floating-point arrays have
    one dtype, in a method that of the module's own parameters.

    Returns
    -------
    callable
        The same function; a call that does not fit raises before the function runs: `TypeError`
        for a wrong kind of value or dtype, or for different floating dtypes, `ValueError` for a
        shape or a number out of range. Inside `torch.compile` and `torch.export` nothing is
        checked.

    Raises
    ------
    TypeError
        If an annotation cannot be read; with the file and the line of the function.
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    is_method = parameters[0].name == "self"
    contracts = _contracts(function, parameters[is_method:])
    patterns = [p for contract in contracts.values() for p in contract.patterns]
    names = {axis for p in patterns for axis in (*p.axes, p.leading) if axis}
    rules = [rule for contract in contracts.values() for rule in contract.rules]
    names |= {rule.axis for rule in rules if isinstance(rule, Below)}
    own_axes = names if is_method else None
    is_torch = any(pattern.library == "torch" for pattern in patterns)
    reads_numbers = any(isinstance(rule, UpTo | Below) for rule in rules)
    remembered: set[Any] = set()

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if is_torch and _is_compiling():
            return function(*args, **kwargs)
        key = _key(args, kwargs, own_axes)
        if reads_numbers or key not in remembered:
            arguments = _bound(signature, args, kwargs)
            if arguments is None:
                # Python's own error names the function.
                return function(*args, **kwargs)
            owner = arguments.pop("self") if is_method else None
            _Call(contracts, arguments, owner, own_axes).check()
            if len(remembered) >= _MOST_REMEMBERED:
                remembered.clear()
            remembered.add(key)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def _bound(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Return all arguments by name; None if the function cannot be called with these."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return bound.arguments


def _key(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], own_axes: set[str] | None
) -> tuple[Any, ...]:
    """Return what the checks read of a call: two calls with one key fare alike."""
    key: list[Any] = []
    if own_axes is not None:
        module, *args = args  # type: ignore[assignment]
        own = vars(module)
        key += [type(module), _parameter_dtype(module), *map(own.get, own_axes)]
    key += map(_token, args)
    for name, value in kwargs.items():
        key += name, _token(value)
    return tuple(key)


def _token(value: Any) -> Any:
    """Return what the checks read of a value."""
    kind, shape = type(value), getattr(value, "shape", None)
    # Not so the class np.float32, whose attributes of these names are those of np.int64.
    if isinstance(shape, tuple) and shape:
        return kind, shape, getattr(value, "dtype", None)
    if isinstance(value, _TOLD_BY_VALUE) or kind.__name__.lower().endswith("dtype"):
        return kind, value
    if isinstance(value, tuple):
        return kind, *map(_token, value)
    if isinstance(value, Mapping):
        return kind, *((name, _token(entry)) for name, entry in value.items())
    # An object of any other class is judged by its class, and must not be kept alive.
    return kind, shape == (), getattr(value, "dtype", None)


def _is_compiling() -> bool:
    """Tell whether `torch.compile` is tracing the call: it cannot follow the checks."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def _parameter_dtype(module: Any) -> Any:
    """Return the dtype of the module's own first parameter, or the one it keeps, or None."""
    parameters = getattr(module, "_parameters", {}).values()
    kept = vars(module).get("dtype")
    return next((p.dtype for p in parameters if p is not None), kept)
