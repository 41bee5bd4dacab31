"""Other inputs for an exercise, by a seed of the teacher's."""

import dataclasses
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from whywrong.declare import Case, Exercise, Question

__all__ = ["with_other_inputs"]


def with_other_inputs(
    task: Exercise | Question, seed: int | str
) -> Exercise | Question:
    """Return an exercise whose inputs are drawn anew; a question has none, and stays as it is.

    A case that draws its numbers from ``np.random.default_rng(…)`` gets others of the same shape;
    one that is written out, such as the example, is the same for everybody. What the exercise
    itself draws, `Exercise.drawn`, is added.

    Equal seeds give equal inputs, on every machine.
    """
    if isinstance(task, Question):
        return task
    declared, drawn = task.cases, task.drawn
    own = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "big")

    def cases() -> tuple[Case, ...]:
        more = drawn(np.random.default_rng(own)) if drawn else ()
        with _drawn_with(own):
            return (*declared(), *more)

    return dataclasses.replace(task, cases=cases)


@contextmanager
def _drawn_with(own: int) -> Iterator[None]:
    """Mix a number into the seed of every generator which is made with one."""
    make = np.random.default_rng

    def mixed(seed: Any = None) -> np.random.Generator:
        is_number = isinstance(seed, int | np.integer)
        return make([own, int(seed)] if is_number else seed)

    np.random.default_rng = mixed
    try:
        yield
    finally:
        np.random.default_rng = make
