"""Answers to `true_of_average`."""

from tests.exercises.answers import right, wrong


@right()
def toa_text():
    return "b, c, f, g"


@wrong()
def toa_everything():
    return set("abcdefg")


@wrong()
def toa_none():
    return {"d"}


@wrong()
def toa_half():
    return {"b", "f"}


@wrong()
def toa_with_e():
    return {"b", "c", "e", "f", "g"}


# g follows as well: what one head leaves, the other takes
@wrong()
def toa_without_g():
    return {"b", "c", "f"}


# the two heads may divide the words in any proportion
@wrong()
def toa_one_hot_heads():
    return ["b", "c", "d", "f", "g"]


# takes the mean for the weights of each head: a and e are not certain
@wrong(author="fresh")
def fresh_average_is_each_head():
    return {"a", "b", "c", "e", "f"}


# believes that one head must give a single word everything (d), and misses g
@wrong(author="fresh")
def fresh_average_one_hot():
    return {"b", "c", "d", "f"}
