"""Answers to `soft_lookup`."""

import numpy as np

from course_attn.in_numpy import softmax
from tests.exercises.answers import right, wrong


@right()
def sl_scaled_query(query, keys, values, temperature):
    from scipy.special import softmax

    return softmax(keys @ (query / temperature)) @ values


@right()
def sl_guarded(query, keys, values, temperature):
    s = np.sum(keys * query, axis=1) / temperature
    w = np.exp(s - s.max())
    return np.average(values, axis=0, weights=w / (w.sum() + 1e-12))


@right(author="fresh")
def fresh_look_plain(query, keys, values, temperature):
    scores = [np.dot(key, query) for key in keys]
    best = max(scores)
    powers = [np.exp((s - best) / temperature) for s in scores]
    return sum(p * value for p, value in zip(powers, values)) / sum(powers)


@right(author="fresh")
def fresh_look_pairs(query, keys, values, temperature):
    s = np.einsum("jd,d->j", keys, query)
    gaps = s[:, None] - s.max()
    e = np.exp(gaps / temperature)
    return np.ravel((e / e.sum()).T @ values)


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong()
def sl_outer(query, keys, values, temperature):
    return _softmax(keys * query / temperature) @ values


@wrong()
def sl_axis(query, keys, values, temperature):
    return (_softmax(keys @ query / temperature) * values.T).T


@wrong()
def sl_after(query, keys, values, temperature):
    return _softmax(keys @ query) @ values / temperature


@wrong("scaled")
def sl_scaled(query, keys, values, temperature):
    return _softmax(keys @ query / temperature / np.sqrt(len(query))) @ values


# rounds, which small values do not survive
@wrong()
def sl_rounds(query, keys, values, temperature):
    return np.round(_softmax(keys @ query / temperature) @ values, 6)


# stops at the weights
@wrong(said="product with `values`")
def sl_weights(query, keys, values, temperature):
    return _softmax(keys @ query / temperature)


# the course's function does it all
@wrong("built-in")
def sl_course_in_torch(query, keys, values, temperature):
    import torch

    from course_attn.in_torch.qkv import soft_lookup

    arrays = map(torch.from_numpy, (query, keys, values))
    return soft_lookup(*arrays, temperature=temperature).numpy()


def fresh_rows_to_weights(S):
    """Turn each row of scores into weights (this helper is right)."""
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# divides the dot products by the lengths of query and keys (the cosine)
@wrong(author="fresh")
def fresh_look_cosine(query, keys, values, temperature):
    lengths = np.sqrt(np.einsum("jd,jd->j", keys, keys) * (query @ query))
    s = np.einsum("d,jd->j", query, keys) / np.where(lengths > 0, lengths, 1)
    return np.einsum("j,jv->v", fresh_rows_to_weights(s / temperature), values)


# takes the mean of the weighted values in place of their sum, so the answer is n_k times too small
@wrong(author="fresh")
def fresh_look_mean(query, keys, values, temperature):
    s = np.array([sum(q * k for q, k in zip(query, key)) for key in keys])
    a = fresh_rows_to_weights(s / temperature)
    return np.mean([a_j * v_j for a_j, v_j in zip(a, values)], axis=0)


# adds 0.01 to the temperature against division by zero, which changes the weights at low
# temperatures
@wrong(author="fresh")
def fresh_look_guarded_temperature(query, keys, values, temperature):
    eps = 1e-2
    scores = keys @ query / (temperature + eps)
    scores = scores - scores.max()
    w = np.exp(scores)
    w = w / w.sum()
    return w @ values


# scores by the negative squared distance in place of the dot product AND multiplies by the
# temperature in place of dividing by it
@wrong(author="fresh")
def fresh_look_distance_times_temperature(query, keys, values, temperature):
    def closeness(key):
        return -np.sum((key - query) ** 2)

    s = np.array([closeness(key) for key in keys]) * temperature
    return fresh_rows_to_weights(s) @ values


