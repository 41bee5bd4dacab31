"""The engine's own page: its files are written and its commands run, from top to bottom."""

import re
from pathlib import Path

import pytest

import whywrong
from tests.whywrong.classroom.the_page import done
from tests.whywrong.elsewhere import installed
from whywrong.context import QUOTES

ENGINE = Path(whywrong.__file__).parent
PAGE = (ENGINE / "README.md").read_text("utf-8")
BLOCK = re.compile(r"(?:^([^\n]*)\n\n)?^```(\w+)\n(.*?)^```$", re.S | re.M)


@pytest.mark.slow
def test_each_block_runs_and_prints_what_stands_below_it(tmp_path):
    where, printed = installed(tmp_path), ""
    for above, kind, text in BLOCK.findall(PAGE):
        if kind == "python":  # the last file that is named above it
            path = tmp_path / re.findall(r"`([\w/]+\.py)`", above)[-1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif kind == "sh":
            allowed = text.replace(
                "whywrong.grade ", "whywrong.grade --trust-answers "
            )
            printed = done(f"set -e\n{allowed}", tmp_path, **where)
        elif kind == "text":
            assert printed.endswith(text)
        else:
            assert kind == "shell" and text.startswith("pip install ")


def test_words_of_sentences_are_all_explained():
    assert {*QUOTES} == set(re.findall(r"`\{x\.(\w+)\}`", PAGE))


def test_variables_are_all_explained():
    sources = "".join(path.read_text("utf-8") for path in ENGINE.rglob("*.py"))
    variables = r"\b(?:COURSE_ATTN|NBGRADER)_[A-Z]+\b"
    assert {*re.findall(variables, sources)} == {*re.findall(variables, PAGE)}
