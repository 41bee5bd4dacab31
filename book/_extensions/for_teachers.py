"""Tables for teachers: ways through the course with their minutes, and all exercises.

The minutes are those that the pages themselves state: of a chapter's core and of its starred
sections from `tools.reading_times`, of an exercise from its declaration. The directive
`course-path` takes a chapter a line::

    softmax
    qkv ★: soft_lookup, project_qkv
    * ★: all

The star adds the starred sections, and behind the colon stand exercises; `*` are all chapters. Its
option `at-most` is a number of minutes that the sum must not exceed. The directive `exercise-list`
takes nothing, `grading-times` shows what `benchmarks/classroom.py` has measured.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course_attn.exercises import catalog
from tools import book, reading_times
from whywrong.declare import Exercise, Question

__all__ = [
    "Stage",
    "exercise_table",
    "path_table",
    "setup",
    "stages",
    "times_apart",
    "times_table",
]

_MEASURED = "benchmarks/results/classroom.json"
_MEASURED_APART = "benchmarks/results/grading.json"
_JOBS, _WORKERS, _MANY = 50, 4, 10_000


@dataclass(frozen=True)
class Stage:
    """One chapter on a way through the course; the minutes are those of reading."""

    slug: str
    title: str
    starred: bool
    minutes: int
    exercises: tuple[Exercise | Question, ...]


def stages(lines: list[str], root: Path) -> list[Stage]:
    """Read the lines of a path; an error names the one that says something unknown."""
    return [
        stage for line in lines if line.strip() for stage in _stages_of(line, root)
    ]


def _stages_of(line: str, root: Path) -> Iterator[Stage]:
    what, _, wanted = (part.strip() for part in line.partition(":"))
    name, _, star = what.partition(" ")
    slugs = book.chapters(root)
    if star not in ("", reading_times.STAR.strip()) or name not in (*slugs, "*"):
        raise ValueError(f"{line!r}: expected a chapter, a star, exercises")
    for slug in slugs if name == "*" else [name]:
        notebook = book.read(root / "book" / f"{slug}.ipynb")
        minutes = reading_times.reading_time(notebook, starred=False).minutes
        if star:
            minutes += reading_times.reading_time(notebook, starred=True).minutes
        there = catalog.chapters.get(slug, ())
        names = there if wanted == "all" else filter(None, wanted.split(", "))
        tasks = []
        for task in names:
            if task not in there:
                raise ValueError(f"{line!r}: {slug} has no exercise {task!r}")
            tasks.append(catalog.find(task))
        title = book.title(root / "book" / f"{slug}.ipynb")
        yield Stage(slug, title, bool(star), minutes, tuple(tasks))


def path_table(found: list[Stage], at_most: int | None = None) -> list[str]:
    """Write a path as a table in Markdown; refuse one that takes longer than it may."""
    reading = sum(stage.minutes for stage in found)
    writing = sum(task.minutes for stage in found for task in stage.exercises)
    if at_most is not None and reading + writing > at_most:
        raise ValueError(
            f"this path takes {reading + writing} minutes, more than {at_most}"
        )
    rows = ["| Chapter | Read | Exercises | Write |", "|:--|--:|:--|--:|"]
    for stage in found:
        core = "" if stage.starred else " (core)"
        tasks = ", ".join(_link(stage.slug, task.name) for task in stage.exercises)
        if stage.exercises and len(stage.exercises) == len(
            catalog.chapters[stage.slug]
        ):
            tasks = f"[all {len(stage.exercises)}](exercises/{stage.slug}.ipynb)"
        rows.append(
            f"| [{stage.title}]({stage.slug}.ipynb){core} | {stage.minutes} | {tasks} "
            f"| {sum(task.minutes for task in stage.exercises) or ''} |"
        )
    rows.append(
        f"| **Together, in minutes: {reading + writing}** | {reading} | | {writing or ''} |"
    )
    return rows


def exercise_table() -> list[str]:
    """Write all exercises as a table in Markdown."""
    rows = ["| Exercise | Kind | Level | Minutes |", "|:--|:--|:--|--:|"]
    for slug, names in catalog.chapters.items():
        tasks = [catalog.find(name) for name in names]
        minutes = sum(task.minutes for task in tasks)
        rows.append(
            f"| **[{catalog.title(slug)}](exercises/{slug}.ipynb)** | | | **{minutes}** |"
        )
        rows += [
            f"| {_link(slug, task.name)} | {_kind(task)} | {task.level} | {task.minutes} |"
            for task in tasks
        ]
    return rows


def _kind(task: Exercise | Question) -> str:
    if isinstance(task, Question):
        return "question"
    return "PyTorch" if task.library == "torch" else "NumPy"


def _link(slug: str, name: str) -> str:
    return f"[`{name}`](exercises/{slug}.ipynb#{name.lower()})"


def times_table(measured: dict[str, Any]) -> list[str]:
    """Write what was measured, and on what, in Markdown."""
    settings, hardware = measured["settings"], measured["hardware"]
    rows = [
        f"| {row['what'].capitalize()} | {row['seconds']:.1f} |"
        for row in measured["rows"]
    ]
    source, feedback = (
        round(settings["bytes"][name] / 1000) for name in ("source", "feedback")
    )
    grading = next(
        row["seconds"]
        for row in measured["rows"]
        if row["what"] == "grade a notebook"
    )
    return [
        f"| Notebook of {settings['exercises']} exercises | Seconds of one core |",
        "|:--|--:|",
        *rows,
        "",
        f"So 100 such notebooks take {100 * grading / 60:.0f} minutes of one core. The largest "
        f"process held {settings['megabytes of the largest process']} MB. The source notebook "
        f"has {source} kB, a page of feedback {feedback} kB. Measured on {measured['date']} with "
        f"{settings['students']} submissions, all right, on {hardware['cpu']} with "
        f"{hardware['cores']} cores, Python {measured['versions']['python']} and nbgrader "
        f"{settings['nbgrader']}.",
    ]


def times_apart(measured: dict[str, Any]) -> list[str]:
    """Write what grading untrusted answers took, and what it would for many."""
    found, hardware = measured["settings"], measured["hardware"]
    solved, workers = found["solved"], found["workers"]
    each = workers * solved["seconds"] / solved["submissions"]
    kinds = ", ".join(row["kind"] for row in measured["rows"])
    loops = next(row for row in measured["rows"] if row["kind"] == "loop")
    return [
        f"`python -m course_attn.grade` with {workers} workers, on {hardware['cpu']} with "
        f"{hardware['cores']} cores ({measured['date']}, Python {measured['versions']['python']}):",
        "",
        "| Handed in | Exercises each | Seconds | All processes together, at most |",
        "|:--|--:|--:|--:|",
        f"| {found['submissions']} notebooks of six kinds ({kinds}), about as many of each | "
        f"{found['exercises']} | {found['seconds']:.0f} | {found['megabytes']:,} MB |",
        f"| {solved['submissions']} solved notebooks | {solved['exercises']} | "
        f"{solved['seconds']:.0f} | {solved['megabytes']:,} MB |",
        "",
        f"Wrong verdicts on the first class: {found['wrong verdicts']}. Killed when "
        f"{found['done when killed']} of its notebooks were graded, and begun again, the grader "
        f"came to other results for {found['differences after going on']} of them. An endless "
        f"loop costs its notebook {loops['median seconds']:.0f} seconds in the median; others "
        f"wait for nothing but the worker. A solved notebook takes {each:.1f} seconds of one "
        f"worker: {_MANY:,} would take {_MANY * each / workers / 3600:.1f} hours on this machine, "
        f"and {_MANY * each / (_JOBS * _WORKERS) / 60:.1f} minutes as {_JOBS} jobs of {_WORKERS} "
        "workers on a cluster whose cores are as quick and free (computed, not measured).",
    ]


class _Table(SphinxDirective):
    """A table in Markdown, as if it stood on the page."""

    def files(self, root: Path) -> list[Path]:
        """Return the files on which the table depends."""
        return [
            root / "_toc.yml",
            Path(__file__),
            *book.chapter_notebooks(root),
            *(root / "course_attn/chapters").glob("*/exercises/*.py"),
        ]

    def rows(self, root: Path) -> list[str]:
        """Return the lines of the table."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Write the table and let the page's parser read it."""
        root = Path(self.env.srcdir)
        for file in self.files(root):
            self.env.note_dependency(str(file))
        holder = nodes.container()
        try:
            rows = self.rows(root)
        except ValueError as error:
            raise self.error(str(error)) from None
        self.state.nested_parse(StringList(rows, self.name), 0, holder)
        for name in holder.findall(nodes.literal):
            _let_break(name)
        return holder.children


