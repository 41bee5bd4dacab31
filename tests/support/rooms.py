"""Each chapter has one room, and each feature of a page both its halves; or no test runs."""

from collections.abc import Iterator
from pathlib import Path

from tools.book import ROOT, pages

__all__ = ["complaints"]

# What several features use is no feature.
_SHARED = "shared"


def complaints(root: Path = ROOT) -> Iterator[str]:
    """Name each folder that is no page's room, and each feature with one half."""
    slugs = {path.stem for path in pages(root) if path.parent.name == "book"}
    for place in ("course_attn/chapters", "tests/chapters"):
        for folder in _folders(root / place):
            if folder.name not in slugs:
                yield f"{folder}: _toc.yml has no book/{folder.name}"
    for folder in _folders(root / "book/_parts"):
        for suffix in (".py", ".js"):
            half = folder / f"{folder.name}{suffix}"
            if folder.name != _SHARED and not half.exists():
                yield f"{folder}: a feature needs both halves, and {half.name} is missing"


def _folders(place: Path) -> list[Path]:
    return sorted(
        path
        for path in place.iterdir()
        if path.is_dir() and path.name[0] not in "._"
    )
