"""Exercises of `order`: mistakes beside a missing error, and the answer to `text_that_moves`."""

import dataclasses

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy.order import rotary
from course_attn.in_numpy.qkv import attention
from whywrong import Case, judge


def sines_and_cosines(n, d_model):
    """Leave the last column of an odd width empty."""
    P = np.zeros((n, d_model))
    for f in range(d_model // 2):
        P[:, 2 * f] = np.sin(np.arange(1, n + 1) / 10000 ** (2 * f / d_model))
        P[:, 2 * f + 1] = np.cos(np.arange(1, n + 1) / 10000 ** (2 * f / d_model))
    return P


def test_sinusoidal_encoding_names_the_mistake_and_the_missing_error():
    result = check(sines_and_cosines, "sinusoidal_encoding")
    assert result.faults == ("from-one", "odd-left-empty")
    assert "raise ValueError" in result.message


def test_sinusoidal_encoding_says_what_error_is_missing():
    def right_otherwise(n, d_model):
        P = np.zeros((n, d_model))
        angles = np.arange(n)[:, None] / 10000 ** (
            np.arange(0, d_model - 1, 2) / d_model
        )
        P[:, : d_model - d_model % 2 : 2] = np.sin(angles)
        P[:, 1::2] = np.cos(angles)
        return P

    result = check(right_otherwise, "sinusoidal_encoding")
    assert result.faults == ("odd-left-empty",) and "ValueError" in result.message


RNG = np.random.default_rng(0)
X, (W_Q, W_K, W_V) = RNG.standard_normal((5, 8)), RNG.standard_normal((3, 8, 8)) / 3
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
WAYS = {
    "a": lambda at: attention(rotary(Q, at), rotary(K, at), V),
    "b": lambda at: attention(*(rotary(M, at) for M in (Q, K, V))),
    "c": lambda at: rotary(attention(*(rotary(M, at) for M in (Q, K, V))), -at),
    "d": lambda at: attention(rotary(X, at) @ W_Q, rotary(X, at) @ W_K, V),
    "e": lambda at: attention(
        *(rotary(M, at, interleaved=True) for M in (Q, K)), V
    ),
    "f": lambda at: attention(rotary(Q, at), rotary(K, at, interleaved=True), V),
    "g": lambda at: attention(rotary(Q, np.arange(5)), rotary(K, at), V),
}


@pytest.mark.parametrize("letter", WAYS)
def test_text_that_moves_names_the_ways_whose_outputs_stay(letter):
    way, answer = WAYS[letter], catalog.find("text_that_moves").solution()
    moved = np.abs(way(np.arange(5)) - way(np.arange(100, 105))).max()
    assert moved < 1e-12 if letter in answer else moved > 1e-2


def test_text_that_moves_passes_a_way_with_the_wrong_scores():
    assert np.abs(WAYS["e"](np.arange(5)) - WAYS["a"](np.arange(5))).max() > 1e-2


def test_alibi_bias_may_hold_anything_above_the_diagonal_of_as_many_heads():
    def nan_above(n_heads, n_q):
        i, slopes = (
            np.arange(n_q),
            2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads),
        )
        bias = -slopes[:, None, None] * (i[:, None] - i)
        return np.where(np.tri(n_q, dtype=bool), bias, np.nan)

    task = catalog.find("alibi_bias")
    square = dataclasses.replace(task, cases=lambda: (Case((8, 8)),))
    assert judge(square, nan_above).passed
