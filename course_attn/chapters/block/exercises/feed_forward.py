"""Exercise `feed_forward`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import listed

__all__ = ["exercise"]


def feed_forward(X, W_1, b_1, W_2, b_2):
    """Widen each element, replace what is negative by 0, and narrow it again."""
    widened_rows = X @ W_1 + b_1
    hidden_features = np.maximum(widened_rows, 0)
    result = hidden_features @ W_2 + b_2
    return result


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260902).standard_normal

    def given(n: int, d: int, d_ff: int, *batch: int) -> tuple[Any, ...]:
        W_1, W_2 = draw((d, d_ff)), draw((d_ff, d))
        return draw((*batch, n, d)), W_1, draw(d_ff), W_2, draw(d)

    example = (
        np.array([[1.0, 2.0], [-1.0, 0.0], [0.0, 1.0]]),
        np.array([[1.0, -1.0, 2.0], [1.0, 1.0, -1.0]]),
        np.array([0.0, 1.0, -1.0]),
        np.array([[1.0, 0.0], [2.0, 1.0], [0.0, -3.0]]),
        np.array([-4.0, 10.0]),
    )
    X, *rest = given(1, 5, 8)
    return (
        Case(example, "example"),
        Case(given(5, 3, 11)),
        Case(given(7, 5, 2), "narrow"),
        Case(given(5, 5, 5), "square"),
        Case(given(5, 7, 13, 2, 3), "batch"),
        Case((X[0], *rest), "vector"),
        Case(given(1, 4, 9), "one-row"),
        Case(tuple(a.astype("f4") for a in given(11, 3, 8)), "float32"),
    )


_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "GELU (as GPT-2 and BERT)": lambda x: (
        x / (1 + np.exp(-1.5958 * (x + 0.0447 * x**3)))
    ),
    "SiLU": lambda x: x / (1 + np.exp(-x)),
    "a sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "ELU": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "a *leaky* ReLU": lambda x: np.where(x > 0, x, 0.01 * x),
    "absolute values": np.abs,
    "squares of a ReLU": lambda x: np.maximum(x, 0) ** 2,
    "only 0 and 1 (is it positive?)": lambda x: 1.0 * (x > 0),
    "a softmax (it belongs in attention)": np.ones_like,
}


def _other_activation(c: Context) -> str | None:
    """See what becomes of single numbers where both matrices are 1 and both biases 0."""
    X, one, zero = np.arange(-2.0, 3.0)[:, None], np.ones((1, 1)), np.zeros(1)
    bent = c.call(X, one, zero, one, zero)
    if bent is None or bent.shape != X.shape or np.allclose(bent, np.maximum(X, 0)):
        return None
    if not bent.any():  # it tells no activation from a feature that is left out
        return None
    used = (
        f"You use {n}{added}. "
        for added, change in (
            ("", lambda y: y),
            (", and add X to the result", lambda y: y + X),
            (", and a ReLU on the result, too", lambda y: np.maximum(y, 0)),
        )
        for n, f in _ACTIVATIONS.items()
        if np.allclose(bent, change(f(X)), 0, 2e-3)
    )
    besides = ""
    for name, biases in (("b_1", (one[0], zero)), ("b_2", (zero, one[0]))):
        moved = c.call(X, one, biases[0], one, biases[1])
        if moved is not None and np.array_equal(moved, bent):
            besides += f" {name} plays no part in yours."
    return (
        f"{next(used, '')}With one feature, no biases and W_1 = W_2 = 1, your function turns "
        f"[-2, -1, 0, 1, 2] into {listed(bent[:, 0])}; ReLU makes [0, 0, 0, 1, 2] of "
        f"them.{besides}"
    )


exercise = Exercise(
    feed_forward,
    place=20,
    minutes=5,
    level="easy",
    prepares=("masked_block", "TransformerBlock"),
    section="Feed-forward network, ReLU and GELU",
    task="""
Write `feed_forward(X, W_1, b_1, W_2, b_2)`, the position-wise feed-forward network with ReLU. Each
element x (last axis of X, which has shape (…, d_model)) becomes
$\\max(x W_1 + b_1,\\, 0)\\, W_2 + b_2$. W_1 has shape (d_model, d_ff), b_1 (d_ff,), W_2
(d_ff, d_model) and b_2 (d_model,); the result has the shape of X.
""",
    cases=_cases,
    terms={
        "wide": lambda c: c.given["X"] @ c.given["W_1"] + c.given["b_1"],
        "negative": lambda c: (
            f"{(c.term('wide') < 0).sum()} of the {c.term('wide').size} hidden numbers of X"
        ),
    },
    kinds={
        "narrow": Kind("where d_ff is smaller than d_model"),
        "square": Kind("where d_ff = d_model"),
        "one-row": Kind("for a single row", "Does a `squeeze` remove its axis?"),
    },
    faults=fault_list("""
