"""Declarations: a fault is a patch, sentences are templates; what does not fit is refused."""

from pathlib import Path

import numpy as np
import pytest

from tests.whywrong.cells import exercise_of
from whywrong import (
    BadDeclaration,
    Case,
    Fault,
    fault,
    fault_list,
    judge,
)
from whywrong.arrays import in_torch, in_torch_words
from whywrong.catalog import Catalog
from whywrong.patches import apart, patched, woven

SAID = {"says": "Wrong."}


def halved(x):
    """Halve, and take the smaller of two."""
    half = x / 2
    smaller = np.minimum(half, 3.0)
    return smaller


def declared(*faults, **settings):
    case = Case((np.array([[2.0, 8.0], [4.0, 6.0]]),), "example")
    return exercise_of(halved, case, faults=faults, **settings)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (lambda: fault("a", "x / 3", "x", **SAID), "'x / 3' occurs 0 times"),
        (lambda: fault("a", "half", "x", **SAID), "'half' occurs 2 times"),
        (lambda: fault("a", "", "x", **SAID), "occurs"),
        (
            lambda: fault("a", "x / 2", "x", says="{yours.row}"),
            "no word 'yours.row'",
        ),
        (
            lambda: fault("a", "x / 2", "x", says="{your.rank}"),
            "no word 'your.rank'",
        ),
        (lambda: fault("a", "x / 2", "x", says="{depth}"), "no word 'depth'"),
        (lambda: fault("a", "x / 2", "x", says="{x.}"), "no word 'x.'"),
        (lambda: fault("a", "x / 2", "x"), "needs a sentence"),
        (lambda: fault("a", ("x / 2", "x"), ("x", "y"), **SAID), "'x' occurs"),
        (
            lambda: fault("a", ("x / 2", "x"), ("/ 2", "/ 3"), **SAID),
            "touch the same text",
        ),
        (lambda: fault("a", "x / 2", "", "x", **SAID), "needs a text and its"),
        (lambda: fault("a", **SAID), "needs a text and its"),
    ],
)
def test_fault_that_does_not_fit_is_refused_with_its_line(known, said):
    with pytest.raises(BadDeclaration) as refused:
        declared(known())
    assert said in str(refused.value)
    line = known.__code__.co_firstlineno
    assert any(
        f"test_declare.py:{n}:" in str(refused.value) for n in (line, line + 1)
    )


def test_two_faults_of_one_name_are_refused():
    with pytest.raises(BadDeclaration, match="another fault has this name"):
        declared(fault("a", "x / 2", "x", **SAID), fault("a", "3.0", "4.0", **SAID))


def test_fault_changes_one_place_several_places_the_body_or_everything():
    one = fault("one", "x / 2", "x / 4", **SAID)
    two = fault("two", ("x / 2", "x"), ("3.0", "9.0"), **SAID)
    body = fault("body", "return 0 * x", **SAID)
    whole = fault("whole", lambda x: x + 100, **SAID)
    exercise = declared(one, two, body, whole)
    x = np.array([2.0, 20.0])
    for known, expected in (
        (one, [0.5, 3]),
        (two, [2, 9]),
        (body, [0, 0]),
        (whole, [102, 120]),
    ):
        np.testing.assert_array_equal(exercise.wrong_version(known)(x), expected)
        assert judge(exercise, exercise.wrong_version(known)).faults == (known.id,)
    np.testing.assert_array_equal(halved(x), [1, 3])  # the solution stays as it is


def test_only_faults_in_different_places_make_pairs():
    faults = (
        fault("quarter", "x / 2", "x / 4", **SAID),
        fault("third", "/ 2", "/ 3", **SAID),
        fault("higher", "3.0", "9.0", **SAID),
        fault("zero", "return 0 * x", **SAID),
    )
    exercise = declared(*faults)
    assert [(a.id, b.id) for a, b in exercise.pairs()] == [
        ("quarter", "higher"), ("third", "higher"),
    ]  # fmt: skip
    both = exercise.wrong_version(faults[0], faults[2])
    np.testing.assert_array_equal(both(np.array([8.0, 80.0])), [2, 9])


