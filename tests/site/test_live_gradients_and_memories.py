"""Gradients that open, heads that get sharp, a memory that repairs itself: Chromium, from disk."""

import re

import numpy as np
import pytest
from scipy.ndimage import correlate

from course_attn import in_numpy
from course_attn.figures import hopfield_memory, row_term, soft_convolution
from tests.site.chromium import needs_chromium
from tests.site.firefox import needs_firefox
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.widget_page import WidgetPage, opening, page_of_widgets

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = needs_chromium

S = np.array([[-0.33, 3.8, -1.35], [-0.77, -0.16, 0.27], [0.03, -2.39, 0.83]])
D = np.array([[4.33, 4.14, -0.45], [-2.19, -2.59, -0.35], [0.47, -0.64, -1.28]])
WORDS = ["the", "cat", "sat"]
IMAGE = np.random.default_rng(0).uniform(size=(6, 7)).round(3)
KERNELS = {
    "edge": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "shift": [[0, 0, 0], [1, 0, 0], [0, 0, 0]],
}
PATTERNS = np.where(np.random.default_rng(1).normal(size=(10, 64)) > 0, 1.0, -1.0)
NAMES = list("abcdefghij")
MAKE = {
    "row_term": lambda: row_term(S, D, WORDS, WORDS, picked=(0, 1)),
    "soft_convolution": lambda: soft_convolution(IMAGE, KERNELS, pixel=(3, 3)),
    "hopfield_memory": lambda: hopfield_memory(PATTERNS, NAMES, start=3),
}
each = pytest.mark.parametrize("name", MAKE)


class Live(WidgetPage):
    """A widget as a reader finds it on a page of its own."""

    @property
    def said(self):
        return self.root.get_by_role("status")

    def says(self, pattern: str) -> None:
        playwright.expect(self.said).to_have_text(re.compile(pattern))

    def button(self, name: str):
        return self.root.get_by_role("button", name=re.compile(name))

    def set(self, slider: str, value: float) -> None:
        self.root.get_by_role("slider", name=slider).fill(str(value))

    def numbers(self, caption: str) -> np.ndarray:
        """Return the numbers of a table's buttons, by their table's caption."""
        table = self.root.locator(".attn-stage table", has_text=caption)
        rows = table.locator("tbody tr").all()
        return np.array(
            [
                [number(x) for x in row.locator("button").all_inner_texts()]
                for row in rows
            ]
        )


def number(text: str) -> float:
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
    return float(text.translate(digits).replace("·10", "e"))


def assert_written(text: str, x: float) -> None:
    """Two decimals, or one digit of what is nearer to 0."""
    assert re.fullmatch(r"−?(\d+\.\d\d|\d·10⁻[⁰¹²³⁴-⁹]+)", text)
    step = 0.01 if abs(x) >= 0.005 else 10.0 ** np.floor(np.log10(abs(x)))
    assert abs(number(text) - x) <= 0.501 * step, (text, x)


@pytest.fixture
def opened(browser, tmp_path):
    """Open widgets, and find no errors and no requests in the end."""
    yield from opening(
        lambda *names, **options: Live(
            browser, tmp_path, *(MAKE[name]() for name in names), **options
        )
    )


# What all have in common


@each
@pytest.mark.parametrize(
    "view",
    [
        {"theme": "light", "viewport": {"width": 900, "height": 900}},
        {"theme": "dark", "viewport": {"width": 360, "height": 740}},
    ],
    ids=["desktop", "phone in the dark"],
)
def test_a_widget_is_sound(opened, name, view):
    live = opened(name, **view)
    assert (
        page_errors(live.page) == [] and accessibility_violations(live.page) == []
    )
    assert live.root.locator(".attn-plain").is_hidden()
    shown = live.root.inner_text()
    assert (
        live.said.inner_text() and "NaN" not in shown and "undefined" not in shown
    )
    wide = "(e) => e.scrollWidth > e.clientWidth + 1"
    assert not any(
        e.evaluate(wide) for e in live.root.locator(".attn-scroll, table").all()
    )
    stops = "[...document.querySelectorAll('input, button, [tabindex]')]"
    stops += ".filter((e) => e.tabIndex >= 0)"
    count, reached = live.page.evaluate(f"{stops}.length"), set()
    for _ in range(count + 1):
        live.page.keyboard.press("Tab")
        reached.add(live.page.evaluate(f"{stops}.indexOf(document.activeElement)"))
    assert set(range(count)) <= reached
    # Pictures of 8 by 8 squares and the like are one stop each.
    assert count < 30


