"""The calls that the twins of `encoder_decoder` are compared in."""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from course_attn.in_numpy.block import gelu, relu
from course_attn.in_numpy.encoder_decoder import (
    post_norm_residual,
    pre_norm_residual,
)
from tests.chapters.encoder_decoder.refused import (
    BAD_INPUT,
    BEAMS,
    D_MODEL,
    DECODER_BLOCK,
    HEADS,
    MODEL,
    N_SOURCE_CONTEXT,
    N_SOURCE_VOCAB,
    N_TARGET_CONTEXT,
    N_TARGET_VOCAB,
    RESIDUALS,
    block_params,
    params,
)
from tests.support.arrays import BATCH, N_K, N_Q, normal, random_mask
from tests.support.oracles import and_causal, tensors
from tests.support.twin_table import INF, Case, Lookup, hand

__all__ = [
    "BAD_INPUT",
    "BY_HAND",
    "CASES",
    "ORACLES",
    "READS_NUMBERS",
    "beams_by_lists",
]

# It looks at the numbers to see what is finished.
READS_NUMBERS = {BEAMS}

_rng = np.random.default_rng(5)


def _tokens(*shape: int, n_vocab: int, dtype: str = "int64") -> np.ndarray:
    """Draw tokens, the first and the last of the vocabulary among them."""
    tokens = _rng.integers(0, n_vocab, size=shape)
    tokens[..., 0], tokens[..., -1] = 0, n_vocab - 1
    return tokens.astype(dtype)


def _block(about: str, *batch: int, **options: Any) -> Case:
    """Give a call of the decoder block."""
    arrays = {"X": normal(*batch, N_Q, D_MODEL), "Z": normal(*batch, N_K, D_MODEL)}
    arrays |= {k: options.pop(k) for k in ("mask", "context_mask") if k in options}
    options = {"params": block_params(), "n_heads": HEADS} | options
    return Case(DECODER_BLOCK, about, arrays, options)


def _padded(*lengths: int) -> np.ndarray:
    """Mark the real tokens of sources of these lengths."""
    return np.arange(N_K) < np.array(lengths)[:, None]


def _model(about: str, *batch: int, n_target: int = N_Q, **options: Any) -> Case:
    """Give a call of the model."""
    n_source, dtype = options.pop("n_source", N_K), options.pop("dtype", "int64")
    arrays = {
        "source": _tokens(*batch, n_source, n_vocab=N_SOURCE_VOCAB, dtype=dtype),
        "target": _tokens(*batch, n_target, n_vocab=N_TARGET_VOCAB, dtype=dtype),
    }
    if "source_mask" in options:
        arrays["source_mask"] = options.pop("source_mask")
    options = {"params": params(), "n_heads": HEADS} | options
    return Case(MODEL, about, arrays, options)


def _table(n_vocab: int, *, impossible: float = 0.0) -> np.ndarray:
    """Draw log-probabilities for each place and each last token, some of them -inf."""
    logits = _rng.normal(size=(11, n_vocab, n_vocab))
    logits[_rng.random(logits.shape) < impossible] = -INF
    logits[..., 1] = 0
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _beams(
    about: str, table: np.ndarray, start: Any = (2,), **options: Any
) -> Case:
    """Give a search."""
    given = {"step": Lookup(table), "n_beams": 3, "end": 0, "n_max": 7} | options
    return Case(BEAMS, about, {"start": np.array(start)}, given)


CASES = [
    *(
        Case(
            function,
            f"a batch {batch}",
            {"X": normal(*batch, N_Q, D_MODEL)},
            {"part": lambda X: X * X + X[..., :1, :], "norm": lambda X: X / 3 + 1},
        )
        for function in RESIDUALS
        for batch in ((), BATCH)
    ),
    _block("by default"),
    *(
        case
        for name, residual in (
            ("pre", pre_norm_residual),
            ("post", post_norm_residual),
        )
        for case in (
            _block(f"{name}-norm", residual=residual),
            _block(
                f"{name}-norm, a batch", *BATCH, residual=residual, activation=gelu
            ),
            _block(f"{name}-norm, not causal", residual=residual, causal=False),
            _block(
                f"{name}-norm, both masks",
                *BATCH,
                residual=residual,
                mask=random_mask(*BATCH, N_Q, N_Q),
                context_mask=random_mask(*BATCH, N_Q, N_K),
                activation=relu,
            ),
            _block(
                f"{name}-norm, a mask and all before or after",
                residual=residual,
                causal=False,
                mask=random_mask(N_Q, N_Q),
            ),
            _block(
                f"{name}-norm, a padded context",
                2,
                residual=residual,
                context_mask=_padded(N_K, 5)[:, None],
            ),
        )
    ),
    _model("no batch axis"),
    _model("two batch axes", *BATCH),
    _model(
        "a batch of one, and full contexts",
        1,
        n_source=N_SOURCE_CONTEXT,
        n_target=N_TARGET_CONTEXT,
    ),
    _model("one token reads one", n_source=1, n_target=1),
    _model("padding", 4, source_mask=_padded(N_K, 5, 1, 0)),
    _model("padding anywhere", 3, source_mask=random_mask(3, N_K, empty=None)),
    _model("one layer reads three", 2, params=params(3, 1)),
    _model("layers of two digits", params=params(1, 11)),
    _model("one head", n_heads=1),
    _model("narrow tokens", dtype="int8"),
    _beams("by default", _table(5)),
    *(
        _beams(f"{n} beams, {power}", _table(7), n_beams=n, length_penalty=power)
        for n in (1, 2, 7)
        for power in (0, 0.6, 1, 2.5)
    ),
    _beams("a longer start", _table(5), (1, 3, 0, 4)),
    _beams("a start that ends, and another end", _table(5), (0, 3), end=3),
    _beams("one token", _table(5), n_max=1),
    _beams("many are impossible", _table(23, impossible=0.8), n_beams=23),
    _beams("a long way", _table(5), n_max=40, length_penalty=1.0),
]


