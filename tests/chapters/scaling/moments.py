"""How means and variances of random draws are checked."""

import math

import numpy as np
from hypothesis import strategies as st

DRAWS = 40_000

seeds = st.integers(0, 10_000)


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
