"""Processes in which answers run, shut in where this system can."""

import pytest

from tests.whywrong.grade.classroom import COURSE, why_no_sandbox
from whywrong.grade.launch import Sandboxes, Trusted
from whywrong.grade.limits import Limits


@pytest.fixture(scope="session")
def launcher():
    """Return what starts the processes of answers."""
    kind = Trusted if why_no_sandbox() else Sandboxes
    processes = kind(COURSE, Limits(memory=2048))
    yield processes
    processes.close()


@pytest.fixture(scope="module")
def shut_in():
    """Return what starts small sandboxes."""
    if why := why_no_sandbox():
        pytest.skip(f"no sandbox here: {why}")
    processes = Sandboxes(COURSE, Limits(memory=512, files=4))
    yield processes
    processes.close()
