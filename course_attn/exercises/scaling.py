"""Exercises of chapter 5, `scaling`: why the scores are divided by the root of d_k."""

import copy
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
    WrongForm,
    as_number,
    number,
)

__all__ = ["EXERCISES"]


# --- scaled_attention -----------------------------------------------------------------------------


def scaled_attention(Q, K, V):
    """Give every query the mixture of the values whose keys it matches."""
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ V


def _attention_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260501).standard_normal

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(1.5 * draw((*batch, *size)) for size in sizes)

    Q, K, V = given(5, 7, 3, 11)
    return (
        Case(given(2, 3, 5, 7), "example"),
        Case(given(5, 7, 11, 3)),
        Case(given(7, 11, 3, 2)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(3, 7, 64, 2), "wide"),
        Case(given(5, 7, 11, 13, 2, 3), "batch"),
        Case((60 * Q, 60 * K, V), "large"),
        Case(tuple(array.astype("f4") for array in given(11, 13, 5, 3)), "float32"),
    )


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _unshifted(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def _dots(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2)


def _length(X: np.ndarray) -> np.ndarray:
    return np.sqrt((X**2).sum(axis=-1, keepdims=True))


def _cosines(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return _dots(Q / _length(Q), K / _length(K))


def _attended(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    *,
    score: Callable[..., Any] = _dots,
    divisor: Callable[..., Any] = lambda Q, K, V: np.sqrt(Q.shape[-1]),
    weigh: Callable[..., Any] = _softmax,
) -> np.ndarray:
    scores = score(Q, K) / divisor(Q, K, V)
    return weigh(scores.astype(Q.dtype)) @ V


def _d_k(c: Context) -> int:
    return int(c.given["Q"].shape[-1])


def _spread(c: Context, divisor: float) -> str:
    return number(_dots(c.given["Q"], c.given["K"]).std() / divisor)


def _times(c: Context, divisor: float) -> str:
    """Say how the scores come out beside the right ones."""
    ratio = float(np.sqrt(_d_k(c)) / divisor)
    if np.isclose(ratio, 1):
        return "as they should be (by chance)"
    return (
        f"{number(ratio)} times too large"
        if ratio > 1
        else f"{number(1 / ratio)} times too small"
    )


_SCALED = Exercise(
    name="scaled_attention",
    chapter="scaling",
    task="""
Write `scaled_attention(Q, K, V)`: $Y = \\mathrm{softmax}\\left(Q K^T / \\sqrt{d_k}\\right) V$,
where $d_k$ is the number of features of a query (the last axis of Q). Q is (…, n_q, d_k), K (…,
n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). Scores may be in the thousands. You may use
your own functions from before.
""",
    reference=scaled_attention,
    cases=_attention_cases,
    variant=_attended,
    kinds={
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: subtract each row's largest before `exp`.",
        ),
        "wide": Kind("for vectors of 64 features"),
    },
    faults=(
        Fault(
            "unscaled",
            {"divisor": lambda Q, K, V: 1.0},
            lambda c: (
                f"The scores are not scaled: at d_k = {_d_k(c)} they spread by {_spread(c, 1)}, "
                f"and divided by √d_k by {_spread(c, np.sqrt(_d_k(c)))}. The wider they spread, "
                "the closer the softmax comes to one-hot, and the less it learns."
            ),
        ),
        Fault(
            "divided-by-d",
            {"divisor": lambda Q, K, V: Q.shape[-1]},
            lambda c: (
                f"You divide by d_k = {_d_k(c)}, not by its root: the scores come out "
                f"{_times(c, _d_k(c))} (at d_k = 64 it would be 8 times), and the weights too "
                "even. The *variance* of a sum of d terms grows as d; its spread grows as √d."
            ),
        ),
        Fault(
            "half-of-d",
            {"divisor": lambda Q, K, V: Q.shape[-1] / 2},
            lambda c: (
                f"You divide by d_k/2 = {number(_d_k(c) / 2)}: in Python `d ** 1 / 2` is (d ** "
                "1)/2. `d ** 0.5` is the root."
            ),
        ),
        Fault(
            "twice-d",
            {"divisor": lambda Q, K, V: Q.shape[-1] * 2},
            lambda c: (
                f"You divide by 2 d_k = {2 * _d_k(c)}: `scores / d ** 1 / 2` divides by d and then "
                "by 2. `scores / d ** 0.5` divides by the root."
            ),
        ),
        Fault(
            "multiplied",
            {"divisor": lambda Q, K, V: 1 / np.sqrt(Q.shape[-1])},
            lambda c: (
                "You multiply by √d_k where you should divide: the scores come out "
                f"{_times(c, 1 / np.sqrt(_d_k(c)))}."
            ),
        ),
        Fault(
            "root-of-n-k",
            {"divisor": lambda Q, K, V: np.sqrt(K.shape[-2])},
            lambda c: (
                f"You divide by √n_k = √{c.given['K'].shape[-2]}, the number of keys. Each score "
                f"is a sum over the d_k = {_d_k(c)} features; how many keys there are does not "
                "matter to its size."
            ),
        ),
        Fault(
            "root-of-n-q",
            {"divisor": lambda Q, K, V: np.sqrt(Q.shape[-2])},
            lambda c: (
                f"You divide by √n_q = √{c.given['Q'].shape[-2]}, the number of queries. It is "
                "`shape[-1]`, the features."
            ),
        ),
        Fault(
            "root-of-d-v",
            {"divisor": lambda Q, K, V: np.sqrt(V.shape[-1])},
            lambda c: (
                f"You divide by √d_v = √{c.given['V'].shape[-1]}, the width of the values. V plays "
                f"no part in the scores; their sums run over d_k = {_d_k(c)} features."
            ),
        ),
        Fault(
            "root-of-8",
            {"divisor": lambda Q, K, V: np.sqrt(8)},
            lambda c: (
                f"You divide by √8, whatever the width. Here d_k = {_d_k(c)}: take it from "
                "`Q.shape[-1]`."
            ),
        ),
        Fault(
            "always-8",
            {"divisor": lambda Q, K, V: 8.0},
            lambda c: (
                "You divide by 8, which is √d_k for the d_k = 64 of the famous paper. Here d_k = "
                f"{_d_k(c)}: take it from `Q.shape[-1]`."
            ),
        ),
        Fault(
            "root-of-d-model",
            {"divisor": lambda Q, K, V: np.sqrt(512)},
            "You divide by √512, the √d_model of the famous paper. What counts is d_k, the "
            "features that the sum runs over (64 for each head there).",
        ),
        Fault(
            "root-of-the-length",
            {"divisor": lambda Q, K, V: np.sqrt(np.sqrt(Q.shape[-1]))},
            lambda c: (
                "You take the root twice: the divisor is √d_k, and yours is √√d_k = "
                f"{number(_d_k(c) ** 0.25)}. (Scaling Q *and* K each by it would be right.)"
            ),
        ),
        Fault(
            "scaled-after-softmax",
            lambda Q, K, V: _softmax(_dots(Q, K)) / np.sqrt(Q.shape[-1]) @ V,
            lambda c: (
                "You scale *after* the softmax: the weights are as sharp as before, and each row "
                f"sums to 1/√d_k = {number(_d_k(c) ** -0.5)}. Scale the scores."
            ),
        ),
        Fault(
            "measured",
            lambda Q, K, V: _softmax(_standardized(_dots(Q, K))) @ V,
            "You divide by the scores' own measured spread. The formula divides by √d_k, a "
            "constant: queries that are sure may then still have wide scores.",
        ),
        Fault(
            "by-length",
            {"divisor": lambda Q, K, V: _length(Q)},
            lambda c: (
                "You divide each row of scores by the length ‖q‖ of its query, "
                f"{number(_length(c.given['Q']).ravel()[0])} for the first. That comes near "
                f"√d_k = {number(_d_k(c) ** 0.5)} on average, but a longer query may then no "
                "longer be surer. √d_k is a constant, from the *number* of features."
            ),
        ),
        Fault(
            "cosine",
            {"score": _cosines, "divisor": lambda Q, K, V: 1.0},
            "Your scores are cosines: you divide by the lengths of query and key, and not by √d_k. "
            "Scores of at most 1 in size make nearly even weights, and a longer query could not be "
            "surer. Asked for is the plain dot product, divided by √d_k.",
        ),
        Fault(
            "cosine-scaled",
            {"score": _cosines},
            "You divide by the lengths of query and key *and* by √d_k: the scores are cosines, at "
            "most 1 in size, and then made smaller still. Asked for is the plain dot product, "
            "divided by √d_k only.",
        ),
        Fault(
            "cosine-stretched",
            {
                "score": _cosines,
                "divisor": lambda Q, K, V: 1 / np.sqrt(Q.shape[-1]),
            },
            "Your scores are √d_k times the cosine. Their spread comes out right on average, and "
            'some models do so ("QK norm"), but the lengths of queries and keys no longer count. '
            "Asked for is the plain dot product, divided by √d_k.",
        ),
        Fault(
            "swapped",
            {"score": lambda Q, K: _dots(K, Q)},
            lambda c: (
                "Q and K are swapped: your rows belong to keys, so each *key* asks. Here, with "
                f"n_q = n_k = {c.given['Q'].shape[-2]}, it fits; for others the shapes do not. "
                "`Q @ Kᵀ`: rows are queries."
                if c.given["Q"].shape[-2] == c.given["K"].shape[-2]
                else "Q and K are swapped: `Q @ Kᵀ`, rows are queries."
            ),
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda scores: _softmax(scores, axis=-2)},
            "The scale is right, but the softmax runs down the columns: each *query* has one unit "
            "to share out, along the last axis.",
        ),
        Fault(
            "no-softmax",
            {"weigh": lambda scores: scores},
            "The scale is right, but the softmax is missing: you mix with the raw scores.",
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted},
            lambda c: (
                "Right for small scores. Here exp of them is infinite: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Scaling does "
                "not replace the shift by each row's largest score."
            ),
        ),
    ),
    hints=(
        "Start from `attention` of chapter 4: one division is new. Of what?",
        "Divide the *scores*, before the softmax, by the root of the number of terms in each dot "
        "product.",
        "`scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5`, and on as in chapter 4.",
    ),
    built_ins=("course_attn.in_numpy.qkv.attention",),
)


