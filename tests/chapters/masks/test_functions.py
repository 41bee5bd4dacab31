"""What must not matter to attention with masks, and what masks make of dtypes and gradients."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_attn.in_torch.masks import causal_attention, causal_mask
from course_attn.in_torch.qkv import attention, attention_weights
from tests.support.attention_inputs import (
    BATCH,
    HEADS,
    KINDS,
    N_K,
    N_Q,
    inputs,
    masks_of_every_kind,
    normal,
    random_mask,
)
from tests.support.comparison import assert_close
from tests.support.oracles import tensors
from tests.support.twin_table import public, twin

# --- what must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_attention_does_not_depend_on_the_order_of_the_keys(
    kind: str, library: str
) -> None:
    """If the values and the columns of mask and bias are reordered with them."""
    Q, K, V = inputs(BATCH, HEADS)
    mask, bias = masks_of_every_kind(library)[kind], normal(N_Q, N_K, seed=3)
    order = np.random.default_rng(4).permutation(N_K)
    assert (order != np.arange(N_K)).any()
    reordered = None if mask is None else mask[..., order]
    call = twin(library, "qkv.attention")
    found = call(
        Q, K[..., order, :], V[..., order, :], mask=reordered, bias=bias[:, order]
    )
    wanted = call(Q, K, V, mask=mask, bias=bias)
    assert_close(found, wanted, 1e-12)
    if kind not in ("none", "padding of a whole sequence"):
        forgotten = call(
            Q, K[..., order, :], V[..., order, :], mask=mask, bias=bias[:, order]
        )
        assert np.abs(forgotten - wanted).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_attention_outputs_are_reordered_as_the_queries_are(
    kind: str, library: str
) -> None:
    Q, K, V = inputs(BATCH, HEADS)
    mask = masks_of_every_kind(library)[kind]
    order = np.random.default_rng(5).permutation(N_Q)
    if mask is not None:
        full = np.broadcast_to(mask, (BATCH, HEADS, N_Q, N_K))
        reordered = full[..., order, :]
    else:
        reordered = None
    call = twin(library, "qkv.attention")
    found = call(Q[..., order, :], K, V, mask=reordered)
    assert_close(found, call(Q, K, V, mask=mask)[..., order, :], 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_attention_is_blind_to_a_constant_added_to_a_row_of_scores(
    kind: str, library: str
) -> None:
    arrays, mask = inputs(BATCH, HEADS), masks_of_every_kind(library)[kind]
    bias = normal(N_Q, N_K, seed=3)
    per_row = np.arange(N_Q)[:, None] * 10.0 - 30.0
    call = twin(library, "qkv.attention")
    wanted = call(*arrays, mask=mask, bias=bias)
    assert_close(call(*arrays, mask=mask, bias=bias + per_row), wanted, 1e-12)
    per_column = np.arange(N_K) * 10.0
    assert (
        np.abs(call(*arrays, mask=mask, bias=bias + per_column) - wanted).max()
        > 0.1
    )


@given(c=st.floats(-1e4, 1e4, allow_subnormal=False))
def test_masked_softmax_is_blind_to_shifts(c: float, library: str) -> None:
    """Adding c rounds the scores at 1e4 to about 2e-12, and the weights no more than that."""
    scores, mask = normal(N_Q, N_K), random_mask()
    call = twin(library, "masks.masked_softmax")
    np.testing.assert_allclose(
        call(scores + c, mask), call(scores, mask), rtol=1e-11, atol=0
    )


@pytest.mark.parametrize("kind", KINDS[1:])
def test_masked_softmax_is_blind_to_what_stands_at_a_masked_score(
    kind: str, library: str, subtests: pytest.Subtests
) -> None:
    mask = np.broadcast_to(
        masks_of_every_kind(library)[kind], (BATCH, HEADS, N_Q, N_K)
    )
    scores = normal(BATCH, HEADS, N_Q, N_K)
    call = twin(library, "masks.masked_softmax")
    for number in [1e300, -1e300, np.inf, -np.inf, np.nan]:
        with subtests.test(number=number):
            found = call(np.where(mask, scores, number), mask)
            np.testing.assert_array_equal(found, call(scores, mask))
            assert (found[~mask] == 0).all()
            assert (found[mask] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_attention_weights_sum_to_one_or_are_empty_and_zero(
    kind: str, library: str
) -> None:
    Q, K, _ = inputs(BATCH, HEADS)
    mask = masks_of_every_kind(library)[kind]
    weights = twin(library, "qkv.attention_weights")(Q, K, mask=mask)
    full = np.broadcast_to(True if mask is None else mask, weights.shape)
    np.testing.assert_allclose(
        weights.sum(axis=-1), full.any(axis=-1).astype(float), rtol=1e-12, atol=0
    )


def test_attention_is_blind_to_values_at_masked_keys(library: str) -> None:
    Q, K, V = inputs(BATCH)
    mask = twin(library, "masks.padding_mask")(np.array([N_K, 4]), N_K)
    other_K, other_V = K.copy(), V.copy()
    other_K[1, 4:], other_V[1, 4:] = 1e3, -1e3
    call = twin(library, "qkv.attention")
    np.testing.assert_array_equal(
        call(Q, other_K, other_V, mask=mask), call(Q, K, V, mask=mask)
    )
    short = call(Q[1:], K[1:, :4], V[1:, :4])
    assert_close(call(Q, K, V, mask=mask)[1:], short, 1e-12)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_causal_attention_needs_only_the_first_inputs_for_the_first_outputs(
    n: int, library: str
) -> None:
    Q, K, V = inputs(BATCH, n_q=7, n_k=7)
    causal = twin(library, "masks.causal_attention")
    first = causal(Q[:, :n], K[:, :n], V[:, :n])
    assert_close(causal(Q, K, V)[:, :n], first, 1e-12)


# --- masks together -------------------------------------------------------------------------------


@given(data=st.data())
def test_masks_compose_by_and(data: st.DataObject, library: str) -> None:
    """Masking twice is masking by both: as biases they add up, and the weights are the same."""
    sizes = st.integers(1, 6)
    n_q, n_k, window = data.draw(sizes), data.draw(sizes), data.draw(sizes)
    length = data.draw(st.integers(0, n_k))
    causal = twin(library, "masks.causal_mask")(n_q, n_k)
    window_only = twin(library, "masks.sliding_window_mask")(
        n_q, n_k, window=window
    )
    padding = twin(library, "masks.padding_mask")(np.array([length]), n_k)[0]
    scores = normal(n_q, n_k)
    softmax = twin(library, "masks.masked_softmax")
    both = softmax(scores, causal & padding)
    biases = [
        twin(library, "masks.mask_to_bias")(mask, dtype=np.dtype("float64"))
        for mask in (causal, padding)
    ]
    np.testing.assert_array_equal(softmax(scores + sum(biases)), both)
    # Renormalizing what the first mask leaves, by the second, is the same once more.
    again = softmax(scores, causal) * padding
    total = again.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(
        both, again / np.where(total == 0, 1, total), rtol=1e-12
    )
    np.testing.assert_array_equal(window_only & causal, window_only)
    wide = twin(library, "masks.sliding_window_mask")(n_q, n_k, window=n_q + n_k)
    np.testing.assert_array_equal(wide, causal)


def test_sliding_window_mask_counts_the_query_itself(library: str) -> None:
    """Every query sees min(window, its position + 1) keys, the last of them at its position."""
    for window in (1, 2, 5, 11, 20):
        mask = twin(library, "masks.sliding_window_mask")(11, window=window)
        np.testing.assert_array_equal(
            mask.sum(axis=1), np.minimum(window, np.arange(11) + 1)
        )
        assert mask.diagonal().all()


# --- dtypes, devices and gradients --------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float16")])
def test_mask_to_bias_takes_both_spellings_of_a_dtype_in_numpy(dtype: Any) -> None:
    mask = np.array([[True, False]])
    found = public("in_numpy", "masks.mask_to_bias")(mask, dtype=dtype)
    assert found.dtype == dtype
    assert found.tolist() == [[0.0, -np.inf]]


def test_padding_mask_is_where_its_lengths_are() -> None:
    """Not on the default device, here one without numbers."""
    lengths = torch.tensor([1, 2])
    with torch.device("meta"):
        mask = public("in_torch", "masks.padding_mask")(lengths, 3)
    assert mask.device.type == "cpu"
    assert mask.tolist() == [[[True, False, False]], [[True, True, False]]]


@pytest.mark.gpu
def test_masks_move_to_the_gpu_with_their_queries() -> None:
    """`causal_attention` moves its mask; a mask of one's own goes by `.to(Q.device)`."""
    Q, K, V = (x.to("cuda") for x in tensors(*inputs(BATCH)))
    mask = causal_mask(N_Q, N_K).to(Q.device)
    assert_close(causal_attention(Q, K, V), attention(Q, K, V, mask=mask), 1e-12)
    weights = attention_weights(Q, K, mask=mask)
    assert weights.device.type == "cuda"


def test_masked_softmax_gives_masked_scores_no_gradient() -> None:
    scores = torch.tensor(
        [[1.0, torch.nan, 2.0, torch.inf], [torch.nan] * 4], requires_grad=True
    )
    mask = torch.tensor([[True, False, True, False], [False] * 4])
    weights = public("in_torch", "masks.masked_softmax")(scores, mask)
    weights[0, 0].backward()
    assert scores.grad is not None
    a = 1 / (1 + np.e)
    wanted = [[a * (1 - a), 0, -a * (1 - a), 0], [0] * 4]
    np.testing.assert_allclose(scores.grad.numpy(), wanted, rtol=1e-6)


def test_masked_softmax_has_second_derivatives() -> None:
    """The largest score is subtracted without a gradient; it has none, in any order."""
    scores = torch.from_numpy(normal(3, 5)).requires_grad_()
    mask = torch.from_numpy(random_mask(3, 5))
    masked_softmax = public("in_torch", "masks.masked_softmax")
    assert torch.autograd.gradgradcheck(lambda s: masked_softmax(s, mask), scores)
