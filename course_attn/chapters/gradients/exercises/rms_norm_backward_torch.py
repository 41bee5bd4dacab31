"""Exercise `rms_norm_backward`, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault_list,
    number,
)

__all__ = ["exercise"]


def rms_norm_backward(ctx, d_out):
    """Give autograd the gradients of an RMS norm: one for each argument of its forward pass."""
    X, gain = ctx.saved_tensors
    mean_square = (X**2).mean(dim=-1, keepdim=True)
    divisor = torch.sqrt(mean_square + ctx.eps)
    Z = X / divisor
    dZ = gain * d_out
    stretch = (dZ * Z).mean(dim=-1, keepdim=True)
    dX = (dZ - Z * stretch) / divisor
    d_gain = (d_out * Z).reshape(-1, X.shape[-1]).sum(dim=0)
    return dX, d_gain, None


class _RMSNorm(torch.autograd.Function):
    """The forward pass that the task describes."""

    @staticmethod
    def forward(ctx: Any, X: Any, gain: Any, eps: float) -> Any:
        ctx.save_for_backward(X, gain)
        ctx.eps = eps
        return gain * X / torch.sqrt((X**2).mean(dim=-1, keepdim=True) + eps)

    @staticmethod
    def backward(ctx: Any, d_out: Any) -> Any:  # the learner's stands in for it
        raise NotImplementedError


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261505).standard_normal

    def given(
        *shape: int, eps: float = 1e-6, spread: float = 2.0, dtype: str = "f4"
    ) -> tuple[Any, ...]:
        drawn = (
            spread * (draw(shape) + 0.5),
            1.5 + draw(shape[-1]),
            draw(shape) + 0.4,
        )
        X, gain, d_out = (array.astype(dtype) for array in drawn)
        return X, gain, eps, d_out

    example = (
        np.array([[3.0, 4.0]]),
        np.array([1.0, 2.0]),
        0.0,
        np.array([[1.0, 0.0]]),
    )
    return (
        Case(
            tuple(
                a.astype("f4") if isinstance(a, np.ndarray) else a for a in example
            ),
            "example",
        ),
        Case(given(5, 8)),
        Case(given(11, 3)),
        Case(given(5, 7, eps=4.0), "large-eps"),
        Case(given(4, 6, spread=1e-3), "small"),
        Case(given(6, 6), "square"),
        Case(given(4, 3, 7), "batch"),
        Case(given(2, 3, 5, 8), "batch"),
        Case(given(1, 6), "one-row"),
        Case(given(5, 9, eps=0.5, dtype="f8"), "float64"),
    )


def _way_back(answer: Callable[..., Any], X: Any, gain: Any, *rest: Any) -> Any:
    """Let the learner's backward take the place of a Function's, with what its forward kept."""
    eps, d_out, result = rest
    X, gain = (tensor.detach().requires_grad_() for tensor in (X, gain))
    ctx = _RMSNorm.apply(X, gain, eps).grad_fn
    with torch.no_grad():
        found = answer(ctx, d_out)
    if found is None:
        return None
    wanted = "`forward(ctx, X, gain, eps)` has three arguments, so `return dX, d_gain, None`."
    if not isinstance(found, tuple | list):
        raise WrongForm(
            "You return one gradient. `backward` returns one for each argument of `forward`, and "
            f"None where there is none. {wanted}",
            "one-result",
        )
    if len(found) != 3:
        raise WrongForm(
            f"You return {len(found)} results. `backward` returns one for each argument of "
            f"`forward`, and None for one that is no tensor. {wanted}",
            "results",
            found[result == "d_gain"] if len(found) == 2 else None,
        )
    if found[2] is not None:
        raise WrongForm(
            "Your third result is not None. eps is a number, not a tensor that learns: autograd "
            f"wants None in its place. {wanted}",
            "gradient-of-eps",
        )
    if found[1] is None or found[0] is None:
        which = "dX" if found[0] is None else "d_gain"
        raise WrongForm(
            f"`{which}` is None, so that nothing would learn there.", "none"
        )
    return found[("dX", "d_gain").index(result)]


def _eps_fixed(c: Context) -> str | None:
    """See whether eps plays no part."""
    X, gain, eps, d_out, result = c.given.values()
    one, other = (c.call(X, gain, e, d_out, result) for e in (1.0, 9.0))
    if one is None or other is None or not np.array_equal(one, other):
        return None
    return (
        f"Your `{result}` is the same whatever eps the forward pass has used, here {eps:g}: where "
        f"did it keep that? {c.worst_row}"
    )


def _along_x(c: Context) -> str | None:
    """See whether a stretch of a row still has a gradient, where eps is tiny."""
    if c.given["result"] != "dX" or c.got.shape != c.expected.shape:
        return None
    X = c.given["X"].astype(float)
    along = np.abs((c.got * X).sum(axis=-1)).max()
    if (
        c.given["eps"] > 1e-3 * (X**2).mean()
        or along <= 1e-2 * np.abs(c.got).max() * np.abs(X).max()
    ):
        return None
    return (
        "Scaling a row leaves its RMS norm unchanged (apart from eps), so each row of dX must be "
        f"at right angles to x. Their dot products are up to {number(along)} here."
    )


exercise = Exercise(
    rms_norm_backward,
    place=60,
    minutes=12,
    level="medium",
    section="In PyTorch",
    library="torch",
    task="""
