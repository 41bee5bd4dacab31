"""`value_triangle` in Chromium from disk: mouse, finger, keys, bad input; and in Firefox."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from tests.chapters.weighted_sum import test_value_triangle as plain
from tests.support.widget_page import BAD

CORNERS = np.array(plain.CORNERS)
TRIANGLE = ("The triangle of the values", (-1, 5), (-1, 4))


def holds_weights_of(move, point, weights) -> None:
    found = [move.number_in(name) for name in ("a₁", "a₂", "a₃")]
    np.testing.assert_allclose(found, weights, atol=6e-4)
    output = [move.number_in(f"y, feature {f}") for f in (1, 2)]
    np.testing.assert_allclose(output, point, atol=6e-4)
    assert abs(sum(found) - 1) < 2e-3


def solved(point) -> np.ndarray:
    return np.linalg.solve(np.vstack([CORNERS.T, np.ones(3)]), [*point, 1.0])


@pytest.mark.parametrize("by", ["drag", "swipe"])
def test_value_triangle_is_dragged_in_and_out(opened, by):
    move = opened(has_touch=True, viewport={"width": 700, "height": 900})
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
    move = opened()
    x, y = CORNERS.mean(axis=0)
    move.handle("y, the output").focus()
    for key, step in (
        ("ArrowRight", (0.1, 0)), ("ArrowUp", (0, 0.1)), ("Shift+ArrowRight", (1, 0)),
        ("ArrowDown", (0, -0.1)), ("Shift+ArrowLeft", (-1, 0)),
    ):  # fmt: skip
        move.press(key)
        x, y = round(x + step[0], 2), round(y + step[1], 2)
        holds_weights_of(move, (x, y), solved((x, y)))
    text = move.handle("y, the output").get_attribute("aria-valuetext")
    assert text.startswith(f"({x:.2f}, {y:.2f}), weights 0.")


def test_value_triangle_lets_the_other_weights_follow_one(opened):
    move = opened()
    weights = np.full(3, 1 / 3)
    for j, size in ((0, 0.5), (1, 0.9), (2, 0.0), (0, 1.0), (1, 0.25)):
        rest = 1 - weights[j]
        weights = (1 - size) * (weights / rest if rest > 1e-9 else np.full(3, 0.5))
        weights[j] = size
        move.field(f"a{'₁₂₃'[j]}").fill(str(size))
        holds_weights_of(move, in_numpy.weighted_sum(weights, CORNERS), weights)


def test_value_triangle_names_what_is_not_a_weight(opened):
    move = opened()
    for text in (*BAD, "1.5", "-0.1"):
        move.field("a₂").fill(text)
        move.says(r"^a₂ (holds “|is empty).*0\.333 is still used\.$")
    move.field("y, feature 1").fill("99")
    move.says("^y, feature 1 holds “99”, which is not from −1 to 5")
    move.back()
    holds_weights_of(move, CORNERS.mean(axis=0), [1 / 3] * 3)
    assert move.root.locator("[aria-invalid]").count() == 0


def test_value_triangle_is_dragged_in_firefox(said_in_firefox):
    said = said_in_firefox(lambda f: f.drag(".halo", -15, -30))
    assert re.search(r"^The average \(1\.\d+, 1\.\d+\) lies inside", said)
