"""Attention with masks means what it means to PyTorch.

The calls of `tests/twins/cases.py` compare one function at a time with code that is not ours. Here
and in `tests/chapters/masks/test_functions.py` stand properties of several functions at once.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from tests.support.attention_inputs import (
    BATCH,
    HEADS,
    KINDS,
    N_K,
    N_Q,
    inputs,
    masks_of_every_kind,
)
from tests.support.comparison import assert_close
from tests.support.oracles import tensors
from tests.support.twin_table import in_numpy, twin


@pytest.mark.parametrize("kind", KINDS)
def test_attention_masks_mean_what_they_mean_to_torch(
    kind: str, library: str
) -> None:
    """In `scaled_dot_product_attention` True means "may attend", and an empty row gives zeros."""
    arrays, mask = inputs(BATCH, HEADS), masks_of_every_kind(library)[kind]
    given = None if mask is None else torch.from_numpy(mask)
    wanted = F.scaled_dot_product_attention(*tensors(*arrays), attn_mask=given)
    found = twin(library, "qkv.attention")(*arrays, mask=mask)
    assert np.isfinite(found).all()
    assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_mask_to_bias_makes_torchs_float_masks(kind: str, library: str) -> None:
    """`mask_to_bias` makes what PyTorch calls a float mask; it does the same as the bool mask."""
    arrays, mask = inputs(BATCH, HEADS), masks_of_every_kind(library)[kind]
    bias = twin(library, "masks.mask_to_bias")(mask, dtype=np.dtype("float64"))
    wanted = F.scaled_dot_product_attention(
        *tensors(*arrays), attn_mask=torch.from_numpy(bias)
    )
    by_bias = twin(library, "qkv.attention")(*arrays, bias=bias)
    by_mask = twin(library, "qkv.attention")(*arrays, mask=mask)
    assert_close(by_bias, wanted, 1e-12)
    assert_close(by_mask, by_bias, 1e-14)


@pytest.mark.parametrize("kind", ["causal", "sliding window"])
def test_multihead_attention_of_torch_takes_the_opposite_polarity(
    kind: str, library: str
) -> None:
    """In `nn.MultiheadAttention` True means "drop": the mask as it is would show the rest."""
    mask = masks_of_every_kind(library)[kind]
    layer = torch.nn.MultiheadAttention(1, 1, bias=False, dtype=torch.float64)
    ones = (
        torch.ones(N_Q, 1, dtype=torch.float64),
        torch.ones(N_K, 1, dtype=torch.float64),
    )
    _, weights = layer(*ones, ones[1], attn_mask=~torch.from_numpy(mask))
    found = twin(library, "qkv.attention_weights")(
        np.ones((N_Q, 1)), np.ones((N_K, 1)), mask=mask
    )
    assert_close(found, weights, 1e-12)
    assert_close(found, mask / mask.sum(axis=-1, keepdims=True), 1e-12)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_causal_attention_is_is_causal_where_it_is_square(
    n: int, library: str
) -> None:
    arrays = inputs(BATCH, HEADS, n_q=n, n_k=n)
    wanted = F.scaled_dot_product_attention(*tensors(*arrays), is_causal=True)
    assert_close(twin(library, "masks.causal_attention")(*arrays), wanted, 1e-12)


@pytest.mark.parametrize(("n_q", "n_k"), [(7, 11), (1, 5), (11, 7), (2, 1)])
def test_causal_attention_is_not_is_causal_where_it_is_not_square(
    n_q: int, n_k: int, library: str
) -> None:
    """PyTorch aligns to the top left: there query 0 sees key 0 only, here the last sees all."""
    arrays = inputs(n_q=n_q, n_k=n_k)
    by_torch = F.scaled_dot_product_attention(*tensors(*arrays), is_causal=True)
    found = twin(library, "masks.causal_attention")(*arrays)
    assert np.abs(found - in_numpy(by_torch)).max() > 0.1
    top_left = np.tri(n_q, n_k, dtype=bool)
    assert_close(
        twin(library, "qkv.attention")(*arrays, mask=top_left), by_torch, 1e-12
    )
    bottom_right = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    wanted = F.scaled_dot_product_attention(
        *tensors(*arrays), attn_mask=bottom_right
    )
    assert_close(found, wanted, 1e-12)


@given(n_q=st.integers(0, 9), n_k=st.integers(0, 9))
def test_causal_mask_is_aligned_to_the_bottom_right(
    n_q: int, n_k: int, library: str
) -> None:
    """They agree with the top-left triangle if and only if n_q = n_k, or one of them is 0."""
    mask = twin(library, "masks.causal_mask")(n_q, n_k)
    assert mask.shape == (n_q, n_k)
    top_left = np.tri(n_q, n_k, dtype=bool)
    assert (mask == top_left).all() == (n_q == n_k or n_q == 0 or n_k == 0)
    assert n_q == 0 or mask[-1].all()
    # From the bottom right corner, it is the upper triangle of the transposed view.
    np.testing.assert_array_equal(mask[::-1, ::-1], np.tri(n_k, n_q, dtype=bool).T)


def test_mask_to_bias_of_the_causal_mask_is_torchs_own_bias(library: str) -> None:
    """`nn.Transformer.generate_square_subsequent_mask` makes 0 and -inf."""
    wanted = torch.nn.Transformer.generate_square_subsequent_mask(7)
    mask = twin(library, "masks.causal_mask")(7)
    found = twin(library, "masks.mask_to_bias")(mask, dtype=np.dtype("float32"))
    np.testing.assert_array_equal(found, wanted.numpy())


@pytest.mark.parametrize("n_cached", [1, 3, 6])
def test_causal_attention_gives_new_queries_with_a_cache_the_last_rows(
    n_cached: int, library: str
) -> None:
    """What bottom-right alignment is for: keys of earlier steps are kept, queries are not."""
    Q, K, V = inputs(BATCH, n_q=7, n_k=7)
    causal = twin(library, "masks.causal_attention")
    in_one_go, later = causal(Q, K, V), causal(Q[:, n_cached:], K, V)
    assert_close(later, in_one_go[:, n_cached:], 1e-12)
