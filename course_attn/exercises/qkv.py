"""Exercises of chapter 4, `qkv`: queries, keys and values."""

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
    as_letters,
    number,
    span,
)

__all__ = ["EXERCISES"]


def _same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


# --- project_qkv ----------------------------------------------------------------------------------


def project_qkv(X, Z, W_Q, W_K, W_V):
    """Make queries from the elements that ask, keys and values from those that answer."""
    return X @ W_Q, Z @ W_K, Z @ W_V


def _project_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260401).standard_normal

    def given(
        n_q: int, n_k: int, d: int, d_k: int, d_v: int, *batch: int
    ) -> list[Any]:
        elements = draw((*batch, n_q, d)), draw((*batch, n_k, d))
        return [*elements, draw((d, d_k)), draw((d, d_k)), draw((d, d_v))]

    alone = given(5, 5, 7, 3, 2)
    alone[1] = alone[0].copy()
    return (
        Case(tuple(given(2, 3, 5, 2, 7)), "example"),
        Case(tuple(given(5, 7, 11, 3, 2))),
        Case(tuple(given(5, 5, 5, 5, 5)), "square"),
        Case(tuple(alone), "self"),
        Case(tuple(given(5, 7, 17, 11, 13, 2, 3)), "batch"),
        Case(
            tuple(array.astype("f4") for array in given(7, 11, 13, 5, 3)), "float32"
        ),
    )


def _projected(
    X: np.ndarray,
    Z: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    *,
    asks: Callable[..., Any] = lambda X, Z: X,
    offers: Callable[..., Any] = lambda X, Z: Z,
    gives: Callable[..., Any] = lambda X, Z: Z,
    matrices: Callable[..., Any] = lambda *matrices: matrices,
    order: Callable[..., Any] = lambda *results: results,
) -> tuple[np.ndarray, ...]:
    for_q, for_k, for_v = matrices(W_Q, W_K, W_V)
    return order(asks(X, Z) @ for_q, offers(X, Z) @ for_k, gives(X, Z) @ for_v)


