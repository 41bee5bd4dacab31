"""The calls that the twins of the chapter `scores` are compared in."""

from collections.abc import Callable
from math import exp, log, sqrt, tanh
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
import torch
import torch.nn.functional as F

from tests.chapters.scores.refused import BAD_INPUT
from tests.support.arrays import D_HIDDEN, D_K, D_Q, N_K, N_Q, N, batched, normal
from tests.support.oracles import pairs
from tests.support.twin_table import NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]


def _zero_row(array: np.ndarray, row: int) -> np.ndarray:
    array = array.copy()
    array[row] = 0.0
    return array


CASES = [
    *batched("scores.dot_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    *batched("scores.cosine_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
    Case(
        "scores.cosine_scores",
        "a zero query and a zero key",
        {"Q": _zero_row(normal(N_Q, D_K), 3), "K": _zero_row(normal(N_K, D_K), 2)},
        differentiable=False,  # cos jumps at the zero vector; its gradient is tested to be finite
    ),
    *batched(
        "scores.general_scores", Q=(..., N_Q, D_Q), K=(..., N_K, D_K), W=(D_Q, D_K)
    ),
    *batched(
        "scores.additive_scores",
        Q=(..., N_Q, D_Q),
        K=(..., N_K, D_K),
        W_Q=(D_Q, D_HIDDEN),
        W_K=(D_K, D_HIDDEN),
        v=(D_HIDDEN,),
    ),
    *batched("scores.gaussian_scores", Q=(..., N_Q, D_K), K=(..., N_K, D_K)),
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
]


def _concatenated(Q: Any, K: Any, W_Q: Any, W_K: Any, v: Any) -> torch.Tensor:
    """Score [q; k] by a two-layer perceptron, as Luong et al. write it ("concat")."""
    W = torch.from_numpy(np.concatenate([W_Q, W_K]).T.copy())
    hidden = F.linear(torch.cat(pairs(Q, K), dim=-1), W).tanh()
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


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "scores.dot_scores": {
        "torch.linalg.vecdot": lambda Q, K: torch.linalg.vecdot(*pairs(Q, K))
    },
    "scores.cosine_scores": {
        "F.cosine_similarity": lambda Q, K: F.cosine_similarity(
            *pairs(Q, K), dim=-1
        )
    },
    "scores.general_scores": {
        "F.bilinear, as in nn.Bilinear": lambda Q, K, W: F.bilinear(
            *pairs(Q, K), torch.from_numpy(W.copy())[None]
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
            torch.distributions.Normal(pairs(Q, K)[1], bandwidth).log_prob(
                pairs(Q, K)[0]
            )
            + log(bandwidth * sqrt(2 * np.pi))
        ).sum(-1),
    },
    "scores.nadaraya_watson": {"scipy.stats.norm": _regressed_by_scipy},
}

BY_HAND = [
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
        W_Q=[[1, 1]],
        W_K=[[1, -1]],
        v=[3, 5],
    ),
    hand(
        "scores.additive_scores",
        "no keys",
        np.zeros((1, 0)),
        Q=[[1]],
        K=np.ones((0, 1)),
        W_Q=[[1, 1]],
        W_K=[[1, -1]],
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
]
