"""The twins by their names, and what a row of the tables of `tests/twins/cases.py` is: a call.

A function is named by chapter and name, `"softmax.log_softmax"`. Arrays are NumPy's, and float64
unless they are masks or integers; `twin` converts them for PyTorch, so that both libraries always
get the same numbers. So is an option that is a dtype. A result may be a tuple of arrays.

PyTorch is imported where its side is asked for, and nowhere else.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import numpy as np

INF, NAN = np.inf, np.nan
LIBRARIES = ("in_numpy", "in_torch")
INTEGERS = (
    "lengths",
    "positions",
    "source",
    "start",
    "target",
    "targets",
    "tokens",
)


def module(library: str, chapter: str = "") -> Any:
    """Return the module of a chapter in one library, or without a chapter the library."""
    return importlib.import_module(f"course_attn.{library}.{chapter}".rstrip("."))


def chapters(library: str) -> list[str]:
    """Return the chapters that have a module in this library, found in its folder.

    A module whose name starts with `_`, or with that of another and `_`, is part of a chapter's.
    """
    folder = importlib.import_module(f"course_attn.{library}").__path__
    names = {found.name for found in pkgutil.iter_modules(folder)}
    parts = {n for n in names for other in names if n.startswith(f"{other}_")}
    return sorted(n for n in names - parts if not n.startswith("_"))


def everything(library: str) -> list[str]:
    """Return all public names of a library, those of layers too: `["qkv_layers.SelfAttention"]`."""
    found = pkgutil.iter_modules(module(library).__path__)
    return [
        f"{part.name}.{name}"
        for part in found
        if not part.name.startswith("_")
        for name in module(library, part.name).__all__
    ]


def functions(library: str) -> list[str]:
    """Return all public functions of a library: `["scores.additive_scores", ...]`."""
    with_functions = chapters(library)
    return [
        path
        for path in everything(library)
        if path.split(".")[0] in with_functions
        and not inspect.isclass(public(library, path))
    ]


def public(library: str, path: str) -> Any:
    """Return the function or class of this name in one library, or among a chapter's layers."""
    chapter, name = path.split(".")
    found = getattr(module(library, chapter), name, None)
    return found or getattr(module(library, f"{chapter}_layers"), name)


def result_kind(path: str) -> str:
    """Return what a function promises.

    "bool" for masks, "int64" for tokens, "number" for a single number, "mixed" for tokens and
    floating-point numbers, else "float".
    """
    annotation = inspect.signature(public("in_numpy", path)).return_annotation
    if annotation in (float, int):
        return "number"
    if get_origin(annotation) is tuple:
        of_parts = [getattr(part, "dtypes", ()) for part in get_args(annotation)]
        return "mixed" if any("int64" in dtypes for dtypes in of_parts) else "float"
    dtypes = getattr(annotation, "dtypes", ())
    return next((kind for kind in ("bool", "int64") if kind in dtypes), "float")


def dtype_promised(path: str, part: Any, dtype: str) -> str:
    """Return the dtype that a part of a function's result must have, for arguments of `dtype`."""
    kind = result_kind(path)
    if kind == "mixed":
        kind = "float" if "float" in str(part.dtype) else "int64"
    return dtype if kind == "float" else kind


@dataclass(frozen=True)
class Lookup:
    """A model of the next token: log-probabilities for each number of tokens and each last one.

    Where the table (n, n_vocab, n_vocab) ends, it begins anew. It becomes an array of the library,
    as all arrays do.
    """

    table: Any

    def __call__(self, prefixes: Any) -> Any:
        place = (prefixes.shape[-1] - 1) % len(self.table)
        return self.table[place, prefixes[:, -1]]


def convert(
    library: str, value: Any, dtype: str | None = None, device: str = "cpu"
) -> Any:
    """Copy an array for a library, in the dtype of this name, also within a mapping.

    A dtype, a function of ours, or a generator becomes the library's own; the last is a new one.
    All else is left as it is.
    """
    if isinstance(value, Mapping):
        return {k: convert(library, v, dtype, device) for k, v in value.items()}
    if isinstance(value, Lookup):
        return Lookup(convert(library, value.table, dtype, device))
    if inspect.isfunction(value) and value.__module__.startswith("course_attn.in_"):
        return public(
            library, f"{value.__module__.split('.')[-1]}.{value.__name__}"
        )
    if isinstance(value, np.random.Generator):
        return _generator(library, device)
    if isinstance(value, np.dtype):
        name = dtype or value.name
        return _torch_dtype(name) if library == "in_torch" else np.dtype(name)
    if not isinstance(value, np.ndarray):
        return value
    if library == "in_torch":
        return _tensor(value, dtype, device)
    # -2e6 is -inf in float16
    with np.errstate(over="ignore"):
        return value.astype(dtype or value.dtype, copy=True)


