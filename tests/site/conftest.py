"""What the tests of the book share: a built book that is up to date, Colab, and a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.built_pages import HTML, what_is_out_of_date
from tests.site.chromium import running_browser
from tests.site.colab import make_colab_env
from tests.site.firefox import Firefox, running_firefox
from tests.site.visits import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A helper whose failed assertions shall be explained as in the tests.
pytest.register_assert_rewrite("tests.site.cheat_sheet")


@pytest.fixture(scope="session")
def html(request: pytest.FixtureRequest) -> Path:
    """Return the folder of the built book.

    Where that is missing or out of date, skip; with --book-required, fail.
    """
    out_of_date = what_is_out_of_date()
    if out_of_date and request.config.getoption("--book-required", default=False):
        pytest.fail(
            f"run `make book` first ({HTML}):\n" + "\n".join(out_of_date),
            pytrace=False,
        )
    if out_of_date:
        first, *others = out_of_date
        more = f", and {len(others)} more" if others else ""
        pytest.skip(f"run `make book` first: {first}{more}")
    return HTML


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what needs the built book: ``-m "not site"`` leaves it out."""
    if "html" in getattr(item, "fixturenames", ()):
        item.add_marker("site")


@pytest.fixture(scope="session")
def path_in_colab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the PYTHONPATH with which a Python finds what it would find in Colab."""
    return make_colab_env(tmp_path_factory.mktemp("colab"), wheel)


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


@pytest.fixture(scope="session")
def firefox() -> Iterator[Firefox]:
    """Give a Firefox without a window."""
    with running_firefox() as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Serve the built book; give its address."""
    with serving() as address:
        yield address
