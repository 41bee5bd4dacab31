"""The calls that the twins of `scaling` are compared in."""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
import torch

from tests.support.arrays import D_K, N_K, N_Q, batched, normal
from tests.support.oracles import pairs
from tests.support.refusals import (
    bad_number,
    bad_queries_and_keys,
    misfit,
)
from tests.support.twin_table import Case, hand

_STATISTICS = "scaling.score_statistics"

CASES = [
    *batched("scaling.scaled_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *(
        Case(
            "scaling.scaled_scores",
            f"scale {scale}",
            {"Q": normal(N_Q, D_K), "K": normal(N_K, D_K)},
            {"scale": scale},
        )
        for scale in (0.3, 0.0, -2.0, 1.0)
    ),
    *batched("scaling.score_statistics", scores=(..., N_Q, N_K)),
]


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


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "scaling.scaled_scores": {
        "torch.linalg.vecdot": lambda Q, K, scale=None: (
            torch.linalg.vecdot(*pairs(Q, K))
            * (1 / sqrt(Q.shape[-1]) if scale is None else scale)
        )
    },
    "scaling.score_statistics": {"scipy.stats": _statistics_by_scipy},
}

BY_HAND = [
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
]

BAD_INPUT = [
    *bad_queries_and_keys("scaling.scaled_scores"),
    misfit(
        "scaling.scaled_scores",
        "Q",
        "at least one element along axis -1",
        Q=(7, 0),
        K=(11, 0),
    ),
    *bad_number(
        "scaling.scaled_scores", "scale", positive=False, Q=(7, 5), K=(11, 5)
    ),
    misfit(_STATISTICS, "scores", "(*batch, n_q, n_k)", "got 1 axes", scores=(5,)),
    misfit(
        _STATISTICS, "scores", "at least one element along axis -2", scores=(0, 5)
    ),
    misfit(
        _STATISTICS, "scores", "at least one element along axis -1", scores=(5, 0)
    ),
]
