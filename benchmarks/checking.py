"""How long a check takes: right and wrong answers to every exercise.

Run ``python benchmarks/checking.py``. It prints, for each exercise, the median over several checks
of a right answer and of the first known mistake, in milliseconds. The aim is 50 ms for a right
answer and 300 ms for a wrong one.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

os.environ["COURSE_ATTN_PROGRESS"] = "off"

from course_attn.exercises import catalog, check  # noqa: E402
from whywrong.declare import Exercise  # noqa: E402

REPEATS = 9


def pasted(task: Any) -> Callable[..., Any]:
    """Return the reference as a learner's own function."""
    namespace = {"np": np, "torch": torch}
    exec(task.source, namespace)
    return namespace[task.name]


def milliseconds(answer: Callable[..., Any], name: str) -> float:
    """Return the median time of a check; the first, which makes the inputs, does not count."""
    check(answer, name)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        check(answer, name)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def main() -> None:
    versions = f"NumPy {np.__version__}, PyTorch {torch.__version__}"
    print(f"{platform.machine()}, {os.cpu_count()} cores, {versions}")
    print(f"{'exercise':26}{'right (ms)':>12}{'wrong (ms)':>12}")
    for name in (name for names in catalog.chapters.values() for name in names):
        task = catalog.find(name)
        right = f"{milliseconds(pasted(task), name):12.1f}"
        wrong = ""
        if isinstance(task, Exercise):
            wrong = (
                f"{milliseconds(task.wrong_version(task.faults[0]), name):12.1f}"
            )
        print(f"{name:26}{right}{wrong}")


if __name__ == "__main__":
    main()
