"""Who may see whom, and what must not leak: the equations and theorems of the chapter."""

import itertools
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from tests.chapters.masks.inputs import D, allowed_softmax, three
from tests.support.twin_table import public, twin

FLOAT64 = {"in_numpy": np.float64, "in_torch": torch.float64}

# Three sizes: queries, keys; square, wide as with a cache, and tall.
SIZES = [(1, 1), (5, 5), (2, 7), (7, 2), (1, 5), (0, 3), (3, 0)]


@pytest.mark.equation("eq-next-token", formula=True)
def test_probability_of_a_text_is_the_chain_of_conditionals() -> None:
    """For any distribution over texts of three words: here a random one, all texts tried."""
    joint = np.random.default_rng(0).dirichlet(np.ones(2 * 3 * 5)).reshape(2, 3, 5)
    first, first_two = joint.sum(axis=(1, 2)), joint.sum(axis=2)
    for a, b, c in itertools.product(range(2), range(3), range(5)):
        chain = (
            first[a]
            * (first_two[a, b] / first[a])
            * (joint[a, b, c] / first_two[a, b])
        )
        assert chain == pytest.approx(joint[a, b, c], rel=1e-12)


@pytest.mark.equation("eq-recurrence", formula=True)
def test_recurrent_network_cannot_peek() -> None:
    """The state after t steps is the t-fold f of the first t inputs, whatever comes later."""
    rng = np.random.default_rng(0)
    U, W, X = (
        rng.normal(size=(D, D)),
        rng.normal(size=(D, D)),
        rng.normal(size=(6, D)),
    )

    def states(X: np.ndarray) -> np.ndarray:
        found = [np.zeros(D)]
        for x in X:
            found.append(np.tanh(found[-1] @ U + x @ W))
        return np.array(found[1:])

    nested = np.tanh(np.tanh(np.tanh(X[0] @ W) @ U + X[1] @ W) @ U + X[2] @ W)
    np.testing.assert_allclose(states(X)[2], nested, rtol=1e-12)
    for t in range(1, 7):
        np.testing.assert_array_equal(states(X)[:t], states(X[:t]))


@pytest.mark.equation("eq-causal-mask")
def test_causal_mask_is_aligned_to_the_bottom_right(
    library: str, subtests: pytest.Subtests
) -> None:
    """With i and j from 1, as in the chapter: true if j <= i + n_k - n_q."""
    for n_q, n_k in SIZES:
        with subtests.test(n_q=n_q, n_k=n_k):
            mask = twin(library, "masks.causal_mask")(n_q, n_k)
            assert mask.shape == (n_q, n_k)
            for i, j in itertools.product(range(1, n_q + 1), range(1, n_k + 1)):
                assert mask[i - 1, j - 1] == (j <= i + n_k - n_q)
            if n_q and n_k:
                assert mask[-1].all()


@pytest.mark.equation("eq-window-mask")
@pytest.mark.parametrize("window", [1, 2, 3, 11])
def test_sliding_window_mask_holds_the_last_w_keys(
    window: int, library: str, subtests: pytest.Subtests
) -> None:
    made = twin(library, "masks.sliding_window_mask")
    for n_q, n_k in SIZES:
        with subtests.test(n_q=n_q, n_k=n_k):
            mask = made(n_q, n_k, window=window)
            for i, j in itertools.product(range(1, n_q + 1), range(1, n_k + 1)):
                assert mask[i - 1, j - 1] == (0 <= (i + n_k - n_q) - j < window)
            if n_q and n_k:
                assert mask[-1].sum() == min(window, n_k)


@pytest.mark.equation("eq-padding-mask")
def test_padding_mask_keeps_the_first_keys_of_every_sequence(
    library: str,
) -> None:
    counts = np.array([5, 0, 2])
    mask = twin(library, "masks.padding_mask")(counts, 5)
    assert mask.shape == (3, 1, 5)
    for b, j in itertools.product(range(3), range(1, 6)):
        assert mask[b, 0, j - 1] == (j <= counts[b])


