"""The calls that the twins of `language_model` are compared in."""

from collections.abc import Callable
from math import exp, log, sqrt
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.chapters.language_model.refused import (
    BAD_INPUT,
    BLOCKS,
    GPT,
    HEADS,
    LOSS,
    N_CONTEXT,
    N_VOCAB,
    PROBABILITIES,
    SAMPLE,
    params,
)
from tests.support.arrays import BATCH, N_Q, batched, normal, with_entries
from tests.support.twin_table import INF, NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]

_rng = np.random.default_rng(3)


def _tokens(*shape: int, dtype: str = "int64") -> np.ndarray:
    """Draw tokens, the first and the last of the vocabulary among them."""
    tokens = _rng.integers(0, N_VOCAB, size=shape)
    tokens[..., 0], tokens[..., -1] = 0, N_VOCAB - 1
    return tokens.astype(dtype)


def _loss(
    about: str,
    *batch: int,
    logits: np.ndarray | None = None,
    left_out: int | None = None,
    dtype: str = "int64",
    **options: Any,
) -> Case:
    """Give a call of the loss; every third target may be one that does not count."""
    targets = _tokens(*batch, N_Q, dtype=dtype)
    if left_out is not None:
        targets[..., ::3] = left_out
    logits = normal(*batch, N_Q, N_VOCAB) if logits is None else logits
    arrays = {"logits": logits, "targets": targets}
    # Finite differences know no -inf.
    finite = bool(np.isfinite(logits).all())
    return Case(LOSS, about, arrays, options, differentiable=finite)


def _writing(function: str, about: str, logits: np.ndarray, **options: Any) -> Case:
    """Give a call of the functions that write."""
    said = ", ".join(k if k == "rng" else f"{k} {o}" for k, o in options.items())
    return Case(function, f"{about}, {said}", {"logits": logits}, options)


_SOME_INF = with_entries(normal(N_Q, N_VOCAB), [0, 7, N_VOCAB - 1], -INF)
_WAYS: list[dict[str, Any]] = [
    {"temperature": 0.3},
    {"temperature": 7},
    {"temperature": 0},
    {"temperature": 0.0, "top_k": 5, "top_p": 0.9},
    {"temperature": 1e-300},
    *({"top_k": k} for k in (1, 2, N_VOCAB - 1, N_VOCAB)),
    *({"top_p": p} for p in (1e-9, 0.1, 0.5, 0.999, 1, 1.0)),
    {"temperature": 2.0, "top_k": 5, "top_p": 0.6},
    {"temperature": 0.5, "top_k": None, "top_p": None},
]


def _gpt(about: str, *shape: int, n_layers: int = 2, **options: Any) -> Case:
    """Give a call of the model."""
    dtype = options.pop("dtype", "int64")
    options = {"params": params(n_layers), "n_heads": HEADS} | options
    return Case(GPT, about, {"tokens": _tokens(*shape, dtype=dtype)}, options)


CASES = [
    _loss("no batch axis"),
    _loss("two batch axes", *BATCH),
    _loss("a batch of one", 1),
    _loss("some left out", left_out=-100),
    _loss("some left out, two batch axes", *BATCH, left_out=-100, ignore=-100),
    _loss("a token that does not count", *BATCH, left_out=5, ignore=5),
    _loss("the first token does not count", left_out=0, ignore=0),
    _loss("a number beyond the vocabulary", left_out=1000, ignore=1000),
    _loss("narrow targets", *BATCH, left_out=-1, ignore=-1, dtype="int8"),
    _loss("int32 targets", dtype="int32"),
    _loss("logits in the thousands", logits=1e3 * normal(N_Q, N_VOCAB)),
    _loss(
        "logits of -inf, which no target has",
        logits=with_entries(normal(N_Q, N_VOCAB), [1], -INF),
        left_out=0,
    ),
    *batched(PROBABILITIES, logits=(..., N_VOCAB)),
    *(
        _writing(PROBABILITIES, about, logits, **way)
        for way in _WAYS
        for about, logits in (
            ("two batch axes", normal(*BATCH, N_VOCAB)),
            ("some -inf", _SOME_INF.copy()),
        )
    ),
    _writing(PROBABILITIES, "a single token", normal(3, 1), top_k=1, top_p=0.5),
    *(
        # What is drawn is the same whatever is drawn from.
        _writing(SAMPLE, about, normal(*batch, N_VOCAB), **way)
        for way in (
            {"temperature": 0},
            {"temperature": 1e-300},
            {"top_k": 1},
            {"top_p": 1e-9},
            {"top_k": 1, "rng": np.random.default_rng(0)},
        )
        for about, batch in (("no batch axis", ()), ("two batch axes", BATCH))
    ),
    _gpt("no batch axis", N_Q),
    _gpt("two batch axes", *BATCH, N_Q),
    _gpt("a batch of one, and a full context", 1, N_CONTEXT),
    _gpt("one token", 1),
    _gpt("one layer", 2, N_Q, n_layers=1),
    _gpt("one head", N_Q, n_heads=1),
    _gpt("layers of two digits", 3, N_Q, n_layers=11),
    _gpt("narrow tokens", N_Q, dtype="int8"),
]


