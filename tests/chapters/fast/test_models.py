"""Chapter `fast`: its claims about tiles, decoding and linear attention."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_attn import costs
from course_attn.in_numpy import _fused
from tests.chapters.fast.inputs import sizes, softmax
from tests.support.attention_inputs import normal
from tests.support.twin_table import convert, in_numpy, module, twin

# --- tiles ----------------------------------------------------------------------------------------


@pytest.mark.equation("eq-causal-tiles")
@given(N=st.integers(1, 9), tile=st.integers(1, 5))
def test_tiles_of_a_causal_mask_are_needed_by_half(
    N: int, tile: int, library: str
) -> None:
    mask = twin(library, "masks.causal_mask")(N * tile)
    needed = sum(
        mask[a * tile : (a + 1) * tile, b * tile : (b + 1) * tile].any()
        for a, b in itertools.product(range(N), range(N))
    )
    assert needed == N * (N + 1) // 2
    assert needed / N**2 == pytest.approx(1 / 2 + 1 / (2 * N))


@pytest.mark.equation("eq-score-bound")
@given(size=st.floats(0.01, 10), seed=st.integers(0, 99))
def test_scores_are_bounded_by_lengths(size: float, seed: int) -> None:
    """NumPy's `fused_attention` leaves the shift out only where no score is out of reach of exp."""
    rng = np.random.default_rng(seed)
    Q, K, V = size * rng.normal(size=(3, 7, 5))
    scale = 1 / math.sqrt(5)
    longest = [max(math.hypot(*row) for row in X) for X in (Q, K)]
    largest = np.abs(Q @ K.T * scale).max()
    assert largest <= scale * longest[0] * longest[1] * (1 + 1e-12)
    if _fused._fits_exp(scale * Q, K, V):
        assert largest < 30
    assert np.abs(Q @ Q.T * scale).max() == pytest.approx(scale * longest[0] ** 2)
    reached = scale * longest[0] ** 2 < 30
    assert _fused._fits_exp(scale * Q, Q, V) == reached


@pytest.mark.equation("eq-block-bytes")
@given(n_q=sizes, n_k=sizes, n_b=sizes, tile=sizes)
def test_tiled_attention_reads_keys_once_for_each_block_of_queries(
    n_q: int, n_k: int, n_b: int, tile: int
) -> None:
    """A block by itself is fused attention of fewer queries."""
    u, n_heads, d_k, d_v, moved, by_package = 4, 2, 3, 5, 0, 0
    fused_bytes = costs.fused_bytes
    for _ in range(n_heads):
        for start in range(0, n_q, n_b):
            rows = len(range(start, min(start + n_b, n_q)))
            moved += rows * (d_k + d_v)  # queries in, outputs out
            for begin in range(0, n_k, tile):
                keys = len(range(begin, min(begin + tile, n_k)))
                moved += keys * (d_k + d_v)
    for start in range(0, n_q, n_b):
        rows = min(n_b, n_q - start)
        by_package += fused_bytes(rows, n_k, d_k, d_v, n_heads, itemsize=u)
    blocks = math.ceil(n_q / n_b)
    assert u * moved == u * n_heads * (d_k + d_v) * (n_q + blocks * n_k)
    assert u * moved == by_package


@pytest.mark.equation("eq-recompute")
def test_log_sum_exp_gives_the_weights_back(library: str) -> None:
    Q, K = normal(7, 5), normal(11, 5, seed=1)
    scores = Q @ K.T / math.sqrt(5)
    m, l, _ = twin(library, "fast.partial_attention")(scores, np.ones((11, 1)))
    L = m + np.log(l)
    tile = np.exp(scores[2:5, 3:8] - L[2:5, None])
    wanted = twin(library, "qkv.attention_weights")(Q, K)[2:5, 3:8]
    np.testing.assert_allclose(tile, wanted, rtol=1e-12)


# --- decoding -------------------------------------------------------------------------------------


@pytest.mark.equation("eq-cached-step")
def test_kv_cache_step_is_the_last_row(library: str) -> None:
    X, cache = normal(9, 5), module(library, "language_model").KVCache()
    W_Q, W_K, W_V = normal(3, 5, 5)
    causal = twin(library, "masks.causal_attention")
    for t in range(1, 10):
        x = X[t - 1 : t]
        new = [convert(library, x @ W) for W in (W_K, W_V)]
        K, V = (in_numpy(array) for array in cache.append(*new))
        np.testing.assert_allclose(K, X[:t] @ W_K)
        np.testing.assert_allclose(V, X[:t] @ W_V)
        y = softmax(x @ W_Q @ K.T / math.sqrt(5)) @ V
        whole = causal(*(X[:t] @ W for W in (W_Q, W_K, W_V)))
        np.testing.assert_allclose(y[0], whole[-1], rtol=1e-10)


