"""Chapter `fast`: its claims about costs and merging, checked apart from the code itself."""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_attn import costs
from tests.chapters.fast.inputs import sizes, softmax
from tests.support.attention_inputs import normal
from tests.support.twin_table import twin

Part = tuple[float, float, np.ndarray]


# --- costs ----------------------------------------------------------------------------------------


@pytest.mark.equation("eq-attention-flops")
@given(n_heads=sizes, n_q=sizes, n_k=sizes, d_k=sizes, d_v=sizes)
def test_attention_flops_are_counted_one_at_a_time(
    n_heads: int, n_q: int, n_k: int, d_k: int, d_v: int
) -> None:
    count = 0
    for _ in itertools.product(range(n_heads), range(n_q), range(n_k)):
        for _ in range(d_k):
            count += 2  # multiply, add to the score
        for _ in range(d_v):
            count += 2  # multiply, add to the output
    assert count == 2 * n_heads * n_q * n_k * (d_k + d_v)
    found = costs.attention_flops(n_q, n_k, d_k, d_v, n_heads)
    assert found == count


@pytest.mark.equation("eq-fused-bytes")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_fused_bytes_are_those_of_inputs_and_outputs(dtype: type) -> None:
    n_heads, n_q, n_k, d_k, d_v = 3, 7, 11, 5, 13
    arrays = [
        np.zeros((n_heads, n, d), dtype)
        for n, d in ((n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v))
    ]
    u = arrays[0].itemsize
    wanted = sum(array.nbytes for array in arrays)
    assert u * n_heads * (n_q + n_k) * (d_k + d_v) == wanted
    count = costs.fused_bytes
    assert count(n_q, n_k, d_k, d_v, n_heads, itemsize=u) == wanted


@pytest.mark.equation("eq-explicit-bytes")
def test_explicit_bytes_move_the_matrix_four_times() -> None:
    """Each step reads its inputs and writes its output."""
    n_heads, n_q, n_k, d_k, d_v, u = 3, 7, 11, 5, 13, 4
    matrix, Q, K, V, Y = (
        u * n_heads * n * d
        for n, d in ((n_q, n_k), (n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v))
    )
    steps = [(Q + K, matrix), (matrix, matrix), (matrix + V, Y)]
    wanted = sum(read + written for read, written in steps)
    least = costs.fused_bytes(n_q, n_k, d_k, d_v, n_heads)
    assert least + 4 * u * n_heads * n_q * n_k == wanted
    count = costs.explicit_bytes
    assert count(n_q, n_k, d_k, d_v, n_heads, itemsize=u) == wanted


@pytest.mark.equation("eq-intensity")
@pytest.mark.parametrize("u", [2, 4])
def test_intensity_is_capped_by_storing_the_weights(u: int) -> None:
    flops, explicit, fused = (
        getattr(costs, name)
        for name in ("attention_flops", "explicit_bytes", "fused_bytes")
    )
    found = []
    for n in (16, 1024, 2**20):
        size = n, n, 64, 32, 8
        found.append(flops(*size) / explicit(*size, itemsize=u))
        assert flops(*size) / fused(*size, itemsize=u) == n / u
    assert found == sorted(found)
    assert 0.999 * (64 + 32) / (2 * u) < found[-1] < (64 + 32) / (2 * u)


@pytest.mark.equation("eq-roofline", formula=True)
@given(
    parts=st.lists(
        st.tuples(st.floats(0.1, 100), st.floats(0.1, 100)), min_size=1, max_size=6
    ),
    r_max=st.floats(0.1, 10),
    r_mem=st.floats(0.1, 10),
)
def test_roofline_is_above_every_order_of_work(
    parts: list[tuple[float, float]], r_max: float, r_mem: float
) -> None:
    """However arithmetic and movement overlap: not at all, within each part, or perfectly."""
    F, B = (sum(column) for column in zip(*parts, strict=True))
    perfect = max(F / r_max, B / r_mem)
    within = sum(max(f / r_max, b / r_mem) for f, b in parts)
    for time in (F / r_max + B / r_mem, within, perfect):
        assert time >= perfect * (1 - 1e-12)
        assert F / time <= min(r_max, F / B * r_mem) * (1 + 1e-12)
    assert F / perfect == pytest.approx(min(r_max, F / B * r_mem))