def _standardized(scores: np.ndarray) -> np.ndarray:
    return scores / scores.std(axis=(-2, -1), keepdims=True)


# --- init_projection ------------------------------------------------------------------------------


def init_projection(rng, d_in, d_out):
    """Draw a matrix that keeps the variance of what it projects."""
    return rng.standard_normal((d_in, d_out)) / np.sqrt(d_in)


def _init_cases() -> tuple[Case, ...]:
    sizes = ((300, 500), (701, 211), (400, 400))
    kinds = ("example", "plain", "square")
    return tuple(
        Case((np.random.default_rng(20260510 + d), d, e), kind)
        for (d, e), kind in zip(sizes, kinds, strict=True)
    )


def _measured(
    draw: Callable[..., Any], rng: Any, d_in: int, d_out: int
) -> np.ndarray:
    """Measure matrices that the answer draws: what should be [1, 0, 1, 0, 1].

    Their variance times d_in; their mean in units of 1/sqrt(d_in); whether rows and columns are
    independent of each other; whether a second call gives the same, and an equal generator.
    """
    twin = copy.deepcopy(rng)
    W, again, same = (
        draw(rng, d_in, d_out),
        draw(rng, d_in, d_out),
        draw(twin, d_in, d_out),
    )
    if not isinstance(W, np.ndarray) or W.dtype.kind != "f":
        what = "None" if W is None else f"a `{type(W).__name__}`"
        raise WrongForm(
            f"You return {what}; return an array of real numbers.", "no-array"
        )
    if W.shape != (d_in, d_out):
        raise WrongForm(
            f"For d_in = {d_in} and d_out = {d_out} you return shape {W.shape}; as it is used in "
            f"`X @ W`, the matrix has shape {(d_in, d_out)}.",
            "matrix-shape",
        )
    unit = (W - W.mean()) / W.std() if W.std() > 0 else W
    return np.array(
        [
            W.var() * d_in,
            W.mean() * np.sqrt(d_in),
            float(max(_overlap(unit), _overlap(unit.T)) < 1.2),
            float((W == again).mean() > 0.9),
            float((W == same).mean() > 0.9),
        ]
    )