def test_template_quotes_the_case():
    says = (
        "{your.row} for {right.row}: {x.row}, {x.second}, {x.shape}, {x.max}, {x.last}, "
        "{your.sums}, {twice}. {worst_row}"
    )
    exercise = declared(
        fault("a", "x / 2", "x / 4", says=says),
        terms={"twice": lambda c: 2 * c.given["x"].size},
    )
    said = judge(exercise, lambda x: np.minimum(x / 4, 3)).message
    assert said.startswith(
        "[0.5, 2] for [1, 3]: [2, 8], [4, 6], (2, 2), 8, 2, 2.5, 8. "
        "Your row 1 is [1, 1.5]; [2, 3] is right."
    )


def test_patched_replaces_text_that_occurs_once():
    assert patched("a + b", [("a", "c"), ("b", "d")]) == "c + d"
    for patches in ([("e", "f")], [("a", "c"), ("a +", "c")]):
        with pytest.raises(ValueError):
            patched("a + b", patches)


def test_apart_tells_patches_of_different_text():
    assert apart("a + b", [("a", "c")], [("b", "d")])
    assert not apart("a + b", [("a +", "c")], [("+ b", "d")])


def test_woven_are_patches_of_one_step_that_change_different_words():
    flipped, turned = [("w.T", "w[::-1].T")], [("w.T", "w.mT")]
    assert woven("return w.T @ x", flipped, turned) == "return w[::-1].mT @ x"
    assert woven("return w.T @ x", turned, [("w.T", "w.H")]) is None
    inserted = [("w.T", "w[0].T")], [("w.T", "w[1].T")]
    assert woven("return w.T @ x", *inserted) is None
    no_code = [("w.T", "w.T)")], [("x", "y")]
    assert woven("return w.T @ x", *no_code) is None
    lines = [("w.T", "w\n    .T")], [("x", "y")]
    assert woven("return (w.T @ x)", *lines) == "return (w\n    .T @ y)"


@pytest.mark.parametrize(
    ("numpy", "torch"),
    [
        (
            "np.exp(x).sum(axis=-1, keepdims=True)",
            "torch.exp(x).sum(dim=-1, keepdim=True)",
        ),
        ("x.max(axis=-1)", "x.amax(dim=-1)"),
        ("x.max()", "x.max()"),
        ("np.concatenate([a, b], axis=0)", "torch.cat([a, b], dim=0)"),
        ("K.swapaxes(-1, -2)", "K.transpose(-1, -2)"),
        ("np.ones(3, dtype=bool)", "torch.ones(3, dtype=torch.bool)"),
    ],
)
def test_numpy_code_is_written_for_torch(numpy, torch):
    assert in_torch(numpy) == torch
    assert in_torch_words(f"Say `{numpy}`, axis=0.") == f"Say `{torch}`, axis=0."


def exercise_file(folder, chapter, file, name, place=10, call="Exercise"):
    (folder / chapter).mkdir(exist_ok=True)
    path = folder / chapter / file
    path.write_text(
        f'"""One."""\n\nexercise = {call}(\n    {name},\n    place={place},\n)\n'
    )


def test_catalog_reads_which_exercises_there_are(tmp_path):
    exercise_file(tmp_path, "two", "late.py", "late", 30)
    exercise_file(
        tmp_path, "two", "early_torch.py", "Early", 5, "numpy_exercise.twin"
    )
    exercise_file(tmp_path, "one", "only.py", "only", call="Question")
    (tmp_path / "one" / "_helper.py").write_text("")
    catalog = Catalog("some.where", tmp_path, ("one", "two"))
    assert catalog.chapters == {"one": ("only",), "two": ("Early", "late")}
    assert catalog.modules["Early"] == "some.where.two.early_torch"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "no exercise is declared here"),
        (
            [("a.py", "same"), ("b.py", "same")],
            "b.py:3: another exercise is called 'same'",
        ),
    ],
)
def test_catalog_refuses_empty_chapters_and_names_given_twice(
    tmp_path, files, said
):
    (tmp_path / "one").mkdir()
    for file, name in files:
        exercise_file(tmp_path, "one", file, name)
    with pytest.raises(BadDeclaration, match=said):
        assert Catalog("some.where", tmp_path, ("one",)).chapters


