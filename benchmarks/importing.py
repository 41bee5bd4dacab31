"""How long it takes to import the NumPy side, beyond NumPy itself.

Run ``python -m benchmarks.importing``. The goal is below 0.25 s; a busy machine shows more.
"""

import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORT_ALL = (
    "import importlib, pkgutil, course_attn.in_numpy as side\n"
    "for found in pkgutil.iter_modules(side.__path__, 'course_attn.in_numpy.'):\n"
    "    importlib.import_module(found.name)"
)


def seconds_beyond_numpy() -> float:
    """Sum what `python -X importtime` reports for the modules loaded after numpy."""
    code = f"import pkgutil, numpy\n{IMPORT_ALL}"
    report = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stderr
    lines = re.findall(r"^import time:\s*(\d+) \|\s*\d+ \| *(\S+)$", report, re.M)
    names = [name for _, name in lines]
    # A module's line comes after the lines of those it imports.
    return sum(int(micro) for micro, _ in lines[names.index("numpy") + 1 :]) / 1e6


if __name__ == "__main__":
    times = [seconds_beyond_numpy() for _ in range(9)]
    print(
        f"import of course_attn.in_numpy beyond numpy: {min(times):.3f} s at best, "
        f"{statistics.median(times):.3f} s in the median of {len(times)}"
    )
