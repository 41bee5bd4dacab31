"""Exercise `weighted_sum`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Exercise, Kind, fault_list

__all__ = ["exercise"]


def weighted_sum(weights, values):
    """Mix the values by the weights: output i is the sum over j of weights[i, j] * values[j]."""
    outputs = weights @ values
    return outputs


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260101)
    draw = rng.standard_normal
    weights = np.array([[0.5, 0.3, 0.2], [0.0, 0.25, 0.75]])
    values = np.array([[1.0, 0, 2, 8], [3, 4, 0, -6], [9, 8, 4, 2]])
    return (
        Case((weights, values), "example"),
        Case((rng.uniform(0.1, 1.0, (5, 7)), draw((7, 3)))),
        Case((draw((11, 3)), draw((3, 13)))),
        Case((rng.uniform(0.1, 1.0, (5, 5)), draw((5, 5))), "square"),
        Case((draw((2, 3, 5, 7)), draw((2, 3, 7, 11))), "batch"),
        Case((draw((1, 7)), draw((7, 1))), "vector"),
        Case((draw((3, 7)), 1e-6 * draw((7, 5))), "small"),
        Case((draw((11, 13)).astype("f4"), draw((13, 5)).astype("f4")), "float32"),
    )


exercise = Exercise(
    weighted_sum,
    place=60,
    minutes=5,
    level="easy",
    prepares=("weighted_sum_torch", "nadaraya_watson", "unscaled_attention"),
    section="In one line: a matrix product",
    task="""
Write `weighted_sum(weights, values)`. Row $i$ of the result is the mixture
$y_i = \\sum_j a_{ij} x_j$ of the rows of `values`, with the weights exactly as they are given (they
need not sum to 1, and may be negative). Shapes: `weights` (…, n_q, n_k), `values` (…, n_k, d),
result (…, n_q, d); the dots stand for any number of equal leading batch axes.
""",
    cases=_cases,
    kinds={
        "vector": Kind("for an axis of length 1", "`squeeze` drops such an axis."),
        "small": Kind("for very small values", "Is something rounded, or added?"),
    },
    faults=fault_list("""
transposed-weights: = weights → = np.swapaxes(weights, -1, -2)
    The weights are transposed: your output i uses column i of `weights`, but row i holds the
    weights of output i. Where n_q and n_k differ, the shapes do not even fit.
renormalized: = weights → = (weights / weights.sum(axis=-1, keepdims=True))
    You divide the weights by their row sums first. Take them as they are: here the rows of
    `weights` sum to {weights.sums}, and that scales the outputs.
softmaxed: = weights → = (np.exp(weights) / np.exp(weights).sum(axis=-1, keepdims=True))
    You apply a softmax to the weights. They are weights already, not scores: the first output
    should be mixed with {weights.row}, exactly as they stand.
flattened: return outputs → return outputs.reshape(-1, *outputs.shape[-2:])
    Your result has three axes, shape {your.shape}, whatever axes the weights have: shape
    {right.shape} is right. Which axes has a `reshape` made one of, and where do they come back?
running-sum: return outputs → return outputs.cumsum(axis=-2)
    Each of your rows holds those before it, too, as a running sum does. Where does a sum of yours
    begin again for the next query?
mean: return outputs → return outputs / values.shape[-2]
    You average where you should sum: you divide by n_k (here {values.rows}). The weights already
    say how much each value counts.
last-value-missing: @ values → [..., :-1] @ values[..., :-1, :]
    The last value never enters the sum. There are {values.rows} values, counted from 0: does a loop
    or a slice of yours end one too early? `range({values.rows})` stops before {values.rows} itself.
first-value-missing: @ values → [..., 1:] @ values[..., 1:, :]
    The first value never enters the sum. The {values.rows} values are counted from 0: does a loop
    or a slice of yours begin at 1?
as-many-as-queries: weights @ values
        → sum(weights[..., j, None] * values[..., j, None, :] for j in range(weights.shape[-2]))
    You add up as many values as there are *outputs*: a loop over j runs to n_q. Which axis of
    `weights` counts the values?
only-last-term: @ values → [..., -1:] @ values[..., -1:, :]
    Your output holds the last term of the sum only: inside the loop each term replaces the one
    before. Add it with `+=`, to a row that starts at zero.
over-queries: weights @ values → weights.sum(axis=-2)[..., None] * values
    You multiply the right pairs and then sum over the outputs i: one row is left for each
    *value*, hence shape {your.shape} and not {right.shape}. The axis to sum over is j.
summed-over-all: return outputs → return outputs.sum()
    Everything is added up, to one number: `.sum()` without `axis=` runs over all axes. Only j
    is summed over: outputs and features stay apart.
first-row-for-all: = weights → = (0 * weights + weights[..., :1, :])
    All your outputs are the same: each is mixed with the first row of `weights`. Output i has
    weights of its own, row i.
largest-copied: = weights → = (weights == weights.max(axis=-1, keepdims=True)).astype(values.dtype)
    You copy the value with the largest weight. All values count, each as much as its weight says.
signs-lost: (weights, values): → (weights, values): ⏎     weights = np.abs(weights)
    The signs of the weights are lost: negative ones are allowed here. Use them as given.
negative-cut-off: (weights, values): → (weights, values): ⏎     weights = weights * (weights > 0)
    You treat negative weights as 0. They are allowed here: such a value is subtracted.
first-values-of-the-batch: @ values → @ values.reshape(-1, *values.shape[-2:])[0]
    For every batch element you mix the values of the first one. Each element of the batch has
    values of its own: `values` has shape {values.shape}, and its leading axes go with those of
    `weights`.
over-features: weights @ values → weights * values.sum(axis=-1)[..., None, :]
    You sum over the features of each value, the last axis, and the sum over j is missing. The
    {values.last} features of an output stay apart: along which axis of the products does j run?
transposed-values: @ values → @ np.swapaxes(values, -1, -2)
    The values are transposed: you mix the *columns* of `values`, and its rows are the vectors to
    be mixed. Where n_k and d differ, the shapes do not even fit.
outputs-added-up: return outputs → return outputs.sum(axis=-2)
    You add up the outputs, too: shape {your.shape} is left, and each output i keeps a row of its
    own. Does your `einsum` (or a sum over an axis) keep the i?
transposed-result: return outputs → return np.swapaxes(outputs, -1, -2)
    Your result is transposed: output i stands in column i. In which row should it stand?
"""),
    hints=(
        "Take output 0. Which row of which array says how much of each value it gets? Which axis "
        "does the sum run over in each of the two arrays?",
        "Multiplying along a row of one array and down a column of another, then adding: that is "
        "what a matrix product does, for all rows and columns at once.",
        "`@` sums over the last axis of its left side and the second-to-last of its right side. "
        "In which order do weights (n_q, n_k) and values (n_k, d) fit whatever n_q and d are?",
    ),
    built_ins=twins("weighted_sum.weighted_sum", "weighted_sum.weighted_sum_loop"),
)