def _from_x(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return X


def _rows_of(c: Context) -> str:
    return (
        f"X has {c.given['X'].shape[-2]} rows and Z {c.given['Z'].shape[-2]}; your "
        f"`{c.given['result']}` has {c.got.shape[-2]}"
    )


_PROJECT = Exercise(
    name="project_qkv",
    chapter="qkv",
    task="""
Write `project_qkv(X, Z, W_Q, W_K, W_V)`: the elements of X, shape (…, n_q, d_model), ask; those of
Z, (…, n_k, d_model), answer. Return three arrays, `Q, K, V`: the queries $Q = X W_Q$, the keys
$K = Z W_K$ and the values $V = Z W_V$. The matrices have shapes (d_model, d_k), (d_model, d_k) and
(d_model, d_v). In self-attention X and Z are the same array; here they may differ.
""",
    reference=project_qkv,
    cases=_project_cases,
    variant=_projected,
    results=("Q", "K", "V"),
    kinds={"self": Kind("in self-attention, where Z is X")},
    faults=(
        Fault(
            "all-from-x",
            {"offers": _from_x, "gives": _from_x},
            lambda c: (
                "You make the keys and values from X. That is self-attention, where Z is X; in "
                f"general those who answer are others: {_rows_of(c)}."
            ),
        ),
        Fault(
            "keys-from-x",
            {"offers": _from_x},
            lambda c: (
                "You make the keys from X: each element would ask and be matched with itself and "
                f"its neighbors, but the values come from Z. Keys are what Z offers. "
                f"{_rows_of(c)}."
            ),
        ),
        Fault(
            "values-from-x",
            {"gives": _from_x},
            lambda c: (
                "You make the values from X. Value j belongs to key j, so both come from Z. "
                f"{_rows_of(c)}."
            ),
        ),
        Fault(
            "queries-from-z",
            {"asks": lambda X, Z: Z},
            lambda c: (
                "You make the queries from Z. X asks, Z answers: there is one query for each row "
                f"of X. {_rows_of(c)}."
            ),
        ),
        Fault(
            "transposed-matrices",
            {"matrices": lambda *matrices: [W.T for W in matrices]},
            "You transpose the matrices. `nn.Linear` stores them transposed, and needs it; here "
            "W_Q has shape (d_model, d_k) and is used as it is, `X @ W_Q`. Square matrices hide "
            "the mistake; others do not even fit.",
        ),
        Fault(
            "one-matrix",
            {"matrices": lambda W_Q, W_K, W_V: (W_Q, W_Q, W_V)},
            "The keys are made with W_Q. Then queries and keys speak the same language, and in "
            "self-attention the scores are symmetric: what you look for could not differ from what "
            "you offer. Keys have their own matrix, W_K.",
        ),
        Fault(
            "matrices-swapped",
            {"matrices": lambda W_Q, W_K, W_V: (W_K, W_Q, W_V)},
            "W_Q and W_K are swapped: you make the queries with W_K and the keys with W_Q. The "
            "letter of a matrix says what it makes: W_Q belongs to X, which asks, and W_K to Z. "
            "Their shapes are the same, so that no error shows it.",
        ),
        Fault(
            "values-by-keys-matrix",
            {"matrices": lambda W_Q, W_K, W_V: (W_Q, W_K, W_K)},
            lambda c: (
                "The values are made with W_K. They have a matrix of their own, W_V, and even a "
                f"width of their own: d_v = {c.given['W_V'].shape[-1]} here, not "
                f"d_k = {c.given['W_K'].shape[-1]}."
            ),
        ),
        Fault(
            "keys-first",
            {"order": lambda Q, K, V: (K, Q, V)},
            "The three are right but returned in another order: yours come as K, Q, V. Whoever "
            "unpacks `Q, K, V = …` asks with the keys.",
        ),
        Fault(
            "values-second",
            {"order": lambda Q, K, V: (Q, V, K)},
            "The three are right but returned in another order: yours come as Q, V, K.",
        ),
    ),
    hints=(
        "Who asks, and who answers? One of the three comes from X, two from Z.",
        "Each is one matrix product; elements are rows, so the matrix stands on the right.",
        "`return X @ W_Q, …, …`: three results, with commas between.",
    ),
    built_ins=("course_attn.in_numpy.qkv.project_qkv",),
)


# --- attention ------------------------------------------------------------------------------------


def attention(Q, K, V):
    """Give every query the mixture of the values whose keys it matches (not scaled)."""
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ V


def _attention_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260402).standard_normal

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(draw((*batch, *size)) for size in sizes)

    Q, K, V = given(5, 7, 3, 11)
    return (
        Case(given(2, 3, 5, 2), "example"),
        Case(given(5, 7, 3, 2)),
        Case(given(7, 3, 5, 11)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(7, 7, 3, 2), "self"),
        Case(given(5, 7, 11, 13, 2, 3), "batch"),
        Case((60 * Q, 60 * K, V), "large"),
        Case(tuple(array.astype("f4") for array in given(11, 13, 5, 3)), "float32"),
    )


def _dots(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2)


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _unit(X: np.ndarray) -> np.ndarray:
    return X / np.sqrt((X**2).sum(axis=-1, keepdims=True))


