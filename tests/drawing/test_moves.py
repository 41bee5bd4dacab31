"""Pictures to be dragged: what they hold without their scripts, and bad arguments."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import scipy.stats

from course_attn import in_numpy
from course_attn.chapters.order.widgets.rotary_dials import rotary_dials
from course_attn.chapters.scaling.widgets.random_widths import (
    _normal_numbers,
    random_widths,
)
from course_attn.chapters.scores.widgets.two_arrows import two_arrows
from course_attn.chapters.softmax.widgets.softmax_bars import softmax_bars
from course_attn.chapters.weighted_sum.widgets.value_triangle import value_triangle

CORNERS = [[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]]
QUERY = [1.0, 0.7, 0.9, 0.3, 0.7, -0.2]
KEY = [0.4, 0.3, 0.5, -0.9, 0.9, 0.7]
MOVES = {
    "value_triangle": lambda: value_triangle(CORNERS),
    "two_arrows": lambda: two_arrows([1.0, 0.5], [1.0, 4.0]),
    "softmax_bars": lambda: softmax_bars([2.0, 1.0, -1.0], ["cat", "sat", "mat"]),
    "random_widths": lambda: random_widths(),
    "rotary_dials": lambda: rotary_dials(QUERY, KEY),
}
every_move = pytest.mark.parametrize("name", MOVES)


class Cells(HTMLParser):
    """Collects the texts of a page's cells, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows, self._in_cell = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        self._in_cell = tag in ("td", "th")
        if self._in_cell:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self._in_cell = False

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data


def cells(widget):
    """Return the texts of the table that is there without a script."""
    return Cells(widget._repr_html_()).rows


def numbers(texts):
    """Return numbers as the page writes them, with a true minus."""
    return [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts]


def data_of(widget):
    """Return what a widget's script reads."""
    return json.loads(
        re.search(r'<script type="application/json">(.*?)<', widget._repr_html_())[
            1
        ]
    )


@every_move
def test_a_move_says_what_to_try_and_asks_nothing_from_any_other_place(name):
    widget = MOVES[name]()
    page = widget._repr_html_()
    assert repr(widget).startswith(f"<{name}: ") and "Try: " in repr(widget)
    assert f'data-widget="{name}"' in page and page == MOVES[name]()._repr_html_()
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|\bfetch\b", outside)


def test_value_triangle_without_its_script_is_a_table_of_averages():
    head, *rows = cells(value_triangle(CORNERS, [0.2, 0.3, 0.5]))
    assert head == ["", "a₁", "a₂", "a₃", "y"] and len(rows) == 5
    for name, *weights, output in rows:
        a = np.array(numbers(weights))
        assert (a.min() < 0) == name.startswith("outside") and abs(
            a.sum() - 1
        ) < 0.02
        point = numbers(output.strip("()").split(", "))
        wanted = in_numpy.weighted_sum(a, np.array(CORNERS))
        np.testing.assert_allclose(point, wanted, atol=0.03)


def test_value_triangle_begins_at_the_mean_or_at_given_weights():
    np.testing.assert_allclose(data_of(value_triangle(CORNERS))["weights"], 1 / 3)
    data = data_of(value_triangle(CORNERS, [0.25, 0.0, 0.75]))
    assert data["weights"] == [0.25, 0.0, 0.75] and data["values"] == CORNERS
    assert data["x"] == [-1, 5] and data["y"] == [-1, 4]


def test_two_arrows_without_its_script_is_a_table_of_three_sums():
    q, k = np.array([[1.0, 0.5]]), np.array([[-1.5, 2.0]])
    _, *rows = cells(two_arrows(q[0], k[0]))
    found = numbers(row[2] for row in rows)
    dot, cosine = in_numpy.dot_scores(q, k), in_numpy.cosine_scores(q, k)
    wanted = [dot.item(), cosine.item(), np.linalg.norm(q - k)]
    np.testing.assert_allclose(found, wanted, atol=0.005)
    assert rows[0][1] == "1·(−1.5) + 0.5·2"
    assert rows[2][1] == "√((1 − (−1.5))² + (0.5 − 2)²)"


