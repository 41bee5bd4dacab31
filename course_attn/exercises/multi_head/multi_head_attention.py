"""Exercise `multi_head_attention` of chapter 7."""

import numpy as np

from course_attn.checking import Context, Exercise, Kind, Property, number
from course_attn.exercises.multi_head._attention import attended, cases
from course_attn.exercises.multi_head._attention_faults import FAULTS

__all__ = ["exercise"]


def multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    """Let several heads attend side by side, and mix what they found."""
    *batch, n, d_model = X.shape
    parts = (*batch, n, n_heads, d_model // n_heads)
    Q = (X @ W_Q).reshape(parts).swapaxes(-2, -3)
    K = (X @ W_K).reshape(parts).swapaxes(-2, -3)
    V = (X @ W_V).reshape(parts).swapaxes(-2, -3)
    scores = Q @ K.swapaxes(-1, -2) / (d_model // n_heads) ** 0.5
    scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    heads = (weights @ V).swapaxes(-2, -3)
    return heads.reshape(*batch, n, d_model) @ W_O


def _moved(c: Context, i: int, j: int) -> float:
    """Return by how much output i moves when input j is changed."""
    given = dict(c.given)
    X = given["X"].copy()
    X[..., j, :] += np.arange(1, X.shape[-1] + 1, dtype=X.dtype)
    after = c.call(*(given | {"X": X}).values())
    if after is None or after.shape != c.got.shape or c.got.shape != X.shape:
        return np.nan
    return float(np.abs(after - c.got)[..., i, :].max())


def _sees_hidden(c: Context) -> str | None:
    for i, j in np.argwhere(~c.given["mask"]):
        if _moved(c, i, j) > 1e-3:
            return (
                f"mask[{i}, {j}] is False, so element {i} may not attend to element {j}. But "
                f"changing row {j} of X moves row {i} of your output by {number(_moved(c, i, j))}."
            )
    return None


def _misses_allowed(c: Context) -> str | None:
    for i, j in np.argwhere(c.given["mask"]):
        if _moved(c, i, j) < 1e-9:
            return (
                f"mask[{i}, {j}] is True, so element {i} attends to element {j}. But changing row "
                f"{j} of X does not move row {i} of your output at all."
            )
    return None


def _heads_not_alike(c: Context) -> str | None:
    """Exchange the heads in all four matrices, which no right answer notices."""
    n_heads = c.given["n_heads"]
    width = c.given["X"].shape[-1] // n_heads
    turned = np.roll(np.arange(n_heads * width), width)
    X, *W, W_O = (c.given[name] for name in ("X", "W_Q", "W_K", "W_V", "W_O"))
    after = c.call(
        X, *(A[:, turned] for A in W), W_O[turned], n_heads, c.given["mask"]
    )
    if after is None or after.shape != c.got.shape:
        return None
    change = np.abs(after - c.got).max()
    if np.isnan(change) or change < 1e-3 * np.abs(c.got).max():
        return None
    return (
        f"Numbering the heads otherwise (blocks of {width} columns of W_Q, W_K and W_V, and the "
        "same blocks of rows of W_O) must change nothing. Your output moves by "
        f"{number(change)}: some head does not use the same block in all four."
    )


def _not_linear_in_the_last(c: Context) -> str | None:
    after = c.call(*(dict(c.given) | {"W_O": 0 * c.given["W_O"]}).values())
    if after is None or not np.abs(after).max() > 1e-6:
        return None
    return (
        "The last step is a product with W_O, so for W_O = 0 every output is 0. Yours then reaches "
        f"{number(np.abs(after).max())}."
    )


exercise = Exercise(
    solution=multi_head_attention,
    place=30,
    section="With the heads as a batch axis",
    task="""
Write `multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads, mask)`, self-attention
with several heads: X has shape (…, n, d_model), all four matrices are (d_model,
d_model) and used as $X W^Q$, and n_heads divides d_model. Head h gets the h-th
block of $d_k = d_\\text{model} / n_\\text{heads}$ columns of $X W^Q$, $X W^K$ and
$X W^V$ (its queries, keys and values) and computes attention with them, scaled by
$1/\\sqrt{d_k}$. The heads' results stand side by side, head 0 first, and are
multiplied by $W^O$: the result has shape (…, n, d_model).

`mask` is an array of bool of shape (n, n), the same for every head and every
sequence of a batch: True where element i may attend to element j. Every row
of it has a True. You may use your own functions of this and earlier chapters.
""",
    cases=lambda: cases(20260703),
    variant=attended,
    kinds={
        "one-head": Kind("for a single head", "Then d_k is d_model."),
        "square": Kind("where n = d_model"),
        "equal-heads": Kind("where n_heads = d_k"),
    },
    points=2,
    faults=FAULTS,
    properties=(
        Property("sees-what-is-hidden", _sees_hidden),
        Property("misses-what-is-allowed", _misses_allowed),
        Property("last-step", _not_linear_in_the_last),
        Property("heads-not-alike", _heads_not_alike),
    ),
    hints=(
        "Once the heads are a batch axis, everything between is the masked, scaled attention that "
        "you know. What comes before it, and what after?",
        "Project all of X, split into heads, attend (the mask (n, n) broadcasts over the heads, "
        "the scale is that of one head), merge, multiply by W_O.",
        "`Q = split_heads(X @ W_Q, n_heads)`, the same for K and V; the scores are divided by "
        "`Q.shape[-1] ** 0.5`; and at the end `merge_heads(weights @ V) @ W_O`.",
    ),
    built_ins=(
        "course_attn.in_numpy.multi_head.multi_head_attention",
        "course_attn.in_numpy.multi_head.multi_head_attention_loop",
    ),
)
