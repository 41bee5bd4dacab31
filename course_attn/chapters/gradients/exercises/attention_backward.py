"""Exercise `attention_backward`."""

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
    told_apart,
)

__all__ = ["exercise"]


def attention_backward(Q, K, V, d_out, mask):
    """Take the gradient of a loss from the outputs of attention back to Q, K and V."""
    divisor = Q.shape[-1] ** 0.5
    scores = Q @ K.swapaxes(-2, -1) / divisor
    masked_scores = np.where(mask, scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    A = exps / exps.sum(axis=-1, keepdims=True)
    dA = d_out @ V.swapaxes(-2, -1)
    row_term = (A * dA).sum(axis=-1, keepdims=True)
    dS = A * (dA - row_term)
    dQ = dS @ K / divisor
    dK = dS.swapaxes(-2, -1) @ Q / divisor
    dV = A.swapaxes(-2, -1) @ d_out
    return dQ, dK, dV


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261502)

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int, hidden: float = 0.4
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v))
        drawn = [1.3 * rng.standard_normal((*batch, *size)) for size in sizes]
        mask = rng.uniform(size=(n_q, n_k)) >= hidden
        mask[np.arange(n_q), rng.integers(0, n_k, n_q)] = True
        return *drawn, mask

    *causal, _ = given(6, 6, 4, 3)
    return (
        Case(given(2, 3, 4, 2), "example"),
        Case(given(5, 7, 3, 2)),
        Case(given(4, 3, 11, 5)),
        Case(given(5, 7, 2, 11, hidden=0.0), "all-allowed"),
        Case((*causal, np.tri(6, dtype=bool)), "causal"),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(3, 5, 7, 4, 2), "batch"),
        Case(given(4, 6, 3, 2, 2, 3), "batch"),
        Case(given(1, 6, 5, 3), "one-query"),
        Case((*given(4, 5, 3, 7)[:4], np.eye(4, 5, dtype=bool)), "one-allowed"),
    )


def _nudge(c: Context) -> str | None:
    """Say what a nudge of the worst entry would measure."""
    result = c.given["result"]
    if c.got.shape != c.expected.shape:
        return None
    off = np.abs(np.nan_to_num(c.got, nan=np.inf) - c.expected)
    place = tuple(map(int, np.unravel_index(int(off.argmax()), off.shape)))
    mine, right = told_apart(c.got[place], c.expected[place])
    return (
        f"Nudge {result[1]}{list(place)} a little, and the loss changes at the rate {right}; "
        f"your {result}{list(place)} is {mine}."
    )


def _which(c: Context) -> str | None:
    """Say what is wrong with the worst entry, and what the other results tell."""
    names = ("dQ", "dK", "dV")
    given = tuple(c.given.values())[:-1]
    wanted = dict(zip(names, attention_backward(*given), strict=True))
    found = {name: c.call(*given, name) for name in names}
    right = [
        name
        for name, value in found.items()
        if value is not None
        and value.shape == wanted[name].shape
        and np.allclose(value, wanted[name], rtol=1e-4, atol=1e-6)
    ]
    if "dQ" in right or "dK" in right:
        told = f"Your {' and '.join(right)} {'are' if right[1:] else 'is'} right."
    elif "dV" not in right:
        told = (
            "dV depends on the weights and `d_out` alone: are your weights those of the forward "
            "pass, computed with the mask?"
        )
    else:
        told = "Your dV is right, and so are the weights: look at what comes after them, dA and dS."
    return f"{_nudge(c) or ''} {told}".strip()


