"""Exercise `draw_tokens`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def draw_tokens(probabilities, u):
    """Draw a token for each number from 0 to 1, by the sums of the probabilities."""
    sums = np.cumsum(probabilities)
    is_passed = sums <= u[:, None]
    tokens = is_passed.sum(axis=-1)
    return tokens


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261126)

    def given(n_vocab: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        p = 0.8 * rng.dirichlet(np.full(n_vocab, 0.7)) + 0.2 / n_vocab
        u = np.concatenate([[0.005], rng.uniform(0.01, 0.99, n - 2), [0.99]])
        distance = np.abs(np.cumsum(p)[:, None] - u).min(axis=0)
        return p, u[distance > 5e-3]

    some_left = np.array([0.0, 0.0, 0.375, 0.0, 0.0, 0.5, 0.125, 0.0])
    return (
        Case(
            (
                np.array([0.25, 0.5, 0.15, 0.1]),
                np.array([0.6, 0.1, 0.8, 0.95, 0.3]),
            ),
            "example",
        ),
        Case(given(5, 23)),
        Case(given(13, 40)),
        Case(given(7, 7), "square"),
        Case(
            (some_left, np.array([0.0, 0.2, 0.37, 0.38, 0.5, 0.86, 0.9])), "zeros"
        ),
        Case(
            (np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.99, 0.4, 0.1])), "certain"
        ),
        Case((np.array([0.25, 0.125, 0.625]), np.array([0.9])), "one"),
        Case(tuple(a.astype("f4") for a in given(9, 17)), "float32"),
    )


def _first(c: Context) -> str:
    """Say which token a number draws, and which it should."""
    if c.got.shape != c.expected.shape:
        return f"You return shape {c.got.shape}; shape {c.expected.shape} is asked for."
    i = int((c.got != c.expected).argmax())
    u = c.given["u"]
    goes_on = (
        "Your tokens never go back: does each u begin again at token 0? "
        if np.array_equal(c.got, np.maximum.accumulate(c.expected))
        else ""
    )
    sums = np.cumsum(c.given["probabilities"]).round(3).tolist()
    more = ", …" * (len(sums) > 5)
    return (
        f"{goes_on}u = {u[i]:.4g} draws token {c.got[i]} in yours; {c.expected[i]} is right, as "
        f"the sums are [{', '.join(map(str, sums[:5]))}{more}]."
    )


exercise = Exercise(
    draw_tokens,
    place=70,
    minutes=7,
    level="easy",
    section="Choosing the next character",
    task="""
A computer draws a token with one number u, drawn evenly from 0 (included) to 1 (excluded). It adds
up the probabilities in the order of the tokens; the token drawn is the *first* one with which the
sum is greater than u. Write `draw_tokens(probabilities, u)`: `probabilities` has shape (n_vocab,)
and sums to 1, some of its entries may be 0; `u` has shape (n,), with the numbers for n draws from
these same probabilities. Return n tokens, an array of integers. Nothing here is random, and
the numbers u keep away from the sums, but for u = 0.
""",
    cases=_cases,
    terms={"first": _first},
    kinds={
        "zeros": Kind(
            "where some tokens have probability 0",
            "They must never be drawn, not even by u = 0.",
        ),
        "certain": Kind("where one token has probability 1"),
        "one": Kind("for a single draw", "It is still an array, of shape (1,)."),
    },
    faults=fault_list("""
zero-drawn: sums = → u = np.nextafter(u, -1) ⏎ sums =
    You take the first sum that is *at least* u. It has to be *greater*, or a token of probability
    0 is drawn (`<` or `<=`? With `np.searchsorted` the `side` decides). {first}
not-reset: is_passed =
            → u = u + 0 ⏎ for i, x in enumerate(u, 1): u[i:] -= sums[sums > x].min() ⏎ is_passed =
    Your running sum is left over from one u to the next. At what does it begin for each u?
    {first}
