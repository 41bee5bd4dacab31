"""Queries, keys and values: the equations and theorems of the chapter."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax

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
    product,
    seeds,
)
from tests.support.twin_table import public, twin

# No roles


@pytest.mark.equation("eq-no-roles")
def test_attention_without_roles_lets_every_element_play_all_parts(
    library: str,
) -> None:
    X = normal(0, N_Q, D_K)
    found = twin(library, "qkv.attention")(X, X, X, scale=1.0)
    np.testing.assert_allclose(found, by_definition(X, X, X), rtol=1e-12)


@pytest.mark.equation("eq-beats-self")
@given(seed=seeds, stretch=st.floats(0.2, 5))
def test_attention_without_roles_prefers_another_if_its_length_along_you_exceeds_yours(
    seed: int, stretch: float, library: str
) -> None:
    X = normal(seed, 2, 3) * np.array([[1.0], [stretch]])
    S = twin(library, "scores.dot_scores")(X, X)
    cosine = twin(library, "scores.cosine_scores")(X, X)
    length = np.linalg.norm(X, axis=1)
    for i, j in ((0, 1), (1, 0)):
        margin = length[j] * cosine[i, j] - length[i]
        if abs(margin) > 1e-9:
            assert (S[i, j] > S[i, i]) == (margin > 0)


def test_attention_on_raw_pixels_prefers_the_longest(
    library: str,
) -> None:
    """What the chapter says about china.jpg: nearly all rows one-hot, three winners, one of them
    the longest pixel in half of the rows, the pixel itself in two rows of a thousand.
    """
    X = china().astype(float)
    weights = twin(library, "qkv.attention_weights")(X, X, scale=1.0)
    S = X @ X.T
    longest = np.linalg.norm(X, axis=1).argmax()
    assert (weights.max(axis=1) > 0.99).mean() > 0.97
    assert len(set(S.argmax(axis=1).tolist())) == 3
    assert 0.45 < (S[:, longest] == S.max(axis=1)).mean() < 0.55
    assert (np.diagonal(S) == S.max(axis=1)).mean() == 2 / 1024


@pytest.mark.parametrize(
    ("written", "winners", "error"),
    [("divided by 255", 3, 0.300), ("standardized", 14, 0.109), ("on a sphere", 913, 0.014)],
)  # fmt: skip
def test_attention_on_pixels_written_in_other_ways_repairs_the_photograph(
    written: str, winners: int, error: float, library: str
) -> None:
    """One vector for all roles does well if all are equally long: the chapter's verdict."""
    raw = china() / 255
    square = (raw**2).sum(axis=1, keepdims=True)
    X = {
        "divided by 255": raw,
        "standardized": (raw - raw.mean(axis=0)) / raw.std(axis=0),
        "on a sphere": 20 * np.hstack([raw, np.sqrt(square.max() - square)]),
    }[written]
    found = twin(library, "qkv.attention")(X, X, raw, scale=1.0)
    S = twin(library, "scores.dot_scores")(X, X)
    assert len(set(S.argmax(axis=1).tolist())) == pytest.approx(winners, abs=3)
    assert np.sqrt(((found - raw) ** 2).mean()) == pytest.approx(error, abs=0.001)


# The formula


@pytest.mark.equation("eq-project-one")
@pytest.mark.equation("eq-project")
def test_project_qkv_multiplies_the_element_by_a_matrix_for_each_role(
    library: str,
) -> None:
    """Row by row (eq-project-one) and all at once (eq-project), against products in loops."""
    (X, Z), (W_Q, W_K, W_V) = elements(), matrices()
    Q, K, V = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_V, Z=Z)
    for found, source, W in ((Q, X, W_Q), (K, Z, W_K), (V, Z, W_V)):
        np.testing.assert_allclose(found, product(source, W), rtol=1e-11)
        for n in range(len(source)):
            row = [math.fsum(source[n] * column) for column in W.T]
            np.testing.assert_allclose(found[n], row, rtol=1e-11)


