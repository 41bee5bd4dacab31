"""Exercise `soft_lookup`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, fault_list
from whywrong.context import number

__all__ = ["exercise"]


def soft_lookup(query, keys, values, temperature):
    """Look a query up in a dictionary that answers with a mixture of its values."""
    scores = keys @ query
    quotients = scores / temperature
    largest = quotients.max()
    exps = np.exp(quotients - largest)
    weights = exps / exps.sum()
    return weights @ values


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260403).standard_normal

    def given(n_k: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
        return draw(d_k), draw((n_k, d_k)), draw((n_k, d_v))

    narrow = tuple(array.astype("f4") for array in given(11, 5, 3))
    query, keys, values = given(5, 3, 2)
    query *= np.sign(keys[0] @ query)
    close = keys[:1] + 0.001 * keys
    return (
        Case((*given(4, 2, 6), 0.5), "example"),
        Case((*given(9, 3, 2), 2.0)),
        Case((*given(5, 11, 3), 3.0)),
        Case((query, keys, 1e-6 * values, 1.4)),
        Case((*given(5, 5, 5), 0.7), "square"),
        Case((*given(1, 5, 3), 0.5), "one"),
        Case((*given(7, 1, 3), 0.5), "one"),
        Case((*given(7, 4, 1), 1.5), "one"),
        Case((query, close, values, 0.001), "cold"),
        Case((*given(7, 5, 3), 0.001), "cold"),
        Case((-query, close, values, 0.001), "cold"),
        Case((*narrow, 1.5), "float32"),
        Case((*narrow, 0.02), "float32"),
    )


def _hottest(c: Context) -> str:
    return number(
        (c.given["keys"] @ c.given["query"]).max() / c.given["temperature"]
    )


exercise = Exercise(
    soft_lookup,
    place=40,
    minutes=8,
    level="medium",
    section="A soft dictionary",
    task="""
Write `soft_lookup(query, keys, values, temperature)`: one query (d_k,) is looked up in a dictionary
of keys (n_k, d_k) with values (n_k, d_v). The weights are the softmax of the dot products divided
by the temperature (a number above 0), $a = \\mathrm{softmax}(q K^\\top / T)$, and the answer is the
mixture $\\sum_j a_j v_j$, shape (d_v,). It has to work for temperatures as low as 0.001.
""",
    cases=_cases,
    kinds={
        "cold": Kind(
            "for a very low temperature",
            "Dividing by 0.001 makes the scores a thousand times larger. What keeps `exp` finite "
            "then, and leaves their differences as they are?",
        ),
        "one": Kind(
            "for a single key or feature",
            "Axes of length 1 have to stay: `squeeze` and `[0]` drop them.",
        ),
    },
    terms={"hottest": _hottest},
    faults=fault_list("""
multiplied: scores / temperature → scores * temperature
    Your temperature works the wrong way around: below 1 it is to sharpen the weights. Do you
    multiply the scores by T, or raise the weights to the power T?
temperature-squared: scores / temperature → scores / temperature**2
    You divide by T², or by T in two places: below 1 that sharpens the weights too much. How many
    times does T stand in softmax(q Kᵀ / T)?
scaled: scores / temperature → scores / temperature / len(query) ** 0.5
    You *also* divide by √d_k = {query.root}. Here only the temperature divides: softmax(q Kᵀ / T).
power: np.exp(quotients - largest)
            → (np.exp(scores) / np.exp(scores).sum()) ** (1 / temperature)
    softmax(q Kᵀ) to the power 1/T, divided by its sum, is right on paper. But at T = {temperature}
    the exponentials are rounded to 0, and 0/0 is NaN. Divide the *scores* by T.
power-alone: np.exp(quotients - largest) → np.exp(scores - scores.max())
        and exps / exps.sum() → (exps / exps.sum()) ** (1 / temperature)
    You raise the finished weights to the power 1/T, and their sum is no longer 1. Divide the
    *scores* by T: then the softmax comes last, and sees to that.
hard: exps / exps.sum() → (quotients == largest).astype(values.dtype)
    You answer with the value of the best key alone, {your.row}: a plain dictionary. The soft one
    mixes all values, {right.row}.
