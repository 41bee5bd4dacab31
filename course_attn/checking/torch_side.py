"""What the engine needs to know about PyTorch tensors; imported for PyTorch exercises only."""

import copy as _copy
from typing import Any

import numpy as np
import torch

from course_attn.checking.arrays import agree
from course_attn.checking.context import Finding
from course_attn.checking.crash import crash_finding
from course_attn.checking.guard import call_guarded
from course_attn.checking.trial import Trial

__all__ = [
    "NOUN",
    "as_numpy",
    "copy",
    "describe",
    "gradient_problem",
    "gradients",
    "is_native",
    "native",
    "precision",
    "widen",
]


NOUN = "a PyTorch tensor"


def native(value: Any) -> Any:
    """Return a case's argument as a tensor; cases are declared in NumPy."""
    return (
        torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
    )


def copy(value: Any) -> Any:
    """Return an independent copy of an argument."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return _copy.deepcopy(value)


def widen(value: Any) -> Any:
    """Return an argument in float64 where it is a floating-point tensor."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(torch.float64) if is_float else value


def is_native(value: Any) -> bool:
    """Whether a result is of the library's own kind."""
    return isinstance(value, torch.Tensor)


def as_numpy(value: Any) -> np.ndarray:
    """Return a native result as a plain array, to be compared."""
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    plain = value.detach().cpu()
    return (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()


def precision(value: Any) -> int | None:
    """Return the bytes of one number of a floating-point tensor; None for everything else."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.element_size() if is_float else None


def describe(value: Any) -> str:
    """Return an argument's shape and dtype, or the value itself where that is short."""
    if isinstance(value, torch.Tensor):
        shape = (
            "("
            + ", ".join(map(str, value.shape))
            + ("," if value.ndim == 1 else "")
            + ")"
        )
        return f"{shape} {str(value.dtype).removeprefix('torch.')}"
    return repr(value)[:40]


def gradients(
    output: torch.Tensor, given: tuple[Any, ...]
) -> list[np.ndarray | None]:
    """Return the gradient of one fixed weighting of the output, by argument; None if there is none.

    Asked for are the gradients of the arguments that require one.
    """
    weighting = torch.linspace(
        -1.0, 2.0, output.numel(), dtype=torch.float64, device=output.device
    )
    total = (output.double() * weighting.reshape(output.shape)).sum()
    asked = [
        isinstance(value, torch.Tensor) and value.requires_grad for value in given
    ]
    leaves = [
        value for value, is_asked in zip(given, asked, strict=True) if is_asked
    ]
    grads = iter(torch.autograd.grad(total, leaves, allow_unused=True))
    found = [next(grads) if is_asked else None for is_asked in asked]
    return [None if grad is None else grad.cpu().numpy() for grad in found]


# Where a softmax saturates, some gradients are next to nothing and consist of rounding: they are
# compared at this share of the largest gradient of the case.
_FLOOR = 1e-3


def gradient_problem(trial: Trial) -> Finding | None:
    """Compare the gradients of every case with the reference's; None where all agree."""
    for i in range(len(trial.outcomes)):
        if isinstance(trial.expected[i], np.ndarray):
            found = _in_case(trial, i)
            if found:
                return found
    return None


def _in_case(trial: Trial, i: int) -> Finding | None:
    wide = _with_gradient(tuple(map(widen, trial.given(i))))
    wanted = gradients(trial.exercise.used(trial.exercise.solution)(*wide), wide)
    given = _with_gradient(trial.given(i))
    outcome = call_guarded(trial.function, given, seconds=trial.clock.left)
    if outcome.error is not None:
        return _stops(trial, i, outcome.error)
    if not outcome.value.requires_grad:
        return _DETACHED
    found = gradients(outcome.value, given)
    return _compared(trial, found, wanted, trial.tolerance(i))


def _with_gradient(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        value.requires_grad_() if precision(value) is not None else value
        for value in given
    )


def _compared(
    trial: Trial,
    found: list[np.ndarray | None],
    wanted: list[np.ndarray | None],
    rtol: float,
) -> Finding | None:
    sizes = (np.abs(want).max(initial=0) for want in wanted if want is not None)
    largest = max(sizes, default=0)
    if largest < _FLOOR**2:  # they are all zero: what comes out is rounding
        largest = 1.0
    for name, have, want in zip(trial.names, found, wanted, strict=True):
        if want is None:
            continue
        if have is None:
            return Finding(
                ("detached",),
                f"The numbers are right, but no gradient reaches `{name}`: on its way it is copied "
                "out of the graph (`torch.tensor(…)`, `.detach()`, `.item()`, `.data`).",
            )
        negligible = (
            np.abs(have - want).max(initial=0) <= 10 * rtol * _FLOOR * largest
        )
        if not negligible and not agree(have, want, 10 * rtol):
            return Finding(("gradient",), _wrong_gradient(name, have))
    return None


def _wrong_gradient(name: str, have: np.ndarray) -> str:
    if np.isnan(have).any():
        return (
            f"The numbers are right, but the gradient with respect to `{name}` is NaN: a NaN or an "
            "infinity that `torch.where` hides in the result still comes back in its gradient. "
            "Replace the dangerous input before the division or root."
        )
    return (
        f"The numbers are right, but the gradient with respect to `{name}` is not: some step of "
        "the way is computed outside the graph (`.detach()`, `.data`, `torch.no_grad()`)."
    )


def _stops(trial: Trial, i: int, error: BaseException) -> Finding:
    found = crash_finding(error, trial.function, trial.called_with(i), trial.clock)
    return Finding(
        ("detached",),
        "The numbers are right, but as soon as the tensors require gradients (as in training), "
        f"your function stops: stay in PyTorch all the way.\n\n{found.message}",
    )


_DETACHED = Finding(
    ("detached",),
    "The numbers are right, but the result is cut off from its inputs: no gradient can flow back. "
    "`.detach()`, `.numpy()`, `.item()`, `torch.tensor(…)` and `torch.no_grad()` all cut.",
)
