"""Give the course a version: ``python -m tools.release 0.2.0``, and after it ``0.3.0.dev0``.

A release gets its entry in CHANGELOG.md, and CITATION.cff names it. A version in development, with
``.devN``, leaves both as they are. The notebooks' setup cells follow either.
"""

import datetime
import re
import sys

from tools import setup_cells
from tools.book import ROOT

PACKAGES = [ROOT / name / "__init__.py" for name in ("course_attn", "whywrong")]
CHANGELOG = ROOT / "CHANGELOG.md"
CITATION = ROOT / "CITATION.cff"
VERSION = re.compile(r"\d+\.\d+\.\d+(\.dev\d+)?")


def with_version(source: str, version: str) -> str:
    """Return the package's source with another version."""
    return re.sub(
        r'^__version__ = ".*"$', f'__version__ = "{version}"', source, flags=re.M
    )


def with_release(changelog: str, version: str, date: str) -> str:
    """Return the changelog with what was unreleased as the entry of a release."""
    entry = re.search(
        r"^## Unreleased\n(?P<changes>.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    if entry is None or not entry["changes"].strip():
        sys.exit('CHANGELOG.md says nothing under "## Unreleased"')
    return changelog.replace(
        "## Unreleased\n", f"## Unreleased\n\n## {version} - {date}\n", 1
    )


def with_citation(citation: str, version: str, date: str) -> str:
    """Return the citation of a release."""
    citation = re.sub(r"^version: .*$", f"version: {version}", citation, flags=re.M)
    return re.sub(
        r"^date-released: .*$", f"date-released: {date}", citation, flags=re.M
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not VERSION.fullmatch(arguments[0]):
        print("usage: python -m tools.release X.Y.Z or X.Y.Z.devN", file=sys.stderr)
        return 2
    (version,) = arguments
    if ".dev" not in version:
        date = datetime.date.today().isoformat()
        for path, rewritten in (
            (CHANGELOG, with_release),
            (CITATION, with_citation),
        ):
            text = path.read_text("utf-8")
            path.write_text(rewritten(text, version, date), "utf-8")
    for package in PACKAGES:
        package.write_text(
            with_version(package.read_text("utf-8"), version), "utf-8"
        )
    return setup_cells.main([])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
