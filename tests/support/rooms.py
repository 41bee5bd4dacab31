"""Each chapter has one room, each widget its tests, each feature both its halves; or none runs."""

from collections.abc import Iterator
from pathlib import Path

from tools.book import ROOT, pages

__all__ = ["complaints"]

# What several features use is no feature.
_SHARED = "shared"


def complaints(root: Path = ROOT) -> Iterator[str]:
    """Name each folder that is not a page's room, each widget without a test, each half feature."""
    slugs = {path.stem for path in pages(root) if path.parent.name == "book"}
    for place in ("course_attn/chapters", "tests/chapters"):
        for folder in _folders(root / place):
            if folder.name not in slugs:
                yield f"{folder}: _toc.yml has no book/{folder.name}"
    for script in sorted(root.glob("course_attn/chapters/*/widgets/*.js")):
        if script.with_suffix(".py").exists():
            yield from _untested(script, root)
    for folder in _folders(root / "book/_parts"):
        for suffix in (".py", ".js"):
            half = folder / f"{folder.name}{suffix}"
            if folder.name != _SHARED and not half.exists():
                yield f"{folder}: a feature needs both halves, and {half.name} is missing"


def _untested(script: Path, root: Path) -> Iterator[str]:
    """Name what is missing of the tests of a widget: what it computes, its output, its page."""
    room = root / "tests/chapters" / script.parents[1].name
    for test in (
        script.with_suffix(".test.js"),
        room / f"test_{script.stem}.py",
        room / f"test_{script.stem}_on_page.py",
    ):
        if not test.exists():
            yield f"{script}: a widget needs tests, and {test} is missing"


def _folders(place: Path) -> list[Path]:
    # None where an installed package is tested: its own lie elsewhere.
    return sorted(
        path
        for path in place.glob("*")
        if path.is_dir() and path.name[0] not in "._"
    )
