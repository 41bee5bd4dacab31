"""Exercise `shift_targets`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def shift_targets(tokens, pad):
    """Cut texts into what a model reads and what it is to predict; padding is no target."""
    inputs = tokens[..., :-1]
    following = tokens[..., 1:]
    targets = np.where(following == pad, -100, following)
    return inputs, targets


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261122)

    def texts(n: int, *lengths: int, pad: int = 0) -> tuple[np.ndarray, int]:
        """Draw texts of these lengths and fill them up to n tokens."""
        tokens = np.full((len(lengths), n), pad)
        others = np.setdiff1d(np.arange(23), [pad])
        for row, length in zip(tokens, lengths, strict=True):
            row[:length] = rng.choice(others, length)
            row[0], row[length - 1] = others[3], others[5]  # no text is a circle
        return tokens, pad

    batch, pad = texts(7, 7, 3, 5, 4, 6, 2)
    return (
        Case((np.array([[5, 2, 7, 3], [4, 6, 0, 0]]), 0), "example"),
        Case(texts(8, 8, 5, 2)),
        Case(texts(7, 4, 6, 3, 5)),
        Case(texts(9, 6, 9, pad=22), "other-pad"),
        Case((texts(11, 11)[0][0], 0), "vector"),
        Case((texts(6, 4)[0][0], 0), "vector"),
        Case((batch.reshape(2, 3, 7), pad), "batch"),
        Case(texts(5, 5, 5, 5), "full"),
        Case(texts(5, 3, 5, 2, 4, 5), "square"),
    )


def _first_text(c: Context) -> str:
    """Quote the first wrong text and what becomes of it."""
    if c.got.ndim == 1 < c.expected.ndim:
        return (
            f"Your `{c.given['result']}` are one flat row of {c.got.size} tokens; shape "
            f"{c.expected.shape} is asked for. (An index of True and False takes out single "
            "entries, and the rows are lost: let the padding keep its places, with −100 as the "
            "target there.)"
        )
    if c.got.shape != c.expected.shape:
        cut = c.got.shape[-1:] < c.expected.shape[-1:]
        return (
            f"Your `{c.given['result']}` have shape {c.got.shape}; {c.expected.shape} is right"
            f"{': n − 1 places, whether padding stands there or not' * cut}."
        )
    got, expected = (a.reshape(-1, a.shape[-1]) for a in (c.got, c.expected))
    wrong = (got != expected).any(axis=-1)
    i = int(wrong.argmax())
    text = c.given["tokens"].reshape(len(got), -1)[i]
    why = (
        "The inputs are what the model reads: leave them as they are, padding and all. "
        if c.given["result"] == "inputs"
        and wrong.any()
        and ((got == expected) | (got == -100)).all()
        else ""
    )
    return (
        f"{why}Of the text {text.tolist()} your `{c.given['result']}` are {got[i].tolist()}; "
        f"{expected[i].tolist()} is right."
    )


exercise = Exercise(
    shift_targets,
    place=10,
    minutes=6,
    level="easy",
    prepares=("cross_entropy", "bigram_perplexity"),
    section="Targets are the text, shifted by one",
    task="""
What a language model is to predict is the text itself, one token later. Write
`shift_targets(tokens, pad)`: `tokens` is an array of integers of shape (…, n), a batch of texts, or
a single one (n,). A text that is shorter than n is filled up with the token `pad` behind its
end (and no text has this token inside). Return two arrays of integers of shape (…, n − 1),
`inputs, targets`. The inputs are the tokens that have one behind them, as they are; the target at
each place is the token behind the input. Where that is padding, the target is −100, which the loss
leaves out. Leave `tokens` as they are.
""",
    cases=_cases,
    results=("inputs", "targets"),
    terms={"text": _first_text},
    kinds={
        "other-pad": Kind(
            "where `pad` is not 0", "0 is a token like any other there."
        ),
        "full": Kind("where no text has padding"),
    },
    faults=fault_list("""
not-shifted: tokens[..., 1:] → tokens[..., :-1]
    Your targets are the inputs themselves. The loss would fall to 0, and the model would have
    learned to copy what it reads. Drop the *first* token for the targets, `1:`. {text}
