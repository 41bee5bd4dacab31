"""Exercise `without_head`."""

from typing import Any

import numpy as np

from whywrong import Case, Exercise, Kind, fault_list

__all__ = ["exercise"]


def without_head(weights, V, W_O, head):
    """Compute multi-head attention's output with one head switched off."""
    n_heads, n, d_v = V.shape
    found = weights @ V
    kept = np.arange(n_heads) != head
    left = found * kept[:, None, None]
    merged = left.swapaxes(0, 1).reshape(n, n_heads * d_v)
    return merged @ W_O


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261125)

    def drawn(
        n_heads: int, n: int, d_v: int, d_model: int, head: int
    ) -> tuple[Any, ...]:
        exps = np.exp(2 * rng.standard_normal((n_heads, n, n))) * np.tri(n)
        weights = exps / exps.sum(axis=-1, keepdims=True)
        V = rng.standard_normal((n_heads, n, d_v))
        return weights, V, rng.standard_normal((n_heads * d_v, d_model)), head

    example = (
        np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]]),
        np.array([[[1.0], [2.0]], [[10.0], [30.0]]]),
        np.array([[1.0, 0.0], [0.0, 1.0]]),
        0,
    )
    single = [array.astype("f4") for array in drawn(3, 5, 2, 7, 1)[:3]]
    return (
        Case(example, "example"),
        Case(drawn(3, 5, 2, 7, 1)),
        Case(drawn(4, 7, 3, 5, 3)),
        Case(drawn(5, 3, 2, 11, 0)),
        Case(drawn(3, 3, 3, 9, 2), "square"),
        Case(drawn(1, 4, 5, 3, 0), "one-head"),
        Case(drawn(2, 1, 3, 5, 1), "one-element"),
        Case((*single, 2), "float32"),
    )


