"""What checking the arguments costs: calls on small arrays, as they are and without the checks.

Run ``python -m benchmarks.contracts``. It prints CPU time per call in microseconds, the least of
several rounds, since whatever else the machine does only adds to it.
"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from course_attn import in_numpy

ROUNDS, CALLS = 9, 2000


def microseconds(function: Callable[[], Any]) -> float:
    """Return the CPU time of a call, the least of several rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(CALLS):
            function()
        times.append((time.process_time() - start) / CALLS)
    return 1e6 * min(times)


@contextmanager
def without_checks() -> Iterator[None]:
    """Replace the functions of all chapters by what they are without the checks, for a while."""
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("course_attn.in_numpy")
    ]
    with ExitStack() as stack:
        for module in modules:
            for name, thing in list(vars(module).items()):
                if hasattr(thing, "__wrapped__"):
                    stack.enter_context(
                        patch.object(module, name, thing.__wrapped__)
                    )
        yield


def main() -> None:
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(3, 5, 4))
    X, *matrices = rng.normal(size=(5, 4)), *rng.normal(size=(4, 4, 4))
    calls = {
        "dot_scores": ((Q, K), {}),
        "attention": ((Q, K, V), {}),
        "multi_head_attention": ((X, *matrices), {"n_heads": 2}),
    }
    print(f"{platform.machine()}, {os.cpu_count()} cores, NumPy {np.__version__}")
    print(f"{'µs per call, arrays of (5, 4)':32}{'checked':>10}{'bare':>10}")
    for name, (args, kwargs) in calls.items():
        checked = microseconds(partial(getattr(in_numpy, name), *args, **kwargs))
        with without_checks():
            bare = microseconds(partial(getattr(in_numpy, name), *args, **kwargs))
        print(f"{name:32}{checked:10.1f}{bare:10.1f}")


if __name__ == "__main__":
    main()
