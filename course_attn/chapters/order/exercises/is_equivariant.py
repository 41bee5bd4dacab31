"""Exercise `is_equivariant`."""

import inspect
from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault, number
from whywrong.patches import patched

__all__ = ["exercise"]


def is_equivariant(model, X):
    """Tell whether permuted inputs give the same outputs, permuted likewise."""
    rng = np.random.default_rng(0)
    outputs = model(X)
    for _ in range(30):
        order = rng.permutation(len(X))
        found = model(X[order])
        if not np.allclose(found, outputs[order]):
            return False
    return True


# Bodies, not patches: truth values say too little to tell two mistakes apart.
def _body(*changes: tuple[str, str]) -> str:
    """Return the lines of the solution with some texts replaced."""
    return patched(inspect.getsource(is_equivariant).split('"""\n')[-1], changes)


def _attention(X: np.ndarray, hidden: Any = False) -> np.ndarray:
    scores = np.where(hidden, -np.inf, X @ X.T / np.sqrt(X.shape[-1]))
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ X


def _i(X: np.ndarray) -> np.ndarray:
    return np.arange(len(X))[:, None]


_MODELS = {
    "self-attention without mask and positions": _attention,
    "attention with a causal mask": lambda X: _attention(X, _i(X) < _i(X).T),
    "a function of each row by itself": lambda X: np.tanh(3 * X[:, :2]),
    "the mean of all rows, for every position": lambda X: X.mean(axis=0) + 0 * X,
    "every column sorted": lambda X: np.sort(X, axis=0),
    "attention with positions added": lambda X: _attention(X + np.sin(_i(X))),
    "each row plus the one before it, in a circle": lambda X: X + np.roll(X, 1, 0),
    "each row plus its neighbors": lambda X: X + (abs(_i(X) - _i(X).T) == 1) @ X,
    "X, with 1 added to the last row": lambda X: X + (_i(X) == len(X) - 1),
    "X, with 1 added to the first row": lambda X: X + (_i(X) == 0),
    "X, with row i multiplied by 1 + i/1000": lambda X: X * (1 + _i(X) / 1000),
    "X + 1 if row 0 begins above row 1, else X": lambda X: X + (X[0, 0] > X[1, 0]),
    "2X if the last row begins below the one before, else X": lambda X: (
        X * (1 + (X[-2, 0] > X[-1, 0]))
    ),
    "the mean of all rows minus each row": lambda X: X.mean(axis=0) - X,
}


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260804).standard_normal
    models = list(_MODELS.values())

    def made(which: int, kind: str, *shape: int, scale: float = 1.0) -> Case:
        X = scale * draw(shape)
        X[:2, 0].sort()  # the first two rows rise, and the last two
        X[-2:, 0].sort()
        return Case((models[which], X), kind)

    return (
        made(0, "example", 5, 3),
        made(1, "causal", 5, 3),
        made(2, "equivariant", 7, 5),
        made(3, "equivariant", 5, 2),
        made(0, "two-rows", 2, 3),
        made(4, "invariant", 5, 3),
        made(5, "positions", 7, 5),
        made(6, "neighbors", 7, 3),
        made(7, "neighbors", 5, 2),
        made(8, "special", 5, 3),
        made(9, "special", 7, 2),
        made(10, "faint", 5, 3),
        made(10, "faint", 7, 3, scale=1e-3),
        *(made(11, "sometimes", n, 3) for n in (5, 7, 11)),
        *(made(12, "sometimes", n, 2) for n in (7, 9, 13)),
        made(13, "large", 11, 7, scale=1e12),
    )


def _says(c: Context) -> str:
    about = next(k for k, model in _MODELS.items() if model is c.given["model"])
    return f"You say {bool(c.got)} for this model: {about}. {bool(c.expected)} is right."


def _orders_tried(
    c: Context, first_fails: bool = False
) -> tuple[list[list[int]], bool] | None:
    """Return the orders of the rows that the learner tries, and what is said; None if not rows.

    They are seen by a model that always returns the same, so that every order holds, but for the
    first where that is to fail. The given order is not among them.
    """
    seen: list[list[int]] = []
    rows = np.arange(18.0).reshape(6, 3) ** 2

    def model(X: Any) -> Any:
        order = [rows.tolist().index(row) for row in np.asarray(X).tolist()]
        is_other = order != sorted(order)
        fails = first_fails and is_other and not seen
        seen.extend([order] * is_other)
        return np.full(rows.shape, 1.0 + fails)

    said = c.call(model, rows)
    return None if said is None else (seen, bool(said.all()))


def _once(c: Context) -> str:
    tried, _ = _orders_tried(c) or ([], False)
    return " And you try a single order: many models pass one by chance." * (
        len(tried) == 1
    )


def _refuses(c: Context, change: float) -> bool:
    """Whether a model is refused whose outputs change by this share in every other order."""
    rows = 0.01 * np.arange(1.0, 19.0).reshape(6, 3)
    said = c.call(lambda X: X * (1 + change * (np.diff(X[:, 0]) < 0).any()), rows)
    return said is not None and not said.all()


