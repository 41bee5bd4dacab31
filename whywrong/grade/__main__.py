"""The command ``python -m whywrong.grade``."""

import argparse
import hashlib
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

if sys.platform == "win32":
    raise SystemExit("grade: on Windows it runs in WSL")
try:
    import nbformat  # noqa: F401
    import psutil  # noqa: F401
    from tqdm import tqdm
except ImportError as missing:
    raise SystemExit(
        f"grade: it needs {missing.name}: pip install nbformat psutil tqdm"
    ) from missing

from whywrong.catalog import Catalog
from whywrong.course import Course
from whywrong.grade.feedback import page
from whywrong.grade.gradebook import write_to_gradebook
from whywrong.grade.launch import CannotStart
from whywrong.grade.limits import Limits
from whywrong.grade.options import RECIPES, parser
from whywrong.grade.results import (
    GradedSubmission,
    Store,
    digest_of,
    plain_text,
    write_file,
)
from whywrong.grade.sandbox import folders_seen, why_no_sandbox
from whywrong.grade.submissions import (
    CannotGrade,
    PointScheme,
    Submission,
    find_submissions,
    read_bytes,
    safe_name,
    scheme_of_chapter,
    scheme_of_release,
)
from whywrong.grade.verdicts import has_other_inputs
from whywrong.grade.workers import Job, Settings, grade_all
from whywrong.patches import BadDeclaration


