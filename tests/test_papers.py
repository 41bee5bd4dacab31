"""README.md, CONTRIBUTING.md and the pages of docs/: what they name and link is there."""

import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt

from tests.test_release import REPOSITORY, links
from tools.book import BOOK, ROOT, parts, title

README = ROOT / "README.md"
PAPERS = [README, ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
# A name in code is that of a file where it begins with one of ours.
OURS = {*"book course_attn docs tests tools whywrong benchmarks".split()}

every_paper = pytest.mark.parametrize(
    "path", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix()
)


def code(text: str) -> str:
    """Return what stands in the code of a text, in fences and within sentences."""
    to_do = MarkdownIt("commonmark").enable("table").parse(text)
    found = []
    while to_do:
        token = to_do.pop(0)
        to_do[:0] = token.children or []
        if token.type in ("fence", "code_inline"):
            found.append(token.content)
    return "\n".join(found)


def anchors(text: str) -> set[str]:
    """Return where links can lead within a text: its headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@every_paper
def test_links_lead_to_files_and_headings_that_exist(path: Path) -> None:
    for link in links(path.read_text("utf-8")):
        file, _, anchor = link.partition("#")
        if link.startswith("https://"):
            continue
        target = path.parent / file if file else path
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target.read_text("utf-8")), link


@every_paper
def test_files_that_are_named_exist(path: Path) -> None:
    """`<slug>` stands for some name."""
    names = re.findall(
        r"(?<![\w./<-])[\w.]+(?:/[\w.<>*-]*)*", code(path.read_text("utf-8"))
    )
    missing = [
        name
        for name in names
        if name.split("/")[0] in OURS
        if not [*ROOT.glob(re.sub(r"<\w+>", "*", name).rstrip("/."))]
    ]
    assert missing == []


@every_paper
def test_commands_that_are_named_exist(path: Path) -> None:
    text = code(path.read_text("utf-8"))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.search(r"^\.PHONY: (.+)$", makefile, re.M)[1].split())
    named = re.findall(r"^make (?:[A-Z_]+=\S+ )*([a-z ]+[a-z])", text, re.M)
    assert {target for line in named for target in line.split()} <= targets
    modules = re.findall(r"-m ((?:course_attn|tests|tools|whywrong)\b[\w.]*)", text)
    assert [name for name in modules if find_spec(name) is None] == []


def test_the_readme_links_the_published_book() -> None:
    """GitHub publishes a repository's pages at an address made of its owner and its name."""
    owner, name = urlsplit(REPOSITORY["url"]).path.strip("/").split("/")
    found = re.search(
        r"\*\*\[Read it here\.\]\((\S+)\)\*\*", README.read_text("utf-8")
    )
    assert found is not None
    assert found[1] == f"https://{owner}.github.io/{name}/"


def test_the_readme_lists_the_chapters() -> None:
    table = (
        README.read_text("utf-8").split("| Part | Chapters |")[1].split("\n\n")[0]
    )
    rows = re.findall(r"^\| (.+) \| (.+) \|$", table, re.M)
    assert [(part, titles.split(" · ")) for part, titles in rows] == [
        (part.caption, [title(BOOK / f"{slug}.ipynb") for slug in part.chapters])
        for part in parts()
    ]
