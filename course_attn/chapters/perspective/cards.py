"""What the chapter `perspective` asks again."""

from collections.abc import Mapping

import numpy as np
from sklearn.datasets import load_digits

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.perspective import relative_position_scores
from course_attn.in_numpy.qkv import attention, attention_weights
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(
    longer: Mapping[str, bool],
    kept: tuple[np.ndarray, np.ndarray],
    steps: Mapping[str, int],
) -> Deck:
    """Ask what attention generalizes, exactly or nearly, and what it costs.

    Parameters
    ----------
    longer : mapping
        For each kind of layer, whether it runs with a sixth element.
    kept : tuple of numpy.ndarray
        The share of 10,000 patterns restored by an attention step, and of 24 by a classical
        network, in several draws.
    steps : mapping
        After how many steps the last of 16 outputs has heard of the first input.
    """
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(2, 5, 4))
    W_Q, W_K = rng.normal(size=(2, 4, 4))
    tables = [attention_weights(x @ W_Q, x @ W_K) for x in (X, other)]
    height, width = 4, 5
    picture, kernel = rng.normal(size=(height, width)), rng.normal(size=(3, 3))
    shifts = [(a - 1, b - 1) for a, b in np.ndindex(3, 3)]
    near, far = (_soft_errors(sharpness) for sharpness in (8.0, 12.0))
    slope = np.log(far[0] / near[0]) / 4
    repaired = _restored(1 / 8), _restored(1.0)
    heads = [_one_hot_head(height, width, *shift) for shift in shifts]
    by_heads = sum(
        k * (A @ picture.ravel()) for k, A in zip(kernel.flat, heads, strict=True)
    )
    ring = np.pad(picture, 1)
    wanted = [
        (kernel * ring[r : r + 3, c : c + 3]).sum()
        for r, c in np.ndindex(height, width)
    ]
    patterns, state = rng.normal(size=(6, 8)), rng.normal(size=(1, 8))
    moved = softmax(0.7 * state @ patterns.T) @ patterns
    wrapped = [
        i for i in range(height * width) if (i + 1) % width == 0
    ]  # each row's last
    d, lengths = 512, (64, 512, 4096)
    attends = [8 * n * d**2 + 4 * n**2 * d for n in lengths]
    recurs = [4 * n * d**2 for n in lengths]
    restored, classical = (shares.mean() for shares in kept)
    return deck(
        "perspective",
        card(
            "where-the-table-comes-from",
            "Dense layer, convolution, linear recurrence and attention all mix elements by a"
            " table of weights. Where does each get its table from?",
            "A dense layer learns every entry. A convolution shares a few numbers by shift, a"
            " recurrence one by age. In attention no entry is learned: the table is computed from"
            " the input, by learned matrices that are the same for all pairs.",
            section="What is fixed, what is shared, what is computed",
            holds=[not np.allclose(tables[0], tables[1])],
        ),
        card(
            "one-word-more",
            "A sentence gets one word more. Which of the four layers cannot take it, and why?",
            f"The {next(kind for kind, can in longer.items() if not can)} one: its table of"
            " learned numbers has a size. Shared numbers serve any length, and computed ones are"
            " computed anew.",
            section="One word more",
            holds=[[kind for kind, can in longer.items() if not can] == ["dense"]],
        ),
        card(
            "convolution-as-attention",
            "How can the heads of attention compute a convolution with 3 × 3 numbers, exactly?",
            f"With {len(heads)} heads, one for each entry of the kernel. Each looks at one pixel"
            " only, at one shift in rows and columns; the pixels are the values, and the kernel is"
            " $W_O$. The weights are given, not a softmax's.",
            section="In one line: a convolution as attention",
            holds=[np.allclose(by_heads, wanted)],
        ),
        card(
            "negative-entries",
            "Weights of attention are never negative. How can it do the work of a kernel that"
            " subtracts?",
            "The signs come from $W_O$: the heads fetch the pixels, and the output matrix"
            " multiplies each by its number before they are added up. ($W_V$ could do it, too: only"
            " the product of the two counts.)",
            section="In one line: a convolution as attention",
            holds=[
                kernel.min() < 0,
                min(A.min() for A in heads) == 0,
                np.allclose(by_heads, wanted),
            ],
        ),
        card(
            "index-with-width",
            "Pixels are numbered row by row. Why is pixel $i + 1$ not always the right neighbor of"
            " pixel $i$?",
            "Because of the border: after the last pixel of a row, the numbers go on in the next"
            f" row. In a picture of {height} × {width} pixels {len(wrapped)} have no right"
            " neighbor. A head has one shift, in rows *and* columns, and only inside the picture.",
            section="What goes wrong",
            holds=[
                all(
                    not _one_hot_head(height, width, 0, 1)[i].any() for i in wrapped
                ),
                len(wrapped) == height,
            ],
        ),
        card(
            "softmax-heads",
            "How near do softmax heads with sharp scores come to a convolution, and where do they"
            " differ however sharp they are?",
            f"Their error falls exponentially: its logarithm by {-slope:.2f} per unit of"
            " sharpness. At the border a row of weights still sums to 1, so a head takes the"
            " nearest pixel where networks usually have zeros. Padding cures it.",
            section="How near softmax comes",
            holds=[abs(slope + 1) < 0.02, far[1] > 0.5, near[1] > 0.5],
        ),
        card(
            "memory-is-attention",
            "In which sense is the update of a modern Hopfield network a step of attention?",
            "The state is the query, the stored patterns are keys and values, and $\\beta$ is the"
            " scale. The state moves to their average, weighted by how much it resembles each.",
            section="One update is one attention step",
            holds=[
                np.allclose(moved, attention(state, patterns, patterns, scale=0.7))
            ],
        ),
        card(
            "scale-of-a-memory",
            r"Why is $1/\sqrt{d}$ the wrong scale for a memory of patterns that are alike?",
            "It is made for queries and keys that are random and have to learn. A memory should"
            f" decide: with it, {100 * repaired[0]:.0f} % of {_MANY} damaged digits were restored,"
            f" with the scale 1, {100 * repaired[1]:.0f} %.",
            section="Three more",
            holds=[repaired[1] > repaired[0] + 0.2],
        ),
        card(
            "how-many-patterns",
            "One attention step restored damaged patterns among ten thousand, where a classical"
            " Hopfield network failed at two dozen. Why is the comparison not fair, and what"
            " does it show all the same?",
            "The classical network has one matrix of weights however many patterns come;"
            " attention keeps and searches them all. But a single step finds the right one:"
            f" {100 * restored:.0f} % restored, against {100 * classical:.0f} %.",
            section="How many patterns?",
            holds=[restored == 1, classical < 0.1],
        ),
        card(
            "what-it-buys",
            "Counted with its projections, attention takes more operations than a plain"
            " recurrence at every length. What does it buy?",
            "In training, no position waits for another within a layer. Until the last of"
            " sixteen outputs had heard of the first input it took attention"
            f" {steps['attention']} layer, convolutions of width three {steps['convolution']},"
            f" with growing gaps {steps['dilated']}, and a recurrence {steps['recurrence']}"
            " steps.",
            section="What costs what",
            holds=[
                all(a > r for a, r in zip(attends, recurs, strict=True)),
                steps["attention"] == 1,
                steps["recurrence"] == 15,
            ],
        ),
    )


