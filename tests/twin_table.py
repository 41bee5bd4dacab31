"""What the tables of `twin_cases` are made of: calls, random arrays, calls that must fail.

A function is named by chapter and name, `"softmax.log_softmax"`. Arrays are NumPy's, and float64
unless they are masks or whole numbers; `twin` converts them for PyTorch, so that both libraries
always get the same numbers. So is an option that is a dtype. A result may be a tuple of arrays.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

import course_attn.in_numpy
import course_attn.in_torch

LIBRARIES = {"in_numpy": course_attn.in_numpy, "in_torch": course_attn.in_torch}


def _as_installed() -> dict[str, ModuleType]:
    """Import the package a second time, as a user has it: without the hook of the test run.

    The hook checks types and shapes with beartype, before a function's own checks of its options
    get a chance. Bad input must be met by our messages, so it is given to these modules.
    """
    finders, hooked = sys.meta_path.copy(), {}
    sys.meta_path[:] = [
        f for f in finders if not type(f).__module__.startswith("jaxtyping")
    ]
    for name in [
        name for name in sys.modules if name.partition(".")[0] == "course_attn"
    ]:
        hooked[name] = sys.modules.pop(name)
    try:
        for library in LIBRARIES:
            for chapter in chapters(library):
                importlib.import_module(f"course_attn.{library}.{chapter}")
        return {
            n: m
            for n, m in sys.modules.items()
            if n.partition(".")[0] == "course_attn"
        }
    finally:
        for name in [
            name for name in sys.modules if name.partition(".")[0] == "course_attn"
        ]:
            del sys.modules[name]
        sys.modules.update(hooked)
        sys.meta_path[:] = finders


def module(library: str, chapter: str) -> Any:
    """Return the module of a chapter in one library."""
    return importlib.import_module(f"course_attn.{library}.{chapter}")


def chapters(library: str) -> list[str]:
    """Return the chapters that have a module in this library, found in its folder.

    A module whose name starts with `_` is part of a chapter's, which exports what it holds.
    """
    return sorted(
        found.name
        for found in pkgutil.iter_modules(LIBRARIES[library].__path__)
        if not found.name.startswith("_")
    )


def functions(library: str) -> list[str]:
    """Return all public functions of a library: `["scores.additive_scores", ...]`."""
    public = [
        (f"{chapter}.{name}", getattr(module(library, chapter), name))
        for chapter in chapters(library)
        for name in module(library, chapter).__all__
    ]
    return [path for path, thing in public if not inspect.isclass(thing)]


def result_kind(path: str) -> str:
    """Return what a function promises: "bool" for masks, "number" for one, else "float"."""
    annotation = inspect.signature(raw("in_numpy", path)).return_annotation
    if annotation in (float, int):
        return "number"
    return "bool" if "bool" in getattr(annotation, "dtypes", ()) else "float"


def raw(library: str, path: str) -> Callable[..., Any]:
    """Return a function of one library as it is."""
    chapter, name = path.split(".")
    return getattr(module(library, chapter), name)


INSTALLED = _as_installed()


def installed(library: str, path: str) -> Callable[..., Any]:
    """Return a function of one library as a user has it."""
    chapter, name = path.split(".")
    return getattr(INSTALLED[f"course_attn.{library}.{chapter}"], name)


def convert(
    library: str, value: Any, dtype: str | None = None, device: str = "cpu"
) -> Any:
    """Copy an array for a library, in the dtype of this name, also within a mapping.

    A dtype, or a function of ours, becomes the library's own. All else is left as it is.
    """
    if isinstance(value, Mapping):
        return {k: convert(library, v, dtype, device) for k, v in value.items()}
    if inspect.isfunction(value) and value.__module__.startswith("course_attn.in_"):
        return raw(library, f"{value.__module__.split('.')[-1]}.{value.__name__}")
    if isinstance(value, np.dtype):
        name = dtype or value.name
        return getattr(torch, name) if library == "in_torch" else np.dtype(name)
    if not isinstance(value, np.ndarray):
        return value
    if library == "in_torch":
        tensor = torch.from_numpy(value.copy())
        return tensor.to(
            device=device, dtype=getattr(torch, dtype) if dtype else None
        )
    with np.errstate(over="ignore"):  # -2e6 is -inf in float16
        return value.astype(dtype or value.dtype, copy=True)


def in_numpy(result: Any) -> Any:
    """Return a result of either library as a NumPy array; bfloat16, unknown there, as float32.

    A tuple of results becomes a tuple of arrays.
    """
    if isinstance(result, tuple):
        return tuple(in_numpy(part) for part in result)
    if isinstance(result, torch.Tensor):
        result = result.detach().cpu()
        result = result.float() if result.dtype == torch.bfloat16 else result
    return np.asarray(result)


def parts(result: Any) -> tuple[Any, ...]:
    """Return a tuple of results as it is, and a single one in a tuple."""
    return tuple(result) if isinstance(result, tuple) else (result,)


def twin(library: str, path: str) -> Callable[..., Any]:
    """Return a function of one library as a function from NumPy arrays to NumPy arrays."""
    function = raw(library, path)

    def converted(*args: Any, **kwargs: Any) -> Any:
        args = tuple(convert(library, a) for a in args)
        kwargs = {name: convert(library, a) for name, a in kwargs.items()}
        with np.errstate(
            invalid="ignore"
        ):  # NumPy warns of inf - inf, PyTorch does not
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


# --------------------------------------------------------------------------------------------------
# Random arrays. All sizes are distinct primes, so that no two axes can be swapped unnoticed.

BATCH = (2, 3)
N_Q, N_K, N = 7, 11, 23
D_K, D_V, D_Q, D_HIDDEN = 5, 13, 17, 19
D_MODEL = 29

_rng = np.random.default_rng(20_240_601)


def normal(*shape: int) -> np.ndarray:
    """Draw a standard normal array."""
    return _rng.normal(size=shape)


def distribution(*shape: int) -> np.ndarray:
    """Draw positive weights that sum to 1 along the last axis."""
    return _rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def random_mask(*shape: int, empty: int | None = 2) -> np.ndarray:
    """Draw a mask that allows two in three, with this row empty and all others not."""
    mask = _rng.random(shape) < 2 / 3
    mask[..., 0] |= ~mask.any(axis=-1)
    if empty is not None:
        mask[..., empty, :] = False
    return mask


def whole(*shape: int) -> np.ndarray:
    """Draw small whole numbers, whose dot products are exact in float32."""
    return _rng.integers(-3, 4, size=shape).astype(float)


def with_entries(array: np.ndarray, at: list[int], value: float) -> np.ndarray:
    """Return a copy with this value in these places of the last axis."""
    array = array.copy()
    array[..., at] = value
    return array


def batched(function: str, **shapes: tuple[int, ...]) -> list[Case]:
    """Give a case without batch axes, one with two, and one with a batch of a single element."""
    per_call = {name: shape for name, shape in shapes.items() if shape[0] is ...}
    leading = {"no batch axis": (), "two batch axes": BATCH, "a batch of one": (1,)}
    return [
        Case(
            function,
            about,
            {
                name: normal(*(batch + shape[1:] if name in per_call else shape))
                for name, shape in shapes.items()
            },
        )
        for about, batch in leading.items()
    ]


CAUSAL = np.tri(N_Q, N_K, N_K - N_Q, dtype=bool)


def with_masks(function: str, **arrays: tuple[int, ...]) -> list[Case]:
    """Give a case for every kind of mask, bias and scale, with Q, K and perhaps V."""
    one = {name: shape[1:] for name, shape in arrays.items()}
    pair = {name: BATCH + shape[1:] for name, shape in arrays.items()}

    def case(about: str, shapes: Any, edge: bool = False, **given: Any) -> Case:
        inputs = {name: normal(*shape) for name, shape in shapes.items()}
        inputs |= {k: a for k, a in given.items() if isinstance(a, np.ndarray)}
        options = {k: o for k, o in given.items() if k not in inputs}
        return Case(function, about, inputs, options, differentiable=not edge)

    square = {
        name: (N_Q if shape[0] == N_K else shape[0], shape[1])
        for name, shape in one.items()
    }
    some_inf = np.where(random_mask(N_Q, N_K), normal(N_Q, N_K), -np.inf)
    far = Case(
        function,
        "scores offset by -2e6",
        {name: whole(*shape) for name, shape in one.items()}
        | {"mask": random_mask(N_Q, N_K), "bias": whole(N_Q, N_K) - 2e6},
        {"scale": 1.0},
        differentiable=False,  # finite differences of step 1e-6 drown in rounding at 2e6
    )
    return [
        *batched(function, **arrays),
        case("a causal mask", one, mask=CAUSAL),
        case("a square causal mask", square, mask=np.tri(N_Q, dtype=bool)),
        case("a random mask with an empty row", one, mask=random_mask(N_Q, N_K)),
        case("one mask for a batch", pair, mask=random_mask(N_Q, N_K)),
        case("a mask each", pair, mask=random_mask(*BATCH, N_Q, N_K)),
        case("a mask for each head", pair, mask=random_mask(3, N_Q, N_K)),
        case(
            "padded keys",
            pair,
            mask=np.arange(N_K) < np.array([N_K, 5])[:, None, None, None],
        ),
        case(
            "a mask of the queries",
            one,
            mask=random_mask(N_Q, 1),
        ),
        case("everything masked", one, mask=np.zeros((1, 1), bool)),
        case("a bias", one, bias=normal(N_Q, N_K)),
        case("a bias of the keys of each head", pair, bias=normal(3, 1, N_K)),
        case("a bias with -inf and an empty row", one, edge=True, bias=some_inf),
        case(
            "a mask, a bias and a scale",
            pair,
            mask=random_mask(*BATCH, N_Q, N_K),
            bias=normal(N_Q, N_K),
            scale=0.7,
        ),
        case("a negative scale", one, mask=CAUSAL, scale=-1.5),
        case("a scale of zero", one, mask=CAUSAL, scale=0.0),
        far,
    ]


# --------------------------------------------------------------------------------------------------
# What oracles share.


def tensors(*arrays: Any) -> list[Any]:
    """Copy NumPy arrays to tensors; None stays None."""
    return [None if a is None else torch.from_numpy(a.copy()) for a in arrays]


def pairs(Q: np.ndarray, K: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every query beside every key: two tensors of shape (..., n_q, n_k, width)."""
    queries = np.repeat(Q[..., :, None, :], K.shape[-2], axis=-2)
    keys = np.repeat(K[..., None, :, :], Q.shape[-2], axis=-3)
    return torch.from_numpy(queries), torch.from_numpy(keys)


