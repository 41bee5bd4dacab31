"""What all tests share: property tests that repeat, the twins, the wheel, GPU tests that skip."""

import gc
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.rooms import complaints
from tests.support.twin_table import LIBRARIES

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def no_progress_and_no_strictness(monkeypatch):
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", "off")
    monkeypatch.delenv("COURSE_ATTN_STRICT", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)


# Property tests draw the same examples on every machine, with no clock and no stored state.
settings.register_profile(
    "course",
    derandomize=True,
    deadline=None,
    max_examples=30,
    database=None,
    print_blob=False,
)
settings.load_profile("course")


@cache
def found_complaints() -> list[str]:
    """Look once, not for each file that is collected."""
    return list(complaints())


def pytest_collect_file() -> None:
    """Name every folder that is not as it should be.

    A `CollectError` is shown without a traceback, and by xdist, too, which a `UsageError` confuses.
    """
    if found := found_complaints():
        raise pytest.Collector.CollectError("\n".join(found))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make test` insist on what a bare `pytest` may skip."""
    parser.addoption(
        "--book-required",
        action="store_true",
        help="fail, instead of skipping, where the built book is missing or out of date",
    )


# Not a function's own: hypothesis calls a test again and again with one library.
@pytest.fixture(scope="module", params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    """Return the twin that a test is about; the test runs once for each."""
    return request.param


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, without network and without touching the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "-t",
            "wheel",
            "-d",
            str(folder),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=600,
    )
    (built,) = folder.glob("*.whl")
    return built


# Tests of equations and theorems are watched; tests of pages get a browser and the built book.
pytest_plugins = ["tests.support.claims", "tests.support.browsers"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the chapters, which take longest: no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.path.name != "test_deterministic.py")


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of Python's search for garbage.

    It all stays until the end, and each full search would walk through it again, as the tests do
    that measure times.
    """
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip GPU tests, with the reason, where there is no CUDA device."""
    if item.get_closest_marker("gpu") is None:
        return
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip(
            "needs a CUDA device, and torch.cuda.is_available() is False here"
        )
