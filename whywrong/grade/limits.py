"""What the processes of an answer may use up, and how one of them came to its end."""

import resource
import signal
import sys
from dataclasses import dataclass

__all__ = ["MOST_PROCESSES", "Limits", "describe_exit"]

MOST_PROCESSES = 64
_MOST_OPEN = 64  # files and pipes of a process: what waits in pipes counts to none
_MB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one process of an answer may use up."""

    memory: int = 1024  # MB beyond what it uses before the answer begins
    files: int = 16  # MB of a file
    seconds: int = 60  # of the processor's time
    processes: int = 0  # at a time; 0 where all of its user's would count

    @property
    def options(self) -> list[str]:
        """The options by which the process itself is told."""
        named = vars(self).items()
        return [
            word for name, number in named for word in (f"--{name}", str(number))
        ]

    def enforce(self) -> None:
        """Limit this process, and each that it starts."""
        _lower(resource.RLIMIT_FSIZE, self.files * _MB)
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_NOFILE, _MOST_OPEN)
        if self.processes:
            _lower(resource.RLIMIT_NPROC, self.processes)
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(
            resource.RLIMIT_DATA, (most, most)
        )  # the judge's was less
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(
            resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + self.seconds
        )
        if sys.platform == "linux":
            with open("/proc/self/statm", encoding="ascii") as file:
                used_now = int(file.read().split()[0]) * resource.getpagesize()
            _lower(resource.RLIMIT_AS, used_now + self.memory * _MB)


def describe_exit(code: int) -> str:
    """Say how a process ended.

    A code that is negative, or above 128, tells of a signal.
    """
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if not number:
        return f"it ended by itself with exit status {code}"
    try:
        return f"it was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"it was ended by signal {number}"


def _lower(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
