"""What the chapter `block` asks again."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.block import feed_forward, layer_norm, relu, rms_norm
from course_attn.in_numpy.multi_head import multi_head_attention

__all__ = ["cards"]


def cards(
    ratios: Mapping[str, Sequence[float]],
    right: Mapping[str, Sequence[float]],
    parameters: tuple[int, int],
    hunts: Mapping[str, np.ndarray],
) -> Deck:
    """Ask what each part of a block is for, and what breaks without it.

    Parameters
    ----------
    ratios : mapping
        For each kind of stack, the gradient after block 1 over that after block 12.
    right : mapping
        For each trained stack, the share of digits read right, of each start.
    parameters : tuple of int
        Of a stack that repeats one block, and of one of as many different blocks.
    hunts : mapping
        For each size of stack, by start: the share of first, second and third numbers found.
    """
    rng = np.random.default_rng(0)
    W = rng.normal(size=(4, 32, 32)) / np.sqrt(32)
    middle, apart = rng.normal(size=32), rng.normal(size=(8, 32))
    left = [
        _difference(multi_head_attention(middle + e * apart, *W, n_heads=4))
        for e in (1e-2, 1e-3)
    ]
    with_path, without = (_six_blocks(residual) for residual in (1.0, 0.0))
    pairs = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_1, W_2 = (
        np.array([[1.0, -1.0], [-1.0, 1.0]]),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
    )
    bent = feed_forward(pairs, W_1, np.zeros(2), W_2, np.zeros(2))[:, 0]
    texts = rng.normal(size=(2, 6, 8))
    texts[1, :-1] = texts[0, :-1]  # they differ in the last element
    leaks = {
        axis: np.abs(np.diff(_normed(texts, axis)[:, :-1], axis=0)).max()
        for axis in (-1, -2)
    }
    x, one, zero = np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4), np.zeros(4)
    chance = 1 / 7
    pre, post, warmed = (
        right[name]
        for name in (
            "pre-norm, 12 blocks",
            "post-norm, 12 blocks",
            "post-norm, 12 blocks, warmed up",
        )
    )
    steady = ceil(10 * max(ratios["pre-norm"])) / 10
    single, double = hunts["one wide block"], hunts["two blocks"]
    network = 2 * 32 * (4 * 32)  # beside the matrices of attention in W
    return deck(
        "block",
        card(
            "cubed",
            "Attention layers alone, with random matrices of the usual size and no mask: why do"
            " all elements become the same vector so fast?",
            "Each output is an average. And the weights are computed from the elements: as these"
            " become alike, so do the rows of weights. Small differences are *cubed*: elements"
            f" ten times closer together gave outputs {left[0] / left[1]:.0f} times closer.",
            section="The idea: exchange, then think",
            holds=[abs(left[0] / left[1] - 1000) < 10],
        ),
        card(
            "bend",
            "Attention lets elements exchange information. Why does a block need a feed-forward"
            " network as well, and why one with a bend in it?",
            "For given weights, attention is linear in the elements, and no linear map gives"
            " $|a - b|$: its answer for (1, 1) would be the sum of those for (1, 0) and (0, 1)."
            " With new features, ReLU and a sum it can be done; each element works on what it"
            " got.",
            section="By hand: one element",
            holds=[
                np.array_equal(bent, [1.0, 1.0, 0.0]),
                bent[2] != bent[0] + bent[1],
            ],
        ),
        card(
            "what-a-norm-forgets",
            "What does layer normalization not see of an element? And RMS normalization?",
            "A shift of all features, and a positive scale (but for its $\\varepsilon$): the"
            " pattern of high and low features is left. RMS normalization forgets the scale as"
            " well, but sees a shift.",
            section="What a norm forgets",
            holds=[
                np.allclose(
                    layer_norm(10 * x, one, zero), layer_norm(x, one, zero)
                ),
                np.allclose(
                    layer_norm(x + 100, one, zero), layer_norm(x, one, zero)
                ),
                np.allclose(rms_norm(10 * x, one), rms_norm(x, one)),
                not np.allclose(rms_norm(x + 100, one), rms_norm(x, one)),
            ],
        ),
        card(
            "no-residual",
            "You write `X = attention(norm(X))` instead of `X = X + attention(norm(X))`, in six"
            " blocks. What breaks, and what hides it?",
            "Without a mask the elements become equal, up to rounding; with the residual"
            " connections they stay apart. The shapes fit, and with norms the size stays near 1, so"
            " look at differences.",
            section="What goes wrong",
            holds=[without[0] < 1e-6, with_path[0] > 0.3, without[1] > 0.2],
        ),
        card(
            "identity-path",
            "The Jacobian of a pre-norm stack is a sum over paths, one of them the identity. Does"
            " that keep its gradient from vanishing or exploding?",
            "No: the other paths can cancel most of the identity, or drown it. Measured"
            " before training: with residual connections but no norms the gradient grew"
            f" {10 ** int(np.log10(min(ratios['no norm']))):,}-fold or more from the last block to"
            f" the first; with pre-norm it stayed within a factor of {steady:.1f}.",
            section="Why it works",
            holds=[min(ratios["no norm"]) > 1e5, 1 < max(ratios["pre-norm"]) < 5],
        ),
        card(
            "pre-or-post",
            "Pre-norm and post-norm: where does the norm stand, and what happened with twelve"
            " blocks?",
            "Pre-norm normalizes what a part reads, beside the direct path; post-norm normalizes"
            " the sum, on the path. At one learning rate, twelve pre-norm blocks read"
            f" {floor(100 * min(pre))} % or more of the digits, post-norm {ceil(100 * max(post))} %"
            f" at most; with warmup it, too, came to {floor(100 * min(warmed))} % or more.",
            section="On real data: handwritten digits",
            holds=[min(pre) > 0.85, max(post) < 0.3, min(warmed) > 0.6],
        ),
        card(
            "norm-over-positions",
            "A norm over the *positions* of a text, not over the features of an element: what"
            " breaks?",
            "It uses mean and spread of the whole text, the future included, and so leaks past"
            " every causal mask. When only the last element changed, earlier ones moved by"
            f" more than {floor(leaks[-2])}; with a norm over the features they stayed.",
            section="What goes wrong",
            holds=[leaks[-2] > 1, leaks[-1] == 0],
        ),
        card(
            "same-block",
            "What do you get from `[block] * 6` in Python?",
            f"The *same* block six times: {parameters[0]:,} parameters where six blocks have"
            f" {parameters[1]:,}. It has the depth of six, and it runs.",
            section="What goes wrong",
            holds=[6 * parameters[0] == parameters[1]],
        ),
        card(
            "where-the-weights-are",
            "Where are most of the weights of a block like GPT-2's, in attention or in the"
            " feed-forward network?",
            "In the network: it has two matrices of $d \\times 4d$, attention four of"
            f" $d \\times d$: {100 * network / (network + W.size):.0f} % of the weights.",
            section="Counting parameters",
            holds=[network == 2 * W.size],
        ),
        card(
            "what-depth-is-for",
            "Each card names the card to go to next. Trained alike, two blocks said where three"
            " steps lead, and a wider single block did not. What does the second block add, and is"
            " it needed?",
            "It builds on what the first block's questions found. It is not needed: a single block"
            " can be built that does it. Trained, the wide"
            f" block found {100 * single[:, 2].mean():.0f} % of the third numbers, little"
            f" more than a guess among the other seven ({100 * chance:.0f} %), two blocks"
            f" {100 * double[:, 2].mean():.0f} %.",
            section="A treasure hunt: what a second block adds",
            holds=[
                single[:, 1].min() > 0.9,
                single[:, 2].max() < 0.3,
                double[:, 2].min() > 0.85,
            ],
        ),
    )


def _difference(X: np.ndarray) -> float:
    """Return how far elements lie from their mean, relative to their size."""
    return float(np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X))


def _normed(X: np.ndarray, axis: int) -> np.ndarray:
    return (X - X.mean(axis, keepdims=True)) / X.std(axis, keepdims=True)


def _six_blocks(residual: float) -> tuple[float, float]:
    """Return how different elements are after six random pre-norm blocks, and their size."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 32))
    for _ in range(6):
        W = rng.normal(size=(4, 32, 32)) / np.sqrt(32)
        W_1, W_2 = (
            rng.normal(size=(32, 128)) / 32**0.5,
            rng.normal(size=(128, 32)) / 128**0.5,
        )
        X = residual * X + multi_head_attention(_normed(X, -1), *W, n_heads=4)
        X = residual * X + relu(_normed(X, -1) @ W_1) @ W_2
    return _difference(X), float(np.sqrt(np.square(X).mean()))