def _generator(library: str, device: str) -> Any:
    """Make a generator; the device `meta`, where nothing is drawn, has none."""
    if library == "in_numpy" or device == "meta":
        return np.random.default_rng(0) if library == "in_numpy" else None
    import torch

    return torch.Generator(device).manual_seed(0)


def _torch_dtype(name: str) -> Any:
    import torch

    return getattr(torch, name)


def _tensor(array: np.ndarray, dtype: str | None, device: str) -> Any:
    import torch

    tensor = torch.from_numpy(array.copy())
    return tensor.to(device=device, dtype=getattr(torch, dtype) if dtype else None)


def in_numpy(result: Any) -> Any:
    """Return a result of either library as a NumPy array; bfloat16, unknown there, as float32.

    A tuple of results, or a mapping among them, becomes a tuple of arrays.
    """
    if isinstance(result, tuple | Mapping):
        return tuple(in_numpy(part) for part in parts(result))
    if hasattr(result, "detach"):
        result = result.detach().cpu()
        result = result.float() if str(result.dtype) == "torch.bfloat16" else result
    return np.asarray(result)


def parts(result: Any) -> tuple[Any, ...]:
    """Return all arrays of a result in a tuple, those of a mapping in the order of their names."""
    if isinstance(result, Mapping):
        result = tuple(result[name] for name in sorted(result))
    if isinstance(result, tuple):
        return tuple(one for part in result for one in parts(part))
    return (result,)


def twin(library: str, path: str) -> Callable[..., Any]:
    """Return a function of one library as a function from NumPy arrays to NumPy arrays."""
    function = public(library, path)

    def converted(*args: Any, **kwargs: Any) -> Any:
        args = tuple(convert(library, a) for a in args)
        kwargs = {name: convert(library, a) for name, a in kwargs.items()}
        # NumPy warns of inf - inf, PyTorch does not
        with np.errstate(invalid="ignore"):
            return in_numpy(function(*args, **kwargs))

    return converted


@dataclass(frozen=True)
class Case:
    """One call: the arrays and other options by argument name, and where known the result."""

    function: str
    about: str
    arrays: dict[str, np.ndarray]
    options: dict[str, Any] = field(default_factory=dict)
    expected: Any = None
    differentiable: bool = (
        True  # False where finite differences fail: at infinite results
    )

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.flags.writeable = False

    def __str__(self) -> str:
        return f"{self.function}: {self.about}"

    def arguments(
        self, library: str, dtype: str | None = None, device: str = "cpu"
    ) -> dict[str, Any]:
        """Return fresh arguments for one library; `dtype` is that of all floating-point ones."""
        arrays = {
            name: convert(
                library, a, dtype if a.dtype.kind == "f" else None, device
            )
            for name, a in self.arrays.items()
        }
        options = {
            name: convert(library, option, dtype, device)
            for name, option in self.options.items()
        }
        return arrays | options

    def has_gradient(self) -> bool:
        """Tell whether the result changes smoothly with floating-point arguments."""
        floats = any(a.dtype.kind == "f" for a in self.arrays.values())
        return (
            self.differentiable and floats and result_kind(self.function) == "float"
        )


@dataclass(frozen=True)
class Bad:
    """A call that must be refused with this error, naming this argument and all of `says`."""

    function: str
    about: str
    arguments: dict[str, Any]
    error: type[Exception]
    names: str
    says: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.function}: {self.about}"


def hand(function: str, about: str, expected: Any, **arguments: Any) -> Case:
    """Give a case with a known result; lists among the arguments are arrays.

    Integers are made floating-point, in arrays too, except for `lengths`, `positions` and the
    numbers of tokens.
    """

    def array(value: Any, name: str = "") -> np.ndarray:
        found = np.array(value)
        whole = name in INTEGERS or found.dtype == bool
        return found if whole else found.astype(float)

    arrays = {
        name: array(value, name)
        for name, value in arguments.items()
        if isinstance(value, list | np.ndarray)
    }
    options = {
        name: value for name, value in arguments.items() if name not in arrays
    }
    several = isinstance(expected, tuple)
    wanted = tuple(map(array, parts(expected))) if several else array(expected)
    return Case(function, about, arrays, options, wanted)
