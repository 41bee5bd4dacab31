"""Positions as angles and as distances, and what scores then depend on."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chapters.order.inputs import D, N, alibi, causal, frequency, rotation
from tests.support.attention_inputs import normal
from tests.support.twin_table import twin

offsets = st.integers(-1000, 1000)


# --- rotary ---------------------------------------------------------------------------------------


@pytest.mark.equation("eq-rotary-pair")
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_turns_each_pair_by_its_angle(
    interleaved: bool, library: str
) -> None:
    X, positions = normal(N, D), np.array([0, 1, 2, 11, 5, 5, -3])
    found = twin(library, "order.rotary")(X, positions, interleaved=interleaved)
    for row, f in itertools.product(range(N), range(D // 2)):
        at = (2 * f, 2 * f + 1) if interleaved else (f, f + D // 2)
        a, b = X[row, at[0]], X[row, at[1]]
        t = positions[row] * frequency(f, D)
        wanted = (
            a * math.cos(t) - b * math.sin(t),
            a * math.sin(t) + b * math.cos(t),
        )
        np.testing.assert_allclose(found[row, list(at)], wanted, atol=1e-12)


@pytest.mark.equation("eq-rotary-matrix")
def test_rotary_multiplies_each_row_by_a_matrix(library: str) -> None:
    X, positions = normal(N, D), np.arange(3, 3 + N)
    found = twin(library, "order.rotary")(X, positions, interleaved=True)
    for row in range(N):
        np.testing.assert_allclose(
            found[row], X[row] @ rotation(positions[row], D), atol=1e-12
        )


both_layouts = pytest.mark.parametrize("interleaved", [False, True])


@pytest.mark.equation("eq-rotary-relative")
@pytest.mark.theorem("thm-relative")
@both_layouts
@given(i=offsets, j=offsets, shift=offsets)
def test_rotary_scores_depend_on_the_distance_only(
    i: int, j: int, shift: int, interleaved: bool, library: str
) -> None:
    """For the same query and key, to 1e-12: (i, j), moved by any shift, and (i - j, 0)."""
    q, k = normal(1, D), normal(1, D, seed=1)
    turn = twin(library, "order.rotary")

    def score(i: int, j: int) -> float:
        rows = (
            turn(x, np.array([p]), interleaved=interleaved)
            for x, p in ((q, i), (k, j))
        )
        return (next(rows) @ next(rows).T).item()

    size = np.linalg.norm(q) * np.linalg.norm(k)
    assert abs(score(i + shift, j + shift) - score(i, j)) < 1e-12 * size
    assert abs(score(i - j, 0) - score(i, j)) < 1e-12 * size
    if interleaved:
        by_matrix = (q @ rotation(i - j, D) @ k.T).item()
        assert abs(by_matrix - score(i, j)) < 1e-12 * size


@both_layouts
def test_rotary_scores_do_depend_on_the_distance(
    interleaved: bool, library: str
) -> None:
    """The claim would hold, too, if nothing were turned."""
    q, k = np.repeat(normal(1, D), N, 0), np.repeat(normal(1, D, seed=1), N, 0)
    turn = twin(library, "order.rotary")
    scores = turn(q, np.arange(N), interleaved=interleaved) @ k[0]
    for one, other in itertools.combinations(scores, 2):
        assert abs(one - other) > 1e-3


@pytest.mark.theorem("thm-relative")
@both_layouts
@given(position=offsets)
def test_rotary_keeps_lengths(
    position: int, interleaved: bool, library: str
) -> None:
    X = normal(N, D)
    found = twin(library, "order.rotary")(
        X, np.full(N, position), interleaved=interleaved
    )
    np.testing.assert_allclose(
        np.linalg.norm(found, axis=-1), np.linalg.norm(X, axis=-1), rtol=1e-13
    )


@both_layouts
def test_rotary_keys_in_a_cache_go_on(interleaved: bool, library: str) -> None:
    """New rows at their own positions give the last rows of the full result; from 0 they do not."""
    Q, K, V = normal(N, D), normal(N, D, seed=1), normal(N, D, seed=2)
    turn = twin(library, "order.rotary")
    attention = twin(library, "masks.causal_attention")

    def turned(X: np.ndarray, *places: int) -> np.ndarray:
        return turn(X, np.arange(*places), interleaved=interleaved)

    whole = attention(turned(Q, N), turned(K, N), V)
    cache = turned(K[:5], 5)
    keys = np.concatenate([cache, turned(K[5:], 5, N)])
    np.testing.assert_allclose(attention(turned(Q[5:], 5, N), keys, V), whole[5:])
    forgetful = np.concatenate([cache, turned(K[5:], N - 5)])
    wrong = attention(turned(Q[5:], N - 5), forgetful, V)
    assert np.abs(wrong - whole[5:]).max() > 1e-2


@pytest.mark.equation("eq-layouts")
@given(seed=st.integers(0, 100))
def test_rotary_layouts_are_a_permutation_apart(seed: int, library: str) -> None:
    """Columns 0, 2, 4, ..., 1, 3, 5, ...: then halves are what neighbors were."""
    X, positions = normal(N, D, seed=seed), np.arange(N) * 3
    order = [f for start in (0, 1) for f in range(start, D, 2)]
    turn = twin(library, "order.rotary")
    neighbors = turn(X, positions, interleaved=True)
    np.testing.assert_allclose(
        turn(X[:, order], positions), neighbors[:, order], rtol=1e-12
    )
    assert np.abs(turn(X, positions) - neighbors).max() > 1e-2


def test_rotary_mixed_layouts_break_a_checkpoint_and_a_permutation_mends_it(
    library: str,
) -> None:
    """Matrices used with the other layout give other scores; with permuted columns, the same."""
    X, W_Q, W_K = normal(N, D), normal(D, D, seed=1), normal(D, D, seed=2)
    order, turn = np.r_[0:D:2, 1:D:2], twin(library, "order.rotary")

    def scores(W_Q: np.ndarray, W_K: np.ndarray, interleaved: bool) -> np.ndarray:
        Q, K = (
            turn(X @ W, np.arange(N), interleaved=interleaved) for W in (W_Q, W_K)
        )
        return Q @ K.T

    trained = scores(W_Q, W_K, True)
    assert np.abs(scores(W_Q, W_K, False) - trained).max() > 0.1
    mended = scores(W_Q[:, order], W_K[:, order], False)
    np.testing.assert_allclose(mended, trained, rtol=1e-10, atol=1e-12)


def test_rotary_is_not_for_values_and_elements(library: str) -> None:
    """Moved by 100, only queries and keys turned after projection give the same outputs."""
    X, (W_Q, W_K, W_V) = normal(N, D), normal(3, D, D, seed=1)
    turn, attention = twin(library, "order.rotary"), twin(library, "qkv.attention")

    def on_queries_and_keys(X: np.ndarray, p: np.ndarray) -> np.ndarray:
        return attention(turn(X @ W_Q, p), turn(X @ W_K, p), X @ W_V)

    def on_values_too(X: np.ndarray, p: np.ndarray) -> np.ndarray:
        return attention(turn(X @ W_Q, p), turn(X @ W_K, p), turn(X @ W_V, p))

    def on_elements(X: np.ndarray, p: np.ndarray) -> np.ndarray:
        turned = turn(X, p)
        return attention(turned @ W_Q, turned @ W_K, X @ W_V)

    here, there = np.arange(N), np.arange(100, 100 + N)
    np.testing.assert_allclose(
        on_queries_and_keys(X, here), on_queries_and_keys(X, there)
    )
    for model in (on_values_too, on_elements):
        assert np.abs(model(X, here) - model(X, there)).max() > 0.1


@pytest.mark.equation("eq-turned-back")
@both_layouts
def test_rotary_values_turned_back_arrive_turned_by_their_distance(
    interleaved: bool, library: str
) -> None:
    """Row i of the output, turned by -i, is the sum of v_j R_(j - i); it does not move."""
    Q, K, V = normal(N, D), normal(N, D, seed=1), normal(N, D, seed=2)
    turn = functools.partial(twin(library, "order.rotary"), interleaved=interleaved)
    attention = twin(library, "qkv.attention")
    weights = twin(library, "qkv.attention_weights")

    def turned_back(p: np.ndarray) -> np.ndarray:
        return turn(attention(turn(Q, p), turn(K, p), turn(V, p)), -p)

    here = np.arange(N)
    A = weights(turn(Q, here), turn(K, here))
    for i in range(N):
        wanted = A[i] @ turn(V, here - i)
        np.testing.assert_allclose(turned_back(here)[i], wanted, atol=1e-12)
    np.testing.assert_allclose(turned_back(here + 100), turned_back(here))


def test_rotary_frequencies_of_the_chapters_experiment(library: str) -> None:
    """Of six pairs two finish a turn in 64 positions; of 64 pairs none waits for 54,410."""
    angle = twin(library, "order.sinusoidal_encoding")(
        2, 12, dtype=np.dtype("float64")
    )[1]
    turns = 64 * np.arctan2(angle[0::2], angle[1::2]) / (2 * math.pi)
    assert [t >= 1 for t in turns] == [True, True] + [False] * 4
    assert round(2 * math.pi / frequency(63, 128)) == 54410 > 16384


# --- alibi ----------------------------------------------------------------------------------------


@pytest.mark.equation("eq-alibi-slopes")
@pytest.mark.parametrize("n_heads", [1, 2, 4, 8, 16, 64])
def test_alibi_slopes_are_a_geometric_sequence(n_heads: int, library: str) -> None:
    """2^(-8h / n_heads), read off one step of distance."""
    found = -alibi(library, n_heads, 1, 2)[:, 0, 0]
    wanted = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_alibi_slopes_for_other_numbers_of_heads_fill_the_gaps(
    library: str,
) -> None:
    """Twelve heads: the eight of 8, then the first, third, ... of 16, as the authors' code does."""
    found = -alibi(library, 12, 1, 2)[:, 0, 0]
    np.testing.assert_allclose(found[:8], [2.0**-h for h in range(1, 9)])
    np.testing.assert_allclose(found[8:], [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    assert len(set(np.round(found, 12))) == 12


@pytest.mark.equation("eq-alibi")
@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (2, 7), (7, 2), (1, 1)])
def test_alibi_bias_is_minus_slope_times_distance(
    n_q: int, n_k: int, library: str
) -> None:
    """Aligned like the causal mask: distance 0 where its staircase ends."""
    bias = alibi(library, 4, n_q, n_k)
    for h, i, j in itertools.product(range(4), range(n_q), range(n_k)):
        wanted = -(2.0 ** (-2 * (h + 1))) * abs(i + n_k - n_q - j)
        assert bias[h, i, j] == pytest.approx(wanted, rel=1e-14)
    mask = twin(library, "masks.causal_mask")(n_q, n_k)
    edge = mask & ~np.pad(mask, ((0, 0), (0, 1)))[:, 1:]
    assert (bias[:, edge] == 0).all()


