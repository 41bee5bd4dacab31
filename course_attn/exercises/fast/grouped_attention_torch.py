"""Exercise `grouped_attention_torch` of chapter 10, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
)
from course_attn.exercises.fast._steps import place, same

__all__ = ["exercise"]


def grouped_attention_torch(Q, K, V):
    """Attend in every head of Q to the head of K and V that its group shares."""
    n_rep = Q.shape[-3] // K.shape[-3]
    keys = K.repeat_interleave(n_rep, dim=-3)
    values = V.repeat_interleave(n_rep, dim=-3)
    scores = Q @ keys.mT / Q.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ values


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261207)

    def triple(
        heads: tuple[int, int], n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        n_heads, n_kv = heads
        sizes = ((n_heads, n_q, d_k), (n_kv, n_k, d_k), (n_kv, n_k, d_v))
        drawn = (1.5 * rng.standard_normal((*batch, *size)) for size in sizes)
        return tuple(array.astype(np.float32) for array in drawn)

    return (
        Case(triple((4, 2), 1, 3, 5, 2), "example"),
        Case(triple((6, 3), 5, 7, 11, 2)),
        Case(triple((6, 2), 3, 5, 7, 11)),
        Case(triple((6, 3), 6, 6, 6, 6), "square"),
        Case(triple((3, 1), 5, 7, 2, 11), "one-head"),
        Case(triple((3, 3), 5, 7, 11, 2), "as-many"),
        Case(triple((4, 2), 5, 7, 13, 11, 3), "batch"),
        Case(
            tuple(x.astype(float) for x in triple((10, 5), 3, 7, 2, 11)), "float64"
        ),
    )


_Tensor = torch.Tensor


def _in_a_row(X: _Tensor, n_rep: int) -> _Tensor:
    return X.repeat_interleave(n_rep, dim=-3)


def _in_turn(X: _Tensor, n_rep: int) -> _Tensor:
    return torch.cat([X] * n_rep, dim=-3)


def _first(X: _Tensor, n_rep: int) -> _Tensor:
    return torch.cat([X[..., :1, :, :]] * (n_rep * X.shape[-3]), dim=-3)


def _mean(X: _Tensor, n_rep: int) -> _Tensor:
    mean = X.mean(dim=-3, keepdim=True)
    return torch.cat([mean] * (n_rep * X.shape[-3]), dim=-3)


def _grouped(X: _Tensor, n_kv: int) -> _Tensor:
    return X.reshape(*X.shape[:-3], n_kv, -1, *X.shape[-2:])


def _attended(
    Q: _Tensor,
    K: _Tensor,
    V: _Tensor,
    *,
    for_keys: Callable[..., Any] = _in_a_row,
    for_values: Callable[..., Any] = _in_a_row,
    divisor: Callable[..., Any] = lambda d_k, n_heads: d_k**0.5,
    dim: int = -1,
    finish: Callable[..., Any] = same,
) -> _Tensor:
    n_heads, n_kv = Q.shape[-3], K.shape[-3]
    keys, values = (
        for_keys(K, n_heads // n_kv),
        for_values(V, n_heads // n_kv),
    )
    scores = Q @ keys.mT / divisor(Q.shape[-1], n_heads)
    return finish(scores.softmax(dim=dim) @ values, n_kv)


def _mean_queries(Q: _Tensor, K: _Tensor, V: _Tensor) -> _Tensor:
    return _attended(_grouped(Q, K.shape[-3]).mean(dim=-3), K, V)


def _sizes(c: Context) -> tuple[int, int]:
    return c.given["Q"].shape[-3], c.given["K"].shape[-3]


def _listed(heads: list[int]) -> str:
    return ", ".join(map(str, heads))


def _wanted(c: Context) -> str:
    n_heads, n_kv = _sizes(c)
    own = [h // (n_heads // n_kv) for h in range(n_heads)]
    return (
        f"With {n_heads} heads of queries and {n_kv} of keys and values, they should use heads "
        f"{_listed(own)} of K and V"
    )


def _shapes(c: Context) -> str:
    return f"You return shape {c.got.shape}; asked for is {c.expected.shape}."


def _said(c: Context) -> str | None:
    """Quote the first output that is wrong, and of which head it is."""
    if c.got.shape != c.expected.shape:
        return None
    where = place(c)
    row = int(np.ravel_multi_index(where[:-1], c.got.shape[:-1]))
    return (
        f"In head {where[-3]} your output of query {where[-2]} is {c.row(row)}; "
        f"{c.row(row, 'expected')} is right."
    )


def _which_head(c: Context) -> str | None:
    said = _said(c)
    return f"{said} {_wanted(c)}." if said else None


def _in_turn_said(c: Context) -> str:
    n_heads, n_kv = _sizes(c)
    yours = [h % n_kv for h in range(n_heads)]
    return f"{_wanted(c)}; yours use {_listed(yours)}."


exercise = Exercise(
    solution=grouped_attention_torch,
    place=70,
    section="Shared heads: multi-query and grouped-query attention",
    library="torch",
    task="""
