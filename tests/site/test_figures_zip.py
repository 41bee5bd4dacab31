"""The zip of figures: what is taken from the cache of the build, and what is said of it."""

import json
import zipfile
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache

from tests.site.built_pages import HTML
from tests.site.chromium import needs_chromium
from tests.site.sources import CHAPTERS
from tests.site.sources import figures as declared
from tools import figures
from tools.book import BookError

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="60pt" height="30pt">'
    '<rect width="60pt" height="30pt" fill="#A95500"/></svg>'
)
RECTANGLE, REST = SVG[: SVG.index("/>") + 2], "</svg>"
CIRCLE = '<circle r="9pt"/>'
STEPS = json.dumps(
    {
        "parts": [RECTANGLE, REST, CIRCLE],
        "frames": [[0, 1], [0, 2, 1]],
        "steps": ["first", "last"],
        "interval": 900,
    }
)
ANIMATION = (
    '<figure class="attn-animation" id="a"><figcaption>Sums &amp; parts: one by one.'
    f"</figcaption><script>\nconst {{parts}} = {STEPS};\n</script></figure>"
)


def shown(kind, data):
    return nbformat.v4.new_output("display_data", data={kind: data})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a book of one notebook, which has been executed."""
    new = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    drawn, moving = (
        nbformat.v4.new_code_cell("draw(load_digits())"),
        nbformat.v4.new_code_cell("animate()"),
    )
    drawn.metadata["mystnb"] = {"figure": {"name": "fig-curve"}}
    caption = nbformat.v4.new_markdown_cell(
        "**Figure.** The *curve* of [a term](glossary.md#term) and $a^*$."
    )
    caption.id = "fig-curve-caption"
    title = nbformat.v4.new_markdown_cell("# A chapter")
    new.cells = [title, drawn, caption, moving]
    (tmp_path / "book").mkdir()
    nbformat.write(new, tmp_path / "book" / "one.ipynb")
    (tmp_path / "_toc.yml").write_text("root: book/one\nparts: []\n")
    config = {
        "title": "The book",
        "author": "Its authors",
        "repository": {"url": "https://example.org/book", "branch": "main"},
    }
    (tmp_path / "_config.yml").write_text(json.dumps(config))
    drawn.outputs, moving.outputs = (
        [shown("image/svg+xml", SVG)],
        [shown("text/html", ANIMATION)],
    )
    nbformat.write(new, tmp_path / "executed.ipynb")
    cache = get_cache(tmp_path / "_build" / ".jupyter_cache")
    cache.cache_notebook_file(
        str(tmp_path / "executed.ipynb"), check_validity=False
    )
    return tmp_path


@needs_chromium
def test_a_figure_is_there_as_svg_and_png_and_each_step_of_an_animation(root):
    output = root / "out" / "figures.zip"
    assert figures.write(output, root / "_build", root) == 3
    with zipfile.ZipFile(output) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert set(content) == {
        "CREDITS.txt",
        "one/curve.svg",
        "one/curve.png",
        "one/sums-parts-1.svg",
        "one/sums-parts-1.png",
        "one/sums-parts-2.svg",
        "one/sums-parts-2.png",
    }
    assert content["one/curve.svg"].decode() == SVG
    assert content["one/sums-parts-2.svg"].decode() == RECTANGLE + CIRCLE + REST
    assert content["one/sums-parts-1.png"] == content["one/curve.png"]
    assert content["one/sums-parts-2.png"] != content["one/curve.png"]
    # 60 by 30 points are 80 by 40 pixels; three times as many each way.
    header = content["one/curve.png"][16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (240, 120)
    assert list(output.parent.iterdir()) == [output]


def test_the_credits_say_what_each_shows_where_it_is_from_and_its_license(root):
    path = root / "book" / "one.ipynb"
    said = figures.credits_of(
        {path: figures.figures_of(path, root / "_build")}, root
    )
    for line in (
        "Figures of The book, version ",
        "by Its authors, https://example.org/book",
        "License: CC BY 4.0",
        "https://example.org/book/blob/main/book/one.ipynb",
        "Optical Recognition of Handwritten Digits",
        "one/curve.svg, .png\n    The curve of a term and $a^*$.",
        "one/sums-parts-2.svg, .png\n    Sums & parts: one by one. Step 2 of 2: last",
    ):
        assert line in said
    assert "photographs" not in said


def test_a_notebook_that_was_not_executed_as_it_is_is_told(root, capsys):
    path = root / "book" / "one.ipynb"
    with pytest.raises(BookError, match="there is no .*: run `make book` first"):
        figures.figures_of(path, root / "nothing")
    path.write_text(path.read_text().replace("animate()", "animate(1)"))
    with pytest.raises(BookError, match="one.ipynb has changed since it was exec"):
        figures.figures_of(path, root / "_build")
    assert figures.main(["--build", str(root / "nothing")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tools.figures: there is no ")
    assert not (root / "nothing").exists()


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_figure_of_a_chapter_is_there_and_is_a_drawing(html, path):
    found = figures.figures_of(path, HTML.parent)
    names = {figure.name.split("/")[1] for figure in found}
    for figure in declared(path):
        assert figure["figure"]["name"].removeprefix("fig-") in names
    for figure in found:
        assert figure.caption
        assert b"<path" in figure.svg or b"<text" in figure.svg
