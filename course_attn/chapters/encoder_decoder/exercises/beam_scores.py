"""Exercise `beam_scores`."""

from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list, number

__all__ = ["exercise"]


def beam_scores(answers, sums, end, length_penalty):
    """Divide the sum of each answer by a power of its length, its end included."""
    is_token = answers != end
    lengths = is_token.sum(axis=-1) + 1
    lengths = np.minimum(lengths, answers.shape[-1])
    scores = sums / lengths**length_penalty
    return scores


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261206)

    def given(
        n: int,
        lengths: tuple[int, ...],
        power: float,
        *,
        end: int = 1,
        cut: bool = False,
    ) -> tuple[Any, ...]:
        """Draw answers of these lengths, their end included; they are filled up with it."""
        others = np.setdiff1d(np.arange(13), [end])
        answers = rng.choice(others, (len(lengths), n))
        for row, length in zip(answers, lengths, strict=True):
            row[length - 1 :] = row[length - 1 :] if cut and length == n else end
        return answers, -rng.uniform(1, 9, len(lengths)), end, power

    example = np.array([[5, 3, 1, 1], [4, 1, 1, 1], [2, 6, 5, 1]])
    return (
        Case((example, np.array([-2.0, -1.5, -3.0]), 1, 1.0), "example"),
        Case(given(7, (7, 3, 5, 2, 4), 1.0)),
        Case(given(9, (4, 9, 6), 0.6, end=0)),
        Case(given(6, (2, 5, 1, 3), 1.0, end=12), "only-the-end"),
        Case(given(5, (3, 5, 2, 5), 0.7, cut=True), "cut"),
        Case(given(8, (8, 8, 8), 1.0, cut=True), "cut"),
        Case(given(6, (6, 2, 4, 5), 0.0), "no-penalty"),
        Case(given(4, (1, 4, 3, 2), 2.0, end=6), "square"),
        Case(given(5, (2, 5, 3), 2)),
    )


def _first(c: Context, among: Any = True) -> str:
    if c.got.shape != c.expected.shape:
        return f"You return shape {c.got.shape}; shape {c.expected.shape} is asked for."
    off = np.abs(np.nan_to_num(c.got - c.expected, nan=1e9))
    i = int((off * np.where(among, 1, 1e-20)).argmax())
    return (
        f"The answer {c.given['answers'][i].tolist()}, whose sum is {number(c.given['sums'][i])}, "
        f"has the score {number(c.got[i])} in yours; with end = {c.given['end']} and "
        f"length_penalty = {c.given['length_penalty']:g}, {number(c.expected[i])} is right."
    )


def _cut(c: Context) -> str:
    """Take an answer without an end as the example."""
    return _first(c, (c.given["answers"] != c.given["end"]).all(axis=-1))


