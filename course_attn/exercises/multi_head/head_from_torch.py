"""Exercise `head_from_torch` of chapter 7, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.checking.use import put_to_use

__all__ = ["exercise"]

_NAMES = ("W_Q", "W_K", "W_V")


def head_from_torch(mha, h):
    """Take the matrices of head h, used as X @ W, out of PyTorch's packed weight."""
    d_k = mha.embed_dim // mha.num_heads
    start, stop = h * d_k, (h + 1) * d_k
    W_Q, W_K, W_V = mha.in_proj_weight.chunk(3)
    return W_Q[start:stop].T, W_K[start:stop].T, W_V[start:stop].T


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260706)

    def given(d_model: int, n_heads: int, h: int) -> tuple[Any, ...]:
        return rng.standard_normal((3 * d_model, d_model)), n_heads, h

    # Entry [r, c] of the packed weight is 100 r + c.
    numbered = 100.0 * np.arange(18)[:, None] + np.arange(6)
    return (
        Case((numbered, 3, 1), "example"),
        Case(given(15, 5, 2)),
        Case(given(10, 2, 0), "first-head"),
        Case(given(21, 7, 6), "last-head"),
        Case((given(22, 11, 4)[0].astype("f4"), 11, 4), "float32"),
    )


def _from_layer(
    answer: Callable[..., Any], packed: Any, n_heads: int, h: int, result: str
) -> Any:
    """Put the packed weight into a layer of PyTorch's and ask for one matrix of a head."""
    width = packed.shape[1]
    mha = torch.nn.MultiheadAttention(width, n_heads, dtype=packed.dtype)
    mha.in_proj_weight = torch.nn.Parameter(packed)
    return put_to_use(answer, None, _NAMES)(mha, h, result)


def _block(packed: Any, part: int, h: int, n_heads: int, d_k: int) -> Any:
    third = packed.chunk(3)[part]
    return third[h * d_k : (h + 1) * d_k]


def _by_head_first(packed: Any, part: int, h: int, n_heads: int, d_k: int) -> Any:
    start = (3 * h + part) * d_k
    return packed[start : start + d_k]


def _columns(packed: Any, part: int, h: int, n_heads: int, d_k: int) -> Any:
    # Transposed already here, for the step that turns it round to undo.
    return packed.chunk(3)[part][:, h * d_k : (h + 1) * d_k].T


def _taken(
    mha: Any,
    h: int,
    *,
    part: Callable[..., Any] = lambda number: number,
    rows: Callable[..., Any] = _block,
    head: Callable[..., Any] = lambda h: h,
    turn: Callable[..., Any] = lambda block: block.T,
) -> tuple[Any, ...]:
    n_heads, packed = mha.num_heads, mha.in_proj_weight
    d_k = mha.embed_dim // n_heads
    return tuple(
        turn(rows(packed, part(number), head(h), n_heads, d_k))
        for number in range(3)
    )


def _name(c: Context) -> str:
    return f"`{c.given['result']}`"


def _where(c: Context) -> str:
    """Say which rows of the packed weight hold the matrix that was asked for."""
    d = c.given["in_proj_weight"].shape[1]
    d_k = d // c.given["n_heads"]
    start = _NAMES.index(c.given["result"]) * d + c.given["h"] * d_k
    return f"rows {start} to {start + d_k - 1}"


def _setting(c: Context) -> str:
    d = c.given["in_proj_weight"].shape[1]
    return (
        f"With d_model = {d} and {c.given['n_heads']} heads, {_name(c)} of head "
        f"{c.given['h']} is {_where(c)} of `in_proj_weight`, transposed"
    )


def _source(c: Context) -> str | None:
    """Say from where in the packed weight the first column of the result comes."""
    packed = c.given["in_proj_weight"]
    if c.got.ndim != 2 or not c.got.size:
        return None
    found = np.argwhere(np.isclose(packed, c.got[0, 0], rtol=1e-6, atol=0))
    if not len(found):
        return f"{_setting(c)}. Yours holds numbers that do not occur in it."
    r, k = (int(i) for i in found[0])
    return f"{_setting(c)}. Your {c.given['result']}[0, 0] comes from row {r}, column {k}."


