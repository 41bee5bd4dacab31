"""Lines to put in order: those of a solution, and some that its known mistakes put in their place.

All of it is made when the book is built: the page needs no Python to judge an order.
"""

import dataclasses
import difflib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

from book._parts.parsons.lines import (
    Line,
    Need,
    in_order,
    lines_of,
    needs_of,
    written,
)
from whywrong.calls import guarded_randomness, one_thread, plain_torch
from whywrong.declare import Exercise
from whywrong.faults import Fault
from whywrong.judge import judge
from whywrong.patches import BadDeclaration
from whywrong.running import Trial, run_trial

__all__ = ["Parsons", "WrongLine", "passes", "parsons_of"]

# Fewer lines are no order to find, and more wrong ones are a burden.
_FEWEST = 3
_MOST_WRONG = 3


@dataclass(frozen=True)
class WrongLine:
    """A line that does not belong into the answer.

    Parameters
    ----------
    line : Line
        The line; its number is that of the right line in whose place it would stand.
    fault : str
        The id of the known mistake that it makes.
    says : str
        What a good tutor says about it.
    """

    line: Line
    fault: str
    says: str


@dataclass(frozen=True)
class Parsons:
    """A Parsons problem: lines to choose and to put in order.

    Parameters
    ----------
    lines : tuple of Line
        Those of the solution, in its order.
    needs : tuple of Need
        Which must come before which; any order that keeps these is right.
    wrong : tuple of WrongLine
        Lines that have to be left out.
    """

    lines: tuple[Line, ...]
    needs: tuple[Need, ...]
    wrong: tuple[WrongLine, ...]

    def as_data(self, name: str) -> dict[str, Any]:
        """Return it as the page reads it, the lines shuffled in the same way at each build."""
        first = len(self.lines)
        wrong = [
            _line_data(known.line, number)
            | {
                "instead": known.line.number,
                "fault": known.fault,
                "says": known.says,
            }
            for number, known in enumerate(self.wrong, first)
        ]
        movable = [line.number for line in self.lines if not line.fixed]
        return {
            "lines": [_line_data(line, line.number) for line in self.lines],
            "wrong": wrong,
            "before": [dataclasses.asdict(need) for need in self.needs],
            "pool": self._shuffled([*movable, *(one["id"] for one in wrong)], name),
        }

    def _shuffled(self, ids: list[int], name: str) -> list[int]:
        """Return the ids in an order that is not right from the start."""
        for salt in range(100):
            mixed = sorted(ids, key=partial(_hash, f"{name} {salt}"))
            if any(mixed.index(n.first) > mixed.index(n.then) for n in self.needs):
                return mixed
        return ids[::-1]


def _hash(salt: str, number: int) -> str:
    return hashlib.sha256(f"{salt} {number}".encode()).hexdigest()


def _line_data(line: Line, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "text": line.text,
        "indent": line.indent,
        "parent": line.parent,
        "fixed": line.fixed,
    }


def parsons_of(exercise: Exercise) -> Parsons | None:
    """Make the Parsons problem of an exercise; None where its solution has too few lines.

    Raises
    ------
    BadDeclaration
        If the solution has two equal lines, or no known mistake of its own changes one line alone.
    """
    lines = lines_of(exercise.source)
    if sum(not line.fixed for line in lines) < _FEWEST:
        return None
    if len({(line.text, line.indent, line.parent) for line in lines}) < len(lines):
        raise BadDeclaration(
            f"{exercise.solution.__module__}: two lines of {exercise.name!r} are equal"
        )
    needs = in_order(
        lines, needs_of(lines), lambda order: passes(exercise, written(order))
    )
    wrong = _wrong_lines(exercise, lines)
    if not wrong:
        raise BadDeclaration(
            f"{exercise.solution.__module__}: no fault of {exercise.name!r} changes one line alone"
        )
    return Parsons(lines, needs, wrong)


def passes(exercise: Exercise, source: str) -> bool:
    """Whether another source of the solution is right."""
    if _tried(exercise, source) is not None:
        return False
    version = exercise.made_of(source, f"{exercise.name}: in another order")
    return judge(exercise, lambda *args: version(*args)).passed


