"""A GPT as a module, how it writes, and how to look inside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor as Array

from course_attn._contracts import (
    Count,
    Flag,
    NonEmpty,
    NotNegative,
    Probability,
    Share,
    Size,
    check_arguments,
)
from course_attn._rules import Below
from course_attn.costs import head_widths
from course_attn.in_torch.block_layers import Transformer, TransformerBlock
from course_attn.in_torch.language_model import KVCache, sample_logits
from course_attn.in_torch.order_layers import LearnedPositions

__all__ = [
    "GPT",
    "GPTConfig",
    "generate",
]


@dataclass(frozen=True, kw_only=True)
class GPTConfig:
    """The sizes of a `GPT`, which the shapes of its parameters follow from.

    There are `n_vocab` tokens and `n_context` positions; n_heads divides d_model; d_ff is 4 d_model
    unless it is given. `dropout` is that of each `TransformerBlock`.

    Examples
    --------
    >>> GPTConfig(n_vocab=96, n_context=64, n_layers=2, d_model=32, n_heads=4).d_ff
    128
    """

    n_vocab: int
    n_context: int
    n_layers: int
    d_model: int
    n_heads: int
    d_ff: int | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        """Check the sizes, and fill in d_ff."""
        object.__setattr__(self, "d_ff", _checked_width(**vars(self)))


@check_arguments
def _checked_width(
    n_vocab: Count,
    n_context: Count,
    n_layers: Count,
    d_model: Count,
    n_heads: Count,
    d_ff: Count | None,
    dropout: Probability,
) -> int:
    """Return d_ff once all sizes are checked."""
    head_widths(d_model, n_heads)
    return 4 * d_model if d_ff is None else d_ff


class GPT(torch.nn.Module):
    """Predict every next token of a text: a stack of blocks between two uses of one matrix.

    X = E[tokens] + P, with learned vectors for tokens and positions; n_layers pre-norm blocks with
    a causal mask, `gelu` and no biases in the attention; a final norm; logits = X E^T, with the
    same E (tied). Source: Radford et al. (2019), section 2.3; Press and Wolf (2017) for the tied E.

    Examples
    --------
    >>> config = GPTConfig(n_vocab=7, n_context=5, n_layers=2, d_model=8, n_heads=2)
    >>> model = GPT(config)
    >>> model(torch.tensor([[0, 6, 1]])).shape
    torch.Size([1, 3, 7])
    """

    @check_arguments
    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.n_vocab, self.n_context = config.n_vocab, config.n_context
        self.embedding = torch.nn.Parameter(
            torch.empty(config.n_vocab, config.d_model)
        )
        self.positions = LearnedPositions(config.n_context, config.d_model)
        self.dropout = torch.nn.Dropout(config.dropout)
        self.transformer = Transformer(
            config.n_layers,
            config.d_model,
            config.n_heads,
            config.d_ff,
            biases=False,
            dropout=config.dropout,
            activation=F.gelu,
        )
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters anew, so that each position starts with nearly even predictions.

        The vectors of tokens and positions have the standard deviation 0.02; the matrices that add
        to the stream, W_O and W_2, are smaller by the square root of the number of additions.
        """
        self.transformer.reset_parameters(generator)
        torch.nn.init.normal_(self.embedding, std=0.02, generator=generator)
        torch.nn.init.normal_(self.positions.P, std=0.02, generator=generator)
        shrink = (2 * self.config.n_layers) ** -0.5
        with torch.no_grad():
            for block in self.blocks:
                block.attention.W_O.mul_(shrink)
                block.feed_forward.W_2.mul_(shrink)

    def extra_repr(self) -> str:
        """Say the sizes of the vocabulary and the context."""
        return f"n_vocab={self.n_vocab}, n_context={self.n_context}"

    @check_arguments
    def forward(
        self,
        tokens: Int[Array, "*batch n"],
        *,
        caches: Sequence[KVCache] | None = None,
    ) -> Float[Array, "*batch n n_vocab"]:
        """Return the logits (..., n, n_vocab).

        With `caches`, one `KVCache` for each block, `tokens` are only the new ones: they stand
        behind those of earlier calls.
        """
        X = self._embed_behind(tokens, caches)
        return self.unembed(self.transformer(X, causal=True, caches=caches))

    @check_arguments
    def forward_with_weights(
        self,
        tokens: Int[Array, "*batch n"],
        *,
        caches: Sequence[KVCache] | None = None,
    ) -> tuple[Array, tuple[Array, ...]]:
        """Return what `forward` does, and each block's weights, in a tuple."""
        X = self._embed_behind(tokens, caches)
        X, weights = self.transformer.forward_with_weights(
            X, causal=True, caches=caches
        )
        return self.unembed(X), weights

    @check_arguments
    def embed(
        self,
        tokens: Annotated[Int[Array, "*batch n"], Below("n_vocab")],
        *,
        offset: Size = 0,
        positions: Annotated[Int[Array, "n"], Below("n_context")] | None = None,
    ) -> Float[Array, "*batch n d_model"]:
        """Return the vector of each token plus that of its position, counted from `offset`.

        `positions`, where they are given, take the place of that count.

        Raises
        ------
        ValueError
            If the tokens go beyond the context.
        """
        n = tokens.shape[-1]
        if offset + n > self.n_context:
            behind = f" behind {offset} others" if offset else ""
            raise ValueError(
                f"tokens must have at most n_context = {self.n_context} positions, "
                f"got {n}{behind}"
            )
        X = F.embedding(tokens.long(), self.embedding)
        if positions is not None:
            return self.dropout(X + self.positions.P[positions.long()])
        return self.dropout(self.positions(X, offset=offset))

    def _embed_behind(
        self, tokens: Array, caches: Sequence[KVCache] | None
    ) -> Array:
        """Embed tokens that stand behind those in the caches."""
        if not caches or caches[0].n_max is None:
            return self.embed(tokens, offset=len(caches[0]) if caches else 0)
        if caches[0].n_max > self.n_context:
            raise ValueError(
                f"caches must have an n_max of at most n_context = {self.n_context}, "
                f"got {caches[0].n_max}"
            )
        # How many are kept is a number on the device: a step can be captured in a CUDA graph.
        positions = caches[0].positions(tokens.shape[-1])
        return self.embed(tokens, positions=positions.to(tokens.device))

    @property
    def blocks(self) -> list[TransformerBlock]:
        """The blocks, first to last."""
        stack = self.transformer.blocks
        return [block for block in stack if isinstance(block, TransformerBlock)]

    def unembed(self, X: Array) -> Array:
        """Return the logits: how well each token's vector fits the element."""
        return F.linear(X, self.embedding)


