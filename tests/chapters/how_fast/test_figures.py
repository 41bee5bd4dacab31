"""The page `how_fast`: ratios within one run, and nothing that was not measured is left out."""

from typing import Any

import pytest

from course_attn.chapters.how_fast import figures
from course_attn.chapters.how_fast.figures import CONTENDERS, QUESTIONS, Ratio

FIRST, OURS = CONTENDERS["attention alone"][:2]


def row(section: str, contender: str, n: int = 256, **more: Any) -> dict[str, Any]:
    settings = {"n": n, "dtype": more.pop("dtype", "float32")}
    return {"section": section, "contender": contender, "settings": settings} | more


def took(*times: float) -> dict[str, Any]:
    return {"seconds": {"times": list(times)}}


def machine(*rows: dict, gpu: str | None = None, **versions: str) -> dict[str, Any]:
    hardware = {"cpu": "Abacus", "cores": 3, "gpu": gpu}
    return {"hardware": hardware, "versions": versions, "rows": list(rows)}


def test_ratios_are_those_of_each_round_and_their_quartiles() -> None:
    """A busy round, in which all take ten times as long, changes nothing."""
    found = machine(
        row("cpu", FIRST, **took(1.0, 10.0, 1.0, 1.0, 1.0)),
        row("cpu", OURS, **took(2.0, 20.0, 3.0, 1.0, 4.0)),
        row("cpu", OURS, dtype="bfloat16", **took(9.0, 9.0, 9.0, 9.0, 9.0)),
        row("cpu forward", OURS, **took(9.0, 9.0, 9.0, 9.0, 9.0)),
    )
    said = figures.ratios(found, "forward", "attention alone", OURS)
    assert said == {256: Ratio(2.0, 2.0, 3.0)}
    assert figures.ratios(found, "memory", "attention alone", OURS) == {}


def test_ratios_on_a_gpu_are_those_of_its_sections_in_bfloat16() -> None:
    found = machine(
        *(row("gpu", FIRST, n, dtype="bfloat16", extra_bytes=100) for n in (3, 5)),
        row("gpu", OURS, 5, dtype="bfloat16", extra_bytes=250),
        row("gpu", OURS, 3, dtype="float32", extra_bytes=900),
        gpu="Loom",
    )
    said = figures.ratios(found, "memory", "attention alone", OURS)
    assert said == {5: Ratio(2.5, 2.5, 2.5)}


@pytest.mark.parametrize("question", QUESTIONS)
def test_side_by_side_names_every_contender_and_says_which_was_not_measured(
    question: str,
) -> None:
    """Every row of every plot has points, or says that it has none."""
    sections, of = QUESTIONS[question]
    amount = took(1.0, 1.5, 2.0) if of == "seconds" else {of: 5}
    group, section = next(iter(sections.items()))
    two = [row(f"cpu{section}", name, **amount) for name in CONTENDERS[group][:2]]
    fig = figures.side_by_side(question, [machine(*two), machine()])
    names = [name for g in sections for name in (f"{g}:", *CONTENDERS[g])]
    ours, nothing = fig.axes
    assert [label.get_text() for label in ours.get_yticklabels()] == names
    rows = len(names) - len(sections)
    assert len(ours.containers) == 2 and len(nothing.containers) == 0
    for ax, missing in ((ours, rows - 2), (nothing, rows)):
        said = [text.get_text() for text in ax.texts]
        assert said == ["not measured"] * missing
    assert ours.get_title() == "Abacus, 3 cores\n● n = 256"


def test_side_by_side_shows_three_lengths_of_many_each_with_its_marker() -> None:
    sizes = (1, 2, 3, 4, 5)
    rows = [
        row("cpu", name, n, **took(1.0, 1.0, 1.0))
        for name in (FIRST, OURS)
        for n in sizes
    ]
    (ax,) = figures.side_by_side("forward", [machine(*rows)]).axes
    assert len(ax.containers) == 2 * 3
    assert ax.get_title().endswith("● n = 1   ■ n = 3   ◆ n = 5")


def test_why_not_gives_the_reason_where_it_is_known() -> None:
    no = row("gpu", OURS, dtype="bfloat16", not_measured="No compiler. Get one.")
    found = machine(no, gpu="Loom", **{"x-transformers": "not installed"})
    for group, name, why in (
        ("attention alone", OURS, "not measured: No compiler"),
        ("attention alone", FIRST, "not measured"),
        (
            "with projections",
            "x-transformers, flash",
            "not measured: not installed",
        ),
    ):
        assert figures.why_not(found, "forward", group, name) == why
    assert (
        figures.why_not(
            machine(), "forward", "with projections", "x-transformers, flash"
        )
        == "not measured"
    )
