"""Exercises of `multi_head`: their inputs, and what is quoted from a learner's answer."""

import numpy as np

from course_attn.exercises import catalog, check
from course_attn.in_numpy.multi_head import multi_head_attention
from course_attn.in_numpy.qkv import attention
from tests.chapters.multi_head.answers import n_parameters, split_heads


def test_message_quotes_the_learners_own_numbers():
    result = check(split_heads.sh_only_reshape, "split_heads")
    assert "[0, 1] and [2, 3]" in result.message
    assert "[0, 1] and [10, 11]" in result.message
    result = check(n_parameters.np_no_bias_of_values, "n_parameters")
    assert "n_heads·d_v = 6 numbers, added after W_V" in result.message


def test_split_heads_says_the_missing_error_where_it_is_missing():
    result = check(split_heads.sh_reshape_and_no_error, "split_heads")
    assert "3 heads cannot share 5 features" in result.message


def test_multi_head_attention_has_inputs_that_separate_mistakes():
    """In every mask each row and column has a True and a False; no matrix is an identity."""
    for case in catalog.find("multi_head_attention").made_cases:
        mask = case.args[-1]
        for axis in (0, 1):
            assert (mask.any(axis) & ~mask.all(axis)).all()
        assert (mask != mask.T).any()
        assert np.abs(case.args[4] - np.eye(len(case.args[4]))).max() > 0.5


def test_multi_head_flops_are_those_that_pytorch_counts():
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    n, d_model, n_heads = 7, 12, 3
    layer = catalog.find("MultiHeadAttention").solution(d_model, n_heads)
    with FlopCounterMode(display=False) as counter:
        layer(torch.randn(n, d_model), torch.ones(n, n, dtype=torch.bool))
    counted = catalog.find("multi_head_flops").solution(n, d_model, n_heads)
    assert counter.get_total_flops() == counted


def test_split_heads_asks_to_raise_an_error_that_is_returned_or_printed():
    returned = check(split_heads.sh_error_returned, "split_heads")
    assert "*returns* one: write `raise ValueError(…)`" in returned.message
    printed = check(split_heads.sh_error_printed, "split_heads")
    assert "which `print` does not" in printed.message


def test_notices_the_reshape_names_the_tests_that_fail_for_it():
    """Each test of the question, tried on the right code and on that of the task."""
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(2, 6, 12))
    W_Q, W_K, W_V, W_O = rng.normal(size=(4, 12, 12)) / 12**0.5

    def reshaped(X, W_V=W_V, n_heads=2, mask=None):
        n = len(X)
        Q, K, V = ((X @ W).reshape(n_heads, n, -1) for W in (W_Q, W_K, W_V))
        return attention(Q, K, V, mask=mask).reshape(n, -1) @ W_O

    def right(X, W_V=W_V, n_heads=2, mask=None):
        return multi_head_attention(
            X, W_Q, W_K, W_V, W_O, n_heads=n_heads, mask=mask
        )

    swap = [5, 1, 2, 3, 4, 0]
    first, last = (np.where(np.arange(6)[:, None] == i, other, X) for i in (0, 5))
    seen = np.tri(6, dtype=bool)
    one_head = attention(X @ W_Q, X @ W_K, X @ W_V) @ W_O
    tests = {
        "a": lambda f: np.allclose(f(X, n_heads=1), one_head),
        "b": lambda f: np.allclose(f(X[:1]), X[:1] @ W_V @ W_O),
        "c": lambda f: np.allclose(f(X[swap]), f(X)[swap]),
        "d": lambda f: np.allclose(f(last, mask=seen)[:5], f(X, mask=seen)[:5]),
        "e": lambda f: not np.allclose(f(first, mask=seen)[5], f(X, mask=seen)[5]),
        "f": lambda f: np.allclose(f(X, 2 * W_V), 2 * f(X)),
    }
    assert all(test(right) for test in tests.values())
    notice = {letter for letter, test in tests.items() if not test(reshaped)}
    assert notice == catalog.find("notices_the_reshape").solution()
