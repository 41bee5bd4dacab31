"""Exercise `LearnedPositions` of chapter 8, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Context, Exercise, Fault, Kind, WrongForm

__all__ = ["exercise"]


class LearnedPositions(torch.nn.Module):
    """Add to each element a learned vector that depends on its position only."""

    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(0.02 * torch.randn(n_max, d_model))

    def forward(self, X):
        """Return X with the first n rows of the table added."""
        n = X.shape[-2]
        if n > self.P.shape[0]:
            raise ValueError(f"{n} positions, but the table has {self.P.shape[0]}")
        return X + self.P[:n]


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260805).standard_normal

    def given(n_max: int, d: int, *shape: int) -> tuple[Any, ...]:
        return tuple(a.astype("f4") for a in (draw((*shape, d)), draw((n_max, d))))

    return (
        Case(given(5, 3, 2), "example"),
        Case(given(7, 5, 2, 3)),
        Case(given(11, 7, 1, 5), "alone"),
        Case(given(5, 3, 5), "full"),
        Case(given(7, 5, 2, 3, 4), "batch"),
        Case(tuple(a.astype(float) for a in given(13, 3, 2, 11)), "float64"),
        Case(given(3, 5, 7), "too-long"),
    )


def _with_table(make: Callable[..., Any], X: Any, table: Any) -> Any:
    """Make the module, put this table in the place of its own and let it run."""
    layer = make(*table.shape)
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`LearnedPositions(n_max, d_model)` gives a `{type(layer).__name__}`. Write a class: "
            "`class LearnedPositions(torch.nn.Module)`.",
            "no-module",
        )
    key = _key(layer)
    own = dict(layer.named_parameters())[key]
    if own.shape != table.shape:
        raise WrongForm(
            f"`{key}` has shape {tuple(own.shape)}; with n_max = {table.shape[0]} and d_model = "
            f"{table.shape[1]} it should have one row for each position, {tuple(table.shape)}.",
            "table-shape",
        )
    return torch.func.functional_call(layer, {key: table}, (X,))


def _key(layer: torch.nn.Module) -> str:
    """Return the name under which the module keeps its table."""
    own = getattr(layer, "P", None)
    if isinstance(own, torch.nn.Parameter):
        return "P"
    if isinstance(own, torch.nn.Embedding):
        return "P.weight"
    if isinstance(own, torch.Tensor):
        raise WrongForm(
            "`P` is a plain tensor: no optimizer finds it, and it never learns. Wrap it, "
            "`torch.nn.Parameter(…)`.",
            "not-learned",
        )
    what = "is missing" if own is None else f"is a `{type(own).__name__}`"
    raise WrongForm(
        f"The attribute `P` {what}. Keep `self.P = torch.nn.Parameter(…)` in `__init__`: "
        "the check puts a table of its own there.",
        "attribute",
    )


class _Variant(torch.nn.Module):
    """The module with its steps to be replaced."""

    def __init__(
        self, n_max: int, d_model: int, **steps: Callable[..., Any]
    ) -> None:
        super().__init__()
        self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))
        self.steps = steps

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Take the steps."""
        self.steps["refuse"](X.shape[-2], self.P)
        return self.steps["join"](X, self.steps["rows"](self.P, X))


def _refuse_too_long(n: int, table: torch.Tensor) -> None:
    if n > len(table):
        raise ValueError("longer than the table")


def _made(
    n_max: int,
    d_model: int,
    *,
    refuse: Callable[..., Any] = _refuse_too_long,
    rows: Callable[..., Any] = lambda table, X: table[: X.shape[-2]],
    join: Callable[..., Any] = torch.add,
) -> torch.nn.Module:
    return _Variant(n_max, d_model, refuse=refuse, rows=rows, join=join)


def _passes(n: int, table: torch.Tensor) -> None:
    """Let any length pass."""


def _first_row(c: Context) -> str:
    if c.got.shape != c.expected.shape:
        return ""
    return f"Your first row is {c.row()}; it should be {c.row(of='expected')}."


