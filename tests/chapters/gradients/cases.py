"""The calls that the twins of `gradients` are compared in."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F

from course_attn.in_numpy.softmax import entropy
from tests.chapters.block.refused import D_FF, D_MODEL, HEADS, params
from tests.chapters.gradients.refused import (
    ATTENTION,
    BAD_INPUT,
    BLOCK,
    FEED,
    HEADED,
    NORM,
    NUDGED,
    SOFTMAX,
)
from tests.support.arrays import (
    BATCH,
    D_K,
    D_V,
    N_K,
    N_Q,
    N,
    batched,
    distribution,
    normal,
    random_mask,
    with_masks,
)
from tests.support.oracles import and_causal, attention_by_torch, tensors
from tests.support.twin_table import INF, NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES", "READS_NUMBERS"]

# It asks for the numbers that a function gives.
READS_NUMBERS = {NUDGED}

D_OUT = 23


def _d_out(case: Case, function: str) -> Case:
    """Give the same call with a gradient of the outputs."""
    arrays = case.arrays
    shape = (*arrays["Q"].shape[:-1], arrays["V"].shape[-1])
    return Case(
        function,
        case.about,
        arrays | {"d_out": normal(*shape)},
        case.options,
        differentiable=case.differentiable,
    )


def _headed(about: str, *batch: int, mask: Any = None, **options: Any) -> Case:
    """Give a call of attention with several heads."""
    shapes = {
        "W_Q": (D_MODEL, HEADS * D_K),
        "W_K": (D_MODEL, HEADS * D_K),
        "W_V": (D_MODEL, HEADS * D_V),
        "W_O": (HEADS * D_V, D_OUT),
    }
    arrays = {"X": normal(*batch, N_Q, D_MODEL)}
    arrays |= {name: normal(*s) / sqrt(s[0]) for name, s in shapes.items()}
    arrays |= {"d_out": normal(*batch, N_Q, D_OUT)}
    arrays |= {} if mask is None else {"mask": mask}
    return Case(HEADED, about, arrays, {"n_heads": HEADS} | options)


def _block(about: str, *batch: int, mask: Any = None, **options: Any) -> Case:
    """Give a call of the block."""
    arrays = {name: normal(*batch, N_Q, D_MODEL) for name in ("X", "d_out")}
    arrays |= {} if mask is None else {"mask": mask}
    return Case(
        BLOCK, about, arrays, {"params": params(), "n_heads": HEADS} | options
    )


_NORM = batched(NORM, X=(..., N_Q, N), gain=(N,), d_out=(..., N_Q, N))

CASES = [
    *(
        Case(
            SOFTMAX,
            about,
            {"weights": distribution(*shape), "d_weights": normal(*shape)},
        )
        for about, shape in (
            ("no batch axis", (N,)),
            ("two batch axes", (*BATCH, N)),
            ("a batch of one", (1, N)),
        )
    ),
    Case(
        SOFTMAX,
        "certainty, masked weights, and weights of any size",
        {
            "weights": np.array([[0, 1, 0], [0.5, 0, 0.5], [-2, 3, 7]], dtype=float),
            "d_weights": normal(3, 3),
        },
    ),
    *(
        _d_out(case, ATTENTION)
        for case in with_masks(
            ATTENTION, Q=(..., N_Q, D_K), K=(..., N_K, D_K), V=(..., N_K, D_V)
        )
        # Behind weights that are all 0 or 1 but for rounding, gradients are rounding, too.
        if case.about != "scores offset by -2e6"
    ),
    _headed("no batch axis"),
    _headed("two batch axes", *BATCH),
    _headed("a batch of one", 1),
    _headed("causal", causal=True),
    _headed("a mask with an empty row", mask=random_mask(N_Q, N_Q)),
    _headed("one mask for a batch", *BATCH, mask=random_mask(N_Q, N_Q)),
    _headed("causal, and a mask each", *BATCH, mask=random_mask(*BATCH, N_Q, N_Q), causal=True),
    *_NORM,
    *(Case(c.function, f"{c.about}, eps 0.3", c.arrays, {"eps": 0.3}) for c in _NORM),
    Case(
        NORM,
        "a single element, far from zero, without eps",
        {"X": normal(N) + 50.0, "gain": normal(N), "d_out": normal(N)},
        {"eps": 0.0},
    ),
    *batched(
        FEED,
        X=(..., N_Q, D_MODEL),
        W_1=(D_MODEL, D_FF),
        b_1=(D_FF,),
        W_2=(D_FF, D_MODEL),
        d_out=(..., N_Q, D_MODEL),
    ),
    _block("no batch axis"),
    _block("two batch axes", *BATCH),
    _block("causal", causal=True),
    _block("a mask with an empty row", mask=random_mask(N_Q, N_Q)),
    _block("padded keys", *BATCH, mask=np.arange(N_Q) < np.array([N_Q, 4, 1])[:, None, None]),
    # Nudges that are large enough for float32. What it measures has no gradient of its own.
    *(
        Case(
            NUDGED,
            f"an entropy with nudges of {eps}",
            {"x": distribution(*shape) + 1.0},
            {"f": entropy, "eps": eps},
            differentiable=False,
        )
        for shape, eps in (((N_Q,), 0.25), ((N_K,), 0.5))
    ),
]  # fmt: skip


def _back(
    Y: torch.Tensor, d_out: Any, *wanted: torch.Tensor
) -> tuple[np.ndarray, ...]:
    """Let autograd go back from outputs; what nothing depends on gets zeros."""
    (d,) = tensors(d_out)
    found = torch.autograd.grad(Y, wanted, d, allow_unused=True)
    return tuple(
        np.zeros(x.shape) if g is None else g.numpy()
        for x, g in zip(wanted, found, strict=True)
    )


def _leaves(*arrays: Any) -> list[torch.Tensor]:
    return [x.requires_grad_() for x in tensors(*arrays)]


def _softmax_by_jacobian(weights: np.ndarray, d_weights: np.ndarray) -> np.ndarray:
    """Write the Jacobian of every row down, and multiply."""
    J = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return np.einsum("...jm,...j->...m", J, d_weights)


def _sdpa(q: Any, k: Any, v: Any, mask: Any, bias: Any, scale: Any) -> torch.Tensor:
    """Attend with PyTorch's functions, also where its own would give NaN gradients."""
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    hidden = torch.zeros((), dtype=torch.bool) if mask is None else ~mask
    hidden = (hidden | (scores == -INF)).expand(scores.shape)
    # A row without a key gets equal weights here, and then none.
    weights = torch.softmax(scores.masked_fill(hidden, -1e300), dim=-1)
    return weights.masked_fill(hidden, 0.0) @ v


