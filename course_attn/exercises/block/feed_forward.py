"""Exercise `feed_forward` of chapter 9."""

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.block._steps import wrong_row

__all__ = ["exercise"]


def feed_forward(X, W_1, b_1, W_2, b_2):
    """Widen each element, replace what is negative by 0, and narrow it again."""
    return np.maximum(X @ W_1 + b_1, 0) @ W_2 + b_2


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
    X, *rest = given(1, 5, 7)
    return (
        Case(example, "example"),
        Case(given(5, 3, 11)),
        Case(given(7, 5, 2), "narrow"),
        Case(given(5, 5, 5), "square"),
        Case(given(5, 7, 13, 2, 3), "batch"),
        Case((X[0], *rest), "vector"),
        Case(tuple(a.astype("f4") for a in given(11, 3, 7)), "float32"),
    )


def _relu(hidden: np.ndarray) -> np.ndarray:
    return np.maximum(hidden, 0)


def _same(value: Any, *unused: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return value


def _processed(
    X: np.ndarray,
    W_1: np.ndarray,
    b_1: np.ndarray,
    W_2: np.ndarray,
    b_2: np.ndarray,
    *,
    enter: Callable[..., Any] = _same,
    add_1: Callable[..., Any] = np.add,
    bend: Callable[..., Any] = _relu,
    add_2: Callable[..., Any] = np.add,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    hidden = bend(add_1(enter(X) @ W_1, b_1))
    return finish(add_2(hidden @ W_2, b_2), X)


def _gelu(hidden: np.ndarray) -> np.ndarray:
    below = np.vectorize(erf)(hidden / np.sqrt(2))
    return hidden * (1 + below) / 2


def _gelu_by_tanh(hidden: np.ndarray) -> np.ndarray:
    inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)
    return hidden * (1 + np.tanh(inner)) / 2


def _sigmoid(hidden: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-hidden))


def _negative(c: Context) -> str:
    hidden = c.given["X"] @ c.given["W_1"] + c.given["b_1"]
    return f"{int((hidden < 0).sum())} of the {hidden.size} hidden features here are negative"


def _rows_mix(c: Context) -> str | None:
    X, *rest = c.given.values()
    if X.ndim < 2:
        return None
    alone = c.call(X[..., :1, :], *rest)
    if alone is None or alone.shape != c.got[..., :1, :].shape:
        return None
    if np.allclose(alone, c.got[..., :1, :], 1e-3, 1e-4):
        return None
    return (
        f"Your first row is {c.row()}, and it changes when the other rows are left out. The "
        "feed-forward network treats each element by itself."
    )


