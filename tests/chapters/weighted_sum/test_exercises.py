"""Exercises of `weighted_sum`: the statements of its question hold as claimed."""

import numpy as np
import pytest

from course_attn.exercises import catalog, check

ANSWER = catalog.find("rows_that_mix").solution()
AVERAGES = np.random.default_rng(0).dirichlet([0.5] * 4, 20_000)


def is_average(rows):
    return (rows >= -1e-12).all(axis=-1) & np.isclose(rows.sum(axis=-1), 1)


def short(rows):
    """Leave two weights of each row, and divide by their sum."""
    two = rows * (rows >= np.sort(rows)[:, -2:-1])
    return two / two.sum(axis=-1, keepdims=True)


KINDS = {
    "a": (np.eye(4), lambda c: np.isclose(c, 1).any(axis=-1)),
    "b": (
        AVERAGES[AVERAGES.max(axis=-1) <= 0.5],
        lambda c: is_average(c) & (c.max(axis=-1) <= 0.5 + 1e-12),
    ),
    "c": (3 * AVERAGES - 0.5, lambda c: np.isclose(c.sum(axis=-1), 1)),
    "d": (np.sqrt(AVERAGES), lambda c: np.isclose((c**2).sum(axis=-1), 1)),
    "e": (
        AVERAGES * np.linspace(0, 1, len(AVERAGES))[:, None],
        lambda c: (c >= 0).all(axis=-1) & (c.sum(axis=-1) <= 1 + 1e-12),
    ),
    "f": (short(AVERAGES), lambda c: is_average(c) & ((c > 0).sum(axis=-1) <= 2)),
    "g": (
        -np.sort(-AVERAGES),
        lambda c: is_average(c) & (np.diff(c) <= 1e-12).all(axis=-1),
    ),
}


@pytest.mark.parametrize("letter", KINDS)
def test_rows_that_mix_names_the_kinds_that_carry_over(letter):
    rows, holds = KINDS[letter]
    assert holds(rows).all()
    t = np.random.default_rng(1).random((len(rows), 1))
    assert holds((1 - t) * rows + t * rows[::-1]).all() == (letter in ANSWER)


@pytest.mark.parametrize("letter", "abcdefg")
def test_rows_that_mix_has_a_sentence_for_each_wrong_choice(letter):
    found = check(lambda: ANSWER ^ {letter}, "rows_that_mix").faults
    assert found == (letter + "-missing" * (letter in ANSWER),)
