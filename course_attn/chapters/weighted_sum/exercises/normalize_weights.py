"""Exercise `normalize_weights`."""

import numpy as np

from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def normalize_weights(weights):
    """Scale every row of non-negative weights so that it sums to 1."""
    total = weights.sum(axis=-1, keepdims=True)
    shares = weights / total
    return shares


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260102).uniform
    with_zeros = draw(0.1, 4.0, (5, 11)) * (draw(size=(5, 11)) < 0.6)
    with_zeros[:, 0] = 1.5
    sizes = np.array([[99.0], [1e-2], [1.0], [40.0], [0.1]])
    apart = draw(0.1, 3.0, (5, 7)) * sizes
    return (
        Case((np.array([[2.0, 6.0, 0.0], [1.0, 1.0, 2.0]]),), "example"),
        Case((draw(0.1, 3.0, (5, 7)),)),
        Case((with_zeros,)),
        Case((draw(0.1, 3.0, (5, 5)),), "square"),
        Case((draw(0.1, 3.0, (2, 3, 5, 7)),), "batch"),
        Case((draw(0.1, 3.0, (1, 7)),), "vector"),
        Case((draw(0.1, 3.0, (5, 1)),), "vector"),
        Case((apart,), "apart"),
        Case((draw(0.1, 3.0, (11, 13)).astype("f4"),), "float32"),
    )


def _row_sums(c: Context) -> str | None:
    error = np.abs(c.got.sum(axis=-1) - 1).max() if c.got.ndim else 0.0
    if error > 1e-3:
        return f"Your rows sum to {c.sums()}, and each should sum to 1."
    if error > 2 * c.rtol:
        return (
            f"Your rows sum to nearly 1: the largest error is {number(error)}. A constant added to "
            "the sum does that, or rounding; every row has a positive sum, so neither is needed."
        )
    return None


def _proportions(c: Context) -> str | None:
    if not c.got.ndim or _row_sums(c):
        return None
    i = int(np.abs(c.got - c.expected).max(axis=-1).argmax())
    mine, right = c.rows(i)
    return (
        "Your rows sum to 1, but the proportions in them have changed: "
        f"{c.row(i, 'weights')} became {mine}, and {right} keeps them. Divide the weights as "
        "they stand, without adding or subtracting anything first."
    )


exercise = Exercise(
    normalize_weights,
    place=20,
    minutes=6,
    level="easy",
    prepares=("moving_average_weights", "nadaraya_watson", "softmax"),
    section="Weights that make an average",
    task="""
Write `normalize_weights(weights)`. It takes an array (…, n_q, n_k) of non-negative floats, the
weights, and returns an array of the same shape in which every row (last axis) sums to 1, with the
proportions inside a row unchanged. Every row has a positive sum. Leave the argument itself as it
was.
""",
    cases=_cases,
    kinds={
        "vector": Kind("where an axis has length 1"),
        "apart": Kind("for rows whose sums are far apart", "Is a constant added?"),
    },
    faults=fault_list("""
whole-array: axis=-1, keepdims=True → (nothing)
    You divide by the sum of the whole array, so all rows together sum to 1: your rows sum to
    {your.sums}. Each row needs a sum of its own.
columns: axis=-1 → axis=-2
    Your columns sum to 1 and your rows do not: they sum to {your.sums}. Your sum runs along
    axis −2; along which one do the numbers of a row lie?
no-keepdims: , keepdims=True → (nothing)
    The row sums are right, but they are laid out as a row: column j is divided by the sum of
    row j, so your rows sum to {your.sums}. Keep them as a column: `keepdims=True`.
first-row: weights.sum(axis=-1, keepdims=True) → weights[..., :1, :].sum(axis=-1, keepdims=True)
    You divide all rows by the sum of the first one: that row sums to 1, and your rows to
    {your.sums}. Each row needs a sum of its own.
length: total = weights → total = (weights**2)
        and weights / total → weights / np.sqrt(total)
    You divide by the Euclidean length of each row: then the *squares* sum to 1, and the weights
    themselves, row by row, to {your.sums}. Divide by the sum of the weights.
softmax: total =  → weights = np.exp(weights - weights.max(axis=-1, keepdims=True)) ⏎ total =
    You apply a softmax: it makes rows sum to 1, but changes the proportions. {weights.row}
    became {your.row}; {right.row} is right.
largest: weights.sum( → weights.max(
    You divide each row by its largest weight, which so becomes 1: your rows sum to {your.sums}. By
    what does a row have to be divided so that all of it together is 1?
min-max: total = weights.sum(
            → weights = weights - weights.min(axis=-1, keepdims=True) ⏎ total = weights.max(
    You scale each row so that its smallest weight becomes 0 and its largest 1: that changes the
    proportions, and the rows sum to {your.sums}. Divide by the sum, and subtract nothing.
changing-total: weights / total
            → weights.copy() ⏎ for j in range(weights.shape[-1]): shares[..., j] /= shares.sum(-1)
    You write the quotients into the array whose row you sum: after the first division the sum
    is another one, and your rows sum to {your.sums}. Sum each row once, before dividing.
mean: weights.sum( → weights.mean(
    You divide by the *mean* of each row: your rows sum to {your.sums}, the number of weights in
    one. What does a row have to be divided by to sum to 1?
one-more: weights / total → weights / (1 + total)
    You divide by 1 *more* than the sum of the row: your rows sum to {your.sums}. Does a running
    total of yours begin at 1?
squared: total = → weights = weights**2 ⏎ total =
    You square the weights first: one that is twice as large gets four times the share, and
    {weights.row} became {your.row}. What is asked to become of the proportions?
squares-summed: weights.sum( → (weights**2).sum(
    You divide by the sum of the *squares*: your rows sum to {your.sums}. Of what has the sum to be
    1?
smallest-subtracted: total = → weights = weights - weights.min(axis=-1, keepdims=True) ⏎ total =
    You subtract the smallest weight of each row first: that one becomes 0, and the proportions
    change. Which weights are to be divided?
last-left-out: .sum( → [..., :-1].sum(
    The last weight of a row never enters its sum: your rows sum to {your.sums}. Does a loop or a
    slice of yours end one too early?
excess-taken-off: weights / total → weights - (total - 1) / weights.shape[-1]
    You take the same amount off every weight of a row until it sums to 1: that changes the
    proportions. {weights.row} became {your.row}. Scale the row; subtract nothing.
"""),
    properties=(
        Property("row-sums", _row_sums),
        Property("proportions", _proportions),
    ),
    wrong_lines=("columns", "largest", "whole-array"),
    hints=(
        "What should the first row of `[[2., 6., 0.], [1., 1., 2.]]` become? And what number "
        "was it divided by? The second row needs another one.",
        "Sum along the last axis: that gives one number for each row. Divide every row by its own.",
        "A sum drops its axis, and then the division lines up wrongly: `keepdims=True` keeps the "
        "axis, so that (…, n_q, n_k) is divided by (…, n_q, 1).",
    ),
    built_ins=(
        BuiltIn("sklearn.preprocessing.normalize", lambda g: g["norm"] == "l1"),
        BuiltIn("torch.nn.functional.normalize", lambda given: given["p"] == 1),
    ),
)