@pytest.mark.equation("eq-padding-mask")
def test_padding_mask_changes_nothing_for_the_real_words(library: str) -> None:
    """With the mask, outputs are those of the sentence alone, whatever fills it up."""
    attention = twin(library, "qkv.attention")
    mask = twin(library, "masks.padding_mask")(np.array([5, 3]), 5)
    Q, K, V = (np.stack([part, part]) for part in three())
    for filling in (0.0, 1.0, -1e3):
        K[1, 3:], V[1, 3:] = filling, filling
        out = attention(Q, K, V, mask=mask)
        np.testing.assert_allclose(out[1], attention(Q[1], K[1, :3], V[1, :3]))
        np.testing.assert_allclose(out[0], attention(Q[0], K[0], V[0]))


@pytest.mark.equation("eq-masked-scores")
def test_masked_softmax_written_out(library: str) -> None:
    """Scaled dot products on and below the diagonal, minus infinity above; then softmax."""
    Q, K, _ = three()
    written = [
        [
            sum(q * k for q, k in zip(Q[i], K[j], strict=True)) / math.sqrt(D)
            if j <= i
            else -math.inf
            for j in range(5)
        ]
        for i in range(5)
    ]
    by_softmax = twin(library, "softmax.softmax")(np.array(written))
    mask = twin(library, "masks.causal_mask")(5)
    found = twin(library, "qkv.attention_weights")(Q, K, mask=mask)
    np.testing.assert_allclose(found, by_softmax, rtol=1e-12)
    np.testing.assert_array_equal(found == 0, np.isneginf(written))


@pytest.mark.equation("eq-causal-weights")
def test_causal_mask_weights_are_lower_triangular_and_sum_up_to_i(
    library: str,
) -> None:
    scores = np.random.default_rng(1).normal(size=(5, 5))
    mask = twin(library, "masks.causal_mask")(5)
    A = twin(library, "masks.masked_softmax")(scores, mask)
    for i in range(5):
        total = math.fsum(math.exp(s) for s in scores[i, : i + 1])
        for j in range(5):
            wanted = math.exp(scores[i, j]) / total if j <= i else 0.0
            assert A[i, j] == pytest.approx(wanted, rel=1e-12, abs=0)


@pytest.mark.equation("eq-causal-output")
def test_causal_attention_rows_written_out(library: str) -> None:
    """Each row is one term longer than the one above; the first is the first value."""
    Q, K, V = three()
    Y = twin(library, "masks.causal_attention")(Q, K, V)
    scores = Q @ K.T / math.sqrt(D)
    a = [
        allowed_softmax(row, [j <= i for j in range(5)])
        for i, row in enumerate(scores)
    ]
    np.testing.assert_allclose(Y[0], V[0], rtol=1e-12)
    np.testing.assert_allclose(Y[1], a[1][0] * V[0] + a[1][1] * V[1], rtol=1e-12)
    np.testing.assert_allclose(
        Y[2], a[2][0] * V[0] + a[2][1] * V[1] + a[2][2] * V[2], rtol=1e-12
    )
    for i in range(5):
        terms = [a[i][j] * V[j] for j in range(i + 1)]
        np.testing.assert_allclose(Y[i], sum(terms), rtol=1e-12)


@pytest.mark.equation("eq-mask-bias")
def test_mask_to_bias_is_zero_or_minus_infinity(library: str) -> None:
    mask = np.random.default_rng(0).random((3, 5)) < 0.5
    bias = twin(library, "masks.mask_to_bias")(mask, dtype=FLOAT64[library])
    for allowed, b in zip(mask.flat, bias.flat, strict=True):
        assert b == (0 if allowed else -math.inf)
    assert not np.isnan(bias).any()


@pytest.mark.equation("eq-masked-attention")
def test_attention_is_softmax_of_scaled_scores_and_bias_times_values(
    library: str,
) -> None:
    """The central formula, entry by entry; a mask and its bias give the same."""
    Q, K, V = three(5, 7)
    mask = twin(library, "masks.causal_mask")(5, 7)
    bias = twin(library, "masks.mask_to_bias")(mask, dtype=FLOAT64[library])
    attention = twin(library, "qkv.attention")
    wanted = []
    for q, row in zip(Q, bias, strict=True):
        exps = [
            math.exp(math.fsum(q * k) / math.sqrt(D) + b)
            for k, b in zip(K, row, strict=True)
        ]
        mixed = sum(p * v for p, v in zip(exps, V, strict=True))
        wanted.append(mixed / math.fsum(exps))
    np.testing.assert_allclose(attention(Q, K, V, bias=bias), wanted, rtol=1e-12)
    np.testing.assert_allclose(attention(Q, K, V, mask=mask), wanted, rtol=1e-12)


