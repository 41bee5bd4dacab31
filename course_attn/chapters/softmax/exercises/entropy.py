"""Exercise `entropy`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def entropy(weights):
    """Give the entropy of every row of weights, in nats."""
    # log 1 = 0: a weight of 0 adds nothing
    safe_weights = np.where(weights > 0, weights, 1)
    logarithms = np.log(safe_weights)
    terms = weights * logarithms
    total = terms.sum(axis=-1)
    return -total


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260303)

    def draw(*shape: int) -> np.ndarray:  # small weights have a case of their own
        uneven = rng.dirichlet(np.full(shape[-1], 0.8), shape[:-1])
        return 0.8 * uneven + 0.2 / shape[-1]

    with_zeros = draw(5, 8) * (rng.uniform(size=(5, 8)) < 0.6)
    with_zeros[:, 3] += 0.2
    with_zeros[2] = np.eye(8)[3]
    # Where one weight is nearly 1, small ones make up most of the entropy.
    small = 10.0 ** -np.array([[9, 0, 6, 5], [4, 1, 7, 0], [0, 3, 8, 6.0]])
    return (
        Case((np.array([[0.5, 0.5], [0.25, 0.75]]),), "example"),
        Case((draw(5, 8),)),
        Case((draw(11, 3),)),
        Case((draw(5, 5),), "square"),
        Case((draw(2, 3, 5, 8),), "batch"),
        Case((draw(7),), "vector"),
        Case((with_zeros / with_zeros.sum(axis=-1, keepdims=True),), "zeros"),
        Case((small / small.sum(axis=-1, keepdims=True),), "small"),
        Case((draw(1, 6),), "one"),
        Case((np.ones((5, 1)),), "one"),
        Case((draw(7, 13).astype("f4"),), "float32"),
    )


def _constant_in_log(c: Context) -> str | None:
    weights = c.given["weights"]
    certain = c.call(np.ones((1, 1)))
    if certain is None or certain.shape != (1,) or not -1 < certain[0] < 0:
        return None
    added = np.expm1(-certain[0])
    terms, more = -weights * np.log(weights + added), ""
    if not np.allclose(c.got, terms.sum(axis=-1)):
        if not np.allclose(c.got, terms.mean(axis=-1)):
            return None
        more = " And the terms of a row are to be added up; you take their mean."
    return (
        f"You add {added:.4g} to the weights in the logarithm: that changes every term, not "
        f"only those of weights that are 0. Replace only the zeros, or add far less.{more}"
    )


def _certain(c: Context) -> str | None:
    found = c.call(np.array([[1.0, 0.0, 0.0, 0.0]]))
    if found is None or found.shape != (1,) or not 1e-6 < found[0] < 0.5:
        return None
    return (
        f"For the row [1, 0, 0, 0] you give {found[0]:.4g}; its entropy is 0. A small number "
        "in place of a weight of 0 may stand in the logarithm, not before it."
    )


exercise = Exercise(
    entropy,
    place=30,
    minutes=10,
    level="medium",
    prepares=("entropy_collapse",),
    section="Measuring sharpness: entropy",
    task="""
Write `entropy(weights)`: for every row, $-\\sum_j a_j \\log a_j$ in nats (natural logarithm). It is
0 when one weight is 1, and log n when all n weights are equal. A weight of 0 adds nothing: 0 · log
0 counts as 0. Shape (…, n) in, (…) out.
""",
    cases=_cases,
    kinds={
        "zeros": Kind(
            "where some weights are 0",
            "0 · log 0 is 0 · (−∞) = NaN in floating point, but counts as 0 here.",
        ),
        "small": Kind(
            "where some weights are small",
            "A weight of 0.00001 still adds 0.0001: replace only weights that are exactly 0.",
        ),
        "one": Kind("where an axis has length 1", "`squeeze()` drops such axes."),
    },
    faults=fault_list("""
zeros: np.where(weights > 0, weights, 1) → weights
    Your entropies are NaN where a weight is 0: log 0 is −∞, and 0 · (−∞) is NaN. A weight of 0
    should add nothing.
zeroed-rows: np.where(weights > 0, weights, 1) → weights
        and -total → -np.nan_to_num(total)
    Every row that has a weight of 0 gets the entropy 0, although its other weights count. Only the
    *term* of that weight is 0 (with `nan_to_num`: replace the NaN before the sum).
base-2: np.log( → np.log2(
    You measure in bits (log to base 2), which makes the numbers 1.443 times as large; nats are
    asked for, the natural logarithm.
total: terms.sum(axis=-1) → terms.sum()
    You add up the entropies of all rows; one number for each is asked for, shape {right.shape}. A
    sum without `axis=` runs over everything, and an array that is cut by a mask has no rows.
sign: terms = → terms = -
    The minus sign is missing: the logarithm of a weight is never above 0, and an entropy never
    below.
averaged: terms.sum(axis=-1) → terms.sum(axis=-1).mean()
    You take the mean over all rows; one number for each is asked for, shape {right.shape}.
normalized-if-several: -total → -total / np.log(max(weights.shape[-1], 2))
    You divide by log n wherever n is above 1: equal weights then give 1, and not log n. The
    entropy itself is asked for.
normalized: -total → -total / np.log(weights.shape[-1])
    You divide by log n: equal weights then give 1, and not log n, and a single weight gives 0/0.
    The entropy itself is asked for.
mean-of-terms: terms.sum(axis=-1) → terms.mean(axis=-1)
    You take the *mean* of the n = {weights.last} terms of a row; their sum is asked for.
softmaxed-first: safe_weights =
        → weights = np.exp(weights) / np.exp(weights).sum(-1)[..., None] ⏎ safe_weights =
    You apply a softmax to the argument first: it holds weights already, not scores. The softmax of
    weights is nearly even, and its entropy is near log n.
log-of-1-plus: np.log(safe_weights) → np.log1p(weights)
    You take log(1 + a): that changes every other term as well. Replace only the zeros.
columns: terms.sum(axis=-1) → terms.sum(axis=0)
    You add up along the first axis, over the rows: shape {your.shape}, where {right.shape} is
    right. Which axis has the weights of one row?
unweighted: weights * logarithms → logarithms
    You add up the logarithms alone. In the sum each stands times something: what is missing?
exponential: return -total → return np.exp(-total)
    You return the exponential of the entropy, the perplexity. Asked for is the entropy itself: what
    is it when one weight is 1?
base-10: np.log( → np.log10(
    Your logarithm is the one to base 10, which makes the numbers 2.303 times too small. Nats are
    asked for: to which base?
"""),
    properties=(
        Property("constant-in-log", _constant_in_log),
        Property("certain", _certain),
    ),
    hints=(
        "What does your function give for `[[1., 0.]]`? It should be 0. What is `np.log(0.)`?",
        "Give the logarithm something harmless wherever the weight is 0: the product is 0 anyway.",
        "`np.where(weights > 0, weights, 1)` inside the logarithm, times the weights, summed along "
        "the last axis, with a minus sign.",
    ),
    built_ins=(
        *twins("softmax.entropy"),
        "scipy.stats.entropy",
        "torch.distributions.Categorical.entropy",
    ),
)
