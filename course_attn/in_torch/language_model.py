"""A model that writes."""

from collections.abc import Mapping
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor as Array

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
from course_attn.in_torch._numerics import upcast
from course_attn.in_torch.block import (
    BLOCK_SHAPES,
    gelu,
    layer_norm,
    transformer_block,
)
from course_attn.in_torch.softmax import log_softmax, softmax

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
    >>> logits = torch.tensor([[0.0, 0.0], [0.0, 0.0]])  # both tokens alike: log 2
    >>> cross_entropy(logits, torch.tensor([1, 0])).round(decimals=3)
    tensor(0.6930)
    """
    log_probs = log_softmax(upcast(logits), axis=-1)
    targets = targets.long()
    counts = targets != ignore
    places = torch.where(counts, targets, 0)[..., None]
    of_targets = log_probs.gather(-1, places)[..., 0]
    mean = -torch.where(counts, of_targets, 0).sum() / counts.sum()
    return mean.to(logits.dtype)


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
    >>> logits = torch.tensor([4.0, 3.0, 2.0, 1.0]).log()
    >>> token_probabilities(logits)
    tensor([0.4000, 0.3000, 0.2000, 0.1000])
    >>> token_probabilities(logits, top_p=0.5)  # 0.4 < 0.5 <= 0.4 + 0.3
    tensor([0.5714, 0.4286, 0.0000, 0.0000])
    """
    wide = upcast(logits)
    order = torch.argsort(-wide, dim=-1, stable=True)
    ranked = wide.gather(-1, order)
    # Divided by less than this, a difference of 0 would be NaN.
    least = torch.finfo(wide.dtype).tiny
    ranked = (ranked - ranked[..., :1]) / max(float(temperature), least)
    n_kept = 1 if temperature == 0 else top_k or ranked.shape[-1]
    probs = _of_first(softmax(ranked), n_kept)
    # Rounded sums may reach 1 too early.
    if top_p is not None and top_p < 1:
        reach_less = probs.cumsum(dim=-1) < float(top_p)
        probs = _of_first(probs, reach_less.sum(dim=-1, keepdim=True) + 1)
    back = torch.argsort(order, dim=-1)
    return probs.gather(-1, back).to(logits.dtype)


def _of_first(probs: Array, n: int | Array) -> Array:
    """Leave the first n probabilities of each row, divided by their sum, and zeros."""
    probs = probs * (torch.arange(probs.shape[-1], device=probs.device) < n)
    return probs / probs.sum(dim=-1, keepdim=True)