one-too-far: is_passed.sum(axis=-1) → is_passed.sum(axis=-1) + 1
    You are one token too far: token 0 is drawn where u has passed no sum at all. {first}
compared-before: np.cumsum(probabilities) → np.append(0, np.cumsum(probabilities)[:-1])
        and is_passed.sum(axis=-1) → np.minimum(is_passed.sum(axis=-1), len(probabilities) - 1)
    You are one token too far, but for the last. Does a token's own probability count before its sum
    is compared with u? {first}
zeros-left-out: sums = → probabilities = probabilities[probabilities > 0] ⏎ sums =
    You leave out the tokens of probability 0 and number the others anew. They are never drawn, but
    keep their numbers. {first}
one-too-early: is_passed.sum(axis=-1) → np.maximum(is_passed.sum(axis=-1) - 1, 0)
    You are one token too early: the *last* sum that u has passed belongs to the token before.
    {first}
one-less: is_passed.sum(axis=-1) → is_passed.sum(axis=-1) - 1
    You are one token too early, and −1 is no token. How many sums has u passed when it draws token
    0? {first}
u-mirrored: u[:, None] → 1 - u[:, None]
    You draw with 1 − u, as if from the other end. u itself is compared with the sums. {first}
last-never-drawn: is_passed.sum(axis=-1) → np.minimum(is_passed.sum(axis=-1), len(sums) - 2)
    You never draw the last token: where u has passed the sum before it, you stay one below.
    Up to which token do your sums go? {first}
softmaxed: np.cumsum(probabilities)
            → np.cumsum(np.exp(probabilities) / np.exp(probabilities).sum())
    You take a softmax first. `probabilities` are probabilities already, and sum to 1. {first}
likeliest-first: np.cumsum(probabilities) → np.cumsum(np.sort(probabilities)[::-1])
        and is_passed.sum(axis=-1) → np.argsort(-probabilities)[is_passed.sum(axis=-1)]
    You go through the tokens from the likeliest down. That changes no token's chance, but the task
    adds up in the order of the *tokens*, without sorting. {first}
ranks: np.cumsum(probabilities) → np.cumsum(np.sort(probabilities)[::-1])
    You go through the probabilities from the largest down, and return a place in *that* order. Add
    up in the order of the tokens, without sorting. {first}
u-sorted: u[:, None] → np.sort(u)[:, None]
    Your tokens are those of the *sorted* numbers u. Each token has the place that its u has in what
    is given. {first}
nearest: is_passed.sum(axis=-1) → np.abs(sums - u[:, None]).argmin(axis=-1)
    You take the sum that is *nearest* to u. A token owns the whole stretch up to its sum: the first
    sum that is greater. {first}
first-probability: np.cumsum(probabilities) → probabilities
        and is_passed.sum(axis=-1) → (~is_passed).argmax(axis=-1)
    You take the first token whose own *probability* is greater than u. The *sums* are compared with
    u: `np.cumsum`. {first}
only-compared: return tokens → return ~is_passed
    You return the comparison itself, a row of truth values for each u. The token is the place of
    the first True: shape {right.shape}, not {your.shape}.
likeliest: return tokens → return np.full(len(u), probabilities.argmax())
    You take the likeliest token, whatever u is. Which sums does u lie between? {first}
from-the-end: np.cumsum(probabilities) → np.cumsum(probabilities[::-1])
    You add up from the last token. The sums begin with token 0. {first}
"""),
    properties=(Property("first", _first, any_shape=True),),
    hints=(
        "Draw a stretch from 0 to 1 and cut it into pieces as long as the probabilities. On which "
        "piece does u lie?",
        "`np.cumsum` gives the ends of the pieces. How many ends has u passed, if it lies on "
        "piece 2?",
        "Compare a row of sums with a column, `u[:, None]`, and count along each row.",
    ),
    built_ins=("numpy.random.Generator.choice",),
)