exercise = Exercise(
    solution=feed_forward,
    place=20,
    section="Feed-forward network, ReLU and GELU",
    task="""
Write `feed_forward(X, W_1, b_1, W_2, b_2)`, the position-wise feed-forward network with ReLU. Each
element x (last axis of X, which has shape (…, d_model)) becomes
$\\max(x W_1 + b_1,\\, 0)\\, W_2 + b_2$. W_1 has shape (d_model, d_ff), b_1 (d_ff,), W_2
(d_ff, d_model) and b_2 (d_model,); the result has the shape of X.
""",
    cases=_cases,
    variant=_processed,
    kinds={
        "narrow": Kind("where d_ff is smaller than d_model"),
        "square": Kind("where d_ff = d_model"),
    },
    faults=(
        Fault(
            "no-relu",
            {"bend": _same},
            lambda c: (
                "The ReLU is missing. Two linear maps in a row are one linear map: all the width "
                f"in between buys nothing. {_negative(c)} and should become 0. {wrong_row(c)}"
            ),
        ),
        Fault(
            "relu-at-the-end-too",
            {"finish": lambda out, X: _relu(out)},
            lambda c: (
                "You apply a ReLU to the result, too. It may well be negative: it will be added "
                f"to X, and could otherwise only ever raise it. {wrong_row(c)}"
            ),
        ),
        Fault(
            "relu-before",
            {"enter": _relu},
            lambda c: (
                "You apply a ReLU to X before W_1 sees it, which throws away what is negative in "
                f"the elements. It belongs between the two matrices only. {wrong_row(c)}"
            ),
        ),
        Fault(
            "negative-part",
            {"bend": lambda hidden: np.minimum(hidden, 0)},
            lambda c: (
                "Your ReLU keeps what is negative and drops what is positive: `np.maximum`, not "
                f"`np.minimum`. {wrong_row(c)}"
            ),
        ),
        Fault(
            "absolute",
            {"bend": np.abs},
            lambda c: (
                "You take absolute values of the hidden features. ReLU replaces what is negative "
                f"by 0; {_negative(c)}. {wrong_row(c)}"
            ),
        ),
        Fault(
            "leaky",
            {"bend": lambda hidden: np.where(hidden > 0, hidden, 0.01 * hidden)},
            lambda c: (
                "Yours is a *leaky* ReLU, which keeps 1 % of what is negative. Asked for is the "
                f"plain one, max(x, 0). {wrong_row(c)}"
            ),
        ),
        Fault(
            "gelu",
            {"bend": _gelu},
            lambda c: (
                "You use GELU, as GPT-2 and BERT do. Asked for is ReLU, the activation of the "
                f"transformer of 2017. {wrong_row(c)}"
            ),
        ),
        Fault(
            "gelu-by-tanh",
            {"bend": _gelu_by_tanh},
            lambda c: (
                "You use GELU, in its approximation by tanh. Asked for is ReLU, max(x, 0). "
                f"{wrong_row(c)}"
            ),
        ),
        Fault(
            "silu",
            {"bend": lambda hidden: hidden * _sigmoid(hidden)},
            lambda c: (
                f"You use SiLU (x times its sigmoid). Asked for is ReLU, max(x, 0). {wrong_row(c)}"
            ),
        ),
        Fault(
            "sigmoid",
            {"bend": _sigmoid},
            lambda c: (
                f"You use a sigmoid. Asked for is ReLU, max(x, 0). {wrong_row(c)}"
            ),
        ),
        Fault(
            "tanh",
            {"bend": np.tanh},
            lambda c: f"You use tanh. Asked for is ReLU, max(x, 0). {wrong_row(c)}",
        ),
        Fault(
            "step",
            {"bend": lambda hidden: (hidden > 0).astype(hidden.dtype)},
            lambda c: (
                "You replace the hidden features by 0 or 1. ReLU keeps the *size* of what is "
                f"positive: `hidden * (hidden > 0)`. {wrong_row(c)}"
            ),
        ),
        Fault(
            "no-b-1",
            {"add_1": _same},
            lambda c: (
                "b_1 is missing: it is added before the ReLU, and decides where each hidden "
                f"feature begins to respond. {wrong_row(c)}"
            ),
        ),
        Fault(
            "b-1-late",
            lambda X, W_1, b_1, W_2, b_2: (_relu(X @ W_1) + b_1) @ W_2 + b_2,
            lambda c: (
                "You add b_1 after the ReLU. It comes before: max(x W_1 + b_1, 0). "
                f"{wrong_row(c)}"
            ),
        ),
        Fault(
            "no-b-2",
            {"add_2": _same},
            lambda c: (
                f"b_2 is missing: it is added at the very end. {wrong_row(c)}"
            ),
        ),
        Fault(
            "subtracted-b-1",
            {"add_1": np.subtract},
            lambda c: f"You subtract b_1; it is added. {wrong_row(c)}",
        ),
        Fault(
            "subtracted-b-2",
            {"add_2": np.subtract},
            lambda c: f"You subtract b_2; it is added. {wrong_row(c)}",
        ),
        Fault(
            "back-by-w-1",
            lambda X, W_1, b_1, W_2, b_2: _relu(X @ W_1 + b_1) @ W_1.T + b_2,
            lambda c: (
                "You go back by W_1, transposed. The shapes fit, but the way back has a matrix of "
                f"its own, W_2. {wrong_row(c)}"
            ),
        ),
        Fault(
            "residual",
            {"finish": lambda out, X: out + X},
            lambda c: (
                "You add X to the result. In a block that is done, but by the residual connection "
                f"outside of the network. {wrong_row(c)}"
            ),
        ),
        Fault(
            "transposed",
            lambda X, W_1, b_1, W_2, b_2: _processed(X, W_1.T, b_1, W_2.T, b_2),
            "You transpose the matrices, as `nn.Linear` stores them. Here they are used as they "
            "are, `X @ W_1`; only where d_ff = d_model does the mistake go unnoticed.",
        ),
        Fault(
            "hidden",
            lambda X, W_1, b_1, W_2, b_2: _relu(X @ W_1 + b_1),
            lambda c: (
                f"You return the hidden features, width {c.got.shape[-1]}. They are right; W_2 "
                f"and b_2 take them back to width {c.given['X'].shape[-1]}."
            ),
        ),
    ),
    properties=(Property("rows-mix", _rows_mix),),
    hints=(
        "Which steps turn one row of width d_model into one of width d_ff, and back?",
        "A matrix product plus a bias; then what is negative becomes 0; then another matrix "
        "product plus a bias. Biases broadcast over the rows by themselves.",
        "`hidden = np.maximum(X @ W_1 + b_1, 0)`, and then the same again without the maximum.",
    ),
    built_ins=("course_attn.in_numpy.block.feed_forward",),
)
