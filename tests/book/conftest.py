"""What the tests of the book share: a built book that is up to date, Colab, and a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built_pages import HTML, what_is_out_of_date
from chromium import running_browser
from colab import furnish
from visits import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def html() -> Path:
    """Return the folder of the built book; fail if it is missing or out of date."""
    out_of_date = what_is_out_of_date()
    if out_of_date:
        pytest.fail(
            f"run `make book` first ({HTML}):\n" + "\n".join(out_of_date),
            pytrace=False,
        )
    return HTML


@pytest.fixture(scope="session")
def path_in_colab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the PYTHONPATH with which a Python finds what it would find in Colab."""
    return furnish(tmp_path_factory.mktemp("colab"), wheel)


@pytest.fixture
def colab(
    path_in_colab: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Start every Python as in Colab from now on; return an empty folder for it to work in."""
    monkeypatch.setenv("PYTHONPATH", path_in_colab)
    return tmp_path


# Not for the whole session: as long as it runs, no other test can start an event loop.
@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Give a browser without a window."""
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Serve the built book; give its address."""
    with serving() as address:
        yield address
