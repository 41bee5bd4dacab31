"""`rotary_dials` in Chromium from disk: mouse, finger, keys; and in Firefox."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from tests.chapters.order import test_rotary_dials as plain
from tests.support.output import numbers

QUERY, KEY = np.array(plain.QUERY), np.array(plain.KEY)
DIALS = ("A dial for each pair of features", (-1.25, 6.25), (-1.2, 1.6))


def rotated(row, at) -> np.ndarray:
    return in_numpy.rotary(row[None], np.array([at]), base=64.0)[0]


def tells_of_dials(move, i: int, j: int) -> None:
    products = rotated(QUERY, i) * rotated(KEY, j)
    adds = products[:3] + products[3:]
    rows = move.cells("pair by pair")
    found = numbers(row[3] for row in rows)
    np.testing.assert_allclose(found, [*adds, adds.sum()], atol=0.00501)
    speeds = numbers(row[1] for row in rows[:3])
    np.testing.assert_allclose(speeds, np.degrees([1, 1 / 4, 1 / 16]), atol=0.0501)
    score = f"{adds.sum():.2f}".replace("-", "−")
    move.says(f"^Query at {i}, key at {j}: the distance is (still )?{str(i - j).replace('-', '−')},"
              f" and the score (is|stays) {score}\\.$")  # fmt: skip


def test_rotary_dials_keep_their_score_while_both_move(opened):
    move = opened()
    tells_of_dials(move, 2, 0)
    score = move.cells("pair by pair")[3][3]
    for both in (1, 50, 100):
        move.set("move both by", both)
        tells_of_dials(move, 2 + both, both)
        move.says("the distance is still 2, and the score stays")
        assert move.cells("pair by pair")[3][3] == score
    for i, j in ((20, 0), (0, 20), (7, 7)):
        move.set("query at", i)
        move.set("key at", j)
        tells_of_dials(move, i + 100, j + 100)
    move.back()
    tells_of_dials(move, 2, 0)


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_rotary_dials_turn_each_other_like_gears(opened, by):
    move = opened(has_touch=True, viewport={"width": 700, "height": 900})
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
    assert move.slider("query at").input_value() == "15"


def test_rotary_dials_obey_the_keyboard_and_stop_at_the_ends(opened):
    move = opened()
    move.handle("key in pair 1").focus()
    move.press("ArrowUp", "ArrowRight", "Shift+ArrowRight")
    tells_of_dials(move, 2, 12)
    assert (
        move.handle("key in pair 1").get_attribute("aria-valuetext")
        == "position 12"
    )
    move.press("Shift+ArrowUp")
    tells_of_dials(move, 2, 20)
    move.handle("query in pair 0").focus()
    move.press("Shift+ArrowDown")
    tells_of_dials(move, 0, 20)


def test_rotary_dials_turn_in_firefox(said_in_firefox):
    said = said_in_firefox(lambda f: f.drag(".attn-key .halo", 50, -50))
    assert re.search("^Query at 2, key at 1: ", said)
