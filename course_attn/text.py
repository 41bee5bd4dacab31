"""The text that the course's language model learns from, and characters as tokens."""

from collections.abc import Iterable
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray as Array

__all__ = ["PLAIN", "Characters", "course_text", "read_text", "split"]

# What stands in the text for the signs of typographers: every keyboard has these.
_PLAIN = {"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."}


class Characters:
    """A vocabulary whose tokens are characters: each is the number of its place.

    Examples
    --------
    >>> vowels = Characters("aeiou")
    >>> vowels.encode("eau")
    array([1, 0, 4])
    >>> vowels.decode([1, 0, 4]), len(vowels)
    ('eau', 5)
    """

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = "".join(characters)
        self._places = {c: i for i, c in enumerate(self.characters)}
        if not self.characters or len(self._places) != len(self.characters):
            raise ValueError(
                "characters must be at least one, and no two the same, "
                f"got {self.characters!r}"
            )

    @classmethod
    def of(cls, text: str) -> "Characters":
        """Take the characters of a text, each once, in the order of their code points."""
        return cls(sorted(set(text)))

    def __len__(self) -> int:
        """Return how many characters there are."""
        return len(self.characters)

    def __repr__(self) -> str:
        """Show the characters."""
        return f"Characters({self.characters!r})"

    def encode(self, text: str) -> Array:
        """Return the number of each character.

        Raises
        ------
        ValueError
            If one is not in the vocabulary.
        """
        for place, character in enumerate(text):
            if character not in self._places:
                raise ValueError(
                    f"text must have only the characters {self.characters!r}, "
                    f"got {character!r} at place {place}"
                )
        return np.array([self._places[c] for c in text], dtype=np.int64)

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text that these numbers stand for.

        Raises
        ------
        TypeError
            If one is not a whole number.
        ValueError
            If one is not the number of a character.
        """
        numbers = [_whole(token) for token in tokens]
        for number in numbers:
            if not 0 <= number < len(self):
                raise ValueError(
                    f"tokens must lie between 0 and {len(self) - 1}, got {number}"
                )
        return "".join(self.characters[number] for number in numbers)


def _whole(token: Any) -> int:
    """Return a whole number of any library as Python's."""
    try:
        return index(token)
    except TypeError:
        raise TypeError(
            f"tokens must be a single row of whole numbers, got {token!r}"
        ) from None


# The newline, and what can be printed of ASCII: 96 characters.
PLAIN = Characters("\n" + "".join(map(chr, range(32, 127))))


def course_text() -> str:
    """Return about 370,000 characters of English: the language reference that Python's help prints.

    Every Python has it, in the version of its own; nothing is downloaded. Paragraphs that come
    again, a fifth of the text, are left out, since validation would meet them in training;
    typographers' signs become plain, and what else is not in `PLAIN` is dropped.
    Source: the Python documentation, through ``pydoc_data.topics`` (PSF license).

    Examples
    --------
    >>> course_text()[:22]
    'The "assert" statement'
    """
    from pydoc_data.topics import topics

    paragraphs: dict[str, str] = {}
    for name in sorted(topics):
        for paragraph in topics[name].split("\n\n"):
            paragraphs.setdefault(" ".join(paragraph.split()), paragraph)
    text = "\n\n".join(filter(None, paragraphs.values()))
    known = set(PLAIN.characters)
    plain = "".join(_PLAIN.get(character, character) for character in text)
    return "".join(character for character in plain if character in known)


def read_text(path: str | Path) -> str:
    """Read a text file in UTF-8.

    Raises
    ------
    ValueError
        If it is empty or in another encoding; with the place of the first byte that does not fit.
    OSError
        If it cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"path must be a text file in UTF-8, but byte {error.start} of {path} is "
            f"{data[error.start]:#04x}; save it as UTF-8 first"
        ) from None
    text = text.removeprefix("\ufeff")  # with which some editors mark UTF-8
    if not text:
        raise ValueError(
            f"path must be a file with text in it, but {path} is empty"
        )
    return text.replace("\r\n", "\n")


def split(text: str, *, validation: float = 0.1) -> tuple[str, str]:
    """Cut a text into the first part, for training, and the rest, for validation.

    Raises
    ------
    ValueError
        If one of the parts would be empty.

    Examples
    --------
    >>> split("abcdefghij", validation=0.2)
    ('abcdefgh', 'ij')
    """
    share = validation if 0 < validation < 1 else 0
    end = len(text) - round(share * len(text))
    if not 0 < end < len(text):
        raise ValueError(
            "validation must leave both parts some characters, "
            f"got {validation} of {len(text)}"
        )
    return text[:end], text[end:]