exercise = Exercise(
    without_head,
    place=30,
    minutes=18,
    level="medium",
    section="Switch a head off",
    task="""
Write `without_head(weights, V, W_O, head)`, the output of multi-head attention with one head
switched off. `weights` has shape (n_heads, n, n) and `V` shape (n_heads, n, d_v): the maps and the
values of each head. `W_O` has shape (n_heads·d_v, d_model), the rows of the first head first. What
head h finds is `weights[h] @ V[h]`; the heads' rows stand side by side and are multiplied by
`W_O`. Head number `head`, counted from 0, adds nothing; the others are as before. Return an
array of shape (n, d_model), and leave all arguments as they are.
""",
    cases=_cases,
    kinds={
        "one-head": Kind(
            "for a single head", "Without that head the output is 0.", apart=True
        ),
        "one-element": Kind("for a sequence of one element"),
    },
    faults=fault_list("""
only-it: np.arange(n_heads) != head → np.arange(n_heads) == head
    You return what head {head} adds, and leave out the others. Which of them is to be switched off?
    {worst_row}
counted-from-1: np.arange(n_heads) != head → np.arange(n_heads) + 1 != head
    You count the heads from 1. `head` counts from 0. {worst_row}
one-before: np.arange(n_heads) != head → np.arange(n_heads) != (head - 1) % n_heads
    You switch off head `head − 1`, and for `head = 0` the last one. `head` counts from 0 already.
    {worst_row}
interleaved: left.swapaxes(0, 1).reshape(n, n_heads * d_v)
           → left.transpose(1, 2, 0).reshape(n, n_heads * d_v)
    The entries of the heads and the rows of `W_O` do not belong together: of which head is the
    second of your rows? All d_v entries of a head stand side by side, and so do its rows of `W_O`.
    {worst_row}
last-rows: left.swapaxes(0, 1).reshape(n, n_heads * d_v)
         → np.delete(found, head, axis=0).swapaxes(0, 1).reshape(n, n_heads * d_v - d_v)
    and merged @ W_O → merged @ W_O[: n_heads * d_v - d_v]
    You leave out what head {head} finds, but from `W_O` you cut the *last* rows, not those of head
    {head}. So every head after {head} meets the rows of the head before it. Which rows of `W_O`
    does head {head} leave unused? {worst_row}
not-swapped: left.swapaxes(0, 1).reshape(n, n_heads * d_v) → left.reshape(n, n_heads * d_v)
    You `reshape` at once, so that a row holds what a single head finds for several positions. Swap
    heads and positions first. {worst_row}
one-row: np.arange(n_heads) != head → np.full(n_heads, True)
    and merged @ W_O → merged @ (W_O * (np.arange(len(W_O)) != head)[:, None])
    You set one row of `W_O` to 0. Head {head} has as many rows there as a value has entries, and
    they begin at `head * d_v`. {worst_row}
rows-from-head: np.arange(n_heads) != head → np.full(n_heads, True)
    and merged @ W_O
      → merged @ (W_O * ~np.isin(np.arange(len(W_O)), head + np.arange(d_v))[:, None])
    You leave out {V.last} rows of `W_O` from row {head} on. Each head before head {head} has as
    many rows there: with which row do those of head {head} begin? {worst_row}
height-of-d-model: np.arange(n_heads) != head → np.full(n_heads, True)
    and merged @ W_O
      → merged @ (W_O * (np.arange(len(W_O)) // (W_O.shape[1] // n_heads) != head)[:, None])
    You count d_model // n_heads rows of `W_O` for each head. d_model is the length of an output;
    how many *rows* does head {head} need, if its values have d_v = {V.last} entries? {worst_row}
every-nth-row: np.arange(n_heads) != head → np.full(n_heads, True)
    and merged @ W_O → merged @ (W_O * (np.arange(len(W_O)) % n_heads != head)[:, None])
    You set every `n_heads`-th row of `W_O` to 0, rows of different heads. The rows of a head lie
    together: those of head {head} from `head * d_v` on. {worst_row}
made-up-for: @ V → @ V * n_heads / max(n_heads - 1, 1)
    You make the other heads larger, by the factor n_heads / (n_heads − 1), as dropout does to make
    up for what it leaves out. Here they are to add what they added before. {worst_row}
maps-transposed: weights @ → weights.swapaxes(-1, -2) @
    Your maps are transposed: what element i finds is mixed by *column* i of each map. Its weights
    stand in row i, `weights[h] @ V[h]`. {worst_row}
averaged: merged @ W_O → merged @ W_O / n_heads
    Your output is divided by the number of heads, as by a mean over them. What the heads add is
    added up. {worst_row}
weights-even: found * kept[:, None, None]
            → np.where(kept[:, None, None], found, V.mean(axis=1, keepdims=True))
    You give head {head} equal weights everywhere. Then it still adds the mean of its values; it is
    to add nothing. {worst_row}
mean-found: found * kept[:, None, None]
            → np.where(kept[:, None, None], found, found.mean(axis=1, keepdims=True))
    Head {head} still adds the mean, over all positions, of what it finds. What is it to add?
    {worst_row}
stops-at-head: np.arange(n_heads) != head → np.arange(n_heads) < head
    You leave out head {head} and all heads *after* it, as if a loop broke off there. How many heads
    are to be switched off? {worst_row}
element-off: np.arange(n_heads) != head → np.full(n_heads, True)
    and found * kept[:, None, None] → found * (np.arange(n) != head)[:, None]
    You switch off *element* {head} in every head, not head {head} for all elements. Which axis
    counts the heads? {worst_row}
"""),
    wrong_lines=("only-it", "not-swapped", "counted-from-1"),
    hints=(
        "What a head finds meets its own rows of `W_O` and no others. So it adds nothing if what "
        "it finds is 0.",
        "`weights @ V` has shape (n_heads, n, d_v). Set one head of it to 0 (in a copy), then put "
        "the heads side by side: swap heads and positions, and reshape.",
        "Or add up over the other heads h: `weights[h] @ V[h] @ W_O[h * d_v : (h + 1) * d_v]`.",
    ),
)
