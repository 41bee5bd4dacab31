"""Answers to `beam_scores`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def bs_by_hand(answers, sums, end, length_penalty):
    scores = []
    for row, total in zip(answers.tolist(), sums.tolist(), strict=True):
        n = row.index(end) + 1 if end in row else len(row)
        scores.append(total / n**length_penalty)
    return np.array(scores)


@right()
def bs_argmax(answers, sums, end, length_penalty):
    is_end = answers == end
    n = np.where(is_end.any(axis=1), is_end.argmax(axis=1) + 1, answers.shape[1])
    return sums * n.astype(float) ** -length_penalty


@right()
def bs_running(answers, sums, end, length_penalty):
    """Count the places before which no end stands."""
    ends_before = np.cumsum(answers == end, axis=-1) - (answers == end)
    return sums / (ends_before == 0).sum(axis=-1) ** length_penalty


@right()
def bs_logarithm(answers, sums, end, length_penalty):
    lengths = np.array([min(len(a), (a != end).sum() + 1) for a in answers])
    return sums * np.exp(-length_penalty * np.log(lengths))


# all places are counted
@wrong("filling-counted")
def bs_all_places(answers, sums, end, length_penalty):
    return sums / answers.shape[1] ** length_penalty


# the end is not counted
@wrong("end-not-counted-zero")
def bs_tokens_only(answers, sums, end, length_penalty):
    return sums / (answers != end).sum(axis=1) ** length_penalty


# an answer that was cut gets an end that it has not
@wrong("cut-too-long")
def bs_always_plus_one(answers, sums, end, length_penalty):
    return sums / ((answers != end).sum(axis=1) + 1) ** length_penalty


# argmax finds no end and says 0
@wrong("cut-as-one")
def bs_first_end(answers, sums, end, length_penalty):
    return sums / (np.argmax(answers == end, axis=1) + 1) ** length_penalty


# the mean whatever the power
@wrong("plain-mean")
def bs_mean(answers, sums, end, length_penalty):
    ends = (answers == end).cumsum(axis=1)
    return sums / ((ends == 0).sum(axis=1) + (ends > 0).any(axis=1))


# a factor in place of a power
@wrong("linear")
def bs_factor(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return sums / (lengths * length_penalty)


# 0 is taken for the end
@wrong("zero-for-the-end")
def bs_nonzero(answers, sums, end, length_penalty):
    lengths = np.minimum(np.count_nonzero(answers, axis=1) + 1, answers.shape[1])
    return sums / lengths**length_penalty


# the best answer's place
@wrong("best-place")
def bs_place(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return (sums / lengths**length_penalty).argmax()


# a longer answer is made worse
@wrong("multiplied")
def bs_times(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return sums * lengths**length_penalty


# counts along the wrong axis
@wrong()
def bs_axis_0(answers, sums, end, length_penalty):
    lengths = (answers != end).sum(axis=0) + 1
    return sums / lengths**length_penalty


# sorted, and no longer beside their answers
@wrong("sorted")
def bs_sorted(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return np.sort(sums / lengths**length_penalty)[::-1]


# ends that fill up are counted; the quotient is raised to the power: (sum / n) ** penalty
@wrong("filling-counted", "power-of-the-mean", author="blind")
def bs_blind_filling_and_power(answers, sums, end, length_penalty):
    return (sums / answers.shape[1]) ** length_penalty


# quotient raised to the power
@wrong("power-of-the-mean", author="blind")
def bs_blind_quotient_raised(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return (sums / lengths) ** length_penalty


# sum divided by penalty power length
@wrong("exchanged", author="blind")
def bs_blind_base_and_power(answers, sums, end, length_penalty):
    lengths = np.minimum((answers != end).sum(axis=1) + 1, answers.shape[1])
    return sums / length_penalty**lengths


# looked for the last token only: n if no end, else n - 1
@wrong("last-place-only", author="blind")
def bs_blind_last_place(answers, sums, end, length_penalty):
    lengths = answers.shape[1] - (answers[:, -1] == end)
    return sums / lengths**length_penalty


# the power times the length is subtracted
@wrong("subtracted", author="blind")
def bs_blind_subtracts(answers, sums, end, length_penalty):
    out = np.empty(len(sums))
    for i, a in enumerate(answers.tolist()):
        length = a.index(end) + 1 if end in a else len(a)
        out[i] = sums[i] - length_penalty * length
    return out


# integer lengths are raised to a negative integer power, which numpy refuses, if the penalty is an int
@wrong(said="negative integer powers", author="blind")
def r18_negative_power(answers, sums, end, length_penalty):
    lengths = []
    for row in answers.tolist():
        lengths.append(row.index(end) + 1 if end in row else len(row))
    lengths = np.array(lengths)
    return sums * lengths ** (-length_penalty)


# cut answers get one token too many, and the length is multiplied by the penalty
@wrong("cut-too-long", "linear", said="[2, 5, 0, 6, 0]", author="blind")
def bs_blind_plus_one_times(answers, sums, end, length_penalty):
    real = np.count_nonzero(answers != end, axis=-1)
    length = real + 1
    return sums / (length * length_penalty)
