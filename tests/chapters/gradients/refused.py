"""The calls of the functions of `gradients` that must be refused."""

from typing import Any

import numpy as np

from tests.chapters.block.refused import D_FF, D_MODEL, HEADS, params
from tests.support.arrays import N_Q
from tests.support.refusals import (
    NOT_AT_LEAST_0,
    bad_count,
    bad_flag,
    bad_masks,
    bad_number,
    misfit,
)
from tests.support.twin_table import Bad

SOFTMAX, ATTENTION, HEADED, NORM, FEED, BLOCK, NUDGED = (
    f"gradients.{name}"
    for name in (
        "softmax_backward",
        "attention_backward",
        "multi_head_attention_backward",
        "layer_norm_backward",
        "feed_forward_backward",
        "transformer_block_backward",
        "numerical_gradient",
    )
)

_ATTENTION: dict[str, Any] = {
    "Q": (7, 5),
    "K": (11, 5),
    "V": (11, 3),
    "d_out": (7, 3),
}
_BATCH: dict[str, Any] = {name: (2, *shape) for name, shape in _ATTENTION.items()}
_HEADED: dict[str, Any] = {
    "X": (2, 7, 6), "W_Q": (6, 10), "W_K": (6, 10), "W_V": (6, 15), "W_O": (15, 3),
    "d_out": (2, 7, 3),
}  # fmt: skip
_NORM: dict[str, Any] = {"X": (7, 5), "gain": (5,), "d_out": (7, 5)}
_FEED: dict[str, Any] = {
    "X": (7, 5), "W_1": (5, 3), "b_1": (3,), "W_2": (3, 5), "d_out": (7, 5),
}  # fmt: skip
_ROWS = np.ones((N_Q, D_MODEL))


def _misfits(
    function: str, good: dict[str, Any], *rows: tuple[str, tuple[int, ...], str]
) -> list[Bad]:
    """Try shapes that do not fit, each in one argument."""
    return [
        misfit(function, name, says, **good | {name: shape})
        for name, shape, says in rows
    ]


def _bad_block(
    about: str, error: type[Exception], name: str, *says: str, **changed: Any
) -> Bad:
    """Give a call of the block with something wrong."""
    good = {"X": _ROWS, "params": params(), "d_out": _ROWS, "n_heads": HEADS}
    return Bad(BLOCK, about, good | changed, error, name, says)


def _eps(function: str, positive: bool, **given: Any) -> list[Bad]:
    """Try what is no size of a nudge, or nothing to be added to a variance."""
    if positive:
        return bad_number(function, "eps", **given)
    good = {k: np.ones(v) for k, v in given.items()}
    return [
        Bad(function, f"eps {eps!r}", good | {"eps": eps}, error, "eps", (says,))
        for eps, error, says in NOT_AT_LEAST_0
    ]


