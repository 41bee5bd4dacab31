"""Scripts: their own tests, which deno runs, and the bundles that pages carry."""

import re
from pathlib import Path

import pytest

from tests.support.scripts import bundled, needs_deno
from tools.book import ROOT
from tools.bundle import BundleError, NoBundler, bundle, bundle_path, entries, main
from tools.deno import deno
from whywrong.result import Result

PACKAGE, BOOK = ROOT / "course_attn", ROOT / "book"
TESTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in (PACKAGE, BOOK)
    for path in folder.rglob("*.test.js")
)


@needs_deno
@pytest.mark.parametrize("file", TESTS)
def test_a_script_passes_its_own_tests(file):
    options = ["--quiet", "--no-check", "--no-remote", "--allow-read"]
    done = deno("test", *options, str(ROOT / file))
    assert not done.returncode, done.stdout + done.stderr


def test_what_is_exported_says_its_types():
    """Editors and the checker read them from the comment before it."""
    for path in PACKAGE.rglob("*.js"):
        if path.name.endswith((".test.js", ".bundle.js")):
            continue
        source = path.read_text("utf-8")
        assert source.startswith("// @ts-check\n"), path.name
        for before, name in re.findall(
            r"(.*)\nexport (?:function|const) (\w+)", source
        ):
            assert before.strip().endswith("*/"), (path.name, name)


def test_the_styles_of_the_engines_cards_stay_on_a_page():
    """The page keeps what the engine writes, and no other style."""
    message = "One line.\n\n    a block\n\nA `name`."
    cards = [
        Result(status, message, name="f", printed="1", remarks=["A remark."])
        for status in ("right", "wrong", "crashed", "todo")
    ]
    html = "".join(card._repr_html_() for card in cards)
    styles = ";".join(re.findall(r"style=[\"']([^\"']*)", html)).split(";")
    script = (BOOK / "_parts/exercise/exercise.js").read_text("utf-8")
    kept = re.search(r"KEPT_DECLARATIONS = new Set\(\[(.*?)\]\)", script, re.S)[1]
    assert set(styles) == set(re.findall(r'"([^"]+)"', kept))


# Bundles


def written(folder: Path, **files: str) -> Path:
    """Write scripts, and return the path of the first."""
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, "utf-8")
    return folder / f"{next(iter(files))}.js"


USE = 'import { once, twice } from "./two.js";\nconsole.log(twice(2), once);\n'
TWO = """\
export const once = 1;
export const twice = (x) => 2 * x;
export const unused = "unused";
"""


def test_an_entry_is_what_no_other_script_imports(tmp_path):
    use = written(tmp_path, use=USE, two=TWO, alone="1;\n")
    test = 'import { unused } from "./two.js";\nimport "./use.js";\n'
    (tmp_path / "two.test.js").write_text(test)
    bundle_path(use).write_text("1;\n")
    assert entries([tmp_path]) == [tmp_path / "alone.js", use]


def test_a_bundle_is_a_strict_script_with_what_it_uses_and_nothing_else(tmp_path):
    script = bundled(written(tmp_path, use=USE, two=TWO))
    assert script.startswith('(()=>{"use strict";') and script.endswith("})();\n")
    assert "unused" not in script and not re.search(r"\b(?:im|ex)port\b", script)
    assert bundled(tmp_path / "use.js") == script


@pytest.mark.parametrize(
    ("two", "message"),
    [("export const once = 1;\n", "twice"), ("export const twice = ;\n", "two.js")],
)
def test_a_script_that_cannot_be_bundled_is_named(tmp_path, two, message):
    use = written(tmp_path, use=USE, two=two)
    bundled(written(tmp_path, one="1;\n"))
    with pytest.raises(BundleError, match=message):
        bundle(use)


def test_where_the_registry_is_out_of_reach_bundles_are_not_checked(
    monkeypatch, capsys
):
    def unreachable(script: Path) -> str:
        raise NoBundler("no registry")

    monkeypatch.setattr("tools.bundle.bundle", unreachable)
    assert main(["--check"]) == 0 and main([]) == 1
    assert "The bundles are not checked: no registry" in capsys.readouterr().out


def test_bundles_that_are_not_those_of_their_scripts_are_named(
    tmp_path, monkeypatch, capsys
):
    bundled(written(tmp_path, use=USE, two=TWO))
    monkeypatch.setattr("tools.bundle.ROOT", tmp_path)
    monkeypatch.setattr("tools.bundle.FOLDERS", [tmp_path])
    monkeypatch.setattr("tools.bundle.entries", lambda: entries([tmp_path]))
    (tmp_path / "gone.bundle.js").write_text("1;\n")
    assert main(["--check"]) == 1
    said = capsys.readouterr().out
    assert "gone.bundle.js: not that" in said and "use.bundle.js: not that" in said
    assert main([]) == 0 and main(["--check"]) == 0
    assert not (tmp_path / "gone.bundle.js").exists()
    written(tmp_path, two=TWO.replace("2 * x", "3 * x"))
    assert main(["--check"]) == 1