RMS norm as an `autograd.Function`. Its forward pass is given:

```python
@staticmethod
def forward(ctx, X, gain, eps):
    ctx.save_for_backward(X, gain)
    ctx.eps = eps
    return gain * X / torch.sqrt((X**2).mean(dim=-1, keepdim=True) + eps)
```

Write the function that would be its `backward`, `rms_norm_backward(ctx, d_out)`, where `d_out` is
the gradient of a loss with respect to the output. Autograd hands over the same `ctx`: its
`ctx.saved_tensors` are what the forward pass saved, in that order. X has shape (…, d_model), gain
(d_model,), and eps is a number. As autograd wants it, return one result for each argument of
`forward`, with the shapes of the arguments: `dX`, `d_gain`, and None for eps, which is no tensor.
(No autograd inside: derive it. An RMS norm is a layer norm without the mean.)
""",
    cases=_cases,
    use=_way_back,
    results=("dX", "d_gain"),
    arguments=("X", "gain", "eps", "d_out"),
    differentiable=False,
    kinds={
        "large-eps": Kind(
            "where eps is as large as the mean square", "Is it `ctx.eps`?"
        ),
        "small": Kind("for rows with a mean square about as small as eps"),
        "one-row": Kind("for a single row", "Does a `squeeze` remove its axis?"),
    },
    faults=fault_list("""
stretch-missing: dZ - Z * stretch → dZ
    You take the divisor for a constant. It depends on every x of the row, and brings a second term,
    with a mean of g ∘ `d_out` ∘ z, where z is the normalized row. {worst_row}
row-term-added: dZ - Z * stretch → dZ + Z * stretch
    The second term of dX, the one with a mean over the row, has the wrong sign. If one x grows, the
    divisor grows with it: do the outputs of that row become larger by it, or smaller? {worst_row}
layer-norm: X, gain = ctx.saved_tensors
            → X, gain = ctx.saved_tensors ⏎ X = X - X.mean(dim=-1, keepdim=True)
        and dZ - Z * stretch → dZ - dZ.mean(dim=-1, keepdim=True) - Z * stretch
    This is the way back through a *layer norm*. An RMS norm subtracts no mean, forward or backward:
    it divides by the root of the mean square of x itself. {worst_row}
mean-subtracted: dZ - Z * stretch → dZ - dZ.mean(dim=-1, keepdim=True) - Z * stretch
    You subtract the mean of g ∘ `d_out`, too. That term is a layer norm's; an RMS norm takes no
    mean out of its row. {worst_row}
