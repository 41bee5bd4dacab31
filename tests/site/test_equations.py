"""Every labeled equation and theorem of the book has a test, and every such test has its claim.

The registry finds labels and marks by patterns. So that a pattern which overlooks one is noticed,
labels and marks are also counted here in a second, cruder way.
"""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from book._extensions.verified_equations import claims, kind_of, proofs_in
from tests.site.built_pages import article, page_of
from tests.site.sources import CHAPTERS, NOTEBOOKS, name
from tools.book import BOOK, ROOT, markdown

CLAIMS = claims()
PROOFS = proofs_in(ROOT / "tests")
KINDS_OF_THEOREM = (
    "prf:(?:theorem|lemma|corollary|proposition|conjecture|criterion)"
)

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


def labels(kind: str, path: Path) -> list[str]:
    """Return what the registry finds in a notebook; exercises may have no labels."""
    found = [c for c in CLAIMS if c.chapter == path.stem and path.parent == BOOK]
    return [claim.label for claim in found if claim.kind == kind]


def test_every_claim_is_verified_by_a_test():
    verified = {(proof.kind, proof.label) for proof in PROOFS}
    assert [c for c in CLAIMS if (c.kind, c.label) not in verified] == []


def test_every_mark_names_a_claim_of_its_kind():
    claimed = {(claim.kind, claim.label) for claim in CLAIMS}
    assert [p for p in PROOFS if (p.kind, p.label) not in claimed] == []


def test_every_function_with_a_mark_is_run_by_pytest():
    assert [p for p in PROOFS if not p.test.startswith("test_")] == []


def test_labels_are_unique():
    repeated = [
        label
        for label, count in Counter(c.label for c in CLAIMS).items()
        if count > 1
    ]
    assert not repeated


def test_the_registry_overlooks_no_mark():
    files = [
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.parent.name != "site"
    ]
    text = "\n".join(path.read_text("utf-8") for path in files)
    assert len(re.findall(r"mark\.(?:equation|theorem)\b", text)) == len(PROOFS) > 0


@every_notebook
def test_the_registry_overlooks_no_labeled_equation(path):
    assert re.findall(r"\((eq-[^)]*)\)[ \t]*$", markdown(path), re.M) == labels(
        "equation", path
    )


@every_notebook
def test_a_display_equation_has_a_label_of_the_right_form_or_none(path):
    """``$$ (softmax)`` would be numbered, too, and so would an amsmath environment or a \\tag."""
    text = markdown(path)
    assert not re.findall(r"\$\$[ \t]*\((?!eq-)[^)]*\)", text)
    outside = re.sub(r"\$\$.*?\$\$", "", text, flags=re.S)
    assert not re.findall(r"^\\begin\{\w+\}", outside, re.M), "not between $$"
    assert not re.findall(r"\\(?:label|tag)\b|\{math\}", text)


@every_notebook
def test_the_registry_overlooks_no_labeled_theorem(path):
    assert re.findall(r"^:label: (.*)$", markdown(path), re.M) == labels(
        "theorem", path
    )


@every_notebook
def test_every_theorem_has_a_label_and_right_after_it_a_proof(path):
    text = markdown(path)
    directives = re.findall(r"^:::+\{(prf:[\w:]+)\}", text, re.M)
    followers = [
        following
        for directive, following in pairwise([*directives, ""])
        if re.fullmatch(KINDS_OF_THEOREM, directive)
    ]
    assert followers == ["prf:proof"] * len(labels("theorem", path))


@every_chapter
def test_the_numbers_on_the_built_page_are_those_of_the_labels(path, html):
    numbered = article(page_of(path)).select("div.math:has(.eqno)")
    assert [div["id"].removeprefix("equation-") for div in numbered] == labels(
        "equation", path
    )


def references(path: Path) -> list[tuple[str, str]]:
    """Return the texts of a page's references to equations, and their labels.

    What is no section of the page is taken for an equation.
    """
    text = markdown(path)
    sections = [
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^##+ (.+)$", text, re.M)
    ]
    found = re.findall(r"\[([^]]*)\]\(#([^)]*)\)", text)
    return [(shown, label) for shown, label in found if label not in sections]


@every_notebook
def test_a_reference_shows_the_label_that_stands_beside_the_equation_in_colab(path):
    shown = labels("equation", path)
    assert [
        (text, label)
        for text, label in references(path)
        if text != f"({label})" or label not in shown
    ] == []


@pytest.mark.parametrize("path", [*CHAPTERS, BOOK / "cheat_sheet.md"], ids=name)
def test_a_reference_shows_the_number_of_the_equation_on_the_built_page(path, html):
    numbers = {
        div["id"]: div.select_one(".eqno").find(string=True)
        for chapter in CHAPTERS
        for div in article(page_of(chapter)).select("div.math:has(.eqno)")
    }
    links = article(page_of(path)).select("a.internal[href*='#equation-']")
    assert [(link["href"].split("#")[1], link.get_text()) for link in links] == [
        (f"equation-{label}", numbers[f"equation-{label}"])
        for _, label in references(path)
    ]


def test_the_page_of_all_equations_links_each_claim_and_its_tests(html):
    found = {}
    for row in article(page_of(BOOK / "equations.md")).select("tbody tr"):
        label = row.select_one("a.internal")["href"].split("#")[1]
        tests = row.select("a.external[href*='/tests/']")
        kind = row.select("em")[-1].get_text()
        found[label.removeprefix("equation-")] = len(tests), kind
    wanted = {c.label: [p for p in PROOFS if p.label == c.label] for c in CLAIMS}
    assert found == {
        label: (len(proofs), kind_of(proofs)) for label, proofs in wanted.items()
    }


def test_a_claim_without_code_behind_it_is_a_formula():
    """A test is for a formula alone if it says so; a claim is if all its tests are."""
    kinds = {
        label: kind_of([p for p in PROOFS if p.label == label])
        for label in ("eq-roofline", "eq-shared-moments", "eq-attention")
    }
    assert kinds == {
        "eq-roofline": "formula",
        "eq-shared-moments": "formula and code",
        "eq-attention": "formula and code",
    }
