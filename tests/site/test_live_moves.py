"""Pictures to be dragged, in Chromium from disk: by mouse, finger and keys, with bad input."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.order.widgets.rotary_dials import rotary_dials
from course_attn.chapters.scaling.widgets.random_widths import (
    _normal_numbers,
    random_widths,
)
from course_attn.chapters.scores.widgets.two_arrows import two_arrows
from course_attn.chapters.softmax.widgets.softmax_bars import softmax_bars
from course_attn.chapters.weighted_sum.widgets.value_triangle import value_triangle
from tests.site.chromium import needs_chromium
from tests.site.firefox import needs_firefox
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import swipe
from tests.site.widget_page import WidgetPage, opening, page_of_widgets

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = needs_chromium

CORNERS = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]])
QUERY = np.array([1.0, 0.7, 0.9, 0.3, 0.7, -0.2])
KEY = np.array([0.4, 0.3, 0.5, -0.9, 0.9, 0.7])
SCORES = np.array([2.0, 1.0, -1.0])
MOVES = {
    "value_triangle": lambda: value_triangle(CORNERS),
    "two_arrows": lambda: two_arrows([1.0, 0.5], [1.0, 4.0]),
    "softmax_bars": lambda: softmax_bars(SCORES, ["cat", "sat", "mat"]),
    "random_widths": lambda: random_widths(),
    "rotary_dials": lambda: rotary_dials(QUERY, KEY),
}
every_move = pytest.mark.parametrize("name", MOVES)
BAD = ("", "abc", "1e400", "2 3", "nan", "<b>1</b>")


class Move(WidgetPage):
    """A picture to be dragged as a reader finds it on a page of its own."""

    @property
    def said(self):
        return self.root.get_by_role("status")

    def says(self, pattern: str) -> None:
        playwright.expect(self.said).to_have_text(re.compile(pattern))

    def number_in(self, label: str) -> float:
        return number(self.root.get_by_label(label, exact=True).input_value())

    def cells(self, caption: str) -> list[list[str]]:
        """Return the texts of a table's body."""
        lines = self.root.locator(".attn-stage table", has_text=caption).locator(
            "tbody tr"
        )
        return [line.locator("th, td").all_inner_texts() for line in lines.all()]

    def handle(self, name: str):
        return self.root.get_by_role("slider", name=name, exact=True)

    def place(self, plane: str, x, y, point) -> tuple[float, float]:
        """Return where a point of a plane lies on the screen; x and y are its ranges."""
        box = self.root.locator(f"svg[aria-label='{plane}']").bounding_box()
        right = (point[0] - x[0]) / (x[1] - x[0]) * box["width"]
        down = (y[1] - point[1]) / (y[1] - y[0]) * box["height"]
        return box["x"] + right, box["y"] + down

    def drag(self, start, end) -> None:
        """Drag with the mouse."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()

    def swipe(self, start, end) -> None:
        """Drag with a finger."""
        middle = (np.array(start) + end) / 2
        swipe(self.page, start, tuple(middle), end)


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ".").rstrip("°"))


@pytest.fixture
def opened(browser, tmp_path):
    """Open moves, and find no errors and no requests in the end."""
    yield from opening(
        lambda *names, **options: Move(
            browser, tmp_path, *(MOVES[name]() for name in names), **options
        )
    )


# What all have in common


@every_move
@pytest.mark.parametrize(
    "view",
    [
        {"theme": "light", "viewport": {"width": 900, "height": 900}},
        {"theme": "dark", "viewport": {"width": 360, "height": 740}},
    ],
    ids=["desktop", "phone in the dark"],
)
def test_a_move_is_sound(opened, name, view):
    move = opened(name, **view)
    assert (
        page_errors(move.page) == [] and accessibility_violations(move.page) == []
    )
    assert move.root.locator(".attn-plain").is_hidden()
    stops = move.root.locator("input, button, [tabindex]")
    reached = set()
    for _ in range(stops.count() + 1):
        move.page.keyboard.press("Tab")
        reached.add(
            move.page.evaluate(
                "[...document.querySelectorAll('input, button, [tabindex]')]"
                ".indexOf(document.activeElement)"
            )
        )
    assert set(range(stops.count())) <= reached
    shown = move.said.inner_text()
    assert shown and "NaN" not in move.root.inner_text()
    assert "undefined" not in move.root.inner_text()


@every_move
def test_a_move_is_a_table_on_paper_and_without_javascript(browser, opened, name):
    move = opened(name)
    move.page.emulate_media(media="print")
    assert move.root.locator(".attn-plain table").is_visible()
    assert move.root.locator(".attn-stage").first.is_hidden()
    assert move.root.locator("input:visible, button:visible").count() == 0
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 700}
    )
    page = context.new_page()
    page.goto(move.page.url)
    playwright.expect(page.locator(".attn-plain table")).to_be_visible()
    assert "Try: " not in page.locator(".attn-live").inner_text()
    assert "Try: " in move.root.locator(".attn-stage > .attn-todo").text_content()
    assert page.locator("input, button").count() == 0 and page_errors(page) == []
    context.close()


# A drag, and where on the page it ends: what is said after it.
DRAGS = {
    "value_triangle": (
        ".halo",
        (-15, -30),
        r"^The average \(1\.\d+, 1\.\d+\) lies inside",
    ),
    "two_arrows": (
        ".attn-key .halo",
        (0, 60),
        "^Lengths 1.12 and 3.16, .*product 2.50",
    ),
    "softmax_bars": (".halo", (0, -38), r"^At T = 1.00 .* is 0.9\d \(cat\)"),
    "rotary_dials": (".attn-key .halo", (50, -50), "^Query at 2, key at 1: "),
}


@needs_firefox
def test_firefox_drags_too(firefox, tmp_path):
    for name in MOVES:
        firefox.open(page_of_widgets(tmp_path, MOVES[name]()))
        said = "document.querySelector('.attn-said').textContent"
        assert firefox.evaluate(said)
        if name in DRAGS:
            handle, by, wanted = DRAGS[name]
            firefox.drag(handle, *by)
            assert re.search(wanted, firefox.evaluate(said)), (
                name,
                firefox.evaluate(said),
            )
        assert firefox.errors() == []


# The value triangle

TRIANGLE = ("The triangle of the values", (-1, 5), (-1, 4))


def holds_weights_of(move: Move, point, weights) -> None:
    found = [move.number_in(name) for name in ("a₁", "a₂", "a₃")]
    np.testing.assert_allclose(found, weights, atol=6e-4)
    output = [move.number_in(f"y, feature {f}") for f in (1, 2)]
    np.testing.assert_allclose(output, point, atol=6e-4)
    assert abs(sum(found) - 1) < 2e-3


def solved(point) -> np.ndarray:
    return np.linalg.solve(np.vstack([CORNERS.T, np.ones(3)]), [*point, 1.0])


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_value_triangle_is_dragged_in_and_out(opened, by):
    move = opened(
        "value_triangle", has_touch=True, viewport={"width": 700, "height": 900}
    )
    at = CORNERS.mean(axis=0)
    holds_weights_of(move, at, [1 / 3] * 3)
    for point, said in (
        ([2.0, 1.0], "inside the triangle"),
        ([4.0, 2.0], "outside the triangle.*a₁ is negative: no average"),
        ([-0.8, -0.8], "outside the triangle.*a₂ and a₃ are negative"),
        ([2.0, 0.02], "on the edge from x₁ to x₂"),
        ([1.01, 2.98], "on the corner x₃"),
    ):
        getattr(move, by)(move.place(*TRIANGLE, at), move.place(*TRIANGLE, point))
        move.says(said)
        at = np.array(
            [move.number_in("y, feature 1"), move.number_in("y, feature 2")]
        )
        np.testing.assert_allclose(at, point, atol=0.04)
        holds_weights_of(move, at, solved(at))
    holds_weights_of(move, [1, 3], [0, 0, 1])
    move.back()
    holds_weights_of(move, CORNERS.mean(axis=0), [1 / 3] * 3)


def test_value_triangle_obeys_the_keyboard(opened):
    move = opened("value_triangle")
    x, y = CORNERS.mean(axis=0)
    move.handle("y, the output").focus()
    for key, step in (
        ("ArrowRight", (0.1, 0)), ("ArrowUp", (0, 0.1)), ("Shift+ArrowRight", (1, 0)),
        ("ArrowDown", (0, -0.1)), ("Shift+ArrowLeft", (-1, 0)),
    ):  # fmt: skip
        move.page.keyboard.press(key)
        x, y = round(x + step[0], 2), round(y + step[1], 2)
        holds_weights_of(move, (x, y), solved((x, y)))
    text = move.handle("y, the output").get_attribute("aria-valuetext")
    assert text.startswith(f"({x:.2f}, {y:.2f}), weights 0.")


def test_value_triangle_lets_the_other_weights_follow_one(opened):
    move = opened("value_triangle")
    weights = np.full(3, 1 / 3)
    for j, size in ((0, 0.5), (1, 0.9), (2, 0.0), (0, 1.0), (1, 0.25)):
        rest = 1 - weights[j]
        weights = (1 - size) * (weights / rest if rest > 1e-9 else np.full(3, 0.5))
        weights[j] = size
        move.root.get_by_label(f"a{'₁₂₃'[j]}", exact=True).fill(str(size))
        holds_weights_of(move, in_numpy.weighted_sum(weights, CORNERS), weights)


def test_value_triangle_names_what_is_not_a_weight(opened):
    move = opened("value_triangle")
    for text in (*BAD, "1.5", "-0.1"):
        move.root.get_by_label("a₂", exact=True).fill(text)
        move.says(r"^a₂ (holds “|is empty).*0\.333 is still used\.$")
    move.root.get_by_label("y, feature 1", exact=True).fill("99")
    move.says("^y, feature 1 holds “99”, which is not from −1 to 5")
    move.back()
    holds_weights_of(move, CORNERS.mean(axis=0), [1 / 3] * 3)
    assert move.root.locator("[aria-invalid]").count() == 0


# The two arrows

ARROWS = ("The two arrows", (-2.5, 2.5), (-1.5, 4.5))


def tells_of_arrows(move: Move, q, k) -> None:
    fields = [
        [move.number_in(f"{role}, {letter}, feature {f}") for f in (1, 2)]
        for role, letter in (("query", "q"), ("key", "k"))
    ]
    np.testing.assert_allclose(fields, [q, k], atol=1e-3)
    Q, K = np.array([q], dtype=float), np.array([k], dtype=float)
    dot, cosine = (
        in_numpy.dot_scores(Q, K).item(),
        in_numpy.cosine_scores(Q, K).item(),
    )
    found = [number(row[2]) for row in move.cells("what they say")]
    np.testing.assert_allclose(
        found, [dot, cosine, np.linalg.norm(Q - K)], atol=0.00501
    )
    sums = [row[1] for row in move.cells("what they say")]
    factors = re.fullmatch(r"(\S+)·(\S+) \+ (\S+)·(\S+)", sums[0]).groups()
    a, b, c, d = (number(factor.strip("()")) for factor in factors)
    assert abs(a * b + c * d - dot) < 0.01


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_two_arrows_are_dragged(opened, by):
    move = opened(
        "two_arrows", has_touch=True, viewport={"width": 700, "height": 900}
    )
    q, k = [1.0, 0.5], [1.0, 4.0]
    tells_of_arrows(move, q, k)
    for role, point in (("k", [-2.0, -1.0]), ("q", [0.5, 3.0]), ("k", [2.0, 1.5])):
        start = move.place(*ARROWS, k if role == "k" else q)
        getattr(move, by)(start, move.place(*ARROWS, point))
        q, k = (q, point) if role == "k" else (point, k)
        move.says(f"distance {np.hypot(*np.subtract(q, k)):.2f}")
        tells_of_arrows(move, q, k)
    move.back()
    tells_of_arrows(move, [1.0, 0.5], [1.0, 4.0])


def test_two_arrows_obey_the_keyboard_and_the_picture_ends_somewhere(opened):
    move = opened("two_arrows")
    move.handle("the key").focus()
    for key in ("ArrowLeft", "ArrowDown", "Shift+ArrowDown"):
        move.page.keyboard.press(key)
    tells_of_arrows(move, [1.0, 0.5], [0.9, 2.9])
    assert move.handle("the key").get_attribute("aria-valuetext") == "(0.9, 2.9)"
    for _ in range(3):
        move.page.keyboard.press("Shift+ArrowUp")
    tells_of_arrows(move, [1.0, 0.5], [0.9, 4.5])


def test_two_arrows_take_numbers_and_name_what_is_none(opened):
    move = opened("two_arrows")
    first, second = (move.root.get_by_label(f"key, k, feature {f}") for f in (1, 2))
    first.fill("-2,5")
    second.fill("-7")
    tells_of_arrows(move, [1.0, 0.5], [-2.5, -7.0])
    for text in (*BAD, "11"):
        first.fill(text)
        move.says(r"^key, k, feature 1 (holds|is empty).*−2\.5 is still used")
    first.fill("0")
    second.fill("0")
    move.says(
        "no angle, as a zero vector has no direction: dot product 0.00, cosine 0.00"
    )
    tells_of_arrows(move, [1.0, 0.5], [0.0, 0.0])


# Softmax


def tells_of_softmax(move: Move, scores, temperature) -> None:
    scores = np.array(scores, dtype=float)
    weights = in_numpy.softmax(scores, temperature=temperature)
    nats = float(in_numpy.entropy(weights))
    scaled = scores / temperature
    for j, row in enumerate(move.cells("step by step")):
        wanted = [
            scaled[j], scaled[j] - scaled.max(), np.exp(scaled[j] - scaled.max()), weights[j],
        ]  # fmt: skip
        np.testing.assert_allclose(
            [number(text) for text in row[1:]], wanted, atol=0.00501
        )
    said = re.search(
        r"largest weight is (\S+) .*Entropy (\S+) of .*: (\S+) keys",
        move.said.inner_text(),
    )
    wanted = [weights.max(), nats]
    np.testing.assert_allclose(
        [number(said[1]), number(said[2])], wanted, atol=0.00501
    )
    assert abs(number(said[3]) - np.exp(nats)) < 0.0501


def set_slider(move: Move, name: str, value: float) -> None:
    slider = move.root.get_by_role("slider", name=name)
    slider.fill(str(value))


def test_softmax_bars_follow_the_temperature_and_the_shift(opened):
    move = opened("softmax_bars")
    tells_of_softmax(move, SCORES, 1.0)
    for log, shift in ((-1, 0), (-0.5, 2), (0.5, -5), (1.3, 5)):
        T = float(f"{10**log:.3g}")
        set_slider(move, "temperature T", log)
        set_slider(move, "add to all scores", shift)
        tells_of_softmax(move, SCORES + shift, T)
        move.says(f"^At T = {T:.2f}" + (" and with" if shift else " the"))
        rows = [row[4] for row in move.cells("step by step")]
        plain = in_numpy.softmax(SCORES, temperature=T)
        np.testing.assert_allclose(
            [number(text) for text in rows], plain, atol=0.00501
        )
    move.back()
    tells_of_softmax(move, SCORES, 1.0)
    assert [move.number_in(f"scores, s, {w}") for w in ("cat", "sat", "mat")] == [
        2,
        1,
        -1,
    ]


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_softmax_bars_are_dragged(opened, by):
    move = opened(
        "softmax_bars", has_touch=True, viewport={"width": 700, "height": 1000}
    )
    box = move.root.locator("svg[aria-label='Scores']").bounding_box()
    unit, middle = box["width"] / 10, box["x"] + box["width"] / 2
    level = box["y"] + box["height"] / 2
    getattr(move, by)((middle, level), (middle + 40, level - 2 * unit))
    move.says("largest weight is 0.72 .sat.")
    tells_of_softmax(move, [2, 3, -1], 1.0)
    set_slider(move, "add to all scores", 1)
    getattr(move, by)((middle, level), (middle, level + 3 * unit))
    tells_of_softmax(move, [3, 1, 0], 1.0)
    assert move.number_in("scores, s, sat") == 0


def test_softmax_bars_obey_the_keyboard(opened):
    move = opened("softmax_bars")
    move.handle("score of mat").focus()
    for key in ("ArrowUp", "ArrowRight", "Shift+ArrowUp"):
        move.page.keyboard.press(key)
    tells_of_softmax(move, [2, 1, 5], 1.0)
    assert move.handle("score of mat").get_attribute("aria-valuetext") == "5.00"
    move.page.keyboard.press("ArrowDown")
    tells_of_softmax(move, [2, 1, 4.5], 1.0)


def test_softmax_bars_take_scores_of_any_size_and_name_what_is_none(opened):
    move = opened("softmax_bars")
    field = move.root.get_by_label("scores, s, cat")
    for text, score in (("1000", 1000), ("-1000", -1000), ("2.25", 2.25)):
        field.fill(text)
        tells_of_softmax(move, [score, 1, -1], 1.0)
    for text in (*BAD, "1001", "-inf"):
        field.fill(text)
        move.says(r"^scores, s, cat (holds|is empty).*2\.25 is still used")
    field.press("Escape")
    assert move.number_in("scores, s, cat") == 2.25


# Random widths


def tells_of_widths(move: Move, seed: int, d: int) -> None:
    X = _normal_numbers(seed, 80 * 1024).reshape(80, 1024)
    firsts = []
    for row, scale in zip(move.cells("64 queries"), (1.0, None), strict=True):
        scores = in_numpy.scaled_scores(X[:64, :d], X[64:, :d], scale=scale)
        found = in_numpy.score_statistics(scores)
        wanted = [found.variance**0.5, found.largest_weight, found.entropy]
        np.testing.assert_allclose(
            [number(text) for text in row[1:]], wanted, atol=0.00501
        )
        first = in_numpy.softmax(scores[0])
        firsts.append(f"{first.max():.2f} on key {first.argmax() + 1}")
    move.says(f"^d = {d}: .*weight is {firsts[0]} without, {firsts[1]} with")


def test_random_widths_shows_the_numbers_of_in_numpy(opened):
    move = opened("random_widths")
    tells_of_widths(move, 1, 4)
    for step, d in ((10, 1024), (0, 1), (6, 64)):
        set_slider(move, "width d", step)
        tells_of_widths(move, 1, d)
    move.root.get_by_role("slider", name="width d").press("ArrowRight")
    tells_of_widths(move, 1, 128)
    text = move.root.get_by_role("slider", name="width d").get_attribute(
        "aria-valuetext"
    )
    assert text == "128"


def test_random_widths_draws_anew_and_goes_back(opened):
    move = opened("random_widths", has_touch=True)
    draw = move.root.get_by_role("button", name="Draw new vectors")
    set_slider(move, "width d", 10)
    for seed in (2, 3):
        draw.tap()
        tells_of_widths(move, seed, 1024)
    move.back()
    tells_of_widths(move, 1, 4)


# The rotary dials

DIALS = ("A dial for each pair of features", (-1.25, 6.25), (-1.2, 1.6))


def rotated(row, at) -> np.ndarray:
    return in_numpy.rotary(row[None], np.array([at]), base=64.0)[0]


def tells_of_dials(move: Move, i: int, j: int) -> None:
    products = rotated(QUERY, i) * rotated(KEY, j)
    adds = products[:3] + products[3:]
    rows = move.cells("pair by pair")
    found = [number(row[3]) for row in rows]
    np.testing.assert_allclose(found, [*adds, adds.sum()], atol=0.00501)
    speeds = [number(row[1]) for row in rows[:3]]
    np.testing.assert_allclose(speeds, np.degrees([1, 1 / 4, 1 / 16]), atol=0.0501)
    score = f"{adds.sum():.2f}".replace("-", "−")
    move.says(f"^Query at {i}, key at {j}: the distance is (still )?{str(i - j).replace('-', '−')},"
              f" and the score (is|stays) {score}\\.$")  # fmt: skip


def test_rotary_dials_keep_their_score_while_both_move(opened):
    move = opened("rotary_dials")
    tells_of_dials(move, 2, 0)
    score = move.cells("pair by pair")[3][3]
    for both in (1, 50, 100):
        set_slider(move, "move both by", both)
        tells_of_dials(move, 2 + both, both)
        move.says("the distance is still 2, and the score stays")
        assert move.cells("pair by pair")[3][3] == score
    for i, j in ((20, 0), (0, 20), (7, 7)):
        set_slider(move, "query at", i)
        set_slider(move, "key at", j)
        tells_of_dials(move, i + 100, j + 100)
    move.back()
    tells_of_dials(move, 2, 0)


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_rotary_dials_turn_each_other_like_gears(opened, by):
    move = opened(
        "rotary_dials", has_touch=True, viewport={"width": 700, "height": 900}
    )
    longest = max(np.hypot(*row.reshape(2, 3)).max() for row in (QUERY, KEY))

    def tip(row, f, at):
        a, b = rotated(row, at)[[f, f + 3]] / longest
        return move.place(*DIALS, (2.5 * f + a, b))

    getattr(move, by)(tip(QUERY, 0, 2), tip(QUERY, 0, 4))
    tells_of_dials(move, 4, 0)
    getattr(move, by)(tip(KEY, 1, 0), tip(KEY, 1, 6))
    tells_of_dials(move, 4, 6)
    getattr(move, by)(tip(QUERY, 2, 4), tip(QUERY, 2, 15))
    tells_of_dials(move, 15, 6)
    assert move.root.get_by_role("slider", name="query at").input_value() == "15"


def test_rotary_dials_obey_the_keyboard_and_stop_at_the_ends(opened):
    move = opened("rotary_dials")
    move.handle("key in pair 1").focus()
    for key in ("ArrowUp", "ArrowRight", "Shift+ArrowRight"):
        move.page.keyboard.press(key)
    tells_of_dials(move, 2, 12)
    assert (
        move.handle("key in pair 1").get_attribute("aria-valuetext")
        == "position 12"
    )
    move.page.keyboard.press("Shift+ArrowUp")
    tells_of_dials(move, 2, 20)
    move.handle("query in pair 0").focus()
    move.page.keyboard.press("Shift+ArrowDown")
    tells_of_dials(move, 0, 20)


# What fits a phone, and keys that would scroll the page


@pytest.mark.parametrize("name", ["value_triangle", "softmax_bars", "rotary_dials"])
def test_home_end_and_page_keys_move_a_handle_and_not_the_page(opened, name):
    move = opened(name, viewport={"width": 390, "height": 300})
    handle = move.root.locator(".attn-handle").first
    handle.focus()
    at, seen = move.page.evaluate("scrollY"), []
    for key in ("PageUp", "Home", "End", "PageDown"):
        move.page.keyboard.press(key)
        seen.append(handle.get_attribute("aria-valuetext"))
    assert len(set(seen)) > 1 and move.page.evaluate("scrollY") == at


def test_charts_to_compare_have_one_size_and_stand_below_one_another(opened):
    move = opened("random_widths", viewport={"width": 390, "height": 844})
    first, second = (
        move.root.locator(f"svg[aria-label='Weights {way} √d']").bounding_box()
        for way in ("without", "with")
    )
    assert first["x"] == second["x"] and first["y"] < second["y"]
    assert abs(first["width"] - second["width"]) < 1


def test_a_ring_is_for_the_keyboard_and_letters_keep_off_each_other(opened):
    move = opened("two_arrows", viewport={"width": 700, "height": 900})
    move.drag(move.place(*ARROWS, (1, 4)), move.place(*ARROWS, (1, 0.5)))
    tells_of_arrows(move, [1, 0.5], [1, 0.5])
    q, k = (move.root.locator(".attn-handle text", has_text=x) for x in "qk")
    q, k = (
        np.array([b["x"], b["y"]]) for b in (q.bounding_box(), k.bounding_box())
    )
    assert np.hypot(*(q - k)) > 25
    ring = "getComputedStyle(document.activeElement.querySelector('.halo')).stroke"
    edge = "getComputedStyle(document.activeElement).outlineStyle"
    plain = move.page.evaluate(ring)
    assert move.page.evaluate(edge) == "none"
    move.page.keyboard.press("ArrowUp")
    assert move.page.evaluate(ring) != plain
    assert move.page.evaluate(edge) == "none"


def test_a_bar_beyond_the_picture_is_broken_off_and_the_slider_ends_at_20(opened):
    move = opened("softmax_bars")
    broken = move.root.locator("path.broken[d^=M]")
    assert broken.count() == 0
    move.root.get_by_label("scores, s, cat").fill("1000")
    assert broken.count() == 1
    heat = move.root.get_by_role("slider", name="temperature T")
    heat.press("End")
    assert heat.get_attribute("aria-valuetext") == "20.00"
    move.says("^At T = 20.00")
