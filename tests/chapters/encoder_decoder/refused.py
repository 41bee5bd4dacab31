"""The calls of the functions of `encoder_decoder` that must be refused."""

from math import sqrt
from typing import Any

import numpy as np

from tests.chapters.block.refused import D_FF, D_MODEL, HEADS, HEADS_K, HEADS_V
from tests.chapters.block.refused import SHAPES as BLOCK
from tests.chapters.language_model.refused import EACH
from tests.support.arrays import N_K, N_Q, normal
from tests.support.refusals import NOT_AT_LEAST_0, bad_count, bad_flag, misfit
from tests.support.twin_table import INF, NAN, Bad, Lookup

DECODER_BLOCK = "encoder_decoder.decoder_block"
MODEL = "encoder_decoder.encoder_decoder"
BEAMS = "encoder_decoder.beam_search"
RESIDUALS = (
    "encoder_decoder.pre_norm_residual",
    "encoder_decoder.post_norm_residual",
)

SHAPES = BLOCK | {
    "cross_W_Q": (D_MODEL, HEADS_K),
    "cross_W_K": (D_MODEL, HEADS_K),
    "cross_W_V": (D_MODEL, HEADS_V),
    "cross_W_O": (HEADS_V, D_MODEL),
    "gain_3": (D_MODEL,),
    "bias_3": (D_MODEL,),
}
N_SOURCE_VOCAB, N_TARGET_VOCAB, N_SOURCE_CONTEXT, N_TARGET_CONTEXT = 23, 29, 17, 13
ONCE = {
    "source_embedding": (N_SOURCE_VOCAB, D_MODEL),
    "target_embedding": (N_TARGET_VOCAB, D_MODEL),
    "source_positions.P": (N_SOURCE_CONTEXT, D_MODEL),
    "target_positions.P": (N_TARGET_CONTEXT, D_MODEL),
    "encoder.final_norm.gain": (D_MODEL,),
    "encoder.final_norm.bias": (D_MODEL,),
    "decoder.final_norm.gain": (D_MODEL,),
    "decoder.final_norm.bias": (D_MODEL,),
}
OF_DECODER = {
    name.replace("attention", f"{kind}_attention"): shape
    for kind in ("self", "cross")
    for name, shape in EACH.items()
} | {"norm_3.gain": (D_MODEL,), "norm_3.bias": (D_MODEL,)}


