"""Exercise `softmax_jacobian`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def softmax_jacobian(weights):
    """Give the derivative of every softmax weight with respect to every score of its row."""
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    diagonal = weights[..., :, None] * identity
    outer_product = weights[..., :, None] * weights[..., None, :]
    return diagonal - outer_product


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260304)

    def draw(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.full(shape[-1], 2.0), shape[:-1])

    nearly_one = np.array([2e-5, 1.0, 3e-6, 5e-5, 1e-7, 8e-6])
    return (
        Case((np.array([0.5, 0.3, 0.2]),), "example"),
        Case((draw(7),)),
        Case((draw(4),)),
        *(Case((draw(*s),), "batch") for s in ((5, 8), (5, 5), (2, 3, 11), (1, 4))),
        Case((np.ones((3, 1)),), "batch"),
        Case((np.ones(1),), "one"),
        Case((np.eye(5)[2],), "saturated"),
        Case((nearly_one / nearly_one.sum(),), "nearly-one"),
        Case((draw(13).astype("f4"),), "float32"),
    )


def _row_sums(c: Context) -> str | None:
    if np.abs(c.got.sum(axis=-1)).max() <= 1e-3 * np.abs(c.got).max():
        return None
    return (
        "The weights always sum to 1, so a score can only move weight around: the rows of the "
        f"Jacobian sum to 0. Yours sum to {c.sums()}."
    )


exercise = Exercise(
    softmax_jacobian,
    place=40,
    minutes=12,
    level="medium",
    section="How weights respond to scores: the Jacobian",
    task="""
Write `softmax_jacobian(weights)`. Given the weights a = softmax(s) (not the scores), entry (j, m)
of the result is $\\partial a_j / \\partial s_m = a_j (\\delta_{jm} - a_m)$: what weight j gains
when score m grows. Shape (…, n) in, (…, n, n) out, one matrix for each row of weights.
""",
    cases=_cases,
    kinds={
        "saturated": Kind("where one weight is 1", "All derivatives are 0 there."),
        "nearly-one": Kind("where one weight is nearly 1"),
        "one": Kind("for a single weight", "It is always 1: the result is [[0]]."),
        "batch": Kind(
            "with leading batch axes",
            "`np.diag` and `np.outer`, if you use them, know no batches: insert axes with "
            "`[..., :, None]` and `[..., None, :]`, and multiply by `np.eye(n)`.",
            apart=True,
        ),
    },
    faults=fault_list("""
sigmoid-like: diagonal - outer_product → (diagonal - outer_product) * identity
    You have the diagonal a (1 − a), and zeros elsewhere: that is the derivative of a sigmoid,
    where each output depends on its own score only. Off the diagonal ∂a_j/∂s_m = −a_j a_m.
identity-alone: diagonal - outer_product → identity + 0 * outer_product
    You return the identity: that is how the weights change with themselves. Asked for is how
    they change with the *scores*, from which softmax made them.
off-diagonal-sign: weights[..., None, :] → weights[..., None, :] * (2 * identity - 1)
    Off the diagonal the sign is wrong: when score m grows, every *other* weight shrinks.
upper-half: diagonal - outer_product → np.triu(diagonal - outer_product)
    The lower half is empty: j and m both run over all n.
lower-half: diagonal - outer_product → np.tril(diagonal - outer_product)
    The upper half is empty: j and m both run over all n.
dot: weights[..., :, None] * weights[..., None, :] → (weights**2).sum(axis=-1)[..., None, None]
    What you subtract is one number, Σa² (`weights @ weights`), from every entry; a aᵀ is a matrix
    with a_j a_m at (j, m): the weights as a column, times the weights as a row.
own-weight-twice: weights[..., :, None] * weights[..., None, :] → weights[..., :, None] ** 2
    Off the diagonal you have −a_j², the row's weight times itself, where −a_j a_m is right, the
    row's weight times the column's: `[..., :, None]` for the one, `[..., None, :]` for the other.
diagonal-factor-missing: weights[..., :, None] * identity
            → (1 - weights + weights**2)[..., :, None] * identity
    On the diagonal the factor a_j is missing: you have 1 − a_j there, and a_j (1 − a_j) is right.
