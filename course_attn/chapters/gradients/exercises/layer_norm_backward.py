"""Exercise `layer_norm_backward`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def layer_norm_backward(X, gain, d_out):
    """Take the gradient of a loss from the outputs of a layer norm back to X, gain and bias."""
    centered = X - X.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    divisor = np.sqrt(variance + 1e-5)
    Z = centered / divisor
    dZ = gain * d_out
    shift = dZ.mean(axis=-1, keepdims=True)
    stretch = (dZ * Z).mean(axis=-1, keepdims=True)
    dX = (dZ - shift - Z * stretch) / divisor
    width = X.shape[-1]
    d_gain = (d_out * Z).reshape(-1, width).sum(axis=0)
    d_bias = d_out.reshape(-1, width).sum(axis=0)
    return dX, d_gain, d_bias


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261504).standard_normal

    def given(*shape: int, spread: float = 2.0) -> tuple[Any, ...]:
        X = spread * (draw(shape) + 0.7)
        return X, 1.5 + draw(shape[-1]), draw(shape) + 0.4

    example = np.array([[1.0, 2.0, 6.0], [4.0, 0.0, 2.0]])
    return (
        Case((example, np.array([1.0, 2.0, 1.0]), np.eye(2, 3)), "example"),
        Case(given(5, 8)),
        Case(given(11, 3)),
        Case(given(5, 8, spread=2e-3), "small"),
        Case(given(5, 5), "square"),
        Case(given(4, 3, 7), "batch"),
        Case(given(2, 3, 5, 8), "batch"),
        Case(given(7), "vector"),
        Case(given(1, 6), "one-row"),
        Case(tuple(array.astype("f4") for array in given(9, 13)), "float32"),
    )


def _first(c: Context) -> str:
    """Quote the first row of the result that is seen to be wrong, and what it should be."""
    if c.got.shape != c.expected.shape or c.got.ndim > 2:
        return c.worst_row
    result = c.given["result"]
    if c.got.ndim < 2:
        mine, right = c.rows()
        return f"Your `{result}` is {mine}; {right} is right."
    for i in range(len(c.got)):
        mine, right = c.row(i), c.row(i, "expected")
        if mine != right:
            which = f"Row {i}" if i else "The first row"
            return f"{which} of your `{result}` is {mine}; {right} is right."
    return c.worst_row


def _directions(c: Context) -> str | None:
    """See whether a shift or a stretch of a row still has a gradient."""
    if c.given["result"] != "dX" or c.got.shape != c.expected.shape:
        return None
    X = c.given["X"]
    centered = X - X.mean(axis=-1, keepdims=True)
    large = np.abs(c.got).max() * np.abs(centered).max() + 1e-300
    sums = np.abs(c.got.sum(axis=-1)).max()
    if sums > 1e-3 * np.abs(c.got).max():
        return (
            f"Your rows of dX sum to up to {number(sums)} in size, and should sum to 0: a number "
            "that is added to all features of an element is taken out again by the norm."
        )
    along = np.abs((c.got * centered).sum(axis=-1)).max()
    if c.kind != "small" and along > 1e-3 * large:
        return (
            f"The dot product of each row of dX with x − mean is up to {number(along)} here, and "
            "should be nearly 0: making a row longer changes nothing after the norm."
        )
    return None


exercise = Exercise(
    layer_norm_backward,
    place=50,
    minutes=18,
    level="hard",
    prepares=("rms_norm_backward",),
    section="The rest of the block",
    task="""
Write `layer_norm_backward(X, gain, d_out)`, the way back through a layer norm. Forward, each row x
of X, of shape (…, d_model), became $g \\circ z + b$ with $z = (x - \\mu)/s$ and $s =
\\sqrt{\\sigma^2 + 10^{-5}}$; the gain g has shape (d_model,). `d_out`, of the shape of X, is the
gradient of a loss with respect to the outputs. Return three arrays: `dX`, of the shape of X, and
`d_gain` and `d_bias`, of shape (d_model,). Gain and bias are the same for all rows of all
sequences. (The bias itself is not needed.)
""",
    cases=_cases,
    results=("dX", "d_gain", "d_bias"),
    terms={"first_row": _first},
    kinds={
        "small": Kind(
            "for rows with a variance far below 1e-5",
            "There eps decides: z is far from variance 1, and s is not the standard deviation.",
        ),
        "one-row": Kind("for a single row", "Does a `squeeze` remove its axis?"),
    },
    faults=fault_list("""
shift-missing: dZ - shift - Z * stretch → dZ - Z * stretch
    The mean of g ∘ `d_out` is not subtracted. A norm takes out the mean of its row, so whatever in
    the gradient would only shift the row is taken out, too. {first_row}
stretch-missing: dZ - shift - Z * stretch → dZ - shift
    A term of dX is missing, z times the mean of g ∘ `d_out` ∘ z, as if s were a constant. What
    happens to s if one x of the row grows? {first_row}
statistics-constant: dZ - shift - Z * stretch → dZ
    You take mean and standard deviation for constants, and only divide g ∘ `d_out` by s. Both
    depend on every x of the row. {first_row}
