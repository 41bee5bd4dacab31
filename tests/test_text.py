"""Characters as tokens, the course's text, and files of the reader's own."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_attn.text import PLAIN, Characters, course_text, read_text, split

# --- characters -----------------------------------------------------------------------------------


@given(st.text(min_size=1))
def test_a_text_comes_back_from_its_tokens(text: str) -> None:
    vocabulary = Characters.of(text)
    tokens = vocabulary.encode(text)
    assert tokens.dtype == np.int64 and tokens.shape == (len(text),)
    assert vocabulary.decode(tokens) == text
    assert sorted(set(tokens.tolist())) == list(range(len(vocabulary)))
    assert list(vocabulary.characters) == sorted(set(text))


def test_each_character_is_the_number_of_its_place() -> None:
    vocabulary = Characters("zya")
    assert vocabulary.encode("azyz").tolist() == [2, 0, 1, 0]
    assert vocabulary.characters == "zya" and len(vocabulary) == 3
    assert repr(vocabulary) == "Characters('zya')"
    assert Characters(["z", "y", "a"]).characters == "zya"


def test_no_text_has_no_tokens() -> None:
    assert PLAIN.encode("").shape == (0,) and PLAIN.encode("").dtype == np.int64
    assert PLAIN.decode([]) == ""


def test_tokens_may_be_of_any_library() -> None:
    for tokens in (
        [1, 0],
        np.array([1, 0], np.int8),
        torch.tensor([1, 0]),
        iter((1, 0)),
    ):
        assert Characters("ab").decode(tokens) == "ba"


def test_plain_is_the_newline_and_what_can_be_printed_of_ascii() -> None:
    assert len(PLAIN) == 96
    assert PLAIN.characters[0] == "\n" and PLAIN.characters[1] == " "
    assert all(c.isascii() and c.isprintable() for c in PLAIN.characters[1:])


@pytest.mark.parametrize(
    ("characters", "got"), [("", "''"), ("abca", "'abca'"), (["a", "ba"], "'aba'")]
)
def test_a_vocabulary_has_each_character_once(characters: str, got: str) -> None:
    says = f"characters must be at least one, and no two the same, got {got}$"
    with pytest.raises(ValueError, match=says):
        Characters(characters)


@pytest.mark.parametrize(
    ("text", "character", "place"),
    [("abd", "'d'", 2), ("é", "'é'", 0), ("a\tb", r"'\\t'", 1)],
)
def test_a_character_outside_the_vocabulary_is_named_with_its_place(
    text: str, character: str, place: int
) -> None:
    says = f"text must have only the characters 'abc', got {character} at place {place}$"
    with pytest.raises(ValueError, match=says):
        Characters("abc").encode(text)


@pytest.mark.parametrize("token", [-1, 3, 10**9])
def test_a_number_outside_the_vocabulary_is_refused(token: int) -> None:
    with pytest.raises(
        ValueError, match=f"tokens must lie between 0 and 2, got {token}$"
    ):
        Characters("abc").decode([0, token])


@pytest.mark.parametrize(
    "tokens",
    [[0.5], torch.ones(2), np.zeros((2, 2), int), torch.zeros(2, 2).long(), "a"],
)
def test_what_is_no_row_of_whole_numbers_is_refused(tokens: object) -> None:
    """0.5 is not silently 0."""
    with pytest.raises(
        TypeError, match="tokens must be a single row of whole numbers, got"
    ):
        Characters("abc").decode(tokens)  # type: ignore[arg-type]


# --- the course's text ----------------------------------------------------------------------------


def test_course_text_is_plain_english_without_repetitions() -> None:
    """Also in other versions of Python, whose documentation is a little longer or shorter."""
    text = course_text()
    assert 300_000 < len(text) < 500_000
    assert set(text) <= set(PLAIN.characters)
    paragraphs = [" ".join(p.split()) for p in text.split("\n\n")]
    # What two paragraphs differed in may have been left out.
    again = {p: n for p, n in Counter(paragraphs).items() if n > 1 and len(p) > 20}
    assert sum(again.values()) < 5, again
    assert "" not in paragraphs
    words = Counter(text.lower().split())
    assert [w for w, _ in words.most_common(1)] == ["the"]
    assert text == course_text()
    # Typographers' quotation marks have become plain ones.
    assert "Python's" in text or "object's" in text


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"one\ntwo\n", "one\ntwo\n"),
        (b"one\r\ntwo", "one\ntwo"),
        ("Grüße, 注意".encode(), "Grüße, 注意"),
        (b"\xef\xbb\xbfone", "one"),
    ],
)
def test_a_file_is_read_as_utf_8(data: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes(data)
    assert read_text(path) == read_text(str(path)) == text


def test_a_file_in_another_encoding_is_refused_with_the_place(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes("Grüße".encode("latin-1"))
    with pytest.raises(ValueError) as caught:
        read_text(path)
    assert str(caught.value) == (
        f"path must be a text file in UTF-8, but byte 2 of {path} is 0xfc; "
        "save it as UTF-8 first"
    )
    path.write_bytes("Grüße".encode("utf-16"))
    with pytest.raises(ValueError, match=r"UTF-8, but byte 0 of .* is 0xff"):
        read_text(path)


def test_a_file_without_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    for data in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(data)
        with pytest.raises(
            ValueError, match="path must be a file with text .* is empty"
        ):
            read_text(path)
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        read_text(tmp_path / "missing.txt")


# --- training and validation ----------------------------------------------------------------------


@given(n=st.integers(2, 300), validation=st.floats(0.01, 0.99))
def test_a_text_is_cut_in_two(n: int, validation: float) -> None:
    text = "".join(chr(97 + i % 26) for i in range(n))
    size = round(validation * n)
    if not 0 < size < n:
        with pytest.raises(ValueError, match="leave both parts"):
            split(text, validation=validation)
        return
    first, last = split(text, validation=validation)
    assert first + last == text and len(last) == size
    assert split("ab" * 10) == ("ab" * 9, "ab")


@pytest.mark.parametrize(
    ("text", "validation"),
    [
        ("", 0.1),
        ("a", 0.5),
        ("abc", 0.1),
        ("abc", 0),
        ("abc", 1),
        ("abcd", -0.5),
        ("abc", 1.5),
    ]
    + [("abc", float("nan")), ("abc", float("inf"))],
)
def test_parts_without_characters_are_refused(text: str, validation: float) -> None:
    says = f"validation must leave both parts .*, got {validation} of {len(text)}$"
    with pytest.raises(ValueError, match=says):
        split(text, validation=validation)
