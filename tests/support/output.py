"""What a notebook's output holds before its script runs: tags, text, tables, data."""

import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any

import numpy as np

__all__ = [
    "Reader",
    "assert_written",
    "data_of",
    "entries",
    "number",
    "numbers",
    "selectors",
]


class Reader(HTMLParser):
    """Collects an output's tags with their attributes, its text, and its tables by caption."""

    def __init__(self, shown: Any) -> None:
        super().__init__()
        self.tags, self.text, self.tables = [], "", {}
        self._inside, self._caption, self._rows = "", "", []
        self.feed(html_of(shown))

    @property
    def names(self) -> list[str]:
        """Return the tags without their attributes."""
        return [tag for tag, _ in self.tags]

    @property
    def table(self) -> list[list[str]]:
        """Return the rows of the only table."""
        (table,) = self.tables.values()
        return table

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.tags if found == tag]

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "table":
            self._caption, self._rows = "", []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        if tag == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._inside == "caption":
            self._caption += data
        elif self._inside in ("td", "th"):
            self._rows[-1][-1] += data


def html_of(shown: Any) -> str:
    return shown if isinstance(shown, str) else shown._repr_html_()


def data_of(shown: Any) -> Any:
    """Return what an output's script reads."""
    kind = '<script type="application/json">'
    return json.loads(re.search(f"{kind}(.*?)</script>", html_of(shown), re.S)[1])


_SIGNS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−,", "0123456789--.")


def number(text: str) -> float:
    """Return a number as a page writes it, with a true minus, small ones as powers of ten."""
    plain = text.translate(_SIGNS).replace("·10", "e").replace("∞", "inf")
    return float(plain.rstrip("°"))


def numbers(texts: Iterable[str]) -> list[float]:
    return [number(text) for text in texts]


def entries(table: list[list[str]]) -> list[list[float]]:
    """Return the numbers of a table, without its head and the names of its rows."""
    return [numbers(row[1:]) for row in table[1:]]


def assert_written(text: str, x: float) -> None:
    """Two decimals, or one digit of what is nearer to 0."""
    assert re.fullmatch(r"−?(\d+\.\d\d|\d·10⁻[⁰¹²³⁴-⁹]+)", text)
    step = 0.01 if abs(x) >= 0.005 else 10.0 ** np.floor(np.log10(abs(x)))
    assert abs(number(text) - x) <= 0.501 * step, (text, x)


def selectors(css: str, own: str) -> list[str]:
    """Return the selectors of a style, without the themes around what is its own."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    css = re.sub(r"@(?:container|media) [^{]*\{", "", css)
    dark = rf":is\((?:\[[^]]*\], )*\.vscode-dark\) (?={re.escape(own)})"
    groups = re.findall(r"([^{}]+)\{", re.sub(dark, "", css))
    return [
        one.strip() for group in groups for one in re.split(r",(?![^(]*\))", group)
    ]
