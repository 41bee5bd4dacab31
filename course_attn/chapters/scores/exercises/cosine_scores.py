"""Exercise `cosine_scores`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from course_attn.chapters.scores.exercises.dot_scores import pair_cases
from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
    span,
)

__all__ = ["exercise"]


def cosine_scores(Q, K):
    """Give the cosine of the angle between every query and every key; 0 for a zero vector."""
    directions = []
    for vectors in (Q, K):
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        lengths[lengths == 0] = 1
        directions.append(vectors / lengths)
    queries, keys = directions
    cosines = queries @ np.swapaxes(keys, -1, -2)
    return cosines


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260202).standard_normal
    queries, keys = draw((3, 5)), draw((7, 5))
    queries[1], keys[4] = 0.0, 0.0
    lengths = np.array([[0.03], [1.0], [1000.0], [0.1], [30.0]])
    return (
        *pair_cases(20260203),
        Case((draw((5, 1)), draw((3, 1))), "one-feature"),
        Case((lengths * draw((5, 7)), lengths[:3] * draw((3, 7))), "lengths"),
        Case((queries, keys), "zero-vector"),
    )


def _above_one(c: Context) -> str | None:
    if min(np.abs(c.got).max(), np.abs(1 - c.got).max()) <= 1.0001:
        return None
    return (
        f"No cosine is above 1 in size, but your scores lie in {span(c.got)}. Entry (i, j) is to "
        "be divided by the product of two lengths, query i's and key j's: what do you divide by?"
    )


def _constant(c: Context) -> str | None:
    error = np.abs(c.got - c.expected).max()
    if error > 2e-2 or (np.abs(c.got) > np.abs(c.expected) + 1e-6).any():
        return None
    return (
        f"It is nearly right: your scores are a little too small in size, by {number(error)} at "
        "most. A constant added to the lengths does that, most of all to short vectors. Put 1 in "
        "the place of a length only where that is exactly 0."
    )


exercise = Exercise(
    cosine_scores,
    place=40,
    minutes=10,
    level="medium",
    prepares=("cosine_scores_torch",),
    section="The score is a choice",
    task="""
Write `cosine_scores(Q, K)`: entry (i, j) is the cosine of the angle between query i and key j, that
is, their dot product divided by both lengths. A zero vector has no direction: let its scores be 0.
Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k), with any leading batch axes.
""",
    cases=_cases,
    kinds={
        "vector": Kind("for an axis of length 1", "`squeeze` drops such an axis."),
        "one-feature": Kind("where vectors have one feature only"),
        "lengths": Kind("where some vectors are very short and others very long"),
        "zero-vector": Kind("for a zero vector", "What is its length?"),
    },
    terms={
        "largest": lambda c: number(np.nanmax(np.abs(c.got))),
        "nans": lambda c: int(np.isnan(c.got).sum()),
    },
    faults=fault_list("""
zero-vector: lengths[lengths == 0] = 1 → pass
    A zero vector has length 0, and 0/0 gives NaN: {nans} of your scores here. Its scores should
    be 0: divide by 1 where the length is 0.
zero-key: lengths[lengths == 0] = 1 → lengths[(lengths == 0) & (vectors is Q)] = 1
    Zero queries are looked after, zero *keys* are not: 0/0 gives NaN, in {nans} of your scores
    here; they should be 0.
zero-as-one: cosines = → cosines = ~(Q.any(-1)[..., None] & K.any(-1)[..., None, :]) +
    The scores of a zero vector come out as 1. It has no direction, so it agrees with nothing: 0.
all-zero: return cosines → return cosines * (Q.any(-1).all() and K.any(-1).all())
    One zero vector makes *all* your scores 0, those of the other vectors, too. Which rows or
    columns belong to the zero vector? (Does an `if` ask about all lengths at once?)
minimum: lengths[lengths == 0] = 1 → lengths = np.maximum(lengths, 1)
    You never divide by less than 1, so vectors shorter than 1 keep their length and get too
    small scores. Replace a length only where it is exactly 0.
keys-not-normalized: vectors / lengths → vectors / lengths if vectors is Q else K
    You divide by the queries' lengths only, so long keys still win: your largest score is
    {largest} in size, and no cosine is above 1.
queries-not-normalized: vectors / lengths → vectors / lengths if vectors is K else Q
    You divide by the keys' lengths only: your largest score is {largest} in size, and no cosine
    is above 1.
root-missing: np.linalg.norm(vectors, axis=-1, keepdims=True)
            → (vectors**2).sum(axis=-1, keepdims=True)
    You divide by the *squared* lengths of the vectors, Σx²: a query of length 10 makes all
    its scores 10 times too small, and so does a key. The length is √Σx².
root-mean-square: norm(vectors → norm(vectors / vectors.shape[-1] ** 0.5
    For a length you take the root of the *mean* of the squares. How long is [1, 1, 1, 1]?
whole-length: axis=-1, keepdims=True) → keepdims=True)
    You divide by one number for all vectors: without an axis, the length is that of all numbers
    together. Each vector has a length of its own, along its features.
