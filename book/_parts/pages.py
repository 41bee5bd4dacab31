"""The scripts and styles of all pages, and what they load: each feature is a folder here.

A folder has what Sphinx does for its feature, and the script and style of the page. When the book
is built, the pages get the bundles of these scripts (see `tools/bundle.py`): that of `live.js`, and
some pages others. Python, the course's packages and the kept models are put beside the pages, to be
loaded when a reader asks for them.
"""

import json
import re
import shutil
from base64 import b64encode
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book._parts.runtime.runtime import packages_script, python_script
from book._parts.scratch.scratch import starters
from book._parts.writing.writing import LOADED, scripts_of
from course_attn import drawing
from course_attn.exercises import catalog
from tools import book, runtime
from tools.exercise_notebooks import title_of

__all__ = ["scripts_apart", "setup"]

_PARTS = Path(__file__).parent
# Scripts, with a style of that name, that only a page with one of these marks loads.
_APART = {
    "panel": ("attn-progress", "chapter-map"),
    "cards": ("attn-deck", "attn-session"),
}
# Of variable weight, from the packages @fontsource-variable/… 5.3.1.
_FONTS = {
    "source-serif-4-latin-wght-normal.woff2": ("Source Serif 4", "normal"),
    "source-serif-4-latin-wght-italic.woff2": ("Source Serif 4", "italic"),
    "source-code-pro-latin-wght-normal.woff2": ("Source Code Pro", "normal"),
}
# Opened from disk, Firefox loads no file of a font: there the style sheet has them within. From
# elsewhere, that of the text is asked for at once, so that few lines move when it comes.
_FONTS_OF_PAGE = f"""
<script>
document.write(location.protocol === "file:"
  ? '<link rel="stylesheet" href="{{fonts}}_within.css">'
  : '<link rel="stylesheet" href="{{fonts}}.css"><link rel="preload" as="font" crossorigin '
    + 'type="font/woff2" href="{{fonts}}/{next(iter(_FONTS))}">');
</script>"""
# A name, its sizes, other names, a character, and one drawing or two.
_ICON = re.compile(
    r'"?([a-z0-9-]+)"?:\[\d+,\d+,\[([^]]*)\],"[0-9a-f]+",(?:"[^"]*"|\[[^]]*\])\],?'
)
# What these packages' own style sheets ask of the fonts.
_LATIN = (
    "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, "
    "U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD"
)


def _path(name: str) -> Path:
    """Return where a file of this name lies, in the folder of a feature or with the drawings."""
    (path,) = [*_PARTS.glob(f"*/{name}"), *Path(drawing.__path__[0]).glob(name)]
    return path


def _styles() -> list[Path]:
    return sorted(_PARTS.glob("*/*.css"), key=lambda path: path.name)