def _parts_by_torch(p: dict[str, Any], n_heads: int) -> tuple[Any, Any, Any]:
    """Return norm, attention and network from PyTorch's functions, for entries of a block."""

    def norm(x: torch.Tensor, k: int) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], p[f"gain_{k}"], p[f"bias_{k}"])

    def attend(x: torch.Tensor, z: torch.Tensor, m: Any, kind: str) -> torch.Tensor:
        W = [p[f"{kind}W_{w}"].chunk(n_heads, dim=-1) for w in "QKV"]
        heads = [
            F.scaled_dot_product_attention(x @ W_Q, z @ W_K, z @ W_V, attn_mask=m)
            for W_Q, W_K, W_V in zip(*W, strict=True)
        ]
        return torch.cat(heads, dim=-1) @ p[f"{kind}W_O"]

    def process(x: torch.Tensor, bend: Any) -> torch.Tensor:
        hidden = bend(F.linear(x, p["W_1"].T, p["b_1"]))
        return F.linear(hidden, p["W_2"].T, p["b_2"])

    return norm, attend, process


def _block_by_torch(
    X: Any,
    Z: Any,
    params: Any,
    n_heads: int,
    mask: Any = None,
    causal: bool = True,
    context_mask: Any = None,
    residual: Any = pre_norm_residual,
    activation: Any = relu,
) -> torch.Tensor:
    """Put PyTorch's own functions together, a loop over the heads included."""
    mask = and_causal(mask, X.shape[-2], X.shape[-2], causal)
    x, z, m, c = tensors(X, Z, mask, context_mask)
    p = {name: torch.from_numpy(a.copy()) for name, a in params.items()}
    bend = {"relu": F.relu, "gelu": F.gelu}[activation.__name__]
    norm, attend, process = _parts_by_torch(p, n_heads)
    if residual.__name__ == "pre_norm_residual":
        h = norm(x, 1)
        x = x + attend(h, h, m, "")
        x = x + attend(norm(x, 2), z, c, "cross_")
        return x + process(norm(x, 3), bend)
    x = norm(x + attend(x, x, m, ""), 1)
    x = norm(x + attend(x, z, c, "cross_"), 2)
    return norm(x + process(x, bend), 3)


def _renamed(p: dict[str, Any], start: str) -> dict[str, Any]:
    """Name the entries of a layer as those of a block are named."""
    found = {}
    for name, array in p.items():
        if name.startswith(start):
            *where, last = name.removeprefix(start).split(".")
            kind = "cross_" if where == ["cross_attention"] else ""
            number = where[0].removeprefix("norm") if "norm" in where[0] else ""
            found[f"{kind}{last}{number}"] = array
    return found


