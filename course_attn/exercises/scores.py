"""Exercises of chapter 2, `scores`: measuring relevance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    Question,
    Reason,
    number,
    span,
)

__all__ = ["EXERCISES"]


def _same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def _turned(array: np.ndarray) -> np.ndarray:
    return np.swapaxes(array, -1, -2)


def _all_pairs(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ _turned(K)


def _softmax_rows(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _row_by_row(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return np.broadcast_to(
        (Q * K).sum(axis=-1)[..., None], (*Q.shape[:-1], K.shape[-2])
    )


def _pair_cases(seed: int) -> tuple[Case, ...]:
    rng = np.random.default_rng(seed)
    draw = rng.standard_normal
    queries = np.array([[1.0, 2.0], [0.0, -1.0]])
    keys = np.array([[3.0, 4.0], [1.0, 0.0], [-2.0, 1.0]])
    return (
        Case((queries, keys), "example"),
        Case((draw((5, 7)), draw((11, 7)))),
        Case((draw((13, 3)), draw((2, 3)))),
        Case((draw((5, 5)), draw((5, 5))), "square"),
        Case((draw((2, 3, 5, 7)), draw((2, 3, 11, 7))), "batch"),
        Case((draw((5, 13)).astype("f4"), draw((7, 13)).astype("f4")), "float32"),
    )


# --- dot_scores -----------------------------------------------------------------------------------


def dot_scores(Q, K):
    """Give the dot product of every query with every key."""
    return Q @ np.swapaxes(K, -1, -2)


def _dotted(
    Q: np.ndarray,
    K: np.ndarray,
    *,
    pair: Callable[..., Any] = _all_pairs,
    scale: Callable[..., Any] = lambda Q: 1.0,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    return finish(pair(Q, K) * scale(Q))


_DOT = Exercise(
    name="dot_scores",
    chapter="scores",
    task="""
Write `dot_scores(Q, K)` without a loop: entry (i, j) of the result is the dot product of query i
with key j. Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k); the dots stand for any
number of equal leading batch axes.
""",
    reference=dot_scores,
    cases=lambda: _pair_cases(20260201),
    variant=_dotted,
    faults=(
        Fault(
            "transposed-result",
            {"finish": _turned},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*. Queries are counted "
                "by i and stand in the rows: swap the two factors."
            ),
        ),
        Fault(
            "keys-not-transposed",
            {"pair": lambda Q, K: Q @ K},
            "You multiply `Q @ K`: that pairs the features of a query with *different keys*. The "
            "features, the last axis of both, are what has to be summed over.",
        ),
        Fault(
            "row-by-row",
            {"pair": lambda Q, K: (Q * K).sum(axis=-1)},
            "You pair query i with key i only. Every query meets every key: the result has a row "
            "for each query and a column for each key.",
        ),
        Fault(
            "scaled",
            {"scale": lambda Q: 1 / np.sqrt(Q.shape[-1])},
            lambda c: (
                f"You divide by √d = {number(np.sqrt(c.given['Q'].shape[-1]))}. That comes in "
                "chapter 5; the plain dot product is asked for here."
            ),
        ),
        Fault(
            "mean",
            {"scale": lambda Q: 1 / Q.shape[-1]},
            lambda c: (
                "You average the products over the features; a dot product adds them up. Your "
                f"scores are {c.given['Q'].shape[-1]} times too small."
            ),
        ),
        Fault(
            "distance",
            {
                "pair": lambda Q, K: np.linalg.norm(
                    Q[..., :, None, :] - K[..., None, :, :], axis=-1
                )
            },
            "You measure the distance between query and key. It is small where they agree; a score "
            "is large there.",
        ),
        Fault(
            "absolute",
            {"finish": np.abs},
            "The signs are lost: a query and a key that point in opposite directions have a "
            "negative score.",
        ),
        Fault(
            "wrong-one-transposed",
            {"pair": lambda Q, K: _turned(Q) @ K},
            "You turn Q where K has to be turned: `Q.T @ K` sums over the *vectors* and leaves the "
            "features. Where n_q and n_k differ, the shapes do not even fit.",
        ),
        Fault(
            "reshaped",
            {"pair": lambda Q, K: Q @ K.reshape(_turned(K).shape)},
            "`reshape` does not transpose: it refills the new shape in reading order, so numbers "
            "of different keys get mixed. Swap the axes instead.",
        ),
        Fault(
            "cosines",
            {"pair": lambda Q, K: _cosines(Q, K)},
            lambda c: (
                "You divide by the vectors' lengths: that is the cosine, of the next exercise. "
                f"Here {number(c.expected.flat[0])} is asked for; you have {number(c.got.flat[0])}."
            ),
        ),
        Fault(
            "softmaxed",
            {"finish": _softmax_rows},
            "You apply a softmax: those are weights already. Return the scores themselves.",
        ),
        Fault(
            "self-scores",
            lambda Q, K: Q @ _turned(Q),
            "You compare the queries with each other; the keys `K` play no part.",
        ),
    ),
    hints=(
        "The feature axis is the last one of both arrays. Which axis does `@` sum over in its "
        "right factor?",
        "All dot products at once are one matrix product, of Q with K turned by a quarter: "
        "features downwards, keys from left to right.",
        "Swap the last two axes of K, and only these, so that a batch stays a batch: "
        "`np.swapaxes(K, -1, -2)`.",
    ),
    built_ins=("course_attn.in_numpy.scores.dot_scores",),
)


# --- cosine_scores --------------------------------------------------------------------------------


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
    return (*_pair_cases(20260203), Case((queries, keys), "zero-vector"))


def _length(X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X, axis=-1, keepdims=True)


def _no_zero(length: np.ndarray) -> np.ndarray:
    return np.where(length == 0, 1, length)


def _cosines(
    Q: np.ndarray,
    K: np.ndarray,
    *,
    prepare: Callable[..., Any] = _same,
    length_q: Callable[..., Any] = _length,
    length_k: Callable[..., Any] = _length,
    guard: Callable[..., Any] = _no_zero,
    pair: Callable[..., Any] = _all_pairs,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    Q, K = prepare(Q), prepare(K)
    directions_q = Q / guard(length_q(Q))
    return finish(pair(directions_q, K / guard(length_k(K))))


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


_COSINE = Exercise(
    name="cosine_scores",
    chapter="scores",
    task="""