def _tried(exercise: Exercise, source: str) -> Trial | None:
    """Run another source of the solution; None if all its numbers are right."""
    version = exercise.made_of(source, f"{exercise.name}: other lines")
    with guarded_randomness(), one_thread(), plain_torch():
        trial = run_trial(exercise, lambda *args: version(*args))
        silent = any(o.error is None and o.value is None for o in trial.outcomes)
        return trial if silent or trial.wrong or trial.crashed else None


# --- wrong lines ----------------------------------------------------------------------------------


def _wrong_lines(
    exercise: Exercise, lines: Sequence[Line]
) -> tuple[WrongLine, ...]:
    """Choose wrong lines that look right, each for another line if there are enough."""
    found = list(_candidates(exercise, lines))
    if exercise.wrong_lines:
        by_fault = {one.fault: one for one in found}
        if missing := [id for id in exercise.wrong_lines if id not in by_fault]:
            raise BadDeclaration(
                f"{exercise.solution.__module__}: wrong_lines={missing} of {exercise.name!r} are "
                "no faults that change one line alone"
            )
        return tuple(by_fault[id] for id in exercise.wrong_lines)
    found.sort(key=lambda one: _looks_right(one, lines), reverse=True)
    chosen: list[WrongLine] = []
    for again in (False, True):
        for one in found:
            taken = {known.line.number for known in chosen}
            fits = one not in chosen and (again or one.line.number not in taken)
            if fits and len(chosen) < _MOST_WRONG:
                if not _right_together(exercise, lines, [*chosen, one]):
                    chosen.append(one)
    return tuple(chosen)


def _looks_right(wrong: WrongLine, lines: Sequence[Line]) -> float:
    """Tell how like the right line it is; a sentence about a case that nobody sees counts less."""
    right = lines[wrong.line.number].text
    alike = difflib.SequenceMatcher(
        None, right, wrong.line.text, autojunk=False
    ).ratio()
    return alike - 0.1 * (" here" in wrong.says) - 0.1 * ("our row" in wrong.says)


def _candidates(exercise: Exercise, lines: Sequence[Line]) -> Iterator[WrongLine]:
    known = {line.text for line in lines}
    for fault in exercise.faults:
        line = _changed_line(exercise, fault, lines)
        if line is None or line.text in known:
            continue
        known.add(line.text)
        trial = _tried(exercise, exercise.wrong_source(fault))
        if trial and trial.wrong:
            with guarded_randomness(), one_thread(), plain_torch():
                says = _without_rows(fault).sentence(trial.context(trial.wrong[0]))
            yield WrongLine(line, fault.id, " ".join(says.split()))


def _without_rows(fault: Fault) -> Fault:
    """Return a mistake whose sentence leaves out the worst row: of which case it is, none sees."""
    if not isinstance(fault.message, str):
        return fault
    return dataclasses.replace(
        fault, message=fault.message.replace("{worst_row}", "")
    )


def _changed_line(
    exercise: Exercise, fault: Fault, lines: Sequence[Line]
) -> Line | None:
    """Return the one line that a mistake changes; None if it changes more, or the lines' number."""
    if callable(fault.does):
        return None
    try:
        others = lines_of(exercise.wrong_source(fault))
    except ValueError:
        return None
    if len(others) != len(lines):
        return None
    changed = [
        other for line, other in zip(lines, others, strict=True) if line != other
    ]
    if len(changed) != 1 or changed[0].fixed:
        return None
    place = lines[changed[0].number]
    same = (place.indent, place.parent) == (changed[0].indent, changed[0].parent)
    return changed[0] if same and place.is_head == changed[0].is_head else None


def _right_together(
    exercise: Exercise, lines: Sequence[Line], wrong: Sequence[WrongLine]
) -> bool:
    """Whether the last of some wrong lines is right with others of them, which undo it."""
    *others, last = [known.line for known in wrong]
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            put = {line.number: line for line in (*chosen, last)}
            if len(put) == size + 1 and passes(
                exercise, written(put.get(line.number, line) for line in lines)
            ):
                return True
    return False
