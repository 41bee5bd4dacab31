"""`hopfield_memory` in Chromium from disk: drawing, updates, sliders; and in Firefox."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from tests.chapters.perspective.test_hopfield_memory import (
    MANY,
    NAMES,
    half,
    settled,
)
from tests.support.gestures import drag, middle, swipe
from tests.support.output import number, numbers
from tests.support.sampled import every


def state_of(live) -> np.ndarray:
    squares = live.squares().all()
    return np.array(
        [number(s.get_attribute("aria-label").split(": ")[1]) for s in squares]
    )


def tells_of_memory(live, drawn, state, *, n=10, beta=1.0, of=3) -> None:
    """Compare the picture, the bars and both answers with the package."""
    X = MANY[:n]
    np.testing.assert_allclose(state_of(live), state, atol=0.00501)
    weights = in_numpy.attention_weights(state[None], X, scale=beta)[0]
    bars = live.root.locator(".stored:visible")
    assert bars.count() == n
    found = numbers(bars.locator(".size").all_inner_texts())
    np.testing.assert_allclose(found, weights, atol=0.00501)
    answer = settled(X, drawn)
    path = live.root.locator("svg.answer path").get_attribute("d") or ""
    black = {8 * int(y) + int(x) for x, y in re.findall(r"M(\d) (\d)h", path)}
    assert black == set(np.flatnonzero(answer > 0))
    wrong = [(x * MANY[of] < 0).sum() for x in (state, answer)]
    unknown = (state == 0).sum()
    known = f"{unknown} of 64 signs are unknown; of the others {wrong[0]}"
    differ = "differs" if wrong[0] == 1 else "differ"
    live.says(
        rf" {known if unknown else f'{wrong[0]} of 64 signs'} {differ} from “{NAMES[of]}”.*"
        rf"one sign after the other, and comes to rest with {wrong[1]} of 64 wrong\.$"
    )


def test_hopfield_memory_repairs_what_was_drawn_over(opened):
    live = opened(viewport={"width": 900, "height": 1000})
    drawn = half(3)
    tells_of_memory(live, drawn, drawn)
    live.says(
        "^Before the update 32 of 64 signs are unknown; of the others 0 differ from “d”"
    )
    squares = live.squares()
    # Drag over a row: each square takes the sign that the first one got.
    drag(live.page, *(middle(squares.nth(f)) for f in range(8, 16)))
    drawn[8:16] = -drawn[8]
    tells_of_memory(live, drawn, drawn)
    squares.nth(0).focus()
    live.press("Space", "ArrowDown", "ArrowDown", "ArrowRight", "Enter")
    drawn[0], drawn[17] = -drawn[0], -drawn[17]
    tells_of_memory(live, drawn, drawn)
    live.says("^Before the update ")
    live.button("One update").click()
    state = in_numpy.hopfield_update(MANY, drawn[None], beta=1.0)[0]
    live.says("^After one update 0 of 64 signs differ from “d”")
    tells_of_memory(live, drawn, state)
    live.button("One update").click()
    live.says("^After 2 updates 0 of 64")
    live.back()
    tells_of_memory(live, half(3), half(3))


def test_hopfield_memory_follows_its_sliders_and_begins_with_any_pattern(opened):
    live = opened()
    live.set("β", -2)
    tells_of_memory(live, half(3), half(3), beta=0.01)
    state = half(3)
    for _ in range(3):
        live.button("One update").click()
        state = in_numpy.hopfield_update(MANY, state[None], beta=0.01)[0]
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
    every(4, [range(8), range(0, 64, 8), range(56, -1, -8), range(0, 64, 9)]),
    ids=["along a row", "down", "up", "aslant"],
)
def test_hopfield_memory_is_drawn_on_with_a_finger(opened, drawn_over):
    live = opened(has_touch=True, viewport={"width": 400, "height": 700})
    # Long enough to be scrolled.
    live.page.add_style_tag(content="body { padding: 300px 0 900px }")
    squares = live.squares()
    squares.nth(0).evaluate("(e) => scrollTo(0, e.getBoundingClientRect().y - 200)")
    before = live.page.evaluate("scrollY")
    path = [middle(squares.nth(f)) for f in drawn_over]
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
    live = opened(has_touch=True, viewport={"width": 360, "height": 700})
    live.page.add_style_tag(content="body { padding: 300px 0 900px }")
    table = live.root.locator(".attn-mask")
    table.evaluate("(e) => scrollTo(0, e.getBoundingClientRect().y - 200)")
    before, box = live.page.evaluate("scrollY"), table.bounding_box()
    beside = box["x"] + box["width"] + 30
    assert beside < 330
    swipe(live.page, *((beside, box["y"] + 150 - 10 * k) for k in range(12)))
    live.page.wait_for_function(f"scrollY > {before + 40}")
    tells_of_memory(live, half(3), half(3))


def test_hopfield_memory_updates_in_firefox(said_in_firefox):
    said = said_in_firefox(lambda f: f.click(".update"))
    assert said.startswith("After one update 0 of 64 signs differ")
