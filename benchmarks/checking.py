"""How long a verdict takes, and that it does not depend on the machine.

Run ``python -m benchmarks.checking``. It judges every right and every wrong answer that the tests
have, and prints the median, the 99th percentile and the slowest, in seconds of the processor. The
aim is 50 ms for the median and 1 s for the 99th percentile. With ``--record FILE`` it writes down
what each answer is told; with ``--compare FILE`` it names the answers that are told something else
than was written down, perhaps on a slower or a busier machine, and ends with status 1 if there are
any.
"""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

os.environ["COURSE_ATTN_PROGRESS"] = "off"

from course_attn.exercises import check  # noqa: E402
from tests.exercises.answers import answers_that_are  # noqa: E402


def judged() -> tuple[dict[str, str], dict[str, float]]:
    """Return what each answer is told, and the seconds of the processor that this took."""
    told, seconds = {}, {}
    for kind in ("right", "wrong"):
        for exercise, answers in answers_that_are(kind).items():
            for name, answer in answers.items():
                start = time.process_time()
                result = check(answer.function, exercise)
                key = f"{exercise}: {name}"
                seconds[key] = time.process_time() - start
                told[key] = f"{result.status} {result.faults}\n{result.message}"
    return told, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--record", type=Path, help="write what each answer is told"
    )
    parser.add_argument(
        "--compare", type=Path, help="name answers told something else"
    )
    options = parser.parse_args()
    told, seconds = judged()
    times = np.array(list(seconds.values()))
    slowest = max(seconds, key=seconds.__getitem__)
    print(f"{platform.machine()}, {os.cpu_count()} cores, NumPy {np.__version__}")
    print(
        f"{len(times)} answers: median {1000 * np.median(times):.0f} ms, 99th percentile "
        f"{np.quantile(times, 0.99):.2f} s, slowest {times.max():.1f} s ({slowest})"
    )
    if options.record:
        options.record.write_text(json.dumps(told, indent=1), "utf-8")
    if not options.compare:
        return 0
    before = json.loads(options.compare.read_text("utf-8"))
    other = [key for key in told if before.get(key) != told[key]]
    print(f"{len(other)} told something else", *other, sep="\n")
    return bool(other)


if __name__ == "__main__":
    sys.exit(main())
