"""A class's notebooks: what the command writes, and what it refuses in one line."""

import os
import re

import nbformat
import pytest

from course_attn.classroom import main
from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from tests.whywrong.classroom.kernels import with_answers
from tools.book import BOOK, title
from whywrong.classroom import copies


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(*arguments, chapter="softmax"):
    """Run the command; return the notebook of a chapter."""
    assert main(["write", *arguments, "--to", "source"]) == 0
    return nbformat.read(f"source/{chapter}.ipynb", as_version=4)


def sources(notebook):
    return {cell["id"]: cell["source"] for cell in notebook.cells}


def refused(capsys, *arguments):
    """Run the command; return the one line in which it says what is wrong."""
    assert main([*arguments]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("classroom: ")
    return line


def test_check_imports_itself_and_requires_the_answer_where_only_the_teacher_sees():
    check = sources(written("softmax:entropy", "--seed", "s"))["entropy-check"]
    shown, hidden = check.split("### BEGIN HIDDEN TESTS\n")
    assert shown.split() == [
        "import",
        "course_attn.exercises",
        "course_attn.exercises.check(entropy)",
    ]
    assert hidden == (
        "course_attn.exercises.require(entropy, seed='s')\n### END HIDDEN TESTS"
    )


def test_chosen_exercises_stand_in_their_order():
    ids = sources(written("softmax:entropy,softmax"))
    answers = [name for name in ids if name.endswith("-answer")]
    assert answers == ["entropy-answer", "softmax-answer"]


def test_notebook_differs_from_the_books_in_what_the_class_needs_only():
    ours, books = (
        sources(notebook)
        for notebook in (
            written("softmax"),
            nbformat.read(BOOK / "exercises/softmax.ipynb", as_version=4),
        )
    )
    same = {name for name in books if ours[name] == books[name]}
    assert same == {"how-to", "imports"} | {n for n in books if "-answer" in n}
    tasks = [name for name in books if name.endswith("-task")]
    for name in tasks:
        without_link = books[name].rpartition("\n\n")[0]
        assert ours[name].rpartition("\n\n")[0] == without_link


def test_links_are_text_without_an_address():
    for source in sources(written("softmax")).values():
        assert "](" not in source


def test_links_lead_to_the_address_that_is_given():
    shown = sources(written("softmax", "--book", "https://example.org/book/"))
    links = re.findall(r"\]\((.*?)\)", "".join(shown.values()))
    assert len(links) == 1 + len(catalog.chapters["softmax"])
    assert all(
        link.startswith("https://example.org/book/softmax.html") for link in links
    )
    assert "#measuring-sharpness-entropy)" in shown["entropy-task"]


def test_without_solutions_no_cell_tells_of_them(monkeypatch):
    monkeypatch.delenv("COURSE_ATTN_SOLUTIONS", raising=False)
    shown = sources(written("softmax", "--without-solutions"))
    setup = shown.pop("setup")
    assert not any(re.search(r"\bsolution\b", text) for text in shown.values())
    monkeypatch.setattr(os, "environ", dict(os.environ))
    exec(setup, {})
    assert os.environ["COURSE_ATTN_SOLUTIONS"] == "off"


@pytest.mark.parametrize(
    ("version", "chapter", "wanted"),
    [
        ("9.1.0", "softmax:softmax", '"course_attn==9.1.0"'),
        ("9.1.0", "softmax:softmax_torch", '"course_attn[torch]==9.1.0"'),
        ("9.1.0.dev0", "softmax:softmax", '"course_attn @ git+https://'),
    ],
)
def test_first_cell_says_what_to_install(monkeypatch, version, chapter, wanted):
    known = copies.metadata.metadata("course_attn")
    known.replace_header("Version", version)
    monkeypatch.setattr(copies.metadata, "metadata", lambda name: known)
    first = written(chapter).cells[0]["source"]
    assert f"\n# %pip install {wanted}" in first
    assert [line for line in first.splitlines() if line[0] != "#"] == [
        "import course_attn.exercises"
    ]


def test_points_follow_the_level():
    notebook = written("softmax", "--points", "1,2,5")
    points = {
        cell["id"].removesuffix("-check"): cell.metadata.nbgrader.points
        for cell in notebook.cells
        if cell["id"].endswith("-check")
    }
    worth = {"easy": 1, "medium": 2, "hard": 5}
    assert points == {n: worth[catalog.find(n).level] for n in points}
    assert set(points.values()) == {1, 2, 5}


@pytest.mark.parametrize("points", ["1,2", "1,2,x", "1,-2,3"])
def test_points_that_are_not_three_numbers_are_refused(capsys, points):
    with pytest.raises(SystemExit) as stopped:
        main(["write", "softmax", "--to", "source", "--points", points])
    assert stopped.value.code == 2
    assert "three whole numbers" in capsys.readouterr().err


def test_notebook_that_differs_is_replaced_on_request_only(capsys):
    written("softmax:softmax")
    assert "--overwrite" in refused(capsys, "write", "softmax", "--to", "source")
    assert "entropy-check" not in sources(nbformat.read("source/softmax.ipynb", 4))
    assert "entropy-check" in sources(written("softmax", "--overwrite"))


def test_nothing_is_written_where_one_chapter_fails(capsys, tmp_path):
    refused(capsys, "write", "softmax", "nowhere", "--to", "source")
    assert not (tmp_path / "source").exists()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (["nowhere"], "no chapter 'nowhere'; the chapters are weighted_sum, "),
        (
            ["softmax:rotary"],
            "'softmax' has no exercise 'rotary'; it has scores_beh",
        ),
        (["softmax:entropy,entropy"], "twice"),
        (["softmax:entropy", "softmax"], "softmax: this chapter is named twice"),
        (["softmax", "--course", "no_such"], "no_such: it cannot be imported"),
        (["softmax", "--course", "json"], "json: it has no `course = Course(…)`"),
    ],
)
def test_bad_request_is_refused_in_a_line(capsys, what, said):
    assert said in refused(capsys, "write", *what, "--to", "source")


