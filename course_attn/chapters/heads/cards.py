"""What the chapter `heads` asks again."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.heads import induction_score, previous_token_score

__all__ = ["cards"]


def cards(
    costs: np.ndarray,
    history: Mapping[int, Any],
    layers: Mapping[int, float],
    without: Mapping[str, float],
    missed: tuple[float, float, float],
    replaced: Mapping[str, float],
    recall: Mapping[str, float],
) -> Deck:
    """Ask what heads look at, what they are needed for, and how one knows.

    Parameters
    ----------
    costs : array, shape (n_layers, n_heads)
        What the loss of the book's model rises by without each head.
    history : mapping
        Of two layers, by step: the share of right continuations, previous-token scores, and
        induction scores by layer and head.
    layers : mapping
        The share of continuations right, of one layer and of two.
    without : mapping
        That of two layers without some of their heads.
    missed : tuple of float
        Of the head of layer 1 that is missed most: the share right without it, its weight on the
        letter before, and its weight on the letter itself.
    replaced : mapping
        The share right by what is put in the place of that head's part.
    recall : mapping
        The share of questions right, by who answers.
    """
    n, period = 6, 3
    even = np.tri(n) / np.arange(1, n + 1)[:, None]
    before = float(previous_token_score(even))
    behind = float(induction_score(even, period))
    right = {step: looked[0] for step, looked in history.items()}
    scored = {step: float(looked[2][1].mean()) for step, looked in history.items()}
    late = min(step for step, share in right.items() if share > 0.9)
    early = max(step for step, share in right.items() if share < 0.15)
    left, on_before, on_itself = missed
    *others, two_layers = recall.values()
    return deck(
        "heads",
        card(
            "where-induction-looks",
            "A text repeats after $p$ tokens. At which token does an induction head look from"
            " token $i$, and why there?",
            "At token $i - p + 1$: the one after an earlier occurrence of its own token, which is"
            " the one that comes next.",
            section="By hand: two numbers for a head",
            holds=[bool(induction_score(np.eye(9, k=1 - period), period) == 1)],
        ),
        card(
            "even-head",
            "Does a head that spreads its weight evenly over what it may see have the scores 0?",
            f"No. In *xyzxyz* its previous-token score is {before:.2f} and its induction score"
            f" {behind:.2f}. So compare a score with that of such a head.",
            section="By hand: two numbers for a head",
            holds=[before > 0.1, behind > 0.1],
        ),
        card(
            "needed-heads",
            "Which heads does the book's model miss most when they are switched off?",
            f"Those of block 1: each costs at least {costs[0].min():.1f} nats per character, and"
            f" no other more than {costs[1:].max():.2f}. Its previous-token head costs most.",
            section="Switch a head off",
            holds=[costs[0].min() > costs[1:].max(), costs.argmax() == 0],
        ),
        card(
            "two-layers",
            "After an earlier *a* came *x*. Why can one layer of attention hardly learn to"
            " propose *x* at the next *a*, while two can?",
            "In one layer the score of a key depends on its token and its place, not on its"
            " neighbor. With two, the first tells each token what stands before it, and the"
            f" second looks for that. Right continuations: {100 * layers[1]:.0f} % with one layer,"
            f" {100 * layers[2]:.0f} % with two.",
            section="Why two layers find it",
            holds=[layers[1] < 0.2, layers[2] > 0.95],
        ),
        card(
            "suddenly",
            "Two layers learn to go on with a line. How does the share of right letters rise from"
            " step to step?",
            f"Suddenly: {100 * right[early]:.0f} % after {early} steps, {100 * right[late]:.0f} %"
            f" after {late}. In the same steps the induction scores of the second layer rise,"
            f" from {scored[early]:.2f} to {scored[late]:.2f} in the mean.",
            section="Suddenly",
            holds=[late - early <= 60, scored[late] > scored[early] + 0.5],
        ),
        card(
            "one-head",
            "One head in one layer cannot continue all of *axbya*, *aybxa*, *bxaya* and *byaxa*."
            " How does the proof begin?",
            "Multiply each difference of logits by its denominator: it becomes a sum over the"
            " places. At every place, the first and the last text have together the same letters"
            " as the other two. So the two sums are equal, and cannot have opposite signs.",
            section="What one head cannot do",
            holds=[
                all(
                    {one, four} == {two, three}
                    for one, two, three, four in zip(
                        "axbya", "aybxa", "bxaya", "byaxa", strict=True
                    )
                )
            ],
        ),
        card(
            "map-and-ablation",
            "A head has an induction score of nine tenths. Is it the reason why the model answers"
            " right?",
            "Its map does not say so; switch it off and see. Without one such head"
            f" {100 * without['one induction head']:.0f} % were still right, as others do its"
            f" work; without all of its layer {100 * without['all of layer 2']:.0f} %. An ablation"
            " speaks of this head, with the others as they are.",
            section="Is attention an explanation?",
            holds=[
                without["one induction head"] > 0.98,
                without["all of layer 2"] < 0.1,
            ],
        ),
        card(
            "small-score",
            "A head of the first layer has hardly any weight on the letter before. Is it idle?",
            f"Not by that. The one with the score {on_before:.2f} was missed most:"
            f" {100 * left:.0f} % were right without it. It had {on_itself:.2f} of its weight on"
            " the letter itself. A score asks one question of a map.",
            section="Is attention an explanation?",
            holds=[left < 0.7, on_before < 0.1, on_itself > 0.4],
        ),
        card(
            "what-instead",
            "Here ablation put nothing in the place of a head's part. What else could stand there,"
            " and does it matter?",
            "Its mean over many lines, or its part in another line. For one head,"
            f" {100 * replaced['nothing']:.0f} % stayed right with nothing,"
            f" {100 * replaced['its mean at each place']:.0f} % with the mean, and"
            f" {100 * replaced['its part in another line']:.0f} % with another line's part.",
            section="In PyTorch",
            holds=[
                replaced["its part in another line"] < replaced["nothing"] - 0.2,
                replaced["its mean at each place"] > replaced["nothing"],
            ],
        ),
        card(
            "looked-up",
            "Eight pairs are listed, then the first letter of one comes again. Why do tables of"
            " pairs and triples not find its partner, however long they count?",
            "Who belongs to whom is decided anew in each line: it does not follow from other"
            f" lines. They and linear models got at most {100 * max(others[:-1]):.0f} % right, two"
            f" layers of attention, which look it up in the line, {100 * two_layers:.0f} %.",
            section="Put to work: look it up",
            holds=[max(others) < 0.25, two_layers > 0.95],
        ),
    )