exercise = Exercise(
    beam_scores,
    place=60,
    minutes=7,
    level="easy",
    section="Beam search",
    task="""
The last step of a beam search: which answer is the best? Write `beam_scores(answers, sums, end,
length_penalty)`: `answers`, integers of shape (n_answers, n), are sequences without the start; one
that ended early is filled up with the token `end`, and in one that was cut there is no `end`.
`sums`, (n_answers,), are the sums of their log-probabilities. Return the scores, of shape
(n_answers,): each sum divided by `length ** length_penalty`, where `length` is that of its answer
and `length_penalty` a number of 0 or more. The end that an answer has written counts as one of its
tokens; the ends that only fill up do not.
""",
    cases=_cases,
    terms={"first": _first, "cut": _cut},
    kinds={
        "only-the-end": Kind(
            "where an answer is nothing but its end", "Its length is 1."
        ),
        "cut": Kind(
            "where some answers were cut and have no end",
            "All n places of such an answer are tokens, and no more than these.",
            apart=True,
        ),
        "no-penalty": Kind(
            "where `length_penalty` is 0", "Any length to the power 0 is 1."
        ),
    },
    faults=fault_list("""
filling-counted: is_token.sum(axis=-1) + 1 → np.full(len(sums), answers.shape[-1])
    You count the filling, too: all your answers are equally long. Where does each of them end?
    {first}
last-place-only: is_token.sum(axis=-1) + 1 → answers.shape[-1] - (answers[..., -1] == end)
    You look for the end at the last place only. Where is the *first* end of an answer? {first}
end-not-counted: is_token.sum(axis=-1) + 1 → np.maximum(is_token.sum(axis=-1), 1)
    Your lengths leave out the end that an answer has written itself. Its log-probability is in the
    sum, so it counts in the length, too. {first}
end-not-counted-zero: is_token.sum(axis=-1) + 1 → is_token.sum(axis=-1)
    Your lengths leave out the end that an answer has written itself, so that one that is nothing
    but its end has the length 0. Its log-probability is in the sum, so it counts, too. {first}
cut-too-long: np.minimum(lengths, answers.shape[-1]) → lengths
    An answer that was cut has written no end, and you count one: its
    length is just the number of its tokens. {cut}
cut-as-one: np.minimum(lengths, answers.shape[-1]) → (answers == end).argmax(axis=-1) + 1
    An answer that was cut counts as a single token in yours. It holds no end, and where nothing is
    True `argmax` says 0. How long is such an answer? {cut}
not-divided: sums / lengths**length_penalty → sums * lengths**0
    You return the sums: the shortest answers are favored. What are they to be divided by? {first}
multiplied: sums / lengths**length_penalty → sums * lengths**length_penalty
    You multiply by the length: the sums are negative, and long answers fall even further behind.
    {first}
exchanged: lengths**length_penalty → length_penalty**lengths
    You raise `length_penalty` to the power of the length. Which of the two is the power? {first}
power-of-the-mean: sums / lengths**length_penalty → (sums / lengths) ** length_penalty
    You raise the whole quotient to the power. Only the length is raised; the sum stays. {first}
linear: lengths**length_penalty → (length_penalty * lengths)
    You multiply the length by `length_penalty`, which is to be an exponent. If it is 0, what do you
    divide by, and what is right? {first}
added: sums / lengths**length_penalty → sums + length_penalty * lengths
    You add the length as a bonus. The score of this chapter divides. {first}
subtracted: sums / lengths**length_penalty → sums - length_penalty * lengths
    You subtract `length_penalty` times the length: the sums are negative, and long answers fall
    even further behind. The score of this chapter divides. {first}
plain-mean: lengths**length_penalty → lengths
    You always divide by the length itself. Where does `length_penalty` come in? {first}
published: lengths**length_penalty → ((5 + lengths) / 6) ** length_penalty
    You divide by ((5 + length) / 6) ** length_penalty, as the paper on Google's translator
    (GNMT, 2016) does. Here it is length ** length_penalty. {first}
zero-for-the-end: answers != end → answers != 0
    You take 0 for the end. Which token ends an answer here? {first}
sorted: return scores → return np.sort(scores)[::-1]
    You sort the scores, and then they no longer stand beside their answers. In which order are they
    asked for? {first}
best-place: return scores → return scores.argmax()
    You return the place of the best answer. The scores themselves are asked for, one for each.
best-only: return scores → return scores.max()
    You return the best score alone. A score for each answer is asked for, {right.shape}.
start-counted: np.minimum(lengths, answers.shape[-1]) → np.minimum(lengths, answers.shape[-1]) + 1
    Every length is one too large in yours. Do you count the start, which is not in `answers`, or
    the end twice? {first}
probabilities: return scores → return np.exp(scores)
    You return the exponentials of the scores. The quotients themselves are asked for. {first}
sign: return scores → return -scores
    Your scores have the wrong sign: the sums are negative, and so is each of them divided by a
    power of a length. {first}
"""),
    properties=(Property("first", _first, any_shape=True),),
    hints=(
        "How long is the answer [5, 3, 1, 1] if 1 is the end, and how long is [2, 6, 5, 4]?",
        "Count the tokens that are not `end`, and add one for the end, where there is one.",
        "`(answers != end).sum(axis=-1) + 1`, but never more than n: `np.minimum`. Then the power, "
        "then the division.",
    ),
)
