"""The calls that the twins of the chapter `order` are compared in."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.support.arrays import BATCH, N_K, N_Q, N, normal
from tests.support.refusals import (
    bad_count,
    bad_dtype,
    bad_flag,
    bad_number,
    misfit,
)
from tests.support.twin_table import INF, NAN, Bad, Case, hand

F64, D = np.dtype("float64"), 14  # an even width, of two different primes

CASES = [
    *(
        Case("order.sinusoidal_encoding", about, {}, sizes | {"dtype": F64})
        for about, sizes in (
            ("several positions", {"n": N, "d_model": D}),
            ("more features than positions", {"n": 5, "d_model": 26}),
            ("one pair", {"n": N, "d_model": 2}),
            ("far away", {"n": 5003, "d_model": 6}),
            ("another base", {"n": N, "d_model": D, "base": 17.5}),
            ("a base below 1", {"n": N, "d_model": D, "base": 0.5}),
        )
    ),
    *(
        Case(
            "order.rotary",
            f"{about}, {'interleaved' if interleaved else 'half-split'}",
            {"X": normal(*shape), "positions": np.array(positions)},
            options | {"interleaved": interleaved},
        )
        for interleaved in (False, True)
        for about, shape, positions, options in (
            ("no batch axis", (N_Q, D), range(N_Q), {}),
            ("two batch axes", (*BATCH, N_Q, D), range(N_Q), {}),
            ("a batch of one", (1, N_Q, D), range(N_Q), {}),
            ("in any order", (5, D), [11, 0, 3, 3, 2], {}),
            ("far away, and negative", (3, D), [100_003, -7, 5000], {}),
            ("one pair", (N_Q, 2), range(N_Q), {}),
            ("another base", (N_Q, D), range(N_Q), {"base": 101.0}),
        )
    ),
    Case(
        "order.rotary",
        "int32",
        {"X": normal(3, D), "positions": np.array([2, 0, 5], np.int32)},
    ),
    *(
        Case(
            "order.alibi_bias",
            f"{n_heads} heads, {sizes}",
            {},
            {"n_heads": n_heads, "dtype": F64} | sizes,
        )
        for n_heads in (1, 2, 3, 7, 8, 12, 16)
        for sizes in (
            {"n_q": N_Q},
            {"n_q": N_Q, "n_k": N_K},
            {"n_q": N_K, "n_k": N_Q},
            {"n_q": 1, "n_k": N_K},
        )
    ),
]


def _waves_by_hand(
    n: int, d_model: int, *, base: float = 10000.0, dtype: Any = None
) -> np.ndarray:
    """Follow the formula of Vaswani et al., entry by entry."""
    rows = []
    for pos in range(n):
        row = []
        for f in range(d_model // 2):
            angle = pos / math.pow(base, 2 * f / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return np.array(rows)


def _waves_by_powers(
    n: int, d_model: int, *, base: float = 10000.0, dtype: Any = None
) -> np.ndarray:
    """Take the imaginary and real parts of the powers of one complex number for each pair."""
    step = np.exp(1j * base ** (-np.arange(0, d_model, 2) / d_model))
    powers = step ** np.arange(n)[:, None]
    return np.stack([powers.imag, powers.real], axis=2).reshape(n, d_model)


def _rotary_by_complex_numbers(
    X: np.ndarray, positions: np.ndarray, *, base: float = 1e4, interleaved=False
) -> torch.Tensor:
    """Multiply by complex numbers of length 1, as Meta's code for Llama does."""
    x, d = torch.from_numpy(X.copy()), X.shape[-1]
    if not interleaved:  # bring the two halves together
        x = torch.stack([x[..., : d // 2], x[..., d // 2 :]], dim=-1).flatten(-2)
    frequencies = 1.0 / base ** (torch.arange(0, d, 2).double() / d)
    angles = torch.outer(torch.from_numpy(positions.copy()).double(), frequencies)
    factors = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    turned = torch.view_as_real(pairs * factors)
    if interleaved:
        return turned.flatten(-2)
    return torch.cat([turned[..., 0], turned[..., 1]], dim=-1)


def _rotary_by_matrices(
    X: np.ndarray, positions: np.ndarray, *, base: float = 1e4, interleaved=False
) -> np.ndarray:
    """Multiply each row by a matrix written down for its position."""
    d, out = X.shape[-1], np.empty_like(X)
    for row, position in enumerate(positions.tolist()):
        R = np.zeros((d, d))
        for f in range(d // 2):
            a, b = (2 * f, 2 * f + 1) if interleaved else (f, f + d // 2)
            t = position * base ** (-2 * f / d)
            R[a, a] = R[b, b] = math.cos(t)
            R[a, b], R[b, a] = math.sin(t), -math.sin(t)
        out[..., row, :] = X[..., row, :] @ R
    return out


def _published_slopes(n_heads: int) -> list[float]:
    """Follow the recursion by which the authors choose slopes for any number of heads."""
    if math.log2(n_heads).is_integer():
        ratio = 2 ** (-(2 ** -(math.log2(n_heads) - 3)))
        return [ratio**h for h in range(1, n_heads + 1)]
    below = 2 ** math.floor(math.log2(n_heads))
    more = _published_slopes(2 * below)[0::2][: n_heads - below]
    return _published_slopes(below) + more


def _alibi_by_loops(
    n_heads: int, n_q: int, n_k: int | None = None, *, dtype: Any = None
) -> np.ndarray:
    """Count the distances one by one, from the end."""
    n_k = n_q if n_k is None else n_k
    bias = np.empty((n_heads, n_q, n_k))
    for h, slope in enumerate(_published_slopes(n_heads)):
        for i in range(n_q):
            for j in range(n_k):
                from_the_end = (n_q - 1 - i) - (n_k - 1 - j)
                bias[h, i, j] = -slope * abs(from_the_end)
    return bias


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "order.sinusoidal_encoding": {
        "math.sin and math.cos": _waves_by_hand,
        "powers of complex numbers": _waves_by_powers,
    },
    "order.rotary": {
        "complex numbers": _rotary_by_complex_numbers,
        "rotation matrices": _rotary_by_matrices,
    },
    "order.alibi_bias": {"distances from the end": _alibi_by_loops},
}

_S1, _C1 = math.sin(1), math.cos(1)

BY_HAND = [
    hand(
        "order.sinusoidal_encoding",
        "base 4: frequencies 1 and 1/2",
        [
            [0, 1, 0, 1],
            [_S1, _C1, math.sin(0.5), math.cos(0.5)],
            [math.sin(2), math.cos(2), _S1, _C1],
        ],
        n=3,
        d_model=4,
        base=4.0,
        dtype=F64,
    ),
    hand(
        "order.sinusoidal_encoding",
        "base 10000 for four features: the second frequency is 1/100",
        [[0, 1, 0, 1], [_S1, _C1, math.sin(0.01), math.cos(0.01)]],
        n=2,
        d_model=4,
        dtype=F64,
    ),
    hand(
        "order.sinusoidal_encoding",
        "no positions",
        np.zeros((0, 2)),
        n=0,
        d_model=2,
        dtype=F64,
    ),
    hand(
        "order.rotary",
        "position 0 changes nothing",
        [[1, 2, 3, 4]],
        X=[[1, 2, 3, 4]],
        positions=[0],
    ),
    # base 4, so that position 2 turns pair 0 by 2 and pair 1 by 1.
    hand(
        "order.rotary",
        "halves: features 0 and 2, 1 and 3",
        [[math.cos(2), _C1, math.sin(2), _S1], [0, -_S1, 0, _C1]],
        X=[[1, 1, 0, 0], [0, 0, 0, 1]],
        positions=[2, 2],
        base=4.0,
    ),
    hand(
        "order.rotary",
        "interleaved: features 0 and 1, 2 and 3",
        [[math.cos(2), math.sin(2), _C1, _S1], [0, 0, -_S1, _C1]],
        X=[[1, 0, 1, 0], [0, 0, 0, 1]],
        positions=[2, 2],
        base=4.0,
        interleaved=True,
    ),
    hand(
        "order.rotary",
        "negative positions turn backwards",
        [[_C1, -_S1]],
        X=[[1, 0]],
        positions=[-1],
    ),
    hand(
        "order.rotary",
        "infinite and NaN entries spread to their pair",
        [[NAN, 1, NAN, 2], [INF, 1, INF, 2]],
        X=[[NAN, 1, 0, 2], [INF, 1, 0, 2]],
        positions=[0, 1],
        base=1e300,
    ),
    hand(
        "order.rotary",
        "no rows",
        np.zeros((0, 4)),
        X=np.zeros((0, 4)),
        positions=np.zeros(0, int),
    ),
    hand(
        "order.rotary",
        "no features",
        np.zeros((2, 0)),
        X=np.zeros((2, 0)),
        positions=[0, 1],
    ),
    hand(
        "order.alibi_bias",
        "two heads: slopes 1/16 and 1/256",
        [
            [[0, -1 / 16, -2 / 16], [-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]],
            [
                [0, -1 / 256, -2 / 256],
                [-1 / 256, 0, -1 / 256],
                [-2 / 256, -1 / 256, 0],
            ],
        ],
        n_heads=2,
        n_q=3,
        dtype=F64,
    ),
    hand(
        "order.alibi_bias",
        "eight heads: one step costs 1/2, 1/4, ..., 1/256",
        [[[-(0.5**h), 0]] for h in range(1, 9)],
        n_heads=8,
        n_q=1,
        n_k=2,
        dtype=F64,
    ),
    # Three heads: those of two heads, 1/16 and 1/256, then the first of four, 1/4.
    hand(
        "order.alibi_bias",
        "three heads, and a cache of two keys",
        [
            [[-2 * m, -m, 0, -m], [-3 * m, -2 * m, -m, 0]]
            for m in (1 / 16, 1 / 256, 1 / 4)
        ],
        n_heads=3,
        n_q=2,
        n_k=4,
        dtype=F64,
    ),
    hand(
        "order.alibi_bias",
        "more queries than keys: the first stand before the first key",
        [[[-2 / 256], [-1 / 256], [0]]],
        n_heads=1,
        n_q=3,
        n_k=1,
        dtype=F64,
    ),
    *(
        hand(
            "order.alibi_bias",
            f"empty {n_q} {n_k}",
            np.zeros((1, n_q, n_k)),
            n_heads=1,
            n_q=n_q,
            n_k=n_k,
            dtype=F64,
        )
        for n_q, n_k in ((0, 0), (0, 3), (3, 0))
    ),
]

BAD_INPUT = [
    *bad_count("order.sinusoidal_encoding", "n", -1, d_model=4),
    *bad_count("order.sinusoidal_encoding", "d_model", 0, n=3),
    *(
        Bad(
            "order.sinusoidal_encoding",
            f"odd d_model {d_model}",
            {"n": 3, "d_model": d_model},
            ValueError,
            "d_model",
            ("must be even", f"got {d_model}"),
        )
        for d_model in (1, 3, 7)
    ),
    *bad_number("order.sinusoidal_encoding", "base", n=3, d_model=4),
    *bad_dtype("order.sinusoidal_encoding", n=3, d_model=4),
    *(
        misfit(
            "order.rotary", "positions", "n = 7 from X", X=(7, 4), positions=shape
        )
        for shape in ((5,), (1,), (8,))
    ),
    misfit("order.rotary", "positions", "(n,)", X=(2, 7, 4), positions=(2, 7)),
    misfit("order.rotary", "X", "even width", X=(7, 5), positions=(7,)),
    misfit("order.rotary", "X", "even width", X=(2, 7, 1), positions=(7,)),
    misfit("order.rotary", "X", "(*batch, n, d_k)", X=(4,), positions=(4,)),
    *bad_number("order.rotary", "base", X=np.ones((3, 4)), positions=np.arange(3)),
    *bad_flag(
        "order.rotary", "interleaved", "half", X=(3, 4), positions=np.arange(3)
    ),
    *bad_count("order.alibi_bias", "n_heads", 0, n_q=3),
    *bad_count("order.alibi_bias", "n_q", -1, n_heads=2),
    *bad_count("order.alibi_bias", "n_k", -1, n_heads=2, n_q=3),
    *bad_dtype("order.alibi_bias", n_heads=2, n_q=3),
]
