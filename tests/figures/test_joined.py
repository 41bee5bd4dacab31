"""Several JavaScript modules as one script: order, names, and what cannot be joined."""

import re

import pytest

from course_attn.drawing.joined import joined
from course_attn.drawing.page import FOLDER


@pytest.fixture
def written(tmp_path):
    """Return a function that writes files and returns the path of the first."""

    def write(**files):
        paths = [tmp_path / f"{name}.js" for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text, "utf-8")
        return paths[0]

    return write


def test_a_file_comes_after_what_it_imports_and_once(written):
    entry = written(
        use='import { one } from "./one.js";\nimport { two } from "./two.js";\none + two;\n',
        two='import { one } from "./one.js";\nexport const two = one + one;\n',
        one="export const one = 1;\n",
    )
    text = "const one = 1;\nconst two = one + one;\none + two;\n"
    wanted = f'(() => {{\n"use strict";\n{text}}})();'
    assert joined(entry) == wanted
    assert joined([entry, entry.with_name("two.js")]) == wanted


def test_several_files_share_one_scope(written):
    entry = written(a="const a = 1;\n", b="export async function b() {}\n")
    script = joined([entry, entry.with_name("b.js")])
    assert (
        script
        == '(() => {\n"use strict";\nconst a = 1;\nasync function b() {}\n})();'
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": "const x = 1;\n", "b": "function x() {}\n"}, "b.js and a.js both define x"),
        ({"a": "let x = 1;\n", "b": "class x {}\n"}, "b.js and a.js both define x"),
        ({"a": "export default 1;\n"}, "a.js: cannot be joined: 'export default 1;'"),
        ({"a": "export {x};\n"}, "a.js: cannot be joined"),
        ({"a": 'import x from "./b.js";\n', "b": ""}, "a.js: cannot be joined"),
        ({"a": 'import * as x from "./b.js";\n', "b": ""}, "a.js: cannot be joined"),
        ({"a": 'import { x as y } from "./b.js";\n', "b": "export let x;\n"}, "cannot be joined"),
        ({"a": 'import {\n  x } from "./b.js";\n', "b": "export let x;\n"}, "cannot be joined"),
        ({"a": 'import { x } from "https://a.b/c.js";\n'}, "a.js: cannot be joined"),
        ({"a": 'import { x, y } from "./b.js";\n', "b": "const x = 1;\nexport let y;\n"},
         "a.js: b.js exports no x$"),
        ({"a": 'import { x } from "./b.js";\n', "b": 'import { y } from "./a.js";\n'},
         "a.js imports itself by way of b.js"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_named(written, files, message):
    entry = written(**files)
    with pytest.raises(ValueError, match=message):
        joined([entry, *sorted(entry.parent.glob("*.js"))])


def test_a_file_that_is_missing_is_named(written):
    entry = written(a='import { x } from "./gone.js";\n')
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        joined(entry)


def test_all_widgets_together_are_one_script():
    """No two files use one name, so that any of them can share a script."""
    script = joined(sorted(FOLDER.glob("*.js")))
    assert not re.search(r"^(?:import|export)\b", script, re.M)


def test_what_is_exported_says_its_types():
    """Editors and the checker read them from the comment before it."""
    for path in [FOLDER / "kit.js", FOLDER / "twin.js"]:
        source = path.read_text("utf-8")
        assert source.startswith("// @ts-check\n"), path.name
        for before, name in re.findall(
            r"(.*)\nexport (?:function|const) (\w+)", source
        ):
            assert before.strip().endswith("*/"), (path.name, name)
        for comment, arguments in re.findall(
            r"/\*\*((?:(?!\*/).)*)\*/\nexport function \w+\(([^)]*)\)", source, re.S
        ):
            assert not arguments.strip() or "@param" in comment, (
                path.name,
                arguments,
            )
