"""Exercise `init_projection`."""

import copy
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
)
from whywrong.context import number

__all__ = ["exercise"]


def init_projection(rng, d_in, d_out):
    """Draw a matrix that keeps the variance of what it projects."""
    entries = rng.standard_normal((d_in, d_out))
    spread = 1 / np.sqrt(d_in)
    return entries * spread


def _cases() -> tuple[Case, ...]:
    sizes = {"example": (120, 200), "plain": (640, 250), "square": (140, 140)}
    return tuple(
        Case((np.random.default_rng(20260510 + d), d, e), kind)
        for kind, (d, e) in {**sizes, "narrow": (4, 2500)}.items()
    )


def _weight(d_in: int, d_out: int) -> float:
    """Return what the moments of a matrix count: the fewer entries, the less certain they are."""
    return float(np.sqrt(d_in * d_out / 160_000) / 10)


def _measured(
    draw: Callable[..., Any], rng: Any, d_in: int, d_out: int
) -> np.ndarray:
    """Measure matrices that the answer draws: what should be [0, 0, 1, 0, 1, 1].

    The logarithm of d_in times their variance and their mean in standard deviations, both
    weighted; whether rows and columns are independent; whether a second call, and one with an
    equal generator, give the same; whether the lengths of columns differ as by chance.
    """
    twin = copy.deepcopy(rng)
    first, again, same = (draw(g, d_in, 5) for g in (rng, rng, twin))
    W = draw(rng, d_in, d_out)
    if not isinstance(W, np.ndarray) or W.dtype.kind != "f":
        what = "None" if W is None else f"a `{type(W).__name__}`"
        raise WrongForm(
            f"You return {what}; return an array of real numbers.", "no-array"
        )
    if W.shape != (d_in, d_out):
        raise WrongForm(
            f"For d_in = {d_in} and d_out = {d_out} you return shape {W.shape}; as it is used in "
            f"`X @ W`, the matrix has shape {(d_in, d_out)}.",
            "matrix-shape",
            _measured(lambda *given: draw(*given).T, rng, d_in, d_out)
            if W.shape == (d_out, d_in)
            else None,
        )
    mean, spread = W.mean(), W.std()
    unit = (W - mean) / spread if spread > 0 else W
    squares = unit**2  # those of random signs are all alike
    differ = squares.sum(axis=0).var() > d_in * squares.var() / 2
    return np.array(
        [
            np.log(max(spread**2 * d_in, 1e-12)) * _weight(d_in, d_out),
            np.clip(mean / max(spread, 1e-9), -10.0, 10.0) * _weight(d_in, d_out),
            float(max(_overlap(unit), _overlap(unit.T)) < 1.2),
            float(np.mean(first == again) > 0.9),
            float(np.mean(first == same) > 0.9),
            float(differ or squares.var() < 0.1),
        ]
    )


def _overlap(unit: np.ndarray) -> float:
    """Measure how much rows have in common: 1 on average if all entries are independent."""
    n, part = len(unit), unit[:, :100]
    if min(unit.shape) < 100:  # too few for an average
        return 1.0
    # The squared products of all rows sum up to those of all columns, of which there are fewer.
    of_all, of_itself = (part.T @ part) ** 2, (part**2).sum(axis=1) ** 2
    return float((of_all.sum() - of_itself.sum()) / (n * (n - 1)) / 100)


def _found(c: Context) -> tuple[float, float]:
    """Return d_in times the variance, and √d_in times the mean, of the entries."""
    logarithm, mean = c.got[:2] / _weight(c.given["d_in"], c.given["d_out"])
    return np.exp(logarithm), mean * np.exp(logarithm / 2)


def _variance_out(c: Context) -> str:
    variance, mean = _found(c)
    return (
        f"at d_in = {c.given['d_in']} the entries of X @ W have {number(variance + mean**2)} "
        "times the variance of those of X"
    )


def _moments(c: Context) -> str | None:
    variance, mean = np.abs(c.got[:2]) > 0.003
    said = [
        "The variance of your entries is not 1/d_in: {variance_out}."
        if variance
        else "",
        "The mean of your entries is {mean}/√d_in; it should be 0." if mean else "",
    ]
    return c.filled(" ".join(filter(None, said))) or None


_REPEATED = (
    "The entries are not independent: whole rows or columns of your matrix are copies of each "
    "other, or multiples. Draw all d_in × d_out numbers."
)