exercise = Exercise(
    solution=LearnedPositions,
    place=60,
    section="Learned rows",
    library="torch",
    task="""
Write the PyTorch module `LearnedPositions(n_max, d_model)`: its `__init__` makes `self.P`, a
`torch.nn.Parameter` of shape (n_max, d_model) (keep the name: the check puts a matrix of its own
there), and `forward(X)` adds row i of P to element i of X, which has shape (…, n, d_model). A
sequence may be shorter than n_max; for one that is longer there are no rows, so raise a
`ValueError`. Call it as `check(LearnedPositions)`.
""",
    cases=_cases,
    variant=_made,
    use=_with_table,
    arguments=("X", "P"),
    kinds={
        "alone": Kind(
            "for a batch of one sequence",
            "The length is `X.shape[-2]`, not `X.shape[0]`.",
        ),
        "full": Kind("where the sequence is as long as the table"),
        "too-long": Kind(
            "where X has more rows than the table",
            "The task asks for a `ValueError` there, raised by yourself: "
            "`if X.shape[-2] > …: raise ValueError(…)`.",
        ),
        "float64": Kind(
            "for float64 tensors", "A new tensor made without `dtype=`?"
        ),
    },
    faults=(
        Fault(
            "batch-size",
            {"rows": lambda table, X: table[: X.shape[0]]},
            lambda c: (
                "You take as many rows of P as there are *sequences*, `X.shape[0]`. "
                "The length of a sequence is `X.shape[-2]`; here X has shape "
                f"{c.given['X'].shape}."
            ),
        ),
        Fault(
            "last-rows",
            {"rows": lambda table, X: table[-X.shape[-2] :]},
            lambda c: (
                f"You add the *last* {c.given['X'].shape[-2]} rows of P. Element 0 stands "
                f"at position 0: begin with row 0. {_first_row(c)}"
            ),
        ),
        Fault(
            "from-one",
            {"rows": lambda table, X: table.roll(-1, dims=0)[: X.shape[-2]]},
            lambda c: (
                "Your positions count from 1: element 0 gets row 1 of P. "
                f"{_first_row(c)}"
            ),
        ),
        Fault(
            "same-for-all",
            {"rows": lambda table, X: table[0]},
            "Every element gets row 0 of P: with the same vector added to all, no "
            "position differs from another.",
        ),
        Fault(
            "by-length",
            {"rows": lambda table, X: table[min(X.shape[-2], len(table)) - 1]},
            lambda c: (
                "You add *one* row, the one of the last position, to all elements. Element i "
                f"gets row i: `self.P[:n]`, with a colon. {_first_row(c)}"
            ),
        ),
        Fault(
            "table-only",
            {"join": lambda X, rows: torch.zeros_like(X) + rows},
            "You return the rows of P without X. They are added to the elements, which "
            "otherwise would be lost.",
        ),
        Fault(
            "multiplied",
            {"join": torch.mul},
            lambda c: (
                "You multiply by the rows of P; they are to be added. "
                f"{_first_row(c)}"
            ),
        ),
        Fault(
            "unit-scale",
            {"join": lambda X, rows: X * X.shape[-1] ** 0.5 + rows},
            lambda c: (
                "You multiply X by √d_model first. The transformer of 2017 does that with its word "
                f"vectors, but here X is taken as it is. {_first_row(c)}"
            ),
        ),
        Fault(
            "concatenated",
            {
                "join": lambda X, rows: torch.cat(
                    [X, rows.expand(*X.shape[:-1], -1)], dim=-1
                )
            },
            lambda c: (
                f"You put the rows beside X, width {c.got.shape[-1]}. Asked for is the sum, which "
                f"keeps the width {c.given['X'].shape[-1]}."
            ),
        ),
        Fault(
            "wraps",
            {
                "refuse": _passes,
                "rows": lambda table, X: table[
                    torch.arange(X.shape[-2]) % len(table)
                ],
            },
            lambda c: (
                f"Right while P is long enough. With {c.given['X'].shape[-2]} elements "
                f"and {c.given['P'].shape[0]} rows you begin again with row 0, so that two "
                "positions look alike. Asked for is a `ValueError`: these positions were never "
                "learned."
            ),
        ),
        Fault(
            "last-row-repeated",
            {
                "refuse": _passes,
                "rows": lambda table, X: table[
                    torch.arange(X.shape[-2]).clamp(max=len(table) - 1)
                ],
            },
            lambda c: (
                f"Right while P is long enough. With {c.given['X'].shape[-2]} elements "
                f"and {c.given['P'].shape[0]} rows, all that come later share the last row. "
                "Asked for is a `ValueError`: these positions were never learned."
            ),
        ),
        Fault(
            "cut-off",
            lambda n_max, d_model: _CutOff(n_max, d_model),
            lambda c: (
                f"Right while P is long enough. Of {c.given['X'].shape[-2]} elements you "
                f"return {c.got.shape[-2]}: the rest of the sentence is lost without a word. Asked "
                "for is a `ValueError`."
            ),
        ),
    ),
    hints=(
        "Which axis of X is the position, however many axes come before it?",
        "`self.P[:n]` has shape (n, d_model), and broadcasting adds it to every sequence of "
        "the batch.",
        "`n = X.shape[-2]`; `if n > len(self.P): raise ValueError(…)`; "
        "`return X + self.P[:n]`.",
    ),
    built_ins=("course_attn.in_torch.order_layers.LearnedPositions",),
)


class _CutOff(torch.nn.Module):
    """Drop the elements for which there is no row."""

    def __init__(self, n_max: int, d_model: int) -> None:
        super().__init__()
        self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Add as many rows as both have."""
        n = min(X.shape[-2], len(self.P))
        return X[..., :n, :] + self.P[:n]
