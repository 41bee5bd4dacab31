"""Scaled scores, the whole of attention in one line, and what the scale is for."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.chapters.scaling.moments import DRAWS, assert_moments, seeds
from tests.support.twin_table import public, twin

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
def test_scaled_scores_take_the_width_of_the_queries_last_axis(
    n_q: int, n_k: int, d_k: int, library: str
) -> None:
    """Vectors of ones: each dot product is d_k, so each scaled score is its root."""
    found = twin(library, "scaling.scaled_scores")(
        np.ones((5, n_q, d_k)), np.ones((5, n_k, d_k))
    )
    np.testing.assert_allclose(found, math.sqrt(d_k), rtol=1e-12)


@pytest.mark.equation("eq-scaled-attention")
@pytest.mark.parametrize(
    ("n_q", "n_k", "d_k", "d_v"), [(2, 3, 5, 7), (3, 2, 11, 5), (1, 1, 2, 3)]
)
def test_attention_mixes_values_by_softmax_of_scaled_scores(
    n_q: int, n_k: int, d_k: int, d_v: int, library: str
) -> None:
    """Number by number, with loops and the mathematics of the standard library."""
    rng = np.random.default_rng(17)
    Q, K, V = (rng.normal(size=s) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    found = twin(library, "qkv.attention")(Q, K, V)
    assert found.shape == (n_q, d_v)
    for i in range(n_q):
        exps = [math.exp(math.fsum(Q[i] * k) / math.sqrt(d_k)) for k in K]
        weights = [exp / math.fsum(exps) for exp in exps]
        for f in range(d_v):
            wanted = math.fsum(a * v for a, v in zip(weights, V[:, f], strict=True))
            assert found[i, f] == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.equation("eq-root-temperature")
@pytest.mark.parametrize("d", [2, 7, 64])
def test_scaled_scores_are_softmax_at_the_temperature_of_the_root_of_the_width(
    d: int, library: str
) -> None:
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(3, d)), rng.normal(size=(5, d))
    scores = twin(library, "scaling.scaled_scores")(Q, K)
    weights = twin(library, "softmax.softmax")(scores)
    tempered = twin(library, "softmax.softmax")(Q @ K.T, temperature=math.sqrt(d))
    np.testing.assert_allclose(weights, tempered, rtol=1e-12)


# --- what it is for -------------------------------------------------------------------------------


@pytest.mark.theorem("thm-jacobian-norm")
@pytest.mark.equation("eq-jacobian-norm")
@given(seed=seeds, n=st.integers(1, 40), size=st.floats(0, 50))
def test_softmax_jacobian_norm_is_between_its_bounds(
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
def test_softmax_jacobian_norm_reaches_its_bounds_and_vanishes_at_certainty(
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
def test_gradient_by_the_query_is_the_key_minus_the_average_key_times_the_weight() -> (
    None
):
    rng = np.random.default_rng(14)
    q, K = rng.normal(size=(1, 7)), rng.normal(size=(5, 7))
    keys = torch.from_numpy(K)

    def weights(query: torch.Tensor) -> torch.Tensor:
        return torch.softmax(
            public("in_torch", "scaling.scaled_scores")(query, keys)[0], dim=-1
        )

    automatic = torch.autograd.functional.jacobian(weights, torch.from_numpy(q))
    a = np.exp(K @ q[0] / math.sqrt(7))
    a /= a.sum()
    for j in range(5):
        average_key = sum(a[m] * K[m] for m in range(5))
        wanted = a[j] / math.sqrt(7) * (K[j] - average_key)
        np.testing.assert_allclose(
            automatic[j, 0].numpy(), wanted, rtol=1e-10, atol=1e-14
        )


@pytest.mark.slow
def test_softmax_of_wide_rows_without_the_scale_is_one_hot(library: str) -> None:
    """At d = 1024, 16 keys have entropies of about 0.09 and 2.36 of 2.77 nats.

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
def test_scale_that_is_wrong_shows_at_two_widths(
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
