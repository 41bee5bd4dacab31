"""What the chapter `weighted_sum` asks again."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.weighted_sum import weighted_sum, weighted_sum_loop

__all__ = ["cards"]


def cards(
    A: np.ndarray, X: np.ndarray, turned: np.ndarray, errors: Mapping[str, float]
) -> Deck:
    """Ask about sums, averages and their pitfalls.

    Parameters
    ----------
    A, X : numpy.ndarray
        The chapter's weights and values.
    turned : numpy.ndarray
        Its square matrix of weights, whose columns do not sum to 1.
    errors : mapping
        How far the noisy photograph and its averages are from the clean one.
    """
    Y = weighted_sum(A, X)
    last = X + np.arange(len(X))[:, None] // (len(X) - 1)  # another last value
    near = np.tri(len(X), k=1) - np.tri(len(X), k=-2)
    mixed = np.random.default_rng(0).dirichlet(np.ones(len(X)), size=1000)
    averages = weighted_sum(mixed, X)
    picks = np.random.default_rng(0).choice(len(X), size=100_000, p=A[0])
    gap = np.abs(X[picks].mean(axis=0) - Y[0]).max()
    one_of_them, signal = _noise_left()
    counts = np.array([[1.0, 3.0, 4.0], [2.0, 2.0, 1.0], [0.0, 5.0, 5.0]])
    silent = counts / counts.sum(axis=1)
    one_value, seven = np.array([[2.0, 5.0]]), np.full(7, 1 / 7)
    noisy, wide, narrow, alike = (
        errors[name]
        for name in (
            "noisy",
            "near, width 1.5",
            "near, width 0.4",
            "near and alike",
        )
    )
    return deck(
        "weighted_sum",
        card(
            "one-step",
            "A word needs something from a word far away. Why a weighted sum over all elements,"
            " and not a convolution or a recurrence?",
            "A weighted sum reaches every element in one step, however far away. A convolution"
            " lets in what is far only through further layers; a recurrence has"
            " to carry it through every step between, in a summary of fixed size.",
            section="The long-range problem",
            holds=[
                not np.allclose(weighted_sum(A, last)[0], Y[0]),
                np.allclose(weighted_sum(near, last)[0], weighted_sum(near, X)[0]),
            ],
        ),
        card(
            "all-sums-at-once",
            "Why is the one product $AX$ all weighted sums at once?",
            r"Its entry $(i, f)$ is $\sum_j a_{ij} x_{jf}$: feature $f$ of output $i$. A row of"
            " $A$ belongs to an output, a row of $X$ to a value, and what is summed over is"
            " $j$, the index that the two share.",
            section="In one line: a matrix product",
            holds=[np.allclose(A @ X, weighted_sum_loop(A, X))],
        ),
        card(
            "mean-and-copy",
            "Which weights make the output the mean of the values, and which make it a copy of"
            " one of them?",
            "Weights $1/n_k$ give the mean; one-hot weights, a single 1 and zeros elsewhere,"
            " give a copy.",
            section="Weights that make an average",
            holds=[
                np.allclose(
                    weighted_sum(np.full((1, 3), 1 / 3), X), X.mean(axis=0)
                ),
                np.allclose(weighted_sum(np.eye(3), X), X),
            ],
        ),
        card(
            "expected-value",
            "Read a row of weights, non-negative and of sum 1, as probabilities. What is the"
            " output then?",
            "The expected value of a random choice among the values: what you get on average if"
            f" you pick one again and again. In {len(picks):,} picks with the chapter's weights,"
            f" the average came within {gap:.3f} of the output in every feature.",
            section="Weights that make an average",
            holds=[gap < 0.02],
        ),
        card(
            "hull",
            "No value has a feature above 3. Can an average of them have a feature of 4?",
            "No. With non-negative weights of sum 1, each feature of the output lies between the"
            " smallest and the largest value of that feature: the output stays in the convex"
            " hull. An average blends and tones down; it cannot exaggerate."
            f" The largest feature in {len(mixed):,} random averages of the chapter's values was"
            f" {averages.max():.2f}.",
            section="What an average cannot do: leave its values",
            holds=[
                X.max() == 3,
                (averages <= X.max(axis=0) + 1e-12).all(),
                (averages >= X.min(axis=0) - 1e-12).all(),
            ],
        ),
        card(
            "who-asks",
            "Fixed equal weights reduce independent noise. Do weights by nearness, computed from"
            " the noisy values, leave more of it or less?",
            "It depends on who asks. A query that shares its noise with one of the values prefers"
            " those whose noise is like its own, and that hardly cancels: over twenty values of"
            f" variance 1, a variance of {one_of_them:.2f} was left. A query that knows the signal"
            f" left {signal:.3f}, less than the {1 / 20:.2f} of the plain mean.",
            section="What averaging does to noise",
            holds=[one_of_them > 0.5, signal < 0.5 / 20],
        ),
        card(
            "wrong-axis",
            "You hold a square matrix of weights the wrong way round, a column for each output."
            " What breaks?",
            "Nothing stops the program; only the numbers differ. Look at the sums of the rows: here"
            f" they became {listed(turned.T.sum(axis=1))}, where each should be 1. If rows *and*"
            " columns sum to 1, not even that shows it.",
            section="What goes wrong",
            holds=[
                np.allclose(turned.sum(axis=1), 1),
                not np.allclose(turned.T.sum(axis=1), 1),
                not np.allclose(turned.T @ X, turned @ X),
            ],
        ),
        card(
            "keepdims",
            "What does `counts / counts.sum(axis=1)`, without `keepdims=True`, do to a square"
            " matrix?",
            "It silently divides *column* $j$ by the sum of *row* $j$. In the chapter's"
            f" example the rows then sum to {listed(silent.sum(axis=1))}.",
            section="What goes wrong",
            holds=[
                np.allclose(silent[:, 1], counts[:, 1] / counts[1].sum()),
                not np.allclose(silent.sum(axis=1), 1),
            ],
        ),
        card(
            "stretched",
            "Seven weights of sum 1 and only one value: what does"
            " `(weights[:, None] * values).sum(axis=0)` return?",
            "The value, as if nothing were missing: an axis of length 1 is stretched, so the"
            " value is copied seven times. It should be an error; a matrix product,"
            " `weights @ values`, makes it one.",
            section="What goes wrong",
            holds=[
                np.allclose((seven[:, None] * one_value).sum(axis=0), one_value),
                _is_refused(seven, one_value),
            ],
        ),
        card(
            "content",
            "Averaging a noisy photograph over near pixels blurs its outlines. What do weights"
            " have to look at to keep them?",
            "At the content: near *and* of similar color. That is attention's idea. The distance"
            f" from the clean picture was {noisy:.3f} with the noise, {wide:.3f} for a wide blur,"
            f" {narrow:.3f} for a narrow one, and {alike:.3f} with color.",
            section="On real data: smoothing a photograph",
            holds=[alike < narrow < noisy < wide],
        ),
    )


def _noise_left() -> tuple[float, float]:
    """Return what weights by nearness leave to one of the noisy values, and to the signal."""
    twenty = np.random.default_rng(1).normal(size=(20_000, 20))
    queries = twenty[:, :1], np.zeros((1, 1))
    looking = [np.exp(-2 * (query - twenty) ** 2) for query in queries]
    one_of_them, signal = (
        ((w * twenty).sum(axis=1) / w.sum(axis=1)).var() for w in looking
    )
    return float(one_of_them), float(signal)


def _is_refused(weights: np.ndarray, values: np.ndarray) -> bool:
    try:
        weighted_sum(weights, values)
    except ValueError:
        return True
    return False