def _attention_by_autograd(
    Q: Any, K: Any, V: Any, d_out: Any, mask: Any = None, bias: Any = None,
    causal: bool = False, scale: Any = None,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    leaves = _leaves(Q, K, V)
    m, b = tensors(and_causal(mask, Q.shape[-2], K.shape[-2], causal), bias)
    Y = _sdpa(*leaves, m, b, scale)
    # The same outputs as PyTorch's own function, so that it is the right graph.
    torch.testing.assert_close(
        Y, torch.nan_to_num(attention_by_torch(Q, K, V, mask, bias, scale, causal))
    )
    return _back(Y, d_out, *leaves)


def _heads(
    x: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n: int, m: Any
) -> torch.Tensor:
    parts = zip(*(W.chunk(n, dim=-1) for W in (W_Q, W_K, W_V)), strict=True)
    heads = [_sdpa(x @ q, x @ k, x @ v, m, None, None) for q, k, v in parts]
    return torch.cat(heads, dim=-1) @ W_O


def _headed_by_autograd(
    X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, d_out: Any, n_heads: int,
    mask: Any = None, causal: bool = False,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    leaves = _leaves(X, W_Q, W_K, W_V, W_O)
    (m,) = tensors(and_causal(mask, X.shape[-2], X.shape[-2], causal))
    return _back(_heads(*leaves, n_heads, m), d_out, *leaves)


def _norm_by_autograd(
    X: Any, gain: Any, d_out: Any, eps: float = 1e-5
) -> tuple[np.ndarray, ...]:
    x, g, b = _leaves(X, gain, np.zeros(gain.shape))
    return _back(F.layer_norm(x, g.shape, g, b, eps), d_out, x, g, b)


def _feed_by_autograd(
    X: Any, W_1: Any, b_1: Any, W_2: Any, d_out: Any
) -> tuple[np.ndarray, ...]:
    x, w_1, c_1, w_2, c_2 = _leaves(X, W_1, b_1, W_2, np.zeros(X.shape[-1]))
    Y = F.linear(F.relu(F.linear(x, w_1.T, c_1)), w_2.T, c_2)
    return _back(Y, d_out, x, w_1, c_1, w_2, c_2)


def _block_by_autograd(
    X: Any,
    params: Any,
    d_out: Any,
    n_heads: int,
    mask: Any = None,
    causal: bool = False,
) -> tuple[Any, ...]:
    x, *leaves = _leaves(X, *params.values())
    p = dict(zip(params, leaves, strict=True))
    (m,) = tensors(and_causal(mask, X.shape[-2], X.shape[-2], causal))

    def ln(h: torch.Tensor, k: int) -> torch.Tensor:
        return F.layer_norm(h, h.shape[-1:], p[f"gain_{k}"], p[f"bias_{k}"])

    h = x + _heads(
        ln(x, 1), *(p[w] for w in ("W_Q", "W_K", "W_V", "W_O")), n_heads, m
    )
    hidden = F.relu(F.linear(ln(h, 2), p["W_1"].T, p["b_1"]))
    Y = h + F.linear(hidden, p["W_2"].T, p["b_2"])
    dX, *found = _back(Y, d_out, x, *leaves)
    return dX, dict(zip(params, found, strict=True))


def _nudged_by_scipy(f: Any, x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    """Nudge the terms of an entropy: each depends on its own entry only."""
    assert f is entropy
    return (scipy.special.entr(x + eps) - scipy.special.entr(x - eps)) / (2 * eps)


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    SOFTMAX: {"the Jacobian": _softmax_by_jacobian},
    ATTENTION: {"torch.autograd": _attention_by_autograd},
    HEADED: {"torch.autograd": _headed_by_autograd},
    NORM: {"torch.autograd": _norm_by_autograd},
    FEED: {"torch.autograd": _feed_by_autograd},
    BLOCK: {"torch.autograd": _block_by_autograd},
    NUDGED: {"scipy.special.entr": _nudged_by_scipy},
}

# Attention and feed-forward network of zeros: what is left is the way around them.
_NOTHING = {
    name: np.ones(2) if name.startswith("gain") else np.zeros(shape)
    for name, shape in {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2"), (2, 2)),
        **dict.fromkeys(("b_1", "b_2", "gain_1", "bias_1", "gain_2", "bias_2"), 2),
    }.items()
}

BY_HAND = [
    # Mean 4 under the weights: 1/4 (8 - 4), 1/2 (4 - 4), 1/4 (0 - 4).
    hand(
        SOFTMAX,
        "how far each lies above the mean, times its weight",
        [1, 0, -1],
        weights=[0.25, 0.5, 0.25],
        d_weights=[8, 4, 0],
    ),
    hand(
        SOFTMAX,
        "a row that is certain, and one with nothing allowed",
        [[0, 0], [0, 0]],
        weights=[[1, 0], [0, 0]],
        d_weights=[[5, -9], [5, -9]],
    ),
    hand(
        SOFTMAX,
        "NaN spoils its row alone",
        [[NAN, NAN], [1.5, -1.5]],
        weights=[[0.5, 0.5], [0.5, 0.5]],
        d_weights=[[NAN, 0], [6, 0]],
    ),
    hand(
        SOFTMAX,
        "no weights",
        np.zeros((2, 0)),
        weights=np.zeros((2, 0)),
        d_weights=np.zeros((2, 0)),
    ),
    # A is (1/2, 1/2), Y is 4, dA is (2, 6), so dS is (-1, 1); times q = 3 and scale 1.
    hand(
        ATTENTION,
        "two keys that weigh the same",
        ([[1 * -1 + 2 * 1]], [[-3], [3]], [[0.5], [0.5]]),
        Q=[[3]],
        K=[[1], [2]],
        V=[[2], [6]],
        d_out=[[1]],
        bias=[[3, 0]],
    ),
    # The same, over the root of four features.
    hand(
        ATTENTION,
        "the scale comes back",
        ([[0.5, 0, 0, 0]], [[-1.5, 0, 0, 0], [1.5, 0, 0, 0]], [[0.5], [0.5]]),
        Q=[[3, 0, 0, 0]],
        K=[[1, 0, 0, 0], [2, 0, 0, 0]],
        V=[[2], [6]],
        d_out=[[1]],
        bias=[[1.5, 0]],
    ),
    hand(
        ATTENTION,
        "through a masked weight nothing passes; a query without keys gives and gets zeros",
        ([[0], [0]], [[0], [0]], [[7], [0]]),
        Q=[[3], [4]],
        K=[[1], [2]],
        V=[[2], [6]],
        d_out=[[7], [9]],
        mask=[[True, False], [False, False]],
    ),
    hand(
        ATTENTION,
        "no keys",
        ([[0]], np.zeros((0, 1)), np.zeros((0, 2))),
        Q=[[3]],
        K=np.zeros((0, 1)),
        V=np.zeros((0, 2)),
        d_out=[[7, 8]],
    ),
    # Zeros as W_Q and W_K: equal weights, so Y is the mean 2 of the values W_V x = 1 and 3.
    # dA is d_out v^T = (1, 3) for the first; dS is (-1/2, 1/2), but W_Q and W_K let nothing back.
    hand(
        HEADED,
        "the mean of two values: the three ways back, and the matrices",
        ([[0.5], [0.5]], [[0]], [[0]], [[0.5 * 1 + 0.5 * 3]], [[2]]),
        X=[[1], [3]],
        W_Q=[[0]],
        W_K=[[0]],
        W_V=[[1]],
        W_O=[[1]],
        d_out=[[1], [0]],
        n_heads=1,
    ),
    # z is (-1, 1); dz = (5, 2) has the mean 3.5, and dz z the mean -1.5: 5 - 3.5 - 1.5 = 0.
    hand(
        NORM,
        "two features have one direction only",
        ([[0, 0]], [-5, 2], [5, 2]),
        X=[[1, 3]],
        gain=[1, 1],
        d_out=[[5, 2]],
        eps=0.0,
    ),
    # Variance 5, and 5 + 4 = 9: z = (-1, -1/3, 1/3, 1), s = 3. dz = (3, 0, 0, 0) has the mean 3/4,
    # and dz z the mean -3/4: dx = (dz - 3/4 + 3/4 z) / 3.
    hand(
        NORM,
        "eps under the root, and gain",
        (
            [[(3 - 1.5) / 3, (-0.75 - 0.25) / 3, (-0.75 + 0.25) / 3, 0]],
            [-1, 0, 0, 0],
            [1, 0, 0, 0],
        ),
        X=[[1, 3, 5, 7]],
        gain=[3, 1, 1, 1],
        d_out=[[1, 0, 0, 0]],
        eps=4.0,
    ),
    # h is -2, 3 and 0: relu lets only the second through, and nothing at 0.
    hand(
        FEED,
        "what was cut off hears nothing, and nothing passes at 0",
        ([[0], [7 * 5], [0]], [[2 * 35]], [35], [[3 * 7]], [5 + 7 + 9]),
        X=[[-3], [2], [-1]],
        W_1=[[1]],
        b_1=[1],
        W_2=[[5]],
        d_out=[[5], [7], [9]],
    ),
    hand(
        BLOCK,
        "with nothing to add, the gradient goes around",
        (
            [[1, 2], [3, 4]],
            {
                name: np.array([4.0, 6.0]) if name == "b_2" else np.zeros(a.shape)
                for name, a in _NOTHING.items()
            },
        ),
        X=[[1, 3], [5, -5]],
        d_out=[[1, 2], [3, 4]],
        params=_NOTHING,
        n_heads=2,
    ),
    # -x log x is 0 at 0 and -2 log 2 at 2; half the difference.
    hand(NUDGED, "an entropy at 1, nudged by 1", [-np.log(2)], f=entropy, x=[1], eps=1.0),
    # ((3 + h)^2 - (3 - h)^2) / 2h is 6 for any h.
    hand(NUDGED, "a single number", 6, f=lambda x: x * x, x=np.array(3.0), eps=0.5),
    hand(NUDGED, "no numbers", np.zeros(0), f=lambda x: 0.0, x=np.zeros(0)),
    hand(NUDGED, "what stays the same", np.zeros((2, 3)), f=lambda x: 5.0, x=np.ones((2, 3))),
]  # fmt: skip