Write `cosine_scores(Q, K)`: entry (i, j) is the cosine of the angle between query i and key j, that
is, their dot product divided by both lengths. A zero vector has no direction: let its scores be 0.
Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k), with any leading batch axes.
""",
    reference=cosine_scores,
    cases=_cosine_cases,
    variant=_cosines,
    kinds={
        "zero-vector": Kind(
            "for a zero vector",
            "Its length is 0: replace that by 1 before dividing, and its scores come out 0.",
        ),
    },
    faults=(
        Fault(
            "zero-vector",
            {"guard": _same},
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
            {"finish": _turned},
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


# --- additive_scores ------------------------------------------------------------------------------


def additive_scores(Q, K, W_q, W_k, v):
    """Give v · tanh(q W_q + k W_k) for every query q and every key k."""
    projected_q, projected_k = Q @ W_q, K @ W_k
    hidden = np.tanh(projected_q[..., :, None, :] + projected_k[..., None, :, :])
    return hidden @ v


def _additive_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260204)

    def draw(
        batch: tuple[int, ...], n_q: int, n_k: int, widths: tuple[int, int, int]
    ) -> tuple:
        d_q, d_k, d_hidden = widths
        shapes = [
            (*batch, n_q, d_q),
            (*batch, n_k, d_k),
            (d_q, d_hidden),
            (d_k, d_hidden),
        ]
        return tuple(rng.standard_normal(shape) for shape in [*shapes, (d_hidden,)])

    singles = tuple(array.astype("f4") for array in draw((), 3, 5, (7, 2, 11)))
    return (
        Case(draw((), 2, 3, (5, 7, 11)), "example"),
        Case(draw((), 7, 5, (3, 2, 13))),
        Case(draw((), 5, 5, (5, 5, 5)), "square"),
        Case(draw((2, 3), 5, 7, (3, 11, 13)), "batch"),
        Case(singles, "float32"),
    )


def _added(
    Q: np.ndarray,
    K: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    v: np.ndarray,
    *,
    project: Callable[..., Any] = lambda Q, K, W_q, W_k: (Q @ W_q, K @ W_k),
    combine: Callable[..., Any] = lambda q, k: (
        q[..., :, None, :] + k[..., None, :, :]
    ),
    bend: Callable[..., Any] = np.tanh,
    weigh: Callable[..., Any] = np.matmul,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    return finish(weigh(bend(combine(*project(Q, K, W_q, W_k))), v))


def _sum_units(hidden: np.ndarray, v: np.ndarray) -> np.ndarray:
    return hidden.sum(axis=-1)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


_ADDITIVE = Exercise(
    name="additive_scores",
    chapter="scores",
    task="""
