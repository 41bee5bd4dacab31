"""What the chapter `language_model` asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = [
    "bits_of_a_pair",
    "greedy_text",
    "part_missing",
]


def bits_of_a_pair(bits: float) -> Question:
    """Ask what a character costs that is guessed from the one before it."""
    return predict_number(
        "bits-of-a-pair",
        "Without any knowledge, each of the 96 characters costs 6.6 bits. How many bits does it "
        "cost on average if you know the character before it, and how often each follows it?",
        0,
        6.6,
        bits,
        step=0.1,
        close=0.5,
        unit=" bits",
        said="So one character seen leaves about as much doubt as a choice among "
        f"{2**bits:.0f} equally likely ones.",
        too_low="After *q* you nearly always know what comes. But after a space, or after an *e*, "
        "much is possible, and these are frequent.",
        too_high="Few of the 96 characters are frequent, and the one before makes some of these"
        " unlikely.",
        text=1,
    )


def greedy_text(greedy: Sequence[float], drawn: Sequence[float]) -> Question:
    """Ask what greedy writing does, given (unknown words, repetitions) of it and of drawing."""
    return predict(
        "greedy-text",
        "What gets worse if the model always takes the most probable character instead of "
        "drawing?",
        [
            (
                "More words that do not exist",
                f"{100 * greedy[0]:.0f} % of its words do not occur in the training text, "
                f"against {100 * drawn[0]:.0f} % where it draws.",
                greedy[0] > drawn[0] and greedy[1] <= drawn[1],
            ),
            (
                "It is better in both: it is the best guess",
                "Each character is the best guess for *one* place. But people do not "
                "write what is most probable at every place.",
                greedy[0] <= drawn[0] and greedy[1] <= drawn[1],
            ),
            (
                "It repeats itself",
                f"{100 * greedy[1]:.0f} % of all places repeat eight characters of the same "
                f"text, against {100 * drawn[1]:.0f} % where it draws.",
                greedy[1] > drawn[1],
            ),
        ],
        covers=1,
        text=1,
    )


def part_missing(by_part: Mapping[str, Sequence[tuple[float, float]]]) -> Question:
    """Ask without which part the loss is least, given (validation, writing) by part and start."""
    means = {part: np.mean(found, axis=0) for part, found in by_part.items()}
    full = means["full model"]
    lowest = min(means, key=lambda part: means[part][0])
    seen, used = means["no mask"]
    return predict(
        "part-missing",
        "Each model misses one part. Which of them reaches a loss far below that of the whole "
        "model?",
        [
            (
                "The one without feed-forward networks",
                "Its blocks have a third of the parameters, and it has "
                f"{means['no feed-forward'][0]:.2f} nats against {full[0]:.2f}.",
                lowest == "no feed-forward",
            ),
            (
                "The one without a mask",
                f"{seen:.2f} nats against {full[0]:.2f}: it copies each answer from the next "
                f"input. With nothing there to copy, as in writing, it pays {used:.2f}.",
                lowest == "no mask" and bool(seen < full[0] / 2),
            ),
            (
                "The one without norms",
                f"It has {means['no norm'][0]:.2f} nats against {full[0]:.2f}.",
                lowest == "no norm",
            ),
            (
                "None of them",
                "So it would be if every part helped to guess what is *not yet known*. One part "
                "is there to keep something from the model.",
                lowest == "full model",
            ),
        ],
        covers=2,
        text=1,
    )
