"""`row_term` in Chromium from disk: sums, keys, the slider, bad input; and in Firefox."""

import re

import numpy as np

from course_attn import in_numpy
from tests.chapters.gradients import test_row_term as plain
from tests.chapters.gradients.test_row_term import WORDS
from tests.support.output import assert_written, number, numbers
from tests.support.widget_page import BAD, WidgetPage, expect

S, D = np.array(plain.SQUARE), np.array(plain.D_SQUARE)


class Opened(WidgetPage):
    """Gradients as a reader finds them."""

    def buttons(self, caption: str) -> np.ndarray:
        """Return the numbers of the buttons in a table."""
        rows = self.table(caption).locator("tbody tr").all()
        texts = [row.locator("button").all_inner_texts() for row in rows]
        return np.array([numbers(row) for row in texts])

    def fields(self) -> list:
        return self.table("dA").locator("input").all()

    def field_of_gradient(self, row: str, column: str):
        return self.field(f"dA, and r = rowsum(dA ∘ A), {row}, {column}")


def recomputed(text: str) -> float:
    """Return what a pocket calculator gives for the factors as they are printed."""
    plain = re.sub(
        r"·10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: f"e{number('⁻' + m[1]):.0f}", text
    )
    assert re.fullmatch(r"[-−\d.e()+·\s]+", plain), plain
    return eval(plain.replace("−", "-").replace("·", "*"))


def assert_recomputed(live) -> None:
    """Check that the factors in both sums give the results that stand behind them."""
    said = live.said.inner_text()
    ds = re.search(r"da − r\) ≈ (.+) ≈ (\S+)\. A step", said)
    r = re.search(r"\nr = (.+) ≈ (\S+)\.\n", said)
    for term, result in (ds.groups(), r.groups()):
        found, wanted = recomputed(term), number(result)
        near = abs(wanted) < 0.005 and wanted
        digit = 10.0 ** np.floor(np.log10(abs(wanted))) if near else 0.01
        assert abs(found - wanted) <= 0.501 * digit, said


def tells_of_gradients(live, scores, gradients) -> None:
    """Compare both tables with the package, and every sum with its numbers."""
    A = in_numpy.softmax(np.array(scores))
    dS = in_numpy.softmax_backward(A, np.array(gradients))
    np.testing.assert_allclose(live.buttons("A = softmax"), A, atol=0.00501)
    np.testing.assert_allclose(live.buttons("dS = A"), dS, atol=0.00501)
    means = numbers(live.table("dA").locator(".mean").all_inner_texts())
    np.testing.assert_allclose(means, (A * gradients).sum(axis=-1), atol=0.00501)
    last = re.search(r"by its size: (\S+)\.( |$)", live.said.inner_text())
    assert last
    assert_written(last[1], np.abs(dS).max())
    # Stripes where a number that is shown is negative, and nowhere else.
    for cells, array in (
        (live.fields(), gradients),
        (live.table("dS = A").locator(".attn-cell").all(), dS),
    ):
        striped = ["repeating" in c.evaluate("(e) => getComputedStyle(e).backgroundImage")
                   for c in cells]  # fmt: skip
        assert striped == (np.ravel(array) < -0.005).tolist()


def test_row_term_opens_every_gradient_into_its_sum_and_lights_its_row(opened):
    live = opened()
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
            numbers((a, da, mean)),
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
        np.testing.assert_allclose(numbers(x for x, _ in terms), A[i], atol=0.00501)
        np.testing.assert_allclose(numbers(x for _, x in terms), D[i], atol=0.00501)
        lit = live.root.locator("tr.lit")
        assert lit.count() == 4 and set(lit.locator("th").all_inner_texts()) == {
            WORDS[i]
        }
        assert live.root.locator("td.at").count() == 4
        assert live.root.locator("[aria-pressed=true]").count() == 2


def test_row_term_follows_numbers_keys_and_the_slider(opened):
    live = opened()
    scores, gradients = S.copy(), D.copy()
    live.field("S, scores, cat, the").fill("1,5")
    scores[1, 0] = 1.5
    tells_of_gradients(live, scores, gradients)
    live.says("^cat → the: ")  # where the reader is
    for j in range(3):
        gradients[2, j] += 1
        live.field_of_gradient("sat", WORDS[j]).fill(f"{gradients[2, j]:.2f}")
    tells_of_gradients(live, scores, gradients)
    wanted = in_numpy.softmax_backward(in_numpy.softmax(scores), D)
    np.testing.assert_allclose(live.buttons("dS = A"), wanted, atol=0.00501)
    for log, factor in ((1, 10.0), (-1, 0.1), (0.3, 2.0)):
        live.set("all scores", log)
        tells_of_gradients(live, factor * scores, gradients)
    live.field("S, scores, the, the").fill("3")
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
        live.press(key)
        live.says(f"^{where}: ")


def test_row_term_adds_one_to_a_row_and_leaves_its_gradients(opened):
    live = opened()
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
        shown = numbers(field.input_value() for field in live.fields())
        np.testing.assert_allclose(shown, gradients.ravel(), atol=0.00501)
    wanted = in_numpy.softmax_backward(in_numpy.softmax(S), D)
    np.testing.assert_allclose(live.buttons("dS = A"), wanted, atol=0.00501)
    live.set("all scores", 1.6)
    result = re.compile(r"≈ \S+(?=\. A step)")
    before = result.search(live.said.inner_text())[0]
    live.button("^add 1 to row the of dA$").press("Enter")
    assert result.search(live.said.inner_text())[0] == before != "≈ 0.00"
    live.back()
    field = live.field_of_gradient("the", "the")
    field.fill("99.5")
    live.button("^add 1 to row the of dA$").click()
    live.says("^dA, the: 100 is the largest number that fits")
    assert field.input_value() == "99.5"


def test_row_term_says_which_row_holds_out_longest(opened):
    live = opened()
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
            live.field_of_gradient(row, column).fill("1")
    assert "out longest" not in live.said.inner_text()
    live.says(r"by its size: \S+\.$")


def test_row_term_keeps_its_tables_in_place_under_the_mouse(opened):
    live = opened(viewport={"width": 300, "height": 740})
    # On a phone, too, the sentence of the button that is clicked comes at once.
    live.button("^add 1 to row sat of dA$").click()
    live.says("^1 is added to row “sat”")
    live.set("all scores", 1)
    live.button("^add 1 to row cat of dA$").click()
    heights = []
    for one in live.table("A = softmax").locator(".attn-cell").all():
        one.focus()
        heights.append(round(live.said.bounding_box()["height"]))
    assert len(set(heights)) == 1


def test_row_term_names_what_is_not_a_number(opened):
    live = opened()
    field = live.field("S, scores, cat, the")
    for text in BAD:
        field.fill(text)
        live.says(
            r"^S, scores, cat, the (holds “|is empty).*−0\.77 is still used\.$"
        )
    live.root.locator(".attn-stage table").nth(1).locator("button").nth(8).hover()
    expect(live.root.locator("tr.lit th").first).to_have_text("sat")
    live.says("^S, scores, cat, the holds “<b>1</b>”")
    live.back()
    assert live.root.locator("[aria-invalid]").count() == 0
    tells_of_gradients(live, S, D)


def test_row_term_opens_a_gradient_in_firefox(said_in_firefox):
    fifth = "document.querySelectorAll('table')[7].querySelectorAll('button')[5].click()"
    said = said_in_firefox(lambda f: f.evaluate(fifth))
    assert said.startswith("cat → sat: ")
