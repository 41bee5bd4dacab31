"""Exercise `teacher_forcing`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def teacher_forcing(answers, start, end):
    """Make of right answers what a decoder is told, and what each row of it is to write."""
    first = np.full_like(answers[..., :1], start)
    last = np.full_like(answers[..., :1], end)
    inputs = np.concatenate([first, answers], axis=-1)
    goals = np.concatenate([answers, last], axis=-1)
    return inputs, goals


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261202)

    def given(
        *shape: int, start: int = 0, end: int = 1
    ) -> tuple[np.ndarray, int, int]:
        """Draw answers without the two tokens, in which no token follows itself."""
        others = np.setdiff1d(np.arange(23), [start, end])
        steps = rng.integers(1, len(others), shape)
        return others[steps.cumsum(axis=-1) % len(others)], start, end

    return (
        Case((np.array([[5, 2, 7, 3], [4, 6, 2, 9]]), 0, 1), "example"),
        Case(given(3, 10)),
        Case(given(7, 4, start=9, end=4), "other-tokens"),
        Case(given(5, 2, start=22, end=0), "other-tokens"),
        Case(given(6), "vector"),
        Case(given(11, start=3, end=20), "vector"),
        Case(given(2, 3, 5, start=1, end=0), "batch"),
        Case(given(5, 5), "square"),
        Case(given(4, 1), "one-token"),
    )


def _first_answer(c: Context) -> str:
    """Quote the first answer that is wrong and what becomes of it."""
    result, answers = c.given["result"], c.given["answers"]
    if c.got.shape == answers.shape:
        n = answers.shape[-1]
        return (
            f"Your `{result}` have {n} places, as many as the answers have; {n + 1} are asked for. "
            "What is read before the first token, and what is written after the last?"
        )
    if c.got.shape[:-1] != c.expected.shape[:-1] or not c.got.size:
        shapes = f"shape {c.got.shape}; {c.expected.shape} is right."
        if c.got.ndim == 1 < c.expected.ndim:
            return f"Without `axis=`, `np.insert` and `np.append` join all answers: {shapes}"
        return f"Your `{result}` have {shapes}"
    got, expected = (a.reshape(-1, a.shape[-1]) for a in (c.got, c.expected))
    differ = [not np.array_equal(*pair) for pair in zip(got, expected, strict=True)]
    i = differ.index(True)
    answer = answers.reshape(len(got), -1)[i].tolist()
    return (
        f"Of the answer {answer}, with start {c.given['start']} and end {c.given['end']}, your "
        f"`{result}` are {got[i].tolist()}; {expected[i].tolist()} is right."
    )


exercise = Exercise(
    teacher_forcing,
    place=20,
    minutes=5,
    level="easy",
    prepares=("two_mistakes",),
    section="Training: all characters at once",
    task="""
A decoder is trained on right answers: it is told one, and each row writes the token that comes
next. Write `teacher_forcing(answers, start, end)`: `answers` is an array of integers of shape (…,
n), a batch of answers of n tokens each, or a single one (n,); neither the token `start` nor the
token `end` is in them yet. Return two arrays of integers, `inputs, goals`, in which each place of
`goals` is what the decoder has to write when it has read the `inputs` up to the same place, and
nothing later. It begins to write after `start`, and `end` is the last token that it writes. Leave
`answers` as they are.
""",
    cases=_cases,
    results=("inputs", "goals"),
    terms={"answer": lambda c: _first_answer(c).partition(" What")[0]},
    kinds={
        "other-tokens": Kind(
            "where `start` and `end` are not 0 and 1",
            "0 and 1 are tokens like any others there.",
        ),
        "one-token": Kind("where the answers are a single token"),
    },
    faults=fault_list("""
not-shifted: [first, answers] → [answers, last]
    Your inputs are what the goals should be: at every place the decoder reads the very token that
    it has to write. What will it learn, and what is it given when it has to write by itself?
    {answer}
not-shifted-with-start: [answers, last] → [first, answers]
    Your goals are what the inputs should be: at every place the decoder reads the very token that
    it has to write. Which token comes *after* each input? {answer}
not-cut: [first, answers] → [first, answers, last]
        and [answers, last] → [first, answers, last]
    Inputs and goals are the same: at every place the decoder reads the very token that it has to
    write. Which of the two lacks the last token, and which the first? {answer}
both-as-they-are: [first, answers] → [answers]
        and [answers, last] → [answers]
    Inputs and goals are the same: at every place the decoder reads the very token that it has to
    write. What does it read before it has written anything, and what does it write last? {answer}
two-ahead: [answers, last] → [answers[..., 1:], last, last]
    Your goals run one place too far ahead: after the start the first token is to be written, and
    you ask for the second. {answer}
backward: return inputs, goals → return goals, inputs
    Your two results are exchanged: what you call inputs are the goals. Do you return `goals` first?
    (Or do you shift the wrong way, so that the decoder would write the token *before* the one it
    has just read?) {answer}
no-start: [first, answers] → [answers]
        and [answers, last] → [answers[..., 1:], last]
    The start is missing: your decoder never learns to write the first token of an answer. What does
    it read before it has written anything? {answer}
