"""Processes in which answers run, shut in as well as this system allows."""

import pytest

from tests.whywrong.grade.classroom import COURSE
from whywrong.grade.jail import Jail
from whywrong.grade.launch import Processes, best_level


@pytest.fixture(scope="session")
def level():
    """Return the strictest way to run answers here."""
    return best_level(COURSE, Jail("limits only", ""))


@pytest.fixture(scope="session")
def launcher(level):
    """Return what starts the processes of answers."""
    processes = Processes(COURSE, Jail(level, "", memory=2048))
    yield processes
    processes.close()
