"""Two sequences meet."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray as Array

from course_attn._contracts import (
    Activation,
    Count,
    Divides,
    Flag,
    Function,
    NonEmpty,
    NotNegative,
    Size,
    check_arguments,
)
from course_attn._rules import AtMost, Below, Entries, LessThan, NoLonger
from course_attn.in_numpy._numerics import upcast
from course_attn.in_numpy.block import (
    BLOCK_SHAPES,
    feed_forward,
    layer_norm,
    relu,
    transformer_block,
)
from course_attn.in_numpy.language_model import BLOCK_NAMES
from course_attn.in_numpy.multi_head import multi_head_attention

__all__ = [
    "beam_search",
    "decoder_block",
    "encoder_decoder",
    "post_norm_residual",
    "pre_norm_residual",
]


# --- the decoder's block --------------------------------------------------------------------------

# What a decoder block has to learn besides: a second attention, and its norm.
DECODER_BLOCK_SHAPES = BLOCK_SHAPES | {
    **{
        f"cross_{name}": BLOCK_SHAPES[name] for name in ("W_Q", "W_K", "W_V", "W_O")
    },
    "gain_3": "d_model",
    "bias_3": "d_model",
}

DecoderBlockParams = Annotated[
    Mapping[str, Array], Entries(Float, Array, DECODER_BLOCK_SHAPES)
]


@check_arguments
def pre_norm_residual(
    X: Float[Array, "*batch n d_model"], part: Function, norm: Function
) -> Float[Array, "*batch n d_model"]:
    """Add to X what a part of a block makes of it, once it is normalized.

    Y = X + part(norm(X)): two of these are a `pre_norm_block`. Both functions take and return
    arrays of the shape of X. Source: Xiong et al. (2020), section 3.

    Examples
    --------
    >>> pre_norm_residual(np.array([[8.0]]), lambda X: 3 * X, lambda X: X / 2)
    array([[20.]])
    """
    return X + part(norm(X))


@check_arguments
def post_norm_residual(
    X: Float[Array, "*batch n d_model"], part: Function, norm: Function
) -> Float[Array, "*batch n d_model"]:
    """Add to X what a part of a block makes of it, and normalize the sum.

    Y = norm(X + part(X)): two of these are a `post_norm_block`. Both functions take and return
    arrays of the shape of X. Source: Vaswani et al. (2017), section 3.1.

    Examples
    --------
    >>> post_norm_residual(np.array([[8.0]]), lambda X: 3 * X, lambda X: X / 2)
    array([[16.]])
    """
    return norm(X + part(X))


@check_arguments
def decoder_block(
    X: Float[Array, "*batch n_q d_model"],
    Z: Float[Array, "*batch n_k d_model"],
    params: DecoderBlockParams,
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    mask: Bool[Array, "*#batch #n_q #n_q"] | None = None,
    causal: Flag = True,
    context_mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    residual: Function = pre_norm_residual,
    activation: Activation = relu,
) -> Float[Array, "*batch n_q d_model"]:
    """Let the elements see those before them, then read a second sequence, then process each.

    `residual`, `pre_norm_residual` or `post_norm_residual`, adds to X one part after the other:
    `multi_head_attention` of the elements to each other, limited by `mask` and `causal`; that to
    the context Z, limited by `context_mask` alone; `feed_forward`. `params` has the entries of
    `transformer_block` and, for the second part, cross_W_Q, cross_W_K, cross_W_V and cross_W_O;
    gain_1 and bias_1 to gain_3 and bias_3 are those of the norms in this order.
    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020), section 3.

    Examples
    --------
    >>> W, one, zero = np.ones((1, 1)), np.ones(1), np.zeros(1)
    >>> params = {f"{part}W_{x}": W for part in ("", "cross_") for x in "QKVO"}
    >>> params |= {"W_1": W, "b_1": one, "W_2": W, "b_2": zero}
    >>> params |= {f"{name}_{i}": one for name in ("gain", "bias") for i in (1, 2, 3)}
    >>> decoder_block(np.array([[5.0]]), np.array([[3.0]]), params, n_heads=1)
    array([[11.]])
    """
    names = ("W_Q", "W_K", "W_V", "W_O")
    own = {name: params[name] for name in names}
    cross: dict[str, Any] = {name: params[f"cross_{name}"] for name in names}
    network = {name: params[name] for name in ("W_1", "b_1", "W_2", "b_2")}
    norm_1, norm_2, norm_3 = (
        partial(layer_norm, gain=params[f"gain_{i}"], bias=params[f"bias_{i}"])
        for i in (1, 2, 3)
    )
    attend = partial(
        multi_head_attention, **own, n_heads=n_heads, mask=mask, causal=causal
    )
    read = partial(
        multi_head_attention, **cross, n_heads=n_heads, Z=Z, mask=context_mask
    )
    process = partial(feed_forward, **network, activation=activation)
    X = residual(X, attend, norm_1)
    X = residual(X, read, norm_2)
    return residual(X, process, norm_3)


# --- the whole model ------------------------------------------------------------------------------

# What a decoder block's parameters are called in a state dict, and in `decoder_block`.
DECODER_BLOCK_NAMES = {
    entry.replace("attention.", "self_attention."): name
    for entry, name in BLOCK_NAMES.items()
} | {
    **{f"cross_attention.W_{x}": f"cross_W_{x}" for x in "QKVO"},
    "norm_3.gain": "gain_3",
    "norm_3.bias": "bias_3",
}

EncoderDecoderParams = Annotated[
    Mapping[str, Array],
    Entries(
        Float,
        Array,
        {
            "source_embedding": "n_source_vocab d_model",
            "target_embedding": "n_target_vocab d_model",
            "source_positions.P": "n_source_context d_model",
            "target_positions.P": "n_target_context d_model",
            "encoder.final_norm.gain": "d_model",
            "encoder.final_norm.bias": "d_model",
            "decoder.final_norm.gain": "d_model",
            "decoder.final_norm.bias": "d_model",
        },
        each={
            "encoder.blocks": {e: BLOCK_SHAPES[n] for e, n in BLOCK_NAMES.items()},
            "decoder.blocks": {
                e: DECODER_BLOCK_SHAPES[n] for e, n in DECODER_BLOCK_NAMES.items()
            },
        },
    ),
]


@check_arguments
def encoder_decoder(
    source: Annotated[
        Int[Array, "*batch n_source"],
        NonEmpty("n_source"),
        Below("n_source_vocab"),
        NoLonger("n_source", "n_source_context"),
    ],
    target: Annotated[
        Int[Array, "*batch n_target"],
        NonEmpty("n_target"),
        Below("n_target_vocab"),
        NoLonger("n_target", "n_target_context"),
    ],
    params: EncoderDecoderParams,
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    source_mask: Bool[Array, "*batch n_source"] | None = None,
) -> Float[Array, "*batch n_target n_target_vocab"]:
    """Predict every next token of a target from a source: from tokens to logits.

    Z = E_s[source] + P_s goes through `transformer_block`s and a norm, X = E_t[target] + P_t goes
    through `decoder_block`s that read Z, and a norm; logits = X E_t^T, the same E_t (tied). False
    in `source_mask` marks padding. `params` has the entries of ``EncoderDecoder(config)``'s state
    dict. Row i of the logits is about target token i + 1.
    Source: Vaswani et al. (2017), section 3.1; Press and Wolf (2017) for the tied E_t.

    Examples
    --------
    >>> names = [f"encoder.blocks.0.{name}" for name in BLOCK_NAMES]
    >>> names += [f"decoder.blocks.0.{name}" for name in DECODER_BLOCK_NAMES]
    >>> names += [f"{s}coder.final_norm.{name}" for s in ("en", "de") for name in ("gain", "bias")]
    >>> params = {name: np.ones((1, 1) if ".W_" in name else 1) for name in names}
    >>> E_and_P = [f"{s}_{X}" for s in ("source", "target") for X in ("embedding", "positions.P")]
    >>> params |= dict.fromkeys(E_and_P, np.array([[2.0], [3.0]]))
    >>> encoder_decoder(np.array([1]), np.array([0]), params, n_heads=1)
    array([[2., 3.]])
    """
    context_mask = None if source_mask is None else source_mask[..., None, :]
    Z = _embed(source, params, "source")
    for block in blocks_of(params, "encoder", BLOCK_NAMES):
        Z = transformer_block(Z, block, n_heads=n_heads, mask=context_mask)
    Z = _final_norm(Z, params, "encoder")
    X = _embed(target, params, "target")
    for block in blocks_of(params, "decoder", DECODER_BLOCK_NAMES):
        X = decoder_block(X, Z, block, n_heads=n_heads, context_mask=context_mask)
    X = _final_norm(X, params, "decoder")
    return X @ params["target_embedding"].T


def _embed(tokens: Array, params: Mapping[str, Array], side: str) -> Array:
    """Add the vectors of tokens and of positions."""
    E, P = params[f"{side}_embedding"], params[f"{side}_positions.P"]
    return E[tokens] + P[: tokens.shape[-1]]


def blocks_of(
    params: Mapping[str, Array], stack: str, names: Mapping[str, str]
) -> Iterator[dict[str, Array]]:
    """Give the parameters of each block of a stack, named as the block's function wants them."""
    layer = 0
    while (start := f"{stack}.blocks.{layer}.") + "norm_1.gain" in params:
        yield {name: params[start + entry] for entry, name in names.items()}
        layer += 1