def test_folder_that_cannot_be_made_is_said(capsys, tmp_path):
    (tmp_path / "source").write_text("in the way")
    said = refused(capsys, "write", "softmax", "--to", "source/a")
    assert f"{os.path.join('source', 'a')}: " in said


def test_seed_that_refuses_the_solution_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(
        copies, "refused_solution", lambda task: [f"no {task.name}."]
    )
    said = refused(
        capsys, "write", "softmax:entropy", "--to", "source", "--seed", "bad"
    )
    assert "entropy: " in said and "no entropy. Take another seed." in said


def test_titles_are_those_of_the_book():
    for slug in catalog.chapters:
        assert catalog.title(slug) == title(BOOK / f"{slug}.ipynb")


# --- handed in, and the checks put back -----------------------------------------------------------


@pytest.fixture
def source():
    notebook = written("softmax:softmax,entropy")
    nbformat.write(notebook, "source.ipynb")
    return notebook


def put_back(handed_in):
    nbformat.write(handed_in, "handed_in.ipynb")
    assert (
        main(["restore", "source.ipynb", "handed_in.ipynb", "--to", "o.ipynb"]) == 0
    )
    return nbformat.read("o.ipynb", as_version=4)


def test_restored_notebook_has_the_sources_checks_and_the_learners_answers(source):
    right = {"softmax": reference_source(catalog.find("softmax"))}
    handed_in = with_answers(source, right)
    own = nbformat.v4.new_code_cell("x = 1", id="own")
    handed_in.cells.insert(5, own)
    for cell in handed_in.cells:
        if cell["id"] == "softmax-check":
            cell["source"] = "pass"
            cell.metadata.tags = ["raises-exception"]
    handed_in.metadata.kernelspec.name = "another"
    found = put_back(handed_in)
    wanted = sources(source) | {"softmax-answer": right["softmax"], "own": "x = 1"}
    assert sources(found) == wanted
    assert [cell["id"] for cell in found.cells].index("own") == 5
    assert found.metadata == source.metadata
    tags = {cell["id"]: cell.metadata.get("tags") for cell in found.cells}
    assert tags["softmax-check"] == ["check"]


def test_check_that_was_deleted_is_added_at_the_end(source):
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    handed_in.cells = [c for c in handed_in.cells if c["id"] != "softmax-check"]
    assert put_back(handed_in).cells[-1]["id"] == "softmax-check"


def other_cell(cells):
    """Return a copy of a graded cell that has another name."""
    other = nbformat.from_dict({**cells[5], "id": "again"})
    other.metadata.nbgrader.grade_id = "mine"
    return other


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda cells: cells[:3], "it has none of the exercises"),
        (
            lambda cells: [other_cell(cells), *cells],
            "'mine' is not one of the source's",
        ),
    ],
)
def test_notebook_of_another_form_is_refused_by_name(source, capsys, change, said):
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    handed_in.cells = change(handed_in.cells)
    nbformat.write(handed_in, "odd.ipynb")
    line = refused(
        capsys, "restore", "source.ipynb", "odd.ipynb", "--to", "o.ipynb"
    )
    assert "odd.ipynb: " in line and said in line
    assert not os.path.exists("o.ipynb")


