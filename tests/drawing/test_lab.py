"""Attention in numbers to change, and masks to paint: pages without a script, and refusals."""

import gzip
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from course_attn.chapters.masks.widgets.mask_painter import mask_painter
from course_attn.chapters.qkv.widgets.attention_lab import attention_lab
from course_attn.drawing.page import FOLDER, widget
from course_attn.drawing.style import DARK_ROLES, ROLES
from course_attn.in_numpy import attention, attention_weights
from tools.book import ROOT

Q = [[2.0, 0, 0], [0, 2, 2], [2, 0, 2]]
K = [[1.0, 0, 1], [0, 1, 0], [1, 0, 0]]
V = [[1.0, 2], [0, 0], [0, 0]]
WORDS = ["prince", "she", "him"]
CAUSAL = np.tri(3, dtype=bool)


def lab(**options):
    given = {"Q": Q, "K": K, "V": V, "tokens": WORDS, "caption": "Three words."}
    return attention_lab(**given | options)


def painter(**options):
    return mask_painter(
        **{"tokens": ["a", "b", "c"], "caption": "Paint."} | options
    )


BOTH = pytest.mark.parametrize("make", [lab, painter])


class Reader(HTMLParser):
    """Collects the tables of a page, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables, self.tags, self._into = {}, [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "caption":
            self._into = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._into = self._rows[-1]
            self._into.append("")

    def handle_endtag(self, tag):
        if tag == "caption":
            self._rows = self.tables["".join(self._into)] = []
        if tag in ("caption", "td", "th"):
            self._into = None

    def handle_data(self, data):
        if self._into is not None:
            if self._into:
                self._into[-1] += data
            else:
                self._into.append(data)


def data_of(shown):
    """Return what the script gets."""
    html = shown._repr_html_()
    return json.loads(
        re.search(r'<script type="application/json">(.*?)</script>', html, re.S)[1]
    )


def numbers(table):
    """Return the numbers of a table."""
    return [
        [float(cell.replace("−", "-").replace("∞", "inf")) for cell in row[1:]]
        for row in table[1:]
    ]


# What the page holds


@pytest.mark.parametrize("scaled", [True, False])
def test_lab_without_its_script_is_its_tables(scaled):
    tables = Reader(lab(scaled=scaled, mask=CAUSAL)._repr_html_()).tables
    S = "S = Q Kᵀ ÷ √d" if scaled else "S = Q Kᵀ"
    assert list(tables) == ["Q", "K", "V", S, "A = softmax(S)", "Y = A V"]
    assert tables["Q"][0] == ["", "1", "2", "3"] and tables[S][0] == ["", *WORDS]
    options = {"mask": CAUSAL, "scale": None if scaled else 1.0}
    arrays = [np.array(array) for array in (Q, K, V)]
    A = attention_weights(*arrays[:2], **options)
    np.testing.assert_allclose(numbers(tables["A = softmax(S)"]), A, atol=0.00501)
    Y = attention(*arrays, **options)
    np.testing.assert_allclose(numbers(tables["Y = A V"]), Y, atol=0.00501)
    scores = arrays[0] @ arrays[1].T / (3**0.5 if scaled else 1)
    scores[~CAUSAL] = -np.inf
    np.testing.assert_allclose(numbers(tables[S]), scores, atol=0.00501)
    assert tables["A = softmax(S)"][1][2:] == ["0", "0"]


def test_lab_of_scores_has_no_queries():
    S = [[0.0, 1.0], [-0.001, 2.0]]
    shown = attention_lab(scores=S, tokens=["a", "b"], caption="Scores.")
    tables = Reader(shown._repr_html_()).tables
    assert list(tables) == ["scores", "S, masked", "A = softmax(S)"]
    assert tables["S, masked"][2] == ["b", "0.00", "2.00"]
    assert {"Q", "K", "V", "mask"}.isdisjoint(data_of(shown))


def test_lab_gives_its_script_all_numbers():
    names = {"features": ["m", "f", "n"], "outputs": ["n", "r"]}
    data = data_of(
        lab(
            **names,
            mask=CAUSAL,
            opened=("Y", 2, 1),
            changes={"T", "d"},
            scaled=False,
        )
    )
    assert data["Q"] == Q and data["K"] == K and data["V"] == V
    assert data["mask"] == CAUSAL.tolist() and data["tokens"] == WORDS
    assert data["features"] == ["m", "f", "n"] and data["outputs"] == ["n", "r"]
    assert data["opened"] == ["Y", 2, 1] and data["changes"] == ["d", "T"]
    assert data["scaled"] is False and data["temperature"] == 1


def test_painter_without_its_script_is_a_table_of_what_changes():
    plans = {"causal": [CAUSAL] * 2, "layer 2 forgets": [CAUSAL, None]}
    shown = painter(plans=plans, changed=1)
    ((caption, table),) = Reader(shown._repr_html_()).tables.items()
    assert caption == "● changes when “b” is exchanged, · stays"
    assert table == [
        ["", "a", "b", "c"],
        ["causal, layer 1", *"·●●"],
        ["causal, layer 2", *"·●●"],
        ["layer 2 forgets, layer 1", *"·●●"],
        ["layer 2 forgets, layer 2", *"●●●"],
    ]
    data = data_of(shown)
    assert data["changed"] == 1 and data["layer"] == 0
    assert (
        data["plans"]["layer 2 forgets"][1] == np.ones((3, 3), dtype=bool).tolist()
    )


def test_painter_takes_a_model_or_draws_the_same_one_each_time():
    rng = np.random.default_rng(1)
    X, Z, W = (
        rng.normal(size=(3, 2)),
        rng.normal(size=(3, 2)),
        np.ones((1, 4, 2, 2)),
    )
    data = data_of(painter(inputs=X, others=Z, weights=W))
    np.testing.assert_allclose(data["inputs"], X, atol=0.0005)
    np.testing.assert_allclose(data["others"], Z, atol=0.0005)
    assert data["weights"] == W.tolist()
    assert data_of(painter()) == data_of(painter())
    assert data_of(painter(inputs=X))["inputs"] == X.round(3).tolist()
    assert np.shape(data_of(painter(inputs=X))["weights"]) == (1, 4, 2, 2)


@BOTH
@pytest.mark.parametrize("token", ["<b>", "</script>", '"', "'", "&amp;", "<!--"])
def test_a_widget_shows_tokens_as_text_and_never_as_markup(make, token):
    words = {"alt": f"{token} and more", "caption": f"{token} as well"}
    html = make(tokens=["x", token, "y"], **words)._repr_html_()
    plain = make(tokens=["x", "z", "y"])._repr_html_()
    assert Reader(html).tags == Reader(plain).tags
    assert all(
        token in [cell for row in table for cell in row]
        for name, table in Reader(html).tables.items()
        if name[0] in "SA●"
    )
    assert data_of(make(tokens=["x", token, "y"]))["tokens"][1] == token


@BOTH
def test_a_widget_asks_nothing_from_any_other_place_and_carries_no_comments(make):
    html = make()._repr_html_().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(
        r"https?:|url\(|@import|\bfetch\b|innerHTML|/\*\*|@param", html
    )


@BOTH
def test_a_widget_says_in_one_line_what_it_is(make):
    name, caption = (
        ("attention_lab", "Three words.")
        if make is lab
        else ("mask_painter", "Paint.")
    )
    assert repr(make()) == f"<{name}: {caption}>"


@BOTH
def test_the_colors_of_a_widget_are_those_of_the_roles(make):
    html = make()._repr_html_()
    for role in ROLES:
        assert f"--{role}: {ROLES[role]};" in html
        assert f"--{role}: {DARK_ROLES[role]};" in html


def test_styles_reach_nothing_but_their_widgets():
    for path in [
        FOLDER / "live.css",
        *ROOT.glob("course_attn/chapters/*/widgets/*.css"),
    ]:
        own = f'.attn-live[data-widget="{path.stem}"]'
        # The output that holds a widget, and no other, may be styled for it.
        holder = f'.output.text_html:has(> [data-widget="{path.stem}"])'
        starts = ".attn-live" if path.stem == "live" else (own, holder)
        css = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
        css = re.sub(r"@(?:container|media) [^{]*\{", "", css)
        dark = r":is\((?:\[[^]]*\], )*\.vscode-dark\) (?=\.attn-live)"
        selectors = re.findall(r"([^{}]+)\{", re.sub(dark, "", css))
        assert selectors
        for selector in selectors:
            for one in re.split(r",(?![^(]*\))", selector):
                assert one.strip().startswith(starts), (path.name, one)


WIDGETS = {
    path.stem: path
    for path in sorted(ROOT.glob("course_attn/chapters/*/widgets/*.js"))
    if path.with_suffix(".py").exists() and path.stem != "writing_model"
}


def size_of_output(name):
    """Return how many bytes a page needs for a widget's script and style, compressed."""
    page = widget(
        WIDGETS[name], {}, fallback="", alt="A.", caption="B."
    )._repr_html_()
    return len(gzip.compress(page.encode(), 9))


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_brings_a_small_script_and_style(name):
    """With what it takes from kit.js and twin.js: a page has one or two widgets, never all."""
    assert size_of_output(name) < 8_000


