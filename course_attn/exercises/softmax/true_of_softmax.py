"""Question `true_of_softmax` of chapter 3."""

from course_attn.checking import Question, Reason, as_letters

__all__ = ["exercise"]


def true_of_softmax():
    """Name the true statements."""
    return {"b", "d", "e"}


exercise = Question(
    solution=true_of_softmax,
    place=50,
    section="Why it works in a computer: the shift",
    task="""
Which of these are true for every finite row of scores (n ≥ 2)? Return their letters as a set, such
as `{"a", "c"}`, from `true_of_softmax()`.

- **a** Multiplying all scores by 2 leaves the weights as they are.
- **b** Adding 2 to all scores leaves the weights as they are.
- **c** In exact arithmetic, a score that is low enough gets exactly the weight 0.
- **d** The higher the temperature, the higher (or equal) the entropy.
- **e** The weights' order is the scores' order.
- **f** A weight of 0.9 means that the model is right with probability 0.9.
""",
    read=as_letters,
    reasons=(
        Reason(
            "unknown",
            lambda picked: bool(picked - set("abcdef")),
            lambda picked: (
                f"There is no statement {', '.join(sorted(picked - set('abcdef')))}: the letters "
                "run from a to f."
            ),
        ),
        Reason("none", lambda picked: not picked, "At least one of them is true."),
        Reason(
            "all",
            lambda picked: len(picked) == 6,
            "Not all of them are true: try each.",
        ),
        Reason(
            "a",
            lambda picked: "a" in picked,
            "Look at a again with the scores (0, 1), whose weights are 0.27 and 0.73. Twice these "
            "scores, (0, 2), give 0.12 and 0.88.",
        ),
        Reason(
            "c",
            lambda picked: "c" in picked,
            "Look at c again: is there a finite s with e^s = 0? (A computer rounds e^−1000 to 0; "
            "mathematics does not.)",
        ),
        Reason(
            "f",
            lambda picked: "f" in picked,
            "Look at f again: nothing in the formula knows what is right. The weights sum to 1, "
            "but double all scores and they get surer without any new evidence.",
        ),
        Reason(
            "b-missing",
            lambda picked: "b" not in picked,
            "Nothing that you chose is false, but something is missing. Which factor does e^(s+2) "
            "share with every other power in the row?",
        ),
        Reason(
            "e-missing",
            lambda picked: "e" not in picked,
            "Nothing that you chose is false, but something is missing. Can a larger score ever "
            "get a smaller weight?",
        ),
        Reason(
            "d-missing",
            lambda picked: "d" not in picked,
            "Nothing that you chose is false, but something is missing. At a very high temperature "
            "all weights are 1/n: how large is the entropy there, and on the way?",
        ),
    ),
    hints=(
        "Try each one on the scores (0, 1), where the weights are about 0.27 and 0.73.",
        "Write the weights as e^(s_j) over a sum: which changes of the scores cancel?",
        "Three of the six are true.",
    ),
)