@each
def test_a_widget_is_tables_on_paper_and_without_javascript(browser, opened, name):
    live = opened(name)
    live.page.emulate_media(media="print")
    assert live.root.locator(".attn-plain table").first.is_visible()
    assert live.root.locator(".attn-stage").first.is_hidden()
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 700}
    )
    page = context.new_page()
    page.goto(live.page.url)
    playwright.expect(page.locator(".attn-plain table").first).to_be_visible()
    assert "Try: " not in page.locator(".attn-live").inner_text()
    assert page.locator("input, button").count() == 0 and page_errors(page) == []
    context.close()


@needs_firefox
def test_firefox_runs_them_too(firefox, tmp_path):
    said = "document.querySelector('.attn-said').textContent"
    steps = {
        "row_term": (
            "document.querySelectorAll('table')[7].querySelectorAll('button')[5].click()",
            "^cat → sat: ",
        ),
        "soft_convolution": (
            "[...document.querySelectorAll('button')].find((b) => b.innerText === 'zeros').click()",
            "^α = 1: the largest error is",
        ),
        "hopfield_memory": (
            "document.querySelector('.update').click()",
            "^After one update 0 of 64 signs differ",
        ),
    }
    for name, (script, wanted) in steps.items():
        firefox.open(page_of_widgets(tmp_path, MAKE[name]()))
        firefox.evaluate(script)
        assert re.search(wanted, firefox.evaluate(said)), (
            name,
            firefox.evaluate(said),
        )
        assert firefox.errors() == []


# Gradients of scores


def tells_of_gradients(live: Live, scores, gradients) -> None:
    """Compare both tables with the package, and every sum with its numbers."""
    A = in_numpy.softmax(np.array(scores))
    dS = in_numpy.softmax_backward(A, np.array(gradients))
    np.testing.assert_allclose(live.numbers("A = softmax"), A, atol=0.00501)
    np.testing.assert_allclose(live.numbers("dS = A"), dS, atol=0.00501)
    table = live.root.locator(".attn-stage table", has_text="rowsum")
    means = [number(text) for text in table.locator(".mean").all_inner_texts()]
    np.testing.assert_allclose(means, (A * gradients).sum(axis=-1), atol=0.00501)
    last = live.said.inner_text().split("by its size: ")[1]
    assert_written(last[:-1], np.abs(dS).max())


def test_row_term_opens_every_gradient_into_its_sum_and_lights_its_row(opened):
    live = opened("row_term")
    A = in_numpy.softmax(S)
    dS, r = in_numpy.softmax_backward(A, D), (A * D).sum(axis=-1)
    tells_of_gradients(live, S, D)
    tables = live.root.locator(".attn-stage table")
    for i, j in np.ndindex(3, 3):
        # A weight is pointed at, a gradient is clicked.
        cell = tables.nth(1 if (i + j) % 2 else 3).locator("button").nth(3 * i + j)
        cell.hover() if (i + j) % 2 else cell.click()
        live.says(f"^{WORDS[i]} → {WORDS[j]}: ")
        first, second, _ = live.said.inner_text().split("\n")
        a, da, mean, found = re.search(
            r"≈ (\S+) · \((\S+) − \(?([^)]+)\)+ ≈ (\S+)\. A step", first
        ).groups()
        np.testing.assert_allclose(
            [number(x) for x in (a, da, mean)],
            [A[i, j], D[i, j], r[i]],
            atol=0.00501,
        )
        assert abs(number(found) - dS[i, j]) < 0.00501
        moves = (
            "hardly moves"
            if abs(dS[i, j]) < 0.005
            else "lowers"
            if dS[i, j] > 0
            else "raises"
        )
        assert first.endswith(f"A step {moves} this score.")
        terms = re.findall(r"(\S+)·\(?(−?[\d.]+)\)?", second)
        assert len(terms) == 3
        np.testing.assert_allclose(
            [number(x) for x, _ in terms], A[i], atol=0.00501
        )
        np.testing.assert_allclose(
            [number(x) for _, x in terms], D[i], atol=0.00501
        )
        lit = live.root.locator("tr.lit")
        assert lit.count() == 4 and set(lit.locator("th").all_inner_texts()) == {
            WORDS[i]
        }
        assert live.root.locator("td.at").count() == 4
        assert live.root.locator("[aria-pressed=true]").count() == 2