no-end: [first, answers] → [first, answers[..., :-1]]
        and [answers, last] → [answers]
    The end is missing: your decoder never learns to stop. What has to be written after the last
    token of an answer? Your inputs and your goals have {answers.last} places each, one too few.
inputs-as-they-are: [first, answers] → [answers]
    Your inputs are the answers as they are, one place less than the goals: the decoder is told the
    very tokens that it has to write. What does it read before it has written anything? {answer}
goals-as-they-are: [answers, last] → [answers]
    Your goals are the answers as they are, one place less than the inputs: your decoder never
    learns to stop. What has to be written after the last token of an answer? {answer}
no-start-no-end: [first, answers] → [answers[..., :-1]]
        and [answers, last] → [answers[..., 1:]]
    Start and end are missing: your decoder learns neither to write the first token nor to stop.
    What is read before the first, and what is written after the last? {answer}
both-shifted: [first, answers] → [first, answers[..., :-1]]
        and [answers, last] → [answers[..., 1:], last]
    You shift both, the inputs to the right and the goals to the left: the goals run two places
    ahead of the inputs. Which token of {answers.row} is written when only the start has been read?
goals-from-the-second: [answers, last] → [answers[..., 1:], last]
    Your goals begin with the second token of an answer. Which one is to be written when only the
    start has been read? {answer}
end-read: [first, answers] → [first, answers, last]
        and [answers, last] → [answers, last, first]
    Your decoder reads the end, too, after which nothing is written: both arrays have a place too
    many. What is the last token that it reads, and what does it write then? {answer}
overwritten: [first, answers] → [first, answers[..., 1:]]
        and [answers, last] → [answers[..., :-1], last]
    The start takes the place of the first token, and the end that of the last: each of your arrays
    has lost a token of the answer. How many places do {answers.last} tokens and a start take?
start-over-first: [first, answers] → [first, answers[..., 1:]]
    The start takes the place of the first token, which your decoder never reads. How many places do
    {answers.last} tokens and a start take? {answer}
end-over-last: [answers, last] → [answers[..., :-1], last]
    The end takes the place of the last token, which your decoder never learns to write. How many
    places do {answers.last} tokens and an end take? {answer}
every-axis: np.concatenate([first, answers], axis=-1)
            → np.pad(answers, (1, 0), constant_values=start)
        and np.concatenate([answers, last], axis=-1) → np.pad(answers, (0, 1), constant_values=end)
    For a single answer that would do. A batch gets an answer more, of nothing but starts or ends:
    which axis counts the tokens, and has to grow alone? (`np.pad` widens every axis if it is told
    one pair of widths.) {answer}
start-at-1: [first, answers] → [answers[..., :1], first, answers[..., 1:]]
    The start stands *behind* the first token. What has the decoder read before it writes that?
    {answer}
goals-in-one-row: np.concatenate([answers, last], axis=-1) → np.append(answers, end)
    Your goals are one flat row, all answers with a single end. (`np.append` does that without
    `axis=`.) Each answer has an end of its own: shape {right.shape}, not {your.shape}.
end-as-input: [first, answers] → [first, answers, last]
    Your inputs end with the end token, one place more than the goals have. What would the decoder
    have to write after the end? {answer}
end-on-both: [first, answers] → [first, answers, last]
        and [answers, last] → [answers, last, last]
    Your inputs end with the end token, and the decoder has to write it a second time. What is
    there to be written after the end? {answer}
start-as-goal: [answers, last] → [first, answers, last]
    Your goals begin with the start token. It is given, never written: what does the decoder write
    first? {answer}
along-axis-0: answers[..., :1], start → answers[:1], start
        and answers[..., :1], end → answers[:1], end
        and [first, answers], axis=-1 → [first, answers], axis=0
        and [answers, last], axis=-1 → [answers, last], axis=0
    For a single answer that would do. In a batch axis 0 counts answers: you put another answer in
    front, and one behind. Which axis counts the tokens? {answer}
start-and-end-exchanged: answers[..., :1], start → answers[..., :1], end
        and answers[..., :1], end → answers[..., :1], start
    The two tokens are exchanged. Which one is read first, and which one is written last? {answer}
zero-in-front: answers[..., :1], start → answers[..., :1], 0
    You put 0 in front of the answers. 0 may be a token like any other: which number stands for the
    start is told to you, and here it is {start}.
one-for-both: answers[..., :1], end → answers[..., :1], start
    The last of your goals is the start token. Which token tells that an answer is over? {answer}
last-not-read: [first, answers] → [first, answers[..., :-1]]
    Your inputs lack the last token of each answer. What has been read when the end is to be
    written? {answer}
start-behind: [first, answers] → [answers, first]
    The start stands at the end of your inputs. When is it read? {answer}
"""),
    properties=(Property("answer", _first_answer, any_shape=True),),
    wrong_lines=("not-shifted", "start-as-goal", "one-for-both"),
    hints=(
        "Write it down for the answer [5, 2, 7, 3]: what has been read when 5 is written, and what "
        "is written when 3 has been read?",
        "Both arrays have one place more than an answer: one has a token in front, the other "
        "a token behind.",
        "`np.full_like(answers[..., :1], start)` is a column of starts; `np.concatenate([…, …], "
        "axis=-1)` puts it beside the answers.",
    ),
)
