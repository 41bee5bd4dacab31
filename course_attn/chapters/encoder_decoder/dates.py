"""Dates as people write them, beside the one way of ISO 8601, and which character says what."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from string import Formatter
from typing import NamedTuple

import numpy as np

from course_attn.text import Characters

__all__ = [
    "END",
    "FORMS",
    "N_SOURCE",
    "N_TARGET",
    "PADDING",
    "SOURCE",
    "START",
    "TARGET",
    "Batch",
    "Pair",
    "alignment",
    "as_batch",
    "draw_pairs",
    "split_dates",
    "write",
]

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
UNITS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
ORDINALS = (
    *UNITS,
    "twentieth",
    *(f"twenty-{unit}" for unit in UNITS[:9]),
    "thirtieth",
    "thirty-first",
)

# How a date is written.
FORMS = (
    "{day} {month} {year}",
    "{month} {day}, {year}",
    "the {day_th} of {month} {year}",
    "the {ordinal} of {month} {year}",
    "{weekday}, {day} {short_month} {year}",
    "{year}, {short_month} {day}",
    "{day}.{number}.{year}",
)

PADDING = 0
SOURCE = Characters(
    "_ ,.-0123456789" + "".join(map(chr, range(97, 123))) + "ADFJMNOSTW"
)
START, END = 0, 1
TARGET = Characters("<>-0123456789")
N_SOURCE = 36  # "the twenty-seventh of September 2027" is the longest
N_TARGET = 11  # ten characters and the end


class Pair(NamedTuple):
    """A date in words and in ISO form.

    `parts` says what each stretch of the source is: the name of its field, or "".
    """

    source: str
    target: str
    parts: tuple[tuple[str, str], ...]


class Batch(NamedTuple):
    """Pairs as numbers: source (n, n_source) and its mask, target (n, N_TARGET + 1).

    A source shorter than the longest is filled up with `PADDING`, which the mask calls False. A
    target begins with `START` and ends with `END`.
    """

    source: np.ndarray
    source_mask: np.ndarray
    target: np.ndarray


def write(day: date, form: str) -> Pair:
    """Write a date in one of the `FORMS`, or in another of the same fields.

    Examples
    --------
    >>> pair = write(date(1998, 5, 3), "the {day_th} of {month} {year}")
    >>> pair.source, pair.target
    ('the 3rd of May 1998', '1998-05-03')
    """
    month = MONTHS[day.month - 1]
    fields = {
        "year": str(day.year),
        "month": month,
        "short_month": month[:3],
        "number": str(day.month),
        "day": str(day.day),
        "day_th": f"{day.day}{_ending(day.day)}",
        "ordinal": ORDINALS[day.day - 1],
        "weekday": WEEKDAYS[day.weekday()],
    }
    parts: list[tuple[str, str]] = []
    for between, field, _, _ in Formatter().parse(form):
        parts.append(("", between))
        if field is not None:
            parts.append((field, fields[field]))
    return Pair("".join(text for _, text in parts), day.isoformat(), tuple(parts))


def _ending(number: int) -> str:
    """Return the two letters that make an ordinal of a number up to 31."""
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


# Which fields tell each character of yyyy-mm-dd.
_TELLS = {
    "year": ("year",),
    "month": ("month", "short_month", "number"),
    "day": ("day", "day_th", "ordinal"),
}
_ASKS = ("year",) * 4 + ("",) + ("month",) * 2 + ("",) + ("day",) * 2


def alignment(pair: Pair) -> np.ndarray:
    """Say which characters of the source each character of the target comes from.

    A digit of the year comes from one character, and a digit of the month or the day from any that
    name the month or the day. A hyphen comes from none. Returns booleans (10, n_source).

    Examples
    --------
    >>> alignment(write(date(1998, 5, 3), "{day}.{number}.{year}"))[[0, 5, 8]].astype(int)
    array([[0, 0, 0, 0, 1, 0, 0, 0],
           [0, 0, 1, 0, 0, 0, 0, 0],
           [1, 0, 0, 0, 0, 0, 0, 0]])
    """
    fields = [field for field, text in pair.parts for _ in text]
    found = np.array(
        [[bool(ask) and field in _TELLS[ask] for field in fields] for ask in _ASKS]
    )
    found[:4] = np.eye(len(fields), dtype=bool)[found[0]]
    return found


def split_dates(
    *, first: int = 1600, last: int = 2399, share: float = 0.1, seed: int = 0
) -> tuple[list[date], list[date]]:
    """Return all days of the years `first` to `last`, in two lists without a common day.

    The second one has the `share` to test with; in no form are its dates trained on.
    """
    start = date(first, 1, 1)
    n = (date(last + 1, 1, 1) - start).days
    order = np.random.default_rng(seed).permutation(n)
    days = [start + timedelta(days=int(k)) for k in order]
    n_test = round(share * n)
    return days[n_test:], days[:n_test]


def draw_pairs(
    days: Sequence[date],
    n: int,
    rng: np.random.Generator,
    *,
    forms: Sequence[str] = FORMS,
) -> list[Pair]:
    """Draw n of the days, each in a form that is drawn, too."""
    which, how = rng.integers(len(days), size=n), rng.integers(len(forms), size=n)
    return [write(days[i], forms[f]) for i, f in zip(which, how, strict=True)]


def as_batch(pairs: Iterable[Pair]) -> Batch:
    """Turn pairs into the numbers that a model reads."""
    pairs = list(pairs)
    n_source = max(len(pair.source) for pair in pairs)
    source = np.full((len(pairs), n_source), PADDING)
    target = np.empty((len(pairs), N_TARGET + 1), dtype=np.int64)
    for row, pair in enumerate(pairs):
        source[row, : len(pair.source)] = SOURCE.encode(pair.source)
        target[row] = [START, *TARGET.encode(pair.target), END]
    lengths = np.array([len(pair.source) for pair in pairs])
    return Batch(source, np.arange(n_source) < lengths[:, None], target)
