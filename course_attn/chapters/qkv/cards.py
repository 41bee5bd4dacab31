"""What the chapter `qkv` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.qkv import attention, soft_lookup
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(
    certain: float,
    found: Mapping[str, np.ndarray],
    him: tuple[float, float],
    right: tuple[float, float],
) -> Deck:
    """Ask what the three roles are for, and what breaks without them.

    Parameters
    ----------
    certain : float
        The share of the photograph's rows with a weight above 0.99, without roles.
    found : mapping
        For each choice of roles, of each start: the share of sentences with both answers right,
        and of those in which both names look at each other.
    him : tuple of float
        In Tolstoy's sentence: the weight of *him* on *prince*, and of *prince* on *him*.
    right : tuple of float
        The share of pronouns understood: with attention, and with equal weights.
    """
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(7, 3))
    W_Q, W_K, W_V = (rng.normal(size=(3, width)) for width in (2, 2, 4))
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    own = attention(Q, X @ W_K, X @ W_V)
    shared = (X @ W_Q) @ (X @ W_Q).T
    half = (np.diag(shared)[:, None] + np.diag(shared)) / 2
    one_matrix = [found[roles][:, 1] for roles in ("xxx", "QQx", "xxV", "QQV")]
    two_matrices = [found[roles][:, 1] for roles in ("QKx", "QKV")]
    keys, values = np.eye(2), np.array([[12.0], [5.0]])
    unfit = soft_lookup(-keys[0], keys, values, temperature=0.01)
    turn = rng.normal(size=(2, 2))
    many = rng.normal(size=(4000, 5, 8))
    to_q, to_k = (rng.normal(size=(4000, 8, 8)) for _ in range(2))
    alone = [
        (S.argmax(axis=-1) == np.arange(5)).mean()
        for S in (many @ many.mT, (many @ to_q) @ (many @ to_k).mT)
    ]
    return deck(
        "qkv",
        card(
            "three-roles",
            "What is a query for, what a key, what a value?",
            "The query says what an element looks for, the key what it wants to be found by, the"
            " value what it gives when it is found. Each is the element times a learned matrix.",
            section="The idea in words and a picture",
            holds=[
                np.allclose(
                    attention(Q, K, V), softmax(Q @ K.T / np.sqrt(2)) @ (Z @ W_V)
                )
            ],
        ),
        card(
            "one-vector-for-all",
            r"What is wrong with $\operatorname{softmax}(X X^\top) X$, one vector for all three"
            " roles?",
            "Then scores are always mutual, and what is compared is also what is handed over."
            " And somebody has to choose features that are fit to be compared: on the raw colors of"
            f" a photograph, {100 * certain:.0f} % of the rows put nearly all their weight on a"
            " single, bright pixel.",
            section="One vector for everything",
            holds=[certain > 0.9, np.allclose(X @ X.T, (X @ X.T).T)],
        ),
        card(
            "zero-query",
            "A word's query is zero. Whom does it look at?",
            "At everybody alike: all its scores are 0, and softmax must spend its weight of 1"
            " somewhere. A row of weights has no way to say *nobody*.",
            section="By hand: a loop",
            holds=[
                np.allclose(attention(np.zeros((1, 2)), K, V), V.mean(axis=0)),
            ],
        ),
        card(
            "linear-in-what",
            "In which sense is attention a linear layer, and in which is it not?",
            "It is linear in the *values*: $Y = AV$. But its matrix $A$ is not stored; it is"
            " computed from the input, so attention is not linear in the elements. What"
            " is stored is three matrices, which serve five words or a thousand.",
            section="In one line: the matrix form",
            holds=[
                np.allclose(attention(Q, K, 2 * V + 1), 2 * attention(Q, K, V) + 1),
                not np.allclose(
                    attention(2 * Q, 2 * K, 2 * V), 2 * attention(Q, K, V)
                ),
            ],
        ),
        card(
            "context-forgotten",
            "In cross-attention you take keys and values from $X$ by mistake. What shows it?",
            "Not the output's shape: it has a row for each query. But the context is never looked"
            " at. Exchange it, and the output does not move; and if the lengths differ, the"
            " *weights* have the wrong number of columns.",
            section="What goes wrong",
            holds=[
                own.shape == attention(Q, K, V).shape,
                not np.allclose(own, attention(Q, K, V)),
                (Q @ K.T).shape != (Q @ (X @ W_K).T).shape,
            ],
        ),
        card(
            "no-such-key",
            "You ask attention, a soft dictionary, for something that no key resembles. What"
            " comes back?",
            "The value of the key that scores highest, however low, or a mixture: never an error."
            " At a low temperature a lookup for the opposite of the first of two keys returned the"
            f" second's value, {unfit[0]:.0f}.",
            section="A soft dictionary",
            holds=[np.allclose(unfit, values[1])],
        ),
        card(
            "one-matrix",
            "Queries and keys share one matrix. What can two elements then never do?",
            r"Each prefer the other to itself, since $s_{ij} \le \frac{1}{2} (s_{ii} + s_{jj})$."
            f" In trained models with one matrix or none, two names looked at each other in"
            f" {100 * np.max(one_matrix):.0f} % of the sentences, with two matrices in"
            f" {100 * np.mean(two_matrices):.0f} %.",
            section="Why it works: what two matrices can express",
            holds=[
                (shared <= half + 1e-12).all(),
                np.max(one_matrix) == 0,
                np.min(two_matrices) > 0.99,
            ],
        ),
        card(
            "third-entry",
            "What does the third entry of a learned query mean?",
            "Nothing by itself, in this chapter's attention. Scores depend on $W_Q W_K^\\top$"
            " only: multiply all queries by any invertible matrix and all keys by its inverse,"
            " transposed, and no score changes.",
            section="What d_k limits",
            holds=[
                np.allclose((Q @ turn) @ (K @ np.linalg.inv(turn).T).T, Q @ K.T),
                not np.allclose(Q @ turn, Q),
            ],
        ),
        card(
            "x-x-x",
            "You test attention with one $X$, five rows of standard normal numbers, of width 8, for"
            " queries, keys and values, and the diagonal of the weights is heavy. What does it"
            " tell you?",
            "Something about the test: a vector's product with itself is large. So"
            f" {100 * alone[0]:.0f} % of such vectors looked at themselves. With two"
            f" matrices it was {100 * alone[1]:.0f} %, as by chance among five.",
            section="Four more that raise no error",
            holds=[alone[0] > 0.9, abs(alone[1] - 1 / 5) < 0.02],
        ),
        card(
            "nobody-told-it",
            "A small attention was trained on answers alone. Where did it learn to look, and how"
            " do you know that it matters?",
            f"*him* put {him[0]:.2f} of its weight on *prince*, and *prince* {him[1]:.2f} on"
            f" *him*. With equal weights, {100 * right[1]:.0f} % of the pronouns were"
            f" understood, in place of {100 * right[0]:.0f} %.",
            section="Put to work: whom does him mean?",
            holds=[him[0] > 0.9, right[0] > 0.99, right[1] < 0.45],
        ),
    )
