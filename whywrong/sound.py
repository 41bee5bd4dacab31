"""Try a declaration before learners do: the solution is right, each known mistake is refused."""

from collections.abc import Callable
from typing import Any

from whywrong.declare import Exercise, Fault, Question
from whywrong.judge import judge

__all__ = ["problems_of", "refused_solution"]


def problems_of(task: Exercise | Question) -> list[str]:
    """Return what is wrong with a declared exercise, a sentence each; nothing if all is well.

    Parameters
    ----------
    task : Exercise or Question
        As it is declared.
    """
    problems = refused_solution(task)
    return problems + _of_faults(task) if isinstance(task, Exercise) else problems


def refused_solution(task: Exercise | Question) -> list[str]:
    """Return what the solution is told if it is refused.

    Parameters
    ----------
    task : Exercise or Question
        As it is declared, or with other inputs.
    """
    answer = task.solution
    if isinstance(task, Exercise):
        # As a learner would have it: the solution itself is taken for the course's own function.
        answer = task.made_of(task.source, task.name)
    result = judge(task, answer)
    return [] if result.passed else [f"the solution is refused: {result.message}"]


def _of_faults(exercise: Exercise) -> list[str]:
    problems, told_by = [], dict[str, str]()
    for known in exercise.faults:
        result = judge(exercise, _as_plain_function(exercise, known))
        if result.passed:
            problems.append(
                f"the fault {known.id!r} passes: no input shows the difference"
            )
        elif result.faults != (known.id,):
            told = ", ".join(result.faults) or result.status
            problems.append(
                f"the fault {known.id!r} is taken for {told}: {result.message}"
            )
        elif result.message in told_by:
            problems.append(
                f"the fault {known.id!r} is told the sentence of {told_by[result.message]!r}"
            )
        told_by.setdefault(result.message, known.id)
    return problems


def _as_plain_function(exercise: Exercise, known: Fault) -> Callable[..., Any]:
    wrong = exercise.wrong_version(known)
    return lambda *args: wrong(*args)
