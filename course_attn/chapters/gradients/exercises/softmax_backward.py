"""Exercise `softmax_backward`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def softmax_backward(weights, d_weights):
    """Take the gradient of a loss from the weights of a softmax back to its scores."""
    products = weights * d_weights
    mean = products.sum(axis=-1, keepdims=True)
    above_mean = d_weights - mean
    return weights * above_mean


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261501)

    def given(*shape: int, masked: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        exps = rng.exponential(size=shape)
        exps[rng.uniform(size=shape) < masked] = 0
        exps[..., -1] += 0.1
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights, 2 * rng.standard_normal(shape) + 0.7

    weights, d_weights = given(5, 8, masked=0.5)
    weights[3] = 0
    certain = np.full((3, 6), 1e-5)
    certain[np.arange(3), [2, 0, 5]] = 1 - 5e-5
    return (
        Case((np.array([0.5, 0.25, 0.25]), np.array([2.0, 8.0, 4.0])), "example"),
        Case(given(5, 8)),
        Case(given(11, 3)),
        Case(given(5, 5), "square"),
        Case(given(2, 3, 5, 8), "batch"),
        Case(given(7, 4, 6), "batch"),
        Case(given(7), "vector"),
        Case((weights, d_weights), "masked"),
        Case((certain, given(3, 6)[1]), "certain"),
        Case(given(4, 1), "one-key"),
        Case(tuple(array.astype("f4") for array in given(13, 9)), "float32"),
    )


def _row_sums(c: Context) -> str | None:
    """Say what the rows sum to, unless it is 0."""
    off = np.abs(c.got.sum(axis=-1)).max()
    if not off > 1e-3 * np.abs(c.got).max():
        return None
    return (
        f"The sums of your rows are as large as {number(off)} in size; each should be 0: a number "
        "that is added to all scores of a row changes no weight, and so not the loss."
    )


exercise = Exercise(
    softmax_backward,
    place=20,
    minutes=8,
    level="easy",
    prepares=("attention_backward",),
    section="What the row term says",
    task="""
Write `softmax_backward(weights, d_weights)`. The softmax of some scores gave the weights, an array
of shape (…, n) whose rows are along the last axis, and going back, `d_weights`, of the same shape,
has arrived: the gradient of the loss with respect to them. Return the gradient with respect to the
scores, of the same shape. There may be no leading axis at all, or several. A masked weight is 0,
and a row in which nothing is allowed is all zeros.
""",
    cases=_cases,
    kinds={
        "masked": Kind(
            "where weights are 0, as behind a mask",
            "Everything that belongs to such a weight is 0; nothing is to be divided by it.",
        ),
        "certain": Kind(
            "where a weight is nearly 1", "Then all gradients are small."
        ),
        "one-key": Kind(
            "for a single key", "Its weight is always 1: the gradient is 0."
        ),
    },
    faults=fault_list("""
row-term-missing: d_weights - mean → d_weights
    You multiply weights and gradients, which is the derivative of the exponential alone. The sum in
    the denominator depends on every score, too: subtract the mean of `d_weights` under the
    weights. Your rows sum to {your.sums}, and should sum to 0.
row-term-added: above_mean = → mean = -mean ⏎ above_mean =
    You add the row term. If all entries of `d_weights` are equal, nothing can be gained, and the
    gradient is 0: which sign makes it 0? {worst_row}
normalized-again: products =
            → weights = weights / weights.sum(axis=-1, keepdims=True) ⏎ products =
    You divide the weights by their sum once more. They sum to 1 already, but where nothing is
    allowed the sum is 0, and 0/0 is NaN.
softmax-again: products =
            → weights = np.exp(weights) / np.exp(weights).sum(axis=-1, keepdims=True) ⏎ products =
    You take a softmax of the weights. They have come out of one: what you are given are weights
    already, not scores.
term-not-weighted: return weights * above_mean → return products - mean
    You multiply `d_weights` by the weights, but not the row term. It is to be multiplied by the
    weight as well: what comes first, the difference or the product with the weights? {worst_row}
not-multiplied: return weights * above_mean → return above_mean
    You return by how much each entry of `d_weights` lies above its row term. That difference still
    has to be multiplied by the weights. {worst_row}
plain-mean: products.sum(axis=-1, keepdims=True) → d_weights.mean(axis=-1, keepdims=True)
    You subtract the plain mean of each row of `d_weights`. It is the mean *under the weights*, the
    sum of `weights * d_weights`: keys with a large weight count for more. {worst_row}
plain-sum: products.sum(axis=-1, keepdims=True) → d_weights.sum(axis=-1, keepdims=True)
    You subtract the plain sum of each row of `d_weights`: there each key counts in full. By what is
    an entry multiplied before it is added up? {worst_row}
mean-of-products: products.sum(axis=-1, keepdims=True)
            → products.mean(axis=-1, keepdims=True)
    You take the *mean* of the products `weights * d_weights`, which divides by n once more. The
    weights have done that: they sum to 1. Take the sum. {worst_row}
axis-0: products.sum(axis=-1, keepdims=True) → products.sum(axis=0, keepdims=True)
    `axis=0` counts from the front: over the queries, or, in a batch, over its sequences. A row of
    weights lies along the last axis, `axis=-1`. {worst_row}
no-keepdims: products.sum(axis=-1, keepdims=True) → products.sum(axis=-1)
    The sums of your rows are laid out as a row: column j gets the sum of row j, if NumPy can line
    them up at all. `keepdims=True` keeps them as a column.
diagonal-of-weights: d_weights - mean → d_weights - mean + products
    On the diagonal of your Jacobian stand the weights themselves. If a score grows, so does the
    denominator: the derivative of its own weight is a · (1 − what?). {worst_row}
sigmoid-like: d_weights - mean → d_weights * (1 - weights)
    You multiply `d_weights` by `weights * (1 - weights)`, the derivative of a sigmoid. That is the
    diagonal of the Jacobian only: every weight depends on *every* score of its row. {worst_row}
one-minus-weights: * above_mean → * (1 - weights) * above_mean
    You multiply by 1 − weights as well, as for a sigmoid. That a weight depends on the scores of
    its whole row is what the row term is for: is anything else needed? {worst_row}
log-softmax: return weights * above_mean
            → return d_weights - weights * d_weights.sum(axis=-1, keepdims=True)
    This is the way back through the *logarithm* of the softmax. What arrived is the gradient of the
    weights themselves: by what is each entry of it multiplied first? {worst_row}
over-everything: products.sum(axis=-1, keepdims=True) → products.sum()
    You subtract one number from the whole array. Each row has a mean of its own under its own
    weights: along which axis? {worst_row}
sign: return weights → return -weights
    All your signs are turned around, as in a *step* against the gradient. A score whose weight has
    a `d_weights` above the mean has a positive gradient. {worst_row}
"""),
    properties=(Property("row-sums", _row_sums),),
    wrong_lines=("row-term-missing", "plain-mean", "term-not-weighted"),
    hints=(
        "If one score of a row grows, which weights change? What would a row of equal gradients "
        "say, given that weights always sum to 1?",
        "Only what lies above or below the mean counts: subtract from each row of `d_weights` its "
        "mean under the weights, Σ a da, and multiply by the weights.",
        "`(weights * d_weights).sum(axis=-1, keepdims=True)` is the row term r; the result is "
        "a (da − r).",
    ),
    built_ins=(
        *twins("gradients.softmax_backward"),
        "torch._softmax_backward_data",
    ),
)
