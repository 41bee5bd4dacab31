"""Exercise `count_words`."""

import numpy as np

from whywrong import Case, Exercise, Kind, fault_list


def count_words(text, words):
    """Return how often each word occurs in a text."""
    found = text.lower().replace(".", " ").split()
    counts = [found.count(word) for word in words]
    return np.array(counts)


def cases():
    rng = np.random.default_rng(20270303)

    def drawn(n, kind="plain", end=""):
        words = rng.choice(["sea", "season", "salt", "sand", "as"], n)
        return Case((" ".join(words) + end, ["sea", "as", "salt"]), kind)

    return (
        Case(("The sea and the Season", ["the", "sea"]), "example"),
        drawn(11),
        drawn(17),
        Case(("Salt. The salt sea.", ["salt", "sea"]), "stops"),
    )


exercise = Exercise(
    count_words,
    place=20,
    minutes=10,
    level="easy",
    section="Words",
    task="""
Write `count_words(text, words)`: an array that says how often each of `words` occurs in `text`,
whether its letters are small or capital there. Words are separated by spaces and full stops.
""",
    cases=cases,
    kinds={
        "stops": Kind("where sentences end", "What stands behind the last word?")
    },
    faults=fault_list("""
capitals: text.lower() → text
    Where a sentence begins with a word it has a capital letter: you count {your}, and {right} are
    there.
full-stops: .replace(".", " ") → (nothing)
    A full stop sticks to the word before it, so that `salt.` is not counted as `salt`.
parts: found.count(word) → text.lower().count(word)
    You count letters, not words: there is a "sea" in "season".
whether: found.count(word) → int(word in found)
    You say whether a word occurs. How often does it?
"""),
    hints=(
        "How do you get from a text to a list of its words?",
        "`str.lower` and `str.split` help. What do they do with a full stop?",
        "`found.count(word)` counts in a list what it counts in a text: what is equal.",
    ),
)
