"""What leaks through several layers of attention, and what does not."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from tests.chapters.masks.inputs import D, three
from tests.support.twin_table import twin

Model = Callable[[np.ndarray], np.ndarray]
Mask = np.ndarray | None


def layers(
    library: str, depth: int
) -> Callable[[np.ndarray, Sequence[Mask]], Mask]:
    """Return random layers, to be called with a mask for each: attention, then a step on rows."""
    attention = twin(library, "qkv.attention")
    weights = np.random.default_rng(3).normal(size=(depth, 4, D, D)) / math.sqrt(D)

    def run(X: np.ndarray, masks: Sequence[Mask]) -> np.ndarray:
        for (W_Q, W_K, W_V, W), mask in zip(weights, masks, strict=True):
            X = X + attention(X @ W_Q, X @ W_K, X @ W_V, mask=mask)
            X = X + np.tanh(X @ W)
        return X

    return run


@pytest.mark.equation("eq-prefix")
def test_causal_attention_keeps_its_outputs_before_a_cut(
    library: str,
) -> None:
    """One layer, as it is: on a prefix it gives the prefix of its outputs."""
    Q, K, V = three(7, 7)
    attention = twin(library, "masks.causal_attention")
    for t in range(1, 8):
        np.testing.assert_allclose(
            attention(Q, K, V)[:t], attention(Q[:t], K[:t], V[:t]), rtol=1e-12
        )


@pytest.mark.theorem("thm-prefix")
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_causal_stack_stays_causal(depth: int, library: str) -> None:
    """The prefix property, and what follows: later inputs do not move an output by one bit."""
    causal_mask, run = twin(library, "masks.causal_mask"), layers(library, depth)
    X = np.random.default_rng(4).normal(size=(7, D))
    whole = run(X, [causal_mask(7)] * depth)
    for t in range(1, 8):
        prefix = run(X[:t], [causal_mask(t)] * depth)
        np.testing.assert_allclose(whole[:t], prefix, rtol=1e-10)
        changed = X.copy()
        changed[t:] += 10
        moved = run(changed, [causal_mask(7)] * depth)
        np.testing.assert_array_equal(moved[:t], whole[:t])
        if t < 7:
            assert np.abs(moved[t:] - whole[t:]).min() > 0


@pytest.mark.theorem("thm-prefix")
@pytest.mark.parametrize("forgetful", range(3))
def test_causal_stack_is_spoiled_by_one_layer_without_its_mask(
    forgetful: int, library: str
) -> None:
    """The theorem needs the mask in every layer: without it anywhere, every output leaks."""
    masks: list[Mask] = [twin(library, "masks.causal_mask")(7)] * 3
    masks[forgetful] = None
    run, X = layers(library, 3), np.random.default_rng(4).normal(size=(7, D))
    changed = X.copy()
    changed[-1] += 1
    moved = np.abs(run(changed, masks) - run(X, masks)).max(axis=-1)
    assert (moved > 1e-6).all()


def dependence(model: Model, X: np.ndarray) -> np.ndarray:
    """Return how far output i moves when input j changes, as entry (i, j)."""
    Y, columns = model(X), []
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += 0.5
        columns.append(np.abs(model(changed) - Y).max(axis=-1))
    return np.stack(columns, axis=-1)


@pytest.mark.theorem("thm-reach")
def test_masks_of_a_stack_reach_what_their_product_says(library: str) -> None:
    """Nothing beyond; and with these weights all of it. Masks are random, with a true diagonal."""
    n, depth = 7, 3
    rng, run = np.random.default_rng(6), layers(library, depth)
    X = rng.normal(size=(n, D)) / 2  # small, so that no weight is nearly 0
    for density in (0.1, 0.2, 0.4):
        masks = [
            np.eye(n, dtype=bool) | (rng.random((n, n)) < density) for _ in range(3)
        ]
        R = masks[2].astype(int) @ masks[1].astype(int) @ masks[0].astype(int)
        found = dependence(lambda X, masks=masks: run(X, masks), X)
        assert (found[R == 0] == 0).all()
        assert (found[R > 0] > 1e-3).all()
        if density < 0.4:
            backwards = masks[0].astype(int) @ masks[1] @ masks[2]
            assert ((backwards > 0) != (R > 0)).any()  # the order matters here


@pytest.mark.equation("eq-reach")
@pytest.mark.parametrize("window", [1, 2, 3])
def test_sliding_window_mask_reaches_further_with_every_layer(
    window: int, library: str
) -> None:
    """The product of L windows of w is a window of L (w - 1) + 1; of causal masks, causal."""
    window_mask = twin(library, "masks.sliding_window_mask")
    one = window_mask(11, window=window).astype(int)
    causal = twin(library, "masks.causal_mask")(11).astype(int)
    for depth in (1, 2, 3):
        R = np.linalg.matrix_power(one, depth) > 0
        wide = depth * (window - 1) + 1
        np.testing.assert_array_equal(R, window_mask(11, window=wide))
        all_of_it = np.linalg.matrix_power(causal, depth) > 0
        np.testing.assert_array_equal(all_of_it, causal == 1)
