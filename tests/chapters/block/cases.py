"""The calls that the twins of the chapter `block` are compared in."""

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import scipy.stats
import torch
import torch.nn.functional as F

from course_attn.in_numpy.block import gelu, post_norm_block, pre_norm_block, relu
from tests.chapters.block.refused import (
    BAD_INPUT,
    BLOCK,
    D_FF,
    D_MODEL,
    HEADS,
    WIRINGS,
    params,
)
from tests.support.arrays import BATCH, N_Q, N, batched, normal, random_mask
from tests.support.oracles import and_causal, tensors
from tests.support.twin_table import INF, NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]


def _block(
    about: str, *batch: int, mask: np.ndarray | None = None, **options: Any
) -> Case:
    """Give a call of the block."""
    arrays = {"X": normal(*batch, N_Q, D_MODEL)}
    arrays |= {} if mask is None else {"mask": mask}
    options = {"params": params(), "n_heads": HEADS} | options
    return Case(BLOCK, about, arrays, options)


_CAUSAL = np.tri(N_Q, dtype=bool)

# Four different functions, so that no two of them can be exchanged.
_PARTS = {
    "attend": lambda X: 2 * X + X[..., :1, :],
    "process": lambda X: X * X,
    "norm_1": lambda X: X / 3 + 1,
    "norm_2": lambda X: X - 2,
}
_HIDDEN = {
    "W_1": (D_MODEL, D_FF),
    "b_1": (D_FF,),
    "W_2": (D_FF, D_MODEL),
    "b_2": (D_MODEL,),
}


def _with(cases: list[Case], **options: Any) -> list[Case]:
    """Give the same calls with options."""
    said = ", ".join(f"{k}={getattr(o, '__name__', o)}" for k, o in options.items())
    return [
        Case(c.function, f"{c.about}, {said}", c.arrays, options) for c in cases
    ]


_NORM = batched("block.layer_norm", X=(..., N_Q, N), gain=(N,), bias=(N,))
_RMS = batched("block.rms_norm", X=(..., N_Q, N), gain=(N,))
_FEED = batched("block.feed_forward", X=(..., N_Q, D_MODEL), **_HIDDEN)

CASES = [
    *batched("block.relu", X=(..., N_Q, N)),
    *batched("block.gelu", X=(..., N_Q, N)),
    Case("block.gelu", "far out", {"X": np.linspace(-9.0, 9.0, 41)}),
    Case("block.relu", "a single row", {"X": normal(N)}),
    *_NORM,
    *_with(_NORM, eps=0.0),
    *_with(_NORM, eps=0.3),
    Case(
        "block.layer_norm",
        "a single element, far from zero",
        {"X": normal(N) + 50.0, "gain": normal(N), "bias": normal(N)},
    ),
    *_RMS,
    *_with(_RMS, eps=0.0),
    *_with(_RMS, eps=0.3),
    Case("block.rms_norm", "a single element", {"X": normal(N), "gain": normal(N)}),
    *_FEED,
    *_with(_FEED, activation=gelu),
    *_with(_FEED, activation=relu),
    *(
        case
        for norm, block in (("pre", pre_norm_block), ("post", post_norm_block))
        for case in (
            _block(f"{norm}-norm", block=block),
            _block(f"{norm}-norm, a batch", *BATCH, block=block, activation=gelu),
            _block(f"{norm}-norm, a causal mask", block=block, mask=_CAUSAL),
            _block(f"{norm}-norm, causal", block=block, causal=True),
            _block(
                f"{norm}-norm, causal and a mask",
                block=block,
                causal=True,
                mask=random_mask(N_Q, N_Q),
            ),
            _block(
                f"{norm}-norm, a mask each",
                *BATCH,
                block=block,
                mask=random_mask(*BATCH, N_Q, N_Q),
                activation=relu,
            ),
            _block(
                f"{norm}-norm, padded keys",
                *BATCH,
                block=block,
                mask=np.arange(N_Q) < np.array([N_Q, 4, 1])[:, None, None],
            ),
        )
    ),
    _block("by default"),
    *(
        Case(
            function,
            f"a batch {batch}",
            {"X": normal(*batch, N_Q, D_MODEL)},
            _PARTS,
        )
        for function in WIRINGS
        for batch in ((), BATCH)
    ),
]


