"""What scores of heads are made of, and what one head in one layer cannot do."""

import math
import warnings

import numpy as np
import pytest

from course_attn.in_torch import ablate_heads, logit_lens
from tests.chapters.language_model.test_layers import HEADS, D, made
from tests.chapters.language_model.test_layers import text as tokens_of
from tests.support.comparison import assert_close
from tests.support.twin_table import twin

# --- one head in one layer ------------------------------------------------------------------------

FOUR_TEXTS = ("axbya", "aybxa", "bxaya", "byaxa")
CONTINUED = "xyyx"
TOKENS = "abxy"


def elements(text: str) -> np.ndarray:
    """Return a row for each letter: which one it is, and at which place."""
    letters, places = np.eye(len(TOKENS)), np.eye(len(text))
    return np.hstack([letters[[TOKENS.index(c) for c in text]], places])


def differences(
    library: str, matrices: list[np.ndarray], n_heads: int
) -> np.ndarray:
    """Return for each text the logit of x minus that of y, read off the first feature."""
    attend = twin(library, "multi_head.multi_head_attention")
    found = []
    for text in FOUR_TEXTS:
        X = elements(text)
        Y = attend(X, *matrices, n_heads=n_heads, causal=True)
        found.append(Y[-1, 0])
    return np.array(found)


def all_right(deltas: np.ndarray) -> bool:
    return all(
        (delta > 0) == (c == "x")
        for delta, c in zip(deltas, CONTINUED, strict=True)
    )


def one_head(rng: np.random.Generator) -> list[np.ndarray]:
    W_Q, W_K, W_V, W_O = 2 * rng.normal(size=(4, 9, 9))
    return [W_Q, W_K, W_V, W_O]


@pytest.mark.equation("eq-four-texts")
@pytest.mark.parametrize("seed", range(10))
def test_the_differences_of_one_head_balance(seed: int, library: str) -> None:
    matrices = one_head(np.random.default_rng(seed))
    deltas = differences(library, matrices, 1)
    W_Q, W_K = matrices[:2]
    D = []
    for text in FOUR_TEXTS:
        X = elements(text)
        D.append(math.fsum(np.exp(X @ W_K @ (X[-1] @ W_Q) / math.sqrt(9))))
    left, right = (
        D[0] * deltas[0] + D[3] * deltas[3],
        D[1] * deltas[1] + D[2] * deltas[2],
    )
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9 * max(D))


@pytest.mark.theorem("thm-one-layer")
def test_one_head_never_continues_all_four_texts(library: str) -> None:
    rng = np.random.default_rng(0)
    most = 0
    for _ in range(300):
        deltas = differences(library, one_head(rng), 1)
        right = [
            (delta > 0) == (c == "x")
            for delta, c in zip(deltas, CONTINUED, strict=True)
        ]
        most = max(most, sum(right))
    assert most == 3


def two_heads() -> list[np.ndarray]:
    """Build two heads that sort out the four texts, each by one score per key.

    Head 1 looks at place 4, unless an a stands at place 1, which then takes all its weight and has
    the value 0. Head 2 looks at place 2, unless an a stands at place 3.
    """
    W_Q, W_K, W_V, W_O = (
        np.zeros(shape) for shape in ((9, 2), (9, 2), (9, 2), (2, 9))
    )
    W_Q[0] = 1.0  # the query is an a
    W_K[0] = 50.0
    W_K[4:, 0] = [-30, -100, -100, 0, -100]
    W_K[4:, 1] = [-100, 0, -30, -100, -100]
    W_V[2], W_V[3] = 1.0, -1.0
    W_O[:, 0] = 1.0
    return [W_Q, W_K, W_V, W_O]


@pytest.mark.theorem("thm-one-layer")
def test_two_heads_in_one_layer_can_continue_all_four_texts(library: str) -> None:
    """So the theorem needs its single head."""
    deltas = differences(library, two_heads(), 2)
    assert all_right(deltas)
    np.testing.assert_allclose(np.abs(deltas), 1, atol=1e-6)


