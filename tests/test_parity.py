"""Attention with masks: equal to PyTorch's, and unchanged by what must not matter.

The calls of `twin_cases/` compare one function at a time with code that is not ours. Here stand
the properties that concern several functions at once, `fused_attention`, which has no twin in
NumPy, and the modules.
"""

import inspect
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from test_twins import HALF, assert_close, assert_refused_alike, refusal
from twin_cases import BAD_INPUT, BY_HAND, CASES
from twin_table import Bad, Case, convert, in_numpy, installed, raw, twin

from course_attn.in_torch.masks import causal_attention, causal_mask, mask_to_bias
from course_attn.in_torch.qkv import (
    CrossAttention,
    SelfAttention,
    attention,
    attention_weights,
    fused_attention,
    project_qkv,
)

BATCH, HEADS, N_Q, N_K, D_K, D_V = 2, 3, 7, 11, 5, 13
ATTENTION_CASES = [case for case in CASES if case.function == "qkv.attention"]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Draw a standard normal array; the same for the same shape and seed."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def random_mask(n_q: int = N_Q, n_k: int = N_K, seed: int = 0) -> np.ndarray:
    """Draw a mask whose third row is empty and no other."""
    mask = np.random.default_rng(seed).random((n_q, n_k)) < 0.5
    mask[:, 0] |= ~mask.any(axis=-1)
    mask[2] = False
    return mask


def inputs(*batch: int, n_q: int = N_Q, n_k: int = N_K) -> tuple[np.ndarray, ...]:
    """Draw queries, keys and values."""
    return (
        normal(*batch, n_q, D_K),
        normal(*batch, n_k, D_K, seed=1),
        normal(*batch, n_k, D_V, seed=2),
    )


def tensors(*arrays: np.ndarray) -> list[torch.Tensor]:
    """Copy arrays to tensors."""
    return [torch.from_numpy(array.copy()) for array in arrays]


def masks_of_every_kind(library: str) -> dict[str, np.ndarray | None]:
    """Return masks for two sequences with three heads, all made by the package's functions."""
    causal = twin(library, "masks.causal_mask")(N_Q, N_K)
    window = twin(library, "masks.sliding_window_mask")(N_Q, N_K, window=3)
    padding = twin(library, "masks.padding_mask")(np.array([N_K, 4]), N_K)[:, None]
    nothing = twin(library, "masks.padding_mask")(np.array([N_K, 0]), N_K)[:, None]
    return {
        "none": None,
        "causal": causal,
        "sliding window": window,
        "padding": padding,
        "padding of a whole sequence": nothing,
        "causal and padding": causal & padding,
        "random with an empty row": random_mask(),
        "a mask for each head": np.stack([causal, window, random_mask()]),
    }


KINDS = list(masks_of_every_kind("in_numpy"))


