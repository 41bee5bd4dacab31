"""`random_widths` in Chromium from disk: its numbers, its slider, its button."""

import numpy as np

from course_attn import in_numpy
from course_attn.chapters.scaling.widgets.random_widths import _normal_numbers
from tests.support.output import numbers


def tells_of_widths(move, seed: int, d: int) -> None:
    X = _normal_numbers(seed, 80 * 1024).reshape(80, 1024)
    firsts = []
    for row, scale in zip(move.cells("64 queries"), (1.0, None), strict=True):
        scores = in_numpy.scaled_scores(X[:64, :d], X[64:, :d], scale=scale)
        found = in_numpy.score_statistics(scores)
        wanted = [found.variance**0.5, found.largest_weight, found.entropy]
        np.testing.assert_allclose(numbers(row[1:]), wanted, atol=0.00501)
        first = in_numpy.softmax(scores[0])
        firsts.append(f"{first.max():.2f} on key {first.argmax() + 1}")
    move.says(f"^d = {d}: .*weight is {firsts[0]} without, {firsts[1]} with")


def test_random_widths_shows_the_numbers_of_in_numpy(opened):
    move = opened()
    tells_of_widths(move, 1, 4)
    for step, d in ((10, 1024), (0, 1), (6, 64)):
        move.set("width d", step)
        tells_of_widths(move, 1, d)
    move.slider("width d").press("ArrowRight")
    tells_of_widths(move, 1, 128)
    text = move.slider("width d").get_attribute("aria-valuetext")
    assert text == "128"


def test_random_widths_draws_anew_and_goes_back(opened):
    move = opened(has_touch=True)
    draw = move.root.get_by_role("button", name="Draw new vectors")
    move.set("width d", 10)
    for seed in (2, 3):
        draw.tap()
        tells_of_widths(move, seed, 1024)
    move.back()
    tells_of_widths(move, 1, 4)


def test_random_widths_has_charts_of_one_size_below_one_another_on_a_phone(opened):
    move = opened(viewport={"width": 390, "height": 844})
    first, second = (
        move.root.locator(f"svg[aria-label='Weights {way} √d']").bounding_box()
        for way in ("without", "with")
    )
    assert first["x"] == second["x"] and first["y"] < second["y"]
    assert abs(first["width"] - second["width"]) < 1
