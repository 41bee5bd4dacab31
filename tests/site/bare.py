"""Bare pages on disk with scripts of the book, bundled as for the pages, and no book around."""

import os
import shutil
from pathlib import Path

import pydata_sphinx_theme

from tests.support.scripts import bundled, path_of
from tools.book import ROOT

PARTS = ROOT / "book/_parts"
PAGE = """<!doctype html>
<html lang="en" data-content_root="./" data-theme="{theme}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bare</title>
<link rel="stylesheet" href="theme.css"><link rel="stylesheet" href="live.css">
<script src="live.js"></script></head>
<body><main class="bd-article"><h1>Bare</h1>{body}</main></body></html>
"""


def bare_page(
    folder: Path,
    names: dict[str, str],
    body: str = "",
    *,
    theme: str = "light",
    vendor: bool = True,
) -> str:
    """Write a page with some of the book's scripts, and return its address on disk.

    ``names`` says which names of which of the pages' scripts the tests call:
    ``{"editor.js": "openEditor"}``.
    """
    calls = folder / "called.js"
    calls.write_text(
        "".join(
            f'import {{ {called} }} from "{os.path.relpath(path_of(file), folder)}";\n'
            f"Object.assign(globalThis, {{{called}}});\n"
            for file, called in names.items()
        )
    )
    (folder / "live.js").write_text(bundled(calls))
    styles = "".join(
        path.read_text("utf-8")
        for path in [*sorted(PARTS.glob("*/*.css")), path_of("questions.css")]
    )
    (folder / "live.css").write_text(styles, "utf-8")
    static = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme"
    theme_css = static / "static/styles/pydata-sphinx-theme.css"
    shutil.copy(theme_css, folder / "theme.css")
    if vendor:
        shutil.copytree(
            PARTS / "exercise/vendor",
            folder / "_static" / "vendor",
            dirs_exist_ok=True,
        )
    page = folder / f"{theme}.html"
    page.write_text(PAGE.format(theme=theme, body=body), "utf-8")
    return page.as_uri()
