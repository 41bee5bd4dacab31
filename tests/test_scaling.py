"""Chapter 5: the variance of dot products, what the scale repairs, and what it is for.

Where a distribution has few values, moments are exact: every pair is enumerated. Elsewhere they
are estimated from samples, and `assert_moments` derives the tolerance from the standard errors.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from twin_table import raw, twin

DRAWS = 40_000
WIDTHS = [1, 5, 64]

seeds = st.integers(0, 10_000)


def dots(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return q . k for each pair of rows, by definition."""
    return (q * k).sum(axis=-1)


def assert_moments(
    sample: np.ndarray, *, mean: float, variance: float, within: float = 0.1
) -> None:
    """Check mean and variance of a sample to five standard errors.

    The mean of N draws has the standard error sd / sqrt(N), their variance that of the mean of
    the squared deviations. So that the test can fail, five standard errors of the variance must
    be less than a share `within` of it, and those of the mean less than that share of sd.
    """
    n, squares = len(sample), (sample - sample.mean()) ** 2
    mean_error, error = (
        sample.std() / math.sqrt(n),
        squares.std() / math.sqrt(n),
    )
    assert 5 * error <= within * variance
    assert 5 * mean_error <= within * math.sqrt(variance)
    assert abs(sample.mean() - mean) < 5 * mean_error
    assert abs(squares.mean() - variance) < 5 * error


def signs(d: int) -> np.ndarray:
    """Return all 2**d vectors with entries 1 and -1."""
    return np.array(list(itertools.product([1.0, -1.0], repeat=d)))


NORMALIZED: dict[str, Callable[..., np.ndarray]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "coin toss": lambda rng, shape: rng.choice([-1.0, 1.0], size=shape),
    "uniform": lambda rng, shape: rng.uniform(-(3**0.5), 3**0.5, size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}


# --- the formula ----------------------------------------------------------------------------------


@pytest.mark.equation("eq-scaled-scores")
def test_scaled_scores_are_dot_products_over_the_root_of_the_width(
    library: str,
) -> None:
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(3, 7)), rng.normal(size=(5, 7))
    found = twin(library, "scaling.scaled_scores")(Q, K)
    for i, j in itertools.product(range(3), range(5)):
        wanted = math.fsum(Q[i] * K[j]) / math.sqrt(7)
        assert found[i, j] == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.equation("eq-scaled-scores")
@pytest.mark.parametrize(
    ("n_q", "n_k", "d_k"), [(2, 11, 3), (11, 2, 3), (2, 3, 11)]
)
def test_the_width_is_the_queries_last_axis_and_nothing_else(
    n_q: int, n_k: int, d_k: int, library: str
) -> None:
    """Vectors of ones: each dot product is d_k, so each scaled score is its root."""
    found = twin(library, "scaling.scaled_scores")(
        np.ones((5, n_q, d_k)), np.ones((5, n_k, d_k))
    )
    np.testing.assert_allclose(found, math.sqrt(d_k), rtol=1e-12)


@pytest.mark.equation("eq-root-temperature")
@pytest.mark.parametrize("d", [2, 7, 64])
def test_the_scale_is_a_temperature_of_the_root_of_the_width(
    d: int, library: str
) -> None:
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(3, d)), rng.normal(size=(5, d))
    scores = twin(library, "scaling.scaled_scores")(Q, K)
    weights = twin(library, "softmax.softmax")(scores)
    tempered = twin(library, "softmax.softmax")(Q @ K.T, temperature=math.sqrt(d))
    np.testing.assert_allclose(weights, tempered, rtol=1e-12)


# --- the variance of a dot product ----------------------------------------------------------------


@pytest.mark.theorem("thm-score-variance")
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_variance_is_exactly_d_over_all_sign_vectors(d: int) -> None:
    """Independent components: all 4**d pairs, equally likely."""
    scores = signs(d) @ signs(d).T
    assert scores.mean() == 0
    assert scores.var() == pytest.approx(d, rel=1e-12)


