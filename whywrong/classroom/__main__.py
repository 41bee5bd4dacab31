"""The command: ``python -m whywrong.classroom``."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from whywrong.classroom.copies import (
    ClassroomError,
    Wishes,
    choose_exercises,
    class_notebook,
    load_course,
)
from whywrong.declare import Exercise
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
_CHAPTERS = "CHAPTER[:EXERCISE,…]"
_LEVELS = ("easy", "medium", "hard")
_Add = Callable[..., Any]  # adds an option to a command


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
    of_course = f"the module that has the course (default: {course or 'none'})"
    for command, (run, about, add_options, has_course) in _COMMANDS.items():
        added = commands.add_parser(command, help=about, description=about)
        added.set_defaults(run=run, course=course)
        add_options(added.add_argument)
        if has_course:
            needed: dict[str, Any] = {"default": course, "required": not course}
            added.add_argument(
                "--course", metavar="MODULE", help=of_course, **needed
            )
    return made


def _choosing(add: _Add) -> None:
    add("chapters", nargs="*", metavar=_CHAPTERS)


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


def _writing(add: _Add) -> None:
    all_of = "all exercises of a chapter, or those that are named"
    add("chapters", nargs="+", metavar=_CHAPTERS, help=all_of)
    add("--to", type=Path, required=True, metavar="FOLDER", help="where they go")
    others = "let the hidden tests take other inputs, too"
    add("--seed", metavar="TEXT", help=others)
    silent = "let `solution` show nothing in these notebooks"
    add("--without-solutions", dest="solutions", action="store_false", help=silent)
    worth = "points of easy, medium and hard exercises (default: each one's own)"
    add("--points", type=_points, default={}, metavar="E,M,H", help=worth)
    pages = "where the built pages lie, for links (default: the links become plain text)"
    add("--book", default="", metavar="ADDRESS", help=pages)
    how = 'what learners run to install the package, such as "pip install …"'
    add("--install", default="", metavar="TEXT", help=how)
    add("--overwrite", action="store_true", help="replace notebooks that are there")


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


def _write(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    wishes = Wishes(
        options.course,
        options.solutions,
        options.seed,
        options.book,
        options.install,
        options.points,
    )
    chosen = [choose_exercises(course, what) for what in options.chapters]
    # All are made before any is written: nothing is left half done.
    texts: dict[Path, str] = {}
    for slug, tasks in chosen:
        path = options.to / f"{slug}.ipynb"
        if path in texts:
            raise ClassroomError(f"{slug}: this chapter is named twice")
        texts[path] = _as_text(class_notebook(course, slug, tasks, wishes))
        if path.exists() and not options.overwrite:
            if path.read_text("utf-8") != texts[path]:
                said = "it is there and differs; --overwrite replaces it"
                raise ClassroomError(f"{path}: {said}")
    options.to.mkdir(parents=True, exist_ok=True)
    for (path, text), (_, tasks) in zip(texts.items(), chosen, strict=True):
        write_whole(path, text)
        points = sum(wishes.points.get(task.level, task.points) for task in tasks)
        counts = f"{_count(len(tasks), 'exercise')}, {_count(points, 'point')}"
        print(f"{path}: {counts}, about {sum(t.minutes for t in tasks)} minutes")
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _restoring(add: _Add) -> None:
    add("source", type=Path, metavar="SOURCE")
    add("handed_in", type=Path, metavar="HANDED_IN")
    add("--to", type=Path, required=True, metavar="FILE")


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


def _mending(add: _Add) -> None:
    add("places", type=Path, nargs="+", metavar="PLACE")


def _mend(options: argparse.Namespace) -> int:
    """Mend each notebook; what cannot be mended is a line and costs no other."""
    from whywrong.classroom.restore import mend

    found: list[Path] = []
    for place in options.places:
        found += sorted(place.rglob("*.ipynb")) if place.is_dir() else [place]
    troubles = 0
    for path in found:
        try:
            if ".ipynb_checkpoints" not in path.parts:  # Jupyter's own
                for line in mend(path):
                    print(f"{path}: {line}")
        except (ClassroomError, OSError) as error:
            said = getattr(error, "strerror", None)
            _say(f"{path}: {said}" if said else str(error))
            troubles += 1
    return int(troubles > 0)


def _try(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    wrong = 0
    for what in options.chapters or course.catalog.chapters:
        for task in choose_exercises(course, what)[1]:
            problems = problems_of(task)
            wrong += bool(problems)
            for problem in problems:
                print(f"✗ {task.name}: {problem}")
            if not problems:
                known = ""
                if isinstance(task, Exercise):
                    known = f"; {_count(len(task.faults), 'known mistake')} refused"
                print(f"✓ {task.name}: the solution is right{known}")
    return int(wrong > 0)


# Of each command: what it runs, what it does, what adds its options, whether it needs a course.
_COMMANDS: dict[str, tuple[Callable[..., int], str, Callable[[_Add], None], bool]] = {
    "list": (_list, "Show chapters and exercises, how hard, how long.", _choosing, True),
    "write": (_write, "Write source notebooks, one for each chapter.", _writing, True),
    "restore": (_restore, "Put hidden tests back into a notebook that was handed in.",
                _restoring, False),
    "mend": (_mend, "Let copies of graded cells be ordinary cells, in files and folders "
             "handed in.", _mending, False),
    "try": (_try, "Judge the solution and the known mistakes of exercises.", _choosing, True),
}  # fmt: skip


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
        _say(str(error))
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        at = f"{error.filename}: " if error.filename else ""
        _say(f"{at}{error.strerror}" if at else str(error))
    except ModuleNotFoundError as error:
        how = ": pip install nbgrader" if error.name == "nbformat" else ""
        _say(f"{error.name} is not installed here{how}")
    return 1


def _say(line: str) -> None:
    print(f"classroom: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
