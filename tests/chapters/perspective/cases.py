"""The calls that the twins of `perspective` are compared in."""

from collections.abc import Callable
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import scipy.ndimage
import scipy.spatial.distance
import scipy.special
import torch
import torch.nn.functional as F

from tests.support.arrays import BATCH, normal
from tests.support.oracles import tensors
from tests.support.refusals import (
    NOT_AT_LEAST_0,
    bad_count,
    bad_dtype,
    bad_number,
    misfit,
)
from tests.support.twin_table import INF, NAN, Bad, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]

F64 = np.dtype("float64")
SHIFT, SCORES, CONV, HOPFIELD = (
    f"perspective.{name}"
    for name in (
        "shift_weights",
        "relative_position_scores",
        "conv2d_as_attention",
        "hopfield_update",
    )
)
HEIGHT, WIDTH, C_IN, C_OUT = 5, 7, 3, 2
N_PATTERNS, N_STATES, D = 5, 3, 13

_SHIFTS = [
    ("to itself", (0, 0)),
    ("down and right", (1, 2)),
    ("up and left", (-2, -1)),
    ("up and right", (-1, 1)),
    ("out of the picture", (0, WIDTH)),
    ("far out", (-100, 3)),
]
_SIZES = [
    ("a picture", 5, 7),
    ("a row", 1, 11),
    ("a column", 11, 1),
    ("one pixel", 1, 1),
]


def _conv(about: str, *batch: int, k: tuple[int, int], c_out: int = C_OUT) -> Case:
    """Give a convolution of pictures with three channels."""
    arrays = {
        "image": normal(*batch, HEIGHT, WIDTH, C_IN),
        "kernel": normal(*k, C_IN, c_out),
    }
    return Case(CONV, about, arrays)


def _memory(
    about: str, beta: float, n: int = N_PATTERNS, states: int = N_STATES
) -> Case:
    """Give an update of states."""
    arrays = {"patterns": normal(n, D), "state": normal(states, D)}
    return Case(HOPFIELD, about, arrays, {"beta": beta})


CASES = [
    *(
        Case(SHIFT, f"{size}, {about}", {},
             {"height": h, "width": w, "shift": shift, "dtype": F64})
        for size, h, w in _SIZES
        for about, shift in _SHIFTS
    ),
    *(
        Case(SCORES, f"{size}, {about}, sharpness {sharpness}", {},
             {"height": h, "width": w, "shift": shift, "sharpness": sharpness, "dtype": F64})
        for size, h, w in _SIZES
        for (about, shift), sharpness in zip(_SHIFTS, (1, 0.5, 3.0, 0, 0.25, 2.0), strict=True)
    ),
    _conv("no batch axis", k=(3, 3)),
    _conv("two batch axes", *BATCH, k=(3, 3)),
    _conv("a batch of one", 1, k=(3, 3)),
    _conv("kernels of two sizes", k=(3, 5)),
    _conv("a kernel of one entry", k=(1, 1)),
    _conv("a kernel larger than the picture", k=(11, 1)),
    _conv("as many channels out as in", k=(5, 3), c_out=C_IN),
    _memory("several states", 0.7),
    _memory("one state", 2.0, states=1),
    _memory("as many states as patterns", 1.0, states=N_PATTERNS),
    _memory("one pattern", 0.3, n=1),
    _memory("no sharpness at all", 0.0),
    _memory("away from what it resembles", -0.5),
]  # fmt: skip


def _shift_by_kron(
    height: int, width: int, shift: Any, dtype: Any = None
) -> np.ndarray:
    """Shift rows and columns each by a diagonal of ones."""
    return np.kron(np.eye(height, k=shift[0]), np.eye(width, k=shift[1]))


def _shift_by_loops(
    height: int, width: int, shift: Any, dtype: Any = None
) -> np.ndarray:
    """Walk over the picture, and stop at its border."""
    weights = np.zeros((height * width, height * width))
    for r in range(height):
        for c in range(width):
            row, column = r + shift[0], c + shift[1]
            if 0 <= row < height and 0 <= column < width:
                weights[r * width + c, row * width + column] = 1
    return weights


def _scores_by_cdist(
    height: int, width: int, shift: Any, sharpness: float, dtype: Any = None
) -> np.ndarray:
    places = np.indices((height, width)).reshape(2, -1).T.astype(float)
    return -sharpness * scipy.spatial.distance.cdist(
        places + shift, places, "sqeuclidean"
    )


