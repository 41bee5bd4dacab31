"""What the chapter `multi_head` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.costs import n_parameters
from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.multi_head import (
    merge_heads,
    multi_head_attention,
    split_heads,
)
from course_attn.in_numpy.qkv import attention, attention_weights

__all__ = ["cards"]


def cards(
    shares: Mapping[tuple[int, int], np.ndarray],
    known: float,
    ablated: tuple[np.ndarray, np.ndarray],
) -> Deck:
    """Ask what several heads are for, and what breaks where they are split and merged.

    Parameters
    ----------
    shares : mapping
        By number of roles and heads: the share of unseen sentences right, of each start.
    known : float
        The share of known sentences that one head gets right, of two roles.
    ablated : tuple of numpy.ndarray
        Without head 1, and without head 2: the shares of givers and of receivers named.
    """
    rng = np.random.default_rng(0)
    nouns = np.vstack([np.eye(2), np.zeros((10, 2))])
    both = attention_weights(np.array([[6.0, 6.0]]), nouns, scale=1.0)[0, :2]
    one = attention_weights(np.array([[6.0, 0.0]]), nouns, scale=1.0)[0, 0]
    X, (W_Q, W_K, W_V, W_O) = (
        rng.normal(size=(6, 12)),
        rng.normal(size=(4, 12, 12)) / 3,
    )
    Y = multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads=2)
    wide = X @ W_Q, X @ W_K, X @ W_V
    mixed = attention(*(split_heads(part, 2) for part in wide))
    contributions = [mixed[h] @ W_O[6 * h : 6 * h + 6] for h in range(2)]
    cut = [part.reshape(2, 6, 6) for part in wide]
    c = causal_mask(6)
    of_heads = split_heads(wide[0], 2) @ split_heads(wide[1], 2).mT
    moved = X.copy()
    moved[0] += 1
    cut_moved = [(moved @ W).reshape(2, 6, 6) for W in (W_Q, W_K, W_V)]
    forgotten = np.abs(
        attention(*cut, mask=c).reshape(6, 12)
        - attention(*cut_moved, mask=c).reshape(6, 12)
    ).max(axis=-1)
    left, right = np.eye(6, k=-1), np.eye(6, k=1)
    narrow = rng.normal(size=(50, 1)) @ rng.normal(size=(1, 5))
    orders = np.unique(narrow.argsort(axis=1), axis=0)
    lost, kept = np.stack(ablated) < 0.1, np.stack(ablated) > 0.98
    return deck(
        "multi_head",
        card(
            "one-row-one-way",
            "Why can one row of weights not look fully at two words?",
            "It sums to 1. A query that asked for two nouns at once gave them"
            f" {listed(both)}; a query of its own gave one noun {one:.2f}. Two heads have two"
            " rows.",
            section="One row points one way",
            holds=[both.sum() <= 1, both.max() < 0.5, one > 0.9],
        ),
        card(
            "which-is-which",
            "*Mary gave roses to Susan*: a head looks half at Mary and half at Susan. What is"
            " lost?",
            "Which is which. The mean of the two vectors holds something of both, and is the same"
            " when the two change places.",
            section="Mary gave roses to Susan",
            holds=[
                np.allclose([0.5, 0.5] @ np.eye(2), [0.5, 0.5] @ np.eye(2)[::-1]),
            ],
        ),
        card(
            "not-a-slice",
            "Eight heads of width 64 on 512 features: does head 1 get the first 64 features of"
            " each word?",
            "No. Every head reads *all* features; its matrices take the full vector to a short"
            " one.",
            section="The idea: several attentions, side by side",
            holds=[_reads_all(X, W_Q, W_K, W_V)],
        ),
        card(
            "heads-add-up",
            "What does $W_O$ do with the heads side by side, and why have heads no order?",
            "Its blocks of rows turn each head into a contribution, and the contributions are"
            r" added: $\sum_h \text{head}_h W_O^h$. A sum has no order. Within the"
            " layer, only $W_O$ brings what one head finds into the features of another.",
            section="What the output matrix does",
            holds=[np.allclose(sum(contributions), Y)],
        ),
        card(
            "reshape-alone",
            "You split the heads by `reshape(n_heads, n, d_k)` alone, without swapping axes. What"
            " breaks, and why do tests miss it?",
            "The rows of a head are no longer words: the numbers of one word lie in several"
            " rows. Shapes fit, and splitting and merging undo each other. Compare with the loop"
            " over heads.",
            section="With the heads as a batch axis",
            holds=[
                np.array_equal(wide[0].reshape(2, 6, 6).reshape(6, 12), wide[0]),
                not np.allclose(attention(*cut).reshape(6, 12), merge_heads(mixed)),
                np.allclose(merge_heads(mixed) @ W_O, Y),
            ],
        ),
        card(
            "no-leak-but-no-past",
            "Heads split and merged by reshape alone, with a causal mask: why does a leak"
            " detector find nothing, and what is lost?",
            "The numbers stay in reading order, so no row meets a later word. What is lost is the"
            " past: with two heads and an even number of words, the second half of the text never"
            " meets the first. When word"
            f" 1 of {len(X)} changed, {(forgotten[3:] > 0).sum()} of the last {3:d} outputs"
            " moved.",
            section="What goes wrong",
            holds=[(forgotten[3:] == 0).all(), forgotten[0] > 0],
        ),
        card(
            "one-product-for-all",
            "The queries and keys of all heads lie side by side, and you write `Q @ K.T`. How"
            " many heads do you have?",
            "One. The product is the *sum* of the heads' scores: one softmax, one row of weights,"
            " a single wide head. The shapes fit.",
            section="One product for all scores",
            holds=[np.allclose(wide[0] @ wide[1].T, of_heads.sum(axis=0))],
        ),
        card(
            "price-of-heads",
            "With the usual widths, do 64 heads have more parameters than one, on 512"
            " features? What do narrow heads lose?",
            f"No: both have {n_parameters(512, 64):,}. But a narrow head compares two words by few"
            " numbers. In the extreme, with a single number for a query, it can rank the keys in"
            f" {len(orders)} ways only: one order and its reverse.",
            section="What it costs",
            holds=[n_parameters(512, 64) == n_parameters(512, 1), len(orders) == 2],
        ),
        card(
            "averaged-map",
            "`nn.MultiheadAttention` returns weights. Which, and how can they mislead?",
            "The *mean* over the heads, unless you say `average_attn_weights=False`. It may show"
            " what no head does: of a head that looks left and one that looks right, the mean"
            f" puts {((left + right) / 2).max():.1f} on each side. Nor can the output be computed"
            " from it.",
            section="The map that no head has",
            holds=[
                ((left + right) / 2).max() == 0.5,
                not np.allclose(
                    np.hstack([left @ X[:, :6], right @ X[:, 6:]]),
                    (left + right) / 2 @ X,
                ),
            ],
        ),
        card(
            "roles-and-heads",
            "How many heads did trained models need to name giver and receiver in new sentences,"
            " and what had a single head learned?",
            f"Two: {100 * shares[2, 2].mean():.0f} % of unseen sentences were right, with one head"
            f" {100 * shares[2, 1].mean():.0f} %. One head had learned {100 * known:.0f} % of the"
            " known sentences by heart. Switched off in turn, each of two heads cost one role"
            " and left the other.",
            section="Put to work: who gave, who received",
            holds=[
                shares[2, 2].min() > 0.98,
                shares[2, 1].max() < 0.5,
                known > 0.95,
                (lost.sum(axis=0) == 1).all(),
                (kept == ~lost).all(),
            ],
        ),
    )


def _reads_all(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray
) -> bool:
    """Tell whether the first head's outputs hear of a change in any feature."""

    def first_head(words: np.ndarray) -> np.ndarray:
        wide = (words @ W for W in (W_Q, W_K, W_V))
        return attention(*(split_heads(part, 2) for part in wide))[0]

    changes = np.eye(X.shape[1])
    return all(
        (np.abs(first_head(X + e) - first_head(X)) > 0).any() for e in changes
    )
