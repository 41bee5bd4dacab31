"""Try a declaration before learners do: the solution is right, each known mistake is refused."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from whywrong.declare import Exercise, Question
from whywrong.faults import Fault
from whywrong.judge import judge
from whywrong.question import Letters

__all__ = ["problems_of", "refused_solution"]

# A wrong number or row that looks like the right one, as it is rounded in the sentence.
_SAME = re.compile(r"(?:is|have) (\[.*?\]|[-.\d]+)[;,] \1 is right")


def problems_of(task: Exercise | Question) -> list[str]:
    """Return what is wrong with a declared exercise, a sentence each; nothing if all is well."""
    problems = refused_solution(task) + _of_texts(task)
    return problems + _of_faults(task) if isinstance(task, Exercise) else problems


def refused_solution(task: Exercise | Question) -> list[str]:
    """Return what the solution is told if it is refused."""
    answer = task.solution
    if isinstance(task, Exercise):
        # As a learner would have it: the solution itself is taken for the course's own function.
        answer = task.made_of(task.source, task.name)
    result = judge(task, answer)
    return [] if result.passed else [f"the solution is refused: {result.message}"]


def _of_texts(task: Exercise | Question) -> list[str]:
    """Return what is wrong with the texts that a learner reads, and with the names of reasons."""
    problems = []
    # How letters and numbers are returned, the notebook says by itself.
    is_form = isinstance(task, Question) and (
        task.fields or isinstance(task.read, Letters)
    )
    if task.name not in task.task and not is_form:
        problems.append(f"the task does not name the function: `{task.name}`")
    if len(set(task.hints)) != 3:
        problems.append("three different hints are needed")
    problems += [
        f"the hint {hint!r} must end in a question mark or a full stop"
        for hint in task.hints
        if not hint.endswith(("?", "."))
    ]
    if isinstance(task, Question):
        counts = Counter(reason.id for reason in task.reasons)
        problems += [
            f"two reasons are called {id!r}" for id in counts if counts[id] > 1
        ]
    return problems + [
        f"the sentence {text!r} has a formula, which would be shown raw"
        for text in _sentences(task)
        if isinstance(text, str) and "$" in text
    ]


def _sentences(task: Exercise | Question) -> list[object]:
    """Return what a learner may be told, as far as it is no function."""
    if isinstance(task, Question):
        return [reason.message for reason in task.reasons]
    said: list[object] = [known.message for known in task.faults]
    return said + [kind.advice for kind in task.kinds.values()]


def _of_faults(exercise: Exercise) -> list[str]:
    problems, told_by = [], dict[str, str]()
    for known in exercise.faults:
        result, said = judge(exercise, _as_plain_function(exercise, known)), None
        told = ", ".join(result.faults) or result.status
        if result.passed:
            said = "passes: no input shows the difference"
        elif (result.status, result.faults) != ("wrong", (known.id,)):
            said = f"is taken for {told}: {result.message}"
        elif result.message in told_by:
            said = f"is told the sentence of {told_by[result.message]!r}"
        elif _SAME.search(result.message):
            said = f"is told that what it has is right: {result.message}"
        problems += [f"the fault {known.id!r} {said}"] if said else []
        told_by.setdefault(result.message, known.id)
    return problems


def _as_plain_function(exercise: Exercise, known: Fault) -> Callable[..., Any]:
    wrong = exercise.wrong_version(known)
    return lambda *args: wrong(*args)