def _overlap(unit: np.ndarray) -> float:
    """Measure how much rows have in common: 1 on average if all entries are independent."""
    part = unit[:, :100]
    products = part @ part.T
    shared = (products**2).sum() - (np.diag(products) ** 2).sum()
    return float(shared / (len(part) * (len(part) - 1) * part.shape[1]))


def _drawn(
    rng: Any,
    d_in: int,
    d_out: int,
    *,
    entries: Callable[..., Any] = lambda rng, *size: rng.standard_normal(size),
    spread: Callable[..., Any] = lambda d_in, d_out: d_in**-0.5,
) -> np.ndarray:
    return entries(rng, d_in, d_out) * spread(d_in, d_out)


def _variance_out(c: Context) -> str:
    return (
        f"at d_in = {c.given['d_in']} the entries of X @ W have "
        f"{number(c.got[0] + c.got[1] ** 2)} times the variance of those of X"
    )


_DEPENDENT = (
    "The entries are not independent: your matrix repeats itself (whole rows or columns are copies "
    "of each other, or multiples), and so do the features of X @ W. Draw all d_in × d_out numbers."
)

_INIT = Exercise(
    name="init_projection",
    chapter="scaling",
    task="""
Write `init_projection(rng, d_in, d_out)`: draw a matrix W of shape (d_in, d_out) such that `X @ W`
has unit variance when X has (independent entries of mean 0 and variance 1). Its entries are
independent, with mean 0 and variance $1/d_{in}$, drawn from the generator `rng`
(`np.random.default_rng(…)`) and nothing else: two calls differ, and two equal generators give equal
matrices. Any such distribution will do; the check measures.
""",
    reference=init_projection,
    cases=_init_cases,
    variant=_drawn,
    use=_measured,
    tolerance=0.03,
    faults=(
        Fault(
            "zeros",
            lambda rng, d_in, d_out: np.zeros((d_in, d_out)),
            "Your matrix is all zeros: every projection of everything is 0. Draw its entries from "
            "`rng`.",
        ),
        Fault(
            "variance-1",
            {"spread": lambda d_in, d_out: 1.0},
            lambda c: (
                f"The entries are not scaled by 1/√d_in: {_variance_out(c)}. Query and key both "
                "carry that factor, and √d_k does not save you."
            ),
        ),
        Fault(
            "spread-1-over-d",
            {"spread": lambda d_in, d_out: 1 / d_in},
            lambda c: (
                "You divide by d_in, so that the *spread* is 1/d_in and the variance 1/d_in²: "
                f"{_variance_out(c)}. Divide by its root."
            ),
        ),
        Fault(
            "fan-out",
            {"spread": lambda d_in, d_out: d_out**-0.5},
            lambda c: (
                f"You divide by the root of d_out = {c.given['d_out']}. Each entry of X @ W is a "
                f"sum over d_in = {c.given['d_in']} terms: {_variance_out(c)}."
            ),
        ),
        Fault(
            "xavier",
            {"spread": lambda d_in, d_out: np.sqrt(2 / (d_in + d_out))},
            lambda c: (
                "Variance 2/(d_in + d_out) is Glorot's compromise between the forward and the "
                f"backward pass. Asked for is 1/d_in: with yours {_variance_out(c)}."
            ),
        ),
        Fault(
            "he",
            {"spread": lambda d_in, d_out: np.sqrt(2 / d_in)},
            lambda c: (
                "Variance 2/d_in is right before a ReLU, which drops half. A projection drops "
                f"nothing: {_variance_out(c)}."
            ),
        ),
        Fault(
            "uniform",
            {"entries": lambda rng, *size: rng.uniform(-1, 1, size)},
            lambda c: (
                "A uniform number in [−a, a] has variance a²/3, so yours is three times too small: "
                f"{_variance_out(c)}. Take a = √(3/d_in)."
            ),
        ),
        Fault(
            "positive",
            {"entries": lambda rng, *size: rng.uniform(0, np.sqrt(12), size)},
            lambda c: (
                f"Your entries have mean {number(c.got[1])}/√d_in instead of 0: all projections "
                "would share one common part."
            ),
        ),
        Fault(
            "random",
            {"entries": lambda rng, *size: rng.random(size)},
            lambda c: (
                "`rng.random` draws evenly from [0, 1): those numbers have mean 1/2, not 0, and "
                f"variance 1/12, not 1. So your entries have mean {number(c.got[1])}/√d_in (all "
                f"projections would share one common part), and {_variance_out(c)}. Draw from "
                "`rng.standard_normal`, or shift and stretch."
            ),
        ),
        Fault(
            "repeated",
            {
                "entries": lambda rng, d_in, d_out: np.repeat(
                    rng.standard_normal((d_in, 1)), d_out, axis=1
                )
            },
            _DEPENDENT,
        ),
        Fault(
            "own-seed",
            {
                "entries": lambda rng, *size: np.random.default_rng(
                    0
                ).standard_normal(size)
            },
            "Two calls give the same matrix: you make a generator of your own with a fixed seed. "
            "W_Q and W_K would be equal. Draw from the `rng` that is passed in.",
        ),
        Fault(
            "global-generator",
            {
                "entries": lambda rng, *size: (
                    np.random.default_rng().standard_normal(size)
                )
            },
            "Two equal generators give different matrices: your numbers come from somewhere else "
            "(`np.random.randn`, a new `default_rng()`). Draw from `rng`, or nobody can repeat "
            "your experiment.",
        ),
    ),
    properties=(
        Property(
            "same-again",
            lambda c: (
                "Two calls give the same matrix: nothing is drawn from `rng`."
                if c.got[3] == 1
                else None
            ),
        ),
        Property("repeated", lambda c: None if c.got[2] else _DEPENDENT),
        Property(
            "mean-and-variance",
            lambda c: (
                f"The mean of your entries is {number(c.got[1])}/√d_in and should be 0. And their "
                f"variance is not 1/d_in: it is {number(c.got[0])}/d_in."
                if abs(c.got[1]) > 0.03 and abs(c.got[0] - 1) > 0.03
                else None
            ),
        ),
        Property(
            "variance",
            lambda c: (
                f"The variance is not 1/d_in: {_variance_out(c)}."
                if abs(c.got[0] - 1) > 0.03
                else None
            ),
        ),
        Property(
            "mean",
            lambda c: (
                f"The mean of your entries is {number(c.got[1])}/√d_in; it should be 0."
                if abs(c.got[1]) > 0.03
                else None
            ),
        ),
    ),
    hints=(
        "An entry of X @ W is a sum of d_in products. What is the variance of such a sum?",
        "The variance of the sum is d_in times that of an entry of W; so an entry needs 1/d_in. "
        "What is its standard deviation then?",
        "`rng.standard_normal((d_in, d_out))` has variance 1; multiplied by s it has variance s².",
    ),
)