# --- parity with scaled_dot_product_attention -----------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_bool_masks_mean_what_they_mean_to_torch(kind: str, library: str) -> None:
    """In `scaled_dot_product_attention` True means "may attend", and an empty row gives zeros."""
    arrays, mask = inputs(BATCH, HEADS), masks_of_every_kind(library)[kind]
    given = None if mask is None else torch.from_numpy(mask)
    wanted = F.scaled_dot_product_attention(*tensors(*arrays), attn_mask=given)
    found = twin(library, "qkv.attention")(*arrays, mask=mask)
    assert np.isfinite(found).all()
    assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_float_masks_are_torchs_and_our_biases(kind: str, library: str) -> None:
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
def test_multihead_attention_takes_the_opposite_polarity(
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
def test_is_causal_is_our_causal_mask_where_it_is_square(
    n: int, library: str
) -> None:
    arrays = inputs(BATCH, HEADS, n_q=n, n_k=n)
    wanted = F.scaled_dot_product_attention(*tensors(*arrays), is_causal=True)
    assert_close(twin(library, "masks.causal_attention")(*arrays), wanted, 1e-12)


@pytest.mark.parametrize(("n_q", "n_k"), [(7, 11), (1, 5), (11, 7), (2, 1)])
def test_is_causal_is_another_mask_where_it_is_not_square(
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
def test_causal_masks_are_aligned_to_the_bottom_right(
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


def test_torchs_own_causal_bias_is_our_mask_as_a_bias(library: str) -> None:
    """`nn.Transformer.generate_square_subsequent_mask` makes 0 and -inf."""
    wanted = torch.nn.Transformer.generate_square_subsequent_mask(7)
    mask = twin(library, "masks.causal_mask")(7)
    found = twin(library, "masks.mask_to_bias")(mask, dtype=np.dtype("float32"))
    np.testing.assert_array_equal(found, wanted.numpy())


@pytest.mark.parametrize("n_cached", [1, 3, 6])
def test_new_queries_with_a_cache_get_the_last_rows(
    n_cached: int, library: str
) -> None:
    """What bottom-right alignment is for: keys of earlier steps are kept, queries are not."""
    Q, K, V = inputs(BATCH, n_q=7, n_k=7)
    causal = twin(library, "masks.causal_attention")
    in_one_go, later = causal(Q, K, V), causal(Q[:, n_cached:], K, V)
    assert_close(later, in_one_go[:, n_cached:], 1e-12)


# --- what must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_keys_does_not_matter(kind: str, library: str) -> None:
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
def test_outputs_are_reordered_as_the_queries_are(kind: str, library: str) -> None:
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
def test_a_constant_added_to_a_row_of_scores_changes_nothing(
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
@pytest.mark.parametrize("number", [1e300, -1e300, np.inf, -np.inf, np.nan])
def test_what_stands_at_a_masked_score_does_not_matter(
    kind: str, number: float, library: str
) -> None:
    mask = np.broadcast_to(
        masks_of_every_kind(library)[kind], (BATCH, HEADS, N_Q, N_K)
    )
    scores = normal(BATCH, HEADS, N_Q, N_K)
    call = twin(library, "masks.masked_softmax")
    found = call(np.where(mask, scores, number), mask)
    np.testing.assert_array_equal(found, call(scores, mask))
    assert (found[~mask] == 0).all()
    assert (found[mask] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_sum_to_one_or_are_empty_and_zero(kind: str, library: str) -> None:
    Q, K, _ = inputs(BATCH, HEADS)
    mask = masks_of_every_kind(library)[kind]
    weights = twin(library, "qkv.attention_weights")(Q, K, mask=mask)
    full = np.broadcast_to(True if mask is None else mask, weights.shape)
    np.testing.assert_allclose(
        weights.sum(axis=-1), full.any(axis=-1).astype(float), rtol=1e-12, atol=0
    )


def test_values_at_masked_keys_do_not_matter(library: str) -> None:
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
def test_the_first_outputs_of_causal_attention_need_only_the_first_inputs(
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


def test_a_sliding_window_counts_the_query_itself(library: str) -> None:
    """Every query sees min(window, its position + 1) keys, the last of them at its position."""
    for window in (1, 2, 5, 11, 20):
        mask = twin(library, "masks.sliding_window_mask")(11, window=window)
        np.testing.assert_array_equal(
            mask.sum(axis=1), np.minimum(window, np.arange(11) + 1)
        )
        assert mask.diagonal().all()


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "dtype"),
    [("in_numpy", "float16"), ("in_torch", "float16"), ("in_torch", "bfloat16")],
)
@pytest.mark.parametrize("size", [1.0, 60.0])
def test_16_bit_weights_are_the_exact_ones_rounded_once(
    library: str, dtype: str, size: float
) -> None:
    """The scores too are computed in 32 bits; at size 60, products exceed 65504 in float16."""
    Q, K = (size * normal(n, 64, seed=s) for n, s in ((N_Q, 0), (N_K, 1)))
    coarse = {"Q": convert(library, Q, dtype), "K": convert(library, K, dtype)}
    exact = {name: in_numpy(x).astype(float) for name, x in coarse.items()}
    assert size == 1 or np.abs(exact["Q"] @ exact["K"].T).max() > 65504
    wanted = twin("in_numpy", "qkv.attention_weights")(**exact)
    found = in_numpy(raw(library, "qkv.attention_weights")(**coarse)).astype(float)
    # Scores of size s are rounded to s 2**-24 in float32, and weights by that factor more.
    largest = np.abs(exact["Q"] @ exact["K"].T).max() / 8
    rtol = HALF[dtype] + 8 * largest * 2.0**-24
    atol = 2.0**-25 if dtype == "float16" else 1e-38
    np.testing.assert_allclose(found, wanted, rtol=1.01 * rtol, atol=1.01 * atol)


@pytest.mark.parametrize("kind", ["attention", "causal_attention"])
def test_numpy_gives_no_warning_where_the_documented_result_is_zero(
    kind: str,
) -> None:
    """Warnings from our modules are errors in this test run: see pyproject.toml."""
    Q, K, V = inputs(n_q=3, n_k=2)
    if kind == "attention":
        out = twin("in_numpy", "qkv.attention")(
            Q, K, V, mask=np.zeros((3, 2), bool)
        )
    else:
        out = raw("in_numpy", "masks.causal_attention")(Q, K, V)[:1]
    assert (out == 0).all()


def test_options_may_be_whole_numbers_and_numpy_numbers(library: str) -> None:
    """A scale of 1 is one of 1.0, and a length may come out of a NumPy array."""
    Q, K = (convert(library, x) for x in inputs()[:2])
    weights = installed(library, "qkv.attention_weights")
    assert_close(weights(Q, K, scale=1), weights(Q, K, scale=1.0), 0.0)
    assert_close(
        weights(Q, K, scale=np.float32(0.5)), weights(Q, K, scale=0.5), 0.0
    )
    causal = installed(library, "masks.causal_mask")
    assert_close(causal(np.int64(3), np.int32(5)), causal(3, 5), 0.0)
    window = installed(library, "masks.sliding_window_mask")
    assert_close(window(3, window=np.int64(2)), window(3, window=2), 0.0)
    variance = installed(library, "scaling.expected_score_variance")
    assert variance(np.int64(4), mean=1, shared=True) == 24.0
    assert type(variance(np.int64(4), mean=np.float32(1))) is float


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float16")])
def test_numpy_takes_both_spellings_of_a_dtype(dtype: Any) -> None:
    mask = np.array([[True, False]])
    found = raw("in_numpy", "masks.mask_to_bias")(mask, dtype=dtype)
    assert found.dtype == dtype
    assert found.tolist() == [[0.0, -np.inf]]


def test_a_padding_mask_is_where_its_lengths_are() -> None:
    """Not on the default device, here one without numbers."""
    lengths = torch.tensor([1, 2])
    with torch.device("meta"):
        mask = raw("in_torch", "masks.padding_mask")(lengths, 3)
    assert mask.device.type == "cpu"
    assert mask.tolist() == [[[True, False, False]], [[True, True, False]]]


# --- fused_attention ------------------------------------------------------------------------------


def _fused_refusals() -> list[Bad]:
    return [bad for bad in BAD_INPUT if bad.function == "qkv.attention"]


def test_fused_attention_has_the_face_of_attention() -> None:
    ours, theirs = (str(inspect.signature(f)) for f in (attention, fused_attention))
    assert ours == theirs


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_fused_attention_is_attention(case: Case, dtype: str) -> None:
    """To 1e-12 in float64 and 2e-5 in float32, like the twins."""
    found = fused_attention(**case.arguments("in_torch", dtype))
    assert found.dtype == getattr(torch, dtype)
    tolerance = {"float64": 1e-12, "float32": 2e-5}[dtype]
    assert_close(found, attention(**case.arguments("in_torch", dtype)), tolerance)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in BY_HAND
        if case.function == "qkv.attention"
        and not any(np.isnan(array).any() for array in case.arrays.values())
    ],
    ids=str,
)
def test_fused_attention_passes_the_cases_by_hand(case: Case) -> None:
    """Those without NaN, for which its docstring makes no promise."""
    found = fused_attention(**case.arguments("in_torch"))
    assert_close(found, case.expected, 1e-12)


@pytest.mark.parametrize("bad", _fused_refusals(), ids=str)
def test_fused_attention_refuses_what_attention_refuses(bad: Bad) -> None:
    arguments = {name: convert("in_torch", v) for name, v in bad.arguments.items()}
    errors = [
        refusal("in_torch", f"qkv.{name}", arguments)
        for name in ("attention", "fused_attention")
    ]
    assert_refused_alike(errors, bad.error, bad.names, *bad.says)


def assert_as_exact_as_16_bits_allow(case: Case, dtype: str, device: str) -> None:
    """Assert that both are the exact result but for two roundings to 16 bits.

    A weight is rounded by at most HALF of itself, which moves the output by HALF times the mixture
    of the absolute values; the output is rounded once more. In float16, what is below 2**-14 has a
    fixed spacing. One part in ten is for the sums in float32.
    """
    coarse = case.arguments("in_torch", dtype, device)
    exact = {
        name: in_numpy(x).astype(float) if isinstance(x, torch.Tensor) else x
        for name, x in coarse.items()
    }
    if "mask" in exact:
        exact["mask"] = exact["mask"].astype(bool)
    call = twin("in_numpy", "qkv.attention")
    wanted, size = call(**exact), call(**exact | {"V": np.abs(exact["V"])})
    smallest = 2.0**-25 if dtype == "float16" else 0.0
    allowed = 1.1 * (
        2 * HALF[dtype] * size + smallest * (1 + np.abs(exact["V"]).max())
    )
    for function in (attention, fused_attention):
        found = function(**coarse)
        assert found.dtype == getattr(torch, dtype)
        assert found.device.type == device
        assert (np.abs(in_numpy(found).astype(float) - wanted) <= allowed).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_16_bit_attention_is_as_exact_as_16_bits_allow(
    case: Case, dtype: str
) -> None:
    assert_as_exact_as_16_bits_allow(case, dtype, "cpu")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_fused_attention_is_attention_on_the_gpu(case: Case, dtype: str) -> None:
    found = fused_attention(**case.arguments("in_torch", dtype, "cuda"))
    assert found.device.type == "cuda"
    tolerance = {"float64": 1e-12, "float32": 2e-5}[dtype]
    assert_close(found, attention(**case.arguments("in_torch", dtype)), tolerance)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_16_bit_attention_on_the_gpu_is_as_exact_as_16_bits_allow(
    case: Case, dtype: str
) -> None:
    assert_as_exact_as_16_bits_allow(case, dtype, "cuda")


def gradients(
    function: Any, case: Case, dtype: str, device: str
) -> list[torch.Tensor]:
    """Return the gradients by Q, K and V, and by the bias if there is one."""
    arguments = case.arguments("in_torch", dtype, device)
    leaves = [
        x.requires_grad_()
        for x in arguments.values()
        if isinstance(x, torch.Tensor) and x.is_floating_point()
    ]
    out = function(**arguments)
    upstream = torch.arange(
        1.0, out.numel() + 1, dtype=out.dtype, device=device
    ).cos()
    return list(torch.autograd.grad(out, leaves, upstream.reshape(out.shape)))


@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_fused_attention_has_the_gradients_of_attention(case: Case) -> None:
    """Also where a row is empty: finite, and the same."""
    for found, wanted in zip(
        gradients(fused_attention, case, "float64", "cpu"),
        gradients(attention, case, "float64", "cpu"),
        strict=True,
    ):
        assert torch.isfinite(wanted).all()
        assert_close(found, wanted, 1e-11)


@pytest.mark.gpu
@pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)
def test_fused_attention_has_the_gradients_of_attention_on_the_gpu(
    case: Case,
) -> None:
    for found, wanted in zip(
        gradients(fused_attention, case, "float32", "cuda"),
        gradients(attention, case, "float64", "cpu"),
        strict=True,
    ):
        assert_close(found, wanted, 1e-4)


# --- gradients through masks ----------------------------------------------------------------------


@pytest.mark.parametrize("about", ["empty by mask", "empty by bias", "no keys"])
@pytest.mark.parametrize("function", [attention, fused_attention])
def test_an_empty_row_gives_and_gets_no_gradient(function: Any, about: str) -> None:
    """Zero, not NaN, in every step of the backward pass."""
    n_k = 0 if about == "no keys" else 3
    Q, K, V = tensors(normal(2, 5), normal(n_k, 5, seed=1), normal(n_k, 2, seed=2))
    for x in (Q, K, V):
        x.requires_grad_()
    empty = torch.tensor([[False] * n_k, [True] * n_k], dtype=torch.bool)
    given: dict[str, Any] = {
        "empty by mask": {"mask": empty},
        "empty by bias": {"bias": mask_to_bias(empty, dtype=torch.float64)},
        "no keys": {},
    }[about]
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        # PyTorch's own kernels may pass through NaN; ours do not.
        with torch.autograd.detect_anomaly(check_nan=function is attention):
            function(Q, K, V, **given)[0].sum().backward()
    for x in (Q, K, V):
        assert x.grad is not None and (x.grad == 0).all()


def test_masked_scores_get_no_gradient_whatever_they_are() -> None:
    scores = torch.tensor(
        [[1.0, torch.nan, 2.0, torch.inf], [torch.nan] * 4], requires_grad=True
    )
    mask = torch.tensor([[True, False, True, False], [False] * 4])
    weights = raw("in_torch", "masks.masked_softmax")(scores, mask)
    weights[0, 0].backward()
    assert scores.grad is not None
    a = 1 / (1 + np.e)
    wanted = [[a * (1 - a), 0, -a * (1 - a), 0], [0] * 4]
    np.testing.assert_allclose(scores.grad.numpy(), wanted, rtol=1e-6)


def test_second_derivatives_go_through_too() -> None:
    """The largest score is subtracted without a gradient; it has none, in any order."""
    scores = torch.from_numpy(normal(3, 5)).requires_grad_()
    mask = torch.from_numpy(random_mask(3, 5))
    masked_softmax = raw("in_torch", "masks.masked_softmax")
    assert torch.autograd.gradgradcheck(lambda s: masked_softmax(s, mask), scores)


# --- modules --------------------------------------------------------------------------------------


def layers(**widths: int) -> dict[str, Any]:
    """Return both modules in float64, with the same matrices for the same seed."""
    torch.manual_seed(0)
    return {
        "SelfAttention": SelfAttention(17, **widths).double(),
        "CrossAttention": CrossAttention(17, **widths).double(),
    }


def elements() -> tuple[torch.Tensor, torch.Tensor]:
    """Return two batches of sequences."""
    X, Z = tensors(normal(BATCH, N_Q, 17), normal(BATCH, N_K, 17, seed=1))
    return X, Z


MODULES = ["SelfAttention", "CrossAttention"]
each_module = pytest.mark.parametrize("name", MODULES)


@each_module
@pytest.mark.parametrize("masked", [False, True])
def test_a_module_is_attention_of_its_projections(name: str, masked: bool) -> None:
    """By `F.linear`, whose weights are transposed, and PyTorch's attention."""
    layer = layers(d_k=5, d_v=13)[name]
    X, Z = elements()
    given, context = ((X,), X) if name == "SelfAttention" else ((X, Z), Z)
    mask = torch.from_numpy(random_mask(N_Q, context.shape[1])) if masked else None
    out, weights = layer(*given, mask=mask, need_weights=True)
    Q, K, V = (
        F.linear(x, W.T)
        for x, W in ((X, layer.W_Q), (context, layer.W_K), (context, layer.W_V))
    )
    assert_close(
        out, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask), 1e-12
    )
    assert_close(weights @ V, out, 1e-12)
    assert weights.shape == (BATCH, N_Q, context.shape[1])
    alone = layer(*given, mask=mask)
    assert isinstance(alone, torch.Tensor)
    assert torch.equal(alone, out)


