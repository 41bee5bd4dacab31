"""What one guarded call of the learner's function gave."""

import io
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_attn.checking.time_limit import KeyPressed, run_limited

__all__ = ["Outcome", "call_guarded", "guarded_randomness", "one_thread"]


@dataclass(frozen=True)
class Outcome:
    """What one call gave.

    Parameters
    ----------
    value : object
        What was returned; None where the call raised.
    error : BaseException, optional
        What was raised instead.
    printed : str
        What was printed meanwhile.
    given : tuple
        The arguments as the call left them.
    """

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    given: tuple[Any, ...] = ()


def call_guarded(
    function: Callable[..., Any],
    given: tuple[Any, ...],
    *,
    seconds: float,
    seed: int = 0,
) -> Outcome:
    """Call ``function(*given)`` so that nothing it does reaches the notebook.

    Every exception but a real key press is caught. ``given`` should be copies: what the call does
    to them is in the outcome. Another seed gives other random numbers.
    """
    printed = io.StringIO()
    _seed_all(seed)
    value, error = None, None
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter(
            "ignore"
        )  # they would go to stderr, which nbgrader marks as a failure
        stack.enter_context(
            np.errstate(over="warn", divide="warn", invalid="warn", under="ignore")
        )
        stack.enter_context(redirect_stdout(printed))
        stack.enter_context(redirect_stderr(io.StringIO()))
        try:
            value = run_limited(lambda: function(*given), seconds)
        except KeyPressed:
            raise
        except (
            BaseException
        ) as caught:  # SystemExit, TimesUp and the learner's own are results
            error = caught
    return Outcome(value, error, printed.getvalue(), given)


@contextmanager
def guarded_randomness() -> Iterator[None]:
    """Give the global random generators back as they were."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    torch = sys.modules.get("torch")
    torch_state = torch.get_rng_state() if torch else None
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        if torch:
            torch.set_rng_state(torch_state)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute in one thread: on inputs this small, more only wait for each other."""
    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else None
    try:
        if torch:
            torch.set_num_threads(1)
        yield
    finally:
        if torch:
            torch.set_num_threads(threads)


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
