"""Gradients that open, heads that get sharp, a memory that repairs itself: Chromium, from disk."""

import re

import numpy as np
import pytest
from scipy.ndimage import correlate

from course_attn import in_numpy
from course_attn.chapters.gradients.widgets.row_term import row_term
from course_attn.chapters.perspective.widgets.hopfield_memory import hopfield_memory
from course_attn.chapters.perspective.widgets.soft_convolution import (
    soft_convolution,
)
from tests.site.chromium import needs_chromium
from tests.site.firefox import needs_firefox
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import swipe
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


def fields(live: Live, caption: str) -> list:
    return (
        live.root.locator(".attn-stage table", has_text=caption)
        .locator("input")
        .all()
    )


def buttons(live: Live, caption: str) -> list:
    return (
        live.root.locator(".attn-stage table", has_text=caption)
        .locator(".attn-cell")
        .all()
    )


def recomputed(text: str) -> float:
    """Return what a pocket calculator gives for the factors as they are printed."""
    plain = re.sub(
        r"·10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: f"e{number('⁻' + m[1]):.0f}", text
    )
    assert re.fullmatch(r"[-−\d.e()+·\s]+", plain), plain
    return eval(plain.replace("−", "-").replace("·", "*"))


def assert_recomputed(live: Live) -> None:
    """Check that the factors in both sums give the results that stand behind them."""
    said = live.said.inner_text()
    ds = re.search(r"da − r\) ≈ (.+) ≈ (\S+)\. A step", said)
    r = re.search(r"\nr = (.+) ≈ (\S+)\.\n", said)
    for term, result in (ds.groups(), r.groups()):
        found, wanted = recomputed(term), number(result)
        near = abs(wanted) < 0.005 and wanted
        digit = 10.0 ** np.floor(np.log10(abs(wanted))) if near else 0.01
        assert abs(found - wanted) <= 0.501 * digit, said


def tells_of_gradients(live: Live, scores, gradients) -> None:
    """Compare both tables with the package, and every sum with its numbers."""
    A = in_numpy.softmax(np.array(scores))
    dS = in_numpy.softmax_backward(A, np.array(gradients))
    np.testing.assert_allclose(live.numbers("A = softmax"), A, atol=0.00501)
    np.testing.assert_allclose(live.numbers("dS = A"), dS, atol=0.00501)
    table = live.root.locator(".attn-stage table", has_text="rowsum")
    means = [number(text) for text in table.locator(".mean").all_inner_texts()]
    np.testing.assert_allclose(means, (A * gradients).sum(axis=-1), atol=0.00501)
    last = re.search(r"by its size: (\S+)\.( |$)", live.said.inner_text())
    assert last
    assert_written(last[1], np.abs(dS).max())
    # Stripes where a number that is shown is negative, and nowhere else.
    for cells, array in (
        (fields(live, "rowsum"), gradients),
        (buttons(live, "dS = A"), dS),
    ):
        striped = ["repeating" in c.evaluate("(e) => getComputedStyle(e).backgroundImage")
                   for c in cells]  # fmt: skip
        assert striped == (np.ravel(array) < -0.005).tolist()


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
        assert_recomputed(live)
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
    assert number(re.search(r"size: (\S+)\. ", live.said.inner_text())[1]) < 1e-3
    live.back()
    tells_of_gradients(live, S, D)
    live.says("^the → cat: ")
    live.root.locator(".attn-stage table").nth(3).locator("[tabindex='0']").focus()
    for key, where in {
        "ArrowDown": "cat → cat", "ArrowRight": "cat → sat", "ArrowUp": "the → sat",
    }.items():  # fmt: skip
        live.page.keyboard.press(key)
        live.says(f"^{where}: ")


def test_row_term_adds_one_to_a_row_and_leaves_its_gradients(opened):
    live = opened("row_term")
    gradients = D.copy()
    # The mouse comes over other rows on its way; the button's own row is what changes.
    for k, times in ((2, 1), (0, 2)):
        for _ in range(times):
            live.button(f"^add 1 to row {WORDS[k]} of dA$").click()
            gradients[k] += 1
        live.says(f"^1 is added to row “{WORDS[k]}” of dA: its r has 1 more, too, and its dS "
                  f"stays\\.\\s*{WORDS[k]} → ")  # fmt: skip
        assert_recomputed(live)
        tells_of_gradients(live, S, gradients)
        shown = [number(f.input_value()) for f in fields(live, "rowsum")]
        np.testing.assert_allclose(shown, gradients.ravel(), atol=0.00501)
    wanted = in_numpy.softmax_backward(in_numpy.softmax(S), D)
    np.testing.assert_allclose(live.numbers("dS = A"), wanted, atol=0.00501)
    live.set("all scores", 1.6)
    numbers = re.compile(r"≈ \S+(?=\. A step)")
    before = numbers.search(live.said.inner_text())[0]
    live.button("^add 1 to row the of dA$").press("Enter")
    assert numbers.search(live.said.inner_text())[0] == before != "≈ 0.00"
    live.back()
    field = live.root.get_by_label(
        "dA, and r = rowsum(dA ∘ A), the, the", exact=True
    )
    field.fill("99.5")
    live.button("^add 1 to row the of dA$").click()
    live.says("^dA, the: 100 is the largest number that fits")
    assert field.input_value() == "99.5"


