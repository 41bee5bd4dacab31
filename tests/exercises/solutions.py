"""The solutions of the exercises, and the ways in which they reach the checks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.exercises import catalog
from whywrong import Exercise, Question

__all__ = ["EXERCISES", "TASKS", "as_own_function", "pasted", "reference_source"]

TASKS = {
    name: catalog.find(name)
    for names in catalog.chapters.values()
    for name in names
}
EXERCISES = {
    name: task for name, task in TASKS.items() if isinstance(task, Exercise)
}


def reference_source(task: Exercise | Question) -> str:
    """Return the source of the solution, as a learner could paste it."""
    return task.source


def pasted(task: Exercise | Question) -> Callable[..., Any]:
    """Return the solution as a learner would paste it, in a namespace of its own."""
    namespace = {"np": np, "torch": torch}
    exec(reference_source(task), namespace)
    return namespace[task.name]


def as_own_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a plain function around any callable, as `check` expects it."""
    return lambda *args: function(*args)
