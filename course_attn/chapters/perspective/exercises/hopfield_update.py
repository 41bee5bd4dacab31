"""Exercise `hopfield_update`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
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


def hopfield_update(patterns, state, beta):
    """Move each state to the mean of the patterns, weighted by how much it resembles them."""
    scores = beta * state @ patterns.T
    shifted_scores = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ patterns


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261705)

    def given(n: int, m: int, d: int, beta: float) -> tuple[Any, ...]:
        patterns = 0.8 * rng.standard_normal((n, d)) + 0.2
        return patterns, rng.standard_normal((m, d)), beta

    signs = np.array([[1.0, 1, 1, -1], [1, -1, 1, 1], [-1, 1, -1, -1]])
    patterns, state, _ = given(6, 3, 9, 1.0)
    return (
        Case((signs, np.array([[1.0, 0.5, 0, 0.2]]), 0.5), "example"),
        Case(given(7, 2, 5, 0.8)),
        Case(given(3, 5, 8, 0.3)),
        Case(given(11, 4, 6, 1.7)),
        Case(given(4, 6, 3, 2.5)),
        Case(given(5, 5, 5, 0.6), "square"),
        Case(given(6, 1, 4, 0.9), "one-state"),
        Case(given(1, 3, 4, 0.9), "one-pattern"),
        Case(given(4, 3, 7, 0.0), "zero"),
        Case((40 * patterns, 40 * state, 5.0), "sharp"),
        Case(
            (*(array.astype("f4") for array in given(9, 5, 13, 0.5)[:2]), 0.5),
            "float32",
        ),
    )


def _outside(c: Context) -> str | None:
    """See whether a state leaves what the patterns span: each feature lies between theirs."""
    patterns = c.given["patterns"]
    if c.got.shape != c.expected.shape:
        return None
    low, high = patterns.min(axis=0), patterns.max(axis=0)
    beyond = np.maximum(c.got - high, low - c.got).max()
    if not beyond > 1e-3 * np.abs(patterns).max():
        return None
    return (
        f"Some of your features lie beyond those of all patterns, by up to {number(beyond)}. A new "
        "state is an average of patterns: are the weights positive, and is their sum 1?"
    )


def _repeated(c: Context) -> str | None:
    """See whether the states are those after several updates."""
    patterns, state, beta = c.given.values()
    close = 0.01 * np.abs(c.got - c.expected).max()
    for _ in range(300):
        state = hopfield_update(patterns, state, beta)
        if np.abs(c.got - state).max() < close:
            return (
                "Your states are those after several updates, and one is asked for."
            )
    return None


def _even(c: Context) -> str | None:
    """Look at β = 0, where all patterns weigh the same."""
    patterns, state, _ = c.given.values()
    found = c.call(patterns, state, 0.0)
    mean = np.broadcast_to(patterns.mean(axis=0), state.shape)
    if (
        found is None
        or found.shape != mean.shape
        or np.allclose(found, mean, rtol=1e-3)
    ):
        return None
    return (
        "With β = 0 all patterns weigh the same, so that every state becomes their mean. Then your "
        f"first state is {listed(found[0] + 0.0)}, and the mean "
        f"is {listed(mean[0])}."
    )


exercise = Exercise(
    hopfield_update,
    place=50,
    minutes=8,
    level="easy",
    section="One update is one attention step",
    task="""
Write `hopfield_update(patterns, state, beta)`: `patterns` has shape (n_patterns, d), a stored
pattern in each row, and `state` has shape (n_states, d), a state in each row. Return the states
after one update, of shape (n_states, d): each becomes the mean of all patterns, with weights that
are the softmax of β times its dot products with them. β is a number, 0 or more, and β times a dot
product may be in the tens of thousands. You may use the course's softmax, imported in the cell of
your answer: `from course_attn.in_numpy import softmax`. (Its `attention` would leave nothing to
do.)
""",
    cases=_cases,
    kinds={
        "one-state": Kind("for a single state", "Its axis, of length 1, stays."),
        "one-pattern": Kind("for a single pattern", "All states move to it."),
        "zero": Kind(
            "for β = 0", "All weights are equal: the states move to the mean."
        ),
        "sharp": Kind(
            "where β times a dot product is large", "Does an exponential overflow?"
        ),
    },
    faults=fault_list("""
beta-missing: beta * state @ patterns.T → state @ patterns.T
    β is not used: multiply the dot products by it, before the softmax. {worst_row}
root-for-beta: beta * state @ patterns.T → state @ patterns.T / state.shape[-1] ** 0.5
    You divide by √d, as attention does. In a memory β stands in that place, here {beta}.
    {worst_row}
root-as-well: beta * state @ patterns.T → beta * state @ patterns.T / state.shape[-1] ** 0.5
    You divide by √d as well, as attention does. The scale of this memory is β alone. {worst_row}
divided-by-d: beta * state @ patterns.T → beta * state @ patterns.T / state.shape[-1]
    You divide by d = {state.last} as well (or take a mean of the products). The scale of this
    memory is β alone. {worst_row}