# --- score_variance -------------------------------------------------------------------------------


def score_variance(d_k, mean, shared):
    """Predict the variance of the dot product of two random vectors."""
    independent = d_k * (1 + 2 * mean**2)
    return 2 * independent if shared else independent


def _variance_cases() -> tuple[Case, ...]:
    return (
        Case((64, 0.0, False), "example"),
        Case((7, 0.5, False), "mean"),
        Case((64, 0.0, True), "shared"),
        Case((11, 1.5, True), "both"),
        Case((3, -2.0, False), "mean"),
        Case((5, -0.7, True), "both"),
    )


def _predicted(
    d_k: int,
    mean: float,
    shared: bool,
    *,
    square: Callable[..., Any] = lambda mean: mean**2,
    alone: Callable[..., Any] = lambda m: 1 + 2 * m,
    twin: Callable[..., Any] = lambda m, one: 2 * one,
    total: Callable[..., Any] = lambda one, d_k: d_k * one,
    finish: Callable[..., Any] = lambda variance: variance,
) -> float:
    one = alone(square(mean))
    return finish(total(twin(square(mean), one) if shared else one, d_k))


def _asked(c: Context) -> str:
    return (
        f"d_k = {c.given['d_k']}, mean {number(c.given['mean'])}, "
        f"{'q = k' if c.given['shared'] else 'q and k independent'}: you have {number(c.got)}, "
        f"and {number(c.expected)} is right"
    )