sum-of-shift: dZ.mean( → dZ.sum(
    You subtract the *sum* of g ∘ `d_out`. μ is a mean, and each x has a share of 1/d_model in it.
    {first_row}
gain-forgotten: dZ = gain * d_out → dZ = 1 * d_out
    The gain is forgotten in dX. The output is g ∘ z + b: what comes back to z? {first_row}
gain-last: dZ = gain * d_out → dZ = 1 * d_out
        and dX = (dZ → dX = gain * (dZ
    You multiply dX by the gain at the end. It comes first on the way back, g ∘ `d_out`, before the
    two means are taken. {first_row}
gain-in-d_gain: (d_out * Z).reshape → (dZ * Z).reshape
    In d_gain you use g ∘ `d_out`, which has the gain in it already. In g ∘ z + b, g is multiplied
    by z alone. {first_row}
not-divided: Z * stretch) / divisor → Z * stretch)
    dX is not divided by s. In z = (x − μ)/s, if x moves by 1, z moves by about 1/s only.
    {first_row}
raw-in-d_gain: (d_out * Z).reshape → (d_out * X).reshape
    In d_gain you multiply `d_out` by X itself. By what is g multiplied in g ∘ z + b?
    {first_row}
z-missing-in-d_gain: (d_out * Z).reshape → d_out.reshape
    In d_gain you sum `d_out` alone, as for the bias. By what is g multiplied in g ∘ z + b?
    {first_row}
centered-in-d_gain: (d_out * Z).reshape → (d_out * centered).reshape
    In d_gain you multiply `d_out` by x − μ. By what is g multiplied in g ∘ z + b? {first_row}
gain-in-d_bias: d_bias = d_out → d_bias = dZ
    In d_bias you use g ∘ `d_out`. In g ∘ z + b nothing multiplies b. (Is `d_out` overwritten
    before you need it as it came?) {first_row}
means-over-rows: * Z).reshape(-1, width).sum( → * Z).reshape(-1, width).mean(
        and d_out.reshape(-1, width).sum( → d_out.reshape(-1, width).mean(
    Your d_gain and d_bias are means over the rows. All rows use the same gain and bias, and each
    adds its part to their gradients: sums. {first_row}
mean-in-d_bias: d_bias = d_out.reshape(-1, width).sum( → d_bias = d_out.reshape(-1, width).mean(
    Your d_bias is a mean over the rows. All rows use the same bias, and each adds its share to its
    gradient: a sum. {first_row}
first-axis: (d_out * Z).reshape(-1, width).sum(axis=0) → (d_out * Z).sum(axis=0)
        and d_out.reshape(-1, width).sum(axis=0) → d_out.sum(axis=0)
    Your d_gain and d_bias sum over the first axis alone. Every row of every sequence uses the same
    gain and bias: sum over all axes but the last. {first_row}
no-eps: variance + 1e-5 → variance
    eps is forgotten: s = √(σ² + 1e-5). Where the variance is small, that changes s a lot.
    {first_row}
sample-variance: (centered**2).mean(axis=-1, keepdims=True)
            → X.var(axis=-1, keepdims=True, ddof=1)
    Your variance is divided by d_model − 1 (`ddof=1`?). σ² is the mean of the squared deviations:
    of how many numbers? {first_row}
eps-outside: variance + 1e-5) → variance) + 1e-5
    You add 1e-5 to σ itself. Where does it stand in s = √(σ² + 1e-5)? {first_row}
step-not-gradient: return dX, d_gain, d_bias → return -dX, -d_gain, -d_bias
    Right but for the sign: you return the *step* that goes against the gradients. The gradients
    themselves are asked for.
sum-of-stretch: (dZ * Z).mean( → (dZ * Z).sum(
    You multiply z by the *sum* of g ∘ `d_out` ∘ z. σ² is a mean: which share has each x in it?
    {first_row}
sums-for-means: dZ.mean( → dZ.sum(
        and (dZ * Z).mean( → (dZ * Z).sum(
    In dX you take two *sums* over the features of a row. μ and σ² are means: which share has each x
    in them? {first_row}
stretch-added: shift - Z → shift + Z
    The last term of dX has the wrong sign: what lies along z is to be taken *out*. {first_row}
divided-by-variance: stretch) / divisor → stretch) / divisor**2
    You divide dX by s². If x moves by 1, by how much does z move? {first_row}
centered-times-stretch: - Z * stretch → - centered * stretch
    In the last term of dX you use x − μ where z belongs: it has not been divided by s. {first_row}
mean-in-d_gain: * Z).reshape(-1, width).sum( → * Z).reshape(-1, width).mean(
    Your d_gain is a mean over the rows. All rows use the same gain, and each adds its share to its
    gradient. {first_row}
"""),
    properties=(Property("directions", _directions),),
    wrong_lines=("stretch-missing", "gain-in-d_gain", "sum-of-shift"),
    hints=(
        "Go back box by box: from y to z, then from z to x. Gain and bias are met on the first "
        "part of the way, and every row meets the same ones.",
        "dZ = g ∘ `d_out`. Then s dx is dZ without its mean and without what lies along z; d_gain "
        "and d_bias sum `d_out` ∘ z and `d_out` over all rows.",
        "`(dZ - dZ.mean(…) - Z * (dZ * Z).mean(…)) / s`, with `axis=-1, keepdims=True`; and "
        "`.reshape(-1, d_model).sum(axis=0)` sums over all rows of any batch.",
    ),
    built_ins=(
        *twins("gradients.layer_norm_backward"),
        "torch.autograd.grad",
    ),
)
