"""The figures in one file: ``python -m tools.figures`` writes ``_build/figures.zip``.

The notebooks' outputs are taken from the cache of the build, so that nothing is executed. A figure
is there as the SVG that its cell shows, and as a PNG that Chromium draws from it; so is each step
of an animation. ``CREDITS.txt`` has for each the caption, the source and the license.
"""

import base64
import html
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import yaml
from jupyter_cache import get_cache
from tqdm import tqdm

from course_attn import __version__
from tools import book, chromium
from tools.book import BookError
from tools.built import BUILD, options, run
from whywrong.files import write_whole

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["Figure", "credits_of", "figures_of", "main", "write"]

NAME = "figures.zip"
CAPTION = "**Figure.** "
_PIXELS_A_PIXEL = 3
_WORDS_OF_A_NAME = 6
# What a chapter's code calls, and whom to thank for what then may be in its figures.
_DATA = {
    "load_sample_image(": (
        "The photographs are those of scikit-learn, under CC BY 2.0"
        " (https://creativecommons.org/licenses/by/2.0/): china.jpg by danielbuechele"
        " (https://www.flickr.com/photos/danielbuechele/6061409035/), flower.jpg by vultilion"
        " (https://www.flickr.com/photos/vultilion/6056698931/); cut and changed here."
    ),
    "load_digits(": (
        "The digits are from the Optical Recognition of Handwritten Digits Data Set by E. Alpaydin"
        " and C. Kaynak (UCI Machine Learning Repository, CC BY 4.0), as scikit-learn has it."
    ),
}


@dataclass(frozen=True)
class Figure:
    """A figure, or a step of an animation: where it goes, what it is, what is said of it."""

    name: str
    svg: bytes
    caption: str


# What the notebooks show


def figures_of(path: Path, build: Path = BUILD) -> list[Figure]:
    """Return the figures of a notebook in their order, from its outputs in the build's cache."""
    source = book.read(path)
    executed = _executed(path, build)
    captions = {
        cell["id"].removesuffix("-caption"): cell["source"].removeprefix(CAPTION)
        for cell in source["cells"]
        if cell["source"].startswith(CAPTION)
    }
    found: list[Figure] = []
    for cell, ran in zip(source["cells"], executed["cells"], strict=True):
        name = cell["metadata"].get("mystnb", {}).get("figure", {}).get("name")
        outputs = [output.get("data", {}) for output in ran.get("outputs", ())]
        pictures = [
            data["image/svg+xml"] for data in outputs if "image/svg+xml" in data
        ]
        label = (name or cell["id"]).removeprefix("fig-")
        for k, picture in enumerate(pictures, start=1):
            ending = f"-{k}" if len(pictures) > 1 else ""
            caption = _plain(captions.get(name, ""))
            found.append(
                Figure(f"{path.stem}/{label}{ending}", picture.encode(), caption)
            )
        for data in outputs:
            found += _steps(path.stem, data.get("text/html", ""))
    names = [figure.name for figure in found]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise BookError(f"{path} has figures of the same name: {sorted(repeated)}")
    return found


def _label(caption: str) -> str:
    """Return a name for what has none, from the first words of its caption."""
    sentence = re.split(r"[.:;]", caption)[0]
    return "-".join(re.findall(r"\w+", sentence.lower())[:_WORDS_OF_A_NAME])


def _executed(path: Path, build: Path) -> dict[str, Any]:
    """Return a notebook with its outputs."""
    folder = build / ".jupyter_cache"
    if not folder.is_dir():
        raise BookError(f"there is no {folder}: run `make book` first")
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    try:
        return get_cache(folder).merge_match_into_notebook(notebook)[1]
    except KeyError:
        raise BookError(
            f"{path} has changed since it was executed: run `make book` first"
        ) from None


