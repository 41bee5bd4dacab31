"""An encoder and a decoder as modules, and how they translate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor as Array

from course_attn._contracts import (
    Activation,
    Count,
    Flag,
    NonEmpty,
    NotNegative,
    Probability,
    Size,
    check_arguments,
)
from course_attn._rules import Below, NoLonger
from course_attn.costs import head_widths
from course_attn.in_torch._encoder_decoder_recurrent import (
    AdditiveEncoderDecoder,
    RecurrentEncoderDecoder,
    RecurrentState,
)
from course_attn.in_torch.block_layers import (
    FeedForward,
    LayerNorm,
    Transformer,
    block_from_torch,
    one_each,
)
from course_attn.in_torch.encoder_decoder import (
    post_norm_residual,
    pre_norm_residual,
)
from course_attn.in_torch.language_model import KVCache
from course_attn.in_torch.multi_head_layers import MultiHeadAttention, from_torch
from course_attn.in_torch.order_layers import LearnedPositions

__all__ = [
    "AdditiveEncoderDecoder",
    "Decoder",
    "DecoderBlock",
    "DecoderCache",
    "DecoderWeights",
    "Encoder",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "EncoderDecoderWeights",
    "RecurrentEncoderDecoder",
    "RecurrentState",
    "encoder_decoder_from_torch",
    "translate",
]


# --- the decoder's block --------------------------------------------------------------------------


@dataclass
class DecoderCache:
    """Keep what a decoder block needs again: the keys and values of the target, and of the source.

    Those of the target grow with every call; those of the source are computed at the first call and
    then only looked at. ``len(cache)`` counts the positions of the target so far.
    Source: Shazeer (2019), section 2.4.1.

    Examples
    --------
    >>> block, cache = DecoderBlock(8, n_heads=2), DecoderCache()
    >>> out = block(torch.ones(3, 8), torch.ones(5, 8), cache=cache)
    >>> out = block(torch.ones(1, 8), torch.ones(5, 8), cache=cache)
    >>> cache
    DecoderCache(target=KVCache of 4 positions, source=KVCache of 5 positions)
    """

    target: KVCache = field(default_factory=KVCache)
    source: KVCache = field(default_factory=KVCache)

    def __len__(self) -> int:
        """Return how many positions of the target are kept."""
        return len(self.target)


class DecoderWeights(NamedTuple):
    """The weights of a decoder block: `target` over the target itself, `cross` over the source."""

    target: Array
    cross: Array


class DecoderBlock(torch.nn.Module):
    """Let the elements see those before them, then read a second sequence, then process each.

    A `TransformerBlock` with one part more: between self-attention and feed-forward network stands
    cross-attention, whose queries come from X and whose keys and values come from the context Z.
    With norm="pre", each part is added as X + part(norm(X)); with norm="post", as
    norm(X + part(X)). The other arguments are those of `TransformerBlock`.
    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020), section 3, for "pre".

    Examples
    --------
    >>> block = DecoderBlock(8, n_heads=2)
    >>> out, weights = block.forward_with_weights(torch.ones(3, 8), torch.ones(5, 8))
    >>> out.shape, weights.target.shape, weights.cross.shape
    (torch.Size([3, 8]), torch.Size([2, 3, 3]), torch.Size([2, 3, 5]))
    """

    @check_arguments
    def __init__(
        self,
        d_model: Count,
        n_heads: Count,
        d_ff: Count | None = None,
        *,
        norm: Literal["pre", "post"] = "pre",
        biases: Flag = True,
        dropout: Probability = 0.0,
        activation: Activation = torch.relu,
        eps: NotNegative = 1e-5,
    ) -> None:
        super().__init__()
        self.d_model, self.norm = d_model, norm
        d_ff = 4 * d_model if d_ff is None else d_ff
        options: dict[str, Any] = {"biases": biases, "dropout": dropout}
        self.self_attention = MultiHeadAttention(d_model, n_heads, **options)
        self.norm_1 = LayerNorm(d_model, eps=eps)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, **options)
        self.norm_2 = LayerNorm(d_model, eps=eps)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        self.norm_3 = LayerNorm(d_model, eps=eps)
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters of all parts anew."""
        for part in (
            self.self_attention,
            self.norm_1,
            self.cross_attention,
            self.norm_2,
            self.feed_forward,
            self.norm_3,
        ):
            part.reset_parameters(generator)

    def extra_repr(self) -> str:
        """Say where the norms stand."""
        return f"norm={self.norm!r}"

    # How many elements a cache keeps, and a mask counts, only the attention knows.
    @check_arguments
    def forward(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Float[Array, "*batch n_k d_model"],
        *,
        mask: Bool[Array, "*#batch #n_q #n_q_all"] | None = None,
        causal: Flag = True,
        context_mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
        cache: DecoderCache | None = None,
    ) -> Array:
        """Return the elements after the block.

        What `decoder_block` gives, where there are no `biases`. `mask` and `causal` are about the
        elements of X among themselves, `context_mask` says which of those of Z each may read. With
        a `cache`, X holds only the new elements; Z is read at the first call, and its keys and
        values are kept.
        """
        own, read = (None, None) if cache is None else (cache.target, cache.source)
        attend = partial(self.self_attention, mask=mask, causal=causal, cache=own)
        look = partial(
            self.cross_attention,
            Z=_not_kept(Z, read),
            mask=context_mask,
            cache=read,
        )
        return self._join(X, attend, look)

    @check_arguments
    def forward_with_weights(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Float[Array, "*batch n_k d_model"],
        *,
        mask: Bool[Array, "*#batch #n_q #n_q_all"] | None = None,
        causal: Flag = True,
        context_mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
        cache: DecoderCache | None = None,
    ) -> tuple[Array, DecoderWeights]:
        """Return what `forward` does, and the weights (..., n_heads, n_q, n) of both attentions."""
        own, read = (None, None) if cache is None else (cache.target, cache.source)
        options: dict[str, Any] = {"mask": mask, "causal": causal, "cache": own}
        Z_new, weights = _not_kept(Z, read), list[Array]()

        def attend(H: Array) -> Array:
            out, found = self.self_attention.forward_with_weights(H, **options)
            weights.append(found)
            return out

        def look(H: Array) -> Array:
            out, found = self.cross_attention.forward_with_weights(
                H, Z_new, mask=context_mask, cache=read
            )
            weights.append(found)
            return out

        return self._join(X, attend, look), DecoderWeights(*weights)

    def _join(
        self,
        X: Array,
        attend: Callable[[Array], Array],
        look: Callable[[Array], Array],
    ) -> Array:
        """Add the three parts to X, one after the other, with the norms in the order of `norm`."""
        residual = pre_norm_residual if self.norm == "pre" else post_norm_residual
        X = residual(X, lambda H: self.dropout(attend(H)), self.norm_1)
        X = residual(X, lambda H: self.dropout(look(H)), self.norm_2)
        return residual(
            X, lambda H: self.dropout(self.feed_forward(H)), self.norm_3
        )


