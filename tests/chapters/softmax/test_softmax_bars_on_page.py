"""`softmax_bars` in Chromium from disk: mouse, finger, keys, bad input; and in Firefox."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from tests.chapters.softmax import test_softmax_bars as plain
from tests.chapters.softmax.test_softmax_bars import WORDS
from tests.support.output import number, numbers
from tests.support.widget_page import BAD

SCORES = np.array(plain.SCORES)


def tells_of_softmax(move, scores, temperature) -> None:
    scores = np.array(scores, dtype=float)
    weights = in_numpy.softmax(scores, temperature=temperature)
    nats = float(in_numpy.entropy(weights))
    scaled = scores / temperature
    for j, row in enumerate(move.cells("step by step")):
        wanted = [
            scaled[j], scaled[j] - scaled.max(), np.exp(scaled[j] - scaled.max()), weights[j],
        ]  # fmt: skip
        np.testing.assert_allclose(numbers(row[1:]), wanted, atol=0.00501)
    said = re.search(
        r"largest weight is (\S+) .*Entropy (\S+) of .*: (\S+) keys",
        move.said.inner_text(),
    )
    wanted = [weights.max(), nats]
    np.testing.assert_allclose(
        [number(said[1]), number(said[2])], wanted, atol=0.00501
    )
    assert abs(number(said[3]) - np.exp(nats)) < 0.0501


def test_softmax_bars_follow_the_temperature_and_the_shift(opened):
    move = opened()
    tells_of_softmax(move, SCORES, 1.0)
    for log, shift in ((-1, 0), (-0.5, 2), (0.5, -5), (1.3, 5)):
        T = float(f"{10**log:.3g}")
        move.set("temperature T", log)
        move.set("add to all scores", shift)
        tells_of_softmax(move, SCORES + shift, T)
        move.says(f"^At T = {T:.2f}" + (" and with" if shift else " the"))
        rows = [row[4] for row in move.cells("step by step")]
        plain = in_numpy.softmax(SCORES, temperature=T)
        np.testing.assert_allclose(numbers(rows), plain, atol=0.00501)
    move.back()
    tells_of_softmax(move, SCORES, 1.0)
    assert [move.number_in(f"scores, s, {word}") for word in WORDS] == [2, 1, -1]


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_softmax_bars_are_dragged(opened, by):
    move = opened(has_touch=True, viewport={"width": 700, "height": 1000})
    box = move.root.locator("svg[aria-label='Scores']").bounding_box()
    unit, middle = box["width"] / 10, box["x"] + box["width"] / 2
    level = box["y"] + box["height"] / 2
    getattr(move, by)((middle, level), (middle + 40, level - 2 * unit))
    move.says("largest weight is 0.72 .sat.")
    tells_of_softmax(move, [2, 3, -1], 1.0)
    move.set("add to all scores", 1)
    getattr(move, by)((middle, level), (middle, level + 3 * unit))
    tells_of_softmax(move, [3, 1, 0], 1.0)
    assert move.number_in("scores, s, sat") == 0


def test_softmax_bars_obey_the_keyboard(opened):
    move = opened()
    move.handle("score of mat").focus()
    move.press("ArrowUp", "ArrowRight", "Shift+ArrowUp")
    tells_of_softmax(move, [2, 1, 5], 1.0)
    assert move.handle("score of mat").get_attribute("aria-valuetext") == "5.00"
    move.press("ArrowDown")
    tells_of_softmax(move, [2, 1, 4.5], 1.0)


def test_softmax_bars_take_scores_of_any_size_and_name_what_is_none(opened):
    move = opened()
    field = move.field("scores, s, cat")
    for text, score in (("1000", 1000), ("-1000", -1000), ("2.25", 2.25)):
        field.fill(text)
        tells_of_softmax(move, [score, 1, -1], 1.0)
    for text in (*BAD, "1001", "-inf"):
        field.fill(text)
        move.says(r"^scores, s, cat (holds|is empty).*2\.25 is still used")
    field.press("Escape")
    assert move.number_in("scores, s, cat") == 2.25


def test_softmax_bars_break_off_beyond_the_picture_and_their_slider_ends_at_20(
    opened,
):
    move = opened()
    broken = move.root.locator("path.broken[d^=M]")
    assert broken.count() == 0
    move.field("scores, s, cat").fill("1000")
    assert broken.count() == 1
    heat = move.slider("temperature T")
    heat.press("End")
    assert heat.get_attribute("aria-valuetext") == "20.00"
    move.says("^At T = 20.00")


def test_softmax_bars_are_dragged_in_firefox(said_in_firefox):
    said = said_in_firefox(lambda f: f.drag(".halo", 0, -38))
    assert re.search(r"^At T = 1.00 .* is 0.9\d \(cat\)", said)