def test_row_term_says_which_row_holds_out_longest(opened):
    live = opened("row_term")
    gaps = np.diff(np.sort(S, axis=-1)[:, -2:])[:, 0]
    k = gaps.argmin()
    assert WORDS[k] == "cat"
    answers = []
    for log in (0, 0.5, 0.7, 1, 1.3, 2):
        live.set("all scores", log)
        A = in_numpy.softmax(float(f"{10**log:.2g}") * S)
        shown = np.abs(in_numpy.softmax_backward(A, D)).max(axis=-1) >= 0.005
        said = live.said.inner_text()
        answers.append("out longest" in said)
        assert answers[-1] == (shown.sum() < 2)
        if answers[-1]:
            holds = "holds" if shown[k] else "has held"
            assert said.endswith(
                f"Row “cat” {holds} out longest: its two best scores are closest "
                f"({gaps[k]:.2f} apart at × 1)."
            )
        assert_recomputed(live)
    assert answers[0] is False and answers[-1] is True
    # No answer where another reason than the scores leaves one row.
    live.back()
    for row in ("cat", "sat"):
        for column in WORDS:
            live.root.get_by_label(re.compile(f"^dA.*, {row}, {column}$")).fill("1")
    assert "out longest" not in live.said.inner_text()
    live.says(r"by its size: \S+\.$")


def test_row_term_keeps_its_tables_in_place_under_the_mouse(opened):
    live = opened("row_term", viewport={"width": 300, "height": 740})
    # On a phone, too, the sentence of the button that is clicked comes at once.
    live.button("^add 1 to row sat of dA$").click()
    live.says("^1 is added to row “sat”")
    live.set("all scores", 1)
    live.button("^add 1 to row cat of dA$").click()
    heights = []
    for one in buttons(live, "A = softmax"):
        one.focus()
        heights.append(round(live.said.bounding_box()["height"]))
    assert len(set(heights)) == 1


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
            # What stays is told with zeros, and only there.
            stays = re.search(r"However sharp the heads, an error of (\S+) stays: softmax never "
                              r"looks at nothing\. A ring of keys with the value 0 cures it\.$",
                              live.said.inner_text())  # fmt: skip
            assert bool(stays) == (border == "zeros")
            if stays:
                assert_written(stays[1], wanted)
            note = live.root.get_by_text("dashed: what it cannot exceed")
            assert note.is_visible() == (border == "continued")
            falls = heights[-1] - heights[-2] > 15
            assert falls == (border == "continued")
            bound = live.root.locator("path.bound").get_attribute("d")
            assert bool(bound) == (border == "continued")


def test_soft_convolution_has_a_scale_of_its_shades(opened):
    live = opened("soft_convolution")
    for kernel in KERNELS:
        live.button(f"^{kernel}$").click()
        for border, mode in (("continued", "nearest"), ("zeros", "constant")):
            live.button(f"^{border}$").click()
            goal = correlate(IMAGE, np.array(KERNELS[kernel], float), mode=mode)
            wanted = [
                (IMAGE.min(), IMAGE.max()),
                (0, 1),
                *[(goal.min(), goal.max())] * 2,
            ]
            scales = live.root.locator(".scale")
            assert scales.count() == 4
            for scale, (low, high) in zip(scales.all(), wanted, strict=True):
                ends = scale.locator(".end").all_inner_texts()
                np.testing.assert_allclose(
                    [number(end) for end in ends], [low, high], atol=0.00501
                )
                zero = scale.locator(".zero")
                assert zero.is_visible() == (low < 0 < high)
                if low < 0 < high:
                    bar, at = (
                        x.bounding_box() for x in (scale.locator(".bar"), zero)
                    )
                    share = (at["x"] - bar["x"]) / bar["width"]
                    assert abs(share - low / (low - high)) < 0.02