@pytest.mark.theorem("thm-one-layer")
def test_one_head_in_two_layers_can_continue_all_four_texts(library: str) -> None:
    """Layer 1 writes beside each letter the one before; layer 2 looks for the own letter there."""
    attend = twin(library, "multi_head.multi_head_attention")
    for text, wanted in zip(FOUR_TEXTS, CONTINUED, strict=True):
        X = elements(text)
        W_Q, W_K = np.zeros((9, 5)), np.zeros((9, 5))
        W_Q[4:], W_K[4:8, 1:] = (
            60 * np.eye(5),
            np.eye(4),
        )  # place i asks for place i - 1
        before = np.vstack([np.eye(4), np.zeros((5, 4))])
        found = attend(X, W_Q, W_K, before, np.eye(4), n_heads=1, causal=True)
        Z = np.hstack([X, found])
        W_Q, W_K = np.zeros((13, 4)), np.zeros((13, 4))
        W_Q[:4], W_K[9:] = 60 * np.eye(4), np.eye(4)
        V = np.vstack([np.eye(4), np.zeros((9, 4))])
        Y = attend(Z, W_Q, W_K, V, np.eye(4), n_heads=1, causal=True)
        assert TOKENS[int(Y[-1, 2:].argmax()) + 2] == wanted


# --- scores of heads ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "options"),
    [("previous_token_score", {}), ("induction_score", {"period": 1})],
)
def test_scores_of_one_token_are_nan_and_warn_of_nothing(
    score: str, options: dict, library: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = twin(library, f"heads.{score}")(np.ones((1, 1)), **options)
    assert math.isnan(found)


def causal(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw causal weights."""
    exps = np.exp(rng.normal(size=(n, n))) * np.tri(n)
    return exps / exps.sum(axis=-1, keepdims=True)


@pytest.mark.equation("eq-previous-token")
@pytest.mark.parametrize("n", [2, 3, 11])
def test_previous_token_score_is_the_mean_of_its_sum(n: int, library: str) -> None:
    a = causal(np.random.default_rng(n), n)
    wanted = math.fsum(a[i - 1, i - 2] for i in range(2, n + 1)) / (n - 1)
    found = twin(library, "heads.previous_token_score")(a)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.equation("eq-induction")
@pytest.mark.parametrize(("n", "p"), [(2, 1), (7, 3), (11, 5), (11, 10)])
def test_induction_score_is_the_mean_of_its_sum(
    n: int, p: int, library: str
) -> None:
    a = causal(np.random.default_rng(n), n)
    wanted = math.fsum(a[i - 1, i - p] for i in range(p + 1, n + 1)) / (n - p)
    found = twin(library, "heads.induction_score")(a, p)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.equation("eq-ablation")
def test_ablate_heads_leaves_the_terms_of_the_other_heads() -> None:
    model, tokens = made(), tokens_of(2)
    block = model.blocks[1]
    X = model.blocks[0](model.embed(tokens), causal=True)
    seen, attention = block.norm_1(X), block.attention
    _, weights = attention.forward_with_weights(seen, causal=True)
    width = D // HEADS
    for gone in range(HEADS):
        terms = [
            weights[:, h]
            @ (seen @ attention.W_V[:, h * width : (h + 1) * width])
            @ attention.W_O[h * width : (h + 1) * width]
            for h in range(HEADS)
            if h != gone
        ]
        ablated = ablate_heads(model, [(1, gone)]).blocks[1].attention
        assert_close(ablated(seen, causal=True), sum(terms), 1e-12)


@pytest.mark.equation("eq-logit-lens")
def test_logit_lens_is_the_final_norm_of_the_stream_times_the_embedding() -> None:
    model, tokens = made(), tokens_of(2)
    E, norm = model.embedding, model.transformer.final_norm
    X = [model.embed(tokens)]
    for block in model.blocks:
        X.append(block(X[-1], causal=True))
    for stage, x in enumerate(X):
        centered = x - x.mean(-1, keepdim=True)
        spread = (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        wanted = (norm.gain * centered / spread + norm.bias) @ E.T
        assert_close(logit_lens(model, tokens)[:, stage], wanted, 1e-11)
