"""The calls that the twins of the chapter `softmax` are compared in."""

from collections.abc import Callable
from math import e, log
from typing import Any

import numpy as np
import scipy.special
import torch

from tests.support.arrays import (
    BATCH,
    D_K,
    N_K,
    N_Q,
    N,
    batched,
    distribution,
    normal,
    with_entries,
)
from tests.support.refusals import bad_axis, bad_number, misfit
from tests.support.twin_table import INF, NAN, Case, hand

CASES = [
    *batched("softmax.softmax", scores=(..., N)),
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
    *batched("softmax.log_softmax", scores=(..., N)),
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

BY_HAND = [
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

BAD_INPUT = [
    *bad_number("softmax.softmax", "temperature", scores=(7,)),
    *bad_axis("softmax.softmax", "scores", 2),
    *bad_axis("softmax.log_softmax", "scores", 2),
    *bad_axis("softmax.entropy", "weights", 2),
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
