"""Exercise `softmax`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import listed

__all__ = ["exercise"]


def softmax(scores):
    """Turn every row of scores into positive weights that sum to 1."""
    row_maximum = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - row_maximum)
    row_sum = exps.sum(axis=-1, keepdims=True)
    weights = exps / row_sum
    return weights


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260301).standard_normal
    apart = draw((6, 4)) + np.array([[0], [3000], [-2500], [400], [-7000], [700.0]])
    apart[1, 2] += 2000.0  # far above the mean of its row
    apart[3, 1] -= 900.0  # far below all others
    apart[5, 3] = 711.5  # e to that is infinite, e to 3 (its place) less is not
    hidden = draw((7, 5)) + np.resize([0.0, -900.0, 1200.0], (7, 1))
    hidden[draw((7, 5)) < 0] = -np.inf
    hidden[:, 2] = np.resize([1.5, -898.5, 1201.5], 7)
    float32 = 4 * draw((11, 13)) + np.resize([0.0, 150.0, -150.0], (11, 1))
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]),), "example"),
        Case((draw((5, 8)),)),
        Case((3 * draw((11, 3)),)),
        Case((draw((5, 5)),), "square"),
        Case((draw((2, 3, 5, 8)),), "batch"),
        Case((draw(7),), "vector"),
        Case((apart,), "large"),
        Case((draw((3, 11)) - [[900.0], [1500.0], [800.0]],), "low"),
        # Far enough for float32 only, which these scores are in the PyTorch twin.
        Case((3 * draw((9, 4)) + np.resize([0, 120, -120], (9, 1)),), "medium"),
        Case((hidden,), "minus-infinity"),
        Case((draw((1, 6)),), "one"),
        Case((draw((5, 1)),), "one"),
        Case((float32.astype("f4"),), "float32"),
    )


def _row_sums(c: Context) -> str | None:
    sums = c.got.sum(axis=-1, keepdims=True)
    if np.allclose(sums, 1, rtol=0, atol=5 * c.rtol):
        return None
    with np.errstate(all="ignore"):
        # The largest shifted exponential is 1: the sum of a row is 1 over its largest weight.
        added = (1 / sums - 1) / c.expected.max(axis=-1, keepdims=True)
    why = ""
    if (sums == 0).any():
        why = "Rows of zeros come from 0/0 or ∞/∞, hidden by `nan_to_num` perhaps."
    elif axes := [
        k for k in range(c.got.ndim) if np.allclose(c.got.sum(axis=k), 1)
    ]:
        why = f"Along axis {axes[0]} your weights do: along which axis does your sum run?"
    elif np.allclose((c.got**2).sum(axis=-1), 1):
        why = "Their squares sum to 1: you divide by the length (the norm), not by the sum."
    elif added.min() > 0 and np.allclose(added, added.min(), rtol=1e-2):
        why = f"Is {added.min():.4g} added to the sum? It needs nothing: it is at least 1."
    return f"Your rows sum to {c.sums()}, and each should sum to 1. {why}".strip()


def _flattened(c: Context) -> str | None:
    scores = c.given["scores"].reshape(-1, c.given["scores"].shape[-1])
    rows = c.got.reshape(scores.shape)
    flat = (np.ptp(rows, axis=-1) < 1e-9) & (scores.max(-1) - scores.min(-1) > 1e-2)
    flat &= rows.any(axis=-1)
    if not flat.any():
        return None
    return (
        f"The scores {listed(scores[flat][0])} differ, but their weights come out equal, "
        f"{listed(rows[flat][0])}: are the scores clipped or rounded?"
    )


def _infinity_weighed(c: Context) -> str | None:
    extra = c.got[np.isneginf(c.given["scores"])]
    if not extra.any():
        return None
    return (
        f"Scores of −∞ get weights up to {extra.max():.4g}, and should get 0. Leave −∞ as it is: "
        "exp(−∞) is 0."
    )


def _unchanged(factor: float, message: str) -> Property:
    """Return the property that weights change when all scores are multiplied by a factor."""

    def told(c: Context) -> str | None:
        scores = np.array([[-0.5, 1.0, 2.0], [0.3, -1.0, 0.7]])
        one, other = c.call(scores), c.call(factor * scores)
        same = one is not None and other is not None and np.allclose(one, other)
        return message if same else None

    return Property("sign-blind" if factor < 0 else "scale-invariant", told)


_SHIFT = (
    "`exp` overflows above 709 (88 in float32) and vanishes below −745 (−104), and 0/0 and ∞/∞ are "
    "NaN: subtract from each row its own largest score, always."
)

exercise = Exercise(
    softmax,
    place=10,
    minutes=10,
    level="easy",
    prepares=(
        "log_softmax",
        "softmax_with_temperature",
        "softmax_torch",
        "unscaled_attention",
        "masked_softmax",
        "online_softmax",
    ),
    section="Why it works in a computer: the shift",
    task="""
