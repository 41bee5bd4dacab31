"""The pitfalls of the chapter on masks, and what it says of PyTorch."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.chapters.masks.inputs import allowed_softmax
from tests.support.oracles import identity_mha
from tests.support.twin_table import public, twin


def test_mask_to_bias_by_zero_times_infinity_is_nan() -> None:
    """Picking with tril or triu is right; a product is not."""
    ones, inf = torch.ones(4, 4), math.inf
    right = public("in_torch", "masks.mask_to_bias")(
        public("in_torch", "masks.causal_mask")(4), dtype=torch.float32
    )
    picked = torch.tril(ones * -1 * inf, diagonal=-1).t()
    assert torch.equal(picked, right)
    assert torch.equal(torch.triu(torch.full((4, 4), -inf), diagonal=1), right)
    n_nan = [
        int(table.isnan().sum())
        for table in (
            torch.tril(ones) * -inf,
            (1 - torch.tril(ones)) * -inf,
            torch.triu(ones, diagonal=1) * -inf,
        )
    ]
    assert n_nan == [6, 10, 10]


def test_softmax_of_minus_infinity_is_zero_only_beside_a_finite_score(
    library: str,
) -> None:
    softmax = twin(library, "softmax.softmax")
    masked_softmax = twin(library, "masks.masked_softmax")
    assert softmax(np.array([-np.inf, 0.0]))[0] == 0
    assert np.isnan(softmax(np.full(3, -np.inf))).all()
    assert (masked_softmax(np.zeros(3), np.zeros(3, dtype=bool)) == 0).all()


def test_fill_of_zero_is_a_score_like_any_other(library: str) -> None:
    """Where all allowed scores are negative, most of the weight goes to what is filled with 0."""
    mask, scores = np.tri(4, dtype=bool), np.full((4, 4), -2.0)
    filled = twin(library, "softmax.softmax")(np.where(mask, scores, 0.0))
    share = np.where(mask, 0.0, filled).sum(axis=-1)
    e = math.exp(2.0)
    np.testing.assert_allclose(
        share, [3 * e / (1 + 3 * e), 2 * e / (2 + 2 * e), e / (3 + e), 0]
    )
    right = twin(library, "masks.masked_softmax")(scores, mask)
    assert (right[~mask] == 0).all()


def test_padding_mask_on_the_queries_leaves_the_padding_in_the_list(
    library: str,
) -> None:
    """The shapes fit, the padded rows are empty, and real words still attend to padding."""
    mask = twin(library, "masks.padding_mask")(np.array([2]), 4)
    on_rows = np.broadcast_to(mask, (1, 4, 4)).swapaxes(-1, -2)
    weights = twin(library, "masks.masked_softmax")(np.zeros((1, 4, 4)), on_rows)
    np.testing.assert_allclose(weights[0, :2], 1 / 4)
    assert (weights[0, 2:] == 0).all()
    right = twin(library, "masks.masked_softmax")(np.zeros((1, 4, 4)), mask)
    np.testing.assert_allclose(right[0], [[1 / 2, 1 / 2, 0, 0]] * 4)


@pytest.mark.parametrize("offset", [0.0, -2e6, -2e9])
def test_masked_softmax_keeps_low_scores_from_masked_keys(
    offset: float, library: str
) -> None:
    """A fill of -1e6 is the highest score of a row near -2e6, one of -1e9 near -2e9."""
    scores = np.array([[1.0, 0.0, 2.0, 1.0]]) + offset
    mask = np.array([[True, True, False, False]])
    found = twin(library, "masks.masked_softmax")(scores, mask)
    np.testing.assert_allclose(found[0, :2], allowed_softmax([1, 0], [True] * 2))
    assert (found[0, 2:] == 0).all()
    fill = {0.0: 1e6, -2e6: -1e6, -2e9: -1e9}[offset]
    filled = twin(library, "softmax.softmax")(np.where(mask, scores, fill))
    assert filled[0, :2].sum() == 0


def test_softmax_before_the_mask_still_depends_on_what_it_hides(
    library: str,
) -> None:
    """Rows sum to less than 1, and the allowed weights move with the forbidden scores."""
    softmax = twin(library, "softmax.softmax")
    scores, mask = np.zeros((3, 3)), np.tri(3)
    late = softmax(scores) * mask
    np.testing.assert_allclose(late.sum(axis=-1), [1 / 3, 2 / 3, 1])
    scores[0, 2] = 3.0
    assert abs((softmax(scores) * mask)[0, 0] - late[0, 0]) > 0.2


class _Head(torch.nn.Module):
    """A head whose causal mask is off unless asked for."""

    def __init__(self, d_model: int, d_head: int) -> None:
        super().__init__()
        self.qkv = torch.nn.Linear(d_model, 3 * d_head)

    def forward(self, X: torch.Tensor, causal: bool = False) -> torch.Tensor:
        Q, K, V = self.qkv(X).chunk(3, dim=-1)
        mask = public("in_torch", "masks.causal_mask")(len(X)) if causal else None
        return public("in_torch", "qkv.attention")(Q, K, V, mask=mask, scale=1.0)


@pytest.mark.parametrize("passed_on", [False, True])
def test_heads_leak_if_they_do_not_pass_the_flag_on(
    passed_on: bool,
) -> None:
    """A head alone is right, several forget."""
    torch.manual_seed(0)
    heads = torch.nn.ModuleList(_Head(32, 8) for _ in range(4))
    mix, X = torch.nn.Linear(32, 32), torch.randn(6, 32)
    changed = X.clone()
    changed[-1] = torch.randn(32)

    def several(X: torch.Tensor) -> torch.Tensor:
        kwargs = {"causal": True} if passed_on else {}
        return mix(torch.cat([head(X, **kwargs) for head in heads], dim=-1))

    with torch.no_grad():
        moved = (several(changed) - several(X)).abs().amax(dim=-1)
        alone = heads[0](changed, causal=True) - heads[0](X, causal=True)
    assert (alone[:-1] == 0).all()
    if passed_on:
        assert (moved[:-1] == 0).all()
    else:
        assert (moved[:-1] > 0.05).all()
    assert moved[-1] > 0.05


def test_mask_has_two_polarities_in_pytorch() -> None:
    """The table of the chapter: sdpa keeps where True, nn.MultiheadAttention drops."""
    mha, sdpa = identity_mha(4), F.scaled_dot_product_attention
    X = torch.from_numpy(np.random.default_rng(8).normal(size=(1, 4, 4))).float()
    mask = public("in_torch", "masks.causal_mask")(4)
    ours = public("in_torch", "qkv.attention")(X, X, X, mask=mask)
    with torch.no_grad():
        torch.testing.assert_close(sdpa(X, X, X, attn_mask=mask), ours)
        torch.testing.assert_close(sdpa(X, X, X, is_causal=True), ours)
        torch.testing.assert_close(mha(X, X, X, attn_mask=~mask)[0], ours)
        flipped = mha(X, X, X, attn_mask=mask, need_weights=False)[0]
        hidden = torch.tensor([[True, False, False, False]])
        without_first = mha(X, X, X, key_padding_mask=hidden)[0]
    assert (flipped - ours).abs().max() > 0.1
    kept = public("in_torch", "qkv.attention")(X, X, X, mask=~hidden[None])
    torch.testing.assert_close(without_first, kept)


def test_is_causal_of_pytorch_is_aligned_to_the_top_left() -> None:
    """With two queries and four keys the first sees one key; with ours, three."""
    Q, K, V = torch.zeros(1, 2, 4), torch.zeros(1, 4, 4), torch.eye(4)[None]
    theirs = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
    ours = public("in_torch", "masks.causal_attention")(Q, K, V)
    assert ((theirs[0] > 0).sum(dim=-1)).tolist() == [1, 2]
    assert ((ours[0] > 0).sum(dim=-1)).tolist() == [3, 4]
    mask = public("in_torch", "masks.causal_mask")(2, 4)
    explicit = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    torch.testing.assert_close(explicit, ours)


def test_mask_with_an_empty_row_is_zero_or_nan_in_pytorch() -> None:
    """Zeros in sdpa, as with us; in nn.MultiheadAttention it depends on need_weights."""
    X, nothing = torch.randn(1, 4, 4), torch.zeros(4, 4, dtype=torch.bool)
    assert (F.scaled_dot_product_attention(X, X, X, attn_mask=nothing) == 0).all()
    mha = identity_mha(4)
    with torch.no_grad():
        with_weights = mha(X, X, X, attn_mask=~nothing)[0]
        without = mha(X, X, X, attn_mask=~nothing, need_weights=False)[0]
    assert with_weights.isnan().all()
    assert (without == 0).all()