def _wrongly(c: Context) -> str:
    if c.got.shape:
        return "One truth value is asked for: `np.allclose` gives one."
    tried, constant_passes = _orders_tried(c) or (None, True)
    loose = ""
    if _refuses(c, 1) and not _refuses(c, 1e-3):
        loose = " And your tolerance is too generous: a thousandth counts."
    shifts = ""
    if all(
        np.ptp((np.array(o) - np.arange(len(o))) % len(o)) == 0 for o in tried or ()
    ):
        shifts = (
            " You try cyclic shifts (`np.roll`) only. A model whose positions stand in a circle "
            "does not notice those: try permutations of all kinds."
        )
    _, any_will_do = _orders_tried(c, first_fails=True) or (None, False)
    if tried is None:
        advice = "Permute whole rows (not columns): `X[order]`."
    elif c.kind == "large":
        advice = (
            "Your tolerance is too small for it: rounding changes outputs of 1e12 by about 1e-4. "
            "`np.allclose(one, other)` compares in proportion to their size."
        )
    elif not tried:
        advice = "The model never gets the rows in another order: permute them, `X[order]`."
    elif not c.got and not _refuses(c, 0) and _refuses(c, 1e-14):
        advice = (
            "Your comparison is too strict: in another order sums round differently, in the 16th "
            f"digit. `np.allclose` allows for that.{shifts}"
            f"{' And is one order that passes enough for True? All have to.' * any_will_do}"
            f"{'' if any_will_do else _once(c)}"
        )
    elif not constant_passes:
        advice = (
            "You say False even where every order gives the same outputs: are True and False "
            "exchanged?"
        )
    elif not c.got:
        advice = (
            f"Is the order applied to the outputs the one applied to X?{_once(c)}"
        )
    elif any_will_do:
        advice = (
            "You still say True when one of the orders fails. Is one that passes enough (`any`, or "
            f"`return True` inside the loop), or is only the last one kept?{loose}"
        )
    elif all(order == tried[0] for order in tried):
        often = len(tried) > 1
        advice = (
            f"You try one order besides the given one (of six rows, {tried[0]}"
            f"{f', {len(tried)} times' * often}). Many models pass a single one by chance"
            f"{': is a generator made anew in each round, from the same seed?' * often}"
            f"{': try dozens, and say True only if none fails. ' * (not often)}"
            f"{'If there is a loop, does a `return` end it in its first round?' * (not often)}"
            f"{loose}"
        )
    elif c.kind == "faint":
        advice = (
            "Your tolerance is too generous for it: its outputs are at most "
            f"{number(abs(c.given['model'](c.given['X'])).max())} here, and a change of a "
            "thousandth of that counts. `np.allclose(one, other)` compares in proportion."
        )
    elif shifts:
        advice = f"{shifts.strip()}{loose}"
    else:
        advice = (
            "You try enough orders, so look at the comparison: does it compare every number of "
            "`model(X[order])` with the one at the *same place* of `model(X)[order]`, without "
            f"sorting or adding up?{loose}"
        )
    return f"{_says(c)} {advice}"


exercise = Exercise(
    is_equivariant,
    place=20,
    minutes=12,
    level="medium",
    section="Why it works",
    task="""
Write `is_equivariant(model, X)`: `model` is a function that takes X, shape (n, d), and returns one
output for each position, shape (n, d_out). Return `True` if permuting the rows of X permutes the
rows of the output in the same way and does nothing else, and `False` if not. You cannot look into
the model, only call it, as often as you like: try enough permutations to be practically sure (a
few dozen are). The rows of X are all different. Rounding (a relative change below $10^{-9}$) does
not count; a relative change of $10^{-3}$ does.
""",
    cases=_cases,
    kinds={
        "example": Kind("for attention without mask and positions"),
        "equivariant": Kind("for other models that are equivariant"),
        "two-rows": Kind("for two rows"),
        "causal": Kind("for attention with a causal mask"),
        "invariant": Kind("for a model that sorts its rows"),
        "positions": Kind("for attention with positions"),
        "neighbors": Kind("for models that mix each row with its neighbors"),
        "special": Kind("for models that treat one position differently"),
        "faint": Kind("for a model in which the position has a faint effect"),
        "sometimes": Kind(
            "for models that are equivariant for about half of all permutations"
        ),
        "large": Kind("for a model with outputs of about 1e12"),
    },
    terms={"answer": _says, "once": _once},
    faults=(
        fault(
            "invariant",
            _body(("outputs[order]", "outputs")),
            says="{answer} You compare `model(X[order])` with `model(X)` itself: that tests for "
            "*invariance*. Equivariant means that the outputs move along: compare with "
            "`model(X)[order]`.{once}",
        ),
        fault(
            "moved-back",
            _body(
                ("model(X[order])", "model(X[order])[order]"),
                ("outputs[order]", "outputs"),
            ),
            says="{answer} Your outputs are not permuted as X is: row i of `X[order]` is row "
            "`order[i]` of X, so its output belongs beside row `order[i]` of `model(X)`, that is, "
            "row i of `model(X)[order]`. (`[order]` once more does not undo an order, and a "
            "second draw is another one.){once}",
        ),
        fault(
            "two-orders",
            _body(("outputs[order]", "rng.permutation(outputs)")),
            says="{answer} The outputs are not permuted by the order applied to X: each call of "
            "`rng.permutation` draws a new one. Draw `order = …` once, and use it on both sides."
            "{once}",
        ),
        fault(
            "exact",
            _body(("np.allclose", "np.array_equal")),
            says="{answer} You ask for exactly equal numbers. In another order sums round "
            "differently, in the 16th digit: `np.allclose` allows for that.{once}",
        ),
    ),
    properties=(Property("wrongly", _wrongly, any_shape=True),),
    hints=(
        "What should `model(X[order])` be, if `order` is a permutation of the numbers 0 … n − 1?",
        "Compare it with `model(X)[order]`. One permutation that fails is enough for `False`; for "
        "`True` many have to hold.",
        "`order = rng.permutation(len(X))` in a loop, `np.allclose(model(X[order]), "
        "model(X)[order])`; `return False` at the first difference, `return True` after the loop.",
    ),
)