# --- online softmax and merging -------------------------------------------------------------------


def part_of(scores: np.ndarray, values: np.ndarray) -> Part:
    """Return the partial result of one query by its definition."""
    if len(scores) == 0:
        return -math.inf, 0.0, np.zeros(values.shape[1])
    m = max(scores)
    exps = [math.exp(s - m) for s in scores]
    return m, sum(exps), sum(p * v for p, v in zip(exps, values, strict=True))


def merged(one: Part, two: Part) -> Part:
    """Merge by the formula, in plain Python numbers."""
    m = max(one[0], two[0])
    if m == -math.inf:
        return one
    a, b = math.exp(one[0] - m), math.exp(two[0] - m)
    return m, a * one[1] + b * two[1], a * one[2] + b * two[2]


def assert_same(one: Part, two: Part) -> None:
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def by_package(library: str, *parts: Part) -> Part:
    """Merge two partial results of one query with the package."""
    arrays = [np.asarray(x, float)[None] for part in parts for x in part]
    m, l, o = twin(library, "fast.merge_partial")(*arrays)
    return m[0], l[0], o[0]


scores_of = st.lists(st.floats(-300, 300), max_size=5).map(np.array)


def values_for(scores: np.ndarray, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(scores), 2))


@pytest.mark.equation("eq-running-step")
def test_online_softmax_sums_one_key_after_the_other(library: str) -> None:
    scores, values = 30 * normal(23), normal(23, 5)
    m, l, o = -math.inf, 0.0, np.zeros(5)
    for j, (s, v) in enumerate(zip(scores, values, strict=True)):
        m, old = max(m, s), m
        l = math.exp(old - m) * l + math.exp(s - m)
        o = math.exp(old - m) * o + math.exp(s - m) * v
        assert_same((m, l, o), part_of(scores[: j + 1], values[: j + 1]))
    found = twin(library, "fast.tiled_attention")(
        np.ones((1, 1)), scores[:, None], values, scale=1.0, tile=1
    )
    np.testing.assert_allclose(found[0], o / l, rtol=1e-10)


@pytest.mark.equation("eq-online-softmax")
@pytest.mark.parametrize("block", [1, 4, 50])
def test_online_softmax_weights_follow_from_maximum_and_sum(
    block: int, library: str
) -> None:
    scores = 30 * normal(7, 23)
    m, l, _ = twin(library, "fast.partial_attention")(scores, np.ones((23, 1)))
    weights = np.exp(scores - m[:, None]) / l[:, None]
    np.testing.assert_allclose(weights, softmax(scores), rtol=1e-10)
    found = twin(library, "fast.online_softmax")(scores, block)
    np.testing.assert_allclose(found, weights, rtol=1e-10)


@pytest.mark.equation("eq-partial")
def test_partial_attention_is_maximum_sum_and_weighted_sum(library: str) -> None:
    scores, values = 30 * normal(3, 11), normal(11, 5)
    found = twin(library, "fast.partial_attention")(scores, values)
    for i in range(3):
        assert_same(tuple(x[i] for x in found), part_of(scores[i], values))
    nothing = twin(library, "fast.partial_attention")(scores[:, :0], values[:0])
    assert_same(tuple(x[0] for x in nothing), part_of(scores[0, :0], values[:0]))


@pytest.mark.equation("eq-merge")
@given(one=scores_of, two=scores_of)
def test_merge_partial_gives_the_partial_result_of_both(
    one: np.ndarray, two: np.ndarray, library: str
) -> None:
    parts = [part_of(s, values_for(s, k)) for k, s in enumerate((one, two))]
    values = [values_for(s, k) for k, s in enumerate((one, two))]
    both = part_of(np.concatenate([one, two]), np.concatenate(values))
    assert_same(merged(*parts), both)
    assert_same(by_package(library, *parts), both)


