"""A learner's progress in one picture: a row for each chapter, a square for each exercise.

Notebooks show it. What is done has a check mark, not only a fill.
"""

from collections.abc import Collection, Mapping, Sequence
from html import escape

__all__ = ["picture"]

_SIDE, _STEP, _ROW, _LABELS = 14, 18, 22, 118
# Text and lines take the page's color, so that the picture fits a dark page, too.
_STYLE = (
    ".attn-squares{max-width:100%;height:auto;font:13px sans-serif;color:inherit}"
    ".attn-squares text{fill:currentColor}"
    ".attn-squares rect{fill:none;stroke:currentColor;stroke-opacity:.6}"
    ".attn-squares path{fill:none;stroke:#fff;stroke-width:2}"
    ".attn-squares .done rect{fill:#1a7f37;stroke:#1a7f37;stroke-opacity:1}"
)


def picture(chapters: Mapping[str, Sequence[str]], passed: Collection[str]) -> str:
    """Draw which exercises are done, as an SVG whose label says the same in words.

    chapters: the exercises of each chapter.
    passed: those that are done; others than in the chapters do not count.

    >>> drawn = picture({"softmax": ["softmax", "entropy"]}, {"entropy"})
    >>> "1 of 2 exercises done: softmax 1 of 2" in drawn
    True
    """
    counts = [len(names) for names in chapters.values()]
    done = [sum(name in passed for name in names) for names in chapters.values()]
    width = _LABELS + _STEP * max(counts, default=0) + 42
    height = _ROW * len(chapters)
    each = zip(map(_words, chapters), done, counts, strict=True)
    told = ", ".join(f"{words} {some} of {all}" for words, some, all in each)
    rows = "".join(
        _row(place, *row, passed) for place, row in enumerate(chapters.items())
    )
    label = escape(f"{sum(done)} of {sum(counts)} exercises done: {told}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="attn-squares" role="img"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' aria-label="{label}"><style>{_STYLE}</style>{rows}</svg>'
    )


def _row(
    place: int, chapter: str, names: Sequence[str], passed: Collection[str]
) -> str:
    top, title = _ROW * place + (_ROW - _SIDE) // 2, escape(_words(chapter))
    squares = "".join(
        _square(_LABELS + _STEP * k, top, name, name in passed)
        for k, name in enumerate(names)
    )
    base, after = top + _SIDE - 3, _LABELS + _STEP * len(names) + 4
    done = f"{sum(name in passed for name in names)}/{len(names)}"
    return (
        f'<g><text x="0" y="{base}">{title}</text>{squares}'
        f'<text x="{after}" y="{base}">{done}</text></g>'
    )


def _square(left: int, top: int, name: str, is_done: bool) -> str:
    classes = ' class="done"' if is_done else ""
    check = f'<path d="M{left + 3} {top + 7}l3 3l5 -6"/>' if is_done else ""
    state = "done" if is_done else "open"
    return (
        f'<g data-exercise="{escape(name)}"{classes}>'
        f"<title>{escape(name)}: {state}</title>"
        f'<rect x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}" rx="3"/>'
        f"{check}</g>"
    )


def _words(slug: str) -> str:
    return slug.replace("_", " ")