exercise = Exercise(
    attention_backward,
    place=30,
    minutes=20,
    level="hard",
    prepares=("layer_norm_backward",),
    section="In one line: every box with its shape",
    task="""
The whole way back, now with a mask and in batches. Write `attention_backward(Q, K, V, d_out,
mask)`: Q has shape (…, n_q, d_k), K (…, n_k, d_k) and V (…, n_k, d_v). The outputs were those of
attention with scores divided by $\\sqrt{d_k}$; `mask` is a bool array of shape (n_q, n_k), the same
for all sequences of a batch, True where a query may attend, and every query may attend to at least
one key. `d_out`, of shape (…, n_q, d_v), is the gradient of a loss with respect to the outputs.
Compute the weights anew, and return three arrays, `dQ, dK, dV`, with the shapes of Q, K and V. You
may use your own `softmax_backward`, or the course's functions, imported in the cell of your answer:
`from course_attn.in_numpy import softmax, softmax_backward`.
""",
    cases=_cases,
    results=("dQ", "dK", "dV"),
    terms={"nudge": _nudge},
    kinds={
        "all-allowed": Kind("where the mask allows everything"),
        "causal": Kind("under a causal mask"),
        "one-query": Kind("for a single query"),
        "one-allowed": Kind(
            "where each query may attend to a single key",
            "Its weight is 1, whatever the scores: dQ and dK are 0, and dV is not.",
        ),
    },
    faults=fault_list("""
no-root-back: dS @ K / divisor → dS @ K
        and @ Q / divisor → @ Q
    √d_k is forgotten on the way back. The scores are Q Kᵀ/√d_k, so that moving a query moves them
    √d_k times less: divide dQ and dK, too. {nudge}
no-root-forward: Q @ K.swapaxes(-2, -1) / divisor → Q @ K.swapaxes(-2, -1)
    On the way forward you do not divide the scores by √d_k. Your weights have to be those that the
    outputs were made with. {nudge}
no-root-back-to-K: @ Q / divisor → @ Q
    You divide dQ by √d_k, but not dK. The scores have 1/√d_k in front, for keys as for queries.
    {nudge}
no-root-back-to-Q: dS @ K / divisor → dS @ K
    You divide dK by √d_k, but not dQ. The scores have 1/√d_k in front, for queries as for keys.
    {nudge}
twice-the-root-to-Q: dS @ K / divisor → dS @ K / divisor**2
    Your dQ is divided by √d_k twice, by d_k in all. The scores are Q Kᵀ/√d_k, so that √d_k comes
    in once. {nudge}
root-of-d_v: Q.shape[-1] ** 0.5 → V.shape[-1] ** 0.5
    You divide the scores by √d_v, with d_v = {V.last}. Each is a sum of as many products as a query
    has features: how many are these? {nudge}
root-of-d_v-back: dS @ K / divisor → dS @ K / V.shape[-1] ** 0.5
        and @ Q / divisor → @ Q / V.shape[-1] ** 0.5
    On the way back you divide by √d_v, from the width of the values. By what were the scores
    divided? {nudge}
mask-ignored: np.where(mask, scores, -np.inf) → scores
    The mask is ignored: in your weights every query attends to every key, and what is hidden gets a
    gradient. The weights are to be those of the forward pass. {nudge}
mask-late: np.where(mask, scores, -np.inf) → scores
        and A * (dA - row_term) → np.where(mask, A * (dA - row_term), 0)
    You use the mask on the gradient of the scores alone. Your weights, and so dV, are those without
    a mask: every query attends to every key. On the way forward the mask belongs before the
    softmax. {nudge}
mask-after-softmax: np.where(mask, scores, -np.inf) → scores
        and exps / exps.sum(axis=-1, keepdims=True)
            → exps / exps.sum(axis=-1, keepdims=True) * mask
    Your weights no longer sum to 1: the mask comes after the softmax, when what it hides has taken
    its share. Hide the *scores* (−∞), before the softmax. {nudge}
fill-zero: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
    You set hidden scores to 0, and e to the power 0 is not 0: in your weights they take a share.
    Which score gives the weight 0? {nudge}
mask-flipped: np.where(mask, scores, -np.inf) → np.where(mask, -1e9, scores)
    Your mask is the wrong way around. True means "may attend" here. {nudge}
softmax-left-out: A * (dA - row_term) → dA + 0 * row_term
    You take the gradient of the weights for that of the scores. Between the two lies the softmax:
    dS = A ∘ (dA − r). {nudge}
row-term-missing: A * (dA - row_term) → A * dA
    The row term is missing: A ∘ dA is the derivative of the exponential alone. The sum in the
    softmax's denominator depends on every score, too. {nudge}
sigmoid-like: A * (dA - row_term) → A * (1 - A) * dA + 0 * row_term
    You multiply dA by A ∘ (1 − A), the derivative of a sigmoid. That is the diagonal of the
    softmax's Jacobian only: every weight depends on *every* score of its row. {nudge}
dK-not-transposed: dS.swapaxes(-2, -1) @ Q → dS @ Q
    In dK you multiply by dS. Keys are the *columns* of the scores: dK = dSᵀ Q. (With as many
    queries as keys the shape is right either way.)
dV-not-transposed: A.swapaxes(-2, -1) @ d_out → A @ d_out
    In dV you multiply by A. A value hears from the queries that attended to it, a *column* of the
    weights: dV = Aᵀ `d_out`. (With as many queries as keys the shape is right either way.)
root-in-dV: @ d_out → @ d_out / divisor
    You divide dV by √d_k. The root stands in the scores: are the values behind them, or before?
    {nudge}
dV-from-outputs: A.swapaxes(-2, -1) @ d_out → A.swapaxes(-2, -1) @ (A @ V)
    Your dV is made of the outputs. Their *gradient*, `d_out`, is what comes back. {nudge}
step-not-gradient: return dQ, dK, dV → return -dQ, -dK, -dV
    Right but for the sign: you return the *step* that goes against the gradients. The gradients
    themselves are asked for. {nudge}
infinite-dS: dS = A * (dA - row_term) → dS = np.where(mask, A * (dA - row_term), -np.inf)
    You put −∞ into the gradient of the scores. −∞ is a *score*, before the softmax: then the weight
    is 0, which makes its gradient 0 by itself. The mask is not needed again.
infinite-dA: dA = d_out @ V.swapaxes(-2, -1)
            → dA = np.where(mask, d_out @ V.swapaxes(-2, -1), -np.inf)
    You put −∞ into the gradient of the weights, and 0 · −∞ is NaN. −∞ is a *score*, before the
    softmax: then the weight is 0, and so is all that comes back through it. The mask is not needed
    again.
Q-and-K-exchanged: dS @ K → dS @ Q
        and dS.swapaxes(-2, -1) @ Q → dS.swapaxes(-2, -1) @ K
    You multiply by Q for dQ and by K for dK. It is the other way round: dQ is made of keys, and dK
    of queries. dQ = dS K/√d_k, and dK = dSᵀ Q/√d_k. (With as many queries as keys the shapes fit
    either way.)
order: return dQ, dK, dV → return dV, dK, dQ
    Your results are in another order. `return dQ, dK, dV`.
unscaled: Q.shape[-1] ** 0.5 → 1.0
    √d_k plays no part: neither are your scores divided by it, nor dQ and dK. {nudge}
divided-by-d: Q.shape[-1] ** 0.5 → Q.shape[-1]
    You divide by d_k, on the way forward and back. Which power of it were the scores divided by?
    {nudge}
root-twice-back: dS @ K / divisor → dS @ K / divisor**2
        and @ Q / divisor → @ Q / divisor**2
    On the way back you divide by √d_k twice: is it in dS already? {nudge}
column-term: (A * dA).sum(axis=-1, keepdims=True) → (A * dA).sum(axis=-2, keepdims=True)
    You sum A ∘ dA down the columns. Which weights share one softmax, a row or a column? {nudge}
"""),
    properties=(Property("which", _which),),
    wrong_lines=("row-term-missing", "dK-not-transposed", "dV-from-outputs"),
    hints=(
        "Which boxes did the forward pass go through? Take them in the opposite order, and write "
        "down the shape of every gradient.",
        "Compute the weights A with the mask. Then dV and dA from the product A V, dS from the "
        "softmax, dQ and dK from Q Kᵀ/√d_k. The mask is not needed again: A is 0 there.",
        "dV = Aᵀ d_out, dA = d_out Vᵀ, dS = A ∘ (dA − rowsum(A ∘ dA)), dQ = dS K/√d_k, "
        "dK = dSᵀ Q/√d_k; in a batch, `.swapaxes(-2, -1)` transposes.",
    ),
    built_ins=(
        *twins("gradients.attention_backward"),
        "torch.autograd.grad",
    ),
)
