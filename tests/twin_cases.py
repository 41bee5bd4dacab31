"""The tables that `test_twins.py` works through. A new public function needs rows here.

A function is named by chapter and name, `"softmax.log_softmax"`. Arrays are NumPy's, and float64
unless they are masks or whole numbers; `twin` converts them for PyTorch, so that both libraries
always get the same numbers. So is an option that is a dtype. A result may be a tuple of arrays.

- `CASES`: calls with random arrays, in which both twins must agree with each other.
- `ORACLES`: what each function must equal, computed by code that is not ours.
- `BY_HAND`: calls whose results were worked out on paper, and what the docstrings promise for
  empty, NaN and infinite input.
- `BAD_INPUT`: calls that must be refused, and the argument that the message must name. Wrong
  kinds and dtypes need no rows: they are tried on every array argument of every function.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from math import e, exp, log, sqrt, tanh
from types import ModuleType
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right

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
    """Return the chapters that have a module in this library, found in its folder."""
    return sorted(
        found.name for found in pkgutil.iter_modules(LIBRARIES[library].__path__)
    )


def functions(library: str) -> list[str]:
    """Return all public functions of a library: `["scores.additive_scores", ...]`."""
    public = [
        (f"{chapter}.{name}", getattr(module(library, chapter), name))
        for chapter in chapters(library)
        for name in module(library, chapter).__all__
    ]
    return [path for path, thing in public if not inspect.isclass(thing)]


# Functions without a twin in NumPy, and where they are tested instead.
TORCH_ONLY = {"qkv.fused_attention": "test_parity.py, against qkv.attention"}
# Functions that look at the numbers in an argument to check them, which `meta` tensors have not.
READS_NUMBERS = {"masks.padding_mask"}


def result_kind(path: str) -> str:
    """Return what a function promises: "bool" for masks, "number" for one, else "float"."""
    annotation = inspect.signature(raw("in_numpy", path)).return_annotation
    if annotation is float:
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
    """Copy an array for a library, in the dtype of this name; leave all but dtypes as it is."""
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
            name: convert(library, o, dtype) for name, o in self.options.items()
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
# CASES: random arrays. All sizes are distinct primes, so that no two axes can be swapped unnoticed.

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


def _batched(function: str, **shapes: tuple[int, ...]) -> list[Case]:
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


def _with_masks(function: str, **arrays: tuple[int, ...]) -> list[Case]:
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
        *_batched(function, **arrays),
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


def _zero_row(array: np.ndarray, row: int) -> np.ndarray:
    array = array.copy()
    array[row] = 0.0
    return array


CASES = [
    # 1. weighted_sum
    *_batched(
        "weighted_sum.weighted_sum", weights=(..., N_Q, N_K), values=(..., N_K, D_V)
    ),
    Case(
        "weighted_sum.weighted_sum",
        "a single row of weights",
        {"weights": normal(N_K), "values": normal(N_K, D_V)},
    ),
    Case(
        "weighted_sum.weighted_sum",
        "a single row of weights for a batch of values",
        {"weights": normal(N_K), "values": normal(*BATCH, N_K, D_V)},
    ),
    Case(
        "weighted_sum.weighted_sum_loop",
        "matrices",
        {"weights": normal(N_Q, N_K), "values": normal(N_K, D_V)},
    ),
    # 2. scores
    *_batched("scores.dot_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *_batched("scores.cosine_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    Case(
        "scores.cosine_scores",
        "a zero query and a zero key",
        {"Q": _zero_row(normal(N_Q, D_K), 3), "K": _zero_row(normal(N_K, D_K), 2)},
        differentiable=False,  # cos jumps at the zero vector; its gradient is tested to be finite
    ),
    *_batched(
        "scores.general_scores", Q=(..., N_Q, D_Q), K=(..., N_K, D_K), W=(D_Q, D_K)
    ),
    *_batched(
        "scores.additive_scores",
        Q=(..., N_Q, D_Q),
        K=(..., N_K, D_K),
        W_q=(D_Q, D_HIDDEN),
        W_k=(D_K, D_HIDDEN),
        v=(D_HIDDEN,),
    ),
    *_batched("scores.gaussian_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    Case(
        "scores.gaussian_scores",
        "bandwidth 1.7",
        {"Q": normal(N_Q, D_K), "K": normal(N_K, D_K)},
        {"bandwidth": 1.7},
    ),
    Case(
        "scores.nadaraya_watson",
        "default bandwidth",
        {"x_query": normal(N_Q), "x": normal(N), "y": normal(N)},
    ),
    Case(
        "scores.nadaraya_watson",
        "bandwidth 0.3",
        {"x_query": normal(N_Q), "x": normal(N), "y": normal(N)},
        {"bandwidth": 0.3},
    ),
    Case(
        "scores.nadaraya_watson",
        "far from all data",
        {"x_query": 1e4 + normal(N_Q), "x": normal(N), "y": normal(N)},
        differentiable=False,  # almost a step function there
    ),
    # 3. softmax
    *_batched("softmax.softmax", scores=(..., N)),
    Case("softmax.softmax", "axis 0", {"scores": normal(N_Q, N_K)}, {"axis": 0}),
    Case(
        "softmax.softmax",
        "axis -2",
        {"scores": normal(*BATCH, N_Q, N_K)},
        {"axis": -2},
    ),
    Case(
        "softmax.softmax",
        "temperature 0.3",
        {"scores": normal(N_Q, N)},
        {"temperature": 0.3},
    ),
    Case(
        "softmax.softmax",
        "axis 1 and temperature 3",
        {"scores": normal(*BATCH, N)},
        {"axis": 1, "temperature": 3.0},
    ),
    Case(
        "softmax.softmax",
        "-inf entries",
        {"scores": with_entries(normal(N), [2, 7], -np.inf)},
    ),
    Case(
        "softmax.softmax", "scores offset by -2e6", {"scores": normal(N_Q, N) - 2e6}
    ),
    Case(
        "softmax.softmax",
        "tied maxima",
        {"scores": with_entries(normal(N), [3, 5], 4.0)},
    ),
    *_batched("softmax.log_softmax", scores=(..., N)),
    Case(
        "softmax.log_softmax", "axis 0", {"scores": normal(N_Q, N_K)}, {"axis": 0}
    ),
    Case(
        "softmax.log_softmax",
        "axis -2",
        {"scores": normal(*BATCH, N_Q, N_K)},
        {"axis": -2},
    ),
    Case(
        "softmax.log_softmax",
        "-inf entries",
        {"scores": with_entries(normal(N), [2, 7], -np.inf)},
        differentiable=False,
    ),
    Case(
        "softmax.log_softmax",
        "scores offset by -2e6",
        {"scores": normal(N_Q, N) - 2e6},
    ),
    Case(
        "softmax.log_softmax",
        "tied maxima",
        {"scores": with_entries(normal(N), [3, 5], 4.0)},
    ),
    Case("softmax.entropy", "no batch axis", {"weights": distribution(N)}),
    Case("softmax.entropy", "two batch axes", {"weights": distribution(*BATCH, N)}),
    Case(
        "softmax.entropy",
        "axis 0",
        {"weights": distribution(N_Q, N).T.copy()},
        {"axis": 0},
    ),
    Case(
        "softmax.entropy",
        "zero weights",
        {
            "weights": np.stack(
                [np.eye(5)[2], np.array([0.0, 0.25, 0.25, 0.0, 0.5])]
            )
        },
        differentiable=False,  # the slope at a zero weight is infinite
    ),
    Case("softmax.softmax_jacobian", "no batch axis", {"weights": distribution(N)}),
    Case(
        "softmax.softmax_jacobian",
        "two batch axes",
        {"weights": distribution(*BATCH, D_K)},
    ),
    # 4. qkv
    *_batched(
        "qkv.project_qkv",
        X=(..., N_Q, D_MODEL),
        W_Q=(D_MODEL, D_K),
        W_K=(D_MODEL, D_K),
        W_V=(D_MODEL, D_V),
    ),
    *_batched(
        "qkv.project_qkv",
        X=(..., N_Q, D_MODEL),
        Z=(..., N_K, D_MODEL),
        W_Q=(D_MODEL, D_K),
        W_K=(D_MODEL, D_K),
        W_V=(D_MODEL, D_V),
    ),
    *_with_masks("qkv.attention_weights", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *_with_masks(
        "qkv.attention", Q=(..., N_Q, D_K), K=(..., N_K, D_K), V=(..., N_K, D_V)
    ),
    *(
        Case(
            "qkv.soft_lookup",
            f"{options or 'default temperature'}",
            {
                "query": normal(D_K),
                "keys": normal(N_K, D_K),
                "values": normal(N_K, D_V),
            },
            options,
        )
        for options in ({}, {"temperature": 0.1}, {"temperature": 30.0})
    ),
    # 5. scaling
    *_batched("scaling.scaled_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *(
        Case(
            "scaling.scaled_scores",
            f"scale {scale}",
            {"Q": normal(N_Q, D_K), "K": normal(N_K, D_K)},
            {"scale": scale},
        )
        for scale in (0.3, 0.0, -2.0, 1.0)
    ),
    *_batched("scaling.score_statistics", scores=(..., N_Q, N_K)),
    *(
        Case(
            "scaling.expected_score_variance", f"d_k {d_k}, {options}", {}, options
        )
        for d_k in (1, 64)
        for options in (
            {"d_k": d_k},
            {"d_k": d_k, "mean": -0.7},
            {"d_k": d_k, "shared": True},
            {"d_k": d_k, "mean": 3.0, "shared": True},
        )
    ),
    # 6. masks
    *(
        Case(f"masks.{name}", f"{options}", {}, sizes | options)
        for name, options in (
            ("causal_mask", {}),
            ("sliding_window_mask", {"window": 1}),
            ("sliding_window_mask", {"window": 3}),
            ("sliding_window_mask", {"window": 100}),
        )
        for sizes in (
            {"n_q": N_Q},
            {"n_q": N_Q, "n_k": N_Q},
            {"n_q": N_Q, "n_k": N_K},
            {"n_q": N_K, "n_k": N_Q},
            {"n_q": 1, "n_k": N_K},
        )
    ),
    Case(
        "masks.padding_mask",
        "four sequences",
        {"lengths": np.array([3, 0, 7, 1])},
        {"n_k": 7},
    ),
    Case(
        "masks.padding_mask",
        "int32",
        {"lengths": np.array([3, 1], np.int32)},
        {"n_k": 5},
    ),
    Case(
        "masks.mask_to_bias",
        "a mask",
        {"mask": random_mask(N_Q, N_K)},
        {"dtype": np.dtype("float64")},
    ),
    Case(
        "masks.mask_to_bias",
        "padded keys",
        {"mask": random_mask(*BATCH, 1, N_K, empty=None)},
        {"dtype": np.dtype("float64")},
    ),
    *_batched("masks.masked_softmax", scores=(..., N_Q, N_K)),
    *(
        Case("masks.masked_softmax", about, {"scores": scores, "mask": mask})
        for about, scores, mask in (
            ("causal", normal(N_Q, N_K), CAUSAL),
            ("an empty row", normal(N_Q, N_K), random_mask(N_Q, N_K)),
            (
                "a mask each",
                normal(*BATCH, N_Q, N_K),
                random_mask(*BATCH, N_Q, N_K),
            ),
            (
                "padded keys",
                normal(2, N_Q, N_K),
                random_mask(2, 1, N_K, empty=None),
            ),
            ("a mask of the queries", normal(N_Q, N_K), random_mask(N_Q, 1)),
            ("a single row", normal(N), random_mask(1, N, empty=None)[0]),
            (
                "one row for all",
                normal(*BATCH, N),
                random_mask(1, N, empty=None)[0],
            ),
            ("offset by -2e6", normal(N_Q, N_K) - 2e6, random_mask(N_Q, N_K)),
            ("offset by 2e6", normal(N_Q, N_K) + 2e6, random_mask(N_Q, N_K)),
        )
    ),
    Case(
        "masks.masked_softmax",
        "a masked NaN and inf",
        {
            "scores": with_entries(
                with_entries(normal(N_Q, N), [2], np.nan), [5], np.inf
            ),
            "mask": ~np.isin(np.arange(N), [2, 5]),
        },
        differentiable=False,  # differences at NaN are NaN; the gradient is tested to be finite
    ),
    *_batched(
        "masks.causal_attention",
        Q=(..., N_Q, D_K),
        K=(..., N_K, D_K),
        V=(..., N_K, D_V),
    ),
    Case(
        "masks.causal_attention",
        "square",
        {name: normal(N, d) for name, d in (("Q", D_K), ("K", D_K), ("V", D_V))},
    ),
    Case(
        "masks.causal_attention",
        "more queries than keys, and a scale",
        {"Q": normal(N_K, D_K), "K": normal(N_Q, D_K), "V": normal(N_Q, D_V)},
        {"scale": 0.9},
    ),
]


# --------------------------------------------------------------------------------------------------
# ORACLES: NumPy arrays in, a NumPy array out; by PyTorch's or SciPy's functions or by the formula.


def _pairs(Q: np.ndarray, K: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every query beside every key: two tensors of shape (..., n_q, n_k, width)."""
    queries = np.repeat(Q[..., :, None, :], K.shape[-2], axis=-2)
    keys = np.repeat(K[..., None, :, :], Q.shape[-2], axis=-3)
    return torch.from_numpy(queries), torch.from_numpy(keys)


