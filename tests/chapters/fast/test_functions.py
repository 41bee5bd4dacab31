"""Chapter 10: parts of attention that merge to the whole, and what decoding keeps."""

import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from course_attn import costs
from tests.support.attention_inputs import (
    KINDS,
    inputs,
    masks_of_every_kind,
    normal,
)
from tests.support.comparison import assert_close
from tests.support.oracles import tensors
from tests.support.twin_table import convert, public, twin

# --- merging: a monoid ----------------------------------------------------------------------------

Part = tuple[np.ndarray, np.ndarray, np.ndarray]
scores_or_none = st.one_of(
    st.floats(-30, 30, allow_subnormal=False), st.just(-np.inf)
)


@st.composite
def parts_of_a_row(draw: st.DrawFn, n_parts: int) -> list[Part]:
    """Draw scores and values of three queries for so many disjoint sets of keys, some empty."""
    found = []
    for _ in range(n_parts):
        n = draw(st.integers(0, 4))
        row = st.lists(scores_or_none, min_size=n, max_size=n)
        scores = np.array([draw(row) for _ in range(3)]).reshape(3, n)
        shift = draw(st.sampled_from([0.0, 1e4, -1e4]))
        seed = draw(st.integers(0, 2**16))
        values = np.random.default_rng(seed).normal(size=(n, 2))
        found.append(by_hand(scores + shift, values))
    return found


def by_hand(scores: np.ndarray, values: np.ndarray) -> Part:
    """Compute maxima, sums and weighted sums, a query at a time."""
    m, l, o = [], [], []
    for row in scores:
        largest = max(row, default=-np.inf)
        exps = np.exp(row - (0 if np.isneginf(largest) else largest))
        m.append(largest)
        l.append(exps.sum())
        o.append(exps @ values)
    return np.array(m), np.array(l), np.array(o)


def assert_same(one: Part, two: Part) -> None:
    for a, b in zip(one, two, strict=True):
        assert not np.isnan(a).any()
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@given(parts=parts_of_a_row(3))
def test_merge_partial_is_associative(parts: list[Part], library: str) -> None:
    merge, (a, b, c) = twin(library, "fast.merge_partial"), parts
    assert_same(merge(*merge(*a, *b), *c), merge(*a, *merge(*b, *c)))


@given(parts=parts_of_a_row(2))
def test_merge_partial_is_commutative(parts: list[Part], library: str) -> None:
    merge, (a, b) = twin(library, "fast.merge_partial"), parts
    assert_same(merge(*a, *b), merge(*b, *a))


@given(parts=parts_of_a_row(1))
def test_merge_partial_has_no_keys_at_all_as_identity(
    parts: list[Part], library: str
) -> None:
    merge, (part,) = twin(library, "fast.merge_partial"), parts
    nothing = by_hand(np.zeros((3, 0)), np.zeros((0, 2)))
    for found in (merge(*part, *nothing), merge(*nothing, *part)):
        for a, b in zip(found, part, strict=True):
            np.testing.assert_array_equal(a, b)


@given(data=st.data())
def test_merge_partial_of_any_partition_of_the_keys_is_attention(
    data: st.DataObject, library: str
) -> None:
    """Whichever keys are together, and in whichever order and grouping they are merged."""
    n_k = data.draw(st.integers(1, 9))
    labels = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=n_k, max_size=n_k))
    )
    rng = np.random.default_rng(n_k)
    scores, V = 5 * rng.normal(size=(3, n_k)), rng.normal(size=(n_k, 2))
    scores[0], scores[1, 0] = -np.inf, -np.inf
    one_part = twin(library, "fast.partial_attention")
    merge = twin(library, "fast.merge_partial")
    parts = [one_part(scores[:, labels == k], V[labels == k]) for k in range(4)]
    while len(parts) > 1:
        i, j = data.draw(st.permutations(range(len(parts))))[:2]
        merged = merge(*parts[i], *parts[j])
        parts = [p for k, p in enumerate(parts) if k not in (i, j)] + [merged]
    assert_same(parts[0], by_hand(scores, V))
    assert_same(parts[0], one_part(scores, V))
    _, l, o = parts[0]
    out = o / np.where(l == 0, 1, l)[:, None]
    weights = twin(library, "masks.masked_softmax")(scores)
    np.testing.assert_allclose(out, weights @ V, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("block", [1, 2, 7, 23, 50])
def test_online_softmax_is_softmax_whatever_the_block(
    block: int, library: str
) -> None:
    scores = 10 * normal(3, 7, 23)
    scores[0, 0, :9] = -np.inf
    wanted = twin(library, "softmax.softmax")(scores)
    found = twin(library, "fast.online_softmax")(scores, block)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-300)


