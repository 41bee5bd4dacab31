"""Answers to `two_mistakes`."""

from tests.exercises.answers import right, wrong


@right()
def tm_text():
    return "b, g"


@right()
def tm_verdicts():
    return {letter: letter in "bg" for letter in "abcdefghi"}


@right()
def tm_list():
    return ["G", "B"]


# the causal mask of the target's own attention is taken for a mistake
@wrong("f")
def tm_own_mask():
    return {"b", "f"}


# only the padding is seen
@wrong("g-missing")
def tm_one():
    return {"b"}


# only the causal mask on cross-attention is seen
@wrong("b-missing")
def tm_other():
    return {"g"}


# the shift is taken for a mistake
@wrong("d")
def tm_shift():
    return {"d", "g"}


# the tied vectors are taken for a mistake
@wrong("i")
def tm_tied():
    return {"b", "g", "i"}


# none is chosen
@wrong("b-missing")
def tm_none():
    return set()


# all lines that read
@wrong("f")
def tm_readers():
    return "bfg"
