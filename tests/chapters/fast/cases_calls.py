"""Calls with random arrays for the chapter `fast`."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from tests.chapters.fast.cases_names import LINEAR, TILED
from tests.support.arrays import (
    BATCH,
    D_K,
    D_V,
    N_K,
    N_Q,
    N,
    batched,
    normal,
    random_mask,
    with_entries,
    with_masks,
)
from tests.support.twin_table import Case


def _tiles() -> list[Case]:
    """Try every mask with a tile that divides nothing, and causal attention in all shapes."""
    masked = with_masks(
        TILED, Q=(..., N_Q, D_K), K=(..., N_K, D_K), V=(..., N_K, D_V)
    )
    small = [
        replace(
            case, about=f"{case.about}, tile 3", options=case.options | {"tile": 3}
        )
        for case in masked
    ]
    causal = [
        Case(
            TILED,
            f"causal, {n_q} queries and {n_k} keys, tile {tile}",
            {"Q": normal(n_q, D_K), "K": normal(n_k, D_K), "V": normal(n_k, D_V)},
            {"causal": True, "tile": tile},
        )
        for n_q, n_k in ((7, 7), (7, 11), (11, 7), (1, 11))
        for tile in (1, 4, 100)
    ]
    both = Case(
        TILED,
        "causal, a mask and a bias",
        {
            "Q": normal(*BATCH, N_Q, D_K),
            "K": normal(*BATCH, N_K, D_K),
            "V": normal(*BATCH, N_K, D_V),
            "mask": random_mask(*BATCH, N_Q, N_K),
            "bias": normal(N_Q, N_K),
        },
        {"causal": True, "tile": 4, "scale": 0.7},
    )
    large = Case(
        TILED,
        "scores that exp cannot take as they are",
        {
            "Q": 9 * normal(N_Q, D_K),
            "K": 9 * normal(N_K, D_K),
            "V": normal(N_K, D_V),
        },
        {"tile": 2},
    )
    return [*masked, *small, *causal, both, large]


def _part(*batch: int, empty: int | None = None) -> dict[str, np.ndarray]:
    """Draw a partial result; the row `empty` has seen no key."""
    m, l = normal(*batch, N_Q), np.exp(normal(*batch, N_Q))
    o = normal(*batch, N_Q, D_V)
    if empty is not None:
        m[..., empty], l[..., empty], o[..., empty, :] = -inf, 0, 0
    return {"m": m, "l": l, "o": o}


def _two_parts(about: str, one: Any, two: Any, **more: Any) -> Case:
    """Give a case of merging."""
    named = [
        {f"{name}{n}": a for name, a in p.items()} for n, p in ((1, one), (2, two))
    ]
    return Case("fast.merge_partial", about, named[0] | named[1], **more)


CASES = [
    *batched("fast.partial_attention", scores=(..., N_Q, N_K), V=(..., N_K, D_V)),
    Case(
        "fast.partial_attention",
        "some masked, one row empty",
        {
            "scores": np.where(random_mask(N_Q, N_K), normal(N_Q, N_K), -inf),
            "V": normal(N_K, D_V),
        },
        differentiable=False,  # m is -inf in the empty row
    ),
    _two_parts("no batch axis", _part(), _part()),
    _two_parts("two batch axes", _part(*BATCH), _part(*BATCH)),
    _two_parts(
        "rows without keys on either side, and on both",
        _part(2, empty=3),
        {
            k: np.concatenate([v, _part(empty=5)[k][None]])
            for k, v in _part(1, empty=3).items()
        },
        differentiable=False,
    ),
    *(
        replace(case, about=f"{case.about}, tile {block}", options={"tile": block})
        for block in (1, 5, 100)
        for case in batched("fast.online_softmax", scores=(..., N_Q, N))
    ),
    *(
        Case("fast.online_softmax", about, {"scores": scores}, {"tile": 3}, **more)
        for about, scores, more in (
            (
                "-inf in the first block",
                with_entries(normal(N_Q, N), [0, 1, 2, 7], -inf),
                {"differentiable": False},
            ),
            ("a single row", normal(N), {}),
            ("offset by -2e6", normal(N_Q, N) - 2e6, {"differentiable": False}),
            ("growing", np.arange(0.0, 1e3, 50), {}),
        )
    ),
    *_tiles(),
    *(
        Case(
            "fast.repeat_kv",
            f"{shape} {n_rep} times",
            {"K": normal(*shape)},
            {"n_rep": n_rep},
        )
        for shape in ((3, N_K, D_K), (*BATCH, 5, N_K, D_K), (1, N_K, D_K))
        for n_rep in (1, 2, 7)
    ),
    *batched(LINEAR, Q=(..., N_Q, D_K), K=(..., N_K, D_K), V=(..., N_K, D_V)),
    *(
        Case(
            LINEAR,
            f"causal, {n_q} queries and {n_k} keys",
            {
                "Q": normal(2, n_q, D_K),
                "K": normal(2, n_k, D_K),
                "V": normal(2, n_k, D_V),
            },
            {"causal": True},
        )
        for n_q, n_k in ((7, 7), (7, 11), (11, 7), (1, 11), (131, 137), (67, 1))
    ),
]
