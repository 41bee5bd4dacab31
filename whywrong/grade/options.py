"""The options of the command."""

import argparse
import os
from pathlib import Path
from typing import Any

import whywrong

__all__ = ["RECIPES", "parser"]

RECIPES = {
    "containerfile": "Containerfile",
    "slurm": "slurm.sh",
    "kubernetes": "kubernetes.yaml",
}


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number of 1 or more"
        )
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    first, _, last = text.partition("/")
    if not (first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)):
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N with 1 ≤ I ≤ N")
    return int(first), int(last)


_TEXT: dict[str, Any] = {"default": ""}
_PATH: dict[str, Any] = {"type": Path}
_COUNT: dict[str, Any] = {"type": _count}
_FLAG: dict[str, Any] = {"action": "store_true"}

# Of each: its names, what argparse is told, how its value is called, and what it does.
_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any], str, str], ...] = (
    (("submissions",), _PATH | {"nargs": "*"}, "SUBMISSIONS",
     "folders (STUDENT/ASSIGNMENT/NOTEBOOK.ipynb, as nbgrader has them, "
     "STUDENT/NOTEBOOK.ipynb or STUDENT.ipynb) or files"),
    (("-o", "--output"), _PATH | {"default": Path("graded")}, "FOLDER",
     "for the results; what is done there is not done again (default: graded)"),
    (("--release",), _PATH, "NOTEBOOK",
     "what was given out: it says which exercises count, with how many points; files of "
     "other names are left out, except STUDENT.ipynb and STUDENT.py"),
    (("--exercises",), _TEXT, "NAMES",
     "which exercises count, with commas between them, in each file that is handed in"),
    (("--assignment",), _TEXT, "NAME",
     "grade this assignment only; and the name of it where no folder names one"),
    (("--workers",), _COUNT | {"default": os.cpu_count() or 1}, "N",
     "how many at a time (default: one for each processor)"),
    (("--seconds",), _COUNT | {"default": 60}, "S",
     "time for one answer, with all its checks (default: 60)"),
    (("--memory",), _COUNT | {"default": 1024}, "MB",
     "memory for one answer (default: 1024)"),
    (("--image",), _TEXT, "IMAGE", "the container's image"),
    (("--seed",), {}, "TEXT",
     "of the inputs that only the grader knows (default: drawn once)"),
    (("--shard",), {"type": _shard}, "I/N",
     "grade the I-th of N parts, as one job of an array; --merge then makes the tables"),
    (("--merge",), _FLAG, "", "grade nothing; make the tables of all results"),
    (("--gradebook",), {}, "URL",
     "write the points into nbgrader's database, such as sqlite:///gradebook.db"),
    (("--recipe",), {"choices": tuple(RECIPES)}, "", "print a recipe, and do nothing else"),
)  # fmt: skip


def _named(value: str) -> dict[str, Any]:
    return {"metavar": value} if value else {}


def parser(name: str, course: str) -> argparse.ArgumentParser:
    """Return what reads the command line of a module; it means this course if no other is named."""
    made = argparse.ArgumentParser(
        prog=f"python -m {name}",
        description="Grade notebooks, or .py files, that are not trusted.",
        allow_abbrev=False,
    )
    for names, how, value, about in _OPTIONS:
        made.add_argument(*names, help=about, **how, **_named(value))
    ways = made.add_mutually_exclusive_group()
    ways.add_argument(
        "--container",
        choices=("docker", "podman", "kubectl"),
        help="run the answers of each submission in a container, or in a pod of a cluster, "
        "in place of bubblewrap",
    )
    ways.add_argument(
        "--trust-answers",
        action="store_true",
        help="run answers with your own rights: they can read, change and delete whatever you "
        "can, other submissions and their own results too",
    )
    about = f"whose exercises (default: {course or 'none'})"
    made.add_argument("--course", default=course, metavar="MODULE", help=about)
    made.add_argument("--version", action="version", version=whywrong.__version__)
    return made
