"""Question `keeps_the_output`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def keeps_the_output():
    """Name the changes that leave the output of cross-attention as it is."""
    return {"b", "c", "e", "f"}


_CHANGES = {
    "a": "a changes Y. Row i of Y belongs to row i of X: reverse X, and Y is reversed too.",
    "d": "d changes Y. It adds u · k_j to column j of the scores, another number for each key: now "
    "everybody looks for u, too.",
    "g": "g changes Y. One key now counts twice in every sum of exponentials, and its value gets "
    "up to twice its share.",
    "h": "h changes Y. The weights of a row sum to 1, so each output is moved by u as well.",
}
_KEEPS = {
    "b": "b keeps Y. Value j moves together with key j, and a sum does not ask for the order of "
    "its terms.",
    "c": "c keeps Y. It adds q_i · u to all scores of row i, the same number for every key, and "
    "softmax ignores that.",
    "e": "e keeps Y. Scores are X W_Q W_Kᵀ Zᵀ, and in the product 2 · ½ cancels.",
    "f": "f keeps Y. Each key comes twice with half its weight, and both halves go to the same "
    "value.",
}

exercise = Question(
    keeps_the_output,
    place=10,
    minutes=15,
    level="medium",
    prepares=("can_tell_order",),
    section="In one line: the matrix form",
    task="""
With $Q = X W_Q$, $K = Z W_K$ and $V = Z W_V$, attention makes
$Y = \\mathrm{softmax}(Q K^\\top)\\, V$. Predict before you compute: which of these changes leave
*every row* of Y as it is, whatever numbers X, Z, u and the matrices hold?

- **a** The rows of X are put in reverse order.
- **b** The rows of Z are put in reverse order.
- **c** One vector u is added to all keys.
- **d** One vector u is added to all queries.
- **e** $W_Q$ becomes twice as large, $W_K$ half as large.
- **f** Every row of Z is written twice, so that Z has twice as many rows.
- **g** The first row of Z is written twice, the others once.
- **h** One vector u is added to all values.
""",
    read=Letters("abcdefgh", "changes"),
    reasons=(
        *(Reason(k, contains(k), _CHANGES[k]) for k in _CHANGES),
        *(Reason(f"{k}-missing", lacks(k), _KEEPS[k]) for k in _KEEPS),
    ),
    hints=(
        "Follow each change from left to right: what becomes of the scores in row i, then of the "
        "weights, then of the weighted sum?",
        "Write score and output of one query: s_ij = q_i · k_j, and y_i is the sum of "
        "exp(s_ij) v_j divided by the sum of exp(s_ij). What cancels?",
        "Four of the eight keep Y: one acts on the scores of a row as a constant, one not at all, "
        "and two only reorder or repeat the terms of both sums.",
    ),
)
