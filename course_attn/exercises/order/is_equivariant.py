"""Exercise `is_equivariant` of chapter 8."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    WrongForm,
)
from course_attn.exercises.order._steps import softmax

__all__ = ["exercise"]


def is_equivariant(model, X):
    """Tell whether permuted inputs give the same outputs, permuted likewise."""
    Y = model(X)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(len(X))
        if not np.allclose(model(X[order]), Y[order]):
            return False
    return True


# --- models ---------------------------------------------------------------------------------------


def _attention_model(X: np.ndarray) -> np.ndarray:
    """Self-attention without mask and positions: equivariant."""
    return softmax(X @ X.T / np.sqrt(X.shape[-1])) @ X


def _causal_model(X: np.ndarray) -> np.ndarray:
    """Self-attention with a causal mask."""
    scores = X @ X.T / np.sqrt(X.shape[-1])
    return softmax(np.where(np.tri(len(X), dtype=bool), scores, -np.inf)) @ X


def _each_by_itself_model(X: np.ndarray) -> np.ndarray:
    """Bend every row alike, to another width: equivariant."""
    return np.tanh(X[:, :2] * 3) + X.sum(axis=1, keepdims=True)


def _mean_model(X: np.ndarray) -> np.ndarray:
    """Subtract each row from the mean of all: equivariant."""
    return X.mean(axis=0) - X


def _everybody_the_mean_model(X: np.ndarray) -> np.ndarray:
    """Give every position the same mean: equivariant, and invariant too."""
    return np.broadcast_to(X.mean(axis=0), X.shape).copy()


def _sorting_model(X: np.ndarray) -> np.ndarray:
    """Sort each column: invariant, and therefore not equivariant."""
    return np.sort(X, axis=0)


def _positions_model(X: np.ndarray) -> np.ndarray:
    """Add positions before attention."""
    place = np.arange(len(X))[:, None]
    return _attention_model(X + np.sin(place + np.arange(X.shape[1])))


def _circle_model(X: np.ndarray) -> np.ndarray:
    """Mix each row with the one before it, the first with the last: a roll is handed on."""
    return X + 0.5 * np.roll(X, 1, axis=0)


def _neighbors_model(X: np.ndarray) -> np.ndarray:
    """Mix each row with its neighbors on both sides: a reversal is handed on."""
    Y = X.copy()
    Y[1:] += 0.5 * X[:-1]
    Y[:-1] += 0.5 * X[1:]
    return Y


def _last_is_special_model(X: np.ndarray) -> np.ndarray:
    """Treat all positions alike but the last."""
    Y = _attention_model(X)
    Y[-1] *= 1.5
    return Y


def _first_is_special_model(X: np.ndarray) -> np.ndarray:
    """Treat all positions alike but the first."""
    Y = X.copy()
    Y[0] += 1.0
    return Y


def _faint_positions_model(X: np.ndarray) -> np.ndarray:
    """Add very small positions."""
    return X * (1 + 1e-3 * np.arange(len(X))[:, None])


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260804).standard_normal
    return (
        Case((_attention_model, draw((5, 3))), "example"),
        Case((_causal_model, draw((5, 3))), "causal"),
        Case((_each_by_itself_model, draw((7, 5))), "equivariant"),
        Case((_everybody_the_mean_model, draw((5, 2))), "equivariant"),
        Case((_sorting_model, draw((5, 3))), "invariant"),
        Case((_positions_model, draw((7, 5))), "positions"),
        Case((_circle_model, draw((7, 3))), "neighbors"),
        Case((_neighbors_model, draw((5, 2))), "neighbors"),
        Case((_last_is_special_model, draw((5, 3))), "special"),
        Case((_first_is_special_model, draw((7, 2))), "special"),
        Case((_faint_positions_model, draw((5, 3))), "faint"),
        Case((_mean_model, draw((11, 7))), "equivariant"),
    )


def _truth(tells: Callable[..., Any], model: Any, X: np.ndarray) -> np.ndarray:
    """Read the answer as one truth value."""
    found = tells(model, X)
    if isinstance(found, np.ndarray) and found.dtype == bool and found.size == 1:
        found = found.item()
    if found is None:
        raise WrongForm(
            "You return `None` for one of the models: every branch has to end in `return True` "
            "or `return False`.",
            "returns-none",
        )
    if not isinstance(found, bool | np.bool_):
        noun = (
            f"an array of shape {found.shape}"
            if isinstance(found, np.ndarray)
            else f"`{repr(found)[:30]}`"
        )
        raise WrongForm(
            f"You return {noun}. Asked for is one truth value, `True` or `False`: `np.allclose` "
            "makes one of two arrays.",
            "not-a-truth-value",
        )
    return np.array(bool(found))


def _some_orders(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.permutation(n) for _ in range(30)]


def _swap_first_two(n: int) -> list[np.ndarray]:
    return [np.r_[1, 0, 2:n]]


def _tried(
    model: Any,
    X: np.ndarray,
    *,
    orders: Callable[..., Any] = _some_orders,
    compare: Callable[..., Any] = lambda model, X, order: (
        model(X[order]),
        model(X)[order],
    ),
    same: Callable[..., Any] = np.allclose,
    finish: Callable[..., Any] = bool,
) -> bool:
    pairs = (compare(model, X, order) for order in orders(len(X)))
    return finish(all(same(*pair) for pair in pairs))


def _with(**steps: Any) -> Callable[..., Any]:
    """Return a whole wrong version: truth values say too little to tell two mistakes apart."""
    return partial(_tried, **steps)


def _says(c: Context) -> str:
    about = {
        "_attention_model": "self-attention without mask and positions",
        "_causal_model": "attention with a causal mask",
        "_each_by_itself_model": "a model that treats every row by itself and alike",
        "_mean_model": "the mean of all rows minus each row",
        "_everybody_the_mean_model": "a model that gives every position the mean of all rows",
        "_sorting_model": "a model that sorts each column",
        "_positions_model": "attention over X with sinusoids added",
        "_circle_model": "a model that mixes each row with the one before it, in a circle",
        "_neighbors_model": "a model that mixes each row with its neighbors on both sides",
        "_last_is_special_model": "a model that treats only the last position differently",
        "_first_is_special_model": "a model that treats only the first position differently",
        "_faint_positions_model": "a model in which the position has a faint effect (1e-3)",
    }[c.given["model"].__name__]
    return f"You say {bool(c.got)} for {about}, where {bool(c.expected)} is right."


def _column_order(d: int) -> np.ndarray:
    return np.roll(np.arange(d), 1)


def _columns(
    model: Any, X: np.ndarray, order: Any
) -> tuple[np.ndarray, np.ndarray]:
    Y = model(X)
    return (
        model(X[:, _column_order(X.shape[1])]),
        Y[:, _column_order(Y.shape[1])],
    )


exercise = Exercise(
    solution=is_equivariant,
    place=50,
    section="Why it works",
    task="""
