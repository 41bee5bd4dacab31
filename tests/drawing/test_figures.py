"""The drawing vocabulary: colors that can be told apart, pictures that say what they show."""

import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_attn.drawing import (
    animate,
    arcs,
    canvas,
    heatmap,
    matrix,
    role_color,
    use_style,
)
from course_attn.drawing.style import ROLES, shade

NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
# Linear RGB as seen with three kinds of color blindness (Machado and others, 2009, severity 1).
COLOR_VISION = {
    "trichromacy": np.eye(3),
    "protanopia": [
        [0.1523, 1.0526, -0.2049],
        [0.1145, 0.7863, 0.0992],
        [-0.0039, -0.0481, 1.052],
    ],
    "deuteranopia": [
        [0.3673, 0.8606, -0.228],
        [0.2801, 0.6725, 0.0474],
        [-0.0118, 0.0429, 0.969],
    ],
    "tritanopia": [
        [1.2555, -0.0767, -0.1788],
        [-0.0784, 0.9308, 0.1476],
        [0.0047, 0.6914, 0.3039],
    ],
}


def linear(color):
    """Undo the gamma of sRGB."""
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(linear_rgb):
    """Return CIE L*a*b* coordinates for the white point D65."""
    to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    xyz = to_xyz @ np.clip(linear_rgb, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", COLOR_VISION)
def test_roles_differ_in_every_kind_of_color_vision(vision):
    seen = [
        lab(np.array(COLOR_VISION[vision]) @ linear(color))
        for color in ROLES.values()
    ]
    assert (
        min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 20
    )


@pytest.mark.parametrize("role", ROLES)
def test_roles_are_readable_on_white(role):
    luminance = linear(ROLES[role]) @ [0.2126, 0.7152, 0.0722]
    assert 1.05 / (luminance + 0.05) >= 4.5


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("entry", np.linspace(0.05, 1, 20))
def test_a_number_is_readable_in_its_square(role, entry):
    fig, ax = canvas(2, 2)
    heatmap(ax, np.array([[entry]]), [""], [""], role=role)
    ground = ax.patches[0].get_facecolor()[:3]
    number = next(text for text in ax.texts if text.get_text())
    dark, light = sorted(
        0.05 + linear(color) @ [0.2126, 0.7152, 0.0722]
        for color in (ground, to_rgb(number.get_color()))
    )
    assert light / dark > 3.5


def test_shade_goes_from_white_to_the_full_color():
    assert shade("key", 0.0) == (1, 1, 1)
    np.testing.assert_allclose(shade("key", 1.0), to_rgb(ROLES["key"]))


def test_role_that_is_unknown_is_named():
    with pytest.raises(
        ValueError, match="role must be one of query, .* got 'quarry'"
    ):
        role_color("quarry")


def drawn(entries, **options):
    """Draw a matrix; return the texts and the hatches of its squares."""
    _, ax = canvas(3, 2, blank=True)
    matrix(ax, np.array(entries), **options)
    fills = [patch for patch in ax.patches if patch.get_fill()]
    return [text.get_text() for text in ax.texts], [
        patch.get_hatch() for patch in fills
    ]


def test_matrix_shows_size_by_shade_sign_by_hatching_and_the_number():
    texts, hatches = drawn([[1.0, -2.0], [0.0, 0.5]])
    assert texts == ["1", "\N{MINUS SIGN}2", "0", "0.5"]
    assert [hatch is not None for hatch in hatches] == [False, True, False, False]


def test_matrix_is_darker_where_larger_in_size():
    _, ax = canvas(3, 2, blank=True)
    matrix(ax, np.array([0.1, -0.5, 1.0]))
    fills = [
        sum(patch.get_facecolor()[:3]) for patch in ax.patches if patch.get_fill()
    ]
    assert fills[0] > fills[1] > fills[2]


def test_matrix_writes_no_sign_before_zero_and_leaves_nan_blank():
    texts, _ = drawn([[-0.001, np.nan]], numbers="{:.2f}")
    assert texts == ["0.00"]


def test_heatmap_needs_one_label_for_each_row_and_column():
    _, ax = canvas(3, 2)
    with pytest.raises(
        ValueError, match=r"weights must have shape \(2, 3\).* got \(3, 2\)"
    ):
        heatmap(ax, np.ones((3, 2)), ["a", "b"], ["c", "d", "e"])


def test_heatmap_writes_labels_and_numbers():
    _, ax = canvas(3, 2)
    heatmap(ax, np.array([[0.25, 0.75]]), ["him"], ["prince", "she"])
    assert {text.get_text() for text in ax.texts} == {
        "him",
        "prince",
        "she",
        "0.25",
        "0.75",
    }


def test_arcs_are_as_thick_as_the_weights():
    _, ax = canvas(3, 2)
    arcs(ax, ["a", "b", "c"], np.array([0.7, 0.2, 0.1]), query=2)
    first, second = (line.get_linewidth() for line in ax.lines)
    assert first > second
    assert {"0.70", "0.20", "0.10"} <= {text.get_text() for text in ax.texts}


def test_arcs_need_one_weight_for_each_token():
    _, ax = canvas(3, 2)
    with pytest.raises(ValueError, match=r"weights must have shape \(3,\)"):
        arcs(ax, ["a", "b", "c"], np.array([0.5, 0.5]), query=0)


def small_animation(n_steps=3, **options):
    """Animate a bar that grows."""
    use_style()  # with it, the same figure has the same ids
    fig, ax = canvas(2, 1)

    def draw(k):
        ax.clear()
        ax.bar([0], [k + 1])

    steps = [f"The bar has height {k + 1} < 9." for k in range(n_steps)]
    return animate(
        fig, draw, steps, alt='A "bar" & no more.', caption="It grows.", **options
    )


class Elements(HTMLParser):
    """Collects the start tags of a page with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def attributes(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def test_animation_has_a_frame_for_each_step_and_no_foreign_address():
    page = small_animation()._repr_html_()
    data = json.loads(re.search(r"= (\{\"parts\".*\});$", page, re.M)[1])
    svgs = ["".join(data["parts"][k] for k in frame) for frame in data["frames"]]
    assert len(set(svgs)) == 3
    for svg in svgs:
        fromstring(svg)  # it is well-formed
        assert set(re.findall(r"https?://[^\"]+", svg)) == NAMESPACES
    (shown,) = re.findall(r'src="data:image/svg\+xml,([^"]+)"', page)
    assert unquote(shown) == svgs[0]
    assert set(re.findall(r"https?://[^\"\\]+", unquote(page))) == NAMESPACES


def test_animation_has_what_two_steps_share_once():
    one, more = (len(small_animation(n)._repr_html_()) for n in (1, 21))
    assert more < 4 * one


def test_animation_is_described_and_labeled():
    elements = Elements(small_animation()._repr_html_())
    (picture,), (slider,) = elements.attributes("img"), elements.attributes("input")
    assert picture["alt"] == 'A "bar" & no more.'
    assert slider["aria-label"] and slider["max"] == "2"
    assert [p.get("aria-live") for p in elements.attributes("p")] == ["polite"]


def test_animation_shows_its_first_step_without_javascript():
    page = small_animation()._repr_html_()
    assert "Step 1 of 3: The bar has height 1 &lt; 9." in page
    assert "display: none" in page  # the controls, until the script shows them


def test_animation_is_the_same_each_time():
    assert small_animation()._repr_html_() == small_animation()._repr_html_()


def test_animation_axes_stay_where_they_are_in_the_first_step():
    fig, ax = canvas(3, 2)
    places = []

    def draw(step):
        places.append(ax.get_position().bounds)
        ax.set_title("one line" + "\nand another" * step)

    animate(fig, draw, ["It grows."] * 3, alt="A title.", caption="It grows.")
    before, first, second = places
    assert before != first == second


def test_animation_says_in_one_line_what_it_is():
    assert repr(small_animation()) == "<animation of 3 steps: It grows.>"


def test_animation_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr("course_attn.drawing.animation.MAX_BYTES", 2000)
    with pytest.raises(
        ValueError, match=r"the animation has \d+ bytes, more than 2000"
    ):
        small_animation()


def test_canvas_is_not_shown_twice():
    from matplotlib import pyplot

    canvas(2, 2)
    assert pyplot.get_fignums() == []


# --- size of the text -----------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
DRAWN = [
    *ROOT.glob("course_attn/drawing/*.py"),
    *ROOT.glob("course_attn/chapters/*/*.py"),
    *ROOT.glob("book/*.ipynb"),
]


def test_text_in_figures_has_nine_points_or_more_at_the_width_of_the_page(subtests):
    """A page is 7 inches wide, so a figure within 7 inches is shown at its own size."""
    for path in DRAWN:
        with subtests.test(path=path):
            text = path.read_text("utf-8").replace('\\"', '"')
            sizes = re.findall(
                r"font_?size\"?(?:: float)?\s*[=:]\s*(\d+(?:\.\d+)?)", text
            )
            assert all(float(size) >= 9 for size in sizes), sizes
            widths = re.findall(r"canvas\((\d+(?:\.\d+)?)", text)
            assert all(float(width) <= 7 for width in widths), widths