Write `softmax(scores)`: every row (last axis) becomes positive weights that sum to 1,
$a_j = e^{s_j} / \\sum_m e^{s_m}$. Shape (…, n) in and out; a single row (n,) too. It has to work
for scores of any size: rows may lie thousands apart, and entries may be −∞ (weight 0), with at
least one finite entry in each row.
""",
    cases=_cases,
    kinds={
        "large": Kind("for rows that lie thousands apart", _SHIFT),
        "low": Kind("where all scores are far below 0", _SHIFT),
        "medium": Kind("for scores beyond ±100", _SHIFT),
        "float32": Kind("for float32 input", _SHIFT),
        "one": Kind(
            "where an axis has length 1",
            "`squeeze()` drops such axes; `axis=-1` with `keepdims=True` treats them as any other.",
        ),
        "minus-infinity": Kind(
            "where some scores are −∞", "exp(−∞) is 0, as it should be."
        ),
    },
    faults=fault_list("""
no-shift: scores.max(axis=-1, keepdims=True) → 0.0
    exp of {scores.max} is infinite and exp of {scores.min} is 0. Divided by their sum they give
    NaN. Subtract each row's largest score first.
global-shift: scores.max(axis=-1, keepdims=True) → scores.max()
    You subtract one maximum, that of the whole array: rows far below it become 0/0,
    which is NaN. Each row needs its own maximum.
mean-shift: scores.max(axis=-1, keepdims=True) → scores.mean(axis=-1, keepdims=True)
    You subtract the mean of each row. An entry far above it still overflows, and ∞/∞ is NaN.
    After which shift is no entry above 0?
column-shift: scores.max(axis=-1, keepdims=True) → scores.max(axis=0)
    You subtract the largest score along axis 0: another number from each entry of a row, which
    changes its weights. Which number may go from all of them?
root-of-n: row_maximum = → scores = scores / scores.shape[-1] ** 0.5 ⏎ row_maximum =
    You divide the scores by √n first. Attention has divided *its* scores before; a softmax takes
    them as they are.
argmax-shift: scores.max(axis=-1, keepdims=True)
            → scores.argmax(axis=-1, keepdims=True).astype(scores.dtype)
    You subtract the *place* of the row's largest score (what `argmax` gives), not that score
    itself: exp still overflows, and ∞/∞ is NaN.
shift-by-size: scores.max(axis=-1, keepdims=True) → np.abs(scores).max(axis=-1, keepdims=True)
    You subtract the largest |s| of a row. Where all scores are near −1000, that lowers them by 1000
    more, all exponentials are 0, and 0/0 is NaN. Subtract the largest score with its sign.
divided-by-the-largest: np.exp(scores - row_maximum)
            → np.exp(scores / scores.max(axis=-1, keepdims=True))
    You *divide* by a row's largest score, so that twice the scores give the same weights. Which
    change of all scores of a row leaves softmax's weights alone?
shift-after-exp: np.exp(scores - row_maximum)
            → np.exp(scores) - np.exp(scores).max(axis=-1, keepdims=True)
    You subtract the largest *exponential*, after exp: the largest score then gets the weight 0.
    Subtract the largest *score*, before exp.