@check_arguments
def sample_logits(
    logits: Annotated[Float[Array, "*batch n_vocab"], NonEmpty("n_vocab")],
    *,
    temperature: NotNegative = 1.0,
    top_k: Annotated[Count, AtMost("n_vocab")] | None = None,
    top_p: Share | None = None,
    rng: torch.Generator | None = None,
) -> Int[Array, "*batch"]:
    """Draw the next token.

    One number u is drawn evenly from 0 to 1 for every row; the token is the first whose
    probabilities, those of `token_probabilities`, add up to more than u; where these are NaN, it is
    token 0. Without `rng`, NumPy's side makes a new generator and PyTorch's uses its own.
    Source: Holtzman et al. (2020), section 3.

    Examples
    --------
    >>> logits = torch.tensor([[0.0, 5.0, 4.0], [7.0, 1.0, 2.0]])
    >>> sample_logits(logits, temperature=0)  # greedy
    tensor([1, 0])
    """
    probs = token_probabilities(
        upcast(logits), temperature=temperature, top_k=top_k, top_p=top_p
    )
    sums = probs.cumsum(dim=-1)
    u = torch.rand(
        sums[..., :1].shape, generator=rng, dtype=sums.dtype, device=sums.device
    )
    return (sums <= u * sums[..., -1:]).sum(dim=-1)


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
    >>> K, V = cache.append(torch.ones(2, 5, 3), torch.ones(2, 5, 7))
    >>> K, V = cache.append(torch.zeros(2, 1, 3), torch.zeros(2, 1, 7))
    >>> K.shape, V.shape, len(cache)
    (torch.Size([2, 6, 3]), torch.Size([2, 6, 7]), 6)
    """

    @check_arguments
    def __init__(self, n_max: Count | None = None) -> None:
        self.n_max = n_max
        # With n_max a tensor on the device, once there are keys: a CUDA graph can read it.
        self._length: int | Array = 0
        self.device: torch.device | None = None
        self._K: Array
        self._V: Array

    def __len__(self) -> int:
        """Return how many positions are kept."""
        return int(self._length)

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
        K, V = K.detach(), V.detach()
        device = K.device if self.device is None else self.device
        for name, new in (("K", K), ("V", V)):
            if new.device != device:
                raise ValueError(
                    f"{name} must be on {device} as the first keys are, got {new.device}"
                )
        if not hasattr(self, "dtype"):
            self._make_room(K, V)
        if self.n_max is not None:
            rows = self._length + torch.arange(K.shape[-2], device=self.device)
            self._K.index_copy_(-2, rows, K)
            self._V.index_copy_(-2, rows, V)
            self._length += K.shape[-2]
            return self._K, self._V
        start, end = len(self), len(self) + K.shape[-2]
        self._K, self._V = _with_room(self._K, end), _with_room(self._V, end)
        self._K[..., start:end, :] = K
        self._V[..., start:end, :] = V
        self._length = end
        return self._K[..., :end, :], self._V[..., :end, :]

    def _make_room(self, K: Array, V: Array) -> None:
        """Keep what the first call decides on; `check_arguments` holds later calls to it."""
        self.batch, self.dtype, self.device = tuple(K.shape[:-2]), K.dtype, K.device
        self.d_k, self.d_v = K.shape[-1], V.shape[-1]
        self._K, self._V = K[..., :0, :], V[..., :0, :]
        if self.n_max is not None:
            # Zeros: a weight of 0 would not hide NaN.
            self._K = K.new_zeros((*self.batch, self.n_max, self.d_k))
            self._V = V.new_zeros((*self.batch, self.n_max, self.d_v))
            self._length = torch.zeros((), dtype=torch.int64, device=K.device)

    @check_arguments
    def positions(self, n: Size) -> Int[Array, "n"]:
        """Return the positions of the next n elements: those behind all that are kept."""
        self._check_room("n must be at most", n)
        return self._length + torch.arange(n, device=self.device)

    @check_arguments
    def mask(self, n_q: Size, *, causal: Flag = True) -> Bool[Array, "n_q n_all"]:
        """Say which of the rows that `append` gave the last n_q positions may attend to (True).

        To those that are written; with `causal`, to none behind the position itself.
        """
        n_all = len(self) if self.n_max is None else self.n_max
        keys = torch.arange(n_all, device=self.device)
        n_back = torch.arange(n_q if causal else 1, 0, -1, device=self.device)
        return (keys <= (self._length - n_back)[:, None]).expand(n_q, n_all)

    def clear(self) -> None:
        """Forget all positions; n_max, and what the first call decided on, stay."""
        self._length *= 0  # in place, where a CUDA graph reads it
        if hasattr(self, "dtype") and self.n_max is not None:
            self._K.zero_()
            self._V.zero_()
        elif hasattr(self, "dtype"):
            # New room, next time: what was given stays as it is.
            self._K, self._V = self._K[..., :0, :], self._V[..., :0, :]

    def _check_room(self, must: str, n: int) -> None:
        """Refuse more positions than there is room for."""
        if self.n_max is None or _is_recording(self._length):
            return
        if n > (left := self.n_max - len(self)):
            raise ValueError(
                f"{must} {left}, what is left of n_max = {self.n_max} positions, got {n}"
            )


def _is_recording(length: int | Array) -> bool:
    """Tell whether a graph is being recorded: then no number on a device can be read."""
    if isinstance(length, int):
        return False
    is_captured = length.is_cuda and torch.cuda.is_current_stream_capturing()
    return is_captured or torch.compiler.is_compiling()


def _with_room(kept: Array, n: int) -> Array:
    """Return the array itself if n rows fit, else a copy with twice the room or more."""
    room = kept.shape[-2]
    if n <= room:
        return kept
    shape = (*kept.shape[:-2], max(n, 2 * room), kept.shape[-1])
    more = kept.new_empty(shape)
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
    >>> one, zero = torch.ones(1, 1), torch.zeros(1)
    >>> block = "norm_1.gain norm_1.bias attention.W_Q attention.W_K attention.W_V attention.W_O "
    >>> block += "norm_2.gain norm_2.bias feed_forward.W_1 feed_forward.b_1 feed_forward.W_2 "
    >>> names = [f"transformer.blocks.0.{name}" for name in (block + "feed_forward.b_2").split()]
    >>> params = {name: one if ".W_" in name else zero for name in names}
    >>> params |= {"embedding": torch.tensor([[2.0], [3.0]]), "positions.P": torch.zeros(5, 1)}
    >>> params |= {"transformer.final_norm.gain": zero, "transformer.final_norm.bias": zero + 1}
    >>> gpt(torch.tensor([1]), params, n_heads=1)
    tensor([[2., 3.]])
    """
    E, P = params["embedding"], params["positions.P"]
    X = E[tokens.long()] + P[: tokens.shape[-1]]
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