def _drawn(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Draw entries whose products keep their size."""
    return {name: normal(*shape) / sqrt(shape[0]) for name, shape in shapes.items()}


def block_params() -> dict[str, np.ndarray]:
    """Draw the entries of a decoder block."""
    return _drawn(SHAPES)


def params(n_encoder: int = 2, n_decoder: int = 2) -> dict[str, np.ndarray]:
    """Draw the entries of a model, whose heads' widths need not be d_model / n_heads."""
    shapes = ONCE | {
        f"{stack}.blocks.{layer}.{name}": shape
        for stack, n, entries in (
            ("encoder", n_encoder, EACH),
            ("decoder", n_decoder, OF_DECODER),
        )
        for layer in range(n)
        for name, shape in entries.items()
    }
    return _drawn(shapes)


def _bad_block(
    about: str, error: type[Exception], names: str, *says: str, **changed: Any
) -> Bad:
    """Give a call of the decoder block with something wrong."""
    arguments = {
        "X": np.ones((N_Q, D_MODEL)),
        "Z": np.ones((N_K, D_MODEL)),
        "params": block_params(),
        "n_heads": HEADS,
    }
    return Bad(DECODER_BLOCK, about, arguments | changed, error, names, says)


def _bad_model(
    about: str, error: type[Exception], names: str, *says: str, **changed: Any
) -> Bad:
    """Give a call of the model with something wrong."""
    arguments = {
        "source": np.zeros(N_K, np.int64),
        "target": np.zeros(N_Q, np.int64),
        "params": params(),
        "n_heads": HEADS,
    }
    return Bad(MODEL, about, arguments | changed, error, names, says)


_STEP = Lookup(np.full((1, 5, 5), -1.0))


def _bad_beams(
    about: str, error: type[Exception], names: str, *says: str, **changed: Any
) -> Bad:
    """Give a search with something wrong."""
    arguments = {
        "step": _STEP,
        "start": np.array([1]),
        "n_beams": 2,
        "end": 0,
        "n_max": 3,
    }
    return Bad(BEAMS, about, arguments | changed, error, names, says)


_WHOLE = {"source": np.zeros(N_K, np.int64), "target": np.zeros(N_Q, np.int64)}
_ELEMENTS = {"X": (N_Q, D_MODEL), "Z": (N_K, D_MODEL)}
_NO_FUNCTION = [
    ("relu", "got str 'relu'"),
    (None, "got NoneType"),
    (3, "got int 3"),
]
_NO_MAPPING = [(None, "got builtins.NoneType"), ([1.0], "got builtins.list")]


def _without(*left_out: str) -> dict[str, np.ndarray]:
    """Draw the entries of a model without those that have one of these words."""
    drawn = params()
    return {n: a for n, a in drawn.items() if not any(w in n for w in left_out)}


BAD_INPUT = [
    *(
        Bad(
            function,
            f"{name} {value!r}",
            {"X": np.ones((7, 5)), "part": abs, "norm": abs} | {name: value},
            TypeError,
            name,
            ("must be a function", got),
        )
        for function in RESIDUALS
        for name in ("part", "norm")
        for value, got in _NO_FUNCTION
    ),
    *(
        misfit(function, "X", "(*batch, n, d_model)", X=(5,), part=abs, norm=abs)
        for function in RESIDUALS
    ),
    # --- the decoder's block ---
    *(
        misfit(
            DECODER_BLOCK,
            name,
            *says,
            **_ELEMENTS | changed,
            params=block_params(),
            n_heads=HEADS,
        )
        for name, says, changed in (
            ("Z", (f"d_model = {D_MODEL} from X",), {"Z": (N_K, D_FF)}),
            ("Z", (f"d_model = {D_MODEL} from X",), {"Z": (N_K, 1)}),
            ("Z", ("batch = (2,) from X",), {"X": (2, N_Q, D_MODEL)}),
            ("Z", ("batch = () from X",), {"Z": (2, N_K, D_MODEL)}),
            ("mask", (f"n_q = {N_Q} from X",), {"mask": (N_Q, N_K)}),
            ("mask", (f"n_q = {N_Q} from X",), {"mask": (N_K, N_K)}),
            (
                "context_mask",
                (f"n_k = {N_K} from Z",),
                {"context_mask": (N_Q, N_Q)},
            ),
            (
                "context_mask",
                (f"n_q = {N_Q} from X",),
                {"context_mask": (N_K, N_K)},
            ),
            ("context_mask", ("batch = () from X",), {"context_mask": (2, 1, N_K)}),
        )
    ),
    *bad_count(DECODER_BLOCK, "n_heads", 0, **_ELEMENTS, params=block_params()),
    *bad_flag(
        DECODER_BLOCK, "causal", **_ELEMENTS, params=block_params(), n_heads=HEADS
    ),
    *(
        _bad_block(
            f"{name} {value!r}",
            TypeError,
            name,
            "must be a function",
            got,
            **{name: value},
        )
        for name in ("residual", "activation")
        for value, got in _NO_FUNCTION
    ),
    _bad_block(
        "n_heads 2",
        ValueError,
        "n_heads",
        "W_Q must have a width that is a multiple of n_heads = 2",
        n_heads=2,
    ),
    *(
        _bad_block(
            f"params {given}", TypeError, "params", "mapping", got, params=given
        )
        for given, got in _NO_MAPPING
    ),
    _bad_block(
        "the entries of a block that reads nothing",
        ValueError,
        "params",
        "misses cross_W_Q, cross_W_K, cross_W_V, cross_W_O, gain_3, bias_3",
        params={name: a for name, a in block_params().items() if name in BLOCK},
    ),
    *(
        _bad_block(
            f"{name} {shape}",
            ValueError,
            name,
            "must have shape",
            axis,
            f"got {shape}",
            params=block_params() | {name: np.ones(shape)},
        )
        for name, shape, axis in (
            ("cross_W_Q", (HEADS_K, D_MODEL), f"d_model = {D_MODEL} from X"),
            ("cross_W_K", (D_FF, HEADS_K), f"d_model = {D_MODEL} from X"),
            ("cross_W_K", (D_MODEL, HEADS_V), f"heads_d_k = {HEADS_K} from W_Q"),
            ("cross_W_V", (D_MODEL, HEADS_K), f"heads_d_v = {HEADS_V} from W_V"),
            ("cross_W_O", (HEADS_K, D_MODEL), f"heads_d_v = {HEADS_V} from W_V"),
            ("gain_3", (1,), f"d_model = {D_MODEL} from X"),
            ("bias_3", (D_FF,), f"d_model = {D_MODEL} from X"),
        )
    ),
    # --- the whole model ---
    *(
        _bad_model(
            f"{name}: {about}", ValueError, name, *says, **{name: np.asarray(given)}
        )
        for name, n_vocab, n_context in (
            ("source", N_SOURCE_VOCAB, N_SOURCE_CONTEXT),
            ("target", N_TARGET_VOCAB, N_TARGET_CONTEXT),
        )
        for about, given, says in (
            (
                "empty",
                np.zeros(0, np.int64),
                ("must have at least one element along axis -1", "got (0,)"),
            ),
            (
                "a token too large",
                [0, n_vocab],
                (
                    f"between 0 and n_{name}_vocab - 1 = {n_vocab - 1}, got {n_vocab}",
                ),
            ),
            ("a negative token", [0, -1], (f"- 1 = {n_vocab - 1}, got -1",)),
            (
                "too long",
                np.zeros(n_context + 1, np.int64),
                (
                    f"at most n_{name}_context = {n_context} elements along n_{name}",
                ),
            ),
        )
    ),
    _bad_model(
        "texts of two batches",
        ValueError,
        "target",
        "batch = (2,) from source",
        source=np.zeros((2, N_K), np.int64),
    ),
    *(
        _bad_model(
            f"source_mask {shape}",
            ValueError,
            "source_mask",
            "must have shape",
            says,
            f"got {shape}",
            source_mask=np.ones(shape, bool),
        )
        for shape, says in (
            ((N_Q,), f"n_source = {N_K} from source"),
            ((1,), f"n_source = {N_K} from source"),
            ((1, N_K), "batch = () from source"),
        )
    ),
    *bad_count(MODEL, "n_heads", 0, **_WHOLE, params=params()),
    _bad_model(
        "n_heads 2",
        ValueError,
        "n_heads",
        "encoder.blocks.0.attention.W_Q must have a width that is a multiple",
        n_heads=2,
    ),
    *(
        _bad_model(
            f"params {given}", TypeError, "params", "mapping", got, params=given
        )
        for given, got in _NO_MAPPING
    ),
    *(
        _bad_model(about, ValueError, "params", *says, params=given)
        for about, says, given in (
            (
                "no decoder",
                (
                    "of a model of 2 layers in encoder.blocks and 1 layer in "
                    "decoder.blocks, but misses decoder.blocks.0.norm_1.gain",
                ),
                _without("decoder.blocks"),
            ),
            (
                "a decoder that reads nothing",
                ("misses decoder.blocks.0.cross_attention.W_Q",),
                _without("cross_attention"),
            ),
            (
                "biases of the cross-attention",
                ("has unknown decoder.blocks.1.cross_attention.b_Q",),
                params()
                | {"decoder.blocks.1.cross_attention.b_Q": np.ones(HEADS_K)},
            ),
        )
    ),
    *(
        _bad_model(
            f"{name} {shape}",
            ValueError,
            name,
            axis,
            f"got {shape}",
            params=params() | {name: np.ones(shape)},
        )
        for name, shape, axis in (
            (
                "target_embedding",
                (N_TARGET_VOCAB, D_FF),
                f"d_model = {D_MODEL} from",
            ),
            ("source_positions.P", (N_K, 1), f"d_model = {D_MODEL} from"),
            ("encoder.final_norm.gain", (1,), f"d_model = {D_MODEL} from"),
            (
                "decoder.blocks.1.cross_attention.W_K",
                (D_MODEL, HEADS_V),
                f"heads_d_k = {HEADS_K} from",
            ),
        )
    ),
    # --- searching ---
    *(
        _bad_beams(
            f"step {value!r}",
            TypeError,
            "step",
            "must be a function",
            got,
            step=value,
        )
        for value, got in _NO_FUNCTION
    ),
    *(
        bad
        for name in ("n_beams", "n_max")
        for bad in bad_count(
            BEAMS,
            name,
            0,
            **{"step": _STEP, "start": (1,), "n_beams": 2, "end": 0, "n_max": 3}
            | {name: 1},
        )
    ),
    *bad_count(BEAMS, "end", -1, step=_STEP, start=(1,), n_beams=2, n_max=3),
    *(
        _bad_beams(
            f"length_penalty {value!r}",
            error,
            "length_penalty",
            says,
            length_penalty=value,
        )
        for value, error, says in NOT_AT_LEAST_0
    ),
    _bad_beams(
        "more beams than tokens",
        ValueError,
        "n_beams",
        "must be at most n_vocab = 5, got 6",
        n_beams=6,
    ),
    _bad_beams(
        "an end that is no token",
        ValueError,
        "end",
        "must be less than n_vocab = 5, got 5",
        end=5,
    ),
    _bad_beams(
        "no start",
        ValueError,
        "start",
        "at least one element along axis 0, got (0,)",
        start=np.zeros(0, np.int64),
    ),
    _bad_beams(
        "several starts",
        ValueError,
        "start",
        "(n_start,), got 2 axes",
        start=np.zeros((2, 1), np.int64),
    ),
    *(
        _bad_beams(
            about, ValueError, "log_probs_of_step", *says, step=Lookup(table)
        )
        for about, table, says in (
            ("a row too many", np.full((1, 5, 2, 5), -1.0), ("got 3 axes",)),
            ("one number for each prefix", np.full((1, 5), -1.0), ("got 1 axes",)),
            (
                "logits",
                np.full((1, 5, 5), 3.0),
                ("must be at most 0", "got 3.0", "need log_softmax first"),
            ),
            (
                "nothing is possible",
                np.full((1, 5, 5), -INF),
                ("only -inf and NaN",),
            ),
            ("nothing but NaN", np.full((1, 5, 5), NAN), ("only -inf and NaN",)),
        )
    ),
]