sum-of-stretch: (dZ * Z).mean( → (dZ * Z).sum(
    The second term of dX is d_model times too large: you take the *sum* of g ∘ `d_out` ∘ z, where z
    is the normalized row. In the mean of d_model squares each one counts 1/d_model: take the mean
    here as well. {worst_row}
stretch-not-divided: Z * stretch → Z * stretch * divisor
    The second term of dX, the one with a mean over the row, is too large by the factor s = √(mean
    x² + eps). X/s occurs in it twice, and the whole is divided by s once more. {worst_row}
gain-forgotten: dZ = gain * d_out → dZ = 1 * d_out
    The gain is forgotten in dX. The output is g ∘ z, where z is the normalized row: what comes back
    to z? {worst_row}
gain-missing-in-mean: (dZ * Z).mean( → (d_out * Z).mean(
    In the second term of dX, the one with a mean over the row, the gain is missing. The output is
    g ∘ z, where z is the normalized row: what comes back to z is g ∘ `d_out`, and that stands in
    both terms. {worst_row}
gain-in-d_gain: (d_out * Z).reshape → (dZ * Z).reshape
    In d_gain the gain itself is a factor (the output in place of z, the normalized row?). In g ∘ z,
    g is multiplied by z alone. {worst_row}
raw-in-d_gain: (d_out * Z).reshape → (d_out * X).reshape
    In d_gain you multiply `d_out` by X itself. The forward pass multiplies the gain by something
    else: by what? {worst_row}
no-eps: mean_square + ctx.eps → mean_square
    Your mean square is without the eps that the forward pass has added, {eps}. Where did it keep
    that? {worst_row}
eps-1e-5: mean_square + ctx.eps → mean_square + 1e-5
    Your eps is a fixed number, 1e-5. The forward pass has added {eps} here: where did it keep that?
    {worst_row}
eps-1e-6: mean_square + ctx.eps → mean_square + 1e-6
    Your eps is a fixed number, 1e-6. The forward pass has added {eps} here: where did it keep that?
    {worst_row}
eps-outside: torch.sqrt(mean_square + ctx.eps) → torch.sqrt(mean_square) + ctx.eps
    You add eps *after* the root. Where does the forward pass add it? {worst_row}
mean-of-rows: X.shape[-1]).sum(dim=0) → X.shape[-1]).mean(dim=0)
    Your d_gain is a mean over the rows. All rows use the same gain, and each adds its part to the
    gradient: a sum. {worst_row}
gain-last: dZ = gain * d_out → dZ = 1 * d_out
        and dX = (dZ → dX = gain * (dZ
    You multiply dX by the gain at the end. It comes first on the way back, g ∘ `d_out`, before the
    mean is taken. {worst_row}
rows-not-summed: (d_out * Z).reshape(-1, X.shape[-1]).sum(dim=0) → d_out * Z
    Your d_gain has a row for each element, shape {your.shape}. All rows use the same gain: what
    comes back adds up, to shape {right.shape}.
first-axis: (d_out * Z).reshape(-1, X.shape[-1]).sum(dim=0) → (d_out * Z).sum(dim=0)
    Your d_gain sums over the first axis only. In a batch there are more: the gain serves all rows
    of all sequences, and has shape {right.shape}. You give {your.shape}.
saved-swapped: X, gain = ctx.saved_tensors → gain, X = ctx.saved_tensors
    You take `ctx.saved_tensors` in the wrong order. They come as they were saved: X, then gain.
    {worst_row}
step-not-gradient: return dX, d_gain, None → return -dX, -d_gain, None
    Right but for the sign: you return the *step* that goes against the gradients. The gradients
    themselves are asked for.
"""),
    properties=(
        Property("eps-fixed", _eps_fixed),
        Property("along-x", _along_x),
    ),
    hints=(
        "Which gradients does `layer_norm_backward` return, and which of its terms come from the "
        "mean?",
        "Take X and gain from `ctx.saved_tensors`, compute z anew, and then dZ = g ∘ `d_out`. "
        "Leave out the term of the mean; d_gain sums `d_out` ∘ z over all rows.",
        "`dX = (dZ - Z * (dZ * Z).mean(dim=-1, keepdim=True)) / divisor`, "
        "`(d_out * Z).reshape(-1, X.shape[-1]).sum(dim=0)`, and `return dX, d_gain, None`.",
    ),
    built_ins=(
        "torch.autograd.grad",
        "torch.Tensor.backward",
        "torch.autograd.backward",
    ),
)
