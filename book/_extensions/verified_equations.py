"""Equations and theorems of the book, and the tests that verify them.

The notebooks label their equations (``$$ … $$ (eq-name)``) and theorems (``:label: thm-name``);
the tests carry ``@pytest.mark.equation("eq-name")`` and ``@pytest.mark.theorem("thm-name")``, or,
if they call nothing of the package, ``@pytest.mark.equation("eq-name", formula=True)``. (That this
is so, `tests/support/claims.py` watches.) This module finds both. The tests use it to fail on
orphans; in the book its directive `verified-equations` lists every claim with its tests.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tools import book

__all__ = ["Claim", "Proof", "claims", "kind_of", "proofs_in", "setup"]

logger = logging.getLogger(__name__)

_EQUATION = re.compile(
    r"^\$\$\n(?P<statement>(?:(?!\$\$).)+?)\n\$\$ \((?P<label>eq-[\w-]+)\)",
    re.M | re.S,
)
_THEOREM = re.compile(
    r"^:::+\{prf:(?:theorem|lemma|corollary|proposition)\} (?P<statement>[^\n]+)\n"
    r":label: (?P<label>[\w-]+)",
    re.M,
)
_KINDS = ("equation", "theorem")


@dataclass(frozen=True)
class Claim:
    """A labeled equation or theorem in a chapter."""

    kind: str
    label: str
    statement: str
    chapter: str


@dataclass(frozen=True)
class Proof:
    """A test that verifies a claim; `formula` says that it calls nothing of the package."""

    kind: str
    label: str
    test: str
    file: Path
    line: int
    formula: bool


def claims() -> list[Claim]:
    """Find all labeled equations and theorems of the book; those of a notebook in their order."""
    return [claim for path in book.notebooks() for claim in _claims_of(path)]


def _claims_of(path: Path) -> list[Claim]:
    """Find the labeled equations and theorems of one notebook, in reading order."""
    text = book.markdown(path)
    found = [
        (
            match.start(),
            Claim(kind, match["label"], match["statement"].strip(), path.stem),
        )
        for kind, pattern in zip(_KINDS, (_EQUATION, _THEOREM), strict=True)
        for match in pattern.finditer(text)
    ]
    return [claim for _, claim in sorted(found, key=lambda pair: pair[0])]


def proofs_in(tests: Path) -> list[Proof]:
    """Find all tests below a folder that carry the mark of an equation or a theorem."""
    return [
        Proof(
            mark.func.attr,
            mark.args[0].value,
            function.name,
            path,
            function.lineno,
            _is_formula(mark),
        )
        for path in sorted(tests.rglob("test_*.py"))
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for mark in function.decorator_list
        if _is_mark(mark)
    ]


def _is_mark(node: ast.expr) -> bool:
    """Tell whether a decorator is ``pytest.mark.equation("…")`` or ``pytest.mark.theorem("…")``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _KINDS
        and ast.unparse(node.func.value) == "pytest.mark"
    )


def _is_formula(mark: ast.Call) -> bool:
    """Tell whether a mark has ``formula=True``."""
    return any(ast.unparse(given) == "formula=True" for given in mark.keywords)


def kind_of(proofs: list[Proof]) -> str:
    """Say what the tests of a claim verify."""
    alone = all(proof.formula for proof in proofs)
    return "formula" if alone else "formula and code"


class VerifiedEquations(SphinxDirective):
    """List the claims of all notebooks, each with its statement and the tests that verify it."""

    def run(self) -> list[nodes.Node]:
        """Make one table for each notebook of the table of contents that has claims."""
        root = Path(self.env.srcdir)
        self._proofs = proofs_in(root / "tests")
        lines = []
        for page in book.pages(root):
            if page.suffix != ".ipynb":
                continue
            self.env.note_dependency(str(page))
            found = _claims_of(page)
            if found:
                lines += [":::{rubric} {doc}`" + page.stem + "`", ":::", ""]
                lines += [
                    ":::{list-table}",
                    ":header-rows: 1",
                    ":widths: 18 82",
                    ":class: claims",
                    "",
                ]
                lines += ["* - Where", "  - Claim, and the tests that verify it"]
                lines += [line for claim in found for line in self._row(claim)] + [
                    ":::",
                    "",
                ]
        ours = {Path(__file__), Path(book.__file__), root / "_toc.yml"}
        for file in ours | {proof.file for proof in self._proofs}:
            self.env.note_dependency(str(file))
        container = nodes.container()
        self.state.nested_parse(
            StringList(lines, "verified-equations"), 0, container
        )
        return container.children

    def _row(self, claim: Claim) -> list[str]:
        """Write one row of the table in MyST; a claim without a test is a warning."""
        key = claim.kind, claim.label
        proofs = [p for p in self._proofs if (p.kind, p.label) == key]
        if not proofs:
            logger.warning("no test verifies %s (%s)", claim.label, claim.chapter)
        if claim.kind == "equation":
            statement = f"$\\displaystyle {' '.join(claim.statement.split())}$"
            where = f"{{eq}}`{claim.label}`"
        else:
            statement, where = claim.statement, f"{{prf:ref}}`{claim.label}`"
        tests = f"*{kind_of(proofs)}*: {', '.join(map(self._link, proofs))}"
        return [f"* - {where}", f"  - {statement}", "", f"    {tests}"]

    def _link(self, proof: Proof) -> str:
        """Write a link to a test's source in the repository."""
        options = self.config.html_theme_options
        repository, branch = options["repository_url"], options["repository_branch"]
        file = proof.file.relative_to(self.env.srcdir).as_posix()
        name = proof.test.removeprefix("test_").replace("_", " ")
        return f"[{name}]({repository}/blob/{branch}/{file}#L{proof.line})"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("verified-equations", VerifiedEquations)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
