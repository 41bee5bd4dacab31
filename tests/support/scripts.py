"""The scripts of the package and the book, for tests that deno runs or that a page carries."""

from pathlib import Path

import pytest

from tools.bundle import NoBundler, bundle
from tools.deno import DENO

__all__ = ["bundled", "needs_deno"]

needs_deno = pytest.mark.skipif(
    not DENO.exists(), reason="needs deno: pip install -r requirements.txt"
)


def bundled(script: Path) -> str:
    """Return a module, with all that it imports, as a classic script."""
    try:
        return bundle(script)
    except NoBundler as reason:
        pytest.skip(f"deno cannot get esbuild: {reason}")
