"""How much time of a processor a class's grading takes with nbgrader, and how much memory.

Run ``python -m benchmarks.classroom``. A class hands in the exercises of one chapter, solved; the
notebooks are written, released, graded and given feedback by the commands of the page *For
teachers*. The report goes to `benchmarks/results/classroom.json`, from which that page takes its
table.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat

from benchmarks import learn
from course_attn.exercises import catalog

CHAPTER = "softmax"
FOLDER = "week3"


def timed(course: Path, what: str, module: str, *arguments: str) -> dict[str, Any]:
    """Run a command in the course's folder; return the time of the processor that it took."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=course,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise SystemExit(f"{what}: {run.stdout}{run.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"what": what, "seconds": seconds}


def hand_in(course: Path, students: int) -> None:
    """Hand in the released notebook, solved, once for each student."""
    notebook = nbformat.read(course / f"release/{FOLDER}/{CHAPTER}.ipynb", 4)
    for cell in notebook.cells:
        if cell["id"].endswith("-answer"):
            task = catalog.find(cell["id"].removesuffix("-answer"))
            cell["source"] = task.source
    for number in range(students):
        folder = course / f"submitted/student{number:03}/{FOLDER}"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{CHAPTER}.ipynb")


def measure(
    course: Path, students: int
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return a row for each command, and the sizes of files in bytes."""
    (course / "nbgrader_config.py").write_text("c = get_config()\n")
    write = ("course_attn.classroom", "write", CHAPTER, "--to", f"source/{FOLDER}")
    rows = [
        timed(course, "write a notebook", *write, "--seed", "a word"),
        timed(
            course,
            "release it",
            "nbgrader",
            "generate_assignment",
            FOLDER,
            "--create",
        ),
    ]
    hand_in(course, students)
    for what, command in (
        ("grade a notebook", ("autograde", FOLDER, "--create")),
        ("write its feedback", ("generate_feedback", FOLDER)),
    ):
        row = timed(course, what, "nbgrader", *command)
        rows.append(row | {"seconds": row["seconds"] / students})
    student = f"student000/{FOLDER}/{CHAPTER}"
    sizes = {
        "source": (course / f"source/{FOLDER}/{CHAPTER}.ipynb").stat().st_size,
        "feedback": (course / f"feedback/{student}.html").stat().st_size,
    }
    return rows, sizes


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=10)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        rows, sizes = measure(Path(folder), options.students)
    for row in rows:
        print("{what:24}{seconds:8.2f} s".format(**row))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    megabytes = most / 2 ** (20 if sys.platform == "darwin" else 10)
    settings = {
        "chapter": CHAPTER,
        "exercises": len(catalog.chapters[CHAPTER]),
        "students": options.students,
        "nbgrader": metadata.version("nbgrader"),
        "megabytes of the largest process": round(megabytes),
        "bytes": sizes,
    }
    path = learn.save("classroom", rows, settings, time.perf_counter() - start)
    print(f"saved as {path.name}")


if __name__ == "__main__":
    main()
