"""`two_arrows` in Chromium from disk: mouse, finger, keys, bad input; and in Firefox."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from tests.support.output import number, numbers
from tests.support.widget_page import BAD

ARROWS = ("The two arrows", (-2.5, 2.5), (-1.5, 4.5))


def tells_of_arrows(move, q, k) -> None:
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
    a, b, c, d = numbers(factor.strip("()") for factor in factors)
    assert abs(a * b + c * d - dot) < 0.01


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_two_arrows_are_dragged(opened, by):
    move = opened(has_touch=True, viewport={"width": 700, "height": 900})
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
    move = opened()
    move.handle("the key").focus()
    move.press("ArrowLeft", "ArrowDown", "Shift+ArrowDown")
    tells_of_arrows(move, [1.0, 0.5], [0.9, 2.9])
    assert move.handle("the key").get_attribute("aria-valuetext") == "(0.9, 2.9)"
    for _ in range(3):
        move.press("Shift+ArrowUp")
    tells_of_arrows(move, [1.0, 0.5], [0.9, 4.5])


def test_two_arrows_take_numbers_and_name_what_is_none(opened):
    move = opened()
    first, second = (move.field(f"key, k, feature {f}") for f in (1, 2))
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


def test_two_arrows_have_a_ring_for_the_keyboard_and_letters_that_keep_off_each_other(
    opened,
):
    move = opened(viewport={"width": 700, "height": 900})
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
    move.press("ArrowUp")
    assert move.page.evaluate(ring) != plain
    assert move.page.evaluate(edge) == "none"


def test_two_arrows_are_dragged_in_firefox(said_in_firefox):
    said = said_in_firefox(lambda f: f.drag(".attn-key .halo", 0, 60))
    assert re.search("^Lengths 1.12 and 3.16, .*product 2.50", said)
