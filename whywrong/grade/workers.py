"""Grade many submissions at a time: judges in processes of their own, and who watches over them."""

import contextlib
import importlib
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import whywrong
from whywrong.grade.launch import (
    CannotStart,
    Containers,
    Launcher,
    Sandboxes,
    Trusted,
)
from whywrong.grade.limits import Limits
from whywrong.grade.results import GradedSubmission, Mark
from whywrong.grade.submissions import (
    CannotGrade,
    PointScheme,
    Submission,
    read_bytes,
    read_code,
)
from whywrong.grade.verdicts import PATIENCE, Grader
from whywrong.result import Result

__all__ = ["Settings", "grade_all", "grade_one"]

# What the judge itself may use: an answer may ask it for large results.
_JUDGE_BYTES = 4 << 30
_MOST_EXERCISES = 40
_SLACK = 60.0
_STOPS_WITHIN = 15.0  # seconds for a judge to end its answer


@dataclass(frozen=True)
class Settings:
    """How answers are run and judged."""

    course: str  # the package that holds the exercises
    limits: Limits
    seed: str  # what the other inputs depend on
    seconds: float  # all the time that an answer has
    way: str  # "bubblewrap", an engine of containers, or "trust"
    image: str = ""

    def launcher(self) -> Launcher:
        """Return what starts answers for a worker."""
        if self.way == "bubblewrap":
            return Sandboxes(self.course, self.limits)
        if self.way == "trust":
            return Trusted(self.course, self.limits)
        # A container may wait for its turn as long as it may run.
        most = 2 * self.seconds_for(_MOST_EXERCISES)
        return Containers(self.course, self.limits, self.way, self.image, most)

    def seconds_for(self, exercises: int) -> float:
        """Return the most that a submission can take."""
        return _SLACK + exercises * ((1 + PATIENCE) * self.seconds + _SLACK)

    @property
    def facts(self) -> tuple[object, ...]:
        """What a result depends on besides the submission."""
        return (whywrong.__version__, *vars(self).values())


@dataclass(frozen=True)
class Job:
    """A submission to be graded."""

    submission: Submission
    scheme: PointScheme  # nothing where the file itself says it
    digest: str  # kept with the result


def grade_one(job: Job, grader: Grader, catalog: Any) -> GradedSubmission:
    """Grade one submission; whatever is wrong with it is in what comes back."""
    one, begun = job.submission, time.monotonic()
    try:
        content = read_bytes(one.path)
        code, scheme, notes = read_code(content, one.ending, job.scheme, catalog)
        number = len(scheme)
        if number > _MOST_EXERCISES:
            raise CannotGrade(f"asks for {number} exercises, more than are graded")
        results = grader.results(code, list(scheme))
    except CannotGrade as trouble:
        return _failure(job, str(trouble))
    except CannotStart as trouble:
        return _failure(job, f"its answers could not be run ({trouble})")
    except Exception as error:  # one submission's points are lost, and no other's
        said = f"{type(error).__name__}: {error}"[:200]
        return _failure(job, f"could not be judged ({said})")
    marks = [Mark.of_result(results[name], of) for name, of in scheme.items()]
    if grader.version != (own := whywrong.__version__):
        notes.append(
            f"it ran with version {grader.version}, and was judged with {own}"
        )
    seconds = round(time.monotonic() - begun, 3)
    more = {"digest": job.digest, "notes": tuple(notes), "seconds": seconds}
    return _graded(job, marks, **more)


def _failure(job: Job, why: str) -> GradedSubmission:
    """Return what is kept where nothing was graded; it is tried again the next time."""
    said, faults = f"Not graded: it {why}.", ("not-graded",)
    marks = [
        Mark.of_result(Result("crashed", said, name, faults), of)
        for name, of in job.scheme.items()
    ]
    return _graded(job, marks, digest="", trouble=why)


def _graded(job: Job, marks: list[Mark], **more: Any) -> GradedSubmission:
    one = job.submission
    whose = one.key, str(one.path), one.student, one.assignment, one.notebook
    return GradedSubmission(*whose, marks=tuple(marks), **more)


# --- the judges -----------------------------------------------------------------------------------


def _work(connection: Connection, settings: Settings) -> None:
    """Be a judge: grade what comes, until nothing comes anymore."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (_JUDGE_BYTES, hard))
    catalog = importlib.import_module(settings.course).course.catalog
    launcher = settings.launcher()
    _end_with_parent(launcher)
    grader = Grader(launcher, catalog.find, settings.seed, settings.seconds)
    try:
        while True:
            connection.send(grade_one(connection.recv(), grader, catalog))
    except (EOFError, OSError):  # who watches is gone, or wants no more
        pass
    finally:
        launcher.close()


def _end_with_parent(launcher: Launcher) -> None:
    """End this judge, and what it has started, when it is told to or its parent is gone."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            launcher.close()
        finally:
            os._exit(1)

    def wait_for_parent() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        time.sleep(_STOPS_WITHIN)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=wait_for_parent, daemon=True).start()


class _Judge:
    """A judge's process, as it is seen by who watches over it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.job: Job | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_work, args=(theirs, self._settings), daemon=True
        )
        self.process.start()
        theirs.close()

    def take(self, job: Job, settings: Settings) -> None:
        self.job = job
        number = len(job.scheme) or _MOST_EXERCISES
        self.until = time.monotonic() + settings.seconds_for(number)
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def result(self, *, is_ready: bool) -> GradedSubmission:
        """Return what came of the job; one that is dead or late is replaced."""
        job, why = self.job, "its judge did not come to an end"
        assert job is not None
        try:
            if is_ready:
                graded = self.connection.recv()
                self.job = None
                return graded
        except (EOFError, OSError):
            why = "its judge was stopped by the system (out of memory?)"
        self.stop()
        self.job = None
        self._start()
        return _failure(job, f"could not be graded: {why}")

    def tell_to_stop(self) -> None:
        self.connection.close()
        if self.job is not None:
            self.process.terminate()

    def stop(self) -> None:
        self.tell_to_stop()
        self.process.join(_STOPS_WITHIN)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def grade_all(
    jobs: Sequence[Job], settings: Settings, workers: int
) -> Iterator[GradedSubmission]:
    """Yield what is found for each submission, in the order in which they get done."""
    waiting = list(reversed(jobs))
    judges = [_Judge(settings) for _ in range(min(workers, len(jobs)))]
    try:
        while waiting or any(judge.job for judge in judges):
            for judge in judges:
                if judge.job is None and waiting:
                    judge.take(waiting.pop(), settings)
            busy = [judge for judge in judges if judge.job]
            left = min(judge.until for judge in busy) - time.monotonic()
            ready = wait([one.connection for one in busy], timeout=max(left, 0.01))
            for judge in busy:
                is_ready = judge.connection in ready
                if is_ready or time.monotonic() >= judge.until:
                    yield judge.result(is_ready=is_ready)
    finally:
        for judge in judges:
            judge.tell_to_stop()
        for judge in judges:
            judge.stop()
