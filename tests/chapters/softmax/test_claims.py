"""Softmax: its temperature, its entropy, what it does best, and its derivative."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.twin_table import public, twin

SCORES = np.array([0.5, -1.0, 2.0, 0.0, 1.5])
N = len(SCORES)

# Scores of ordinary size, one row of two to seven.
rows = st.integers(2, 7).flatmap(
    lambda n: arrays(float, n, elements=st.floats(-20, 20, allow_subnormal=False))
)


def by_definition(scores: np.ndarray, T: float = 1.0) -> np.ndarray:
    """Return exp(s_j / T) over its sum, in plain Python numbers."""
    exps = [math.exp(s / T) for s in scores.tolist()]
    return np.array([p / math.fsum(exps) for p in exps])


def surprise(weights: np.ndarray) -> float:
    """Return -sum_j a_j log a_j over the weights that are not 0, in plain Python numbers."""
    return -math.fsum(a * math.log(a) for a in weights.tolist() if a > 0)


@pytest.mark.equation("eq-softmax")
def test_softmax_is_exp_over_the_sum_of_exps(library: str) -> None:
    weights = twin(library, "softmax.softmax")(SCORES)
    np.testing.assert_allclose(weights, by_definition(SCORES), rtol=1e-12)


@pytest.mark.equation("eq-softmax")
@given(scores=rows)
def test_softmax_is_positive_sums_to_one_and_keeps_the_order(
    scores: np.ndarray, library: str
) -> None:
    weights = twin(library, "softmax.softmax")(scores)
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert (np.diff(weights[np.argsort(scores)]) >= 0).all()


@pytest.mark.equation("eq-softmax")
def test_softmax_makes_each_row_its_own_distribution(library: str) -> None:
    """Along the right axis: every row sums to 1, whatever stands in the others."""
    scores = np.stack([SCORES, SCORES[::-1] + 100, -SCORES])
    weights = twin(library, "softmax.softmax")(scores)
    for row, wanted in zip(weights, map(by_definition, scores), strict=True):
        np.testing.assert_allclose(row, wanted, rtol=1e-12)


@pytest.mark.equation("eq-softmax-shift")
@pytest.mark.parametrize("c", [-1000.0, -1.0, 3.0, 1e6])
def test_softmax_is_blind_to_a_constant_added_to_all_scores(
    c: float, library: str
) -> None:
    """Even where exp of the shifted scores is 0 or infinite. The scores are exact in binary."""
    weights = twin(library, "softmax.softmax")(SCORES + c)
    np.testing.assert_allclose(weights, by_definition(SCORES), rtol=1e-12)


@pytest.mark.theorem("thm-shift-invariance")
@given(scores=rows, c=st.floats(-1e4, 1e4, allow_subnormal=False))
def test_softmax_is_invariant_to_shifts(
    scores: np.ndarray, c: float, library: str
) -> None:
    """Adding c rounds the scores at 1e4 to about 2e-12, and the weights no more than that."""
    for name, error in (
        ("softmax", {"rtol": 1e-11}),
        ("log_softmax", {"atol": 1e-11, "rtol": 0}),
    ):
        function = twin(library, f"softmax.{name}")
        np.testing.assert_allclose(function(scores + c), function(scores), **error)


@pytest.mark.theorem("thm-shift-invariance")
def test_softmax_allows_a_constant_for_each_row_but_not_for_each_column(
    library: str,
) -> None:
    softmax = twin(library, "softmax.softmax")
    scores = np.stack([SCORES, 2 * SCORES, -SCORES])
    per_row, per_column = np.array([[1.0], [-2.0], [5.0]]), np.arange(N)
    np.testing.assert_allclose(
        softmax(scores + per_row), softmax(scores), rtol=1e-12
    )
    assert np.abs(softmax(scores + per_column) - softmax(scores)).max() > 0.1


@pytest.mark.equation("eq-temperature")
@pytest.mark.parametrize("T", [0.25, 1.0, 4.0])
def test_softmax_temperature_divides_the_scores(T: float, library: str) -> None:
    weights = twin(library, "softmax.softmax")(SCORES, temperature=T)
    np.testing.assert_allclose(weights, by_definition(SCORES, T), rtol=1e-12)


@pytest.mark.equation("eq-temperature")
def test_softmax_temperature_raises_ratios_to_the_power_of_one_over_T(
    library: str,
) -> None:
    softmax = twin(library, "softmax.softmax")
    cold, warm = softmax(SCORES), softmax(SCORES, temperature=3.0)
    np.testing.assert_allclose(
        warm / warm[0], (cold / cold[0]) ** (1 / 3), rtol=1e-12
    )


@pytest.mark.equation("eq-temperature-limits")
@pytest.mark.parametrize("T", [0.3, 0.1, 0.03, 0.01, 1e-3, 1e-30])
def test_softmax_in_the_cold_approaches_one_hot_at_the_unique_maximum(
    T: float, library: str
) -> None:
    """The others get at most (n - 1) exp(-gap/T), where gap is the lead of the largest score."""
    weights = twin(library, "softmax.softmax")(SCORES, temperature=T)
    gap = 2.0 - 1.5
    rest = np.delete(weights, 2).sum()
    assert rest <= (N - 1) * math.exp(-gap / T)
    assert weights[2] == pytest.approx(1, abs=(N - 1) * math.exp(-gap / T))


@pytest.mark.equation("eq-temperature-limits")
@pytest.mark.parametrize("T", [10.0, 1e3, 1e6, 1e30])
def test_softmax_in_the_heat_approaches_uniform_weights(
    T: float, library: str
) -> None:
    """Weights differ from 1/n by a factor between exp(-range/T) and exp(range/T)."""
    weights = twin(library, "softmax.softmax")(SCORES, temperature=T)
    spread = math.expm1(np.ptp(SCORES) / T)
    np.testing.assert_allclose(weights, 1 / N, rtol=spread + 1e-12)


@pytest.mark.equation("eq-temperature-limits")
def test_softmax_in_the_cold_lets_tied_maxima_share_the_weight(
    library: str,
) -> None:
    weights = twin(library, "softmax.softmax")(
        np.array([3.0, 1.0, 3.0]), temperature=1e-3
    )
    np.testing.assert_allclose(weights, [0.5, 0, 0.5], atol=1e-12)


@pytest.mark.equation("eq-log-softmax")
def test_log_softmax_is_the_score_minus_the_log_of_the_sum(library: str) -> None:
    found = twin(library, "softmax.log_softmax")(SCORES)
    log_sum = math.log(math.fsum(math.exp(s) for s in SCORES))
    np.testing.assert_allclose(found, SCORES - log_sum, rtol=1e-12)
    np.testing.assert_allclose(np.exp(found), by_definition(SCORES), rtol=1e-12)


@pytest.mark.equation("eq-log-softmax")
def test_log_softmax_knows_weights_that_round_to_zero(library: str) -> None:
    scores = np.array([0.0, 2000.0, 1000.0])
    assert twin(library, "softmax.softmax")(scores)[0] == 0
    assert twin(library, "softmax.log_softmax")(scores).tolist() == [
        -2000,
        0,
        -1000,
    ]


@pytest.mark.equation("eq-log-softmax")
@given(scores=rows)
def test_log_softmax_is_at_most_zero(scores: np.ndarray, library: str) -> None:
    assert (twin(library, "softmax.log_softmax")(scores) <= 0).all()


@pytest.mark.equation("eq-entropy")
@given(scores=rows)
def test_entropy_is_between_zero_and_the_log_of_n(
    scores: np.ndarray, library: str
) -> None:
    weights = by_definition(scores)
    found = float(twin(library, "softmax.entropy")(weights))
    assert found == pytest.approx(surprise(weights), rel=1e-12, abs=1e-14)
    assert -1e-12 <= found <= math.log(len(weights)) + 1e-12


@pytest.mark.equation("eq-entropy")
@pytest.mark.parametrize("n", [1, 2, 5, 1000])
def test_entropy_reaches_both_ends(n: int, library: str) -> None:
    entropy = twin(library, "softmax.entropy")
    assert float(entropy(np.full(n, 1 / n))) == pytest.approx(
        math.log(n), rel=1e-12
    )
    assert float(entropy(np.eye(n)[0])) == 0


def compromise(library: str, weights: np.ndarray, scores: np.ndarray, T: float):
    """Return the average score plus T times the entropy, for each row of weights."""
    nats = np.asarray(twin(library, "softmax.entropy")(weights))
    return weights @ scores + T * nats


@pytest.mark.equation("eq-best-compromise")
@pytest.mark.parametrize("T", [0.3, 1.0, 4.0])
def test_softmax_compromise_is_a_constant_less_the_distance_from_it(
    T: float, library: str
) -> None:
    """Also for weights of 0: c + T sum_j a_j log(p_j / a_j), with c = T log sum_m exp(s_m / T)."""
    p = np.asarray(twin(library, "softmax.softmax")(SCORES, temperature=T))
    c = T * math.log(math.fsum(math.exp(s / T) for s in SCORES))
    draws = np.random.default_rng(3).dirichlet(np.full(N, 0.7), size=20)
    without_two = draws * (np.arange(N) > 1)
    without_two /= without_two.sum(axis=1, keepdims=True)
    for a in [*draws, *without_two, np.eye(N)[3], p]:
        gap = math.fsum(a[j] * math.log(p[j] / a[j]) for j in range(N) if a[j] > 0)
        found = float(compromise(library, a, SCORES, T))
        assert found == pytest.approx(c + T * gap, rel=1e-12, abs=1e-12)


@pytest.mark.theorem("thm-softmax-best")
@given(scores=rows, T=st.floats(0.2, 5), seed=st.integers(0, 1000))
def test_softmax_is_the_best_compromise_of_score_and_entropy(
    scores: np.ndarray, T: float, seed: int, library: str
) -> None:
    """No draw is better, at a corner or next to softmax neither; all that differ are worse."""
    best = np.asarray(twin(library, "softmax.softmax")(scores, temperature=T))
    n = len(scores)
    draws = np.random.default_rng(seed).dirichlet(np.ones(n), size=50)
    others = np.concatenate([draws, np.eye(n), 0.9 * best + 0.1 * draws])
    ahead = float(compromise(library, best, scores, T)) - compromise(
        library, others, scores, T
    )
    assert ahead.min() > -1e-11
    # Pinsker's inequality: the gap is at least T/2 times the squared sum of differences.
    apart = np.abs(others - best).sum(axis=1)
    assert (ahead >= T / 2 * apart**2 - 1e-11).all()


@pytest.mark.equation("eq-expected-value")
def test_weighted_sum_is_the_expected_value_by_enumeration(
    library: str,
) -> None:
    """With weights in hundredths: write value j down a_j times 100, and take the plain mean."""
    hundredths = np.array([7, 13, 50, 11, 19])
    values = np.random.default_rng(1).normal(size=(N, 3))
    urn = np.concatenate(
        [
            np.tile(x, (count, 1))
            for x, count in zip(values, hundredths, strict=True)
        ]
    )
    out = twin(library, "weighted_sum.weighted_sum")(hundredths / 100, values)
    assert len(urn) == 100
    np.testing.assert_allclose(out, urn.mean(axis=0), rtol=1e-12)


@pytest.mark.equation("eq-expected-value")
def test_weighted_sum_is_the_expected_value_by_sampling(library: str) -> None:
    """The mean of R draws of x_J errs by its standard deviation over sqrt(R); five are allowed."""
    draws = 100_000
    rng = np.random.default_rng(2)
    weights = twin(library, "softmax.softmax")(SCORES)
    values = rng.normal(size=(N, 3))
    drawn = values[rng.choice(N, size=draws, p=weights)]
    error = np.abs(
        drawn.mean(axis=0)
        - twin(library, "weighted_sum.weighted_sum")(weights, values)
    )
    allowed = 5 * drawn.std(axis=0) / math.sqrt(draws)
    assert (error < allowed).all()
    assert (
        allowed < 0.03
    ).all()  # small beside the spread of the values: the test can fail


def slopes(scores: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Return the derivative of every weight (row) by every score (column), by differences."""
    columns = [
        (by_definition(scores + step * unit) - by_definition(scores - step * unit))
        / (2 * step)
        for unit in np.eye(len(scores))
    ]
    return np.array(columns).T


