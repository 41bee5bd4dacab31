"""A headless Chromium, found on the PATH or named by COURSE_ATTN_CHROMIUM."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("COURSE_ATTN_CHROMIUM") or next(
    filter(None, map(shutil.which, NAMES)), None
)
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None,
    reason="needs Chromium: `apt-get install chromium`, or COURSE_ATTN_CHROMIUM=/path/to/it",
)


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