@pytest.mark.equation("eq-decode-pairs")
@pytest.mark.parametrize("n", [1, 2, 7, 1024])
def test_kv_cache_saves_a_factor_that_grows_with_the_text(n: int) -> None:
    """The pairs are those that the package counts operations for."""
    flops, sizes = costs.attention_flops, (64, 32, 8)
    a_pair = flops(1, 1, *sizes)
    without = sum(flops(t, t, *sizes) for t in range(1, n + 1)) // a_pair
    cached = sum(flops(1, t, *sizes) for t in range(1, n + 1)) // a_pair
    assert 6 * without == n * (n + 1) * (2 * n + 1)
    assert 2 * cached == n * (n + 1)
    assert 3 * without == (2 * n + 1) * cached


@pytest.mark.equation("eq-decode-intensity")
@given(n_k=st.integers(1, 10**6), u=st.sampled_from([2, 4]))
def test_decoding_does_little_with_each_byte(n_k: int, u: int) -> None:
    size = 1, n_k, 64, 32, 8
    flops = costs.attention_flops(*size)
    moved = costs.fused_bytes(*size, itemsize=u)
    wanted = 2 * n_k * (64 + 32) / (u * (1 + n_k) * (64 + 32))
    assert flops / moved == pytest.approx(wanted, rel=1e-12)
    assert wanted < 2 / u


@pytest.mark.equation("eq-ring-hides")
@given(
    n_each=st.integers(1, 10**5),
    n_processes=st.integers(2, 64),
    n_kv=st.sampled_from([1, 2, 8]),
    u=st.sampled_from([2, 4]),
    ridge=st.integers(1, 10**5),
)
def test_a_ring_hides_its_sending_where_each_has_enough_positions(
    n_each: int, n_processes: int, n_kv: int, u: int, ridge: int
) -> None:
    """The ridge is that of operations and sent bytes a second: the bytes take so many."""
    n, widths = n_each * n_processes, (5, 7)
    step = costs.ring_flops(n, *widths, 8, n_processes) // n_processes
    sent = costs.ring_bytes(n, *widths, n_kv, n_processes, itemsize=u)
    is_hidden = ridge * sent // (n_processes - 1) <= step
    assert is_hidden == (2 * 8 * n_each >= u * n_kv * ridge)


@pytest.mark.equation("eq-cache-bytes")
def test_kv_cache_holds_keys_and_values_of_every_layer(library: str) -> None:
    layers, n_kv, n, d_k, d_v = 3, 2, 11, 5, 7
    total = 0
    for _ in range(layers):
        cache = module(library, "language_model").KVCache()
        new = [
            convert(library, np.zeros((n_kv, n, d)), "float32") for d in (d_k, d_v)
        ]
        total += sum(in_numpy(array).nbytes for array in cache.append(*new))
    count = costs.kv_cache_bytes
    assert count(n, d_k, d_v, n_kv, n_layers=layers, itemsize=4) == total
    assert total == 4 * layers * n_kv * n * (d_k + d_v)


@pytest.mark.equation("eq-shared-head")
@pytest.mark.parametrize("n_rep", [1, 2, 4])
def test_repeat_kv_lets_neighboring_heads_share(n_rep: int, library: str) -> None:
    K = normal(2, 3, 7, 5)
    found = twin(library, "fast.repeat_kv")(K, n_rep)
    assert found.shape == (2, 3 * n_rep, 7, 5)
    for h in range(3 * n_rep):
        np.testing.assert_array_equal(found[:, h], K[:, math.floor(h / n_rep)])


@pytest.mark.equation("eq-evicted")
@given(evicted=st.sets(st.integers(0, 6), max_size=6))
def test_evicted_keys_enlarge_the_others(evicted: set[int], library: str) -> None:
    Q, K, V = normal(3, 5), normal(7, 5, seed=1), normal(7, 2, seed=2)
    kept = np.array([j not in evicted for j in range(7)])
    A = softmax(Q @ K.T / math.sqrt(5))
    alpha = A[:, ~kept].sum(axis=1, keepdims=True)
    formula = (A @ V - A[:, ~kept] @ V[~kept]) / (1 - alpha)
    mask = np.broadcast_to(kept, (3, 7)).copy()
    found = twin(library, "qkv.attention")(Q, K, V, mask=mask)
    np.testing.assert_allclose(found, formula, rtol=1e-8, atol=1e-12)


