"""The notebooks in Colab: what they find installed there, and how their text reads without MyST.

That they run there is tested together with what they show, in test_deterministic.py.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.site.colab import dependency_closure
from tests.site.sources import NOTEBOOKS, name
from tools.book import ROOT, cells, markdown

# What Colab has installed of what a notebook needs, as of early 2026.
PREINSTALLED = {
    "ipython": "7.34.0",  # its own package insists on it: another one ends in restarts
    "matplotlib": "3.10.0",
    "numpy": "2.0.2",
    "pygments": "2.18.0",
    "scikit-learn": "1.6.1",
    "threadpoolctl": "3.5.0",
    "torch": "2.9.0",
    "tqdm": "4.67.1",
}


# What is installed


def python(code: str, folder: Path) -> str:
    """Run code in a new Python that works in a folder; return what it printed."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.parametrize(
    ("module", "there"),
    {
        "numpy": True,
        "torch": True,
        "sklearn": True,
        "matplotlib_inline": True,
        "jaxtyping": True,
        "ipykernel": True,
        "course_attn.in_torch.softmax": True,
        "nbgrader": False,
        "jupyterlab": False,
        "beartype": False,
        "x_transformers": False,
        "einops": False,
        "benchmarks": False,
    }.items(),
)
def test_a_notebook_finds_what_the_wheel_brings_and_no_more(module, there, colab):
    code = f"import importlib.util as u; print(u.find_spec({module!r}) is not None)"
    assert python(code, colab) == str(there)


def test_a_notebook_takes_the_package_from_the_wheel(colab, path_in_colab):
    origin = Path(python("import course_attn as c; print(c.__file__)", colab))
    assert str(origin.parents[1]) in path_in_colab.split(os.pathsep)
    assert not origin.is_relative_to(ROOT)


def test_installing_the_package_leaves_what_colab_has_and_brings_one_more(
    path_in_colab,
):
    """Another version of what runs already would need a restart, and may break the rest."""
    installed = Path(path_in_colab.split(os.pathsep)[1])
    needed = dependency_closure("course_attn[book]", installed)["course-attn"]
    others = {
        requirement
        for requirement in needed
        if requirement.name != "course_attn"
        and not requirement.specifier.contains(
            PREINSTALLED.get(requirement.name, "0")
        )
    }
    assert {requirement.name for requirement in others} == {"jaxtyping"}
    assert PREINSTALLED.keys() <= {requirement.name for requirement in needed}


# How the text reads

# Directives whose content reads well where their markup shows as plain text. There are no such
# roles: CONTRIBUTING.md says how to write references instead.
DIRECTIVES = {"admonition", "prf:corollary", "prf:proof", "prf:theorem"}

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)


@every_notebook
def test_there_are_no_roles_and_directives_read_well_as_plain_text(path):
    text = markdown(path)
    assert set(re.findall(r"^ *:{3,}\{([^}]*)\}", text, re.M)) <= DIRECTIVES
    assert re.findall(r"(?<!`)\{[a-z][\w:.+-]*\}`[^`]*`", text) == []


@every_notebook
def test_comments_are_entries_of_the_index_and_stand_on_lines_of_their_own(path):
    lines = [line for line in markdown(path).splitlines() if "<!--" in line]
    entry = r"<!-- index: [^\s;][^;]*(?:; [^\s;][^;]*)? -->"
    assert [line for line in lines if not re.fullmatch(entry, line)] == []


@every_notebook
def test_a_fence_stands_alone_so_that_plain_markdown_sees_a_paragraph(path):
    """Only the label of a theorem stands with its title, as that of an equation beside it."""
    for cell in cells(path, "markdown"):
        for paragraph in re.split(r"\n\n", cell["source"]):
            if ":::" in paragraph:
                fence = (
                    r":::(\{admonition\} .+|\{prf:(theorem|corollary)\} .+\n:label: .+"
                    r"|\{prf:proof\})?"
                )
                assert re.fullmatch(fence, paragraph.strip()), paragraph


@every_notebook
def test_the_text_uses_no_syntax_that_only_myst_knows(path):
    """Targets, comments, definition lists, footnotes, substitutions, attributes, bare formulas."""
    text = re.sub(
        r"^ *```.*?^ *```|`[^`\n]*`", "code", markdown(path), flags=re.M | re.S
    )
    words = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$", "formula", text, flags=re.S)
    foreign = [
        r"^\([\w-]+\)=\s*$",
        r"^%.*",
        r"^:\s.*",
        r"\[\^\w+\]",
        r"\{\{.*?\}\}",
        r"\{[.#][^}]*\}",
        r"\\begin\{.*?\}",
    ]
    found = [re.findall(pattern, words, re.M) for pattern in foreign]
    assert [match for matches in found for match in matches] == []


@every_notebook
def test_pictures_are_drawn_by_the_notebook(path):
    """Colab opens the notebook without the files beside it."""
    assert not re.findall(r"!\[[^]]*\]\([^)]*\)|<img\b[^>]*>", markdown(path))


@every_notebook
def test_plain_markdown_sees_no_code_rule_or_heading_that_is_not_meant(path):
    """Indented code, and lines of = or - that turn what stands above them into a heading."""
    for cell in cells(path, "markdown"):
        for token in MarkdownIt("commonmark").parse(cell["source"]):
            assert token.type not in ("code_block", "hr"), token.content
            assert token.type != "heading_open" or token.markup.startswith("#")