@pytest.mark.equation("eq-packed-mask")
def test_mask_of_packed_texts_gives_what_each_text_gives_alone(
    library: str,
) -> None:
    attention = twin(library, "qkv.attention")
    causal = twin(library, "masks.causal_attention")
    Q, K, V = three(7, 7)
    text_of = [1, 1, 1, 2, 2, 3, 3]
    mask = np.array(
        [[j <= i and text_of[i] == text_of[j] for j in range(7)] for i in range(7)]
    )
    packed = attention(Q, K, V, mask=mask)
    for first, end in ((0, 3), (3, 5), (5, 7)):
        part = slice(first, end)
        alone = causal(Q[part], K[part], V[part])
        np.testing.assert_allclose(packed[part], alone, rtol=1e-12)
    without = causal(Q, K, V)  # without the condition on the texts they mix
    assert np.abs(without[3:] - packed[3:]).min() > 1e-3


@pytest.mark.equation("eq-prefix-mask")
@pytest.mark.parametrize("p", [0, 1, 3, 6])
def test_mask_with_a_prefix_hides_what_follows_the_prefix_and_the_query(
    p: int, library: str
) -> None:
    """Within the prefix everything is seen; from output p on, nothing later is."""
    attention = twin(library, "qkv.attention")
    Q, K, V = three(6, 6)
    mask = np.array([[j <= i or j <= p for j in range(1, 7)] for i in range(1, 7)])
    Y = attention(Q, K, V, mask=mask)
    for i in range(1, 7):
        seen = max(i, p)
        wanted = attention(Q[i - 1 : i], K[:seen], V[:seen])[0]
        np.testing.assert_allclose(Y[i - 1], wanted, rtol=1e-12)


@pytest.mark.equation("eq-bias-after-scaling")
def test_bias_is_added_after_scaling(library: str) -> None:
    """A finite bias shows the difference, and PyTorch's own function agrees with us."""
    Q, K, V = three(4, 5)
    bias = np.random.default_rng(2).normal(size=(4, 5))
    after, before = Q @ K.T / math.sqrt(D) + bias, (Q @ K.T + bias) / math.sqrt(D)
    found = twin(library, "qkv.attention_weights")(Q, K, bias=bias)
    rows = [allowed_softmax(row, [True] * 5) for row in after]
    np.testing.assert_allclose(found, rows, rtol=1e-12)
    wrong = [allowed_softmax(row, [True] * 5) for row in before]
    assert np.abs(found - wrong).max() > 0.05
    Y = F.scaled_dot_product_attention(
        *(torch.from_numpy(part)[None] for part in (Q, K, V)),
        attn_mask=torch.from_numpy(bias)[None],
    )
    np.testing.assert_allclose(found @ V, Y[0].numpy(), rtol=1e-12)


rows_and_masks = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-20, 20, allow_subnormal=False), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n).filter(any),
    )
)


@pytest.mark.equation("eq-mask-renormalize")
@given(row=rows_and_masks)
def test_masked_softmax_gives_renormalized_weights(
    row: tuple[list[float], list[bool]], library: str
) -> None:
    """Both forms of the equation, the second from the unmasked weights."""
    scores, allowed = np.array(row[0]), np.array(row[1])
    found = twin(library, "masks.masked_softmax")(scores, allowed)
    np.testing.assert_allclose(found, allowed_softmax(*row), rtol=1e-12)
    unmasked = twin(library, "softmax.softmax")(scores)
    again = allowed * unmasked / (allowed * unmasked).sum()
    np.testing.assert_allclose(found, again, rtol=1e-9)


@pytest.mark.theorem("thm-mask-renormalize")
@given(row=rows_and_masks)
def test_masked_key_might_as_well_not_be_in_the_list(
    row: tuple[list[float], list[bool]], library: str
) -> None:
    """Forbidden: exactly 0. Allowed: as if the list held nothing else, with sum 1."""
    scores, allowed = np.array(row[0]), np.array(row[1])
    masked_softmax = twin(library, "masks.masked_softmax")
    found = masked_softmax(scores, allowed)
    assert (found[~allowed] == 0).all()
    assert found.sum() == pytest.approx(1, rel=1e-12)
    shorter = twin(library, "softmax.softmax")(scores[allowed])
    np.testing.assert_allclose(found[allowed], shorter, rtol=1e-12)
    scores[~allowed] = 1e4  # whatever stands there
    np.testing.assert_array_equal(masked_softmax(scores, allowed), found)