def _not_kept(Z: Array, cache: KVCache | None) -> Array:
    """Return what is to be read of the context: nothing of it, once its keys are kept."""
    return Z[..., :0, :] if cache is not None and len(cache) else Z


# --- two stacks -----------------------------------------------------------------------------------


class Encoder(Transformer):
    """Let the elements of a source read each other; only padding is hidden.

    A `Transformer`, with its arguments, whose mask is one flag for each element of the source.
    Source: Vaswani et al. (2017), section 3.1.

    Examples
    --------
    >>> X, is_real = torch.ones(5, 8), torch.tensor([True, True, True, False, False])
    >>> Encoder(3, 8, n_heads=2)(X, source_mask=is_real).shape
    torch.Size([5, 8])
    """

    @check_arguments
    def forward(  # type: ignore[override]
        self,
        X: Float[Array, "*batch n_source d_model"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
    ) -> Float[Array, "*batch n_source d_model"]:
        """Return the elements after all blocks; True in `source_mask` marks a real element."""
        return super().forward(X, mask=_of_keys(source_mask))

    @check_arguments
    def forward_with_weights(  # type: ignore[override]
        self,
        X: Float[Array, "*batch n_source d_model"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
    ) -> tuple[Array, tuple[Array, ...]]:
        """Return what `forward` does, and the weights of each block, in a tuple."""
        return super().forward_with_weights(X, mask=_of_keys(source_mask))


class Decoder(torch.nn.Module):
    """Stack decoder blocks, each with parameters of its own, all of which read the same source.

    Each of the n_layers blocks takes what the one before returns, and reads Z, which is what the
    encoder returned at its end. The last pre-norm block is followed by a final norm; a post-norm
    block ends with one. The other arguments are those of each `DecoderBlock`.
    Source: Vaswani et al. (2017), section 3.1.

    Examples
    --------
    >>> stack = Decoder(3, 8, n_heads=2)
    >>> out, weights = stack.forward_with_weights(torch.ones(5, 8), torch.ones(7, 8))
    >>> out.shape, len(weights), weights[0].cross.shape
    (torch.Size([5, 8]), 3, torch.Size([2, 5, 7]))
    """

    @check_arguments
    def __init__(
        self,
        n_layers: Count,
        d_model: Count,
        n_heads: Count,
        d_ff: Count | None = None,
        *,
        norm: Literal["pre", "post"] = "pre",
        biases: Flag = True,
        dropout: Probability = 0.0,
        activation: Activation = torch.relu,
        eps: NotNegative = 1e-5,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        options: dict[str, Any] = {"norm": norm, "activation": activation}
        options |= {"biases": biases, "dropout": dropout, "eps": eps}
        self.blocks = torch.nn.ModuleList(
            DecoderBlock(d_model, n_heads, d_ff, **options) for _ in range(n_layers)
        )
        last = LayerNorm(d_model, eps=eps) if norm == "pre" else torch.nn.Identity()
        self.final_norm = last

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters of all blocks anew, and reset the final norm."""
        for part in (*self.blocks, self.final_norm):
            if isinstance(part, DecoderBlock | LayerNorm):
                part.reset_parameters(generator)

    @check_arguments
    def forward(
        self,
        X: Float[Array, "*batch n_target d_model"],
        Z: Float[Array, "*batch n_source d_model"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
        caches: Sequence[DecoderCache] | None = None,
    ) -> Array:
        """Return the elements after all blocks.

        No element sees those after it, and none sees an element of Z whose `source_mask` is False.
        With `caches`, one `DecoderCache` for each block, X holds only the new elements.
        """
        options: dict[str, Any] = {"context_mask": _of_keys(source_mask)}
        each = one_each(caches, len(self.blocks))
        for block, cache in zip(self.blocks, each, strict=True):
            X = block(X, Z, cache=cache, **options)
        return self.final_norm(X)

    @check_arguments
    def forward_with_weights(
        self,
        X: Float[Array, "*batch n_target d_model"],
        Z: Float[Array, "*batch n_source d_model"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
        caches: Sequence[DecoderCache] | None = None,
    ) -> tuple[Array, tuple[DecoderWeights, ...]]:
        """Return what `forward` does, and the weights of each block, in a tuple."""
        options: dict[str, Any] = {"context_mask": _of_keys(source_mask)}
        weights: list[DecoderWeights] = []
        block: Any  # A ModuleList does not say what its modules are.
        each = one_each(caches, len(self.blocks))
        for block, cache in zip(self.blocks, each, strict=True):
            X, of_block = block.forward_with_weights(X, Z, cache=cache, **options)
            weights.append(of_block)
        return self.final_norm(X), tuple(weights)


def _of_keys(source_mask: Array | None) -> Array | None:
    """Let every query have the same row of the mask: what is padding is so for all of them."""
    return None if source_mask is None else source_mask[..., None, :]


# --- the whole model ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig:
    """The sizes of an `EncoderDecoder`, which the shapes of its parameters follow from.

    Source and target have vocabularies and contexts of their own; the encoder has n_layers blocks,
    and so has the decoder. n_heads divides d_model; d_ff is 4 d_model unless it is given.
    `dropout` is that of each block.

    Examples
    --------
    >>> sizes = dict(n_source_vocab=40, n_target_vocab=13, n_source_context=32, n_target_context=12)
    >>> EncoderDecoderConfig(**sizes, n_layers=2, d_model=64, n_heads=4).d_ff
    256
    """

    n_source_vocab: int
    n_target_vocab: int
    n_source_context: int
    n_target_context: int
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
    n_source_vocab: Count,
    n_target_vocab: Count,
    n_source_context: Count,
    n_target_context: Count,
    n_layers: Count,
    d_model: Count,
    n_heads: Count,
    d_ff: Count | None,
    dropout: Probability,
) -> int:
    """Return d_ff once all sizes are checked."""
    head_widths(d_model, n_heads)
    return 4 * d_model if d_ff is None else d_ff


class EncoderDecoderWeights(NamedTuple):
    """All attention weights of a model, one array (..., n_heads, n_q, n_k) for each layer.

    `source` are those of the encoder, `target` those of the decoder's elements among themselves,
    and `cross` those with which they read the source: (..., n_heads, n_target, n_source).
    """

    source: tuple[Array, ...]
    target: tuple[Array, ...]
    cross: tuple[Array, ...]


class EncoderDecoder(torch.nn.Module):
    """Predict every next token of a target from a source: two stacks, the second reads the first.

    Z = encoder(E_s[source] + P_s) sees the whole source; X = decoder(E_t[target] + P_t, Z) sees the
    target up to each position, and Z; logits = X E_t^T with the same E_t (tied). The vectors for
    tokens and positions are learned; the blocks are pre-norm, with `relu` and without biases in
    their attention.
    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020), section 3, for the norms;
    Press and Wolf (2017) for the tied E_t.

    Examples
    --------
    >>> sizes = dict(n_source_vocab=7, n_target_vocab=5, n_source_context=9, n_target_context=6)
    >>> model = EncoderDecoder(EncoderDecoderConfig(**sizes, n_layers=2, d_model=8, n_heads=2))
    >>> model(torch.tensor([[6, 0, 1]]), torch.tensor([[4, 2]])).shape
    torch.Size([1, 2, 5])
    """

    @check_arguments
    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config, self.d_model = config, config.d_model
        self.n_source_vocab = config.n_source_vocab
        self.n_target_vocab = config.n_target_vocab
        self.n_source_context = config.n_source_context
        self.n_target_context = config.n_target_context
        self.source_embedding = torch.nn.Parameter(
            torch.empty(config.n_source_vocab, config.d_model)
        )
        self.target_embedding = torch.nn.Parameter(
            torch.empty(config.n_target_vocab, config.d_model)
        )
        self.source_positions = LearnedPositions(
            config.n_source_context, config.d_model
        )
        self.target_positions = LearnedPositions(
            config.n_target_context, config.d_model
        )
        self.dropout = torch.nn.Dropout(config.dropout)
        sizes = (config.n_layers, config.d_model, config.n_heads, config.d_ff)
        options: dict[str, Any] = {"biases": False, "dropout": config.dropout}
        self.encoder = Encoder(*sizes, **options)
        self.decoder = Decoder(*sizes, **options)
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters anew, so that each position starts with nearly even predictions.

        The vectors of tokens and positions have the standard deviation 0.02; the matrices that add
        to a stream, W_O and W_2, are smaller by the square root of the number of additions.
        """
        self.encoder.reset_parameters(generator)
        self.decoder.reset_parameters(generator)
        for vectors in (
            self.source_embedding,
            self.target_embedding,
            self.source_positions.P,
            self.target_positions.P,
        ):
            torch.nn.init.normal_(vectors, std=0.02, generator=generator)
        for stack, n_parts in ((self.encoder, 2), (self.decoder, 3)):
            shrink = (n_parts * self.config.n_layers) ** -0.5
            for name, parameter in stack.named_parameters():
                if name.endswith(("W_O", "W_2")):
                    with torch.no_grad():
                        parameter.mul_(shrink)

    def extra_repr(self) -> str:
        """Say the sizes of both vocabularies and contexts."""
        sides = ("source", "target")
        names = [
            f"n_{side}_{what}" for what in ("vocab", "context") for side in sides
        ]
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)

    @check_arguments
    def forward(
        self,
        source: Int[Array, "*batch n_source"],
        target: Int[Array, "*batch n_target"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
    ) -> Float[Array, "*batch n_target n_target_vocab"]:
        """Return the logits (..., n_target, n_target_vocab); row i is about target token i + 1.

        True in `source_mask` marks a real token, False padding. Padding at the end of the target
        needs no mask: no position before it sees it.
        """
        Z = self.encode(source, source_mask=source_mask)
        return self.decode(target, Z, source_mask=source_mask)

    @check_arguments
    def forward_with_weights(
        self,
        source: Int[Array, "*batch n_source"],
        target: Int[Array, "*batch n_target"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
    ) -> tuple[Array, EncoderDecoderWeights]:
        """Return what `forward` does, and the weights of all layers."""
        Z, of_source = self.encoder.forward_with_weights(
            self.embed_source(source), source_mask=source_mask
        )
        X, of_target = self.decoder.forward_with_weights(
            self.embed_target(target), Z, source_mask=source_mask
        )
        own, cross = zip(*of_target, strict=True)
        return self.unembed(X), EncoderDecoderWeights(of_source, own, cross)

    @check_arguments
    def encode(
        self,
        source: Int[Array, "*batch n_source"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
    ) -> Float[Array, "*batch n_source d_model"]:
        """Return what the decoder reads: an element for each token of the source."""
        return self.encoder(self.embed_source(source), source_mask=source_mask)

    @check_arguments
    def decode(
        self,
        target: Int[Array, "*batch n_target"],
        Z: Float[Array, "*batch n_source d_model"],
        *,
        source_mask: Bool[Array, "*batch n_source"] | None = None,
        caches: Sequence[DecoderCache] | None = None,
    ) -> Float[Array, "*batch n_target n_target_vocab"]:
        """Return the logits for a target, given what `encode` made of the source.

        With `caches`, those of `new_caches`, `target` are only the new tokens: they stand behind
        those of earlier calls. Through caches no gradient flows: train without them.
        """
        X = self.embed_target(target, offset=len(caches[0]) if caches else 0)
        X = self.decoder(X, Z, source_mask=source_mask, caches=caches)
        return self.unembed(X)

    def new_caches(self) -> list[DecoderCache]:
        """Return what `decode` keeps keys and values in: one empty cache for each block."""
        return [DecoderCache() for _ in range(self.config.n_layers)]

    @check_arguments
    def embed_source(
        self,
        source: Annotated[
            Int[Array, "*batch n_source"],
            NonEmpty("n_source"),
            Below("n_source_vocab"),
            NoLonger("n_source", "n_source_context"),
        ],
    ) -> Float[Array, "*batch n_source d_model"]:
        """Return the vector of each token of the source plus that of its position."""
        X = F.embedding(source.long(), self.source_embedding)
        return self.dropout(self.source_positions(X))

    @check_arguments
    def embed_target(
        self,
        target: Annotated[
            Int[Array, "*batch n_target"],
            NonEmpty("n_target"),
            Below("n_target_vocab"),
        ],
        *,
        offset: Size = 0,
    ) -> Float[Array, "*batch n_target d_model"]:
        """Return the vector of each token of the target plus that of its position.

        Positions are counted from `offset`.

        Raises
        ------
        ValueError
            If the target goes beyond its context.
        """
        n = target.shape[-1]
        if offset + n > self.n_target_context:
            behind = f" behind {offset} others" if offset else ""
            raise ValueError(
                f"target must have at most n_target_context = {self.n_target_context} "
                f"positions, got {n}{behind}"
            )
        X = F.embedding(target.long(), self.target_embedding)
        return self.dropout(self.target_positions(X, offset=offset))

    def unembed(self, X: Array) -> Array:
        """Return the logits: how well each target token's vector fits the element."""
        return F.linear(X, self.target_embedding)


@check_arguments
@torch.no_grad()
def encoder_decoder_from_torch(
    transformer: torch.nn.Transformer,
) -> tuple[Encoder, Decoder]:
    """Copy PyTorch's transformer into an encoder and a decoder that compute the same.

    ``decoder(X, encoder(S))`` is what ``transformer(S, X, tgt_mask=...)`` gives with a causal mask.
    It may have any sizes, norm order, activation, dropout, dtype and device, and either mode
    (training or not): ours have the same. PyTorch's has a final norm in both stacks, after
    post-norm blocks, too; so have the copies. Their input has the batch first, whatever
    `batch_first` says, and PyTorch's masks of padding are True where `source_mask` is False.
    Source: Vaswani et al. (2017), section 3.1, as `torch.nn` has it.

    Examples
    --------
    >>> theirs = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True).eval()
    >>> encoder, decoder = encoder_decoder_from_torch(theirs)
    >>> S, X = torch.ones(1, 5, 8), torch.ones(1, 1, 8)
    >>> torch.allclose(decoder(X, encoder(S)), theirs(S, X), atol=1e-5)
    True
    """
    layers, of_decoder = transformer.encoder.layers, transformer.decoder.layers
    encoder = Encoder(len(layers), transformer.d_model, transformer.nhead)
    decoder = Decoder(len(of_decoder), transformer.d_model, transformer.nhead)
    encoder.blocks = torch.nn.ModuleList(map(block_from_torch, layers))
    decoder.blocks = torch.nn.ModuleList(map(_decoder_block_from_torch, of_decoder))
    encoder.final_norm = _norm_from_torch(transformer.encoder.norm)
    decoder.final_norm = _norm_from_torch(transformer.decoder.norm)
    return encoder.train(transformer.training), decoder.train(transformer.training)


def _decoder_block_from_torch(
    layer: torch.nn.TransformerDecoderLayer,
) -> DecoderBlock:
    """Copy one of PyTorch's decoder layers, as `block_from_torch` does with encoder layers."""
    W = layer.linear1.weight
    block = DecoderBlock(
        layer.linear1.in_features,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        norm="pre" if layer.norm_first else "post",
        dropout=layer.dropout1.p,
        activation=layer.activation,
    ).to(device=W.device, dtype=W.dtype)
    block.self_attention = from_torch(layer.self_attn)
    block.cross_attention = from_torch(layer.multihead_attn)
    block.norm_1 = _norm_from_torch(layer.norm1)
    block.norm_2 = _norm_from_torch(layer.norm2)
    block.norm_3 = _norm_from_torch(layer.norm3)
    ours = block.feed_forward
    for W_ours, b_ours, linear in (
        (ours.W_1, ours.b_1, layer.linear1),
        (ours.W_2, ours.b_2, layer.linear2),
    ):
        W_ours.copy_(linear.weight.T)
        if linear.bias is not None:
            b_ours.copy_(linear.bias)
    return block.train(layer.training)


def _norm_from_torch(norm: torch.nn.LayerNorm) -> LayerNorm:
    """Copy one of PyTorch's norms, whose gain is called its weight; without a bias, it is 0."""
    ours = LayerNorm(*norm.normalized_shape, eps=norm.eps).to(norm.weight)
    ours.gain.copy_(norm.weight)
    if norm.bias is not None:
        ours.bias.copy_(norm.bias)
    return ours


# --- translating ----------------------------------------------------------------------------------


@runtime_checkable
class Translator(Protocol):
    """A model that reads a source once and writes a target, as `EncoderDecoder` does."""

    @property
    def n_target_vocab(self) -> int:
        """How many tokens there are."""
        ...

    @property
    def n_target_context(self) -> float:
        """How many tokens a target may have."""
        ...

    def encode(self, source: Array, *, source_mask: Array | None = None) -> Array:
        """Return what is read of the source."""
        ...

    def decode(
        self,
        target: Array,
        Z: Array,
        *,
        source_mask: Array | None = None,
        caches: Any = None,
    ) -> Array:
        """Return the logits for each token of the target."""
        ...

    def new_caches(self) -> Any:
        """Return what `decode` keeps between its calls."""
        ...


@torch.no_grad()
@check_arguments
def translate(
    model: Translator,
    source: Annotated[Int[Array, "*batch n_source"], NonEmpty("n_source")],
    *,
    start: Size,
    end: Size,
    n_max: Count,
    source_mask: Bool[Array, "*batch n_source"] | None = None,
    cached: Flag = True,
) -> Int[Array, "*batch n_target"]:
    """Let the model write a target for each source, always the token with the largest logit.

    The decoder begins with the token `start`, which the result leaves out. A target is finished by
    its first `end`, and filled up with it to the length of the longest. After n_max tokens all
    stop: a row whose last token is not `end` was cut there. The source is encoded once, and its
    keys and values are computed once; the result is the same without caches (`cached`). Dropout
    acts if the model is in training mode.
    Source: Vaswani et al. (2017), section 3.1; Shazeer (2019), section 2.4.1, for the caches.

    Raises
    ------
    ValueError
        If `start` or `end` is not in the target's vocabulary, or n_max is more than its context.

    Examples
    --------
    >>> sizes = dict(n_source_vocab=7, n_target_vocab=5, n_source_context=9, n_target_context=6)
    >>> model = EncoderDecoder(EncoderDecoderConfig(**sizes, n_layers=2, d_model=8, n_heads=2))
    >>> translate(model, torch.tensor([[6, 0, 1]]), start=0, end=1, n_max=6).shape[0]
    1
    """
    for name, number in (("start", start), ("end", end)):
        if number >= model.n_target_vocab:
            raise ValueError(
                f"{name} must be less than n_target_vocab = {model.n_target_vocab}, got {number}"
            )
    if n_max > model.n_target_context:
        raise ValueError(
            f"n_max must be at most n_target_context = {model.n_target_context}, got {n_max}"
        )
    Z = model.encode(source, source_mask=source_mask)
    target = torch.full((*source.shape[:-1], 1), start, device=source.device)
    caches = model.new_caches() if cached else None
    is_finished = torch.zeros_like(target, dtype=torch.bool)
    while target.shape[-1] <= n_max and not is_finished.all():
        new = target[..., -1:] if cached else target
        logits = model.decode(new, Z, source_mask=source_mask, caches=caches)
        token = logits[..., -1:, :].argmax(dim=-1).where(~is_finished, end)
        target = torch.cat([target, token], dim=-1)
        is_finished |= token == end
    return target[..., 1:]