def _conv_by_torch(image: np.ndarray, kernel: np.ndarray) -> torch.Tensor:
    """Bring the channels to where PyTorch wants them, and back."""
    x, k = tensors(image, kernel)
    flat = x.reshape(-1, *x.shape[-3:]).permute(0, 3, 1, 2)
    pad = (kernel.shape[0] // 2, kernel.shape[1] // 2)
    Y = F.conv2d(flat, k.permute(3, 2, 0, 1), padding=pad).permute(0, 2, 3, 1)
    return Y.reshape(*x.shape[:-1], kernel.shape[-1])


def _conv_by_scipy(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Sum correlations of one channel each; beyond the border are zeros."""
    out = np.zeros((*image.shape[:-1], kernel.shape[-1]))
    for place in np.ndindex(*image.shape[:-3]):
        for f, o in np.ndindex(*kernel.shape[2:]):
            out[(*place, ..., o)] += scipy.ndimage.correlate(
                image[(*place, ..., f)], kernel[:, :, f, o], mode="constant"
            )
    return out


def _hopfield_by_torch(patterns: Any, state: Any, beta: float) -> torch.Tensor:
    x, s = tensors(patterns, state)
    return F.scaled_dot_product_attention(s, x, x, scale=beta)


def _hopfield_by_energy(
    patterns: np.ndarray, state: np.ndarray, beta: float
) -> np.ndarray:
    """Step down the energy of the paper: state - dE/dstate, with PyTorch's derivative."""
    x, s = tensors(patterns, state)
    s.requires_grad_()
    if beta == 0:  # the limit
        return np.broadcast_to(patterns.mean(axis=0), state.shape)
    energy = (s**2).sum() / 2 - torch.logsumexp(beta * s @ x.T, dim=-1).sum() / beta
    energy.backward()
    return (s - s.grad).detach().numpy()


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    SHIFT: {"np.kron": _shift_by_kron, "loops": _shift_by_loops},
    SCORES: {"scipy.spatial.distance.cdist": _scores_by_cdist},
    CONV: {
        "torch.nn.functional.conv2d": _conv_by_torch,
        "scipy.ndimage.correlate": _conv_by_scipy,
    },
    HOPFIELD: {
        "F.scaled_dot_product_attention": _hopfield_by_torch,
        "a step down the energy": _hopfield_by_energy,
    },
}

BY_HAND = [
    # Pixels 0 1 2 above 3 4 5: below 0 lies 3, and nothing lies below 3.
    hand(
        SHIFT,
        "one down, in a picture of two rows",
        [
            [0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 1],
            *[[0] * 6] * 3,
        ],
        height=2,
        width=3,
        shift=(1, 0),
        dtype=F64,
    ),
    # Right of 2 lies nothing, and not 3.
    hand(
        SHIFT,
        "one to the right: a row's end is not joined to the next row's start",
        [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]],
        height=2,
        width=2,
        shift=(0, 1),
        dtype=F64,
    ),
    # Pixel 0 means (1, 0): that is 1 from (0, 0), 2 from (0, 1), 0 from (1, 0), 1 from (1, 1).
    hand(
        SCORES,
        "squared distances from what lies below, tripled",
        [[-3, -6, 0, -3], [-6, -3, -3, 0], [-12, -15, -3, -6], [-15, -12, -6, -3]],
        height=2,
        width=2,
        shift=(1, 0),
        sharpness=3.0,
        dtype=F64,
    ),
    hand(
        SCORES,
        "sharpness 0: all the same",
        np.zeros((3, 3)),
        height=1,
        width=3,
        shift=(5, -7),
        sharpness=0,
        dtype=F64,
    ),
    # Each pixel: 1 times its left neighbor, 10 times itself, 100 times its right neighbor.
    hand(
        CONV,
        "the kernel is not flipped, and beyond the border are zeros",
        [[[210], [321], [32]]],
        image=[[[1], [2], [3]]],
        kernel=[[[[1]], [[10]], [[100]]]],
    ),
    hand(
        CONV,
        "rows: above, and below",
        [[[20 + 300], [0 + 0]], [[1 + 30], [0 + 0]]],
        image=[[[2], [0]], [[3], [0]]],
        kernel=[[[[0.5]]], [[[10]]], [[[100]]]],
    ),
    # Two channels in, two out: (x, y) becomes (x + 2y, 3x + 4y).
    hand(
        CONV,
        "one entry: a matrix for every pixel",
        [[[5 + 12, 15 + 24], [7, 21]]],
        image=[[[5, 6], [7, 0]]],
        kernel=[[[[1, 3], [2, 4]]]],
    ),
    hand(
        CONV,
        "no channels come in: zeros",
        np.zeros((1, 2, 3)),
        image=np.zeros((1, 2, 0)),
        kernel=np.zeros((1, 1, 0, 3)),
    ),
    hand(
        CONV,
        "no channels go out",
        np.zeros((1, 2, 0)),
        image=np.ones((1, 2, 3)),
        kernel=np.ones((1, 1, 3, 0)),
    ),
    hand(
        CONV,
        "an empty batch",
        np.zeros((0, 1, 2, 1)),
        image=np.zeros((0, 1, 2, 1)),
        kernel=[[[[5]]]],
    ),
    # Scores log 3 and 0: weights 3/4 and 1/4.
    hand(
        HOPFIELD,
        "three parts of what it resembles",
        [[3, 1]],
        patterns=[[4, 0], [0, 4]],
        state=[[log(3), 0]],
        beta=0.25,
    ),
    hand(
        HOPFIELD,
        "beta 0: the mean of all patterns",
        [[2, 3], [2, 3]],
        patterns=[[1, 5], [3, 1]],
        state=[[100, 0], [0, -7]],
        beta=0.0,
    ),
    hand(
        HOPFIELD,
        "a large beta: the pattern itself, half of its signs given",
        [[1, 1, -1, -1]],
        patterns=[[1, 1, -1, -1], [1, -1, 1, -1]],
        state=[[0, 1, -1, 0]],
        beta=1e4,
    ),
    hand(
        HOPFIELD,
        "NaN and infinite states spoil their rows alone",
        [[NAN], [NAN], [2]],
        patterns=[[1], [3]],
        state=[[NAN], [INF], [0]],
        beta=1.0,
    ),
    hand(
        HOPFIELD,
        "no states",
        np.zeros((0, 2)),
        patterns=[[1, 2]],
        state=np.zeros((0, 2)),
        beta=1.0,
    ),
]