def attention_by_torch(
    Q: Any, K: Any, V: Any, mask: Any = None, bias: Any = None, scale: Any = None
) -> torch.Tensor:
    """Hand a bool mask over as it is (True = keep in this function of PyTorch's), else a float."""
    q, k, v, m, b = tensors(Q, K, V, mask, bias)
    if m is not None and b is not None:
        m = b.expand(torch.broadcast_shapes(b.shape, m.shape)).masked_fill(~m, -INF)
    m = b if m is None else m
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=scale)


# --------------------------------------------------------------------------------------------------
# Calls worked out by hand, and calls that must be refused.

INF, NAN = np.inf, np.nan
_DTYPES = {"mask": bool, "lengths": np.int64, "positions": np.int64}


def hand(function: str, about: str, expected: Any, **arguments: Any) -> Case:
    """Give a case with a known result; lists among the arguments are arrays.

    Whole numbers are made floating-point, in arrays too, except for `lengths` and `positions`.
    """

    def array(value: Any, name: str = "") -> np.ndarray:
        found = np.array(value)
        whole = name in ("lengths", "positions") or found.dtype == bool
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
    wanted = tuple(map(array, expected)) if several else array(expected)
    return Case(function, about, arrays, options, wanted)


def misfit(function: str, names: str, *says: str, **arguments: Any) -> Bad:
    """Give a call whose shapes do not fit; the shape of the argument named must be quoted."""
    shape = arguments[names]
    arrays = {
        k: np.ones(v, _DTYPES.get(k, float)) if isinstance(v, tuple) else v
        for k, v in arguments.items()
    }
    about = ", ".join(f"{name} {value}" for name, value in arguments.items())
    return Bad(
        function, about, arrays, ValueError, names, ("got", str(shape), *says)
    )