def _drop_numbers(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Take the section numbers from pages that hang below a chapter: 4.14.2 leads nowhere."""
    below = {
        path.relative_to(book.ROOT).with_suffix("").as_posix()
        for path in book.pages()
    } - {f"book/{slug}" for slug in book.chapters()}
    for page in below & env.toc_secnumbers.keys():
        env.toc_secnumbers[page] = {}
        for link in env.tocs[page].findall(nodes.reference):
            link.attributes.pop("secnumber", None)
    for page, title in env.titles.items():
        if page in below:
            title.attributes.pop("secnumber", None)
    return []


def _write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the pages' script and style, and Python, to where the pages find them."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    live = static / "live"
    live.mkdir(exist_ok=True)
    sizes = {}
    for widget in LOADED:
        texts = scripts_of(widget)
        for name, text in texts.items():
            _write_if_new(live / f"{name}.js", text)
        sizes[widget] = sum(len(text.encode()) for text in texts.values())
    facts = json.dumps(_course(sizes), ensure_ascii=False, separators=(",", ":"))
    script = (_PARTS / "live.bundle.js").read_text("utf-8")
    (static / "live.js").write_text(f"self.courseFacts={facts};\n{script}", "utf-8")
    styles = [
        path.read_text("utf-8")
        for path in [*_styles(), Path(drawing.__path__[0], "questions.css")]
        if path.stem not in _APART
    ]
    (static / "live.css").write_text("\n".join(styles), "utf-8")
    for name, within in (("fonts", False), ("fonts_within", True)):
        (static / f"{name}.css").write_text(_fonts(within=within), "utf-8")
    for name, text in scripts_apart().items():
        (static / f"{name}.js").write_text(text, "utf-8")
    for path in _styles_apart():
        shutil.copy(path, static)
    shutil.copytree(
        _PARTS / "exercise/vendor", static / "vendor", dirs_exist_ok=True
    )
    if runtime.problem() is None:
        _write_if_new(live / "python.js", python_script())
        _write_if_new(live / "packages.js", packages_script())
    _drop_icons(Path(app.outdir))


def scripts_apart() -> dict[str, str]:
    """Return the scripts that only some pages load, by their names."""
    return {name: _path(f"{name}.bundle.js").read_text("utf-8") for name in _APART}


def _styles_apart() -> list[Path]:
    return [path for path in _styles() if path.stem in _APART]


def _load_apart(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Let a page load the scripts, and their styles, whose marks it has, and none twice.

    The configuration of thebe comes twice, and a second ``const`` of one name is an error. All
    files wait until the page is read, but the options, which scripts within the page set.
    """
    scripts = context["script_files"]
    scripts[:] = {one.attributes.get("body", one): one for one in scripts}.values()
    for script in scripts:
        if script.filename and "documentation_options" not in str(script.filename):
            script.attributes.setdefault("defer", "defer")
    if tree is None:
        return
    marks = [raw.astext() for raw in tree.findall(nodes.raw)]
    marks += [" ".join(node["classes"]) for node in tree.findall(nodes.container)]
    for name, wanted in _APART.items():
        if any(mark in text for mark in wanted for text in marks):
            # After live.js, whose store they use.
            app.add_js_file(f"{name}.js", loading_method="defer", priority=600)
            if name in {path.stem for path in _styles_apart()}:
                app.add_css_file(f"{name}.css")


def _load_fonts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Let a page load the fonts: as files, or from within a style sheet."""
    context["metatags"] = context.get("metatags", "") + _FONTS_OF_PAGE.format(
        fonts=context["pathto"]("_static/fonts", resource=True)
    )


def _fonts(*, within: bool) -> str:
    """Return the rules of the fonts, which name their files or have them within."""
    rules = []
    for file, (family, style) in _FONTS.items():
        source = f"fonts/{file}"
        if within:
            font = (book.BOOK / "_static/fonts" / file).read_bytes()
            source = f"data:font/woff2;base64,{b64encode(font).decode()}"
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: 200 900; '
            f"font-display: swap; unicode-range: {_LATIN}; "
            f'src: url("{source}") format("woff2"); }}'
        )
    return "\n".join(rules)


def _drop_icons(html: Path) -> None:
    """Take from the theme's script the icons that no page shows: 1.4 of its 1.5 MB."""
    script = html / "_static/scripts/fontawesome.js"
    shown: set[str] = set()
    for path in [*html.rglob("*.html"), *script.parent.glob("*theme.js")]:
        shown |= set(re.findall(r"\bfa-([a-z0-9-]+)", path.read_text("utf-8")))

    def kept(icon: re.Match[str]) -> str:
        names = {icon[1], *re.findall(r'"([a-z0-9-]+)"', icon[2])}
        return icon[0] if names & shown else ""

    script.write_text(_ICON.sub(kept, script.read_text("utf-8")), "utf-8")


def _write_if_new(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _course(sizes: dict[str, int]) -> dict[str, Any]:
    """Return what every page knows of the course; a widget's model has so many bytes."""
    chapters = [
        {
            "slug": slug,
            "title": title_of(slug),
            "exercises": list(catalog.chapters[slug]),
        }
        for slug in catalog.chapters
    ]
    return {
        "python": runtime.problem() is None,
        "modelSizes": {name: round(size / 1e6, 1) for name, size in sizes.items()},
        "chapters": chapters,
        "starters": starters(),
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Write what the pages load."""
    app.connect("env-get-updated", _drop_numbers, priority=900)
    app.connect("html-page-context", _load_apart)
    app.connect("html-page-context", _load_fonts)
    app.connect("build-finished", _write_files)
    app.add_js_file("live.js", loading_method="defer")
    app.add_css_file("live.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
