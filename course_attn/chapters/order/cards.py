"""What the chapter `order` asks again."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.order import alibi_bias, rotary, sinusoidal_encoding
from course_attn.in_numpy.qkv import attention

__all__ = ["cards"]


def cards(
    near: Mapping[str, np.ndarray],
    far: Mapping[str, np.ndarray],
    windowed: np.ndarray,
    slowed: Mapping[str, np.ndarray],
) -> Deck:
    """Ask why attention is blind to order, how order gets in, and where that ends.

    Parameters
    ----------
    near, far : mapping
        The share of right answers of each start, by scheme: at lengths of training, and far
        beyond.
    windowed : numpy.ndarray
        That of rotary positions over the whole excerpt, with the unseen distances hidden.
    slowed : mapping
        That far beyond, with clock hands slowed.
    """
    rng = np.random.default_rng(0)
    X, P = rng.normal(size=(5, 8)), sinusoidal_encoding(105, 8)
    W_Q, W_K, W_V = rng.normal(size=(3, 8, 8)) / 8**0.5

    def attend(X: np.ndarray, **options: Any) -> np.ndarray:
        return attention(X @ W_Q, X @ W_K, X @ W_V, **options)

    def turned(
        X: np.ndarray, start: int = 0, *, values: bool = False
    ) -> np.ndarray:
        places = np.arange(start, start + len(X))
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        return attention(
            rotary(Q, places), rotary(K, places), rotary(V, places) if values else V
        )

    def causal(X: np.ndarray, depth: int) -> np.ndarray:
        for _ in range(depth):
            X = X + attend(X, mask=causal_mask(len(X)))
        return X

    shuffle = [2, 0, 3, 1, 4]
    bias = 16 * alibi_bias(2, 5)[0]
    effects = [
        max(
            np.abs(causal(X[[*order, 4]], depth)[-1] - causal(X, depth)[-1]).max()
            for order in permutations(range(4))
        )
        for depth in (1, 2)
    ]
    padded = np.vstack([np.zeros((3, 8)), X])
    real = (np.arange(8) >= 3)[None]
    q, k = X[:1], X[1:2]
    scores = [
        (rotary(q, np.array([i])) @ rotary(k, np.array([i - 3])).T).item()
        for i in (3, 50)
    ]
    return deck(
        "order",
        card(
            "why-blind",
            "*Mary gave Susan flowers*, *Susan gave Mary flowers*: why does attention without"
            " positions and mask give *gave* the same output in both?",
            "Each score is computed from one query and one key, each value from one word. Softmax"
            " divides by a sum, and the output is a sum, and a sum has no order. *gave* can tell"
            " Mary from Susan, but not which of them came first.",
            section="The idea: a sum has no order",
            holds=[np.allclose(attend(X[[2, 1, 0, 3, 4]])[1], attend(X)[1])],
        ),
        card(
            "equivariant",
            "You shuffle the words before a stack of attention layers without positions and"
            " masks. What happens to the outputs, and to their mean?",
            "The outputs are shuffled alike: the stack is permutation equivariant. Their mean"
            " does not change. For a set of atoms that is right; a sentence is not a set.",
            section="Why it works",
            holds=[
                np.allclose(attend(attend(X[shuffle])), attend(attend(X))[shuffle]),
                np.allclose(
                    attend(X[shuffle]).mean(axis=0), attend(X).mean(axis=0)
                ),
            ],
        ),
        card(
            "causal-layers",
            "Without positions, but with a causal mask: can the last output know the order of the"
            " words before it?",
            "Not after one layer: its output is a sum over all words. After two it can:"
            " in another order, the earlier rows have by then seen other words. Over all"
            " orders of four words, one layer moved the last output by rounding errors only, two"
            " moved it visibly.",
            section="What a causal mask changes",
            holds=[effects[0] < 1e-12, effects[1] > 0.01],
        ),
        card(
            "why-not-the-number",
            "Why not add the number of the position to each element, and what do sinusoids do"
            " instead?",
            "A large number would dwarf entries of size 1. Sinusoids write the position with"
            " clock hands, from one that races to one that hardly moves: entries never larger"
            " than 1, and another row for each position.",
            section="First place: add a vector",
            holds=[
                np.abs(P).max() <= 1,
                len(np.unique(P.round(9), axis=0)) == len(P),
            ],
        ),
        card(
            "relative-by-rotation",
            "Why does a rotary score know of the positions of query and key only their signed"
            " distance?",
            "Each is turned by an angle in proportion to its position, and in their dot product"
            " two rotations become one: $R_i R_j^\\top = R_{i-j}$. So the same"
            " pair, three places apart, has the same score early and late in a text.",
            section="Scores see the distance",
            holds=[
                np.isclose(*scores),
                np.allclose(turned(X), turned(X, 100)),
                not np.allclose(attend(X + P[:5]), attend(X + P[100:105])),
            ],
        ),
        card(
            "why-not-the-values",
            "Rotary positions turn queries and keys. Why not the values?",
            "A score has two rotations in it, which become one, by the distance. An output is a"
            " sum of values: if they are turned by their own positions, it turns when the whole"
            " text moves, even where all weights stay.",
            section="Why not the values?",
            holds=[
                not np.allclose(
                    turned(X, values=True), turned(X, 100, values=True)
                ),
                np.allclose(turned(X), turned(X, 100)),
            ],
        ),
        card(
            "alibi-cannot",
            "ALiBi lowers each score in proportion to the distance. What can such a head not do?",
            "Prefer a key *exactly* three words back among keys of equal content: distance always"
            " counts against a key. And without a mask it cannot tell left from right: read the"
            " sentence backward, and the middle output stays.",
            section="Third place: lower the scores by distance",
            holds=[
                np.allclose(attend(X[::-1], bias=bias)[2], attend(X, bias=bias)[2]),
                not np.allclose(
                    attend(X[[2, 1, 0, 3, 4]], bias=bias)[4],
                    attend(X, bias=bias)[4],
                ),
                near["ALiBi"].max() < 0.5,
            ],
        ),
        card(
            "left-padding",
            "A batch is padded on the left. Which positions does that disturb, and which not?",
            "Sinusoids and learned rows: a sentence is read at positions that depend on its"
            " neighbors in the batch, unless the real words are numbered from 0. Rotary"
            " positions and ALiBi do not mind: only distances count.",
            section="What goes wrong",
            holds=[
                np.allclose(
                    _masked_rotary(padded @ W_Q, padded @ W_K, padded @ W_V, real)[
                        3:
                    ],
                    turned(X),
                ),
                not np.allclose(
                    attend(padded + P[:8], mask=real)[3:], attend(X + P[:5])
                ),
            ],
        ),  # fmt: skip
        card(
            "relative-is-not-right",
            "Rotary scores know the positions by their signed distance alone. Why did models"
            " trained on 64 letters fail at 256?",
            "They met distances for which training had taught no score, and put their weight"
            f" there: {100 * near['rotary'].mean():.0f} % right at trained lengths,"
            f" {100 * far['rotary'].mean():.0f} % far beyond. With those keys hidden by a window,"
            f" {100 * windowed.mean():.0f} %.",
            section="A score for every distance is not yet a right one",
            holds=[
                near["rotary"].min() > 0.9,
                far["rotary"].max() < 0.25,
                windowed.min() > 0.99,
            ],
        ),
        card(
            "slow-hands",
            "Our rotary models read texts four times as long, without further training, once"
            " some clock hands were slowed. Which, and why not all?",
            "Those that had not finished a turn in training: at many new distances they show"
            " angles never seen. Slow the fast hands as well, and three places turn them less"
            f" than one place did before: all slowed, {100 * slowed['all slowed'].mean():.0f} %"
            " were right far beyond; the slow ones alone,"
            f" {100 * slowed['slow ones slowed'].mean():.0f} %.",
            section="Slow down the slow hands",
            holds=[
                slowed["slow ones slowed"].min() > 0.9,
                slowed["all slowed"].max() < 0.25,
            ],
        ),
    )


def _masked_rotary(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    places = np.arange(len(Q))
    return attention(rotary(Q, places), rotary(K, places), V, mask=mask)
