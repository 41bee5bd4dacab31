"""Exercise `log_softmax`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list, number

__all__ = ["exercise"]


def log_softmax(scores):
    """Return the logarithms of the weights, without computing the weights."""
    largest = scores.max(axis=-1, keepdims=True)
    shifted = scores - largest
    total = np.exp(shifted).sum(axis=-1, keepdims=True)
    return shifted - np.log(total)


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261122).standard_normal
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]),), "example"),
        Case((draw((5, 8)),)),
        Case((draw((4, 4)),), "square"),
        Case((draw((2, 3, 5, 8)),), "batch"),
        Case((draw(7),), "vector"),
        Case(
            (1000 * draw((4, 6)) + np.array([[0.0], [5e3], [-5e3], [40.0]]),), "far"
        ),
        Case((20 * draw((6, 3)).astype("f4"),), "float32"),
    )


def _powers(c: Context) -> str | None:
    with np.errstate(over="ignore"):
        sums = np.exp(c.got).sum(axis=-1)
    if not c.got.ndim or np.allclose(sums, 1, atol=1e-3):
        return None
    return c.filled(
        "`np.exp` of your result should give weights: each row should sum to 1. For the row "
        "{scores.row} of the scores you return {your.row}."
    )


def _floor(c: Context) -> str | None:
    found = c.call(np.array([[0.0, -5000.0, -9000.0]]))
    if (
        found is None
        or found.shape != (1, 3)
        or not found[0, 1] == found[0, 2]
        or not (depth := abs(found[0, 1])) < 700
    ):
        return None
    turned = bool(found[0, 1] > 0)
    return (
        f"For the scores [0, −5000, −9000] you give {number(found[0, 1])} twice, "
        f"{'minus ' * turned}the logarithm of {number(np.exp(-depth))}; −5000 and −9000 are "
        "right. Compute the logarithms without the weights, which become 0 there."
        + " And a weight is at most 1: what sign has its logarithm?"
        * turned
    )


exercise = Exercise(
    log_softmax,
    place=15,
    minutes=10,
    level="medium",
    prepares=("cross_entropy",),
    section="The logarithm of the weights",
    task="""
Write `log_softmax(scores)`, the logarithms of softmax's weights along the last axis, for scores of
shape (…, n) or a single row (n,). Scores are finite and of any size. A weight that is too small for
a floating-point number, such as $e^{-2000}$, still has a finite logarithm, and so has your result.
""",
    cases=_cases,
    kinds={
        "far": Kind(
            "where scores lie thousands apart",
            "Do you take the logarithm of a weight that has become 0?",
        ),
    },
    faults=fault_list("""
log-of-weights: shifted - np.log(total) → np.log(np.exp(shifted) / total)
    You compute the weights first. Those below 1e-308 become 0, and the logarithm of 0 is −∞.
no-shift: scores - largest → scores
    Without a shift `np.exp` overflows above 709, and the sum of the exponentials is infinite.
shift-too-small: scores.max(axis=-1, keepdims=True) → scores.min(axis=-1, keepdims=True)
    What you subtract from a row lies far below its largest score: `np.exp` still overflows. After
    which shift is no score above 0?
global-shift: scores.max(axis=-1, keepdims=True) → scores.max()
    You subtract one maximum, that of the whole array. In a row far below it all exponentials become
    0, whose logarithm is −∞: of which scores has the largest to be found?
shift-lost: shifted - np.log(total) → scores - np.log(total)
    Each row is off by its own largest score: do you subtract that inside the sum of exponentials
    only? The logarithm of the *shifted* sum belongs to the shifted scores.
sign: return shifted - → return -shifted +
    You return *minus* the logarithms. A weight is at most 1: what sign has its logarithm?
wrong-axis: scores.max(axis=-1, keepdims=True) → scores.max(axis=0, keepdims=True)
        and .sum(axis=-1, keepdims=True) → .sum(axis=0, keepdims=True)
    You normalize along axis 0, the columns: a row is the *last* axis, `axis=-1`.
whole-sum: .sum(axis=-1, keepdims=True) → .sum()
    You sum over all rows together. Each row is a softmax of its own, and its weights alone sum to
    1: along which axis do you sum?
mean: total = → total = 1 / scores.shape[-1] *
    You take the logarithm of the *mean* of a row's exponentials: by what are they divided to make
    weights?
one-too-much: np.log(total) → np.log1p(total)
    You take the logarithm of 1 *more* than the sum, as `np.log1p(x)` is that of 1 + x. The largest
    score, shifted to 0, has brought its e⁰ = 1 into the sum already.
base-2: np.log(total) → np.log2(total)
    You take the logarithm to base 2. What undoes `np.exp` is the natural one, `np.log`.
base-10: np.log(total) → np.log10(total)
    You take the logarithm to base 10. What undoes `np.exp` is the natural one, `np.log`.
no-log: shifted - np.log(total) → np.exp(shifted) / total
    You return the weights themselves, the exponentials divided by their sum. Asked for are their
    logarithms: what is the logarithm of such a quotient?
sum-without-log: np.log(total) → total
    You subtract the sum of the exponentials itself. What is the logarithm of a quotient a/b?
plus: shifted - np.log → shifted + np.log
    You *add* the logarithm of the sum: the logarithm of a quotient a/b is log a … log b?
"""),
    properties=(
        Property("small-number-added", _floor),
        Property("powers", _powers),
    ),
    hints=(
        "Write down the logarithm of $e^{s_j} / \\sum_m e^{s_m}$ on paper. What is the logarithm "
        "of a quotient?",
        "It is $s_j$ minus the logarithm of the sum. Shift the scores first, as in `softmax`: then "
        "no exponential overflows, and the sum is at least 1.",
        "`shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))`, where `shifted` are the "
        "scores minus the largest of their row.",
    ),
    built_ins=(
        *twins("softmax.log_softmax"),
        "scipy.special.log_softmax",
        "torch.log_softmax",
        "torch.Tensor.log_softmax",
        "torch.nn.functional.log_softmax",
    ),
)