@pytest.mark.equation("eq-attention-one")
@pytest.mark.equation("eq-attention")
def test_attention_is_the_loop_over_queries_and_keys(library: str) -> None:
    q, k, v = normal(0, N_Q, D_K), normal(1, N_K, D_K), normal(2, N_K, D_V)
    found = twin(library, "qkv.attention")(q, k, v, scale=1.0)
    np.testing.assert_allclose(found, by_definition(q, k, v), rtol=1e-12)
    one_line = scipy_softmax(q @ k.T, axis=1) @ v
    np.testing.assert_allclose(found, one_line, rtol=1e-12)


@pytest.mark.equation("eq-attention")
def test_attention_in_the_chapters_example_by_hand(library: str) -> None:
    """Him scores prince 4 and itself 2, the three others 0."""
    X = np.array(
        [[1, 0, 1, 1], [0] * 4, [0, 1, 0, 0], [0] * 4, [1, 0, 0, 0]], float
    )
    W_Q = np.array([[2, 0, 2], [0, 2, 2], [0, 0, -2], [0, 0, 0]], float)
    W_K = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], float)
    W_V = np.array([[0, 0], [0, 0], [1, 0], [0, 2]], float)
    Q, K, V = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_V)
    assert (Q @ K.T)[4].tolist() == [4, 0, 0, 0, 2]
    assert (Q @ K.T)[0, 4] == 2
    prince = math.exp(4) / (math.exp(4) + math.exp(2) + 3)
    out = twin(library, "qkv.attention")(Q, K, V, scale=1.0)
    np.testing.assert_allclose(out[4], [prince, 2 * prince], rtol=1e-12)
    np.testing.assert_allclose(out[1], [0.2, 0.4], rtol=1e-12)


@pytest.mark.equation("eq-attention")
def test_attention_goes_through_a_batch_image_by_image(library: str) -> None:
    q, k, v = normal(0, 3, N_Q, D_K), normal(1, 3, N_K, D_K), normal(2, 3, N_K, D_V)
    found = twin(library, "qkv.attention")(q, k, v, scale=1.0)
    for n in range(3):
        np.testing.assert_allclose(
            found[n], by_definition(q[n], k[n], v[n]), rtol=1e-12
        )


@pytest.mark.equation("eq-nearest-color")
@given(seed=seeds, c=st.floats(0.5, 50))
def test_dot_products_with_a_handicap_for_length_are_nearness(
    seed: int, c: float, library: str
) -> None:
    x, z = normal(seed, N_Q, 3), normal(seed + 1, N_K, 3)
    queries = c * np.hstack([x, np.ones((N_Q, 1))])
    keys = np.hstack([z, -((z**2).sum(axis=1, keepdims=True)) / 2])
    S = twin(library, "scores.dot_scores")(queries, keys)
    for i in range(N_Q):
        for j in range(N_K):
            apart = -c / 2 * math.fsum((x[i] - z[j]) ** 2)
            assert S[i, j] == pytest.approx(apart + c / 2 * math.fsum(x[i] ** 2))
    near = twin(library, "scores.gaussian_scores")(x, z, bandwidth=c**-0.5)
    np.testing.assert_allclose(
        twin(library, "qkv.attention_weights")(queries, keys, scale=1.0),
        scipy_softmax(near, axis=1),
        rtol=1e-9,
        atol=1e-300,
    )


# The soft dictionary


@pytest.mark.equation("eq-hard-lookup")
@given(held=st.integers(0, N_K - 1), seed=seeds)
def test_dictionary_is_the_sum_over_the_keys_that_are_equal(
    held: int, seed: int, library: str
) -> None:
    """Against Python's dict; attention does the same on one-hot keys in the cold."""
    values = normal(seed, N_K, D_V)
    names = list(range(N_K))
    dictionary = dict(zip(names, values, strict=True))
    by_sum = sum(
        float(name == held) * v for name, v in zip(names, values, strict=True)
    )
    np.testing.assert_array_equal(by_sum, dictionary[held])
    keys = np.eye(N_K)
    cold = twin(library, "qkv.soft_lookup")(
        keys[held], keys, values, temperature=1e-3
    )
    np.testing.assert_allclose(cold, dictionary[held], rtol=1e-12)