@each_module
def test_a_module_is_the_functions_of_the_chapter_in_numpy(name: str) -> None:
    layer = layers(d_k=5, d_v=13)[name]
    X, Z = elements()
    given = (X,) if name == "SelfAttention" else (X, Z)
    matrices = [in_numpy(W) for W in (layer.W_Q, layer.W_K, layer.W_V)]
    context = {} if name == "SelfAttention" else {"Z": Z.numpy()}
    Q, K, V = raw("in_numpy", "qkv.project_qkv")(X.numpy(), *matrices, **context)
    wanted = raw("in_numpy", "qkv.attention")(Q, K, V)
    assert_close(layer(*given), wanted, 1e-12)


def test_cross_attention_to_itself_is_self_attention() -> None:
    own, cross = layers(d_k=5, d_v=13).values()
    cross.load_state_dict(own.state_dict())
    X, Z = elements()
    assert torch.equal(cross(X, X), own(X))
    assert not torch.equal(cross(X, Z)[0, 0], own(X)[0, 0])


@each_module
def test_a_state_dict_makes_the_round_trip(name: str, tmp_path: Any) -> None:
    layer, other = layers(d_k=5, d_v=13)[name], layers(d_k=5, d_v=13)[name]
    assert list(layer.state_dict()) == ["W_Q", "W_K", "W_V"]
    shapes = [tuple(W.shape) for W in layer.state_dict().values()]
    assert shapes == [(17, 5), (17, 5), (17, 13)]
    other.reset_parameters()
    X, Z = elements()
    given = (X,) if name == "SelfAttention" else (X, Z)
    assert not torch.equal(layer(*given), other(*given))
    torch.save(layer.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(layer(*given), other(*given))


@each_module
def test_a_module_learns_in_all_its_matrices(name: str) -> None:
    """Its gradients are those of finite differences, and none is zero."""
    layer = layers(d_k=5, d_v=2)[name]
    X, Z = (x[:1, :3] for x in elements())
    given = (X,) if name == "SelfAttention" else (X, Z)
    parameters = dict(layer.named_parameters())

    def call(*matrices: torch.Tensor) -> torch.Tensor:
        named = dict(zip(parameters, matrices, strict=True))
        return torch.func.functional_call(layer, named, given)

    matrices = tuple(
        W.detach().clone().requires_grad_() for W in parameters.values()
    )
    assert torch.autograd.gradcheck(call, matrices, fast_mode=True)
    layer(*given).square().sum().backward()
    assert all(W.grad.abs().max() > 1e-3 for W in layer.parameters())


@each_module
def test_a_module_says_its_widths_and_defaults_to_d_model(name: str) -> None:
    layer = {"SelfAttention": SelfAttention, "CrossAttention": CrossAttention}[
        name
    ](7)
    assert repr(layer) == f"{name}(d_model=7, d_k=7, d_v=7)"
    assert [tuple(W.shape) for W in layer.parameters()] == [(7, 7)] * 3
    assert layer.W_Q.dtype == torch.get_default_dtype()


@each_module
def test_the_start_of_a_module_keeps_unit_variance(name: str) -> None:
    """The variance of 512**2 draws errs by 0.3 %, their mean by 1/512**1.5; 5 times is allowed."""
    torch.manual_seed(0)
    layer = {"SelfAttention": SelfAttention, "CrossAttention": CrossAttention}[
        name
    ](512)
    for W in layer.parameters():
        assert abs(float(W.detach().var()) * 512 - 1) < 5 * (2 / 512**2) ** 0.5
        assert abs(float(W.detach().mean())) < 5 / 512**1.5
    X = torch.randn(256, 512)
    Q, K, V = project_qkv(X, layer.W_Q, layer.W_K, layer.W_V)
    for projected in (Q, K, V):
        assert float(projected.detach().var()) == pytest.approx(1, abs=0.05)


@each_module
def test_a_generator_makes_the_start_reproducible(name: str) -> None:
    layer, other = layers()[name], layers(d_k=None)[name]
    layer.reset_parameters(torch.Generator().manual_seed(5))
    other.reset_parameters(torch.Generator().manual_seed(5))
    assert all(map(torch.equal, layer.parameters(), other.parameters()))
    assert not torch.equal(layer.W_Q, layer.W_K)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    ("widths", "error", "word"),
    [
        ((0,), ValueError, "d_model"),
        ((2.0,), TypeError, "d_model"),
        ((2, 0), ValueError, "d_k"),
        ((2, "3"), TypeError, "d_k"),
        ((2, 3, -1), ValueError, "d_v"),
        ((2, 3, True), TypeError, "d_v"),
    ],
)
def test_a_module_refuses_widths_that_are_none(
    name: str, widths: tuple[Any, ...], error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        installed("in_torch", f"qkv.{name}")(*widths)


@each_module
def test_a_module_names_the_matrix_that_does_not_fit(name: str) -> None:
    layer = installed("in_torch", f"qkv.{name}")(17)
    given = [torch.ones(7, 13)] * (1 if name == "SelfAttention" else 2)
    with pytest.raises(
        ValueError, match=r"W_Q must have shape .* d_model = 13 from X"
    ):
        layer(*given)


@pytest.mark.gpu
@each_module
def test_a_module_runs_on_the_gpu(name: str) -> None:
    layer = layers(d_k=5, d_v=13)[name]
    X, Z = elements()
    given = (X,) if name == "SelfAttention" else (X, Z)
    wanted = layer(*given)
    found = layer.to("cuda")(*(x.to("cuda") for x in given))
    assert found.device.type == "cuda"
    assert_close(found, wanted, 1e-12)


@pytest.mark.gpu
def test_masks_move_to_the_gpu_with_their_queries() -> None:
    """`causal_attention` moves its mask; a mask of one's own goes by `.to(Q.device)`."""
    Q, K, V = (x.to("cuda") for x in tensors(*inputs(BATCH)))
    mask = causal_mask(N_Q, N_K).to(Q.device)
    assert_close(causal_attention(Q, K, V), attention(Q, K, V, mask=mask), 1e-12)
    weights = attention_weights(Q, K, mask=mask)
    assert weights.device.type == "cuda"