def test_row_term_follows_numbers_keys_and_the_slider(opened):
    live = opened("row_term")
    scores, gradients = S.copy(), D.copy()
    live.root.get_by_label("S, scores, cat, the", exact=True).fill("1,5")
    scores[1, 0] = 1.5
    tells_of_gradients(live, scores, gradients)
    live.says("^cat → the: ")  # where the reader is
    for j in range(3):
        gradients[2, j] += 1
        live.root.get_by_label(re.compile(f"^dA.*, sat, {WORDS[j]}$")).fill(
            f"{gradients[2, j]:.2f}"
        )
    tells_of_gradients(live, scores, gradients)
    wanted = in_numpy.softmax_backward(in_numpy.softmax(scores), D)
    np.testing.assert_allclose(live.numbers("dS = A"), wanted, atol=0.00501)
    for log, factor in ((1, 10.0), (-1, 0.1), (0.3, 2.0)):
        live.set("all scores", log)
        tells_of_gradients(live, factor * scores, gradients)
    live.root.get_by_label("S, scores, the, the", exact=True).fill("3")
    scores[0, 0] = 1.5  # times 2
    tells_of_gradients(live, 2 * scores, gradients)
    live.set("all scores", 2)
    assert number(live.said.inner_text().split("size: ")[1][:-1]) < 1e-3
    live.back()
    tells_of_gradients(live, S, D)
    live.says("^the → cat: ")
    live.root.locator(".attn-stage table").nth(3).locator("[tabindex='0']").focus()
    for key, where in {
        "ArrowDown": "cat → cat", "ArrowRight": "cat → sat", "ArrowUp": "the → sat",
    }.items():  # fmt: skip
        live.page.keyboard.press(key)
        live.says(f"^{where}: ")


def test_row_term_names_what_is_not_a_number(opened):
    live = opened("row_term")
    field = live.root.get_by_label("S, scores, cat, the", exact=True)
    for text in ("", "abc", "1e400", "2 3", "nan", "<b>1</b>"):
        field.fill(text)
        live.says(
            r"^S, scores, cat, the (holds “|is empty).*−0\.77 is still used\.$"
        )
    live.root.locator(".attn-stage table").nth(1).locator("button").nth(8).hover()
    playwright.expect(live.root.locator("tr.lit th").first).to_have_text("sat")
    live.says("^S, scores, cat, the holds “<b>1</b>”")
    live.back()
    assert live.root.locator("[aria-invalid]").count() == 0
    tells_of_gradients(live, S, D)


# Nine softmax heads


def error_of(kernel: str, alpha: float, mode: str) -> float:
    K = np.array(KERNELS[kernel], float)
    total = np.zeros(IMAGE.size)
    for a, b in np.ndindex(3, 3):
        scores = in_numpy.relative_position_scores(
            6, 7, (a - 1, b - 1), sharpness=alpha
        )
        total += K[a, b] * (in_numpy.softmax(scores) @ IMAGE.ravel())
    return np.abs(total.reshape(6, 7) - correlate(IMAGE, K, mode=mode)).max()


