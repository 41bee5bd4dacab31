"""Calls of the chapter `fast` whose results were worked out on paper."""

from math import exp, inf, log
from typing import Any

import numpy as np

from tests.chapters.fast.cases_names import LINEAR, TILED
from tests.support.twin_table import NAN, Case, hand

_EMPTY = {"m": [-inf], "l": [0], "o": [[0, 0]]}
_PART = {"m": [2], "l": [1.5], "o": [[3, -1]]}


def _hand_merge(about: str, expected: Any, one: Any, two: Any) -> Case:
    named = [
        {f"{name}{n}": a for name, a in p.items()} for n, p in ((1, one), (2, two))
    ]
    return hand("fast.merge_partial", about, expected, **named[0], **named[1])


BY_HAND = [
    # exp(log 1 - log 4), exp(log 4 - log 4), exp(log 2 - log 4) are 1/4, 1 and 1/2.
    hand(
        "fast.partial_attention",
        "sums and weighted sums, relative to the largest",
        ([log(4)], [1.75], [[8 / 4 + 5 + 4 / 2]]),
        scores=[[log(1), log(4), log(2)]],
        V=[[8], [5], [4]],
    ),
    hand(
        "fast.partial_attention",
        "nothing allowed, and far away scores",
        ([-inf, -2e6], [0, 2], [[0], [12]]),
        scores=[[-inf, -inf], [-2e6, -2e6]],
        V=[[8], [4]],
    ),
    hand(
        "fast.partial_attention",
        "no keys",
        ([-inf], [0], [[0, 0]]),
        scores=np.zeros((1, 0)),
        V=np.zeros((0, 2)),
    ),
    # With m = log 4, the first part counts 1/4 as much as it did.
    _hand_merge(
        "the part with the smaller maximum shrinks",
        ([log(4)], [0.5 + 1.5], [[2 + 3, 1 - 1]]),
        {"m": [0], "l": [2], "o": [[8, 4]]},
        {"m": [log(4)], "l": [1.5], "o": [[3, -1]]},
    ),
    _hand_merge(
        "equal maxima: plain sums",
        ([2], [3.5], [[11, 3]]),
        {"m": [2], "l": [2], "o": [[8, 4]]},
        _PART,
    ),
    _hand_merge("no keys first", ([2], [1.5], [[3, -1]]), _EMPTY, _PART),
    _hand_merge("no keys second", ([2], [1.5], [[3, -1]]), _PART, _EMPTY),
    _hand_merge("no keys at all", ([-inf], [0], [[0, 0]]), _EMPTY, _EMPTY),
    _hand_merge(
        "maxima that exp cannot hold",
        ([1e4], [1.5], [[3, -1]]),
        {"m": [-1e4], "l": [2], "o": [[8, 4]]},
        {"m": [1e4], "l": [1.5], "o": [[3, -1]]},
    ),
    hand(
        "fast.online_softmax",
        "1 : 4 : 2 : 1, the largest in the first block",
        [0.125, 0.5, 0.25, 0.125],
        scores=[log(1), log(4), log(2), log(1)],
        tile=2,
    ),
    hand(
        "fast.online_softmax",
        "the largest in the last block, and a row with nothing allowed",
        [[0.25, 0, 0.75], [0, 0, 0]],
        scores=[[0, -inf, log(3)], [-inf, -inf, -inf]],
        tile=1,
    ),
    hand(
        "fast.online_softmax",
        "rows that differ by thousands",
        [[1, 0], [0.5, 0.5], [0, 1]],
        scores=[[5e3, 0], [-5e3, -5e3], [-inf, -5e3]],
        tile=1,
    ),
    hand(
        "fast.online_softmax",
        "NaN and +inf spoil their rows",
        [[NAN] * 3, [NAN] * 3, [0.5, 0.5, 0]],
        scores=[[0, NAN, 1], [inf, 0, 0], [0, 0, -inf]],
        tile=2,
    ),
    hand(
        "fast.online_softmax",
        "no scores",
        np.zeros((2, 0)),
        scores=np.zeros((2, 0)),
        tile=3,
    ),
    # Weights 3 : 1 from scores 2 log 3 and 0 over sqrt(4); equal for the second query.
    hand(
        TILED,
        "scores over sqrt(4), a key a tile",
        [[6, 1], [4, 2]],
        Q=[[2, 0, 0, 0], [0, 1, 0, 0]],
        K=[[log(3), 5, 0, 0], [0, 5, 0, 0]],
        V=[[8, 0], [0, 4]],
        tile=1,
    ),
    hand(
        TILED,
        "a mask, a bias, and a row with nothing allowed",
        [[8], [0], [7]],
        Q=[[0], [0], [0]],
        K=[[5], [5]],
        V=[[8], [4]],
        mask=[[True, False], [False, False], [True, True]],
        bias=[[0, 0], [0, 0], [log(3), 0]],
        tile=1,
    ),
    *(
        hand(
            TILED,
            f"running means in tiles of {tile}; the last query sees all keys",
            [[2], [3], [5]],
            Q=[[0], [0], [0]],
            K=[[1], [2], [3]],
            V=[[2], [4], [9]],
            causal=True,
            tile=tile,
        )
        for tile in (1, 2, 3, 4)
    ),
    hand(
        TILED,
        "more queries than keys: the first see nothing",
        [[0], [0], [2], [3]],
        Q=[[0], [0], [0], [0]],
        K=[[1], [2]],
        V=[[2], [4]],
        causal=True,
        tile=1,
    ),
    hand(
        TILED,
        "scores that exp cannot hold",
        [[8], [6]],
        Q=[[1e3], [0]],
        K=[[1e3], [-1e3]],
        V=[[8], [4]],
        tile=1,
    ),
    hand(
        TILED,
        "a NaN in a query spoils its row alone, one in a masked key nothing",
        [[NAN], [4]],
        Q=[[NAN], [0]],
        K=[[1], [NAN], [2]],
        V=[[6], [8], [2]],
        mask=[[True, False, True]],
        tile=1,
    ),
    hand(
        TILED,
        "values too large to be multiplied by exp(25)",
        [[5e300]],
        Q=[[5]],
        K=[[5], [5]],
        V=[[4e300], [6e300]],
    ),
    hand(
        TILED,
        "no keys",
        [[0, 0], [0, 0]],
        Q=[[1], [2]],
        K=np.zeros((0, 1)),
        V=np.zeros((0, 2)),
    ),
    hand(
        "fast.repeat_kv",
        "each head twice in a row, not all heads twice",
        [[[1, 2]], [[1, 2]], [[3, 4]], [[3, 4]]],
        K=[[[1, 2]], [[3, 4]]],
        n_rep=2,
    ),
    # elu + 1 takes 0 to 1, 2 to 3 and -log 2 to 1/2. Weights 1 : 3 : 1/2.
    hand(
        LINEAR,
        "weights 1 : 3 : 1/2, whatever the query",
        [[(8 + 3 * 4 + 0.5 * 5) / 4.5]] * 2,
        Q=[[0], [7]],
        K=[[0], [2], [-log(2)]],
        V=[[8], [4], [5]],
    ),
    hand(
        LINEAR,
        "two features: products of features are added",
        # (1, 2) times (3, 1) and (1, exp(-1)).
        [[8 * 5 / (6 + 2 * exp(-1))]],
        Q=[[0, 1]],
        K=[[2, 0], [0, -1]],
        V=[[8], [0]],
    ),
    hand(
        LINEAR,
        "causal: 8, then 1 : 3",
        [[0], [8], [5]],
        Q=[[0], [0], [0]],
        K=[[0], [2]],
        V=[[8], [4]],
        causal=True,
    ),
    hand(
        LINEAR,
        "no keys",
        [[0]],
        Q=[[1]],
        K=np.zeros((0, 1)),
        V=np.zeros((0, 1)),
    ),
]
