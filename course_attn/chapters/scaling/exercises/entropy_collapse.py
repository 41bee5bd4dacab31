"""Question `entropy_collapse`."""

import numpy as np

from course_attn.chapters.several_numbers import Asked, reader, reasons_for
from whywrong import Question, Reason

__all__ = ["exercise"]


def entropy_collapse():
    """Predict the mean entropy of the five kinds of rows."""
    return [2.36, 0.0, 2.77, 0.69, 2.36]


# What learners expect instead, and why it is not so.
_EXPECTED = {
    "a": {
        2.77: "equal weights need scores that hardly differ. Scaled scores have variance 1, at "
        "every width.",
        0.0: "without the scale it would collapse. Scaled scores have variance 1, at every width.",
    },
    "b": {
        2.36: "without the scale the scores spread by √4096 = 64. Who wins then?",
    },
    "c": {
        2.36: "that is for scores of spread 1. Divided by d_k, they spread by 64/4096.",
        0.0: "dividing by more makes scores *smaller*: they spread by 64/4096. And then?",
    },
    "d": {
        0.0: "the best key wins, but it occurs twice. Can one of the two get more than the other?",
        2.08: "log 8 is for eight equal weights. The best of the eight takes everything.",
    },
    "e": {
        0.0: "the scores of a row may get large, but all of them grow by the same number, q · c.",
        2.77: "all scores of a row grow by the same number, q · c. Do they differ less then?",
    },
}
_OTHERWISE = (
    "How far do the scores of a row spread there: by far less than 1, by about 1, or by far more? "
    "And are any of them equal?"
)


def _is_near(found: float, value: float) -> bool:
    return abs(found - value) <= 0.1


exercise = Question(
    entropy_collapse,
    place=50,
    minutes=12,
    level="medium",
    section="What it is for: rows that can still learn",
    task="""
A row has 16 keys. Query and keys are independent, with standard normal components, and wide: d_k =
4096. At d_k = 1024 the chapter measured a mean entropy of 2.36 nats with the scale (log 16 = 2.77
would be equal weights). Predict the mean entropy at d_k = 4096, before you measure anything, when
the scores are

- **a** divided by $\\sqrt{d_k}$;
- **b** not divided;
- **c** divided by $d_k$;
- **d** not divided, but the 16 keys are 8 different ones, each of which occurs twice;
- **e** divided by $\\sqrt{d_k}$, after the same vector $c$, ten times as long as a key, has been
  added to every key.

Give the five numbers in nats. Each may be off by 0.1.
""",
    read=reader(5, "Return five numbers: `return [a, b, c, d, e]`."),
    fields=tuple("abcde"),
    reasons=(
        Reason(
            "bits",
            lambda found: np.allclose(found, [3.4, 0, 4, 1, 3.4], 0, 0.1),
            "All five are right in *bits*. In nats a row with two equal weights has log 2 = 0.69.",
        ),
        *reasons_for(
            tuple(
                Asked(letter, letter, right, _EXPECTED[letter], _OTHERWISE)
                for letter, right in zip("abcde", entropy_collapse(), strict=True)
            ),
            _is_near,
        ),
    ),
    hints=(
        "The entropy depends on how far the scores of a row spread. How does each change alter "
        "that?",
        "Spread about 1: as in the chapter. Far more: the best key takes all. Far less: all are "
        "equal. A number added to the whole row changes nothing.",
        "Two of the five are 2.36, one is 0, one is log 16, and one is log 2.",
    ),
)
