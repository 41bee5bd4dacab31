"""Exercise `head_from_torch`."""

from typing import Any

import numpy as np
import torch

from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.declare import put_to_use

__all__ = ["exercise"]

_NAMES = ("W_Q", "W_K", "W_V")


def head_from_torch(mha, h):
    """Take the matrices of head h, used as X @ W, out of PyTorch's packed weight."""
    d_model, n_heads = mha.embed_dim, mha.num_heads
    d_k = d_model // n_heads
    start = h * d_k
    thirds = mha.in_proj_weight.chunk(3)
    W_Q, W_K, W_V = (W[start : start + d_k].T for W in thirds)
    return W_Q, W_K, W_V


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260706)

    def given(d: int, n_heads: int, h: int, dtype: str = "f8") -> tuple[Any, ...]:
        return rng.standard_normal((3 * d, d)).astype(dtype), n_heads, h

    # Entry [r, c] of the packed weight is 100 r + c.
    numbered = 100.0 * np.arange(18)[:, None] + np.arange(6)
    return (
        Case((numbered, 3, 1), "example"),
        Case(given(15, 5, 2)),
        Case(given(10, 2, 0), "first-head"),
        Case(given(21, 7, 6), "last-head"),
        Case(given(8, 8, 3), "narrow"),
        Case(given(7, 1, 0), "one-head"),
        Case(given(22, 11, 4, "f4"), "float32"),
    )


def _from_layer(answer: Any, packed: Any, n_heads: int, h: int, result: str) -> Any:
    """Put the packed weight into a layer of PyTorch's and ask for one matrix of a head."""
    width = packed.shape[1]
    mha = torch.nn.MultiheadAttention(width, n_heads, dtype=packed.dtype)
    mha.in_proj_weight = torch.nn.Parameter(packed)
    return put_to_use(answer, None, _NAMES)(mha, h, result)


def _setting(c: Context) -> str:
    """Say which rows of the packed weight hold the matrix that was asked for."""
    d = c.given["in_proj_weight"].shape[1]
    d_k = d // c.given["n_heads"]
    start = _NAMES.index(c.given["result"]) * d + c.given["h"] * d_k
    rows = f"rows {start} to {start + d_k - 1}" if d_k > 1 else f"row {start}"
    return c.filled(
        f"With d_model = {d} and {{n_heads}} heads, `{{result}}` of head {{h}} stands in {rows} "
        "of `in_proj_weight`, transposed."
    )


def _source(c: Context) -> str | None:
    """Say from where in the packed weight the first wrong number of the result comes."""
    packed, n_heads = c.given["in_proj_weight"], c.given["n_heads"]
    if c.got.shape != c.expected.shape:
        return None
    place = np.argwhere(~np.isclose(c.got, c.expected, rtol=1e-6, atol=0))[0]
    found, right = (
        np.argwhere(np.isclose(packed, W[tuple(place)], rtol=1e-6, atol=0)).tolist()
        for W in (c.got, c.expected)
    )
    if not found:
        return f"{_setting(c)} Yours holds numbers that do not occur in it."
    part, row = divmod(found[0][0], packed.shape[1])
    return (
        f"{_setting(c)} Your {c.given['result']}{place.tolist()} is its entry {found[0]}, from "
        f"{_NAMES[part]} of head {row // (packed.shape[1] // n_heads)}; {right[0]} belongs there."
    )