def _loss_by_torch(logits: Any, targets: Any, ignore: int = -100) -> torch.Tensor:
    """PyTorch wants the vocabulary on the second axis."""
    rows = torch.from_numpy(logits.copy()).flatten(0, -2)
    places = torch.from_numpy(targets.astype(np.int64)).flatten()
    return F.cross_entropy(rows, places, ignore_index=ignore)


def _loss_by_loop(logits: Any, targets: Any, ignore: int = -100) -> np.ndarray:
    """Add up the logarithms of the probabilities, one token after the other."""
    rows = logits.reshape(-1, logits.shape[-1]).tolist()
    nats = []
    for row, target in zip(rows, targets.reshape(-1).tolist(), strict=True):
        if target != ignore:
            odds = [exp(logit - max(row)) for logit in row]
            nats.append(log(sum(odds)) + max(row) - row[target])
    return np.array(sum(nats) / len(nats))


def _row_by_loop(
    row: list[float], temperature: float, top_k: int | None, top_p: float | None
) -> list[float]:
    """Sort, cut and divide, with lists."""
    ranked = sorted(range(len(row)), key=lambda token: (-row[token], token))
    ranked = ranked[: 1 if temperature == 0 else top_k or len(row)]
    best = row[ranked[0]]
    odds = {
        token: 1.0
        if row[token] == best
        else exp(max((row[token] - best) / max(temperature, 1e-200), -1e4))
        for token in ranked
    }
    total, reached, kept = sum(odds.values()), 0.0, {}
    for token in ranked:
        if top_p is None or top_p == 1 or reached < top_p:
            kept[token] = odds[token]
            reached += odds[token] / total
    return [kept.get(token, 0.0) / sum(kept.values()) for token in range(len(row))]


def _probabilities_by_loop(
    logits: np.ndarray,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> np.ndarray:
    """Treat each row by itself."""
    rows = logits.reshape(-1, logits.shape[-1]).tolist()
    found = [_row_by_loop(row, temperature, top_k, top_p) for row in rows]
    return np.array(found).reshape(logits.shape)


def _gpt_by_torch(tokens: Any, params: Any, n_heads: int) -> torch.Tensor:
    """Put PyTorch's own functions together."""
    p = {name: torch.from_numpy(a.copy()) for name, a in params.items()}
    n, layer = tokens.shape[-1], 0

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], p[f"{name}.gain"], p[f"{name}.bias"])

    x = F.embedding(torch.from_numpy(tokens.astype(np.int64)), p["embedding"])
    x = x + F.embedding(torch.arange(n), p["positions.P"])
    while any(name.startswith(f"{BLOCKS}.{layer}.") for name in p):
        block = f"{BLOCKS}.{layer}"
        seen = norm(x, f"{block}.norm_1")
        q, k, v = (
            torch.stack(
                (seen @ p[f"{block}.attention.W_{w}"]).chunk(n_heads, -1), -3
            )
            for w in "QKV"
        )
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        side_by_side = torch.cat(found.unbind(-3), dim=-1)
        x = x + side_by_side @ p[f"{block}.attention.W_O"]
        net = {
            w: p[f"{block}.feed_forward.{w}"] for w in ("W_1", "b_1", "W_2", "b_2")
        }
        hidden = F.linear(norm(x, f"{block}.norm_2"), net["W_1"].T, net["b_1"])
        x = x + F.linear(F.gelu(hidden), net["W_2"].T, net["b_2"])
        layer += 1
    return F.linear(norm(x, "transformer.final_norm"), p["embedding"])


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    LOSS: {"F.cross_entropy": _loss_by_torch, "a loop": _loss_by_loop},
    PROBABILITIES: {"lists": _probabilities_by_loop},
    SAMPLE: {"np.argmax": lambda logits, **_: np.argmax(logits, axis=-1)},
    GPT: {"PyTorch's functions": _gpt_by_torch},
}


