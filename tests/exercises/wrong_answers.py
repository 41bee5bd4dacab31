"""Wrong answers as learners write them, made without looking at the declared faults.

Each must be refused. ``python -m tests.exercises masks qkv`` prints what each is told. Where it
matters, an answer says what has to be noticed: the ids of the faults, and words of the message.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

WRONG: dict[str, list[Callable[..., Any]]] = defaultdict(list)
NOTICED: dict[Callable[..., Any], tuple[tuple[str, ...], str]] = {}


def answers(
    exercise: str, *faults: str, said: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        WRONG[exercise].append(function)
        NOTICED[function] = faults, said
        return function

    return register
