"""Whether gradients reach the arguments of an answer in PyTorch, and are the right ones."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from whywrong.arrays import Side, agree
from whywrong.calls import call_guarded
from whywrong.context import Finding, Sentences
from whywrong.faults import Fault
from whywrong.running import Trial
from whywrong.stops import crash_finding

__all__ = ["cut_off", "gradient_besides", "gradient_problem"]

_SAID = Sentences("""
detached: {so} the result is cut off from its inputs: no gradient can flow back. `.detach()`,
    `.numpy()`, `.item()`, `torch.tensor(…)` and `torch.no_grad()` all cut.
detached copy: {so} no gradient reaches {names}: on the way it is cut off from the graph
    (`torch.no_grad()`, `torch.tensor(…)`, `.detach()`, `.item()`, `.data`).
detached stop: {so} as soon as the tensors require gradients (as in training), your function stops:
    stay in PyTorch all the way.
gradient: {so} the gradient with respect to {names} is wrong: some step of the way is computed
    outside the graph (`.detach()`, `.data`, `torch.no_grad()`).
gradient nan: The numbers are right, but the gradient with respect to {names} is NaN: a NaN or an
    infinity that `where` or `nan_to_num` hides in the result still comes back in its gradient.
    Replace the dangerous input already *before* the softmax, the norm, the root, the logarithm or
    the division.
""")


_RIGHT_BUT, _BESIDES = "The numbers are right, but", "Besides,"


def gradient_problem(trial: Trial) -> Finding | None:
    """Compare the gradients of every case with the reference's; None where all agree."""
    cases = range(len(trial.outcomes))
    with_values = [i for i in cases if isinstance(trial.expected[i], np.ndarray)]
    right = trial.exercise.solution
    found = (_in_case(trial, i, right, _RIGHT_BUT) for i in with_values)
    return next(filter(None, found), None)


def gradient_besides(
    trial: Trial, function: Callable[..., Any], *faults: Fault
) -> Finding | None:
    """Compare the gradients of a function with those of the solution with these mistakes.

    The two give the same numbers, unless an exception is asked for.
    """
    trial = replace(trial, function=function)
    seconds = trial.clock.seconds
    found = call_guarded(_besides, (trial, *faults), seconds=seconds).value
    return found if found and "NaN" not in found.message else None


def _besides(trial: Trial, *faults: Fault) -> Finding | None:
    exercise = trial.exercise
    right = exercise.wrong_version(*faults) if faults else exercise.solution
    tried = (*trial.wrong, *trial.right)
    # Of NaN nothing flows back that would tell anything.
    i = next(i for i in tried if _is_finite(trial, i))
    return _in_case(trial, i, right, _BESIDES, is_wide=False)


def _is_finite(trial: Trial, i: int) -> bool:
    asks_for_array = isinstance(trial.expected[i], np.ndarray)
    return asks_for_array and bool(np.isfinite(trial.got(i)).all())


def cut_off(trial: Trial) -> Finding | None:
    """Say of wrong numbers that no gradient at all flows back from them, besides."""
    i, right = trial.wrong[0], trial.exercise.used(trial.exercise.solution)
    again = trial.call_again(_with_gradient(trial.side, trial.given(i)))
    if again.error or isinstance(trial.expected[i], Exception):
        return None
    mine, wanted = again.value, right(*_with_gradient(trial.side, trial.given(i)))
    if not trial.side.is_native(mine) or mine.shape != wanted.shape:
        return None
    if mine.requires_grad or not wanted.requires_grad:
        return None
    return _SAID.find("detached", so=_BESIDES)


def _in_case(
    trial: Trial,
    i: int,
    right: Callable[..., Any],
    so: str,
    *,
    is_wide: bool = True,
) -> Finding | None:
    side, given = trial.side, trial.given(i)
    # A wrong version may lose as many digits as the answer does.
    wide = _with_gradient(side, tuple(map(side.widen, given)) if is_wide else given)
    wanted = _gradients(trial.exercise.used(right)(*wide), wide)
    given = _with_gradient(side, trial.given(i))
    outcome = trial.call_again(given)
    if outcome.error is not None:
        words = trial.called_with(i)
        stop = crash_finding(outcome.error, trial.function, words, trial.clock)
        message = f"{_SAID.say('detached stop', so=so)}\n\n{stop.message}"
        return Finding(("detached",), message)
    if not outcome.value.requires_grad:
        return _SAID.find("detached", so=so)
    found = _gradients(outcome.value, given)
    return _compared(trial, found, wanted, trial.tolerance(i), so)


def _with_gradient(side: Side, given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        value.requires_grad_() if side.precision(value) is not None else value
        for value in given
    )


# Where a softmax saturates, some gradients are next to nothing and consist of rounding: they are
# compared at this share of the largest gradient of the case.
_FLOOR = 1e-3
_Gradients = list[np.ndarray | None]


def _gradients(output: Any, given: tuple[Any, ...]) -> _Gradients:
    """Return the gradient of one fixed weighting of the output, by argument; None if there is none.

    Asked for are the gradients of the arguments that require one.
    """
    import torch

    weighting = torch.linspace(
        -1.0, 2.0, output.numel(), dtype=torch.float64, device=output.device
    )
    total = (output.double() * weighting.reshape(output.shape)).sum()
    leaves = {
        i: value
        for i, value in enumerate(given)
        if isinstance(value, torch.Tensor) and value.requires_grad
    }
    grads = torch.autograd.grad(total, [*leaves.values()], allow_unused=True)
    found = {i: g for i, g in zip(leaves, grads, strict=True) if g is not None}
    return [
        found[i].cpu().numpy() if i in found else None for i in range(len(given))
    ]


def _compared(
    trial: Trial, found: _Gradients, wanted: _Gradients, rtol: float, so: str
) -> Finding | None:
    sizes = (np.abs(want).max(initial=0) for want in wanted if want is not None)
    largest = max(sizes, default=0)
    if largest < _FLOOR**2:  # they are all zero: what comes out is rounding
        largest = 1.0
    near = 10 * rtol * _FLOOR * largest
    told = [
        _difference(have, want, 10 * rtol, near)
        for have, want in zip(found, wanted, strict=True)
    ]
    first = next(filter(None, told), None)
    if not first:
        return None
    named = zip(trial.names, told, strict=True)
    names = " and ".join(f"`{name}`" for name, one in named if one == first)
    return _SAID.find(first, names=names, so=so)


def _difference(
    have: np.ndarray | None, want: np.ndarray | None, rtol: float, near: float
) -> str:
    """Return what is wrong with a gradient, by its name; nothing if it is right."""
    if want is None:
        return ""
    if have is None:
        return "detached copy"
    if np.abs(have - want).max(initial=0) <= near or agree(have, want, rtol):
        return ""
    return "gradient nan" if np.isnan(have).any() else "gradient"