def bad_number(
    function: str, name: str, *, positive: bool = True, **given: Any
) -> list[Bad]:
    """Try what is no finite number, or none greater than 0, for one option."""
    ones = {k: np.ones(v) if isinstance(v, tuple) else v for k, v in given.items()}
    values = [0, 0.0, -0.0, -1.5, NAN, INF, -INF] if positive else [NAN, INF, -INF]
    kinds = {
        "str": "1",
        "bool": True,
        "NoneType": None,
        "complex": 1j,
        "list": [1.0],
    }
    kinds["Tensor"] = torch.tensor(1.0)
    if name == "scale":
        del kinds["NoneType"]  # None is the default
    wrong_value = [
        Bad(
            function,
            f"{name} {value}",
            ones | {name: value},
            ValueError,
            name,
            (f"got {value}",),
        )
        for value in values
    ]
    wrong_kind = [
        Bad(
            function,
            f"{name} {value!r}",
            ones | {name: value},
            TypeError,
            name,
            (f"got {kind}",),
        )
        for kind, value in kinds.items()
    ]
    return wrong_value + wrong_kind


def bad_count(function: str, name: str, too_small: int, **given: Any) -> list[Bad]:
    """Try what is no whole number, or one that is too small, for one option."""
    kinds: dict[str, Any] = {"float": 3.0, "str": "3", "bool": True, "list": [3]}
    kinds |= {"Tensor": torch.tensor(3)} | (
        {} if name == "n_k" else {"NoneType": None}
    )
    return [
        Bad(
            function,
            f"{name} {too_small}",
            given | {name: too_small},
            ValueError,
            name,
            (f"at least {too_small + 1}, got {too_small}",),
        ),
        *(
            Bad(
                function,
                f"{name} {value!r}",
                given | {name: value},
                TypeError,
                name,
                ("whole number", f"got {kind}"),
            )
            for kind, value in kinds.items()
        ),
    ]


