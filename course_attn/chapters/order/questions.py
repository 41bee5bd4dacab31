"""What the chapter `order` asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict

__all__ = [
    "alibi_without_a_mask",
    "all_hands_slowed",
    "causal_layers",
    "trained_short",
    "whose_outputs_differ",
]


def whose_outputs_differ(differences: np.ndarray) -> Question:
    """Ask which words' outputs change, given by how much for Mary, gave, Susan and flowers."""
    differ = (differences > 1e-9).tolist()
    return predict(
        "whose-outputs-differ",
        "Compare the output of each word in *Mary gave Susan flowers* with its output in "
        "*Susan gave Mary flowers*. Whose outputs differ?",
        [
            (
                "Those of all four words",
                "Then the order would have to enter somewhere. Look for the place: a query, a "
                "key, a value, or the sum?",
                differ == [True] * 4,
            ),
            (
                "Those of Mary and Susan, who changed places",
                "Their rows have changed places. But here each *word* is compared with itself, "
                "wherever it stands.",
                differ == [True, False, True, False],
            ),
            (
                "That of gave, which has other neighbors now",
                "Attention knows no neighbors: the word next to *gave* is a key like any "
                "other.",
                differ == [False, True, False, False],
            ),
            (
                "Nobody’s",
                "Over all four words, and five draws of vectors and matrices, the largest "
                f"difference is {max(differences):.0e}, which is rounding. Queries, keys and "
                "values are made from one word alone, and a sum has no order.",
                not any(differ),
            ),
        ],
        text=1,
    )


def causal_layers(effects: np.ndarray) -> Question:
    """Ask from which layer on the order shows, given the effects of one and two layers by draw."""
    shows = (effects > 1e-3).all(axis=0).tolist()
    return predict(
        "causal-layers",
        "With a causal mask and no positions, can the last of five words tell in which order "
        "the others came?",
        [
            (
                "Already after one layer",
                "The mask has a direction, but it hides nothing from the *last* word. Its "
                "output is a sum over all keys, as without a mask.",
                shows == [True, True],
            ),
            (
                "After two layers, not after one",
                f"In each of {len(effects)} random texts, some order moves its output by "
                f"{effects[:, 1].min():.1f} or more after two layers, and none by more than "
                f"{effects[:, 0].max():.0e} after one. In between, the earlier words have "
                "changed: none has seen those after it.",
                shows == [False, True],
            ),
            (
                "Never: positions have to be added",
                "A mask does not move along with the words: what a word may see depends on "
                "where it stands.",
                shows == [False, False],
            ),
        ],
        text=1,
    )


def alibi_without_a_mask(
    order: Sequence[float], mirror: Sequence[float]
) -> Question:
    """Ask what moves outputs under ALiBi, given how far they moved in several texts."""
    by_order, by_mirror = min(order) > 1e-3, min(mirror) > 1e-3
    return predict(
        "alibi-without-a-mask",
        "Take ALiBi without a mask: each score is lowered in proportion to the distance. "
        "Does the shuffling move the last output, does reading backward move the middle one?",
        [
            (
                "Both of them",
                "That would take a bias that tells left from right. But −λ·|i − j| is the "
                "same for two words to the left and for two words to the right.",
                by_order and by_mirror,
            ),
            (
                "The shuffling, not the reading backward",
                f"In each of {len(order)} random texts, some shuffle moves the last output by "
                f"{min(order):.1f} or more. Reading backward moves the middle one by "
                f"{max(mirror):.0e} at most: every word keeps its distance from the middle.",
                by_order and not by_mirror,
            ),
            (
                "The reading backward, not the shuffling",
                "The bias changes where distances change. Compare them before and after, once "
                "for each of the two.",
                by_mirror and not by_order,
            ),
            (
                "None: softmax ignores what is added to a row",
                "It ignores what is the *same* for a whole row. This differs from key to "
                "key.",
                not by_order and not by_mirror,
            ),
        ],
        text=1,
    )


def trained_short(
    near: Mapping[str, np.ndarray], far: Mapping[str, np.ndarray]
) -> Question:
    """Ask which scheme is right near and far, given the accuracy of five models of each."""

    def right(scheme: str) -> bool:
        return min(near[scheme].min(), far[scheme].min()) > 0.9

    def measured(scheme: str) -> str:
        at_first, at_last = (100 * found[scheme].mean() for found in (near, far))
        return f"{at_first:.0f} % up to 63, {at_last:.0f} % at the end"

    return predict(
        "trained-short",
        "Trained on 64 letters, tested on 256. Which models name the letter three places back "
        "nearly always, near the beginning *and* near the end?",
        [
            (
                "Rotary: scores depend on distances only",
                "True, a key three back has the same score everywhere. But near the end "
                "there are also keys 64 and more places back, and nobody has taught the model "
                "to score *these* low.",
                right("rotary"),
            ),
            (
                "Sinusoids: there is a row for any position",
                "A row can be computed for any position. But the matrices have never learned "
                "what to do with the rows from 64 on.",
                right("sinusoids"),
            ),
            (
                "ALiBi: it has no last position",
                "It has none. But it can prefer what is near, and what is *exactly* three "
                "back is another matter.",
                right("ALiBi"),
            ),
            (
                "None of them",
                f"Rotary: {measured('rotary')}. Sinusoids: {measured('sinusoids')}. Learned "
                f"rows: {measured('learned rows')}. ALiBi stays where it was, at "
                f"{100 * far['ALiBi'].mean():.0f} %.",
                not any(map(right, near)),
            ),
        ],
        covers=3,
        text=1,
    )


def all_hands_slowed(
    first: np.ndarray, last: np.ndarray, twelve_back: np.ndarray
) -> Question:
    """Ask what slowing all hands does, given how often five models are right.

    That is, up to 63 and at the end, and how often they name the letter twelve places back.
    """
    return predict(
        "all-hands-slowed",
        "Slow *all* six hands to a quarter of their speed, in the trained rotary models. How "
        "often are they right then?",
        [
            (
                "Nearly always: no hand turns too far",
                "Hardly an angle is beyond those of training. But each of them now stands for four "
                "times the distance.",
                min(first.min(), last.min()) > 0.9,
            ),
            (
                "As before: up to 63, and not beyond",
                "That would be so if the first 64 positions looked as they did in training. "
                "But there, too, every hand is slower now.",
                first.min() > 0.9 and last.max() < 0.3,
            ),
            (
                "Hardly ever, not even up to 63",
                f"{100 * first.mean():.0f} % up to 63, {100 * last.mean():.0f} % at the end. "
                "What looked like three places back in training is now twelve back: the "
                f"letter *there* they name most often, in {100 * twelve_back.mean():.0f} % of "
                "the cases.",
                first.max() < 0.3 and last.max() < 0.3 < twelve_back.min(),
            ),
        ],
        covers=3,
    )