@pytest.mark.theorem("thm-score-variance")
@pytest.mark.parametrize("which", ["q", "k", "both"])
def test_uncorrelated_components_in_one_vector_are_enough(which: str) -> None:
    """q from the rows of a Hadamard matrix: uncorrelated, and the third is the others' product.

    The other vector has components that are all the same coin, where only one is required.
    """
    tied = signs(3)[signs(3).prod(axis=1) == 1]
    np.testing.assert_array_equal(tied.T @ tied / 4, np.eye(3))
    same = np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
    q, k = {"q": (tied, same), "k": (same, tied), "both": (tied, tied)}[which]
    scores = q @ k.T
    assert scores.mean() == 0
    assert scores.var() == pytest.approx(3, rel=1e-12)


@pytest.mark.theorem("thm-score-variance")
@pytest.mark.equation("eq-score-moments")
@pytest.mark.parametrize("name", NORMALIZED)
@pytest.mark.parametrize("d", WIDTHS)
def test_the_variance_is_d_whatever_the_distribution(name: str, d: int) -> None:
    rng = np.random.default_rng(2)
    q, k = NORMALIZED[name](rng, (2, DRAWS, d))
    scores = dots(q, k)
    if (
        name == "coin toss" and d == 1
    ):  # all squares are 1: there is no error to speak of
        assert set(scores**2) == {1.0}
        return
    within = 0.5 if d == 1 else 0.2
    assert_moments(scores, mean=0, variance=d, within=within)
    assert_moments(scores / math.sqrt(d), mean=0, variance=1, within=within)