def _steps(slug: str, page: str) -> Iterator[Figure]:
    """Yield the steps of an animation, if this is one."""
    if '<figure class="attn-animation"' not in page:
        return
    data = json.loads(re.search(r"= (\{\"parts\".*\});$", page, re.M)[1])
    caption = re.search(r"<figcaption>(.*?)</figcaption>", page, re.S)[1]
    caption = html.unescape(caption)
    total = len(data["frames"])
    for k, (frame, said) in enumerate(
        zip(data["frames"], data["steps"], strict=True), start=1
    ):
        svg = "".join(data["parts"][number] for number in frame)
        name = f"{slug}/{_label(caption)}-{k:0{len(str(total))}}"
        yield Figure(name, svg.encode(), f"{caption} Step {k} of {total}: {said}")


def _plain(caption: str) -> str:
    """Return a caption without the marks of markdown; formulas stay as they are typed."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(caption.split()))
    return re.sub(r"(\$[^$]*\$)|<[^>]+>|\*+", lambda found: found[1] or "", text)


# What is said of them


def credits_of(found: dict[Path, list[Figure]], root: Path = book.ROOT) -> str:
    """Return the text that says for each figure what it shows, where it is from and its license."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    address = config["repository"]["url"]
    lines = [
        f"Figures of {config['title']}, version {__version__}",
        f"by {config['author']}, {address}",
        "License: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). Share and adapt them",
        "for any purpose, with credit.",
    ]
    for path, figures in found.items():
        place = path.relative_to(root).as_posix()
        branch = config["repository"]["branch"]
        lines += ["", "", book.title(path), f"{address}/blob/{branch}/{place}"]
        code = "\n".join(cell["source"] for cell in book.cells(path, "code"))
        lines += [credit for call, credit in _DATA.items() if call in code]
        for figure in figures:
            lines += [
                "",
                figure.name + ".svg, .png",
                *([f"    {figure.caption}"] if figure.caption else []),
            ]
    return "\n".join(lines) + "\n"


# The file


def write(output: Path, build: Path = BUILD, root: Path = book.ROOT) -> int:
    """Write all figures and their credits into a zip, and return how many pictures they are.

    The file appears when it is whole.
    """
    from playwright.sync_api import sync_playwright

    chrome = chromium.needed()
    notebooks = [path for path in book.pages(root) if path.suffix == ".ipynb"]
    found = {path: figures_of(path, build) for path in notebooks}
    found = {path: figures for path, figures in found.items() if figures}
    content = io.BytesIO()
    with sync_playwright() as playwright, zipfile.ZipFile(content, "w") as archive:
        browser = playwright.chromium.launch(
            executable_path=chrome, args=chromium.ARGUMENTS
        )
        page = browser.new_page(device_scale_factor=_PIXELS_A_PIXEL)
        _add(archive, "CREDITS.txt", credits_of(found, root).encode())
        figures = [figure for of_page in found.values() for figure in of_page]
        for figure in tqdm(figures, unit="figure", disable=None):
            _add(archive, figure.name + ".svg", figure.svg)
            _add(archive, figure.name + ".png", _png(page, figure.svg))
        browser.close()
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, content.getvalue())
    return len(figures)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed date: the same figures give the same file.
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _png(page: "Page", svg: bytes) -> bytes:
    """Draw an SVG as large as it wants to be, in three times as many pixels."""
    data = base64.b64encode(svg).decode()
    page.set_content(
        '<body style="margin: 0">'
        f'<img style="display: block" src="data:image/svg+xml;base64,{data}">'
    )
    picture = page.locator("img")
    picture.evaluate("picture => picture.decode()")
    return picture.screenshot()


def main(arguments: list[str]) -> int:
    given = options("figures", "Put all figures into one zip.", NAME).parse_args(
        arguments
    )
    output = given.output or given.build / NAME

    def work() -> str:
        number = write(output, given.build)
        return f"{output}: {number} pictures, {output.stat().st_size / 1e6:.1f} MB"

    return run("figures", work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