diagonal-without-square: weights[..., None, :] → weights[..., None, :] * (1 - identity)
    On your diagonal stands a_j alone. δ_jj is 1, and what does a_j (1 − a_j) subtract from a_j?
delta-alone: weights[..., :, None] * identity → identity
    δ_jm is not multiplied by a_j: on the diagonal you have 1 − a_j², and a_j − a_j² is right.
sign: diagonal - outer_product → outer_product - diagonal
    The sign of the whole is wrong: of the two terms in a_j (δ_jm − a_m), which has the minus?
delta-everywhere: weights[..., :, None] * identity → weights[..., :, None] + 0 * identity
    You take δ_jm as 1 everywhere: a_j (1 − a_m). It is 1 where j = m and 0 elsewhere, so that off
    the diagonal −a_j a_m remains. {worst_row}
diagonal-squared: weights[..., :, None] * identity → 2 * weights[..., :, None] ** 2 * identity
    On your diagonal stands a_j². δ_jj is 1: what is a_j (1 − a_j)?
delta-left-out: weights[..., :, None] * identity → 0 * identity
    Your diagonal is made like the rest, of a product of two weights alone. a_j (δ_jm − a_m) has one
    term more there: what is δ_jm where j = m?
diagonal-swapped: weights[..., :, None] * identity → weights[..., :, None] * (1 - identity)
    δ_jm is the wrong way around: it is 1 *on* the diagonal and 0 off it.
softmaxed-again: identity = np
            → weights = np.exp(weights) / np.exp(weights).sum(-1)[..., None] ⏎ identity = np
    You apply a softmax to the argument first: it holds the weights already, not the scores.
flattened: identity = np → weights = weights.reshape(-1, weights.shape[-1]) ⏎ identity = np
    For weights of shape {weights.shape} you return {your.shape}: your matrices always stand along
    one axis. Do you flatten the leading axes, as `reshape(-1, n)` does? The result has those of
    `weights`, no more and no fewer: {right.shape}.
one-long-row: weights.shape[-1], dtype → (weights := weights.ravel()).size, dtype
    For weights of shape {weights.shape} you return {your.shape}: all rows have become one long row
    (a `ravel` or `flatten`?). Each row of weights has a matrix of its own: {right.shape}.
subtracted-factor-missing: weights[..., :, None] * weights[..., None, :] → weights[..., None, :]
    You subtract a_m alone. In a_j (δ_jm − a_m), what does the factor a_j multiply?
row-factor-missing: weights[..., :, None] * identity → identity
        and weights[..., :, None] * weights[..., None, :] → weights[..., None, :]
    The factor a_j is missing: δ_jm − a_m alone belongs to the derivative of log a_j.
plus: diagonal - outer_product → diagonal + outer_product
    You *add* a_j a_m, and the rows then sum to more than 0. Which sign does a_m have in
    a_j (δ_jm − a_m)?
diagonal-left-at-0: diagonal - outer_product → (diagonal - outer_product) * (1 - identity)
    Your diagonal is 0: does a loop skip j = m? A weight grows with its own score: what is
    a_j (δ_jm − a_m) for m = j?
column-weight-twice: weights[..., :, None] * weights[..., None, :] → weights[..., None, :] ** 2
    Off the diagonal you have −a_m², the column's weight times itself. In a_j (δ_jm − a_m), which
    weight is the factor in front? (`[..., None, :]` lays the weights along the columns.)
"""),
    properties=(Property("row-sums", _row_sums),),
    wrong_lines=("sigmoid-like", "own-weight-twice", "diagonal-swapped"),
    hints=(
        "If score m grows a little, what happens to weight m, and what to all the others?",
        "Two matrices: one has the weights on its diagonal, the other has a_j a_m at (j, m).",
        "`weights[..., :, None] * np.eye(n)` is the first for any batch; "
        "`weights[..., :, None] * weights[..., None, :]` the second. Subtract.",
    ),
    built_ins=(
        *twins("softmax.softmax_jacobian"),
        "torch.autograd.functional.jacobian",
        "torch.func.jacrev",
        "torch.func.jacfwd",
    ),
)