def test_catalog_names_the_file_that_declares_nothing(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.py").write_text("x = 1\n")
    with pytest.raises(BadDeclaration, match=r"a.py:1: no `exercise = Exercise\("):
        assert Catalog("some.where", tmp_path, ("one",)).chapters


@pytest.mark.parametrize(
    "text",
    [
        "exercise = Exercise(only, 10, task='…')\nexercise = Exercise(only, place=10)",
        "exercise = Exercise(place=10, solution=only, task='…')",
        "exercise = Exercise(only, minutes=5,\n  place=10)",
    ],
)
def test_catalog_reads_declarations_that_are_written_in_another_way(tmp_path, text):
    (tmp_path / "one").mkdir()
    (tmp_path / "one/only.py").write_text(f"x = 1\n{text}\n")
    assert Catalog("a", tmp_path, ("one",)).chapters == {"one": ("only",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "exercise = Exercise(only, place=ten)",
            r"a.py:1: no `exercise = Exercise\(",
        ),
        ("exercise = Exercise()", r"a.py:1: no `exercise = Exercise\("),
        ("exercise = Exercise()\nx = = 1", r"a.py:2: invalid syntax"),
    ],
)
def test_catalog_names_the_line_of_a_declaration_it_cannot_read(
    tmp_path, text, said
):
    (tmp_path / "one").mkdir()
    (tmp_path / "one/a.py").write_text(text)
    with pytest.raises(BadDeclaration, match=said):
        assert Catalog("a", tmp_path, ("one",)).chapters


def test_catalog_reads_titles_and_makes_do_without(tmp_path):
    for slug, text in (
        ("one", '"""First steps.\n\nMore."""\n'),
        ("two", "x = 1\n"),
    ):
        (tmp_path / slug).mkdir()
        (tmp_path / slug / "__init__.py").write_text(text)
    catalog = Catalog("a", tmp_path, ("one", "two", "three"))
    titles = [catalog.title(slug) for slug in ("one", "two", "three")]
    assert titles == ["First steps", "two", "three"]


def test_fault_list_declares_each_entry():
    one, two, body, silent = fault_list("""
one: x / 2 → x / 4
    Too small: {your.row},
    and not {right.row}.
two-places: x / 2 → x
        and 3.0 → (nothing)9.0
    Both.
body: y = 2 * x ⏎ return y
    Another.
silent: return
        → y = 1 ⏎return
""")
    assert one == Fault(
        "one",
        (("x / 2", "x / 4"),),
        "Too small: {your.row}, and not {right.row}.",
        one.where,
    )
    assert two.does == (("x / 2", "x"), ("3.0", "(nothing)9.0"))
    assert body.does == "y = 2 * x\nreturn y" and silent.message is None
    lines = [
        int(known.where.rsplit(":", 1)[1]) for known in (one, two, body, silent)
    ]
    assert [line - lines[0] for line in lines] == [0, 3, 6, 8]
    text = Path(__file__).read_text().splitlines()
    assert text[lines[0] - 1].startswith("one:")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no entry at all\n", "this is not a fault: 'no entry at all'"),
        ("a: x → y → z\n    Said.\n", "more than one arrow"),
        ("a: x → y\n    + z\n    Said.\n", "broken before its arrow only"),
        ("a: x → y\n    ⏎ z\n    Said.\n", "broken before its arrow only"),
        ("    Said of nothing.\n", "this is not a fault"),
    ],
)
def test_fault_list_that_cannot_be_read_is_refused(text, said):
    with pytest.raises(BadDeclaration, match=said):
        fault_list(text)


def test_lines_of_a_patch_are_indented_like_the_place():
    source = "def f(x):\n    if x:\n        y = x\n        z = y\n    return z\n"
    patches = fault_list("a: y = x ⏎ z = y → y = 2 ⏎ z = 3 ⏎ z = z\n    Said.\n")[
        0
    ].does
    assert "        y = 2\n        z = 3\n        z = z\n    return" in patched(
        source, patches
    )
