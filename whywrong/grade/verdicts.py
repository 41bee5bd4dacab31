"""The verdict on an untrusted answer, from two checks.

The answer's own process runs the check that its author knows: it finds built-ins and explains
mistakes, and can take the point away. It cannot give it: for that, the judge calls the answer
from outside, with the exercise's inputs and with others, in an order that nobody can foresee.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whywrong.declare import Case, Exercise, Question
from whywrong.grade.launch import Launcher
from whywrong.grade.proxy import Answer, ProcessEnded
from whywrong.grade.results import plain_text
from whywrong.grade.wire import Packer
from whywrong.inputs import with_other_inputs
from whywrong.judge import judge
from whywrong.limits import TimesUp
from whywrong.result import Result

__all__ = [
    "PATIENCE",
    "Code",
    "Grader",
    "has_other_inputs",
    "judge_outside",
    "with_fresh_cases",
]

_STATUSES = ("right", "wrong", "crashed", "todo")
_ID = re.compile(r"[\w.-]{1,80}")
_MOST_SAID = 10_000
# The check inside has kept the time of each call. Here only that of the whole answer counts: what
# the judge and the answer wait for each other on a busy machine is nobody's fault.
_NO_HURRY = 3600.0
# The bytes that the arrays of a result may have; a right answer needs a few kilobytes.
_MOST_RETURNED = 16 << 20
# How many times its seconds an answer gets that was late although the check inside had passed.
PATIENCE = 5


@dataclass(frozen=True)
class Code:
    """What was handed in, as it is run."""

    cells: tuple[tuple[int, str], ...]  # but those of checks, with their numbers


class Grader:
    """Judges the answers of one submission after the other."""

    def __init__(
        self,
        launcher: Launcher,
        find: Callable[[str], Exercise | Question],
        seed: str,
        seconds: float,
    ) -> None:
        self._launcher, self._find = launcher, find
        self._seed, self._seconds = seed, seconds
        self._fresh: dict[str, Exercise | Question] = {}
        self._names: Sequence[str] = ()
        self._torch = False
        self.version = ""

    def results(self, code: Code, names: Sequence[str]) -> dict[str, Result]:
        """Return the verdict on each exercise; raise `CannotStart` if nothing runs here."""
        self._names, self._torch = names, False
        try:
            return self._each_result(code, names)
        finally:
            self._launcher.finish()

    def _each_result(self, code: Code, names: Sequence[str]) -> dict[str, Result]:
        found, hung, has_credit = {}, set[int](), True
        for name in names:
            left = Code(tuple(cell for cell in code.cells if cell[0] not in hung))
            result, is_late = self._result(left, name, hung, self._seconds)
            # It was right so far: the machine may have been busy.
            if is_late and has_credit:
                longer = PATIENCE * self._seconds
                result, is_late = self._result(left, name, hung, longer)
                has_credit = not is_late
            found[name] = replace(
                result,
                message=_text(result.message),
                printed=_text(result.printed),
                remarks=tuple(map(_text, result.remarks)),
            )
        return found

    def _needs_torch(self) -> bool:
        """Return whether an exercise needs PyTorch, or a cell has been seen to load it."""
        asked = map(self._find, self._names)
        return self._torch or any(one.library == "torch" for one in asked)

    def _result(
        self, code: Code, name: str, hung: set[int], seconds: float
    ) -> tuple[Result, bool]:
        """Return a verdict, and whether time was up for an answer that had passed so far."""
        task = self._find(name)
        if name not in self._fresh:
            self._fresh[name] = with_fresh_cases(task, self._seed)
        running = self._launcher.start(torch=self._needs_torch())
        self.version = running.version
        answer = Answer(running, seconds)
        begun: list[int] = []
        failed: dict[int, str] | None = None
        try:
            failed = answer.cells(code.cells, begun.append)
            result = _judge_answer(task, self._fresh[name], answer, failed)
        except (ProcessEnded, TimesUp) as problem:
            why = answer.ended or str(problem)
            if failed is None and begun:  # other answers do without this cell
                hung.add(begun[-1])
                why = f"{why} It was running cell {begun[-1]}."
            result = Result("crashed", why, name, ("ended",))
        finally:
            self._torch = self._torch or answer.has_torch
            how = self._launcher.end(gone=bool(answer.ended))
        if "ended" in result.faults and how:
            where = f" in cell {begun[-1]}" if failed is None and begun else ""
            gone = f"The Python in which this ran is gone{where}: {how}."
            result = replace(result, message=gone)
        return result, answer.is_late and answer.passed_inside


def _judge_answer(
    task: Exercise | Question,
    fresh: Exercise | Question,
    answer: Answer,
    failed: dict[int, str],
) -> Result:
    seen = answer.look(task.name)
    if seen.get("found") is not True:
        return _missing_result(task, failed)
    inside = _tutor_result(task, answer)
    if not inside.passed:
        return inside
    answer.passed_inside, answer.most_bytes = True, _MOST_RETURNED
    outside = judge_outside(fresh, answer, seen)
    if outside.passed:
        return inside
    note = "It is right for the inputs of the notebook's own check, but not for others."
    return replace(
        outside, remarks=(*outside.remarks, note), printed=inside.printed
    )


def _missing_result(task: Exercise | Question, failed: dict[int, str]) -> Result:
    said = f"Nothing of what was handed in defines `{task.name}`."
    cells = [f"Cell {number} {how}." for number, how in sorted(failed.items())]
    return Result(
        "crashed" if cells else "todo",
        " ".join([said, *cells]),
        task.name,
        ("missing",),
    )


def _tutor_result(task: Exercise | Question, answer: Answer) -> Result:
    """Return what the check in the answer's process says, as far as it is a verdict at all."""
    said = answer.tutor(task.name)
    status = said.get("status")
    if status not in _STATUSES:
        why = str(said.get("failed", "it says nothing"))[:_MOST_SAID]
        return Result(
            "crashed",
            f"The check could not be run: {why}",
            task.name,
            ("no-check",),
        )
    return Result(
        status,
        _text(said.get("message")),
        task.name,
        tuple(id for id in _texts(said.get("faults")) if _ID.fullmatch(id)),
        _text(said.get("printed")),
        _texts(said.get("remarks")),
    )


