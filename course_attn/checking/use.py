"""How a case puts an answer to use: by calling it, by picking one of its results, or otherwise."""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["WrongForm", "put_to_use"]

_COUNTS = {2: "two", 3: "three", 4: "four"}


class WrongForm(Exception):
    """The answer cannot be put to use; the text is for the learner.

    Parameters
    ----------
    message : str
        What to return instead.
    fault : str
        A short name of what is wrong.
    """

    def __init__(self, message: str, fault: str = "form") -> None:
        super().__init__(message)
        self.fault = fault


def put_to_use(
    answer: Callable[..., Any],
    use: Callable[..., Any] | None,
    results: Sequence[str],
) -> Callable[..., Any]:
    """Return the function of a case's arguments whose result is judged."""
    if use is None and not results:
        return answer

    def used(*args: Any) -> Any:
        if use is not None:
            return use(answer, *args)
        return _picked(answer(*args[:-1]), args[-1], results)

    # Whoever asks where the learner's own code is finds it behind this.
    used.__wrapped__ = answer  # type: ignore[attr-defined]
    used.__name__ = getattr(answer, "__name__", used.__name__)
    return used


def _picked(values: Any, result: str, results: Sequence[str]) -> Any:
    listed = ", ".join(results)
    wanted = f"return {_COUNTS.get(len(results), len(results))}: `return {listed}`."
    if values is None:
        return None
    if not isinstance(values, tuple | list):
        noun = "array" if hasattr(values, "shape") else f"`{type(values).__name__}`"
        raise WrongForm(f"You return one {noun}; {wanted}", "one-result")
    if len(values) != len(results):
        raise WrongForm(f"You return {len(values)} results; {wanted}", "results")
    return values[results.index(result)]
