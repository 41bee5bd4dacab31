"""Hints and solutions, shown when they are asked for."""

from dataclasses import dataclass

from course_attn.checking.declare import Exercise, Question
from course_attn.checking.result import card, rich_text
from course_attn.source import Source, show_source

__all__ = ["Hints", "show_hints", "show_solution"]

_asked: dict[str, int] = {}


@dataclass(frozen=True, repr=False)
class Hints:
    """The hints of one exercise that have been asked for so far.

    Parameters
    ----------
    name : str
        The exercise.
    shown : tuple of str
        The hints, from the first on.
    total : int
        How many there are.
    """

    name: str
    shown: tuple[str, ...]
    total: int

    def __repr__(self) -> str:
        """Give the hints as plain text."""
        lines = [
            f"Hint {i} of {self.total}: {hint}"
            for i, hint in enumerate(self.shown, 1)
        ]
        return "\n".join([*lines, self._next().replace("`", "")])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{rich_text(hint)}</li>" for hint in self.shown)
        heading = f"<strong>Hints for <code>{self.name}</code></strong>"
        return card(
            heading,
            f"<ol style='margin:.4em 0'>{items}</ol>{rich_text(self._next())}",
        )

    def _next(self) -> str:
        if len(self.shown) < self.total:
            return f'Call `hint("{self.name}")` again for the next one.'
        return f'That was the last one. `solution("{self.name}")` shows a solution.'


def show_hints(task: Exercise | Question) -> Hints:
    """Return one hint more than the last time."""
    _asked[task.name] = min(_asked.get(task.name, 0) + 1, len(task.hints))
    return Hints(task.name, task.hints[: _asked[task.name]], len(task.hints))


def show_solution(task: Exercise | Question) -> Source:
    """Return the source of the reference, which a notebook shows highlighted."""
    return show_source(task.solution)
