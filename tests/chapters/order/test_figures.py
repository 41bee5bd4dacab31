"""Pictures of the chapter: what they show, and that a page can hold them."""

import numpy as np

from course_attn.chapters.order import figures


def test_accuracy_by_position_averages_groups_that_do_not_cross_the_trained_length() -> (
    None
):
    right_at = np.repeat([[1.0, 0.25], [1.0, 0.25]], 8, axis=1)
    (ax,) = figures.accuracy_by_position(
        {"a scheme": right_at}, trained=8, first=3
    ).axes
    curve = ax.get_lines()[0]
    np.testing.assert_allclose(curve.get_xdata(), [5, 11.5])
    np.testing.assert_allclose(curve.get_ydata(), [1, 0.25])
    assert curve.get_label() == "a scheme"


def test_three_maps_dot_the_wanted_keys() -> None:
    ax, _ = figures.three_maps(
        {"one": np.eye(4), "other": np.eye(4)}, wanted=1
    ).axes
    dots = sorted((x.get_xdata()[0], -x.get_ydata()[0]) for x in ax.get_lines())
    assert dots == [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]