Write `is_equivariant(model, X)`: `model` is a function that takes X, shape (n, d), and returns one
output for each position, shape (n, d_out). Return `True` if permuting the rows of X permutes the
rows of the output in the same way and does nothing else, and `False` if not. You cannot look into
the model, only call it, as often as you like: try enough permutations to be practically sure (a
few dozen are). The rows of X are all different. Rounding (a relative change below $10^{-9}$) does
not count; a change of $10^{-3}$ does.
""",
    cases=_cases,
    variant=_tried,
    use=_truth,
    arguments=("model", "X"),
    kinds={
        "example": Kind("for attention without mask and positions"),
        "equivariant": Kind("for other models that are equivariant"),
        "causal": Kind("for attention with a causal mask"),
        "invariant": Kind("for a model that sorts its rows"),
        "positions": Kind("for attention with positions"),
        "neighbors": Kind("for models that mix each row with its neighbors"),
        "special": Kind("for models that treat one position differently"),
        "faint": Kind("for a model in which the position has a faint effect"),
    },
    faults=(
        Fault(
            "invariant",
            _with(compare=lambda model, X, order: (model(X[order]), model(X))),
            lambda c: (
                f"{_says(c)} You compare `model(X[order])` with `model(X)` itself: that tests for "
                "*invariance*, no change at all. Equivariant means that the outputs move along: "
                "compare with `model(X)[order]`."
            ),
        ),
        Fault(
            "moved-back",
            _with(
                compare=lambda model, X, order: (
                    model(X[order]),
                    model(X)[np.argsort(order)],
                )
            ),
            lambda c: (
                f"{_says(c)} You permute the outputs the opposite way: row i of `X[order]` is row "
                "`order[i]` of X, and the same must hold for the outputs, `model(X)[order]`. (To "
                "undo it instead, apply `np.argsort(order)` to the *left* side.)"
            ),
        ),
        Fault(
            "columns",
            _with(compare=_columns, orders=lambda n: [np.arange(n)]),
            lambda c: (
                f"{_says(c)} You permute the *features* (columns). Positions are the rows of X."
            ),
        ),
        Fault(
            "reversal-only",
            _with(orders=lambda n: [np.arange(n)[::-1]]),
            lambda c: (
                f"{_says(c)} You try one permutation only, the reversal. Some models hand just "
                "that one on, such as one that mixes each row with its two neighbors. Try many."
            ),
        ),
        Fault(
            "roll-only",
            _with(orders=lambda n: [np.roll(np.arange(n), 1)]),
            lambda c: (
                f"{_says(c)} You only roll the rows round. A model whose positions stand in a "
                "circle does not notice that. Try permutations of all kinds."
            ),
        ),
        Fault(
            "first-two-only",
            _with(orders=_swap_first_two),
            lambda c: (
                f"{_says(c)} You swap the first two rows only. Whatever treats a later position "
                "differently goes unnoticed. Try many permutations."
            ),
        ),
        Fault(
            "no-permutation",
            _with(orders=lambda n: [np.arange(n)]),
            lambda c: (
                f"{_says(c)} You always say True: is the order that you try another one than "
                "0, 1, 2, …, and are the outputs of two *different* inputs compared?"
            ),
        ),
        Fault(
            "sums-only",
            _with(
                compare=lambda model, X, order: (
                    model(X[order]).sum(axis=0),
                    model(X).sum(axis=0),
                )
            ),
            lambda c: (
                f"{_says(c)} You compare sums (or means) over the positions: they say nothing "
                "about which output stands where. Compare all rows, `model(X)[order]`."
            ),
        ),
        Fault(
            "exact",
            _with(same=np.array_equal),
            lambda c: (
                f"{_says(c)} You ask for equal bits. In another order sums round differently, in "
                "the 16th digit: `np.allclose` allows for that."
            ),
        ),
        Fault(
            "coarse",
            _with(same=lambda one, other: np.allclose(one, other, atol=0.05)),
            lambda c: (
                f"{_says(c)} Your tolerance is too generous: rounding changes nothing "
                "by as much as 1e-3."
            ),
        ),
        Fault(
            "negated",
            _with(finish=lambda equal: not equal),
            lambda c: (
                f"{_says(c)} Your answers are the wrong way round in all cases."
            ),
        ),
        Fault(
            "never",
            lambda model, X: False,
            lambda c: (
                f"{_says(c)} You always say False. Do you permute the outputs by the same order "
                "before you compare, and compare arrays of one shape?"
            ),
        ),
    ),
    properties=(
        Property(
            "wrongly",
            lambda c: (
                f"{_says(c)} "
                + (
                    "Try several dozen permutations, and say True only if none of them fails."
                    if c.got
                    else "Is the order applied to the outputs the one applied to X?"
                )
            ),
        ),
    ),
    hints=(
        "What should `model(X[order])` be, if `order` is a permutation of the numbers 0 … n − 1?",
        "Compare it with `model(X)[order]`. One permutation that fails is enough for `False`; for "
        "`True` many have to hold.",
        "`order = rng.permutation(len(X))` in a loop, `np.allclose(model(X[order]), "
        "model(X)[order])`; `return False` at the first difference, `return True` after the loop.",
    ),
)
