"""The scenes of the chapter: every number and every name stands where it belongs."""

import json
import re

import numpy as np
import pytest

from course_attn.chapters.language_model import figures as scenes
from course_attn.drawing import saved


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def test_visible_shows_spaces_and_newlines() -> None:
    assert scenes.visible(" a\n") == ["␣", "a", "↵"]


def test_results_reads_a_report_and_names_the_command_where_there_is_none(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(saved, "RESULTS", (tmp_path / "none", tmp_path))
    (tmp_path / "heads.json").write_text(json.dumps({"rows": [1]}), "utf-8")
    assert scenes.results("heads") == {"rows": [1]}
    with pytest.raises(FileNotFoundError, match=r"python -m benchmarks\.tails"):
        scenes.results("tails")


def test_model_steps_has_a_step_for_each_stage_and_says_its_numbers() -> None:
    """Two blocks: characters, embedding, positions, two blocks, norm, logits, softmax."""
    stages = list(drawn(5, 3, 8))
    logits = np.log(np.array([0.1, 0.2, 0.7]))
    moved = np.linalg.norm(stages[2][-1] - stages[1][-1])
    animation = scenes.model_steps(
        "ab ", np.array([0, 1, 2]), stages, logits, "ab "
    )
    assert "8 steps" in repr(animation)
    page = animation._repr_html_()
    assert f"the last row moves by {moved:.1f}." in page
    # Tokens and places are counted from 0, as `encode` and the page "Follow one number" do.
    assert "is number 2 of 3, counted from 0, as places are." in page
    assert "row 2 of P, since \\u201c\\u2423\\u201d stands at place 2." in page
    # A phone of 360 pixels shows pictures at 0.777 of their size, in 312 pixels.
    width = re.search(r"--natural-width: (\d+)px", page)
    assert width and 0.777 * int(width[1]) <= 312
    assert "\\u201c\\u2423\\u201d follows with the probability 0.70." in page


def test_next_characters_orders_by_the_first_rule_and_marks_what_is_cut() -> None:
    rules = {
        "as it is": np.array([0.2, 0.5, 0.3]),
        "cut": np.array([0.0, 0.6, 0.4]),
    }
    fig = scenes.next_characters(rules, "x y", n_shown=3)
    first, second = fig.axes
    labels = [label.get_text() for label in second.get_xticklabels()]
    assert labels == ["␣", "y", "x"]
    heights = [[bar.get_height() for bar in ax.patches] for ax in (first, second)]
    assert heights == [[0.5, 0.3, 0.2], [0.6, 0.4, 0.0]]
    assert texts(first) == [] and texts(second) == ["×"]


def test_loss_curves_draws_each_curve_and_names_each_mark() -> None:
    curves = {"one": ([1, 10], [4.0, 2.0]), "other": ([1, 5], [4.5, 3.0])}
    (ax,) = scenes.loss_curves(
        curves, {"nothing known": 4.56}, points=["other"]
    ).axes
    by_label = {line.get_label(): line for line in ax.lines}
    for name, (steps, losses) in curves.items():
        np.testing.assert_array_equal(by_label[name].get_xdata(), steps)
        np.testing.assert_array_equal(by_label[name].get_ydata(), losses)
    assert by_label["other"].get_marker() == "o"
    assert by_label["one"].get_marker() == "None"
    assert texts(ax) == ["nothing known"]
    assert ax.get_xscale() == "log"
