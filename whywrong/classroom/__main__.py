"""The command: ``python -m whywrong.classroom``."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whywrong.classroom.copies import (
    ClassroomError,
    Wishes,
    choose_exercises,
    class_notebook,
    load_course,
)
from whywrong.declare import BadDeclaration, Exercise
from whywrong.files import write_whole
from whywrong.sound import problems_of

_ABOUT = """\
Write a class's exercise notebooks, put their hidden tests back, judge exercises of your own.

  {0} list softmax
  {0} write softmax --to source/week3
  {0} write softmax:softmax,entropy masks --to source/week3 --seed "a word of yours"
  {0} restore source/week3/softmax.ipynb handed/ada.ipynb --to ada.ipynb
  {0} try --course clustering
"""
_LEVELS = ("easy", "medium", "hard")


def parser(
    name: str = "whywrong.classroom", course: str = ""
) -> argparse.ArgumentParser:
    """Return what reads the command line of a module; it means this course if no other is named."""
    program = f"python -m {name}"
    made = argparse.ArgumentParser(
        prog=program,
        description=_ABOUT.format(program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}."
        )
        added.set_defaults(run=run)
        return added

    def add_course_option(of: argparse.ArgumentParser) -> None:
        of.add_argument(
            "--course",
            metavar="MODULE",
            default=course or None,
            required=not course,
            help=f"the module that has the course (default: {course or 'none'})",
        )

    listing = command(
        "list", _list, "show chapters and exercises, how hard, how long"
    )
    listing.add_argument("chapters", nargs="*", metavar="CHAPTER")
    add_course_option(listing)

    writing = command(
        "write", _write, "write source notebooks, one for each chapter"
    )
    writing.add_argument(
        "chapters",
        nargs="+",
        metavar="CHAPTER[:EXERCISE,…]",
        help="all exercises of a chapter, or those that are named",
    )
    writing.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="where they go"
    )
    writing.add_argument(
        "--seed", metavar="TEXT", help="let the hidden tests take other inputs, too"
    )
    writing.add_argument(
        "--without-solutions",
        action="store_true",
        help="let `solution` show nothing in these notebooks",
    )
    writing.add_argument(
        "--points",
        type=_points,
        default={},
        metavar="E,M,H",
        help="points of easy, medium and hard exercises (default: 1 each)",
    )
    writing.add_argument(
        "--book",
        default="",
        metavar="ADDRESS",
        help="where the built pages lie, for links (default: the links become plain text)",
    )
    writing.add_argument(
        "--install",
        default="",
        metavar="TEXT",
        help='what learners run to install the package, such as "pip install …"',
    )
    writing.add_argument(
        "--overwrite", action="store_true", help="replace notebooks that are there"
    )
    add_course_option(writing)

    restoring = command(
        "restore",
        _restore,
        "put hidden tests back into a notebook that was handed in",
    )
    restoring.add_argument("source", type=Path, metavar="SOURCE")
    restoring.add_argument("handed_in", type=Path, metavar="HANDED_IN")
    restoring.add_argument("--to", type=Path, required=True, metavar="FILE")

    trying = command(
        "try", _try, "judge the solution and the known mistakes of exercises"
    )
    trying.add_argument("chapters", nargs="*", metavar="CHAPTER[:EXERCISE,…]")
    add_course_option(trying)
    return made


def _points(text: str) -> dict[str, int]:
    try:
        points = [int(part) for part in text.split(",")]
        if len(points) != len(_LEVELS) or min(points) < 0:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not three whole numbers such as 1,2,3"
        ) from None
    return dict(zip(_LEVELS, points, strict=True))


def _list(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    for what in options.chapters or course.catalog.chapters:
        slug, tasks = choose_exercises(course, what)
        minutes = sum(task.minutes for task in tasks)
        print(f"{slug}: {course.catalog.title(slug)} ({minutes} minutes)")
        for task in tasks:
            library = "PyTorch" if task.library == "torch" else "NumPy"
            print(
                f"  {task.name:28} {task.level:6} {task.minutes:3} min  {library}"
            )
    return 0


def _write(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    wishes = Wishes(
        options.course,
        not options.without_solutions,
        options.seed,
        options.book,
        options.install,
        options.points,
    )
    found = [choose_exercises(course, what) for what in options.chapters]
    slugs = [slug for slug, _ in found]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise ClassroomError(f"{slug}: this chapter is named twice")
    # All are made before any is written: nothing is left half done.
    texts = {
        options.to / f"{slug}.ipynb": _as_text(
            class_notebook(course, slug, tasks, wishes)
        )
        for slug, tasks in found
    }
    for path, text in texts.items():
        if (
            path.exists()
            and not options.overwrite
            and path.read_text("utf-8") != text
        ):
            raise ClassroomError(
                f"{path}: it is there and differs; --overwrite replaces it"
            )
    options.to.mkdir(parents=True, exist_ok=True)
    for (path, text), (_, tasks) in zip(texts.items(), found, strict=True):
        write_whole(path, text)
        points = sum(wishes.points.get(task.level, task.points) for task in tasks)
        minutes = sum(task.minutes for task in tasks)
        print(
            f"{path}: {_count_noun(len(tasks), 'exercise')}, {_count_noun(points, 'point')}, "
            f"about {minutes} minutes"
        )
    return 0


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _restore(options: argparse.Namespace) -> int:
    from whywrong.classroom.restore import read, restore_checks

    source, handed_in = read(options.source), read(options.handed_in)
    try:
        whole = restore_checks(source, handed_in)
    except ClassroomError as error:
        raise ClassroomError(f"{options.handed_in}: {error}") from None
    options.to.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.to, _as_text(whole))
    return 0


def _try(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    wrong = 0
    for what in options.chapters or course.catalog.chapters:
        for task in choose_exercises(course, what)[1]:
            problems = problems_of(task)
            known = (
                f"; {_count_noun(len(task.faults), 'known mistake')} refused"
                if isinstance(task, Exercise)
                else ""
            )
            print(
                "\n".join(f"✗ {task.name}: {problem}" for problem in problems)
                or f"✓ {task.name}: the solution is right{known}"
            )
            wrong += bool(problems)
    return int(wrong > 0)


def _as_text(notebook: dict[str, Any]) -> str:
    import nbformat

    made = nbformat.from_dict(notebook)
    nbformat.validate(made)
    return nbformat.writes(made) + "\n"


def main(arguments: Sequence[str] | None = None, **names: str) -> int:
    """Run the command; say in one line what is wrong. Names are for the `parser`."""
    options = parser(**names).parse_args(arguments)
    sys.path.insert(0, os.getcwd())  # a course of one's own lies there
    try:
        return options.run(options)
    except (ClassroomError, BadDeclaration) as error:
        said = str(error)
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        said = (
            f"{error.filename}: {error.strerror}" if error.filename else str(error)
        )
    except ModuleNotFoundError as error:
        said = f"{error.name} is not installed here"
        if error.name == "nbformat":
            said += ": pip install nbgrader"
    print(f"classroom: {said}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