def test_softmax_bars_without_its_script_is_a_table_of_weights():
    scores = np.array([0.5, 3.0])
    head, *rows = cells(softmax_bars(scores, ["<a>", "b"], temperature=2.0))
    assert head == ["", "<a>", "b", "entropy (nats)", "keys in play"]
    assert [row[0] for row in rows] == ["T = 0.1", "T = 1", "T = 2", "T = 10"]
    for name, *texts in rows:
        a = in_numpy.softmax(scores, temperature=float(name.removeprefix("T = ")))
        nats = in_numpy.entropy(a)
        wanted = [*a, nats, np.exp(nats)]
        np.testing.assert_allclose(numbers(texts), wanted, atol=0.005)


def test_random_widths_without_its_script_is_a_table_of_one_draw():
    _, *rows = cells(random_widths(seed=5))
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
        _, *rows = cells(random_widths(seed=seed))
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


def test_rotary_dials_without_its_script_is_a_table_of_positions():
    _, *rows = cells(rotary_dials(QUERY, KEY, positions=(5, 3)))
    for name, distance, *texts in rows:
        i, j = map(
            int, re.fullmatch(r"query at (\d+), key at (\d+)", name).groups()
        )
        turned = [
            in_numpy.rotary(np.array([row]), np.array([at]), base=64.0)[0]
            for row, at in ((QUERY, i), (KEY, j))
        ]
        products = turned[0] * turned[1]
        wanted = [*(products[:3] + products[3:]), products.sum()]
        np.testing.assert_allclose(numbers(texts), wanted, atol=0.005)
        assert int(distance) == i - j
    scores = [row[-1] for row in rows]
    assert scores[0] == scores[1] == scores[2] and len(set(scores)) == 3


def test_rotary_dials_names_its_base_where_it_is_not_the_usual_one():
    assert "The base is 64:" in repr(rotary_dials(QUERY, KEY))
    assert "The base" not in repr(rotary_dials(QUERY, KEY, base=10_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: value_triangle(CORNERS[:2]), r"values must have shape \(3, 2\)"),
        (lambda: value_triangle([[0, 0], [1, 1], [2, 2]]), "values must not lie on one"),
        (lambda: value_triangle([[0, 0], [1, 1], [0, np.nan]]), "values must have finite"),
        (lambda: value_triangle(CORNERS, [0.5, 0.5]), r"weights must have shape \(3,\)"),
        (lambda: value_triangle(CORNERS, [1.5, -0.5, 0]), "weights must be at least 0"),
        (lambda: value_triangle(CORNERS, [0.5, 0.5, 0.5]), "weights must be .* sum to 1"),
        (lambda: two_arrows([1, 2, 3], [1, 2]), r"query must have shape \(2,\)"),
        (lambda: two_arrows([1, 2], "ab"), "key must be numbers of shape"),
        (lambda: two_arrows([1, 2], [1, 5]), "key must lie from .* got"),
        (lambda: two_arrows([-3, 2], [1, 2]), "query must lie from .* got"),
        (lambda: softmax_bars([1], ["a"]), "scores must have length 2 to 5, got 1"),
        (lambda: softmax_bars([1, 6], ["a", "b"]), "scores must be a number from -5 to 5"),
        (lambda: softmax_bars([1, 2], ["a"]), "names must have length 2"),
        (lambda: softmax_bars([1, 2], "ab"), "names must be a sequence of str"),
        (lambda: softmax_bars([1, 2], ["a", "b"], temperature=0), "temperature must be"),
        (lambda: random_widths(width=3), "width must be a power of 2 .* got 3"),
        (lambda: random_widths(width=2048), "width must be a power of 2"),
        (lambda: random_widths(seed=-1), "seed must be a number from 0"),
        (lambda: random_widths(seed=0.5), "seed must be a whole number"),
        (lambda: rotary_dials([1.0, 2.0, 3.0], KEY), "key must have shape"),
        (lambda: rotary_dials([1.0] * 3, [1.0] * 3), "query must have length 2, 4, 6"),
        (lambda: rotary_dials([0.0, 1, 0, 1], [1.0] * 4), "query must have no pair of"),
        (lambda: rotary_dials(QUERY, KEY, positions=(1,)), "positions must be two whole"),
        (lambda: rotary_dials(QUERY, KEY, positions=(1.5, 0)), "positions must be two"),
        (lambda: rotary_dials(QUERY, KEY, positions=(21, 0)), "positions must be a number"),
        (lambda: rotary_dials(QUERY, KEY, base=0.5), "base must be a number from 1"),
    ],
)  # fmt: skip
def test_a_move_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