@pytest.mark.equation("eq-softmax-jacobian")
def test_softmax_jacobian_is_what_differences_show(library: str) -> None:
    """Entry (j, m) is a_j (delta_jm - a_m); differences of step 1e-5 err by about 1e-10."""
    a = by_definition(SCORES)
    found = twin(library, "softmax.softmax_jacobian")(a)
    np.testing.assert_allclose(found, slopes(SCORES), atol=1e-9)
    for j, m in itertools.product(range(N), repeat=2):
        assert found[j, m] == pytest.approx(a[j] * ((j == m) - a[m]), abs=1e-15)


@pytest.mark.theorem("thm-softmax-jacobian")
@given(scores=rows.map(lambda row: row / 5))
def test_softmax_jacobian_is_diagonal_minus_outer_product(
    scores: np.ndarray, library: str
) -> None:
    """Against differences of our own softmax and, in PyTorch, its gradients, on any scores."""
    softmax = twin(library, "softmax.softmax")
    found = twin(library, "softmax.softmax_jacobian")(softmax(scores))
    step = 1e-5
    columns = [
        (softmax(scores + step * unit) - softmax(scores - step * unit)) / (2 * step)
        for unit in np.eye(len(scores))
    ]
    np.testing.assert_allclose(found, np.transpose(columns), atol=1e-9)
    by_autograd = torch.autograd.functional.jacobian(
        public("in_torch", "softmax.softmax"), torch.from_numpy(scores)
    )
    np.testing.assert_allclose(found, by_autograd.numpy(), atol=1e-12)