swapped: tokens[..., :-1] → tokens[..., 1:]
        and tokens[..., 1:] → tokens[..., :-1]
    Inputs and targets are swapped: your model reads each token and predicts the one *before* it.
    {text}
two-ahead: tokens[..., 1:]
            → np.append(tokens[..., 2:], ⏎ np.full_like(tokens[..., :1], pad), axis=-1)
    Your targets run one place too far ahead: each is the token after the next. What comes right
    behind the first input? {text}
two-ahead-shorter: tokens[..., 1:] → tokens[..., 2:]
        and tokens[..., :-1] → tokens[..., :-2]
    Your targets are the tokens after the next, and a place is lost. What comes right behind the
    first input? {text}
rolled: tokens[..., 1:] → np.roll(tokens, -1, axis=-1)
        and tokens[..., :-1] → tokens
    You keep all n places (`np.roll`?): behind the last token there is none, and the first one
    comes round to stand there. Both arrays have one place less than the text. {text}
all-places: tokens[..., 1:]
            → np.concatenate([tokens[..., 1:], np.full_like(tokens[..., :1], -100)], axis=-1)
        and tokens[..., :-1] → tokens
    You keep all n places, with −100 as the last target. The last token is no input: nothing is
    behind it. Both arrays have n − 1 places. {text}
all-places-padded: tokens[..., 1:]
            → np.concatenate([tokens[..., 1:], np.full_like(tokens[..., :1], pad)], axis=-1)
        and tokens[..., :-1] → tokens
        and np.where(following == pad, -100, following) → following
    You keep all n places, with `pad` = {pad} as the last target, and padding is a target elsewhere,
    too. Both arrays have n − 1 places, and what is not to be learned is −100. {text}
inputs-whole: tokens[..., :-1] → tokens
    Your inputs are the whole texts, n tokens. The last one has none behind it and is no input:
    n − 1 places, as in the targets.
minus-one: -100 → -1
    What is left out has the target −1 in yours. It is −100 that the loss leaves out. {text}
texts-shifted: tokens[..., :-1] → tokens[:-1]
        and tokens[..., 1:] → tokens[1:]
    Slicing the first axis is right for a single text only. In a batch, that counts *texts*: your
    target is the next *text* of the batch, not the next token. The tokens are the last axis,
    `[..., 1:]`. {text}
padding-kept: np.where(following == pad, -100, following) → following
    The padding is left as a target: the model would learn to write `pad` = {pad} behind every end,
    and that counts in its loss. Replace it by −100. {text}
found-by-inputs: following == pad → inputs == pad
    In yours the first `pad` behind a text is still a target. Every target that is padding must
    become −100, this one too. (Do you look for padding in the *inputs*, or keep the first
    `pad` as an end?) {text}
pad-is-0: following == pad → following == 0
    You take 0 for padding, whatever `pad` is, here {pad}. {text}
inputs-hidden: inputs = → tokens = tokens.copy() ⏎ inputs =
        and return → following[...] = targets ⏎ return
    There is −100 in your inputs, too, and no embedding has a row for that. Was the padding replaced
    before the cut, or in an array that both share? {text}
full-texts-lost: following == pad
            → (following == pad) | (tokens != pad).all(axis=-1, keepdims=True)
    A text without padding loses all its targets. (Is its length found by `argmax`? Where nothing is
    True, that gives 0, as if the text ended before it begins.) {text}
turned-around: np.where(following == pad, -100, following)
            → np.where(following == pad, following, -100)
    You keep the padding as a target and hide the tokens: are the condition or the two values of
    `np.where` turned around? {text}
plus-100: -100 → 100
    What is left out has the target 100 in yours, which could be a token. Which number does the loss
    leave out? {text}
"""),
    properties=(Property("text", _first_text, any_shape=True),),
    wrong_lines=("not-shifted", "padding-kept", "found-by-inputs"),
    hints=(
        "Of the text [5, 2, 7, 3]: what is read before the 2 is predicted, what before the 3, and "
        "which token has nothing to predict?",
        "All tokens but the last, and all but the first: two slices of the last axis. Then look at "
        "the *targets* for padding.",
        "`tokens[..., :-1]`, `tokens[..., 1:]`, and `np.where(… == pad, -100, …)`.",
    ),
)
