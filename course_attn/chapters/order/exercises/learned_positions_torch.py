"""Exercise `LearnedPositions`, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from whywrong import Case, Exercise, Kind, WrongForm, fault_list

__all__ = ["exercise"]


class LearnedPositions(torch.nn.Module):
    """Add to each element a learned vector that depends on its position only."""

    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(0.02 * torch.randn(n_max, d_model))

    def forward(self, X):
        """Return X with the first n rows of the table added."""
        n = X.shape[-2]
        table = self.P
        if n > len(table):
            raise ValueError(f"{n} positions, but the table has {len(table)}")
        rows = table[:n]
        return X + rows


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260805).standard_normal

    def case(kind: str, n_max: int, d: int, *shape: int, dtype: str = "f4") -> Case:
        return Case(
            (draw((*shape, d)).astype(dtype), draw((n_max, d)).astype(dtype)), kind
        )

    return (
        case("example", 7, 5, 2, 3),
        case("sentence", 5, 3, 2),
        case("alone", 11, 7, 1, 5),
        case("one-element", 7, 2, 3, 1),
        case("full", 5, 3, 5),
        case("full", 3, 7, 2, 3),
        case("batch", 7, 5, 2, 3, 4),
        case("float64", 13, 3, 2, 11, dtype="f8"),
        case("too-long", 3, 5, 7),
        case("too-long", 5, 3, 2, 6),
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
    embedding = isinstance(getattr(layer, "P", None), torch.nn.Embedding)
    key = "P.weight" if embedding else "P"
    own = dict(layer.named_parameters()).get(key)
    if own is None or not own.requires_grad:
        plain = "P" in vars(layer)
        if plain:
            layer.P = table
        raise WrongForm(
            "There is no parameter `P` that learns: make it in `__init__`, `self.P = "
            "torch.nn.Parameter(…)`. No optimizer trains a plain tensor, or one with "
            "`requires_grad=False`.",
            "not-learned",
            layer(X) if plain else None,
        )
    if own.shape != table.shape:
        raise WrongForm(
            f"`{key}` has shape {tuple(own.shape)}; with n_max = {table.shape[0]} and d_model = "
            f"{table.shape[1]} it should have one row for each position, {tuple(table.shape)}.",
            "table-shape",
        )
    result = torch.func.functional_call(layer, {key: table}, (X,))
    layer.eval()
    calm = torch.func.functional_call(layer, {key: table}, (X,))
    if isinstance(result, torch.Tensor) and not torch.equal(result, calm):
        raise WrongForm(
            "Your module gives one result in training and another after `.eval()`. (Is there a "
            "dropout, or an `if self.training`?)",
            "evaluation",
            calm,
        )
    return result


exercise = Exercise(
    LearnedPositions,
    place=70,
    minutes=8,
    level="easy",
    section="Learned rows",
    library="torch",
    task="""
Write the PyTorch module `LearnedPositions(n_max, d_model)`: its `__init__` makes `self.P`, a
`torch.nn.Parameter` of shape (n_max, d_model), or a `torch.nn.Embedding` with such a table (keep
the name: the check puts a matrix of its own there), and `forward(X)` adds row i of P to element i
of X, which has shape (…, n, d_model); the result has the dtype of its arguments. A sequence may be
shorter than n_max; for one that is longer there are no rows, so raise a `ValueError`.
Call it as `check(LearnedPositions)`.
""",
    cases=_cases,
    use=_with_table,
    arguments=("X", "P"),
    kinds={
        "sentence": Kind(
            "for a single sequence, without a batch axis",
            "Count axes from the end: the length is `X.shape[-2]`.",
        ),
        "alone": Kind("for a batch of one sequence"),
        "one-element": Kind("for sequences of one element"),
        "full": Kind("where the sequence is as long as the table"),
        "too-long": Kind(
            "where X has more rows than the table",
            "Raise a `ValueError` there: `if X.shape[-2] > …: raise ValueError(…)`.",
        ),
        "float64": Kind("for float64 tensors"),
    },
    faults=fault_list("""
whole-table: table[:n] → table
    You add the whole table, {P.rows} rows; here X has shape {X.shape}. A sequence may be shorter
    than n_max: take the first n rows only, `self.P[:n]` with `n = X.shape[-2]`.
last-rows: table[:n] → table[-n:]
    You add the *last* {X.rows} rows of P. Element 0 stands at position 0: begin with row 0.
cut-off: raise ValueError(f"{n} positions, but the table has {len(table)}")
            → X = X[..., : len(table), :]
    X has {X.rows} rows here and P only {P.rows}, and you cut X off: its last elements get lost
    without a word. The task asks for an error there: `raise ValueError(…)`.
last-again: table = self.P
            → table = torch.cat([self.P, self.P[-1:].expand(X.shape[-2], -1)])
    X has {X.rows} rows here and P only {P.rows}, and you give the last row of P to all elements
    behind it. The task asks for an error there: `raise ValueError(…)`.
from-one: table[:n] → table[1 : n + 1]
    Your positions count from 1: element 0 gets row 1 of P. {worst_row}
first-axis: table[:n] → table[: X.shape[0]].reshape(-1, *[1] * (X.ndim - 2), X.shape[-1])
    You go along the *first* axis of X, which in a batch counts the sequences: each of them gets one
    row of P for all of its elements. Positions are counted on the last axis but one.
no-colon: table[:n] → table[n]
    `self.P[n]` is *one* row, number {X.rows} here, and it is added to all elements. Element i
    gets row i: `self.P[:n]`, with a colon. {worst_row}
rows-alone: X + rows → 0 * X + rows
    You return the rows of P alone: what the elements themselves say, X, is lost. {worst_row}
multiplied: X + rows → X * rows
    You multiply by the rows of P; they are to be added. {worst_row}
unit-scale: X + rows → X * X.shape[-1] ** 0.5 + rows
    You multiply X by √d_model first. The transformer of 2017 does that with its word vectors,
    but here X is taken as it is. {worst_row}
"""),
    hints=(
        "Which axis of X is the position, however many axes come before it?",
        "`self.P[:n]` has shape (n, d_model), and broadcasting adds it to every sequence of "
        "the batch.",
        "`n = X.shape[-2]`; `if n > len(self.P): raise ValueError(…)`; "
        "`return X + self.P[:n]`.",
    ),
    built_ins=("course_attn.in_torch.order_layers.LearnedPositions",),
)
