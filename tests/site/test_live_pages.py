"""What the built pages hold of the live part, before any script has run."""

import gzip
import hashlib
import json
import re
import tarfile
from contextlib import nullcontext

import pytest

from book._parts.exercise.on_page import ran
from book._parts.exercise.worked_example import worked_example
from book._parts.scratch.scratch import starters
from course_attn.exercises import catalog
from tests.site.built_pages import HTML, built_pages, page_of, soup
from tests.site.page_python import needs_runtime
from tests.site.sources import CHAPTERS
from tools import runtime
from tools.book import BOOK

SLUGS = list(catalog.chapters)
of_each_chapter = pytest.mark.parametrize("slug", SLUGS)
built = pytest.mark.usefixtures("html")


def exercise_page(slug):
    return soup(HTML / "book" / "exercises" / f"{slug}.html").select_one(
        ".bd-article"
    )


@built
@of_each_chapter
def test_an_exercise_page_has_a_place_for_each_answer(slug):
    article = exercise_page(slug)
    blocks = article.select(".attn-exercise")
    assert [block["data-exercise"] for block in blocks] == list(
        catalog.chapters[slug]
    )
    for block in blocks:
        facts = json.loads(block.select_one("script.attn-data").string)
        task = catalog.find(facts["name"])
        stub = block.select_one(".attn-answer pre").get_text()
        assert stub.strip() == facts["stub"] and "NotImplementedError" in stub
        assert facts["hints"] == list(task.hints)
        colab, lab = (link["href"] for link in block.select(".attn-elsewhere a"))
        assert colab.endswith(f"/book/exercises/{slug}.ipynb")
        assert lab.endswith(f"/exercises/{slug}.ipynb")
        needs_torch = (
            "needs PyTorch" in block.select_one(".attn-elsewhere").get_text()
        )
        assert needs_torch == (task.library == "torch")
        said = block.find_parent("section").select_one(".attn-meta").get_text()
        assert f"about {task.minutes} minutes" in said
        assert said.startswith(task.level.capitalize())


@built
@of_each_chapter
def test_an_exercise_page_shows_nothing_that_only_a_notebook_has(slug):
    text = exercise_page(slug).get_text()
    for left in (
        "BEGIN SOLUTION",
        "In this notebook",
        "import check,",
        "\nimport numpy",
    ):
        assert left not in text


@built
def test_pages_below_a_chapter_have_no_numbers():
    below = [page_of(BOOK / "exercises" / f"{slug}.ipynb") for slug in SLUGS]
    for page in [*below, page_of(BOOK / "learning.ipynb")]:
        assert not soup(page).select(".bd-article .section-number"), page
    assert soup(page_of(CHAPTERS[0])).select(".bd-article .section-number")
    links = soup(page_of(CHAPTERS[0])).select("nav a[href*='exercises/']")
    assert links and not any(
        re.search(r"\d+\.\d+", link.get_text()) for link in links
    )


@built
@of_each_chapter
def test_the_links_of_an_exercise_lead_somewhere(slug):
    for link in exercise_page(slug).select(".attn-meta a"):
        page, anchor = link["href"].split("#")
        folder = HTML / "book" / "exercises"
        target = soup(folder / (page or f"{slug}.html"))
        assert target.find(id=anchor), link["href"]


def packed(*names):
    return sum(
        len(gzip.compress((HTML / "_static" / name).read_bytes())) for name in names
    )


@built
def test_a_page_loads_little_before_the_reader_asks():
    assert packed("live.js", "live.css") < 28_000
    for page in built_pages():
        sources = [script.get("src", "") for script in soup(page).select("script")]
        assert not any(
            "static/live/" in s or "static/vendor/" in s for s in sources
        )


@built
def test_cards_and_progress_load_little_and_only_where_they_are():
    assert packed("cards.js", "cards.css") < 5_000
    assert packed("panel.js") < 6_000
    marks = {
        "cards": ".attn-deck, .attn-session",
        "panel": ".attn-progress, .chapter-map",
    }
    for page in built_pages():
        for name, mark in marks.items():
            loads = bool(soup(page).select(f'script[src*="_static/{name}.js"]'))
            assert loads == bool(soup(page).select(mark)), (page, name)


@built
@needs_runtime
def test_python_beside_the_pages_has_at_most_ten_megabytes():
    assert packed("live/python.js", "live/packages.js") < 10_000_000


@built
@needs_runtime
def test_python_beside_the_pages_comes_with_its_licenses():
    text = (HTML / "_static" / "live" / "python.js").read_text("utf-8")
    for name in (
        "Mozilla Public License",
        "PYTHON SOFTWARE FOUNDATION",
        "NumPy Developers",
    ):
        assert name in text[:6000]
    assert (HTML / "_static" / "vendor" / "LICENSES.txt").exists()


@needs_runtime
def test_a_damaged_runtime_is_told(tmp_path):
    for name in runtime.FILES:
        (tmp_path / name).write_bytes((runtime.FOLDER / name).read_bytes())
    assert runtime.problem(tmp_path) is None
    (tmp_path / "pyodide.mjs").write_text("something else")
    assert "pyodide.mjs is not the file" in runtime.problem(tmp_path)
    (tmp_path / "pyodide.mjs").unlink()
    assert "pyodide.mjs is not there" in runtime.problem(tmp_path)


def test_pyodides_own_package_comes_before_the_wheel(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "pyodide.mjs").write_text("code")
    (tmp_path / "package" / "README.md").write_text("words")
    with tarfile.open(tmp_path / "pyodide.tgz", "w:gz") as archive:
        archive.add(tmp_path / "package", "package")
    folder = tmp_path / "runtime"
    files = {"pyodide.mjs": hashlib.sha256(b"code").hexdigest()}
    monkeypatch.setattr(runtime, "FILES", files)
    monkeypatch.setattr(
        runtime.tempfile, "TemporaryDirectory", lambda: nullcontext(tmp_path)
    )
    assert runtime.fetch(folder) is None
    assert [path.name for path in folder.iterdir()] == ["pyodide.mjs"]


def test_a_runtime_that_cannot_be_fetched_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "nothing").as_uri())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert "pip could not fetch it" in runtime.fetch(tmp_path / "runtime")


STARTERS = starters()


def test_every_chapter_has_lines_to_try():
    assert set(STARTERS) == {path.stem for path in CHAPTERS} | {"learning"}


@pytest.mark.parametrize("slug", STARTERS)
def test_the_lines_to_try_run(slug):
    answer = ran(STARTERS[slug])
    assert answer["error"] is None and answer["values"]


def test_a_worked_example_shows_arguments_and_the_right_result():
    shown = worked_example(catalog.find("softmax"))
    assert "<code>scores</code> 2 × 3" in shown and "softmax(scores)" in shown
    assert shown.count("<td") == 12 and ">0.665<" in shown


def test_a_worked_example_is_left_out_where_it_would_not_help():
    assert worked_example(catalog.find("true_of_softmax")) == ""
    assert worked_example(catalog.find("attention_flops")) == ""


def test_most_functions_have_a_worked_example():
    shown = [name for name in catalog.modules if worked_example(catalog.find(name))]
    assert len(shown) >= 30
