"""The variance of dot products, and of those whose vectors break an assumption.

Where a distribution has few values, moments are exact: every pair is enumerated. Elsewhere they
are estimated from samples, and `assert_moments` derives the tolerance from the standard errors.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_attn import costs
from tests.chapters.scaling.moments import DRAWS, assert_moments, seeds
from tests.support.twin_table import twin

WIDTHS = [1, 5, 64]


def dots(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return q . k for each pair of rows, by definition."""
    return (q * k).sum(axis=-1)


def signs(d: int) -> np.ndarray:
    """Return all 2**d vectors with entries 1 and -1."""
    return np.array(list(itertools.product([1.0, -1.0], repeat=d)))


NORMALIZED: dict[str, Callable[..., np.ndarray]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "coin toss": lambda rng, shape: rng.choice([-1.0, 1.0], size=shape),
    "uniform": lambda rng, shape: rng.uniform(-(3**0.5), 3**0.5, size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}


# --- the variance of a dot product ----------------------------------------------------------------


@pytest.mark.theorem("thm-score-variance")
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_score_variance_is_exactly_d_over_all_sign_vectors(d: int) -> None:
    """Independent components: all 4**d pairs, equally likely."""
    scores = signs(d) @ signs(d).T
    assert scores.mean() == 0
    assert scores.var() == pytest.approx(d, rel=1e-12)
    assert costs.expected_score_variance(d) == d


@pytest.mark.theorem("thm-score-variance", formula=True)
@pytest.mark.parametrize("which", ["q", "k", "both"])
def test_score_variance_needs_uncorrelated_components_in_one_vector_only(
    which: str,
) -> None:
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


@pytest.mark.theorem("thm-score-variance", formula=True)
@pytest.mark.equation("eq-score-moments", formula=True)
@pytest.mark.parametrize("name", NORMALIZED)
def test_score_variance_is_d_whatever_the_distribution(
    name: str, subtests: pytest.Subtests
) -> None:
    for d in WIDTHS:
        with subtests.test(d=d):
            rng = np.random.default_rng(2)
            q, k = NORMALIZED[name](rng, (2, DRAWS, d))
            scores = dots(q, k)
            if name == "coin toss" and d == 1:
                # all squares are 1: there is no error to speak of
                assert set(scores**2) == {1.0}
                continue
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
    predicted = costs.expected_score_variance(d)
    assert_moments(scores * math.sqrt(d), mean=0, variance=predicted, within=0.2)


@pytest.mark.theorem("thm-score-variance", formula=True)
def test_score_variance_needs_each_assumption() -> None:
    """Break one at a time, and the exact variance over all pairs is another."""
    all_signs, same = signs(3), np.array([[1.0] * 3, [-1.0] * 3])
    assert (all_signs @ all_signs.T).var() == pytest.approx(3)
    assert dots(all_signs, all_signs).mean() == 3  # (1): q = k
    assert ((all_signs + 1) @ (all_signs + 1).T).mean() == 3  # (2): mean 1
    assert ((2 * all_signs) @ all_signs.T).var() == pytest.approx(12)  # (3)
    assert (same @ same.T).var() == pytest.approx(9)  # (4): in neither


@pytest.mark.theorem("thm-score-variance", formula=True)
def test_score_variance_needs_independence_not_only_no_correlation() -> None:
    """k = +-q by a coin: uncorrelated with q, component by component, and the variance is d**2."""
    q = np.concatenate([signs(3), signs(3)])
    k = np.concatenate([signs(3), -signs(3)])
    np.testing.assert_array_equal(q.T @ k, np.zeros((3, 3)))
    assert dots(q, k).mean() == 0
    assert dots(q, k).var() == 9


def test_score_variance_and_the_sign_trap_with_normal_components() -> None:
    """E|q|^4 = d^2 + 2 d."""
    rng, d = np.random.default_rng(4), 16
    q = rng.normal(size=(4 * DRAWS, d))
    k = rng.choice([-1.0, 1.0], size=(len(q), 1)) * q
    assert_moments(dots(q, k), mean=0, variance=d**2 + 2 * d)


# --- when an assumption fails ---------------------------------------------------------------------


@pytest.mark.theorem("thm-score-variance-general", formula=True)
@pytest.mark.equation("eq-score-moments-general", formula=True)
@given(seed=seeds, d=st.integers(1, 5), n=st.integers(1, 6), m=st.integers(1, 6))
def test_score_variance_in_general_is_exact_for_any_finite_distribution(
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


@pytest.mark.equation("eq-correlated-variance", formula=True)
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("d", [3, 32])
def test_score_variance_grows_by_correlated_components(rho: float, d: int) -> None:
    rng = np.random.default_rng(5)
    q, k = (correlated(rng, 4 * DRAWS, d, rho) for _ in range(2))
    wanted = d + d * (d - 1) * rho**2
    assert_moments(dots(q, k), mean=0, variance=wanted, within=0.15)


@pytest.mark.equation("eq-mean-moments")
@pytest.mark.parametrize("mu", [0.5, -2.0])
@pytest.mark.parametrize("d", [4, 49])
def test_expected_score_variance_grows_by_a_mean(mu: float, d: int) -> None:
    rng = np.random.default_rng(6)
    q, k = rng.normal(mu, size=(2, DRAWS, d))
    wanted = d * (1 + 2 * mu**2)
    assert_moments(dots(q, k), mean=d * mu**2, variance=wanted)
    found = costs.expected_score_variance(d, mean=mu)
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.equation("eq-row-variance", formula=True)
@pytest.mark.parametrize("mu", [0.0, 1.0, -2.0])
def test_row_variance_grows_by_a_mean_only_once(mu: float) -> None:
    """Unbiased variances over 32 keys of a row, averaged over independent rows."""
    rng, d = np.random.default_rng(7), 16
    q = rng.normal(mu, size=(8000, 1, d))
    k = rng.normal(mu, size=(8000, 32, d))
    within = dots(q, k).var(axis=-1, ddof=1)
    error = within.std() / math.sqrt(len(within))
    assert abs(within.mean() - d * (1 + mu**2)) < 5 * error
    assert 5 * error < 0.05 * d * (1 + mu**2)  # 1 + 2 mu^2 would be far off


@pytest.mark.equation("eq-row-variance")
def test_softmax_is_blind_to_a_part_common_to_all_keys(library: str) -> None:
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


@pytest.mark.theorem("thm-shared-moments", formula=True)
@pytest.mark.equation("eq-shared-moments", formula=True)
@pytest.mark.parametrize("name", NORMALIZED)
@pytest.mark.parametrize("d", [5, 64])
def test_score_of_a_vector_with_itself_is_d_and_varies_with_the_fourth_power(
    name: str, d: int
) -> None:
    q = NORMALIZED[name](np.random.default_rng(9), (4 * DRAWS, d))
    if name == "coin toss":
        assert set(dots(q, q)) == {float(d)}
        return
    wanted = d * (KURTOSIS[name] - 1)
    assert_moments(dots(q, q), mean=d, variance=wanted, within=0.4)


@pytest.mark.theorem("thm-shared-moments")
@pytest.mark.equation("eq-shared-moments")
@pytest.mark.parametrize("mu", [0.0, 1.5])
def test_expected_score_variance_of_a_normal_vector_with_itself(mu: float) -> None:
    rng, d = np.random.default_rng(10), 11
    q = rng.normal(mu, size=(4 * DRAWS, d))
    wanted = d * (2 + 4 * mu**2)
    assert_moments(dots(q, q), mean=d * (1 + mu**2), variance=wanted)
    found = costs.expected_score_variance(d, mean=mu, shared=True)
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.theorem("thm-projected-scores")
@pytest.mark.equation("eq-projected-variance")
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("d_k", [1, 2])
def test_score_variance_of_random_projections_is_exact(
    same: bool, d_k: int, library: str
) -> None:
    """All sign matrices times sigma, for fixed x and z of width 2: 256 pairs at d_k = 2."""
    sigma, x = 0.7, np.array([1.5, -2.0])
    z = x if same else np.array([0.3, 0.4])
    matrices = sigma * signs(2 * d_k).reshape(-1, 2, d_k)
    project = twin(library, "qkv.project_qkv")
    projected = [project(x[None], W, W, W, Z=z[None]) for W in matrices]
    Q, K = (np.vstack([made[k] for made in projected]) for k in (0, 1))
    # Every W_Q with every W_K.
    scores = twin(library, "scores.dot_scores")(Q, K)
    assert scores.mean() == pytest.approx(0, abs=1e-12)
    wanted = d_k * sigma**4 * (x @ x) * (z @ z)
    assert scores.var() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.theorem("thm-row-spread")
@pytest.mark.equation("eq-row-spread")
@pytest.mark.parametrize("common", [0.0, 3.0])
@pytest.mark.parametrize("d_k", [1, 2])
def test_row_spread_of_random_projections_counts_differences_only(
    common: float, d_k: int, library: str
) -> None:
    """All sign matrices times sigma; what all keys have in common changes nothing."""
    sigma, x = 0.7, np.array([[1.5, -2.0]])
    Z = np.array([[0.3, 0.4], [-1.0, 2.0], [0.7, 0.9]]) + common
    matrices = sigma * signs(2 * d_k).reshape(-1, 2, d_k)
    project = twin(library, "qkv.project_qkv")
    projected = [project(x, W, W, W, Z=Z) for W in matrices]
    score = twin(library, "scaling.scaled_scores")
    rows = [score(q, k) for q, _, _ in projected for _, k, _ in projected]
    found = np.mean([np.asarray(row).var() for row in rows])
    differences = ((Z - Z.mean(axis=0)) ** 2).sum(axis=1).mean()
    wanted = sigma**4 * (x**2).sum() * differences
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.slow
@pytest.mark.theorem("thm-projected-scores")
@pytest.mark.equation("eq-unit-initialization")
@pytest.mark.parametrize("d", [16, 64, 256])
def test_projections_by_randn_defeat_the_scale_and_variance_one_over_d_does_not(
    d: int, library: str
) -> None:
    """A standard deviation of d with sigma = 1, of 1 with sigma^2 = 1/d.

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
def test_cosine_scores_have_variance_one_over_d(d: int, library: str) -> None:
    rng = np.random.default_rng(12)
    q = rng.uniform(size=(1, d)) + 0.1
    cosines = twin(library, "scores.cosine_scores")(q, rng.normal(size=(DRAWS, d)))
    assert_moments(cosines[0], mean=0, variance=1 / d)


def test_scaled_scores_know_the_width_and_not_the_length(library: str) -> None:
    """Longer queries keep larger scores; equal entries v still give sqrt(d) v^2."""
    score = twin(library, "scaling.scaled_scores")
    rng = np.random.default_rng(13)
    Q, K = rng.normal(size=(3, 7)), rng.normal(size=(5, 7))
    np.testing.assert_allclose(score(3 * Q, K), 3 * score(Q, K), rtol=1e-12)
    for d in (4, 64, 1024):
        constant = np.full((1, d), 0.5)
        assert np.linalg.norm(constant) == pytest.approx(math.sqrt(d) * 0.5)
        assert score(constant, constant)[0, 0] == pytest.approx(math.sqrt(d) * 0.25)
