"""Chapter 4: queries, keys and values; its equations, theorems and pitfalls."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax
from sklearn.datasets import load_sample_image
from twin_table import raw, twin

from course_attn.figures import qkv as scenes

# Distinct primes, so that no two axes can be swapped unnoticed.
N_Q, N_K, D_MODEL, D_K, D_V = 5, 7, 11, 3, 2

seeds = st.integers(0, 10_000)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def elements(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Z."""
    return normal(seed, N_Q, D_MODEL), normal(seed + 1, N_K, D_MODEL)


def matrices(seed: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return W_Q, W_K and W_V, small enough for scores of about 1."""
    widths = (D_K, D_K, D_V)
    return tuple(
        normal(seed + p, D_MODEL, w) / math.sqrt(D_MODEL)
        for p, w in enumerate(widths)
    )


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Multiply two matrices entry by entry, in plain Python numbers."""
    return np.array(
        [[math.fsum(a * b for a, b in zip(row, col, strict=True)) for col in B.T] for row in A]
    )  # fmt: skip


def by_definition(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return sum_j a_ij v_j with a_ij = exp(q_i . k_j) / sum_m exp(q_i . k_m), in loops."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        powers = [math.exp(math.fsum(q[i] * k_j)) for k_j in k]
        for j in range(len(k)):
            out[i] += powers[j] / math.fsum(powers) * v[j]
    return out


def china() -> np.ndarray:
    """Return the chapter's 1024 pixels, with colors from 0 to 255."""
    return load_sample_image("china.jpg")[:416:13, 112:528:13].reshape(-1, 3)


# No roles


@pytest.mark.equation("eq-no-roles")
def test_without_roles_every_element_plays_all_parts(library: str) -> None:
    X = normal(0, N_Q, D_K)
    found = twin(library, "qkv.attention")(X, X, X, scale=1.0)
    np.testing.assert_allclose(found, by_definition(X, X, X), rtol=1e-12)


@pytest.mark.equation("eq-beats-self")
@given(seed=seeds, stretch=st.floats(0.2, 5))
def test_another_beats_self_if_its_length_along_you_exceeds_yours(
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


def test_on_raw_pixels_the_longest_wins_far_more_often_than_the_pixel_itself(
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


# The formula


@pytest.mark.equation("eq-project-one")
@pytest.mark.equation("eq-project")
def test_each_role_is_the_element_times_its_own_matrix(library: str) -> None:
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
def test_the_chapters_example_by_hand(library: str) -> None:
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
def test_a_batch_is_attended_image_by_image(library: str) -> None:
    q, k, v = normal(0, 3, N_Q, D_K), normal(1, 3, N_K, D_K), normal(2, 3, N_K, D_V)
    found = twin(library, "qkv.attention")(q, k, v, scale=1.0)
    for n in range(3):
        np.testing.assert_allclose(
            found[n], by_definition(q[n], k[n], v[n]), rtol=1e-12
        )


@pytest.mark.equation("eq-nearest-color")
@given(seed=seeds, c=st.floats(0.5, 50))
def test_a_handicap_for_length_turns_dot_products_into_nearness(
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
def test_a_dictionary_is_the_sum_over_the_keys_that_are_equal(
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
def test_a_soft_lookup_weighs_all_values_by_their_match(
    T: float, library: str
) -> None:
    q, k, v = normal(0, D_K), normal(1, N_K, D_K), normal(2, N_K, D_V)
    powers = [math.exp(math.fsum(q * k_j) / T) for k_j in k]
    wanted = sum(
        p / math.fsum(powers) * v_j for p, v_j in zip(powers, v, strict=True)
    )
    found = twin(library, "qkv.soft_lookup")(q, k, v, temperature=T)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    by_attention = twin(library, "qkv.attention")(q[None], k, v, scale=1 / T)
    np.testing.assert_allclose(found, by_attention[0], rtol=1e-12)


@pytest.mark.equation("eq-soft-lookup")
def test_a_soft_lookup_goes_from_the_best_match_to_the_mean(library: str) -> None:
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


# The bilinear form


@pytest.mark.equation("eq-bilinear")
@given(seed=seeds)
def test_the_score_is_a_bilinear_form(seed: int, library: str) -> None:
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
def test_d_k_bounds_the_rank_of_the_scores(
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


@pytest.mark.theorem("thm-bilinear-rank")
@given(seed=seeds, rank=st.integers(0, D_K))
def test_every_matrix_of_rank_at_most_d_k_is_such_a_product(
    seed: int, rank: int
) -> None:
    """By the construction of the proof, with zero columns where the rank is smaller."""
    M = normal(seed, D_MODEL, rank) @ normal(seed + 1, rank, D_MODEL)
    U, sigma, W = np.linalg.svd(M)
    W_Q, W_K = np.zeros((D_MODEL, D_K)), np.zeros((D_MODEL, D_K))
    W_Q[:, :rank] = U[:, :rank] * sigma[:rank]
    W_K[:, :rank] = W[:rank].T
    np.testing.assert_allclose(W_Q @ W_K.T, M, atol=1e-12)


@pytest.mark.equation("eq-same-scores")
@given(seed=seeds)
def test_only_the_product_of_the_two_matrices_matters(
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
def test_a_shared_matrix_makes_the_scores_symmetric(
    seed: int, library: str
) -> None:
    X, (W, _, W_V) = elements(seed)[0], matrices(seed)
    Q, K, _ = twin(library, "qkv.project_qkv")(X, W, W, W_V)
    S = twin(library, "scores.dot_scores")(Q, K)
    own = np.diagonal(S)
    np.testing.assert_allclose(S, S.T, rtol=1e-12, atol=1e-14)
    assert (own >= 0).all()
    assert (S**2 <= np.outer(own, own) * (1 + 1e-12)).all()
    i, j = np.nonzero(S > own[:, None] * (1 + 1e-9))
    assert (own[j] > own[i]).all()


@pytest.mark.theorem("thm-shared-symmetric")
def test_two_matrices_can_make_both_look_away_and_symmetry_ends_with_softmax(
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


@pytest.mark.equation("eq-attention-parameters")
@pytest.mark.parametrize("name", ["SelfAttention", "CrossAttention"])
def test_only_the_three_projections_have_parameters(name: str) -> None:
    layer = raw("in_torch", f"qkv.{name}")(D_MODEL, D_K, D_V)
    counted = sum(p.numel() for p in layer.parameters())
    assert counted == D_MODEL * (2 * D_K + D_V) == 88


# Rows and columns


def column_softmax(S: np.ndarray) -> np.ndarray:
    """Normalize each column, in loops."""
    out = np.zeros_like(S)
    for i in range(S.shape[1]):
        powers = [math.exp(s) for s in S[:, i]]
        out[:, i] = np.array(powers) / math.fsum(powers)
    return out


@pytest.mark.equation("eq-column-form")
@pytest.mark.theorem("thm-rows-columns")
@given(seed=seeds)
def test_the_column_form_is_the_transpose_of_the_row_form(
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
def test_linear_stores_the_transpose_of_our_matrix(bias: bool) -> None:
    linear = torch.nn.Linear(D_MODEL, D_K, bias=bias).double()
    X = normal(0, N_Q, D_MODEL)
    W_hat = linear.weight.detach().numpy()
    b = linear.bias.detach().numpy() if bias else 0
    assert W_hat.shape == (D_K, D_MODEL)
    with torch.no_grad():
        found = linear(torch.from_numpy(X)).numpy()
    np.testing.assert_allclose(found, product(X, W_hat.T) + b, rtol=1e-11)


# What goes wrong: every erratum of the sources that belongs here


def test_pitfall_in_self_attention_q_k_and_v_share_x_but_differ(
    library: str,
) -> None:
    """Source 000: "x_i = z_i and therefore q_i = k_i = v_i"."""
    X, Ws = elements()[0], matrices()
    Q, K, V = twin(library, "qkv.project_qkv")(X, *Ws)
    assert Q.shape == K.shape != V.shape
    assert np.abs(Q - K).max() > 0.5
    again = twin(library, "qkv.project_qkv")(X, *Ws, Z=X)
    for one, other in zip((Q, K, V), again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_pitfall_keys_and_values_from_x_ignore_the_context(library: str) -> None:
    """Source 000: K = X W_K, V = X W_V; the output's shape does not betray it."""
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


def test_pitfall_queries_have_rows_and_keys_have_columns(library: str) -> None:
    """Source 000: "S rows for S key vectors"."""
    weights = twin(library, "qkv.attention_weights")(
        normal(0, N_Q, D_K), normal(1, N_K, D_K)
    )
    assert weights.shape == (N_Q, N_K)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    assert np.abs(weights.sum(axis=0) - 1).max() > 0.1


def test_pitfall_t_and_dim_1_break_on_a_batch() -> None:
    """Source 001: K.t() refuses a batch; softmax(dim=1) normalizes over the queries."""
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
    right = raw("in_torch", "qkv.attention_weights")(Q, K, scale=1.0)
    torch.testing.assert_close(right.sum(dim=-1), torch.ones(2, N_Q).double())
    one = torch.softmax(Q[0] @ K[0].t(), dim=1)
    torch.testing.assert_close(right[0], one)


def test_pitfall_x_x_x_looks_at_itself_in_96_percent_of_rows(library: str) -> None:
    """Source 002 tries attention on five normal vectors of width 8; 4000 trials."""
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


def test_pitfall_swapped_roles_give_another_output(library: str) -> None:
    """Source 004's formula sums over the queries i; its code, and we, over the keys."""
    X, Ws = elements()[0], matrices()
    q, k, v = twin(library, "qkv.project_qkv")(X, *Ws)
    by_formula = np.zeros_like(v)
    for j in range(N_Q):
        powers = [math.exp(math.fsum(q[i] * k[j])) for i in range(N_Q)]
        by_formula[j] = sum(
            p * v_i for p, v_i in zip(powers, v, strict=True)
        ) / sum(powers)
    ours = twin(library, "qkv.attention")(q, k, v, scale=1.0)
    np.testing.assert_allclose(ours, by_definition(q, k, v), rtol=1e-11)
    assert np.abs(ours - by_formula).max() > 0.1
    swapped = twin(library, "qkv.attention")(k, q, v, scale=1.0)
    np.testing.assert_allclose(by_formula, swapped, rtol=1e-11)


def test_pitfall_raw_colors_saturate_and_naive_softmax_is_nan(library: str) -> None:
    """Source 004: colors up to 255 and positive projections; and products of 8 bits wrap."""
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


def test_pitfall_linear_weight_as_it_is_runs_if_square() -> None:
    linear = torch.nn.Linear(D_MODEL, D_MODEL, bias=False)
    X = torch.from_numpy(normal(0, N_Q, D_MODEL)).float()
    with torch.no_grad():
        assert (linear(X) - X @ linear.weight).abs().max() > 0.1
        torch.testing.assert_close(linear(X), X @ linear.weight.T)


@pytest.mark.equation("eq-key-bias")
@given(seed=seeds)
def test_a_bias_of_the_keys_changes_nothing_and_one_of_the_queries_does(
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
def test_a_bias_of_the_keys_gets_no_gradient() -> None:
    q, k, v = (torch.from_numpy(normal(s, 5, 3)) for s in range(3))
    b = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    attend = raw("in_torch", "qkv.attention")
    (attend(q, k + b, v) ** 2).sum().backward()
    assert b.grad.abs().max() < 1e-14
    b.grad = None
    (attend(q + b, k, v) ** 2).sum().backward()
    assert b.grad.abs().max() > 1e-3


# The pictures


def test_the_animations_have_a_step_for_each_stage_and_fit_a_page() -> None:
    roles = scenes.roles_graph()
    winds = {"east": 0.0, "north": 90.0, "west": 180.0, "south": 270.0}
    lookup = scenes.soft_dictionary(winds, [12, 5, 15, 24], 67.5)
    assert repr(roles).startswith("<animation of 8 steps")
    assert repr(lookup).startswith("<animation of 19 steps")
    assert "north has the weight 1.00, the answer is 5.0 mm" in lookup._repr_html_()


def test_the_shapes_are_written_on_the_edges() -> None:
    (ax,) = scenes.matrix_graph().axes
    texts = [text.get_text() for text in ax.texts]
    for shape, times in (("$n_q \\times n_k$", 2), ("$n_k \\times d_k$", 1)):
        assert texts.count(shape) == times
    assert texts.count("$n_k \\times d_v$") == 1
