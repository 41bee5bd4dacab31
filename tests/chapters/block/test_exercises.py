"""What the exercises of `block` claim about norms is true."""

from functools import partial

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy.block import layer_norm, rms_norm


def norm(X, axis, centered):
    if centered:
        X = X - X.mean(axis=axis, keepdims=True)
    return X / np.sqrt((X**2).mean(axis=axis, keepdims=True) + 1e-5)


def so_far(X):
    """Norm each feature of row i over rows 0 to i."""
    return np.stack(
        [norm(X[:, : i + 1], -2, True)[:, i] for i in range(X.shape[1])], axis=1
    )


def each_text(axis, X):
    return np.stack([norm(text, axis, True) for text in X])


NORMS = {
    "a": partial(norm, axis=-1, centered=False),
    "b": partial(norm, axis=-2, centered=False),
    "c": partial(norm, axis=0, centered=True),
    "d": partial(each_text, 0),
    "e": partial(each_text, 1),
    "f": partial(norm, axis=(-2, -1), centered=False),
    "g": so_far,
}


@pytest.mark.parametrize("letter", NORMS)
def test_leaking_norms_names_those_that_see_nothing_else(letter):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3, 5, 4))
    later, others = X.copy(), X.copy()
    later[:, 3:] += rng.standard_normal(4)
    others[1:] += rng.standard_normal(4)
    before, after, beside = map(NORMS[letter], (X, later, others))
    moved = np.abs(after - before)[:, :3].max(), np.abs(beside - before)[0].max()
    is_safe = letter in catalog.find("leaking_norms").solution()
    assert max(moved) < 1e-12 if is_safe else max(moved) > 0.1


@pytest.mark.parametrize("letter", NORMS)
def test_leaking_norms_has_a_sentence_for_each_wrong_choice(letter):
    right = catalog.find("leaking_norms").solution()
    result = check(partial(set, right ^ {letter}), "leaking_norms")
    assert result.faults == (f"{letter}-missing" if letter in right else letter,)


def test_leaking_norms_quotes_true_numbers():
    def first(kind, axis, X):
        return norm(np.array(X), axis, kind == "layer").flat[0].round(2)

    for axis in (-2, None):
        assert first("rms", axis, [[1.0], [1.0]]) == 1
        assert first("rms", axis, [[1.0], [7.0]]) == 1 / 5
    assert first("layer", 0, [[3.0], [5.0]]) == -1
    assert first("layer", 0, [[3.0], [1.0]]) == 1


@pytest.mark.parametrize("d", [1, 2, 5, 64])
def test_matrix_before_rms_makes_layer_norm_of_rms_norm(d):
    C = catalog.find("matrix_before_rms").solution(d)
    X = 3 + np.random.default_rng(d).standard_normal((7, d))
    one, zero = np.ones(d), np.zeros(d)
    assert np.allclose(rms_norm(X @ C, one, eps=1e-5), layer_norm(X, one, zero))
