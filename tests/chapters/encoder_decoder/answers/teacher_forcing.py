"""Answers to `teacher_forcing`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def tf_one_long(answers, start, end):
    """As the chapter's batches: the whole target, cut twice."""
    ends = [(0, 0)] * (answers.ndim - 1)
    target = np.pad(answers, [*ends, (1, 1)], constant_values=(start, end))
    return target[..., :-1], target[..., 1:]


@right()
def tf_filled(answers, start, end):
    *batch, n = answers.shape
    inputs = np.full((*batch, n + 1), start)
    goals = np.full((*batch, n + 1), end)
    inputs[..., 1:] = answers
    goals[..., :-1] = answers
    return inputs, goals


@right()
def tf_by_lists(answers, start, end):
    rows = answers.reshape(-1, answers.shape[-1]).tolist()
    shape = (*answers.shape[:-1], answers.shape[-1] + 1)
    inputs = np.array([[start, *row] for row in rows]).reshape(shape)
    goals = np.array([[*row, end] for row in rows]).reshape(shape)
    return [inputs, goals]


@right()
def tf_inserted(answers, start, end):
    n = answers.shape[-1]
    return np.insert(answers, 0, start, axis=-1), np.insert(
        answers, n, end, axis=-1
    )


# the whole target for both
@wrong("not-cut")
def tf_uncut(answers, start, end):
    ends = [(0, 0)] * (answers.ndim - 1)
    target = np.pad(answers, [*ends, (1, 1)], constant_values=(start, end))
    return target, target


# the decoder is told what it has to write
@wrong("not-shifted-with-start")
def tf_same(answers, start, end):
    inputs = np.insert(answers, 0, start, axis=-1)
    return inputs, inputs.copy()


# only shifted: the first token is never asked for, and no end
@wrong("no-start-no-end")
def tf_shift_only(answers, start, end):
    return answers[..., :-1], answers[..., 1:]


# the end is in the inputs, the start in the goals
@wrong("backward")
def tf_wrong_way(answers, start, end):
    ends = [(0, 0)] * (answers.ndim - 1)
    target = np.pad(answers, [*ends, (1, 1)], constant_values=(start, end))
    return target[..., 1:], target[..., :-1]


# rolled: the last token stands in front, in place of the start
@wrong()
def tf_rolled(answers, start, end):
    return np.roll(answers, 1, axis=-1), answers


# the inputs keep the end
@wrong("end-as-input")
def tf_end_kept(answers, start, end):
    ends = [(0, 0)] * (answers.ndim - 1)
    target = np.pad(answers, [*ends, (1, 1)], constant_values=(start, end))
    return target, target[..., 1:]


# 0 and 1 are written in place of start and end
@wrong()
def tf_constants(answers, start, end):
    return np.insert(answers, 0, 0, axis=-1), np.insert(
        answers, answers.shape[-1], 1, axis=-1
    )


# the start overwrites the first token, the end the last
@wrong("overwritten")
def tf_overwritten(answers, start, end):
    inputs, goals = answers.copy(), answers.copy()
    inputs[..., 0] = start
    goals[..., -1] = end
    return inputs, goals


# axis 0 counts the answers of a batch
@wrong("along-axis-0")
def tf_axis_0(answers, start, end):
    row = np.full_like(answers[:1], start)
    return np.concatenate([row, answers]), np.concatenate(
        [answers, np.full_like(row, end)]
    )


# the end is missing: the answers themselves are the goals
@wrong("goals-as-they-are")
def tf_no_end(answers, start, end):
    return np.insert(answers, 0, start, axis=-1), answers


# without an axis, `np.insert` strings all answers together
@wrong(said="join all answers")
def tf_flat(answers, start, end):
    return np.insert(answers, 0, start), np.append(answers, end)


# shifted by two: goals skip a token, filled with end; a single answer (n,) forgotten
@wrong("two-ahead", author="blind")
def tf_blind_two_ahead(answers, start, end):
    b, n = answers.shape
    inputs = np.hstack([np.full((b, 1), start), answers])
    goals = np.hstack([answers[:, 1:], np.full((b, 2), end)])
    return inputs, goals


# not shifted: both are the answers
@wrong("both-as-they-are", author="blind")
def tf_blind_as_they_are(answers, start, end):
    return answers.copy(), answers.copy()


# `np.pad` with one pair of widths widens every axis: a batch gets one more row, too
@wrong("every-axis", author="blind")
def tf_blind_pad(answers, start, end):
    inputs = np.pad(answers, (1, 0), constant_values=start)
    goals = np.pad(answers, (0, 1), constant_values=end)
    return inputs, goals


# inputs and goals are shifted: goals run two ahead
@wrong("both-shifted", author="blind")
def tf_blind_shift_both(answers, start, end):
    inputs = np.roll(answers, 1, axis=-1)
    inputs[..., 0] = start
    goals = np.roll(answers, -1, axis=-1)
    goals[..., -1] = end
    return inputs, goals


# np.roll of start+answer+end: n+2 places, the last with the goal start after reading end
@wrong("end-read", author="blind")
def k30_roll(answers, start, end):
    edge = answers.shape[:-1] + (1,)
    full = np.concatenate(
        [np.full(edge, start), answers, np.full(edge, end)], axis=-1
    )
    return full, np.roll(full, -1, axis=-1)


# the two are returned in the wrong order, and are floats
@wrong("backward", "dtype", said="exchanged", author="blind")
def q38_both(answers, start, end):
    one = np.ones((*answers.shape[:-1], 1))
    read = np.concatenate((start * one, answers), axis=-1)
    write = np.concatenate((answers, end * one), axis=-1)
    return write, read


# the inputs end with the end token too (one place too many) AND the two are returned in
# the wrong order
@wrong(said="what the goals should be", author="blind")
def l35_end_in_and_swapped(answers, start, end):
    pad = [(0, 0)] * (answers.ndim - 1)
    goals = np.pad(answers, pad + [(0, 1)], constant_values=end)
    inputs = np.pad(goals, pad + [(1, 0)], constant_values=start)
    return goals, inputs


# start is inserted at place 1 rather than 0 AND end is appended without axis, which flattens a
# batch
@wrong("start-at-1", "goals-in-one-row", author="blind")
def p06_insert_append(answers, start, end):
    inputs = np.insert(answers, 1, start, axis=-1)
    goals = np.append(answers, end)
    return inputs, goals


# 0 is put in front, not start AND the goals are shifted by two places (their first token is
# missing)
@wrong("goals-from-the-second", "zero-in-front", author="blind")
def s33_zero_shift_two(answers, start, end):
    pad = [(0, 0)] * (answers.ndim - 1) + [(1, 1)]
    full = np.pad(answers, pad)
    full[..., -1] = end
    return full[..., :-1], full[..., 2:]


# the end takes the place of the last token AND the inputs lack the last token
@wrong("end-over-last", "last-not-read", author="blind")
def end_over_the_last_of_rolled_answers(answers, start, end):
    goals = answers.copy()
    goals[..., -1] = end
    inputs = np.roll(answers, 1, axis=-1)
    inputs[..., 0] = start
    return inputs, goals
