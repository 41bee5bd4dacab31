"""Time and memory of functions without arguments, measured so that they can be compared."""

import gc
import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.utils import benchmark

from benchmarks.results import seconds

ROOT = Path(__file__).parents[1]
Contenders = Mapping[str, Callable[[], Any]]


def interleaved(
    contenders: Contenders, *, rounds: int, threads: int, least: float = 0.05
) -> dict[str, dict[str, Any]]:
    """Time all contenders in turn, round by round, so that a busy moment meets each of them.

    Within a round each runs as often as fills `least` seconds. The order moves on by one from
    round to round, so that nobody always comes after the same other.
    """
    names = list(contenders)
    # What is there already is no garbage of theirs: else each collection looks at all of PyTorch.
    frozen = gc.get_freeze_count()
    gc.freeze()
    with benchmark.set_torch_threads(threads):
        numbers = {name: _number(contenders[name], least) for name in names}
        times: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(rounds):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                times[name].append(_mean(contenders[name], numbers[name]))
    if not frozen:
        gc.unfreeze()
    return {
        name: _summary(name, times[name], numbers[name], threads) for name in names
    }


def _number(run: Callable[[], Any], least: float) -> int:
    """Warm up, and say how many runs fill the time."""
    run()
    return max(1, math.ceil(least / _mean(run, 1)))


def _mean(run: Callable[[], Any], number: int) -> float:
    """Return the seconds of one run; PyTorch's timer waits for the GPU."""
    gc.collect()
    gc.disable()
    try:
        start = benchmark.timer()
        for _ in range(number):
            run()
        return (benchmark.timer() - start) / number
    finally:
        gc.enable()


def _summary(
    name: str, times: list[float], number: int, threads: int
) -> dict[str, Any]:
    """Take median and interquartile range as PyTorch does."""
    task = benchmark.TaskSpec(stmt=name, setup="", num_threads=threads)
    found = benchmark.Measurement(1, times, task)
    return seconds(times) | {
        "median": found.median,
        "iqr": found.iqr,
        "runs": number,
    }


def peak_on_gpu(run: Callable[[], Any]) -> int:
    """Return the bytes on the GPU at the peak of a run, beyond those before it.

    Run once before: what is made only once, such as the workspace of cuBLAS, is not the run's.
    """
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def peak_in_child(
    maker: str, contender: str, settings: dict[str, Any], *, threads: int
) -> int:
    """Return the bytes of a run beyond its inputs, in a process of its own."""
    task = json.dumps([maker, contender, settings, threads])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure", task],
        cwd=ROOT,
        # Large arrays go back to the system when freed, so that peaks are not hidden in leftovers.
        env=os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def _peak_here(
    maker: str, contender: str, settings: dict[str, Any], threads: int
) -> int:
    """Run once, to load and compile what is needed, then once in earnest."""
    from benchmarks import contenders

    torch.set_num_threads(threads)
    run = getattr(contenders, maker)(**settings)[contender]
    run()
    gc.collect()
    before = _reset_peak()
    kept = run()
    peak = _status("VmHWM") if before else _largest()
    del kept
    return max(0, peak - (before or _peak_at_start))


def _reset_peak() -> int:
    """Let Linux forget the peak so far; return the memory in use, or 0 where that fails."""
    global _peak_at_start
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        _peak_at_start = _largest()
        return 0


_peak_at_start = 0


def _status(name: str) -> int:
    """Read a number of kibibytes from Linux's account of this process, as bytes."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(text.partition(f"{name}:")[2].split()[0])


def _largest() -> int:
    """Return the peak of memory since the start; in kibibytes on Linux, in bytes on macOS."""
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found if sys.platform == "darwin" else 1024 * found


if __name__ == "__main__":
    print(_peak_here(*json.loads(sys.argv[1])))