@pytest.mark.equation("eq-soft-lookup")
@pytest.mark.parametrize("T", [0.3, 1.0, 7.0])
def test_soft_lookup_weighs_all_values_by_their_match(
    T: float, library: str
) -> None:
    q, k, v = normal(0, D_K), normal(1, N_K, D_K), normal(2, N_K, D_V)
    exps = [math.exp(math.fsum(q * k_j) / T) for k_j in k]
    wanted = sum(p / math.fsum(exps) * v_j for p, v_j in zip(exps, v, strict=True))
    found = twin(library, "qkv.soft_lookup")(q, k, v, temperature=T)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    by_attention = twin(library, "qkv.attention")(q[None], k, v, scale=1 / T)
    np.testing.assert_allclose(found, by_attention[0], rtol=1e-12)


@pytest.mark.equation("eq-soft-lookup")
def test_soft_lookup_goes_from_the_best_match_to_the_mean(library: str) -> None:
    """North-northeast among four winds, as in the chapter."""
    angles = np.radians([0, 90, 180, 270])
    keys = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    values = np.array([[12.0], [5.0], [15.0], [24.0]])
    query = np.array([math.cos(math.radians(67.5)), math.sin(math.radians(67.5))])
    lookup = twin(library, "qkv.soft_lookup")
    assert lookup(query, keys, values, temperature=1e-3) == pytest.approx(5.0)
    assert lookup(query, keys, values, temperature=1e6) == pytest.approx(
        14, abs=1e-4
    )
    assert 5 < lookup(query, keys, values)[0] < 14


# Parameters


@pytest.mark.equation("eq-attention-parameters")
@pytest.mark.parametrize("name", ["SelfAttention", "CrossAttention"])
def test_self_attention_has_parameters_in_the_three_projections_only(
    name: str,
) -> None:
    layer = public("in_torch", f"qkv.{name}")(D_MODEL, D_K, D_V)
    counted = sum(p.numel() for p in layer.parameters())
    assert counted == D_MODEL * (2 * D_K + D_V) == 88


# Rows and columns


def column_softmax(S: np.ndarray) -> np.ndarray:
    """Normalize each column, in loops."""
    out = np.zeros_like(S)
    for i in range(S.shape[1]):
        exps = [math.exp(s) for s in S[:, i]]
        out[:, i] = np.array(exps) / math.fsum(exps)
    return out


@pytest.mark.equation("eq-column-form")
@pytest.mark.theorem("thm-rows-columns")
@given(seed=seeds)
def test_attention_in_column_form_is_the_transpose_of_the_row_form(
    seed: int, library: str
) -> None:
    """Also one output by itself: y_i = sum_j v_j a_ij with the score k_j^T q_i."""
    (X, Z), (W_Q, W_K, W_V) = elements(seed), matrices(seed)
    Q_hat, K_hat, V_hat = (
        product(W.T, E.T) for W, E in ((W_Q, X), (W_K, Z), (W_V, Z))
    )
    Y_hat = product(V_hat, column_softmax(product(K_hat.T, Q_hat)))
    Q, K, V = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_V, Z=Z)
    Y = twin(library, "qkv.attention")(Q, K, V, scale=1.0)
    np.testing.assert_allclose(Y_hat, Y.T, rtol=1e-9, atol=1e-11)
    for hat, rows in ((Q_hat, Q), (K_hat, K), (V_hat, V)):
        np.testing.assert_allclose(hat, rows.T, rtol=1e-9, atol=1e-11)


@pytest.mark.equation("eq-linear-layer")
@pytest.mark.parametrize("bias", [False, True])
def test_linear_stores_the_transpose_of_our_matrix(
    bias: bool, library: str
) -> None:
    linear = torch.nn.Linear(D_MODEL, D_K, bias=bias).double()
    X = normal(0, N_Q, D_MODEL)
    W_hat = linear.weight.detach().numpy()
    b = linear.bias.detach().numpy() if bias else 0
    assert W_hat.shape == (D_K, D_MODEL)
    with torch.no_grad():
        found = linear(torch.from_numpy(X)).numpy()
    np.testing.assert_allclose(found, product(X, W_hat.T) + b, rtol=1e-11)
    Q, _, _ = twin(library, "qkv.project_qkv")(X, *[W_hat.T] * 3)
    np.testing.assert_allclose(found, Q + b, rtol=1e-11)