def _unshifted(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def _one_hot(scores: np.ndarray) -> np.ndarray:
    return (scores == scores.max(axis=-1, keepdims=True)).astype(scores.dtype)


def _attended(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    *,
    score: Callable[..., Any] = _dots,
    scale: Callable[..., Any] = lambda scores, Q: scores,
    weigh: Callable[..., Any] = _softmax,
    mix: Callable[..., Any] = np.matmul,
) -> np.ndarray:
    return mix(weigh(scale(score(Q, K), Q)), V)


def _squared_distances(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


def _best(c: Context) -> int:
    """Return the key that query 0 scores best with."""
    scores = _dots(c.given["Q"], c.given["K"])
    return int(scores.reshape(-1, scores.shape[-1])[0].argmax())


def _weight_sums(c: Context, axis: int) -> str:
    weights = _softmax(_dots(c.given["Q"], c.given["K"]), axis=axis)
    return span(weights.sum(axis=-1))


def _outside(c: Context) -> str | None:
    low = c.given["V"].min(axis=-2, keepdims=True)
    high = c.given["V"].max(axis=-2, keepdims=True)
    beyond = np.maximum(c.got - high, low - c.got)
    if c.got.shape[:-2] != low.shape[:-2] or not (beyond > 1e-3).any():
        return None
    return (
        "Every output is a mixture of the values, so no column of it can leave the range of that "
        f"column of V; yours does, by up to {number(beyond.max())}. Are the weights positive, and "
        "do they sum to 1 in each row?"
    )


def _order_matters(c: Context) -> str | None:
    n_k = c.given["K"].shape[-2]
    turned = np.roll(np.arange(n_k), 1)
    moved = c.call(
        c.given["Q"], c.given["K"][..., turned, :], c.given["V"][..., turned, :]
    )
    if (
        moved is None
        or moved.shape != c.got.shape
        or np.allclose(moved, c.got, 1e-3, 1e-4)
    ):
        return None
    return (
        "Listing the same keys, with their values, in another order changes your output by up to "
        f"{number(np.abs(moved - c.got).max())}. A dictionary does not care in which order it is "
        "written down."
    )


def _queries_interact(c: Context) -> str | None:
    alone = c.call(c.given["Q"][..., :1, :], c.given["K"], c.given["V"])
    if alone is None or alone.shape != c.got[..., :1, :].shape:
        return None
    if np.allclose(alone, c.got[..., :1, :], 1e-3, 1e-4):
        return None
    return (
        f"Your first output is {c.row()}, and it changes when the other queries are left out: "
        "queries must not depend on each other. Along which axis does the softmax run?"
    )


_ATTENTION = Exercise(
    name="attention",
    chapter="qkv",
    task="""
Write `attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^T)\\, V$, **without scaling yet** (that is
chapter 5). Q is (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), where n_q and n_k, and d_k and
d_v, may differ; the result is (…, n_q, d_v). Scores may be in the thousands. You may use your own
`softmax` and `dot_scores`.
""",
    reference=attention,
    cases=_attention_cases,
    variant=_attended,
    kinds={
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: subtract each row's largest before `exp`.",
        ),
        "self": Kind("where there are as many queries as keys"),
    },
    faults=(
        Fault(
            "scaled",
            {"scale": lambda scores, Q: scores / np.sqrt(Q.shape[-1])},
            lambda c: (
                "Right idea, one chapter early: you divide the scores by √d_k = "
                f"√{c.given['Q'].shape[-1]} ≈ {number(np.sqrt(c.given['Q'].shape[-1]))}. Chapter 5 "
                "shows why; here the formula is softmax(Q Kᵀ) V."
            ),
        ),
        Fault(
            "divided-by-d",
            {"scale": lambda scores, Q: scores / Q.shape[-1]},
            lambda c: (
                f"You divide the scores by d_k = {c.given['Q'].shape[-1]}. No scaling yet (and in "
                "chapter 5 it will be by the *root* of d_k)."
            ),
        ),
        Fault(
            "swapped",
            {"score": lambda Q, K: _dots(K, Q)},
            lambda c: (
                "Q and K are swapped: your rows belong to keys, so each *key* asks. With "
                f"n_q = {c.given['Q'].shape[-2]} and n_k = {c.given['K'].shape[-2]} it goes "
                "unnoticed only because they are equal; for others the shapes do not fit. "
                "`Q @ Kᵀ`: rows are queries."
            ),
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda scores: _softmax(scores, axis=-2)},
            lambda c: (
                "The softmax runs down the columns: each key shares itself out among the queries, "
                f"and a query's weights sum to {_weight_sums(c, -2)}. Each *query* has one unit to "
                "share out: use the last axis."
            ),
        ),
        Fault(
            "whole-array",
            {
                "weigh": lambda scores: (
                    np.exp(scores - scores.max())
                    / np.exp(scores - scores.max()).sum()
                )
            },
            "You divide by the sum over all queries (and all sequences) together: all weights sum "
            "to 1, and each query's should. `axis=-1, keepdims=True`.",
        ),
        Fault(
            "root-of-n-k",
            {"scale": lambda scores, Q: scores / np.sqrt(scores.shape[-1])},
            lambda c: (
                f"You divide the scores by √n_k = √{c.given['K'].shape[-2]}, the root of the "
                "number of keys. In this chapter nothing is divided before the softmax, and in "
                "chapter 5 it will be √d_k, the root of the number of features."
            ),
        ),
        Fault(
            "negative-scores",
            {"score": lambda Q, K: -_dots(Q, K)},
            lambda c: (
                "The sign of the scores is wrong: your queries attend most to the keys that match "
                "them least. Query 0 scores best with key "
                f"{_best(c)}, and that is the one to which yours gives the least weight."
            ),
        ),
        Fault(
            "no-transpose",
            {"score": np.matmul},
            lambda c: (
                "`Q @ K` without the transpose: it multiplies rows of Q with *columns* of K, and a "
                "column holds one feature of all keys. It fits only where n_k happens to be d_k, "
                f"as here ({c.given['K'].shape[-2]} keys of {c.given['K'].shape[-1]} features). "
                "A score is row times row: `Q @ np.swapaxes(K, -1, -2)`."
            ),
        ),
        Fault(
            "gaussian",
            {"score": lambda Q, K: -_squared_distances(Q, K) / 2},
            "You score by the distance, −‖q − k‖²/2, as Nadaraya and Watson do with a Gaussian "
            "kernel. Here it is the dot product. The two differ by −‖k‖²/2: the dot product lets a "
            "longer key be heard more. (For keys of one length they give the same weights.)",
        ),
        Fault(
            "distance",
            {"score": lambda Q, K: -_squared_distances(Q, K)},
            "You score by the squared distance, −‖q − k‖². Here the score is the dot product "
            "q · k: a longer key is heard more, however far away it lies.",
        ),
        Fault(
            "no-softmax",
            {"weigh": _same},
            lambda c: (
                'You mix with the raw scores: the softmax is missing. A query\'s "weights" sum to '
                f"{span(_dots(c.given['Q'], c.given['K']).sum(axis=-1))}, and some are negative."
            ),
        ),
        Fault(
            "not-normalized",
            {"weigh": np.exp},
            lambda c: (
                "You take the powers but do not divide by their row sums: the outputs are too "
                f"large, {c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted},
            lambda c: (
                "Right for small scores. Here they reach "
                f"{number(_dots(c.given['Q'], c.given['K']).max())}, exp of which is infinite: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Subtract each "
                "row's largest score first."
            ),
        ),
        Fault(
            "mixed-down-the-columns",
            {"mix": lambda weights, V: np.swapaxes(weights, -1, -2) @ V},
            lambda c: (
                "The weights are right, but V is mixed along the wrong axis: your output i uses "
                "*column* i of the weights (what all queries give to key i). Row i holds the "
                "weights of query i; for other sizes the shapes do not even fit. `weights @ V`."
            ),
        ),
        Fault(
            "elementwise",
            {"mix": np.multiply},
            lambda c: (
                "`weights * V` multiplies entry by entry. Here the shapes happen to fit (both are "
                f"{c.given['V'].shape[-2]} × {c.given['V'].shape[-1]}), elsewhere they do not. "
                "Each query sums *all* values, each times its weight: that is the matrix product, "
                "`weights @ V`."
            ),
        ),
        Fault(
            "keys-for-values",
            lambda Q, K, V: _softmax(_dots(Q, K)) @ K,
            lambda c: (
                "You mix the *keys*. They are for finding; what is handed out are the values V. "
                f"Your output has d_k = {c.got.shape[-1]} columns, and V has "
                f"{c.given['V'].shape[-1]}."
            ),
        ),
        Fault(
            "returns-weights",
            lambda Q, K, V: _softmax(_dots(Q, K)),
            lambda c: (
                f"You return the weights, shape {c.got.shape}. They are right; the last step is to "
                "mix the values with them."
            ),
        ),
        Fault(
            "hard",
            {"weigh": _one_hot},
            lambda c: (
                "Each of your queries takes the value of its best key alone, "
                f"{c.row()} instead of the mixture {c.row(of='expected')}. That is a dictionary, "
                "not a soft one."
            ),
        ),
        Fault(
            "twice",
            {"weigh": lambda scores: _softmax(_softmax(scores))},
            "The softmax is applied twice: the second takes the weights for scores and makes them "
            "nearly even.",
        ),
        Fault(
            "cosine",
            {"score": lambda Q, K: _dots(_unit(Q), _unit(K))},
            "You compare by the cosine. Here the score is the plain dot product: a longer key has "
            "a louder voice.",
        ),
        Fault(
            "even",
            {"weigh": lambda scores: np.full_like(scores, 1 / scores.shape[-1])},
            "All your outputs are the mean of the values: the scores play no part.",
        ),
    ),
    properties=(
        Property("outside-the-values", _outside),
        Property("queries-interact", _queries_interact),
        Property("order-of-keys", _order_matters),
    ),
    hints=(
        "Three steps that you know: scores, weights, mixture. What are their shapes?",
        "Q Kᵀ has shape (n_q, n_k). The softmax makes each of its *rows* sum to 1; the rows of V "
        "are then mixed by it.",
        "`scores = Q @ np.swapaxes(K, -1, -2)`, a softmax along `axis=-1`, and `weights @ V`.",
    ),
    built_ins=("course_attn.in_numpy.qkv.attention",),
)


# --- soft_lookup ----------------------------------------------------------------------------------


def soft_lookup(query, keys, values, temperature):
    """Look a query up in a dictionary that answers with a mixture of its values."""
    scores = keys @ query / temperature
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ values


def _lookup_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260403).standard_normal

    def given(n_k: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
        return draw(d_k), draw((n_k, d_k)), draw((n_k, d_v))

    narrow = tuple(array.astype("f4") for array in given(11, 5, 3))
    query, keys, values = given(5, 3, 2)
    close = query, keys[:1] + 0.001 * keys, values
    return (
        Case((*given(3, 2, 5), 0.5), "example"),
        Case((*given(7, 3, 2), 2.0)),
        Case((*given(5, 11, 3), 3.0)),
        Case((*given(5, 5, 5), 0.7), "square"),
        Case((*given(7, 5, 3), 0.001), "cold"),
        Case((*close, 0.001), "cold"),
        Case((*narrow, 1.5), "float32"),
    )


def _looked_up(
    query: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    temperature: float,
    *,
    score: Callable[..., Any] = lambda keys, query: keys @ query,
    scale: Callable[..., Any] = lambda scores, T, query: scores / T,
    weigh: Callable[..., Any] = _softmax,
    mix: Callable[..., Any] = lambda weights, values: weights @ values,
) -> np.ndarray:
    return mix(weigh(scale(score(keys, query), temperature, query)), values)


def _powered(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, temperature: float
) -> np.ndarray:
    weights = _softmax(keys @ query) ** (1 / temperature)
    return weights / weights.sum() @ values


def _largest_weight(c: Context) -> str:
    return number(_softmax(c.given["keys"] @ c.given["query"]).max())


_LOOKUP = Exercise(
    name="soft_lookup",
    chapter="qkv",
    task="""
Write `soft_lookup(query, keys, values, temperature)`: one query (d_k,) is looked up in a dictionary
of keys (n_k, d_k) with values (n_k, d_v). The weights are the softmax of the dot products divided
by the temperature (a number above 0), $a = \\mathrm{softmax}(K q / T)$, and the answer is the
mixture $\\sum_j a_j v_j$, shape (d_v,). It has to work for temperatures as low as 0.001.
""",
    reference=soft_lookup,
    cases=_lookup_cases,
    variant=_looked_up,
    kinds={
        "cold": Kind(
            "for a very low temperature",
            "Dividing by 0.001 makes the scores a thousand times larger: shift them *after* that.",
        ),
    },
    faults=(
        Fault(
            "multiplied",
            {"scale": lambda scores, T, query: scores * T},
            lambda c: (
                "You multiply by the temperature. It divides: at T = "
                f"{number(c.given['temperature'])} the lookup should get "
                f"{'harder' if c.given['temperature'] < 1 else 'softer'} than at 1, and yours gets "
                f"{'softer' if c.given['temperature'] < 1 else 'harder'}."
            ),
        ),
        Fault(
            "no-temperature",
            {"scale": lambda scores, T, query: scores},
            lambda c: (
                "The temperature plays no part: at T = "
                f"{number(c.given['temperature'])} you answer as at T = 1."
            ),
        ),
        Fault(
            "root",
            {"scale": lambda scores, T, query: scores / T**0.5},
            "You divide by the *root* of the temperature; divide by the temperature itself.",
        ),
        Fault(
            "scaled",
            {"scale": lambda scores, T, query: scores / T / len(query) ** 0.5},
            lambda c: (
                f"You divide by √d_k = √{len(c.given['query'])} besides the temperature. Chapter 5 "
                "will show why one may; here it is softmax(K q / T)."
            ),
        ),
        Fault(
            "power",
            _powered,
            lambda c: (
                "softmax(K q) to the power 1/T, divided by its sum, is right on paper. But at "
                f"T = {number(c.given['temperature'])} the largest weight, {_largest_weight(c)}, "
                f"to the power {number(1 / c.given['temperature'])} is so small that it is rounded "
                "to 0, and 0/0 is NaN. Divide the *scores* by T, and take one softmax."
            ),
        ),
        Fault(
            "hard",
            {"weigh": _one_hot},
            lambda c: (
                f"You answer with the value of the best key alone, {c.row()}: a plain dictionary. "
                f"The soft one mixes all values, {c.row(of='expected')}."
            ),
        ),
        Fault(
            "no-softmax",
            {"weigh": _same},
            "You mix with the raw scores: the softmax is missing, so the weights are neither "
            "positive nor do they sum to 1.",
        ),
        Fault(
            "not-normalized",
            {"weigh": np.exp},
            "The powers are not divided by their sum.",
        ),
        Fault(
            "no-shift",
            {"weigh": lambda scores: np.exp(scores) / np.exp(scores).sum()},
            lambda c: (
                f"Right for mild temperatures. At T = {number(c.given['temperature'])} the largest "
                "score is "
                f"{number((c.given['keys'] @ c.given['query']).max() / c.given['temperature'])}, "
                "whose power is infinite: NaN. Subtract the largest first."
            ),
        ),
        Fault(
            "divided-late",
            lambda query, keys, values, temperature: (
                _softmax(keys @ query) @ values / temperature
            ),
            "You divide the *answer* by the temperature. It belongs to the scores, before the "
            "softmax: it decides how sharp the weights are.",
        ),
        Fault(
            "distance",
            {"score": lambda keys, query: -((keys - query) ** 2).sum(axis=-1)},
            "You score by the distance to the key; asked for is the dot product (a longer key then "
            "has a louder voice).",
        ),
        Fault(
            "cosine",
            {"score": lambda keys, query: _unit(keys) @ _unit(query)},
            "You score by the cosine: keys and query are divided by their lengths. Asked for is "
            "the plain dot product, in which a longer key has a louder voice.",
        ),
        Fault(
            "mean",
            {"weigh": lambda scores: np.full_like(scores, 1 / len(scores))},
            "You answer every query with the mean of all values: the query plays no part.",
        ),
        Fault(
            "keys-mixed",
            lambda query, keys, values, temperature: (
                _softmax(keys @ query / temperature) @ keys
            ),
            lambda c: (
                f"You mix the *keys* (shape {c.got.shape}). They are compared with the query; what "
                "comes back are the values."
            ),
        ),
        Fault(
            "returns-weights",
            lambda query, keys, values, temperature: _softmax(
                keys @ query / temperature
            ),
            lambda c: (
                f"You return the {c.got.size} weights, one for each key. Mix the values with them."
            ),
        ),
    ),
    hints=(
        "A Python dictionary compares the query with every key and returns one value. What "
        "replaces "
        '"equal", and what replaces "one"?',
        "One dot product for each key; softmax of these over T; then the weighted sum of the rows "
        "of `values`.",
        "`keys @ query` has shape (n_k,); weights of that shape give the answer by "
        "`weights @ values`.",
    ),
    built_ins=("course_attn.in_numpy.qkv.soft_lookup",),
)


# --- possible_scores ------------------------------------------------------------------------------


def possible_scores():
    """Name the score matrices that are possible under the stated conditions."""
    return {"b", "c", "g"}


def _wrongly(letter: str, message: str) -> Reason:
    return Reason(letter, lambda letters: letter in letters, message)


def _missing(letter: str, message: str) -> Reason:
    return Reason(
        f"{letter}-missing", lambda letters: letter not in letters, message
    )


_POSSIBLE = Question(
    name="possible_scores",
    chapter="qkv",
    task="""
Scores are $S = Q K^T$ with $Q = X W_Q$ and $K = X W_K$ (self-attention). X and the matrices may
hold any real numbers. Which of these matrices are possible? Let `possible_scores()` return the set
of their letters, for example `{"a", "d"}`.

With $d_k = 1$: **a** $\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}$,
**b** $\\begin{pmatrix}2&4\\\\3&6\\end{pmatrix}$.
With one shared matrix $W_Q = W_K$ and any $d_k$:
**c** $\\begin{pmatrix}1&2\\\\2&5\\end{pmatrix}$,
**d** $\\begin{pmatrix}1&2\\\\3&9\\end{pmatrix}$,
**e** $\\begin{pmatrix}-1&2\\\\2&3\\end{pmatrix}$.
With different matrices: **f** the 5 × 5 identity matrix at $d_k = 3$,
**g** $\\begin{pmatrix}0&-1\\\\1&0\\end{pmatrix}$ at $d_k = 2$.
""",
    reference=possible_scores,
    read=as_letters,
    reasons=(
        Reason(
            "unknown-letter",
            lambda letters: not letters <= set("abcdefg"),
            "The matrices have the letters a to g.",
        ),
        _wrongly(
            "a",
            "a is not possible: with d_k = 1 each query and each key is one number, so every row "
            "is a multiple of the same row of keys. But (3, 4) is no multiple of (1, 2): the rank "
            "is 2.",
        ),
        _wrongly(
            "d",
            "d is not possible: with one shared matrix q_i = k_i, so the score of i for j equals "
            "that of j for i. Here they are 2 and 3.",
        ),
        _wrongly(
            "e",
            "e is symmetric, but look at the diagonal: with W_Q = W_K an element's score with "
            "itself is a squared length, q_i · q_i, and cannot be −1.",
        ),
        _wrongly(
            "f",
            "f is not possible: the rank of Q Kᵀ is at most d_k = 3, and the 5 × 5 identity has "
            "rank 5. Three features are too few for five elements that each score only "
            "themselves.",
        ),
        _missing(
            "b",
            "b is possible: its rows are multiples of (1, 2). Take the queries 2 and 3, and the "
            "keys 1 and 2.",
        ),
        _missing(
            "c",
            "c is possible: the vectors (1, 0) and (2, 1), as queries and keys at once, have just "
            "these dot products.",
        ),
        _missing(
            "g",
            "g is possible: scores need not be symmetric once queries and keys have their own "
            "matrices. Queries (1, 0), (0, 1) with keys (0, 1), (−1, 0) give it: 0 wants the "
            "opposite of what 1 wants.",
        ),
    ),
    hints=(
        "What is the rank of a product of an n × d_k and a d_k × n matrix, at most?",
        "With W_Q = W_K every element's query is its key. What does that say of s_ij and s_ji? And "
        "of s_ii?",
        "Three of the seven are possible, and for each you can write down the queries and keys.",
    ),
)


EXERCISES = (_PROJECT, _ATTENTION, _LOOKUP, _POSSIBLE)
