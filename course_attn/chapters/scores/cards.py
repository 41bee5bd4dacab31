"""What the chapter `scores` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.scores import (
    additive_scores,
    cosine_scores,
    dot_scores,
    gaussian_scores,
    nadaraya_watson,
)
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(winners: Mapping[str, str], above: Mapping[str, float]) -> Deck:
    """Ask what scores reward, and what goes wrong with them.

    Parameters
    ----------
    winners : mapping
        Which of the chapter's five keys each of four scores ranks highest.
    above : mapping
        How much of the weight around a pixel lies above it: in the sky, and at a roof.
    """
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    east, aslant = np.array([[1.0, 0.0]]), np.radians(80)
    short_and_long = np.array(
        [[1.0, 0.0], [100 * np.cos(aslant), 100 * np.sin(aslant)]]
    )
    short, long = dot_scores(east, short_and_long)[0]
    U, W, v = rng.normal(size=(3, 6)), rng.normal(size=(3, 6)), rng.normal(size=6)
    flat = (q @ U @ v)[:, None] + (k @ W @ v)
    bent = additive_scores(q, k, U, W, v)
    unit = k / np.linalg.norm(k, axis=1, keepdims=True)
    swapped = softmax(dot_scores(k, q))
    far, near = np.array([3.0, 0.0]), np.array([1.0, 0.0])
    along, toward = far + 0.1 * near, far + 0.1 * (near - far)
    return deck(
        "scores",
        card(
            "two-minuses",
            "You dislike what a movie does not have. Why does that *raise* the dot product of"
            " your taste and the movie?",
            "A dot product adds the products of corresponding features, and two negative numbers"
            " have a positive product. Equal signs add to the score, different ones take from it.",
            section="A match as a number",
            holds=[
                np.array([-1.0]) @ np.array([-1.0]) > 0 > np.array([-1.0]) @ [1.0]
            ],
        ),
        card(
            "positive-is-not-similar",
            "Why does “a larger dot product means more similar” mislead?",
            r"$q \cdot k = \lVert q \rVert\, \lVert k \rVert \cos\theta$ has two lengths in it."
            " For a query of length 1, a key a hundred times as long, at an angle of"
            f" {80}°, scores {long:.1f}; the query itself as a key scores {short:.0f}.",
            section="What the dot product rewards: direction and length",
            holds=[
                long > short > 0,
                np.argmax(cosine_scores(east, short_and_long)) == 0,
            ],
        ),
        card(
            "toward-or-along",
            "To raise the score $q \\cdot k$, should the query move *toward* the point $k$, or in"
            " the *direction* of $k$?",
            "In its direction: a step $\\delta$ adds $\\delta \\cdot k$ to the score. Toward"
            f" the key can lower it: from q = (3, 0) and k = (1, 0), the score {far @ near:.0f}"
            f" falls to {toward @ near:.1f} by a small step toward the key, and rises to"
            f" {along @ near:.1f} by one in its direction.",
            section="What the dot product rewards: direction and length",
            holds=[toward @ near < far @ near < along @ near],
        ),
        card(
            "tanh",
            "What is the tanh of the additive score for? What breaks without it?",
            "Without it the score is a number for the query plus a number for the key: every"
            " query ranks the keys in the same order, so no query asks for anything of its own."
            f" In a test with {len(q)} queries, the tanh gave more than one order.",
            section="The score is a choice",
            holds=[_orders(flat) == 1, _orders(bent) > 1],
        ),
        card(
            "price-of-additive",
            "Attention in translation began with additive scores. Which cost of theirs made"
            " Vaswani and others prefer dot products?",
            "The additive score stores hidden numbers for *every pair* of query and key. The dot"
            " product makes all scores in one matrix product.",
            section="The score is a choice",
            holds=[(q @ U)[:, None].repeat(5, 1).size == bent.size * U.shape[1]],
        ),
        card(
            "four-winners",
            "Can dot product, cosine, Gaussian and general score each rank a different key"
            " highest, for one query? What does each reward?",
            "Yes: the dot product rewards direction and length, the cosine direction only, the"
            " Gaussian nearness, the general score whatever its matrix says. Among the chapter's"
            f" keys they chose {len(set(winners.values()))} different ones.",
            section="The score is a choice",
            holds=[len(set(winners.values())) == len(winners) == 4],
        ),
        card(
            "kernel-regression",
            "In which sense is kernel regression attention? What does it lack?",
            "The new point is the query, the known points are the keys, what is known there are"
            " the values. With a Gaussian kernel, the weights are exponentials of Gaussian scores,"
            " divided by their sum. Queries and keys are given, not learned.",
            section="Kernel regression: attention before its name",
            holds=[
                np.allclose(
                    nadaraya_watson(q[:, 0], k[:, 0], k[:, 1], bandwidth=1.0),
                    softmax(gaussian_scores(q[:, :1], k[:, :1])) @ k[:, 1],
                )
            ],
        ),
        card(
            "one-length",
            "When do Gaussian scores and dot products (divided by $h^2$) give the same weights,"
            " and why?",
            r"When all *keys* have one length. In $\lVert q - k_j \rVert^2 = \lVert q \rVert^2 +"
            r" \lVert k_j \rVert^2 - 2\, q \cdot k_j$ the first two terms are then the same for"
            " all keys, and cancel in the division. The query may have any length.",
            section="Kernel regression: attention before its name",
            holds=[
                np.allclose(
                    softmax(gaussian_scores(q, unit)), softmax(dot_scores(q, unit))
                ),
                not np.allclose(
                    softmax(gaussian_scores(q, k)), softmax(dot_scores(q, k))
                ),
            ],
        ),
        card(
            "swapped",
            r"With as many queries as keys, you write $K Q^\top$ for $Q K^\top$. What breaks?",
            "Nothing complains. It is the transpose of the right scores: each row holds those of"
            " a *key*, and its weights say how the key is shared among the queries, not how a"
            " query chooses among the keys.",
            section="What goes wrong",
            holds=[
                np.allclose(dot_scores(k, q), dot_scores(q, k).T),
                not np.allclose(swapped, softmax(dot_scores(q, k))),
                not np.allclose(swapped, softmax(dot_scores(q, k)).T),
            ],
        ),
        card(
            "edges-stay",
            "A photograph smoothed by attention over place *and* color keeps its outlines. Why?",
            "Scores by nearness in all five features give weight to pixels on the same side of"
            f" an outline. At the edge of a roof, {100 * above['at a roof']:.0f} % of the weight"
            f" on other rows lay above; for a pixel in the sky,"
            f" {100 * above['in the sky']:.0f} %.",
            section="On real data: you have already computed attention",
            holds=[above["at a roof"] < 0.1 < 0.35 < above["in the sky"] < 0.65],
        ),
    )


def _orders(scores: np.ndarray) -> int:
    """Count the orders in which the queries rank the keys."""
    return len(np.unique(scores.argsort(axis=1), axis=0))
