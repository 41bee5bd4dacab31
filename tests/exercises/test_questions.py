"""The questions: their answers are true, and each wrong choice has a sentence of its own."""

from functools import partial

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention
from whywrong import Letters, Question

# Their answers are arrays that the reader builds, which no field holds.
BUILT = {"fooled_by_length", "hide_the_axis_bug"}
QUESTIONS = [
    task
    for name in catalog.modules
    if isinstance(task := catalog.find(name), Question)
]

D = 6
WORDS = dict(
    zip(
        ("Mary", "gave", "Susan", "flowers"),
        np.random.default_rng(0).standard_normal((4, D)),
        strict=True,
    )
)
SENTENCES = ("Mary gave Susan flowers", "Susan gave Mary flowers")


@pytest.mark.parametrize("task", QUESTIONS, ids=lambda task: task.name)
def test_letters_and_numbers_can_be_given_without_code(task):
    if isinstance(task.read, Letters):
        right = task.read(task.solution())
        assert right < set(task.read.offered), "something has to be left out"
        assert right != {"a", "d"}, (
            "the example in the notebook would be the answer"
        )
        assert all(f"**{letter}**" in task.task for letter in task.read.offered)
    elif task.name in BUILT:
        assert not task.fields
    elif task.fields != ("shape",):
        assert len(task.fields) == np.size(task.read(task.solution())) > 0


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
def test_can_tell_order_names_the_models_that_tell_sentences_apart(letter):
    answer = catalog.find("can_tell_order").solution()
    for seed in range(5):
        first, second = (
            MODELS[letter](np.array([WORDS[w] for w in s.split()]), seed).mean(
                axis=0
            )
            for s in SENTENCES
        )
        difference = np.abs(first - second).max()
        assert difference > 1e-3 if letter in answer else difference < 1e-12


TRUE_AND_FALSE = {
    "true_of_softmax": ("bde", "acf"),
    "true_of_average": ("bcfg", "ade"),
    "hides_the_future": ("acf", "bdeg"),
    "notices_the_reshape": ("ce", "abdf"),
}


@pytest.mark.parametrize("name", TRUE_AND_FALSE)
def test_statements_have_a_sentence_for_each_wrong_choice(name):
    true, false = TRUE_AND_FALSE[name]
    for letter in false:
        result = check(partial(set, {*true, letter}), name)
        assert result.faults == (letter,), result
    for letter in true:
        result = check(partial(set, set(true) - {letter}), name)
        assert result.faults == (f"{letter}-missing",), result


@pytest.mark.parametrize("rows", ["certain", "drawn"])
def test_true_of_average_has_statements_that_hold_as_claimed(rows):
    """Every pair of heads with the mean (0.5, 0.5, 0, 0), and which statements hold for it."""
    x = np.array([0.0, 1.0]) if rows == "certain" else np.linspace(0, 1, 101)
    zero = np.zeros_like(x)
    first = np.stack([x, 1 - x, zero, zero], axis=-1)
    second = 2 * np.array([0.5, 0.5, 0, 0]) - first
    assert (second >= 0).all() and np.allclose(second.sum(axis=-1), 1)
    both = np.stack([first, second])
    holds = {
        "a": (both[..., 0] == 0.5).all(axis=0),
        "b": (both[..., 2] == 0).all(axis=0),
        "c": (both[..., 0] >= 0.5).any(axis=0),
        "d": (both == 1).any(axis=(0, 2)),
        "g": (first[:, 0] != 1) | (second[:, 1] == 1),
    }
    certain = {letter for letter, each in holds.items() if each.all()}
    expected = {"b", "c", "g"} | ({"d"} if rows == "certain" else set())
    assert certain == expected


def test_true_of_average_is_right_that_mixing_with_the_average_differs():
    rng = np.random.default_rng(0)
    values, W_O = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 3, 6))
    weights = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    own = sum(a @ V @ W for a, V, W in zip(weights, values, W_O, strict=True))
    mixed = sum(
        weights.mean(axis=0) @ V @ W for V, W in zip(values, W_O, strict=True)
    )
    assert np.abs(own - mixed).max() > 0.1