beta-divides: beta * state → 1 / (beta or 1e-9) * state
    You divide by β, as by a temperature. β multiplies: the larger it is, the sharper the weights.
    {worst_row}
beta-after: beta * state @ patterns.T → state @ patterns.T
        and weights = → weights = beta *
    You multiply by β after the softmax: the weights then sum to β. It belongs in the exponent.
    {worst_row}
no-shift: scores - scores.max(axis=-1, keepdims=True) → scores
    Without a shift `np.exp` overflows above 709, and the state is NaN. Subtract each row's largest
    score first.
one-maximum: scores.max(axis=-1, keepdims=True) → scores.max()
    You subtract the largest score of *all* states. Where a state's own scores lie far below it, all
    of its exponentials are 0, and 0/0 is NaN. Every state has a largest score of its own: `axis=-1,
    keepdims=True`.
not-normalized: exps / exps.sum(axis=-1, keepdims=True) → np.exp(scores)
    You multiply by the exponentials themselves. Divide each row of them by its sum, so that the
    weights sum to 1. {worst_row}
over-states: scores.max(axis=-1 → scores.max(axis=-2
        and exps.sum(axis=-1 → exps.sum(axis=-2
    Your softmax runs over the *states*: they compete for each pattern. Each state shares out
    its weight among the *patterns*: which of the two does the last axis of your scores count?
    {worst_row}
sum-over-states: exps.sum(axis=-1, keepdims=True)
            → (exps.sum(axis=-2, keepdims=True) + 1e-300)
    You divide by sums over the *states*, so that what one state becomes depends on the others. Its
    own weights, one for each pattern, are to sum to 1. {worst_row}
one-sum: exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by one sum for all states together. Every state has weights of its own that sum to 1.
    {worst_row}
no-softmax: weights @ patterns → scores @ patterns
    The softmax is missing: you weight the patterns by β times the dot products, as the classical
    network does. {worst_row}
classical: return np.sign(state @ patterns.T @ patterns)
    This is the classical network: signs of a sum over all patterns. Here a softmax of the dot
    products weights them, and there is no sign. {worst_row}
signs: return weights @ patterns → return np.sign(weights @ patterns)
    You return signs, as the classical network does, in which every number is 1 or −1. Here a state
    is the weighted mean itself. {worst_row}
cosines: beta * state → beta * state / np.linalg.norm(state, axis=-1, keepdims=True)
        and @ patterns.T → @ (patterns.T / np.linalg.norm(patterns, axis=-1))
    You compare by cosines: states and patterns are scaled to length 1 first. Dot products are asked
    for, in which lengths count. {worst_row}
unit-states: beta * state → beta * state / np.linalg.norm(state, axis=-1, keepdims=True)
    The length of a state plays no part, as if each were scaled to length 1 first. In a dot product
    it counts. {worst_row}
halfway: return weights @ patterns → return (state + weights @ patterns) / 2
    Half of the old state is left in your new one. A state becomes the weighted mean of the patterns
    itself: what is the old one needed for? {worst_row}
twice: state, beta): → state, beta, more=1):
        and return weights @ patterns
            → x = weights @ patterns ⏎ return hopfield_update(patterns, x, beta, 0) if more else x
    You update twice: the states that come out are put in once more. One update is asked for.
    {worst_row}
distances: beta * state @ patterns.T
            → -beta * ((state[:, None] - patterns) ** 2).sum(axis=-1)
    You compare by squared distances. Dot products are asked for. (Where all patterns have the same
    length, distances with β are dot products with 2β.) {worst_row}
softmax-of-features: state @ patterns.T → state @ patterns.T @ patterns
        and return weights @ patterns → return weights
    Your softmax comes last and runs over the *features*. It belongs between the two products, and
    runs over the patterns. {worst_row}
added: return weights @ patterns → return state + weights @ patterns
    You add the mean of the patterns to the old state, as a residual connection does. What is left
    of the old state after an update? {worst_row}
weights-alone: return weights @ patterns → return weights
    You return the weights, shape {your.shape}. A new state has as many features as a pattern: of
    what are these the weights?
beta-twice: beta * state → beta**2 * state
    β comes in twice, so that the weights are too sharp or too even. Where else do you multiply by
    it? {worst_row}
"""),
    properties=(
        Property("repeated", _repeated),
        Property("outside", _outside),
        Property("even", _even),
    ),
    wrong_lines=("root-for-beta", "no-softmax", "not-normalized"),
    hints=(
        "If this is attention, what are the queries, what the keys, what the values, and what "
        "stands in the place of 1/√d?",
        "Dot products of every state with every pattern, times β; a softmax of each row; then the "
        "weighted mean of the patterns.",
        "`beta * state @ patterns.T`, a softmax along `axis=-1` (subtract the largest first), and "
        "`weights @ patterns`.",
    ),
    built_ins=(
        *twins("perspective.hopfield_update", "qkv.attention"),
        "course_attn.in_numpy.qkv.fused_attention",
        "torch.nn.functional.scaled_dot_product_attention",
    ),
)
