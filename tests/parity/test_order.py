"""Positions beside PyTorch: what its layers lack, and what its functions take as they are."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from course_attn.in_torch import MultiHeadAttention
from course_attn.in_torch.masks import causal_mask
from course_attn.in_torch.order import alibi_bias, sinusoidal_encoding
from course_attn.in_torch.qkv import attention
from tests.support.attention_inputs import normal_tensor as normal
from tests.support.comparison import assert_close
from tests.support.order_layers import rows


@pytest.mark.parametrize("offset", [0, 1, 4])
def test_learned_positions_are_an_embedding_of_positions(offset: int) -> None:
    """The same as looking position numbers up in `nn.Embedding` with the same table."""
    layer, X = rows(), normal(2, 3, 7, 5)
    table = torch.nn.Embedding.from_pretrained(layer.P.detach())
    wanted = X + table(torch.arange(offset, offset + 7))
    assert torch.equal(layer(X, offset=offset), wanted)


@given(order=st.permutations(range(7)))
def test_encoder_of_pytorch_has_no_positions(order: list[int]) -> None:
    """The article's stack: blocks of attention and position-wise layers, and nothing else."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(
        16, 4, 64, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    stack = torch.nn.TransformerEncoder(
        layer, 3, enable_nested_tensor=False
    ).train()
    X = normal(2, 7, 16)
    Y = stack(X)
    torch.testing.assert_close(stack(X[:, order]), Y[:, order])
    P = sinusoidal_encoding(7, 16, dtype=torch.float64)
    if order != list(range(7)):
        moved = stack(X[:, order] + P) - stack(X + P)[:, order]
        assert moved.abs().max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
def test_alibi_bias_is_a_float_mask_of_pytorchs(causal: bool) -> None:
    """Added after scaling, one bias for each head; by `attention` and by PyTorch's function."""
    Q, K, V = (normal(2, 3, 7, 5, seed=s) for s in range(3))
    bias = alibi_bias(3, 7, dtype=torch.float64)
    mask = causal_mask(7) if causal else None
    given = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    wanted = F.scaled_dot_product_attention(Q, K, V, attn_mask=given)
    assert_close(attention(Q, K, V, mask=mask, bias=bias), wanted, 1e-12)


def test_alibi_bias_goes_into_multi_head_attention_as_it_is() -> None:
    """One bias for each head and all sequences, with a mask that all heads share."""
    torch.manual_seed(0)
    layer, X = MultiHeadAttention(12, 3).double(), normal(2, 7, 12)
    bias, mask = alibi_bias(3, 7, dtype=torch.float64), causal_mask(7)
    out, weights = layer.forward_with_weights(X, mask=mask, bias=bias)
    assert_close(layer(X, mask=mask, bias=bias), out, 1e-12)
    of_one = layer.forward_with_weights(X[:1], mask=mask, bias=bias)[1]
    assert_close(weights[:1], of_one, 1e-12)
    plain = layer.forward_with_weights(X, mask=mask)[1]
    lowered = plain * bias.exp()
    assert_close(weights, lowered / lowered.sum(dim=-1, keepdim=True), 1e-12)