no-relu: np.maximum(widened_rows, 0) → widened_rows
    The ReLU is missing, and two linear maps in a row are one linear map: all the width buys
    nothing. {negative} here are negative and should become 0.
relu-at-the-end-too: return result → return np.maximum(result, 0)
    You apply a ReLU to the result, too. The formula has one, between the two matrices; what comes
    out in the end may well be negative. {worst_row}
relu-at-the-end-only: np.maximum(widened_rows, 0) → widened_rows
        and return result → return np.maximum(result, 0)
    Your ReLU comes at the end. It belongs between the two matrices, where {negative} here are
    negative; the result itself may be negative. {worst_row}
leaky: np.maximum(widened_rows, 0) → np.where(widened_rows > 0, widened_rows, 0.01 * widened_rows)
    You let a hundredth of the negative numbers through, a *leaky* ReLU. Here they become 0:
    {negative} do.
rows-only: return result → return result.reshape(-1, X.shape[-1])
    You return a matrix, of shape {your.shape}, whatever axes X has. Which shape has to come back?
residual: return result → return X + result
    You add X to the result. That is the residual connection, which stands around these two layers
    and not in them. {worst_row}
np-max: np.maximum(widened_rows, 0) → np.max(widened_rows, 0)
    `np.max(…, 0)` returns the largest number of each column: it reads the 0 as an axis.
    `np.maximum(…, 0)` compares entry by entry.
no-b-1: X @ W_1 + b_1 → X @ W_1
    b_1 is missing. It is added before the ReLU, and decides where each hidden feature begins to
    respond. {worst_row}
b-1-late: X @ W_1 + b_1 → X @ W_1
        and np.maximum(widened_rows, 0) → np.maximum(widened_rows, 0) + b_1
    You add b_1 after the ReLU. It comes before: max(x W_1 + b_1, 0). {worst_row}
no-b-2: hidden_features @ W_2 + b_2 → hidden_features @ W_2
    b_2 is missing: it is added at the very end. {worst_row}
b-1-subtracted: @ W_1 + b_1 → @ W_1 - b_1
    You subtract b_1. Which sign does it have in the formula? {worst_row}
subtracted: @ W_1 + b_1 → @ W_1 - b_1
        and @ W_2 + b_2 → @ W_2 - b_2
    You subtract the biases; they are added. {worst_row}
first-feature-missing: hidden_features @ W_2 → hidden_features[..., 1:] @ W_2[1:]
    Hidden feature 0 plays no part. Where does a loop or a slice of yours begin? {worst_row}
b-2-each-time: @ W_2 + b_2 → @ W_2 + len(W_2) * b_2
    b_2 comes in once for each of the hidden features. How often is it added? {worst_row}
back-by-w-1: hidden_features @ W_2 → hidden_features @ W_1.T
    You go back by W_1, transposed. The shapes fit, but the way back has a matrix of its own, W_2.
transposed: X @ W_1 → X @ W_1.T
        and hidden_features @ W_2 → hidden_features @ W_2.T
    You transpose the matrices, as `nn.Linear` stores them. Here they are used as they are, `X @
    W_1`; only where d_ff = d_model do the shapes fit your way, too.
matrices-swapped: X @ W_1 → X @ W_2
        and hidden_features @ W_2 → hidden_features @ W_1
    You use W_2 first and W_1 second. W_1, of shape (d_model, d_ff), comes first; only where d_ff =
    d_model do the shapes fit your way, too.
negative-kept: np.maximum(widened_rows, 0) → np.minimum(widened_rows, 0)
    You keep what is negative, and replace the rest by 0. Which of the two does a ReLU let through?
    {worst_row}
absolute: np.maximum(widened_rows, 0) → np.abs(widened_rows)
    You take absolute values: {negative} here are negative. What does a ReLU make of them?
"""),
    properties=(Property("activation", _other_activation),),
    hints=(
        "Which steps turn one row of width d_model into one of width d_ff, and back?",
        "A matrix product plus a bias; then what is negative becomes 0; then another "
        "product plus a bias. Biases broadcast over the rows by themselves.",
        "`hidden = np.maximum(X @ W_1 + b_1, 0)`, and then the same again without the maximum.",
    ),
    built_ins=twins("block.feed_forward"),
)
