"""Questions before a result: what makes one, and that each chapter asks a few in their places."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import course_attn.chapters
from course_attn.drawing.questions import listed, predict, predict_number
from tests.site.sources import CHAPTERS, name
from tests.support.output import Reader
from tools import book

OPTIONS = [
    ("2", "That is the *median*.", False),
    ("3", "Measured: `3.0`.", True),
    ("6", "That is the largest.", False),
]
NUMBER = {
    "said": "One of four.",
    "too_low": "It is more.",
    "too_high": "It is less.",
}
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


def choice(options=OPTIONS, question="What is the mean?", **given):
    return predict("mean", question, options, **given)


def number(low=0, high=100, answer=25, **given):
    return predict_number("share", "How much?", low, high, answer, **NUMBER | given)


# A choice


def test_predict__holds_question_options_and_sentences():
    read = Reader(choice(covers=2, text=1))
    block = read.attributes("div")[0]
    assert block == {
        "class": "attn-predict",
        "data-question": "mean",
        "data-covers": "2",
        "data-text": "1",
    }
    assert ["data-holds" in a for a in read.attributes("details")] == [
        False,
        True,
        False,
    ]
    assert "Not so. That is the median." in read.text
    assert "Right. Measured: 3.0." in read.text


def test_predict__as_text_tells_the_answers_below_the_options():
    assert repr(choice()) == (
        "Your guess: What is the mean?\n  a) 2\n  b) 3\n  c) 6\n"
        "The answer: b) Measured: `3.0`.\n"
        "Not a) That is the *median*.\nNot c) That is the largest."
    )


@pytest.mark.parametrize(
    ("holding", "said"),
    [
        ((), "exactly one option must hold, not none"),
        ((0, 2), "exactly one option must hold, not '2' and '6'"),
    ],
)
def test_predict__names_what_holds_where_that_is_not_one(holding, said):
    options = [(o, s, i in holding) for i, (o, s, _) in enumerate(OPTIONS)]
    with pytest.raises(ValueError, match=f"'What is the mean.'.*{said}"):
        choice(options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (OPTIONS[1:2], "at least two options, got 1"),
        ([*OPTIONS, ("2", "Once more.", False)], "given twice: '2'"),
        ([*OPTIONS, (" ", "Nothing.", False)], "an option .* got ' '"),
        ([*OPTIONS, ("7", "", False)], "what is said about '7' .* got ''"),
        ([*OPTIONS, ("7", "It may.", 0)], "'7': whether it holds must be a bool"),
        ([*OPTIONS, ("7", "It may.", None)], "must be a bool, got None"),
    ],
)
def test_predict__refuses_options_that_are_none(options, said):
    with pytest.raises(ValueError, match=said):
        choice(options)


@pytest.mark.parametrize("called", ["", "Mean", "the mean", "mean-", "a--b", "ä"])
def test_predict__refuses_a_name_under_which_nothing_can_be_kept(called):
    with pytest.raises(ValueError, match="lowercase words joined by hyphens"):
        predict(called, "What is the mean?", OPTIONS)


@pytest.mark.parametrize("given", [{"covers": -1}, {"text": -1}])
def test_predict__refuses_to_cover_less_than_nothing(given):
    with pytest.raises(ValueError, match="at least 0"):
        choice(**given)


@pytest.mark.parametrize("text", ["<b>", "</script>", '"', "'", "&amp;", "<!--"])
def test_predict__shows_texts_as_text_and_never_as_markup(text):
    options = [(f"{o} {text}", f"{s} {text}", holds) for o, s, holds in OPTIONS]
    read = Reader(choice(options, f"What is {text}?"))
    assert read.names == Reader(choice()).names
    assert read.text.count(text) == 7


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a *b c* d", "a <em>b c</em> d"),
        ("`a * b * c`", "<code>a * b * c</code>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`x<y`", "<code>x&lt;y</code>"),
        ("a key's `b'c'`", "a key’s <code>b&#x27;c&#x27;</code>"),
    ],
)
def test_predict__sets_code_and_italics(text, written):
    assert f"<span>{written}</span>" in choice(question=text)._repr_html_()


def test_questions_ask_nothing_from_any_other_place_and_have_no_ids():
    for question in (choice(), number()):
        page = question._repr_html_()
        assert not re.search(r"https?:|url\(|@import|<script|\bid=", page)


# A number


def test_predict_number__tells_the_script_all_and_the_reader_the_answer():
    read = Reader(number(step=0.5, unit=" %"))
    block = read.attributes("div")[0]
    wanted = {
        "low": "0", "high": "100", "answer": "25.0", "step": "0.5", "close": "5.0",
        "decimals": "1", "unit": "\xa0%", "log": "0", "measured": "25.0\xa0%",
    }  # fmt: skip
    assert {key: block[f"data-{key}"] for key in wanted} == wanted
    assert "How much? (from 0 to 100\xa0%)" in read.text
    assert "25.0\xa0%. One of four." in read.text


@pytest.mark.parametrize(
    ("low", "high", "answer", "written", "ends"),
    [
        (1, 1e5, 5519, "5,519", "1 to 100,000"),
        (0.001, 10, 0.12345, "0.12", "0.001 to 10"),
        (1, 100, 7.04, "7", "1 to 100"),
        (1, 1e9, 3590400000 / 7.1, "510,000,000", "1 to 1,000,000,000"),
    ],
)
def test_predict_number__where_factors_count(low, high, answer, written, ends):
    said = repr(number(low, high, answer, log=True))
    assert f"(from {ends})" in said and f"The answer: {written}. One" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answer": 101}, "the answer 101 is not from 0 to 100"),
        ({"answer": float("nan")}, "the answer nan is not"),
        ({"low": 100}, "expected low < high, got 100 and 100"),
        ({"high": float("inf")}, "expected low < high"),
        ({"log": True}, "expected 0 < low < high, got 0 and 100"),
        ({"step": 0}, "step and close are too small"),
        ({"close": -1}, "step and close are too small"),
        ({"low": 1, "log": True, "close": 0.5}, "step and close are too small"),
        ({"said": " "}, "said of 'How much.' must say something"),
        ({"too_low": ""}, "too_low .* must say something"),
        ({"too_high": ""}, "too_high .* must say something"),
    ],
)
def test_predict_number__refuses_a_bar_without_the_answer(given, said):
    with pytest.raises(ValueError, match=said):
        number(**given)


def test_listed__writes_zeros_without_a_sign():
    assert listed([-0.0, 1.5, -2.25]) == "(0, 1.5, −2.25)"
    assert listed([-0.001, 0.125], 1) == "(0, 0.1)"


# The questions of the chapters


def asking_cells(path):
    """Return the cells of a chapter that ask, and where each stands."""
    found = book.read(path)["cells"]
    return [
        (at, cell)
        for at, cell in enumerate(found)
        if cell["cell_type"] == "code" and cell["source"].startswith("# Ask: ")
    ]


def functions_called(path):
    """Return the names of the functions by which a chapter asks, in its order."""
    return [
        re.search(r"^asked\.(\w+)\(", cell["source"], re.M)[1]
        for _, cell in asking_cells(path)
    ]


def given_to_predict(function):
    """Return what a function of a chapter gives to `predict`, where it is typed."""
    (call,) = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(function)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id.startswith("predict")
    ]
    typed = {
        keyword.arg: keyword.value.value
        for keyword in call.keywords
        if isinstance(keyword.value, ast.Constant)
    }
    return {"name": call.args[0].value, "covers": 1, "text": 0} | typed


@every_chapter
def test_a_chapter_asks_three_to_five_questions(path):
    assert 3 <= len(asking_cells(path)) <= 5


@every_chapter
def test_a_question_is_folded_and_ends_its_cell(path):
    for _, cell in asking_cells(path):
        assert cell["metadata"] == {"tags": ["hide-input"]}
        last = ast.parse(cell["source"]).body[-1]
        assert ast.unparse(last).startswith("asked."), cell["source"]


@every_chapter
def test_all_questions_of_a_chapter_are_asked_and_have_names_of_their_own(path):
    module = import_module(f"course_attn.chapters.{path.stem}.questions")
    called = functions_called(path)
    assert sorted(called) == sorted(module.__all__) == sorted({*called})
    named = [given_to_predict(getattr(module, f))["name"] for f in called]
    assert len(named) == len({*named})


def test_every_chapter_with_questions_is_one():
    folder = Path(course_attn.chapters.__file__).parent
    modules = {p.parent.name for p in folder.glob("*/questions.py")}
    assert modules == {path.stem for path in CHAPTERS}


@every_chapter
def test_what_a_question_covers_is_in_its_section(path):
    """So many cells that show something come before the next heading and the next question."""
    module = import_module(f"course_attn.chapters.{path.stem}.questions")
    cells = book.read(path)["cells"]
    for (at, _), function in zip(
        asking_cells(path), functions_called(path), strict=True
    ):
        covers = given_to_predict(getattr(module, function))["covers"]
        shown = 0
        for cell in cells[at + 1 :]:
            if shown == covers:
                break
            assert not re.search(r"^#{1,6} ", cell["source"], re.M) or (
                cell["cell_type"] == "code"
            ), f"{function} covers more than its section has"
            assert not cell["source"].startswith("# Ask: "), function
            shown += cell["cell_type"] == "code" and shows_something(cell["source"])
        assert shown == covers, function


@every_chapter
def test_a_question_that_covers_text_covers_all_results_before_it(path):
    """Or else the text would stand open, and with it the answer."""
    module = import_module(f"course_attn.chapters.{path.stem}.questions")
    cells = book.read(path)["cells"]
    for (at, _), function in zip(
        asking_cells(path), functions_called(path), strict=True
    ):
        given = given_to_predict(getattr(module, function))
        results = 0
        for cell in cells[at + 1 :]:
            if cell["cell_type"] == "code":
                results += shows_something(cell["source"])
            elif (results or not given["covers"]) and not cell["source"].startswith(
                "**Figure.**"
            ):
                break
        assert not given["text"] or given["covers"] == results, function


def shows_something(source):
    """Say whether a cell has an output: it ends with an expression, or prints."""
    tree = ast.parse(re.sub(r"^(\s*)[!%].*", r"\1pass", source, flags=re.M))
    last = tree.body[-1] if tree.body else None
    return isinstance(last, ast.Expr) or "print(" in source