def _embedding_bag(weights: np.ndarray, values: np.ndarray) -> torch.Tensor:
    """Mix one row at a time: `EmbeddingBag` looks rows up and sums them, each times its weight."""
    rows = torch.from_numpy(np.atleast_2d(weights).copy())
    indices = torch.arange(values.shape[0]).expand(rows.shape)
    out = F.embedding_bag(
        indices,
        torch.from_numpy(values.copy()),
        per_sample_weights=rows,
        mode="sum",
    )
    return out.reshape(*weights.shape[:-1], values.shape[-1])


def _mixed_by_torch(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Apply `_embedding_bag` to every element of the batch."""
    batch = values.shape[:-2]
    rows = (
        np.broadcast_to(weights, batch + weights.shape)
        if weights.ndim == 1
        else weights
    )
    out = [_embedding_bag(rows[at], values[at]) for at in np.ndindex(batch)]
    return np.stack(out).reshape(*batch, *out[0].shape)


def _concatenated(Q: Any, K: Any, W_q: Any, W_k: Any, v: Any) -> torch.Tensor:
    """Score [q; k] by a two-layer perceptron, as Luong et al. write it ("concat")."""
    W = torch.from_numpy(np.concatenate([W_q, W_k]).T.copy())
    hidden = F.linear(torch.cat(_pairs(Q, K), dim=-1), W).tanh()
    return F.linear(hidden, torch.from_numpy(v.copy())[None])[..., 0]


def _regressed_by_scipy(
    x_query: Any, x: Any, y: Any, bandwidth: float = 1.0
) -> np.ndarray:
    density = scipy.stats.norm.logpdf(x_query[:, None], loc=x, scale=bandwidth)
    return np.array(
        [
            np.average(y, weights=row)
            for row in scipy.special.softmax(density, axis=1)
        ]
    )


def _entropy_by_torch(weights: np.ndarray, axis: int = -1) -> torch.Tensor:
    rows = torch.from_numpy(weights.copy()).movedim(axis, -1)
    return torch.distributions.Categorical(probs=rows).entropy()


def _jacobian_by_autograd(weights: np.ndarray) -> np.ndarray:
    rows = torch.from_numpy(weights.copy()).log().reshape(-1, weights.shape[-1])
    found = [
        torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), r)
        for r in rows
    ]
    return torch.stack(found).reshape(*weights.shape, -1).numpy()


def _tensors(*arrays: Any) -> list[Any]:
    """Copy NumPy arrays to tensors; None stays None."""
    return [None if a is None else torch.from_numpy(a.copy()) for a in arrays]


def _attention_by_torch(
    Q: Any, K: Any, V: Any, mask: Any = None, bias: Any = None, scale: Any = None
) -> torch.Tensor:
    """Hand a bool mask over as it is (True = keep in this function of PyTorch's), else a float."""
    q, k, v, m, b = _tensors(Q, K, V, mask, bias)
    if m is not None and b is not None:
        m = b.expand(torch.broadcast_shapes(b.shape, m.shape)).masked_fill(~m, -INF)
    m = b if m is None else m
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=scale)


def _weights_by_torch(Q: Any, K: Any, **options: Any) -> torch.Tensor:
    """Let the values be the rows of the identity: the output is the weights."""
    n_k = K.shape[-2]
    V = np.broadcast_to(np.eye(n_k), (*K.shape[:-2], n_k, n_k))
    return _attention_by_torch(Q, K, V, **options)


def _attention_by_mha(
    Q: Any, K: Any, V: Any, mask: Any = None, bias: Any = None, scale: Any = None
) -> torch.Tensor:
    """Let `nn.MultiheadAttention`, where True = drop, do it with one head and without weights.

    It has one width and a fixed scale, takes masks of one size and gives NaN for an empty row: pad
    the features with zeros, fold the scale into Q, broadcast, and put zeros where it gives NaN.
    """
    d = max(Q.shape[-1], V.shape[-1])
    factor = sqrt(d) * (1 / sqrt(Q.shape[-1]) if scale is None else scale)
    q, k, v = (F.pad(x, (0, d - x.shape[-1])) for x in _tensors(Q * factor, K, V))
    full = (*Q.shape[:-1], K.shape[-2])
    added = torch.zeros(full, dtype=q.dtype)
    added = added if bias is None else added + torch.from_numpy(bias.copy())
    if mask is not None:
        drop = ~torch.from_numpy(np.broadcast_to(mask, full).copy())
        added = added.masked_fill(drop, -INF)
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v, added)]
    layer = torch.nn.MultiheadAttention(
        d, 1, bias=False, batch_first=True, dtype=q.dtype
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(d).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(d))
        out, _ = layer(*flat[:3], attn_mask=flat[3])
    empty = torch.isinf(flat[3]).all(dim=-1, keepdim=True)
    out = out.masked_fill(empty, 0.0)[..., : V.shape[-1]]
    return out.reshape(*Q.shape[:-1], V.shape[-1])


