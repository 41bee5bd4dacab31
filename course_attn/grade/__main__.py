"""The command ``python -m course_attn.grade``."""

import argparse
import contextlib
import hashlib
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import course_attn
from course_attn.checking.declare import BadDeclaration, Catalog
from course_attn.grade.feedback import page
from course_attn.grade.gradebook import into_gradebook
from course_attn.grade.jail import Jail
from course_attn.grade.launch import CannotStart, best_level
from course_attn.grade.results import Store, written
from course_attn.grade.submissions import (
    Asked,
    Submission,
    Trouble,
    asked_by,
    asked_of_chapter,
    found_in,
    read_bytes,
)
from course_attn.grade.workers import Job, Settings, graded_by

_RECIPES = {
    "containerfile": "Containerfile",
    "slurm": "slurm.sh",
    "kubernetes": "kubernetes.yaml",
}


class _Problem(Exception):
    """Nothing can be done; the text says why, in one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade, and return the exit status: 0 if all went well, 1 if not, 2 if nothing could be done.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.
    """
    options = _parser().parse_args(arguments)
    if options.recipe:
        print(_recipe(options.recipe), end="")
        return 0
    try:
        return _graded(options)
    except _Problem as problem:
        _say(str(problem))
        return 2
    except KeyboardInterrupt:
        _say("interrupted; the same command goes on where it was")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m course_attn.grade",
        description="Grade notebooks, or .py files, that are not trusted.",
    )
    add = parser.add_argument
    add(
        "submissions",
        nargs="*",
        type=Path,
        metavar="SUBMISSIONS",
        help="folders (STUDENT/ASSIGNMENT/NOTEBOOK.ipynb, as nbgrader has them, "
        "STUDENT/NOTEBOOK.ipynb or STUDENT.ipynb) or files",
    )
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("graded"),
        metavar="FOLDER",
        help="for the results; what is done there is not done again (default: graded)",
    )
    add(
        "--release",
        type=Path,
        metavar="NOTEBOOK",
        help="what was given out: it says which exercises count, with how many points",
    )
    add(
        "--exercises",
        metavar="NAMES",
        help="the same, as names with commas between them",
    )
    add(
        "--assignment",
        default="",
        metavar="NAME",
        help="grade this assignment only; and the name of one that no folder names",
    )
    add(
        "--workers",
        type=_count,
        default=os.cpu_count() or 1,
        metavar="N",
        help="how many at a time (default: one for each processor)",
    )
    add(
        "--seconds",
        type=_count,
        default=60,
        metavar="S",
        help="time for one answer, with all its checks (default: 60)",
    )
    add(
        "--memory",
        type=_count,
        default=1024,
        metavar="MB",
        help="memory for one answer (default: 1024)",
    )
    add(
        "--files",
        type=_count,
        default=16,
        metavar="MB",
        help="size of a file that an answer may write (default: 16)",
    )
    add(
        "--isolation",
        choices=("auto", "namespaces", "limits"),
        default="auto",
        help="auto: as strict as this system allows; namespaces: refuse to grade without them",
    )
    add(
        "--container",
        choices=("docker", "podman"),
        help="run each answer in a container",
    )
    add("--image", default="", help="the container's image")
    add(
        "--hide",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="one more file or folder that answers must not see",
    )
    add(
        "--seed",
        help="of the inputs that only the grader knows (default: drawn once)",
    )
    add(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="grade the I-th of N parts, as one job of an array; --merge then makes the tables",
    )
    add(
        "--merge",
        action="store_true",
        help="grade nothing; make the tables of all results",
    )
    add(
        "--gradebook",
        metavar="URL",
        help="write the points into nbgrader's database, such as sqlite:///gradebook.db",
    )
    add(
        "--course",
        default="course_attn.exercises",
        metavar="PACKAGE",
        help="whose exercises (default: those of this book)",
    )
    add(
        "--recipe",
        choices=tuple(_RECIPES),
        help="print a recipe, and do nothing else",
    )
    add("--version", action="version", version=course_attn.__version__)
    return parser


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