masks_of_five = st.lists(st.booleans(), min_size=35, max_size=35).map(
    lambda bits: np.reshape(bits, (5, 7))
)


@pytest.mark.equation("eq-mask-and")
@given(first=masks_of_five, second=masks_of_five)
def test_masked_softmax_twice_is_masking_with_and(
    first: np.ndarray, second: np.ndarray, library: str
) -> None:
    Q, K, V = three(5, 7)
    attention = twin(library, "qkv.attention")
    both = np.array(
        [[first[i, j] and second[i, j] for j in range(7)] for i in range(5)]
    )
    to_bias = twin(library, "masks.mask_to_bias")
    bias = to_bias(second, dtype=FLOAT64[library])
    np.testing.assert_array_equal(
        attention(Q, K, V, mask=first, bias=bias), attention(Q, K, V, mask=both)
    )


@pytest.mark.equation("eq-mask-and")
@given(first=masks_of_five, second=masks_of_five)
def test_masks_combine_in_any_order(
    first: np.ndarray, second: np.ndarray, library: str
) -> None:
    """By steps, in either order, twice the same, and as a sum of biases."""
    scores = np.random.default_rng(5).normal(size=(5, 7))
    masked_softmax = twin(library, "masks.masked_softmax")
    one = masked_softmax(scores, first & second)
    for a, b in ((first, second), (second, first), (first & second, first)):
        stepwise = np.where(a, scores, -np.inf)
        np.testing.assert_array_equal(masked_softmax(stepwise, b), one)
    to_bias = twin(library, "masks.mask_to_bias")
    biases = [to_bias(m, dtype=FLOAT64[library]) for m in (first, second)]
    np.testing.assert_array_equal(masked_softmax(scores + sum(biases)), one)


def test_causal_attention_continues_where_the_cache_ends(library: str) -> None:
    """Rectangular masks: the last rows of the full result, one query or several at a time."""
    Q, K, V = three(7, 7)
    attention = twin(library, "masks.causal_attention")
    for n_new in (1, 2, 5):
        new = attention(Q[-n_new:], K, V)
        np.testing.assert_allclose(new, attention(Q, K, V)[-n_new:], rtol=1e-12)


def test_cross_attention_is_causal_in_its_queries_without_a_mask(
    library: str,
) -> None:
    Q, K, V = three(5, 7)
    attention = twin(library, "qkv.attention")
    for t in range(1, 6):
        np.testing.assert_allclose(attention(Q, K, V)[:t], attention(Q[:t], K, V))


def test_masked_softmax_of_an_empty_row_is_zero_with_a_zero_gradient(
    library: str,
) -> None:
    """Neither NaN nor uniform, and the other rows as they would be without it."""
    scores = np.random.default_rng(7).normal(size=(3, 5))
    mask = np.array([[True] * 5, [False] * 5, [True, False, True, False, True]])
    found = twin(library, "masks.masked_softmax")(scores, mask)
    assert (found[1] == 0).all()
    for i in (0, 2):
        np.testing.assert_allclose(found[i], allowed_softmax(scores[i], mask[i]))


def test_masked_softmax_gradients_survive_an_empty_row() -> None:
    """Patching NaN after softmax leaves NaN in the gradient if the -inf was added, not filled."""
    mask = torch.tensor([[True, True, False], [False, False, False]])
    values = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    bias = public("in_torch", "masks.mask_to_bias")(mask, dtype=torch.float64)
    ways = {
        "ours": lambda s: public("in_torch", "masks.masked_softmax")(s, mask),
        "added": lambda s: torch.softmax(s + bias, dim=-1).nan_to_num(0.0),
        "filled": lambda s: (
            s.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num(0.0)
        ),
    }
    gradients = {}
    for name, way in ways.items():
        scores = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
        weights = way(scores)
        assert (weights[1] == 0).all()
        (weights @ values).sum().backward()
        gradients[name] = scores.grad
        assert torch.equal(gradients["ours"][0], gradients[name][0])
    assert (gradients["ours"][1] == 0).all()
    assert gradients["added"][1].isnan().all()
    assert (gradients["filled"][1] == 0).all()
