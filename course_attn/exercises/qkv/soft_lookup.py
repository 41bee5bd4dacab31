"""Exercise `soft_lookup` of chapter 4."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, number
from course_attn.exercises.qkv._steps import one_hot, same, softmax, unit

__all__ = ["exercise"]


def soft_lookup(query, keys, values, temperature):
    """Look a query up in a dictionary that answers with a mixture of its values."""
    scores = keys @ query / temperature
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ values


def _lookup_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260403).standard_normal

    def given(n_k: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
        return draw(d_k), draw((n_k, d_k)), draw((n_k, d_v))

    narrow = tuple(array.astype("f4") for array in given(11, 5, 3))
    query, keys, values = given(5, 3, 2)
    close = query, keys[:1] + 0.001 * keys, values
    return (
        Case((*given(3, 2, 5), 0.5), "example"),
        Case((*given(7, 3, 2), 2.0)),
        Case((*given(5, 11, 3), 3.0)),
        Case((*given(5, 5, 5), 0.7), "square"),
        Case((*given(7, 5, 3), 0.001), "cold"),
        Case((*close, 0.001), "cold"),
        Case((*narrow, 1.5), "float32"),
    )


def _looked_up(
    query: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    temperature: float,
    *,
    score: Callable[..., Any] = lambda keys, query: keys @ query,
    scale: Callable[..., Any] = lambda scores, T, query: scores / T,
    weigh: Callable[..., Any] = softmax,
    mix: Callable[..., Any] = lambda weights, values: weights @ values,
) -> np.ndarray:
    return mix(weigh(scale(score(keys, query), temperature, query)), values)


def _powered(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, temperature: float
) -> np.ndarray:
    weights = softmax(keys @ query) ** (1 / temperature)
    return weights / weights.sum() @ values


def _largest_weight(c: Context) -> str:
    return number(softmax(c.given["keys"] @ c.given["query"]).max())


exercise = Exercise(
    solution=soft_lookup,
    place=30,
    section="A soft dictionary",
    task="""
Write `soft_lookup(query, keys, values, temperature)`: one query (d_k,) is looked up in a dictionary
of keys (n_k, d_k) with values (n_k, d_v). The weights are the softmax of the dot products divided
by the temperature (a number above 0), $a = \\mathrm{softmax}(K q / T)$, and the answer is the
mixture $\\sum_j a_j v_j$, shape (d_v,). It has to work for temperatures as low as 0.001.
""",
    cases=_lookup_cases,
    variant=_looked_up,
    kinds={
        "cold": Kind(
            "for a very low temperature",
            "Dividing by 0.001 makes the scores a thousand times larger: shift them *after* that.",
        ),
    },
    faults=(
        Fault(
            "multiplied",
            {"scale": lambda scores, T, query: scores * T},
            lambda c: (
                "You multiply by the temperature. It divides: at T = "
                f"{number(c.given['temperature'])} the lookup should get "
                f"{'harder' if c.given['temperature'] < 1 else 'softer'} than at 1, and yours gets "
                f"{'softer' if c.given['temperature'] < 1 else 'harder'}."
            ),
        ),
        Fault(
            "no-temperature",
            {"scale": lambda scores, T, query: scores},
            lambda c: (
                "The temperature plays no part: at T = "
                f"{number(c.given['temperature'])} you answer as at T = 1."
            ),
        ),
        Fault(
            "root",
            {"scale": lambda scores, T, query: scores / T**0.5},
            "You divide by the *root* of the temperature; divide by the temperature itself.",
        ),
        Fault(
            "scaled",
            {"scale": lambda scores, T, query: scores / T / len(query) ** 0.5},
            lambda c: (
                f"You divide by √d_k = √{len(c.given['query'])} besides the temperature. Chapter 5 "
                "will show why one may; here it is softmax(K q / T)."
            ),
        ),
        Fault(
            "power",
            _powered,
            lambda c: (
                "softmax(K q) to the power 1/T, divided by its sum, is right on paper. But at "
                f"T = {number(c.given['temperature'])} the largest weight, {_largest_weight(c)}, "
                f"to the power {number(1 / c.given['temperature'])} is so small that it is rounded "
                "to 0, and 0/0 is NaN. Divide the *scores* by T, and take one softmax."
            ),
        ),
        Fault(
            "hard",
            {"weigh": one_hot},
            lambda c: (
                f"You answer with the value of the best key alone, {c.row()}: a plain dictionary. "
                f"The soft one mixes all values, {c.row(of='expected')}."
            ),
        ),
        Fault(
            "no-softmax",
            {"weigh": same},
            "You mix with the raw scores: the softmax is missing, so the weights are neither "
            "positive nor do they sum to 1.",
        ),
        Fault(
            "not-normalized",
            {"weigh": np.exp},
            "The powers are not divided by their sum.",
        ),
        Fault(
            "no-shift",
            {"weigh": lambda scores: np.exp(scores) / np.exp(scores).sum()},
            lambda c: (
                f"Right for mild temperatures. At T = {number(c.given['temperature'])} the largest "
                "score is "
                f"{number((c.given['keys'] @ c.given['query']).max() / c.given['temperature'])}, "
                "whose power is infinite: NaN. Subtract the largest first."
            ),
        ),
        Fault(
            "divided-late",
            lambda query, keys, values, temperature: (
                softmax(keys @ query) @ values / temperature
            ),
            "You divide the *answer* by the temperature. It belongs to the scores, before the "
            "softmax: it decides how sharp the weights are.",
        ),
        Fault(
            "distance",
            {"score": lambda keys, query: -((keys - query) ** 2).sum(axis=-1)},
            "You score by the distance to the key; asked for is the dot product (a longer key then "
            "has a louder voice).",
        ),
        Fault(
            "cosine",
            {"score": lambda keys, query: unit(keys) @ unit(query)},
            "You score by the cosine: keys and query are divided by their lengths. Asked for is "
            "the plain dot product, in which a longer key has a louder voice.",
        ),
        Fault(
            "mean",
            {"weigh": lambda scores: np.full_like(scores, 1 / len(scores))},
            "You answer every query with the mean of all values: the query plays no part.",
        ),
        Fault(
            "keys-mixed",
            lambda query, keys, values, temperature: (
                softmax(keys @ query / temperature) @ keys
            ),
            lambda c: (
                f"You mix the *keys* (shape {c.got.shape}). They are compared with the query; what "
                "comes back are the values."
            ),
        ),
        Fault(
            "returns-weights",
            lambda query, keys, values, temperature: softmax(
                keys @ query / temperature
            ),
            lambda c: (
                f"You return the {c.got.size} weights, one for each key. Mix the values with them."
            ),
        ),
    ),
    hints=(
        "A Python dictionary compares the query with every key and returns one value. What "
        "replaces "
        '"equal", and what replaces "one"?',
        "One dot product for each key; softmax of these over T; then the weighted sum of the rows "
        "of `values`.",
        "`keys @ query` has shape (n_k,); weights of that shape give the answer by "
        "`weights @ values`.",
    ),
    built_ins=("course_attn.in_numpy.qkv.soft_lookup",),
)
