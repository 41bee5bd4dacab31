"""What the chapter `gradients` asks again."""

from collections.abc import Mapping, Sequence
from math import floor

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.block import layer_norm
from course_attn.in_numpy.gradients import softmax_backward
from course_attn.in_numpy.softmax import softmax, softmax_jacobian

__all__ = ["cards"]


def cards(
    downhill: Mapping[int, float],
    nudges: np.ndarray,
    errors: Mapping[str, Sequence[float]],
    runs: np.ndarray,
    apart: float,
    found: tuple[Sequence[float], float, float],
) -> Deck:
    """Ask what the gradients of attention say, and how to find out that they are right.

    Parameters
    ----------
    downhill : mapping of int to float
        Without the row term: the share of random rows in which a step against it goes downhill, by
        what was added to all of dA.
    nudges, errors
        The sizes of nudges, and for each way to measure the relative errors at these.
    runs : numpy.ndarray
        Losses by step, with the scale on the way back and without it, from several starts.
    apart : float
        How far the losses of NumPy and PyTorch differ in fifty steps, relatively.
    found : tuple
        The share of twins found: by each trained block, by the nearest pixels, by logistic
        regression.
    """
    a, v = np.array([0.25, 0.5, 0.25]), np.array([8.0, 4.0, 0.0])
    d_scores = softmax_jacobian(a) @ (v * (a @ v - 5))
    rng = np.random.default_rng(0)
    Q, K, V, dY = (
        rng.normal(size=(n, d)) for n, d in ((3, 4), (7, 4), (7, 2), (3, 2))
    )
    dQ, dK, dS = _backward(Q, K, V, dY)
    A = softmax(Q @ K.T / 2)
    p, helps = A[0], -(V @ dY[0])
    step = (p * (helps - p @ helps)) @ (K - p @ K) / 2
    seen = np.arange(7) < 4
    _, dK_masked, _ = _backward(Q, K, V, dY, np.where(seen, 0.0, -np.inf))
    both, short = errors["both ways, float64"], errors["both ways, float32"]
    best = float(nudges[np.argmin(both)])
    last, forgotten = runs[0, :, -1], runs[1, :, -1]
    x, one, zero = rng.normal(size=6), np.ones(6), np.zeros(6)
    slopes = np.stack(
        [
            (layer_norm(x + e, one, zero) - layer_norm(x - e, one, zero)) / 2e-6
            for e in 1e-6 * np.eye(6)
        ]
    )
    W = rng.normal(size=(4, 4))
    shares, nearest, linear = found
    return deck(
        "gradients",
        card(
            "which-score",
            "Three keys have the weights ¼, ½, ¼ and the values 8, 4, 0. The output, 4, should be"
            " 5. Scores that can move on their own: which does a step downhill change?",
            "It raises the first and lowers the third by as much; the second stays, however"
            " heavy it is. What counts is how a value *differs* from the output. The gradients"
            f" of the three scores are {listed(d_scores)}.",
            section="Which score should rise?",
            holds=[np.allclose(d_scores, [-1, 0, 1])],
        ),
        card(
            "row-term",
            r"In $\mathrm{d}S = A \circ (\mathrm{d}A - r)$, what is $r$, and where does it come"
            " from?",
            "The mean of each row of $\\mathrm{d}A$ under the weights, which is the dot product of"
            " the output and its gradient. It comes from the sum in softmax: weights compete, so"
            " each row of $\\mathrm{d}S$ sums to 0.",
            section="What the row term says",
            holds=[
                np.allclose(dS.sum(axis=1), 0),
                np.allclose(
                    ((dY @ V.T) * A).sum(axis=1), (dY * (A @ V)).sum(axis=1)
                ),
            ],
        ),
        card(
            "without-the-row-term",
            "You write `dS = dA * A`, without the row term. Why does training not tell you, and"
            " what does?",
            "With entries of dA around 0, a step against `dA * A` went downhill nearly always"
            f" (in {100 * downhill[0]:.1f} % of random rows), so a loss can fall. With"
            f" {max(downhill)} added to all of them, which should change nothing, it went"
            f" downhill in only {100 * downhill[max(downhill)]:.0f} %. What tells: its rows do not"
            " sum to 0.",
            section="What goes wrong",
            holds=[
                0.99 < downhill[0] < 1,
                0.5 < downhill[max(downhill)] < 0.75,
                np.isclose(softmax_backward(a, v).sum(), 0),
                not np.isclose((a * v).sum(), 0),
            ],
        ),
        card(
            "where-the-query-moves",
            "A query takes a step against its own gradient. Where does it move?",
            "Along the covariance, under the weights, of the keys with how"
            r" much their values help, over $\sqrt{d_k}$.",
            section="Where the query moves",
            holds=[np.allclose(-dQ[0], step)],
        ),
        card(
            "through-a-mask",
            "What passes back through a masked weight, and why does the minus infinity of the"
            " mask do no harm there?",
            "Nothing: every term that it would add to the gradients of queries, keys or values has"
            " the weight, 0, as a factor. And the formulas need the weights, not the scores, so the"
            " infinity never enters.",
            section="Masks, backward",
            holds=[
                (dK_masked[4:] == 0).all(),
                (dK_masked[:4] != 0).any(axis=1).all(),
            ],
        ),
        card(
            "used-several-times",
            "$X$ goes into queries, keys and values, and a matrix is used by every row. What"
            " happens to their gradients?",
            "What is used several times adds up what comes back: $X$ gets the sum of three"
            " gradients, a matrix the sum over all rows, which is one product,"
            r" $\mathrm{d}W_Q = X^\top \mathrm{d}Q$.",
            section="Heads and projections",
            holds=[
                np.allclose(
                    Q.T @ (dQ @ W),
                    sum(np.outer(q, d) for q, d in zip(Q, dQ @ W, strict=True)),
                ),
                np.allclose(dK.sum(axis=0), 0),
            ],
        ),
        card(
            "how-small-a-nudge",
            "To test a gradient by nudging, why not take the smallest nudge possible, and why not"
            " float32?",
            "With a smaller nudge the two losses agree in nearly all digits, and rounding is left"
            f" over. In float64 a nudge of {_power(best)} was best, with an error of about"
            f" {_power(min(both))}; in float32 no error was much below {_power(min(short))}, and a"
            f" nudge of {_power(nudges[5])} measured nothing.",
            section="How small a nudge",
            holds=[
                1e-7 < best < 1e-4,
                both[-1] > 100 * min(both),
                short[5] > 0.1,
                np.isclose(nudges[5], 1e-6),
            ],
        ),
        card(
            "falling-loss",
            "You forget $\\sqrt{d_k}$ on the way back, and the loss falls as it should. What does"
            " that show?",
            "Nothing: a falling loss is no test of a gradient. In all"
            f" {len(last)} starts the loss ended *lower* with the mistake"
            f" ({forgotten.mean():.2f} against {last.mean():.2f} on average), as its gradients"
            " are longer, which helps at this learning rate. Compare the numbers with nudges.",
            section="What goes wrong",
            holds=[(forgotten < last).all()],
        ),
        card(
            "what-a-norm-takes-out",
            "What does layer normalization take out of a gradient that goes back through it?",
            "Whatever would shift all features of the row alike, or (but for its $\\varepsilon$)"
            " stretch the row: it does not see these, so nothing behind it can react to"
            " them.",
            section="The rest of the block",
            holds=[
                np.abs(slopes.sum(axis=0)).max() < 1e-4,
                np.abs((x - x.mean()) @ slopes).max() < 1e-4,
            ],
        ),
        card(
            "same-steps",
            "A block was trained in NumPy by these formulas. How do you know that they are right,"
            " and that it has learned to compare?",
            f"In fifty steps its losses differed from PyTorch's by about {_power(apart)},"
            " relatively. And on held-out cards each trained block found the twin in"
            f" {floor(100 * min(shares))} % or more, the nearest pixels in {100 * nearest:.0f} %,"
            f" and logistic regression that of the first card in {100 * linear:.0f} %.",
            section="On real data: a game of pairs",
            holds=[apart < 1e-8, min(shares) > nearest + 0.08, linear < 0.2],
        ),
    )


def _power(number: float) -> str:
    """Return the nearest power of ten, as a formula."""
    return f"$10^{{{round(np.log10(number))}}}$"


def _backward(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    dY: np.ndarray,
    bias: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return dQ, dK and dS, each row of dS by the Jacobian of softmax."""
    root = Q.shape[-1] ** 0.5
    A = softmax(Q @ K.T / root + bias)
    dS = np.einsum("ij,ijk->ik", dY @ V.T, softmax_jacobian(A))
    return dS @ K / root, dS.T @ Q / root, dS
