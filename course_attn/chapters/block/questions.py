"""What the chapter `block` asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict

__all__ = [
    "blocks_for_a_hunt",
    "difference_left",
    "gradient_at_the_bottom",
    "past_the_mask",
    "twelve_blocks",
]


def difference_left(left: Sequence[float], averaged: Sequence[float]) -> Question:
    """Ask what four layers leave, given this and what four fixed averages leave, by draw."""
    return predict(
        "difference-left",
        "How much of their difference is left after four layers of attention?",
        [
            (
                "About a half",
                "So it might be if each element kept most of itself. Here an output "
                "*replaces* its element, layer after layer.",
                0.2 < np.mean(left) < 0.8,
            ),
            (
                "A few hundredths",
                "Four averages that all have *the same* random weights leave about that much. "
                "But attention computes its weights anew in each layer, from elements that are "
                "no longer what they were.",
                0.01 < np.mean(left) < 0.2,
            ),
            (
                "Nothing",
                f"At most {max(left):.0e} in {len(left)} draws. Four "
                f"averages with weights that stay the same leave {np.mean(averaged):.2f}.",
                max(left) < 1e-12,
            ),
            (
                "More than before",
                "Random matrices can stretch differences, and also what all elements have in "
                "common. What is measured is the one relative to the other.",
                np.mean(left) > 1,
            ),
        ],
        text=1,
    )


def gradient_at_the_bottom(ratios: Mapping[str, Sequence[float]]) -> Question:
    """Ask where the gradient fades, given its size at the bottom over that at the top."""
    fades = [kind for kind, by_draw in ratios.items() if max(by_draw) < 0.01]

    growth = 10 ** int(np.log10(min(ratios["no norm"])))
    with_both = [*ratios["pre-norm"], *ratios["post-norm"]]

    def span(kind: str) -> str:
        return f"{min(ratios[kind]):.1g} to {max(ratios[kind]):.1g}"

    return predict(
        "gradient-at-the-bottom",
        "In which stack is the gradient after block 1 less than a hundredth of the gradient "
        "after block 12?",
        [
            (
                "Post-norm: 22 norms stand in its path",
                "They do divide what comes down this path. But the gradient comes by other "
                "paths, too: through attention and through the networks.",
                fades == ["post-norm"],
            ),
            (
                "Residual connections without norms",
                "No norm divides the gradient there. Each block passes on what comes from "
                "above, and adds what comes through its own parts.",
                fades == ["no norm"],
            ),
            (
                "Neither residual connections nor norms",
                f"In each draw {span('neither')} of it arrives. With residual "
                "connections but no norms it grows instead, "
                f"by a factor of more than {growth:,}. With both it stays within a factor of "
                "ten, before any training.",
                fades == ["neither"]
                and 0.1 < min(with_both) <= max(with_both) < 10,
            ),
            (
                "In none of the four",
                "Eleven blocks lie between. If each of them passed on a half of the gradient, "
                "less than a thousandth would arrive: what looks harmless in one block does "
                "not stay so in a deep stack.",
                not fades,
            ),
        ],
        covers=2,
        text=1,
    )


def past_the_mask(moves: Mapping[str, float]) -> Question:
    """Ask which norm leaks, given how far earlier elements move when the last one changes."""
    leaks = [over for over, by in moves.items() if by > 1e-9]
    return predict(
        "past-the-mask",
        "All attention in a stack has a causal mask. Which norm lets an earlier element hear "
        "of a later one all the same?",
        [
            (
                "None: the mask is in place",
                "The mask guards attention, and nothing else. A mean over several elements is "
                "another way for them to hear of each other.",
                not leaks,
            ),
            (
                "Over the features",
                "Its mean and variance come from the features of *one* element. Nothing of "
                "another element enters.",
                leaks == ["features"],
            ),
            (
                "Over the positions",
                "Change the last element of a text, and earlier ones move by up to "
                f"{moves['positions']:.1f}: its mean is that of the whole text. With the other "
                "two norms they stay where they are.",
                leaks == ["positions"],
            ),
            (
                "Over the batch, each position by itself",
                "It mixes texts, which is a mistake of its own, but no positions.",
                leaks == ["batch"],
            ),
        ],
    )


def twelve_blocks(right: Mapping[str, Sequence[float]]) -> Question:
    """Ask which deep stacks learn, given the shares of held-out digits that are right."""

    def span(norm: str, n: int) -> str:
        shares = right[f"{norm}-norm, {n} blocks"]
        return f"{100 * min(shares):.0f} % to {100 * max(shares):.0f} %"

    pre, post = (right[f"{norm}-norm, 12 blocks"] for norm in ("pre", "post"))
    learn = min(pre) > 0.85, min(post) > 0.85
    return predict(
        "twelve-blocks",
        f"With two blocks, pre-norm is right on {span('pre', 2)} of the held-out digits, "
        f"post-norm on {span('post', 2)}. Now take twelve blocks, at the same learning rate. "
        "Which learn?",
        [
            (
                "Both: more layers, more power",
                "What a stack *can* express is one thing, and whether training finds it is "
                "another.",
                learn == (True, True),
            ),
            (
                "Pre-norm does, post-norm does not",
                f"Pre-norm is right on {span('pre', 12)}, post-norm on {span('post', 12)}; "
                "guessing gives 10 %. So it is in this budget, at this learning rate, and "
                "with three starts each.",
                learn[0] and max(post) < 0.3,
            ),
            (
                "Post-norm does, as in the paper of 2017",
                "That paper raised its learning rate step by step, and here it is full from "
                "the start.",
                learn == (False, True),
            ),
            (
                "Neither: too deep for 1,347 images",
                "Two blocks learn from as many images. Deeper stacks are harder to train, but "
                "depth alone is no reason to fail.",
                learn == (False, False),
            ),
        ],
        text=1,
    )


def blocks_for_a_hunt(
    linear: Sequence[float], found: Mapping[str, np.ndarray]
) -> Question:
    """Ask how many blocks each number takes, given the right shares of all models by start."""
    one, wide, two = (
        found[size] for size in ("one block", "one wide block", "two blocks")
    )

    def need(k: int) -> str:
        """Return the least that names this number right."""
        for size, share in (("no block", linear[k]), ("one", one[:, k].min())):
            if share > 0.85:
                return size
        return "a wide one" if wide[:, k].min() > 0.85 else "two"

    needs = [need(k) for k in range(3)]
    return predict(
        "blocks-for-a-hunt",
        "One block, a wide one and two blocks get the same training. How many blocks did it take "
        "to name the first, the second and the third number?",
        [
            (
                "One, two and three",
                "Where does the first number stand? Count the cards that have to be asked, not the "
                "numbers.",
                linear[0] < 0.85,
            ),
            (
                "None, one and two",
                f"Logistic regression reads {100 * linear[0]:.0f} % of the first numbers. One "
                f"block finds {100 * one[:, 1].mean():.0f} % of the second. Of the third, one "
                f"block finds {100 * one[:, 2].mean():.0f} %, a wide one "
                f"{100 * wide[:, 2].mean():.0f} %, and two blocks "
                f"{100 * two[:, 2].mean():.0f} %; a guess among the other seven numbers gives "
                "14 %.",
                needs == ["no block", "one", "two"] and two[:, 2].min() > 0.85,
            ),
            (
                "One for all: it sees all ten cards",
                "It sees them all, and a block can be built that does it. In 400 batches, "
                "training did not find one.",
                needs[2] == "one",
            ),
            (
                "One for all, with twice the width and four heads",
                "It can carry more at once. In the same 400 batches that was not enough.",
                needs[2] == "a wide one",
            ),
        ],
        text=1,
    )
