"""What makes the pages live: exercises that are checked on the page, and the script of all pages.

On an exercise page the stub becomes a place to write in, with what the page's script needs to know
beside it; nbgrader's marks and the cells that only a notebook can run are left out. When the book
is built, the scripts of ``book/_live`` are joined to one file, and Python and the course's packages
are put beside the pages, to be loaded when a reader asks for them; so are the kept language model
and the script that runs it. Where ``.runtime`` does not hold Python (see ``tools/runtime.py``), the
pages say where the exercises can be run.
"""

import base64
import gzip
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from book._extensions.worked_example import worked_example
from course_attn.checking.facts import facts_of
from course_attn.checking.picture import picture
from course_attn.classroom.notebooks import NOTEBOOK_ONLY, stub
from course_attn.exercises import catalog
from course_attn.figures.live.joined import joined, without_comments
from course_attn.weights import Kept, load
from tools import book, runtime
from tools.exercise_notebooks import title_of, with_exercises

__all__ = [
    "ExercisePages",
    "model_script",
    "packages_script",
    "python_script",
    "scripts_apart",
    "setup",
    "writing_script",
]

_LIVE = book.BOOK / "_live"
_SCRIPTS = ("exercise", "predict", "progress", "scratch", "writing")
# Scripts, with a style of that name, that only a page with one of these marks loads.
_APART = {
    "panel": ("attn-progress", "chapter-map"),
    "cards": ("attn-deck", "attn-session"),
}
_PAGES = "book/exercises/"
# The packages that Python on the page needs beside NumPy, without what it never imports.
_PACKAGES = ("course_attn", "jaxtyping", "wadler_lindig")
_LEFT_OUT = {
    *("in_torch", "figures", "train", "kept", "benchmark_results", "__pycache__"),
    *("classroom", "grade"),
    *("facts.py", "lines.py", "parsons.py", "weights.py"),  # for the build only
}


class ExercisePages(SphinxTransform):
    """Turns the cells of an exercise notebook into what its page shows."""

    default_priority = 300

    def apply(self) -> None:
        """Replace the cells, if this is a page of exercises."""
        if not self.env.docname.startswith(_PAGES):
            return
        slug = self.env.docname.removeprefix(_PAGES)
        self.env.note_dependency(str(Path(__file__)))
        for section in list(self.document.findall(nodes.section)):
            name = section.next_node(nodes.title).astext()
            if name in catalog.chapters[slug]:
                self.env.note_dependency(str(_file_of(name)))
                _show_exercise(section, slug, name)
        for cell in list(self.document.findall(nodes.container)):
            if {"tag_check", "tag_imports"} & set(cell["classes"]):
                cell.parent.remove(cell)
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if paragraph.astext().startswith(NOTEBOOK_ONLY):
                paragraph.parent.remove(paragraph)
        last = list(self.document.findall(nodes.section))[-1]
        last += _raw('<div class="attn-progress"></div>')


def _file_of(name: str) -> Path:
    return Path(find_spec(catalog.modules[name]).origin)


def _show_exercise(section: nodes.section, slug: str, name: str) -> None:
    """Put the stub and what belongs to it in the place of the answer's cell."""
    cell = next(
        part
        for part in section.findall(nodes.container)
        if "tag_exercise" in part["classes"]
    )
    given = _facts(name)
    code = nodes.literal_block(given["stub"], given["stub"], language="python")
    known = {
        key: given[key]
        for key in (
            "name", "chapter", "library", "stub", "hints", "solution", "parsons",
        )
    }  # fmt: skip
    data = json.dumps(known, ensure_ascii=False).replace("<", "\\u003c")
    answer = nodes.container("", code, classes=["attn-answer"])
    ways = _raw(_elsewhere(slug, given["library"]))
    cell.replace_self(
        [
            _raw(worked_example(catalog.find(name))),
            _raw(f'<div class="attn-exercise" data-exercise="{name}">'),
            *([ways, answer] if given["library"] == "torch" else [answer, ways]),
            _raw(
                f'<script type="application/json" class="attn-data">{data}</script></div>'
            ),
        ]
    )
    section.insert(1, _raw(_meta(given)))


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


