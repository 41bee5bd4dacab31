"""The calls that the twins of the chapter `weighted_sum` are compared in."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.support.arrays import BATCH, D_V, N_K, N_Q, batched, normal
from tests.support.refusals import misfit
from tests.support.twin_table import INF, NAN, Case, hand

_SUM = "weighted_sum.weighted_sum"
_LOOP = "weighted_sum.weighted_sum_loop"

CASES = [
    *batched(
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
]


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


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "weighted_sum.weighted_sum": {"F.embedding_bag": _mixed_by_torch},
    "weighted_sum.weighted_sum_loop": {"F.embedding_bag": _mixed_by_torch},
}

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
]

BAD_INPUT = [
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
]