def _final_norm(X: Array, params: Mapping[str, Array], stack: str) -> Array:
    """Normalize what a stack returns."""
    last = f"{stack}.final_norm"
    return layer_norm(X, params[f"{last}.gain"], params[f"{last}.bias"])


# --- searching ------------------------------------------------------------------------------------


@check_arguments
def beam_search(
    step: Function,
    start: Annotated[Int[Array, "n_start"], NonEmpty("n_start")],
    *,
    n_beams: Count,
    end: Size,
    n_max: Count,
    length_penalty: NotNegative = 0.0,
) -> tuple[Int[Array, "n_found n_longest"], Float[Array, "n_found"]]:
    """Search for the most probable sequences behind a start, with n_beams prefixes at a time.

    ``step(prefixes)`` gives, for (n_prefixes, n) tokens, log-probabilities (n_prefixes, n_vocab) of
    the next. Each step keeps the n_beams best extensions (at most n_vocab; 1 is greedy), of equals
    the first. One that ends in `end` is finished and never extended, one of n_max tokens is cut.
    The score of n tokens, `end` too, is the sum of their log-probabilities over n^length_penalty.
    Returns up to n_beams sequences of probability above 0, best first and without the start, filled
    up with `end` (one that was cut has another last token), and their scores.
    Source: Sutskever, Vinyals and Le (2014), section 3.2; Wu et al. (2016), section 7.

    Examples
    --------
    >>> log_probs = np.log([[0.5, 0.4, 0.1], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]])
    >>> step = lambda prefixes: log_probs[prefixes[:, -1]]
    >>> beam_search(step, np.array([1]), n_beams=2, end=0, n_max=2)  # log(0.4 * 0.8), log(0.3)
    (array([[2, 0],
           [0, 0]]), array([-1.13943428, -1.2039728 ]))
    """
    # A power of 1 gives the mean; in ((5 + n) / 6)^power, which Wu et al. came to, none does.
    power = float(length_penalty)
    found: list[tuple[Array, Any]] = []
    prefixes: Array = start[None]
    sums: Any = 0.0
    for n in range(1, n_max + 1):
        log_probs = _checked(step(prefixes), prefixes, n_beams, end)
        prefixes, sums = _extended(prefixes, sums, log_probs, n_beams)
        stops = (prefixes[:, -1] == end) | (n == n_max)
        scores = sums[stops, 0] / n**power
        found += zip(prefixes[stops, len(start) :], scores, strict=True)
        found = sorted(found, key=lambda pair: -pair[1])[:n_beams]
        prefixes, sums = prefixes[~stops], sums[~stops]
        # Sums only fall: a prefix can reach this much, and no more.
        most = sums / n_max**power
        is_full = len(found) == n_beams
        if len(prefixes) == 0 or (is_full and most.max() <= found[-1][1]):
            break
    sequences, scores = _filled_up(found, end)
    return sequences, scores.astype(log_probs.dtype, copy=False)


