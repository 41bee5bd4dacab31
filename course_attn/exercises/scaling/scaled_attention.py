"""Exercise `scaled_attention` of chapter 5."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, number

__all__ = ["exercise"]


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


exercise = Exercise(
    solution=scaled_attention,
    place=10,
    section="In one line: divide by the root",
    task="""
Write `scaled_attention(Q, K, V)`: $Y = \\mathrm{softmax}\\left(Q K^T / \\sqrt{d_k}\\right) V$,
where $d_k$ is the number of features of a query (the last axis of Q). Q is (…, n_q, d_k), K (…,
n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). Scores may be in the thousands. You may use
your own functions from before.
""",
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
