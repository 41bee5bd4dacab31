"""What every widget of a chapter keeps to, before its script runs."""

import gzip
import re

import pytest

from book._parts.writing.writing import LOADED
from course_attn.drawing.page import FOLDER, widget
from course_attn.drawing.style import DARK_ROLES, ROLES
from tests.support.output import Reader, data_of, selectors
from tests.support.widgets import EXAMPLES, NAMED, WIDGETS
from tools.book import ROOT

every_example = pytest.mark.parametrize("example", EXAMPLES)


@every_example
def test_a_widget_says_in_one_line_what_it_is_and_what_to_try(example):
    said = re.fullmatch(r"<(\w+): .*\bTry: .*>", repr(EXAMPLES[example]()), re.S)
    assert example.startswith(said[1]) and said[1] in WIDGETS
    assert f'data-widget="{said[1]}"' in EXAMPLES[example]()._repr_html_()


@every_example
def test_a_widget_asks_nothing_from_any_other_place_and_carries_no_comments(
    example,
):
    html = EXAMPLES[example]()._repr_html_()
    assert html == EXAMPLES[example]()._repr_html_()
    asks = r"https?:|url\(|@import|\bfetch\b|innerHTML|/\*\*|@param"
    assert not re.search(asks, html.replace("http://www.w3.org/2000/svg", ""))


@every_example
def test_the_colors_of_a_widget_are_those_of_the_roles(example):
    html = EXAMPLES[example]()._repr_html_()
    for role in ROLES:
        assert f"--{role}: {ROLES[role]};" in html
        assert f"--{role}: {DARK_ROLES[role]};" in html


def renamed(given, name):
    """Return texts, lists and dictionaries with a name in the place of another."""
    if isinstance(given, dict):
        return {renamed(k, name): renamed(x, name) for k, x in given.items()}
    if isinstance(given, list):
        return [renamed(x, name) for x in given]
    return given.replace("zz", name) if isinstance(given, str) else given


@pytest.mark.parametrize("shown", NAMED)
@pytest.mark.parametrize("name", ["<b>", "</script>", '"', "'", "&amp;", "<!--"])
def test_a_widget_shows_names_as_text_and_never_as_markup(shown, name):
    found, plain = NAMED[shown](name), NAMED[shown]("zz")
    assert Reader(found).names == Reader(plain).names
    assert Reader(found).tables == renamed(Reader(plain).tables, name)
    assert data_of(found) == renamed(data_of(plain), name)
    assert "zz" in str(Reader(plain).tables) and "zz" in str(data_of(plain))


def test_styles_reach_nothing_but_their_widgets():
    for path in [
        FOLDER / "live.css",
        FOLDER / "loaded.css",
        *ROOT.glob("course_attn/chapters/*/widgets/*.css"),
    ]:
        own = f'.attn-live[data-widget="{path.stem}"]'
        # The output that holds a widget, and no other, may be styled for it.
        holder = f'.output.text_html:has(> [data-widget="{path.stem}"])'
        any_holder = ".output.text_html:has(> .attn-live)"
        shared = path.parent == FOLDER
        starts = (".attn-live", any_holder) if shared else (own, holder)
        found = selectors(path.read_text("utf-8"), ".attn-live")
        assert found
        for selector in found:
            assert selector.startswith(starts), (path.name, selector)


WORDS = {"fallback": "", "alt": "A.", "caption": "B."}


@pytest.mark.parametrize("name", sorted(WIDGETS.keys() - LOADED.keys()))
def test_a_widget_brings_a_small_script_and_style(name):
    """With what it takes from kit.js and twin.js: a page has one or two widgets, never all."""
    page = widget(WIDGETS[name], {}, **WORDS)._repr_html_()
    assert len(gzip.compress(page.encode(), 9)) < 8_000


def test_a_widget_refuses_what_is_too_large_or_no_json():
    with pytest.raises(ValueError, match="attention_lab has .* more than 400000"):
        widget(WIDGETS["attention_lab"], {"much": "x" * 400_000}, **WORDS)
    with pytest.raises(ValueError, match="not JSON compliant"):
        widget(WIDGETS["attention_lab"], {"x": float("nan")}, **WORDS)
