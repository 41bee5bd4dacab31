"""The calls that the twins of `heads` are compared in."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.arrays import BATCH, N_Q, batched, normal
from tests.support.refusals import bad_count, misfit
from tests.support.twin_table import NAN, Bad, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]

PREVIOUS = "heads.previous_token_score"
INDUCTION = "heads.induction_score"

CASES = [
    *batched(PREVIOUS, weights=(..., N_Q, N_Q)),
    *(
        Case(
            INDUCTION,
            f"{about}, period {period}",
            {"weights": normal(*batch, N_Q, N_Q)},
            {"period": period},
        )
        for period in (1, 2, 3, N_Q - 1)
        for about, batch in (("no batch axis", ()), ("two batch axes", BATCH))
    ),
]


def _mean_by_loop(weights: np.ndarray, first: int, back: int) -> np.ndarray:
    """Average the weights a_(i, i - back) from row `first` on."""
    heads = weights.reshape(-1, *weights.shape[-2:]).tolist()
    rows = range(first, weights.shape[-1])
    means = [sum(head[i][i - back] for i in rows) / len(rows) for head in heads]
    return np.array(means).reshape(weights.shape[:-2])


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    PREVIOUS: {"a loop": lambda weights: _mean_by_loop(weights, 1, 1)},
    INDUCTION: {
        "a loop": lambda weights, period: _mean_by_loop(weights, period, period - 1)
    },
}

BY_HAND = [
    hand(
        PREVIOUS,
        "one below the diagonal",
        [(2 + 5) / 2, 1],
        weights=[
            [[9, 9, 9], [2, 9, 9], [9, 5, 9]],
            [[1, 0, 0], [1, 0, 0], [0, 1, 0]],
        ],
    ),
    hand(PREVIOUS, "one token", NAN, weights=[[1]]),
    hand(PREVIOUS, "no tokens", [NAN, NAN], weights=np.zeros((2, 0, 0))),
    *(
        hand(
            INDUCTION,
            f"period {period}",
            expected,
            weights=[[1, 9, 9, 9], [2, 3, 9, 9], [4, 5, 6, 9], [7, 8, 10, 11]],
            period=period,
        )
        for period, expected in (
            (1, (3 + 6 + 11) / 3),
            (2, (5 + 10) / 2),
            (3, 8),
            (4, NAN),
            (100, NAN),
        )
    ),
    hand(INDUCTION, "no heads", np.zeros(0), weights=np.zeros((0, 3, 3)), period=2),
]

BAD_INPUT: list[Bad] = [
    *(
        misfit(function, "weights", *says, weights=shape, **more)
        for function, more in ((PREVIOUS, {}), (INDUCTION, {"period": 3}))
        for shape, *says in (
            ((7, 5), "n = 7 from weights"),
            ((2, 5, 7), "n = 5 from weights"),
            ((1, 5), "n = 1 from weights"),
            ((5,), "(*batch, n, n)", "got 1 axes"),
        )
    ),
    *bad_count(INDUCTION, "period", 0, weights=(7, 7)),
]
