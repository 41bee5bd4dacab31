"""The calls of the functions of the chapter `block` that must be refused."""

from math import sqrt
from typing import Any

import numpy as np

from course_attn.in_numpy.block import gelu, relu
from tests.support.arrays import N_Q, normal
from tests.support.refusals import NOT_AT_LEAST_0, bad_count, bad_flag, misfit
from tests.support.twin_table import Bad

BLOCK = "block.transformer_block"
WIRINGS = ("block.pre_norm_block", "block.post_norm_block")
PARTS = ("attend", "process", "norm_1", "norm_2")
HEADS, D_MODEL, D_FF, HEADS_K, HEADS_V = 3, 5, 19, 3 * 7, 3 * 13
SHAPES = {
    "W_Q": (D_MODEL, HEADS_K),
    "W_K": (D_MODEL, HEADS_K),
    "W_V": (D_MODEL, HEADS_V),
    "W_O": (HEADS_V, D_MODEL),
    "W_1": (D_MODEL, D_FF),
    "b_1": (D_FF,),
    "W_2": (D_FF, D_MODEL),
    "b_2": (D_MODEL,),
    "gain_1": (D_MODEL,),
    "bias_1": (D_MODEL,),
    "gain_2": (D_MODEL,),
    "bias_2": (D_MODEL,),
}


