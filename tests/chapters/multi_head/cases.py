"""The calls that the twins of the chapter `multi_head` are compared in."""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import torch

from tests.chapters.multi_head.refused import BAD_INPUT, BOTH
from tests.support.arrays import BATCH, N_K, N_Q, batched, normal, random_mask
from tests.support.oracles import and_causal, attention_by_torch, tensors
from tests.support.twin_table import INF, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]

HEADS, D_K, D_V = 5, 13, 17
D_MODEL, D_Z, D_OUT = 19, 23, 29


def _matrices(d_z: int = D_MODEL) -> dict[str, np.ndarray]:
    """Draw W_Q, W_K, W_V and W_O, small enough for scores of about 1."""
    shapes = {
        "W_Q": (D_MODEL, HEADS * D_K),
        "W_K": (d_z, HEADS * D_K),
        "W_V": (d_z, HEADS * D_V),
        "W_O": (HEADS * D_V, D_OUT),
    }
    return {name: normal(*s) / sqrt(s[0]) for name, s in shapes.items()}


def _cases(function: str) -> list[Case]:
    """Give a case for every kind of mask and bias, with and without Z."""

    def case(
        about: str,
        batch: tuple[int, ...] = (),
        z: Any = None,
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        X = normal(*batch, N_Q, D_MODEL)
        arrays = {"X": X} | _matrices(D_MODEL if z is None else z[-1])
        arrays |= {} if z is None else {"Z": normal(*batch, *z)}
        edge = about.endswith("-inf")
        return Case(
            function,
            about,
            arrays | more,
            {"n_heads": HEADS} | (options or {}),
            differentiable=not edge,
        )

    other = (N_K, D_Z)
    some_inf = np.where(random_mask(N_Q, N_K), normal(HEADS, N_Q, N_K), -INF)
    return [
        case(
            "all arguments, in shapes that also fit without Z",
            z=(N_Q, D_MODEL),
            mask=random_mask(N_Q, 1),
            bias=normal(HEADS, N_Q, 1),
        ),
        case("no batch axis"),
        case("two batch axes", BATCH),
        case("a batch of one", (1,)),
        case("others that answer", z=other),
        case("others that answer, in batches", BATCH, other),
        case("a causal mask", mask=np.tri(N_Q, dtype=bool)),
        case("causal", options={"causal": True}),
        case(
            "causal, others that answer, and a mask each",
            BATCH,
            other,
            mask=random_mask(*BATCH, N_Q, N_K),
            options={"causal": True},
        ),
        case("one mask for a batch", BATCH, other, mask=random_mask(N_Q, N_K)),
        case("a mask each", BATCH, other, mask=random_mask(*BATCH, N_Q, N_K)),
        case(
            "padded keys",
            BATCH,
            other,
            mask=np.arange(N_K) < np.array([N_K, 5])[:, None, None, None],
        ),
        case("everything masked", mask=np.zeros((1, 1), bool)),
        case("a bias for each head", z=other, bias=normal(HEADS, N_Q, N_K)),
        case("one bias for a batch", BATCH, other, bias=normal(HEADS, N_Q, N_K)),
        case("one bias for all heads", BATCH, other, bias=normal(1, N_Q, N_K)),
        case(
            "a bias of the keys of each head",
            BATCH,
            other,
            bias=normal(HEADS, 1, N_K),
        ),
        case("a bias each", BATCH, other, bias=normal(*BATCH, HEADS, N_Q, N_K)),
        case("a mask for each head as a bias with -inf", z=other, bias=some_inf),
        case(
            "a mask and a bias",
            BATCH,
            other,
            mask=random_mask(*BATCH, N_Q, N_K),
            bias=normal(HEADS, N_Q, N_K),
        ),
    ]


CASES = [
    *batched("multi_head.split_heads", X=(..., N_Q, HEADS * D_K)),
    *batched("multi_head.merge_heads", X=(..., HEADS, N_Q, D_K)),
    *(case for function in BOTH for case in _cases(function)),
]
CASES = [
    Case(c.function, c.about, c.arrays, {"n_heads": HEADS})
    if c.function == "multi_head.split_heads"
    else c
    for c in CASES
]


def _by_einsum(
    X: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    n_heads: int,
    Z: Any = None,
    **at: Any,
) -> torch.Tensor:
    """Give every matrix an axis for the heads, and let PyTorch attend."""
    Z = X if Z is None else Z
    Q, K, V = (
        np.einsum("...nd,dhk->...hnk", x, W.reshape(len(W), n_heads, -1))
        for x, W in ((X, W_Q), (Z, W_K), (Z, W_V))
    )
    if at.get("mask") is not None:
        at["mask"] = at["mask"][..., None, :, :]
    heads = attention_by_torch(Q, K, V, **at)
    (out,) = tensors(W_O.reshape(n_heads, -1, W_O.shape[1]))
    return torch.einsum("...hnk,hkd->...nd", heads, out)


def _by_mha(
    X: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    n_heads: int,
    Z: Any = None,
    mask: Any = None,
    bias: Any = None,
    causal: bool = False,
) -> torch.Tensor:
    """Let `nn.MultiheadAttention`, where True = drop, do it.

    It has one width for everything: pad the features of X and Z, of every head and of the outputs
    with zeros, and fold the scale into W_Q. It gives NaN for an empty row: put zeros there.
    """
    Z, d_k, d_v = (
        X if Z is None else Z,
        W_Q.shape[1] // n_heads,
        W_V.shape[1] // n_heads,
    )
    wide = max(d_k, d_v, -(-X.shape[-1] // n_heads), -(-Z.shape[-1] // n_heads))
    total = n_heads * wide

    def padded(W: Any, d: int) -> torch.Tensor:
        blocks = W.reshape(len(W), n_heads, d)
        shape = ((0, total - len(W)), (0, 0), (0, wide - d))
        return torch.from_numpy(
            np.pad(blocks, shape).reshape(total, total).T.copy()
        )

    layer = torch.nn.MultiheadAttention(
        total, n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        scaled = W_Q * sqrt(wide / d_k)
        packed = [padded(scaled, d_k), padded(W_K, d_k), padded(W_V, d_v)]
        layer.in_proj_weight.copy_(torch.cat(packed))
        layer.out_proj.weight.zero_()[: W_O.shape[1]] = padded(W_O.T, d_v).T[
            : W_O.shape[1]
        ]
        full = (*X.shape[:-2], n_heads, X.shape[-2], Z.shape[-2])
        added = (
            np.zeros(full) if bias is None else np.broadcast_to(bias, full).copy()
        )
        mask = and_causal(mask, *full[-2:], causal)
        if mask is not None:
            added[~np.broadcast_to(mask[..., None, :, :], full)] = -INF
        flat = [
            torch.from_numpy(np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, total - x.shape[-1])]))
            .reshape(-1, x.shape[-2], total)
            for x in (X, Z)
        ]  # fmt: skip
        drop = torch.from_numpy(added).reshape(-1, *full[-2:])
        out, _ = layer(flat[0], flat[1], flat[1], attn_mask=drop)
    empty = np.isinf(added).all(axis=(-3, -1))[..., None]
    out = out[..., : W_O.shape[1]].reshape(*X.shape[:-1], W_O.shape[1])
    return out.masked_fill(torch.from_numpy(empty), 0.0)


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "multi_head.split_heads": {
        "np.split": lambda X, n_heads: np.stack(
            np.split(X, n_heads, axis=-1), axis=-3
        ),
        "Tensor.chunk": lambda X, n_heads: torch.stack(
            tensors(X)[0].chunk(n_heads, dim=-1), dim=-3
        ),
    },
    "multi_head.merge_heads": {
        "np.concatenate": lambda X: np.concatenate(
            [X[..., h, :, :] for h in range(X.shape[-3])], axis=-1
        ),
    },
    **{
        function: {"einsum and sdpa": _by_einsum, "nn.MultiheadAttention": _by_mha}
        for function in BOTH
    },
}

