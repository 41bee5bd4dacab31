"""The command ``python -m whywrong.grade``."""

import argparse
import hashlib
import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
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
from whywrong.grade.results import GradedSubmission, Store, plain_text, write_file
from whywrong.grade.sandbox import folders_seen, why_no_sandbox
from whywrong.grade.submissions import (
    CannotGrade,
    PointScheme,
    Submission,
    find_submissions,
    read_bytes,
    safe_name,
    scheme_of,
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

    The name is that of the module that is run; the course, the one that is meant where no other is
    named.
    """
    options = parser(name, course).parse_args(arguments)
    try:
        if options.recipe:
            recipe = Path(__file__).parent / "recipes" / RECIPES[options.recipe]
            print(recipe.read_text("utf-8"), end="")
            return 0
        run = _Run(options)
        run.report_kept_results() if options.merge else run.grade()
        if options.merge or not options.shard:
            _write_results(options, run.store, run.report)
        return 1 if run.has_reported else 0
    except _Problem as problem:
        print(f"grade: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        said = "interrupted; the same command goes on where it was"
        print(f"grade: {said}", file=sys.stderr)
        return 130


# --- what is asked for ----------------------------------------------------------------------------


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


def _scheme(options: argparse.Namespace, catalog: Catalog) -> PointScheme:
    """Return which exercises count; none where each file says it by itself."""
    if options.release:
        try:
            scheme = scheme_of_release(read_bytes(options.release), catalog)
        except CannotGrade as trouble:
            raise _Problem(f"{options.release}: {trouble}") from None
        if not scheme:
            said = f"it has no exercise of {options.course}"
            raise _Problem(f"{options.release}: {said}")
        return scheme
    names = [
        name for part in options.exercises.split(",") if (name := part.strip())
    ]
    for name in names:
        if name not in catalog.modules:
            said = f"there is no exercise {name!r} in {options.course}"
            raise _Problem(f"--exercises: {said}")
    return scheme_of(names, catalog)


def _settings(options: argparse.Namespace) -> Settings:
    """Return how answers are run; the seed is still to come."""
    limits = Limits(memory=options.memory, seconds=options.seconds)
    way = options.container or ("trust" if options.trust_answers else "bubblewrap")
    return Settings(
        options.course, limits, "", float(options.seconds), way, options.image
    )


def _try_sandbox(places: Iterable[Path], settings: Settings) -> None:
    """Refuse to grade where answers cannot be shut in, or would see the class."""
    seen = folders_seen(settings.course)
    for place in map(Path.resolve, places):
        if any(place.is_relative_to(folder) for folder in seen):
            said = "answers would see it, for Python's files lie there"
            raise _Problem(f"{place}: {said}")
    if not (why := why_no_sandbox()):
        launcher = settings.launcher()
        try:
            launcher.start(torch=False)
            return
        except CannotStart as problem:
            why = str(problem)
        finally:
            launcher.close()
    raise _Problem(
        f"answers cannot be shut in here: {why}; --container docker does without, "
        "and --trust-answers runs answers with your own rights"
    )


_WAYS = {
    "bubblewrap": "in bubblewrap: no network, no other process, and nothing to read but "
    "Python and the course.",
    "trust": "with your own rights: they can read, change and delete whatever you can, "
    "other submissions and their own results too.",
}


def _report_fixed_inputs(jobs: list[Job], catalog: Catalog) -> None:
    """Say which exercises have no inputs but those that everybody knows."""
    for name in sorted(
        {name for job in jobs for name in job.scheme or catalog.modules}
    ):
        if not has_other_inputs(catalog.find(name)):
            print(
                f"{name} has no inputs but those that its check shows, so a table of results "
                "passes: let its cases draw them, or give it drawn=."
            )


# --- the work -------------------------------------------------------------------------------------


class _Run:
    """One run of the command, which says in a line what goes wrong as it happens."""

    def __init__(self, options: argparse.Namespace) -> None:
        if not options.submissions and not options.merge:
            raise _Problem(
                "which submissions? Name their folder, for example submitted/"
            )
        if options.container and not options.image:
            said = "--recipe containerfile says how to make one"
            raise _Problem(f"--container needs --image; {said}")
        self._options, self._catalog = options, _catalog(options.course)
        self._scheme = _scheme(options, self._catalog)
        release = options.release.stem if options.release else ""
        self._found, left_out = find_submissions(
            options.submissions, options.assignment, release
        )
        self.has_reported = False
        for path, why in left_out:
            self.report(f"{path}: {why}")
        if options.submissions and not self._found:
            of = f" of {options.assignment}" if options.assignment else ""
            raise _Problem(f"there is no submission{of} to be graded")
        self.store = Store(options.output)

    def report(self, line: str) -> None:
        """Say what went wrong, as it happens."""
        self.has_reported = True
        tqdm.write(f"grade: {plain_text(line)}", file=sys.stderr)

    def _report_on(self, graded: GradedSubmission) -> None:
        for line in graded.messages:
            self.report(f"{graded.path}: {line}")

    def report_kept_results(self) -> None:
        """Say again what is to be said of all results, and which are missing."""
        results = {one.key: one for one in self.store.all()}
        for graded in results.values():
            self._report_on(graded)
        for one in self._found:
            if one.key not in results:
                self.report(f"{one.path}: there is no result yet")

    def grade(self) -> None:
        """Grade what is not graded yet, and keep what comes out."""
        options, settings = self._options, _settings(self._options)
        if settings.way == "bubblewrap":
            _try_sandbox([*options.submissions, options.output], settings)
        in_containers = f"in containers: {settings.way}, image {options.image}."
        print(f"Answers run {_WAYS.get(settings.way, in_containers)}")
        try:
            settings = replace(settings, seed=self.store.seed(options.seed))
            jobs = self._jobs(settings)
        except OSError as error:
            raise _Problem(f"{options.output}: {error.strerror}") from None
        _report_fixed_inputs(jobs, self._catalog)
        results = grade_all(jobs, settings, options.workers) if jobs else ()
        for result in tqdm(
            results, total=len(jobs), unit="submission", disable=None
        ):
            self._keep(result)

    def _jobs(self, settings: Settings) -> list[Job]:
        """Return what is to be done in this part, less what is done already."""
        part, parts = self._options.shard or (1, 1)
        mine = [one for one in self._found if _number(one) % parts == part - 1]
        for one in mine:
            _rename_earlier(one, self.store)
        jobs = [self._job(one, settings) for one in mine]
        jobs = [job for job in jobs if not self._is_graded(job)]
        if len(jobs) < len(mine):
            done = f"{len(mine) - len(jobs)} of {len(mine)}"
            print(f"{done} submissions are graded already.")
        return jobs

    def _job(self, one: Submission, settings: Settings) -> Job:
        scheme = self._scheme
        if not scheme and one.ending == ".ipynb":
            names = self._catalog.chapters.get(one.path.stem, ())
            scheme = scheme_of(names, self._catalog)
        try:
            content = read_bytes(one.path)
        except CannotGrade:  # who grades it says so
            return Job(one, scheme, "")
        how = (*settings.facts, sorted(scheme.items()))
        return Job(
            one, scheme, hashlib.sha256(content + repr(how).encode()).hexdigest()
        )

    def _is_graded(self, job: Job) -> bool:
        """Return whether a submission is graded already, and say again what is wrong with it."""
        earlier = self.store.read(job.submission.key)
        if earlier is None or not job.digest or earlier.digest != job.digest:
            return False
        self._report_on(earlier)
        return True

    def _keep(self, result: GradedSubmission) -> None:
        graded = result.after(self.store.read(result.key))
        self._report_on(graded)
        try:
            self.store.write(graded)
        except OSError as error:
            why = f"{graded.path}: not kept ({error.strerror})"
            self.report(f"{self.store.folder}: {why}")


def _write_results(
    options: argparse.Namespace, store: Store, report: Callable[[str], None]
) -> None:
    """Write what a teacher and the students read, from all results in the folder."""
    output, graded = options.output, store.all()
    see = f" See {plain_text(str(output / 'grades.csv'))}."
    try:
        store.write_tables(graded)
    except OSError as error:
        report(f"{output}: {error.strerror}")
        see = ""
    for one in graded:
        try:
            write_file(_page_path(output / "feedback", one), page(one))
        except (OSError, ValueError) as error:  # nobody's page costs another's
            report(f"{output}: no page for {one.path} ({error})")
    if book := options.gradebook:
        release = options.release.stem if options.release else ""
        for line in write_to_gradebook(book, graded, release):
            report(line)
    failed = sum(bool(one.trouble) for one in graded)
    points, of = sum(one.points for one in graded), sum(one.of for one in graded)
    print(
        f"{len(graded) - failed} submissions graded, {failed} not: "
        f"{points:g} of {of:g} points.{see}"
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


def _page_path(folder: Path, one: GradedSubmission) -> Path:
    """Return where nbgrader has a page, too; the parts are names that no other has."""
    names = filter(None, (one.student, one.assignment, one.notebook or one.student))
    *folders, last = map(safe_name, names)
    return folder.joinpath(*folders, f"{last}.html")


if __name__ == "__main__":
    sys.exit(main())
