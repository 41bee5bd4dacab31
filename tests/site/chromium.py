"""A headless Chromium for the tests: the one that the tools find."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tools.chromium import ARGUMENTS, CHROMIUM, MISSING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Milliseconds for which anything in a page is waited for. It is there so that what never comes
# fails; what is right comes long before, on a slow machine, too.
PATIENCE = 180_000

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)


@contextmanager
def running_browser() -> "Iterator[Browser]":
    """Start a browser, and end it; where there is none, skip the test that asks for it."""
    if CHROMIUM is None:
        pytest.skip(MISSING)
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright"
    )
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE
        )
        browser.on("context", lambda one: one.set_default_timeout(PATIENCE))
        playwright.expect.set_options(timeout=PATIENCE)
        yield browser
        browser.close()
