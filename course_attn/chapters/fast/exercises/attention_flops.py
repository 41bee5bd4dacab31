"""Exercise `attention_flops`."""

import itertools
from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Property, fault_list

__all__ = ["exercise"]


def attention_flops(n_q, n_k, d_k, d_v, n_heads):
    """Count the operations of attention's two matrix products, in all heads."""
    per_term = 2
    scores = per_term * n_q * d_k * n_k
    mixing = per_term * n_q * n_k * d_v
    return n_heads * (scores + mixing)


def _cases() -> tuple[Case, ...]:
    sizes = ((7, 11, 5, 13, 3), (1, 17, 7, 2, 5), (1024, 1024, 64, 64, 7))
    more = ((13, 5, 11, 8, 1), (3, 1, 24, 12, 6))
    return (Case((10, 30, 4, 7, 2), "example"), *map(Case, sizes + more))


def _said(c: Context) -> str:
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    return c.filled(f"For {sizes} you count {{your}}, and there are {{right}}.")


_RIGHT: dict[tuple[int, ...], float] = {(1, 1, 1, 0, 1): 2.0, (1, 1, 0, 1, 1): 2.0}


def _multiplied_out(c: Context) -> dict[tuple[int, ...], float]:
    """Return the learner's count as a polynomial: coefficients by the exponents of the sizes."""
    counts = [c.call(*sizes) for sizes in itertools.product((1, 2, 3), repeat=5)]
    if any(count is None or count.shape for count in counts):
        return {}
    found = np.array(counts, dtype=float).reshape((3,) * 5)
    to_coefficients = np.linalg.inv(np.vander([1, 2, 3], increasing=True))
    for _ in range(5):  # the axis just done goes to the end
        found = np.tensordot(found, to_coefficients, axes=(0, 1))
    terms = {
        tuple(map(int, es)): found[tuple(es)] for es in np.argwhere(found.round(6))
    }
    sizes = np.array(list(c.given.values()), dtype=float)
    count = sum(times * np.prod(sizes**es) for es, times in terms.items())
    return terms if np.isclose(count, float(c.got)) else {}


def _in_words(terms: dict[tuple[int, ...], float], names: list[str]) -> str:
    return " + ".join(
        " · ".join(
            [f"{times:g}"] * bool(abs(times - 1) > 1e-6)
            + [f"{names[i]}{'²' * (es[i] - 1)}" for i in (4, 0, 1, 2, 3) if es[i]]
        )
        for es, times in terms.items()
    )


def _off(c: Context) -> str | None:
    """Name the terms by which the count is off."""
    yours = _multiplied_out(c)
    if not 0 < len(yours) <= 6:
        return None
    off = {es: yours.get(es, 0.0) - _RIGHT.get(es, 0.0) for es in yours | _RIGHT}
    many = {es: times for es, times in off.items() if times > 1e-6}
    few = {es: -times for es, times in off.items() if times < -1e-6}
    said = [
        f"{_in_words(terms, list(c.given))} too {word}"
        for terms, word in ((many, "many"), (few, "few"))
        if terms
    ]
    besides = not few or any(not es[2] and not es[3] for es in many)
    why = (
        "" if not besides else "No softmax, no mask and no projection is counted. "
    )
    return f"You count exactly {' and '.join(said)}. {why}{_said(c)}"


def _drawn(rng: Any) -> tuple[Case, ...]:
    return tuple(Case(tuple(five)) for five in rng.integers(2, 30, (4, 5)).tolist())


