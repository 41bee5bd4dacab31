"""The tables that `test_twins.py` works through. A new public function needs rows here.

A function is named by chapter and name, `"softmax.log_softmax"`. Arrays are float64 and NumPy's;
`twin` converts them for PyTorch, so that both libraries always get the same numbers.

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
    """Copy an array for a library, in the dtype of this name; leave all else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    if library == "in_torch":
        tensor = torch.from_numpy(value.copy())
        return tensor.to(
            device=device, dtype=getattr(torch, dtype) if dtype else None
        )
    with np.errstate(over="ignore"):  # -2e6 is -inf in float16
        return value.astype(dtype or value.dtype, copy=True)


def in_numpy(result: Any) -> np.ndarray:
    """Return a result of either library as a NumPy array; bfloat16, unknown there, as float32."""
    if isinstance(result, torch.Tensor):
        result = result.detach().cpu()
        result = result.float() if result.dtype == torch.bfloat16 else result
    return np.asarray(result)


def twin(library: str, path: str) -> Callable[..., np.ndarray]:
    """Return a function of one library as a function from NumPy arrays to a NumPy array."""
    function = raw(library, path)

    def converted(*args: Any, **kwargs: Any) -> np.ndarray:
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
        """Return fresh arguments for one library."""
        arrays = {
            name: convert(library, a, dtype, device)
            for name, a in self.arrays.items()
        }
        return arrays | self.options


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

_rng = np.random.default_rng(20_240_601)


def normal(*shape: int) -> np.ndarray:
    """Draw a standard normal array."""
    return _rng.normal(size=shape)


def distribution(*shape: int) -> np.ndarray:
    """Draw positive weights that sum to 1 along the last axis."""
    return _rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])


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
}


# --------------------------------------------------------------------------------------------------
# BY_HAND: small numbers that can be checked in the head, and what the docstrings promise.


def hand(function: str, about: str, expected: Any, **arguments: Any) -> Case:
    """Give a case with a known result; lists among the arguments are arrays."""
    arrays = {
        name: np.array(value, dtype=float)
        for name, value in arguments.items()
        if isinstance(value, list | np.ndarray)
    }
    options = {
        name: value for name, value in arguments.items() if name not in arrays
    }
    return Case(function, about, arrays, options, np.array(expected, dtype=float))


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
]


# --------------------------------------------------------------------------------------------------
# BAD_INPUT: shapes stand for arrays of ones. Messages say what was needed and what was given.


def misfit(function: str, names: str, *says: str, **arguments: Any) -> Bad:
    """Give a call whose shapes do not fit; the shape of the argument named must be quoted."""
    shape = arguments[names]
    arrays = {
        k: np.ones(v) if isinstance(v, tuple) else v for k, v in arguments.items()
    }
    about = ", ".join(f"{name} {value}" for name, value in arguments.items())
    return Bad(
        function, about, arrays, ValueError, names, ("got", str(shape), *says)
    )


def _number(function: str, name: str, **arrays: tuple[int, ...]) -> list[Bad]:
    """Try what is no number greater than 0 for one option."""
    ones = {key: np.ones(shape) for key, shape in arrays.items()}
    values = [0, 0.0, -0.0, -1.5, NAN, INF, -INF]
    kinds = {
        "str": "1",
        "bool": True,
        "NoneType": None,
        "complex": 1j,
        "list": [1.0],
    }
    kinds["Tensor"] = torch.tensor(1.0)
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
]