# uses cosines instead of dot products AND multiplies by the temperature instead of dividing by it
@wrong(said="There are two mistakes at once", author="unseen")
def fifth_qkv_cosine_times_t(query, keys, values, temperature):
    def unit(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    scores = np.einsum("d,kd->k", unit(query), unit(keys)) * temperature
    powers = np.exp(scores - scores.max())
    return np.einsum("k,kv->v", powers / powers.sum(), values)


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# sharpens the finished weights (a ** (1/T)); at low temperatures all underflow: 0/0
@wrong("power", author="blind")
def b6_qkv_3(query, keys, values, temperature):
    a = my_softmax(keys @ query)
    a = a ** (1 / temperature)
    with np.errstate(all="ignore"):
        a = a / a.sum()
    return a @ values


# weights not normalized by a softmax but by their sum of plain scores
@wrong("no-exp", author="blind")
def own_qkv_2(query, keys, values, temperature):
    s = (keys @ query) / temperature
    a = s / s.sum()
    return a @ values


# for low temperatures it takes a shortcut, the value of the best key alone, also where two keys
# score almost alike
@wrong("hard-when-cold", author="blind")
def b7_qkv_21(query, keys, values, temperature):
    s = keys @ query
    if temperature < 0.1:
        return values[np.argmax(s)]
    s = s / temperature
    w = np.exp(s - s.max())
    return (w / w.sum()) @ values


# IfExp
@wrong("hard-when-cold", author="blind")
def own_qkv_109(query, keys, values, temperature):
    s = keys @ query / temperature
    w = np.exp(s - s.max()) if temperature > 0.01 else (s == s.max()).astype(float)
    return (w / w.sum()) @ values


# running max over keys starts at 0
@wrong(
    "fails-cold",
    "nan",
    said="is 0 right here, where all that is compared may be below 0",
    author="blind",
)
def own_qkv_116(query, keys, values, temperature):
    best = 0.0
    for k in keys:
        best = max(best, (k @ query) / temperature)
    total, out = 0.0, np.zeros(values.shape[-1])
    for k, v in zip(keys, values):
        p = np.exp((k @ query) / temperature - best)
        total += p
        out = out + p * v
    return out / total


# for low temperatures returns the value of the best key alone (hard), also where two keys nearly
# tie
@wrong("hard-when-cold", author="blind")
def k14_hard_when_cold(query, keys, values, temperature):
    scores = keys @ query
    if temperature < 0.01:
        # exp would overflow
        return values[np.argmax(scores)]
    p = _softmax(scores / temperature)
    return p @ values


# the maximum subtracted is that of the undivided scores: exp overflows at low temperatures
@wrong("no-shift", said="largest of the quotients", author="blind")
def x41_max_too_early(query, keys, values, temperature):
    scores = keys @ query
    top = scores.max()
    e = np.exp(scores / temperature - top)
    return (e / e.sum()) @ values


# the temperature divides the weights, and dividing by their sum cancels it
@wrong("cancelled", author="blind")
def r15_t_after_softmax(query, keys, values, temperature):
    weights = softmax(query @ keys.T)
    weights = weights / temperature
    weights = weights / np.sum(weights)
    return weights @ values


# the keys are normalized to length 1 (cosine-like) AND the mean over the keys is taken instead
# of the sum
@wrong("unit-keys", "averaged", author="blind")
def e19_lookup_unit_mean(query, keys, values, temperature):
    keys = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    weights = softmax(query @ keys.T / temperature)
    return np.mean(weights[:, np.newaxis] * values, axis=0)


# negative squared distance instead of the dot product AND weights to the power 1/T without
# dividing by their sum again
@wrong("power-alone", "distance", author="blind")
def e20_lookup_dist_power(query, keys, values, temperature):
    dist = ((keys - query) ** 2).sum(axis=1)
    a = softmax(-dist)
    a = a ** (1 / temperature)
    return a @ values


# multiplies by the temperature AND mixes the keys, not the values
@wrong("multiplied", "keys-mixed", author="blind")
def g17_times_t_and_keys(query, keys, values, temperature):
    scores = np.array([np.dot(query, k) for k in keys]) * temperature
    weights = np.exp(scores - np.max(scores))
    weights = weights / np.sum(weights)
    answer_ = np.zeros(keys.shape[1])
    for a, k in zip(weights, keys):
        answer_ += a * k
    return answer_


# against overflow the scores are divided by their maximum instead of subtracting it AND
# the keys are mixed, not the values
@wrong("divided-by-largest", "keys-mixed", author="blind")
def l33_divide_by_max_and_keys(query, keys, values, temperature):
    sims = query @ keys.T / temperature
    sims = sims / np.max(np.abs(sims))
    w = np.exp(sims) / np.sum(np.exp(sims))
    answer_ = np.zeros(keys.shape[1])
    for j in range(len(keys)):
        answer_ = answer_ + w[j] * keys[j]
    return answer_


# the keys are brought to length 1 first AND the scores are cut off at 700 against overflow, which
# makes keys equal
@wrong("cut-off", "unit-keys", author="blind")
def o27_unit_keys_and_cut(query, keys, values, temperature):
    unit = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    total = 0.0
    answer_ = np.zeros(values.shape[1])
    for k, v in zip(unit, values):
        w = np.exp(min(query @ k / temperature, 700))
        total += w
        answer_ += w * v
    return answer_ / total


@wrong("temperature-squared", "no-shift", author="blind")
def blind_squared_loop(query, keys, values, temperature):
    out = np.zeros(values.shape[1])
    total = 0.0
    for k, v in zip(keys, values):
        w = np.exp(np.dot(query, k) / temperature**2)
        total += w
        out += w * v
    return out / total