def _rows_by_scipy(scores: np.ndarray, mask: Any = None) -> np.ndarray:
    """Take the softmax of what is allowed in each row, and put it back where it was."""
    mask = np.broadcast_to(True if mask is None else mask, scores.shape)
    out = np.zeros_like(scores)
    for at in np.ndindex(scores.shape[:-1]):
        if mask[at].any():
            out[at][mask[at]] = scipy.special.softmax(scores[at][mask[at]])
    return out


def _causal_by_torch(Q: Any, K: Any, V: Any, scale: Any = None) -> torch.Tensor:
    """Use PyTorch's own mask that is aligned to the bottom right, where it can."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    q, k, v = _tensors(Q, K, V)
    lower_right = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    if n_q <= n_k:
        lower_right = causal_lower_right(n_q, n_k)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=lower_right, scale=scale
    )


def _statistics_by_scipy(scores: np.ndarray) -> tuple[np.ndarray, ...]:
    flat = scores.reshape(*scores.shape[:-2], -1)
    found = scipy.stats.describe(flat, axis=-1, ddof=0)
    weights = scipy.special.softmax(scores, axis=-1)
    entropy = np.mean(scipy.stats.entropy(weights, axis=-1), axis=-1)
    return (
        found.mean,
        found.variance,
        entropy,
        np.mean(np.max(weights, axis=-1), axis=-1),
    )


def _variance_by_quadrature(
    d_k: int, mean: float = 0.0, shared: bool = False
) -> np.ndarray:
    """Integrate (q k)^2 and q k over one Gaussian component each, exactly; components add up."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    x, weights = mean + nodes, weights / weights.sum()
    product = x * x if shared else x[:, None] * x
    density = weights if shared else weights[:, None] * weights
    return d_k * ((density * product**2).sum() - (density * product).sum() ** 2)


def _without(n_q: int, n_k: int | None, entries: Any) -> np.ndarray:
    """Return a mask that allows everything but these entries."""
    mask = np.ones((n_q, n_k or n_q), bool)
    mask[entries] = False
    return mask


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "weighted_sum.weighted_sum": {"F.embedding_bag": _mixed_by_torch},
    "weighted_sum.weighted_sum_loop": {"F.embedding_bag": _mixed_by_torch},
    "scores.dot_scores": {
        "torch.linalg.vecdot": lambda Q, K: torch.linalg.vecdot(*_pairs(Q, K))
    },
    "scores.cosine_scores": {
        "F.cosine_similarity": lambda Q, K: F.cosine_similarity(
            *_pairs(Q, K), dim=-1
        )
    },
    "scores.general_scores": {
        "F.bilinear, as in nn.Bilinear": lambda Q, K, W: F.bilinear(
            *_pairs(Q, K), torch.from_numpy(W.copy())[None]
        )[..., 0]
    },
    "scores.additive_scores": {"F.linear of [q; k]": _concatenated},
    "scores.gaussian_scores": {
        "torch.cdist": lambda Q, K, bandwidth=1.0: (
            -(
                torch.cdist(torch.from_numpy(Q.copy()), torch.from_numpy(K.copy()))
                ** 2
            )
            / (2 * bandwidth**2)
        ),
        "torch.distributions.Normal": lambda Q, K, bandwidth=1.0: (
            torch.distributions.Normal(_pairs(Q, K)[1], bandwidth).log_prob(
                _pairs(Q, K)[0]
            )
            + log(bandwidth * sqrt(2 * np.pi))
        ).sum(-1),
    },
    "scores.nadaraya_watson": {"scipy.stats.norm": _regressed_by_scipy},
    "softmax.softmax": {
        "torch.softmax": lambda scores, axis=-1, temperature=1.0: torch.softmax(
            torch.from_numpy(scores.copy()) / temperature, dim=axis
        ),
        "scipy.special.softmax": lambda scores, axis=-1, temperature=1.0: (
            scipy.special.softmax(scores / temperature, axis=axis)
        ),
    },
    "softmax.log_softmax": {
        "torch.log_softmax": lambda scores, axis=-1: torch.log_softmax(
            torch.from_numpy(scores.copy()), dim=axis
        ),
        "scipy.special.log_softmax": lambda scores, axis=-1: (
            scipy.special.log_softmax(scores, axis=axis)
        ),
    },
    "softmax.entropy": {
        "torch.distributions.Categorical": _entropy_by_torch,
        "scipy.special.entr": lambda weights, axis=-1: scipy.special.entr(
            weights
        ).sum(axis),
    },
    "softmax.softmax_jacobian": {
        "torch.autograd.functional.jacobian": _jacobian_by_autograd
    },
    "qkv.project_qkv": {
        "F.linear, which transposes": lambda X, W_Q, W_K, W_V, Z=None: tuple(
            F.linear(*_tensors(x, W.T))
            for x, W in (
                (X, W_Q),
                (X if Z is None else Z, W_K),
                (X if Z is None else Z, W_V),
            )
        )
    },
    "qkv.attention_weights": {"sdpa of the identity": _weights_by_torch},
    "qkv.attention": {
        "F.scaled_dot_product_attention": _attention_by_torch,
        "nn.MultiheadAttention": _attention_by_mha,
    },
    "qkv.soft_lookup": {
        "scipy.special.softmax": lambda query, keys, values, temperature=1.0: (
            np.average(
                values,
                axis=0,
                weights=scipy.special.softmax(np.inner(keys, query) / temperature),
            )
        ),
        "sdpa at scale 1/T": lambda query, keys, values, temperature=1.0: (
            _attention_by_torch(query[None], keys, values, scale=1 / temperature)[0]
        ),
    },
    "scaling.scaled_scores": {
        "torch.linalg.vecdot": lambda Q, K, scale=None: (
            torch.linalg.vecdot(*_pairs(Q, K))
            * (1 / sqrt(Q.shape[-1]) if scale is None else scale)
        )
    },
    "scaling.score_statistics": {"scipy.stats": _statistics_by_scipy},
    "scaling.expected_score_variance": {
        "Gauss-Hermite quadrature": _variance_by_quadrature,
        "scipy.stats.ncx2, for q = k": lambda d_k, mean=0.0, shared=False: (
            scipy.stats.ncx2.var(d_k, d_k * mean**2)
            if shared
            else _variance_by_quadrature(d_k, mean)
        ),
    },
    "masks.causal_mask": {
        "torch.tril": lambda n_q, n_k=None: torch.ones(
            n_q, n_q if n_k is None else n_k, dtype=torch.bool
        ).tril((n_q if n_k is None else n_k) - n_q),
        "np.triu_indices": lambda n_q, n_k=None: _without(
            n_q, n_k, np.triu_indices(n_q, (n_k or n_q) - n_q + 1, n_k)
        ),
    },
    "masks.sliding_window_mask": {
        "torch.tril and triu": lambda n_q, n_k=None, *, window: (
            torch.ones(n_q, n_k or n_q, dtype=torch.bool)
            .tril((n_k or n_q) - n_q)
            .triu((n_k or n_q) - n_q - window + 1)
        )
    },
    "masks.padding_mask": {
        "nn.utils.rnn.pad_sequence": lambda lengths, n_k: (
            torch.nn.utils.rnn.pad_sequence(
                [torch.ones(n, dtype=torch.bool) for n in (*lengths.tolist(), n_k)],
                batch_first=True,
            )[:-1, None]
        )
    },
    "masks.mask_to_bias": {
        "torch.masked_fill": lambda mask, dtype: torch.zeros(
            mask.shape
        ).masked_fill(~torch.from_numpy(mask.copy()), -INF)
    },
    "masks.masked_softmax": {"scipy.special.softmax, row by row": _rows_by_scipy},
    "masks.causal_attention": {"torch.nn.attention.bias": _causal_by_torch},
}


