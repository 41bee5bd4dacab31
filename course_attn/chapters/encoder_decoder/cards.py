"""What the chapter `encoder_decoder` asks again."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.qkv import attention

__all__ = ["cards"]


def cards(
    copied: Mapping[str, Mapping[int, Sequence[float]]],
    mistakes: Mapping[str, np.ndarray],
    looks: Mapping[int, tuple[np.ndarray, np.ndarray]],
    hits: float,
    changed: np.ndarray,
) -> Deck:
    """Ask how one sequence reads another, and how one sees that it does not.

    Parameters
    ----------
    copied : mapping
        For each recurrent model and each length, the shares of strings copied right.
    mistakes : mapping
        For each mistake: its loss, and the shares of answers that are right if told, if free, and
        with a single source.
    looks : mapping
        For each number of steps: which characters are right if told those before, and if not.
    hits : float
        The share of digits whose largest weight lies where they come from.
    changed : array, shape (4,)
        How often a digit changes if one exchanges the weighed character, its own, the row of Z at
        the weighed place, and that at its own.
    """
    rng = np.random.default_rng(0)
    Q, K, V = (
        rng.normal(size=(3, 4)),
        rng.normal(size=(5, 4)),
        rng.normal(size=(5, 4)),
    )
    order = rng.permutation(5)
    same = np.allclose(attention(Q, K[order], V[order]), attention(Q, K, V))
    padded = attention(
        Q, np.vstack([K, V]), np.vstack([V, K]), mask=np.arange(10)[None] < 5
    )
    long = 15
    fixed, reads = copied["one fixed vector"][long], copied["attention"][long]
    astray = mistakes["keys and values from the decoder"]
    right = mistakes["none"]
    still = mistakes["targets not shifted"]
    told, free = (part.all(axis=1) for part in looks[200])
    return deck(
        "encoder_decoder",
        card(
            "one-fixed-vector",
            "An encoder hands its decoder one fixed vector. What goes wrong, and how is it seen?",
            f"Long sources can get lost. Of random strings of {long} symbols,"
            f" {100 * np.mean(fixed):.0f} % were copied right, and {100 * np.mean(reads):.0f} %"
            " with attention: measure by length.",
            section="The idea: one reads, the other asks",
            holds=[max(fixed) < 0.5, min(reads) > 0.9],
        ),
        card(
            "who-asks-whom",
            "In cross-attention, where do queries, keys and values come from? How many rows come"
            " out?",
            "Queries from the target, keys and values from the source: one row for each query."
            f" {len(Q)} queries that ask {len(K)} elements get {len(Q)} rows.",
            section="In one line: cross-attention, and the block around it",
            holds=[attention(Q, K, V).shape == Q.shape],
        ),
        card(
            "no-causal-mask-across",
            "Why does cross-attention need no causal mask?",
            "Its rows do not see each other, and all of the source is there before the first token"
            " is written. A mask would only hide some of it.",
            section="Why it works",
            holds=[np.allclose(attention(Q, K, V)[:1], attention(Q[:1], K, V))],
        ),
        card(
            "order-of-the-source",
            "Reorder the rows of $Z$. What changes in the output of cross-attention?",
            "Nothing: a sum has no order. If it is to matter where something stood, the encoder has"
            " to use its position.",
            section="Why it works",
            holds=[same],
        ),
        card(
            "two-masks-for-padding",
            "In which attentions does the padding of a source have to be masked?",
            "In the encoder's and in cross-attention, each time as keys. Then it changes nothing.",
            section="Why it works",
            holds=[np.allclose(padded, attention(Q, K, V))],
        ),
        card(
            "told-and-free-differ",
            "A model has the right answer if told it, and not if it writes. What do"
            " you know?",
            "If the program that writes is right, a row was given what it should not see: for whole"
            " greedy answers both are right in the same"
            f" cases. With keys and values from the decoder, {100 * astray[1]:.0f} % were right"
            f" told and {100 * astray[2]:.0f} % free.",
            section="In PyTorch",
            holds=[(told == free).all(), astray[1] > astray[2] + 0.5],
        ),
        card(
            "splendid-and-silent",
            "Targets are not shifted. What does the loss look like, and what the text?",
            f"The loss is {still[0]:.4f}, less than that of the right model ({right[0]:.4f}), and"
            f" {100 * still[2]:.0f} % of the answers are right: it copies what it is given.",
            section="What goes wrong",
            holds=[still[0] < right[0], still[2] < 0.01],
        ),
        card(
            "weight-or-cause",
            "In a year, the largest weight lies off the digit's own character, and the digit is"
            " right. Does it come from where the weight lies?",
            "From that row of $Z$, perhaps, where the encoder has put it. Exchange characters: in"
            f" such cases {100 * changed[1]:.0f} % of the digits"
            f" changed with their own, {100 * changed[0]:.0f} % with the weighed one.",
            section="The largest weight need not be the cause",
            holds=[changed[1] > 2 * changed[0], hits < 0.99],
        ),
    )
