"""The score as a bilinear form, and what shared matrices do to it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chapters.qkv.inputs import (
    D_K,
    D_MODEL,
    N_K,
    N_Q,
    elements,
    matrices,
    normal,
    product,
    seeds,
)
from tests.support.twin_table import twin


@pytest.mark.equation("eq-bilinear")
@given(seed=seeds)
def test_score_is_a_bilinear_form(seed: int, library: str) -> None:
    (X, Z), (W_Q, W_K, W_V) = elements(seed), matrices(seed)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_V, Z=Z)
    M = product(W_Q, W_K.T)
    for i in range(N_Q):
        for j in range(N_K):
            wanted = math.fsum(
                X[i, f] * M[f, g] * Z[j, g] for f in range(D_MODEL) for g in range(D_MODEL)
            )  # fmt: skip
            assert (Q @ K.T)[i, j] == pytest.approx(wanted, rel=1e-9, abs=1e-11)
    general = twin(library, "scores.general_scores")(X, Z, M)
    np.testing.assert_allclose(Q @ K.T, general, rtol=1e-9, atol=1e-11)


@pytest.mark.theorem("thm-bilinear-rank")
@given(seed=seeds, d_k=st.integers(1, D_MODEL))
def test_rank_of_the_scores_is_at_most_d_k(
    seed: int, d_k: int, library: str
) -> None:
    """With more elements than d_k; random matrices reach the bound."""
    X, Z = normal(seed, 13, D_MODEL), normal(seed + 1, 17, D_MODEL)
    W_Q, W_K = normal(seed + 2, D_MODEL, d_k), normal(seed + 3, D_MODEL, d_k)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W_Q, W_K, W_K, Z=Z)
    for product_ in (W_Q @ W_K.T, twin(library, "scores.dot_scores")(Q, K)):
        singular = np.linalg.svd(product_, compute_uv=False)
        assert (singular[d_k:] < 1e-12 * singular[0]).all()
    assert np.linalg.matrix_rank(W_Q @ W_K.T) == d_k


@pytest.mark.theorem("thm-bilinear-rank", formula=True)
@given(seed=seeds, rank=st.integers(0, D_K))
def test_rank_at_most_d_k_makes_a_matrix_such_a_product(
    seed: int, rank: int
) -> None:
    """By the construction of the proof: a basis of the rows, coefficients, columns of zeros."""
    M = normal(seed, D_MODEL, rank) @ normal(seed + 1, rank, D_MODEL)
    basis: list[np.ndarray] = []
    for row in M:
        if np.linalg.matrix_rank(np.array([*basis, row]), tol=1e-9) > len(basis):
            basis.append(row)
    assert len(basis) == rank
    W_Q, W_K = np.zeros((D_MODEL, D_K)), np.zeros((D_MODEL, D_K))
    for p, row in enumerate(basis):
        W_K[:, p] = row
    W_Q[:, :rank] = np.linalg.lstsq(W_K[:, :rank], M.T, rcond=None)[0].T
    np.testing.assert_allclose(W_Q @ W_K.T, M, atol=1e-9)


def test_softmax_of_scores_of_rank_one_has_full_rank(library: str) -> None:
    """What d_k limits is the rank of the scores, not that of the weights."""
    X = np.arange(6.0)[:, None]
    S = twin(library, "scores.dot_scores")(X, X / 5)
    A = twin(library, "softmax.softmax")(S)
    assert (np.linalg.matrix_rank(S), np.linalg.matrix_rank(A)) == (1, 6)


@pytest.mark.equation("eq-same-scores")
@given(seed=seeds)
def test_project_qkv_matters_by_the_product_of_the_two_matrices_only(
    seed: int, library: str
) -> None:
    (X, Z), (W_Q, W_K, W_V) = elements(seed), matrices(seed)
    R = np.linalg.qr(normal(seed + 9, D_K, D_K))[0] * np.array([0.5, 2.0, 3.0])
    other_Q, other_K = W_Q @ R, W_K @ np.linalg.inv(R).T
    np.testing.assert_allclose(other_Q @ other_K.T, W_Q @ W_K.T, atol=1e-12)
    project, attend = (
        twin(library, "qkv.project_qkv"),
        twin(library, "qkv.attention"),
    )
    np.testing.assert_allclose(
        attend(*project(X, other_Q, other_K, W_V, Z=Z)),
        attend(*project(X, W_Q, W_K, W_V, Z=Z)),
        atol=1e-11,
    )


@pytest.mark.theorem("thm-shared-symmetric")
@given(seed=seeds)
def test_project_qkv_with_a_shared_matrix_makes_the_scores_positive_semidefinite(
    seed: int, library: str
) -> None:
    X, (W, _, W_V) = elements(seed)[0], matrices(seed)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W, W, W_V)
    S = twin(library, "scores.dot_scores")(Q, K)
    np.testing.assert_allclose(S, S.T, rtol=1e-12, atol=1e-14)
    for c in normal(seed + 5, 20, N_Q):
        assert math.fsum((c @ S) * c) >= -1e-12
    assert np.linalg.eigvalsh(S).min() > -1e-12
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W, -W, W_V)
    assert (
        np.linalg.eigvalsh(twin(library, "scores.dot_scores")(Q, K)).min() < -1e-6
    )


@pytest.mark.theorem("thm-shared-converse")
@given(seed=seeds, rank=st.integers(0, D_K))
def test_project_qkv_with_a_shared_matrix_reaches_every_positive_semidefinite_matrix(
    seed: int, rank: int, library: str
) -> None:
    """By the construction of the proof: columns of eigenvectors, X = Q and W_Q = I."""
    root = normal(seed, 7, rank)
    S = root @ root.T
    eigenvalues, vectors = np.linalg.eigh(S)
    X = np.zeros((7, D_K))
    X[:, :rank] = (vectors * eigenvalues.clip(0) ** 0.5)[:, 7 - rank :]
    one = np.eye(D_K)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, one, one, one)
    found = twin(library, "scores.dot_scores")(Q, K)
    np.testing.assert_allclose(found, S, atol=1e-9)


@pytest.mark.equation("eq-no-mutual")
@given(seed=seeds)
def test_project_qkv_with_a_shared_matrix_lets_no_pair_prefer_each_other(
    seed: int, library: str
) -> None:
    """The score of a pair is at most the mean of both scores on the diagonal."""
    X, (W, _, W_V) = elements(seed)[0], matrices(seed)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W, W, W_V)
    S = twin(library, "scores.dot_scores")(Q, K)
    for i in range(N_Q):
        for j in range(N_Q):
            assert S[i, j] <= (S[i, i] + S[j, j]) / 2 + 1e-12
            assert i == j or not (S[i, j] > S[i, i] and S[i, j] > S[j, j])


@pytest.mark.theorem("thm-shared-symmetric")
def test_attention_with_two_matrices_lets_both_look_away(
    library: str,
) -> None:
    """What the theorem excludes for one matrix happens with two; weights are never covered."""
    X, swap = np.array([[1.0, 0.2], [0.1, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    Q, K, _ = twin(library, "qkv.project_qkv")(X, np.eye(2), swap, swap)
    assert (Q @ K.T).argmax(axis=1).tolist() == [1, 0]
    shared = X @ normal(0, 2000, 2, D_K)
    away = (shared @ shared.mT).argmax(axis=-1) == [1, 0]
    assert away.any() and not away.all(axis=-1).any()
    X = np.array([[1.0, 0.0], [2.0, 1.0]])
    weights = twin(library, "qkv.attention_weights")(X, X, scale=1.0)
    assert abs(weights[0, 1] - weights[1, 0]) > 0.5