@pytest.mark.theorem("thm-softmax-jacobian")
@given(scores=rows)
def test_softmax_jacobian_is_symmetric_blind_to_shifts_and_never_negative(
    scores: np.ndarray, library: str
) -> None:
    """J = J^T; J times (1, ..., 1) is 0; u^T J u is the variance of u, so no eigenvalue is < 0."""
    J = twin(library, "softmax.softmax_jacobian")(by_definition(scores))
    np.testing.assert_array_equal(J, J.T)
    np.testing.assert_allclose(J.sum(axis=1), 0, atol=1e-14)
    assert np.linalg.eigvalsh(J).min() > -1e-14


def entropy_at(library: str, scores: np.ndarray, T: float) -> float:
    """Return the entropy of the weights at a temperature, by our functions."""
    weights = twin(library, "softmax.softmax")(scores, temperature=T)
    return float(twin(library, "softmax.entropy")(weights))


@pytest.mark.equation("eq-entropy-slope")
@pytest.mark.parametrize("T", [0.4, 1.0, 3.0])
def test_entropy_grows_at_the_variance_of_the_scores_over_T_cubed(
    T: float, library: str
) -> None:
    """dH/dT by differences: step 1e-4 T, error about 1e-8 of the slope."""
    a, step = by_definition(SCORES, T), 1e-4 * T
    mean = sum(a * SCORES)
    variance = sum(a * (SCORES - mean) ** 2)
    slope = (
        entropy_at(library, SCORES, T + step)
        - entropy_at(library, SCORES, T - step)
    ) / (2 * step)
    assert slope == pytest.approx(variance / T**3, rel=1e-6)


@pytest.mark.theorem("thm-entropy-temperature")
@given(
    scores=st.lists(st.integers(-5, 5), min_size=2, max_size=7).filter(
        lambda s: len(set(s)) > 1
    ),
    T=st.floats(0.3, 5),
    factor=st.floats(1.1, 3),
)
def test_entropy_strictly_grows_with_temperature(
    scores: list[int], T: float, factor: float, library: str
) -> None:
    row = np.array(scores, dtype=float)
    assert entropy_at(library, row, T) < entropy_at(library, row, factor * T)
    with_a_masked_one = np.append(row, -np.inf)
    assert entropy_at(library, with_a_masked_one, T) == pytest.approx(
        entropy_at(library, row, T)
    )


@pytest.mark.theorem("thm-entropy-temperature")
@pytest.mark.parametrize("T", [0.1, 1.0, 10.0])
def test_entropy_stays_where_all_finite_scores_are_equal(
    T: float, library: str
) -> None:
    scores = np.array([2.0, 2.0, -np.inf, 2.0])
    assert entropy_at(library, scores, T) == pytest.approx(math.log(3), rel=1e-12)