BAD_INPUT = [
    *_misfits(
        SOFTMAX,
        {"weights": (2, 7), "d_weights": (2, 7)},
        ("d_weights", (2, 5), "n = 7 from weights"),
        ("d_weights", (7,), "batch = (2,) from weights"),
        ("d_weights", (1, 7), "not broadcast"),
        ("d_weights", (2, 1), "n = 7 from weights"),
    ),
    *_misfits(
        ATTENTION,
        _ATTENTION,
        ("K", (11, 1), "d_k = 5 from Q"),
        ("V", (7, 3), "n_k = 11 from K"),
        ("d_out", (11, 3), "n_q = 7 from Q"),
        ("d_out", (7, 5), "d_v = 3 from V"),
        ("d_out", (7, 1), "d_v = 3 from V"),
        ("d_out", (3,), "(*batch, n_q, d_v)"),
        ("d_out", (2, 7, 3), "batch = () from Q"),
    ),
    misfit(ATTENTION, "Q", "at least one element along axis -1",
           **_ATTENTION | {"Q": (7, 0), "K": (11, 0)}),
    *bad_masks(ATTENTION, **_BATCH),
    *bad_flag(ATTENTION, "causal", **_ATTENTION),
    *bad_number(ATTENTION, "scale", positive=False, **_ATTENTION),
    *(
        misfit(HEADED, name, says, **_HEADED | {name: shape}, n_heads=5)
        for name, shape, says in (
            ("W_Q", (5, 10), "d_model = 6 from X"),
            ("W_K", (6, 5), "heads_d_k = 10 from W_Q"),
            ("W_V", (4, 15), "d_model = 6 from X"),
            ("W_O", (10, 3), "heads_d_v = 15 from W_V"),
            ("d_out", (2, 7, 6), "d_out = 3 from W_O"),
            ("d_out", (7, 3), "batch = (2,) from X"),
            ("d_out", (2, 5, 3), "n = 7 from X"),
            ("mask", (7, 5), "n = 7 from X"),
            ("mask", (3, 7, 7), "batch = (2,) from X"),
        )
    ),
    misfit(HEADED, "W_Q", "a multiple of n_heads = 3", **_HEADED, n_heads=3),
    *bad_count(HEADED, "n_heads", 0, **_HEADED),
    *bad_flag(HEADED, "causal", n_heads=5, **_HEADED),
    *_misfits(
        NORM,
        _NORM,
        ("gain", (7,), "d_model = 5 from X"),
        ("gain", (1,), "d_model = 5 from X"),
        ("d_out", (7, 1), "d_model = 5 from X"),
        ("d_out", (5,), "batch = (7,) from X"),
        ("d_out", (1, 5), "batch = (7,) from X"),
    ),
    misfit(NORM, "X", "at least one element", X=(7, 0), gain=(0,), d_out=(7, 0)),
    *_eps(NORM, False, **_NORM),
    *_misfits(
        FEED,
        _FEED,
        ("W_1", (3, 5), "d_model = 5 from X"),
        ("b_1", (1,), "d_ff = 3 from W_1"),
        ("W_2", (5, 3), "d_ff = 3 from W_1"),
        ("d_out", (7, 3), "d_model = 5 from X"),
        ("d_out", (5,), "batch = (7,) from X"),
    ),
    *bad_flag(BLOCK, "causal", X=_ROWS, d_out=_ROWS, params=params(), n_heads=HEADS),
    *bad_count(BLOCK, "n_heads", 0, X=_ROWS, d_out=_ROWS, params=params()),
    _bad_block("n_heads 2", ValueError, "n_heads", "W_Q", "multiple of n_heads = 2", n_heads=2),
    _bad_block("d_out too wide", ValueError, "d_out", f"d_model = {D_MODEL} from X",
               d_out=np.ones((N_Q, D_FF))),
    _bad_block("a mask of a batch", ValueError, "mask", "batch = () from X",
               mask=np.ones((2, N_Q, N_Q), bool)),
    _bad_block("params None", TypeError, "params", "mapping", params=None),
    _bad_block("an entry too few", ValueError, "params", "misses b_1",
               params={k: a for k, a in params().items() if k != "b_1"}),
    _bad_block("an entry too many", ValueError, "params", "has unknown b_Q",
               params=params() | {"b_Q": np.ones(3)}),
    _bad_block("an entry in another shape", ValueError, "W_1", "must have shape",
               params=params(W_1=(D_FF, D_MODEL))),
    _bad_block("an entry in another dtype", TypeError, "gain_2", "one dtype",
               params=params() | {"gain_2": np.ones(D_MODEL, np.float32)}),
    *(
        Bad(NUDGED, f"f {f!r}", {"x": np.ones(3), "f": f}, TypeError, "f",
            ("must be a function", says))
        for f, says in (("entropy", "got str"), (None, "got NoneType"), (3.0, "got float"))
    ),
    # A function that gives more than one number.
    *(
        Bad(NUDGED, f"f gives shape {shape}", {"x": np.ones(shape), "f": lambda x: 2 * x},
            ValueError, "f", ("must return a single number", f"got shape {shape}"))
        for shape in ((3,), (2, 3), (1,))
    ),
    *(
        Bad(NUDGED, f"f gives {given!r}", {"x": np.ones(3), "f": lambda x, given=given: given},
            TypeError, "f", ("must return a single number", f"got {type(given).__name__}"))
        for given in (None, "3", [1.0, 2.0], 1j)
    ),
    *_eps(NUDGED, True, x=(3,), f=len),
]  # fmt: skip