# --- tiled attention ------------------------------------------------------------------------------

TILES = [1, 3, 4, 11, 256]


@pytest.mark.parametrize("kind", KINDS)
def test_tiled_attention_is_attention_with_every_mask(
    kind: str, library: str, subtests: pytest.Subtests
) -> None:
    arrays, mask = inputs(2, 3), masks_of_every_kind(library)[kind]
    wanted = twin(library, "qkv.attention")(*arrays, mask=mask)
    tiled = twin(library, "fast.tiled_attention")
    for tile in TILES:
        with subtests.test(tile=tile):
            found = tiled(*arrays, mask=mask, tile=tile)
            assert_close(found, wanted, 1e-12)
            if kind in ("random with an empty row", "a mask for each head"):
                assert (found[:, -1, 2] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_q", "n_k"), [(7, 11), (11, 11), (13, 11), (1, 11)])
def test_tiled_attention_causal_is_causal_on_top_of_every_mask(
    n_q: int, n_k: int, kind: str, library: str, subtests: pytest.Subtests
) -> None:
    arrays = inputs(2, 3, n_q=n_q, n_k=n_k)
    lower = twin(library, "masks.causal_mask")(n_q, n_k)
    mask = masks_of_every_kind(library)[kind]
    if mask is not None and n_q != 7:
        mask = mask[..., :1, :]  # the keys that the first query of seven may see
    both = lower if mask is None else lower & mask
    wanted = twin(library, "qkv.attention")(*arrays, mask=both)
    tiled = twin(library, "fast.tiled_attention")
    for tile in TILES:
        with subtests.test(tile=tile):
            found = tiled(*arrays, mask=mask, causal=True, tile=tile)
            assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("size", [0.1, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_tiled_attention_is_attention_for_scores_of_any_size(
    dtype: str, size: float, library: str
) -> None:
    """Small ones and large ones, both at once too."""
    Q, K, V = (array.astype(dtype) for array in inputs(2, 3))
    Q[0] *= size
    wanted = twin(library, "qkv.attention")(Q, K, V)
    found = twin(library, "fast.tiled_attention")(Q, K, V, tile=3)
    assert found.dtype == dtype
    # At size 1000 a score of 5000 itself is rounded to 4e-4 in float32, in two ways.
    tolerance = {"float64": 1e-11, "float32": 1e-5 + 1e-6 * size}[dtype]
    assert_close(found, wanted, tolerance)


@given(
    n_q=st.integers(0, 6),
    n_k=st.integers(0, 9),
    tile=st.integers(1, 10),
    causal=st.booleans(),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 99),
)
def test_tiled_attention_is_attention_in_any_size(
    n_q: int,
    n_k: int,
    tile: int,
    causal: bool,
    share: float,
    seed: int,
    library: str,
) -> None:
    rng = np.random.default_rng(seed)
    Q, K, V = (
        rng.normal(size=(2, n, d)) for n, d in ((n_q, 3), (n_k, 3), (n_k, 5))
    )
    mask = rng.random((n_q, n_k)) < share
    both = mask & np.tri(n_q, n_k, n_k - n_q, dtype=bool) if causal else mask
    wanted = twin(library, "qkv.attention")(Q, K, V, mask=both)
    tiled = twin(library, "fast.tiled_attention")
    found = tiled(Q, K, V, mask=mask, causal=causal, tile=tile)
    assert_close(found, wanted, 1e-12)


# --- shared keys and values, and linear attention -------------------------------------------------


@pytest.mark.parametrize("n_rep", [1, 2, 4])
def test_repeat_kv_lets_query_heads_share_the_key_head_next_to_them(
    n_rep: int, library: str
) -> None:
    """As PyTorch's grouped queries do; the other order, all heads again and again, does not."""
    n_kv = 3
    Q = normal(2, n_kv * n_rep, 7, 5)
    K, V = normal(2, n_kv, 11, 5, seed=1), normal(2, n_kv, 11, 13, seed=2)
    wanted = F.scaled_dot_product_attention(*tensors(Q, K, V), enable_gqa=True)
    repeat, attention = (
        twin(library, "fast.repeat_kv"),
        twin(library, "qkv.attention"),
    )
    found = attention(Q, repeat(K, n_rep), repeat(V, n_rep))
    assert_close(found, wanted, 1e-12)
    for h in range(n_kv * n_rep):
        alone = attention(Q[:, h], K[:, h // n_rep], V[:, h // n_rep])
        assert_close(found[:, h], alone, 1e-12)
    if n_rep > 1:
        in_turn = attention(
            Q, np.tile(K, (1, n_rep, 1, 1)), np.tile(V, (1, n_rep, 1, 1))
        )
        assert np.abs(in_turn - found).max() > 0.1


def test_linear_attention_causal_is_a_recurrence(library: str) -> None:
    """One matrix and one vector run along, whatever the chunks inside: 150 are more than two."""
    Q, K, V = normal(150, 3), normal(150, 3, seed=1), normal(150, 2, seed=2)
    found = twin(library, "fast.linear_attention")(Q, K, V, causal=True)
    state, total = np.zeros((3, 2)), np.zeros(3)
    for i in range(150):
        f_q, f_k = (np.where(x > 0, x + 1, np.exp(x)) for x in (Q[i], K[i]))
        state, total = state + np.outer(f_k, V[i]), total + f_k
        np.testing.assert_allclose(
            found[i], f_q @ state / (f_q @ total), rtol=1e-11
        )


def test_linear_attention_averages(library: str) -> None:
    """Positive weights with sum 1: outputs lie between the values; the last sees all of them."""
    Q, K, V = normal(2, 7, 5), normal(2, 11, 5, seed=1), normal(2, 11, 3, seed=2)
    linear = twin(library, "fast.linear_attention")
    found, causal = linear(Q, K, V), linear(Q, K, V, causal=True)
    assert (found < V.max(axis=1, keepdims=True)).all()
    assert (found > V.min(axis=1, keepdims=True)).all()
    np.testing.assert_allclose(causal[:, -1], found[:, -1], rtol=1e-12)
    order = np.random.default_rng(0).permutation(11)
    np.testing.assert_allclose(
        linear(Q, K[:, order], V[:, order]), found, rtol=1e-11
    )


def test_linear_attention_cannot_single_out_a_key(library: str) -> None:
    """What it gives up: a key ten times as long gets all of softmax's weight, not all of this."""
    K = np.eye(8)
    V = np.eye(8)
    sharp = twin(library, "qkv.attention")(100 * K, K, V, scale=1.0)
    blurred = twin(library, "fast.linear_attention")(100 * K, K, V)
    assert np.diag(sharp).min() > 0.999
    assert np.diag(blurred).max() < 0.5


# --- costs ----------------------------------------------------------------------------------------


def test_fused_bytes_save_what_grows_with_the_square() -> None:
    explicit, fused = (
        [getattr(costs, name)(n, n, 64, 64, 8) for n in (1024, 2048)]
        for name in ("explicit_bytes", "fused_bytes")
    )
    assert fused[1] == 2 * fused[0]
    assert 3.8 < explicit[1] / explicit[0] < 4


@pytest.mark.without_hook
def test_tiled_attention_says_what_is_wrong(library: str) -> None:
    """Without the shape checks of the test run, too."""
    Q = convert(library, np.ones((3, 2)))
    with pytest.raises(TypeError, match="causal must be True or False, got int 1"):
        public(library, "fast.tiled_attention")(Q, Q, Q, causal=1)
    with pytest.raises(ValueError, match="tile must be at least 1, got 0"):
        public(library, "fast.tiled_attention")(Q, Q, Q, tile=0)
    assert torch.is_tensor(Q) or isinstance(Q, np.ndarray)


INFINITE = {
    "online_softmax": lambda f: [f(np.array([np.inf, 0.0]), 1), f(HUGE[0], 1)],
    "partial_attention": lambda f: f(np.array([[np.inf, 0.0]]), np.ones((2, 1))),
    "merge_partial": lambda f: f(*FAR, *(-x for x in FAR)),
    "tiled_attention": lambda f: [
        f(HUGE, HUGE, HUGE),
        f(HUGE, HUGE, HUGE, bias=np.full((1, 1), np.inf)),
        f(np.array([[np.inf, -np.inf]]), HUGE, HUGE),
    ],
}
HUGE = np.array([[1e308, 1e308]])
FAR = np.array([np.inf]), np.array([1e308]), np.array([[1e308]])


@pytest.mark.parametrize("name", INFINITE)
def test_documented_nan_and_infinity_come_without_a_warning_of_numpy(
    name: str,
) -> None:
    """Its warnings are for surprises; what infinities give is in the docstrings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        INFINITE[name](public("in_numpy", f"fast.{name}"))