def _model_by_torch(
    source: Any, target: Any, params: Any, n_heads: int, source_mask: Any = None
) -> torch.Tensor:
    """Put PyTorch's own functions together."""
    p = {name: torch.from_numpy(a.copy()) for name, a in params.items()}
    (mask,) = tensors(None if source_mask is None else source_mask[..., None, :])

    def embedded(tokens: Any, side: str) -> torch.Tensor:
        rows = F.embedding(
            torch.from_numpy(tokens.astype(int)), p[f"{side}_embedding"]
        )
        return rows + p[f"{side}_positions.P"][: tokens.shape[-1]]

    def last_norm(x: torch.Tensor, stack: str) -> torch.Tensor:
        gain, bias = (p[f"{stack}.final_norm.{name}"] for name in ("gain", "bias"))
        return F.layer_norm(x, x.shape[-1:], gain, bias)

    def blocks(stack: str) -> list[dict[str, Any]]:
        starts = {
            name.partition(".norm_1")[0] for name in p if f"{stack}.b" in name
        }
        starts = {start for start in starts if start.count(".") == 2}
        in_order = sorted(starts, key=lambda start: int(start.split(".")[-1]))
        return [_renamed(p, f"{start}.") for start in in_order]

    z = embedded(source, "source")
    for block in blocks("encoder"):
        norm, attend, process = _parts_by_torch(block, n_heads)
        h = norm(z, 1)
        z = z + attend(h, h, mask, "")
        z = z + process(norm(z, 2), F.relu)
    z, x = last_norm(z, "encoder"), embedded(target, "target")
    later = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).tril()
    for block in blocks("decoder"):
        norm, attend, process = _parts_by_torch(block, n_heads)
        h = norm(x, 1)
        x = x + attend(h, h, later, "")
        x = x + attend(norm(x, 2), z, mask, "cross_")
        x = x + process(norm(x, 3), F.relu)
    return F.linear(last_norm(x, "decoder"), p["target_embedding"])


def beams_by_lists(
    step: Any,
    start: Any,
    n_beams: int,
    end: int,
    n_max: int,
    length_penalty: float = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Keep lists of tokens with their sums, to the last step and in Python's order."""
    live, found = [(0.0, [])], []
    for n in range(1, n_max + 1):
        longer = [
            (total + float(logarithm), [*tokens, token])
            for total, tokens in live
            for token, logarithm in enumerate(
                step(np.array([[*start, *tokens]]))[0]
            )
            if logarithm > -INF
        ]
        longer = sorted(longer, key=lambda entry: -entry[0])[:n_beams]
        live = [entry for entry in longer if entry[1][-1] != end and n < n_max]
        found += [
            (total / n**length_penalty, tokens)
            for total, tokens in longer
            if (total, tokens) not in live
        ]
    found = sorted(found, key=lambda entry: -entry[0])[:n_beams]
    longest = max(len(tokens) for _, tokens in found)
    filled = [tokens + [end] * (longest - len(tokens)) for _, tokens in found]
    return np.array(filled), np.array([score for score, _ in found])


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    RESIDUALS[0]: {"the formula": lambda X, part, norm: part(norm(X)) + X},
    RESIDUALS[1]: {"the formula": lambda X, part, norm: norm(part(X) + X)},
    DECODER_BLOCK: {"PyTorch's functions": _block_by_torch},
    MODEL: {"PyTorch's functions": _model_by_torch},
    BEAMS: {"lists": beams_by_lists},
}

# Nothing is attended to and nothing processed: only residuals and norms are left.
_NOTHING = {
    **{f"{kind}W_{w}": np.zeros((2, 2)) for kind in ("", "cross_") for w in "QKVO"},
    **{"W_1": np.zeros((2, 2)), "b_1": np.zeros(2)},
    **{"W_2": np.zeros((2, 2)), "b_2": np.zeros(2)},
    **{f"gain_{k}": np.ones(2) for k in (1, 2, 3)},
    **{f"bias_{k}": np.zeros(2) for k in (1, 2, 3)},
}
_PASS_ON = {f"cross_W_{w}": np.eye(2) for w in "VO"}
# What a norm makes of the features 3 and 1 is this, and its negative.
_S = 1 / sqrt(1 + 1e-5)


def _small_model(**changed: Any) -> dict[str, np.ndarray]:
    """Return a model of two tokens a side and two features, whose blocks add nothing."""
    model = {
        name: np.ones(2)
        if name.endswith("gain")
        else np.zeros((2, 2) if ".W_" in name or "P" in name else 2)
        for name in params(1, 1)
    }
    model |= {"source_embedding": np.array([[9.0, 4.0], [2.0, 6.0]])}
    model |= {"target_embedding": np.array([[1.0, 3.0], [3.0, 1.0]])}
    names = {
        "reads": "decoder.blocks.0.cross_attention.W_V",
        "gives": "decoder.blocks.0.cross_attention.W_O",
        "gain": "encoder.final_norm.gain",
        "bias": "encoder.final_norm.bias",
    }
    return model | {names[k]: np.array(v, float) for k, v in changed.items()}


# After a 1: 0.3, 0.3 and 0.4. After a 2: 0.8 for the end.
_PROBABILITIES = np.array([[0.5, 0.4, 0.1], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]])
_HAND = {
    "step": Lookup(np.log(_PROBABILITIES)[None]),
    "start": [1],
    "end": 0,
    "n_max": 2,
}


def _found(*rows: tuple[list[int], float]) -> tuple[np.ndarray, np.ndarray]:
    """Write the result of a search: tokens and scores."""
    return np.array([tokens for tokens, _ in rows]), np.array([s for _, s in rows])


