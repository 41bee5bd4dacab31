"""Exercise `masked_block`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def masked_block(X, attend, process, norm_1, norm_2, mask):
    """Add to X what attention finds, then what the feed-forward network makes of it."""
    normed_X = norm_1(X)
    attention_output = attend(normed_X, mask)
    H = X + attention_output
    normed_H = norm_2(H)
    network_output = process(normed_H)
    Y = H + network_output
    return Y


def _parts(draw: Any, d: int) -> tuple[Any, ...]:
    """Return an attention layer, a feed-forward network and two layer norms."""
    W_QK, W_V = 2 * draw((d, d)) / d, draw((d, d)) / np.sqrt(d)
    W_1, W_2 = draw((d, 2 * d + 1)), draw((2 * d + 1, d)) / d
    gains, biases = 1 + 0.4 * draw((2, d)), 0.4 * draw((2, d))

    def attend(X: np.ndarray, mask: Any = None) -> np.ndarray:
        scores = X @ W_QK @ np.swapaxes(X, -1, -2) / np.sqrt(d)
        scores = np.where(mask is None or mask, scores, -1e9)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return exps / exps.sum(axis=-1, keepdims=True) @ X @ W_V

    def process(X: np.ndarray) -> np.ndarray:
        return np.maximum(X @ W_1 + 0.5, 0) @ W_2

    def normed(X: np.ndarray, i: int) -> np.ndarray:
        mean, std = X.mean(axis=-1, keepdims=True), X.std(axis=-1, keepdims=True)
        return gains[i] * (X - mean) / (std + 1e-5) + biases[i]

    def norm_1(X: np.ndarray) -> np.ndarray:
        return normed(X, 0)

    def norm_2(X: np.ndarray) -> np.ndarray:
        return normed(X, 1)

    parts = attend, process, norm_1, norm_2
    for part in parts:  # the name that error messages show
        part.__qualname__ = part.__name__
    return parts


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260903).standard_normal

    def given(n: int, d: int, *batch: int, mask: Any = None) -> tuple[Any, ...]:
        mask = np.tri(n, dtype=bool) if mask is None else mask
        return 3 * draw((*batch, n, d)) + 1, *_parts(draw, d), mask

    window = np.abs(np.subtract.outer(range(7), range(7))) < 2
    return (
        Case(given(3, 4), "example"),
        Case(given(5, 8)),
        Case(given(7, 3, mask=window), "window"),
        Case(given(5, 7, mask=np.ones((5, 5), dtype=bool)), "open"),
        Case(given(5, 5), "square"),
        Case(given(5, 8, 2, 3), "batch"),
        Case(given(1, 6), "one-row"),
    )


def _sees_the_future(c: Context) -> str | None:
    """Say whether outputs depend on a last element that the mask hides from them."""
    X, blind = c.given["X"].copy(), ~c.given["mask"][:, -1]
    X[..., -1, :] += np.arange(1, X.shape[-1] + 1)
    moved = c.call(*(dict(c.given) | {"X": X}).values())
    if moved is None or not moved.shape == c.got.shape == X.shape:
        return None
    change = np.abs(moved - c.got)[..., blind, :].max(initial=0)
    rows = ", ".join(map(str, np.flatnonzero(blind)))
    return (
        f"The mask hides the last element from the outputs in rows {rows}. When it changes, they "
        f"change by up to {number(change)} in yours: is the mask passed on to attention as it is?"
        if change > 1e-4
        else None
    )


exercise = Exercise(
    masked_block,
    place=30,
    minutes=8,
    level="easy",
    prepares=("TransformerBlock",),
    section="Two places for the norm",
    task="""
Write `masked_block(X, attend, process, norm_1, norm_2, mask)`, a **pre-norm** block. Its parts
are given as functions: `attend(X, mask)` is self-attention, `process(X)` the feed-forward network,
`norm_1(X)` and `norm_2(X)` are the layer norms of the first and the second part, each with its own
gain and bias. Each function takes an array of shape (…, n, d_model) and returns one of the same
shape. Your work is the wiring: which part reads what, and what is added to what. Pass `mask`, a
bool array (n, n), on to `attend`; if you leave it out, `attend` lets everything be seen. Do not
change X itself.
""",
    cases=_cases,
    kinds={
        "open": Kind("where the mask allows everything"),
        "window": Kind("where the mask is not causal but a window"),
        "one-row": Kind("for a single element"),
    },
    faults=fault_list("""
post-norm: norm_1(X) → X
        and X + attention_output → norm_1(X + attention_output)
        and norm_2(H) → H
        and H + network_output → norm_2(H + network_output)
    This is the post-norm block of 2017, which adds first and normalizes the sum. In a pre-norm
    block the norms stand *before* the parts, and X itself goes straight through. {worst_row}
