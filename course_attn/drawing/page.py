"""What every widget shares in Python: the page that it is, and what is refused.

A widget is a function in `<name>.py` that checks its arguments (a `ValueError` names the one that
is not what its docstring says) and returns `widget(__file__, …)`: a `Widget`, shown as HTML where
a cell ends with it.
Its script is `<name>.js` beside it, which imports what it needs from `kit.js` and `twin.js` and
ends with `mount("<name>", build)`; `build(stage, data, say, said)` gets the data that the function
gave. An output carries `<name>.bundle.js`, which `make bundles` makes of it.
A style of its own, if it needs one, is `<name>.css`, in which every selector starts with
`.attn-live[data-widget="<name>"]`.
"""

import html
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.animation import MAX_BYTES
from course_attn.drawing.style import DARK_ROLES, INK, ROLES

__all__ = [
    "Widget",
    "checked_array",
    "checked_names",
    "checked_number",
    "plain_table",
    "widget",
]

FOLDER = Path(__file__).parent

# What to do, which ends a caption: it stands above the controls, and nowhere without them.
_TRY = re.compile(r"(?<!\S)(Try: .*)", re.S)

_PAGE = Template("""\
<figure class="$kind" data-widget="$name" aria-label="$alt">
<style>
$style
</style>
<div class="attn-plain">
$fallback
</div>
<figcaption>$caption</figcaption>
<script type="application/json">$data</script>
$script</figure>
""")


class Widget:
    """Numbers that a reader can change; a notebook shows them as HTML."""

    def __init__(self, page: str, name: str, caption: str) -> None:
        self._page, self._name, self._caption = page, name, caption

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        """Say in one line what can be changed."""
        return f"<{self._name}: {self._caption}>"


def widget(
    module: str | Path,
    data: dict[str, Any],
    *,
    fallback: str,
    alt: str,
    caption: str,
    on_request: bool = False,
) -> Widget:
    """Put a widget's data, style and script into one page that asks for nothing else.

    Parameters
    ----------
    module : str or Path
        Its module's file, ``__file__``: its script and its style lie beside it.
    data : dict
        What its script gets: anything that JSON can write; no NaN and no infinity.
    fallback : str
        HTML that shows the same without JavaScript and in print: a table (`plain_table`) or an
        SVG. It is not escaped.
    alt : str
        What there is to see and to do, for those who cannot see it.
    caption : str
        What it says. From "Try: " on it says what to do: the page shows that above the controls,
        and leaves it out where there are none (without JavaScript, on paper).
    on_request : bool
        Whether its script is not in the page, but beside those of the built book, to be loaded when
        a reader asks for it.

    Raises
    ------
    ValueError
        If alt or caption is empty, the data cannot be written as JSON, or the page is larger than
        400 kB.

    Examples
    --------
    >>> from course_attn.chapters.qkv.widgets import attention_lab
    >>> widget(attention_lab.__file__, {}, fallback="", alt="Tables.", caption="Three tokens.")
    <attention_lab: Three tokens.>
    """
    files = Path(module)
    name = files.stem
    for argument, text in (("alt", alt), ("caption", caption)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{argument} must say something, got {text!r}")
    written = json.dumps(
        data, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    page = _PAGE.substitute(
        name=name,
        kind="attn-live attn-loaded" if on_request else "attn-live",
        alt=html.escape(alt),
        caption=_TRY.sub(
            r'<span class="attn-todo">\1</span>', html.escape(caption)
        ),
        style=_style(files, on_request),
        fallback=fallback,
        data=written.replace("<", "\\u003c"),
        script="" if on_request else _script(files),
    )
    if (size := len(page.encode())) > MAX_BYTES:
        raise ValueError(f"{name} has {size} bytes, more than {MAX_BYTES}")
    return Widget(page, name, caption)


def _script(files: Path) -> str:
    """Return a widget's script as an output carries it."""
    text = files.with_suffix(".bundle.js").read_text("utf-8")
    return f"<script>\n{text}</script>\n"


def _style(files: Path, on_request: bool) -> str:
    """Return the style that all widgets share, and that of this one, with the roles' colors."""
    shared = ("live", "loaded") if on_request else ("live",)
    styles = [
        *(FOLDER / f"{name}.css" for name in shared),
        files.with_suffix(".css"),
    ]
    text = "".join(path.read_text("utf-8") for path in styles if path.exists())
    dark = {f"dark_{role}": color for role, color in DARK_ROLES.items()}
    return Template(text).substitute(ROLES, **dark, ink=INK).strip()


def plain_table(
    caption: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Iterable[Iterable[object]],
) -> str:
    """Return a table as HTML, for where a widget's script does not run; all text is escaped.

    Examples
    --------
    >>> plain_table("A", ["the"], ["1"], [[0.5]]).count("<td>")
    2
    """
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    body = "\n".join(
        f'<tr><th scope="row">{html.escape(name)}</th>'
        + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in line)
        + "</tr>"
        for name, line in zip(rows, cells, strict=True)
    )
    return (
        f"<table>\n<caption>{html.escape(caption)}</caption>\n"
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def checked_array(
    argument: str, given: ArrayLike, shape: Sequence[int | None], what: str
) -> np.ndarray:
    """Return an argument as an array of finite numbers after checking its shape.

    Parameters
    ----------
    argument : str
        Its name.
    given : array-like
        What was given.
    shape : sequence of int or None
        The shape that it must have; None where any length of at least 1 will do.
    what : str
        The shape in words: "(n_tokens, d_k)".

    Examples
    --------
    >>> checked_array("Q", [[1, 2]], (None, 2), "(n, 2)").tolist()
    [[1.0, 2.0]]
    """
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{argument} must be numbers of shape {what}, got {given!r}"
        ) from None
    fits = len(shape) == array.ndim and all(
        n == wanted or (wanted is None and n > 0)
        for n, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{argument} must have shape {what}, got {array.shape}")
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise ValueError(f"{argument} must have finite entries only, got {bad}")
    return array


def checked_names(
    argument: str, names: Sequence[str], needed: int, what: str
) -> list[str]:
    """Return names after checking that there is one for each; a str is not taken letter by letter.

    Examples
    --------
    >>> checked_names("tokens", ["the", "cat"], 2, "rows of Q")
    ['the', 'cat']
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{argument} must be a sequence of str, got {names!r}")
    if len(names) != needed:
        raise ValueError(
            f"{argument} must have length {needed}, for {needed} {what}, got {len(names)}"
        )
    return list(names)


def checked_number(argument: str, given: float, least: float, most: float) -> float:
    """Return a number after checking that it lies between two others.

    Examples
    --------
    >>> checked_number("temperature", 1, 0.1, 10)
    1.0
    """
    try:
        inside = least <= given <= most
    except TypeError:
        inside = False
    if not inside or isinstance(given, bool):
        raise ValueError(
            f"{argument} must be a number from {least:g} to {most:g}, got {given!r}"
        )
    return float(given)
