"""What is done, by chapter: a table and a bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from course_attn.checking.result import rich_text

__all__ = ["Overview"]

_WIDTH = 20


@dataclass(frozen=True, repr=False)
class Overview:
    """The progress of a learner.

    Parameters
    ----------
    chapters : mapping
        The exercises of each chapter.
    passed : mapping
        The passed exercises and when they were first passed.
    message : str, optional
        What went wrong with reading them.
    """

    chapters: Mapping[str, Sequence[str]]
    passed: Mapping[str, str]
    message: str | None = None

    @property
    def done(self) -> int:
        """How many exercises are passed."""
        return sum(
            name in self.passed
            for names in self.chapters.values()
            for name in names
        )

    @property
    def total(self) -> int:
        """How many exercises there are."""
        return sum(map(len, self.chapters.values()))

    def __repr__(self) -> str:
        """Give the table as plain text."""
        lines = [
            self._line(chapter, names) for chapter, names in self.chapters.items()
        ]
        lines.append(f"{self.done} of {self.total} exercises done.")
        return "\n".join(
            lines + ([self.message.replace("`", "")] if self.message else [])
        )

    def _line(self, chapter: str, names: Sequence[str]) -> str:
        done = [name in self.passed for name in names]
        filled = round(_WIDTH * sum(done) / max(len(done), 1))
        bar = "█" * filled + "░" * (_WIDTH - filled)
        marks = "  ".join(
            f"{'✓' if yes else '·'} {name}"
            for yes, name in zip(done, names, strict=True)
        )
        return f"{chapter:<14} {bar} {sum(done)}/{len(done)}  {marks}"

    def _repr_html_(self) -> str:
        rows = "".join(
            self._row(chapter, names) for chapter, names in self.chapters.items()
        )
        head = "".join(
            f"<th scope='col' style='{_CELL}'>{title}</th>" for title in _TITLES
        )
        caption = f"<caption>{self.done} of {self.total} exercises done</caption>"
        note = rich_text(self.message) if self.message else ""
        body = f"{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        return f"<table style='color:inherit'>{body}</table>{note}"

    def _row(self, chapter: str, names: Sequence[str]) -> str:
        done = sum(name in self.passed for name in names)
        label = f"{escape(chapter)}: {done} of {len(names)}"
        bar = f"<progress value='{done}' max='{len(names)}' aria-label='{label}'></progress>"
        marks = " ".join(self._mark(name) for name in names)
        cells = (f"{bar} {done}/{len(names)}", marks)
        shown = "".join(f"<td style='{_CELL}'>{cell}</td>" for cell in cells)
        return f"<tr><th scope='row' style='{_CELL}'>{escape(chapter)}</th>{shown}</tr>"

    def _mark(self, name: str) -> str:
        symbol, word = ("✓", "done") if name in self.passed else ("○", "open")
        sign = f"<span role='img' aria-label='{word}'>{symbol}</span>"
        return f"<span style='white-space:nowrap'>{sign} <code>{escape(name)}</code></span>"


_TITLES = ("Chapter", "Done", "Exercises")
_CELL = "text-align:left;color:inherit;background:transparent"