def bad_masks(function: str, **arrays: tuple[int, ...]) -> list[Bad]:
    """Try masks and biases that do not broadcast to scores of shape (2, 7, 11)."""
    shapes: dict[tuple[int, ...], str] = {
        (11, 7): "n_q = 7 from Q and n_k = 11 from K",
        (7, 5): "n_k = 11 from K",
        (3, 11): "n_q = 7 from Q",
        (3, 7, 11): "batch = (2,) from Q",
        (5, 2, 7, 11): "batch = (2,) from Q",
        (1, 2, 7, 11): "batch = (2,) from Q",
        (2, 7, 0): "n_k = 11 from K",
    }
    return [
        *(
            misfit(
                function,
                name,
                f"broadcast to shape (*batch, n_q, n_k) with {says}",
                **arrays,
                **{name: shape},
            )
            for name in ("mask", "bias")
            for shape, says in shapes.items()
        ),
        *(
            misfit(
                function,
                name,
                "(*batch, n_q, n_k)",
                "got 1 axes",
                **arrays,
                **{name: (11,)},
            )
            for name in ("mask", "bias")
        ),
    ]


def bad_values(function: str) -> list[Bad]:
    """Try values that do not belong to the keys."""
    return [
        misfit(function, "V", "n_k = 11 from K", Q=(7, 5), K=(11, 5), V=(7, 3)),
        misfit(function, "V", "n_k = 11 from K", Q=(7, 5), K=(11, 5), V=(1, 3)),
        misfit(function, "V", "n_k = 1 from K", Q=(7, 5), K=(1, 5), V=(11, 3)),
        misfit(
            function,
            "V",
            "batch = (2,) from Q",
            Q=(2, 7, 5),
            K=(2, 11, 5),
            V=(11, 3),
        ),
        misfit(
            function,
            "V",
            "batch = (2,) from Q",
            Q=(2, 7, 5),
            K=(2, 11, 5),
            V=(1, 11, 3),
        ),
        misfit(function, "K", "d_k = 5 from Q", Q=(7, 5), K=(11, 1), V=(11, 3)),
        misfit(function, "K", "d_k = 5 from Q", Q=(7, 5), K=(5, 11), V=(11, 3)),
        misfit(
            function,
            "Q",
            "at least one element along axis -1",
            Q=(7, 0),
            K=(11, 0),
            V=(11, 3),
        ),
    ]


def bad_axis(function: str, array: str, n_axes: int) -> list[Bad]:
    """Try what is no axis of an array with this many axes, and an axis without an element."""
    ones = {array: np.ones((2, 3, 5)[:n_axes])}
    missing = [n_axes, -n_axes - 1, 17]
    kinds: dict[str, Any] = {
        "float": 1.0,
        "str": "0",
        "bool": True,
        "NoneType": None,
        "tuple": (0,),
    }
    return [
        *(
            Bad(
                function,
                f"axis {a}",
                ones | {"axis": a},
                ValueError,
                "axis",
                (f"got {a}", array),
            )
            for a in missing
        ),
        *(
            Bad(
                function,
                f"axis {a!r}",
                ones | {"axis": a},
                TypeError,
                "axis",
                (f"got {kind}",),
            )
            for kind, a in kinds.items()
        ),
        misfit(
            function,
            array,
            "at least one element along axis 0",
            axis=0,
            **{array: (0, 3)},
        ),
        misfit(
            function, array, "at least one element along axis -1", **{array: (2, 0)}
        ),
        misfit(
            function, array, "at least one element along axis -1", **{array: (0,)}
        ),
    ]


def bad_queries_and_keys(function: str) -> list[Bad]:
    """Try what all scores refuse: misfits between Q and K in width and batch."""
    return [
        misfit(function, "K", "d_k = 5 from Q", Q=(7, 5), K=(11, 1)),
        misfit(function, "K", "d_k = 1 from Q", Q=(7, 1), K=(11, 5)),
        misfit(function, "K", "d_k = 5 from Q", Q=(7, 5), K=(5, 11)),
        misfit(function, "K", "batch = (2,) from Q", Q=(2, 7, 5), K=(3, 11, 5)),
        misfit(
            function,
            "K",
            "batch = (3,) from Q",
            "not broadcast",
            Q=(3, 7, 5),
            K=(1, 11, 5),
        ),
        misfit(function, "K", "batch = (3,) from Q", Q=(3, 7, 5), K=(11, 5)),
        misfit(function, "K", "batch = () from Q", Q=(7, 5), K=(3, 11, 5)),
        misfit(
            function, "Q", "(*batch, n_q, d_k)", "got 1 axes", Q=(5,), K=(11, 5)
        ),
        misfit(function, "K", "(*batch, n_k, d_k)", "got 1 axes", Q=(7, 5), K=(5,)),
    ]