@pytest.mark.equation("eq-alibi-factor")
def test_alibi_bias_divides_the_weight_at_each_step_of_distance(
    library: str,
) -> None:
    """Keys of equal content: weights fall by exp(-slope) a step."""
    n, bias = 9, alibi(library, 8, 1, 9)
    weights = twin(library, "qkv.attention_weights")(
        np.zeros((8, 1, 2)), np.zeros((8, n, 2)), bias=bias
    )[:, 0]
    for h in range(8):
        np.testing.assert_allclose(
            weights[h, :-1] / weights[h, 1:], math.exp(-(2.0 ** -(h + 1)))
        )


@pytest.mark.equation("eq-alibi-keys")
@given(seed=st.integers(0, 100))
def test_alibi_bias_of_the_keys_is_enough_with_a_causal_mask(
    seed: int, library: str
) -> None:
    """Softmax ignores what a row has in common: slope times j does the same."""
    Q, K = normal(4, N, D, seed=seed), normal(4, N, D, seed=seed + 1)
    weights = twin(library, "qkv.attention_weights")
    slopes = np.array([2.0 ** (-2 * h) for h in (1, 2, 3, 4)])
    of_keys = slopes[:, None, None] * np.arange(N)
    found = weights(Q, K, mask=causal(N), bias=of_keys)
    wanted = weights(Q, K, mask=causal(N), bias=alibi(library, 4, N))
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-15)
    everyone = weights(Q, K, bias=of_keys) - weights(
        Q, K, bias=alibi(library, 4, N)
    )
    assert np.abs(everyone).max() > 1e-3  # not without the mask