exercise = Exercise(
    head_from_torch,
    place=70,
    minutes=12,
    level="medium",
    section="Inside nn.MultiheadAttention",
    library="torch",
    task="""
PyTorch's `nn.MultiheadAttention` packs $W_Q$, $W_K$ and $W_V$ of all heads into one
parameter, `mha.in_proj_weight`, of shape (3·d_model, d_model): the three matrices
below each other, each *transposed* as `nn.Linear` stores it, so that a head's
features are rows. Write `head_from_torch(mha, h)`: for head h, counted from 0, return
three tensors `W_Q, W_K, W_V`, each of shape (d_model, d_k), in our convention:
$Q^h = X W_Q^h$. The layer's sizes are `mha.embed_dim` (d_model) and `mha.num_heads`;
leave its biases out. A copy and a view, with or without a gradient, are both right.
""",
    cases=_cases,
    use=_from_layer,
    results=_NAMES,
    arguments=("in_proj_weight", "n_heads", "h"),
    differentiable=False,
    kinds={
        "first-head": Kind("for the first head", "Heads count from 0."),
        "last-head": Kind("for the last head", "Its number is n_heads − 1."),
        "narrow": Kind("where every head has a single feature"),
        "one-head": Kind("for a layer with a single head"),
    },
    terms={"setting": _setting, "before": lambda c: c.given["h"] - 1},
    faults=fault_list("""
not-transposed: return W_Q, W_K, W_V → return W_Q.T, W_K.T, W_V.T
    You return rows of `in_proj_weight`, shape {your.shape}, as PyTorch stores them: for `W @ x`.
    Here `{result}` is used as `X @ {result}`: transpose it to {right.shape}.
reshaped: W[start : start + d_k].T → W[start : start + d_k].reshape(d_model, d_k)
    You bring the rows into shape {your.shape} by a `reshape`, which leaves the numbers in their
    order: a row of your `{result}` then holds neighbors of *one* row of `in_proj_weight`.
    What turns rows into columns?
columns-cut: W[start : start + d_k].T → W[:, start : start + d_k]
    The shape of your `{result}` is right, but you cut *columns* of the packed weight. There
    each *row* makes one feature of a query, key or value, so a head owns rows. {setting}
head-by-head: W[start : start + d_k].T for W in thirds
            → W.T for W in mha.in_proj_weight[3 * start : 3 * start + 3 * d_k].chunk(3)
    You take the packed weight to be ordered by heads, as some models store it. Here all queries
    come first, then all keys, then all values. {setting}
in-turn: W[start : start + d_k].T → W[h::n_heads].T
    You take rows {h}, {h} + {n_heads}, … of each third, as if the heads took turns. A head owns
    a *block* of rows, one after the other. {setting}
scaled: return W_Q, → return W_Q / d_k**0.5,
    Your W_Q is divided by √d_k. The layer divides the *scores*, and has W_Q as it is: with yours,
    attention would divide twice. {setting}
one-before: h * d_k → (h - 1) * d_k
    You are one block early: this is head {before} where head {h} is asked for. Heads count from
    0. {setting}
one-before-in-all: W[start : start + d_k].T for W in thirds
      → mha.in_proj_weight[p + start - d_k : p + start].T for p in range(0, 3 * d_model, d_model)
    You are one block early: this is head {before} where head {h} is asked for, and for head 0 rows
    of the third before. Heads count from 0. {setting}
from-the-last: h * d_k → (n_heads - 1 - h) * d_k
    You count the heads from the last one. Head 0 has the *first* rows of each third. {setting}
heads-for-width: d_model // n_heads → n_heads
    You take the number of heads for the width of one: shape {your.shape}. How many of the d_model
    features has each of them?
keys-first: W_Q, W_K, W_V = ( → W_K, W_Q, W_V = (
    Your `W_Q` and `W_K` are exchanged. In which order do the three thirds lie in `in_proj_weight`,
    and in which do you return them?
wrong-side-in-three: mha.in_proj_weight.chunk(3) → mha.in_proj_weight.T.chunk(3)
        and W[start : start + d_k].T → W[:, start : start + d_k]
    You cut the d_model columns of `in_proj_weight` in three (after `.T` they are rows), so your
    shape is {your.shape}. Its 3·d_model *rows* fall into three: cut them first. {setting}
"""),
    properties=(Property("source", _source),),
    hints=(
        "What does one row of `in_proj_weight` make? Which rows make the queries of head h?",
        "`mha.in_proj_weight.chunk(3)` gives the three thirds, each (d_model, d_model); head h "
        "owns rows h·d_k to (h + 1)·d_k of each. Then `.T`.",
        "`W[h * d_k : (h + 1) * d_k].T` for each third W; d_k is `mha.embed_dim // mha.num_heads`.",
    ),
    built_ins=("course_attn.in_torch.multi_head_layers.head_weights",),
)
