"""Exercise `project_qkv` of chapter 4."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind

__all__ = ["exercise"]


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


exercise = Exercise(
    solution=project_qkv,
    place=10,
    section="In one line: the matrix form",
    task="""
Write `project_qkv(X, Z, W_Q, W_K, W_V)`: the elements of X, shape (…, n_q, d_model), ask; those of
Z, (…, n_k, d_model), answer. Return three arrays, `Q, K, V`: the queries $Q = X W_Q$, the keys
$K = Z W_K$ and the values $V = Z W_V$. The matrices have shapes (d_model, d_k), (d_model, d_k) and
(d_model, d_v). In self-attention X and Z are the same array; here they may differ.
""",
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