# Arguments that do not fit


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "abc"}, "tokens must be a sequence of 2 to 6 str, got 'abc'"),
        ({"tokens": ["a"]}, "tokens must be a sequence of 2 to 6 str"),
        ({"tokens": [1, 2, 3]}, "tokens must be a sequence of str"),
        ({"tokens": ["a", "b"]}, r"Q must have shape \(2, any\), got \(3, 3\)"),
        ({"K": [[1.0, 0]] * 3}, r"K must have shape \(3, 3\), got \(3, 2\)"),
        ({"V": [[1.0], [2.0]]}, r"V must have shape \(3, any\), got \(2, 1\)"),
        ({"V": np.zeros((3, 0))}, r"V must have shape \(3, any\), got \(3, 0\)"),
        ({"V": np.zeros((3, 7))}, "V must have entries .* at most 6 columns, got .* in 7"),
        ({"Q": [["x"] * 3] * 3}, "Q must be numbers of shape"),
        ({"Q": [[np.nan] * 3] * 3}, "Q must have finite entries only, got nan"),
        ({"Q": [[1e3] * 3] * 3}, "Q must have entries from -100 to 100 .* got 1000"),
        ({"K": None}, "give either Q and K, or scores"),
        ({"scores": np.eye(3)}, "give either Q and K, or scores"),
        ({"Q": None, "K": None}, "give either Q and K, or scores"),
        ({"Q": None, "K": None, "scores": np.eye(2)}, r"scores must have shape \(3, 3\)"),
        ({"Q": None, "K": None, "scores": np.eye(3), "changes": ["d"]}, "changes must be 'T' only"),
        ({"mask": np.eye(3)}, r"mask must be bool of shape \(3, 3\), got float64"),
        ({"mask": CAUSAL[:2]}, r"mask must be bool of shape \(3, 3\), got bool of shape \(2, 3\)"),
        ({"temperature": 0}, "temperature must be a number from 0.1 to 10, got 0"),
        ({"temperature": "hot"}, "temperature must be a number from 0.1 to 10, got 'hot'"),
        ({"changes": ["x"]}, "changes must be among d, scale, T, got 'x'"),
        ({"features": ["a"]}, "features must have length 3, for 3 columns of Q, got 1"),
        ({"outputs": "ab"}, "outputs must be a sequence of str, got 'ab'"),
        ({"opened": ("Z", 0, 0)}, r"opened must be one of S, A, Y, a row and a column"),
        ({"opened": ("Y", 0, 2)}, r"opened must be one of .* got \('Y', 0, 2\)"),
        ({"opened": None}, "opened must be one of .* got None"),
        ({"alt": " "}, "alt must say something"),
        ({"caption": ""}, "caption must say something"),
    ],
)  # fmt: skip
def test_lab_names_an_argument_that_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        lab(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "abc"}, "tokens must be a sequence of 2 to 10 str, got 'abc'"),
        ({"tokens": list("abcdefghijk")}, "tokens must be a sequence of 2 to 10 str"),
        ({"plans": {}}, "plans must hold at least one plan"),
        ({"plans": {"a": []}}, "plans must hold at least one plan, and each at least one mask"),
        ({"plans": {"a": [np.eye(3)]}}, r"plans\['a'\] must hold bool .* got float64"),
        ({"plans": {"a": [CAUSAL[:2]]}}, r"plans\['a'\] must .* got bool of shape \(2, 3\)"),
        ({"plans": {"a": [None], "b": [None] * 2}}, "plans must have the same number of layers"),
        ({"plans": {"a": [None] * 5}}, "plans must .* 4 at most, got {'a': 5}"),
        ({"changed": 3}, "changed must be from 0 to 2, got 3"),
        ({"layer": -1}, "layer must be from 0 to 0, got -1"),
        ({"inputs": np.zeros((2, 4))}, r"inputs must have shape \(3, 4\), got \(2, 4\)"),
        ({"inputs": 1.0}, r"inputs must have shape \(3, 0\), got \(\)"),
        ({"weights": np.zeros((2, 4, 2, 2))}, r"weights must have shape \(1, 4, 2, 2\)"),
        ({"caption": " "}, "caption must say something"),
    ],
)  # fmt: skip
def test_painter_names_an_argument_that_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        painter(**options)


def test_a_widget_refuses_what_is_too_large_or_no_json():
    words = {"fallback": "", "alt": "A.", "caption": "B."}
    with pytest.raises(ValueError, match="attention_lab has .* more than 400000"):
        widget(WIDGETS["attention_lab"], {"much": "x" * 400_000}, **words)
    with pytest.raises(ValueError, match="not JSON compliant"):
        widget(WIDGETS["attention_lab"], {"x": float("nan")}, **words)
