"""The page `learning`: a loss, a gradient step, and the derivative of the cross-entropy."""

import numpy as np
import pytest

from tests.support.twin_table import twin

RNG = np.random.default_rng(7)
KEYS, RATINGS, QUERY = (
    RNG.normal(size=(5, 3)),
    RNG.normal(size=5),
    RNG.normal(size=3),
)


def loss(q: np.ndarray) -> float:
    """Return the mean squared error, rating by rating."""
    errors = [float(q @ k) - r for k, r in zip(KEYS, RATINGS, strict=True)]
    return sum(error * error for error in errors) / len(errors)


@pytest.mark.equation("eq-squared-loss", formula=True)
def test_squared_loss_is_zero_exactly_where_all_ratings_are_met() -> None:
    taste, *_ = np.linalg.lstsq(KEYS[:3], RATINGS[:3])
    met = KEYS[:3] @ taste
    np.testing.assert_allclose(met, RATINGS[:3])
    shifted = ((KEYS[:3] @ (taste + 0.1) - RATINGS[:3]) ** 2).mean()
    assert shifted > 0
    assert loss(QUERY) == pytest.approx(((KEYS @ QUERY - RATINGS) ** 2).mean())


@pytest.mark.equation("eq-gradient-step", formula=True)
def test_gradient_step_goes_down_by_the_slope_times_the_step() -> None:
    gradient = 2 * (KEYS @ QUERY - RATINGS) @ KEYS / len(RATINGS)
    eta = 1e-6
    fallen = loss(QUERY) - loss(QUERY - eta * gradient)
    assert fallen == pytest.approx(eta * gradient @ gradient, rel=1e-4)


@pytest.mark.equation("eq-cross-entropy")
def test_cross_entropy_has_the_weights_minus_the_answer_as_derivative(
    library: str,
) -> None:
    """Minus one over the weight of the answer, times its row of the Jacobian of softmax."""
    scores, answer = KEYS @ QUERY, 3
    weights = twin(library, "softmax.softmax")(scores)
    row = twin(library, "softmax.softmax_jacobian")(weights)[answer]
    np.testing.assert_allclose(
        -row / weights[answer], weights - np.eye(5)[answer], rtol=1e-12, atol=1e-14
    )
