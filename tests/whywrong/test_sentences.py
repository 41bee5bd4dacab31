"""The engine's sentences stand in tables: each is read, under a name of its own."""

import importlib
import re
from pathlib import Path

import whywrong
from whywrong.context import Sentences


def test_sentences_are_read_by_name_and_filled():
    table = Sentences("""
short: Say {what}.
two-words more: First line
    and `second`: {what!r}.
""")
    assert table.find("short", what=1).message == "Say 1."
    found = table.find("two-words more", what="x")
    assert found.faults == ("two-words",)
    assert found.message == "First line and `second`: 'x'."


def test_every_sentence_of_a_table_is_read():
    n = 0
    for file in Path(whywrong.__file__).parent.glob("*.py"):
        tables = re.findall(
            r'^_SAID = Sentences\("""\n(.*?)"""\)',
            file.read_text("utf-8"),
            re.M | re.S,
        )
        for table in tables:
            said = importlib.import_module(f"whywrong.{file.stem}")._SAID
            assert len(said) == len(re.findall(r"^\S", table, re.M)), file.name
            n += len(said)
    assert n > 80