Bahdanau's score lets a small network judge each pair. Write `additive_scores(Q, K, W_q, W_k, v)`:
entry (i, j) is `v` · tanh(q_i `W_q` + k_j `W_k`). Shapes: `Q` (…, n_q, d_q), `K` (…, n_k, d_k),
`W_q` (d_q, d_hidden), `W_k` (d_k, d_hidden), `v` (d_hidden,), result (…, n_q, n_k). Only `Q` and
`K` have batch axes.
""",
    reference=additive_scores,
    cases=_additive_cases,
    variant=_added,
    faults=(
        Fault(
            "no-tanh",
            {"bend": _same},
            "The tanh is missing. Without it v·(qW_q + kW_k) splits into a part of the query and a "
            "part of the key: every query would rank the keys in the same order.",
        ),
        Fault(
            "tanh-before-sum",
            {
                "combine": lambda q, k: (
                    np.tanh(q)[..., :, None, :] + np.tanh(k)[..., None, :, :]
                ),
                "bend": _same,
            },
            "You apply tanh to the query and to the key separately and add afterward. Add first: "
            "tanh of the sum is what lets the two interact.",
        ),
        Fault(
            "tanh-after-v",
            {"bend": _same, "finish": np.tanh},
            lambda c: (
                "You apply tanh to the finished score: yours all lie between −1 and 1 "
                f"({span(c.got)}). It belongs around the sum, before the product with v."
            ),
        ),
        Fault(
            "sigmoid",
            {"bend": _sigmoid},
            "You use the sigmoid, 1/(1+e⁻ˣ), where tanh is asked for.",
        ),
        Fault(
            "relu",
            {"bend": lambda x: np.maximum(x, 0)},
            "You use max(x, 0) where tanh is asked for.",
        ),
        Fault(
            "transposed-result",
            {"finish": _turned},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*: the axes of queries "
                "and keys got swapped when you inserted an axis into each."
            ),
        ),
        Fault(
            "product",
            {"combine": lambda q, k: q[..., :, None, :] * k[..., None, :, :]},
            "You multiply the two projections; an *additive* score adds them.",
        ),
        Fault(
            "difference",
            {"combine": lambda q, k: q[..., :, None, :] - k[..., None, :, :]},
            "You subtract the key's projection; it is added.",
        ),
        Fault(
            "v-missing",
            {"weigh": _sum_units},
            "You add up the hidden units with equal weights; v says how much each of them counts.",
        ),
        Fault(
            "v-mean",
            {"weigh": lambda hidden, v: (hidden * v).mean(axis=-1)},
            lambda c: (
                "You take the mean over the hidden units where their sum is asked for: your scores "
                f"are {len(c.given['v'])} times too small."
            ),
        ),
        Fault(
            "v-inside",
            lambda Q, K, W_q, W_k, v: _added(
                Q, K, W_q, W_k, v, bend=lambda x: np.tanh(x * v), weigh=_sum_units
            ),
            "You multiply by v inside the tanh. v weighs the hidden units *after* the tanh.",
        ),
        Fault(
            "softmaxed",
            {"finish": _softmax_rows},
            "You apply a softmax: those are weights already. Return the scores themselves.",
        ),
        Fault(
            "weights-swapped",
            {"project": lambda Q, K, W_q, W_k: (Q @ W_k, K @ W_q)},
            "The two projections are swapped: W_q belongs to the queries and W_k to the keys.",
        ),
        Fault(
            "weights-transposed",
            {"project": lambda Q, K, W_q, W_k: (Q @ W_q.T, K @ W_k.T)},
            "You transpose W_q and W_k. Their shapes are (d_q, d_hidden) and (d_k, d_hidden): rows "
            "fit from the left as they are, `Q @ W_q`.",
        ),
        Fault(
            "no-new-axes",
            {"combine": np.add},
            "You add the projections without a new axis, so query i meets key i only (where the "
            "shapes fit at all). All pairs need the queries as (…, n_q, 1, d_hidden) and the keys "
            "as (…, 1, n_k, d_hidden).",
        ),
        Fault(
            "keys-along-queries",
            {"combine": lambda q, k: q[..., :, None, :] + k[..., :, None, :]},
            "Query i is added to key i only: both got their new axis in the same place. The "
            "queries need it after their own axis, the keys before theirs.",
        ),
    ),
    hints=(
        "Which shape has q_i W_q + k_j W_k for all pairs together? It has one axis more than a "
        "matrix.",
        "Insert an axis of length 1 into both projections, so that adding them makes all pairs: "
        "(…, n_q, 1, d_hidden) plus (…, 1, n_k, d_hidden).",
        "`np.tanh(A[..., :, None, :] + B[..., None, :, :])` with A = Q W_q and B = K W_k; a "
        "product with v removes the last axis.",
    ),
    built_ins=("course_attn.in_numpy.scores.additive_scores",),
)


# --- nadaraya_watson ------------------------------------------------------------------------------


def nadaraya_watson(x_query, x, y, bandwidth):
    """Predict y at each query as an average of the data, near points weighing most."""
    distances = x_query[:, None] - x[None, :]
    kernel = np.exp(-(distances**2) / (2 * bandwidth**2))
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    return weights @ y


def _regression_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260205)

    def draw(n_q: int, n: int, bandwidth: float) -> tuple:
        x = np.sort(rng.uniform(0.0, 6.0, n))
        return (
            rng.uniform(0.5, 5.5, n_q),
            x,
            np.sin(x) + 0.1 * rng.standard_normal(n),
            bandwidth,
        )

    singles = tuple(
        a.astype("f4") if isinstance(a, np.ndarray) else a for a in draw(3, 11, 0.8)
    )
    example = (
        np.array([1.0, 1.5]),
        np.array([0.0, 1.0, 2.0]),
        np.array([4.0, 5.0, 9.0]),
        0.5,
    )
    return (
        Case(example, "example"),
        Case(draw(5, 13, 0.7)),
        Case(draw(11, 7, 2.0)),
        Case(draw(7, 7, 1.3), "square"),
        Case(singles, "float32"),
    )


def _regressed(
    x_query: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    bandwidth: float,
    *,
    kernel: Callable[..., Any] = lambda distance, h: np.exp(
        -(distance**2) / (2 * h**2)
    ),
    total: Callable[..., Any] = lambda kernel: kernel.sum(axis=1, keepdims=True),
) -> np.ndarray:
    values = kernel(x_query[:, None] - x[None, :], bandwidth)
    return values / total(values) @ y


_NADARAYA = Exercise(
    name="nadaraya_watson",
    chapter="scores",
    task="""
