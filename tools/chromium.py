"""Chromium without a window: found on the PATH, or named by COURSE_ATTN_CHROMIUM."""

import os
import shutil

from tools.book import BookError

__all__ = ["ARGUMENTS", "CHROMIUM", "MISSING", "needed"]

# The first has no window at all. The others make one for each page and do not show it, which took
# eight times as much of the processor with Chromium 156.
_NAMES = (
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
CHROMIUM = os.environ.get("COURSE_ATTN_CHROMIUM") or next(
    filter(None, map(shutil.which, _NAMES)), None
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
MISSING = (
    "needs Chromium: `apt-get install chromium-headless-shell`, "
    "or COURSE_ATTN_CHROMIUM=/path/to/it"
)


def needed() -> str:
    """Return where Chromium is; a `BookError` says how to get it."""
    if CHROMIUM is None or shutil.which(CHROMIUM) is None:
        there = f"; there is no program {CHROMIUM}" if CHROMIUM else ""
        raise BookError(f"this {MISSING}{there}")
    return CHROMIUM
