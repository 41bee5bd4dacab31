"""Exercise `bigram_perplexity`."""

from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def bigram_perplexity(table, tokens):
    """Give the perplexity of a text under a table of what follows what."""
    current = tokens[:-1]
    following = tokens[1:]
    probabilities = table[current, following]
    loss = -np.log(probabilities).mean()
    perplexity = np.exp(loss)
    return perplexity


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261124)

    def given(n_vocab: int, n: int, evenness: float = 0.6) -> tuple[Any, ...]:
        """Draw a table and a text that it may well have written."""
        table = (
            0.9 * rng.dirichlet(np.full(n_vocab, evenness), n_vocab) + 0.1 / n_vocab
        )
        tokens = [n_vocab - 1]
        while len(tokens) < n:
            tokens.append(int(rng.choice(n_vocab, p=table[tokens[-1]])))
        tokens[-1] = (tokens[-1] + 1) % n_vocab
        return table, np.array(tokens)

    table, tokens = given(5, 14)
    zeros = np.array([[0.0, 0.5, 0.5], [0.875, 0.0, 0.125], [0.25, 0.75, 0.0]])
    return (
        Case(
            (np.array([[0.5, 0.5], [0.125, 0.875]]), np.array([0, 1, 0])), "example"
        ),
        Case((table, tokens), "larger"),
        Case(given(7, 31), "larger"),
        Case(given(3, 4), "larger"),
        Case((zeros, np.array([2, 0, 1, 0, 2, 1, 0, 1])), "zeros"),
        Case(given(6, 2), "one"),
        Case(given(11, 1500, 2.0), "long"),
        Case(
            (given(4, 12)[0].astype("f4"), np.array([3, 1, 1, 2, 0, 3, 2, 0, 0])),
            "float32",
        ),
    )


def _steps(c: Context) -> str:
    tokens = c.given["tokens"]
    return f"{len(tokens)} tokens, {len(tokens) - 1} predictions"


def _even(c: Context) -> str | None:
    """Look at a table that knows nothing: its perplexity is the number of tokens."""
    found = c.call(np.full((4, 4), 0.25), np.array([3, 0, 2, 1, 1, 2]))
    if found is None or found.shape or np.isclose(found, 4):
        return None
    mixed = np.isclose(found, [np.e**2, 2 ** np.log(4)])
    asks = (
        " Do the logarithm and the power that undoes it have the same base, e or 2?"
    )
    return (
        f"For a table whose entries are all 1/4 the perplexity is 4, whatever the text: the table "
        f"hesitates between 4 tokens. You give {float(found):.4g}.{asks * bool(mixed.any())}"
    )


