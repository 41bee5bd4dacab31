"""Chapter 2: every way to score a query against a key, from its definition."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.twin_table import twin

N_Q, N_K, D_Q, D_K, D_HIDDEN = 3, 5, 7, 11, 13

# A degree and a length of ordinary size, for vectors in the plane.
angles = st.floats(0, 2 * math.pi)
lengths = st.floats(0.01, 100)


def normal(*shape: int) -> np.ndarray:
    """Draw a standard normal array; the same for the same shape."""
    return np.random.default_rng(sum(shape)).normal(size=shape)


def plane(length: float, angle: float) -> np.ndarray:
    """Return the vector of this length at this angle, as a matrix of one row."""
    return length * np.array([[math.cos(angle), math.sin(angle)]])


def entry_by_entry(score: object, Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Fill the n_q x n_k grid by a function of two plain lists."""
    return np.array([[score(q, k) for k in K.tolist()] for q in Q.tolist()])  # type: ignore[operator]


def dot(q: list[float], k: list[float]) -> float:
    """Return the sum over a of q_a k_a, in plain Python."""
    return sum(a * b for a, b in zip(q, k, strict=True))


def normalized(exps: np.ndarray) -> np.ndarray:
    """Divide by the sum of each row."""
    return exps / exps.sum(axis=-1, keepdims=True)


@pytest.mark.equation("eq-dot-product")
def test_dot_scores_sum_the_products_of_the_features(library: str) -> None:
    q, k = normal(1, D_K), normal(1, D_K) + 1
    score = twin(library, "scores.dot_scores")(q, k)
    wanted = math.fsum(float(q[0, a]) * float(k[0, a]) for a in range(D_K))
    assert score.shape == (1, 1)
    assert score[0, 0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.equation("eq-dot-product")
def test_dot_scores_of_two_dislikes_agree(library: str) -> None:
    """Features of the same sign add to the score, features of opposite signs take away."""
    score = twin(library, "scores.dot_scores")
    user = np.array([[1.0, -1.0, 1.0]])
    assert score(user, np.array([[2.0, -3.0, 0.0]]))[0, 0] == 5
    assert score(user, np.array([[-2.0, 3.0, 0.0]]))[0, 0] == -5


@pytest.mark.equation("eq-dot-angle")
@given(r=lengths, alpha=angles, s=lengths, beta=angles)
def test_dot_scores_are_lengths_times_cosine(
    r: float, alpha: float, s: float, beta: float, library: str
) -> None:
    score = twin(library, "scores.dot_scores")(plane(r, alpha), plane(s, beta))
    assert score[0, 0] == pytest.approx(
        r * s * math.cos(alpha - beta), abs=1e-12 * r * s
    )


@pytest.mark.equation("eq-dot-angle")
@given(r=lengths, s=lengths, theta=st.floats(0, math.pi), seed=st.integers(0, 1000))
def test_dot_scores_know_the_angle_in_more_dimensions(
    r: float, s: float, theta: float, seed: int, library: str
) -> None:
    """Two vectors at a known angle in a plane, turned with that plane into eleven dimensions."""
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(D_K, D_K)))
    q, k = plane(r, 0.0) @ rotation[:2], plane(s, theta) @ rotation[:2]
    score = twin(library, "scores.dot_scores")(q, k)
    assert score[0, 0] == pytest.approx(r * s * math.cos(theta), abs=1e-12 * r * s)


@pytest.mark.equation("eq-dot-angle")
def test_dot_scores_let_length_outweigh_direction(library: str) -> None:
    """A key 100 long at 80 degrees scores 17.4, an aligned key of length 1 scores 1."""
    keys = np.concatenate([plane(100, math.radians(80)), plane(1, 0)])
    assert twin(library, "scores.dot_scores")(plane(1, 0), keys).round(
        1
    ).tolist() == [[17.4, 1.0]]


