"""What the chapter `masks` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.masks import causal_mask, masked_softmax
from course_attn.in_numpy.qkv import attention
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(
    S: np.ndarray,
    leaks: tuple[int | None, int | None],
    losses: Mapping[str, np.ndarray],
    honest: float,
    repeats: Mapping[str, float],
) -> Deck:
    """Ask what a mask is for, where it goes, and how to find out that it is missing.

    Parameters
    ----------
    S : numpy.ndarray
        The chapter's scores of four words.
    leaks : tuple of int or None
        Where PyTorch's layer leaks with a mask in which True means *keep*, and with its negation.
    losses : mapping
        The losses of the models with "no mask" and with a "causal mask".
    honest : float
        The best loss that a model can have that reads the past only.
    repeats : mapping
        How often each kind of model repeats a letter when it writes.
    """
    M = causal_mask(len(S))
    late, later = (
        softmax(S) * M,
        np.eye(len(S))[-1],
    )  # another score of the last key
    free, masked = softmax(S), masked_softmax(S, M)
    kept = M * free / (M * free).sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        product = np.triu(np.ones_like(S), 1) * -np.inf
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6, 8))
    changed = np.where(np.arange(6)[:, None] == 5, rng.normal(size=8), x)
    c = causal_mask(6)
    plans: dict[str, list[np.ndarray | None]] = {
        "causal": [c, c, c],
        "one forgets": [c, None, c],
    }
    moved = {
        name: np.abs(_stack(changed, plan) - _stack(x, plan)).max(axis=-1)
        for name, plan in plans.items()
    }
    whole = _stack(x, [c] * 3)
    prefixes = [
        np.allclose(_stack(x[:t], [causal_mask(t)] * 3), whole[:t])
        for t in range(1, 7)
    ]
    cheap, told = losses["no mask"].mean(), losses["causal mask"].mean()
    return deck(
        "masks",
        card(
            "why-a-mask",
            "Why can attention peek at the next word, where a recurrent network cannot?",
            "A recurrent network's output is computed from inputs up to its own: the next word"
            " does not occur in it. In attention each output is a weighted sum over *all*"
            " positions, later ones included.",
            section="Teacher forcing, and why a recurrent network cannot peek",
            holds=[
                (
                    np.abs(attention(x, x, x) - attention(x, changed, changed)) > 0
                ).all()
            ],
        ),
        card(
            "before-softmax",
            "Forbidden *scores* become minus infinity before softmax. What happens to the"
            " weights of the allowed keys?",
            "They keep their ratios and sum to 1: they are what they would be if the forbidden"
            " keys were not in the list. No trace of a forbidden score is left.",
            section="Minus infinity means: not in the list",
            holds=[
                np.allclose(masked, kept),
                np.allclose(softmax(S[2, :3]), masked[2, :3]),
            ],
        ),
        card(
            "after-softmax",
            "You set the forbidden *weights* to 0, after softmax. What breaks?",
            "They were divided by a sum that contains the future. All rows but the last sum to"
            f" less than 1 (here the rows sum to {listed(late.sum(axis=-1))}), and their outputs"
            " leak: they move when a later input does.",
            section="What goes wrong",
            holds=[
                (late.sum(axis=-1)[:-1] < 1).all(),
                (np.abs(softmax(S + later) * M - late).max(axis=-1)[:-1] > 0).all(),
            ],
        ),
        card(
            "zero-times-infinity",
            "Why not make the bias by multiplying ones above the diagonal by minus infinity?",
            "The rest of the matrix is zeros, and 0 times infinity is NaN. Choose with `where`, and"
            f" never multiply: {np.isnan(product).sum()} of the {product.size} entries became"
            " NaN.",
            section="What goes wrong",
            holds=[np.isnan(product).sum() == M.sum()],
        ),
        card(
            "prefix-property",
            "Why may a causal model be trained on all positions of a text in one pass?",
            "By the prefix property: cut the text off after $t$ words, and the first $t$ outputs"
            " stay the same, through any number of layers. So one pass gives, but for rounding,"
            " the outputs of all the shorter texts, and none of them sees its answer.",
            section="The prefix property, through any number of layers",
            holds=prefixes,
        ),
        card(
            "one-layer-forgets",
            "Of three layers only the second forgets its causal mask. Does the third repair it?",
            "No. After the second layer every position carries something of the later words. A"
            " mask hides positions; it does not take out what a vector already holds. When the"
            f" last of {len(x)} inputs changed, {(moved['one forgets'][:-1] > 1e-9).sum()} of the"
            f" {len(x) - 1} earlier outputs moved.",
            section="The prefix property, through any number of layers",
            holds=[
                (moved["one forgets"] > 1e-9).all(),
                (moved["causal"][:-1] == 0).all(),
            ],
        ),
        card(
            "leak-test",
            "How do you test a model for leaks?",
            "Keep the beginning of a text, exchange everything after it, and see whether an"
            " output of the beginning moves. If one does, and not by chance, the model leaks.",
            section="A leak detector",
            holds=[
                np.argmax(moved["one forgets"] > 1e-9) == 0,
                np.argmax(moved["causal"] > 1e-9) == len(x) - 1,
            ],
        ),
        card(
            "two-polarities",
            "A boolean mask in PyTorch: in which function does True mean *keep*, in which *drop*?"
            " What happens if you mix them up?",
            "*Keep* in `scaled_dot_product_attention`, *drop* in `nn.MultiheadAttention`. Given a"
            " causal mask of the first kind, the layer lets every position see only the future,"
            " and the last one nothing: its output is NaN by default. No error is raised; the"
            f" leak detector finds it at position {leaks[0]}.",
            section="Two polarities",
            holds=[leaks[0] == 0, leaks[1] is None],
        ),
        card(
            "better-than-honest",
            "A model of letters has a lower loss than the best honest guesser. What do you"
            " suspect, and how does it write?",
            f"A leak. Without a mask the loss was {cheap:.2f} nats, where honesty allows"
            f" {honest:.2f}; with a causal mask, {told:.2f}. It had learned to copy the next"
            " input. When it writes, there is no next input: it repeated a letter in"
            f" {100 * repeats['no mask']:.0f} % of its steps.",
            section="Put to work: what an unmasked model learns",
            holds=[
                cheap < honest / 2,
                abs(told - honest) < 0.05,
                repeats["no mask"] > 0.8 > 4 * repeats["causal mask"],
            ],
        ),
    )


def _stack(x: np.ndarray, masks: list[np.ndarray | None]) -> np.ndarray:
    """Return the output of layers with random projections, one for each mask."""
    rng = np.random.default_rng(1)
    for mask in masks:
        W_Q, W_K, W_V = rng.normal(size=(3, 8, 8)) / 8**0.5
        x = x + attention(x @ W_Q, x @ W_K, x @ W_V, mask=mask)
    return x