def test_soft_convolution_tells_the_error_of_any_sharpness_kernel_and_border(
    opened,
):
    live = opened("soft_convolution")
    for kernel in KERNELS:
        live.button(f"^{kernel}$").click()
        for border, mode in (("continued", "nearest"), ("zeros", "constant")):
            live.button(f"^{border}$").click()
            heights = []
            for alpha in (0, 0.5, 3, 20):
                live.set("sharpness", alpha)
                live.says(f"^α = {alpha:g}: the largest error is ")
                found = re.search(r"error is (.+?),", live.said.inner_text())[1]
                wanted = error_of(kernel, alpha, mode)
                assert_written(found, wanted)
                dot = live.root.locator("circle.dot")
                heights.append(float(dot.get_attribute("cy")))
                power = np.clip(np.log10(wanted), -8, 2)
                assert abs(heights[-1] - (2 - power) * 15) < 0.1
            falls = heights[-1] - heights[-2] > 15
            assert falls == (border == "continued")
            bound = live.root.locator("path.bound").get_attribute("d")
            assert bool(bound) == (border == "continued")


def test_soft_convolution_shows_where_a_head_looks(opened):
    live = opened("soft_convolution")
    row = lambda r, c, head, alpha: in_numpy.softmax(  # noqa: E731
        in_numpy.relative_position_scores(6, 7, head, sharpness=alpha)
    )[r * 7 + c]
    live.says(f"looks up and left gives {row(3, 3, (-1, -1), 1.0).max():.2f} of the weight of "
              "row 4, column 4 to row 3, column 3, the pixel meant")  # fmt: skip
    shown = live.root.locator(
        "svg[aria-label='where the head looks'] rect:not([class])"
    )
    shades = [
        float(square.evaluate("(e) => e.style.getPropertyValue('--g')").rstrip("%"))
        for square in shown.all()
    ]
    np.testing.assert_allclose(shades, 100 * row(3, 3, (-1, -1), 1.0), atol=1e-3)
    live.button("^down: ").click()
    live.says("looks down gives .* to row 5, column 4, the pixel meant")
    live.button("^row 6, column 4: ").click()
    live.says("row 6, column 4 to row 6, column 4; what is meant lies outside")
    frames = live.root.locator("svg[aria-label='where the head looks'] rect.meant")
    assert (frames.get_attribute("x"), frames.get_attribute("y")) == ("3", "6")
    for key, where in {
        "ArrowLeft": "row 6, column 3",
        "ArrowUp": "row 5, column 3",
    }.items():
        live.page.keyboard.press(key)
        live.says(f"of the weight of {where} to")
    live.button("^at the pixel itself: 8").focus()
    live.says("looks at the pixel itself gives")
    live.set("sharpness", 7)
    live.back()
    live.says("^α = 1: .*looks up and left gives .* row 4, column 4 to")


# The memory


def state_of(live: Live) -> np.ndarray:
    squares = live.root.locator(".attn-mask button").all()
    return np.array(
        [number(s.get_attribute("aria-label").split(": ")[1]) for s in squares]
    )


def settled(X: np.ndarray, state: np.ndarray) -> np.ndarray:
    W = X.T @ X
    np.fill_diagonal(W, 0)
    for _ in range(20):
        state = np.where(W @ state >= 0, 1.0, -1.0)
    return state


