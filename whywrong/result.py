"""What a learner sees: verdicts, hints and progress, as text and in a notebook."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from whywrong.declare import Exercise, Question
from whywrong.picture import picture

__all__ = ["Hints", "NotRight", "Overview", "Result", "card", "rich_text"]
__all__ += ["show_hints"]

_HEADINGS = {
    "right": ("✓", "Right", "#1a7f37"),
    "wrong": ("✗", "Not yet", "#bf5a00"),
    "crashed": ("⚠", "Stopped by an error", "#c4314b"),
    "todo": ("○", "Not attempted yet", "#6e7781"),
}
_MOST_PRINTED = 4000


class NotRight(Exception):
    """Raised in strict mode by every answer that is not right."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the verdict without the engine's own lines."""
        return [f"NotRight: {self}"]


@dataclass(frozen=True, repr=False)
class Result:
    """The verdict on one exercise.

    status: ``"right"``, ``"wrong"``, ``"crashed"`` or ``"todo"``.
    message: what to say to the learner.
    name: the exercise.
    faults: the ids of the mistakes that were recognized.
    printed: what the learner's function printed.
    remarks: notes that do not change the verdict.
    """

    status: str
    message: str
    name: str = ""
    faults: tuple[str, ...] = ()
    printed: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "right"

    def __repr__(self) -> str:
        """Give the verdict as plain text."""
        symbol, word, _ = _HEADINGS[self.status]
        name = f": {self.name}" if self.name else ""
        lines = [f"{symbol} {word}{name}", self.message]
        lines += [f"Note: {remark}" for remark in self.remarks]
        if self.printed:
            lines.append(f"Your function printed:\n{_shortened(self.printed)}")
        return "\n".join(filter(None, lines))

    def _ipython_display_(self) -> None:
        """Display the verdict; as a cell's result, nbgrader would read a partial grade from it."""
        from IPython.display import display

        shown = {"text/plain": repr(self), "text/html": self._repr_html_()}
        display(shown, raw=True)

    def _repr_html_(self) -> str:
        symbol, word, color = _HEADINGS[self.status]
        name = f": <code>{escape(self.name)}</code>" if self.name else ""
        heading = f'<strong><span aria-hidden="true">{symbol}</span> {word}</strong>{name}'
        notes = (f"<p {_P}>Note: {_inline(remark)}</p>" for remark in self.remarks)
        body = rich_text(self.message) + "".join(notes)
        if self.printed:
            shown = f"<pre {_PRE}>{escape(_shortened(self.printed))}</pre>"
            summary = "<summary>Your function printed</summary>"
            body += f"<details>{summary}{shown}</details>"
        return card(heading, body, color)


_P = "style='margin:.4em 0'"
_PRE = (
    "style='margin:.4em 0;padding:0 0 0 1.5em;background:transparent;color:inherit;"
    "white-space:pre-wrap'"
)


def card(heading: str, body: str, color: str = "#6e7781") -> str:
    """Return an HTML card that is legible on light and dark pages; both texts are HTML."""
    style = (
        f"border-left:.35em solid {color};padding:.4em .9em;margin:.4em 0;"
        "background:transparent;color:inherit;line-height:1.45"
    )
    return f'<div role="status" style="{style}"><div>{heading}</div>{body}</div>'


def rich_text(text: str) -> str:
    """Return a message as HTML: paragraphs, indented blocks as code, `` `code` `` in line."""
    blocks = (block for block in text.split("\n\n") if block.strip())
    return "".join(map(_block, blocks))


def _block(text: str) -> str:
    lines = text.splitlines()
    if all(line.startswith("    ") for line in lines):
        code = "\n".join(line[4:] for line in lines)
        return f"<pre {_PRE}>{escape(code)}</pre>"
    return f"<p {_P}>{_inline(text)}</p>"


def _inline(text: str) -> str:
    parts = re.split(r"`([^`\n]+)`", escape(text))
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    emphasis = re.compile(r"\*(\w[^*\n]*)\*")
    parts[::2] = [emphasis.sub(r"<em>\1</em>", words) for words in parts[::2]]
    return "".join(parts).replace("\n", "<br>")


def _shortened(text: str) -> str:
    # A lone surrogate cannot be shown.
    text = text.encode("utf-8", "replace").decode()
    more = len(text) - _MOST_PRINTED
    if more <= 0:
        return text.rstrip("\n")
    return f"{text[:_MOST_PRINTED]}\n… and {more} characters more"


