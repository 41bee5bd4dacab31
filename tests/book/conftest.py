"""What the tests of the book share: a built book that is up to date."""

from pathlib import Path

import pytest
from built_pages import HTML, what_is_out_of_date


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
