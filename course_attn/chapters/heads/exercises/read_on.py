"""Exercise `read_on`."""

from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def read_on(tokens):
    """Guess at each place what came after the last occurrence of the token there."""
    guesses = np.full(len(tokens), -1)
    for i in range(len(tokens)):
        earlier = np.flatnonzero(tokens[:i] == tokens[i])
        if len(earlier) > 0:
            guesses[i] = tokens[earlier[-1] + 1]
    return guesses


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261124)
    return (
        Case((np.array([3, 1, 4, 1, 5, 3]),), "example"),
        Case((rng.integers(5, size=19),)),
        Case((rng.integers(7, size=31),)),
        Case((np.tile(rng.permutation(11)[:7], 3),), "repeated"),
        Case((rng.integers(3, size=23) + 40,), "large"),
        Case((rng.permutation(13),), "new"),
        Case((np.array([6]),), "one"),
        Case((np.array([2, 2, 2, 2, 2]),), "same"),
    )


def _first(c: Context, among: Any = True) -> str:
    """Say at which place the first wrong guess stands, and what it should be."""
    if c.got.shape != c.expected.shape:
        return f"Yours has shape {c.got.shape}; {c.expected.shape} is right, a guess per token."
    wrong = c.got != c.expected
    i = int((wrong & among if (wrong & among).any() else wrong).argmax())
    tokens = c.given["tokens"]
    start = max(0, i - 8)
    read = ", ".join(map(str, tokens[start : i + 1].tolist()))
    return (
        f"Having read {'…, ' * (start > 0)}{read} you guess {c.got[i]}; {c.expected[i]} is right "
        f"(place {i}, counted from 0)."
    )


def _follows_itself(c: Context) -> str:
    """Take a place as the example where a token follows itself."""
    tokens = c.given["tokens"]
    return _first(c, np.append(False, tokens[1:] == tokens[:-1]))


def _looks_ahead(c: Context) -> str | None:
    """Say that a guess changes where the text ends behind its place."""
    for i in range(
        len(c.given["tokens"]) if c.got.shape == c.expected.shape else 0
    ):
        cut = c.call(c.given["tokens"][: i + 1])
        if cut is not None and cut.shape == (i + 1,) and cut[i] != c.got[i]:
            return c.filled(
                f"Your guess at place {i} depends on what comes after it: it is {cut[i]} if the "
                f"text ends there, and {c.got[i]} here. Is the whole text searched, or a table "
                "filled from it before the first guess?"
            )
    return None


def _most_frequent(c: Context) -> str | None:
    found = c.call(np.array([1, 3, 1, 9, 1, 6, 1, 2, 1, 6, 1, 5, 1, 4, 1]))
    if found is None or found.shape not in [(15,), (14,)] or found[12] != 6:
        return None
    return c.filled(
        "You guess what came *most often* after a token; what came the last time is asked for. "
        "{first}"
    )


exercise = Exercise(
    read_on,
    place=10,
    minutes=10,
    level="easy",
    prepares=("induction_score",),
    section="The idea: look back, and read on",
    task="""
Do by rule what an induction head does by looking. Write `read_on(tokens)`: `tokens` is an array of
whole numbers that are not negative, shape (n,). At each place, look for the *last earlier* place
with the same token, and guess the token that came right after it. Return the n guesses, an array
of integers; where the token has not been there before, the guess is −1. What comes after a place
must not change its guess.
""",
    cases=_cases,
    terms={"first": _first, "follows": _follows_itself},
    kinds={
        "repeated": Kind("where a piece comes three times"),
        "large": Kind("where the tokens are larger than the text is long"),
        "new": Kind("where no token comes twice", "All guesses are −1 there."),
        "one": Kind("for a single token", "It is still an array, of shape (1,)."),
        "same": Kind("where all tokens are the same"),
    },
    faults=fault_list("""
first-occurrence: earlier[-1] → earlier[0]
    You read on after the *first* occurrence. The last earlier one is asked for. {first}
own-token: earlier[-1] + 1 → earlier[-1]
    You return the token at the earlier place itself, which is the one that you have just read. What
    came *after* it is the guess. {first}
before: guesses[i] = tokens[earlier[-1] + 1]
            → if earlier[-1] > 0: guesses[i] = tokens[earlier[-1] - 1]
    You return the token *before* the earlier place. What came after it is the guess, and that there
    is for place 0, too: there you guess −1. (Does `if place:` take 0 for none?)
before-wrapped: earlier[-1] + 1 → earlier[-1] - 1
    You return the token *before* the earlier place (and before place 0 the last of all: that is
    index −1). What came after it is the guess.
noted-late: tokens[:i] → tokens[:max(i - 1, 0)]
    Where the same token stands twice in a row, you skip the place just before: what came after it
    is known, the token that you have just read. (Does your search leave out place i − 1, or do you
    note a token in your table too late?) {follows}
itself: tokens[:i] → tokens[:i + 1]
        and earlier[-1] + 1 → min(earlier[-1] + 1, len(tokens) - 1)
    You find the token itself, at its own place, and read the token after it: that is the answer,
    which is not known yet. Look at earlier places only. {first}
looks-ahead: tokens[:i] → tokens[:-1]
    Your guesses depend on what comes *after* their place: is the whole text searched, or a table
    filled from it before the first guess? {first}
zero-is-false: len(earlier) > 0 → earlier.any()
    You never find place 0. Does the search stop before it (`while j > 0`), or does a test such as
    `if place:` take 0 for none? {first}
guess-is-false: guesses[i] = tokens[earlier[-1] + 1] → guesses[i] = tokens[earlier[-1] + 1] or -1
    A guess of token 0 becomes −1 in yours: 0 counts as false in Python. Ask `is not None`. {first}
zero-default: np.full(len(tokens), -1) → np.zeros(len(tokens), int)
    Where a token has not been there before you guess 0, which is a token; −1 is asked for.
kept: if len(earlier) > 0: → guesses[i] = guesses[i - 1] ⏎ if len(earlier) > 0:
    Where a token has not been there before, you keep the guess of the place before. Where is the
    guess set back to −1? {first}
place: tokens[earlier[-1] + 1] → earlier[-1] + 1
    You return the *place* where the guess stands. The token there is asked for. {first}
last-place-left-out: in range(len(tokens)) → in range(len(tokens) - 1)
    Your last place gets no guess. It has one as every other has: where does your loop end? {first}
one-short: return guesses → return guesses[:-1]
    You return n − 1 guesses. What stops a guess at the last place, after which the text ends?
own-token-if-new: np.full(len(tokens), -1) → tokens.copy()
    Where a token has not been there before, you guess the token itself; −1 is asked for. {first}
"""),
    properties=(
        Property("whole-text", _looks_ahead, any_shape=True, tells_all=True),
        Property("most-frequent", _most_frequent, any_shape=True),
        Property("first", _first, any_shape=True),
    ),
    wrong_lines=("first-occurrence", "own-token", "place"),
    hints=(
        "Of 3, 1, 4, 1 the last token is a 1. Where did a 1 stand before, and what came after it?",
        "For each place i, compare `tokens[:i]` with `tokens[i]`. `np.flatnonzero` gives the "
        "places where they agree.",
        "If there are any, the last of them plus 1 is the place of the guess; else leave −1.",
    ),
)
