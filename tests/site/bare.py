"""Bare pages on disk with scripts of the book, joined as in the built pages, and no book around."""

import shutil
from pathlib import Path

import pydata_sphinx_theme

from course_attn.figures.live.joined import joined
from tools.book import BOOK

LIVE = BOOK / "_live"
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

    ``names`` says which names of which file in ``book/_live`` the page's tests call:
    ``{"editor.js": "openEditor"}``.
    """
    for script in LIVE.glob("*.js"):
        shutil.copy(script, folder)
    calls = folder / "called.js"
    calls.write_text(
        "".join(
            f'import {{{called}}} from "./{file}";\nObject.assign(globalThis, {{{called}}});\n'
            for file, called in names.items()
        )
    )
    (folder / "live.js").write_text(joined(calls))
    styles = "".join(path.read_text("utf-8") for path in sorted(LIVE.glob("*.css")))
    (folder / "live.css").write_text(styles, "utf-8")
    static = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme"
    theme_css = static / "static/styles/pydata-sphinx-theme.css"
    shutil.copy(theme_css, folder / "theme.css")
    if vendor:
        shutil.copytree(
            LIVE / "vendor", folder / "_static" / "vendor", dirs_exist_ok=True
        )
    page = folder / f"{theme}.html"
    page.write_text(PAGE.format(theme=theme, body=body), "utf-8")
    return page.as_uri()
