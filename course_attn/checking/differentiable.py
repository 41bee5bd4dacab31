"""Whether gradients reach the arguments of a PyTorch answer; imported for PyTorch only."""

from typing import Any

import numpy as np

from course_attn.checking import torch_side
from course_attn.checking.compare import agree
from course_attn.checking.context import Finding
from course_attn.checking.crash import crash_finding
from course_attn.checking.outcome import call_guarded
from course_attn.checking.trial import Trial

__all__ = ["gradient_problem"]

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
    wide = _with_gradient(tuple(map(torch_side.widen, trial.given(i))))
    wanted = torch_side.gradients(
        trial.exercise.used(trial.exercise.solution)(*wide), wide
    )
    given = _with_gradient(trial.given(i))
    outcome = call_guarded(trial.function, given, seconds=trial.exercise.seconds)
    if outcome.error is not None:
        return _stops(trial, i, outcome.error)
    if not outcome.value.requires_grad:
        return _DETACHED
    found = torch_side.gradients(outcome.value, given)
    return _compared(trial, found, wanted, trial.tolerance(i))


def _with_gradient(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        value.requires_grad_() if torch_side.precision(value) is not None else value
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
    seconds, called_with = trial.exercise.seconds, trial.called_with(i)
    found = crash_finding(error, trial.function, called_with, seconds)
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
