"""What softmax and entropy make of numbers: 16 bits, other kinds, and the edges."""

import warnings

import numpy as np
import pytest
import scipy.special
import torch

from tests.support.comparison import HALF, assert_close, each_of_16_bits
from tests.support.twin_table import convert, in_numpy, public, twin


@pytest.mark.parametrize(
    "function", ["softmax.softmax", "softmax.log_softmax", "masks.masked_softmax"]
)
@each_of_16_bits
def test_softmax_in_16_bits_rounds_only_once(
    function: str, library: str, dtype: str
) -> None:
    """Computed in 32 bits, the result is the exact one rounded: half a unit in the last place."""
    scores = np.random.default_rng(5).normal(scale=3.0, size=(11, 1009))
    coarse = convert(library, scores, dtype)
    exact = twin("in_numpy", function)(in_numpy(coarse).astype(float))
    found = in_numpy(public(library, function)(coarse)).astype(float)
    # A float16 below 2**-14 has a fixed spacing of 2**-24. The factor is for the float32 part.
    atol = 2.0**-25 if dtype == "float16" else 0.0
    np.testing.assert_allclose(
        found, exact, rtol=1.01 * HALF[dtype], atol=1.01 * atol
    )


def test_softmax_in_float16_does_not_overflow_where_exp_does(
    library: str,
) -> None:
    """exp(12) does not fit into float16, whose largest number is 65504."""
    scores = np.array([12.0, 12.0, 11.0])
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(scores.astype(np.float16))[0])
    for offset in (0.0, 1e4):
        row = (scores + offset).astype(np.float16)
        found = twin(library, "softmax.softmax")(row)
        np.testing.assert_allclose(
            found, scipy.special.softmax(row.astype(float)), rtol=1e-3
        )


NAN_OR_ZERO = {
    "softmax": [(-np.inf, -np.inf), (np.inf, 1.0), (np.nan, 1.0), (-np.inf, 1.0)],
    "log_softmax": [
        (-np.inf, -np.inf),
        (np.inf, 1.0),
        (np.nan, 1.0),
        (-np.inf, 1.0),
    ],
    "entropy": [(-1.0, 2.0), (0.0, 1.0)],
}


@pytest.mark.parametrize("name", NAN_OR_ZERO)
def test_documented_nan_comes_without_a_warning_of_numpy(
    name: str, subtests: pytest.Subtests
) -> None:
    """Its "invalid value" is for surprises; these results are in the docstrings."""
    for row in NAN_OR_ZERO[name]:
        with subtests.test(row=row), warnings.catch_warnings():
            warnings.simplefilter("error")
            public("in_numpy", f"softmax.{name}")(np.array(row))


@pytest.mark.without_hook
def test_softmax_takes_integers_and_numpy_numbers_as_options(library: str) -> None:
    """A temperature of 2 is one of 2.0, and an axis may come out of a NumPy array."""
    softmax = public(library, "softmax.softmax")
    scores = convert(library, np.array([[0.0, 2.0], [4.0, 0.0]]))
    wanted = softmax(scores, axis=0, temperature=2.0)
    assert_close(softmax(scores, axis=np.int64(0), temperature=2), wanted, 0.0)
    assert_close(softmax(scores, axis=0, temperature=np.float32(2.0)), wanted, 0.0)


def test_entropy_of_a_softmax_with_masked_scores_has_a_gradient() -> None:
    """Weight 0 times log 0, differentiated: NaN in a careless version."""
    scores = torch.tensor(
        [1.0, -torch.inf, 2.0], dtype=torch.float64, requires_grad=True
    )
    weights = public("in_torch", "softmax.softmax")(scores)
    public("in_torch", "softmax.entropy")(weights).backward()
    finite = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    torch.distributions.Categorical(logits=finite).entropy().backward()
    assert scores.grad is not None and finite.grad is not None
    assert_close(scores.grad, [finite.grad[0], 0.0, finite.grad[1]], 1e-12)