def _small_model(**changed: Any) -> dict[str, np.ndarray]:
    """Return a model of two tokens and two features, whose block adds nothing."""
    block = {
        **dict.fromkeys(("attention.W_Q", "attention.W_K"), np.zeros((2, 1))),
        **{"attention.W_V": np.zeros((2, 1)), "attention.W_O": np.zeros((1, 2))},
        **{"feed_forward.W_1": np.zeros((2, 1)), "feed_forward.b_1": np.zeros(1)},
        **{"feed_forward.W_2": np.zeros((1, 2)), "feed_forward.b_2": np.zeros(2)},
        **dict.fromkeys(("norm_1.gain", "norm_2.gain"), np.ones(2)),
        **dict.fromkeys(("norm_1.bias", "norm_2.bias"), np.zeros(2)),
    }
    model = {f"{BLOCKS}.0.{name}": array for name, array in block.items()}
    model |= {
        "embedding": np.array([[1.0, 3.0], [3.0, 1.0]]),
        "positions.P": np.zeros((3, 2)),
        "transformer.final_norm.gain": np.ones(2),
        "transformer.final_norm.bias": np.zeros(2),
    }
    names = {name.rpartition(".")[2]: name for name in model}
    return model | {names[k]: np.array(v, float) for k, v in changed.items()}


def _logits_of(*halves: float) -> list[list[float]]:
    """Take a pair of features that differ by 2 h through the last norm, and to both tokens."""
    scaled = [h / sqrt(h * h + 1e-5) for h in halves]
    return [[-2 * r, 2 * r] for r in scaled]


_S = 1 / sqrt(
    1 + 1e-5
)  # what a norm makes of the features 3 and 1: this, and its negative