powers-of-2: np.exp(scores - row_maximum) → np.exp2(scores - row_maximum)
    Your weights are made of powers of 2: e^s is asked for. {worst_row}
log: exps / row_sum → scores - row_maximum - np.log(row_sum)
    You return the *logarithms* of the weights, none of them above 0. What undoes a logarithm, so
    that your rows sum to 1?
infinity-as-0: row_maximum =
            → scores = np.where(np.isneginf(scores), 0.0, scores) ⏎ row_maximum =
    You put 0 in the place of −∞, and e to the power 0 is 1: such a score gets a weight. exp(−∞) is
    0 by itself.
sum-of-all: exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by the sum of the whole array, so that all rows together sum to 1. Each row should:
    yours sum to {your.sums}.
wrong-axis: scores.max(axis=-1, keepdims=True)
            → scores.max(axis=max(-2, -scores.ndim), keepdims=True)
        and exps.sum(axis=-1, keepdims=True)
            → exps.sum(axis=max(-2, -scores.ndim), keepdims=True)
    Your columns sum to 1, and your rows to {your.sums}: the axis of a row is the last, `axis=-1`.
one-row-only: scores.max(axis=-1, keepdims=True) → scores.max()
        and exps.sum(axis=-1, keepdims=True) → exps.sum()
    This is right for a single row only: without an axis, `max()` and `sum()` run over the whole
    array. Your rows sum to {your.sums}.
sum-before-exp: exps.sum(axis=-1, keepdims=True)
            → np.exp((scores - row_maximum).sum(axis=-1, keepdims=True))
    You divide by e to the sum of the scores; first exp, then the sum. Your rows sum to {your.sums}.
sum-not-shifted: exps.sum(axis=-1, keepdims=True) → np.exp(scores).sum(axis=-1, keepdims=True)
    Above the fraction bar the scores are shifted, below it they are not: your rows sum to
    {your.sums}. Divide the shifted exponentials by their own sum.
by-the-norm: exps.sum(axis=-1, keepdims=True) → (exps**2).sum(axis=-1, keepdims=True) ** 0.5
    You divide each row of exponentials by its length, √Σx²: the squares sum to 1 then. Which sum
    has to be 1?
one-more: exps / row_sum → exps / (1.0 + row_sum)
    1 is added to every sum of exponentials, and your rows sum to {your.sums}. What must the weights
    of a row sum to?
log-returned: return weights → return np.log(weights)
    You return the *logarithms* of the weights: a weight is never below 0. Which is the last step?
by-the-mean: exps.sum(axis=-1, keepdims=True) → exps.mean(axis=-1, keepdims=True)
    You divide by the *mean* of the exponentials of a row, so that your weights are n times as
    large. By what do you have to divide for a sum of 1?
"""),
    properties=(
        Property("infinity-weighed", _infinity_weighed),
        Property("flattened", _flattened),
        Property("row-sums", _row_sums),
        _unchanged(
            -1.0,
            "All scores with the opposite sign give the same weights: the signs get lost, in a "
            "square or in `abs` perhaps. e^s is larger for larger s.",
        ),
        _unchanged(
            2.0,
            "Doubling all scores leaves your weights as they are: the scores are divided by "
            "something that grows with them. *Subtract* the largest, and then take `exp`.",
        ),
    ),
    wrong_lines=("global-shift", "sum-not-shifted", "shift-after-exp"),
    hints=(
        "What is `np.exp(1000.)`? And what changes if you add the same number to a whole row?",
        "Nothing changes. So add what makes the largest score 0: then no exponential exceeds 1.",
        "Subtract `scores.max(axis=-1, keepdims=True)`, take `np.exp`, divide by the sum along the "
        "same axis, also kept.",
    ),
    built_ins=(
        "scipy.special.softmax",
        "sklearn.utils.extmath.softmax",
        *(
            f"torch.{m}softmax"
            for m in ("", "Tensor.", "nn.functional.", "special.")
        ),
        *(f"course_attn.in_{it}.softmax.softmax" for it in ("numpy", "torch")),
    ),
)
