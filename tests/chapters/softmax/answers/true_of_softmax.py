"""Answers to `true_of_softmax`."""

from tests.exercises.answers import right, wrong


@right()
def ts_text():
    return "b, D, e"


@wrong()
def ts_only_b():
    return "b"


@wrong()
def ts_words():
    return {"first", "second"}


# nothing is chosen
@wrong("b-missing")
def ts_none():
    return set()


# temperature and entropy
@wrong("d-missing")
def ts_without_d():
    return ("b", "e")
