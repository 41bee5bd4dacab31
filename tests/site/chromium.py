"""A headless Chromium for the tests: the one that the tools find."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tools.chromium import ARGUMENTS, CHROMIUM, MISSING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)


@contextmanager
def running_browser() -> "Iterator[Browser]":
    """Start a browser, and end it."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright"
    )
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
