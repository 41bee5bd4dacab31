"""Two notebooks in a real JupyterLab, as a learner has it after `make lab`.

Needs Chromium and JupyterLab; skipped without them.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import pytest

from course_attn.exercises import catalog
from tests.site.chromium import PATIENCE
from tools.book import BOOK, ROOT, markdown

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytest.importorskip("jupyterlab", reason="needs JupyterLab")
pytestmark = pytest.mark.slow

TOKEN = "a-token-for-the-tests"
SECONDS = PATIENCE / 1000
IN_BITS = """
def entropy(weights):
    return -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=-1)
"""
# What JupyterLab and its extensions report of themselves, we cannot help.
THEIRS = re.compile(r"/(static/lab|lab/extensions|static/notebook)/")
NOTEBOOK = ".jp-NotebookPanel:not(.lm-mod-hidden)"
KERNEL_IS_READY = """() =>
  window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === "idle"
"""
CODE_CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
  .filter((cell) => cell.type === "code").map((cell) => cell.toJSON())
"""
# An error ends the run: the cells below it keep no count.
HAS_RUN = f"""() => {{
  const cells = ({CODE_CELLS})();
  const failed = (output) => output.output_type === "error";
  return cells.every((cell) => cell.execution_count !== null)
    || cells.some((cell) => cell.outputs.some(failed));
}}"""


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a chapter, and with exercises of which two are answered."""
    folder = tmp_path_factory.mktemp("notebooks")
    chapter = (BOOK / "scores.ipynb").read_text("utf-8")
    (folder / "scores.ipynb").write_text(chapter, "utf-8")
    exercises = nbformat.read(BOOK / "exercises" / "softmax.ipynb", as_version=4)
    right = catalog.find("softmax").source
    for cell in exercises.cells:
        answers = {"softmax-answer": right, "entropy-answer": IN_BITS.strip()}
        cell.source = answers.get(cell.id, cell.source)
    nbformat.write(exercises, folder / "softmax.ipynb")
    return folder


@pytest.fixture(scope="module")
def lab(notebooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start JupyterLab with nobody's settings and without a word to the world; give its address."""
    home = tmp_path_factory.mktemp("jupyter")
    settings = home / "config/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    options = {
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "ServerApp.port": 0,
        "ServerApp.root_dir": notebooks,
        "IdentityProvider.token": TOKEN,
        "LabApp.expose_app_in_browser": True,
        "LabApp.extension_manager": "readonly",
        "LabApp.news_url": None,
    }
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"--{option}={value}" for option, value in options.items()]
    environment = os.environ | {
        "COURSE_ATTN_PROGRESS": "off",
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "PYTHONPATH": str(ROOT),
    }
    log = home / "log.txt"
    with (
        log.open("w") as said,
        subprocess.Popen(
            command, env=environment, stdout=said, stderr=said
        ) as server,
    ):
        try:
            yield address(server, home / "runtime", log)
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(SECONDS)
            server.kill()


def address(server: subprocess.Popen, folder: Path, log: Path) -> str:
    """Wait until a server has written down its address, and return it."""
    started = time.monotonic()
    while time.monotonic() - started < SECONDS and server.poll() is None:
        for file in folder.glob("jpserver-*.json"):
            with suppress(json.JSONDecodeError):  # half written
                return json.loads(file.read_text("utf-8"))["url"]
        time.sleep(0.1)
    pytest.fail(f"JupyterLab does not start:\n{log.read_text('utf-8')}")


@contextmanager
def ran(
    browser: "playwright.Browser", lab: str, notebook: str
) -> Iterator["playwright.Locator"]:
    """Open a notebook, run all its cells by the menu, and wait until they have run."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems = watched(page, lab)
    # A workspace of its own: else the tabs of the notebook before would come back.
    page.goto(f"{lab}lab/workspaces/{notebook}/tree/{notebook}.ipynb?token={TOKEN}")
    page.wait_for_function(KERNEL_IS_READY)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(HAS_RUN)
    outputs = [
        output for cell in page.evaluate(CODE_CELLS) for output in cell["outputs"]
    ]
    assert [o for o in outputs if o["output_type"] == "error"] == []
    yield page.locator(NOTEBOOK)
    assert problems == []
    context.close()


def watched(page: "playwright.Page", home: str) -> list[str]:
    """Return a list that takes up what goes wrong in a page, and what it asks of the world."""
    problems: list[str] = []

    def error(text: str, place: str) -> None:
        if not THEIRS.search(place):
            problems.append(f"{text} ({place})")

    def request(url: str) -> None:
        if not url.startswith((home, "data:", "blob:")):
            problems.append(f"foreign: {url}")

    page.on("pageerror", lambda raised: error(str(raised), raised.stack or ""))
    page.on(
        "console",
        lambda said: (
            said.type == "error" and error(said.text, said.location["url"])
        ),
    )
    page.on("request", lambda asked: request(asked.url))
    return problems


@pytest.mark.exhaustive
def test_a_chapter_runs_its_text_is_typeset_and_its_pictures_move(browser, lab):
    with ran(browser, lab, "scores") as notebook:
        text = markdown(BOOK / "scores.ipynb")
        prose = notebook.locator(".jp-MarkdownCell .myst")
        playwright.expect(prose.first).to_contain_text("Measuring relevance")
        playwright.expect(prose.last).to_contain_text(
            "the exercises of this chapter"
        )
        formulas = text.count("$$") // 2
        playwright.expect(prose.locator(".katex-display")).to_have_count(formulas)
        boxes = re.findall(r"^:::\{(?:admonition|prf:\w+)\}", text, re.M)
        playwright.expect(prose.locator("aside")).to_have_count(len(boxes))
        assert prose.locator(".katex-error").count() == 0
        said = "\n".join(prose.all_text_contents())
        assert not re.findall(r":::|\{\w+\}`|\$|<!--|index: ", said)
        assert not re.findall(r"[a-z]+(?:19|20)\d\d|bibliography\.md|#eq-", said)
        assert notebook.locator(".jp-OutputArea-output svg").count() >= 2
        animation = notebook.locator(".attn-animation").first
        step = animation.locator(".attn-step")
        playwright.expect(step).to_have_text(re.compile("^Step 1 of"))
        animation.get_by_role("slider").press("ArrowRight")
        playwright.expect(step).to_have_text(re.compile("^Step 2 of"))
        # What can be dragged takes the arrow keys, which else move from cell to cell.
        handle = notebook.locator(".attn-live .attn-handle").first
        before = handle.get_attribute("aria-valuetext")
        handle.press("ArrowRight")
        assert handle.get_attribute("aria-valuetext") != before
        playwright.expect(handle).to_be_focused()


def test_exercises_are_checked_on_the_spot(browser, lab):
    with ran(browser, lab, "softmax") as notebook:
        cards = notebook.get_by_role("status")
        right = cards.filter(has_text="Right: softmax")
        playwright.expect(right).to_have_text(re.compile("^✓ Right: softmax$"))
        wrong = cards.filter(has_text="Not yet")
        playwright.expect(wrong).to_have_text(
            re.compile("^✗ Not yet: entropy *You measure in bits")
        )
        untouched = cards.filter(has_text="Not attempted yet")
        playwright.expect(untouched).to_have_count(
            len(catalog.chapters["softmax"]) - 2
        )