@pytest.mark.equation("eq-score-moments")
@pytest.mark.parametrize("d", [3, 17, 64, 257])
def test_scaled_scores_have_variance_one_at_every_width(
    d: int, library: str
) -> None:
    """One pair a batch entry, so that all scores are independent; five standard errors."""
    rng = np.random.default_rng(3)
    Q, K = rng.normal(size=(2, DRAWS // 4, 1, d))
    scores = twin(library, "scaling.scaled_scores")(Q, K)[:, 0, 0]
    assert_moments(scores, mean=0, variance=1, within=0.2)
    predicted = raw(library, "scaling.expected_score_variance")(d)
    assert_moments(scores * math.sqrt(d), mean=0, variance=predicted, within=0.2)


@pytest.mark.theorem("thm-score-variance")
def test_each_assumption_is_needed() -> None:
    """Break one at a time, and the exact variance over all pairs is another."""
    all_signs, same = signs(3), np.array([[1.0] * 3, [-1.0] * 3])
    assert (all_signs @ all_signs.T).var() == pytest.approx(3)
    assert dots(all_signs, all_signs).mean() == 3  # (1): q = k
    assert ((all_signs + 1) @ (all_signs + 1).T).mean() == 3  # (2): mean 1
    assert ((2 * all_signs) @ all_signs.T).var() == pytest.approx(12)  # (3)
    assert (same @ same.T).var() == pytest.approx(9)  # (4): in neither


@pytest.mark.theorem("thm-score-variance")
def test_no_correlation_between_q_and_k_is_not_independence() -> None:
    """k = +-q by a coin: uncorrelated with q, component by component, and the variance is d**2."""
    q = np.concatenate([signs(3), signs(3)])
    k = np.concatenate([signs(3), -signs(3)])
    np.testing.assert_array_equal(q.T @ k, np.zeros((3, 3)))
    assert dots(q, k).mean() == 0
    assert dots(q, k).var() == 9


def test_the_sign_trap_with_normal_components() -> None:
    """E|q|^4 = d^2 + 2 d."""
    rng, d = np.random.default_rng(4), 16
    q = rng.normal(size=(4 * DRAWS, d))
    k = rng.choice([-1.0, 1.0], size=(len(q), 1)) * q
    assert_moments(dots(q, k), mean=0, variance=d**2 + 2 * d)


# --- when an assumption fails ---------------------------------------------------------------------


@pytest.mark.theorem("thm-score-variance-general")
@pytest.mark.equation("eq-score-moments-general")
@given(seed=seeds, d=st.integers(1, 5), n=st.integers(1, 6), m=st.integers(1, 6))
def test_the_general_formula_is_exact_for_any_finite_distribution(
    seed: int, d: int, n: int, m: int
) -> None:
    """q is one of n vectors, k one of m, with any probabilities: all n m pairs."""
    rng = np.random.default_rng(seed)
    q, k = rng.normal(1, 2, size=(n, d)), rng.normal(-1, 2, size=(m, d))
    p_q, p_k = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    scores, p = q @ k.T, np.outer(p_q, p_k)
    mean = (p * scores).sum()
    variance = (p * (scores - mean) ** 2).sum()
    mu_q, mu_k = p_q @ q, p_k @ k
    C_q = (q - mu_q).T @ (p_q[:, None] * (q - mu_q))
    C_k = (k - mu_k).T @ (p_k[:, None] * (k - mu_k))
    wanted = np.trace(C_q @ C_k) + mu_q @ C_k @ mu_q + mu_k @ C_q @ mu_k
    assert mu_q @ mu_k == pytest.approx(mean, rel=1e-9, abs=1e-9)
    assert wanted == pytest.approx(variance, rel=1e-9, abs=1e-9)


def correlated(rng: np.random.Generator, n: int, d: int, rho: float) -> np.ndarray:
    """Return n normal vectors whose components have variance 1 and correlation rho."""
    covariance = np.full((d, d), rho) + (1 - rho) * np.eye(d)
    root = np.linalg.cholesky(covariance)
    return rng.normal(size=(n, d)) @ root.T


@pytest.mark.equation("eq-correlated-variance")
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("d", [3, 32])
def test_correlated_components_add_d_times_d_minus_one_rho_squared(
    rho: float, d: int
) -> None:
    rng = np.random.default_rng(5)
    q, k = (correlated(rng, 4 * DRAWS, d, rho) for _ in range(2))
    wanted = d + d * (d - 1) * rho**2
    assert_moments(dots(q, k), mean=0, variance=wanted, within=0.15)


@pytest.mark.equation("eq-mean-moments")
@pytest.mark.parametrize("mu", [0.5, -2.0])
@pytest.mark.parametrize("d", [4, 49])
def test_a_mean_shifts_scores_and_widens_them(
    mu: float, d: int, library: str
) -> None:
    rng = np.random.default_rng(6)
    q, k = rng.normal(mu, size=(2, DRAWS, d))
    wanted = d * (1 + 2 * mu**2)
    assert_moments(dots(q, k), mean=d * mu**2, variance=wanted)
    found = raw(library, "scaling.expected_score_variance")(d, mean=mu)
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.equation("eq-row-variance")
@pytest.mark.parametrize("mu", [0.0, 1.0, -2.0])
def test_within_a_row_a_mean_adds_only_once(mu: float) -> None:
    """Unbiased variances over 32 keys of a row, averaged over independent rows."""
    rng, d = np.random.default_rng(7), 16
    q = rng.normal(mu, size=(8000, 1, d))
    k = rng.normal(mu, size=(8000, 32, d))
    within = dots(q, k).var(axis=-1, ddof=1)
    error = within.std() / math.sqrt(len(within))
    assert abs(within.mean() - d * (1 + mu**2)) < 5 * error
    assert 5 * error < 0.05 * d * (1 + mu**2)  # 1 + 2 mu^2 would be far off


@pytest.mark.equation("eq-row-variance")
def test_a_part_common_to_all_keys_changes_no_weight(library: str) -> None:
    """Adding u to every key adds q . u to the query's whole row."""
    rng = np.random.default_rng(8)
    Q, K, u = rng.normal(size=(3, 7)), rng.normal(size=(5, 7)), rng.normal(size=7)
    scores, softmax = (
        twin(library, "scaling.scaled_scores"),
        twin(library, "softmax.softmax"),
    )
    np.testing.assert_allclose(
        softmax(scores(Q, K + 3 * u)), softmax(scores(Q, K)), rtol=1e-9
    )


KURTOSIS = {"normal": 3.0, "coin toss": 1.0, "uniform": 9 / 5, "skewed": 9.0}


@pytest.mark.theorem("thm-shared-moments")
@pytest.mark.equation("eq-shared-moments")
@pytest.mark.parametrize("name", NORMALIZED)
@pytest.mark.parametrize("d", [5, 64])
def test_a_vector_with_itself_scores_d_and_varies_with_the_fourth_power(
    name: str, d: int
) -> None:
    q = NORMALIZED[name](np.random.default_rng(9), (4 * DRAWS, d))
    if name == "coin toss":
        assert set(dots(q, q)) == {float(d)}
        return
    wanted = d * (KURTOSIS[name] - 1)
    assert_moments(dots(q, q), mean=d, variance=wanted, within=0.4)


@pytest.mark.theorem("thm-shared-moments")
@pytest.mark.parametrize("mu", [0.0, 1.5])
def test_a_normal_vector_with_a_mean_meets_itself(mu: float, library: str) -> None:
    rng, d = np.random.default_rng(10), 11
    q = rng.normal(mu, size=(4 * DRAWS, d))
    wanted = d * (2 + 4 * mu**2)
    assert_moments(dots(q, q), mean=d * (1 + mu**2), variance=wanted)
    found = raw(library, "scaling.expected_score_variance")(d, mean=mu, shared=True)
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.theorem("thm-projected-scores")
@pytest.mark.equation("eq-projected-variance")
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("d_k", [1, 2])
def test_random_projections_make_the_variance_exactly(same: bool, d_k: int) -> None:
    """All sign matrices times sigma, for fixed x and z of width 2: 256 pairs at d_k = 2."""
    sigma, x = 0.7, np.array([1.5, -2.0])
    z = x if same else np.array([0.3, 0.4])
    matrices = sigma * signs(2 * d_k).reshape(-1, 2, d_k)
    scores = (x @ matrices) @ (z @ matrices).T  # every W_Q with every W_K
    assert scores.mean() == pytest.approx(0, abs=1e-12)
    wanted = d_k * sigma**4 * (x @ x) * (z @ z)
    assert scores.var() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.theorem("thm-projected-scores")
@pytest.mark.equation("eq-unit-initialization")
@pytest.mark.parametrize("d", [16, 64, 256])
def test_randn_matrices_defeat_the_scale_and_variance_one_over_d_does_not(
    d: int, library: str
) -> None:
    """Erratum 001: a standard deviation of d with sigma = 1, of 1 with sigma^2 = 1/d.

    Scores that share matrices are not independent, so each draw of both matrices counts as one:
    its mean square over 8 x 8 scores, whose standard error is taken over the draws.
    """
    rng, draws = np.random.default_rng(11), 100
    X = rng.normal(size=(8, d))
    X *= math.sqrt(d) / np.linalg.norm(X, axis=1, keepdims=True)
    score = twin(library, "scaling.scaled_scores")
    for sigma, wanted in ((1.0, float(d)), (d**-0.5, 1.0)):
        squares = []
        for _ in range(draws):
            W_Q, W_K = rng.normal(0, sigma, size=(2, d, d))
            squares.append((score(X @ W_Q, X @ W_K) ** 2).mean())
        error = np.std(squares) / math.sqrt(draws)
        assert abs(np.mean(squares) - wanted**2) < 5 * error
        assert 5 * error < 0.35 * wanted**2  # off by a factor of d^2 at stake


@pytest.mark.equation("eq-cosine-variance")
@pytest.mark.parametrize("d", [2, 3, 5, 64])
def test_a_random_cosine_has_variance_one_over_d(d: int, library: str) -> None:
    rng = np.random.default_rng(12)
    q = rng.uniform(size=(1, d)) + 0.1
    cosines = twin(library, "scores.cosine_scores")(q, rng.normal(size=(DRAWS, d)))
    assert_moments(cosines[0], mean=0, variance=1 / d)


def test_the_scale_knows_the_width_and_not_the_length(library: str) -> None:
    """Erratum 004: longer queries keep larger scores; equal entries v still give sqrt(d) v^2."""
    score = twin(library, "scaling.scaled_scores")
    rng = np.random.default_rng(13)
    Q, K = rng.normal(size=(3, 7)), rng.normal(size=(5, 7))
    np.testing.assert_allclose(score(3 * Q, K), 3 * score(Q, K), rtol=1e-12)
    for d in (4, 64, 1024):
        constant = np.full((1, d), 0.5)
        assert np.linalg.norm(constant) == pytest.approx(math.sqrt(d) * 0.5)
        assert score(constant, constant)[0, 0] == pytest.approx(math.sqrt(d) * 0.25)


# --- what it is for -------------------------------------------------------------------------------


@pytest.mark.theorem("thm-jacobian-norm")
@pytest.mark.equation("eq-jacobian-norm")
@given(seed=seeds, n=st.integers(1, 40), size=st.floats(0, 50))
def test_the_norm_of_the_jacobian_is_between_its_bounds(
    seed: int, n: int, size: float, library: str
) -> None:
    scores = size * np.random.default_rng(seed).normal(size=n)
    a = twin(library, "softmax.softmax")(scores)
    J = twin(library, "softmax.softmax_jacobian")(a)
    norm = math.sqrt(max(np.linalg.eigvalsh(J @ J.T).max(), 0))
    top = a.max()
    assert top * (1 - top) - 1e-9 <= norm <= 2 * top * (1 - top) + 1e-9
    assert norm <= 0.5 + 1e-9


@pytest.mark.theorem("thm-jacobian-norm")
def test_the_bounds_are_reached_and_the_norm_vanishes_at_certainty(
    library: str,
) -> None:
    jacobian = twin(library, "softmax.softmax_jacobian")

    def norm(*a: float) -> float:
        return float(np.linalg.norm(jacobian(np.array(a)), 2))

    assert norm(0.5, 0.5) == pytest.approx(0.5, rel=1e-12)
    assert norm(0.5, 0.5, 0.0) == pytest.approx(0.5, rel=1e-12)
    assert norm(*[1 / 16] * 16) == pytest.approx(1 / 16, rel=1e-12)
    for rest in (1e-2, 1e-4, 1e-8):
        assert norm(1 - rest, rest) == pytest.approx(
            2 * rest * (1 - rest), rel=1e-6
        )


@pytest.mark.equation("eq-query-gradient")
def test_the_gradient_by_the_query_is_the_jacobian_times_the_scaled_keys() -> None:
    rng = np.random.default_rng(14)
    q, K = rng.normal(size=(1, 7)), rng.normal(size=(5, 7))
    keys = torch.from_numpy(K)

    def weights(query: torch.Tensor) -> torch.Tensor:
        return torch.softmax(
            raw("in_torch", "scaling.scaled_scores")(query, keys)[0], dim=-1
        )

    automatic = torch.autograd.functional.jacobian(weights, torch.from_numpy(q))
    a = np.exp(K @ q[0] / math.sqrt(7))
    a /= a.sum()
    for j in range(5):
        wanted = sum(a[j] * ((j == m) - a[m]) * K[m] for m in range(5))
        np.testing.assert_allclose(
            automatic[j, 0].numpy(), wanted / math.sqrt(7), rtol=1e-10, atol=1e-14
        )


def test_without_the_scale_wide_rows_are_one_hot(library: str) -> None:
    """Erratum 000: d = 1024, 16 keys, entropies about 0.09 and 2.36 of 2.77 nats.

    2000 rows; five standard errors of a mean entropy are below 0.03.
    """
    rng = np.random.default_rng(15)
    Q, K = rng.normal(size=(2000, 1, 1024)), rng.normal(size=(2000, 16, 1024))
    for scale, wanted in ((1.0, 0.09), (None, 2.36)):
        scores = twin(library, "scaling.scaled_scores")(Q, K, scale=scale)
        weights = twin(library, "softmax.softmax")(scores)
        found = twin(library, "softmax.entropy")(weights)
        assert 5 * found.std() / math.sqrt(2000) < 0.035
        assert abs(found.mean() - wanted) < 0.035


@pytest.mark.parametrize(
    ("name", "divisor", "spreads"),
    [
        ("right", lambda n, d, n_heads: math.sqrt(d), (1.0, 1.0)),
        ("over d", lambda n, d, n_heads: d, (16**-0.5, 64**-0.5)),
        (
            "d_model",
            lambda n, d, n_heads: math.sqrt(d * n_heads),
            (8**-0.5, 8**-0.5),
        ),
        ("n", lambda n, d, n_heads: math.sqrt(n), ((16 / 64) ** 0.5, 1.0)),
        ("typed in", lambda n, d, n_heads: math.sqrt(8), (2**0.5, 8**0.5)),
        ("times", lambda n, d, n_heads: d**-0.5, (16.0, 64.0)),
    ],
)
def test_a_wrong_scale_shows_at_two_widths(
    name: str,
    divisor: Callable[[int, int, int], float],
    spreads: tuple[float, float],
    library: str,
) -> None:
    """The pitfalls: each has its own spread at d_k = 16 and 64, with 64 keys and 8 heads."""
    rng = np.random.default_rng(16)
    for d, wanted in zip((16, 64), spreads, strict=True):
        Q, K = rng.normal(size=(2, DRAWS // 4, 1, d))
        scale = 1 / divisor(64, d, 8)
        scores = twin(library, "scaling.scaled_scores")(Q, K, scale=scale)
        assert_moments(scores[:, 0, 0], mean=0, variance=wanted**2, within=0.15)