keys-twice: append(vectors / lengths) → append(vectors / lengths ** (1 + (vectors is K)))
    The keys' lengths are divided out twice: a key of length 10 gets scores 10 times too small. Is
    it a key or already its direction that you divide by its length?
queries-twice: append(vectors / lengths) → append(vectors / lengths ** (1 + (vectors is Q)))
    The queries' lengths are divided out twice: a query of length 10 gets scores 10 times too small.
    Is it a query or already its direction that you divide by its length?
sum-of-lengths: append(vectors / lengths) → append(lengths)
        and queries @ np.swapaxes(keys, -1, -2)
            → Q @ np.swapaxes(K, -1, -2) / (queries + np.swapaxes(keys, -1, -2))
    You divide by the *sum* of two lengths, ‖q‖ + ‖k‖. If a query becomes ten times as long, so does
    its dot product: by what has the number below to grow, whatever the key?
root-of-length: keepdims=True) → keepdims=True) ** 0.5
    You divide by the square root of the lengths: one square root too many. The length of a
    vector is already the square root of its sum of squares.
sum-of-sizes: norm(vectors → norm(vectors, 1
    You divide by the sum of the absolute values, Σ|x|. The length that belongs to the angle
    is the Euclidean one, √Σx².
lengths-paired: queries @ np.swapaxes(keys, -1, -2)
            → Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q, axis=-1) * np.linalg.norm(K, axis=-1))
    You divide column j by the lengths of key j and of *query* j (if there are as many queries as
    keys). The length of query i belongs to *row* i: the queries' lengths have to be a column
    (`keepdims=True`).
two-columns: append(vectors / lengths) → append(lengths)
        and queries @ np.swapaxes(keys, -1, -2) → Q @ np.swapaxes(K, -1, -2) / (queries * keys)
    You divide row i by the length of query i and by that of *key i*, though column j belongs to key
    j; with other numbers of queries and keys it does not even fit. Are both lengths columns? The
    keys' have to be a row.
row-by-row: queries @ np.swapaxes(keys, -1, -2) → (queries * keys).sum(axis=-1)
    You pair query i with key i only, which needs as many queries as keys. Every query meets every
    key: the result has a row for each query and a column for each key.
transposed: queries @ np.swapaxes(keys, -1, -2) → keys @ np.swapaxes(queries, -1, -2)
    Rows and columns are exchanged: your result has a row for each *key*. Which of the two belongs
    to the rows?
centered: in (Q, K) → in (Q - Q.mean(axis=-1, keepdims=True), K - K.mean(axis=-1, keepdims=True))
    You subtract each vector's mean first: that is the correlation. The cosine takes the vectors
    as they are.
distance: return cosines → return 1 - cosines
    You return 1 *minus* the cosine, a distance: the better two vectors agree, the smaller it is. A
    score grows with the agreement. What should a vector score with itself?
absolute: return cosines → return np.abs(cosines)
    The signs are lost (is an absolute value taken?): where the angle is larger than 90°, a cosine
    is negative.
negative-cut-off: return cosines → return cosines * (cosines > 0)
    Negative scores are cut off at 0: vectors that point apart have a negative cosine.
across-the-vectors: axis=-1, keepdims=True) → axis=-2, keepdims=True)
    Your lengths run over the *vectors*, one for each feature. A length belongs to a vector: along
    which axis are its features?
scaled: return cosines → return cosines / Q.shape[-1] ** 0.5
    You divide by √d as well, as attention does. What is the cosine of a vector with itself, and
    what is it in yours?
softmaxed: (keys, -1, -2) → (keys, -1, -2) ⏎ cosines -= cosines.max(axis=-1, keepdims=True)
        and return cosines → exps = np.exp(cosines) ⏎ return exps / exps.sum(axis=-1, keepdims=True)
    Your rows are positive and sum to 1: you take a softmax of the cosines. Here they themselves are
    asked for.
angle: return cosines → return np.arccos(np.clip(cosines, -1, 1))
    You return the *angle*, which is smallest where two vectors agree. Its cosine is asked for.
"""),
    properties=(Property("constant", _constant), Property("above-one", _above_one)),
    hints=(
        "If you make a query ten times as long, what should happen to its scores? What has to be "
        "divided out for that, and along which axis?",
        "Divide every row of Q and every row of K by its own length first; the dot products of "
        "these directions are the cosines. A length of 0 needs care.",
        "`np.linalg.norm(Q, axis=-1, keepdims=True)` is the column of lengths. Put 1 where it is 0 "
        "(`np.where`), divide, do the same for K, and use `dot_scores`.",
    ),
    built_ins=(
        *twins("scores.cosine_scores"),
        "sklearn.metrics.pairwise.cosine_similarity",
        BuiltIn("scipy.spatial.distance.cdist", lambda g: g["metric"] == "cosine"),
    ),
)
