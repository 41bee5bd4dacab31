"""What a block is: its parts, one number at a time, and how they are joined."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_attn.in_torch import TransformerBlock
from tests.chapters.block.inputs import D_FF, D, N, block_params
from tests.support.attention_inputs import normal
from tests.support.twin_table import public, twin


def layer_normed(
    x: np.ndarray, gain: Any, bias: Any, eps: float = 1e-5
) -> list[float]:
    """Normalize one row, in plain Python numbers."""
    mean = math.fsum(x) / len(x)
    variance = math.fsum((number - mean) ** 2 for number in x) / len(x)
    return [
        g * (number - mean) / math.sqrt(variance + eps) + b
        for number, g, b in zip(x, gain, bias, strict=True)
    ]


# --- the parts ------------------------------------------------------------------------------------


@pytest.mark.equation("eq-feed-forward")
def test_feed_forward_works_on_each_row(library: str) -> None:
    """One number at a time; and a row alone gives what it gives among others."""
    p, X = block_params(), normal(N, D)
    arrays = [p[name] for name in ("W_1", "b_1", "W_2", "b_2")]
    found = twin(library, "block.feed_forward")(X, *arrays)
    for i in range(N):
        hidden = [
            max(0.0, math.fsum(X[i] * p["W_1"][:, f]) + p["b_1"][f])
            for f in range(D_FF)
        ]
        wanted = [
            math.fsum(hidden * p["W_2"][:, f]) + p["b_2"][f] for f in range(D)
        ]
        np.testing.assert_allclose(found[i], wanted, rtol=1e-11)
        alone = twin(library, "block.feed_forward")(X[i], *arrays)
        np.testing.assert_allclose(alone, found[i], rtol=1e-12)


def test_feed_forward_gives_a_difference_of_features_that_no_linear_map_gives(
    library: str,
) -> None:
    """The example of the chapter: a network of two hidden features does."""
    W_1, W_2 = (
        np.array([[1.0, -1.0], [-1.0, 1.0]]),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
    )
    pairs = normal(N, 2)
    zero = np.zeros(2)
    found = twin(library, "block.feed_forward")(pairs, W_1, zero, W_2, zero)
    np.testing.assert_allclose(found[:, 0], np.abs(pairs[:, 0] - pairs[:, 1]))
    assert not found[:, 1].any()


@pytest.mark.equation("eq-relu")
def test_relu_is_the_larger_of_x_and_zero(library: str) -> None:
    x = np.array([-3.0, -1e-300, 0.0, 1e-300, 2.5])
    wanted = [max(number, 0.0) for number in x]
    np.testing.assert_array_equal(twin(library, "block.relu")(x), wanted)


@pytest.mark.equation("eq-gelu")
def test_gelu_is_x_times_the_probability_to_lie_below_x(library: str) -> None:
    """In two ways: by erf, and by counting 400,000 draws (standard error below 0.0008 times x)."""
    x = np.linspace(-3, 3, 13)
    found = twin(library, "block.gelu")(x)
    wanted = [number / 2 * (1 + math.erf(number / math.sqrt(2))) for number in x]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    draws = np.random.default_rng(0).normal(size=400_000)
    counted = x * (draws[:, None] < x).mean(axis=0)
    assert np.abs(found - counted).max() < 5 * 0.0008 * 3


@pytest.mark.equation("eq-gelu")
def test_gelu_follows_relu_to_within_what_the_chapter_says(library: str) -> None:
    x = np.linspace(-8, 8, 16001)
    off = twin(library, "block.relu")(x) - twin(library, "block.gelu")(x)
    assert off.min() >= 0
    assert round(float(off.max()), 2) == 0.17
    assert off[0] < 1e-13 and off[-1] < 1e-13


@pytest.mark.equation("eq-layer-norm")
def test_layer_norm_goes_across_the_features_of_one_element(library: str) -> None:
    X, gain, bias = normal(2, N, D) * 3 + 1, normal(D, seed=1), normal(D, seed=2)
    for eps in (1e-5, 0.0, 2.0):
        found = twin(library, "block.layer_norm")(X, gain, bias, eps=eps)
        for at in itertools.product(range(2), range(N)):
            wanted = layer_normed(X[at], gain, bias, eps)
            np.testing.assert_allclose(found[at], wanted, rtol=1e-12)


@pytest.mark.equation("eq-layer-norm")
@pytest.mark.parametrize("axis", [0, 1])
def test_layer_norm_of_an_element_depends_on_no_other(
    axis: int, library: str
) -> None:
    """Neither a later one nor one of another text: what a norm over another axis would use."""
    X, one, zero = normal(3, N, D), np.ones(D), np.zeros(D)
    changed = X.copy()
    changed[(slice(None),) * axis + (slice(1, None),)] += 7 * normal(D, seed=1)
    norm = twin(library, "block.layer_norm")
    rms = twin(library, "block.rms_norm")
    for before, after in (
        (norm(X, one, zero), norm(changed, one, zero)),
        (rms(X, one), rms(changed, one)),
    ):
        first = (slice(None),) * axis + (0,)
        np.testing.assert_array_equal(before[first], after[first])
        assert not np.allclose(before, after)
    over = (X - X.mean(axis, keepdims=True)) / X.std(axis, keepdims=True)
    moved = (changed - changed.mean(axis, keepdims=True)) / changed.std(
        axis, keepdims=True
    )
    assert np.abs((over - moved)[first]).max() > 0.1


@pytest.mark.equation("eq-layer-norm")
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-2, 1e6))
def test_layer_norm_gives_mean_0_and_variance_1(
    seed: int, scale: float, library: str
) -> None:
    X = scale * np.random.default_rng(seed).normal(size=(3, 11)) + scale
    out = twin(library, "block.layer_norm")(X, np.ones(11), np.zeros(11), eps=0.0)
    np.testing.assert_allclose(out.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(out.var(axis=-1), 1, rtol=1e-12)


@pytest.mark.equation("eq-rms-norm")
def test_rms_norm_divides_by_the_root_of_the_mean_square(library: str) -> None:
    X, gain = normal(N, D) + 1, normal(D, seed=1)
    for eps in (1e-6, 0.0, 2.0):
        found = twin(library, "block.rms_norm")(X, gain, eps=eps)
        for i in range(N):
            root = math.sqrt(math.fsum(x * x for x in X[i]) / D + eps)
            np.testing.assert_allclose(found[i], gain * X[i] / root, rtol=1e-12)


@pytest.mark.equation("eq-rms-norm")
def test_rms_norm_is_layer_norm_without_a_mean(library: str) -> None:
    X = normal(N, D)
    centered = X - X.mean(axis=-1, keepdims=True)
    one, zero = np.ones(D), np.zeros(D)
    rms, norm = twin(library, "block.rms_norm"), twin(library, "block.layer_norm")
    wanted = norm(centered, one, zero, eps=1e-6)
    np.testing.assert_allclose(rms(centered, one), wanted, rtol=1e-10)
    assert not np.allclose(rms(X, one), norm(X, one, zero))


@pytest.mark.equation("eq-dropout")
def test_dropout_keeps_the_expected_value() -> None:
    """Of 10**6 draws the mean errs by sqrt(p / (1 - p) / 10**6); 5 times that is allowed."""
    for p in (0.1, 0.5):
        torch.manual_seed(0)
        block = TransformerBlock(2, 1, dropout=p)
        dropped = block.dropout(torch.full((10**6,), 3.0)) / 3
        values = sorted(set(dropped.tolist()))
        assert values == pytest.approx([0.0, 1 / (1 - p)], rel=1e-6)
        assert abs(float(dropped.mean()) - 1) < 5 * math.sqrt(p / (1 - p)) / 1000
        assert abs(float((dropped == 0).float().mean()) - p) < 5 * 0.5 / 1000


# --- the block ------------------------------------------------------------------------------------


def attention_by_loops(X: np.ndarray, p: Any, n_heads: int) -> np.ndarray:
    """Give each element its mixtures, one head and one element at a time, without a mask."""
    found = np.zeros_like(X)
    width = X.shape[1] // n_heads
    for h in range(n_heads):
        part = slice(h * width, (h + 1) * width)
        Q, K, V = (X @ p[name][:, part] for name in ("W_Q", "W_K", "W_V"))
        for i in range(len(X)):
            exps = [math.exp(float(Q[i] @ k) / math.sqrt(width)) for k in K]
            mixed = sum(a * v for a, v in zip(exps, V, strict=True)) / sum(exps)
            found[i] += mixed @ p["W_O"][part]
    return found


def row_by_row(
    function: Callable[..., Any], X: np.ndarray, *rest: Any
) -> np.ndarray:
    """Apply a function of one row to each row."""
    return np.array([function(x, *rest) for x in X])


@pytest.mark.equation("eq-residual")
def test_transformer_block_adds_what_a_part_gives_to_what_it_was_given(
    library: str,
) -> None:
    """With parts that give zeros, a pre-norm block changes nothing."""
    p, X = block_params(), normal(N, D)
    silent = p | {name: 0 * p[name] for name in ("W_O", "W_2", "b_2")}
    block = twin(library, "block.transformer_block")
    np.testing.assert_array_equal(block(X, silent, n_heads=2), X)
    # With only the attention silent, Y - X is the network's part.
    mute = p | {"W_O": 0 * p["W_O"]}
    normed = row_by_row(layer_normed, X, p["gain_2"], p["bias_2"])
    arrays = [p[name] for name in ("W_1", "b_1", "W_2", "b_2")]
    added = twin(library, "block.feed_forward")(normed, *arrays)
    np.testing.assert_allclose(block(X, mute, n_heads=2), X + added, rtol=1e-11)


@pytest.mark.equation("eq-pre-norm")
@pytest.mark.equation("eq-post-norm")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_transformer_block_written_out(norm: str, library: str) -> None:
    p, X = block_params(), normal(N, D)
    arrays = [p[name] for name in ("W_1", "b_1", "W_2", "b_2")]

    def first(X: np.ndarray) -> np.ndarray:
        return row_by_row(layer_normed, X, p["gain_1"], p["bias_1"])

    def second(X: np.ndarray) -> np.ndarray:
        return row_by_row(layer_normed, X, p["gain_2"], p["bias_2"])

    def network(X: np.ndarray) -> np.ndarray:
        return np.maximum(X @ arrays[0] + arrays[1], 0) @ arrays[2] + arrays[3]

    if norm == "pre":
        H = X + attention_by_loops(first(X), p, 2)
        wanted = H + network(second(H))
    else:
        H = first(X + attention_by_loops(X, p, 2))
        wanted = second(H + network(H))
    wiring = public(library, f"block.{norm}_norm_block")
    found = twin(library, "block.transformer_block")(X, p, n_heads=2, block=wiring)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