def params(**other: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Draw the entries of a block, some perhaps in other shapes."""
    shapes = SHAPES | other
    return {name: normal(*shape) / sqrt(shape[0]) for name, shape in shapes.items()}


def _bad_block(
    about: str, error: type[Exception], names: str, *says: str, **changed: Any
) -> Bad:
    """Give a call of the block with something wrong."""
    arguments = {
        "X": np.ones((N_Q, D_MODEL)),
        "params": params(),
        "n_heads": HEADS,
    }
    return Bad(BLOCK, about, arguments | changed, error, names, says)


def _bad_entry(name: str, shape: tuple[int, ...], *says: str) -> Bad:
    """Give a call whose entry of this name has the wrong shape."""
    return _bad_block(
        f"{name} {shape}",
        ValueError,
        name,
        "must have shape",
        *says,
        f"got {shape}",
        params=params() | {name: np.ones(shape)},
    )


_X = f"d_model = {D_MODEL} from X"
_NO_FUNCTION = [
    ("relu", "got str 'relu'"),
    (None, "got NoneType"),
    (3, "got int 3"),
]

BAD_INPUT = [
    *(
        Bad(
            function,
            f"eps {eps!r}",
            {"X": np.ones((7, 5)), "gain": np.ones(5), "eps": eps} | more,
            error,
            "eps",
            (says,),
        )
        for function, more in (
            ("block.layer_norm", {"bias": np.ones(5)}),
            ("block.rms_norm", {}),
        )
        for eps, error, says in NOT_AT_LEAST_0
    ),
    *(
        misfit(function, name, f"d_model = {width} from X", **(good | bad))
        for function, good in (
            ("block.layer_norm", {"X": (7, 5), "gain": (5,), "bias": (5,)}),
            ("block.rms_norm", {"X": (7, 5), "gain": (5,)}),
        )
        for name, width, bad in (
            ("gain", 5, {"gain": (7,)}),
            ("gain", 5, {"gain": (1,)}),
            ("gain", 1, {"X": (7, 1)}),
        )
    ),
    misfit("block.layer_norm", "bias", "5 from X", X=(7, 5), gain=(5,), bias=(1,)),
    misfit(
        "block.layer_norm", "gain", "(d_model,)", X=(7, 5), gain=(7, 5), bias=(5,)
    ),
    *(
        misfit(function, "X", "at least one element", X=(7, 0), gain=(0,), **more)
        for function, more in (
            ("block.layer_norm", {"bias": (0,)}),
            ("block.rms_norm", {}),
        )
    ),
    *(
        Bad(
            "block.relu" if of is relu else "block.gelu",
            "no axis",
            {"X": np.array(1.0)},
            ValueError,
            "X",
            ("got 0 axes",),
        )
        for of in (relu, gelu)
    ),
    *(
        misfit(
            "block.feed_forward",
            name,
            says,
            **(
                {
                    "X": (7, 5),
                    "W_1": (5, 3),
                    "b_1": (3,),
                    "W_2": (3, 5),
                    "b_2": (5,),
                }
                | {name: shape}
            ),
        )
        for name, shape, says in (
            ("W_1", (3, 5), "d_model = 5 from X"),
            ("b_1", (5,), "d_ff = 3 from W_1"),
            ("b_1", (1,), "d_ff = 3 from W_1"),
            ("W_2", (5, 3), "d_ff = 3 from W_1 and d_model = 5 from X"),
            ("b_2", (3,), "d_model = 5 from X"),
            ("b_2", (1,), "d_model = 5 from X"),
            ("b_2", (7, 5), "got 2 axes"),
        )
    ),
    *(
        Bad(
            "block.feed_forward",
            f"activation {value!r}",
            {
                "X": np.ones((7, 5)),
                "W_1": np.ones((5, 3)),
                "b_1": np.ones(3),
                "W_2": np.ones((3, 5)),
                "b_2": np.ones(5),
                "activation": value,
            },
            TypeError,
            "activation",
            ("must be a function", says),
        )
        for value, says in _NO_FUNCTION
    ),
    *(
        _bad_block(
            f"activation {value!r}",
            TypeError,
            "activation",
            "must be a function",
            says,
            activation=value,
        )
        for value, says in _NO_FUNCTION
    ),
    *(
        _bad_block(
            f"block {value!r}",
            TypeError,
            "block",
            "must be a function",
            says,
            block=value,
        )
        for value, says in _NO_FUNCTION
    ),
    *bad_flag(
        BLOCK, "causal", X=np.ones((N_Q, D_MODEL)), params=params(), n_heads=HEADS
    ),
    *(
        Bad(
            function,
            f"{part} {value!r}",
            {"X": np.ones((N_Q, D_MODEL))}
            | dict.fromkeys(PARTS, relu)
            | {part: value},
            TypeError,
            part,
            ("must be a function", says),
        )
        for function in WIRINGS
        for part in PARTS
        for value, says in _NO_FUNCTION
    ),
    *(
        Bad(
            function,
            "a single element",
            {"X": np.ones(D_MODEL)} | dict.fromkeys(PARTS, relu),
            ValueError,
            "X",
            ("(*batch, n, d_model)", "got 1 axes"),
        )
        for function in WIRINGS
    ),
    *bad_count(BLOCK, "n_heads", 0, X=np.ones((N_Q, D_MODEL)), params=params()),
    _bad_block(
        "n_heads 2",
        ValueError,
        "n_heads",
        "W_Q",
        "multiple of n_heads = 2",
        n_heads=2,
    ),
    *(
        _bad_block(
            f"params {type(given)}",
            TypeError,
            "params",
            "mapping",
            says,
            params=given,
        )
        for given, says in (
            (None, "got builtins.NoneType"),
            ([1.0], "got builtins.list"),
            ("W_Q", "got builtins.str"),
        )
    ),
    _bad_block(
        "an entry too few",
        ValueError,
        "params",
        "misses b_1",
        params={k: a for k, a in params().items() if k != "b_1"},
    ),
    _bad_block(
        "an entry too many",
        ValueError,
        "params",
        "has unknown b_Q",
        params=params() | {"b_Q": np.ones(HEADS_K)},
    ),
    _bad_block(
        "entries of other names",
        ValueError,
        "params",
        "misses gain_1, gain_2 and has unknown gamma_1, gamma_2",
        params={k.replace("gain", "gamma"): a for k, a in params().items()},
    ),
    _bad_entry("W_Q", (HEADS_K, D_MODEL), _X),
    _bad_entry("W_K", (D_MODEL, HEADS_V), f"heads_d_k = {HEADS_K} from W_Q"),
    _bad_entry("W_V", (D_FF, HEADS_V), _X),
    _bad_entry("W_O", (HEADS_K, D_MODEL), f"heads_d_v = {HEADS_V} from W_V"),
    _bad_entry("W_1", (D_FF, D_MODEL), _X),
    _bad_entry("b_1", (D_MODEL,), f"d_ff = {D_FF} from W_1"),
    _bad_entry("W_2", (D_MODEL, D_FF), f"d_ff = {D_FF} from W_1"),
    *(
        _bad_entry(name, (1,), _X)
        for name in ("b_2", "gain_1", "bias_1", "gain_2", "bias_2")
    ),
    _bad_block(
        "an entry that is a list",
        TypeError,
        "W_1",
        "got builtins.list",
        params=params() | {"W_1": [[1.0]]},
    ),
    _bad_block(
        "an entry of whole numbers",
        TypeError,
        "b_2",
        "got dtype int64",
        params=params() | {"b_2": np.ones(D_MODEL, np.int64)},
    ),
    _bad_block(
        "an entry in another dtype",
        TypeError,
        "gain_2",
        "gain_2 is float32",
        "one dtype",
        params=params() | {"gain_2": np.ones(D_MODEL, np.float32)},
    ),
    *(
        _bad_block(
            f"a mask {shape}",
            ValueError,
            "mask",
            f"n = {N_Q} from X",
            f"got {shape}",
            mask=np.ones(shape, bool),
        )
        for shape in ((N_Q, 5), (5, N_Q), (1, 5))
    ),
    _bad_block(
        "a mask of a batch",
        ValueError,
        "mask",
        "batch = () from X",
        mask=np.ones((2, N_Q, N_Q), bool),
    ),
]
