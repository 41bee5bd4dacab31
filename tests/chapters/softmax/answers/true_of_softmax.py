"""Answers to `true_of_softmax`."""

from tests.exercises.answers import right, wrong


@right()
def ts_text():
    return "b, D, e"


@wrong()
def ts_a():
    return {"a", "b", "d", "e"}


@wrong()
def ts_only_b():
    return "b"


@wrong()
def ts_words():
    return {"first", "second"}


@wrong()
def ts_number():
    return 3


# nothing is chosen
@wrong("b-missing")
def ts_none():
    return set()


# everything is chosen
@wrong("a")
def ts_all():
    return "abcdef"


# exactly 0 is taken from rounding
@wrong("c")
def ts_rounded():
    return ["b", "c", "d", "e"]


# temperature and entropy
@wrong("d-missing")
def ts_without_d():
    return ("b", "e")


# c is false: a finite score never gives exactly 0 on paper
@wrong(author="fresh")
def fresh_true_with_c():
    return {"b", "c", "d", "e"}


# a is false: doubling the scores sharpens the weights AND d is true: entropy grows with the
# temperature
@wrong(author="fresh")
def fresh_true_a_for_d():
    return {"a", "b", "e"}
