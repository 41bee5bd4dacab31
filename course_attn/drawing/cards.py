"""Cards: what a chapter asks at its end, and the book again on later days.

As with the questions before a result (`questions.py`), what holds is computed where the cards are
made: each card brings the facts that its answer rests on, and a card whose facts do not hold is an
error there. Everywhere a card reads as text, a question that opens. `book/_parts/cards/` asks them
again on the built page, and gathers them. The cards of a chapter, which take what its cells have
computed, are in `course_attn/chapters/<slug>/cards.py`.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course_attn.drawing.questions import NAME, marked

__all__ = ["Card", "Deck", "card", "deck"]

_FORMULA = re.compile(r"\$([^$]+)\$")
# A closed answer is printed, too.
_STYLE = (
    "<style>@media print { .attn-card::details-content"
    " { display: block; content-visibility: visible; } }</style>"
)


@dataclass(frozen=True)
class Card:
    """A question with its answer, and the section where the answer is found."""

    name: str
    question: str
    answer: str
    section: str


def card(
    name: str,
    question: str,
    answer: str,
    *,
    section: str,
    holds: Sequence[bool | np.bool_],
) -> Card:
    """Ask why something is so, or what breaks without it.

    In both texts `` `a` `` is set as code, ``*a*`` in italics and ``$a$`` as a formula.

    Parameters
    ----------
    name : str
        What the reader's memory of it is kept under: lowercase words joined by hyphens, once a
        chapter. A card whose question changes its meaning gets a new name.
    question, answer : str
        What is asked, and what is to be remembered, with the numbers that were computed.
    section : str
        The heading, without its star, of the section in which the chapter explains it.
    holds : sequence of bool
        The facts on which the answer rests, as computed; at least one, and each must hold.

    Returns
    -------
    Card
        For a `deck`.

    Raises
    ------
    ValueError
        If a text is empty, there is no fact, or one does not hold.

    Examples
    --------
    >>> total = sum([0.5, 0.3, 0.2])
    >>> card(
    ...     "row-sum", "What do weights sum to?", f"To {total:g}.", section="Weights",
    ...     holds=[total == 1],
    ... )
    Card(name='row-sum', question='What do weights sum to?', answer='To 1.', section='Weights')
    """  # fmt: skip
    if not NAME.fullmatch(name):
        raise ValueError(
            f"name must be lowercase words joined by hyphens, got {name!r}"
        )
    for what, text in (
        ("question", question),
        ("answer", answer),
        ("section", section),
    ):
        if not text.strip():
            raise ValueError(f"card {name!r}: its {what} must say something")
        if text.count("$") % 2:
            raise ValueError(f"card {name!r}: a formula in its {what} does not end")
    if not holds:
        raise ValueError(
            f"card {name!r}: no fact is given that its answer rests on"
        )
    for number, fact in enumerate(holds, start=1):
        if not isinstance(fact, bool | np.bool_):
            raise ValueError(
                f"card {name!r}: fact {number} must be a bool, got {fact!r}"
            )
        if not fact:
            raise ValueError(f"card {name!r}: fact {number} does not hold")
    return Card(name, question, answer, section)


class Deck:
    """The cards of a chapter; a notebook shows them as questions that open."""

    def __init__(self, chapter: str, cards: tuple[Card, ...]) -> None:
        self.chapter, self.cards = chapter, cards

    def _repr_html_(self) -> str:
        inside = "\n".join(
            f'<details class="attn-card mathjax_process" data-card="{self.chapter}/{one.name}">'
            f"<summary>{_set(one.question)}</summary>\n<p>{_set(one.answer)}</p>\n"
            f'<p class="attn-from">From: <span>{html.escape(one.section)}</span></p></details>'
            for one in self.cards
        )
        return (
            f'<div class="attn-deck" data-chapter="{self.chapter}">\n{_STYLE}\n'
            "<p><strong>Answer from memory, then open.</strong></p>\n"
            f"{inside}\n</div>"
        )

    def __repr__(self) -> str:
        """Return questions and answers as text."""
        return "\n".join(
            f"{number}. {one.question}\n   {one.answer}"
            for number, one in enumerate(self.cards, start=1)
        )


def deck(chapter: str, *cards: Card) -> Deck:
    """Put the cards of a chapter together.

    Parameters
    ----------
    chapter : str
        Its slug.
    *cards : Card
        Its cards, in the order of its text.

    Returns
    -------
    Deck
        Shown as HTML where a cell ends with it.

    Raises
    ------
    ValueError
        If there is no card, or two have one name.

    Examples
    --------
    >>> print(deck("softmax", Card("one", "What is 1 + 1?", "It is 2.", "Sums")))
    1. What is 1 + 1?
       It is 2.
    """
    names = [one.name for one in cards]
    if not names:
        raise ValueError(f"{chapter}: a deck needs cards")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{chapter}: two cards are called {twice[0]!r}")
    return Deck(chapter, cards)


def _set(text: str) -> str:
    r"""Return a text as HTML; formulas as MathJax and Anki know them, in ``\(`` and ``\)``."""
    pieces = _FORMULA.split(text)
    pieces[::2] = map(marked, pieces[::2])
    pieces[1::2] = [rf"\({html.escape(formula)}\)" for formula in pieces[1::2]]
    return "".join(pieces)
