"""What a page sends as text and gets back as plain data."""

import json
import re

import numpy as np
import pytest

from book._parts.exercise import on_page
from book._parts.exercise.on_page import answered, checked, ran
from course_attn.exercises import catalog

RIGHT = """\
def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
"""


def test_checked_accepts_what_is_right():
    verdict = checked("softmax", RIGHT)
    assert verdict["status"] == "right"
    assert json.loads(json.dumps(verdict)) == verdict


def test_checked_names_a_mistake_and_quotes_the_line():
    verdict = checked(
        "softmax", "def softmax(scores):\n    return scores / 0 + nope\n"
    )
    assert verdict["status"] == "crashed"
    assert "in line 2" in verdict["text"] and "+ nope" in verdict["html"]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", "todo", "There is nothing to check yet"),
        ("# only a comment\n\n", "todo", "def softmax(scores):"),
        ("x = (\n", "crashed", "Line 1 is not Python yet ('(' was never closed)"),
        ("if 1:\n    x = 1\n  y = 2\n", "crashed", "is not indented"),
        ("if 1:\n\tx = 1\n        y = 2\n", "crashed", "Line 3 mixes tabs and spaces"),
        ("import nothing_like_it\n", "crashed", "No module named"),
        ("name = input('Who?')\n", "crashed", "nobody can be asked"),
        ("raise KeyError('x')\n", "crashed", "in line 1"),
        ("exit()\n", "crashed", "ends the whole program"),
        (" def softmax(scores):  # mine\n    \n", "todo", "There is nothing to check"),
        ("def other(scores):\n    return scores\n", "wrong", "defines no `softmax`"),
        ("softmax = 3\n", "wrong", "is not a function"),
        ("#" + "x" * 1_000_000, "wrong", "1,000,001 characters"),
        ("def softmax(scores):\n    raise NotImplementedError\n", "todo", "no lines of its own"),
        ("def softmax(scores):\n    pass\n", "todo", "no lines of its own"),
        ("def softmax(scores):\n    return '\\ud800'\n", "wrong", "`str`"),
    ],
)  # fmt: skip
def test_checked_has_a_sentence_for_text_of_any_kind(text, status, said):
    verdict = checked("softmax", text)
    assert verdict["status"] == status and said in verdict["text"]
    json.dumps(verdict).encode()


@pytest.mark.parametrize("shadowed", ["np = 3", "check = hint = None", "print = 0"])
def test_checked_lives_with_names_that_are_hidden(shadowed):
    assert checked("softmax", RIGHT)["status"] == "right"
    verdict = checked("softmax", f"{shadowed}\n{RIGHT}")
    assert verdict["status"] == ("crashed" if "np" in shadowed else "right")
    assert checked("softmax", RIGHT)["status"] == "right"


def test_checked_says_what_hides_numpy():
    assert "`np`" in checked("softmax", f"np = 3\n{RIGHT}")["text"]


def test_checked_stops_lines_without_end(monkeypatch):
    monkeypatch.setattr(on_page, "_SECONDS", 0.1)
    verdict = checked("softmax", f"while True:\n    pass\n{RIGHT}")
    assert verdict["status"] == "crashed" and "0.1 seconds" in verdict["text"]


def test_checked_keeps_what_is_printed_apart_and_short():
    verdict = checked("softmax", f"print('<b>mine</b>')\n{RIGHT}")
    assert verdict["printed"] == "<b>mine</b>\n" and verdict["status"] == "right"
    much = f"for _ in range(30_000):\n    print('line')\n{RIGHT}"
    assert len(checked("softmax", much)["printed"]) <= 100_000


def test_checked_writes_no_markup_of_the_readers():
    text = "def softmax(scores):\n    raise ValueError('<img src=x onerror=alert(1)>')\n"
    assert "<img" not in checked("softmax", text)["html"]
    text = f"class Odd:\n    def __repr__(self):\n        return '<img src=x>'\n{RIGHT}"
    text = text.replace("return exps /", "return Odd() or exps /")
    assert "<img" not in checked("softmax", text)["html"]


def test_checked_knows_what_was_solved_before():
    earlier = {"softmax": RIGHT, "entropy": "def entropy(weights): return 1/0"}
    text = """\
def softmax_with_temperature(scores, temperature):
    return softmax(scores / temperature)
"""
    name = "softmax_with_temperature"
    told = checked(name, text)["text"]
    assert (
        "`softmax` is not imported here: write `from course_attn.in_numpy import "
        "softmax` above your function."
        in told
        and "another exercise of this page" in told
    )
    assert "cell" not in told
    assert checked(name, text, earlier)["status"] == "right"