Grouped-query attention in PyTorch. Write `grouped_attention_torch(Q, K, V)`: Q is a tensor of
shape (…, n_heads, n_q, d_k), K (…, n_kv_heads, n_k, d_k) and V (…, n_kv_heads, n_k, d_v), where
n_heads is a multiple of n_kv_heads, r·n_kv_heads. Head h of the queries attends to head ⌊h / r⌋
of K and V (counted from 0), with scores divided by $\\sqrt{d_k}$ and without a mask. Return the
outputs, (…, n_heads, n_q, d_v). Build it yourself, without `scaled_dot_product_attention`.
""",
    cases=_cases,
    variant=_attended,
    kinds={
        "one-head": Kind(
            "where K and V have a single head (multi-query attention)",
            "All heads of queries share it.",
        ),
        "as-many": Kind(
            "where there are as many heads of keys as of queries",
            "Then r = 1, and each head has its own.",
        ),
        "square": Kind("where n_heads, n_q, n_k, d_k and d_v are equal"),
    },
    faults=(
        Fault(
            "in-turn",
            {"for_keys": _in_turn, "for_values": _in_turn},
            lambda c: (
                "Your heads of queries take the heads of K and V in turn, one after the other. "
                f"Heads in a row should share one. {_in_turn_said(c)} (`repeat_interleave` repeats "
                "each head before the next; `repeat`, `tile` and `cat` repeat the whole.)"
            ),
        ),
        Fault(
            "keys-in-turn",
            {"for_keys": _in_turn},
            lambda c: (
                "The keys are taken in turn, unlike the values: the weights of "
                "a head come from one head of K and mix another head of V. "
                f"{_in_turn_said(c)}"
            ),
        ),
        Fault(
            "values-in-turn",
            {"for_values": _in_turn},
            lambda c: (
                "The values are taken in turn, unlike the keys: the weights of a "
                "head come from one head of K and mix another head of V. "
                f"{_in_turn_said(c)}"
            ),
        ),
        Fault(
            "first-for-all",
            {"for_keys": _first, "for_values": _first},
            lambda c: (
                "All your heads use head 0 of K and V; the others are forgotten. "
                f"{_wanted(c)}."
            ),
        ),
        Fault(
            "averaged",
            {"for_keys": _mean, "for_values": _mean},
            lambda c: (
                "You average the heads of K and V. They stay apart: each serves its own group of "
                f"query heads. {_wanted(c)}."
            ),
        ),
        Fault(
            "queries-averaged",
            _mean_queries,
            lambda c: (
                "You average the queries of each group, so that few heads are left. Every head of "
                "queries keeps its own scores and its own output; only keys and values are "
                f"shared. {_shapes(c)}"
            ),
        ),
        Fault(
            "groups-left",
            {"finish": _grouped},
            lambda c: (
                "The groups still have an axis of their own. Join it "
                f"with that of the heads by a `reshape`. {_shapes(c)}"
            ),
        ),
        Fault(
            "unscaled",
            {"divisor": lambda d_k, n_heads: 1.0},
            lambda c: (
                "The scores are not divided by √d_k = "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}. {_said(c)}"
            ),
        ),
        Fault(
            "divided-by-d",
            {"divisor": lambda d_k, n_heads: d_k},
            lambda c: (
                f"You divide by d_k = {c.given['Q'].shape[-1]}; divide by its root, "
                f"{number(c.given['Q'].shape[-1] ** 0.5)}. {_said(c)}"
            ),
        ),
        Fault(
            "root-of-d-model",
            {"divisor": lambda d_k, n_heads: (d_k * n_heads) ** 0.5},
            lambda c: (
                "You divide by the root of the width of all heads together, "
                f"√{_sizes(c)[0] * c.given['Q'].shape[-1]}. Each dot product has d_k = "
                f"{c.given['Q'].shape[-1]} terms, those of one head. {_said(c)}"
            ),
        ),
        Fault(
            "wrong-axis",
            {"dim": -2},
            lambda c: (
                "The softmax runs down the columns, over the queries: each query shares out its "
                f"weight along `dim=-1`. {_said(c)}"
            ),
        ),
        Fault(
            "over-the-heads",
            {"dim": -3},
            lambda c: (
                "The softmax runs over the heads: each query shares out its weight over the keys, "
                f"along `dim=-1`. {_said(c)}"
            ),
        ),
    ),
    properties=(Property("output", _which_head),),
    hints=(
        "For n_heads = 6 and n_kv_heads = 2, which head of K does each of the six heads of queries "
        "use?",
        "Repeat each head of K and of V r times in a row, as `repeat_kv` does; then it is "
        "attention with as many heads of keys as of queries.",
        "`K.repeat_interleave(r, dim=-3)`, the same for V; then `Q @ keys.mT / …`, a softmax along "
        "`dim=-1`, and the product with the values.",
    ),
    built_ins=("torch.nn.functional.scaled_dot_product_attention",),
)
