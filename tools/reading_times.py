"""Say at the top of every chapter how long it takes to read: its core, and its starred sections.

A section whose heading ends in ★ can be left out at first reading; it reaches to the next heading
of its own level or a higher one. What is outside is the core. One rule for all: 180 words a minute,
4 seconds a visible line of code, 20 seconds a question, rounded up. A cell with the tag
``hide-input`` is folded on the page, and its output is not; one that begins with ``# Ask:`` asks
the reader something. What `show_source` prints is read, too.

Run as ``python -m tools.reading_times``, it writes the lines and prints the counts; with slugs, for
these chapters only. With ``--check`` it writes nothing and exits with 1 if a line is not the one it
would write.
"""

import argparse
import ast
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import book
from whywrong.source import show_source

__all__ = ["Passage", "ReadingTime", "passages", "reading_time", "with_time"]

STAR = " ★"
WORDS_A_MINUTE, LINES_A_MINUTE, QUESTIONS_A_MINUTE = 180, 15, 3

_HEADING = re.compile(r"^(?P<marks>#{1,6}) (?P<title>.+)$")
_LINE = re.compile(r"^\*\*Reading time\.\*\* .*$", re.M)
# Comments, display formulas, fences, their options, tags and addresses hold no words.
_NO_WORDS = re.compile(
    r"<!--.*?-->|\$\$.*?\$\$(?: \([\w-]+\))?|^:::+(?:\{[^}]*\})?|^:\w+:[^\n]*$"
    r"|</?\w+[^>]*>|(?<=\])\([^)]*\)",
    re.M | re.S,
)
_INLINE = re.compile(r"\$[^$]*\$|`[^`]*`")
_FOLDED = {"hide-input", "remove-cell", "remove-input"}


@dataclass(frozen=True)
class Passage:
    """A code cell, or a piece of text below one heading; `starred` says that it is no core."""

    kind: str
    source: str
    tags: tuple[str, ...]
    starred: bool


@dataclass(frozen=True)
class ReadingTime:
    """How much there is to read: words, visible lines of code, and questions."""

    words: int
    lines: int
    questions: int = 0

    @property
    def minutes(self) -> int:
        """The time it takes, rounded up."""
        return math.ceil(
            self.words / WORDS_A_MINUTE
            + self.lines / LINES_A_MINUTE
            + self.questions / QUESTIONS_A_MINUTE
        )


def passages(notebook: dict[str, Any]) -> Iterator[Passage]:
    """Cut a notebook at its headings, and say of each piece whether it is in a starred section."""
    starred_at = (
        0  # the level of the starred heading that we are below, 0 if there is none
    )
    for cell in notebook["cells"]:
        tags = tuple(cell["metadata"].get("tags", ()))
        if cell["cell_type"] != "markdown":
            yield Passage(cell["cell_type"], cell["source"], tags, starred_at > 0)
            continue
        for piece in re.split(r"^(?=#{1,6} )", cell["source"], flags=re.M):
            if heading := _HEADING.match(piece.split("\n")[0]):
                level = len(heading["marks"])
                if level <= starred_at:
                    starred_at = 0
                if heading["title"].endswith(STAR) and not starred_at:
                    starred_at = level
            if piece.strip():
                yield Passage("markdown", piece, tags, starred_at > 0)


def reading_time(notebook: dict[str, Any], *, starred: bool) -> ReadingTime:
    """Count what there is to read in the core of a notebook, or in its starred sections."""
    words = lines = questions = 0
    imports: dict[str, str] = {}
    for passage in passages(notebook):
        is_code = passage.kind == "code"
        if is_code:
            imports |= _imports(passage.source)
        if passage.starred != starred:
            continue
        if is_code:
            shown = _shown(passage, imports)
            lines += sum(bool(line.strip()) for line in shown.splitlines())
            questions += passage.source.startswith("# Ask: ")
        elif passage.kind == "markdown":
            words += _words(passage.source)
    return ReadingTime(words, lines, questions)


def _shown(cell: Passage, imports: dict[str, str]) -> str:
    """Return the code that a cell shows: its own where it is open, and what it prints."""
    shown = "" if _FOLDED & set(cell.tags) else cell.source
    for function in re.findall(r"^show_source\((.+)\)$", cell.source, re.M):
        names: dict[str, Any] = {}
        exec(imports[function.split(".")[0]], names)
        shown += "\n" + show_source(eval(function, names)).code
    return shown


def _imports(source: str) -> dict[str, str]:
    """Return the statements by which a cell imports its names."""
    tree = ast.parse(re.sub(r"^(\s*)[!%].*", r"\1pass", source, flags=re.M))
    return {
        alias.asname or alias.name: ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }


def _words(text: str) -> int:
    """Count the words of a text; a formula within a sentence is one."""
    text = _INLINE.sub(" formula ", _NO_WORDS.sub(" ", text))
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def sentence(notebook: dict[str, Any]) -> str:
    """Return the line that says how long a chapter takes."""
    core = reading_time(notebook, starred=False)
    depth = reading_time(notebook, starred=True)
    said = f"**Reading time.** About {core.minutes} minutes."
    if depth.words:
        said += (
            f" The sections marked ★ can wait; they take another {depth.minutes}."
        )
    return said


def with_time(path: Path) -> str:
    """Return a chapter's text with the line that says how long it takes; errors name the file."""
    notebook = book.read(path)
    found = [c for c in notebook["cells"] if _LINE.search(c["source"])]
    if len(found) != 1 or found[0]["cell_type"] != "markdown":
        raise book.BookError(
            f"{path}: expected one line that begins with `**Reading time.** `, found {len(found)}"
        )
    found[0]["source"] = _LINE.sub(sentence(notebook), found[0]["source"])
    return book.as_text(notebook)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.reading_times", description=__doc__
    )
    parser.add_argument("chapter", nargs="*", help="all of them, if none is named")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; fail where a time is outdated",
    )
    given = parser.parse_args(arguments)
    slugs = given.chapter or book.chapters()
    if unknown := {*slugs} - {*book.chapters()}:
        parser.error(
            f"no chapter: {', '.join(unknown)}; there are {', '.join(book.chapters())}"
        )
    outdated = False
    for slug in slugs:
        path = book.BOOK / f"{slug}.ipynb"
        text = with_time(path)
        notebook = book.read(path)
        for part, starred in (("core", False), ("starred", True)):
            time = reading_time(notebook, starred=starred)
            print(
                f"{slug:14} {part:8} {time.words:5} words {time.lines:3} visible lines"
                f" {time.questions:2} questions {time.minutes:3} minutes"
            )
        if text != path.read_text("utf-8"):
            outdated = True
            if not given.check:
                path.write_text(text, "utf-8")
    return int(given.check and outdated)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
