"""Exercise `project_qkv`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Exercise, Kind, fault_list

__all__ = ["exercise"]


def project_qkv(X, W_Q, W_K, W_V, Z):
    """Make queries from the elements that ask, keys and values from those that answer."""
    Q = X @ W_Q
    K = Z @ W_K
    V = Z @ W_V
    return Q, K, V


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260401).standard_normal

    def given(
        n_q: int, n_k: int, d: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        X, Z = draw((*batch, n_q, d)), draw((*batch, n_k, d))
        return X, draw((d, d_k)), draw((d, d_k)), draw((d, d_v)), Z

    X, *matrices, _ = given(5, 5, 8, 3, 2)
    return (
        Case(given(2, 4, 6, 3, 8), "example"),
        Case(given(5, 8, 11, 3, 2)),
        Case(given(9, 4, 2, 7, 12)),
        Case(given(5, 5, 5, 5, 5), "square"),
        Case((X, *matrices, X.copy()), "self"),
        Case(given(5, 7, 17, 11, 13, 2, 3), "batch"),
        Case(given(1, 4, 7, 1, 3), "one"),
        Case(given(4, 1, 7, 3, 1), "one"),
        Case(tuple(a.astype("f4") for a in given(7, 11, 13, 5, 3)), "float32"),
    )


exercise = Exercise(
    project_qkv,
    place=20,
    minutes=5,
    level="easy",
    prepares=("unscaled_attention", "SelfAttention", "multi_head_attention"),
    section="In one line: the matrix form",
    task="""
Write `project_qkv(X, W_Q, W_K, W_V, Z)`: the elements of X, shape (…, n_q, d_model), ask; those of
Z, (…, n_k, d_model), answer. Return three arrays, `Q, K, V`: the queries $Q = X W_Q$, the keys
$K = Z W_K$ and the values $V = Z W_V$. The matrices have shapes (d_model, d_k), (d_model, d_k) and
(d_model, d_v). In self-attention X and Z are the same array; here they may differ.
""",
    cases=_cases,
    results=("Q", "K", "V"),
    kinds={
        "self": Kind("in self-attention, where Z is X"),
        "one": Kind(
            "for a single element or feature",
            "Axes of length 1 have to stay: `squeeze` and `[0]` drop them.",
        ),
    },
    faults=fault_list("""
all-from-x: K = Z → K = X
        and V = Z → V = X
    You make keys and values from X. That is self-attention; in general others answer: X has
    {X.rows} rows and Z {Z.rows}; your `{result}` has {your.rows}.
keys-from-x: K = Z → K = X
    You make the keys from X. Keys are what Z offers, one for each of its {Z.rows} rows.
values-from-x: V = Z → V = X
    You make the values from X. Value j belongs to key j, so both come from Z.
x-and-z-swapped: Q = X → Q = Z
        and K = Z → K = X
        and V = Z → V = X
    X and Z are swapped: X asks, so Q comes from X; Z, the *last* argument, answers. X has {X.rows}
    rows and Z {Z.rows}; your `{result}` has {your.rows}.
values-of-the-keys: V = Z → V = K
    You multiply the *keys* by W_V. Keys and values are made side by side, each from the elements:
    V = Z W_V. (K @ W_V fits only where d_k happens to be d_model.)
transposed-matrices: @ W_Q → @ W_Q.T
        and @ W_K → @ W_K.T
        and @ W_V → @ W_V.T
    You transpose the matrices, as `nn.Linear` needs it. Here W_Q has shape (d_model, d_k) and is
    used as it is: `X @ W_Q`. Square matrices hide the mistake.
one-matrix: @ W_K → @ W_Q
    The keys are made with W_Q: what you look for could not differ from what you offer. Keys have
    their own matrix, W_K.
matrices-swapped: @ W_Q → @ W_K
        and @ W_K → @ W_Q
    W_Q and W_K are swapped. The letter says what a matrix makes: W_Q belongs to X, which asks, and
    W_K to Z. Their shapes are the same, so no error shows it.
scaled-keys: @ W_K → @ W_K / W_K.shape[-1] ** 0.5
    You divide the keys by √d_k = {W_K.root}. Nothing is scaled here: K = Z W_K, and no more.
scaled-queries: @ W_Q → @ W_Q / W_Q.shape[-1] ** 0.5
    You divide the queries by √d_k = {W_Q.root}. Nothing is scaled here: Q = X W_Q, and no more.
scaled-both: @ W_Q → @ W_Q / W_Q.shape[-1] ** 0.25
        and @ W_K → @ W_K / W_K.shape[-1] ** 0.25
    You divide queries and keys by √√d_k. Nothing is scaled here: Q = X W_Q and K = Z W_K.
keys-first: return Q, K, V → return K, Q, V
    You return the three in another order: K, Q, V. After `Q, K, V = project_qkv(…)` the
    keys would do the asking.
queries-for-keys: return Q, K, V → return Q, Q, V
    You return the queries in place of the keys. Keys are what Z offers: K = Z W_K.
cut-in-the-middle: V = Z @ W_V → both = np.concatenate([K, Z @ W_V], axis=-1)
        and return Q, K, V → return Q, *np.split(both, [both.shape[-1] // 2], axis=-1)
    You cut the product for keys and values in the middle. The keys are its first d_k =
    {W_K.last} columns, the values its last {W_V.last}: the two widths may differ.
values-second: return Q, K, V → return Q, V, K
    You return the three in another order: Q, V, K. After `Q, K, V = project_qkv(…)` the queries
    would be compared with the values.
queries-from-z: Q = X → Q = Z
    You make the queries from Z, which answers. The elements that ask are X's: X has {X.rows} rows
    and Z {Z.rows}.
values-not-projected: V = Z @ W_V → V = Z
    You return Z itself as the values: W_V plays no part. What an element hands over is made by a
    matrix of its own.
key-matrix-for-values: @ W_V → @ W_K
    You make the values with W_K (a line copied?). They have a matrix of their own, and a width of
    their own, d_v = {W_V.last}.
"""),
    hints=(
        "Which elements ask, and which answer? One of the three comes from X, two from Z.",
        "Each is one matrix product; elements are rows, so the matrix stands on the right.",
        "`return X @ W_Q, …, …`: three results, with commas between.",
    ),
    built_ins=twins("qkv.project_qkv"),
)
