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
from whywrong.course import Course
from whywrong.declare import Exercise, Question
from whywrong.files import write_whole
from whywrong.patches import BadDeclaration
from whywrong.sound import problems_of

_ABOUT = """\
Write a class's exercise notebooks, put hidden tests back, judge exercises of your own.

  {0} list softmax
  {0} write softmax --to source/week3
  {0} write softmax:softmax,entropy masks --to source/week3 --seed "a word of yours"
  {0} restore source/week3/softmax.ipynb handed/ada.ipynb --to ada.ipynb
  {0} mend submitted
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
    for command, (run, about, options, has_course) in _commands().items():
        added = commands.add_parser(
            command, help=about, description=f"{about[0].upper()}{about[1:]}."
        )
        added.set_defaults(run=run)
        for option, how in options.items():
            added.add_argument(option, **how)
        if has_course:
            added.add_argument(
                "--course",
                metavar="MODULE",
                default=course or None,
                required=not course,
                help=f"the module that has the course (default: {course or 'none'})",
            )
    return made


def _commands() -> dict[str, tuple[Any, str, dict[str, Any], bool]]:
    """Return each command: what it runs, what it does, its options, if it needs a course."""
    chosen = {"chapters": {"nargs": "*", "metavar": "CHAPTER[:EXERCISE,…]"}}
    restored = {
        "source": {"type": Path, "metavar": "SOURCE"},
        "handed_in": {"type": Path, "metavar": "HANDED_IN"},
        "--to": {"type": Path, "required": True, "metavar": "FILE"},
    }
    mended = {"places": {"type": Path, "nargs": "+", "metavar": "PLACE"}}
    return {
        "list": (_list, _SHOW, chosen, True),
        "write": (_write, _SOURCES, _WRITING, True),
        "restore": (_restore, _PUT_BACK, restored, False),
        "mend": (_mend, _MEND, mended, False),
        "try": (_try, _JUDGE, chosen, True),
    }


_SHOW = "show chapters and exercises, how hard, how long"
_SOURCES = "write source notebooks, one for each chapter"
_PUT_BACK = "put hidden tests back into a notebook that was handed in"
_MEND = (
    "let copies of graded cells be ordinary cells, in files and folders handed in"
)
_JUDGE = "judge the solution and the known mistakes of exercises"


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


_WRITING: dict[str, dict[str, Any]] = {
    "chapters": {
        "nargs": "+",
        "metavar": "CHAPTER[:EXERCISE,…]",
        "help": "all exercises of a chapter, or those that are named",
    },
    "--to": {
        "type": Path,
        "required": True,
        "metavar": "FOLDER",
        "help": "where they go",
    },
    "--seed": {
        "metavar": "TEXT",
        "help": "let the hidden tests take other inputs, too",
    },
    "--without-solutions": {
        "action": "store_true",
        "help": "let `solution` show nothing in these notebooks",
    },
    "--points": {
        "type": _points,
        "default": {},
        "metavar": "E,M,H",
        "help": "points of easy, medium and hard exercises (default: 1 each)",
    },
    "--book": {
        "default": "",
        "metavar": "ADDRESS",
        "help": "where the built pages lie, for links (default: the links become plain text)",
    },
    "--install": {
        "default": "",
        "metavar": "TEXT",
        "help": 'what learners run to install the package, such as "pip install …"',
    },
    "--overwrite": {
        "action": "store_true",
        "help": "replace notebooks that are there",
    },
}


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
    found = _chosen_once(course, options.chapters)
    # All are made before any is written: nothing is left half done.
    texts = {
        options.to / f"{slug}.ipynb": _as_text(
            class_notebook(course, slug, tasks, wishes)
        )
        for slug, tasks in found
    }
    for path, text in texts.items():
        _refuse_to_replace(path, text, options.overwrite)
    options.to.mkdir(parents=True, exist_ok=True)
    for (path, text), (_, tasks) in zip(texts.items(), found, strict=True):
        write_whole(path, text)
        points = sum(wishes.points.get(task.level, task.points) for task in tasks)
        counts = _count_noun(len(tasks), "exercise"), _count_noun(points, "point")
        minutes = sum(task.minutes for task in tasks)
        print(f"{path}: {', '.join(counts)}, about {minutes} minutes")
    return 0


def _chosen_once(
    course: Course, wanted: Sequence[str]
) -> list[tuple[str, list[Exercise | Question]]]:
    found = [choose_exercises(course, what) for what in wanted]
    slugs = [slug for slug, _ in found]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise ClassroomError(f"{slug}: this chapter is named twice")
    return found


def _refuse_to_replace(path: Path, text: str, overwrite: bool) -> None:
    if path.exists() and not overwrite and path.read_text("utf-8") != text:
        raise ClassroomError(
            f"{path}: it is there and differs; --overwrite replaces it"
        )


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


def _mend(options: argparse.Namespace) -> int:
    """Mend each notebook; what cannot be mended is a line and costs no other."""
    from whywrong.classroom.restore import mend

    troubles = 0
    for path in _notebooks_in(options.places):
        try:
            for line in mend(path):
                print(f"{path}: {line}")
        except (ClassroomError, OSError) as error:
            said = getattr(error, "strerror", None)
            _say(f"{path}: {said}" if said else str(error))
            troubles += 1
    return int(troubles > 0)


def _notebooks_in(places: Sequence[Path]) -> list[Path]:
    """Return the notebooks in some files and folders, less those that Jupyter keeps for itself."""
    found: list[Path] = []
    for place in places:
        inside = sorted(place.rglob("*.ipynb")) if place.is_dir() else [place]
        found += [path for path in inside if ".ipynb_checkpoints" not in path.parts]
    return found


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
    _say(said)
    return 1


def _say(line: str) -> None:
    print(f"classroom: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