def _gelu_by_scipy(X: np.ndarray) -> np.ndarray:
    """Take the probability from SciPy's normal distribution."""
    return X * scipy.stats.norm.cdf(X)


def _feed_by_torch(
    X: Any, W_1: Any, b_1: Any, W_2: Any, b_2: Any, activation: Any = relu
) -> torch.Tensor:
    """Let `nn.Linear`, which keeps the transposes, do it."""
    x, *rest = tensors(X, W_1, b_1, W_2, b_2)
    first = torch.nn.Linear(*W_1.shape, dtype=x.dtype)
    second = torch.nn.Linear(*W_2.shape, dtype=x.dtype)
    first.weight.data, first.bias.data = rest[0].T, rest[1]
    second.weight.data, second.bias.data = rest[2].T, rest[3]
    bend = {"relu": torch.nn.ReLU(), "gelu": torch.nn.GELU()}[activation.__name__]
    return torch.nn.Sequential(first, bend, second)(x).detach()


def _block_by_torch(
    X: Any,
    params: Any,
    n_heads: int,
    mask: Any = None,
    causal: bool = False,
    block: Any = pre_norm_block,
    activation: Any = relu,
) -> torch.Tensor:
    """Put PyTorch's own functions together, a loop over the heads included."""
    x = torch.from_numpy(X.copy())
    p = {name: torch.from_numpy(a.copy()) for name, a in params.items()}
    (m,) = tensors(and_causal(mask, X.shape[-2], X.shape[-2], causal))
    bend = {"relu": F.relu, "gelu": F.gelu}[activation.__name__]

    def ln(h: torch.Tensor, k: int) -> torch.Tensor:
        return F.layer_norm(h, h.shape[-1:], p[f"gain_{k}"], p[f"bias_{k}"])

    def attend(h: torch.Tensor) -> torch.Tensor:
        heads = [
            F.scaled_dot_product_attention(h @ W_Q, h @ W_K, h @ W_V, attn_mask=m)
            for W_Q, W_K, W_V in zip(
                *(p[w].chunk(n_heads, dim=-1) for w in ("W_Q", "W_K", "W_V")),
                strict=True,
            )
        ]
        return torch.cat(heads, dim=-1) @ p["W_O"]

    def process(h: torch.Tensor) -> torch.Tensor:
        hidden = bend(F.linear(h, p["W_1"].T, p["b_1"]))
        return F.linear(hidden, p["W_2"].T, p["b_2"])

    if block.__name__ == "pre_norm_block":
        x = x + attend(ln(x, 1))
        return x + process(ln(x, 2))
    x = ln(x + attend(x), 1)
    return ln(x + process(x), 2)


class _Part(torch.nn.Module):
    """One of the four functions, as a module."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any, *others: Any, **options: Any) -> Any:
        """Leave aside what only attention gets; attention returns its weights too."""
        return (self.function(x), None) if others else self.function(x)


def _by_encoder_layer(norm_first: bool, X: Any, **parts: Any) -> torch.Tensor:
    """Let PyTorch's encoder layer wire the four functions together."""
    layer = torch.nn.TransformerEncoderLayer(1, 1, 1, 0.0, norm_first=norm_first)
    layer.norm1, layer.norm2 = _Part(parts["norm_1"]), _Part(parts["norm_2"])
    layer.self_attn = _Part(parts["attend"])
    layer.linear1, layer.activation = torch.nn.Identity(), parts["process"]
    layer.linear2 = torch.nn.Identity()
    return layer(*tensors(X))


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "block.relu": {"F.relu": lambda X: F.relu(*tensors(X))},
    "block.gelu": {
        "F.gelu": lambda X: F.gelu(*tensors(X)),
        "scipy.stats.norm": _gelu_by_scipy,
    },
    "block.layer_norm": {
        "F.layer_norm": lambda X, gain, bias, eps=1e-5: F.layer_norm(
            *tensors(X), gain.shape, *tensors(gain, bias), eps
        ),
        "np.std": lambda X, gain, bias, eps=1e-5: (
            (X - X.mean(-1, keepdims=True))
            / np.hypot(X.std(-1, keepdims=True), sqrt(eps))
            * gain
            + bias
        ),
    },
    "block.rms_norm": {
        "F.rms_norm": lambda X, gain, eps=1e-6: F.rms_norm(
            *tensors(X), gain.shape, *tensors(gain), eps
        )
    },
    "block.feed_forward": {"nn.Linear": _feed_by_torch},
    BLOCK: {"PyTorch's functions": _block_by_torch},
    "block.pre_norm_block": {
        "PyTorch's encoder layer": partial(_by_encoder_layer, True)
    },
    "block.post_norm_block": {
        "PyTorch's encoder layer": partial(_by_encoder_layer, False)
    },
}

