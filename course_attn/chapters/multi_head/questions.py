"""What the chapter `multi_head` asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict

__all__ = [
    "heads_for_roles",
    "parameters",
    "reshape_alone",
    "two_nouns",
    "without_head_1",
]


def two_nouns(row: np.ndarray, animal: int, street: int) -> Question:
    """Ask how much weight each of two keys gets, given the row of weights."""
    low, high = sorted(row[[animal, street]])
    return predict(
        "two-nouns",
        "The query for both nouns scores *animal* and *street* with 6, and each of the other "
        "ten words with 0. How much weight do the two nouns get?",
        [
            (
                "Nearly 1 each",
                "So it would be if each key were judged by itself. But the weights of *it* "
                "are one row, and a row sums to 1: what one noun gets, the other cannot have.",
                low > 0.9,
            ),
            (
                "One nearly 1, the other nearly 0",
                "Softmax does not pick a winner. Equal scores get equal weights, however high "
                "they are.",
                low < 0.1 and high > 0.9,
            ),
            (
                "A little less than 1/2 each",
                f"{low:.2f} each, and the ten other words share the remaining "
                f"{1 - low - high:.2f}. To give both more than 1/2 takes two queries.",
                0.4 < low <= high < 0.5,
            ),
            (
                "1/12 each, as all words",
                "That is what *equal* scores for all twelve words give. Here e⁶ is about 400 "
                "times e⁰.",
                high < 0.1,
            ),
        ],
        text=2,
    )


def reshape_alone(
    right: Sequence[np.ndarray], wrong: Sequence[np.ndarray], trip_is_right: bool
) -> Question:
    """Ask what comes of heads that are split and merged without swapping axes."""
    off = [np.abs(a - b).max() for a, b in zip(right, wrong, strict=True)]
    reordered = np.allclose(np.sort(right, axis=-1), np.sort(wrong, axis=-1))
    return predict(
        "reshape-alone",
        "Somebody splits by `X.reshape(n_heads, n, d_k)`, attends in each head, and merges by "
        "`reshape(n, n_heads * d_k)`. No axes are swapped. What happens?",
        [
            (
                "Nothing: the second reshape undoes the first",
                "It would if nothing happened between them. But there attention compares the "
                "rows of each head, and these rows are no longer words.",
                max(off) < 1e-9,
            ),
            (
                "An error: the shapes do not fit",
                "They do fit. `reshape` asks only that the number of entries stays the same.",
                np.shape(right) != np.shape(wrong),
            ),
            (
                "Wrong outputs, and no error",
                f"In {len(off)} random examples they are off by {min(off):.1f} to "
                f"{max(off):.1f}. And a test that splits, merges and compares "
                f"{'passes' if trip_is_right else 'fails'}.",
                min(off) > 1e-3 and not reordered and trip_is_right,
            ),
            (
                "The features change places, which `W_O` can learn",
                "`W_O` works on each row by itself, and comes too late. The first “head” holds "
                "pieces of the first words, the second one those of the last words, and "
                "neither looks at the other.",
                min(off) > 1e-3 and reordered,
            ),
        ],
        covers=2,
    )


def parameters(one_head: int, many_heads: int) -> Question:
    """Ask for the parameters of 64 heads of width 8, given those of one head of width 512, too."""
    return predict(
        "parameters",
        "A layer works with 512 features: once with one head of width 512, once with 64 heads "
        "of width 8. How many parameters do the 64 heads have, compared with the single one?",
        [
            (
                "64 times as many",
                "There are 64 times as many matrices. But they are not as large as those of "
                "the single head.",
                many_heads == 64 * one_head,
            ),
            (
                "The same number",
                f"{many_heads:,} in both cases, which is 4 · 512²: 64 times as many matrices, "
                "each a 64th as large. What narrow heads do cost: "
                "there are 64 matrices of weights, and each head compares words by 8 numbers "
                "only.",
                many_heads == one_head,
            ),
            (
                "A 64th",
                "So it would be with matrices of 8 × 8 numbers. But each head "
                "reads all 512 features, and writes to all of them.",
                64 * many_heads == one_head,
            ),
        ],
    )


def heads_for_roles(
    shares: Mapping[tuple[int, int], np.ndarray], known: float
) -> Question:
    """Ask with how many heads two and three roles are learned, given shares by (roles, heads)."""

    def fewest(roles: int) -> int | None:
        """Return with how many heads all starts are right in 90 % of the new sentences."""
        found = (h for h in (1, 2, 3, 4) if shares[roles, h].min() > 0.9)
        return next(found, None)

    need = fewest(2), fewest(3)
    mean = {case: f"{100 * share.mean():.0f} %" for case, share in shares.items()}
    return predict(
        "heads-for-roles",
        "We train models with one to four heads. From how many heads on are nearly all *new* "
        "sentences right in every role, with two roles and with three?",
        [
            (
                "One for both",
                "A row that looks half at each name brings their mean, and *Maria Susannae* "
                "and *Susanna Mariae* have the same. None of five trained models with one head "
                "got more than "
                f"{100 * shares[2, 1].max():.0f} % of the new sentences right.",
                need == (1, 1),
            ),
            (
                "Two for both",
                "Two heads have two rows of weights for a word, and with three roles there are "
                f"three names to be kept apart: {mean[3, 2]} of the new sentences are right.",
                need == (2, 2),
            ),
            (
                "Two for two roles, three for three",
                f"With two heads, {mean[2, 2]} of the new sentences with two roles are right; "
                f"with three, {mean[3, 3]} of those with three. With one head fewer it is "
                f"{mean[2, 1]} and {mean[3, 2]} (means of five starts), though one head knows "
                f"{100 * known:.0f} % of the sentences with two roles that it learned. Four "
                f"heads gain nothing more: {mean[2, 4]} with two roles.",
                need == (2, 3),
            ),
            (
                "Four for both: the more, the better",
                "More heads than roles gain nothing here. The question is from how many on.",
                need == (4, 4),
            ),
        ],
        covers=2,
        text=1,
    )


def without_head_1(right: np.ndarray) -> Question:
    """Ask what fails without a head, given the share of right names by start and role."""
    lost, kept = right < 0.1, right > 0.98
    return predict(
        "without-head-1",
        "The model with two heads names giver and receiver in new sentences. Take head 1 out "
        "of the sum. What does it get wrong now?",
        [
            (
                "Nothing: head 2 steps in",
                "From large trained models, many heads could be removed with little loss. "
                "Here there is none to spare: each of the two has a role of its own.",
                kept.all(),
            ),
            (
                "Both roles, about half of the time",
                "So it would be if each head did half of each role. But a row that looks half "
                "at each name brings their mean, which does not tell them apart.",
                not (lost | kept).any(),
            ),
            (
                "Nearly everything: `W_O` needs both",
                "`W_O` adds up what the heads contribute. One term of the sum is gone, and the "
                "other one is what it was.",
                lost.all(),
            ),
            (
                "One role, and the other not at all",
                f"In each of {len(right)} starts, one role falls to "
                f"{100 * right.min(axis=1).max():.0f} % or less, and the other one stays above "
                "98 %.",
                (lost.sum(axis=1) == 1).all() and (kept.sum(axis=1) == 1).all(),
            ),
        ],
        text=1,
    )
