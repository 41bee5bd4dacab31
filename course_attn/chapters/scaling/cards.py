"""What the chapter `scaling` asks again."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.cards import Deck, card, deck
from course_attn.in_numpy.scaling import scaled_scores, score_statistics
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(
    widths: Sequence[int],
    sizes: Mapping[str, Sequence[Sequence[float]]],
    right: Mapping[str, np.ndarray],
    spreads: tuple[float, float],
) -> Deck:
    """Ask why scores are divided, by which number, and what it does for learning.

    Parameters
    ----------
    widths : sequence of int
        The widths at which gradients were measured.
    sizes : mapping
        The sizes of the gradients at each of them, with sixteen keys, "with" and "without".
    right : mapping
        The share of right answers of each start, "with" and "without", after training.
    spreads : tuple of float
        The standard deviation of scaled scores before and after training.
    """
    rng = np.random.default_rng(0)
    q, keys = (rng.normal(size=(1000, n, 1024)) for n in (1, 8))
    largest = [
        softmax(s).max(axis=-1).mean() for s in (q @ keys.mT, q @ keys.mT / 32)
    ]
    steps = np.prod(rng.choice([-1.0, 1.0], size=(2, 20_000, 256)), axis=0)
    narrow, wide = steps[:, :64].sum(axis=-1), steps.sum(axis=-1)
    lengths = np.linalg.norm(rng.normal(size=(2, 5000, 1024)), axis=-1)
    X = rng.normal(size=(100, 64))
    X /= np.sqrt((X**2).mean(axis=-1, keepdims=True))
    Q, K = X @ rng.normal(size=(2, 64, 64))
    heads = rng.normal(size=(2, 8, 100, 64))
    by_root = {
        d: score_statistics(scaled_scores(*heads, scale=d**-0.5)) for d in (64, 512)
    }
    flat = by_root[512].variance.mean() ** 0.5
    evenly = {root: np.exp(found.entropy.mean()) for root, found in by_root.items()}
    equal = {
        d: scaled_scores(np.full((1, d), 0.5), np.full((1, d), 0.5))
        for d in (4, 64)
    }
    middle = {
        d: [np.median(sizes[name][widths.index(d)]) for name in ("with", "without")]
        for d in (64, 1024)
    }
    return deck(
        "scaling",
        card(
            "one-key-by-chance",
            "A query and eight keys of width 1024, all random: what do the weights look like"
            " without the scale, and what is wrong with that?",
            "One key takes nearly everything, by chance alone: in other draws than the"
            f" chapter's, the largest weight was {largest[0]:.2f} on average. With the scale it was"
            f" {largest[1]:.2f}. A model that has learned nothing should not be certain.",
            section="By hand: a sum grows with the number of its terms",
            holds=[largest[0] > 0.9, largest[1] < 0.5],
        ),
        card(
            "root-not-width",
            "A dot product of random vectors gets four times the terms. Why does it typically grow"
            " twofold, not fourfold?",
            "The terms differ in sign, like the steps of a walker who tosses a coin, and mostly"
            " cancel. The distance from 0 grows like the square root of their number: its standard"
            f" deviation went from {narrow.std():.1f} at {64:d} terms to {wide.std():.1f} at"
            f" {256:d}.",
            section="By hand: a sum grows with the number of its terms",
            holds=[abs(wide.std() / narrow.std() - 2) < 0.1],
        ),
        card(
            "lengths-and-cosine",
            "Two standard normal vectors are about $\\sqrt{d_k}$ long each. Why is their dot"
            " product not about $d_k$?",
            "Because of the cosine: in wide spaces random directions are nearly perpendicular,"
            r" and a random cosine has the size $1/\sqrt{d_k}$. The product of the three is"
            r" $\sqrt{d_k}$.",
            section="Why the square root: lengths and cosines",
            holds=[
                np.allclose(lengths, 32, rtol=0.15),
                abs((q[:, 0] * keys[:, 0]).sum(axis=-1).std() / 32 - 1) < 0.1,
            ],
        ),
        card(
            "does-not-remove-length",
            "“The division removes the influence of length.” What is wrong with that?",
            "A query three times as long gets scores three times as large, scaled or not. And"
            " vectors of equal entries point the same way, so their scaled score still grows"
            f" with the width: {equal[4].item():.1f} at width {4:d}, {equal[64].item():.1f} at"
            f" {64:d}, for entries of a half.",
            section="Why the square root: lengths and cosines",
            holds=[
                np.allclose(scaled_scores(3 * Q, K), 3 * scaled_scores(Q, K)),
                equal[64].item() > equal[4].item(),
            ],
        ),
        card(
            "four-assumptions",
            "Which assumptions make the variance of $q \\cdot k$ equal to $d_k$? Do the"
            " components have to be normal?",
            "Query and key independent of each other; components of mean 0; of variance 1; and"
            " uncorrelated in at least one of the two. Nothing has to be normal: with"
            f" coin tosses the variance at width {64:d} was about {narrow.var():.0f}.",
            section="The proof: the variance of a dot product",
            holds=[abs(narrow.var() - 64) < 3],
        ),
        card(
            "randn",
            "You draw $W_Q$ and $W_K$ with `randn`, for elements of mean square 1, and divide the"
            " scores by $\\sqrt{d_k}$. What breaks, and which variance should the entries have?",
            "The matrices more than undo the division: scaled scores start with a standard"
            " deviation of about $d_{\\text{model}}$. With the variance $1/d_{\\text{model}}$ it is"
            " about 1.",
            section="Matrices that keep the variance",
            holds=[
                40 < scaled_scores(Q, K).std() < 90,
                0.6 < scaled_scores(Q / 8, K / 8).std() < 1.4,
            ],
        ),
        card(
            "which-d",
            r"Eight heads of width 64 on 512 features: by the square root of which number do you"
            " divide, and what breaks with the other?",
            "By that of $d_k$, the width of a head: the number of terms in the sum. Divided by"
            r" $\sqrt{d_{\text{model}}}$, the scores have a standard deviation of"
            f" {flat:.2f}, and the weights are flatter: as if they were spread evenly over"
            f" {evenly[512]:.0f} of {heads.shape[-2]} keys, not {evenly[64]:.0f}. A test with a"
            r" single head of width $d_{\text{model}}$ does not see it.",
            section="Which d?",
            holds=[
                abs(flat**2 - 64 / 512) < 0.02,
                evenly[64] < 70 < 90 < evenly[512],
            ],
        ),
        card(
            "certain-rows",
            "Why does a row that is certain of one key hardly learn where to look?",
            r"$\partial a_j / \partial q = \frac{a_j}{\sqrt{d_k}} (k_j - \sum_m a_m k_m)$. For"
            " the keys without weight the factor $a_j$ is 0; for the one that has it all, the"
            " average key is that key itself. No weight moves.",
            section="What it is for: rows that can still learn",
            holds=[
                np.abs(_query_gradient(q[0, 0], keys[0], 10.0)).max() < 1e-6,
                np.abs(_query_gradient(q[0, 0], keys[0], 1 / 32)).max() > 1e-3,
            ],
        ),
        card(
            "does-it-vanish",
            "“Without the scale the gradient vanishes.” When is that so?",
            "For the median row with sixteen keys it was so at width"
            f" {1024:d} (all derivatives together: {middle[1024][1]:.1g}, with the scale"
            f" {middle[1024][0]:.1g}) and false at {64:d} (more than twice as large). Without it,"
            " at both widths, some rows jump while others stand still.",
            section="What it is for: rows that can still learn",
            holds=[
                middle[64][1] > 2 * middle[64][0],
                middle[1024][1] < middle[1024][0] / 100,
            ],
        ),
        card(
            "only-the-start",
            "Does training keep the variance of scaled scores at 1? What is the scale good for,"
            " then?",
            "No: in the chapter's models with the scale, at the largest learning rate, the standard"
            f" deviation went from {spreads[0]:.2f} to {spreads[1]:.1f}. But attention sharpened"
            " by learning, from a start at which every row could move. At that rate the worst of"
            " five models with the scale was right in"
            f" {100 * right['with'].min():.1f} %, the best of five without it in"
            f" {100 * right['without'].max():.1f} %.",
            section="Put to work: name your partner",
            holds=[
                abs(spreads[0] - 1) < 0.1,
                spreads[1] > 2,
                len(right["with"]) == len(right["without"]) == 5,
                right["with"].min() > right["without"].max(),
            ],
        ),
    )


def _query_gradient(q: np.ndarray, K: np.ndarray, scale: float) -> np.ndarray:
    """Return each weight's derivative with respect to the query, in rows."""
    a = softmax(scale * q @ K.T)
    return scale * a[:, None] * (K - a @ K)
