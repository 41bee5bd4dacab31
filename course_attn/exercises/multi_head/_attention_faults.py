"""The known mistakes of `multi_head_attention`."""

from functools import partial

import numpy as np

from course_attn.checking import Context, Fault, number
from course_attn.exercises.multi_head._attention import (
    attended,
    cut_in_turn,
    cut_straight,
    dots,
    flat,
    hidden_weight,
    joined_in_turn,
    joined_straight,
    kept_weight,
    own_slices,
    right_weights,
    softmax,
)
from course_attn.exercises.multi_head._steps import same, split, worst_row

__all__ = ["FAULTS"]


def _d_k(c: Context) -> int:
    return c.given["X"].shape[-1] // c.given["n_heads"]


def _pair(here: np.ndarray) -> str:
    """Return the first pair of query and key of which something holds."""
    i, j = np.argwhere(here)[0]
    return f"mask[{i}, {j}]"


FAULTS = (
    # How the heads are made.
    Fault(
        "one-head-for-all",
        lambda X, W_Q, W_K, W_V, W_O, n_heads, mask: attended(
            X, W_Q, W_K, W_V, W_O, 1, mask
        ),
        lambda c: (
            f"You attend once with all {c.given['X'].shape[-1]} features, as if n_heads were "
            f"1; it is {c.given['n_heads']}. Each head has a softmax of its own over the "
            f"scores of its own {_d_k(c)} features: cut Q, K and V before the scores. "
            f"{worst_row(c)}"
        ),
    ),
    Fault(
        "scores-added",
        {"score": lambda Q, K: dots(Q, K).sum(axis=-3, keepdims=True)},
        lambda c: (
            "All your heads share one set of scores: a product Q Kᵀ over all "
            f"{c.given['X'].shape[-1]} features is the *sum* of the heads' scores, Σ_h Q_h "
            "K_hᵀ. One softmax of a sum is not several softmaxes: every head should look "
            f"where it wants. {worst_row(c)} Make the heads a batch axis before `Q @ Kᵀ`."
        ),
    ),
    Fault(
        "cut-by-reshape",
        {"cut": cut_straight},
        lambda c: (
            "You cut Q, K and V into heads by a `reshape` alone. The shape is right, but the "
            "elements are mixed up: with "
            f"n = {c.given['X'].shape[-2]} your head 0 gets only the first "
            f"{-(-c.given['X'].shape[-2] // c.given['n_heads'])} of them, with their features "
            "spread over several rows. Reshape to (…, n, n_heads, d_k), then swap the axes "
            f"−2 and −3. {worst_row(c)}"
        ),
    ),
    Fault(
        "cut-in-turn",
        {"cut": cut_in_turn},
        lambda c: (
            "You deal the features to the heads in turn: head 0 gets columns 0, "
            f"{c.given['n_heads']}, … of X W_Q. Head h should get a *block*, columns "
            f"{_d_k(c)}h to {_d_k(c)}h + {_d_k(c) - 1}: in the reshape n_heads comes before "
            f"d_k. {worst_row(c)}"
        ),
    ),
    Fault(
        "slices-of-x",
        {"matrices": own_slices},
        lambda c: (
            f"Each of your heads sees only its own {_d_k(c)} of the "
            f"{c.given['X'].shape[-1]} features of X. A head projects *all* of X: first "
            "`X @ W_Q`, then cut the result. What is cut are the columns of W_Q, not those "
            f"of X. {worst_row(c)}"
        ),
    ),
    Fault(
        "not-projected",
        {"project": lambda X, W: X},
        lambda c: (
            "You cut X itself into heads: W_Q, W_K and W_V play no part. Then each head gets "
            f"fixed features, and asks with what it offers. {worst_row(c)}"
        ),
    ),
    Fault(
        "transposed-projections",
        {"matrices": lambda *args: [W.T for W in args[:3]]},
        lambda c: (
            "You multiply by the *transposed* W_Q, W_K and W_V. `nn.Linear` stores them so; "
            "here they are used as they are, `X @ W_Q`. They are square, so no error tells "
            f"you. {worst_row(c)}"
        ),
    ),
    Fault(
        "keys-by-queries-matrix",
        {"matrices": lambda W_Q, W_K, W_V, n_heads: (W_Q, W_Q, W_V)},
        lambda c: (
            "Your keys are made with W_Q, so each head's scores are symmetric. Keys have "
            f"their own matrix, W_K. {worst_row(c)}"
        ),
    ),
    Fault(
        "values-by-keys-matrix",
        {"matrices": lambda W_Q, W_K, W_V, n_heads: (W_Q, W_K, W_K)},
        lambda c: (
            f"Your values are made with W_K; they have their own matrix, W_V. {worst_row(c)}"
        ),
    ),
    Fault(
        "queries-and-keys-swapped",
        {"score": lambda Q, K: dots(K, Q)},
        lambda c: (
            "Queries and keys are swapped: row i of your scores belongs to *key* i. Rows ask: "
            f"`Q @ Kᵀ`. n_q = n_k hides it in the shapes. {worst_row(c)}"
        ),
    ),
    # The scale.
    Fault(
        "no-scale",
        {"root": lambda d_model, n_heads, n: 1.0},
        lambda c: (
            "The scale is missing: divide the scores by √d_k = "
            f"√{_d_k(c)} ≈ {number(_d_k(c) ** 0.5)}. {worst_row(c)}"
        ),
    ),
    Fault(
        "root-of-d-model",
        {"root": lambda d_model, n_heads, n: d_model**0.5},
        lambda c: (
            f"You divide the scores by √d_model = √{c.given['X'].shape[-1]}. A head's scores "
            f"are sums of d_k = {_d_k(c)} products, so √{_d_k(c)} is right; yours come out "
            f"{number(c.given['n_heads'] ** 0.5)} times too small. (The `shape[-1]` of Q *after* "
            "the heads are cut is d_k.)"
        ),
    ),
    Fault(
        "divided-by-d-k",
        {"root": lambda d_model, n_heads, n: d_model / n_heads},
        lambda c: (
            f"You divide the scores by d_k = {_d_k(c)}, not by its root: they come out "
            f"{number(_d_k(c) ** 0.5)} times too small."
        ),
    ),
    Fault(
        "root-of-n",
        partial(attended, root=lambda d_model, n_heads, n: n**0.5),
        lambda c: (
            f"You divide the scores by √n = √{c.given['X'].shape[-2]}: that is the number of "
            f"elements (`shape[-2]`). A score is a sum over d_k = {_d_k(c)} features."
        ),
    ),
    # The mask and the softmax.
    Fault(
        "no-mask",
        {"see": np.ones_like},
        lambda c: (
            f"The mask plays no part: {hidden_weight(c)} goes where mask is False. Set the "
            "scores there to −∞ before the softmax."
        ),
    ),
    Fault(
        "mask-inverted",
        {"see": np.logical_not},
        lambda c: (
            "The mask is turned round: you hide what is True. Here True means *may attend*: "
            f"{_pair(c.given['mask'])} is True, and you give that key no weight. (In "
            "`nn.MultiheadAttention` it is the other way round.)"
        ),
    ),
    Fault(
        "mask-transposed",
        {"see": np.transpose},
        lambda c: (
            "You use the mask transposed. In mask[i, j] the row i is the query and the column "
            "j the key, as in the scores: "
            f"{_pair(~c.given['mask'] & c.given['mask'].T)} is False, and there you give weight."
        ),
    ),
    Fault(
        "always-causal",
        partial(attended, see=lambda mask: np.tri(len(mask), dtype=bool)),
        lambda c: (
            "You use a causal mask whatever `mask` says: "
            f"{_pair(np.tri(len(c.given['mask'])) > c.given['mask'])} is False, and there you "
            "give weight. Take the mask as it is given."
        ),
    ),
    Fault(
        "masked-after",
        {
            "hide": lambda scores, mask: scores,
            "veil": lambda weights, mask: weights * mask,
        },
        lambda c: (
            "You mask *after* the softmax: what was hidden has already taken its share, and "
            f"a query's weights sum to {kept_weight(c)} instead of 1. Set the hidden scores "
            "to −∞ before the softmax."
        ),
    ),
    Fault(
        "filled-with-zero",
        {"hide": lambda scores, mask: np.where(mask, scores, 0)},
        lambda c: (
            "You set the hidden scores to 0 (`scores * mask` does that). A score of 0 is an "
            "ordinary score, with exp(0) = 1: those keys still get weight. Use −∞."
        ),
    ),
    Fault(
        "added-as-numbers",
        partial(attended, hide=np.add),
        lambda c: (
            "You add the mask to the scores. True counts as 1: the allowed keys get a little "
            "more, e times the weight, and nothing is hidden. Use `np.where(mask, scores, "
            "-np.inf)`."
        ),
    ),
    Fault(
        "down-the-columns",
        {"weigh": lambda scores: softmax(scores, axis=-2)},
        lambda c: (
            "Your softmax runs down the columns: each key shares itself out among the queries. "
            f"Each *query* has one unit to share out: the last axis. {worst_row(c)}"
        ),
    ),
    Fault(
        "across-the-heads",
        {"weigh": lambda scores: softmax(np.maximum(scores, -1e9), axis=-3)},
        lambda c: (
            f"Your softmax runs across the {c.given['n_heads']} heads: for each query and key "
            "the heads' weights sum to 1, even where all of them are hidden. Every head shares "
            "out its own unit among the keys: the last axis."
        ),
    ),
    Fault(
        "no-softmax",
        {"weigh": lambda scores: np.where(np.isinf(scores), 0, scores)},
        lambda c: (
            f"The softmax is missing: you mix with the raw scores. {worst_row(c)}"
        ),
    ),
    Fault(
        "whole-array",
        partial(attended, weigh=lambda scores: softmax(scores, axis=None)),
        lambda c: (
            "You divide by the sum over all queries and heads (and sequences) together: all "
            "weights sum to 1, and those of each query should. `axis=-1, keepdims=True`. "
            f"{worst_row(c)}"
        ),
    ),
    Fault(
        "nothing-but-nan",
        lambda X, *unused: np.full_like(X, np.nan),
        "All your numbers are NaN. With −∞ among the scores, three mistakes do that: a softmax "
        "along another axis than the last, where all of a key's scores may be −∞; no softmax at "
        "all before the mixing; or a mask made as `mask * -np.inf`, since 0·∞ is NaN.",
    ),
    Fault(
        "not-normalized",
        {"weigh": np.exp},
        lambda c: (
            "You take the powers of the scores but do not divide by their row sums. "
            f"{worst_row(c)}"
        ),
    ),
    Fault(
        "shifted-not-normalized",
        partial(
            attended,
            weigh=lambda scores: np.exp(scores - scores.max(-1, keepdims=True)),
        ),
        lambda c: (
            "You subtract each row's largest score and take the powers, but do not divide by "
            f"their row sums. {worst_row(c)}"
        ),
    ),
    # What is mixed, and how the heads come together.
    Fault(
        "mixed-down-the-columns",
        {"mix": lambda weights, V: weights.swapaxes(-1, -2) @ V},
        lambda c: (
            "The weights are right, but you mix with their *columns*: output i should use row "
            f"i, the weights of query i. `weights @ V`. {worst_row(c)}"
        ),
    ),
    Fault(
        "averaged-weights",
        {"mix": lambda weights, V: weights.mean(axis=-3, keepdims=True) @ V},
        lambda c: (
            f"You average the weights of the {c.given['n_heads']} heads and mix all values "
            "with the average. Then the heads no longer differ in where they look: each must "
            f"mix its own values with its own weights. {worst_row(c)}"
        ),
    ),
    Fault(
        "joined-by-reshape",
        {"join": joined_straight},
        lambda c: (
            "You bring the heads together by a `reshape` alone: the row of element 0 then "
            "holds several elements of *one* head. Swap the axes −2 and −3 first, then "
            f"reshape to (…, n, d_model). {worst_row(c)}"
        ),
    ),
    Fault(
        "joined-in-turn",
        {"join": joined_in_turn},
        lambda c: (
            "You join the heads in turn: feature 0 of every head, then feature 1. A head's "
            f"{_d_k(c)} features stay together, since the first {_d_k(c)} rows of W_O belong "
            f"to head 0. {worst_row(c)}"
        ),
    ),
    Fault(
        "heads-backward",
        {"join": lambda heads: flat(np.flip(heads, -3).swapaxes(-2, -3))},
        lambda c: (
            "The heads are joined in the wrong order, the last one first; the first rows of "
            f"W_O belong to head 0. {worst_row(c)}"
        ),
    ),
    Fault(
        "heads-averaged",
        lambda *args: attended(*args) / args[5],
        lambda c: (
            f"You average over the heads: your numbers are 1/{c.given['n_heads']} of the right "
            "ones. Side by side and multiplied by W_O, the heads' contributions *add up*, "
            "Σ_h head_h W_O^h."
        ),
    ),
    Fault(
        "no-output-matrix",
        {"finish": lambda out, W_O: out},
        lambda c: (
            "The product with W_O is missing at the end. Without it block h of every output "
            f"belongs to head h alone, and the heads never mix. {worst_row(c)}"
        ),
    ),
    Fault(
        "output-matrix-transposed",
        {"finish": lambda out, W_O: out @ W_O.T},
        lambda c: (
            "You multiply by the transposed W_O. `nn.Linear` stores it so; here it is "
            f"`… @ W_O`, and it is square, so no error tells you. {worst_row(c)}"
        ),
    ),
    Fault(
        "heads-not-joined",
        partial(attended, join=same, finish=same),
        lambda c: (
            f"You return the heads themselves, shape {c.got.shape}. Two steps are left: write "
            f"their vectors side by side, {c.expected.shape}, and multiply by W_O."
        ),
    ),
    Fault(
        "within-each-element",
        partial(
            attended,
            cut=lambda A, n_heads: split(A, n_heads).swapaxes(-2, -3),
            hide=same,
            join=flat,
        ),
        lambda c: (
            "After your cut Q has its positions before its heads, so `Q @ Kᵀ` compares the "
            f"{c.given['n_heads']} heads of *one* element with each other, and no element ever "
            "attends to another. Swap the axes −2 and −3 before the scores, and back after the "
            f"mixing. {worst_row(c)}"
        ),
    ),
    Fault(
        "returns-weights",
        lambda *args: right_weights(
            dict(zip(("X", "W_Q", "W_K"), args, strict=False))
            | {"n_heads": args[5], "mask": args[6]}
        ),
        lambda c: (
            f"You return the weights of the heads, shape {c.got.shape}. They are right; mix "
            "the values with them, join the heads and multiply by W_O."
        ),
    ),
)
