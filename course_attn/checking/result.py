"""What `check` returns: a verdict that reads well in a terminal, a notebook and a built page."""

import re
from dataclasses import dataclass
from html import escape

__all__ = ["NotRight", "Result", "card", "rich_text"]

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

    Parameters
    ----------
    status : str
        ``"right"``, ``"wrong"``, ``"crashed"`` or ``"todo"``.
    message : str
        What to say to the learner.
    name : str
        The exercise.
    faults : tuple of str
        The ids of the mistakes that were recognized.
    printed : str
        What the learner's function printed.
    remarks : tuple of str
        Notes that do not change the verdict.
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
        lines = [
            f"{symbol} {word}: {self.name}" if self.name else f"{symbol} {word}"
        ]
        lines += [self.message] if self.message else []
        lines += [f"Note: {remark}" for remark in self.remarks]
        if self.printed:
            lines.append(f"Your function printed:\n{_shortened(self.printed)}")
        return "\n".join(lines)

    def _ipython_display_(self) -> None:
        """Display the verdict; as a cell's result, nbgrader would read a partial grade from it."""
        from IPython.display import display

        display(
            {"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True
        )

    def _repr_html_(self) -> str:
        symbol, word, color = _HEADINGS[self.status]
        name = f": <code>{escape(self.name)}</code>" if self.name else ""
        heading = f'<strong><span aria-hidden="true">{symbol}</span> {word}</strong>{name}'
        parts = [rich_text(self.message)]
        parts += [
            f"<p style='margin:.4em 0'>Note: {_inline(remark)}</p>"
            for remark in self.remarks
        ]
        if self.printed:
            parts.append(_folded("Your function printed", self.printed))
        return card(heading, "".join(parts), color)


def card(heading: str, body: str, color: str = "#6e7781") -> str:
    """Return an HTML card that is legible on light and dark pages; both texts are HTML."""
    style = (
        f"border-left:.35em solid {color};padding:.4em .9em;margin:.4em 0;"
        "background:transparent;color:inherit;line-height:1.45"
    )
    return f'<div role="status" style="{style}"><div>{heading}</div>{body}</div>'


def rich_text(text: str) -> str:
    """Return a message as HTML: paragraphs, indented blocks as code, `` `code` `` in line."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    return "".join(_block(block) for block in blocks)


def _block(text: str) -> str:
    if all(line.startswith("    ") for line in text.splitlines()):
        lines = "\n".join(line[4:] for line in text.splitlines())
        return f"<pre style='{_PRE}'>{escape(lines)}</pre>"
    return f"<p style='margin:.4em 0'>{_inline(text)}</p>"


def _inline(text: str) -> str:
    marked = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))
    return marked.replace("\n", "<br>")


def _folded(summary: str, text: str) -> str:
    shown = escape(_shortened(text))
    return f"<details><summary>{summary}</summary><pre style='{_PRE}'>{shown}</pre></details>"


def _shortened(text: str) -> str:
    if len(text) <= _MOST_PRINTED:
        return text.rstrip("\n")
    return (
        text[:_MOST_PRINTED]
        + f"\n… and {len(text) - _MOST_PRINTED} characters more"
    )


_PRE = "margin:.4em 0;padding:0 0 0 1.5em;background:transparent;color:inherit;white-space:pre-wrap"
