"""Answers to `softmax_with_temperature`."""

import math
from functools import reduce

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def st_course_softmax_as_a_step(scores, temperature):
    from course_attn.in_numpy.softmax import softmax

    return softmax(scores / temperature)


@right()
def st_scipy_as_a_step(scores, temperature):
    from scipy.special import softmax

    return softmax(scores / temperature, axis=-1)


@right()
def st_shift_before(scores, temperature):
    e = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@right()
def st_torchs_as_a_step(scores, temperature):
    import torch

    return torch.softmax(torch.from_numpy(scores) / temperature, dim=-1).numpy()


@right()
def st_log_weights(scores, temperature):
    from scipy.special import logsumexp

    s = scores / temperature
    return np.exp(s - logsumexp(s, axis=-1, keepdims=True))


@right(author="fresh")
def fresh_temp_columns(scores, temperature):
    columns = np.moveaxis(scores, -1, 0)
    beta = 1 / temperature
    top = reduce(np.maximum, columns)
    powers = [np.exp((column - top) * beta) for column in columns]
    total = sum(powers)
    return np.stack([p / total for p in powers], axis=-1)


@right(author="fresh")
def fresh_temp_helper(scores, temperature):
    def normalized(positive):
        return np.divide(positive, positive.sum(axis=-1)[..., None])

    gap = np.subtract(scores, np.maximum.reduce(scores, axis=-1, keepdims=True))
    return normalized(np.exp(np.divide(gap, temperature)))


@wrong()
def st_power_twice(scores, temperature):
    e = np.exp(scores / temperature - (scores / temperature).max())
    return e / e.sum(axis=-1, keepdims=True)


# the power of the weights needs a new sum
@wrong()
def st_power_of_weights(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return w ** (1 / temperature)


# only the numerator has the temperature
@wrong()
def st_numerator_only(scores, temperature):
    s = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(s / temperature) / np.exp(s).sum(axis=-1, keepdims=True)


# 1 + T instead of T
@wrong()
def st_one_plus(scores, temperature):
    s = scores / (1 + temperature)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# shifts only where something is large
@wrong()
def st_shift_if_large(scores, temperature):
    s = scores / temperature
    if s.max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)


@wrong("built-in")
def st_course(scores, temperature):
    from course_attn.in_numpy.softmax import softmax

    return softmax(scores, temperature=temperature)


# divides by the temperature with //, which rounds every quotient down
@wrong(author="fresh")
def fresh_temp_floor_division(scores, temperature):
    def one_row(row):
        colder = [s // temperature for s in row]
        hottest = max(colder)
        powers = [math.exp(c - hottest) for c in colder]
        return [p / sum(powers) for p in powers]

    flat = scores.reshape(-1, scores.shape[-1])
    rows = np.array([one_row(row) for row in flat], dtype=scores.dtype)
    return rows.reshape(scores.shape)


# changes the caller's scores in place
@wrong(author="fresh")
def fresh_temp_in_place(scores, temperature):
    scores -= scores.max(axis=-1, keepdims=True)
    scores /= temperature
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


# multiplies the scores by the temperature instead of dividing AND normalizes over the whole array
# instead of each row
@wrong(author="unseen")
def third_sm_hot_and_whole_array(scores, temperature):
    heated = scores * temperature
    powers = np.exp(heated - heated.max(axis=-1, keepdims=True))
    return powers / powers.sum()


# applies the temperature to the finished weights, as a power, so a weight that has already
# underflowed to 0 stays 0 at a high temperature
@wrong(said="to the power 1/temperature, divided by its sum", author="unseen")
def fifth_sm_power_of_weights(scores, temperature):
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    # e^(s/T) = (e^s)^(1/T)
    weights = weights ** (1 / temperature)
    return weights / weights.sum(axis=-1, keepdims=True)


# shifts by the maximum of the undivided scores, so that exp still overflows or underflows
@wrong("shift-not-divided", author="blind")
def b6_softmax_3(scores, temperature):
    biggest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores / temperature - biggest)
    return e / e.sum(axis=-1, keepdims=True)


# multiplies by the temperature, one maximum of the whole array
@wrong("multiplied", "global-shift", author="blind")
def own_softmax_4(scores, temperature):
    z = scores * temperature
    e = np.exp(z - np.max(z))
    return e / np.sum(e, axis=-1, keepdims=True)


# shortcut one-hot for low temperature
@wrong("fails-cold", said="where this holds, the result is wrong", author="blind")
def own_softmax_103(scores, temperature):
    if temperature <= 0.05:
        out = np.zeros_like(scores)
        np.put_along_axis(out, scores.argmax(axis=-1)[..., None], 1.0, axis=-1)
        return out
    z = scores / temperature
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


# multiplies by the temperature AND normalizes along axis 0
@wrong("multiplied", "wrong-axis", author="blind")
def b8_times_axis0(scores, temperature):
    x = scores * temperature
    x = x - x.max(axis=0)
    return np.exp(x) / np.exp(x).sum(axis=0)


# multiplies by the temperature AND normalizes along axis 0
@wrong("multiplied", "wrong-axis", author="blind")
def d56_times_axis0(scores, temperature):
    x = scores * temperature
    x = x - x.max(axis=0)
    return np.exp(x) / np.exp(x).sum(axis=0)