def _let_break(name: nodes.literal) -> None:
    """Let a long name break behind an underscore, where a phone is too narrow for it."""
    first, *others = re.split(r"(?<=_)", name.astext())
    name.clear()
    name += nodes.Text(first)
    for part in others:
        name += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)]


class CoursePath(_Table):
    """A way through the course."""

    has_content = True
    option_spec = {"at-most": directives.positive_int}

    def rows(self, root: Path) -> list[str]:
        """Write the chapters, their minutes and the sum, which has a limit."""
        return path_table(
            stages([*self.content], root), self.options.get("at-most")
        )


class ExerciseList(_Table):
    """All exercises."""

    def rows(self, root: Path) -> list[str]:
        """Write them by chapter."""
        return exercise_table()


class GradingTimes(_Table):
    """What grading takes."""

    def files(self, root: Path) -> list[Path]:
        """Return the files with the results."""
        return [Path(__file__), root / _MEASURED, root / _MEASURED_APART]

    def rows(self, root: Path) -> list[str]:
        """Write the results and the machine."""
        with_nbgrader, apart = (
            json.loads((root / path).read_text("utf-8"))
            for path in (_MEASURED, _MEASURED_APART)
        )
        return [
            *times_table(with_nbgrader),
            "",
            "nbgrader grades one notebook after the other.",
            "",
            *times_apart(apart),
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives with Sphinx."""
    app.add_directive("course-path", CoursePath)
    app.add_directive("exercise-list", ExerciseList)
    app.add_directive("grading-times", GradingTimes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
