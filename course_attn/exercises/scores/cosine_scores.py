"""Exercise `cosine_scores` of chapter 2."""

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
    span,
)
from course_attn.exercises.scores._steps import (
    cosine_variant,
    pair_cases,
    same,
    turned,
)

__all__ = ["exercise"]


def cosine_scores(Q, K):
    """Give the cosine of the angle between every query and every key; 0 for a zero vector."""
    lengths_q = np.linalg.norm(Q, axis=-1, keepdims=True)
    lengths_k = np.linalg.norm(K, axis=-1, keepdims=True)
    directions_q = Q / np.where(lengths_q == 0, 1, lengths_q)
    directions_k = K / np.where(lengths_k == 0, 1, lengths_k)
    return directions_q @ np.swapaxes(directions_k, -1, -2)


def _cosine_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260202)
    queries, keys = rng.standard_normal((3, 5)), rng.standard_normal((7, 5))
    queries[1], keys[4] = 0.0, 0.0
    return (*pair_cases(20260203), Case((queries, keys), "zero-vector"))


def _down_the_columns(X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X, axis=-2, keepdims=True)


def _whole_length(X: np.ndarray) -> np.ndarray:
    return np.sqrt((X**2).sum(axis=(-1, -2), keepdims=True))


def _squared_length(X: np.ndarray) -> np.ndarray:
    return (X**2).sum(axis=-1, keepdims=True)


def _sum_of_sizes(X: np.ndarray) -> np.ndarray:
    return np.abs(X).sum(axis=-1, keepdims=True)


def _no_length(X: np.ndarray) -> np.ndarray:
    return np.ones((*X.shape[:-1], 1))


exercise = Exercise(
    solution=cosine_scores,
    place=20,
    section="The score is a choice",
    task="""
Write `cosine_scores(Q, K)`: entry (i, j) is the cosine of the angle between query i and key j, that
is, their dot product divided by both lengths. A zero vector has no direction: let its scores be 0.
Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k), with any leading batch axes.
""",
    cases=_cosine_cases,
    variant=cosine_variant,
    kinds={
        "zero-vector": Kind(
            "for a zero vector",
            "Its length is 0: replace that by 1 before dividing, and its scores come out 0.",
        ),
    },
    faults=(
        Fault(
            "zero-vector",
            {"guard": same},
            lambda c: (
                f"A zero vector has length 0, and 0/0 gives NaN: {int(np.isnan(c.got).sum())} of "
                "your scores here. Its scores should be 0: divide by 1 where the length is 0."
            ),
        ),
        Fault(
            "keys-not-normalized",
            {"length_k": _no_length},
            lambda c: (
                "You divide by the queries' lengths only, so long keys still win: your largest "
                f"score is {number(np.nanmax(np.abs(c.got)))} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "queries-not-normalized",
            {"length_q": _no_length},
            lambda c: (
                "You divide by the keys' lengths only: your largest score is "
                f"{number(np.nanmax(np.abs(c.got)))} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "not-normalized",
            {"length_q": _no_length, "length_k": _no_length},
            lambda c: (
                "These are the plain dot products: divide by both lengths. Your largest score is "
                f"{number(np.nanmax(np.abs(c.got)))} in size, and no cosine is above 1."
            ),
        ),
        Fault(
            "wrong-axis",
            {"length_q": _down_the_columns, "length_k": _down_the_columns},
            "You divide each *feature* by its length over all vectors (`axis=0` or `-2`). The "
            "length of a vector runs along its own features, the last axis.",
        ),
        Fault(
            "one-length",
            {"length_q": _whole_length, "length_k": _whole_length},
            "You divide by the length of the whole matrix, one number for all rows: "
            "`np.linalg.norm` without `axis=` takes everything. Each row has a length of its own.",
        ),
        Fault(
            "root-missing",
            {"length_q": _squared_length, "length_k": _squared_length},
            "You divide by the *squared* lengths: the root is missing. A vector of length 10 gets "
            "scores 10 times too small.",
        ),
        Fault(
            "sum-of-sizes",
            {"length_q": _sum_of_sizes, "length_k": _sum_of_sizes},
            "You divide by the sum of the entries' sizes, Σ|x|. The length that belongs to the "
            "angle is the Euclidean one, √Σx².",
        ),
        Fault(
            "transposed-result",
            {"finish": turned},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*: swap the factors, "
                "so that queries stand in the rows."
            ),
        ),
        Fault(
            "no-keepdims",
            {
                "length_q": lambda X: np.linalg.norm(X, axis=-1),
                "length_k": lambda X: np.linalg.norm(X, axis=-1),
            },
            "The lengths are right, but laid out as a row: feature j is divided by the length of "
            "vector j, where that fits at all. `keepdims=True` keeps them a column.",
        ),
        Fault(
            "centered",
            {"prepare": lambda X: X - X.mean(axis=-1, keepdims=True)},
            "You subtract each vector's mean first: that is the correlation. The cosine takes the "
            "vectors as they are.",
        ),
        Fault(
            "negative-cut-off",
            {"finish": lambda cosines: np.clip(cosines, 0, None)},
            "Negative scores are cut off at 0: vectors that point apart have a negative cosine.",
        ),
        Fault(
            "distance",
            {"finish": lambda cosines: 1 - cosines},
            "You return 1 minus the cosine, a *distance*: 0 for equal directions. The score asked "
            "for is 1 there.",
        ),
        Fault(
            "angle",
            {"finish": lambda cosines: np.arccos(np.clip(cosines, -1, 1))},
            "You return the angle (in radians), not its cosine: small where directions agree.",
        ),
        Fault(
            "absolute",
            {"finish": np.abs},
            "The signs are lost: vectors that point in opposite directions have the cosine −1.",
        ),
        Fault(
            "zero-scores-one",
            {"finish": lambda cosines: np.where(cosines == 0, 1.0, cosines)},
            "The scores of a zero vector come out as 1. It has no direction, so it agrees with "
            "nothing: 0.",
        ),
        Fault(
            "row-by-row",
            {"pair": lambda Q, K: (Q * K).sum(axis=-1)},
            "You pair query i with key i only. Every query meets every key.",
        ),
    ),
    properties=(
        Property(
            "above-one",
            lambda c: (
                f"No cosine is above 1 in size, but your scores lie in {span(c.got)}. The lengths "
                "you divide by do not belong to these vectors."
                if np.abs(c.got).max() > 1.0001
                else None
            ),
        ),
        Property(
            "depends-on-length",
            lambda c: _depends_on_length(c),
        ),
    ),
    hints=(
        "If you make a query ten times as long, what should happen to its scores? What has to be "
        "divided out for that, and along which axis?",
        "Divide every row of Q and every row of K by its own length first; what remains are "
        "directions, and their dot products are the cosines. A length of 0 needs care.",
        "`np.linalg.norm(Q, axis=-1, keepdims=True)` is the column of lengths. Put 1 where it is 0 "
        "(`np.where`), divide, do the same for K, and use `dot_scores`.",
    ),
    built_ins=(
        "course_attn.in_numpy.scores.cosine_scores",
        "sklearn.metrics.pairwise.cosine_similarity",
    ),
)


def _depends_on_length(c: Context) -> str | None:
    longer = c.call(10 * c.given["Q"], c.given["K"])
    if (
        longer is None
        or longer.shape != c.got.shape
        or np.allclose(longer, c.got, 1e-3, 1e-3)
    ):
        return None
    return (
        "With queries ten times as long your scores change, for example from "
        f"{number(c.got.flat[0])} to {number(longer.flat[0])}: a cosine depends on the direction "
        "only."
    )
