"""What attention knows of order, and the three ways to tell it more."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chapters.order.inputs import (
    FLOAT64,
    D,
    N,
    alibi,
    causal,
    frequency,
    rotation,
)
from tests.support.attention_inputs import normal
from tests.support.twin_table import public, twin

Model = Callable[[np.ndarray], np.ndarray]
orders = st.permutations(range(N)).map(np.array)


def stack(library: str, depth: int, masked: bool = False, d: int = D) -> Model:
    """Return random layers: attention, then a step on each row, both added to their input."""
    attention = twin(library, "qkv.attention")
    weights = normal(depth, 4, d, d, seed=1) / math.sqrt(d)

    def run(X: np.ndarray) -> np.ndarray:
        for W_Q, W_K, W_V, W in weights:
            mask = causal(len(X)) if masked else None
            X = X + attention(X @ W_Q, X @ W_K, X @ W_V, mask=mask)
            X = X + np.tanh(X @ W)
        return X

    return run


def sinusoids(library: str, n: int, d: int, base: float = 10000.0) -> np.ndarray:
    """Return the encoding in float64."""
    function = twin(library, "order.sinusoidal_encoding")
    return function(n, d, base=base, dtype=FLOAT64)


# --- order blindness ------------------------------------------------------------------------------


@pytest.mark.equation("eq-permute-rows", formula=True)
@given(order=orders)
def test_permutation_matrix_picks_rows(order: np.ndarray) -> None:
    P, X = np.zeros((N, N)), normal(N, D)
    for i in range(N):
        P[i, order[i]] = 1
    for i in range(N):
        np.testing.assert_array_equal((P @ X)[i], X[order[i]])
    np.testing.assert_array_equal(P.T @ P, np.eye(N))


@pytest.mark.equation("eq-key-order")
@pytest.mark.theorem("thm-key-order")
@given(order=orders)
def test_attention_does_not_depend_on_the_order_of_keys_and_values(
    order: np.ndarray, library: str
) -> None:
    """Reordered together. Values reordered alone are another question, and another answer."""
    Q, K, V = normal(4, D), normal(N, D, seed=1), normal(N, D + 1, seed=2)
    attention = twin(library, "qkv.attention")
    wanted = attention(Q, K, V)
    np.testing.assert_allclose(attention(Q, K[order], V[order]), wanted, rtol=1e-12)
    if list(order) != list(range(N)):
        assert np.abs(attention(Q, K, V[order]) - wanted).max() > 1e-6


@pytest.mark.equation("eq-equivariance")
@given(order=orders)
def test_attention_moves_weights_and_outputs_with_their_words(
    order: np.ndarray, library: str
) -> None:
    """One layer: the rows of the outputs, and rows and columns of the weights."""
    X, (W_Q, W_K, W_V) = normal(N, D), normal(3, D, D, seed=1)
    attention = twin(library, "qkv.attention")
    weights = twin(library, "qkv.attention_weights")

    def both(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        return attention(Q, K, V), weights(Q, K)

    (Y, A), (Y_moved, A_moved) = both(X), both(X[order])
    np.testing.assert_allclose(Y_moved, Y[order], rtol=1e-9)
    np.testing.assert_allclose(A_moved, A[order][:, order], rtol=1e-9)


@pytest.mark.theorem("thm-equivariance")
@given(order=orders, depth=st.integers(1, 4))
def test_stack_without_positions_or_mask_is_equivariant(
    order: np.ndarray, depth: int, library: str
) -> None:
    """Any depth; the mean of the outputs does not change, and a mask spoils it."""
    X, run = normal(N, D), stack(library, depth)
    Y = run(X)
    np.testing.assert_allclose(run(X[order]), Y[order], atol=1e-10)
    np.testing.assert_allclose(run(X[order]).mean(0), Y.mean(0), atol=1e-10)
    if list(order) != list(range(N)):
        masked = stack(library, depth, masked=True)
        assert np.abs(masked(X[order]) - masked(X)[order]).max() > 1e-6


@pytest.mark.theorem("thm-causal-sets")
@given(order=st.permutations(range(N - 1)), t=st.integers(2, N))
def test_causal_layer_sees_a_set_before_each_word(
    order: list[int], t: int, library: str
) -> None:
    """Output t stays the same, whatever the order of the words before it; earlier ones do not."""
    before = np.array([j for j in order if j < t - 1])
    shuffled = np.concatenate([before, np.arange(t - 1, N)]).astype(int)
    X, run = normal(N, D), stack(library, 1, masked=True)
    np.testing.assert_allclose(run(X[shuffled])[t - 1], run(X)[t - 1], atol=1e-12)


@pytest.mark.theorem("thm-causal-sets")
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("i", [2, 3, 4])
def test_causal_layers_see_the_order_if_they_are_two(
    i: int, depth: int, library: str
) -> None:
    """Every order of the words before output i gives another one, if there are two of them."""
    X, run = normal(5, D), stack(library, depth, masked=True)
    outputs = [
        run(X[[*order, *range(i, 5)]])[i]
        for order in itertools.permutations(range(i))
    ]
    assert len(outputs) == math.factorial(i) >= 2
    for one, other in itertools.combinations(outputs, 2):
        assert np.abs(one - other).max() > 1e-6


@pytest.mark.equation("eq-causal-count")
@given(n=st.integers(1, 40))
def test_causal_layer_with_equal_scores_counts_the_words(
    n: int, library: str
) -> None:
    """A mark on word 0 only: the causal mean of it is 1/(i + 1) at word i."""
    mark = np.zeros((n, 1))
    mark[0] = 1
    attention = twin(library, "masks.causal_attention")
    found = attention(np.zeros((n, 2)), np.zeros((n, 2)), mark)
    np.testing.assert_allclose(found[:, 0], [1 / (i + 1) for i in range(n)])


def blind(library: str) -> dict[str, Model]:
    """Return the models of the table whose last output cannot depend on earlier order."""
    attention = twin(library, "qkv.attention")
    turn = twin(library, "order.rotary")
    return {
        "bag of words": lambda X: np.tile(X.mean(axis=0), (len(X), 1)),
        "attention": stack(library, 1),
        "attention, three layers": stack(library, 3),
        "causal, one layer": stack(library, 1, masked=True),
        "the same angle everywhere": lambda X: attention(
            *(turn(X, np.full(len(X), 3)) for _ in range(2)), X
        ),
    }


def sighted(library: str) -> dict[str, Model]:
    """Return the models of the table whose last output does depend on it."""
    attention, turn = twin(library, "qkv.attention"), twin(library, "order.rotary")
    plain, P = stack(library, 1), sinusoids(library, N, D)

    def rotary(X: np.ndarray) -> np.ndarray:
        turned = turn(X, np.arange(len(X)))
        return attention(turned, turned, X)

    def with_bias(X: np.ndarray) -> np.ndarray:
        return attention(X, X, X, bias=alibi(library, 1, len(X))[0] * 64)

    return {
        "causal, two layers": stack(library, 2, masked=True),
        "sinusoids added": lambda X: plain(X + P),
        "any rows added": lambda X: plain(X + normal(N, D, seed=9)),
        "rotary": rotary,
        "alibi": with_bias,
    }


@pytest.mark.parametrize("name", blind("in_numpy"))
@given(order=st.permutations(range(N - 1)))
def test_order_is_not_told_by_blind_models(
    name: str, order: list[int], library: str
) -> None:
    X, model = normal(N, D), blind(library)[name]
    np.testing.assert_allclose(model(X[[*order, N - 1]])[-1], model(X)[-1])


@pytest.mark.parametrize("name", sighted("in_numpy"))
def test_order_is_told_by_sighted_models(name: str, library: str) -> None:
    """Every swap of two earlier words moves the last output."""
    X, model = normal(N, D), sighted(library)[name]
    for i, j in itertools.combinations(range(N - 1), 2):
        order = np.arange(N)
        order[[i, j]] = j, i
        assert np.abs(model(X[order])[-1] - model(X)[-1]).max() > 1e-6


def test_bias_that_is_symmetric_cannot_tell_left_from_right(library: str) -> None:
    """Without a mask, ALiBi sees distances only: mirrored words give mirrored outputs."""
    X, attention = normal(N, D), twin(library, "qkv.attention")
    bias, turn = alibi(library, 1, N)[0] * 64, twin(library, "order.rotary")
    Y = attention(X, X, X, bias=bias)
    np.testing.assert_allclose(
        attention(X[::-1], X[::-1], X[::-1], bias=bias), Y[::-1]
    )
    W = normal(
        D, D, seed=2
    )  # queries and keys that differ, or rotary is symmetric, too

    def rotary(X: np.ndarray) -> np.ndarray:
        return attention(turn(X @ W, np.arange(N)), turn(X, np.arange(N)), X)

    assert np.abs(rotary(X[::-1]) - rotary(X)[::-1]).max() > 1e-3


# --- sinusoids ------------------------------------------------------------------------------------


@pytest.mark.equation("eq-frequencies")
@pytest.mark.parametrize("d", [2, 4, 6, 64])
def test_sinusoidal_encoding_frequencies_fall_from_one_in_equal_ratios(
    d: int, library: str
) -> None:
    """Read off the encoding: the angle of pair f at position 1 is its frequency."""
    row = sinusoids(library, 2, d)[1]
    found = np.arctan2(row[0::2], row[1::2])
    wanted = [frequency(f, d) for f in range(d // 2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert found[0] == pytest.approx(1)
    if d > 2:
        np.testing.assert_allclose(found[1:] / found[:-1], 10000 ** (-2 / d))


@pytest.mark.equation("eq-sinusoids")
def test_sinusoidal_encoding_entry_by_entry(library: str) -> None:
    P = sinusoids(library, 50, D)
    for i, f in itertools.product(range(50), range(D // 2)):
        angle = i * frequency(f, D)
        assert P[i, 2 * f] == pytest.approx(math.sin(angle), abs=1e-12)
        assert P[i, 2 * f + 1] == pytest.approx(math.cos(angle), abs=1e-12)


@pytest.mark.equation("eq-shift-rotation")
@pytest.mark.theorem("thm-shift")
@given(shift=st.integers(0, 60), base=st.sampled_from([3.0, 100.0, 10000.0]))
def test_sinusoidal_encoding_shift_is_a_rotation(
    shift: int, base: float, library: str
) -> None:
    """One matrix, the same for every position, and orthogonal: p_(i + k) = p_i R_k^T."""
    P = sinusoids(library, 100, D, base)
    R = rotation(shift, D, base)
    np.testing.assert_allclose(P[shift:], P[: 100 - shift] @ R.T, atol=1e-12)
    np.testing.assert_allclose(R @ R.T, np.eye(D), atol=1e-14)


@pytest.mark.equation("eq-sinusoid-dot")
@given(i=st.integers(0, 500), j=st.integers(0, 500))
def test_sinusoidal_encoding_dot_products_depend_on_the_distance(
    i: int, j: int, library: str
) -> None:
    P = sinusoids(library, 501, D)
    wanted = sum(math.cos((i - j) * frequency(f, D)) for f in range(D // 2))
    assert P[i] @ P[j] == pytest.approx(wanted, abs=1e-11)
    assert P[i] @ P[i] == pytest.approx(D / 2, rel=1e-12)


@pytest.mark.parametrize("back", [0, 1, 3])
def test_sinusoidal_encoding_looks_back_by_a_rotation_as_query_matrix(
    back: int, library: str
) -> None:
    """The use of the theorem: W_Q = c R_back, W_K = I; each query finds the word `back` ago."""
    P = sinusoids(library, 30, 64)
    weights = twin(library, "qkv.attention_weights")(
        100 * P @ rotation(back, 64), P
    )
    found = weights[back:].argmax(axis=-1)
    np.testing.assert_array_equal(found, np.arange(30 - back))
    assert weights[back:].max(axis=-1).min() > 0.9


@pytest.mark.equation("eq-four-terms")
def test_score_of_sums_is_four_terms(library: str) -> None:
    X, P, M = normal(N, D), sinusoids(library, N, D), normal(D, D, seed=1)
    scores = twin(library, "scores.general_scores")(X + P, X + P, M)
    for i, j in itertools.product(range(N), range(N)):
        terms = [
            a @ M @ b for a, b in itertools.product((X[i], P[i]), (X[j], P[j]))
        ]
        assert scores[i, j] == pytest.approx(sum(terms), rel=1e-10)


# --- defaults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "sizes"), [("sinusoidal_encoding", (5, 6)), ("alibi_bias", (3, 5))]
)
def test_default_dtype_of_encodings_is_the_librarys(
    function: str, sizes: tuple[int, ...]
) -> None:
    """float64 in NumPy; in PyTorch what `torch.set_default_dtype` says, at first float32."""
    by_numpy = public("in_numpy", f"order.{function}")(*sizes)
    by_torch = public("in_torch", f"order.{function}")(*sizes)
    assert by_numpy.dtype == np.float64
    assert str(by_torch.dtype) == "torch.float32"
    np.testing.assert_allclose(by_torch.numpy(), by_numpy, rtol=1e-6, atol=1e-7)
