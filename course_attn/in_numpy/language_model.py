"""A model that writes."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray as Array

from course_attn._contracts import (
    Count,
    Divides,
    Flag,
    NonEmpty,
    NotNegative,
    Share,
    Size,
    Whole,
    check_arguments,
)
from course_attn._rules import AtMost, Below, Entries, NoLonger
from course_attn.in_numpy._numerics import relative_positions, upcast
from course_attn.in_numpy.block import (
    BLOCK_SHAPES,
    gelu,
    layer_norm,
    transformer_block,
)
from course_attn.in_numpy.softmax import log_softmax, softmax

__all__ = [
    "KVCache",
    "cross_entropy",
    "gpt",
    "sample_logits",
    "token_probabilities",
]


# --- how good a prediction is ---------------------------------------------------------------------


@check_arguments
def cross_entropy(
    logits: Annotated[Float[Array, "*batch n n_vocab"], NonEmpty("n_vocab")],
    targets: Annotated[Int[Array, "*batch n"], Below("n_vocab", "ignore")],
    *,
    ignore: Whole = -100,
) -> Float[Array, ""]:
    """Measure how badly logits predict tokens, in nats per token.

    L = mean over i of -log softmax(logits_i)[target_i], over the places whose target is not
    `ignore`; without such a place it is NaN. exp(L) is the perplexity, L / log(2) the bits per
    token. A target must be `ignore` or a whole number from 0 to n_vocab - 1.
    Source: Shannon (1948), section 7; Radford et al. (2018), eq. 1.

    Examples
    --------
    >>> logits = np.array([[0.0, 0.0], [0.0, 0.0]])  # both tokens alike: log 2
    >>> cross_entropy(logits, np.array([1, 0])).round(3)
    np.float64(0.693)
    """
    log_probs = log_softmax(upcast(logits), axis=-1)
    counts = targets != ignore
    places = np.where(counts, targets, 0)[..., None]
    of_targets = np.take_along_axis(log_probs, places, axis=-1)[..., 0]
    # 0 of 0 is NaN.
    with np.errstate(invalid="ignore"):
        mean = -np.where(counts, of_targets, 0).sum() / counts.sum()
    return np.asarray(mean, logits.dtype)


# --- writing --------------------------------------------------------------------------------------


@check_arguments
def token_probabilities(
    logits: Annotated[Float[Array, "*batch n_vocab"], NonEmpty("n_vocab")],
    *,
    temperature: NotNegative = 1.0,
    top_k: Annotated[Count, AtMost("n_vocab")] | None = None,
    top_p: Share | None = None,
) -> Float[Array, "*batch n_vocab"]:
    """Turn logits into the probabilities that the next token is drawn with.

    With `temperature` T, p = softmax(logits / T); T = 0 gives the token with the largest logit the
    probability 1 (greedy). With `top_k`, only the k largest logits count. With `top_p`, of the
    tokens ordered by probability only the first ones count whose sum reaches p: the one that
    crosses it, too. What is left is divided by its sum. Where both are given, top_k comes first; of
    equal logits, the first come first. A logit of -inf gives the probability 0. Where no logit is
    finite, or one is +inf or NaN, the probabilities are NaN.
    Source: Fan, Lewis and Dauphin (2018), section 5.1, for top_k; Holtzman et al. (2020), section
    3.1, for top_p.

    Examples
    --------
    >>> logits = np.log([4.0, 3.0, 2.0, 1.0])
    >>> token_probabilities(logits)
    array([0.4, 0.3, 0.2, 0.1])
    >>> token_probabilities(logits, top_p=0.5).round(3)  # 0.4 < 0.5 <= 0.4 + 0.3
    array([0.571, 0.429, 0.   , 0.   ])
    """
    wide = upcast(logits)
    order = np.argsort(-wide, axis=-1, kind="stable")
    ranked = np.take_along_axis(wide, order, axis=-1)
    # Divided by less than this, a difference of 0 would be NaN.
    least = float(np.finfo(wide.dtype).tiny)
    # Where an infinity meets an infinity, the probabilities are NaN, as documented.
    with np.errstate(over="ignore", invalid="ignore"):
        ranked = (ranked - ranked[..., :1]) / max(float(temperature), least)
    n_kept = 1 if temperature == 0 else top_k or ranked.shape[-1]
    probs = _of_first(softmax(ranked), n_kept)
    # Rounded sums may reach 1 too early.
    if top_p is not None and top_p < 1:
        reach_less = np.cumsum(probs, axis=-1) < float(top_p)
        probs = _of_first(probs, reach_less.sum(axis=-1, keepdims=True) + 1)
    back = np.argsort(order, axis=-1, kind="stable")
    return np.take_along_axis(probs, back, axis=-1).astype(logits.dtype, copy=False)


def _of_first(probs: Array, n: int | Array) -> Array:
    """Leave the first n probabilities of each row, divided by their sum, and zeros."""
    probs = probs * (np.arange(probs.shape[-1]) < n)
    return probs / probs.sum(axis=-1, keepdims=True)


@check_arguments
def sample_logits(
    logits: Annotated[Float[Array, "*batch n_vocab"], NonEmpty("n_vocab")],
    *,
    temperature: NotNegative = 1.0,
    top_k: Annotated[Count, AtMost("n_vocab")] | None = None,
    top_p: Share | None = None,
    rng: np.random.Generator | None = None,
) -> Int[Array, "*batch"]:
    """Draw the next token.

    One number u is drawn evenly from 0 to 1 for every row; the token is the first whose
    probabilities, those of `token_probabilities`, add up to more than u; where these are NaN, it is
    token 0. Without `rng`, NumPy's side makes a new generator and PyTorch's uses its own.
    Source: Holtzman et al. (2020), section 3.

    Examples
    --------
    >>> logits = np.array([[0.0, 5.0, 4.0], [7.0, 1.0, 2.0]])
    >>> sample_logits(logits, temperature=0)  # greedy
    array([1, 0])
    """
    probs = token_probabilities(
        upcast(logits), temperature=temperature, top_k=top_k, top_p=top_p
    )
    rng = np.random.default_rng() if rng is None else rng
    sums = np.cumsum(probs, axis=-1)
    u = rng.random(sums[..., :1].shape) * sums[..., -1:]
    return np.asarray((sums <= u).sum(axis=-1))


class KVCache:
    """Keep the keys and values of all positions so far, so that each is computed only once.

    A cache starts empty. Every call of `append` adds the keys and values of the next positions
    and gives all of them so far. The position of the next token, which rotary encoding needs, is
    ``len(cache)``; those of the next n are ``cache.positions(n)``. The room grows by doubling, so
    that an entry is copied less than twice on average. With `n_max`, room for so many positions is
    made once, and more are refused. PyTorch then gives all n_max rows, zeros where none is written,
    so that every step has the same shapes and can be captured in a CUDA graph: attend with
    ``cache.mask(n_q)``, as `MultiHeadAttention` does. NumPy gives the rows that are written.
    Source: Shazeer (2019), section 2.4.1.

    Examples
    --------
    >>> cache = KVCache()
    >>> K, V = cache.append(np.ones((2, 5, 3)), np.ones((2, 5, 7)))
    >>> K, V = cache.append(np.zeros((2, 1, 3)), np.zeros((2, 1, 7)))
    >>> K.shape, V.shape, len(cache)
    ((2, 6, 3), (2, 6, 7), 6)
    """

    @check_arguments
    def __init__(self, n_max: Count | None = None) -> None:
        self.n_max = n_max
        self._length = 0

    def __len__(self) -> int:
        """Return how many positions are kept."""
        return self._length

    def __repr__(self) -> str:
        """Say how many positions are kept."""
        most = "" if self.n_max is None else f" of {self.n_max}"
        return f"KVCache of {len(self)}{most} positions"

    @check_arguments
    def append(
        self, K: Float[Array, "*batch n d_k"], V: Float[Array, "*batch n d_v"]
    ) -> tuple[Float[Array, "*batch n_all d_k"], Float[Array, "*batch n_all d_v"]]:
        """Add the keys and values of the next n positions; return those of all positions.

        The first call decides on batch axes, widths, dtype and device. The results hold the rows in
        the order they came, and are views: later calls do not change these rows, but writing into
        them changes the cache. No gradient flows through a cache.
        """
        self._check_room("K must have a length of at most", K.shape[-2])
        if not hasattr(self, "dtype"):
            self._K, self._V = K[..., :0, :], V[..., :0, :]
            # `check_arguments` holds later calls to these.
            self.batch, self.dtype = tuple(K.shape[:-2]), K.dtype
            self.d_k, self.d_v = K.shape[-1], V.shape[-1]
        start, end = self._length, self._length + K.shape[-2]
        self._K = _with_room(self._K, end, self.n_max)
        self._V = _with_room(self._V, end, self.n_max)
        self._K[..., start:end, :] = K
        self._V[..., start:end, :] = V
        self._length = end
        return self._K[..., :end, :], self._V[..., :end, :]

    @check_arguments
    def positions(self, n: Size) -> Int[Array, "n"]:
        """Return the positions of the next n elements: those behind all that are kept."""
        self._check_room("n must be at most", n)
        return self._length + np.arange(n)

    @check_arguments
    def mask(self, n_q: Size, *, causal: Flag = True) -> Bool[Array, "n_q n_all"]:
        """Say which of the rows that `append` gave the last n_q positions may attend to (True).

        To those that are written; with `causal`, to none behind the position itself.
        """
        positions = relative_positions(n_q, self._length)
        return positions >= 0 if causal else np.ones_like(positions, bool)

    def clear(self) -> None:
        """Forget all positions; n_max, and what the first call decided on, stay."""
        self._length = 0
        if hasattr(self, "dtype"):
            # New room, next time: what was given stays as it is.
            self._K, self._V = self._K[..., :0, :], self._V[..., :0, :]

    def _check_room(self, must: str, n: int) -> None:
        """Refuse more positions than there is room for."""
        if self.n_max is not None and n > (left := self.n_max - self._length):
            raise ValueError(
                f"{must} {left}, what is left of n_max = {self.n_max} positions, got {n}"
            )


def _with_room(kept: Array, n: int, n_max: int | None) -> Array:
    """Return the array itself if n rows fit, else a copy with n_max, or twice the room or more."""
    room = kept.shape[-2]
    if n <= room:
        return kept
    shape = (*kept.shape[:-2], n_max or max(n, 2 * room), kept.shape[-1])
    more = np.empty(shape, kept.dtype)
    more[..., :room, :] = kept
    return more


# --- the whole model ------------------------------------------------------------------------------

# What a block's parameters are called in a state dict, and in `transformer_block`.
BLOCK_NAMES = {
    "norm_1.gain": "gain_1",
    "norm_1.bias": "bias_1",
    "attention.W_Q": "W_Q",
    "attention.W_K": "W_K",
    "attention.W_V": "W_V",
    "attention.W_O": "W_O",
    "norm_2.gain": "gain_2",
    "norm_2.bias": "bias_2",
    "feed_forward.W_1": "W_1",
    "feed_forward.b_1": "b_1",
    "feed_forward.W_2": "W_2",
    "feed_forward.b_2": "b_2",
}

GPTParams = Annotated[
    Mapping[str, Array],
    Entries(
        Float,
        Array,
        {
            "embedding": "n_vocab d_model",
            "positions.P": "n_context d_model",
            "transformer.final_norm.gain": "d_model",
            "transformer.final_norm.bias": "d_model",
        },
        each={
            "transformer.blocks": {
                entry: BLOCK_SHAPES[name] for entry, name in BLOCK_NAMES.items()
            }
        },
    ),
]


@check_arguments
def gpt(
    tokens: Annotated[
        Int[Array, "*batch n"], Below("n_vocab"), NoLonger("n", "n_context")
    ],
    params: GPTParams,
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
) -> Float[Array, "*batch n n_vocab"]:
    """Predict every next token of a text: from tokens to logits through a whole model.

    X = E[tokens] + P; each block is `transformer_block` with `pre_norm_block`, a causal mask and
    `gelu`; then a last `layer_norm`, and logits = X E^T with the same E (tied). `params` has the
    entries that ``GPT(config).state_dict()`` has. Row i of the logits is about token i + 1.
    Source: Radford et al. (2019), section 2.3; Press and Wolf (2017) for the tied E.

    Examples
    --------
    >>> one, zero = np.ones((1, 1)), np.zeros(1)
    >>> block = "norm_1.gain norm_1.bias attention.W_Q attention.W_K attention.W_V attention.W_O "
    >>> block += "norm_2.gain norm_2.bias feed_forward.W_1 feed_forward.b_1 feed_forward.W_2 "
    >>> names = [f"transformer.blocks.0.{name}" for name in (block + "feed_forward.b_2").split()]
    >>> params = {name: one if ".W_" in name else zero for name in names}
    >>> params |= {"embedding": np.array([[2.0], [3.0]]), "positions.P": np.zeros((5, 1))}
    >>> params |= {"transformer.final_norm.gain": zero, "transformer.final_norm.bias": zero + 1}
    >>> gpt(np.array([1]), params, n_heads=1)
    array([[2., 3.]])
    """
    E, P = params["embedding"], params["positions.P"]
    X = E[tokens] + P[: tokens.shape[-1]]
    layer = 0
    while (start := f"transformer.blocks.{layer}.") + "norm_1.gain" in params:
        block = {name: params[start + entry] for entry, name in BLOCK_NAMES.items()}
        X = transformer_block(
            X, block, n_heads=n_heads, causal=True, activation=gelu
        )
        layer += 1
    last = "transformer.final_norm"
    X = layer_norm(X, params[f"{last}.gain"], params[f"{last}.bias"])
    return X @ E.T