def _recipe(name: str) -> str:
    return (Path(__file__).parent / "recipes" / _RECIPES[name]).read_text("utf-8")


def _say(line: str) -> None:
    print(f"course_attn.grade: {line}", file=sys.stderr)


# --- the work -------------------------------------------------------------------------------------


def _graded(options: argparse.Namespace) -> int:
    if not options.submissions and not options.merge:
        raise _Problem(
            "which submissions? Name their folder, for example submitted/"
        )
    if options.container and not options.image:
        raise _Problem(
            "--container needs --image; --recipe containerfile says how to make one"
        )
    catalog = _catalog(options.course)
    asked = _asked(options, catalog)
    found, troubles = found_in(options.submissions)
    if options.assignment:
        found = [one for one in found if one.assignment in ("", options.assignment)]
    said = _Lines()
    for path, why in troubles:
        said.add(f"{path}: {why}")
    store = Store(options.output)
    if options.merge:
        have = {one.key for one in store.all()}
        for one in found:
            if one.key not in have:
                said.add(f"{one.path}: there is no result yet")
    else:
        _grade(options, asked, found, store, said)
    if options.merge or not options.shard:
        _tell(options, store, said)
    return 1 if said.number else 0


class _Lines:
    """What went wrong, each said in a line as it happens."""

    def __init__(self) -> None:
        self.number = 0

    def add(self, line: str) -> None:
        """Say one more."""
        self.number += 1
        text = "".join(c if c.isprintable() else "�" for c in line)
        _Progress.write(f"course_attn.grade: {text}", file=sys.stderr)


def _catalog(package: str) -> Catalog:
    try:
        catalog = importlib.import_module(package).course.catalog
    except (ImportError, AttributeError, BadDeclaration) as error:
        raise _Problem(f"--course {package}: {error}") from None
    assert isinstance(catalog, Catalog)
    return catalog


def _asked(options: argparse.Namespace, catalog: Catalog) -> Asked:
    """Return which exercises count; none where each file says it by itself."""
    if options.release:
        try:
            asked = asked_by(read_bytes(options.release), catalog)
        except Trouble as trouble:
            raise _Problem(f"{options.release}: {trouble}") from None
        if not asked.points:
            raise _Problem(
                f"{options.release}: it has no exercise of {options.course}"
            )
        return asked
    names = [
        name.strip()
        for name in (options.exercises or "").split(",")
        if name.strip()
    ]
    unknown = [name for name in names if name not in catalog.modules]
    if unknown:
        raise _Problem(
            f"--exercises: there is no exercise {unknown[0]!r} in {options.course}"
        )
    return Asked({name: float(catalog.find(name).points) for name in names})


def _grade(
    options: argparse.Namespace,
    asked: Asked,
    found: list[Submission],
    store: Store,
    said: _Lines,
) -> None:
    try:
        seed = store.seed(options.seed)
    except OSError as error:
        raise _Problem(f"{options.output}: {error.strerror}") from None
    settings = _settings(options, seed)
    jobs = _jobs(options, settings, asked, found, store, said)
    with _Progress(total=len(jobs), unit="submission", disable=None) as progress:
        for graded in graded_by(jobs, settings, options.workers) if jobs else ():
            progress.update()
            for note in (graded.trouble, *graded.notes):
                if note:
                    said.add(f"{graded.path}: {note}")
            try:
                store.write(graded)
            except OSError as error:
                said.add(
                    f"{options.output}: {graded.path}: not kept ({error.strerror})"
                )


