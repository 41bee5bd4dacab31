"""Deno as ``make lint`` runs it, which looks for nothing outside but what it is asked for."""

import os
import subprocess
import sys
from pathlib import Path

from tools.book import ROOT

__all__ = ["DENO", "deno"]

DENO = Path(sys.executable).with_name("deno")


def deno(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run deno on a text, and return what it wrote and how it ended."""
    settings = {
        "DENO_DIR": str(ROOT / ".deno_cache"),
        "DENO_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
    }
    return subprocess.run(
        [DENO, *arguments],
        env=os.environ | settings,
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