exercise = Exercise(
    solution=head_from_torch,
    place=70,
    section="Inside nn.MultiheadAttention",
    library="torch",
    task="""
PyTorch's `nn.MultiheadAttention` packs $W^Q$, $W^K$ and $W^V$ of all heads into one
parameter, `mha.in_proj_weight`, of shape (3·d_model, d_model): the three matrices
below each other, each *transposed* as `nn.Linear` stores it, so that a head's
features are rows. Write `head_from_torch(mha, h)`: for head h, counted from 0, return
three tensors `W_Q, W_K, W_V`, each of shape (d_model, d_k), in our convention:
$Q_h = X W^Q_h$. The layer's sizes are `mha.embed_dim` (d_model) and `mha.num_heads`;
leave its biases out. A copy and a view, with or without a gradient, are both right.
""",
    cases=_cases,
    variant=_taken,
    use=_from_layer,
    results=_NAMES,
    arguments=("in_proj_weight", "n_heads", "h"),
    differentiable=False,
    kinds={
        "first-head": Kind("for the first head", "Heads count from 0."),
        "last-head": Kind("for the last head", "Its number is n_heads − 1."),
    },
    faults=(
        Fault(
            "not-transposed",
            {"turn": lambda block: block},
            lambda c: (
                f"You return the right rows, shape {c.got.shape}, as PyTorch stores them: for "
                f"`W @ x`. Here {_name(c)} is used as `X @ {c.given['result']}`, so it has shape "
                f"{c.expected.shape}: transpose it."
            ),
        ),
        Fault(
            "columns-cut",
            {"rows": _columns, "turn": lambda block: block.T},
            lambda c: (
                f"The shape of your {_name(c)} is right, its numbers are not: you cut *columns* "
                "of the packed weight. There each row makes one feature of a query, key or value "
                "from all features of X, so a head owns rows; your matrix holds what all heads "
                f"make of some features of X. {_setting(c)}."
            ),
        ),
        Fault(
            "reshaped",
            {"turn": lambda block: block.reshape(block.shape[1], block.shape[0])},
            lambda c: (
                "You `reshape` (or `view`) the block to (d_model, d_k). That gives the shape and "
                "leaves the numbers in their order; a transpose, `.T`, exchanges rows and columns. "
                f"{_setting(c)}."
            ),
        ),
        Fault(
            "all-heads",
            {"rows": lambda packed, part, h, n_heads, d_k: packed.chunk(3)[part]},
            lambda c: (
                f"You return {_name(c)} of all heads, shape {c.got.shape}. Head {c.given['h']} "
                f"owns d_k = {c.got.shape[0] // c.given['n_heads']} of its columns. {_setting(c)}."
            ),
        ),
        Fault(
            "in-turn",
            {
                "rows": lambda packed, part, h, n_heads, d_k: packed.chunk(3)[part][
                    h::n_heads
                ]
            },
            lambda c: (
                f"You take rows {c.given['h']}, {c.given['h'] + c.given['n_heads']}, … of each "
                "third, as if the heads took turns. A head owns a *block* of rows, one after "
                "the other. "
                f"{_setting(c)}."
            ),
        ),
        Fault(
            "one-before",
            {"head": lambda h: h - 1},
            lambda c: (
                f"You are one block early: this is head {c.given['h'] - 1} where head "
                f"{c.given['h']} is asked for (head 0 comes out empty). Heads count from 0. "
                f"{_setting(c)}."
            ),
        ),
        Fault(
            "one-after",
            {"head": lambda h: h + 1},
            lambda c: (
                f"You are one block late: this is head {c.given['h'] + 1} where head "
                f"{c.given['h']} is asked for. Heads count from 0. {_setting(c)}."
            ),
        ),
        Fault(
            "off-by-one-row",
            {
                "rows": lambda packed, part, h, n_heads, d_k: packed.chunk(3)[part][
                    h : h + d_k
                ]
            },
            lambda c: (
                f"Your rows start at row {c.given['h']} of their third: head h starts at row "
                f"h·d_k, not at h. {_setting(c)}."
            ),
        ),
        Fault(
            "first-third",
            {"part": lambda number: 0},
            lambda c: (
                "All three of yours come from the first third of `in_proj_weight`, which makes "
                f"queries only. {_setting(c)}."
            ),
        ),
        Fault(
            "keys-first",
            {"part": lambda number: (1, 0, 2)[number]},
            lambda c: (
                "The matrices of queries and keys are exchanged: in `in_proj_weight` the queries "
                f"come first. {_setting(c)}."
            ),
        ),
        Fault(
            "values-first",
            {"part": lambda number: (2, 0, 1)[number]},
            lambda c: (
                "You take the values' third to be the first. The order in `in_proj_weight` is "
                f"queries, keys, values. {_setting(c)}."
            ),
        ),
        Fault(
            "values-second",
            {"part": lambda number: (0, 2, 1)[number]},
            lambda c: (
                "The matrices of keys and values are exchanged. The order in `in_proj_weight` is "
                f"queries, keys, values. {_setting(c)}."
            ),
        ),
        Fault(
            "head-by-head",
            {"rows": _by_head_first},
            lambda c: (
                "You take the packed weight to be ordered by heads: head 0's three blocks, then "
                "head 1's. Some models store it so; `nn.MultiheadAttention` has all queries "
                f"first, then all keys, then all values. {_setting(c)}."
            ),
        ),
    ),
    properties=(Property("source", _source),),
    hints=(
        "What makes one row of `in_proj_weight`, and for whom? Into which three parts does it "
        "fall, and each of them into how many?",
        "`mha.in_proj_weight.chunk(3)` gives the three thirds, each (d_model, d_model); head h "
        "owns rows h·d_k to (h + 1)·d_k of each. Then `.T`.",
        "With `d_k = mha.embed_dim // mha.num_heads`: `W[h * d_k : (h + 1) * d_k].T` for each of "
        "the three thirds W.",
    ),
    built_ins=("course_attn.in_torch.multi_head_layers.head_weights",),
)