def _jobs(
    options: argparse.Namespace,
    settings: Settings,
    asked_of_all: Asked,
    found: list[Submission],
    store: Store,
    said: _Lines,
) -> list[Job]:
    """Return what is still to be graded here."""
    part, parts = options.shard or (1, 1)
    catalog = _catalog(options.course)
    jobs, done = [], 0
    for one in found:
        number = int(hashlib.sha256(one.key.encode()).hexdigest(), 16)
        if number % parts != part - 1:
            continue
        asked = asked_of_all
        if not asked.points and one.path.suffix == ".ipynb":
            asked = asked_of_chapter(one.notebook, catalog)
        with contextlib.suppress(Trouble):  # who grades it says so
            content = read_bytes(one.path)
            digest = store.digest(
                content, *settings.facts, sorted(asked.points.items())
            )
            earlier = store.read(one.key)
            if earlier is not None and earlier.digest == digest:
                done += 1
                for note in earlier.notes:
                    said.add(f"{one.path}: {note}")
                continue
            jobs.append(Job(one, asked, digest))
            continue
        jobs.append(Job(one, asked, ""))
    if done:
        print(f"{done} of {done + len(jobs)} submissions are graded already.")
    return jobs


def _settings(options: argparse.Namespace, seed: str) -> Settings:
    hidden = [*options.submissions, options.output, *options.hide]
    if options.release:
        hidden.append(options.release)
    if options.gradebook and options.gradebook.startswith("sqlite:///"):
        hidden.append(Path(options.gradebook.removeprefix("sqlite:///")))
    jail = Jail(
        "limits only",
        "",
        tuple(str(place.resolve()) for place in hidden),
        memory=options.memory,
        files=options.files,
        seconds=options.seconds,
    )
    if options.container:
        print(
            f"Answers run in containers: {options.container}, image {options.image}."
        )
    elif options.isolation != "limits":
        try:
            jail = replace(jail, level=best_level(options.course, jail))
        except CannotStart as problem:
            raise _Problem(f"answers cannot be run here: {problem}") from None
        if not jail.has_namespaces and options.isolation == "namespaces":
            raise _Problem(
                "this system allows no namespaces; --container may do instead"
            )
    if not options.container:
        print(_ISOLATION[jail.has_namespaces].format(jail.level))
    return Settings(
        options.course,
        jail,
        seed,
        float(options.seconds),
        options.container or "",
        options.image,
    )


_ISOLATION = {
    True: "Answers run without network, all files read-only and this class's hidden ({}).",
    False: "Answers are not cut off from network and files here ({}): for code of strangers, use "
    "--container.",
}


def _tell(options: argparse.Namespace, store: Store, said: _Lines) -> None:
    """Write what a teacher and the students read, from all results in the folder."""
    graded = store.all()
    try:
        store.write_tables(graded)
        for one in graded:
            name = "-".join(
                filter(None, (one.assignment.replace("/", "-"), one.notebook))
            )
            written(
                store.folder
                / "feedback"
                / _safe(one.student)
                / f"{_safe(name)}.html",
                page(one),
            )
    except OSError as error:
        said.add(f"{options.output}: {error.strerror}")
    if options.gradebook:
        for line in into_gradebook(options.gradebook, graded, options.assignment):
            said.add(line)
    failed = sum(bool(one.trouble) for one in graded)
    points, of = sum(one.points for one in graded), sum(one.of for one in graded)
    print(
        f"{len(graded) - failed} submissions graded, {failed} not: {points:g} of {of:g} points. "
        f"See {store.folder / 'grades.csv'}."
    )


def _safe(name: str) -> str:
    """Return a name that a file may have and no other has, whatever a student is called."""
    kept = "".join(c if c.isalnum() or c in "-_.@+" else "_" for c in name)[:80]
    if kept == name and kept.strip("."):
        return kept
    return f"{kept.strip('.')}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


try:
    from tqdm import tqdm as _Progress
except ImportError as missing:
    raise SystemExit(
        "course_attn.grade: it needs tqdm, nbformat and psutil: pip install 'course_attn[grade]'"
    ) from missing

if __name__ == "__main__":
    sys.exit(main())
