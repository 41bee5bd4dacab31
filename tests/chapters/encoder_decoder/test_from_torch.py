"""PyTorch's transformer, copied: the third oracle of both stacks."""

import warnings
from typing import Any

import pytest
import torch

from course_attn.in_torch import encoder_decoder_from_torch
from tests.chapters.encoder_decoder.inputs import (
    D_FF,
    HEADS,
    N_SOURCE,
    N_TARGET,
    D,
    real,
    vectors,
)
from tests.support.block_layers import each_norm, shaken
from tests.support.comparison import assert_close

MASK = real(N_SOURCE, 3, 5)


def theirs(norm: str = "post", **options: Any) -> torch.nn.Transformer:
    """Return PyTorch's transformer in float64, whose stacks differ in their number of layers."""
    options = {"dropout": 0.0, "batch_first": True} | options
    with warnings.catch_warnings():
        # It says that it cannot take a shorter way.
        warnings.simplefilter("ignore", UserWarning)
        made = torch.nn.Transformer(
            D, HEADS, 2, 3, D_FF, norm_first=norm == "pre", **options
        )
    return shaken(made)


def by_torch(
    transformer: torch.nn.Transformer,
    S: torch.Tensor,
    X: torch.Tensor,
    source_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Call it as it wants to be called: True hides, and each tower gets the mask anew."""
    hidden = None if source_mask is None else ~source_mask
    later = torch.ones(N_TARGET, N_TARGET, dtype=torch.bool).triu(1)
    return transformer(
        S,
        X,
        tgt_mask=later,
        src_key_padding_mask=hidden,
        memory_key_padding_mask=hidden,
    )


@each_norm
@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize(
    "options",
    [{}, {"activation": "gelu"}, {"bias": False}, {"layer_norm_eps": 0.1}],
    ids=str,
)
def test_encoder_decoder_from_torch_computes_the_same(
    norm: str, mask: torch.Tensor | None, options: dict[str, Any]
) -> None:
    transformer = theirs(norm, **options)
    encoder, decoder = encoder_decoder_from_torch(transformer)
    S, X = vectors(3, N_SOURCE, D), vectors(3, N_TARGET, D)
    # In training mode PyTorch takes the long way, and dropout is 0.
    for mode in (True, False):
        wanted = by_torch(transformer.train(mode), S, X, mask)
        Z = encoder(S, source_mask=mask)
        assert_close(decoder(X, Z, source_mask=mask), wanted, 1e-12)


@each_norm
def test_encoder_from_torch_gives_what_theirs_remembers(norm: str) -> None:
    """`memory`, as PyTorch calls it; at padding it may be anything."""
    transformer, S = theirs(norm).train(), vectors(3, N_SOURCE, D)
    encoder, _ = encoder_decoder_from_torch(transformer)
    wanted = transformer.encoder(S, src_key_padding_mask=~MASK)
    assert_close(encoder(S, source_mask=MASK)[MASK], wanted[MASK], 1e-12)


def test_encoder_decoder_from_torch_keeps_dtype_mode_and_dropout() -> None:
    transformer = theirs(dropout=0.25, batch_first=False).float().eval()
    for stack in encoder_decoder_from_torch(transformer):
        assert not stack.training and not stack.blocks[0].training
        assert {p.dtype for p in stack.parameters()} == {torch.float32}
        assert stack.blocks[0].dropout.p == stack.blocks[1].feed_forward.dropout.p
        assert stack.blocks[0].dropout.p == 0.25
    encoder, decoder = encoder_decoder_from_torch(transformer)
    assert decoder.blocks[0].cross_attention.dropout == 0.25
    assert len(encoder.blocks) == 2 and len(decoder.blocks) == 3
    S, X = (vectors(3, n, D).float() for n in (N_SOURCE, N_TARGET))
    wanted = by_torch(transformer, S.transpose(0, 1), X.transpose(0, 1))
    assert_close(decoder(X, encoder(S)), wanted.transpose(0, 1), 1e-5)


def test_encoder_decoder_from_torch_copies() -> None:
    transformer, X = theirs(), vectors(3, N_TARGET, D)
    encoder, decoder = encoder_decoder_from_torch(transformer)
    before = decoder(X, encoder(X))
    with torch.no_grad():
        for parameter in transformer.parameters():
            parameter.zero_()
    assert torch.equal(decoder(X, encoder(X)), before)
    assert all(p.requires_grad for p in decoder.parameters())


@pytest.mark.without_hook
def test_encoder_decoder_from_torch_refuses_what_is_no_transformer() -> None:
    with pytest.raises(TypeError, match="transformer must be a Transformer, got"):
        encoder_decoder_from_torch(theirs().encoder)