BY_HAND = [
    # 3 of 4 parts, then 1 of 4.
    hand(
        LOSS,
        "the mean of -log 3/4 and -log 1/4",
        (log(4 / 3) + log(4)) / 2,
        logits=[[log(3), 0], [log(3), 0]],
        targets=[0, 1],
    ),
    hand(
        LOSS,
        "one place does not count, in a batch",
        (log(4 / 3) + log(4) + log(2)) / 3,
        logits=[[[log(3), 0], [log(3), 0]], [[7, 7], [0, 900]]],
        targets=[[0, 1], [1, -100]],
    ),
    hand(LOSS, "certain", 0, logits=[[0, 5e3], [INF * -1, 0]], targets=[1, 1]),
    hand(LOSS, "certain of the wrong", 5e3, logits=[[0, 5e3]], targets=[0]),
    hand(LOSS, "thought impossible", INF, logits=[[0, -INF]], targets=[1]),
    hand(LOSS, "a single token", 0, logits=[[3], [-2]], targets=[0, 0]),
    hand(
        LOSS, "a single token, left out", 0, logits=[[3], [-2]], targets=[0, -100]
    ),
    hand(LOSS, "no place counts", NAN, logits=[[1, 2]], targets=[-100]),
    hand(LOSS, "no places", NAN, logits=np.zeros((0, 2)), targets=np.zeros(0, int)),
    hand(LOSS, "NaN", NAN, logits=[[NAN, 0], [0, 0]], targets=[1, 1]),
    hand(
        LOSS,
        "NaN where it does not count",
        log(2),
        logits=[[NAN, 0], [0, 0]],
        targets=[-100, 1],
    ),
    # 8 : 4 : 2 : 2.
    *(
        hand(
            PROBABILITIES,
            about,
            expected,
            logits=[log(2), log(8), log(2), log(4)],
            **options,
        )
        for about, expected, options in (
            ("all", [1 / 8, 1 / 2, 1 / 8, 1 / 4], {}),
            ("the square", [1 / 22, 8 / 11, 1 / 22, 2 / 11], {"temperature": 0.5}),
            ("the best two", [0, 2 / 3, 0, 1 / 3], {"top_k": 2}),
            ("of the tied, the first", [1 / 7, 4 / 7, 0, 2 / 7], {"top_k": 3}),
            ("the best", [0, 1, 0, 0], {"top_p": 0.4}),
            ("past a half", [0, 2 / 3, 0, 1 / 3], {"top_p": 0.6}),
            ("past three quarters", [1 / 7, 4 / 7, 0, 2 / 7], {"top_p": 0.8}),
            ("past seven eighths", [1 / 8, 1 / 2, 1 / 8, 1 / 4], {"top_p": 0.9}),
            # Of 4 : 2 left, 4 are two thirds: enough for 0.6, but not without top_k.
            ("top_k first", [0, 1, 0, 0], {"top_k": 2, "top_p": 0.6}),
            # Squared first, 8 of 11 are enough for 0.7.
            ("temperature first", [0, 1, 0, 0], {"temperature": 0.5, "top_p": 0.7}),
        )
    ),
    hand(
        PROBABILITIES,
        "the root",
        [2 / 9, 4 / 9, 3 / 9],
        logits=[log(4), log(16), log(9)],
        temperature=2,
    ),
    # Quarters are exact: a sum that reaches p is enough.
    *(
        hand(PROBABILITIES, f"four alike, {p}", expected, logits=[5] * 4, top_p=p)
        for p, expected in (
            (0.25, [1, 0, 0, 0]),
            (0.26, [1 / 2, 1 / 2, 0, 0]),
            (0.5, [1 / 2, 1 / 2, 0, 0]),
            (0.75, [1 / 3, 1 / 3, 1 / 3, 0]),
            (1.0, [1 / 4] * 4),
        )
    ),
    hand(
        PROBABILITIES,
        "greedy takes the first of the tied, a tiny temperature all",
        [[0, 1, 0]],
        logits=[[1, 2, 2]],
        temperature=0,
    ),
    hand(
        PROBABILITIES,
        "a tiny temperature",
        [[0, 1 / 2, 1 / 2], [1, 0, 0]],
        logits=[[1, 2, 2], [0, -1e-200, -INF]],
        temperature=1e-300,
    ),
    hand(
        PROBABILITIES,
        "a huge temperature",
        [1 / 2, 1 / 2, 0],
        logits=[1, 5, -INF],
        temperature=1e30,
    ),
    hand(
        PROBABILITIES,
        "-inf has no share, not even among the best three",
        [[3 / 4, 0, 1 / 4, 0], [0, 0, 0, 1]],
        logits=[[log(3), -INF, 0, -INF], [-INF, -INF, -INF, -7]],
        top_k=3,
    ),
    *(
        hand(
            PROBABILITIES,
            f"what is not finite, {options}",
            [[NAN] * 2] * 4 + [[1, 0]],
            logits=[[NAN, 0], [0, NAN], [INF, 0], [-INF, -INF], [0, -INF]],
            **options,
        )
        for options in ({}, {"temperature": 0}, {"top_k": 1}, {"top_p": 0.5})
    ),
    hand(PROBABILITIES, "no rows", np.zeros((0, 3)), logits=np.zeros((0, 3))),
    hand(
        SAMPLE,
        "the largest, and of the tied the first",
        [1, 0, 1],
        logits=[[0, 5, 4], [7, 7, 2], [-INF, -3, -INF]],
        temperature=0,
    ),
    hand(
        SAMPLE,
        "only one is possible",
        [2, 0],
        logits=[[-INF, -INF, -3], [0, -INF, -INF]],
    ),
    hand(SAMPLE, "NaN", [0], logits=[[1, NAN, 2]], temperature=0),
    hand(SAMPLE, "no rows", np.zeros(0), logits=np.zeros((0, 3))),
    hand(
        GPT,
        "a block that adds nothing: the last norm, and E again",
        _logits_of(-1, 1, 1),
        tokens=[0, 1, 1],
        params=_small_model(),
        n_heads=1,
    ),
    # The differences of the features are -2 + 6, 2 + 1 and -2 - 8.
    hand(
        GPT,
        "positions are added, and the later ones not used",
        _logits_of(2, 1.5),
        tokens=[0, 1],
        params=_small_model(P=[[6, 0], [0, -1], [-8, 0]]),
        n_heads=1,
    ),
    # (r, -r) becomes (2 r + 5, -3 r + 7); times (1, 3) and (3, 1).
    hand(
        GPT,
        "gain and bias of the last norm",
        [[2 * _S + 5 - 9 * _S + 21, 6 * _S + 15 - 3 * _S + 7]],
        tokens=[1],
        params=_small_model()
        | {
            "transformer.final_norm.gain": np.array([2.0, 3.0]),
            "transformer.final_norm.bias": np.array([5.0, 7.0]),
        },
        n_heads=1,
    ),
    # All scores are 0: the first normalized features are averaged, -s, then 0, then s / 3; 4 times
    # that is added to the first feature.
    hand(
        GPT,
        "attention to what came before, and to nothing later",
        _logits_of((-2 - 4 * _S) / 2, 1, (2 + 4 * _S / 3) / 2),
        tokens=[0, 1, 1],
        params=_small_model(W_V=[[1], [0]], W_O=[[4, 0]]),
        n_heads=1,
    ),
    # gelu(b_1) is added to the second feature: x Phi(x) at 1.
    hand(
        GPT,
        "gelu in the feed-forward network",
        _logits_of((2 - 0.8413447460685429) / 2),
        tokens=[1],
        params=_small_model(b_1=[1], W_2=[[0, 1]]),
        n_heads=1,
    ),
    hand(
        GPT,
        "no tokens",
        np.zeros((3, 0, 2)),
        tokens=np.zeros((3, 0), int),
        params=_small_model(),
        n_heads=1,
    ),
]