post-norm-1: norm_1(X) → X
        and X + attention_output → norm_1(X + attention_output)
    Your first part is post-norm: norm_1 acts on the sum. It belongs *before* attention, and the sum
    stays as it is. {worst_row}
post-norm-2: norm_2(H) → H
        and H + network_output → norm_2(H + network_output)
    Your second part is post-norm: norm_2 acts on the sum. It belongs *before* the feed-forward
    network, and the sum stays as it is. {worst_row}
norm-2-missing: norm_2(H) → H
    norm_2 is missing: the feed-forward network sees the result of the first part as it is,
    with whatever size its rows have grown to. {worst_row}
parallel: norm_2(H) → norm_2(X)
    Both parts read X: the feed-forward network sees nothing of what attention has found. What
    should norm_2 read? {worst_row}
norms-swapped: norm_1(X) → norm_2(X)
        and norm_2(H) → norm_1(H)
    The norms are swapped: norm_1 stands before attention, norm_2 before the feed-forward network.
    Each has its own gain and bias. {worst_row}
shared-norm: norm_2(H) → norm_1(H)
    You use norm_1 twice. The second part has a norm of its own, norm_2, with its own gain and bias.
    {worst_row}
residual-1-dropped: X + attention_output → attention_output
    The first residual connection is missing: your first part gives only what attention returns,
    and X is lost. Add the two, X as it was before the norm. {worst_row}
residual-2-dropped: H + network_output → network_output
    The second residual connection is missing: you return what the feed-forward network gives, and
    the result of the first part is lost. Add the two. {worst_row}
residual-2-from-x: H + network_output → X + network_output
    At the end you add X, the input of the block. Add the result of the first part: otherwise what
    attention found reaches the output only through the feed-forward network. {worst_row}
overwritten-1: X + attention_output → normed_X + attention_output
    What attention returns is added to the *normed* X. The sum begins with X itself: if you
    overwrite X by norm_1(X), give the normed rows another name. {worst_row}
overwritten-2: H + network_output → normed_H + network_output
    What the feed-forward network returns is added to the *normed* sum. Add it to the sum as it was
    before the norm: keep that under a name of its own. {worst_row}
overwritten-both: X + attention_output → normed_X + attention_output
        and H + network_output → normed_H + network_output
    Both sums begin with the *normed* array: what a part returns is added to what it read. What
    should it be added to? (Is X overwritten by its norm?) {worst_row}
norm-after-attention: norm_1(X) → X
        and X + attention_output → X + norm_1(attention_output)
    norm_1 acts on what attention *returns*. It belongs before it, attention(norm_1(X)). {worst_row}
norm-after-feed-forward: norm_2(H) → H
        and H + network_output → H + norm_2(network_output)
    norm_2 acts on what the feed-forward network *returns*. It belongs before it,
    feed-forward(norm_2(H)). {worst_row}
norm-at-the-end: return Y → return norm_2(Y)
    You normalize the result once more. A pre-norm block ends with a sum; the final norm comes once,
    after the last block of the whole stack. {worst_row}
polarity: (normed_X, mask) → (normed_X, ~mask)
    `attend` gets the mask turned around, and each element sees just what it must not see. Here True
    means *may attend*: does anything, such as `~`, have to be done with it? {worst_row}
mask-lost: (normed_X, mask) → (normed_X)
    The mask is not passed on. Without it `attend` lets every element see all others, and no error
    tells you: it is called as `attend(…, mask)`.
norm-1-missing: norm_1(X) → X
    norm_1 is missing: attention reads X as it is. What comes before each part of a pre-norm block?
    {worst_row}
feed-forward-first: norm_1(X) → norm_2(X)
        and attend(normed_X, mask) → process(normed_X)
        and norm_2(H) → norm_1(H)
        and process(normed_H) → attend(normed_H, mask)
    The feed-forward network comes first in yours, and attention reads what it gives. Which of the
    two parts does a block begin with? {worst_row}
reads-attention-alone: norm_2(H) → norm_2(attention_output)
    The feed-forward network reads only what attention returns. What should norm_2 read: that, or
    its sum with X? {worst_row}
x-added-again: H + network_output → X + H + network_output
    X is added a second time at the end. Which sum holds it already? {worst_row}
"""),
    properties=(Property("sees-the-future", _sees_the_future),),
    hints=(
        "Follow X through the block: to which two sums is something added, and what does each part "
        "read?",
        "Keep X as it is, and give a *normed copy* to attention. The sum of both is H; do the same "
        "with H, the second norm and the feed-forward network.",
        "`H = X + attend(norm_1(X), mask)`; the second line looks like it, without a mask.",
    ),
    built_ins=twins("block.pre_norm_block"),
)