_asked: dict[str, int] = {}


@dataclass(frozen=True, repr=False)
class Hints:
    """The hints of one exercise that have been asked for so far.

    name: the exercise.
    shown: the hints, from the first on.
    total: how many there are.
    leads_to_solution: whether the last one names `solution`.
    """

    name: str
    shown: tuple[str, ...]
    total: int
    leads_to_solution: bool = True

    def __repr__(self) -> str:
        """Give the hints as plain text."""
        numbered = enumerate(self.shown, 1)
        lines = [f"Hint {i} of {self.total}: {hint}" for i, hint in numbered]
        return "\n".join([*lines, self._next().replace("`", "")])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{rich_text(hint)}</li>" for hint in self.shown)
        heading = f"<strong>Hints for <code>{self.name}</code></strong>"
        return card(heading, f"<ol {_P}>{items}</ol>{rich_text(self._next())}")

    def _next(self) -> str:
        if len(self.shown) < self.total:
            return f'Call `hint("{self.name}")` again for the next one.'
        solution = f' `solution("{self.name}")` shows a solution.'
        return f"That was the last one.{solution * self.leads_to_solution}"


def show_hints(
    task: Exercise | Question, *, leads_to_solution: bool = True
) -> Hints:
    """Return one hint more than the last time."""
    _asked[task.name] = min(_asked.get(task.name, 0) + 1, len(task.hints))
    shown = task.hints[: _asked[task.name]]
    return Hints(task.name, shown, len(task.hints), leads_to_solution)


_WIDTH = 20
_CELL = "style='text-align:left;color:inherit;background:transparent'"


@dataclass(frozen=True, repr=False)
class Overview:
    """The progress of a learner, as a picture and a table.

    chapters: the exercises of each chapter.
    passed: the passed exercises and when they were first passed.
    message: what went wrong with reading them.
    """

    chapters: Mapping[str, Sequence[str]]
    passed: Mapping[str, str]
    message: str | None = None

    @property
    def done(self) -> int:
        """How many exercises are passed."""
        return sum(map(self._done, self.chapters.values()))

    @property
    def total(self) -> int:
        """How many exercises there are."""
        return sum(map(len, self.chapters.values()))

    def _done(self, names: Sequence[str]) -> int:
        return sum(name in self.passed for name in names)

    @property
    def _said(self) -> str:
        return f"{self.done} of {self.total} exercises done"

    def __repr__(self) -> str:
        """Give the table as plain text."""
        lines = [self._line(*row) for row in self.chapters.items()]
        trouble = (self.message or "").replace("`", "")
        return "\n".join(filter(None, [*lines, f"{self._said}.", trouble]))

    def _line(self, chapter: str, names: Sequence[str]) -> str:
        done = self._done(names)
        filled = round(_WIDTH * done / max(len(names), 1))
        bar = "█" * filled + "░" * (_WIDTH - filled)
        marks = "  ".join(f"{'·✓'[name in self.passed]} {name}" for name in names)
        return f"{chapter:<14} {bar} {done}/{len(names)}  {marks}"

    def _repr_html_(self) -> str:
        rows = "".join(self._row(*row) for row in self.chapters.items())
        titles = ("Chapter", "Done", "Exercises")
        head = "".join(f"<th scope='col' {_CELL}>{title}</th>" for title in titles)
        table = (
            f"<table style='color:inherit'><caption>{self._said}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )
        return (
            f"<div>{picture(self.chapters, self.passed)}"
            f"<details><summary>{self._said}, as a table</summary>{table}</details>"
            f"{rich_text(self.message or '')}</div>"
        )

    def _row(self, chapter: str, names: Sequence[str]) -> str:
        done, of, title = self._done(names), len(names), escape(chapter)
        label = f"aria-label='{title}: {done} of {of}'"
        bar = f"<progress value='{done}' max='{of}' {label}></progress>"
        cells = (f"{bar} {done}/{of}", " ".join(map(self._mark, names)))
        shown = "".join(f"<td {_CELL}>{cell}</td>" for cell in cells)
        return f"<tr><th scope='row' {_CELL}>{title}</th>{shown}</tr>"

    def _mark(self, name: str) -> str:
        symbol, word = ("✓", "done") if name in self.passed else ("○", "open")
        sign = f"<span role='img' aria-label='{word}'>{symbol}</span>"
        return f"<span style='white-space:nowrap'>{sign} <code>{escape(name)}</code></span>"
