"""How long ``python -m course_attn.grade`` takes for untrusted answers, and how much memory.

Run ``python -m benchmarks.grading``. Two classes hand in: one of every kind (right, wrong,
untouched, crashing, endless and forged), three exercises each, as the tests generate it; and one
whose notebooks have all exercises of a chapter solved. The mixed class is graded once more, killed
with half of it done and begun again: what then comes out must be the same. The report goes to
`benchmarks/results/grading.json`, from which the page *For teachers* takes its numbers.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import psutil

from benchmarks import learn
from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from tests.whywrong.grade.classroom import notebook
from tests.whywrong.grade.generated import ASKED, KINDS, hand_in

CHAPTER = "softmax"
FOLDER = "week3"
SEED = "7"
MEMORY_EVERY = 0.25  # seconds


def command(
    submitted: Path, output: Path, names: tuple[str, ...], workers: int
) -> list[str]:
    """Return the command that grades a class."""
    options = (
        "--exercises",
        ",".join(names),
        "--seed",
        SEED,
        "--workers",
        str(workers),
    )
    return [
        *(sys.executable, "-m", "course_attn.grade"),
        *(str(submitted), "-o", str(output)),
        *options,
    ]


def graded(
    submitted: Path, output: Path, names: tuple[str, ...], workers: int
) -> tuple[float, int]:
    """Grade a class; return the seconds, and the most MB that all processes held together."""
    started = time.perf_counter()
    run = subprocess.Popen(command(submitted, output, names, workers))
    most = 0
    while run.poll() is None:
        most = max(most, held(psutil.Process(run.pid)))
        time.sleep(MEMORY_EVERY)
    if run.returncode:
        raise SystemExit(f"the grader ended with exit status {run.returncode}")
    return time.perf_counter() - started, most


def held(process: psutil.Process) -> int:
    """Return the MB that a process and all it has started hold; what they share counts once."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    for one in family:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:  # it has just ended
            continue
    return round(total / 2**20)


def killed_halfway(
    submitted: Path, output: Path, names: tuple[str, ...], workers: int, number: int
) -> int:
    """Grade a class until half of it is done, and kill the grader; return how many were done."""
    run = subprocess.Popen(command(submitted, output, names, workers))
    done = output / "submissions"
    while len(list(done.glob("*.json"))) < number // 2:
        if run.poll() is not None:
            raise SystemExit("the grader ended before it could be killed")
        time.sleep(0.05)
    run.kill()
    run.wait()
    return len(list(done.glob("*.json")))


def marks(output: Path) -> dict[str, dict[str, str]]:
    """Return what each student's exercises came to."""
    found = json.loads((output / "grades.json").read_text("utf-8"))
    return {
        one["student"]: {mark["exercise"]: mark["status"] for mark in one["marks"]}
        for one in found
    }


def wrong_verdicts(
    found: Mapping[str, Mapping[str, str]], right: Mapping[str, tuple[str, ...]]
) -> int:
    """Count the exercises that have a point and should not, or should and have none."""
    return sum(
        (status == "right") != (name in right[student])
        for student, statuses in found.items()
        for name, status in statuses.items()
    )


def all_solved(folder: Path, number: int) -> tuple[str, ...]:
    """Hand in a chapter's notebook, solved; return its exercises."""
    tasks = [catalog.find(name) for name in catalog.chapters[CHAPTER]]
    document = notebook(
        CHAPTER, {task.name: reference_source(task) for task in tasks}
    )
    for student in range(number):
        place = folder / f"student{student:03}" / FOLDER / f"{CHAPTER}.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(document, place)
    return tuple(task.name for task in tasks)


def rows_of(
    output: Path, right: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Return a row for each kind of submission in the mixed class."""
    taken: dict[str, list[float]] = {kind: [] for kind in KINDS}
    points = dict.fromkeys(KINDS, 0)
    for one in json.loads((output / "grades.json").read_text("utf-8")):
        kind = one["student"].rpartition("-")[0]
        taken[kind].append(one["seconds"])
        points[kind] += sum(mark["status"] == "right" for mark in one["marks"])
    return [
        {
            "kind": kind,
            "submissions": len(seconds),
            "exercises right": points[kind],
            "deserved": sum(
                len(names) for who, names in right.items() if who.startswith(kind)
            ),
            "median seconds": round(statistics.median(seconds), 2),
            "most seconds": round(max(seconds), 2),
        }
        for kind, seconds in taken.items()
    ]


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--solved", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        submitted = folder / "submitted"
        right = hand_in(submitted, options.submissions)
        seconds, megabytes = graded(
            submitted, folder / "graded", ASKED, options.workers
        )
        found = marks(folder / "graded")
        before = killed_halfway(
            submitted, folder / "again", ASKED, options.workers, options.submissions
        )
        graded(submitted, folder / "again", ASKED, options.workers)
        solved = all_solved(folder / "solved", options.solved)
        seconds_solved, megabytes_solved = graded(
            folder / "solved", folder / "solved-graded", solved, options.workers
        )
        settings = {
            "workers": options.workers,
            "submissions": len(found),
            "exercises": len(ASKED),
            "seconds": round(seconds, 1),
            "megabytes": megabytes,
            "wrong verdicts": wrong_verdicts(found, right),
            "done when killed": before,
            "differences after going on": sum(
                found[student] != marks_again
                for student, marks_again in marks(folder / "again").items()
            ),
            "solved": {
                "chapter": CHAPTER,
                "submissions": options.solved,
                "exercises": len(solved),
                "right": sum(
                    status == "right"
                    for statuses in marks(folder / "solved-graded").values()
                    for status in statuses.values()
                ),
                "seconds": round(seconds_solved, 1),
                "megabytes": megabytes_solved,
            },
        }
        rows = rows_of(folder / "graded", right)
    for row in rows:
        print(row)
    print(settings)
    path = learn.save("grading", rows, settings, None)
    print(f"saved as {path.name}")


if __name__ == "__main__":
    main()