class _Problem(Exception):
    """Nothing can be done; the text says why, in one line."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    name: str = "whywrong.grade",
    course: str = "",
) -> int:
    """Grade, and return the exit status: 0 if all went well, 1 if not, 2 if nothing could be done.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.
    name : str
        The module that is run.
    course : str
        The course whose exercises are meant where no other is named.
    """
    options = parser(name, course).parse_args(arguments)
    if options.recipe:
        print(_recipe(options.recipe), end="")
        return 0
    try:
        return _run(options)
    except _Problem as problem:
        _say(str(problem))
        return 2
    except KeyboardInterrupt:
        _say("interrupted; the same command goes on where it was")
        return 130


def _recipe(name: str) -> str:
    return (Path(__file__).parent / "recipes" / RECIPES[name]).read_text("utf-8")


def _say(line: str) -> None:
    print(f"grade: {line}", file=sys.stderr)


# --- the work -------------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    if not options.submissions and not options.merge:
        raise _Problem(
            "which submissions? Name their folder, for example submitted/"
        )
    if options.container and not options.image:
        raise _Problem(
            "--container needs --image; --recipe containerfile says how to make one"
        )
    catalog = _catalog(options.course)
    scheme = _read_scheme(options, catalog)
    found, left_out = find_submissions(
        options.submissions, options.assignment, _release_name(options)
    )
    report = _Report()
    for path, why in left_out:
        report.add(f"{path}: {why}")
    if options.submissions and not found:
        of = f" of {options.assignment}" if options.assignment else ""
        raise _Problem(f"there is no submission{of} to be graded")
    store = Store(options.output)
    if options.merge:
        _report_kept_results(found, store, report)
    else:
        _grade(options, catalog, scheme, found, store, report)
    if options.merge or not options.shard:
        _write_results(options, store, report)
    return 1 if report.number else 0


def _release_name(options: argparse.Namespace) -> str:
    """Return the name of the notebook that was given out; empty if it is not known."""
    return options.release.stem if options.release else ""


class _Report:
    """What went wrong, each said in a line as it happens."""

    def __init__(self) -> None:
        self.number = 0

    def add(self, line: str) -> None:
        """Say one more."""
        self.number += 1
        tqdm.write(f"grade: {plain_text(line)}", file=sys.stderr)

    def of(self, graded: GradedSubmission) -> None:
        """Say what is to be said of a submission."""
        for line in graded.messages:
            self.add(f"{graded.path}: {line}")


def _catalog(package: str) -> Catalog:
    if not package:
        raise _Problem(
            "which course? Name its module, for example --course my_course"
        )
    try:
        course = getattr(importlib.import_module(package), "course", None)
    except (ImportError, BadDeclaration) as error:
        raise _Problem(f"--course {package}: {error}") from None
    if not isinstance(course, Course):
        raise _Problem(f"--course {package}: it has no `course = Course(…)`")
    return course.catalog


def _read_scheme(options: argparse.Namespace, catalog: Catalog) -> PointScheme:
    """Return which exercises count; none where each file says it by itself."""
    if options.release:
        try:
            scheme = scheme_of_release(read_bytes(options.release), catalog)
        except CannotGrade as trouble:
            raise _Problem(f"{options.release}: {trouble}") from None
        if not scheme.points:
            raise _Problem(
                f"{options.release}: it has no exercise of {options.course}"
            )
        return scheme
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
    return PointScheme({name: float(catalog.find(name).points) for name in names})


def _report_kept_results(
    found: list[Submission], store: Store, report: _Report
) -> None:
    results = {one.key: one for one in store.all()}
    for graded in results.values():
        report.of(graded)
    for one in found:
        if one.key not in results:
            report.add(f"{one.path}: there is no result yet")


def _grade(
    options: argparse.Namespace,
    catalog: Catalog,
    scheme: PointScheme,
    found: list[Submission],
    store: Store,
    report: _Report,
) -> None:
    part, parts = options.shard or (1, 1)
    mine = [one for one in found if _number(one) % parts == part - 1]
    settings = _settings(options)
    try:
        settings = replace(settings, seed=store.seed(options.seed))
        for one in mine:
            _rename_earlier(one, store)
    except OSError as error:
        raise _Problem(f"{options.output}: {error.strerror}") from None
    jobs = [_job(one, settings, scheme, catalog) for one in mine]
    jobs = [job for job in jobs if not _is_graded(job, store, report)]
    if len(jobs) < len(mine):
        done = len(mine) - len(jobs)
        print(f"{done} of {len(mine)} submissions are graded already.")
    _report_fixed_inputs(jobs, catalog)
    with tqdm(total=len(jobs), unit="submission", disable=None) as progress:
        for result in grade_all(jobs, settings, options.workers) if jobs else ():
            progress.update()
            _keep(result, store, report)


def _keep(result: GradedSubmission, store: Store, report: _Report) -> None:
    """Keep a result, or say that it could not be kept."""
    graded = result.after(store.read(result.key))
    report.of(graded)
    try:
        store.write(graded)
    except OSError as error:
        report.add(f"{store.folder}: {graded.path}: not kept ({error.strerror})")


def _report_fixed_inputs(jobs: list[Job], catalog: Catalog) -> None:
    """Say which exercises have no inputs but those that everybody knows."""
    names = {name for job in jobs for name in job.scheme.points or catalog.modules}
    for name in sorted(names):
        if not has_other_inputs(catalog.find(name)):
            print(
                f"{name} has no inputs but those that its check shows, so a table of results "
                "passes: let its cases draw them, or give it drawn=."
            )


def _rename_earlier(one: Submission, store: Store) -> None:
    """Let a file keep its result where --assignment or --release gives it more names."""
    for assignment, notebook in (
        (one.assignment, ""),
        ("", one.notebook),
        ("", ""),
    ):
        fewer = replace(one, assignment=assignment, notebook=notebook)
        earlier = store.read(fewer.key) if fewer != one else None
        if earlier is not None and earlier.path == str(one.path):
            if store.read(one.key) is None:
                here = replace(earlier, key=one.key, assignment=one.assignment)
                store.write(replace(here, notebook=one.notebook))
            store.drop(fewer.key)


def _number(one: Submission) -> int:
    """Return a number that is as good as drawn, and the same on all machines."""
    return int(hashlib.sha256(one.key.encode()).hexdigest(), 16)


def _job(
    one: Submission, settings: Settings, scheme: PointScheme, catalog: Catalog
) -> Job:
    if not scheme.points and one.ending == ".ipynb":
        scheme = scheme_of_chapter(one.path.stem, catalog)
    try:
        content = read_bytes(one.path)
    except CannotGrade:  # who grades it says so
        return Job(one, scheme, "")
    points = sorted(scheme.points.items())
    return Job(one, scheme, digest_of(content, *settings.facts, points))


def _is_graded(job: Job, store: Store, report: _Report) -> bool:
    """Return whether a submission is graded already, and say again what is wrong with it."""
    earlier = store.read(job.submission.key)
    if earlier is None or not job.digest or earlier.digest != job.digest:
        return False
    report.of(earlier)
    return True


def _settings(options: argparse.Namespace) -> Settings:
    """Return how answers are run; the seed is still to come."""
    limits = Limits(options.memory, options.files, options.seconds)
    way = options.container or ("trust" if options.trust_answers else "bubblewrap")
    settings = Settings(
        options.course, limits, "", float(options.seconds), way, options.image
    )
    if way == "bubblewrap":
        _try_sandbox(options, settings)
    print(
        _WAYS.get(way, f"Answers run in containers: {way}, image {options.image}.")
    )
    return settings


def _try_sandbox(options: argparse.Namespace, settings: Settings) -> None:
    """Refuse to grade where answers cannot be shut in, or would see the class."""
    seen = folders_seen(options.course)
    for place in map(Path.resolve, [*options.submissions, options.output]):
        if any(place.is_relative_to(folder) for folder in seen):
            raise _Problem(
                f"{place}: answers would see it, for Python's files lie there"
            )
    why = why_no_sandbox()
    if not why:
        launcher = settings.launcher()
        try:
            launcher.start(torch=False)
            return
        except CannotStart as problem:
            why = str(problem)
        finally:
            launcher.close()
    raise _Problem(f"answers cannot be shut in here: {why}; {_OTHER_WAYS}")


_OTHER_WAYS = (
    "--container docker does without, "
    "and --trust-answers runs answers with your own rights"
)
_WAYS = {
    "bubblewrap": "Answers run in bubblewrap: no network, no other process, and nothing to "
    "read but Python and the course.",
    "trust": "Answers run with your own rights: they can read, change and delete whatever you "
    "can, other submissions and their own results too.",
}


def _write_results(
    options: argparse.Namespace, store: Store, report: _Report
) -> None:
    """Write what a teacher and the students read, from all results in the folder."""
    graded = store.all()
    see = f" See {plain_text(str(store.folder / 'grades.csv'))}."
    try:
        store.write_tables(graded)
    except OSError as error:
        report.add(f"{options.output}: {error.strerror}")
        see = ""
    for one in graded:
        try:
            write_file(_page_path(store.folder / "feedback", one), page(one))
        except (OSError, ValueError) as error:  # nobody's page costs another's
            report.add(f"{options.output}: no page for {one.path} ({error})")
    if options.gradebook:
        for line in write_to_gradebook(
            options.gradebook, graded, _release_name(options)
        ):
            report.add(line)
    failed = sum(bool(one.trouble) for one in graded)
    points, of = sum(one.points for one in graded), sum(one.of for one in graded)
    print(
        f"{len(graded) - failed} submissions graded, {failed} not: {points:g} of {of:g} points."
        f"{see}"
    )


def _page_path(folder: Path, one: GradedSubmission) -> Path:
    """Return where nbgrader has a page, too; the parts are names that no other has."""
    names = filter(None, (one.student, one.assignment, one.notebook or one.student))
    *folders, last = map(safe_name, names)
    return folder.joinpath(*folders, f"{last}.html")


if __name__ == "__main__":
    sys.exit(main())