def test_source_without_hidden_tests_is_refused(source, capsys):
    """Put back from what was released, the checks could not fail."""
    released = nbformat.reads(nbformat.writes(source), as_version=4)
    for cell in released.cells:
        cell["source"] = re.sub(
            r"### BEGIN HIDDEN.*", "", cell["source"], flags=re.S
        )
    nbformat.write(released, "released.ipynb")
    nbformat.write(source, "handed_in.ipynb")
    line = refused(
        capsys, "restore", "released.ipynb", "handed_in.ipynb", "--to", "o.ipynb"
    )
    assert "checks without hidden tests" in line
    assert not os.path.exists("o.ipynb")


def test_exercise_of_another_assignment_is_refused_by_name(source, capsys):
    other = written("masks:causal_mask,padding_mask", chapter="masks")
    other.cells += [c for c in source.cells if c["id"] == "softmax-answer"]
    nbformat.write(other, "odd.ipynb")
    line = refused(
        capsys, "restore", "source.ipynb", "odd.ipynb", "--to", "o.ipynb"
    )
    assert "'causal_mask-answer' is not one of the source's" in line


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', "\xff"])
def test_file_that_is_no_notebook_is_refused_by_name(source, capsys, text):
    with open("odd.ipynb", "w", encoding="latin-1") as file:
        file.write(text)
    line = refused(
        capsys, "restore", "source.ipynb", "odd.ipynb", "--to", "o.ipynb"
    )
    assert "odd.ipynb: it is not a notebook" in line


def test_file_that_is_not_there_is_said(source, capsys):
    line = refused(
        capsys, "restore", "source.ipynb", "gone.ipynb", "--to", "o.ipynb"
    )
    assert "gone.ipynb: No such file" in line


# --- cells that learners have copied --------------------------------------------------------------


def copied(source, *names):
    """Return a notebook in which some cells are copied, as JupyterLab copies them."""
    notebook = nbformat.reads(nbformat.writes(source), as_version=4)
    chosen = [c for c in notebook.cells if c["id"] in names]
    notebook.cells += [
        nbformat.from_dict({**cell, "id": f"copy-{i}"})
        for i, cell in enumerate(chosen)
    ]
    return notebook


def graded_names(path) -> list[str]:
    """Return the names by which nbgrader knows the cells of a file."""
    cells = nbformat.read(path, as_version=4).cells
    return [c.metadata.nbgrader.grade_id for c in cells if "nbgrader" in c.metadata]


def test_mend_lets_copies_be_ordinary_cells_and_loses_no_code(
    source, capsys, tmp_path
):
    place = tmp_path / "submitted/ada/week3/softmax.ipynb"
    place.parent.mkdir(parents=True)
    doubled = copied(source, "softmax-answer", "softmax-check")
    nbformat.write(doubled, place)
    capsys.readouterr()
    assert main(["mend", str(tmp_path / "submitted")]) == 0
    assert capsys.readouterr().out == "".join(
        f"{place}: a copy of the cell {name!r} is an ordinary cell now\n"
        for name in ("softmax-answer", "softmax-check")
    )
    assert sources(nbformat.read(place, as_version=4)) == sources(doubled)
    assert graded_names(place) == graded_names("source.ipynb")


def test_mend_leaves_alone_what_is_whole(source, tmp_path):
    (tmp_path / "submitted").mkdir()
    place = tmp_path / "submitted/ada.ipynb"
    nbformat.write(source, place)
    before = place.stat()
    assert main(["mend", str(tmp_path / "submitted")]) == 0
    assert place.stat().st_mtime_ns == before.st_mtime_ns
    assert place.stat().st_ino == before.st_ino


def test_mend_says_what_it_cannot_mend_and_goes_on(source, capsys, tmp_path):
    folder = tmp_path / "submitted"
    folder.mkdir()
    (folder / "ada.ipynb").write_text("{", "utf-8")
    (folder / "bob.ipynb").symlink_to("/dev/zero")
    nbformat.write(copied(source, "softmax-check"), folder / "cleo.ipynb")
    capsys.readouterr()
    assert main(["mend", str(folder), str(tmp_path / "none")]) == 1
    out, err = capsys.readouterr()
    said = [
        f"{folder}/ada.ipynb: it is not a notebook",
        f"{folder}/bob.ipynb: it is a link",
        f"{tmp_path}/none: No such file",
    ]
    for line, beginning in zip(err.splitlines(), said, strict=True):
        assert line.startswith(f"classroom: {beginning}")
    assert "cleo.ipynb: a copy of the cell 'softmax-check'" in out


def test_copies_are_ordinary_cells_where_checks_are_put_back(source):
    found = put_back(copied(source, "softmax-answer", "softmax-check"))
    nbformat.write(found, "found.ipynb")
    assert graded_names("found.ipynb") == graded_names("source.ipynb")
    assert found.cells[-1]["id"] == "copy-1"
