"""Questions that a notebook asks before it shows a result: a choice, or a number to guess.

What holds is computed in the cell that asks, so that no answer can be wrong: a question of which
no option holds, or two, is an error there. Everywhere a question reads as text: options that open,
each with what there is to say about it. `questions.js` makes buttons of them on the built page. The
questions of a chapter, which take what its cell has computed, are in
`course_attn/chapters/<slug>/questions.py`.
"""

import html
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

__all__ = ["NAME", "Question", "listed", "marked", "predict", "predict_number"]

# What answers are kept under.
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# A closed answer is printed, too.
_STYLE = (
    "<style>@media print { .attn-predict details::details-content"
    " { display: block; content-visibility: visible; } }</style>"
)
_ON_A_LOG_BAR = 2  # significant digits
_APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"


class Question:
    """A question with its answers; a notebook shows it as HTML."""

    def __init__(self, name: str, page: str, text: str) -> None:
        self.name, self._page, self._text = name, page, text

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        """Return question, options and answers as text."""
        return self._text


def predict(
    name: str,
    question: str,
    options: Sequence[tuple[str, str, bool | np.bool_]],
    *,
    covers: int = 1,
    text: int = 0,
) -> Question:
    """Ask for a choice before a result is shown.

    In all texts `` `a` `` is set as code and ``*a*`` in italics.

    Parameters
    ----------
    name : str
        What the reader's answer is kept under: lowercase words joined by hyphens, once a chapter.
    question : str
        What is asked.
    options : sequence of (option, what to say about it, whether it holds)
        At least two, in the order in which they are shown. Exactly one holds, as computed. About
        this one, say what was measured, with its numbers; about another, what someone who picks it
        may believe and why that fails. A reader may choose twice: that sentence must not give
        the answer away, in words or in numbers.
    covers : int
        How many of the cells with an output that follow give the answer away: the built page
        covers them, with their captions and what stands between, until the reader has answered
        or asks for them. It goes no further than the section.
    text : int
        How many paragraphs after those give it away, too.

    Raises
    ------
    ValueError
        If no option holds or more than one does, if a text is empty or an option given twice.

    Examples
    --------
    >>> total = sum([0.5, 0.3, 0.2])
    >>> predict(
    ...     "row-sum",
    ...     "What do the weights sum to?",
    ...     [
    ...         ("1", f"They sum to {total:g}.", total == 1),
    ...         ("3", "There are three of them, but each is below 1.", total == 3),
    ...     ],
    ... )
    Your guess: What do the weights sum to?
      a) 1
      b) 3
    The answer: a) They sum to 1.
    Not b) There are three of them, but each is below 1.
    """
    _check(name, question, covers, text)
    if len(options) < 2:
        raise ValueError(
            f"{question!r}: expected at least two options, got {len(options)}"
        )
    for option, said, holds in options:
        _check_text(f"an option of {question!r}", option)
        _check_text(f"what is said about {option!r}", said)
        if not isinstance(holds, bool | np.bool_):
            raise ValueError(
                f"{option!r}: whether it holds must be a bool, got {holds!r}"
            )
    named = [option for option, _, _ in options]
    if twice := [option for option in named if named.count(option) > 1]:
        raise ValueError(f"{question!r}: an option is given twice: {twice[0]!r}")
    true = [option for option, _, holds in options if holds]
    if len(true) != 1:
        found = " and ".join(map(repr, true)) or "none"
        raise ValueError(f"{question!r}: exactly one option must hold, not {found}")
    lettered = list(zip("abcdefghij", options, strict=False))
    parts = [
        _details(
            marked(option), said, "Right." if holds else "Not so.", bool(holds)
        )
        for option, said, holds in options
    ]
    return Question(
        name,
        _page(name, question, parts, covers, text, ""),
        "\n".join(
            [
                f"Your guess: {question}",
                *(f"  {letter}) {option}" for letter, (option, _, _) in lettered),
                *(
                    f"{'The answer:' if holds else 'Not'} {letter}) {said}"
                    for letter, (_, said, holds) in sorted(
                        lettered, key=lambda one: not one[1][2]
                    )
                ),
            ]
        ),
    )


