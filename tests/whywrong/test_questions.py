"""Questions: how an answer is read, and that everything wrong with it is told."""

import pytest

from tests.whywrong.cells import written
from whywrong import Letters, Question, Reason, as_number, contains, judge, lacks

ABOUT = {
    "task": "Write `q`.",
    "hints": ("a.", "b.", "c."),
    "minutes": 2,
    "level": "easy",
}


def q():
    """Name the right letters."""
    return {"a", "c"}


LETTERS = Question(
    q,
    10,
    "",
    read=Letters("abcd", "keys"),
    reasons=(
        Reason("all", lambda letters: letters == set("abcd"), "Not all of them."),
        *(Reason(k, contains(k), f"{k} is not.") for k in "bd"),
        *(Reason(f"{k}-missing", lacks(k), f"{k} is.") for k in "ac"),
    ),
    **ABOUT,
)


def answer_of(value):
    return written(f"def q():\n    return {value}")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("{'a', 'b', 'c'}", "b is not."),
        (
            "'bd'",
            "You chose exactly the others: read once more which ones are asked for.",
        ),
        ("'d'", "d is not.\n\na is.\n\nc is."),
        ("{'a', 'b'}", "b is not.\n\nc is."),
        ("set('abcd')", "Not all of them."),
        ("{'a': True, 'b': True, 'c': False, 'd': False}", "b is not.\n\nc is."),
    ],
)
def test_every_wrong_letter_is_told(value, told):
    assert judge(LETTERS, answer_of(value)).message == told


@pytest.mark.parametrize(
    "value", ["{'a': True, 'b': False, 'c': True, 'd': False}", "['a', 'c']"]
)
def test_letters_may_be_a_dictionary_of_verdicts(value):
    assert judge(LETTERS, answer_of(value)).passed


def test_a_dictionary_that_says_neither_true_nor_false_is_refused():
    result = judge(LETTERS, answer_of("{'a': 'yes', 'c': 'yes'}"))
    assert "True or False for each" in result.message


@pytest.mark.parametrize("value", ["'ae'", "{'e': True}", "['a', 'z']"])
def test_a_letter_that_is_not_offered_is_told_which_are(value):
    result = judge(LETTERS, answer_of(value))
    assert result.faults == ("form",)
    assert result.message == "The keys have the letters a to d."


def number(right):
    def q():
        return right

    other = Reason(
        "other", lambda answer: abs(answer - right) > 1e-6, "Count again."
    )
    return Question(q, 10, "", read=as_number, reasons=(other,), **ABOUT)


def test_of_a_number_the_reason_is_told():
    assert judge(number(2.5), answer_of("3.4")).message == "Count again."
