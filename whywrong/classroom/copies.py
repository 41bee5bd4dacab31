"""The notebooks of a class: chosen exercises, with checks that fail closed."""

import importlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from whywrong.catalog import Unavailable
from whywrong.classroom.notebooks import Settings, exercise_notebook
from whywrong.course import Course
from whywrong.declare import Exercise, Question
from whywrong.inputs import with_other_inputs
from whywrong.patches import BadDeclaration
from whywrong.sound import refused_solution

__all__ = [
    "ClassroomError",
    "Wishes",
    "anchor",
    "choose_exercises",
    "class_notebook",
    "load_course",
]

_SETUP = """\
# You need Python 3.11 or newer and the package `{name}`.{how}
import {package}
"""
_HOW = """ Where the import below fails,
# remove the "# " before %pip, run this cell, and restart the kernel.
# %{install}"""
_NO_SOLUTIONS = """
import os

os.environ["COURSE_ATTN_SOLUTIONS"] = "off"
"""
# What learners see of it is its first two lines: nbgrader takes out the rest of a released copy.
_CHECK = """\
import {package}

{package}.check({name})
### BEGIN HIDDEN TESTS
{package}.require({name}{seed})
### END HIDDEN TESTS
"""


class ClassroomError(Exception):
    """Something is not as it should be; the text is for the teacher and names it."""


@dataclass(frozen=True)
class Wishes:
    """What a teacher wants of the notebooks."""

    package: str  # the module that has the course
    solutions: bool = True  # whether learners may call `solution`
    seed: str | None = None  # lets the hidden tests take other inputs, too
    book: str = ""  # where the built pages lie; without it, links are plain text
    install: str = ""  # what learners run; by default what installs this version of this course
    # Of an exercise by its level; other levels have those of the declaration.
    points: Mapping[str, int] = field(default_factory=dict)


def load_course(package: str) -> Course:
    """Return the course of a module."""
    try:
        module = importlib.import_module(package)
    except ImportError as error:
        raise ClassroomError(
            f"{package}: it cannot be imported ({error})"
        ) from None
    course = getattr(module, "course", None)
    if not isinstance(course, Course):
        raise ClassroomError(f"{package}: it has no `course = Course(…)`")
    missing = [name for name in _FACE if not hasattr(module, name)]
    if missing:
        raise ClassroomError(
            f"{package}: it has no {', '.join(missing)}: take them from its course, "
            f"`{missing[0]} = course.{missing[0]}`"
        )
    return course


_FACE = ("check", "hint", "progress", "require", "solution")


def choose_exercises(
    course: Course, what: str
) -> tuple[str, list[Exercise | Question]]:
    """Return the chapter and the exercises that a text such as ``softmax:softmax,entropy`` names.

    The exercises have the order in which they are to stand; without them it is the whole chapter.
    """
    slug, _, names = what.partition(":")
    chapters = course.catalog.chapters
    if slug not in chapters:
        known = ", ".join(chapters)
        raise ClassroomError(
            f"{what}: there is no chapter {slug!r}; the chapters are {known}"
        )
    has = chapters[slug]
    wanted = [name.strip() for name in names.split(",")] if names else has
    for name in wanted:
        if name not in has:
            raise ClassroomError(
                f"{what}: the chapter {slug!r} has no exercise {name!r}; "
                f"it has {', '.join(has)}"
            )
    if len({*wanted}) < len(wanted):
        raise ClassroomError(f"{what}: an exercise stands there twice")
    try:
        return slug, [course.catalog.find(name) for name in wanted]
    except (Unavailable, BadDeclaration) as error:
        raise ClassroomError(f"{what}: {error}") from None


def class_notebook(
    course: Course, slug: str, tasks: list[Exercise | Question], wishes: Wishes
) -> dict[str, Any]:
    """Return the source notebook of some exercises of a chapter, as a teacher wishes it."""
    _refuse_bad_seed(tasks, wishes.seed)
    title = course.catalog.title(slug)
    page = f"{wishes.book.rstrip('/')}/{slug}.html" if wishes.book else ""
    link = f"[the chapter of this title]({page})"
    package, seed = wishes.package, wishes.seed
    settings = Settings(
        title=title,
        chapter=link if page else f"the chapter *{title}*",
        practices=lambda task: _practices(task.section, page),
        check=lambda task: _CHECK.format(
            package=package,
            name=task.name,
            seed="" if seed is None else f", seed={seed!r}",
        ),
        setup=_setup(tasks, wishes),
        setup_tags=(),
        package=package,
        solutions=wishes.solutions,
        points=lambda task: wishes.points.get(task.level, task.points),
    )
    return exercise_notebook(tasks, settings)


def _setup(tasks: list[Exercise | Question], wishes: Wishes) -> str:
    """Return the source of the first cell."""
    name, install = wishes.package.partition(".")[0], wishes.install
    needs_torch = any(task.library == "torch" for task in tasks)
    if not install and (requirement := _requirement(name, needs_torch)):
        install = f'pip install "{requirement}"'
    how = _HOW.format(install=install) if install else ""
    setup = _SETUP.format(name=name, how=how, package=wishes.package)
    return setup if wishes.solutions else setup + _NO_SOLUTIONS


def _refuse_bad_seed(tasks: list[Exercise | Question], seed: str | None) -> None:
    """Refuse a seed whose inputs refuse the solution."""
    if seed is None:
        return
    for task in tasks:
        for problem in refused_solution(with_other_inputs(task, seed)):
            raise ClassroomError(
                f"{task.name}: with the inputs of this seed {problem} Take another seed."
            )


def _practices(section: str, page: str) -> str:
    """Say which section of the book an exercise practices."""
    link = f"[{section}]({page}#{anchor(section)})" if page else f"*{section}*"
    end = "" if section.endswith("?") else "."
    return f"Practices the section {link}{end}"


def anchor(heading: str) -> str:
    """Return the id that docutils gives a heading on a built page."""
    plain = unicodedata.normalize("NFKD", heading.lower())
    kept = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode())
    return re.sub(r"^[-0-9]+|-+$", "", kept)


def _requirement(name: str, torch: bool) -> str:
    """Return what pip is to install: this version; between releases, the repository's newest.

    Nothing where pip has not installed the course, or does not know its repository.
    """
    try:
        known = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    wanted = name
    if torch and "torch" in (known.get_all("Provides-Extra") or ()):
        wanted += "[torch]"
    if ".dev" not in known["Version"]:
        return f"{wanted}=={known['Version']}"
    urls = dict(url.split(", ", 1) for url in known.get_all("Project-URL") or ())
    return f"{wanted} @ git+{urls['Repository']}" if "Repository" in urls else ""
