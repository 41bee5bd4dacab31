"""Exercises of `fast`: they mean what the package means, and say what fits."""

import numpy as np
import pytest

from course_attn import costs
from course_attn.exercises import catalog, check
from course_attn.in_numpy import fast, masks
from course_attn.in_numpy.language_model import KVCache
from tests.exercises.same import assert_solution_is, inputs

SAME = {
    "merge_partial": fast.merge_partial,
    "online_softmax": fast.online_softmax,
    "repeat_kv": fast.repeat_kv,
    "attention_flops": costs.attention_flops,
    "sliding_window_mask": lambda n_q, n_k, window: masks.sliding_window_mask(
        n_q, n_k, window=window
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_solution_is_the_packages_function(name):
    assert_solution_is(SAME[name], name)


def test_cached_step_is_a_cache_and_attention():
    for q, k, v, *kept in inputs("cached_step"):
        cache = KVCache()
        cache.append(*kept)
        K, V = cache.append(k, v)
        wanted = fast.tiled_attention(q, K, V), K, V
        got = catalog.find("cached_step").solution(q, k, v, *kept)
        for own, other in zip(wanted, got, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-6)


def test_merge_partial_gives_the_part_of_all_keys():
    rng = np.random.default_rng(0)
    scores, V = rng.standard_normal((5, 7)), rng.standard_normal((7, 3))
    one = fast.partial_attention(scores[:, :3], V[:3])
    two = fast.partial_attention(scores[:, 3:], V[3:])
    merged = catalog.find("merge_partial").solution(*one, *two)
    wanted = fast.partial_attention(scores, V)
    for own, other in zip(merged, wanted, strict=True):
        np.testing.assert_allclose(own, other)


def test_merge_partial_names_a_mistake_beside_an_unknown_treatment_of_empty_parts():
    def no_factors(m1, l1, o1, m2, l2, o2):
        m = np.maximum(m1, m2)
        return m, np.where(np.isinf(m), 7.0, l1 + l2), o1 + o2

    result = check(no_factors, "merge_partial")
    assert result.faults == ("not-rescaled",)
    assert "You add the two parts as they are" in result.message
    assert "It is also wrong" in result.message


def test_merge_partial_names_a_finite_maximum_for_an_empty_part():
    def never_empty(m1, l1, o1, m2, l2, o2):
        m = np.maximum(np.maximum(m1, m2), -1e9)
        f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
        return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2

    result = check(never_empty, "merge_partial")
    assert "not-empty" in result.faults and "should stay −∞" in result.message


@pytest.mark.parametrize("transposed", [False, True])
def test_online_softmax_may_use_the_softmax_of_a_block(transposed):
    """Only a softmax of whole rows does the exercise."""
    from scipy.special import softmax

    def of_block(part):
        hidden = np.where(np.isneginf(part), -1e300, part)
        return (
            softmax(hidden.T, axis=0).T if transposed else softmax(hidden, axis=-1)
        )

    def online(scores, tile):
        starts = range(0, scores.shape[-1], tile)
        parts = [scores[..., i : i + tile].astype(float) for i in starts]
        logs = np.stack([np.logaddexp.reduce(p, axis=-1) for p in parts], -1)
        top = np.nan_to_num(logs.max(-1, keepdims=True), neginf=0.0)
        shares = np.exp(logs - top)
        shares /= np.maximum(shares.sum(-1, keepdims=True), 1e-300)
        mixed = [of_block(p) * shares[..., i, None] for i, p in enumerate(parts)]
        return np.concatenate(mixed, -1)

    assert check(online, "online_softmax").passed