def test_soft_convolution_shows_where_a_head_looks(opened):
    live = opened("soft_convolution")
    row = lambda r, c, head, alpha: in_numpy.softmax(  # noqa: E731
        in_numpy.relative_position_scores(6, 7, head, sharpness=alpha)
    )[r * 7 + c]
    live.says(f"looks up and left gives {row(3, 3, (-1, -1), 1.0).max():.2f} of the weight of "
              "row 3, column 3 to row 2, column 2, the pixel meant")  # fmt: skip
    shown = live.root.locator(
        "svg[aria-label='where the head looks'] rect:not([class])"
    )
    shades = [
        float(square.evaluate("(e) => e.style.getPropertyValue('--g')").rstrip("%"))
        for square in shown.all()
    ]
    np.testing.assert_allclose(shades, 100 * row(3, 3, (-1, -1), 1.0), atol=1e-3)
    live.button("^down: ").click()
    live.says("looks down gives .* to row 4, column 3, the pixel meant")
    live.button("^row 5, column 3: ").click()
    live.says("row 5, column 3 to row 5, column 3; what is meant lies outside")
    frames = live.root.locator("svg[aria-label='where the head looks'] rect.meant")
    assert (frames.get_attribute("x"), frames.get_attribute("y")) == ("3", "6")
    for key, where in {
        "ArrowLeft": "row 5, column 2",
        "ArrowUp": "row 4, column 2",
    }.items():
        live.page.keyboard.press(key)
        live.says(f"of the weight of {where} to")
    live.button("^at the pixel itself: 8").focus()
    live.says("looks at the pixel itself gives")
    live.set("sharpness", 7)
    live.back()
    live.says("^α = 1: .*looks up and left gives .* row 3, column 3 to")


# The memory


def state_of(live: Live) -> np.ndarray:
    squares = live.root.locator(".attn-mask button").all()
    return np.array(
        [number(s.get_attribute("aria-label").split(": ")[1]) for s in squares]
    )


def settled(X: np.ndarray, state: np.ndarray) -> np.ndarray:
    W = X.T @ X
    np.fill_diagonal(W, 0)
    state = state.copy()
    for _ in range(99):
        for f in range(64):
            state[f] = 1.0 if W[f] @ state >= 0 else -1.0
    # At rest: no sign would change.
    assert (np.where(W @ state >= 0, 1.0, -1.0) == state).all()
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
    wrong = [(x * PATTERNS[of] < 0).sum() for x in (state, answer)]
    unknown = (state == 0).sum()
    known = f"{unknown} of 64 signs are unknown; of the others {wrong[0]}"
    differ = "differs" if wrong[0] == 1 else "differ"
    live.says(
        rf" {known if unknown else f'{wrong[0]} of 64 signs'} {differ} from “{NAMES[of]}”.*"
        rf"one sign after the other, and comes to rest with {wrong[1]} of 64 wrong\.$"
    )


def half(n: int) -> np.ndarray:
    state = PATTERNS[n].copy()
    state[32:] = 0
    return state


def test_hopfield_memory_repairs_what_was_drawn_over(opened):
    live = opened("hopfield_memory", viewport={"width": 900, "height": 1000})
    drawn = half(3)
    tells_of_memory(live, drawn, drawn)
    live.says(
        "^Before the update 32 of 64 signs are unknown; of the others 0 differ from “d”"
    )
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


@pytest.mark.parametrize(
    "drawn_over",
    [range(8), range(0, 64, 8), range(56, -1, -8), range(0, 64, 9)],
    ids=["along a row", "down", "up", "aslant"],
)
def test_hopfield_memory_is_drawn_on_with_a_finger(opened, drawn_over):
    live = opened(
        "hopfield_memory", has_touch=True, viewport={"width": 400, "height": 700}
    )
    # Long enough to be scrolled.
    live.page.add_style_tag(content="body { padding: 300px 0 900px }")
    squares = live.root.locator(".attn-mask button")
    squares.nth(0).evaluate("(e) => scrollTo(0, e.getBoundingClientRect().y - 200)")
    before = live.page.evaluate("scrollY")
    boxes = [squares.nth(f).bounding_box() for f in drawn_over]
    path = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    halfway = [
        ((a + c) / 2, (b + d) / 2)
        for (a, b), (c, d) in zip(path, path[1:], strict=False)
    ]
    straight = abs(path[1][0] - path[0][0]) < 1 or abs(path[1][1] - path[0][1]) < 1
    both = [p for pair in zip(path, halfway, strict=False) for p in pair] + path[
        -1:
    ]
    swipe(live.page, *(both if straight else path))
    drawn, first = half(3), drawn_over[0]
    sign = -1.0 if drawn[first] > 0 else 1.0
    changes = [f for f in drawn_over if (drawn[f] > 0) != (sign > 0)]
    drawn[changes] = sign
    tells_of_memory(live, drawn, drawn)
    assert live.page.evaluate("scrollY") == before > 0


def test_hopfield_memory_leaves_a_margin_to_scroll_by(opened):
    live = opened(
        "hopfield_memory", has_touch=True, viewport={"width": 360, "height": 700}
    )
    live.page.add_style_tag(content="body { padding: 300px 0 900px }")
    table = live.root.locator(".attn-mask")
    table.evaluate("(e) => scrollTo(0, e.getBoundingClientRect().y - 200)")
    before, box = live.page.evaluate("scrollY"), table.bounding_box()
    beside = box["x"] + box["width"] + 30
    assert beside < 330
    swipe(live.page, *((beside, box["y"] + 150 - 10 * k) for k in range(12)))
    live.page.wait_for_function(f"scrollY > {before + 40}")
    tells_of_memory(live, half(3), half(3))