Attention from 1964: predict y at a new x by averaging the data, near points weighing most. Write
`nadaraya_watson(x_query, x, y, bandwidth)`. The weight of point j for query i is proportional to
exp(−(x_query_i − x_j)² / (2 · bandwidth²)), and the weights of a query sum to 1. `x_query` (n_q,),
`x` and `y` (n,), `bandwidth` a number; the result is (n_q,).
""",
    reference=nadaraya_watson,
    cases=_regression_cases,
    variant=_regressed,
    faults=(
        Fault(
            "bandwidth-not-squared",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / (2 * h))},
            "The bandwidth is not squared: distance²/(2·bandwidth) changes with the unit in which "
            "x is measured. Divide the distance by the bandwidth, then square.",
        ),
        Fault(
            "two-missing",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / h**2)},
            "The factor 2 in front of bandwidth² is missing: your kernel is narrower by √2.",
        ),
        Fault(
            "bandwidth-unused",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / 2)},
            lambda c: (
                f"The bandwidth ({number(c.given['bandwidth'])} here) plays no part in your "
                "result: it stays the same for any other."
            ),
        ),
        Fault(
            "distance-not-squared",
            {"kernel": lambda distance, h: np.exp(-np.abs(distance) / (2 * h**2))},
            "The distance is not squared: the kernel has a peak where a Gaussian is round.",
        ),
        Fault(
            "halved-inside",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / 2 * h**2)},
            "You multiply by bandwidth²: `a / 2 * h**2` divides by 2 only. It needs parentheses, "
            "`a / (2 * h**2)`.",
        ),
        Fault(
            "sign",
            {"kernel": lambda distance, h: np.exp(distance**2 / (2 * h**2))},
            "The minus sign in the exponent is missing: the *farthest* points weigh most.",
        ),
        Fault(
            "not-normalized",
            {"total": lambda kernel: 1.0},
            lambda c: (
                "The weights are not divided by their sum. Where data are dense you get more than "
                f"where they are sparse: {c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "columns",
            {"total": lambda kernel: kernel.sum(axis=0, keepdims=True)},
            "You normalize over the queries (axis 0), so a prediction depends on which other "
            "queries are asked. The weights of *one* query sum to 1.",
        ),
        Fault(
            "whole-array",
            {"total": lambda kernel: kernel.sum()},
            lambda c: (
                "You divide by the sum over all queries and points together; each query has a sum "
                f"of its own. Your predictions are too small: {c.row()} instead of "
                f"{c.row(of='expected')}."
            ),
        ),
        Fault(
            "maximum",
            {"total": lambda kernel: kernel.max(axis=1, keepdims=True)},
            "You divide by the largest weight of each query; then the weights do not sum to 1.",
        ),
        Fault(
            "density",
            {
                "total": lambda kernel: 1.0,
                "kernel": lambda distance, h: (
                    np.exp(-(distance**2) / (2 * h**2)) / (h * np.sqrt(2 * np.pi))
                ),
            },
            "You use the Gaussian's density, 1/(√(2π)·bandwidth) included, instead of weights that "
            "sum to 1: divide each query's weights by their own sum.",
        ),
        Fault(
            "count",
            {"total": lambda kernel: kernel.shape[1]},
            "You divide by the number of points, not by the sum of the query's weights.",
        ),
        Fault(
            "exponential",
            {"kernel": lambda distance, h: np.exp(-np.abs(distance) / h)},
            "Your kernel is e^(−|distance|/bandwidth). A Gaussian squares the ratio and halves it: "
            "exp(−(distance/bandwidth)²/2).",
        ),
        Fault(
            "box",
            {"kernel": lambda distance, h: (np.abs(distance) <= h).astype(float)},
            "You average all points within one bandwidth with equal weights; the weight should "
            "fall off smoothly with the distance.",
        ),
        Fault(
            "x-averaged",
            lambda x_query, x, y, bandwidth: _regressed(x_query, x, x, bandwidth),
            lambda c: (
                f"You average the x of the data, not their y: {c.row()} instead of "
                f"{c.row(of='expected')}. x decides the weights, y is what they mix."
            ),
        ),
        Fault(
            "nearest",
            lambda x_query, x, y, bandwidth: y[
                np.abs(x_query[:, None] - x[None, :]).argmin(axis=1)
            ],
            "You copy the nearest point's y. That is the limit of a tiny bandwidth; here all "
            "points have a say.",
        ),
    ),
    hints=(
        "Start with all distances at once: a matrix with one row for each query and one column for "
        "each data point.",
        "From distances to the kernel's values, from there to weights (each row divided by its "
        "sum), and from weights to predictions: the last step is chapter 1.",
        "`x_query[:, None] - x` has shape (n_q, n). The exponent is "
        "`-(distance / bandwidth)**2 / 2`; after dividing by the row sums, `weights @ y`.",
    ),
    built_ins=("course_attn.in_numpy.scores.nadaraya_watson",),
)


# --- fooled_by_length -----------------------------------------------------------------------------


def fooled_by_length():
    """Give a query and keys for which the longest key beats the most similar one."""
    query = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.0], [10.0, 20.0]])
    return query, keys


def _read_query_and_keys(value: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        query, keys = (np.asarray(part, dtype=float) for part in value)
    except (TypeError, ValueError):
        raise ValueError("Return two things: `return query, keys`.") from None
    if query.ndim != 1 or keys.ndim != 2 or keys.shape[1] != len(query):
        raise ValueError(
            "The query should have shape (d,) and the keys (n, d), with the same d. Yours have "
            f"{query.shape} and {keys.shape}."
        )
    if not (np.isfinite(query).all() and np.isfinite(keys).all()):
        raise ValueError("Use finite numbers only.")
    return query, keys


def _winners(answer: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
    """Return the key with the largest dot product and the one with the largest cosine."""
    query, keys = answer
    dots = keys @ query
    return int(dots.argmax()), int(
        (dots / _no_zero(np.linalg.norm(keys, axis=1))).argmax()
    )


def _same_winner(answer: tuple[np.ndarray, np.ndarray]) -> str:
    query, keys = answer
    winner = _winners(answer)[0]
    return (
        f"Key {winner} wins both: its dot product is {number(keys[winner] @ query)}, and its "
        "direction is the closest too. Give another key a worse direction but more length."
    )


def _ties(answer: tuple[np.ndarray, np.ndarray]) -> bool:
    query, keys = answer
    by_dot, by_cosine = _winners(answer)
    dots = keys @ query
    cosines = dots / _no_zero(np.linalg.norm(keys, axis=1))
    return bool(
        dots[by_dot] - dots[by_cosine] < 1e-9 * abs(dots[by_dot])
        or cosines[by_cosine] - cosines[by_dot] < 1e-9
    )


_FOOLED = Question(
    name="fooled_by_length",
    chapter="scores",
    task="""
