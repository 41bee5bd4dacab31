"""What was handed in is found and read; what cannot be read is said, file by file."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import nbformat
import pytest

from course_attn.exercises import catalog
from tests.whywrong.grade.classroom import notebook
from whywrong.grade.submissions import (
    CannotGrade,
    PointScheme,
    Submission,
    find_submissions,
    read_bytes,
    read_code,
    safe_name,
    scheme_of_release,
)

SOFTMAX = PointScheme({"softmax": 1.0, "entropy": 2.0})


def bytes_of(document: nbformat.NotebookNode) -> bytes:
    """Return a notebook as a file holds it."""
    return nbformat.writes(document).encode()


def put(folder, *parts: str, text: str = "{}") -> None:
    """Write a file with its folders."""
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def names(found: list[Submission]) -> list[tuple[str, str, str]]:
    """Return whose submissions these are."""
    return sorted((one.student, one.assignment, one.notebook) for one in found)


def test_found_in_folders_of_nbgrader(tmp_path):
    put(tmp_path, "ada", "week3", "softmax.ipynb")
    put(tmp_path, "ada", "week3", "helper.py")
    put(tmp_path, "ada", "week3", ".ipynb_checkpoints", "softmax-checkpoint.ipynb")
    put(tmp_path, "bob", "week3", "softmax.ipynb")
    found, troubles = find_submissions([tmp_path])
    assert names(found) == [
        ("ada", "week3", "softmax"),
        ("bob", "week3", "softmax"),
    ]
    assert troubles == []


def test_found_in_a_folder_of_files_and_as_one_file(tmp_path):
    put(tmp_path, "ada.ipynb")
    put(tmp_path, "bob.py")
    found, _ = find_submissions([tmp_path])
    assert names(found) == [("ada", "", ""), ("bob", "", "")]
    found, _ = find_submissions([tmp_path / "ada.ipynb"])
    assert names(found) == [("ada", "", "")]


def test_what_is_no_submission_is_said(tmp_path):
    put(tmp_path, "ada", "week3", "answer.docx")
    put(tmp_path, "one", "bob.ipynb")
    put(tmp_path, "two", "bob.ipynb")
    places = [
        tmp_path / "ada",
        tmp_path / "none",
        tmp_path / "ada/week3/answer.docx",
    ]
    _, troubles = find_submissions([*places, tmp_path / "one", tmp_path / "two"])
    assert [(str(path.relative_to(tmp_path)), why.split(":")[0]) for path, why in troubles] == [
        ("ada/week3", "holds neither a notebook nor a .py file"),
        ("none", "cannot be read (No such file or directory)"),
        ("ada/week3/answer.docx", "is neither a notebook nor a .py file"),
        ("two/bob.ipynb", "is left out"),
    ]  # fmt: skip


def test_what_is_passed_over_is_said(tmp_path):
    put(tmp_path, "ada.py")
    put(tmp_path, "bob.docx")
    put(tmp_path, "dan.IPYNB")
    put(tmp_path, "_cat.py")
    put(tmp_path, ".hidden", "gus.py")
    put(tmp_path, "__MACOSX", "hal.py")
    put(tmp_path, "fay", "week3", "softmax.Ipynb")
    put(tmp_path, "fay", "week3", "helper.py")
    put(tmp_path, "fay", "week3", "data.txt")
    (tmp_path / "eve").symlink_to(tmp_path / "fay")
    found, left_out = find_submissions([tmp_path])
    assert names(found) == [
        ("_cat", "", ""),
        ("ada", "", ""),
        ("dan", "", ""),
        ("fay", "week3", "softmax"),
    ]
    assert {one.ending for one in found} == {".py", ".ipynb"}
    assert left_out == [
        (tmp_path / ".hidden", "is left out: its name begins with a dot"),
        (tmp_path / "eve", "is a link"),
        (tmp_path / "bob.docx", "is neither a notebook nor a .py file"),
    ]


def test_one_notebook_of_one_assignment_is_found_and_the_others_are_said(tmp_path):
    put(tmp_path, "ada", "week3", "softmax.ipynb")
    put(tmp_path, "ada", "week3", "softmax-copy.ipynb")
    put(tmp_path, "ada", "week4", "softmax.ipynb")
    put(tmp_path, "bob", "softmax.ipynb")
    put(tmp_path, "dan.py")
    put(tmp_path, "eve", "week3", "mine", "softmax.ipynb")
    found, left_out = find_submissions([tmp_path], "week3", "softmax")
    assert names(found) == [
        ("ada", "week3", "softmax"),
        ("bob", "week3", "softmax"),
        ("dan", "week3", "softmax"),
    ]
    copy = tmp_path / "ada/week3/softmax-copy.ipynb"
    deeper = tmp_path / "eve/week3/mine/softmax.ipynb"
    assert left_out == [
        (copy, "is left out: it is not called softmax"),
        (deeper, "is left out: it does not lie in eve/week3"),
    ]


def test_two_files_that_get_the_same_names_are_not_both_found(tmp_path):
    put(tmp_path, "ada.ipynb")
    put(tmp_path, "ada", "softmax.ipynb")
    found, left_out = find_submissions([tmp_path], "", "softmax")
    assert names(found) == [("ada", "", "softmax")]
    (path, why), = left_out  # fmt: skip
    assert why == f"is left out: {found[0].path} is of the same student and name"
    assert path != found[0].path


@pytest.fixture
def no_rights():
    """Return a folder of somebody who, unlike root, may not do everything."""
    folder = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    for name in (folder, *folder.iterdir()):
        name.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no rights here")
def test_folder_without_rights_costs_nobody_elses_points(no_rights):
    put(no_rights, "ada.py")
    put(no_rights, "listed", "bob.py")
    put(no_rights, "shut", "eve.py")
    (no_rights / "listed").chmod(0o444)
    (no_rights / "shut").chmod(0)
    found, left_out = find_submissions([no_rights, no_rights / "shut/eve.py"])
    assert names(found) == [("ada", "", ""), ("listed", "", "bob")]
    denied = "cannot be read (Permission denied)"
    assert left_out == [
        (no_rights / "shut", denied),
        (no_rights / "shut/eve.py", denied),
    ]
    with pytest.raises(CannotGrade, match="Permission denied"):
        read_bytes(no_rights / "listed/bob.py")


# Names that one file system or another takes for one, or does not take at all.
ALIKE = (
    "ann lee", "ann_lee", "ann-lee", "Ann_Lee", "ann/lee", "a!b", "a?b", "..", ".", "…",
    "x" * 80, "x" * 81, "x" * 82, "𠀀" * 80, "𠀀" * 20, "é", "e\u0301",
    "m\udcfcller", "m\udce9ller",
)  # fmt: skip


def test_no_two_names_give_the_same_file():
    given = {name: safe_name(name) for name in ALIKE}
    taken = [*given.values(), *map(safe_name, given.values())]
    unlike = {name.casefold() for name in taken}
    assert len({n.casefold() for n in given.values()}) == len(ALIKE)
    assert all(len(name.encode()) <= 120 and "/" not in name for name in unlike)
    assert given["ann_lee"] == "ann_lee" and given["é"] == "é"
    changed = [name for name in given.values() if name not in ALIKE]
    assert not {safe_name(name) for name in changed} & set(given.values())


def test_keys_differ_where_names_do(tmp_path):
    keys = {
        Submission(tmp_path, *parts).key
        for parts in (
            ("a", "b", "c"),
            ("a-b", "", "c"),
            ("a", "b-c", ""),
            ("ä", "b", "c"),
            *((name, "", "c") for name in ALIKE),
        )
    }
    assert len(keys) == 4 + len(ALIKE)
    assert all(len(key.encode()) <= 120 and "/" not in key for key in keys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_read_bytes_refuses_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "link.ipynb").symlink_to("/etc/hostname")
    (tmp_path / "folder.ipynb").mkdir()
    with open(tmp_path / "large.ipynb", "wb") as file:
        file.truncate(1 << 30)
    said = {}
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(CannotGrade) as raised:
            read_bytes(path)
        said[path.stem] = str(raised.value)
    assert said == {
        "folder": "is a folder",
        "large": "has 1,073,741,824 bytes, more than is read",
        "link": "is a link",
        "pipe": "is not an ordinary file",
    }


@pytest.mark.parametrize(
    "content, why",
    [
        (b"", "is not a notebook"),
        (b"\xff\xfe", "is not a text"),
        (b"[" * 100_000, "is not a notebook"),
        (b"[1, 2]", "is not a notebook"),
        (
            json.dumps({"nbformat": 4, "nbformat_minor": 5}).encode(),
            "is not a notebook",
        ),
        (bytes_of(nbformat.v4.new_notebook()), "has no exercise of this course"),
    ],
)
def test_what_is_no_notebook_is_refused(content, why):
    with pytest.raises(CannotGrade, match=why):
        read_code(content, ".ipynb", PointScheme(), catalog)


def test_checks_are_not_run_and_the_rest_is():
    document = notebook("softmax", {"softmax": "def softmax(scores): ..."})
    code, asked, notes = read_code(
        bytes_of(document), ".ipynb", PointScheme(), catalog
    )
    assert notes == []
    assert list(asked) == list(catalog.chapters["softmax"])
    sources = [source for _, source in code.cells]
    assert "def softmax(scores): ..." in sources
    assert not any("check(softmax)" in source for source in sources)


def test_notebook_without_metadata_is_read_by_its_calls():
    document = nbformat.v4.new_notebook()
    document.cells = [
        nbformat.v4.new_code_cell("def softmax(scores): ..."),
        nbformat.v4.new_code_cell("check(softmax)"),
    ]
    code, asked, _ = read_code(bytes_of(document), ".ipynb", PointScheme(), catalog)
    assert asked == {"softmax": 1.0}
    assert [source for _, source in code.cells] == ["def softmax(scores): ..."]


def test_points_of_a_release_count_and_not_those_of_the_submission():
    document = notebook("softmax", {})
    for cell in document.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader["points"] = 100
    _, asked, _ = read_code(bytes_of(document), ".ipynb", SOFTMAX, catalog)
    assert asked == SOFTMAX
    given_out = scheme_of_release(bytes_of(document), catalog)
    assert set(given_out.values()) == {100.0}


def test_missing_and_doubled_cells_and_other_courses_are_noted():
    document = notebook("softmax", {})
    ids = [
        cell.metadata.get("nbgrader", {}).get("grade_id") for cell in document.cells
    ]
    twice = document.cells[ids.index("entropy-answer")].copy()
    twice["id"] = "another"
    other = document.cells[ids.index("entropy-check")].copy()
    other["id"] = "other"
    other["metadata"] = {
        "nbgrader": {**other.metadata.nbgrader, "grade_id": "k_means-check"}
    }
    document.cells = [*document.cells, twice, other]
    del document.cells[ids.index("softmax-answer")]
    _, _, notes = read_code(bytes_of(document), ".ipynb", SOFTMAX, catalog)
    assert notes == [
        "the cell `entropy-answer` is there 2 times; all of them are run",
        "the cell `softmax-answer` is missing",
        "not in this course, or of another version of it: `k_means`",
    ]


def test_answers_that_are_all_missing_are_noted():
    document = notebook("softmax", {})
    document.cells = [
        cell
        for cell in document.cells
        if not cell.metadata.get("nbgrader", {}).get("solution")
    ]
    _, _, notes = read_code(bytes_of(document), ".ipynb", SOFTMAX, catalog)
    assert notes == [f"the cell `{name}-answer` is missing" for name in SOFTMAX]


def test_notes_cannot_flood_or_steer_a_terminal():
    document = notebook("softmax", {})
    for number in range(100):
        for _ in range(2):
            cell = nbformat.v4.new_code_cell("pass")
            cell.metadata["nbgrader"] = {
                "grade_id": f"\ud800\x1b[31m\n{number}{'x' * 999}"
            }
            document.cells.append(cell)
    content = json.dumps(document).encode()
    _, _, notes = read_code(content, ".ipynb", SOFTMAX, catalog)
    assert len(notes) == 20 and all(
        note.isprintable() and len(note) <= 200 for note in notes
    )


def test_cell_ids_that_are_missing_or_doubled_change_nothing(capfd, recwarn):
    document = notebook("softmax", {})
    for cell in document.cells[::2]:
        cell["id"] = "same"
    for cell in document.cells[1::2]:
        del cell["id"]
    _, asked, notes = read_code(
        json.dumps(document).encode(), ".ipynb", PointScheme(), catalog
    )
    assert list(asked) == list(catalog.chapters["softmax"]) and notes == []
    assert capfd.readouterr() == ("", "") and not recwarn.list


def test_py_file_is_asked_for_what_it_defines():
    text = b"def entropy(weights): ...\nclass Stack: ...\ndef helper(): ..."
    _, asked, _ = read_code(text, ".py", PointScheme(), catalog)
    assert list(asked) == ["entropy", "Stack"]
    with pytest.raises(CannotGrade, match="has no exercise of this course"):
        read_code(b"x = 1", ".py", PointScheme(), catalog)


def test_py_file_that_is_no_python_is_still_asked_for_what_it_names():
    _, asked, _ = read_code(
        b"def entropy(weights:\n  ...", ".py", PointScheme(), catalog
    )
    assert list(asked) == ["entropy"]


def test_student_whose_name_begins_with_a_dot_has_a_line(tmp_path):
    for student in ("..dots", ".git", "ada"):
        put(tmp_path, student, "week3", "softmax.ipynb")
    found, left_out = find_submissions([tmp_path])
    assert [one.student for one in found] == ["ada"]
    assert left_out == [
        (tmp_path / "..dots", "is left out: its name begins with a dot")
    ]
