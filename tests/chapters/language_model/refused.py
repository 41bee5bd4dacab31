"""The calls of the functions of `language_model` that must be refused."""

from math import sqrt
from typing import Any

import numpy as np

from tests.support.arrays import BATCH, N_Q, N, normal
from tests.support.refusals import bad_count, misfit
from tests.support.twin_table import INF, NAN, Bad

LOSS = "language_model.cross_entropy"
PROBABILITIES = "language_model.token_probabilities"
SAMPLE = "language_model.sample_logits"
GPT = "language_model.gpt"

N_VOCAB, N_CONTEXT = N, 17
HEADS, D_MODEL, D_FF, HEADS_K, HEADS_V = 3, 5, 19, 3 * 7, 3 * 13
BLOCKS = "transformer.blocks"
ONCE = {
    "embedding": (N_VOCAB, D_MODEL),
    "positions.P": (N_CONTEXT, D_MODEL),
    "transformer.final_norm.gain": (D_MODEL,),
    "transformer.final_norm.bias": (D_MODEL,),
}
EACH = {
    "norm_1.gain": (D_MODEL,),
    "norm_1.bias": (D_MODEL,),
    "attention.W_Q": (D_MODEL, HEADS_K),
    "attention.W_K": (D_MODEL, HEADS_K),
    "attention.W_V": (D_MODEL, HEADS_V),
    "attention.W_O": (HEADS_V, D_MODEL),
    "norm_2.gain": (D_MODEL,),
    "norm_2.bias": (D_MODEL,),
    "feed_forward.W_1": (D_MODEL, D_FF),
    "feed_forward.b_1": (D_FF,),
    "feed_forward.W_2": (D_FF, D_MODEL),
    "feed_forward.b_2": (D_MODEL,),
}


def params(n_layers: int = 2) -> dict[str, np.ndarray]:
    """Draw the entries of a model, whose heads' widths need not be d_model / n_heads."""
    shapes = ONCE | {
        f"{BLOCKS}.{layer}.{name}": shape
        for layer in range(n_layers)
        for name, shape in EACH.items()
    }
    return {name: normal(*shape) / sqrt(shape[0]) for name, shape in shapes.items()}


_LOGITS = np.ones((3, 5))
_VALUES: list[tuple[str, Any, type[Exception], str]] = [
    ("temperature", -1.5, ValueError, "at least 0, got -1.5"),
    ("temperature", INF, ValueError, "finite number, got inf"),
    ("temperature", NAN, ValueError, "finite number, got nan"),
    ("temperature", "1", TypeError, "real number, got str"),
    ("temperature", True, TypeError, "real number, got bool"),
    ("temperature", None, TypeError, "real number, got NoneType"),
    ("temperature", 1j, TypeError, "real number, got complex"),
    ("top_k", 6, ValueError, "at most n_vocab = 5, got 6"),
    ("top_k", -1, ValueError, "at least 1, got -1"),
    *(
        ("top_p", p, ValueError, f"greater than 0 and at most 1, got {p}")
        for p in (0, 0.0, -0.1, 1.001, 50)
    ),
    ("top_p", INF, ValueError, "finite number, got inf"),
    ("top_p", NAN, ValueError, "finite number, got nan"),
    ("top_p", "1", TypeError, "real number, got str"),
    ("top_p", True, TypeError, "real number, got bool"),
    ("top_p", [0.9], TypeError, "real number, got list"),
]


def _bad_target(target: int, says: str, **options: Any) -> Bad:
    """Give a call with one target that is none."""
    arguments = {"logits": _LOGITS, "targets": np.array([0, target, 4])} | options
    return Bad(LOSS, f"target {target}", arguments, ValueError, "targets", (says,))


def _bad_gpt(
    about: str, error: type[Exception], names: str, *says: str, **changed: Any
) -> Bad:
    """Give a call of the model with something wrong."""
    arguments = {
        "tokens": np.zeros(N_Q, np.int64),
        "params": params(),
        "n_heads": HEADS,
    }
    return Bad(GPT, about, arguments | changed, error, names, says)


def _bad_entry(name: str, shape: tuple[int, ...], *says: str) -> Bad:
    """Give a call whose entry of this name has the wrong shape."""
    wrong = params() | {name: np.ones(shape)}
    says = ("must have shape", *says, f"got {shape}")
    return _bad_gpt(f"{name} {shape}", ValueError, name, *says, params=wrong)


