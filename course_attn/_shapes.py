"""The shapes and dtypes of the arrays in one call, and the words for what does not fit.

Of arrays only ``.shape`` and ``.dtype`` are read, so that the same code serves NumPy arrays and
PyTorch tensors on any device.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["FLOATS", "Arrays", "Pattern", "dtype_name", "kind_name", "library_of"]

FLOATS = ("float32", "float64", "float16", "bfloat16")
_HOW = {
    "numpy": ("numpy.ndarray", "np.asarray"),
    "torch": ("torch.Tensor", "torch.as_tensor"),
}


class Pattern(NamedTuple):
    """One jaxtyping annotation: where the array comes from, its dtypes, the names of its axes."""

    library: str
    dtypes: tuple[str, ...]
    # "batch" in "*batch n d"; None where the number of axes is fixed
    leading: str | None
    axes: tuple[str, ...]
    # whether the axes are named with a "#", as in "*#batch #n #d"
    broadcasts: bool

    @classmethod
    def read(cls, annotation: Any) -> "Pattern":
        """Read ``Float[Array, "*batch n d"]``."""
        words = annotation.dim_str.replace("#", "").split()
        has_leading = bool(words) and words[0].startswith("*")
        return cls(
            library_of(annotation.array_type),
            FLOATS if "float32" in annotation.dtypes else tuple(annotation.dtypes),
            words.pop(0).removeprefix("*") if has_leading else None,
            tuple(words),
            "#" in annotation.dim_str,
        )

    def __str__(self) -> str:
        """Write the shape as Python writes tuples."""
        names = ([f"*{self.leading}"] if self.leading else []) + list(self.axes)
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"

    def takes(self, n_axes: int) -> bool:
        """Tell whether an array with so many axes can fit."""
        fixed = len(self.axes)
        return n_axes >= fixed if self.leading else n_axes == fixed

    def renamed(
        self, names: Mapping[str, str], longer: Mapping[str, str]
    ) -> "Pattern":
        """Return the pattern with other names for some axes, `longer` only if it broadcasts."""
        new = {**names, **longer} if self.broadcasts else names
        return self._replace(axes=tuple(new.get(axis, axis) for axis in self.axes))

    def place_of(self, axis: str) -> int:
        """Return the number of an axis, from the end where there may be leading ones."""
        return self.axes.index(axis) - (len(self.axes) if self.leading else 0)

    def lengths(self, shape: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
        """Give the name and the length of each axis; of all leading ones together."""
        n_leading = len(shape) - len(self.axes)
        if self.leading:
            yield self.leading, shape[:n_leading]
        yield from zip(self.axes, shape[n_leading:], strict=True)


class Arrays:
    """The arrays of one call, and what is known so far of their axes and dtypes."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        # one that each array has to fit
        self.patterns: dict[str, tuple[Pattern, ...]] = {}
        # the length of each axis, and the argument that set it
        self.lengths: dict[str, tuple[Any, str]] = {}
        self.float_dtypes: dict[str, str] = {}

    def take(self, arrays: Mapping[str, Any]) -> None:
        """Add arrays that have patterns; check their kinds and dtypes."""
        for name, array in arrays.items():
            _check_kind(name, array, self.patterns[name][0])
        dtypes = {name: dtype_name(array.dtype) for name, array in arrays.items()}
        self.float_dtypes |= {n: d for n, d in dtypes.items() if "float" in d}
        if len(set(self.float_dtypes.values())) > 1:
            found = ", ".join(f"{n} is {d}" for n, d in self.float_dtypes.items())
            raise TypeError(
                f"all arguments must have one dtype, but {found}; convert them to the same"
            )
        self.arrays |= arrays

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape as Python writes it, also of a tensor."""
        return tuple(self.arrays[name].shape)

    def pattern_of(self, name: str) -> Pattern:
        """Return the pattern that has as many axes as the array; there must be one."""
        shape = self.shape(name)
        for pattern in reversed(self.patterns[name]):
            if pattern.takes(len(shape)):
                return pattern
        wanted = " or ".join(map(str, self.patterns[name]))
        raise ValueError(
            f"{name} must have shape {wanted}, got {len(shape)} axes: {shape}"
        )

    def fit(self, name: str) -> None:
        """Check the lengths of an array's axes against those known, and learn the others."""
        pattern, misfits = self.pattern_of(name), []
        for axis, n in pattern.lengths(self.shape(name)):
            # A length of 1 that broadcasts fits any length, and sets none.
            if not (pattern.broadcasts and n == 1):
                known, setter = self.lengths.setdefault(axis, (n, name))
                if n != known and not (pattern.broadcasts and _stretches(n, known)):
                    by = "" if setter == axis else f" from {setter}"
                    misfits.append(f"{axis} = {known}{by}")
        if misfits:
            fit = "broadcast to" if pattern.broadcasts else "have"
            hint = (
                "" if pattern.broadcasts else "; axes of length 1 are not broadcast"
            )
            raise ValueError(
                f"{name} must {fit} shape {pattern} with {' and '.join(misfits)}, "
                f"got {self.shape(name)}{hint}"
            )


def _stretches(n: Any, known: Any) -> bool:
    """Tell whether the lengths of leading axes can be stretched to `known`."""
    if not isinstance(known, tuple) or len(n) > len(known):
        return False
    return all(a in (1, b) for a, b in zip(n[::-1], known[::-1], strict=False))


def _check_kind(name: str, array: Any, pattern: Pattern) -> None:
    """Check that `array` comes from the right library and has a dtype of the right kind."""
    library, dtypes = pattern.library, pattern.dtypes
    is_ours = library in map(library_of, type(array).__mro__)
    if not (is_ours and hasattr(array, "shape") and hasattr(array, "dtype")):
        wanted, convert = _HOW[library]
        raise TypeError(
            f"{name} must be a {wanted}, got {kind_name(array)}; "
            f"convert it with {convert}({name})"
        )
    if (dtype := dtype_name(array.dtype)) not in dtypes:
        must = f"of dtype {dtypes[0]}"
        if "int64" in dtypes:
            must = "of an integer dtype (int64)"
        elif dtypes == FLOATS:
            must = f"floating-point ({', '.join(FLOATS)})"
        raise TypeError(
            f"{name} must be {must}, got dtype {dtype}; convert it first"
        )


def library_of(kind: type) -> str:
    """Return the name of the library that a class is from."""
    return kind.__module__.partition(".")[0]


def kind_name(value: Any) -> str:
    """Return the full name of a value's class."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def dtype_name(dtype: Any) -> str:
    """Return the dtype as both libraries spell it: ``float32``, ``int64``, ``bool``."""
    return getattr(dtype, "name", str(dtype)).removeprefix("torch.")
