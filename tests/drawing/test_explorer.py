"""Weights to explore: what the page holds before its script runs, and arguments that do not fit."""

import re
from pathlib import Path

import numpy as np
import pytest

import course_attn.drawing
from course_attn.drawing import explore_weights
from course_attn.drawing.style import DARK_ROLES, ROLES
from tests.support.output import Reader, data_of, selectors

FOLDER = Path(course_attn.drawing.__file__).parent
WORDS = {"alt": "Three words and their weights.", "caption": "Who looks at whom."}
# Every number differs from every other, so that no two can be swapped unnoticed.
TWO_HEADS = np.array(
    [
        [[0.61, 0.28, 0.11], [0.02, 0.93, 0.05], [0.24, 0.43, 0.33]],
        [[0.97, 0.03, 0.0], [0.18, 0.75, 0.07], [0.0, 0.0, 0.0]],
    ]
)


def page(weights=TWO_HEADS, tokens=("Mary", "gave", "Susan"), **options):
    """Return the HTML of an explorer."""
    return explore_weights(weights, tokens, **(WORDS | options))._repr_html_()


# What the page holds


def test_explorer_without_its_script_is_a_table_of_the_first_head():
    assert Reader(page()).table == [
        ["", "Mary", "gave", "Susan"],
        ["Mary", "0.61", "0.28", "0.11"],
        ["gave", "0.02", "0.93", "0.05"],
        ["Susan", "0.24", "0.43", "0.33"],
    ]


def test_explorer_tells_a_weight_of_zero_from_one_that_rounds_to_zero():
    _, *rows = Reader(page([[1 - 1e-9, 1e-9], [1.0, 0.0]], ["a", "b"])).table
    assert rows == [["a", "1.00", "0.00"], ["b", "1.00", "0"]]


def test_explorer_rounds_a_weight_once():
    html = page([[0.0749999, 0.9250001]], ["a"], keys=["b", "c"])
    assert Reader(html).table[1] == ["a", "0.07", "0.93"]
    assert data_of(html)["weights"] == [[[7499, 92500]]]


def test_explorer_gives_the_script_every_weight_and_all_names():
    data = data_of(page(heads=["left", "right"], query=2, columns=3))
    np.testing.assert_allclose(np.array(data["weights"]) / 1e5, TWO_HEADS)
    assert data["heads"] == ["left", "right"]
    assert data["queries"] == ["Mary", "gave", "Susan"]
    assert data["keys"] is None and data["query"] == 2 and data["width"] == 3


def test_explorer_has_the_average_last_and_it_is_the_mean():
    data = data_of(page(average=True))
    assert data["heads"] == ["head 1", "head 2", "mean of all heads"]
    mean = np.array(data["weights"])[2] / 1e5
    np.testing.assert_allclose(mean, TWO_HEADS.mean(axis=0), atol=1e-5)
    assert data_of(page(TWO_HEADS[0], average=True))["heads"] == ["head 1"]


def test_explorer_lets_queries_look_at_other_tokens():
    html = page(TWO_HEADS[:, 1:], ["suis", "là"], keys=["I", "am", "here"])
    head, first, _ = Reader(html).table
    assert head == ["", "I", "am", "here"] and first[0] == "suis"
    assert data_of(html)["keys"] == ["I", "am", "here"]


@pytest.mark.parametrize("token", ["<b>", "</script>", '"', "'", "&amp;", "<!--"])
def test_explorer_shows_tokens_as_text_and_never_as_markup(token):
    words = {"alt": f"{token} and more", "caption": f"{token} as well"}
    html = page(tokens=["Mary", token, "Susan"], heads=[token, "two"], **words)
    reader, plain = Reader(html), Reader(page())
    assert reader.names == plain.names
    assert (
        reader.table[0][2] == token
        and reader.tags[0][1]["aria-label"] == words["alt"]
    )
    assert data_of(html)["queries"][1] == data_of(html)["heads"][0] == token
    assert html.count("<script") == html.count("</script>") == 2


def test_explorer_asks_nothing_from_any_other_place():
    assert not re.search(r"https?:|url\(|@import|\bfetch\b|//[a-z]", page())


def test_explorer_has_little_javascript():
    assert (FOLDER / "explorer.bundle.js").stat().st_size < 5_000
    assert len(page().encode()) < 25_000


def test_explorer_is_the_same_each_time():
    assert page() == page()


def test_explorer_has_no_ids_so_that_two_of_a_kind_do_not_clash():
    assert not [
        attributes for _, attributes in Reader(page()).tags if "id" in attributes
    ]


def test_explorer_styles_reach_nothing_else():
    css = re.search(r"<style>(.*?)</style>", page(), re.S)[1]
    found = selectors(css, ".attn-explorer {")
    assert len(found) > 30
    for selector in found:
        assert selector.startswith(".attn-explorer"), selector


@pytest.mark.parametrize("role", ["query", "weight"])
def test_explorer_colors_are_those_of_the_roles(role):
    assert f"--{role}: {ROLES[role]};" in page()
    assert f"--{role}: {DARK_ROLES[role]};" in page()


def test_explorer_says_in_one_line_what_it_is():
    shown = repr(explore_weights(TWO_HEADS, ["a", "b", "c"], **WORDS))
    assert shown == "<weights of 2 heads to explore: Who looks at whom.>"


# Arguments that do not fit


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": TWO_HEADS[0, 0]}, r"weights must have shape .* got \(3,\)"),
        ({"weights": np.zeros((0, 3, 3))}, r"weights must have shape .* got \(0, 3, 3\)"),
        ({"weights": TWO_HEADS.mT}, "weights must be at least 0, and each row must sum"),
        ({"weights": TWO_HEADS * np.nan}, "weights must be at least 0"),
        ({"weights": [[1.5, -0.5], [0, 1]], "tokens": "ab"}, "weights must be at least"),
        ({"tokens": ["a", "b"]}, "tokens must have length 3, for 3 rows .* got 2"),
        ({"tokens": "abc"}, "tokens must be a sequence of str, got 'abc'"),
        ({"tokens": [1, 2, 3]}, "tokens must be a sequence of str"),
        ({"keys": ["a"]}, "keys must have length 3, for 3 columns of weights, got 1"),
        ({"keys": []}, "keys must have length 3"),
        ({"keys": "abc"}, "keys must be a sequence of str"),
        ({"heads": ["a"]}, "heads must have length 2, for 2 heads, got 1"),
        ({"heads": "ab"}, "heads must be a sequence of str, got 'ab'"),
        ({"heads": []}, "heads must have length 2"),
        ({"weights": TWO_HEADS[:, :2], "tokens": ["a", "b"]}, "tokens must have length 3"),
        ({"query": 3}, "query must be from 0 to 2, got 3"),
        ({"query": -1}, "query must be from 0 to 2, got -1"),
        ({"columns": 0}, "columns must be at least 1, got 0"),
        ({"alt": " "}, "alt must say something"),
        ({"caption": ""}, "caption must say something"),
    ],
)  # fmt: skip
def test_explorer_names_an_argument_that_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        page(**options)


def test_explorer_refuses_to_be_too_large_for_a_page():
    words = [f"word {k}" for k in range(300)]
    with pytest.raises(ValueError, match="the explorer has .* more than 400000"):
        page(np.full((300, 300), 1 / 300), words)