BY_HAND = [
    # 8 + 3 (8 + 1), and (8 + 3 * 8) + 1.
    *(
        hand(
            function,
            "one number",
            [[expected]],
            X=[[8]],
            part=lambda X: 3 * X,
            norm=lambda X: X + 1,
        )
        for function, expected in zip(RESIDUALS, (35, 33), strict=True)
    ),
    hand(
        DECODER_BLOCK,
        "with nothing to add, pre-norm gives X back",
        [[1, 3], [5, -5]],
        X=[[1, 3], [5, -5]],
        Z=[[7, 7]],
        params=_NOTHING,
        n_heads=2,
    ),
    # The weights are even: each element gets the mean (4, 2) of the context, which no norm touches.
    hand(
        DECODER_BLOCK,
        "all of the context is read, whatever the place",
        [[5, 5], [9, -3]],
        X=[[1, 3], [5, -5]],
        Z=[[8, 0], [0, 4], [4, 2]],
        params=_NOTHING | _PASS_ON,
        n_heads=1,
    ),
    hand(
        DECODER_BLOCK,
        "a mask of the context, and an element that may read nothing",
        [[1 + 8, 3], [5, -5]],
        X=[[1, 3], [5, -5]],
        Z=[[8, 0], [0, 4], [4, 2]],
        params=_NOTHING | _PASS_ON,
        n_heads=1,
        context_mask=[[True, False, False], [False, False, False]],
    ),
    # Nothing to read gives zeros; post-norm still normalizes three times.
    hand(
        DECODER_BLOCK,
        "an empty context",
        [[1, 3]],
        X=[[1, 3]],
        Z=np.zeros((0, 2)),
        params=_NOTHING | _PASS_ON,
        n_heads=1,
    ),
    # The norms give (-1, 1): element 1 sees the mean of (-1, 1) and (1, -1), element 0 itself.
    hand(
        DECODER_BLOCK,
        "no element sees a later one",
        [[1 - 1, 5001 + 1], [5000, 0]],
        X=[[1, 5001], [5000, 0]],
        Z=[[0, 0]],
        params=_NOTHING | {"W_V": np.eye(2), "W_O": np.eye(2)},
        n_heads=1,
    ),
    # The last norm, and E again: (-s, s) and (s, -s), times (1, 3) and (3, 1).
    hand(
        MODEL,
        "a decoder that reads nothing",
        [[2 * _S, -2 * _S], [-2 * _S, 2 * _S]],
        source=[0, 1],
        target=[0, 1],
        params=_small_model(),
        n_heads=1,
    ),
    # Each element reads (0, 100): the halves of the differences are 51 and 49.
    hand(
        MODEL,
        "what is read is the encoder's end",
        [[2 * r, -2 * r] for r in (h / sqrt(h * h + 1e-5) for h in (51, 49))],
        source=[0, 1],
        target=[0, 1],
        params=_small_model(
            gain=[0, 0], bias=[0, 100], reads=np.eye(2), gives=np.eye(2)
        ),
        n_heads=1,
    ),
    hand(
        BEAMS,
        "greedy: 0.4, then 0.8",
        _found(([2, 0], log(0.32))),
        n_beams=1,
        **_HAND,
    ),
    hand(
        BEAMS,
        "two beams: 0.4 0.8 before 0.3, which is shorter",
        _found(([2, 0], log(0.32)), ([0, 0], log(0.3))),
        n_beams=2,
        **_HAND,
    ),
    # 0.3 was found first; 0.3 * 0.3, and 0.3 * 0.4 by way of the 1.
    hand(
        BEAMS,
        "three beams, and of equals the first: the end stands before 1",
        _found(([2, 0], log(0.32)), ([0, 0], log(0.3)), ([1, 2], log(0.12))),
        n_beams=3,
        **_HAND,
    ),
    # log 0.32 / 2 = log 0.566, log 0.12 / 2 = log 0.346, log 0.3.
    hand(
        BEAMS,
        "means: 0.12 of two is more than 0.3 of one",
        _found(
            ([2, 0], log(0.32) / 2), ([1, 2], log(0.12) / 2), ([0, 0], log(0.3))
        ),
        n_beams=3,
        length_penalty=1.0,
        **_HAND,
    ),
    hand(
        BEAMS,
        "cut before the end",
        _found(([2], log(0.4)), ([0], log(0.3))),
        n_beams=2,
        **_HAND | {"n_max": 1},
    ),
    hand(
        BEAMS,
        "the end is certain",
        _found(([0], 0.0)),
        n_beams=2,
        start=[1],
        end=0,
        n_max=9,
        step=Lookup(np.array([[[0.0, -INF], [0.0, -INF]]])),
    ),
]
