"""Processes in which answers run, shut in where this system can."""

import pytest

from tests.whywrong.grade.classroom import COURSE, ROOT, why_no_sandbox
from whywrong.grade.launch import Sandboxes, Trusted
from whywrong.grade.limits import Limits


@pytest.fixture(scope="session")
def launcher():
    """Return what starts the processes of answers."""
    kind = Trusted if why_no_sandbox() else Sandboxes
    processes = kind(COURSE, Limits(memory=2048))
    yield processes
    processes.close()


class _Kept:
    """Runs all answers in one sandbox, each begun anew, as those of one submission.

    So PyTorch is loaded once for thousands of answers, which are the tests' own.
    """

    def __init__(self, launcher):
        self.start, self.end = launcher.start, launcher.end

    def finish(self):
        """Let the next answer have the same sandbox."""


@pytest.fixture(scope="session")
def kept():
    """Return what starts the processes of answers that lie among the tests."""
    kind = Trusted if why_no_sandbox() else Sandboxes
    processes = kind(COURSE, Limits(memory=2048))
    if isinstance(processes, Sandboxes):
        processes._readable += (str(ROOT / "tests"),)
    yield _Kept(processes)
    processes.close()


@pytest.fixture(scope="module")
def shut_in():
    """Return what starts small sandboxes."""
    if why := why_no_sandbox():
        pytest.skip(f"no sandbox here: {why}")
    processes = Sandboxes(COURSE, Limits(memory=512, files=4))
    yield processes
    processes.close()