@pytest.mark.equation("eq-score-matrix")
def test_dot_scores_have_query_i_with_key_j_at_entry_i_j(library: str) -> None:
    Q, K = normal(N_Q, D_K), normal(N_K, D_K)
    scores = twin(library, "scores.dot_scores")(Q, K)
    np.testing.assert_allclose(
        scores, entry_by_entry(dot, Q, K), rtol=1e-12, atol=1e-12
    )


@pytest.mark.equation("eq-score-matrix")
def test_dot_scores_change_in_one_column_with_one_key(library: str) -> None:
    score = twin(library, "scores.dot_scores")
    Q, K = normal(N_Q, D_K), normal(N_K, D_K)
    changed = K.copy()
    changed[2] += 1
    same = np.isclose(score(Q, K), score(Q, changed), rtol=1e-12, atol=1e-12)
    assert same.all(axis=0).tolist() == [True, True, False, True, True]
    assert not same[:, 2].any()


@pytest.mark.equation("eq-score-scaled")
def test_scaled_scores_are_torchs_default(library: str) -> None:
    """q . k / sqrt(d_k), through torch's attention with V = I, which gives back the weights."""
    Q, K = normal(N_Q, D_K), normal(N_K, D_K)

    def torchs_log_weights(**options: float) -> np.ndarray:
        tensors = (torch.from_numpy(x) for x in (Q, K, np.eye(N_K)))
        return F.scaled_dot_product_attention(*tensors, **options).log().numpy()

    def centered(scores: np.ndarray) -> np.ndarray:
        """Take out what softmax does not see: a constant per row."""
        return scores - scores.mean(axis=-1, keepdims=True)

    dots = twin(library, "scores.dot_scores")(Q, K)
    scaled = entry_by_entry(lambda q, k: dot(q, k) / math.sqrt(D_K), Q, K)
    np.testing.assert_allclose(
        dots / math.sqrt(D_K), scaled, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        centered(scaled), centered(torchs_log_weights()), atol=1e-12
    )
    np.testing.assert_allclose(
        centered(dots), centered(torchs_log_weights(scale=1.0)), atol=1e-12
    )
    assert np.abs(centered(dots / D_K) - centered(torchs_log_weights())).max() > 0.1


