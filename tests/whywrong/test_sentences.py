"""The engine's sentences stand in tables: each is read, under a name of its own."""

import importlib
import pkgutil
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
    folder, n = Path(whywrong.__file__).parent, 0
    for module in pkgutil.iter_modules([str(folder)]):
        source = (folder / f"{module.name}.py").read_text("utf-8")
        for table in re.findall(
            r'^_SAID = Sentences\("""\n(.*?)"""\)', source, re.M | re.S
        ):
            said = importlib.import_module(f"whywrong.{module.name}")._SAID
            assert len(said) == len(re.findall(r"^\S", table, re.M)), module.name
            n += len(said)
    assert n > 80