exercise = Exercise(
    init_projection,
    place=40,
    minutes=8,
    level="medium",
    section="Matrices that keep the variance",
    task="""
Write `init_projection(rng, d_in, d_out)`: draw a matrix W of shape (d_in, d_out) such that `X @ W`
has unit variance when X has (independent entries of mean 0 and variance 1). Its entries are
independent, with mean 0 and variance $1/d_{in}$, drawn from the generator `rng`
(`np.random.default_rng(…)`) and nothing else: two calls differ, and two equal generators give equal
matrices. Any such distribution will do; the check measures.
""",
    cases=_cases,
    kinds={"narrow": Kind("for small d_in")},
    use=_measured,
    tolerance=0.003,
    terms={
        "variance_out": _variance_out,
        "mean": lambda c: number(_found(c)[1]),
    },
    faults=fault_list("""
zeros: rng.standard_normal((d_in, d_out)) → np.zeros((d_in, d_out))
    Your matrix is all zeros: every projection of everything is 0. Draw its entries from `rng`.
variance-1: 1 / np.sqrt(d_in) → 1.0
    The entries are not scaled by 1/√d_in: {variance_out}. Query and key both carry that factor, and
    dividing scores by √d_k does not remove it.
spread-1-over-d: 1 / np.sqrt(d_in) → 1 / d_in
    Your entries have the *standard deviation* 1/d_in, so their variance is 1/d_in²: {variance_out}.
    (`rng.normal(0, s, …)` takes the standard deviation s.)
fan-out: 1 / np.sqrt(d_in) → 1 / np.sqrt(d_out)
    You divide by √d_out. Each entry of X @ W is a sum over d_in terms: {variance_out}.
xavier: 1 / np.sqrt(d_in) → np.sqrt(2 / (d_in + d_out))
    Your entries are scaled for the variance 2/(d_in + d_out), Glorot's compromise between the
    forward and the backward pass (also called Xavier's). Asked for is 1/d_in: {variance_out}.
he: 1 / np.sqrt(d_in) → np.sqrt(2 / d_in)
    Your entries have the variance 2/d_in. That is He's rule, for a layer behind a ReLU, or comes
    from a distribution whose variance is 2·scale² (Laplace's?). Here {variance_out}.
columns-alike: return entries → return entries / np.sqrt((entries**2).mean(axis=0))
    All columns of your matrix have exactly the same length, as if each were divided by its own:
    their entries are not independent. Divide all by the *same* number, whatever was drawn.
fixed-spread: 1 / np.sqrt(d_in) → 0.02
    You give the entries the standard deviation 0.02, whatever d_in (GPT-2 does so): {variance_out}.
uniform: rng.standard_normal((d_in, d_out)) → rng.uniform(-1, 1, (d_in, d_out))
    A uniform number in [−a, a] has variance a²/3, so with a = 1/√d_in (as `nn.Linear` draws) yours
    is three times too small: {variance_out}. Take a = √(3/d_in).
random: rng.standard_normal((d_in, d_out)) → rng.random((d_in, d_out))
    The numbers of `rng.random` have the mean 1/2, not 0, and the variance 1/12, not 1:
    {variance_out}. Use `rng.standard_normal`, or shift the mean to 0 and then stretch.
random-stretched: rng.standard_normal((d_in, d_out)) → 12**0.5 * rng.random((d_in, d_out))
    The mean of your entries is {mean}/√d_in, and should be 0.
    Numbers drawn between 0 and 1 have the mean 1/2: subtract that before you multiply.
one-sided: rng.standard_normal((d_in, d_out)) → 3**0.5 * rng.random((d_in, d_out))
    Your numbers are drawn between 0 and a limit, so their mean is {mean}/√d_in; it should be 0. On
    which side of 0 are numbers missing?
no-signs: return entries → return np.abs(entries)
    None of your entries is below 0 (an absolute value?): their mean is {mean}/√d_in, and should be
    0. What keeps both signs?
row-repeated: rng.standard_normal((d_in, d_out)) → np.tile(rng.standard_normal(d_out), (d_in, 1))
    You draw one row and repeat it: the entries are not independent. How many numbers are to be
    drawn for d_in rows?
global-generator: = rng. → = np.random.default_rng().
    Two equal generators give different matrices: your numbers come from somewhere else
    (`np.random.randn`, a new `default_rng()`). Draw from `rng`.
same-again: = rng. → = np.random.default_rng(0).
    Two calls give the same matrix, so W_Q and W_K would be equal. Draw from the `rng` that is
    passed in, not from a copy or one of your own, and do not reset its state.
multiplied: 1 / np.sqrt(d_in) → np.sqrt(d_in)
    You multiply by √d_in: {variance_out}. A sum of d_in terms grows with d_in by itself; should the
    entries of W be smaller or larger for more terms?
both-sizes: 1 / np.sqrt(d_in) → 1 / np.sqrt(d_in * d_out)
    You divide by √(d_in·d_out), from the number of all entries: {variance_out}. Over how many of
    them does *one* entry of X @ W sum?
sum-of-sizes: 1 / np.sqrt(d_in) → 1 / np.sqrt(d_in + d_out)
    Your entries have the variance 1/(d_in + d_out): {variance_out}. How many terms has the sum
    that makes one entry of X @ W?
"""),
    properties=(
        Property(
            "same-again",
            lambda c: (
                "Two calls give the same matrix: draw its entries from `rng`."
                if c.got[3]
                else None
            ),
        ),
        Property("repeated", lambda c: None if c.got[2] else _REPEATED),
        Property("mean-and-variance", _moments),
    ),
    hints=(
        "An entry of X @ W is a sum of d_in products. What is the variance of such a sum?",
        "It is d_in times that of an entry of W; so an entry needs 1/d_in. Its spread is then?",
        "`rng.standard_normal((d_in, d_out))` has variance 1; multiplied by s it has variance s².",
    ),
)
