"""Question `rising_scores`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def rising_scores():
    """Name the keys whose scores a step of training raises."""
    return {"b", "c", "h"}


_NOT = {
    "a": "The score of a stays, large as its weight is. v − y = (2, −1) is at right angles to "
    "(1, 2), the way in which the output should move.",
    "d": "The score of d stays. Its value *is* the output: more weight for it changes nothing.",
    "e": "The score of e falls. Its value does point the right way, (1, 2) · (1, 1) = 3, but less "
    "than the output itself, (1, 2) · (2, 1) = 4. That is what the row term compares with.",
    "f": "The score of f stays. A gradient of a score has the weight as a factor, and a masked "
    "weight is 0, however much the value would help.",
    "g": "The score of g falls: v − y = (−4, −1) leads away, (1, 2) · (−4, −1) = −6.",
}
_YES = {
    "b": "The score of b rises: v − y = (1, 2) is the very way in which the output should move.",
    "c": "The score of c rises, and faster than any other: 0.05 (1, 2) · (4, 4) = 0.6. That its "
    "value lies beyond the goal does not matter to a gradient, which sees the first small step.",
    "h": "The score of h rises, a little: v − y = (−2, 2) leads to the left, but up as well, and "
    "(1, 2) · (−2, 2) = 2 is positive.",
}

exercise = Question(
    rising_scores,
    place=10,
    minutes=8,
    level="medium",
    prepares=("softmax_backward",),
    section="What the row term says",
    task="""
A query has the output $y = (2, 1)$, and it should be $(3, 3)$: the loss is
$\\frac12 \\lVert y - (3, 3) \\rVert^2$. Here are the weights of its eight keys, and their values:

- **a** weight 0.25, value (4, 0)
- **b** weight 0.05, value (3, 3)
- **c** weight 0.05, value (6, 5)
- **d** weight 0.40, value (2, 1)
- **e** weight 0.05, value (1, 1)
- **f** weight 0, as it is masked, value (3, 3)
- **g** weight 0.15, value (−2, 0)
- **h** weight 0.05, value (0, 3)

A small step of gradient descent changes the scores. Which of them **rise**? (A sketch of the
values, the output and the goal does most of the work.)
""",
    read=Letters("abcdefgh", "keys"),
    reasons=(
        Reason(
            "falling",
            lambda letters: letters == {"e", "g"},
            "These are the two scores that *fall*: their gradients are positive, and a step goes "
            "against the gradient.",
        ),
        *(Reason(k, contains(k), _NOT[k]) for k in _NOT),
        *(Reason(f"{k}-missing", lacks(k), _YES[k]) for k in _YES),
    ),
    hints=(
        "In which direction should the output move? Which values lie farther in that direction "
        "than the output does?",
        "The gradient of a score is a_j dy · (v_j − y), with dy = y − (3, 3) = (−1, −2). A step "
        "goes against it.",
        "A score rises where a_j (1, 2) · (v_j − y) is positive. For a: (1, 2) · (2, −1) = 0.",
    ),
)
