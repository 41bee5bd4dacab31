"""The scenes of the chapter: every number and every name stands where it belongs."""

import numpy as np
import pytest

from course_attn.chapters.heads import figures as scenes


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_head_maps_shows_each_head_with_the_characters_on_both_sides() -> None:
    weights = [np.tri(3) / 3, np.eye(3)]
    fig = scenes.head_maps(weights, "a b", ["head 1", "head 2"])
    assert [ax.get_title() for ax in fig.axes] == ["head 1", "head 2"]
    for ax, A in zip(fig.axes, weights, strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), A)
        assert sorted(texts(ax)) == sorted(["a", "␣", "b"] * 2)


def test_lens_has_the_text_below_the_last_block_and_what_comes_next_on_top() -> (
    None
):
    probabilities = np.array([[0.1, 0.2], [0.8, 0.9]])
    (ax,) = scenes.lens(probabilities, ["ab", "cd"], "xyz").axes
    np.testing.assert_array_equal(ax.images[0].get_array(), probabilities[::-1])
    at = {text.get_text(): text.get_position() for text in ax.texts}
    assert at["c"] == (0, 0) and at["d"] == (1, 0)
    assert at["a"] == (0, 1) and at["b"] == (1, 1)
    assert at["after block 1"][1] == 0 and at["before block 1"][1] == 1
    assert at["x"][0] == 0 and at["x"][1] > 1
    assert at["z"][0] == 1 and at["z"][1] < at["d"][1]
    assert texts(ax).count("y") == 2  # read second, and next after the first
    assert at["read"][1] == at["x"][1] and at["comes next"][1] == at["z"][1]


def test_damage_has_a_square_for_each_head_with_its_number() -> None:
    costs = np.array([[1.5, 0.25, 0.125], [0.5, 0.75, 0.0]])
    (ax,) = scenes.damage(costs).axes
    at = {text.get_text(): text.get_position() for text in ax.texts}
    for layer, head in np.ndindex(2, 3):
        x, y = at[f"{costs[layer, head]:.3f}"]
        assert x == pytest.approx(at[f"head {head + 1}"][0])
        assert y == pytest.approx(at[f"block {layer + 1}"][1])


def test_by_step_draws_a_line_for_each_name() -> None:
    lines = {"one": {20: 0.1, 40: 0.2}, "two": {20: 0.3, 40: 1.0}}
    (ax,) = scenes.by_step(lines).axes
    by_label = {line.get_label(): line for line in ax.lines}
    for name, found in lines.items():
        np.testing.assert_array_equal(by_label[name].get_xdata(), [20, 40])
        np.testing.assert_array_equal(by_label[name].get_ydata(), [*found.values()])