hard-when-cold: exps / exps.sum()
            → exps / exps.sum() if temperature > 0.01 else (quotients == largest).astype(exps.dtype)
    At T = {temperature} you answer with the value of the best key alone, {your.row}. Another key
    may come so close that even then it has a part, and here one does: {right.row}. With the
    largest quotient subtracted, `exp` overflows at no temperature: why treat a low one apart?
not-normalized: exps / exps.sum() → exps
    You do not divide the exponentials by their sum: the weights should sum to 1.
no-exp: np.exp(quotients - largest) → quotients
    You divide the scores by their sum without raising e to them: negative scores give negative
    weights, and the temperature cancels.
no-shift: quotients.max() → 0.0
    Right for mild temperatures. At T = {temperature} the largest score over T is {hottest}: `exp`
    of such numbers is infinite or 0, and ∞/∞ and 0/0 are NaN. Divide by T first; then subtract the
    largest of the quotients.
cut-off: np.exp(quotients - largest) → np.exp(np.minimum(quotients, 700.0))
    You cut off large quotients (at 700?), and all keys above that limit count alike. What else
    keeps `exp` finite, and leaves the differences of the quotients as they are?
divided-by-largest: quotients - largest → quotients / np.abs(quotients).max()
    You *divide* the scores by the largest of them in size, and with it the temperature cancels:
    your weights are the same at every T. Which other step keeps `exp` finite, and the differences
    of the quotients as they are?
negative: scores / temperature → -scores / temperature
    The sign of the scores is wrong: the key that fits least gets the largest weight.
divided-late: scores / temperature → scores
        and exps / exps.sum() → exps / exps.sum() / temperature
    You divide by the temperature after the softmax, the weights or the answer. It belongs to the
    scores, before the softmax.
cancelled: scores / temperature → scores
    Your answer is the same at every temperature. If you divide the exponentials by it, the
    normalizing cancels it again. Divide the *scores*, before `exp`.
distance: keys @ query → -((keys - query) ** 2).sum(axis=-1)
    You score by the distance to the key. The task asks for the dot product, in which a longer key
    has a louder voice.
cosine: keys @ query → keys @ query / np.linalg.norm(keys, axis=-1) / np.linalg.norm(query)
    You score by the cosine. The task asks for the plain dot product, in which a longer key has a
    louder voice.
unit-keys: keys @ query → keys @ query / np.linalg.norm(keys, axis=-1)
    The lengths of the keys play no part, as if each were scaled to length 1 first. The task asks
    for the plain dot product, in which a longer key has a louder voice.
keys-mixed: weights @ values → weights @ keys
    Your answer is a mixture of the *keys*. They decide the weights, and nothing else: what does the
    dictionary answer with?
averaged: weights @ values → weights @ values / len(keys)
    Your answer is divided by the number of keys, as by a mean over them. The weights sum to 1
    already: the weighted values are only added up.
last-left-out: weights @ values → weights[:-1] @ values[:-1]
    The value of the last key is missing from your mixture. Over which j does a loop have to run?
not-summed: weights @ values → weights[:, None] * values
    You return every value times its weight, shape {your.shape}. The answer is their sum over the
    keys, shape {right.shape}: `weights @ values`.
raw-scores: exps / exps.sum() → quotients
    You mix the values with the scores over T themselves, which may be negative. What makes of
    scores weights that are above 0 and sum to 1?
unit-query: keys @ query → keys @ query / np.linalg.norm(query)
    The length of the query plays no part, as if it were scaled to length 1 first. The task asks
    for the plain dot product: a longer query tells the keys apart more sharply.
softmax-twice: weights @ values → np.exp(weights) / np.exp(weights).sum() @ values
    The softmax is applied twice. Its weights lie between 0 and 1, so that the second makes them
    nearly even. How many are asked for?
"""),
    hints=(
        'What replaces "equal" in a Python dictionary\'s search, and what replaces "one value"?',
        "A dot product for each key; softmax of these over T; the weighted sum of the values.",
        "`keys @ query` has shape (n_k,); with such weights the answer is `weights @ values`.",
    ),
    built_ins=twins("qkv.soft_lookup"),
)
