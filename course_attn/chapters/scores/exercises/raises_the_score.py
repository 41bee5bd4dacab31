"""Question `raises_the_score`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def raises_the_score():
    """Name the moves of the query (4, 3) that raise the score with the key (2, 1)."""
    return {"a", "d", "f", "g"}


_NOT = {
    "b": "b lowers it. The query is already farther out than the key, and a step along the key "
    "leads farther away: the squared distance grows from 8 to 9.25.",
    "c": "c lowers the dot product, from 11 to 10.4. The step is made of k/10, which adds "
    "k · k/10 = 0.5, and of −q/10, which takes away q · k/10 = 1.1.",
    "e": "e leaves the dot product as it is. A step at right angles to the key adds "
    "(1, −2) · (2, 1)/10 = 0.",
    "h": "h leaves the cosine as it is: the length is divided out, and the angle is the same.",
}
_YES = {
    "a": "a raises it, from 11 to 11.5: the step adds k · k/10, which is never negative.",
    "d": "d raises it: the Gaussian rewards nearness, and the query comes nearer.",
    "f": "f raises it. The query, at 37° to the horizontal, turns to 34°, and the key is at 27°.",
    "g": "g raises it, from 11 to 22: length counts. (Were the score negative, it would fall.)",
}

exercise = Question(
    raises_the_score,
    place=10,
    minutes=12,
    level="medium",
    prepares=("cosine_scores",),
    section="The score is a choice",
    task="""
The query $q = (4, 3)$ meets the key $k = (2, 1)$. Draw the two, and predict before you compute:
which of these moves of the query **raise** the score that is named?

- **a** The dot product, by a step in the direction of the key, to $q + k/10$.
- **b** The Gaussian score, by the same step, to $q + k/10$.
- **c** The dot product, by a step toward the key, to $q + (k - q)/10$.
- **d** The Gaussian score, by the same step, to $q + (k - q)/10$.
- **e** The dot product, by a step at right angles to the key, to $q + (1, -2)/10$.
- **f** The cosine, by the same step, to $q + (1, -2)/10$.
- **g** The dot product, by making the query twice as long, $2q$.
- **h** The cosine, by making the query twice as long, $2q$.
""",
    read=Letters("abcdefgh", "moves"),
    reasons=(
        *(Reason(k, contains(k), _NOT[k]) for k in _NOT),
        *(Reason(f"{k}-missing", lacks(k), _YES[k]) for k in _YES),
    ),
    hints=(
        "Ask of each score what it rewards: direction and length, direction only, or nearness?",
        "(q + s) · k = q · k + s · k: only the sign of s · k counts. For the cosine look at the "
        "angle, and for the Gaussian at the distance.",
        "Four of the eight do. q · k = 11, k · k = 5 and (1, −2) · k = 0; the squared distance "
        "between q and k is 8.",
    ),
)