def _extended(
    prefixes: Array, sums: Any, log_probs: Array, n_beams: int
) -> tuple[Array, Array]:
    """Return the best of all extensions by one token, and the sums (n_beams, 1) of each."""
    n_vocab = log_probs.shape[-1]
    totals = (sums + upcast(log_probs)).reshape(-1)
    best = np.argsort(-totals, kind="stable")[:n_beams]
    best = best[totals[best] > -np.inf]
    tokens = (best % n_vocab)[:, None].astype(prefixes.dtype, copy=False)
    longer = np.concatenate([prefixes[best // n_vocab], tokens], axis=-1)
    return longer, totals[best][:, None]


def _filled_up(found: list[tuple[Array, Any]], end: int) -> tuple[Array, Array]:
    """Write sequences of several lengths one below the other, and beside them their scores."""
    if not found:
        raise ValueError(
            "log_probs_of_step must be above -inf for some tokens, got only -inf and NaN"
        )
    longest = max(len(tokens) for tokens, _ in found)
    rows = [
        np.pad(tokens, (0, longest - len(tokens)), constant_values=end)
        for tokens, _ in found
    ]
    return np.stack(rows), np.stack([score for _, score in found])


@check_arguments
def _checked(
    log_probs_of_step: Float[Array, "n_prefixes n_vocab"],
    prefixes: Int[Array, "n_prefixes n"],
    n_beams: Annotated[Count, AtMost("n_vocab")],
    end: Annotated[Size, LessThan("n_vocab")],
) -> Array:
    """Return what `step` gave, once it is checked; n_vocab is not known before."""
    # Rounded, the logarithm of 1 may be a bit above 0.
    if (log_probs_of_step > 1e-3).any():
        raise ValueError(
            "log_probs_of_step must be at most 0, as logarithms of probabilities are, got "
            f"{float(log_probs_of_step.max())}; logits need log_softmax first"
        )
    return log_probs_of_step
