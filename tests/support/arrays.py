"""Random arrays for the tables of cases, and the calls that several functions share.

All sizes are distinct primes, so that no two axes can be swapped unnoticed.
"""

from typing import Any

import numpy as np

from tests.support.twin_table import Case

BATCH = (2, 3)
N_Q, N_K, N = 7, 11, 23
D_K, D_V, D_Q, D_HIDDEN = 5, 13, 17, 19
D_MODEL = 29

_rng = np.random.default_rng(20_240_601)


def normal(*shape: int) -> np.ndarray:
    """Draw a standard normal array."""
    return _rng.normal(size=shape)


def distribution(*shape: int) -> np.ndarray:
    """Draw positive weights that sum to 1 along the last axis."""
    return _rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def random_mask(*shape: int, empty: int | None = 2) -> np.ndarray:
    """Draw a mask that allows two in three, with this row empty and all others not."""
    mask = _rng.random(shape) < 2 / 3
    mask[..., 0] |= ~mask.any(axis=-1)
    if empty is not None:
        mask[..., empty, :] = False
    return mask


def whole(*shape: int) -> np.ndarray:
    """Draw small whole numbers, whose dot products are exact in float32."""
    return _rng.integers(-3, 4, size=shape).astype(float)


def with_entries(array: np.ndarray, at: list[int], value: float) -> np.ndarray:
    """Return a copy with this value in these places of the last axis."""
    array = array.copy()
    array[..., at] = value
    return array


def batched(function: str, **shapes: tuple[int, ...]) -> list[Case]:
    """Give a case without batch axes, one with two, and one with a batch of a single element."""
    per_call = {name: shape for name, shape in shapes.items() if shape[0] is ...}
    leading = {"no batch axis": (), "two batch axes": BATCH, "a batch of one": (1,)}
    return [
        Case(
            function,
            about,
            {
                name: normal(*(batch + shape[1:] if name in per_call else shape))
                for name, shape in shapes.items()
            },
        )
        for about, batch in leading.items()
    ]


CAUSAL = np.tri(N_Q, N_K, N_K - N_Q, dtype=bool)


def with_masks(function: str, **arrays: tuple[int, ...]) -> list[Case]:
    """Give a case for every kind of mask, bias and scale, with Q, K and perhaps V."""
    one = {name: shape[1:] for name, shape in arrays.items()}
    pair = {name: BATCH + shape[1:] for name, shape in arrays.items()}

    def case(about: str, shapes: Any, edge: bool = False, **given: Any) -> Case:
        inputs = {name: normal(*shape) for name, shape in shapes.items()}
        inputs |= {k: a for k, a in given.items() if isinstance(a, np.ndarray)}
        options = {k: o for k, o in given.items() if k not in inputs}
        return Case(function, about, inputs, options, differentiable=not edge)

    square = {
        name: (N_Q if shape[0] == N_K else shape[0], shape[1])
        for name, shape in one.items()
    }
    some_inf = np.where(random_mask(N_Q, N_K), normal(N_Q, N_K), -np.inf)
    far = Case(
        function,
        "scores offset by -2e6",
        {name: whole(*shape) for name, shape in one.items()}
        | {"mask": random_mask(N_Q, N_K), "bias": whole(N_Q, N_K) - 2e6},
        {"scale": 1.0},
        differentiable=False,  # finite differences of step 1e-6 drown in rounding at 2e6
    )
    return [
        *batched(function, **arrays),
        case("a causal mask", one, mask=CAUSAL),
        case("a square causal mask", square, mask=np.tri(N_Q, dtype=bool)),
        case("a random mask with an empty row", one, mask=random_mask(N_Q, N_K)),
        case("one mask for a batch", pair, mask=random_mask(N_Q, N_K)),
        case("a mask each", pair, mask=random_mask(*BATCH, N_Q, N_K)),
        case("a mask for each head", pair, mask=random_mask(3, N_Q, N_K)),
        case(
            "padded keys",
            pair,
            mask=np.arange(N_K) < np.array([N_K, 5])[:, None, None, None],
        ),
        case(
            "a mask of the queries",
            one,
            mask=random_mask(N_Q, 1),
        ),
        case("everything masked", one, mask=np.zeros((1, 1), bool)),
        case("a bias", one, bias=normal(N_Q, N_K)),
        case("a bias of the keys of each head", pair, bias=normal(3, 1, N_K)),
        case("a bias with -inf and an empty row", one, edge=True, bias=some_inf),
        case(
            "a mask, a bias and a scale",
            pair,
            mask=random_mask(*BATCH, N_Q, N_K),
            bias=normal(N_Q, N_K),
            scale=0.7,
        ),
        case("a negative scale", one, mask=CAUSAL, scale=-1.5),
        case("a scale of zero", one, mask=CAUSAL, scale=0.0),
        case("causal", one, causal=True),
        case("causal, and square", square, causal=True),
        case(
            "causal, and a mask each",
            pair,
            mask=random_mask(*BATCH, N_Q, N_K),
            causal=True,
        ),
        case("causal, and a bias", pair, bias=normal(N_Q, N_K), causal=True),
        far,
    ]
