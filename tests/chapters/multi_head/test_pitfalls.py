"""What goes wrong with several heads, and what PyTorch packs."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given

from tests.chapters.multi_head.inputs import (
    D_K,
    D_MODEL,
    D_V,
    HEADS,
    N_K,
    N_Q,
    close,
    elements,
    normal,
    one_head,
    seeds,
)
from tests.support.twin_table import public, twin


@pytest.mark.equation("eq-all-scores")
@given(seed=seeds)
def test_scores_of_wide_queries_and_keys_are_a_sum_over_heads(
    seed: int, library: str
) -> None:
    """And attention on it is one wide head."""
    Q, K = normal(seed, N_Q, HEADS * D_K), normal(seed, N_K, HEADS * D_K)
    split = twin(library, "multi_head.split_heads")
    scores = split(Q, HEADS) @ split(K, HEADS).mT
    close(Q @ K.T, scores.sum(axis=0))
    V = normal(seed, N_K, HEADS * D_V)
    attention = twin(library, "qkv.attention")
    in_one = attention(Q, K, V)
    merge = twin(library, "multi_head.merge_heads")
    heads = merge(attention(*(split(x, HEADS) for x in (Q, K, V))))
    assert in_one.shape == heads.shape
    assert np.abs(in_one - heads).max() > 1e-3
    close(in_one, one_head(Q, K, V))


def causal_by(split, merge, library: str):
    """Return causal attention of two heads with these ways to split and merge, as a function."""
    W = normal(0, 3, 12, 12) / math.sqrt(12)
    mask = np.tri(6, dtype=bool)[None]

    def run(X: np.ndarray) -> np.ndarray:
        Q, K, V = (split(X @ part) for part in W)
        return merge(twin(library, "qkv.attention")(Q, K, V, mask=mask))

    return run


def dependence(model) -> np.ndarray:
    """Return whether output i moves when input j does."""
    X = normal(1, 6, 12)
    columns = []
    for j in range(6):
        changed = X.copy()
        changed[j] += 1
        columns.append(np.abs(model(changed) - model(X)).max(axis=1) > 1e-9)
    return np.stack(columns, axis=1)


def test_split_heads_by_reshape_alone_forgets_the_first_half(
    library: str,
) -> None:
    split = twin(library, "multi_head.split_heads")
    merge = twin(library, "multi_head.merge_heads")
    right = causal_by(lambda x: split(x, 2), merge, library)
    both = causal_by(
        lambda x: x.reshape(2, 6, 6), lambda x: x.reshape(6, 12), library
    )
    late = causal_by(lambda x: split(x, 2), lambda x: x.reshape(6, 12), library)
    np.testing.assert_array_equal(dependence(right), np.tri(6))
    np.testing.assert_array_equal(dependence(both), np.kron(np.eye(2), np.tri(3)))
    assert np.triu(dependence(late), 1).any()


def test_head_reads_all_features(library: str) -> None:
    X, _ = elements()
    W_Q = normal(5, D_MODEL, HEADS * D_K)
    square = [W_Q, normal(6, D_MODEL, HEADS * D_K), normal(7, D_MODEL, HEADS * D_V)]
    function = twin(library, "multi_head.multi_head_attention")

    def heads(X: np.ndarray) -> np.ndarray:
        out = function(X, *square, np.eye(HEADS * D_V), n_heads=HEADS)
        return out.reshape(N_Q, HEADS, D_V)

    for f in range(D_MODEL):
        changed = X.copy()
        changed[:, f] += normal(f, N_Q)
        assert (np.abs(heads(changed) - heads(X)).max(axis=(0, 2)) > 1e-6).all()


# Inside nn.MultiheadAttention


@pytest.mark.equation("eq-packed")
def test_in_proj_weight_of_pytorch_packs_transposed_matrices() -> None:
    """What `from_torch` finds there is what PyTorch computes with."""
    torch.manual_seed(0)
    mha = torch.nn.MultiheadAttention(12, 3, bias=False, batch_first=True)
    module = public("in_torch", "multi_head.from_torch")(mha)
    packed = torch.cat([module.W_Q.T, module.W_K.T, module.W_V.T])
    assert packed.shape == (36, 12)
    assert torch.equal(packed, mha.in_proj_weight)
    X = torch.randn(1, 7, 12)
    Q, K = X @ module.W_Q, X @ module.W_K
    weights = mha(X, X, X, average_attn_weights=False)[1]
    for h in range(3):
        own = slice(4 * h, 4 * h + 4)
        scores = Q[..., own] @ K[..., own].mT / 2
        assert torch.allclose(scores.softmax(dim=-1), weights[:, h], atol=1e-6)


def test_averaged_weights_belong_to_no_head_and_do_not_give_the_output() -> None:
    torch.manual_seed(0)
    mha = torch.nn.MultiheadAttention(16, 4, bias=False, batch_first=True)
    X = torch.randn(2, 6, 16)
    out, averaged = mha(X, X, X)
    _, each = mha(X, X, X, average_attn_weights=False)
    assert (averaged.shape, each.shape) == ((2, 6, 6), (2, 4, 6, 6))
    assert torch.allclose(averaged, each.mean(dim=1))
    W_V = public("in_torch", "multi_head.head_weights")(mha)[2]
    merge = public("in_torch", "multi_head.merge_heads")
    V = X[:, None] @ W_V
    right = merge(each @ V) @ mha.out_proj.weight.T
    wrong = merge(averaged[:, None] @ V) @ mha.out_proj.weight.T
    assert torch.allclose(right, out, atol=1e-6)
    assert (wrong - out).abs().max() > 0.05