def _text(value: Any) -> str:
    return (
        plain_text(value[:_MOST_SAID], lines=True) if isinstance(value, str) else ""
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, value[:20])) if isinstance(value, list) else ()


# --- from outside ---------------------------------------------------------------------------------


def judge_outside(
    task: Exercise | Question, answer: Answer, seen: dict[str, Any]
) -> Result:
    """Return the verdict by values alone, on an exercise of `with_fresh_cases`."""
    if seen.get("callable") is not True:
        said = f"`{task.name}` is not a function."
        return Result("wrong", said, task.name, ("not-callable",))
    torch = task.library == "torch"
    # Modules live where they were made: there they get their parameters.
    used = torch and isinstance(task, Exercise) and task.use is not None
    parameters, seconds = seen.get("parameters"), task.seconds
    function = answer.function(
        task.name, parameters, seconds=seconds, used=used, torch=torch
    )
    try:
        result = judge(task, function, watched=False)
    except Exception as error:
        if answer.ended:
            raise ProcessEnded(answer.ended) from None
        said = f"It could not be judged ({type(error).__name__}: {error}"[
            :_MOST_SAID
        ]
        return Result("crashed", f"{said}).", task.name, ("no-verdict",))
    if answer.ended and "endless" not in result.faults:
        raise ProcessEnded(answer.ended)
    return result


def with_fresh_cases(task: Exercise | Question, seed: str) -> Exercise | Question:
    """Return an exercise with its own cases and others like them, shuffled."""
    if isinstance(task, Question):
        return task
    other = with_other_inputs(task, seed)
    assert isinstance(other, Exercise)
    cases = [*task.cases(), *other.cases()]
    order = np.random.default_rng([*hashlib.sha256(seed.encode()).digest(), 1])
    shuffled = tuple(cases[i] for i in order.permutation(len(cases)))
    return replace(
        task,
        cases=lambda: shuffled,
        use=_remote_use(task),
        seconds=_NO_HURRY,
    )


def has_other_inputs(task: Exercise | Question) -> bool:
    """Return whether a seed makes inputs for an exercise that no table of results can know.

    A question has them: it asks for what is true, and not for values.
    """
    if isinstance(task, Question) or task.drawn is not None:
        return True
    other = with_other_inputs(task, "")
    assert isinstance(other, Exercise)
    return [*map(_case_key, task.cases())] != [*map(_case_key, other.cases())]


def _case_key(case: Case) -> list[Any]:
    """Return what tells the inputs of a case from others."""
    packer = Packer(lambda function: 0)
    return [packer.pack(case.args), packer.blob]


def _remote_use(task: Exercise) -> Callable[..., Any] | None:
    """Return how a case is put to use where the answer's process does that itself."""
    use = task.use
    if use is None or task.library != "torch":
        return use

    def use_there(answer: Callable[..., Any], *args: Any) -> Any:
        is_there = getattr(answer, "is_elsewhere", False)
        return answer(*args) if is_there else use(answer, *args)

    return use_there
