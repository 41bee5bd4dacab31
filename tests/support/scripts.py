"""The scripts of the package and the book, for tests that deno runs or that a page carries."""

from pathlib import Path

import pytest

import course_attn
from tools.book import ROOT
from tools.bundle import NoBundler, bundle
from tools.deno import DENO

__all__ = ["bundled", "needs_deno", "path_of"]

needs_deno = pytest.mark.skipif(
    not DENO.exists(), reason="needs deno: pip install -r requirements.txt"
)


def bundled(script: Path) -> str:
    """Return a module, with all that it imports, as a classic script."""
    try:
        return bundle(script)
    except NoBundler as reason:
        pytest.skip(f"deno cannot get esbuild: {reason}")


def path_of(name: str) -> Path:
    """Return where a script or style lies: with a feature, a chapter or the drawings."""
    package = Path(course_attn.__file__).parent
    places = [
        (ROOT, "book/_parts/*"),
        (package, "drawing"),
        (package, "chapters/*/widgets"),
    ]
    (path,) = [
        path for root, place in places for path in root.glob(f"{place}/{name}")
    ]
    return path
