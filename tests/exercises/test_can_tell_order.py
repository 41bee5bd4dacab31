"""The answer to the question `can_tell_order`, measured on the six models that it describes."""

import numpy as np
import pytest

from course_attn.exercises import catalog
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention

D = 6
WORDS = dict(
    zip(
        ("Mary", "gave", "Susan", "flowers"),
        np.random.default_rng(0).standard_normal((4, D)),
        strict=True,
    )
)
SENTENCES = ("Mary gave Susan flowers", "Susan gave Mary flowers")


def encoding(n):
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, D, 2) / D)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, D)


def turned(X):
    angles = np.arange(len(X))[:, None] * 10000.0 ** (-np.arange(0, D, 2) / D)
    pairs = (X[:, : D // 2] + 1j * X[:, D // 2 :]) * np.exp(1j * angles)
    return np.concatenate([pairs.real, pairs.imag], axis=-1)


def layer(X, seed, mask=None, place=lambda X: X):
    W_Q, W_K, W_V = np.random.default_rng(seed).standard_normal(
        (3, D, D)
    ) / np.sqrt(D)
    return attention(place(X @ W_Q), place(X @ W_K), X @ W_V, mask=mask)


def deep(X, seed):
    for i in range(12):
        X = layer(X, 12 * seed + i)
    return X


MODELS = {
    "a": layer,
    "b": deep,
    "c": lambda X, seed: layer(X, seed, causal_mask(len(X))),
    "d": lambda X, seed: layer(X + encoding(len(X)), seed),
    "e": lambda X, seed: layer(X, seed) + encoding(len(X)),
    "f": lambda X, seed: layer(X, seed, place=turned),
}


@pytest.mark.parametrize("letter", MODELS)
@pytest.mark.parametrize("seed", range(5))
def test_a_model_tells_the_sentences_apart_if_the_answer_says_so(letter, seed):
    first, second = (
        MODELS[letter](np.array([WORDS[w] for w in s.split()]), seed).mean(axis=0)
        for s in SENTENCES
    )
    answer = catalog.find("can_tell_order").reference()
    difference = np.abs(first - second).max()
    assert difference > 1e-3 if letter in answer else difference < 1e-12