# One feature cannot show a norm: with a single one, mean 0 is all that is left.
_ONE = {
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2"), np.ones((1, 1))),
    **dict.fromkeys(("gain_1", "gain_2"), np.ones(1)),
    **dict.fromkeys(("b_1", "b_2", "bias_1", "bias_2"), np.zeros(1)),
}
# Attention and feed-forward network of zeros: only the residuals and norms are left.
_NOTHING = {
    name: np.ones(2) if name.startswith("gain") else np.zeros(shape)
    for name, shape in {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2"), (2, 2)),
        **dict.fromkeys(("b_1", "b_2", "gain_1", "bias_1", "gain_2", "bias_2"), 2),
    }.items()
}

_TIMES = {
    "attend": lambda X: 2 * X,
    "process": lambda X: 3 * X,
    "norm_1": lambda X: X + 1,
    "norm_2": lambda X: X + 10,
}

BY_HAND = [
    hand(
        "block.relu",
        "nothing below zero, and NaN stays",
        [[0, 0, 3], [INF, 0, NAN]],
        X=[[-2, 0, 3], [INF, -INF, NAN]],
    ),
    hand("block.relu", "no numbers", np.zeros((2, 0)), X=np.zeros((2, 0))),
    # Phi(0) = 1/2, and Phi(-x) = 1 - Phi(x): gelu(x) - gelu(-x) = x. Phi(1) = 0.841344746...
    hand(
        "block.gelu",
        "x times the probability to lie below x",
        [0, 0.8413447460685429, 0.8413447460685429 - 1, 40, 0],
        X=[0, 1, -1, 40, -40],
    ),
    hand("block.gelu", "infinite and NaN", [INF, NAN, NAN], X=[INF, -INF, NAN]),
    hand("block.gelu", "no numbers", np.zeros((2, 0)), X=np.zeros((2, 0))),
    # Mean 4, variance (9 + 1 + 1 + 9) / 4 = 5, and 5 + 4 = 9 under the root.
    hand(
        "block.layer_norm",
        "population variance, eps under the root, then gain and bias",
        [[-1 + 1, -1 / 3 * 2, 1 / 3 * 3, 1 * 6]],
        X=[[1, 3, 5, 7]],
        gain=[1, 2, 3, 6],
        bias=[1, 0, 0, 0],
        eps=4.0,
    ),
    hand(
        "block.layer_norm",
        "each row on its own; equal features give the bias",
        [[6, 8], [6, 8], [4, 10]],
        X=[[3, 3], [-7, -7], [1, -1]],
        gain=[-2, -2],
        bias=[6, 8],
        eps=1e-30,
    ),
    hand(
        "block.layer_norm",
        "equal features without eps, and what is not finite",
        [[NAN, NAN], [NAN, NAN], [NAN, NAN], [-1, 1]],
        X=[[3, 3], [NAN, 0], [INF, 0], [0, 4]],
        gain=[1, 1],
        bias=[0, 0],
        eps=0.0,
    ),
    # Mean square (9 + 16 + 0 + 0) / 4 = 6.25, and 6.25 + 2.75 = 9. The mean plays no part.
    hand(
        "block.rms_norm",
        "mean square, eps under the root, then gain",
        [[1, 8 / 3, 0, 0]],
        X=[[3, 4, 0, 0]],
        gain=[1, 2, 3, 6],
        eps=2.75,
    ),
    hand(
        "block.rms_norm",
        "zeros; and what is not finite",
        [[NAN, NAN], [NAN, NAN], [1, 1]],
        X=[[0, 0], [NAN, 1], [5, 5]],
        gain=[1, 1],
        eps=0.0,
    ),
    hand(
        "block.rms_norm",
        "zeros stay zeros with eps",
        [[0, 0]],
        X=[[0, 0]],
        gain=[3, 3],
    ),
    # (1, 2) W_1 + b_1 = (1 + 6 - 1, -2 + 1) = (6, -1); without the negative one, times W_2.
    hand(
        "block.feed_forward",
        "rows times matrices, biases, and the bend between them",
        [[6 + 10, 0 + 20]],
        X=[[1, 2]],
        W_1=[[1, 0], [3, -1]],
        b_1=[-1, 1],
        W_2=[[1, 0], [5, 5]],
        b_2=[10, 20],
    ),
    hand(
        "block.feed_forward",
        "no elements",
        np.zeros((0, 2)),
        X=np.zeros((0, 2)),
        W_1=np.ones((2, 3)),
        b_1=[1, 1, 1],
        W_2=np.ones((3, 2)),
        b_2=[1, 1],
    ),
    # The norm of a single feature is 0, so both parts see only zeros and give zeros.
    hand(
        BLOCK,
        "pre-norm adds to X, which no norm touches",
        [[5], [7]],
        X=[[5], [7]],
        params=_ONE,
        n_heads=1,
    ),
    hand(
        BLOCK,
        "post-norm ends with a norm",
        [[0], [0]],
        X=[[5], [7]],
        params=_ONE,
        n_heads=1,
        block=post_norm_block,
    ),
    # norm_1 gives 2 for each, attention 2, H = X + 2; norm_2 gives 0, relu(0 + 3) * 1 + 4 = 7.
    hand(
        BLOCK,
        "each norm has its own bias, and both parts add",
        [[14], [16]],
        X=[[5], [7]],
        params=_ONE
        | {
            "bias_1": np.array([2.0]),
            "b_1": np.array([3.0]),
            "b_2": np.array([4.0]),
        },
        n_heads=1,
    ),
    # Post: 5 + 5 and 7 + 5 (the first sees itself, the second by its mask the first), then 0 + 2;
    # the network gives relu(2 + 3) + 4 = 9; norm_2 gives 0 + 8.
    hand(
        BLOCK,
        "post-norm, and its second norm",
        [[8], [8]],
        X=[[5], [7]],
        params=_ONE
        | {
            "bias_1": np.array([2.0]),
            "b_1": np.array([3.0]),
            "bias_2": np.array([8.0]),
        },
        n_heads=1,
        block=post_norm_block,
    ),
    # H = 1 + 2 (1 + 1) = 5 and Y = 5 + 3 (5 + 10) = 50; H = (1 + 2) + 1 = 4, Y = (4 + 12) + 10.
    *(
        hand(function, "one number", [[expected]], X=[[1]], **_TIMES)
        for function, expected in zip(WIRINGS, (50, 26), strict=True)
    ),
    # Element 0 sees itself alone, and element 1 both of them: the mean of -1 and 1 is 0.
    hand(
        BLOCK,
        "causal: the first sees itself alone",
        [[1 - 1, 5001 + 1], [5000 + 0, 0 + 0]],
        X=[[1, 5001], [5000, 0]],
        params=_NOTHING | {"W_V": np.eye(2), "W_O": np.eye(2)},
        n_heads=1,
        causal=True,
    ),
    hand(
        BLOCK,
        "with nothing to add, pre-norm gives X back",
        [[1, 3], [5, -5]],
        X=[[1, 3], [5, -5]],
        params=_NOTHING,
        n_heads=2,
    ),
    # The norm of the two features is -1 and 1, or 1 and -1. W_V and W_O pass them on. Element 0
    # sees itself only; element 1 sees itself only, by the mask.
    hand(
        BLOCK,
        "a mask: each sees itself alone",
        [[1 - 1, 5001 + 1], [5000 + 1, 0 - 1]],
        X=[[1, 5001], [5000, 0]],
        params=_NOTHING | {"W_V": np.eye(2), "W_O": np.eye(2)},
        n_heads=1,
        mask=[[True, False], [False, True]],
    ),
]