def predict_number(
    name: str,
    question: str,
    low: float,
    high: float,
    answer: float,
    *,
    said: str,
    too_low: str,
    too_high: str,
    step: float | None = None,
    close: float | None = None,
    unit: str = "",
    log: bool = False,
    covers: int = 1,
    text: int = 0,
) -> Question:
    """Ask for a number, with a bar to drag, before it is shown.

    Parameters
    ----------
    name, question, covers, text
        As for `predict`.
    low, high : float
        The ends of the bar.
    answer : float
        The number as computed, within the bar.
    said : str
        What was measured, with its numbers.
    too_low, too_high : str
        What someone who guesses too little, or too much, may believe, and what is true instead.
    step : float, optional
        What the guess is rounded to; by default a hundredth of the bar. It says how many decimals
        are shown, too.
    close : float, optional
        How far off a guess may be that counts as right; by default a twentieth of the bar.
        On a logarithmic bar, by what factor; by default 1.5.
    unit : str
        What stands behind each number, such as " %" or " keys".
    log : bool
        Whether equal distances on the bar are equal factors; then guesses have two digits.

    Raises
    ------
    ValueError
        If the answer is not on the bar, or a text is empty.

    Examples
    --------
    >>> predict_number(
    ...     "share", "How much of the whole is a half?", 0, 100, 50, unit=" %",
    ...     said="Half of it.", too_low="It is one of two parts.", too_high="It is not all.",
    ... )
    Your guess: How much of the whole is a half? (from 0 to 100 %)
    The answer: 50 %. Half of it.
    Less? It is one of two parts.
    More? It is not all.
    """  # fmt: skip
    _check(name, question, covers, text)
    for what, words in (
        ("said", said),
        ("too_low", too_low),
        ("too_high", too_high),
    ):
        _check_text(f"{what} of {question!r}", words)
    if not low < high or not math.isfinite(high - low) or (log and low <= 0):
        least = "0 < low < high" if log else "low < high"
        raise ValueError(f"{question!r}: expected {least}, got {low} and {high}")
    if not low <= answer <= high:
        raise ValueError(
            f"{question!r}: the answer {answer} is not from {low} to {high}"
        )
    step = (high - low) / 100 if step is None else step
    close = (1.5 if log else (high - low) / 20) if close is None else close
    if step <= 0 or close < (1 if log else 0):
        raise ValueError(
            f"{question!r}: step and close are too small: {step}, {close}"
        )
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))

    def number(value: float) -> str:
        if log:
            value = float(f"{value:.{_ON_A_LOG_BAR}g}")
            digits = max(
                0, _ON_A_LOG_BAR - 1 - math.floor(math.log10(value) + 1e-12)
            )
        else:
            digits = decimals
        written = f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
        return _shorter(written) if log else written

    # A whole number is told in full.
    whole = log and float(answer).is_integer()
    measured = (f"{answer:,.0f}" if whole else number(answer)) + unit
    data: dict[str, object] = {
        "low": low, "high": high, "answer": float(answer), "step": step, "close": close,
        "decimals": decimals, "unit": unit, "log": int(log), "measured": measured,
    }  # fmt: skip
    bar = "".join(
        f' data-{key}="{html.escape(str(value))}"' for key, value in data.items()
    )
    ends = f"(from {_shorter(number(low))} to {_shorter(number(high))}{unit})"
    parts = [
        _details("The measured answer", said, f"{measured}."),
        _details("If your guess was lower", too_low),
        _details("If your guess was higher", too_high),
    ]
    page = _page(name, f"{question} {ends}", parts, covers, text, bar)
    # On a page, a number and its unit stay on one line.
    kept = unit.replace(" ", "\N{NO-BREAK SPACE}", 1)
    page = re.sub(rf"(?<=\d){re.escape(unit)}", kept, page)
    return Question(
        name,
        page.replace(f'data-unit="{unit}"', f'data-unit="{kept}"'),
        f"Your guess: {question} {ends}\n"
        f"The answer: {measured}. {said}\nLess? {too_low}\nMore? {too_high}",
    )


def listed(numbers: Iterable[float], decimals: int = 2) -> str:
    """Write a vector as it stands in a sentence, without zeros at the ends of numbers.

    Examples
    --------
    >>> listed([3.0, -1.0, 0.25])
    '(3, \N{MINUS SIGN}1, 0.25)'
    """
    rounded = (round(float(number), decimals) + 0.0 for number in numbers)
    return f"({', '.join(f'{n:.12g}' for n in rounded)})".replace(
        "-", "\N{MINUS SIGN}"
    )


def _shorter(number: str) -> str:
    """Take the zeros off the end of a decimal number."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _check(name: str, question: str, covers: int, text: int) -> None:
    """Check what both kinds of questions have."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"name must be lowercase words joined by hyphens, got {name!r}"
        )
    _check_text("the question", question)
    if covers < 0 or text < 0:
        raise ValueError(
            f"covers and text must be at least 0, got {covers} and {text}"
        )


def _check_text(what: str, text: str) -> None:
    if not text.strip():
        raise ValueError(f"{what} must say something, got {text!r}")


def _page(
    name: str, question: str, parts: list[str], covers: int, text: int, bar: str
) -> str:
    """Put a question and its parts into HTML; `bar` are the attributes of one with a number."""
    inside = "\n".join(parts)
    return (
        f'<div class="attn-predict" data-question="{name}" data-covers="{covers}"'
        f' data-text="{text}"{bar}>\n{_STYLE}\n'
        '<p class="attn-question"><strong>Your guess:</strong>'
        f" <span>{marked(question)}</span></p>\n"
        f"{inside}\n</div>"
    )


def _details(summary: str, said: str, first: str = "", holds: bool = False) -> str:
    """Return a summary that opens a sentence, with what stands out before it."""
    first = f"<strong>{first}</strong> " if first else ""
    return (
        f"<details{' data-holds' if holds else ''}><summary>{summary}</summary>"
        f"<p>{first}<span>{marked(said)}</span></p></details>"
    )


def marked(text: str) -> str:
    """Return a text as HTML: `code` and *italics*, and nothing else is markup.

    Outside of code, an apostrophe is set as in the book's text.

    Examples
    --------
    >>> marked("*one* key's `a<b`")
    '<em>one</em> key’s <code>a&lt;b</code>'
    """
    pieces = re.split(r"`([^`]+)`", html.escape(text))
    pieces[1::2] = [f"<code>{code}</code>" for code in pieces[1::2]]
    pieces[::2] = [
        re.sub(
            r"\*(\S(?:[^*]*\S)?)\*",
            r"<em>\1</em>",
            re.sub(r"(?<=\w)&#x27;", _APOSTROPHE, plain),
        )
        for plain in pieces[::2]
    ]
    return "".join(pieces)