@pytest.mark.equation("eq-score-cosine")
def test_cosine_scores_are_dot_products_over_both_lengths(library: str) -> None:
    Q, K = normal(N_Q, D_K), normal(N_K, D_K)
    wanted = entry_by_entry(
        lambda q, k: dot(q, k) / math.hypot(*q) / math.hypot(*k), Q, K
    )
    scores = twin(library, "scores.cosine_scores")(Q, K)
    np.testing.assert_allclose(scores, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.equation("eq-score-cosine")
@given(r=lengths, alpha=angles, s=lengths, beta=angles)
def test_cosine_scores_see_only_the_angle(
    r: float, alpha: float, s: float, beta: float, library: str
) -> None:
    score = twin(library, "scores.cosine_scores")(plane(r, alpha), plane(s, beta))
    assert score[0, 0] == pytest.approx(math.cos(alpha - beta), abs=1e-12)


@pytest.mark.equation("eq-score-general")
def test_general_scores_are_a_bilinear_form(library: str) -> None:
    """q W k^T = sum over a and b of q_a W_ab k_b."""
    Q, K, W = normal(N_Q, D_Q), normal(N_K, D_K), normal(D_Q, D_K)
    w = W.tolist()

    def score(q: list[float], k: list[float]) -> float:
        return sum(q[a] * w[a][b] * k[b] for a in range(D_Q) for b in range(D_K))

    scores = twin(library, "scores.general_scores")(Q, K, W)
    np.testing.assert_allclose(
        scores, entry_by_entry(score, Q, K), rtol=1e-12, atol=1e-11
    )


@pytest.mark.equation("eq-score-general")
def test_general_scores_of_the_identity_are_dot_products(
    library: str,
) -> None:
    general, X = twin(library, "scores.general_scores"), normal(N_K, D_K)
    np.testing.assert_allclose(
        general(X, X, np.eye(D_K)),
        entry_by_entry(dot, X, X),
        rtol=1e-12,
        atol=1e-12,
    )
    scores = general(X, X, np.triu(np.ones((D_K, D_K))))
    assert np.abs(scores - scores.T).max() > 1


@pytest.mark.equation("eq-score-additive")
def test_additive_scores_are_a_small_network(library: str) -> None:
    """v . tanh(q W_Q + k W_K), unit by unit."""
    Q, K, v = normal(N_Q, D_Q), normal(N_K, D_K), normal(D_HIDDEN)
    W_Q, W_K = normal(D_Q, D_HIDDEN), normal(D_K, D_HIDDEN)

    def score(q: list[float], k: list[float]) -> float:
        return sum(
            float(v[h])
            * math.tanh(dot(q, W_Q[:, h].tolist()) + dot(k, W_K[:, h].tolist()))
            for h in range(D_HIDDEN)
        )

    scores = twin(library, "scores.additive_scores")(Q, K, W_Q, W_K, v)
    np.testing.assert_allclose(
        scores, entry_by_entry(score, Q, K), rtol=1e-12, atol=1e-12
    )


@pytest.mark.equation("eq-score-additive")
def test_additive_scores_are_bounded_by_their_output_weights(library: str) -> None:
    """Unlike a dot product: tanh lies between -1 and 1, however long the vectors are."""
    v = normal(D_HIDDEN)
    weights = normal(D_Q, D_HIDDEN), normal(D_K, D_HIDDEN), v
    long = twin(library, "scores.additive_scores")(
        1e6 * normal(N_Q, D_Q), 1e6 * normal(N_K, D_K), *weights
    )
    assert np.abs(long).max() <= np.abs(v).sum() * (1 + 1e-12)


@pytest.mark.equation("eq-score-gaussian")
@pytest.mark.parametrize("h", [0.5, 1.0, 3.0])
def test_gaussian_scores_fall_with_the_squared_distance(
    h: float, library: str
) -> None:
    Q, K = normal(N_Q, D_K), normal(N_K, D_K)
    wanted = entry_by_entry(lambda q, k: -(math.dist(q, k) ** 2) / (2 * h**2), Q, K)
    scores = twin(library, "scores.gaussian_scores")(Q, K, bandwidth=h)
    np.testing.assert_allclose(scores, wanted, rtol=1e-12)


@pytest.mark.equation("eq-score-gaussian")
def test_gaussian_scores_at_one_bandwidth_are_minus_one_half(library: str) -> None:
    gaussian = twin(library, "scores.gaussian_scores")
    assert gaussian(plane(0, 0), plane(2.5, 1.0), bandwidth=2.5)[
        0, 0
    ] == pytest.approx(-0.5)
    assert gaussian(plane(2, 1), plane(2, 1))[0, 0] == 0


@pytest.mark.equation("eq-nadaraya-watson")
@pytest.mark.parametrize("h", [0.25, 1.0, 4.0])
def test_nadaraya_watson_averages_the_values_nearby(h: float, library: str) -> None:
    """The quotient of two sums of Gaussian kernels, point by point."""
    x_query, x, y = normal(N_Q), normal(N_K), normal(N_K) + 2
    found = twin(library, "scores.nadaraya_watson")(x_query, x, y, bandwidth=h)
    for i in range(N_Q):
        kernel = [
            math.exp(-((x_query[i] - x[j]) ** 2) / (2 * h**2)) for j in range(N_K)
        ]
        wanted = sum(kernel[j] * y[j] for j in range(N_K)) / sum(kernel)
        assert found[i] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.equation("eq-nadaraya-watson")
def test_nadaraya_watson_gives_the_mean_if_wide_and_the_nearest_value_if_narrow(
    library: str,
) -> None:
    regress = twin(library, "scores.nadaraya_watson")
    x, y = np.array([0.0, 1.0, 3.0]), np.array([5.0, 7.0, 30.0])
    np.testing.assert_allclose(
        regress(normal(N_Q), x, y, bandwidth=1e6), 14, rtol=1e-6
    )
    np.testing.assert_allclose(
        regress(x + 0.1, x, y, bandwidth=0.01), y, rtol=1e-12
    )


# Keys in the plane, or in more dimensions, of length 1; the query is free.
unit_keys = st.integers(0, 1000).flatmap(
    lambda seed: st.integers(1, 6).map(
        lambda d: (lambda K: K / np.linalg.norm(K, axis=1, keepdims=True))(
            np.random.default_rng(seed).normal(size=(N_K, d))
        )
    )
)
keys_and_query = unit_keys.flatmap(
    lambda K: st.tuples(
        st.just(K),
        arrays(
            float, (1, K.shape[1]), elements=st.floats(-5, 5, allow_subnormal=False)
        ),
    )
)


@pytest.mark.theorem("thm-gaussian-softmax")
@given(drawn=keys_and_query, h=st.floats(0.5, 5))
def test_softmax_weights_are_gaussian_kernel_weights_for_unit_keys(
    drawn: tuple[np.ndarray, np.ndarray], h: float, library: str
) -> None:
    """Left: softmax of q . k / h^2 by our functions. Right: the kernel by its definition."""
    K, q = drawn
    dots = twin(library, "scores.dot_scores")(q, K)
    by_softmax = twin(library, "softmax.softmax")(dots / h**2)
    distances = np.array([[math.dist(q[0], k) for k in K]])
    by_kernel = normalized(np.exp(-(distances**2) / (2 * h**2)))
    np.testing.assert_allclose(by_softmax, by_kernel, rtol=1e-9)


@pytest.mark.theorem("thm-gaussian-softmax")
@given(drawn=keys_and_query, h=st.floats(0.5, 5))
def test_dot_and_gaussian_scores_give_the_same_weights_for_unit_keys(
    drawn: tuple[np.ndarray, np.ndarray], h: float, library: str
) -> None:
    K, q = drawn
    softmax = twin(library, "softmax.softmax")
    by_dots = softmax(twin(library, "scores.dot_scores")(q, K), temperature=h**2)
    by_distance = softmax(
        twin(library, "scores.gaussian_scores")(q, K, bandwidth=h)
    )
    np.testing.assert_allclose(by_dots, by_distance, rtol=1e-9)


@pytest.mark.theorem("thm-gaussian-softmax")
def test_dot_and_gaussian_scores_differ_for_keys_of_unequal_length(
    library: str,
) -> None:
    """The dot product prefers the longer of two aligned keys, the kernel the nearer one."""
    q, K = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [3.0, 0.0]])
    by_dots = twin(library, "softmax.softmax")(
        twin(library, "scores.dot_scores")(q, K)
    )
    by_kernel = normalized(np.exp(twin(library, "scores.gaussian_scores")(q, K)))
    assert by_dots[0].argmax() == 1
    assert by_kernel[0].argmax() == 0
    assert np.abs(by_dots - by_kernel).max() > 0.7


@pytest.mark.theorem("thm-gaussian-softmax")
def test_dot_and_gaussian_scores_agree_for_any_common_length_of_the_keys(
    library: str,
) -> None:
    K = 4 * np.array([[1.0, 0.0], [0.6, 0.8], [0.0, -1.0]])
    q = np.array([[0.3, 0.7]])
    by_dots = twin(library, "softmax.softmax")(
        twin(library, "scores.dot_scores")(q, K)
    )
    by_kernel = normalized(np.exp(twin(library, "scores.gaussian_scores")(q, K)))
    np.testing.assert_allclose(by_dots, by_kernel, rtol=1e-9)