@pytest.mark.equation("eq-sink-mask")
@pytest.mark.parametrize(("n_q", "n_k"), [(7, 7), (2, 7), (5, 3)])
@pytest.mark.parametrize("n_sink", [0, 1, 4])
def test_sliding_window_mask_that_keeps_the_first_keys(
    n_q: int, n_k: int, n_sink: int, library: str
) -> None:
    """With i and j from 1; made from the package's masks as in the chapter."""
    w = 3
    window = twin(library, "masks.sliding_window_mask")(n_q, n_k, window=w)
    causal = twin(library, "masks.causal_mask")(n_q, n_k)
    found = window | (causal & (np.arange(n_k) < n_sink))
    for i, j in itertools.product(range(1, n_q + 1), range(1, n_k + 1)):
        p = i + n_k - n_q
        wanted = j <= p and (p - j < w or j <= n_sink)
        assert found[i - 1, j - 1] == wanted


# --- linear attention -----------------------------------------------------------------------------


def phi(x: np.ndarray) -> np.ndarray:
    """Return elu(x) + 1, entry by entry."""
    return np.vectorize(lambda t: t + 1 if t > 0 else math.exp(t))(x)


@pytest.mark.equation("eq-reassociate")
def test_linear_attention_takes_products_in_another_order(library: str) -> None:
    """The package takes them in the second one, and divides by what the weights sum to."""
    X, Z, V = normal(7, 5), normal(11, 5, seed=1), normal(11, 3, seed=2)
    Q, K = phi(X), phi(Z)
    entry = sum(Q[2, f] * K[j, f] * V[j, 1] for f in range(5) for j in range(11))
    for product in ((Q @ K.T) @ V, Q @ (K.T @ V)):
        assert product[2, 1] == pytest.approx(entry, rel=1e-12)
    divided = twin(library, "fast.linear_attention")(X, Z, V)
    assert divided[2, 1] * (Q[2] @ K.T).sum() == pytest.approx(entry, rel=1e-10)
    n, d = 16384, 64
    assert 2 * n * n * (d + d) == 256 * (2 * n * d * d + 2 * n * d * d)


@pytest.mark.equation("eq-linear-attention")
def test_linear_attention_by_its_definition(library: str) -> None:
    Q, K, V = normal(7, 5), normal(11, 5, seed=1), normal(11, 3, seed=2)
    found = twin(library, "fast.linear_attention")(Q, K, V)
    for i in range(7):
        weights = [sum(phi(Q[i]) * phi(K[j])) for j in range(11)]
        np.testing.assert_allclose(found[i], weights @ V / sum(weights), rtol=1e-10)


@pytest.mark.equation("eq-linear-state")
def test_linear_attention_causal_has_a_state(library: str) -> None:
    Q, K, V = normal(9, 5), normal(9, 5, seed=1), normal(9, 3, seed=2)
    found = twin(library, "fast.linear_attention")(Q, K, V, causal=True)
    C, c = np.zeros((5, 3)), np.zeros(5)
    for i in range(9):
        C, c = C + np.outer(phi(K[i]), V[i]), c + phi(K[i])
        np.testing.assert_allclose(
            found[i], phi(Q[i]) @ C / (phi(Q[i]) @ c), rtol=1e-10
        )


@pytest.mark.theorem("thm-linear-recall")
@pytest.mark.equation("eq-linear-recall")
@pytest.mark.parametrize("d", [1, 2, 5])
def test_linear_attention_finds_few_keys(d: int, library: str) -> None:
    """For any positive features; reached if each feature stands for a group of keys."""
    rng, n = np.random.default_rng(d), 20
    for size in (0.1, 1.0, 10.0):
        f_q, f_k = np.exp(size * rng.normal(size=(2, n, d)))
        A = f_q @ f_k.T
        A /= A.sum(axis=1, keepdims=True)
        assert np.linalg.matrix_rank(A, tol=1e-9) <= d
        assert np.trace(A) / n <= d / n + 1e-12
        K = size * rng.normal(size=(n, d))
        by_package = twin(library, "fast.linear_attention")(K, K, np.eye(n))
        assert np.trace(by_package) / n <= d / n + 1e-12
    groups = np.eye(d)[np.arange(n) % d] + 1e-12
    A = groups @ groups.T
    A /= A.sum(axis=1, keepdims=True)
    assert np.trace(A) / n == pytest.approx(d / n, rel=1e-6)
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    sharp = twin(library, "qkv.attention")(500 * circle, circle, np.eye(n))
    assert np.linalg.matrix_rank(sharp) == n and np.diag(sharp).min() > 0.99
