"""What goes wrong with queries, keys and values."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given

from tests.chapters.qkv.inputs import (
    D_K,
    D_MODEL,
    D_V,
    N_K,
    N_Q,
    by_definition,
    china,
    elements,
    matrices,
    normal,
    seeds,
)
from tests.support.twin_table import public, twin


def test_self_attention_q_k_and_v_share_x_but_differ(
    library: str,
) -> None:
    """Against the claim "x_i = z_i and therefore q_i = k_i = v_i"."""
    X, Ws = elements()[0], matrices()
    Q, K, V = twin(library, "qkv.project_qkv")(X, *Ws)
    assert Q.shape == K.shape != V.shape
    assert np.abs(Q - K).max() > 0.5
    again = twin(library, "qkv.project_qkv")(X, *Ws, Z=X)
    for one, other in zip((Q, K, V), again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_cross_attention_with_keys_and_values_from_x_ignores_the_context(
    library: str,
) -> None:
    """K = X W_K, V = X W_V: the output's shape does not betray it."""
    (X, Z), (W_Q, W_K, W_V) = elements(), matrices()
    attend, weights = (
        twin(library, "qkv.attention"),
        twin(library, "qkv.attention_weights"),
    )
    Q, K, V = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_V, Z=Z)
    right, wrong = attend(Q, K, V), attend(Q, X @ W_K, X @ W_V)
    assert right.shape == wrong.shape == (N_Q, D_V)
    assert np.abs(right - wrong).max() > 0.1
    assert weights(Q, K).shape == (N_Q, N_K) != weights(Q, X @ W_K).shape


def test_attention_has_a_row_for_a_query_and_a_column_for_a_key(
    library: str,
) -> None:
    """Against the claim "S rows for S key vectors"."""
    weights = twin(library, "qkv.attention_weights")(
        normal(0, N_Q, D_K), normal(1, N_K, D_K)
    )
    assert weights.shape == (N_Q, N_K)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    assert np.abs(weights.sum(axis=0) - 1).max() > 0.1


def test_attention_by_t_and_dim_1_breaks_on_a_batch() -> None:
    """K.t() refuses a batch; softmax(dim=1) normalizes over the queries."""
    Q, K = (
        torch.from_numpy(normal(0, 2, N_Q, D_K)),
        torch.from_numpy(normal(1, 2, N_K, D_K)),
    )
    with pytest.raises(
        RuntimeError, match="t\\(\\) expects a tensor with <= 2 dimensions"
    ):
        K.t()
    torch.testing.assert_close(Q[0] @ K[0].t(), (Q @ K.mT)[0])
    wrong = torch.softmax(Q @ K.mT, dim=1).sum(dim=-1)
    assert wrong.min() < 0.9 and wrong.max() > 1.1
    right = public("in_torch", "qkv.attention_weights")(Q, K, scale=1.0)
    torch.testing.assert_close(right.sum(dim=-1), torch.ones(2, N_Q).double())
    one = torch.softmax(Q[0] @ K[0].t(), dim=1)
    torch.testing.assert_close(right[0], one)


def test_attention_of_x_x_x_looks_at_itself_in_96_percent_of_rows(
    library: str,
) -> None:
    """Five normal vectors of width 8 for all three roles; 4000 trials."""
    X = normal(0, 4000, 5, 8)
    weights = twin(library, "qkv.attention_weights")(X, X)
    assert (weights.argmax(axis=-1) == np.arange(5)).mean() == pytest.approx(
        0.96, abs=0.01
    )
    Q, K = X @ normal(1, 4000, 8, 8), X @ normal(2, 4000, 8, 8)
    weights = twin(library, "qkv.attention_weights")(Q, K)
    assert (weights.argmax(axis=-1) == np.arange(5)).mean() == pytest.approx(
        0.2, abs=0.02
    )


def test_attention_with_swapped_roles_gives_another_output(library: str) -> None:
    """Summing over the queries i lets the keys ask."""
    X, Ws = elements()[0], matrices()
    q, k, v = twin(library, "qkv.project_qkv")(X, *Ws)
    by_formula = np.zeros_like(v)
    for j in range(N_Q):
        exps = [math.exp(math.fsum(q[i] * k[j])) for i in range(N_Q)]
        by_formula[j] = sum(p * v_i for p, v_i in zip(exps, v, strict=True)) / sum(
            exps
        )
    ours = twin(library, "qkv.attention")(q, k, v, scale=1.0)
    np.testing.assert_allclose(ours, by_definition(q, k, v), rtol=1e-11)
    assert np.abs(ours - by_formula).max() > 0.1
    swapped = twin(library, "qkv.attention")(k, q, v, scale=1.0)
    np.testing.assert_allclose(by_formula, swapped, rtol=1e-11)


def test_softmax_of_raw_colors_saturates_and_a_naive_one_is_nan(
    library: str,
) -> None:
    """Colors up to 255 and positive projections; and products of 8 bits wrap."""
    raw_pixels = china()
    S = raw_pixels.astype(float) @ raw_pixels.T.astype(float)
    with np.errstate(over="ignore", invalid="ignore"):
        naive = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
    assert np.isnan(naive).any(axis=1).mean() > 0.99
    wrapped = (raw_pixels @ raw_pixels.T)[0, 0]
    assert wrapped.dtype == np.uint8 and wrapped == S[0, 0] % 256 != S[0, 0]
    rng = np.random.default_rng(0)
    colors = rng.integers(0, 255, size=(2000, 3, 4)).astype(float)
    Q, K = (colors @ W for W in rng.random((2, 2000, 4, 3)))
    weights = twin(library, "qkv.attention_weights")(Q, K, scale=1.0)
    assert (weights.max(axis=-1) > 0.999).mean() > 0.99
    winner = weights.argmax(axis=-1)
    assert (winner == winner[:, :1]).all(axis=1).mean() > 0.9


def test_linear_weight_as_it_is_runs_if_square() -> None:
    linear = torch.nn.Linear(D_MODEL, D_MODEL, bias=False)
    X = torch.from_numpy(normal(0, N_Q, D_MODEL)).float()
    with torch.no_grad():
        assert (linear(X) - X @ linear.weight).abs().max() > 0.1
        torch.testing.assert_close(linear(X), X @ linear.weight.T)


@pytest.mark.equation("eq-key-bias")
@given(seed=seeds)
def test_bias_of_the_keys_changes_nothing_and_one_of_the_queries_does(
    seed: int, library: str
) -> None:
    q, k, b = (
        normal(seed, N_Q, D_K),
        normal(seed + 1, N_K, D_K),
        normal(seed + 2, D_K),
    )
    scores = twin(library, "scores.dot_scores")
    for i in range(N_Q):
        added = scores(q, k + b)[i] - scores(q, k)[i]
        np.testing.assert_allclose(
            added, math.fsum(q[i] * b), rtol=1e-9, atol=1e-12
        )
    weights = twin(library, "qkv.attention_weights")
    np.testing.assert_allclose(weights(q, k + b), weights(q, k), rtol=1e-9)
    assert np.abs(weights(q + b, k) - weights(q, k)).max() > 1e-6


@pytest.mark.equation("eq-key-bias")
def test_bias_of_the_keys_gets_no_gradient() -> None:
    q, k, v = (torch.from_numpy(normal(s, 5, 3)) for s in range(3))
    b = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    attend = public("in_torch", "qkv.attention")
    (attend(q, k + b, v) ** 2).sum().backward()
    assert b.grad.abs().max() < 1e-14
    b.grad = None
    (attend(q + b, k, v) ** 2).sum().backward()
    assert b.grad.abs().max() > 1e-3