@cache
def _facts(name: str) -> dict[str, Any]:
    """Return what the page says and knows of an exercise."""
    task = catalog.find(name)
    marks = re.compile(r"^ *# (?:BEGIN|END) SOLUTION\n", re.M)
    given = marks.sub("", stub(task.solution)).strip()
    return facts_of(task, catalog) | {"stub": given}


def _meta(given: dict[str, Any]) -> str:
    """Say how hard an exercise is, how long it takes, and what it prepares."""
    said = [given["level"].capitalize(), f"about {given['minutes']} minutes"]
    if given["library"] == "torch":
        said.append("PyTorch")
    links = [_link_to(other, given["chapter"]) for other in given["prepares"][:3]]
    if links:
        said.append(f"prepares {' and '.join(links)}")
    solved = '<span class="attn-solved-at"></span>'
    return f'<p class="attn-meta">{" · ".join(said)}{solved}</p>'


def _link_to(name: str, here: str) -> str:
    slug = next(slug for slug, names in catalog.chapters.items() if name in names)
    page = "" if slug == here else f"{slug}.html"
    return f'<a href="{page}#{nodes.make_id(name)}"><code>{name}</code></a>'


def _elsewhere(slug: str, library: str) -> str:
    """Say where an exercise can be run and checked, with links that open its notebook."""
    address = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    url, branch = address["repository"]["url"], address["repository"]["branch"]
    path = f"book/exercises/{slug}.ipynb"
    colab = (
        "https://colab.research.google.com/github/"
        f"{url.removeprefix('https://github.com/')}/blob/{branch}/{path}"
    )
    lab = f"http://localhost:8888/lab/tree/exercises/{slug}.ipynb"
    why = (
        "This exercise needs PyTorch, which does not run in a browser: hints, lines and the "
        "solution are here; write and check it"
        if library == "torch"
        else "Write and check this exercise in its notebook,"
    )
    return (
        f'<p class="attn-elsewhere">{why} in <a href="{escape(colab)}">Colab</a>, or in a copy of '
        f'the course: run <code>make lab</code>, then open <a href="{lab}">this notebook in '
        "JupyterLab</a>.</p>"
    )


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


# --- files beside the pages -----------------------------------------------------------------------


def _write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the pages' script and style, and Python, to where the pages find them."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    live = static / "live"
    live.mkdir(exist_ok=True)
    model = {"model": model_script(load("gpt")), "writing_model": writing_script()}
    for name, text in model.items():
        _write_if_new(live / f"{name}.js", text)
    scripts = [_LIVE / f"{name}.js" for name in _SCRIPTS]
    size = sum(len(text.encode()) for text in model.values())
    facts = json.dumps(_course(size), ensure_ascii=False, separators=(",", ":"))
    script = without_comments(joined(scripts))
    (static / "live.js").write_text(
        f"self.courseFacts={facts};\n{script}\n", "utf-8"
    )
    styles = [
        path.read_text("utf-8")
        for path in sorted(_LIVE.glob("*.css"))
        if path.stem not in _APART
    ]
    (static / "live.css").write_text("\n".join(styles), "utf-8")
    for name, text in scripts_apart().items():
        (static / f"{name}.js").write_text(text, "utf-8")
    for path in _styles_apart():
        shutil.copy(path, static)
    shutil.copytree(_LIVE / "vendor", static / "vendor", dirs_exist_ok=True)
    if runtime.problem() is None:
        _write_if_new(live / "python.js", python_script())
        _write_if_new(live / "packages.js", packages_script())


def scripts_apart() -> dict[str, str]:
    """Return the scripts that only some pages load, by their names."""
    texts = {
        name: f"{without_comments(joined(_LIVE / f'{name}.js'))}\n"
        for name in _APART
    }
    drawn = json.dumps(picture(catalog.chapters, ()))
    return texts | {"panel": f"self.coursePicture={drawn};\n{texts['panel']}"}


