"""`random_widths`: what it holds without its script, and refusals."""

import numpy as np
import pytest
import scipy.stats

from course_attn import in_numpy
from course_attn.chapters.scaling.widgets.random_widths import (
    _normal_numbers,
    random_widths,
)
from tests.support.output import Reader, numbers

EXAMPLES = {"random_widths": random_widths}


def test_random_widths_without_its_script_is_a_table_of_one_draw():
    _, *rows = Reader(random_widths(seed=5)).table
    assert [row[0] for row in rows] == [
        f"d = {d}" for d in (1, 4, 16, 64, 256, 1024)
    ]
    X = _normal_numbers(5, 80 * 1024).reshape(80, 1024)
    for name, *texts in rows:
        d = int(name.removeprefix("d = "))
        found = [
            in_numpy.score_statistics(
                in_numpy.scaled_scores(X[:64, :d], X[64:, :d], scale=scale)
            )
            for scale in (1.0, None)
        ]
        wanted = [
            *(f.variance**0.5 for f in found),
            *(f.largest_weight for f in found),
        ]
        np.testing.assert_allclose(numbers(texts), wanted, atol=0.005)


def test_random_widths_shows_in_every_draw_what_its_caption_says():
    for seed in range(10):
        _, *rows = Reader(random_widths(seed=seed)).table
        raw, scaled, largest, with_scale = np.array(
            [numbers(row[1:]) for row in rows]
        ).T
        roots = np.sqrt([1, 4, 16, 64, 256, 1024])
        np.testing.assert_allclose(raw / roots, scaled, atol=0.02)
        np.testing.assert_allclose(raw[2:] / roots[2:], 1, atol=0.2)
        assert largest[-1] > 0.9 and with_scale.max() < 0.4


def test_random_widths_draws_standard_normal_numbers_that_differ_by_seed():
    draws = [_normal_numbers(seed, 20_000) for seed in range(8)]
    assert min(scipy.stats.kstest(draw, "norm").pvalue for draw in draws) > 0.001
    among = np.corrcoef([*draws, draws[0][::-1]]) - np.eye(9)
    assert np.abs(among).max() < 0.04
    assert abs(np.corrcoef(draws[0][:-1], draws[0][1:])[0, 1]) < 0.04
    np.testing.assert_array_equal(draws[3], _normal_numbers(3, 20_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_widths(width=3), "width must be a power of 2 .* got 3"),
        (lambda: random_widths(width=2048), "width must be a power of 2"),
        (lambda: random_widths(seed=-1), "seed must be a number from 0"),
        (lambda: random_widths(seed=0.5), "seed must be a whole number"),
    ],
)  # fmt: skip
def test_random_widths_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