# --------------------------------------------------------------------------------------------------
# BY_HAND: small numbers that can be checked in the head, and what the docstrings promise.


def hand(function: str, about: str, expected: Any, **arguments: Any) -> Case:
    """Give a case with a known result; lists among the arguments are arrays.

    Whole numbers are made floating-point, in arrays too, except for `lengths`.
    """

    def array(value: Any, name: str = "") -> np.ndarray:
        found = np.array(value)
        whole = name == "lengths" or found.dtype == bool
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


INF, NAN = np.inf, np.nan

BY_HAND = [
    # Half of (2, 0) and half of (4, 6) is (3, 3); 1 times the last is the last.
    hand(
        "weighted_sum.weighted_sum",
        "halfway, and a copy",
        [[3, 3], [7, 1]],
        weights=[[0.5, 0.5, 0], [0, 0, 1]],
        values=[[2, 0], [4, 6], [7, 1]],
    ),
    # 2 (1, 10) - 1 (3, 5) = (-1, 15): weights are used as given, not normalized.
    hand(
        "weighted_sum.weighted_sum",
        "one row, not an average",
        [-1, 15],
        weights=[2, -1],
        values=[[1, 10], [3, 5]],
    ),
    hand(
        "weighted_sum.weighted_sum",
        "no values: the empty sum is zero",
        np.zeros((3, 2)),
        weights=np.ones((3, 0)),
        values=np.ones((0, 2)),
    ),
    hand(
        "weighted_sum.weighted_sum",
        "a single row, no values",
        np.zeros(2),
        weights=np.ones(0),
        values=np.ones((0, 2)),
    ),
    hand(
        "weighted_sum.weighted_sum",
        "no outputs",
        np.zeros((0, 2)),
        weights=np.ones((0, 3)),
        values=np.ones((3, 2)),
    ),
    hand(
        "weighted_sum.weighted_sum",
        "NaN and inf in a value spread down its column, even through a weight of 0",
        [[NAN, 2, NAN], [NAN, 1, NAN]],
        weights=[[0, 1], [1, 0]],
        values=[[NAN, 1, INF], [1, 2, NAN]],
    ),
    hand(
        "weighted_sum.weighted_sum",
        "NaN and inf in a weight spread along its row",
        [[NAN, NAN], [INF, INF], [3, 4]],
        weights=[[NAN, 0], [0, INF], [0, 1]],
        values=[[1, 2], [3, 4]],
    ),
    hand(
        "weighted_sum.weighted_sum_loop",
        "halfway, and a copy",
        [[3, 3], [7, 1]],
        weights=[[0.5, 0.5, 0], [0, 0, 1]],
        values=[[2, 0], [4, 6], [7, 1]],
    ),
    hand(
        "weighted_sum.weighted_sum_loop",
        "no values: the empty sum is zero",
        np.zeros((3, 2)),
        weights=np.ones((3, 0)),
        values=np.ones((0, 2)),
    ),
    # (1, 2) . (3, 4) = 3 + 8; (1, 2) . (5, -1) = 5 - 2; (0, -1) picks out minus the second entry.
    hand(
        "scores.dot_scores",
        "two queries, two keys",
        [[11, 3], [-4, 1]],
        Q=[[1, 2], [0, -1]],
        K=[[3, 4], [5, -1]],
    ),
    hand(
        "scores.dot_scores",
        "no keys",
        np.zeros((2, 0)),
        Q=[[1, 2], [3, 4]],
        K=np.ones((0, 2)),
    ),
    hand(
        "scores.dot_scores",
        "no queries",
        np.zeros((0, 1)),
        Q=np.ones((0, 2)),
        K=[[1, 2]],
    ),
    hand(
        "scores.dot_scores",
        "a NaN spoils the scores of its key alone",
        [[NAN, 1]],
        Q=[[1, 0]],
        K=[[1, NAN], [1, 1]],
    ),
    # |(3, 4)| = 5: 3/5 with the first axis, 1 with itself made longer, -1 with its opposite.
    hand(
        "scores.cosine_scores",
        "the 3-4-5 triangle; zero vectors score 0",
        [[0.6, 1, -1, 0], [0, 0, 0, 0]],
        Q=[[3, 4], [0, 0]],
        K=[[7, 0], [30, 40], [-3, -4], [0, 0]],
    ),
    hand(
        "scores.cosine_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1, 2]],
        K=np.ones((0, 2)),
    ),
    hand(
        "scores.cosine_scores",
        "no queries",
        np.zeros((0, 1)),
        Q=np.ones((0, 2)),
        K=[[1, 2]],
    ),
    hand(
        "scores.cosine_scores",
        "a NaN spoils the scores of its query alone",
        [[NAN, NAN], [1, 0]],
        Q=[[NAN, 1], [1, 0]],
        K=[[1, 0], [0, 0]],
    ),
    # q W = (1, 2) W = (1 + 0, 2 + 6, 3 + 8) = (1, 8, 11); its dot products with the keys.
    hand(
        "scores.general_scores",
        "widths 2 and 3",
        [[1, 19]],
        Q=[[1, 2]],
        K=[[1, 0, 0], [0, 1, 1]],
        W=[[1, 2, 3], [0, 3, 4]],
    ),
    hand(
        "scores.general_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1, 2]],
        K=np.ones((0, 3)),
        W=np.ones((2, 3)),
    ),
    # Hidden units: (1 + 1, 1 - 1) = (2, 0), then (1 - 1, 1 + 1) = (0, 2); weighed by (3, 5).
    hand(
        "scores.additive_scores",
        "two hidden units",
        [[3 * tanh(2), 5 * tanh(2)]],
        Q=[[1]],
        K=[[1], [-1]],
        W_q=[[1, 1]],
        W_k=[[1, -1]],
        v=[3, 5],
    ),
    hand(
        "scores.additive_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1]],
        K=np.ones((0, 1)),
        W_q=[[1, 1]],
        W_k=[[1, -1]],
        v=[3, 5],
    ),
    # Squared distances 25, 4 and 0; divided by 2 h^2 = 2.
    hand(
        "scores.gaussian_scores",
        "bandwidth 1",
        [[-12.5, -2, 0]],
        Q=[[0, 0]],
        K=[[3, 4], [0, 2], [0, 0]],
    ),
    # ... and divided by 2 h^2 = 8.
    hand(
        "scores.gaussian_scores",
        "bandwidth 2",
        [[-3.125, -0.5, 0]],
        Q=[[0, 0]],
        K=[[3, 4], [0, 2], [0, 0]],
        bandwidth=2.0,
    ),
    hand(
        "scores.gaussian_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1, 2]],
        K=np.ones((0, 2)),
    ),
    # At 0.5 both neighbors count the same: (2 + 4)/2. At 0 the weights are 1 : exp(-1/2).
    hand(
        "scores.nadaraya_watson",
        "between two points, and on one",
        [3, (2 + 4 * exp(-0.5)) / (1 + exp(-0.5))],
        x_query=[0.5, 0],
        x=[0, 1],
        y=[2, 4],
    ),
    # Bandwidth 1/2: the weights at 0 are 1 : exp(-1/(2/4)) = 1 : exp(-2).
    hand(
        "scores.nadaraya_watson",
        "half the bandwidth",
        [(2 + 4 * exp(-2)) / (1 + exp(-2))],
        x_query=[0],
        x=[0, 1],
        y=[2, 4],
        bandwidth=0.5,
    ),
    hand(
        "scores.nadaraya_watson",
        "far from all data the nearest point decides",
        [7, 2, 7],
        x_query=[1000, -1000, 1e9],
        x=[0, 1, 10],
        y=[2, 4, 7],
    ),
    hand(
        "scores.nadaraya_watson",
        "nowhere to predict",
        [],
        x_query=[],
        x=[0, 1],
        y=[2, 4],
    ),
    # exp(0) : exp(ln 3) = 1 : 3.
    hand("softmax.softmax", "one to three", [0.25, 0.75], scores=[0, log(3)]),
    # exp(ln(9)/2) = 3: at temperature 2, 1 : 9 becomes 1 : 3.
    hand(
        "softmax.softmax",
        "temperature 2",
        [0.25, 0.75],
        scores=[0, log(9)],
        temperature=2.0,
    ),
    hand(
        "softmax.softmax",
        "down the columns",
        [[0.5, 0.2], [0.5, 0.8]],
        scores=[[5, 0], [5, log(4)]],
        axis=0,
    ),
    hand("softmax.softmax", "one element", [[1], [1]], scores=[[-7], [1e300]]),
    hand(
        "softmax.softmax",
        "scores that exp cannot hold",
        [0.5, 0.5, 0],
        scores=[1e5, 1e5, -1e5],
    ),
    hand(
        "softmax.softmax",
        "scores offset by -2e6",
        [1 / (1 + e), e / (1 + e)],
        scores=[-2e6, -2e6 + 1],
    ),
    hand(
        "softmax.softmax", "-inf gives weight 0", [0.5, 0, 0.5], scores=[1, -INF, 1]
    ),
    hand(
        "softmax.softmax",
        "-inf at temperature 2",
        [1, 0],
        scores=[1, -INF],
        temperature=2.0,
    ),
    hand("softmax.softmax", "no finite score", [NAN, NAN], scores=[-INF, -INF]),
    hand(
        "softmax.softmax",
        "+inf or NaN spoils its row alone",
        [[NAN, NAN], [NAN, NAN], [0.5, 0.5]],
        scores=[[INF, 1], [NAN, 1], [1, 1]],
    ),
    hand(
        "softmax.softmax",
        "an empty batch",
        np.zeros((0, 3)),
        scores=np.zeros((0, 3)),
    ),
    hand(
        "softmax.log_softmax",
        "one to three",
        [log(0.25), log(0.75)],
        scores=[0, log(3)],
    ),
    hand(
        "softmax.log_softmax",
        "down the columns",
        [[log(0.5), log(0.2)], [log(0.5), log(0.8)]],
        scores=[[5, 0], [5, log(4)]],
        axis=0,
    ),
    hand(
        "softmax.log_softmax",
        "exact where the weight rounds to 0",
        [-1e5, 0],
        scores=[0, 1e5],
    ),
    hand("softmax.log_softmax", "-inf stays -inf", [0, -INF], scores=[1, -INF]),
    hand(
        "softmax.log_softmax",
        "no finite score, +inf, NaN: NaN",
        [[NAN, NAN], [NAN, NAN], [NAN, NAN], [log(0.5), log(0.5)]],
        scores=[[-INF, -INF], [INF, 1], [NAN, 1], [1, 1]],
    ),
    hand(
        "softmax.log_softmax",
        "an empty batch",
        np.zeros((0, 3)),
        scores=np.zeros((0, 3)),
    ),
    # A fair coin is log 2, certainty is 0, four equal weights are log 4.
    hand(
        "softmax.entropy",
        "certainty, a coin, four equal weights",
        [0, log(2), log(4)],
        weights=[[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0.25, 0.25, 0.25, 0.25]],
    ),
    # 1/2 log 2 + 1/4 log 4 + 1/4 log 4 = 3/2 log 2.
    hand(
        "softmax.entropy",
        "one row gives one number",
        1.5 * log(2),
        weights=[0.5, 0.25, 0.25],
    ),
    hand(
        "softmax.entropy",
        "columns",
        [log(2), 0],
        weights=[[0.5, 1], [0.5, 0]],
        axis=0,
    ),
    hand(
        "softmax.entropy",
        "a negative or NaN weight spoils its row alone",
        [NAN, NAN, 0],
        weights=[[-1, 2], [NAN, 1], [0, 1]],
    ),
    hand(
        "softmax.entropy", "an empty batch", np.zeros(0), weights=np.zeros((0, 3))
    ),
    # a (1 - a) on the diagonal, -a b beside it: 0.2 * 0.8 = 0.16, 0.2 * 0.3 = 0.06, ...
    hand(
        "softmax.softmax_jacobian",
        "weights 0.2, 0.3, 0.5",
        [[0.16, -0.06, -0.10], [-0.06, 0.21, -0.15], [-0.10, -0.15, 0.25]],
        weights=[0.2, 0.3, 0.5],
    ),
    hand("softmax.softmax_jacobian", "certainty", np.zeros((2, 2)), weights=[1, 0]),
    hand(
        "softmax.softmax_jacobian",
        "a NaN weight gives a NaN row and column",
        [[NAN, NAN, NAN], [NAN, 0.25, -0.25], [NAN, -0.25, 0.25]],
        weights=[NAN, 0.5, 0.5],
    ),
    hand(
        "softmax.softmax_jacobian",
        "an empty batch",
        np.zeros((0, 3, 3)),
        weights=np.zeros((0, 3)),
    ),
    # Queries are the elements, keys the elements with features swapped, values their sums.
    hand(
        "qkv.project_qkv",
        "keys and values share X with the queries but are not equal to them",
        ([[1, 2], [3, 4]], [[2, 1], [4, 3]], [[3], [7]]),
        X=[[1, 2], [3, 4]],
        W_Q=[[1, 0], [0, 1]],
        W_K=[[0, 1], [1, 0]],
        W_V=[[1], [1]],
    ),
    # (1, 2) W_Q = (1, 0) + 2 (3, 4): a row vector times the matrix, not the matrix times a column.
    hand(
        "qkv.project_qkv",
        "queries from X, keys and values from Z, and rows times matrices",
        ([[7, 8]], [[5, 0], [0, 7]], [[5], [14]]),
        X=[[1, 2]],
        Z=[[5, 0], [0, 7]],
        W_Q=[[1, 0], [3, 4]],
        W_K=[[1, 0], [0, 1]],
        W_V=[[1], [2]],
    ),
    hand(
        "qkv.project_qkv",
        "nothing to ask",
        (np.zeros((0, 1)), [[3]], [[3]]),
        X=np.zeros((0, 1)),
        Z=[[1]],
        W_Q=[[3]],
        W_K=[[3]],
        W_V=[[3]],
    ),
    *(
        hand(function, about, weights @ np.array(V) if V else weights, **arguments)
        for function, V in (
            ("qkv.attention_weights", None),
            ("qkv.attention", [[8.0, 0.0, 1.0], [0.0, 4.0, 1.0]]),
        )
        for about, weights, arguments in (
            # Scores 2 log 3 and 0, over sqrt(4): 3 : 1. The second query finds both alike.
            (
                "scores over sqrt(4)",
                np.array([[0.75, 0.25], [0.5, 0.5]]),
                {
                    "Q": [[2, 0, 0, 0], [0, 1, 0, 0]],
                    "K": [[log(3), 5, 0, 0], [0, 5, 0, 0]],
                },
            ),
            # Query 0 matches key 1, which the reversed roles (softmax over queries) would not give.
            (
                "rows are queries",
                np.array([[0.1, 0.9], [0.5, 0.5], [0.5, 0.5]]),
                {"Q": [[1], [0], [0]], "K": [[0], [log(9)]]},
            ),
            (
                "a mask: True may attend; nothing allowed gives zeros",
                np.array([[1, 0], [0, 1], [0, 0], [0.5, 0.5]]),
                {
                    "Q": [[1], [1], [1], [1]],
                    "K": [[7], [7]],
                    "mask": [
                        [True, False],
                        [False, True],
                        [False, False],
                        [True, True],
                    ],
                },
            ),
            # The bias is added after scaling: log 3 stays log 3 although scores are divided by 2.
            (
                "a bias is not scaled, and -inf excludes",
                np.array([[0.25, 0.75], [0, 1], [0, 0]]),
                {
                    "Q": np.zeros((3, 4)),
                    "K": np.zeros((2, 4)),
                    "bias": [[0, log(3)], [-INF, 5], [-INF, -INF]],
                },
            ),
            (
                "scales 1, with four features",
                np.array([[0.75, 0.25]]),
                {
                    "Q": [[1, 0, 0, 0]],
                    "K": [[log(3), 0, 0, 0], [0, 9, 9, 9]],
                    "scale": 1.0,
                },
            ),
            (
                "a negative scale prefers what is least alike",
                np.array([[0.25, 0.75]]),
                {"Q": [[1]], "K": [[log(3)], [0]], "scale": -1.0},
            ),
            (
                "scores that exp cannot hold",
                np.array([[1, 0], [0.5, 0.5]]),
                {"Q": [[1e3], [0]], "K": [[1e3], [-1e3]]},
            ),
            (
                "a NaN in a query spoils its row alone",
                np.array([[NAN, NAN], [0.5, 0.5]]),
                {"Q": [[NAN], [0]], "K": [[1], [2]]},
            ),
            (
                "a NaN in a masked key has no effect",
                np.array([[0, 1]]),
                {"Q": [[1]], "K": [[NAN], [2]], "mask": [[False, True]]},
            ),
        )
        for arguments in ([arguments | {"V": V} if V else arguments])
    ),
    *(
        hand(
            function,
            "no keys, so nothing allowed",
            expected,
            Q=[[1], [2]],
            K=np.zeros((0, 1)),
            **more,
        )
        for function, expected, more in (
            ("qkv.attention_weights", np.zeros((2, 0)), {}),
            ("qkv.attention", np.zeros((2, 3)), {"V": np.zeros((0, 3))}),
            ("masks.causal_attention", np.zeros((2, 3)), {"V": np.zeros((0, 3))}),
        )
    ),
    hand(
        "qkv.attention",
        "no queries",
        np.zeros((0, 3)),
        Q=np.zeros((0, 2)),
        K=[[1, 2]],
        V=[[1, 2, 3]],
    ),
    hand(
        "qkv.attention",
        "a NaN in a value spreads down its column, even through a weight of 0",
        [[NAN, 1]],
        Q=[[1]],
        K=[[1], [1]],
        V=[[NAN, 7], [1, 1]],
        mask=[[False, True]],
    ),
    # Dot products log 3 and 0: 3 : 1. At temperature 1/2, 9 : 1.
    hand(
        "qkv.soft_lookup",
        "three to one",
        [25, 1],
        query=[log(3), 5],
        keys=[[1, 0], [0, 0]],
        values=[[20, 1], [40, 1]],
    ),
    hand(
        "qkv.soft_lookup",
        "nine to one at temperature 1/2, without a scale",
        [22],
        query=[log(3), 5],
        keys=[[1, 0], [0, 0]],
        values=[[20], [40]],
        temperature=0.5,
    ),
    hand(
        "qkv.soft_lookup",
        "cold: the value of the best key",
        [40],
        query=[0, 1],
        keys=[[1, 0], [0, 1]],
        values=[[20], [40]],
        temperature=1e-3,
    ),
    # 1 + 2 + 3 + 4 = 10, over sqrt(4).
    hand(
        "scaling.scaled_scores",
        "over the root of the number of features",
        [[5, 0.5], [0, 0]],
        Q=[[1, 2, 3, 4], [0, 0, 0, 0]],
        K=[[1, 1, 1, 1], [1, 0, 0, 0]],
    ),
    hand(
        "scaling.scaled_scores",
        "scale -3",
        [[-3, -6]],
        Q=[[1]],
        K=[[1], [2]],
        scale=-3.0,
    ),
    hand(
        "scaling.scaled_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1]],
        K=np.zeros((0, 1)),
    ),
    # Mean 1, deviations -1, -1, 1, 1; two equal weights in each row.
    hand(
        "scaling.score_statistics",
        "two rows of ties",
        (1, 1, log(2), 0.5),
        scores=[[0, 0], [2, 2]],
    ),
    # Mean 3, deviations -1000, 1000, 0, 0. A certain row (entropy 0, weight 1), a tie (log 2, 1/2).
    hand(
        "scaling.score_statistics",
        "a sharp row and a tie, in one of two matrices",
        ([3, 0], [500_000, 0], [log(2) / 2, log(2)], [0.75, 0.5]),
        scores=[[[-997, 1003], [3, 3]], [[0, 0], [0, 0]]],
    ),
    *(
        hand("scaling.expected_score_variance", f"{options}", expected, **options)
        for expected, options in (
            (64, {"d_k": 64}),  # d
            (192, {"d_k": 64, "mean": 1.0}),  # d (1 + 2 m^2)
            (3 * 19, {"d_k": 3, "mean": -3.0}),
            (128, {"d_k": 64, "shared": True}),  # 2 d
            (3 * 38, {"d_k": 3, "mean": 3.0, "shared": True}),  # 2 d + 4 d m^2
        )
    ),
    hand(
        "masks.causal_mask",
        "square",
        [[True, False, False], [True, True, False], [True, True, True]],
        n_q=3,
    ),
    hand(
        "masks.causal_mask",
        "two new queries and a cache of two keys",
        [[True, True, True, False], [True, True, True, True]],
        n_q=2,
        n_k=4,
    ),
    hand(
        "masks.causal_mask",
        "more queries than keys: the first see nothing",
        [[False, False], [True, False], [True, True]],
        n_q=3,
        n_k=2,
    ),
    *(
        hand(
            "masks.causal_mask",
            f"empty {shape}",
            np.zeros(shape, bool),
            n_q=shape[0],
            n_k=shape[1],
        )
        for shape in ((0, 0), (0, 3), (3, 0))
    ),
    hand(
        "masks.sliding_window_mask",
        "two keys at most",
        [[True, False, False], [True, True, False], [False, True, True]],
        n_q=3,
        window=2,
    ),
    hand(
        "masks.sliding_window_mask",
        "with a cache of two keys",
        [[False, True, True, False], [False, False, True, True]],
        n_q=2,
        n_k=4,
        window=2,
    ),
    hand(
        "masks.sliding_window_mask",
        "more queries than keys",
        [[False, False], [True, False], [False, True]],
        n_q=3,
        n_k=2,
        window=1,
    ),
    hand(
        "masks.padding_mask",
        "the keys that are real come first",
        [[[True, True, False]], [[False, False, False]], [[True, True, True]]],
        lengths=[2, 0, 3],
        n_k=3,
    ),
    hand(
        "masks.padding_mask",
        "no sequences",
        np.zeros((0, 1, 3), bool),
        lengths=np.zeros(0, int),
        n_k=3,
    ),
    hand(
        "masks.padding_mask",
        "no keys",
        np.zeros((1, 1, 0), bool),
        lengths=[0],
        n_k=0,
    ),
    hand(
        "masks.mask_to_bias",
        "nothing is added where attending is allowed",
        [[0, -INF], [-INF, 0]],
        mask=[[True, False], [False, True]],
        dtype=np.dtype("float32"),
    ),
    # exp(0) : exp(log 3) = 1 : 3 among those allowed; the largest score of all is masked.
    hand(
        "masks.masked_softmax",
        "a mask, and a row with nothing allowed",
        [[0.25, 0.75, 0], [0, 0, 0], [0, 0, 1]],
        scores=[[0, log(3), 99], [1, 2, 3], [-5, 0, -7]],
        mask=[[True, True, False], [False, False, False], [False, False, True]],
    ),
    hand(
        "masks.masked_softmax",
        "offset by -2e6: a fill of -1e6 would attend to the masked score alone",
        [0.5, 0.5, 0],
        scores=[-2e6, -2e6, 0],
        mask=[True, True, False],
    ),
    hand(
        "masks.masked_softmax",
        "-inf counts as masked, also without a mask",
        [[0, 1], [0, 0]],
        scores=[[-INF, 3], [-INF, -INF]],
    ),
    hand(
        "masks.masked_softmax",
        "+inf and NaN spoil their rows, unless masked",
        [[NAN, NAN], [NAN, NAN], [1, 0], [1, 0]],
        scores=[[INF, 1], [NAN, 1], [1, INF], [1, NAN]],
        mask=[[True, True], [True, True], [True, False], [True, False]],
    ),
    hand(
        "masks.masked_softmax",
        "no scores",
        np.zeros((2, 0)),
        scores=np.zeros((2, 0)),
    ),
    # Means of the first one, two and three values.
    hand(
        "masks.causal_attention",
        "running means",
        [[2], [3], [5]],
        Q=[[0], [0], [0]],
        K=[[0], [0], [0]],
        V=[[2], [4], [9]],
    ),
    hand(
        "masks.causal_attention",
        "the last query sees all keys",
        [[3], [5]],
        Q=[[0], [0]],
        K=[[0], [0], [0]],
        V=[[2], [4], [9]],
    ),
    # Scores 2 log 3 over sqrt(4), then 0: 3 : 1. The first query sees nothing.
    hand(
        "masks.causal_attention",
        "scaled; a query before the first key gets zeros",
        [[0], [8], [6]],
        Q=[[1, 1, 1, 1], [5, 5, 5, 5], [2, 0, 0, 0]],
        K=[[log(3), 0, 0, 0], [0, 0, 0, 0]],
        V=[[8], [0]],
    ),
    hand(
        "masks.causal_attention",
        "scale 1",
        [[8], [6]],
        Q=[[0], [1]],
        K=[[log(3)], [0]],
        V=[[8], [0]],
        scale=1.0,
    ),
]


