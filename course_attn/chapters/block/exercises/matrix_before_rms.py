"""Exercise `matrix_before_rms`."""

from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    listed,
    number,
)

__all__ = ["exercise"]


def matrix_before_rms(d):
    """Give the matrix that makes layer norm of RMS norm."""
    identity = np.eye(d)
    averaging_matrix = np.ones((d, d)) / d
    return identity - averaging_matrix


def _cases() -> tuple[Case, ...]:
    kinds = {
        4: "example",
        3: "plain",
        2: "plain",
        7: "plain",
        64: "plain",
        1: "one-feature",
    }
    return tuple(Case((d,), kind) for d, kind in kinds.items())


def _tried(c: Context) -> str:
    """Say what the learner's matrix makes of one row."""
    x = np.arange(1.0, 2 * len(c.expected), 2)
    if c.got.shape != c.expected.shape:
        return c.worst_row
    own, variance = x @ c.got, x.var()
    mean, square = own.mean().round(6) + 0.0, (own**2).mean().round(6)
    if np.allclose([mean, square], [0, variance]):
        return c.worst_row
    return (
        f"For x = {listed(x)} your x C is {listed(own)}: its mean is {number(mean)} and its mean "
        f"square {number(square)}. They should be 0 and {number(variance)}, the variance of x."
    )


def _left_out(c: Context) -> str | None:
    """Find a feature that plays no part in another: a mean is made of all of them."""
    if c.got.shape != c.expected.shape or c.got.all():
        return None
    g, f = np.argwhere(c.got == 0)[0]
    return (
        f"Your C[{g}, {f}] is 0, so that feature {f} of x C has nothing of feature {g}. The mean "
        f"that is subtracted from each feature is made of *all* of them. {_tried(c)}"
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    return tuple(Case((d,)) for d in rng.integers(5, 40, size=4).tolist())


exercise = Exercise(
    matrix_before_rms,
    place=15,
    minutes=12,
    level="medium",
    section="Layer norm and RMS norm",
    task="""
A chip computes RMS norm, and nothing else of this kind. You need layer norm. Leave out gain and
bias, and take the same $\\varepsilon > 0$ in both. Then one matrix C of shape (d, d) is enough: for
every row x with d features, $\\operatorname{LN}(x) = \\operatorname{RMSNorm}(x\\, C)$.

*Proof.* (1) Take C = … (2) Then x C has the mean 0, and its mean square is the variance of x.
(3) So RMS norm divides x C by $\\sqrt{\\sigma^2 + \\varepsilon}$, which is what layer norm does.

The first line is missing. Write `matrix_before_rms(d)`, which returns C as an array.
""",
    drawn=_drawn,
    cases=_cases,
    terms={"tried": _tried},
    kinds={
        "one-feature": Kind(
            "for a single feature",
            "It is its own mean: what layer norm makes of it is 0, so C is [[0]].",
            apart=True,
        ),
    },
    faults=fault_list("""
only-mean: return identity - averaging_matrix → return averaging_matrix + 0 * identity
    Your C replaces each feature by the mean. Layer norm *subtracts* the mean from x. {tried}
sum: np.ones((d, d)) / d → np.ones((d, d))
    You subtract the *sum* of the features, d times their mean. {tried}
one-less: np.ones((d, d)) / d → np.ones((d, d)) / max(d - 1, 1)
    You divide the sum by d − 1. A mean divides by d. {tried}
added: identity - averaging_matrix → identity + averaging_matrix
    You add the mean; subtract it. {tried}
part-of-the-mean: np.ones((d, d)) / d → np.ones((d, d)) / d**2
    You subtract only a d-th of the mean: off the diagonal your entries are −1/d², not −1/d. (Is a
    vector of ones to be brought to length 1? Its length is √d.) {tried}
only-above: return identity - averaging_matrix → return identity - np.triu(averaging_matrix)
    Below the diagonal your C is all 0: what is subtracted from feature f knows none of the features
    after it. {tried}
only-below: return identity - averaging_matrix → return identity - np.tril(averaging_matrix)
    Above the diagonal your C is all 0: what is subtracted from feature f knows none of the features
    before it. {tried}
one-less-beside: np.ones((d, d)) / d → (np.ones((d, d)) - np.eye(d)) / max(d - 1, 1) + np.eye(d) / d
    Off the diagonal you take −1/(d − 1). Of how many features is the mean made? {tried}
d-times: np.eye(d) → d * np.eye(d)
        and np.ones((d, d)) / d → np.ones((d, d))
    All your entries are d times too large. RMS norm takes a factor out again only where ε is 0;
    here ε > 0. {tried}
sign: identity - averaging_matrix → averaging_matrix - identity
    All your signs are turned around: you give the mean minus x, and RMS norm keeps that sign.
    {tried}
others-only: np.ones((d, d)) / d → (np.ones((d, d)) - np.eye(d)) / d
    The diagonal of your C is 1. But the mean that is subtracted from feature f contains feature f
    itself, with weight 1/d. {tried}
unbiased: return identity - averaging_matrix
            → return (identity - averaging_matrix) * ((d - 1) / d) ** 0.5
    You subtract the mean, but then all is too small, by the factor √((d − 1)/d), as if a variance
    were a sum divided by d − 1. In layer norm it is divided by d, as in RMS norm. {tried}
unit-columns: return identity - averaging_matrix
            → C = identity - averaging_matrix ⏎ return C / np.linalg.norm(C, axis=0)
    Each column of your C has the length 1, as if divided by its own. Is there anything to divide by
    that RMS norm does not divide by itself? {tried}
root-of-d: return identity - averaging_matrix
            → return (identity - averaging_matrix) / d**0.5
    You divide the matrix by √d. Is there anything to divide by that RMS norm does not divide by
    itself? {tried}
mean-of-the-others: return identity - averaging_matrix
            → return (identity - averaging_matrix) * (d / max(d - 1, 1))
    From each feature you subtract the mean of the d − 1 *others*. That makes d/(d − 1) of x − μ:
    the mean of *all* features, its own too, is to be subtracted. {tried}
root-in-the-mean: np.ones((d, d)) / d → np.ones((d, d)) / d**0.5
    You divide the sum of the features by √d. By what does a mean divide? {tried}
ones-for-identity: np.eye(d) → np.ones((d, d))
    You start from a matrix full of ones. x C should begin with x itself: which matrix leaves x as
    it is? {tried}
"""),
    properties=(Property("left-out", _left_out), Property("tried", _tried)),
    wrong_lines=("added", "sum"),
    hints=(
        "In the formulas of both norms, what does layer norm do to x that RMS norm does not?",
        "x C should be x − μ. Which matrix leaves x as it is? And which puts the mean of x into "
        "every feature?",
        "x times a matrix full of 1/d is (μ, …, μ). Take that matrix away from `np.eye(d)`.",
    ),
)
