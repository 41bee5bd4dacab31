"""What a few functions demand of their arguments beyond the types of `_contracts`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from course_attn._contracts import WHOLE, Call, Must, OfAxes, Rule, be
from course_attn._shapes import FLOATS, Pattern, library_of

__all__ = [
    "AtMost",
    "Below",
    "Entries",
    "Even",
    "EvenWidth",
    "FloatDtypeOf",
    "LessThan",
    "NoLonger",
    "Odd",
    "Pair",
    "UpTo",
]


# --- numbers and lengths --------------------------------------------------------------------------

Even = Must("be even, since features come in pairs", lambda n: n % 2 == 0)
Odd = partial(
    OfAxes,
    "{name} must have an odd {axis}, so that it has a middle, got {shape}",
    lambda _, n: n % 2 == 1,
)
EvenWidth = partial(
    OfAxes,
    "{name} must have an even width, since features come in pairs, got {shape}",
    lambda _, n: n % 2 == 0,
)
AtMost = partial(
    OfAxes,
    "{name} must be at most {axis} = {n}, got {value}",
    lambda value, n: value <= n,
)
LessThan = partial(
    OfAxes,
    "{name} must be less than {axis} = {n}, got {value}",
    lambda value, n: value < n,
)


@dataclass(frozen=True)
class NoLonger(Rule):
    """Along one axis there are at most as many elements as along another."""

    axis: str
    than: str
    compares = True

    @property
    def of(self) -> str:  # type: ignore[override]
        """Return the longer one, which may be a size that only a module knows."""
        return self.than

    def check(self, name: str, value: Any, call: Call) -> None:
        (n, _), (most, _) = call.lengths[self.axis], call.lengths[self.than]
        if n > most:
            must = f"have at most {self.than} = {most} elements along {self.axis}"
            raise ValueError(f"{name} must {must}, got {n}")


class _Pair(Rule):
    """Two whole numbers: how far down, and how far to the right."""

    def check(self, name: str, value: Any, call: Call) -> None:
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError(
                f"{name} must be a pair (down, right) of whole numbers, "
                f"got {type(value).__qualname__} {value!r}"
            )
        for number in value:
            WHOLE.check(name, number, call)


Pair = Annotated[tuple[int, int], _Pair()]


@dataclass(frozen=True)
class FloatDtypeOf(Rule):
    """A floating-point dtype of this library."""

    library: str

    def check(self, name: str, value: Any, call: Call) -> None:
        home = library_of(value if isinstance(value, type) else type(value))
        called = getattr(value, "__name__", None) or getattr(value, "name", None)
        called = str(called or value).removeprefix("torch.")
        if home != self.library or called not in FLOATS:
            must = f"be a floating-point dtype of {self.library}"
            is_known = home in ("numpy", "torch")
            got = f"{home}.{called}" if is_known else repr(value)
            raise TypeError(f"{name} must {must}, got {got}")


# --- entries of arrays and of mappings -----------------------------------------------------------


@dataclass(frozen=True)
class _Within(Rule):
    """The entries of an array of whole numbers lie between 0 and something, or are an argument."""

    of: str
    besides: str = ""
    less: int = 0
    compares = True
    reads_entries = True

    def check(self, name: str, value: Any, call: Call) -> None:
        is_index = self.of in call.lengths
        if is_index and str(getattr(value, "device", "cpu")) != "cpu":
            # To read it would wait for the device, which finds wrong indices itself.
            return
        n = call.lengths[self.of][0] if is_index else call.arguments[self.of]
        # PyTorch would fit n to a narrow dtype, and 200 is -56 in int8.
        wide = value.long() if hasattr(value, "long") else value
        outside = (wide < 0) | (wide > n - self.less)
        most = f"{self.of} - {self.less}" if self.less else self.of
        most += f" = {n - self.less}"
        if self.besides:
            other = call.arguments[self.besides]
            outside &= wide != other
            most += f", or be {self.besides} = {other}"
        if outside.any():
            got = wide[outside].reshape(-1)[0].item()
            raise ValueError(f"{name} must lie between 0 and {most}, got {got}")


# The most is another argument, or the last index along an axis.
UpTo, Below = _Within, partial(_Within, less=1)

_MAPPING = be("a mapping of names to arrays, such as a dict", Mapping, got="{path}")


class Entries(Rule):
    """A mapping has arrays of these names and shapes, and no other entry.

    ``Annotated[Mapping[str, Array], Entries(Float, Array, {"W": "d_model d_ff", "b": "d_ff"})]``

    A model has those of its layers, too, named as in a state dict: what `each` says for a prefix
    follows it and the layer's number, as in ``transformer.blocks.0.norm_1.gain``. Below each prefix
    there is at least one layer, and none is left out.
    """

    def __init__(
        self,
        kind: Any,
        array: type,
        once: Mapping[str, str],
        *,
        each: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.kind, self.array = kind, array
        self.once, self.each = once, each or {}

    def __repr__(self) -> str:
        return f"Entries({self.once}, each={self.each})"

    def check(self, name: str, value: Any, call: Call) -> None:
        _MAPPING.check(name, value, call)
        n_layers = {prefix: _count_layers(prefix, value) for prefix in self.each}
        shapes = dict(self.once) | {
            f"{prefix}.{layer}.{entry}": shape
            for prefix, entries in self.each.items()
            for layer in range(n_layers[prefix])
            for entry, shape in entries.items()
        }
        layers = [
            f"{n} layer{'s' if n > 1 else ''}{f' in {prefix}' * (len(n_layers) > 1)}"
            for prefix, n in n_layers.items()
        ]
        called = f"of a model of {' and '.join(layers)}" if layers else ""
        _check_names(name, value, shapes, called or ", ".join(shapes))
        for entry, shape in shapes.items():
            call.patterns[entry] = (Pattern.read(self.kind[self.array, shape]),)
        call.take({entry: value[entry] for entry in shapes})
        for entry in shapes:
            call.fit(entry)


def _count_layers(prefix: str, value: Mapping[str, Any]) -> int:
    """Count those that have an entry: only two if their numbers are 0 and 10^12."""
    start = f"{prefix}."
    names = [str(name) for name in value if str(name).startswith(start)]
    numbers = {name.removeprefix(start).partition(".")[0] for name in names}
    return max(1, sum(number.isdecimal() for number in numbers))


def _check_names(
    name: str, value: Mapping[str, Any], wanted: Mapping[str, str], called: str
) -> None:
    missing = [entry for entry in wanted if entry not in value]
    unknown = [str(entry) for entry in value if entry not in wanted]
    found = [f"misses {_listed(missing)}"] if missing else []
    found += [f"has unknown {_listed(unknown)}"] if unknown else []
    if found:
        raise ValueError(
            f"{name} must have the entries {called}, but {' and '.join(found)}"
        )


def _listed(names: list[str]) -> str:
    """Name all if they are few, else the first: a large model has hundreds."""
    few = 12
    more = [f"{len(names) - few} more"] if len(names) > few else []
    return ", ".join([*names[:few], *more])
