"""What the chapter `language_model` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.language_model import cross_entropy, token_probabilities
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(
    readers: Mapping[str, float],
    written: Mapping[str, np.ndarray],
    by_part: Mapping[str, list[tuple[float, float]]],
) -> Deck:
    """Ask what a loss means, how a model writes, and what its parts are for.

    Parameters
    ----------
    readers : mapping
        The loss of each reader on the validation text.
    written : mapping
        For each rule: the shares of unknown words and of repeated pieces in what was written.
    by_part : mapping
        For a model without each part, by start: the loss on whole windows, and as in writing.
    """
    rng = np.random.default_rng(0)
    tokens = rng.integers(8, size=50)
    copied = cross_entropy(50.0 * np.eye(8)[tokens], tokens)
    p, others = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), size=1000)
    surprise = -(p * np.log(others)).sum(axis=-1)
    n_vocab = 96
    certain = cross_entropy(np.eye(n_vocab)[[7]], np.array([7]))
    z = 3 * rng.normal(size=12)
    probs, cold = softmax(z), token_probabilities(z, temperature=0.5)
    halved = (probs / 0.5) / (probs / 0.5).sum()
    sure, unsure = np.array([8.0, 0, 0, 0, 0, 0]), np.zeros(6)
    kept = [
        [
            (token_probabilities(logits, **rule) > 0).sum()
            for logits in (sure, unsure)
        ]
        for rule in ({"top_k": 3}, {"top_p": 0.8})
    ]
    unmasked = np.array(by_part["no mask"]).mean(axis=0)
    whole = np.array(by_part["full model"]).mean(axis=0)
    pairs, ours = readers["one character seen"], readers["the book's model"]
    plain, greedy, hot = (written[rule] for rule in ("as it is", "greedy", "T = 2"))
    return deck(
        "language_model",
        card(
            "why-the-logarithm",
            "Why is the loss of a text the mean of $-\\log p$? What does it measure?",
            "A length: the number of nats, or bits, per token of a file that is packed with the"
            " model's guesses. And its expected value is least for the true probabilities.",
            section="By hand: what a guess costs",
            holds=[(surprise > -(p * np.log(p)).sum()).all()],
        ),
        card(
            "is-it-good",
            f"A model of characters has a loss of {ours:.1f} nats. Is that good? What do"
            " you compare it with?",
            f"With readers who know little: the logarithm of the vocabulary"
            f" ({readers['nothing known']:.2f} nats here), and a table of which character follows"
            f" which ({pairs:.2f}). The book's model's {ours:.2f} nats mean that it is as unsure as"
            f" among {np.exp(ours):.0f} equally likely characters, the table as among"
            f" {np.exp(pairs):.0f}.",
            section="What a loss means",
            holds=[ours < pairs - 0.3, pairs < readers["nothing known"]],
        ),
        card(
            "not-shifted",
            "You give a language model its inputs as targets, not shifted by one. What do you see"
            " in training, and in writing?",
            "The loss falls fast, to next to nothing: the model only has to copy what it sees."
            " Then it writes the last character again and again.",
            section="What goes wrong",
            holds=[bool(copied < 1e-9)],
        ),
        card(
            "softmax-before-the-loss",
            "You apply softmax before `cross_entropy`. Why can the loss then never come near 0?",
            "`cross_entropy` applies softmax itself. Of a perfect guess, 1 for the right character"
            f" and 0 for the {n_vocab - 1} others, the second softmax makes"
            f" {np.exp(-certain):.3f}: even a perfect model pays {certain:.2f} nats.",
            section="What goes wrong",
            holds=[np.isclose(certain, np.log(1 + 95 / np.e))],
        ),
        card(
            "temperature-too-late",
            "You divide the *probabilities* by the temperature and normalize. What happens?",
            "Nothing: the sum is divided, too. The temperature belongs to the logits, before"
            " softmax: there, $T = 0.5$ makes the largest probability larger.",
            section="What goes wrong",
            holds=[np.allclose(halved, probs), cold.max() > probs.max() + 0.01],
        ),
        card(
            "top-k-or-top-p",
            "Top-k and top-p both cut off unlikely characters. What is the difference?",
            "Top-k keeps a fixed number, top-p as many as it takes to reach a probability of"
            " $p$, so it depends on how sure the model is. Of a sure guess and of one among six"
            f" equals, $k = 3$ kept {kept[0][0]} and {kept[0][1]}, $p = 0.8$ kept {kept[1][0]} and"
            f" {kept[1][1]}.",
            section="Choosing the next character",
            holds=[kept[0] == [3, 3], kept[1][0] < kept[1][1]],
        ),
        card(
            "always-the-likeliest",
            "Why not always write the most probable character?",
            "The text runs in circles: it repeated"
            f" {100 * greedy[1]:.0f} % of its pieces of eight characters, against"
            f" {100 * plain[1]:.0f} % where the model drew. A high temperature errs the"
            f" other way: at twice the usual one, {100 * hot[0]:.0f} % of the words, with"
            " their punctuation, were unknown.",
            section="Choosing the next character",
            holds=[greedy[1] > 2 * plain[1], hot[0] > 0.5 > plain[0]],
        ),
        card(
            "splendid-loss",
            "Of all the parts that you can leave out, one makes the loss far *lower*. Which, and"
            " what is wrong with it?",
            f"The mask: {unmasked[0]:.2f} nats on whole windows, where the full model has"
            f" {whole[0]:.2f}. It reads the answer. With everything after the present character"
            f" cut off, as in writing, it has {unmasked[1]:.2f}.",
            section="On real data: what each part is good for",
            holds=[unmasked[0] < whole[0] / 10, unmasked[1] > 2 * whole[1]],
        ),
    )