@torch.no_grad()
@check_arguments
def generate(
    model: GPT,
    tokens: Annotated[Int[Array, "*batch n_start"], NonEmpty("n_start")],
    n: Size,
    *,
    temperature: NotNegative = 1.0,
    top_k: Count | None = None,
    top_p: Share | None = None,
    rng: torch.Generator | None = None,
    cached: Flag = True,
    graph: Flag = False,
) -> Int[Array, "*batch n_all"]:
    """Let the model write n tokens behind a text, each drawn as `sample_logits` does.

    What was read stays in caches, so that each new token costs one step and not the whole text; the
    result is the same without (`cached`). Where the context is full, the model forgets its older
    half and goes on behind the other. Dropout acts if the model is in training mode.

    With `graph`, the caches have room for the whole context from the start, so that all steps have
    the same shapes; on a CUDA device, one step is recorded and replayed for every token. The result
    is the same, but for dropout.
    Source: Radford et al. (2019); the caches, Shazeer (2019), section 2.4.1.

    Examples
    --------
    >>> config = GPTConfig(n_vocab=7, n_context=5, n_layers=2, d_model=8, n_heads=2)
    >>> generate(GPT(config), torch.tensor([3, 1]), 6, temperature=0).shape
    torch.Size([8])
    """
    if graph and not cached:
        raise ValueError("graph must be False where cached is False, got True")
    draw = partial(
        sample_logits, temperature=temperature, top_k=top_k, top_p=top_p, rng=rng
    )
    n_max = model.n_context if graph else None
    layers = range(model.config.n_layers if cached else 0)
    caches = [KVCache(n_max) for _ in layers]

    def read(new: Array) -> Array:
        logits = model(new, caches=caches or None)
        return draw(logits[..., -1:, :]).to(tokens.dtype)

    read_one = _Replayed(read, rng) if graph and tokens.is_cuda else read
    tokens, first, n_read = tokens.clone(), 0, 0
    for _ in range(n):
        if tokens.shape[-1] - first > model.n_context:
            first = n_read = tokens.shape[-1] - (model.n_context + 1) // 2
            for cache in caches:
                cache.clear()
        new = tokens[..., n_read:]
        n_read = tokens.shape[-1] if cached else first
        token = (read_one if new.shape[-1] == 1 else read)(new)
        tokens = torch.cat([tokens, token], dim=-1)
    return tokens


class _Replayed:
    """Do a step on a CUDA device as one graph, which the host sends at once.

    The first call runs as always, and the libraries make their plans. The second records the step,
    which does not run it: nothing is to be undone. It and all later ones replay what was recorded,
    so that what the step reads and writes besides its argument must stay in its place.
    """

    def __init__(
        self, step: Callable[[Array], Array], rng: torch.Generator | None
    ) -> None:
        self.step, self.rng = step, rng
        self.graph: torch.cuda.CUDAGraph | None = None
        self.given: Array | None = None

    def __call__(self, given: Array) -> Array:
        if self.given is None:
            self.given = given.clone()
            return self.step(given)
        self.given.copy_(given)
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            if self.rng is not None:
                self.graph.register_generator_state(self.rng)
            with torch.cuda.graph(self.graph):
                self.result = self.step(self.given)
        self.graph.replay()
        return self.result
