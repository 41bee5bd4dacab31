"""One call of what a learner wrote, caught and quiet; and what holds while an answer is checked."""

import gc
import io
import logging
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from whywrong.limits import KeyPressed, run_limited

__all__ = ["Outcome", "call_guarded", "guarded_randomness", "no_collection"]
__all__ += ["one_thread", "plain_torch", "safely"]


@dataclass(frozen=True)
class Outcome:
    """What one call gave.

    value: what was returned; None where the call raised.
    error: what was raised instead.
    printed: what was printed meanwhile.
    given: the arguments as the call left them.
    """

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    given: tuple[Any, ...] = ()


_Given = tuple[Any, ...]


def call_guarded(
    function: Callable[..., Any], given: _Given, *, seconds: float, seed: int = 0
) -> Outcome:
    """Call ``function(*given)`` so that nothing it does reaches the notebook.

    Every exception but a real key press is caught. ``given`` should be copies: what the call does
    to them is in the outcome. Another seed gives other random numbers.
    """
    printed = _Printed()
    _seed_all(seed)
    with ExitStack() as stack:
        # A warning would go to stderr, which nbgrader marks as a failure.
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        stack.enter_context(np.errstate(all="warn", under="ignore"))
        stack.enter_context(redirect_stdout(printed))
        stack.enter_context(redirect_stderr(_Printed()))
        # Let nothing be logged: a handler holds the real stderr, where a line costs the points.
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)
        try:
            value = run_limited(lambda: function(*given), seconds)
        except KeyPressed:
            raise
        # SystemExit, TimesUp and the learner's own are results.
        except BaseException as error:
            return Outcome(None, error, printed.getvalue(), given)
    return Outcome(value, None, printed.getvalue(), given)


_MOST_PRINTED = 100_000


class _Printed(io.StringIO):
    """What is printed, as far as anybody would read it."""

    def write(self, text: str) -> int:
        room = _MOST_PRINTED - self.tell()
        super().write(text[: max(room, 0)])
        return len(text)

    def close(self) -> None:
        """Stay open: an answer may close its ``sys.stdout``, and what it printed is read later."""


def _seed_all(seed: int) -> None:
    """Seed the generators that a learner may use, the legacy ones included."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch = sys.modules.get("torch")
    if torch:
        # torch.manual_seed writes down where it was called, for a CUDA that never starts: 1 ms.
        torch.default_generator.manual_seed(seed)
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)


def safely(call: Callable[[], Any], otherwise: Any, seconds: float = 1.0) -> Any:
    """Return ``call()``, which touches an object of the learner's; ``otherwise`` if that fails."""
    outcome = call_guarded(call, (), seconds=seconds)
    return otherwise if outcome.error is not None else outcome.value


@contextmanager
def plain_torch() -> Iterator[None]:
    """Judge with gradients and on the CPU, whatever an earlier cell has switched on or off."""
    torch = sys.modules.get("torch")
    with ExitStack() as stack:
        if torch:
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
        # Only where it is needed: a device as a context handles every call of PyTorch, and breaks
        # if the time limit cuts it there.
        if torch and torch.get_default_device().type != "cpu":
            stack.enter_context(torch.device("cpu"))
        yield


@contextmanager
def guarded_randomness() -> Iterator[None]:
    """Give the global random generators back as they were."""
    torch = sys.modules.get("torch")
    with ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        stack.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002
        if torch:
            stack.callback(torch.set_rng_state, torch.get_rng_state())
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute in one thread: on inputs this small, more only wait for each other."""
    torch = sys.modules.get("torch")
    with ExitStack() as stack:
        if torch:
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(1)
        yield


@contextmanager
def no_collection() -> Iterator[None]:
    """Let no garbage be collected: syntax trees are many objects to look through, and none is."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
