"""What the chapter `qkv` asks."""

import numpy as np

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = ["between_two_keys", "mutual_looks", "no_roles", "x_x_x", "zero_query"]


def no_roles(weights: np.ndarray) -> Question:
    """Ask what attention makes of a photograph whose pixels play all roles with one vector."""
    winners = len(set(weights.argmax(axis=1).tolist()))
    largest = weights.max(axis=1)
    nearly_all = 100 * (largest > 0.99).mean()
    return predict(
        "no-roles",
        "Every pixel asks all pixels with its raw colors. What becomes of the picture?",
        [
            (
                "It stays: each pixel fits itself best",
                "That would be so if the dot product measured likeness. It also rewards length,"
                " so a pixel need not fit itself best.",
                winners > len(weights) / 2,
            ),
            (
                "A few bright pixels take over",
                "Bright pixels are long vectors."
                f" Measured: {winners} of {len(weights):,} pixels share all the wins, and"
                f" {nearly_all:.0f} % of the rows give one pixel more than 0.99.",
                winners < 10 and float(np.median(largest)) > 0.9,
            ),
            (
                "It blurs into its mean color",
                "For that the weights would have to be nearly even, and so the scores nearly"
                " equal. Raw colors are large numbers, and so are the differences of scores.",
                float(np.median(largest)) < 0.1,
            ),
        ],
        covers=4,
    )


def zero_query(weights: np.ndarray) -> Question:
    """Ask for the weights of a word whose query is zero."""
    n = len(weights)
    return predict(
        "zero-query",
        "*answered* has no features, so its query is zero. What are its weights?",
        [
            (
                "All 0: it asks for nothing",
                "Its *scores* are all 0. But softmax makes weights that sum to 1, whatever the"
                " scores are.",
                np.allclose(weights, 0),
            ),
            (
                f"All {1 / n:g}: an equal share",
                f"Measured: {n} weights of {weights[0]:.1f}. Equal scores give equal weights, so"
                " its output is the mean of all values.",
                np.allclose(weights, 1 / n),
            ),
            (
                "1 for itself, as nothing else fits",
                "It does not fit itself better than the others: with a zero query every key"
                " scores 0, its own as well.",
                weights.max() > 0.9,
            ),
        ],
        text=1,
    )


def between_two_keys(answer: float, values: np.ndarray) -> Question:
    """Ask what a cold soft dictionary says between the keys east and north."""
    east, north, *_ = values
    straight = east + (67.5 / 90) * (north - east)
    return predict(
        "between-two-keys",
        "North-northeast is no key of the dictionary; it lies nearest to north, a quarter of the"
        " way to east. What does attention answer at the low temperature T = 0.01?",
        [
            (
                "That there is no such key",
                "That is what a `dict` says. Attention always answers: its weights sum to 1,"
                " whether something fits or not.",
                False,
            ),
            (
                f"{straight:.2f} mm, between the two",
                "A straight line from east to north would give that. But the weights are not in"
                " proportion to the angles: they depend on the temperature, too.",
                abs(answer - straight) < 0.5,
            ),
            (
                f"{north:g} mm, as for north",
                f"Measured: {answer:.2f} mm. North matches best, and so low a temperature gives"
                " it nearly everything.",
                abs(answer - north) < 0.1,
            ),
            (
                f"{np.mean(values):g} mm, the mean of all",
                "That is what a very *high* temperature would give: the same weight for all keys.",
                abs(answer - np.mean(values)) < 0.5,
            ),
        ],
        covers=2,
        text=1,
    )


def mutual_looks(shared: float, two: float, tests: int) -> Question:
    """Ask how often two names look at each other if queries and keys share a matrix."""
    return predict(
        "mutual-looks",
        "Four of the six models share one matrix for queries and keys, or learn none. After"
        " training, in how many sentences do both names have their largest weight on each other?",
        [
            (
                "In none",
                f"Measured: in none of {tests:,} tests. With one matrix, the score of a pair is"
                " never above both scores on the diagonal. With two matrices, both names look at"
                f" each other in {100 * two:.1f} % of theirs.",
                shared == 0,
            ),
            (
                "In most: training finds a way",
                "Training can only choose among matrices. Ask first what the theorem says of"
                " each of them.",
                shared > 0.5,
            ),
            (
                "In some, by chance",
                "Chance would need a matrix with which it can happen. The theorem says that"
                " there is none.",
                0 < shared <= 0.5,
            ),
        ],
        text=1,
    )


def x_x_x(self_wins: float, n: int, d: int) -> Question:
    """Ask how often a random vector has its largest weight on itself."""
    return predict_number(
        "x-x-x",
        f"To test an attention function, you pass it the same {n} vectors of {d} standard normal"
        " numbers as queries, keys and values. How often does a vector have its largest weight on"
        " itself?",
        0,
        100,
        100 * self_wins,
        step=1,
        close=5,
        unit=" %",
        said="A vector's product with itself is a sum of squares. With another, positive and"
        " negative terms cancel.",
        too_low=f"One in {n} would be chance. But no vector meets another one as well as itself,"
        " if both are equally long.",
        too_high="At this width, a much longer vector that points roughly the same way still wins"
        " at times.",
    )