_PLACE: dict[str, Any] = {"height": 3, "width": 2}
_SHARP: dict[str, Any] = _PLACE | {"sharpness": 1.0}


def _shifted(rows: list[Bad]) -> list[Bad]:
    """Give the shift in these calls, which else would be taken for the shape of an array."""
    return [
        replace(row, arguments=row.arguments | {"shift": (0, 1)}) for row in rows
    ]


def _without(given: dict[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in given.items() if k != name}


BAD_INPUT = [
    *(
        row
        for function, given in ((SHIFT, _PLACE), (SCORES, _SHARP))
        for name in ("height", "width")
        for row in _shifted(bad_count(function, name, 0, **_without(given, name)))
    ),
    *(
        Bad(function, f"shift {shift!r}", given | {"shift": shift}, TypeError, "shift", says)
        for function, given in ((SHIFT, _PLACE), (SCORES, _SHARP))
        for shift, says in (
            ([0, 1], ("pair", "got list [0, 1]")),
            (1, ("pair", "got int 1")),
            (None, ("pair", "got NoneType")),
            ((1,), ("pair", "got tuple (1,)")),
            ((1, 2, 3), ("pair", "got tuple (1, 2, 3)")),
            ((0.5, 1), ("whole number", "got float 0.5")),
            ((1, "2"), ("whole number", "got str '2'")),
            ((True, 1), ("whole number", "got bool True")),
        )
    ),
    *(
        row
        for function, given in ((SHIFT, _PLACE), (SCORES, _SHARP))
        for row in _shifted(bad_dtype(function, **given))
    ),
    *(
        Bad(SCORES, f"sharpness {value!r}", _PLACE | {"shift": (0, 1), "sharpness": value},
            error, "sharpness", (says,))
        for value, error, says in NOT_AT_LEAST_0
    ),
    # Pictures without an axis for channels, kernels without a middle.
    misfit(CONV, "image", "(*batch, height, width, c_in)", "got 2 axes",
           image=(5, 7), kernel=(3, 3, 1, 1)),
    misfit(CONV, "kernel", "got 2 axes", image=(5, 7, 1), kernel=(3, 3)),
    misfit(CONV, "kernel", "got 3 axes", image=(5, 7, 1), kernel=(3, 3, 1)),
    misfit(CONV, "kernel", "c_in = 3 from image", image=(5, 7, 3), kernel=(3, 3, 1, 2)),
    misfit(CONV, "kernel", "c_in = 1 from image", image=(5, 7, 1), kernel=(3, 3, 3, 2)),
    *(
        misfit(CONV, "kernel", f"an odd {axis}, so that it has a middle",
               image=(5, 7, 1), kernel=(*k, 1, 1))
        for k, axis in (((2, 3), "k_height"), ((3, 2), "k_width"), ((0, 3), "k_height"),
                        ((4, 4), "k_height"))
    ),
    misfit(CONV, "image", "at least one element along axis -3", image=(0, 7, 1),
           kernel=(3, 3, 1, 1)),
    misfit(CONV, "image", "at least one element along axis -2", image=(2, 5, 0, 1),
           kernel=(3, 3, 1, 1)),
    # Patterns of another length than the states.
    misfit(HOPFIELD, "state", "d = 64 from patterns", patterns=(3, 64), state=(1, 63), beta=1.0),
    misfit(HOPFIELD, "state", "d = 64 from patterns", patterns=(3, 64), state=(1, 1), beta=1.0),
    misfit(HOPFIELD, "state", "got 1 axes", patterns=(3, 64), state=(64,), beta=1.0),
    misfit(HOPFIELD, "patterns", "got 1 axes", patterns=(64,), state=(1, 64), beta=1.0),
    misfit(HOPFIELD, "patterns", "at least one element along axis 0", patterns=(0, 64),
           state=(1, 64), beta=1.0),
    misfit(HOPFIELD, "patterns", "at least one element along axis 1", patterns=(3, 0),
           state=(1, 0), beta=1.0),
    *bad_number(HOPFIELD, "beta", positive=False, patterns=(3, 5), state=(2, 5)),
]  # fmt: skip