exercise = Exercise(
    attention_flops,
    place=10,
    minutes=6,
    level="easy",
    section="Where do time and memory go?",
    task="""
How many operations does attention take? Write `attention_flops(n_q, n_k, d_k, d_v, n_heads)` for
one sequence: in every head, n_q queries and n_k keys of d_k features each, and n_k values of d_v.
Count the two matrix products only, the scores $Q K^\\top$ and the mixing $A V$, and in them 2
operations, a multiplication and an addition, for each term of each sum: the product of an (a, b)
matrix with a (b, c) matrix takes $2\\,a\\,b\\,c$. The projections, the scaling, the softmax and
masks are not counted. Return a whole number (an `int`).
""",
    drawn=_drawn,
    cases=_cases,
    terms={"said": _said},
    faults=fault_list("""
additions-forgotten: per_term = 2 → per_term = 1
    You leave out the factor 2: each term of a sum takes a multiplication *and* an addition.
    (If you halve because of a causal mask: masks are not counted here.) {said}
scores-only: (scores + mixing) → scores
    You count the scores Q Kᵀ, and not the second product, in which the weights, {n_q} × {n_k},
    mix values of {d_v} features. {said}
values-as-wide-as-keys: n_k * d_v → n_k * d_k
    You take the values to be as wide as the keys. They have a width of their own, d_v = {d_v}:
    the mixing takes 2 · n_q · n_k · d_v. {said}
one-head: n_heads * (scores + mixing) → scores + mixing
    You count one head; there are {n_heads}, and d_k and d_v are the widths in each. {said}
heads-in-the-scores-only: n_heads * (scores + mixing) → n_heads * scores + mixing
    The scores are counted in each of the {n_heads} heads, and the mixing of the values in one
    only: parentheses are missing, n_heads · (… + …). {said}
heads-in-the-mixing-only: n_heads * (scores + mixing) → scores + n_heads * mixing
    The mixing is counted in each of the {n_heads} heads, and Q Kᵀ in one only. Are parentheses
    missing, n_heads · (… + …)? {said}
divided-by-heads: n_heads * (scores + mixing) → (scores + mixing) // n_heads
    You divide by the number of heads. d_k and d_v are the widths in *each* of the {n_heads}
    heads already: multiply. {said}
widths-split: scores = → d_k, d_v = d_k // n_heads, d_v // n_heads ⏎ scores =
    You split d_k and d_v between the heads. They are the widths in *each* head already. {said}
scores-split: d_k * n_k → (d_k // n_heads) * n_k
    In the scores you split d_k between the heads. It is the width in *each* head already. {said}
one-addition-less: per_term * n_q * d_k * n_k → n_q * n_k * (2 * d_k - 1)
        and per_term * n_q * n_k * d_v → n_q * d_v * (2 * n_k - 1)
    You count one addition less than multiplications in each sum. That is exact, but the task, as
    is the custom, counts 2 for each term (the first is added to 0). {said}
as-many-keys: n_q * d_k * n_k → n_q * d_k * n_q
        and n_q * n_k * d_v → n_q * n_q * d_v
    You take it that there are as many keys as queries, n_q². Here there are {n_k} keys. {said}
square-scores: n_q * d_k * n_k → n_q * d_k * n_q
    In each head you count n_q × n_q scores. Every query meets every *key*: how many keys are
    there? {said}
square-mixing: n_q * n_k * d_v → n_q * n_q * d_v
    In each head you mix with n_q × n_q weights. A query has a weight for every *key*: how many keys
    are there? {said}
mixing-halved: mixing = per_term * → mixing =
    In the mixing the factor 2 is missing: there, too, each term of a sum takes a multiplication and
    an addition. {said}
mixing-only: (scores + mixing) → mixing
    You count the mixing A V alone. Which product comes before it? {said}
doubled: per_term = 2 → per_term = 4
    You double the result. Is the 2 of a multiplication and an addition in it already? {said}
"""),
    properties=(Property("term", _off),),
    hints=(
        "Write down the shapes of both factors of Q Kᵀ, and of the weights times V, in one head.",
        "(n_q, d_k) times (d_k, n_k), then (n_q, n_k) times (n_k, d_v): 2abc for each.",
        "`n_heads * (2 * n_q * d_k * n_k + …)`.",
    ),
    built_ins=("course_attn.costs.attention_flops",),
)