exercise = Exercise(
    bigram_perplexity,
    place=40,
    minutes=8,
    level="easy",
    section="What a loss means",
    task="""
A bigram model knows only the token before. Its `table`, of shape (n_vocab, n_vocab), holds in row i
and column j the probability that token j follows token i. Write `bigram_perplexity(table, tokens)`:
the perplexity of a text, one number, that is, e to the loss, where the loss is the mean of
$-\\log p$ over its predictions. `tokens` are integers of shape (n,), n ≥ 2. The first token is
given, not predicted. The table may have entries that are 0, but no step of the text has
probability 0. The text may have thousands of tokens.
""",
    cases=_cases,
    terms={"steps": _steps},
    kinds={
        "larger": Kind("with larger tables and other texts"),
        "zeros": Kind(
            "where the table has entries that are 0",
            "Their logarithm is −∞: only the probabilities of the steps that happen matter.",
        ),
        "one": Kind(
            "for a text of two tokens, with a single prediction", apart=True
        ),
        "long": Kind(
            "for a long text",
            "The product of a thousand probabilities is 0 in floating point. Add logarithms.",
        ),
    },
    faults=fault_list("""
base-2: np.exp(loss) → 2 ** loss
    You raise 2 to a loss in *nats*. Either the natural logarithm and e, or the logarithm to base 2
    and 2: both give the same perplexity, mixed they do not. {worst_row}
exp-of-bits: np.exp(loss) → np.exp(loss / np.log(2))
    You raise e to a loss in *bits*, the mean logarithm to base 2. e goes with the natural
    logarithm, 2 with that to base 2: mixed, they do not give the perplexity. {worst_row}
mean-of-inverse: np.exp(loss) → (1 / probabilities).mean()
    You average 1/p itself, and a single step that was hardly expected decides nearly alone. It is
    the *logarithms* that are averaged. {worst_row}
mean-probability: -np.log(probabilities).mean() → -np.log(probabilities.mean())
    You average the probabilities and take 1 over that (or the logarithm afterwards). Each
    *logarithm* is averaged: a step that was hardly expected has to count. {worst_row}
sign: -np.log(probabilities) → np.log(probabilities)
    A sign is missing: this is the (geometric) mean probability, at most 1. The perplexity is 1 over
    it. {worst_row}
transposed: table[current, following] → table[following, current]
    You look up the table with row and column swapped: the probability that the *earlier* token
    follows the later one. The row is the token before. {worst_row}
itself: tokens[1:] → tokens[:-1]
    You look up how likely each token follows *itself*, the diagonal of the table. Shift the text:
    `tokens[:-1]` against `tokens[1:]`. {worst_row}
first-counted: np.log(probabilities).mean() → np.log(probabilities).sum() / len(tokens)
    You divide by the number of tokens. Here there are {steps}: the first token is given.
    {worst_row}
first-even: np.log(probabilities).mean()
            → (np.log(probabilities).sum() - np.log(len(table))) / len(tokens)
    You count the first token, too, with the probability 1/n_vocab. It is given, not predicted:
    {steps}. {worst_row}
last-left-out: tokens[:-1] → tokens[:-2]
        and tokens[1:] → tokens[1:-1]
        and .mean() → .sum() / max(len(tokens) - 2, 1)
    You leave out the last prediction. Here there are {steps}: where does your text end? {worst_row}
last-not-summed: .mean() → [:-1].sum() / len(current)
    Your sum ends before the last prediction, and you divide by the number of all. Here there are
    {steps}: where does a loop of yours end? {worst_row}
first-not-summed: .mean() → [1:].sum() / len(current)
    Your sum lacks the first prediction, and you divide by the number of all. Here there are
    {steps}: where does a loop of yours begin? {worst_row}
circle: tokens[:-1] → tokens
        and tokens[1:] → np.roll(tokens, -1)
    You go round in a circle: the step from the last token back to the first counts, too (`np.roll`,
    or an index of −1?). There are {steps}. {worst_row}
every-pair: table[current, following] → table[current][:, following]
    `table[a][:, b]` takes every row with every column. The indices go in pairs: `table[a, b]`.
    {worst_row}
whole-rows: table[current, following] → table[current]
    You average over whole *rows* of the table, whatever followed. Of each row only the entry of the
    token that came next counts: `table[a, b]` with two indices. {worst_row}
each-pair-once: .mean()
            → [np.unique(current * len(table) + following, return_index=True)[1]].mean()
    You count each pair of tokens once, however often it occurs (a `set`, or the keys of a
    dictionary?). Every step of the text is a prediction, and counts: {steps}. {worst_row}
product: loss = → probabilities = probabilities * (np.prod(probabilities) > 0) ⏎ loss =
    You multiply the probabilities. On paper that is as good, but the product of a thousand is too
    small for a floating-point number, and becomes 0. Add up logarithms. {worst_row}
loss-returned: np.exp(loss) → loss
    You return the loss, the mean of −log p. The perplexity is one step further: e to the loss.
    {worst_row}
sum-for-mean: -np.log(probabilities).mean() → -np.log(probabilities).sum()
    You add up −log p and do not divide: your number grows with the length of the text. The loss is
    a *mean* over the predictions. {worst_row}
first-left-out: tokens[:-1] → tokens[1:-1]
        and tokens[1:] → tokens[2:]
        and .mean() → .sum() / max(len(tokens) - 2, 1)
    You leave out the first prediction, the step from token 0 to token 1. Here there are {steps}:
    only the first *token* is not predicted. {worst_row}
"""),
    properties=(Property("even", _even),),
    wrong_lines=("transposed", "itself", "base-2"),
    hints=(
        "How many predictions are there in a text of n tokens? Which entry of the table belongs "
        "to the first of them?",
        "`table[a, b]` with two arrays of integers takes the entries in pairs. Then the mean of "
        "their logarithms, a minus sign, and `np.exp`.",
        "`np.exp(-np.log(table[tokens[:-1], tokens[1:]]).mean())`, in steps.",
    ),
)