def tells_of_memory(live: Live, drawn, state, *, n=10, beta=1.0, of=3) -> None:
    """Compare the picture, the bars and both answers with the package."""
    X = PATTERNS[:n]
    np.testing.assert_allclose(state_of(live), state, atol=0.00501)
    weights = in_numpy.attention_weights(state[None], X, scale=beta)[0]
    bars = live.root.locator(".stored:visible")
    assert bars.count() == n
    found = [number(text) for text in bars.locator(".size").all_inner_texts()]
    np.testing.assert_allclose(found, weights, atol=0.00501)
    answer = settled(X, drawn)
    path = live.root.locator("svg.answer path").get_attribute("d") or ""
    black = {8 * int(y) + int(x) for x, y in re.findall(r"M(\d) (\d)h", path)}
    assert black == set(np.flatnonzero(answer > 0))
    wrong = [(np.sign(x) != PATTERNS[of]).sum() for x in (state, answer)]
    live.says(
        rf"{wrong[0]} of 64 signs differ from “{NAMES[of]}”.*answer differs in {wrong[1]}\.$"
    )


def half(n: int) -> np.ndarray:
    state = PATTERNS[n].copy()
    state[32:] = 0
    return state


def test_hopfield_memory_repairs_what_was_drawn_over(opened):
    live = opened("hopfield_memory", viewport={"width": 900, "height": 1000})
    drawn = half(3)
    tells_of_memory(live, drawn, drawn)
    squares = live.root.locator(".attn-mask button")
    # Drag over a row: each square takes the sign that the first one got.
    boxes = [squares.nth(f).bounding_box() for f in range(8, 16)]
    points = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    live.page.mouse.move(*points[0])
    live.page.mouse.down()
    for point in points[1:]:
        live.page.mouse.move(*point, steps=3)
    live.page.mouse.up()
    drawn[8:16] = -drawn[8]
    tells_of_memory(live, drawn, drawn)
    squares.nth(0).focus()
    for key in ("Space", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        live.page.keyboard.press(key)
    drawn[0], drawn[17] = -drawn[0], -drawn[17]
    tells_of_memory(live, drawn, drawn)
    live.says("^Before the update ")
    live.button("One update").click()
    state = in_numpy.hopfield_update(PATTERNS, drawn[None], beta=1.0)[0]
    live.says("^After one update 0 of 64 signs differ from “d”")
    tells_of_memory(live, drawn, state)
    live.button("One update").click()
    live.says("^After 2 updates 0 of 64")
    live.back()
    tells_of_memory(live, half(3), half(3))


def test_hopfield_memory_follows_its_sliders_and_begins_with_any_pattern(opened):
    live = opened("hopfield_memory")
    live.set("β", -2)
    tells_of_memory(live, half(3), half(3), beta=0.01)
    state = half(3)
    for _ in range(3):
        live.button("One update").click()
        state = in_numpy.hopfield_update(PATTERNS, state[None], beta=0.01)[0]
    tells_of_memory(live, half(3), state, beta=0.01)
    live.set("stored patterns", 5)
    tells_of_memory(live, half(3), state, n=5, beta=0.01)
    live.set("stored patterns", 2)  # the fourth is no longer stored
    tells_of_memory(live, half(1), half(1), n=2, beta=0.01, of=1)
    live.set("stored patterns", 10)
    live.button("^begin with “h”, weight").click()
    tells_of_memory(live, half(7), half(7), beta=0.01, of=7)
    live.button("Flip ten squares").click()
    now = state_of(live)
    assert (now != half(7)).sum() == 10
    tells_of_memory(live, now, now, beta=0.01, of=7)


def test_hopfield_memory_is_drawn_on_with_a_finger(opened):
    live = opened(
        "hopfield_memory", has_touch=True, viewport={"width": 400, "height": 900}
    )
    squares = live.root.locator(".attn-mask button")
    squares.nth(0).scroll_into_view_if_needed()
    boxes = [squares.nth(f).bounding_box() for f in range(8)]
    path = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    session = live.context.new_cdp_session(live.page)
    for kind, at in zip(["Start", *["Move"] * 7], path, strict=True):
        event = {"type": f"touch{kind}", "touchPoints": [{"x": at[0], "y": at[1]}]}
        session.send("Input.dispatchTouchEvent", event)
        live.page.wait_for_timeout(50)
    session.send(
        "Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}
    )
    drawn = half(3)
    drawn[:8] = -drawn[0]
    tells_of_memory(live, drawn, drawn)
