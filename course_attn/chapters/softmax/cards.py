"""What the chapter `softmax` asks again."""

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.softmax import (
    entropy,
    log_softmax,
    softmax,
    softmax_jacobian,
)

__all__ = ["cards"]


def cards(
    scores: np.ndarray,
    steps: tuple[int, int],
    warm: tuple[float, float, float],
    best: tuple[float, float, float],
    n_known: int,
) -> Deck:
    """Ask about weights, their sharpness, and what makes them stop learning.

    Parameters
    ----------
    scores : numpy.ndarray
        The chapter's row of three scores.
    steps : tuple of int
        Steps to close a gap of 10: with the squared error, and with the surprise.
    warm, best : tuple of float
        At temperature 1, and at the best one: keys in play, share of digits read right, mean
        confidence.
    n_known : int
        How many known digits there are.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exps = np.exp([710.0, 0.0])
        naive = exps / exps.sum()
    a = softmax(scores)
    sharp = softmax(4 * scores)
    others = np.random.default_rng(0).dirichlet(np.ones(len(scores)), size=100_000)
    compromise = a @ scores + entropy(a)
    wrong_axis = softmax(np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]]), axis=0)
    friendly = np.array([[2.0, 1.0], [1.0, 2.0]])
    far = np.array([0.0, 1000.0])
    J = softmax_jacobian(a)
    return deck(
        "softmax",
        card(
            "why-exponentials",
            "Why are scores exponentiated before they are divided by their sum? What breaks"
            " without it?",
            "Divided by their sum alone, negative scores can give negative weights; squared"
            " first, a large negative score looks like a large positive one. $e^s$ is positive for"
            " every score and keeps their order.",
            section="From any numbers to weights",
            holds=[
                (scores / scores.sum()).min() < 0,
                (a > 0).all(),
                (a.argsort() == scores.argsort()).all(),
            ],
        ),
        card(
            "differences",
            "A key scores 1 more than another. How many times its weight does it get, and what"
            " do the other keys have to do with it?",
            f"$e$ times, about {np.e:.1f}, whatever else is in the row: the ratio of two weights"
            " is the exponential of the difference of their scores. Only differences count.",
            section="From any numbers to weights",
            holds=[
                np.isclose(a[0] / a[1], np.e),
                np.isclose(scores[0] - scores[1], 1),
                np.allclose(softmax(scores + 100), a),
            ],
        ),
        card(
            "overflow",
            "On paper the weight of the score 710 next to 0 is nearly 1. What does"
            " `np.exp(s) / np.exp(s).sum()` return, and what is the remedy?",
            "Not a number: the exponential overflows to infinity, and infinity divided by"
            " infinity is NaN. Subtract the largest score of the row first: no"
            " weight changes, the largest exponent is 0, and the sum is at least 1.",
            section="Why it works in a computer: the shift",
            holds=[
                np.isnan(naive[0]),
                np.isclose(softmax(np.array([710.0, 0.0]))[0], 1),
            ],
        ),
        card(
            "log-softmax",
            "Why is there a function `log_softmax`, when you could take the logarithm of"
            " softmax?",
            "A weight can underflow to 0, and its logarithm is then minus infinity; the score"
            " was still there. The formula $s_j - \\log \\sum_m e^{s_m}$, with the same shift,"
            f" keeps it: for the scores (0, 1000) it gives {listed(log_softmax(far))}.",
            section="The logarithm of the weights",
            holds=[softmax(far)[0] == 0, np.isclose(log_softmax(far)[0], -1000)],
        ),
        card(
            "temperature",
            "What do a very small and a very large temperature do to the weights?",
            "Scores are divided by $T$. At a very small $T$ a single largest score takes nearly"
            " all; at a very large one all keys get nearly the same weight. $e^H$, where $H$"
            " is the entropy, says how many keys are in play: for the scores"
            f" {listed(scores)} it is {np.exp(entropy(a)):.1f} at $T = 1$ and"
            f" {np.exp(entropy(softmax(scores, temperature=10.0))):.1f} at $T = 10$.",
            section="How sharp? The temperature",
            holds=[
                np.allclose(softmax(scores, temperature=0.01), [1, 0, 0]),
                np.allclose(softmax(scores, temperature=1e6), 1 / 3, atol=1e-5),
                bool(entropy(a) < entropy(softmax(scores, temperature=10.0))),
            ],
        ),
        card(
            "best-compromise",
            "Of all weights that are not negative and sum to 1, what do those of softmax do"
            " best?",
            "They make the average score plus $T$ times the entropy as large as possible: the"
            " one best compromise between picking the best key and hearing many. None of"
            f" {len(others):,} random rows of weights beat them.",
            section="Why the exponential: the best compromise",
            holds=[(others @ scores + entropy(others)).max() < compromise],
        ),
        card(
            "weights-compete",
            "You raise one score. What happens to the other weights, and by which formula?",
            r"They all fall: $\partial a_j / \partial s_m = a_j (\delta_{jm} - a_m)$, which is"
            " negative for two different keys. What one weight gains the others lose: the"
            " columns of the Jacobian sum to 0.",
            section="How weights respond to scores: the Jacobian",
            holds=[
                np.allclose(J, np.diag(a) - np.outer(a, a)),
                (J[~np.eye(len(a), dtype=bool)] < 0).all(),
                np.allclose(J.sum(axis=0), 0),
            ],
        ),
        card(
            "saturation",
            "Why do weights hardly respond to their scores where one weight is nearly 1? What"
            " helps a classifier?",
            "Every entry of the Jacobian then has a factor near 0. To close a gap of ten, the"
            f" squared error took {steps[0]:,} steps. The logarithm in a classifier's loss"
            f" cancels the small factor ({steps[1]} steps). Where more is computed between the"
            " weights and the loss, nothing guarantees that the factor cancels.",
            section="Saturation: when nothing moves",
            holds=[
                np.abs(softmax_jacobian(sharp)).max() <= 1 - sharp.max() + 1e-12,
                steps[0] > 100 * steps[1],
            ],
        ),
        card(
            "wrong-axis",
            "Softmax over the wrong axis: why can a symmetric test matrix hide it, and which"
            " axis is right in a batch?",
            "A symmetric matrix whose rows hold the same numbers gives the same weights along"
            " both axes. Count from the back: `axis=-1`; behind one batch axis, `axis=1` is that of"
            " the queries. On another matrix row sums tell: in the chapter's example they were"
            f" {listed(wrong_axis.sum(axis=-1))}.",
            section="What goes wrong",
            holds=[
                np.allclose(softmax(friendly, axis=0), softmax(friendly, axis=1)),
                not np.allclose(wrong_axis.sum(axis=-1), 1),
            ],
        ),
        card(
            "calibration",
            "Weights sum to 1. Does that make an answer's share a probability that can be"
            " believed?",
            f"No. At $T = 1$, with {warm[0]:.0f} of {n_known:,} known digits in play,"
            f" {100 * warm[1]:.0f} % of the new digits were read right, with a mean confidence of"
            f" {100 * warm[2]:.0f} %. One temperature, chosen on known digits, made it"
            f" {100 * best[1]:.0f} % and {100 * best[2]:.0f} %.",
            section="On real data: digits, with one number fitted",
            holds=[warm[1] > warm[2] + 0.3, abs(best[1] - best[2]) < 0.03],
        ),
    )