def test_checked_says_how_a_function_of_the_course_is_imported():
    """The advice is true: with the line that it tells, the answer is right."""
    answer = """\
def cross_entropy(logits, targets):
    counted = targets != -100
    chosen = np.where(counted, targets, 0)[..., None]
    surprise = -np.take_along_axis(log_softmax(logits), chosen, axis=-1)[..., 0]
    return (surprise * counted).sum() / counted.sum()
"""
    told = checked("cross_entropy", answer)["text"]
    line = "from course_attn.in_numpy import log_softmax"
    assert f"`log_softmax` is not imported here: write `{line}` above" in told
    assert "misspelled" not in told and "cell" not in told
    assert checked("cross_entropy", f"{line}\n\n\n{answer}")["status"] == "right"
    stopped = checked("cross_entropy", f"log_softmax(np.ones(2))\n{answer}")["text"]
    assert f"write `{line}` above" in stopped


def test_ran_keeps_what_was_defined():
    assert ran("kept = np.ones((2, 3))") == {
        "printed": "",
        "error": None,
        "values": [],
    }
    rows = [[1.0] * 3] * 2
    assert ran("print('said')\nkept, 3") == {
        "printed": "said\n",
        "error": None,
        "values": [{"shape": [2, 3], "rows": rows, "truth": False}, {"text": "3"}],
    }


def test_ran_has_the_functions_of_the_course():
    (value,) = ran("causal_mask(2, 2)")["values"]
    assert value["rows"] == [[1.0, 0.0], [1.0, 1.0]] and value["truth"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("x =", "not Python yet"),
        ("softmax('a')", "scores must be"),
        ("unknown_name + 1", "is not defined here"),
        ("y" * 200_000, "too long"),
    ],
)
def test_ran_says_what_went_wrong(lines, said):
    answer = ran(lines)
    assert said in answer["error"] and answer["values"] == []


def test_ran_writes_any_value():
    odd = "class Odd:\n    def __repr__(self):\n        raise ValueError\nOdd()"
    assert ran(odd)["values"] == [{"text": "a value that cannot be written"}]
    (value,) = ran("np.array([np.nan, np.inf, -np.inf, 0.5])")["values"]
    assert value["rows"] == [["NaN", "∞", "−∞", 0.5]]
    (value,) = ran("np.zeros((100, 100))")["values"]
    assert len(value["text"]) < 10_001
    assert ran("None")["values"] == []


def test_ran_says_that_not_all_is_shown():
    assert ran("print('x' * 20_000)")["printed"].endswith(
        "more, which is not shown"
    )


def test_ran_stops_lines_without_end(monkeypatch):
    monkeypatch.setattr(on_page, "_SCRATCH_SECONDS", 0.1)
    assert "0.1 seconds" in ran("while True: pass")["error"]


def test_answered_speaks_json():
    check = {"task": "check", "name": "softmax", "code": RIGHT, "earlier": {}}
    assert json.loads(answered(json.dumps(check)))["status"] == "right"
    run = {"task": "run", "code": "np.float64(0.5)"}
    assert json.loads(answered(json.dumps(run)))["values"] == [
        {"text": repr(np.float64(0.5))}
    ]


MAY_IMPORT = {
    "attention_backward": """\
def attention_backward(Q, K, V, d_out, mask):
    root = np.sqrt(Q.shape[-1])
    A = softmax(np.where(mask, Q @ K.swapaxes(-1, -2) / root, -np.inf))
    dS = softmax_backward(A, d_out @ V.swapaxes(-1, -2)) / root
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out
""",
    "hopfield_update": """\
def hopfield_update(patterns, state, beta):
    return softmax(beta * state @ patterns.T) @ patterns
""",
}


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_import_line_of_a_task_makes_known_what_may_be_used(name):
    line = re.search(r"`(from course_attn[^`]*)`", catalog.find(name).task)[1]
    assert checked(name, MAY_IMPORT[name])["status"] == "crashed"
    for code in (f"{line}\n\n{MAY_IMPORT[name]}", f"{MAY_IMPORT[name]}\n{line}\n"):
        assert checked(name, code)["status"] == "right"