_EYE = np.eye(2)
# Head 1 asks with the first feature, head 2 with the second; both give the third.
_TWO = {
    "W_Q": [[1 / log(3), 0], [0, 1 / log(3)], [0, 0]],
    "W_K": [[1, 0], [0, 1], [0, 0]],
    "W_V": [[0, 0], [0, 0], [1, 1]],
}
_X = [[log(3), 0, 8], [0, log(3), 4]]

BY_HAND = [
    hand(
        "multi_head.split_heads",
        "two heads of two features each",
        [[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]],
        X=[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        n_heads=2,
    ),
    hand(
        "multi_head.split_heads",
        "nothing to split",
        np.zeros((3, 0, 2)),
        X=np.zeros((0, 6)),
        n_heads=3,
    ),
    hand(
        "multi_head.merge_heads",
        "two heads of two features each",
        [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        X=[[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]],
    ),
    *(
        hand(function, about, expected, X=_X, **_TWO, n_heads=2, **more)
        for function in BOTH
        for about, expected, more in (
            # In head 1, the scores of query 1 are log 3 and 0, 3 : 1, those of query 2 both 0. In
            # head 2 it is the other way round: 1 : 1, and 1 : 3. The values are 8 and 4.
            (
                "heads side by side",
                [[7, 6], [6, 5]],
                {"W_O": _EYE},
            ),
            (
                "W_O adds them up",
                [[13], [11]],
                {"W_O": [[1], [1]]},
            ),
            (
                "W_O with weights of its own for each head",
                [[13, 7], [11, 6]],
                {"W_O": [[1, 1], [1, 0]]},
            ),
            (
                "a causal mask, in both heads",
                [[8, 8], [6, 5]],
                {"W_O": _EYE, "mask": np.tri(2, dtype=bool)},
            ),
            (
                "causal, in both heads",
                [[8, 8], [6, 5]],
                {"W_O": _EYE, "causal": True},
            ),
            (
                "nothing allowed",
                [[0, 0], [6, 5]],
                {"W_O": _EYE, "mask": [[False], [True]]},
            ),
            # Head 1 sees key 1 only, head 2 key 2 only.
            (
                "a mask for each head",
                [[8, 4], [8, 4]],
                {"W_O": _EYE, "bias": [[[0, -INF]], [[-INF, 0]]]},
            ),
            (
                "somebody else answers, whose third feature is 5",
                [[5, 5], [5, 5]],
                {"W_O": _EYE, "Z": [[1, 2, 5]]},
            ),
        )
    ),
]  # fmt: skip
