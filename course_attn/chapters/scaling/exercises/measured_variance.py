"""Exercise `measured_variance`: in each case one assumption of the theorem fails, or two."""

from collections.abc import Callable
from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault_list,
    number,
)

__all__ = ["exercise"]


def measured_variance(draw):
    """Measure the variance of the scaled score of a random query and a random key."""
    Q, K = draw(2000)
    products = Q * K
    d_k = Q.shape[-1]
    scores = products.sum(axis=-1) / d_k**0.5
    variance = scores.var()
    return variance


def _drawn(kind: str, rng: Any, n: int, d_k: int) -> tuple[np.ndarray, np.ndarray]:
    Q, K = rng.standard_normal((2, n, d_k))
    if kind == "mirrored":
        return Q, Q * rng.choice([-1.0, 1.0], (n, 1))
    return (Q + 1.5, K + 1.5) if kind == "mean" else (2 * Q, K)


def _measured(measure: Callable[..., Any], d_k: int, kind: str) -> Any:
    """Let the answer draw, the same pairs each time, and count them."""
    rng, drawn = np.random.default_rng(20260512), [0]

    def draw(n: Any) -> tuple[np.ndarray, np.ndarray]:
        drawn[0] += int(n)
        return _drawn(kind, rng, int(n), d_k)

    found = measure(draw)
    if found is None:
        return found
    if np.size(found) != 1:
        said = (
            f"You return shape {np.shape(found)}; one number is asked for. A pair has *one* score: "
            "sum its products over the features, then take the variance over the pairs."
        )
        raise WrongForm(said, "one-number")
    if drawn[0] < 500:
        said = (
            f"You draw {drawn[0] or 'no'} pair{'s' * (drawn[0] != 1)}. One number has no variance, "
            "and that of a few is a matter of chance: call `draw(2000)`."
        )
        raise WrongForm(said, "too-few")
    if kind == "count":
        return float(drawn[0])
    return found.reshape(()) if isinstance(found, np.ndarray) else found


def _other(c: Context) -> str:
    d_k, times = c.given["d_k"], c.got / c.expected
    n = c.call(d_k, "count")
    of_pairs = (
        d_k / n if n is not None else 0.0
    )  # times what is right, divided by √n
    pairs = ""
    if np.isclose(times, of_pairs, rtol=0.1):
        pairs = " Is it the root of the number of *pairs*?"
        shifted = c.call(50, "mean")
        variance = _measured(measured_variance, 50, "mean")
        if shifted is not None and shifted * n > 1.5 * 50 * variance:
            pairs += (
                " And a mean of squares is a variance only where the mean is 0."
            )
    elif np.isclose(c.got**2, of_pairs * c.expected, rtol=0.1):
        return (
            f"{number(c.got)} is a standard deviation, and the variance is its square. Besides, "
            f"you divide the scores by the root of the number of *pairs*, {number(n)}. How many "
            "terms does the sum of a score have?"
        )
    return (
        f"At d_k = {d_k} you have {number(c.got)}, that is {number(times)} times the right number, "
        f"{number(c.expected)}. Along which axis do you sum, and by what do you "
        f"divide?{pairs}"
    )


def _more(rng: Any) -> tuple[Case, ...]:
    # Here, of all kinds, chance moves the number least.
    sizes = rng.integers(30, 60, size=2).tolist()
    return tuple(Case((d_k, "mirrored"), "mirrored") for d_k in sizes)


exercise = Exercise(
    measured_variance,
    place=30,
    minutes=8,
    level="medium",
    prepares=("score_variance",),
    section="The proof: the variance of a dot product",
    task="""
The theorem has assumptions; a measurement needs none. Write `measured_variance(draw)`: `draw(n)`
draws n pairs of a query and a key and returns `Q, K`, each of shape (n, d_k), where row i of Q and
row i of K belong together. Return the variance of the *scaled* score $q \\cdot k / \\sqrt{d_k}$ of
such a pair, one number, measured on 2,000 pairs or more. The check tries three kinds of pairs, and
chance may move your number by 10 %.
""",
    drawn=_more,
    cases=lambda: tuple(
        Case((d_k, kind), kind)
        for kind, d_k in {"example": 16, "mean": 50, "mirrored": 40}.items()
    ),
    use=_measured,
    arguments=("d_k", "pairs"),
    tolerance=0.08,
    kinds={
        "example": Kind(
            "for independent queries and keys, the queries twice as long"
        ),
        "mean": Kind("for components with the mean 1.5"),
        "mirrored": Kind("where k is q or −q, by the toss of a coin"),
    },
    faults=fault_list("""
unscaled:  / d_k**0.5 → (nothing)
    This is the variance of the plain dot product, at d_k = {d_k}. Divide the scores by √d_k first.
divided-twice: d_k**0.5 → d_k
    You divide by d_k once too often: the scores by d_k, or the scores by √d_k and the variance by
    d_k. Dividing the scores by √d_k already divides their variance by d_k.
variance-over-root: d_k**0.5 → d_k**0.25
    You divide the *variance* by √d_k. Divide the scores by √d_k, or the variance by d_k.
spread: return variance → return variance**0.5
    {your} is the standard deviation of the scores. The variance is its square.
mean-square: scores.var() → (scores**2).mean()
    You return the mean of the squares. That is the variance only where the mean is 0.
products: products.sum(axis=-1) / d_k**0.5 → products
    You take the variance of the single products, and never sum those of a pair. That does no harm
    where they are uncorrelated. Here k is q or −q, so that all products of a pair have the same
    sign: you have {your}, and {right} is right.
products-divided: products.sum(axis=-1) / d_k**0.5 → products / d_k**0.5
    You divide by √d_k, but measure single products. A score is their *sum* over the features:
    `.sum(axis=-1)`. You have {your}; {right} is right.
mean-for-sum: products.sum(axis=-1) → products.mean(axis=-1)
    You take the *mean* of the products over the features. A score is their sum.
over-the-features: products.sum(axis=-1) / d_k**0.5 → products
        and scores.var() → scores.var(axis=-1).mean()
    You take the variance along the features of each pair, the wrong axis. First sum over them, so
    that each pair has one score; then take the variance over the pairs.
pairs-apart: Q * K → Q * K[::-1]
    Your queries meet keys of other pairs (`Q @ K.T` does that, or two calls of `draw`). Row i of Q
    and row i of K belong together: `Q * K`, summed over the features.
root-of-pairs: Q.shape[-1] → len(Q)
    You divide the scores by the root of the number of *pairs*. How many terms does the sum of a
    score have?
average: scores.var() → scores.mean()
    {your} is the *mean* of the scores. Their variance is asked for, how far they spread about it.
product-of-variances: scores.var() → Q.var() * K.var()
    You multiply the variances of the components of Q and K, which is the theorem. Its assumptions
    fail here: measure the *scores*.
"""),
    properties=(Property("other", _other),),
    wrong_lines=("unscaled", "spread", "pairs-apart"),
    hints=(
        "How many scores come out of 2,000 pairs, and what is each of them a sum of?",
        "`Q * K` has a row for each pair. Sum the rows, divide, and only then take a variance.",
        "`((Q * K).sum(axis=-1) / Q.shape[-1] ** 0.5).var()` is one number.",
    ),
)
