"""What the chapter `masks` asks."""

from collections.abc import Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict

__all__ = [
    "counting_padding",
    "layer_2_forgets",
    "masked_too_late",
    "weights_of_cat",
    "written_without_a_mask",
]


def weights_of_cat(
    masked: np.ndarray, too_late: np.ndarray, filled: np.ndarray
) -> Question:
    """Ask for two weights under a causal mask, given those of two wrong masks as well."""

    def of_both(row: np.ndarray) -> str:
        return f"{row[0]:.2f} and {row[1]:.2f}"

    equal = np.array([0.5, 0.5])
    return predict(
        "weights-of-cat",
        "*cat* scores *the* with 1, itself with 0, *sat* with 2 and *down* with 1. What "
        "weights does it give to *the* and to itself?",
        [
            (
                of_both(too_late),
                "These are its weights without a mask. Cross out *sat* and *down* *after* sharing "
                "out, and they have taken their part: what is left sums to "
                f"{too_late[:2].sum():.2f}, not to 1.",
                of_both(masked) == of_both(too_late),
            ),
            (
                of_both(equal),
                "A mask says who may be looked at, not how much. The scores of the two that "
                "are left still count, and they are 1 and 0.",
                of_both(masked) == of_both(equal),
            ),
            (
                of_both(masked),
                "Two keys are left, with the scores 1 and 0. They share the weight of 1 as e¹ "
                f": e⁰, which is {of_both(masked)}. That *sat* scored highest plays no part.",
                np.isclose(masked[:2].sum(), 1),
            ),
            (
                of_both(filled),
                "So it would be if a crossed-out score counted as 0. But e⁰ is 1, not 0: "
                f"*sat* and *down* would keep {filled[2:].sum():.2f} between them.",
                of_both(masked) == of_both(filled),
            ),
        ],
    )


def layer_2_forgets(moved: np.ndarray) -> Question:
    """Ask which earlier words a change reaches; `moved` has a row of truth values per text."""
    all_of_them, none = moved.all(), not moved.any()
    only_next = moved[:, -1].all() and not moved[:, :-1].any()
    return predict(
        "layer-2-forgets",
        "Three layers, and the sixth of eight words is replaced. Layers 1 and 3 have their "
        "causal mask, layer 2 has none. Which of the five words before it end up with other "
        "outputs?",
        [
            (
                "None: layer 3 hides it again",
                "A mask hides *positions*, not what has already come into the vectors that "
                "stand there. What layer 2 let through, layer 3 cannot tell from the rest.",
                none,
            ),
            (
                "Only the one right before it",
                "So it is when a mask is off by one. This one is not shifted: it is missing.",
                only_next,
            ),
            (
                "Those that give it much weight",
                "Much weight or little: that decides how far an output moves, and not whether "
                "it moves.",
                not (all_of_them or none or only_next),
            ),
            (
                "All five",
                f"In each of {len(moved)} random texts, {moved.sum(axis=1).min()} of 5 moved: "
                "without a mask every word sees the new one, and softmax gives it *some* weight. "
                "One layer without a mask is enough, and no later mask takes it back.",
                all_of_them,
            ),
        ],
        text=1,
    )


def masked_too_late(leaks: np.ndarray) -> Question:
    """Ask whether setting weights to 0 after softmax leaks; `leaks` has a table for each text."""
    rows, columns = np.triu_indices(leaks.shape[-1], 1)
    later = leaks[:, rows, columns]
    only_next = np.array_equal(later.any(axis=0), columns == rows + 1)
    return predict(
        "masked-too-late",
        "Softmax over all scores first, then the forbidden weights are set to 0. On "
        "which later inputs does an output still depend?",
        [
            (
                "On none: a weight of 0 adds nothing",
                "That is true of the *values*. But softmax came before the zeros, and it has "
                "seen all scores.",
                not later.any(),
            ),
            (
                "On every later input",
                f"In each of {len(leaks)} random texts, {later.sum(axis=1).min()} of the "
                f"{later.shape[1]} pairs of an output and a later input leak. The later keys "
                "come in through the sum that softmax divides by.",
                later.all(),
            ),
            (
                "Only on the input right after it",
                "So it is if a mask is off by one. This one stands in the right place, and "
                "comes too late.",
                only_next,
            ),
            (
                "Only on those with a high score",
                "A high score makes a change larger. Whether there is one at all does not "
                "depend on it.",
                later.any() and not later.all() and not only_next,
            ),
        ],
    )


def written_without_a_mask(
    repeats: Sequence[float], follows: Sequence[float], in_training: float
) -> Question:
    """Ask what a model writes that could peek, given the shares of letters from several seeds."""
    repeat, follow = np.mean(repeats), np.mean(follows)
    return predict(
        "written-without-a-mask",
        "The model without a mask has the lower loss. It gets one letter and appends eight "
        "guesses of its own. What will its texts look like?",
        [
            (
                "Like those that it read, only better",
                "A low loss promises that if the answers were hidden. This one was earned by "
                "reading them, and now there is nothing to read.",
                min(follows) > 0.5,
            ),
            (
                "Like letters drawn at random",
                "A model without any training might do that. This one has learned something, "
                "and does it here as well, whether it helps or not.",
                max(repeats) < 0.3 and max(follows) < 0.3,
            ),
            (
                "The same letter again and again",
                f"Over {len(repeats)} seeds, {100 * repeat:.0f} % of its letters repeat the "
                f"one before (at least {100 * min(repeats):.0f} %). It learned to copy the "
                "next input. Where there is none, it copies a letter that is there. Only "
                f"{100 * follow:.0f} % of its letters follow the alphabet, against "
                f"{100 * in_training:.0f} % in fresh texts.",
                min(repeats) > 0.8,
            ),
        ],
        text=1,
    )


def counting_padding(
    counted: tuple[Sequence[float], Sequence[float]],
    left_out: tuple[Sequence[float], Sequence[float]],
    padding: float,
) -> Question:
    """Ask which loss is lower, given what each model reports, and its loss on real words."""
    lower = np.less(counted[0], left_out[0])
    worse = np.greater(counted[1], left_out[1])
    (said, on_words), (also_said, also_on_words) = (
        [np.mean(losses) for losses in both] for both in (counted, left_out)
    )
    return predict(
        "counting-padding",
        "One model's loss counts the padding, the other's leaves it out. Which model reports "
        "the lower loss, and which is better at real words, after a hundred steps?",
        [
            (
                "Counting it: lower loss, better at words",
                "A loss is a mean over what is to be guessed. Where two models do not have to "
                "guess the same, the lower one need not be the better.",
                lower.all() and not worse.any(),
            ),
            (
                "Leaving it out: lower loss, better at words",
                "A loss is a mean over what is to be guessed. After padding comes padding: ask "
                "yourself what such guesses do to a mean.",
                not lower.any() and worse.all(),
            ),
            (
                "Counting it: lower loss. Leaving it out: better at words",
                f"{100 * padding:.0f} % of what is to be guessed in the held-out sentences is "
                "padding, and after padding comes padding: these easy guesses lower the mean and "
                f"say nothing about words. Counted, the model reports {said:.2f} nats; left "
                f"out, {also_said:.2f}. On the same real words it is {on_words:.2f} against "
                f"{also_on_words:.2f}. In each of the {len(lower)} seeds it is the same way "
                "around.",
                lower.all() and worse.all(),
            ),
            (
                "Both alike: the mask hides the padding anyway",
                "The causal mask keeps padding from what a word can *see*. What a model is "
                "asked to *guess* is decided by the loss.",
                not lower.any() and not worse.any(),
            ),
        ],
        covers=2,
        text=1,
    )
