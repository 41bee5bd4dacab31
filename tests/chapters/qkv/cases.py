"""The calls that the twins of the chapter `qkv` are compared in."""

from collections.abc import Callable
from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F

from tests.chapters.qkv.refused import BAD_INPUT
from tests.support.arrays import (
    D_K,
    D_MODEL,
    D_V,
    N_K,
    N_Q,
    batched,
    normal,
    with_masks,
)
from tests.support.oracles import (
    and_causal,
    attention_by_torch,
    identity_mha,
    tensors,
)
from tests.support.twin_table import INF, NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES", "TORCH_ONLY"]

# NumPy does not train.
TORCH_ONLY = {"qkv.fused_attention": {"dropout"}}


CASES = [
    *batched(
        "qkv.project_qkv",
        X=(..., N_Q, D_MODEL),
        W_Q=(D_MODEL, D_K),
        W_K=(D_MODEL, D_K),
        W_V=(D_MODEL, D_V),
    ),
    *(
        replace(case, about=f"{case.about}, with Z")
        for case in batched(
            "qkv.project_qkv",
            X=(..., N_Q, D_MODEL),
            Z=(..., N_K, D_MODEL),
            W_Q=(D_MODEL, D_K),
            W_K=(D_MODEL, D_K),
            W_V=(D_MODEL, D_V),
        )
    ),
    *with_masks("qkv.attention_weights", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *(
        case
        for function in ("qkv.attention", "qkv.fused_attention")
        for case in with_masks(
            function, Q=(..., N_Q, D_K), K=(..., N_K, D_K), V=(..., N_K, D_V)
        )
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
]


def _weights_by_torch(Q: Any, K: Any, **options: Any) -> torch.Tensor:
    """Let the values be the rows of the identity: the output is the weights."""
    n_k = K.shape[-2]
    V = np.broadcast_to(np.eye(n_k), (*K.shape[:-2], n_k, n_k))
    return attention_by_torch(Q, K, V, **options)


def _attention_by_mha(
    Q: Any,
    K: Any,
    V: Any,
    mask: Any = None,
    bias: Any = None,
    scale: Any = None,
    causal: bool = False,
) -> torch.Tensor:
    """Let `nn.MultiheadAttention`, where True = drop, do it with one head and without weights.

    It has one width and a fixed scale, takes masks of one size and gives NaN for an empty row: pad
    the features with zeros, fold the scale into Q, broadcast, and put zeros where it gives NaN.
    """
    d = max(Q.shape[-1], V.shape[-1])
    factor = sqrt(d) * (1 / sqrt(Q.shape[-1]) if scale is None else scale)
    q, k, v = (F.pad(x, (0, d - x.shape[-1])) for x in tensors(Q * factor, K, V))
    full = (*Q.shape[:-1], K.shape[-2])
    added = torch.zeros(full, dtype=q.dtype)
    added = added if bias is None else added + torch.from_numpy(bias.copy())
    mask = and_causal(mask, *full[-2:], causal)
    if mask is not None:
        drop = ~torch.from_numpy(np.broadcast_to(mask, full).copy())
        added = added.masked_fill(drop, -INF)
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v, added)]
    with torch.no_grad():
        out, _ = identity_mha(d, q.dtype)(*flat[:3], attn_mask=flat[3])
    empty = torch.isinf(flat[3]).all(dim=-1, keepdim=True)
    out = out.masked_fill(empty, 0.0)[..., : V.shape[-1]]
    return out.reshape(*Q.shape[:-1], V.shape[-1])


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "qkv.project_qkv": {
        "F.linear, which transposes": lambda X, W_Q, W_K, W_V, Z=None: tuple(
            F.linear(*tensors(x, W.T))
            for x, W in (
                (X, W_Q),
                (X if Z is None else Z, W_K),
                (X if Z is None else Z, W_V),
            )
        )
    },
    "qkv.attention_weights": {"sdpa of the identity": _weights_by_torch},
    "qkv.attention": {
        "F.scaled_dot_product_attention": attention_by_torch,
        "nn.MultiheadAttention": _attention_by_mha,
    },
    "qkv.fused_attention": {"nn.MultiheadAttention": _attention_by_mha},
    "qkv.soft_lookup": {
        "scipy.special.softmax": lambda query, keys, values, temperature=1.0: (
            np.average(
                values,
                axis=0,
                weights=scipy.special.softmax(np.inner(keys, query) / temperature),
            )
        ),
        "sdpa at scale 1/T": lambda query, keys, values, temperature=1.0: (
            attention_by_torch(query[None], keys, values, scale=1 / temperature)[0]
        ),
    },
}

BY_HAND = [
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
    hand(
        "qkv.attention_weights",
        "three queries stand at two keys: the first before both",
        [[0, 0], [1, 0], [0.5, 0.5]],
        Q=[[1], [1], [1]],
        K=[[7], [7]],
        causal=True,
    ),
    hand(
        "qkv.attention_weights",
        "a batch without keys",
        np.zeros((2, 3, 0)),
        Q=np.ones((2, 3, 1)),
        K=np.zeros((2, 0, 1)),
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
            # Two queries and two keys: the first sees key 0 only, although both match.
            (
                "causal: the last query stands at the last key",
                np.array([[1, 0], [0.5, 0.5]]),
                {"Q": [[1], [1]], "K": [[7], [7]], "causal": True},
            ),
            (
                "causal with a mask: both forbid",
                np.array([[1, 0], [0, 1]]),
                {
                    "Q": [[1], [1]],
                    "K": [[7], [7]],
                    "mask": [[True, True], [False, True]],
                    "causal": True,
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
]

# What `attention` promises but for NaN, where kernels differ.
BY_HAND += [
    replace(case, function="qkv.fused_attention")
    for case in BY_HAND
    if case.function == "qkv.attention"
    and not any(np.isnan(array).any() for array in case.arrays.values())
]