def _one_hot_head(height: int, width: int, down: int, right: int) -> np.ndarray:
    """Return weights that copy the pixel at a shift, with a row of zeros where there is none."""
    A = np.zeros((height * width, height * width))
    for r, c in np.ndindex(height, width):
        if 0 <= r + down < height and 0 <= c + right < width:
            A[width * r + c, width * (r + down) + c + right] = 1
    return A


def _soft_errors(sharpness: float) -> tuple[float, float]:
    """Return the largest error of nine softmax heads, with the border continued and with zeros."""
    draw = np.random.default_rng(0).normal
    picture, kernel = draw(size=(6, 7)), draw(size=(3, 3))
    found = np.zeros(picture.size)
    for a, b in np.ndindex(3, 3):
        scores = relative_position_scores(6, 7, (a - 1, b - 1), sharpness=sharpness)
        found += kernel[a, b] * (softmax(scores) @ picture.ravel())
    errors = []
    for mode in ("edge", "constant"):
        ring = np.pad(picture, 1, mode=mode)
        wanted = [
            (kernel * ring[r : r + 3, c : c + 3]).sum() for r, c in np.ndindex(6, 7)
        ]
        errors.append(float(np.abs(found - wanted).max()))
    return errors[0], errors[1]


_MANY = 200


def _restored(beta: float) -> float:
    """Return the share of so many handwritten digits that one update frees of six wrong signs."""
    digits = np.where(load_digits().images[:_MANY].reshape(-1, 64) > 7, 1.0, -1.0)
    damaged, draw = digits.copy(), np.random.default_rng(0)
    for row in damaged:
        row[draw.permutation(64)[:6]] *= -1
    moved = softmax(beta * damaged @ digits.T) @ digits
    return float((np.sign(moved) == digits).all(axis=1).mean())