@pytest.mark.equation("eq-merge-lse")
def test_log_sum_exp_merges_divided_outputs(library: str) -> None:
    scores, values = 30 * normal(11), normal(11, 5)
    halves = [(scores[:4], values[:4]), (scores[4:], values[4:])]
    L = [np.logaddexp.reduce(s) for s, _ in halves]
    y = [softmax(s) @ v for s, v in halves]
    both = np.log(np.exp(L[0] - max(L)) + np.exp(L[1] - max(L))) + max(L)
    assert both == pytest.approx(np.logaddexp.reduce(scores), rel=1e-12)
    out = np.exp(L[0] - both) * y[0] + np.exp(L[1] - both) * y[1]
    np.testing.assert_allclose(out, softmax(scores) @ values, rtol=1e-10)
    m, l, o = by_package(library, *(part_of(*half) for half in halves))
    assert both == pytest.approx(m + math.log(l), rel=1e-12)
    np.testing.assert_allclose(out, o / l, rtol=1e-10)


triples = st.tuples(
    st.floats(-1e3, 1e3), st.floats(0, 1e3), st.floats(-1e3, 1e3).map(np.array)
) | st.just((-math.inf, 0.0, np.array(0.0)))


@pytest.mark.theorem("thm-merge")
@given(p=triples, q=triples, r=triples)
def test_merge_partial_is_like_adding(
    p: Part, q: Part, r: Part, library: str
) -> None:
    """For any triples, also those that come from no scores."""

    def merge(one: Part, two: Part) -> Part:
        one, two = ((m, l, np.ravel(o)) for m, l, o in (one, two))
        m, l, o = by_package(library, one, two)
        return m, l, o[0]

    assert_same(merge(merge(p, q), r), merge(p, merge(q, r)))
    assert_same(merge(p, q), merge(q, p))
    e = (-math.inf, 0.0, np.array(0.0))
    for found in (merge(p, e), merge(e, p)):
        assert_same(found, p)


@pytest.mark.equation("eq-merge-many")
@given(parts=st.lists(triples, min_size=1, max_size=6))
def test_merge_partial_makes_one_sum_of_many_parts(
    parts: list[Part], library: str
) -> None:
    m = max(part[0] for part in parts)
    if m > -math.inf:
        l, o = (sum(math.exp(p[0] - m) * p[k] for p in parts) for k in (1, 2))
        assert_same(reduce(merged, parts), (m, l, o))
        with_axis = [(a, b, np.ravel(c)) for a, b, c in parts]
        found = reduce(lambda a, b: by_package(library, a, b), with_axis)
        assert_same(found, (m, l, np.ravel(o)))


@pytest.mark.theorem("thm-any-partition")
@pytest.mark.equation("eq-partial-output")
@given(data=st.data())
def test_merge_partial_gives_the_same_however_the_keys_are_cut(
    data: st.DataObject, library: str
) -> None:
    n = data.draw(st.integers(1, 9))
    scores, values = 50 * normal(n), normal(n, 2)
    hidden = data.draw(st.sets(st.integers(1, 8)))  # never the first key
    scores[[j for j in hidden if j < n]] = -math.inf
    group = np.array(data.draw(st.lists(sizes, min_size=n, max_size=n)))
    one_part = twin(library, "fast.partial_attention")
    parts = []
    for g in data.draw(st.permutations(range(1, 7))):
        found = one_part(scores[None, group == g], values[group == g])
        parts.append(tuple(x[0] for x in found))
    while len(parts) > 1:
        k = data.draw(st.integers(0, len(parts) - 2))
        parts[k : k + 2] = [by_package(library, *parts[k : k + 2])]
    _, l, o = parts[0]
    np.testing.assert_allclose(o / l, softmax(scores) @ values, atol=1e-10)


@pytest.mark.theorem("thm-no-overflow")
@pytest.mark.equation("eq-sum-bounds")
@given(
    scores=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9).map(np.array),
    cut=st.integers(0, 9),
)
def test_merge_partial_does_not_overflow(
    scores: np.ndarray, cut: int, library: str
) -> None:
    values = 100 * values_for(scores, 0)
    one_part = twin(library, "fast.partial_attention")
    parts = [
        tuple(x[0] for x in one_part(scores[None, keys], values[keys]))
        for keys in (slice(0, cut), slice(cut, None))
    ]
    m, l, o = by_package(library, *parts)
    assert m == scores.max()
    assert 1 <= l <= len(scores) + 1e-9
    assert (np.abs(o) <= l * np.abs(values).max(axis=0) + 1e-9).all()
    for part in parts:
        assert math.exp(part[0] - m) <= 1