# --------------------------------------------------------------------------------------------------
# BAD_INPUT: shapes stand for arrays of ones. Messages say what was needed and what was given.


_DTYPES = {"mask": bool, "lengths": np.int64}


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


def _number(
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


def _count(function: str, name: str, too_small: int, **given: Any) -> list[Bad]:
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


def _masks(function: str, **arrays: tuple[int, ...]) -> list[Bad]:
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


def _values(function: str) -> list[Bad]:
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


def _axis(function: str, array: str, n_axes: int) -> list[Bad]:
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


def _queries_and_keys(function: str) -> list[Bad]:
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


_SUM = "weighted_sum.weighted_sum"
_LOOP = "weighted_sum.weighted_sum_loop"
_GENERAL = "scores.general_scores"
_ADDITIVE = "scores.additive_scores"
_KERNEL = "scores.nadaraya_watson"

_PROJECT = "qkv.project_qkv"
_LOOKUP = "qkv.soft_lookup"
_STATISTICS = "scaling.score_statistics"
_VARIANCE = "scaling.expected_score_variance"

BAD_INPUT = [
    # 1. weighted_sum
    misfit(_SUM, "values", "n_k = 7 from weights", weights=(3, 7), values=(5, 2)),
    misfit(
        _SUM,
        "values",
        "n_k = 7 from weights",
        "not broadcast",
        weights=(3, 7),
        values=(1, 2),
    ),
    misfit(_SUM, "values", "n_k = 1 from weights", weights=(3, 1), values=(7, 2)),
    misfit(_SUM, "values", "n_k = 7 from weights", weights=(7,), values=(1, 2)),
    misfit(_SUM, "values", "n_k = 1 from weights", weights=(1,), values=(7, 2)),
    misfit(_SUM, "values", "n_k = 0 from weights", weights=(3, 0), values=(7, 2)),
    misfit(
        _SUM,
        "values",
        "batch = (5,) from weights",
        weights=(5, 3, 7),
        values=(1, 7, 2),
    ),
    misfit(
        _SUM,
        "values",
        "batch = (1,) from weights",
        weights=(1, 3, 7),
        values=(5, 7, 2),
    ),
    misfit(
        _SUM, "values", "batch = () from weights", weights=(3, 7), values=(5, 7, 2)
    ),
    misfit(
        _SUM,
        "values",
        "batch = (5,) from weights",
        weights=(5, 3, 7),
        values=(7, 2),
    ),
    misfit(
        _SUM,
        "values",
        "(*batch, n_k, d)",
        "got 1 axes",
        weights=(3, 7),
        values=(7,),
    ),
    misfit(_LOOP, "values", "n_k = 7 from weights", weights=(3, 7), values=(1, 2)),
    misfit(_LOOP, "values", "n_k = 1 from weights", weights=(3, 1), values=(7, 2)),
    misfit(
        _LOOP, "weights", "(n_q, n_k)", "got 1 axes", weights=(7,), values=(7, 2)
    ),
    misfit(
        _LOOP, "values", "(n_k, d)", "got 3 axes", weights=(3, 7), values=(5, 7, 2)
    ),
    # 2. scores
    *_queries_and_keys("scores.dot_scores"),
    *_queries_and_keys("scores.cosine_scores"),
    *_queries_and_keys("scores.gaussian_scores"),
    *_number("scores.gaussian_scores", "bandwidth", Q=(7, 5), K=(11, 5)),
    misfit(_GENERAL, "W", "d_q = 5 from Q", Q=(7, 5), K=(11, 3), W=(3, 5)),
    misfit(_GENERAL, "W", "d_q = 5 from Q", Q=(7, 5), K=(11, 3), W=(1, 3)),
    misfit(_GENERAL, "W", "d_k = 3 from K", Q=(7, 5), K=(11, 3), W=(5, 1)),
    misfit(_GENERAL, "W", "(d_q, d_k)", "got 1 axes", Q=(7, 5), K=(11, 3), W=(5,)),
    misfit(
        _GENERAL,
        "W",
        "(d_q, d_k)",
        "got 3 axes",
        Q=(2, 7, 5),
        K=(2, 11, 3),
        W=(2, 5, 3),
    ),
    misfit(
        _GENERAL, "K", "batch = (3,) from Q", Q=(3, 7, 5), K=(1, 11, 3), W=(5, 3)
    ),
    misfit(
        _ADDITIVE,
        "W_q",
        "d_q = 5",
        Q=(7, 5),
        K=(11, 3),
        W_q=(1, 2),
        W_k=(3, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_k",
        "d_k = 3",
        Q=(7, 5),
        K=(11, 3),
        W_q=(5, 2),
        W_k=(1, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_k",
        "d_hidden = 2",
        Q=(7, 5),
        K=(11, 3),
        W_q=(5, 2),
        W_k=(3, 1),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_k",
        "d_hidden = 1",
        Q=(7, 5),
        K=(11, 3),
        W_q=(5, 1),
        W_k=(3, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "v",
        "d_hidden = 2",
        Q=(7, 5),
        K=(11, 3),
        W_q=(5, 2),
        W_k=(3, 2),
        v=(1,),
    ),
    misfit(
        _ADDITIVE,
        "v",
        "(d_hidden,)",
        "got 2 axes",
        Q=(7, 5),
        K=(11, 3),
        W_q=(5, 2),
        W_k=(3, 2),
        v=(2, 1),
    ),
    misfit(
        _ADDITIVE,
        "K",
        "batch = (3,) from Q",
        Q=(3, 7, 5),
        K=(1, 11, 3),
        W_q=(5, 2),
        W_k=(3, 2),
        v=(2,),
    ),
    misfit(_KERNEL, "y", "n = 7 from x", x_query=(3,), x=(7,), y=(5,)),
    misfit(
        _KERNEL, "y", "n = 7 from x", "not broadcast", x_query=(3,), x=(7,), y=(1,)
    ),
    misfit(_KERNEL, "y", "n = 1 from x", x_query=(3,), x=(1,), y=(7,)),
    misfit(_KERNEL, "x", "at least one element", x_query=(3,), x=(0,), y=(0,)),
    misfit(
        _KERNEL, "x_query", "(n_q,)", "got 2 axes", x_query=(3, 1), x=(7,), y=(7,)
    ),
    misfit(_KERNEL, "x", "(n,)", "got 2 axes", x_query=(3,), x=(7, 1), y=(7,)),
    misfit(_KERNEL, "y", "(n,)", "got 2 axes", x_query=(3,), x=(7,), y=(7, 1)),
    *_number(_KERNEL, "bandwidth", x_query=(3,), x=(7,), y=(7,)),
    # 3. softmax
    *_number("softmax.softmax", "temperature", scores=(7,)),
    *_axis("softmax.softmax", "scores", 2),
    *_axis("softmax.log_softmax", "scores", 2),
    *_axis("softmax.entropy", "weights", 2),
    misfit(
        "softmax.softmax_jacobian", "weights", "at least one element", weights=(0,)
    ),
    misfit(
        "softmax.softmax_jacobian",
        "weights",
        "at least one element",
        weights=(2, 0),
    ),
    # 4. qkv
    misfit(
        _PROJECT,
        "W_Q",
        "d_model = 3 from X",
        X=(7, 3),
        W_Q=(2, 3),
        W_K=(3, 5),
        W_V=(3, 5),
    ),
    misfit(
        _PROJECT,
        "W_K",
        "d_model = 3 from X",
        X=(7, 3),
        W_Q=(3, 5),
        W_K=(5, 5),
        W_V=(3, 5),
    ),
    misfit(
        _PROJECT,
        "W_K",
        "d_k = 5 from W_Q",
        X=(7, 3),
        W_Q=(3, 5),
        W_K=(3, 2),
        W_V=(3, 5),
    ),
    misfit(
        _PROJECT,
        "W_K",
        "d_k = 5 from W_Q",
        X=(7, 3),
        W_Q=(3, 5),
        W_K=(3, 1),
        W_V=(3, 5),
    ),
    misfit(
        _PROJECT,
        "W_V",
        "d_model = 3 from X",
        X=(7, 3),
        W_Q=(3, 5),
        W_K=(3, 5),
        W_V=(5, 3),
    ),
    misfit(
        _PROJECT,
        "Z",
        "d_model = 3 from X",
        X=(7, 3),
        W_Q=(3, 5),
        W_K=(3, 5),
        W_V=(3, 5),
        Z=(7, 5),
    ),
    misfit(
        _PROJECT,
        "Z",
        "batch = (2,) from X",
        X=(2, 7, 3),
        W_Q=(3, 5),
        W_K=(3, 5),
        W_V=(3, 5),
        Z=(11, 3),
    ),
    *_queries_and_keys("qkv.attention_weights"),
    misfit(
        "qkv.attention_weights",
        "Q",
        "at least one element along axis -1",
        Q=(7, 0),
        K=(11, 0),
    ),
    *_masks("qkv.attention_weights", Q=(2, 7, 5), K=(2, 11, 5)),
    *_number("qkv.attention_weights", "scale", positive=False, Q=(7, 5), K=(11, 5)),
    *_values("qkv.attention"),
    *_masks("qkv.attention", Q=(2, 7, 5), K=(2, 11, 5), V=(2, 11, 3)),
    *_number(
        "qkv.attention", "scale", positive=False, Q=(7, 5), K=(11, 5), V=(11, 3)
    ),
    misfit(
        _LOOKUP,
        "keys",
        "d_k = 5 from query",
        query=(5,),
        keys=(11, 3),
        values=(11, 2),
    ),
    misfit(
        _LOOKUP,
        "values",
        "n_k = 11 from keys",
        query=(5,),
        keys=(11, 5),
        values=(1, 2),
    ),
    misfit(
        _LOOKUP,
        "query",
        "(d_k,)",
        "got 2 axes",
        query=(1, 5),
        keys=(11, 5),
        values=(11, 2),
    ),
    misfit(
        _LOOKUP,
        "keys",
        "at least one element",
        query=(5,),
        keys=(0, 5),
        values=(0, 2),
    ),
    *_number(_LOOKUP, "temperature", query=(5,), keys=(11, 5), values=(11, 2)),
    # 5. scaling
    *_queries_and_keys("scaling.scaled_scores"),
    misfit(
        "scaling.scaled_scores",
        "Q",
        "at least one element along axis -1",
        Q=(7, 0),
        K=(11, 0),
    ),
    *_number("scaling.scaled_scores", "scale", positive=False, Q=(7, 5), K=(11, 5)),
    misfit(_STATISTICS, "scores", "(*batch, n_q, n_k)", "got 1 axes", scores=(5,)),
    misfit(
        _STATISTICS, "scores", "at least one element along axis -2", scores=(0, 5)
    ),
    misfit(
        _STATISTICS, "scores", "at least one element along axis -1", scores=(5, 0)
    ),
    *_count(_VARIANCE, "d_k", 0),
    *_number(_VARIANCE, "mean", positive=False, d_k=64),
    *(
        Bad(
            _VARIANCE,
            f"shared {value!r}",
            {"d_k": 64, "shared": value},
            TypeError,
            "shared",
            ("must be True or False", f"got {type(value).__name__}"),
        )
        for value in (1, 0, None, "no", 1.0)
    ),
    # 6. masks
    *_count("masks.causal_mask", "n_q", -1, n_k=5),
    *_count("masks.causal_mask", "n_q", -1),
    *_count("masks.causal_mask", "n_k", -1, n_q=5),
    *_count("masks.sliding_window_mask", "n_q", -1, window=2),
    *_count("masks.sliding_window_mask", "n_k", -1, n_q=5, window=2),
    *_count("masks.sliding_window_mask", "window", 0, n_q=5),
    *_count("masks.padding_mask", "n_k", -1, lengths=np.array([0])),
    *(
        Bad(
            "masks.padding_mask",
            f"lengths {lengths}",
            {"lengths": np.array(lengths), "n_k": 5},
            ValueError,
            "lengths",
            ("between 0 and n_k = 5", f"got {found}"),
        )
        for lengths, found in (([5, 6], 6), ([-1, 3], -1), ([0, 5, -2, 9], -2))
    ),
    misfit(
        "masks.padding_mask",
        "lengths",
        "(batch,)",
        "got 2 axes",
        lengths=(2, 1),
        n_k=5,
    ),
    *(
        Bad(
            "masks.mask_to_bias",
            f"dtype {dtype!r}",
            {"mask": np.ones((2, 3), bool), "dtype": dtype},
            TypeError,
            "dtype",
            ("must be a floating-point dtype", "got"),
        )
        for dtype in (None, "float32", 32, int, np.dtype("int64"), np.dtype("bool"))
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "n = 5 from scores",
        scores=(7, 5),
        mask=(7,),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "batch = (7,) from scores",
        scores=(7, 5),
        mask=(3, 5),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "batch = () from scores",
        scores=(5,),
        mask=(7, 5),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "broadcast to shape (*batch, n) with batch = (2, 7) from scores",
        scores=(2, 7, 5),
        mask=(2, 1, 7, 5),
    ),
    *_values("masks.causal_attention"),
    *_number(
        "masks.causal_attention",
        "scale",
        positive=False,
        Q=(7, 5),
        K=(11, 5),
        V=(11, 3),
    ),
]