_VARIANCE = Exercise(
    name="score_variance",
    chapter="scaling",
    task="""
Write `score_variance(d_k, mean, shared)`: the variance of the *unscaled* score $q \\cdot k$, as one
number, by a formula and not by drawing. The d_k components are independent normal numbers with the
given mean $\\mu$ and variance 1. `shared` is False for q and k independent of each other, and True
for $k = q$. (For a normal z with mean 0 and variance 1, $E[z^3] = 0$ and $E[z^4] = 3$.)
""",
    reference=score_variance,
    cases=_variance_cases,
    variant=_predicted,
    kinds={
        "mean": Kind("where the mean is not 0", "E[(qk)²] is no longer 1 then."),
        "example": Kind("for mean 0 and independent vectors"),
        "shared": Kind(
            "where k = q with mean 0", "The score is a sum of squares then."
        ),
        "both": Kind(
            "where k = q with another mean", "Var[(μ + z)²] = Var[2μz + z²]."
        ),
    },
    faults=(
        Fault(
            "mean-ignored",
            {"square": lambda mean: 0.0},
            lambda c: (
                f"The mean plays no part in your formula, but it widens the spread. {_asked(c)}."
            ),
        ),
        Fault(
            "shared-ignored",
            {"twin": lambda m, one: one},
            lambda c: (
                "You treat k = q as if the two were independent. Then the score is a sum of "
                f"squares, which spread more. {_asked(c)}."
            ),
        ),
        Fault(
            "mean-of-the-score",
            lambda d_k, mean, shared: (
                d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)
            ),
            lambda c: (
                "For k = q you return the *mean* of the score, E[q · q] = d_k (1 + μ²). How far "
                f"does it spread around that? {_asked(c)}."
            ),
        ),
        Fault(
            "mean-not-squared",
            {"square": abs},
            lambda c: (
                f"The mean has to be squared (a variance has squared units). {_asked(c)}."
            ),
        ),
        Fault(
            "mean-once",
            {"square": lambda mean: mean**2 / 2},
            lambda c: (
                "The mean enters twice, once through q and once through k: Var[q k] = "
                f"(1 + μ²)² − μ⁴ = 1 + 2μ². {_asked(c)}."
            ),
        ),
        Fault(
            "kurtosis",
            {"twin": lambda m, one: 3 + 4 * m},
            lambda c: (
                "For k = q one square z² has variance E[z⁴] − E[z²]² = 3 − 1 = 2; you take 3, as "
                f"if nothing were subtracted. {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-shared",
            {"twin": lambda m, one: 3 + 6 * m + m**2},
            lambda c: (
                "For k = q you return E[q⁴] = 3 + 6μ² + μ⁴, once for each component. The variance "
                f"of q² is E[q⁴] − E[q²]²: subtract (1 + μ²)². {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-alone",
            {
                "alone": lambda m: (1 + m) ** 2,
                "twin": lambda m, one: 2 + 4 * m,
            },
            lambda c: (
                "For independent q and k you return E[(q k)²] = (1 + μ²)², once for each "
                "component. The variance is E[(q k)²] − E[q k]²: subtract μ⁴. "
                f"{_asked(c)}."
            ),
        ),
        Fault(
            "doubled-second-moment-shared",
            {"twin": lambda m, one: 2 * (1 + m) ** 2},
            lambda c: (
                "For k = q you take 2 (1 + μ²)² for each component, which is right only for μ = 0. "
                "Expand the square: (μ + z)² = μ² + 2μz + z², of which the last two terms vary. "
                f"{_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-doubled",
            {"alone": lambda m: (1 + m) ** 2},
            lambda c: (
                "You take E[(q k)²] = (1 + μ²)² for each component, and twice that for k = q. From "
                "a second moment the squared mean has to be subtracted: "
                f"E[(q k)²] − E[q k]² = (1 + μ²)² − μ⁴. {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment",
            lambda d_k, mean, shared: (
                d_k * (3 + 6 * mean**2 + mean**4)
                if shared
                else d_k * (1 + mean**2) ** 2
            ),
            lambda c: (
                "You forgot to subtract the squared mean: E[(q k)²] is not yet the variance, "
                f"E[(q k)²] − E[q k]² is. {_asked(c)}."
            ),
        ),
        Fault(
            "scaled",
            {"total": lambda one, d_k: one},
            lambda c: (
                "That is the variance after dividing by √d_k (or of one component). Asked for is "
                f"the unscaled sum of d_k components. {_asked(c)}."
            ),
        ),
        Fault(
            "standard-deviation",
            {"finish": np.sqrt},
            lambda c: (
                f"You return the standard deviation, the root of the variance. {_asked(c)}."
            ),
        ),
        Fault(
            "d-squared",
            {"total": lambda one, d_k: d_k**2 * one},
            lambda c: (
                "The components are independent, so their variances add up: d_k of them, not d_k². "
                f"{_asked(c)}."
            ),
        ),
    ),
    properties=(
        Property(
            "nearly",
            lambda c: (
                f"Near, but not exact: {_asked(c)}. Drawing and measuring gives only an estimate; "
                "asked for is the formula."
                if abs(c.got / c.expected - 1) < 0.1
                else None
            ),
        ),
    ),
    hints=(
        "The components are independent, so the variances of the d_k products add up. What is the "
        "variance of *one* product?",
        "Var[ab] = E[a²]E[b²] − (E[a]E[b])² for independent a and b, with E[a²] = 1 + μ². For k = "
        "q write the component as μ + z and expand its square.",
        "1 + 2μ² for one product of independent components; Var[2μz + z²] = 4μ² + 2 for a square.",
    ),
    built_ins=("course_attn.in_numpy.scaling.expected_score_variance",),
)


# --- which_d --------------------------------------------------------------------------------------


def which_d():
    """Name the number by which the scores of this layer are divided."""
    return 6


def _is(value: float) -> Callable[[float], bool]:
    return lambda answer: bool(np.isclose(answer, value, atol=0.02))


_WHICH = Question(
    name="which_d",
    chapter="scaling",
    task="""
A layer of a transformer has d_model = 432 and 12 heads. In each head queries and keys have d_k = 36
features, and values d_v = 25. It runs on a batch of 16 texts: 49 queries look at 81 keys. By which
number are the scores of one head divided? Let `which_d()` return it.
""",
    reference=which_d,
    read=as_number,
    reasons=(
        Reason(
            "d-k",
            _is(36),
            "36 is d_k itself; the scores are divided by its *root*.",
        ),
        Reason(
            "d-model",
            _is(np.sqrt(432)),
            "√432 is √d_model. But a score of one head is a sum over its own 36 features only, so "
            "that its spread is √36.",
        ),
        Reason("d-v", _is(5), "5 is √d_v. The values play no part in the scores."),
        Reason(
            "n-q",
            _is(7),
            "7 is √49, from the number of queries. A score is a sum over features.",
        ),
        Reason(
            "n-k",
            _is(9),
            "9 is √81, from the number of keys. A score is a sum over features.",
        ),
        Reason(
            "batch",
            _is(4),
            "4 is √16, from the batch. A score is a sum over features.",
        ),
        Reason(
            "n-heads",
            _is(np.sqrt(12)),
            "√12 comes from the number of heads. Each head divides by the root of its own width.",
        ),
        Reason(
            "factor",
            _is(1 / 6),
            "1/6 is what the scores are *multiplied* by. What are they divided by?",
        ),
        Reason(
            "other",
            lambda answer: not np.isclose(answer, 6, atol=1e-6),
            lambda answer: (
                f"Not {number(answer)}. Over how many products does one score sum? It is divided "
                "by the root of that number."
            ),
        ),
    ),
    hints=(
        "One score is q · k. How many products does that sum have, in one head?",
        "Of all these numbers only one is the length of a query.",
        "It is the root of that length.",
    ),
)


EXERCISES = (_SCALED, _INIT, _VARIANCE, _WHICH)