def _styles_apart() -> list[Path]:
    return [path for path in sorted(_LIVE.glob("*.css")) if path.stem in _APART]


def _load_apart(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Let a page load the scripts, and their styles, whose marks it has."""
    if tree is None:
        return
    marks = [raw.astext() for raw in tree.findall(nodes.raw)]
    marks += [" ".join(node["classes"]) for node in tree.findall(nodes.container)]
    for name, wanted in _APART.items():
        if any(mark in text for mark in wanted for text in marks):
            # After live.js, whose store they use.
            app.add_js_file(f"{name}.js", loading_method="defer", priority=600)
            if (_LIVE / f"{name}.css") in _styles_apart():
                app.add_css_file(f"{name}.css")


def _write_if_new(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _course(model_size: int) -> dict[str, Any]:
    """Return what every page knows of the course; its model has so many bytes."""
    chapters = [
        {
            "slug": slug,
            "title": title_of(slug),
            "exercises": list(catalog.chapters[slug]),
        }
        for slug in with_exercises()
    ]
    starters = json.loads((_LIVE / "starters.json").read_text("utf-8"))
    return {
        "python": runtime.problem() is None,
        "modelSize": round(model_size / 1e6, 1),
        "chapters": chapters,
        "starters": starters,
    }


def model_script(kept: Kept) -> str:
    """Return a kept language model as a script: its numbers in 16 bits each, as they are kept."""
    halves = {name: array.astype("<f2") for name, array in kept.params.items()}
    data = b"".join(array.tobytes() for array in halves.values())
    content = {
        "config": kept.config,
        "characters": kept.characters,
        "arrays": [[name, list(array.shape)] for name, array in halves.items()],
        "data": base64.b64encode(data).decode(),
    }
    return f"self.courseModel={json.dumps(content, separators=(',', ':'))};\n"


def writing_script() -> str:
    """Return the script that runs the language model on what a reader types."""
    return joined(_LIVE / "writing_model.js") + "\n"


def python_script() -> str:
    """Return Python, NumPy and the worker that runs them as a script, so that a folder will do."""
    files = {}
    for name in runtime.FILES:
        content = (runtime.FOLDER / name).read_bytes()
        if Path(name).suffix in (".mjs", ".wasm"):  # the others are packed
            name, content = f"{name}.gz", gzip.compress(content, 9, mtime=0)
        files[name] = base64.b64encode(content).decode()
    worker = (_LIVE / "worker.js").read_text("utf-8")
    notice = (_LIVE / "vendor/PYTHON-LICENSES.txt").read_text("utf-8")
    content = json.dumps({"worker": worker, "files": files})
    return f"/*!\n{notice}*/\nself.courseRuntime={content};\n"


def packages_script() -> str:
    """Return the course's package, and what it needs, as a script."""
    packed = io.BytesIO()
    with zipfile.ZipFile(
        packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9
    ) as archive:
        for path, name in _modules():
            # A fixed date: the same packages give the same file.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    text = base64.b64encode(packed.getvalue()).decode()
    return f'self.coursePackages="{text}";\n'


def _modules() -> Iterator[tuple[Path, str]]:
    """Yield the files of the packages, their licenses among them, with their places."""
    for package in _PACKAGES:
        folder = Path(find_spec(package).origin).parent
        licenses = folder.parent.glob(f"{package}-*.dist-info/licenses/*")
        for path in [*sorted(folder.rglob("*.py")), *sorted(licenses)]:
            inside = path.relative_to(folder.parent)
            if not _LEFT_OUT & set(inside.parts):
                yield path, inside.as_posix()


def setup(app: Sphinx) -> dict[str, bool]:
    """Turn exercise pages live, and write what they load."""
    app.add_transform(ExercisePages)
    app.connect("env-get-updated", _drop_numbers, priority=900)
    app.connect("html-page-context", _load_apart)
    app.connect("build-finished", _write_files)
    app.add_js_file("live.js", loading_method="defer")
    app.add_css_file("live.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
