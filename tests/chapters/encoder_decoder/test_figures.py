"""The scenes of the chapter: every number and every name stands where it belongs."""

import numpy as np
from matplotlib.patches import Rectangle

from course_attn.chapters.encoder_decoder import figures as scenes
from course_attn.chapters.encoder_decoder import questions as asked


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_two_towers_meet_in_cross_attention_alone() -> None:
    said = texts(scenes.two_towers().axes[0])
    assert said.count("keys, values") == said.count("queries") == 1
    assert {"$Z$", "cross-attention", "causal self-attention"} <= set(said)
    assert said.count("× layers") == 2


def test_right_by_length_draws_the_mean_of_all_starts() -> None:
    found = {
        "a": {2: [1.0, 0.5], 9: [0.0, 0.4]},
        "b": {2: [0.2, 0.2], 9: [0.1, 0.1]},
    }
    ax = scenes.right_by_length(found, trained=7).axes[0]
    curves = {line.get_label(): line.get_xydata() for line in ax.lines}
    np.testing.assert_allclose(curves["a"], [[2, 0.75], [9, 0.2]])
    np.testing.assert_allclose(curves["b"], [[2, 0.2], [9, 0.1]])
    assert any(set(line.get_xdata()) == {7} for line in ax.lines)


def test_alignment_map_frames_what_is_known() -> None:
    weights, known = np.zeros((2, 3)), np.zeros((2, 3), dtype=bool)
    weights[0, 1], known[1, 2] = 0.9, True
    ax = scenes.alignment_map("a b", "xy", weights, known).axes[0]
    assert texts(ax)[:5] == ["x", "y", "a", "␣", "b"]
    widths = {
        (round(p.get_x()), round(p.get_y())): p.get_linewidth()
        for p in ax.patches
        if isinstance(p, Rectangle)
    }
    assert max(widths, key=lambda place: widths[place]) == (2, -2)


def test_where_it_looks_takes_the_measured_share_as_the_answer() -> None:
    page = asked.where_it_looks(0.86, 0.14, 0.994)._repr_html_()
    assert "99 % of the answers" in page and "would hit 14\xa0of 100" in page
    assert "86" in page


def test_text_asks_image_joins_the_last_word_to_every_patch() -> None:
    ax = scenes.text_asks_image(np.zeros((4, 6, 3)), 2, ["a", "b"]).axes[0]
    assert texts(ax) == ["a", "b"]
    ends = [line.get_xydata() for line in ax.lines if line.get_zorder() == 2]
    asking = ax.texts[-1].get_position()
    joined = {tuple(start) for start, end in (e for e in ends if len(e) == 2)
              if tuple(end) == asking}  # fmt: skip
    assert joined == {(x, y) for x in (1, 3, 5) for y in (1, 3)}