"The largest dot product belongs to the most similar key" is wrong. Show it: return from
`fooled_by_length()` a query of shape (d,) and keys of shape (n, d), n ≥ 2, such that the key with
the largest dot product is *not* the key with the smallest angle to the query.
""",
    reference=fooled_by_length,
    read=_read_query_and_keys,
    reasons=(
        Reason(
            "zero-query",
            lambda answer: not answer[0].any(),
            "A query of zeros has the dot product 0 with every key and no angle to any: choose "
            "another.",
        ),
        Reason(
            "one-key",
            lambda answer: len(answer[1]) < 2,
            "With fewer than two keys there is nothing to confuse: return at least two.",
        ),
        Reason(
            "one-dimension",
            lambda answer: len(answer[0]) < 2,
            "On a line there are only two directions, along the query and against it. Use d ≥ 2, "
            "where a key can be *somewhat* off.",
        ),
        Reason(
            "all-negative",
            lambda answer: (answer[1] @ answer[0]).max() <= 0,
            "No key points the query's way (no dot product is positive). Begin with one that does.",
        ),
        Reason(
            "equal-lengths",
            lambda answer: (
                _winners(answer)[0] == _winners(answer)[1]
                and np.ptp(np.linalg.norm(answer[1], axis=1)) < 1e-9
            ),
            "Your keys all have the same length: then both rules pick the same key, always. The "
            "length is what fools the dot product.",
        ),
        Reason(
            "same-winner",
            lambda answer: _winners(answer)[0] == _winners(answer)[1],
            _same_winner,
        ),
        Reason(
            "tie",
            _ties,
            "Two keys tie for the first place in one of the two rankings. Make the difference "
            "clear.",
        ),
    ),
    hints=(
        "A dot product is |q|·|k|·cos θ. One factor is about similarity. What can you do with the "
        "other one?",
        "Let key 0 point exactly along the query, and be short. Let key 1 be off by some angle, "
        "below 90°.",
        "With the query (1, 0) and key 0 = (1, 0), the dot product is 1. Any long key whose first "
        "coordinate is above 1 and whose second is not 0 beats it.",
    ),
)

EXERCISES = (_DOT, _COSINE, _ADDITIVE, _NADARAYA, _FOOLED)
