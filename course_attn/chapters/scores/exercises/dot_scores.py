"""Exercise `dot_scores`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Exercise, Kind, fault_list

__all__ = ["exercise", "pair_cases"]


def dot_scores(Q, K):
    """Give the dot product of every query with every key."""
    flipped_keys = np.swapaxes(K, -1, -2)
    scores = Q @ flipped_keys
    return scores


def pair_cases(seed: int) -> tuple[Case, ...]:
    """Make queries and keys on which mistakes separate."""
    draw = np.random.default_rng(seed).standard_normal

    def pair(n_q: int, n_k: int, d: int, *batch: int) -> tuple[np.ndarray, ...]:
        return draw((*batch, n_q, d)), draw((*batch, n_k, d))

    queries = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 2.0]])
    # no score of exactly 0: there the gradient of a cut-off depends on how it is written
    keys = np.array([[3.0, 4, 0], [1, 0, -1], [-2, 3, 1], [0, 3, 1]])
    return (
        Case((queries, keys), "example"),
        Case(pair(5, 11, 7)),
        Case(pair(13, 2, 3)),
        Case(pair(5, 5, 5), "square"),
        Case(pair(5, 11, 7, 2, 3), "batch"),
        Case(pair(1, 1, 7), "vector"),
        Case(tuple(array.astype("f4") for array in pair(5, 7, 13)), "float32"),
    )


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260206).standard_normal
    return (
        *pair_cases(20260201),
        Case((draw((5, 1)), draw((3, 1))), "vector"),
        Case((1e-3 * draw((3, 5)), 1e-3 * draw((7, 5))), "small"),
    )


exercise = Exercise(
    dot_scores,
    place=30,
    minutes=5,
    level="easy",
    prepares=("cosine_scores", "unscaled_attention"),
    section="In one line: all pairs at once",
    task="""
Write `dot_scores(Q, K)` without a loop: entry (i, j) of the result is the dot product of query i
with key j. Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k); the dots stand for any
number of equal leading batch axes.
""",
    cases=_cases,
    kinds={
        "vector": Kind("for an axis of length 1", "`squeeze` drops such an axis."),
        "small": Kind("for very small numbers", "Is something rounded, or added?"),
    },
    faults=fault_list("""
transposed-result: return scores → return np.swapaxes(scores, -1, -2)
    Your result has shape {your.shape}, one row for each *key*. Queries are counted by i and
    stand in the rows: swap the two factors, or in `einsum` the last two letters.
keys-not-transposed: np.swapaxes(K, -1, -2) → K
    You multiply `Q @ K`: that pairs the features of a query with *different keys*. The
    features, the last axis of both, are what has to be summed over.
wrong-one-transposed: np.swapaxes(K, -1, -2) → np.swapaxes(Q, -1, -2)
        and Q @ flipped_keys → flipped_keys @ K
    You transpose Q where K has to be transposed: `Q.T @ K` sums over the *vectors* and leaves the
    features. Where n_q and n_k differ, the shapes do not even fit.
reshaped: np.swapaxes(K, -1, -2) → K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    `reshape` does not transpose: it refills the new shape in reading order, so numbers of
    different keys get mixed. Swap the axes instead.
row-by-row: Q @ flipped_keys → (Q * K).sum(axis=-1)
    You pair query i with key i only. Every query meets every key: the result has a row for each
    query and a column for each key.
scaled: Q @ → Q / Q.shape[-1] ** 0.5 @
    You divide by √d = {Q.root}. That is the *scaled* dot product; the plain one is asked for.
cosines: Q @ → Q / np.linalg.norm(Q, axis=-1, keepdims=True) @
        and swapaxes(K, → swapaxes(K / np.linalg.norm(K, axis=-1, keepdims=True),
    You divide by the vectors' lengths: that is the cosine. The plain dot product is asked for:
    {right.row} in the first row; you have {your.row}.
unit-queries: Q @ → Q / np.linalg.norm(Q, axis=-1, keepdims=True) @
    The lengths of your queries play no part, as if each were divided by its own first. In the plain
    dot product a query twice as long has scores twice as large.
unit-keys: swapaxes(K, → swapaxes(K / np.linalg.norm(K, axis=-1, keepdims=True),
    The lengths of your keys play no part, as if each were divided by its own first. In the plain
    dot product a key twice as long has scores twice as large.
every-batch: Q @ flipped_keys → np.tensordot(Q, flipped_keys, ([-1], [-2]))
    With batch axes the shape of your result is {your.shape}: the queries of every sequence meet the
    keys of *every* sequence (`np.dot`, `np.inner`?). Batch axes go along, as with `@`:
    {right.shape}.
strung-together: flipped_keys = np.swapaxes(K, -1, -2)
            → flipped_keys = K.reshape(-1, K.shape[-1]).T ⏎ Q = Q.reshape(-1, Q.shape[-1])
    With batch axes the shape of your result is {your.shape}: the vectors of all sequences are
    strung together (`reshape(-1, d)`), and the queries of each meet the keys of *every* sequence.
    Keep the leading axes: {right.shape}.
maximum-subtracted: return scores → return scores - scores.max(axis=-1, keepdims=True)
    The largest entry of each of your rows is 0: do you subtract the row's largest score, as a
    softmax does before `exp`? Here the plain dot products are asked for.
negative-cut-off: return scores → return scores * (scores > 0)
    Negative scores are cut off at 0: a query and a key that point apart have a negative score.
absolute: return scores → return np.abs(scores)
    You take absolute values of the scores: a query and a key that point apart have a negative one.
averaged: Q @ → Q / Q.shape[-1] @
    You divide by d = {Q.last}: that is the *mean* of the products. A dot product is their sum.
softmaxed: return scores
        → exps = np.exp(scores) ⏎ return exps / exps.sum(axis=-1, keepdims=True)
    Your rows are positive and sum to 1: you take a softmax of the scores. Here the dot products
    themselves are asked for.
"""),
    wrong_lines=("row-by-row", "transposed-result", "keys-not-transposed"),
    hints=(
        "The feature axis is the last one of both arrays. Which axis does `@` sum over in its "
        "right factor?",
        "All dot products at once are one matrix product, of Q with K flipped over its diagonal: "
        "features from top to bottom, keys from left to right.",
        "Swap the last two axes of K, and only these: `np.swapaxes(K, -1, -2)`.",
    ),
    built_ins=twins("scores.dot_scores"),
)