def _without(*left_out: str) -> dict[str, np.ndarray]:
    """Draw the entries of a model without those that have one of these words."""
    drawn = params()
    return {n: a for n, a in drawn.items() if not any(w in n for w in left_out)}


_FIRST = f"{BLOCKS}.0"

BAD_INPUT = [
    *(
        misfit(LOSS, "targets", says, logits=logits, targets=targets)
        for logits, targets, says in (
            ((7, 5), (5,), "n = 7 from logits"),
            ((7, 5), (1,), "n = 7 from logits"),
            ((2, 7, 5), (7,), "batch = (2,) from logits"),
            ((2, 7, 5), (1, 7), "batch = (2,) from logits"),
            ((7, 5), (7, 5), "batch = () from logits"),
        )
    ),
    misfit(LOSS, "logits", "(*batch, n, n_vocab)", logits=(5,), targets=(5,)),
    misfit(LOSS, "logits", "element along axis -1", logits=(7, 0), targets=(7,)),
    _bad_target(5, "between 0 and n_vocab - 1 = 4, or be ignore = -100, got 5"),
    _bad_target(-1, "between 0 and n_vocab - 1 = 4, or be ignore = -100, got -1"),
    _bad_target(-100, "or be ignore = 4, got -100", ignore=4),
    *(
        Bad(
            LOSS,
            f"ignore {ignore!r}",
            {"logits": _LOGITS, "targets": np.array([0, 1, 4]), "ignore": ignore},
            TypeError,
            "ignore",
            (f"whole number, got {kind} {ignore!r}",),
        )
        for ignore, kind in (
            (1.0, "float"),
            ("1", "str"),
            (True, "bool"),
            (None, "NoneType"),
        )
    ),
    *(
        Bad(
            function,
            f"{name} {value!r}",
            {"logits": _LOGITS, name: value},
            error,
            name,
            (says,),
        )
        for function in (PROBABILITIES, SAMPLE)
        for name, value, error, says in _VALUES
    ),
    *(
        bad
        for function in (PROBABILITIES, SAMPLE)
        for bad in (
            *bad_count(function, "top_k", 0, logits=(3, 5)),
            misfit(function, "logits", "element along axis -1", logits=(3, 0)),
        )
    ),
    *(
        Bad(
            SAMPLE,
            f"rng {value!r}",
            {"logits": _LOGITS, "rng": value},
            TypeError,
            "rng",
            ("must be a Generator", f"got {got}"),
        )
        for value, got in (
            (0, "builtins.int"),
            ("cpu", "builtins.str"),
            (np.random, "builtins.module"),
        )
    ),
    *(
        _bad_gpt(
            f"token {token}",
            ValueError,
            "tokens",
            f"must lie between 0 and n_vocab - 1 = {N_VOCAB - 1}, got {token}",
            tokens=np.array([[0, 1], [token, N_VOCAB - 1]]),
        )
        for token in (-1, N_VOCAB, 10**9)
    ),
    *(
        _bad_gpt(
            f"{n} tokens",
            ValueError,
            "tokens",
            f"at most n_context = {N_CONTEXT} elements along n, got {n}",
            tokens=np.zeros((*batch, n), np.int64),
        )
        for batch, n in (((), N_CONTEXT + 1), (BATCH, 29))
    ),
    *bad_count(GPT, "n_heads", 0, tokens=np.zeros(N_Q, np.int64), params=params()),
    _bad_gpt(
        "n_heads 2",
        ValueError,
        "n_heads",
        f"{_FIRST}.attention.W_Q must have a width that is a multiple of n_heads = 2",
        n_heads=2,
    ),
    *(
        _bad_gpt(
            f"n_heads 3, and a width of {name} that it does not divide",
            ValueError,
            "n_heads",
            f"{_FIRST}.attention.{name} must have a width that is a multiple",
            params={
                n: a[:, :-1] if n.endswith(name) else a[:-1] if "W_O" in n else a
                for n, a in params().items()
            },
        )
        for name in ("W_V",)
    ),
    *(
        _bad_gpt(
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
            ("gpt.npz", "got builtins.str"),
        )
    ),
    *(
        _bad_gpt(
            about,
            ValueError,
            "params",
            f"must have the entries of a model of {n}, but {says}",
            params=given,
        )
        for about, n, says, given in (
            (
                "no positions",
                "2 layers",
                "misses positions.P",
                _without("positions"),
            ),
            (
                "a gain too few",
                "2 layers",
                f"misses {BLOCKS}.1.norm_2.gain",
                _without("1.norm_2.gain"),
            ),
            (
                "biases of the attention",
                "2 layers",
                f"has unknown {_FIRST}.attention.b_Q",
                params() | {f"{_FIRST}.attention.b_Q": np.ones(HEADS_K)},
            ),
            (
                "a head that is not tied",
                "2 layers",
                "has unknown head",
                params() | {"head": np.ones((N_VOCAB, D_MODEL))},
            ),
            (
                "the first layer left out",
                "1 layer",
                f"misses {_FIRST}.norm_1.gain, {_FIRST}.norm_1.bias, ",
                _without(_FIRST),
            ),
            (
                "no layer",
                "1 layer",
                f"misses {_FIRST}.norm_1.gain",
                _without(BLOCKS),
            ),
            (
                "nothing",
                "1 layer",
                f"misses {', '.join([*ONCE, *(f'{_FIRST}.{n}' for n in list(EACH)[:8])])}"
                ", 4 more",
                {},
            ),
            (
                "what is no layer",
                "2 layers",
                f"has unknown {BLOCKS}.last.norm_1.gain",
                params() | {f"{BLOCKS}.last.norm_1.gain": np.ones(D_MODEL)},
            ),
        )
    ),
    # Of 10^12 layers only those that have an entry are counted.
    _bad_gpt(
        "a layer of a large number",
        ValueError,
        "params",
        f"of a model of 3 layers, but misses {BLOCKS}.2.norm_1.gain, ",
        f"and has unknown {BLOCKS}.{10**12}.norm_1.gain",
        params=params() | {f"{BLOCKS}.{10**12}.norm_1.gain": np.ones(D_MODEL)},
    ),
    _bad_entry(
        "positions.P", (N_CONTEXT, D_FF), f"d_model = {D_MODEL} from embedding"
    ),
    _bad_entry(
        "transformer.final_norm.gain", (1,), f"d_model = {D_MODEL} from embed"
    ),
    _bad_entry(
        "transformer.final_norm.bias", (1,), f"d_model = {D_MODEL} from embed"
    ),
    *(
        _bad_entry(f"{_FIRST}.{name}", shape, f"{axis} from ")
        for name, shape, axis in (
            ("norm_1.gain", (1,), f"d_model = {D_MODEL}"),
            ("norm_1.bias", (1,), f"d_model = {D_MODEL}"),
            ("norm_2.gain", (1,), f"d_model = {D_MODEL}"),
            ("norm_2.bias", (1,), f"d_model = {D_MODEL}"),
            ("attention.W_Q", (HEADS_K, D_MODEL), f"d_model = {D_MODEL}"),
            ("attention.W_K", (D_MODEL, HEADS_V), f"heads_d_k = {HEADS_K}"),
            ("attention.W_V", (D_FF, HEADS_V), f"d_model = {D_MODEL}"),
            ("attention.W_O", (HEADS_K, D_MODEL), f"heads_d_v = {HEADS_V}"),
            ("feed_forward.W_1", (D_FF, D_MODEL), f"d_model = {D_MODEL}"),
            ("feed_forward.b_1", (D_MODEL,), f"d_ff = {D_FF}"),
            ("feed_forward.W_2", (D_MODEL, D_FF), f"d_ff = {D_FF}"),
            ("feed_forward.b_2", (1,), f"d_model = {D_MODEL}"),
        )
    ),
    _bad_entry(
        f"{BLOCKS}.1.feed_forward.W_1", (D_MODEL, 3), f"d_ff = {D_FF} from "
    ),
    _bad_gpt(
        "an entry in another dtype",
        TypeError,
        "embedding",
        "embedding is float64, positions.P is float32",
        "one dtype",
        params=params()
        | {"positions.P": np.ones((N_CONTEXT, D_MODEL), np.float32)},
    ),
    _bad_gpt(
        "an entry that is a list",
        TypeError,
        "embedding",
        "got builtins.list",
        params=params() | {"embedding": [[1.0]]},
    ),
]
