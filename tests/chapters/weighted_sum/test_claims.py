"""Chapter 1: what a weighted sum is, and the two theorems about averages."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from tests.support.twin_table import twin

N_Q, N_K, D = 3, 5, 7
RNG_SEED = 1


def example() -> tuple[np.ndarray, np.ndarray]:
    """Draw weights and values of distinct prime sizes; the weights are any numbers."""
    rng = np.random.default_rng(RNG_SEED)
    return rng.normal(size=(N_Q, N_K)), rng.normal(size=(N_K, D))


def averaging(weights: np.ndarray) -> np.ndarray:
    """Divide non-negative numbers by their sum, row by row."""
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.equation("eq-weighted-sum")
@pytest.mark.parametrize("name", ["weighted_sum", "weighted_sum_loop"])
def test_an_output_is_the_sum_of_weight_times_value(
    name: str, library: str
) -> None:
    """y_i = sum_j a_ij x_j, in plain Python numbers, feature by feature."""
    weights, values = example()
    out = twin(library, f"weighted_sum.{name}")(weights, values)
    a, x = weights.tolist(), values.tolist()
    for i in range(N_Q):
        for feature in range(D):
            wanted = sum(a[i][j] * x[j][feature] for j in range(N_K))
            assert out[i, feature] == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.equation("eq-weighted-sum-matrix")
def test_the_matrix_product_is_all_weighted_sums_at_once(library: str) -> None:
    """Y = A X: row i comes from row i of A alone, and value j enters through column j alone."""
    weights, values = example()
    out = twin(library, "weighted_sum.weighted_sum")(weights, values)
    loop = twin(library, "weighted_sum.weighted_sum_loop")(weights, values)
    row_by_row = [
        twin(library, "weighted_sum.weighted_sum")(row, values) for row in weights
    ]
    terms = [np.outer(weights[:, j], values[j]) for j in range(N_K)]
    for wanted in (loop, row_by_row, sum(terms)):
        np.testing.assert_allclose(out, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.equation("eq-average")
def test_averaging_equal_vectors_gives_that_vector(library: str) -> None:
    """Because the weights sum to 1; weights with another sum would scale the vector."""
    weights = averaging(np.random.default_rng(2).uniform(size=(N_Q, N_K)))
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    vector = np.arange(1.0, D + 1)
    values = np.tile(vector, (N_K, 1))
    weighted_sum = twin(library, "weighted_sum.weighted_sum")
    np.testing.assert_allclose(
        weighted_sum(weights, values), np.tile(vector, (N_Q, 1)), rtol=1e-12
    )
    np.testing.assert_allclose(
        weighted_sum(3 * weights, values), np.tile(3 * vector, (N_Q, 1)), rtol=1e-12
    )


@pytest.mark.equation("eq-average")
def test_uniform_weights_give_the_mean_and_one_hot_weights_a_copy(
    library: str,
) -> None:
    _, values = example()
    weighted_sum = twin(library, "weighted_sum.weighted_sum")
    mean = weighted_sum(np.full(N_K, 1 / N_K), values)
    np.testing.assert_allclose(
        mean, [np.mean(column) for column in values.T], rtol=1e-12
    )
    for j in range(N_K):
        np.testing.assert_array_equal(
            weighted_sum(np.eye(N_K)[j], values), values[j]
        )


@pytest.mark.equation("eq-average")
def test_an_average_lies_between_the_smallest_and_the_largest(library: str) -> None:
    weights, values = (
        averaging(np.random.default_rng(3).uniform(size=(N_Q, N_K))),
        example()[1],
    )
    out = twin(library, "weighted_sum.weighted_sum")(weights, values)
    assert (out > values.min(axis=0)).all()
    assert (out < values.max(axis=0)).all()


@pytest.mark.equation("eq-mean-variance")
@pytest.mark.parametrize("n", [2, 7, 31])
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_the_mean_of_n_values_has_an_nth_of_the_variance(
    draw: str, n: int, library: str
) -> None:
    """By simulation: the estimate of a variance from R draws errs by about sqrt(2/R) of it.

    That standard error is exact for normal values; the mean of uniform ones errs less. Five of
    them are allowed.
    """
    repetitions, sigma = 40_000, 3.0
    rng = np.random.default_rng(n)
    half_width = sigma * np.sqrt(
        3
    )  # a uniform value on (-w, w) has variance w^2 / 3
    samples = (
        rng.normal(scale=sigma, size=(n, repetitions))
        if draw == "normal"
        else rng.uniform(-half_width, half_width, size=(n, repetitions))
    )
    means = twin(library, "weighted_sum.weighted_sum")(np.full(n, 1 / n), samples)
    assert means.var() == pytest.approx(
        sigma**2 / n, rel=5 * np.sqrt(2 / repetitions)
    )


@pytest.mark.equation("eq-mean-variance")
def test_the_mean_of_copies_keeps_the_variance(library: str) -> None:
    """The rule needs independent values: n copies of one value are no better than one."""
    value = np.random.default_rng(4).normal(scale=3.0, size=10_000)
    means = twin(library, "weighted_sum.weighted_sum")(
        np.full(7, 1 / 7), np.tile(value, (7, 1))
    )
    assert means.var() == pytest.approx(value.var(), rel=1e-12)


def mixtures() -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    """Draw n non-negative weights, not all zero, and n points in d dimensions."""
    sizes = st.tuples(st.integers(1, 6), st.integers(1, 3))
    number = st.floats(-10, 10, allow_subnormal=False)
    share = st.one_of(st.just(0.0), st.floats(0.01, 1))
    return sizes.flatmap(
        lambda size: st.tuples(
            arrays(float, size[0], elements=share)
            .filter(lambda w: w.sum() > 0)
            .map(averaging),
            arrays(float, size, elements=number),
        )
    )


def hull_distance(point: np.ndarray, values: np.ndarray) -> float:
    """Return how far a point is from the convex hull of the values, in the largest coordinate.

    A linear program: the smallest t such that |sum_j l_j x_j - point| <= t for some l >= 0 with
    sum 1. It knows nothing of the weights that made the point.
    """
    n, d = values.shape
    t = -np.ones((d, 1))
    found = linprog(
        c=[*np.zeros(n), 1.0],
        A_ub=np.block([[values.T, t], [-values.T, t]]),
        b_ub=np.concatenate([point, -point]),
        A_eq=[[*np.ones(n), 0.0]],
        b_eq=[1.0],
    )
    assert found.status == 0
    return found.fun


@pytest.mark.theorem("thm-convex-hull")
@given(mixture=mixtures())
def test_an_average_lies_in_the_convex_hull_of_the_values(
    mixture: tuple[np.ndarray, np.ndarray], library: str
) -> None:
    weights, values = mixture
    out = twin(library, "weighted_sum.weighted_sum")(weights, values)
    assert hull_distance(out, values) < 1e-6


@pytest.mark.theorem("thm-convex-hull")
@given(mixture=mixtures(), seed=st.integers(0, 1000))
def test_no_direction_sees_an_average_outside_the_values(
    mixture: tuple[np.ndarray, np.ndarray], seed: int, library: str
) -> None:
    """The hull is what lies, in every direction, between the first and the last value."""
    weights, values = mixture
    out = twin(library, "weighted_sum.weighted_sum")(weights, values)
    directions = np.random.default_rng(seed).normal(size=(50, values.shape[1]))
    seen, bounds = directions @ out, directions @ values.T
    slack = 1e-9 * (1 + np.abs(bounds).max())
    assert (seen >= bounds.min(axis=1) - slack).all()
    assert (seen <= bounds.max(axis=1) + slack).all()


@pytest.mark.theorem("thm-convex-hull")
@pytest.mark.parametrize(
    "weights",
    [[1.5, -0.5, 0.0], [0.5, 0.5, 1.0]],
    ids=["sum 1 but one is negative", "not negative but sum 2"],
)
def test_both_conditions_on_the_weights_are_needed(
    weights: list[float], library: str
) -> None:
    triangle = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    out = twin(library, "weighted_sum.weighted_sum")(np.array(weights), triangle)
    assert hull_distance(out, triangle) > 0.2


@pytest.mark.theorem("thm-mean-pooling")
@given(
    outcomes=st.integers(2, 3).flatmap(
        lambda k: arrays(
            float, (k, 2), elements=st.floats(-10, 10, allow_subnormal=False)
        )
    ),
    n=st.integers(1, 5),
)
def test_mean_pooling_divides_each_features_variance_by_n(
    outcomes: np.ndarray, n: int, library: str
) -> None:
    """Exactly: every sequence of n vectors is listed, each vector one of k equally likely ones."""
    sequences = np.array(list(itertools.product(outcomes, repeat=n)))  # (k^n, n, 2)
    uniform = np.full((len(sequences), 1, n), 1 / n)
    pooled = twin(library, "weighted_sum.weighted_sum")(uniform, sequences)[:, 0]
    np.testing.assert_allclose(
        pooled.var(axis=0), outcomes.var(axis=0) / n, rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        pooled.mean(axis=0), outcomes.mean(axis=0), rtol=1e-9, atol=1e-9
    )


@pytest.mark.theorem("thm-mean-pooling")
def test_uniform_weights_pool_best(library: str) -> None:
    """Independent vectors mixed by any other average keep more variance: sum_j a_j^2 > 1/n."""
    outcomes = np.array([[0.0], [3.0], [6.0]])
    sequences = np.array(list(itertools.product(outcomes, repeat=3)))
    weights = np.tile([0.5, 0.3, 0.2], (len(sequences), 1, 1))
    pooled = twin(library, "weighted_sum.weighted_sum")(weights, sequences)
    assert pooled.var() == pytest.approx(outcomes.var() * (0.25 + 0.09 + 0.04))
    assert pooled.var() > outcomes.var() / 3
