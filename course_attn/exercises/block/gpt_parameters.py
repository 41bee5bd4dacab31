"""Exercise `gpt_parameters` of chapter 9."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    WrongForm,
)

__all__ = ["exercise"]


def gpt_parameters(n_layers, d_model, n_vocab, n_ctx):
    """Count the parameters of a GPT-2 of this shape."""
    attention = 4 * (d_model**2 + d_model)
    feed_forward = 2 * d_model * 4 * d_model + 4 * d_model + d_model
    norm = 2 * d_model
    blocks = n_layers * (attention + feed_forward + 2 * norm)
    return n_vocab * d_model + n_ctx * d_model + blocks + norm


def _cases() -> tuple[Case, ...]:
    sizes = (
        (12, 768, 50257, 1024),
        (24, 1024, 50257, 1024),
        (2, 6, 101, 17),
        (7, 30, 11, 503),
    )
    kinds = ("example", "medium", "plain", "plain", "one")
    return tuple(
        Case(size, kind)
        for size, kind in zip((*sizes, (1, 10, 29, 13)), kinds, strict=True)
    )


def _whole(count: Callable[..., Any], *shape: int) -> np.ndarray:
    """Read the answer as one whole number."""
    found = count(*shape)
    if isinstance(found, np.ndarray | np.generic) and found.size == 1:
        found = found.item()
    if found is None:
        raise WrongForm(
            "Your function returns `None`. End it with `return …`.", "returns-none"
        )
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise WrongForm(
            f"You return {repr(found)[:30]}; return one whole number, such as 124439808.",
            "no-number",
        )
    if found != found or found in (np.inf, -np.inf) or found != int(found):
        raise WrongForm(
            f"You return {found!r}: a number of parameters is whole. Is there a division?",
            "not-whole",
        )
    return np.array(int(found))


Count = Callable[[int], int]


def _attention(d: int) -> int:
    return 4 * d * d + 4 * d


def _feed_forward(d: int) -> int:
    return 8 * d * d + 5 * d


def _counted(
    n_layers: int,
    d_model: int,
    n_vocab: int,
    n_ctx: int,
    *,
    tokens: Callable[[int, int], int] = lambda n_vocab, d: n_vocab * d,
    positions: Callable[[int, int], int] = lambda n_ctx, d: n_ctx * d,
    attention: Count = _attention,
    feed_forward: Count = _feed_forward,
    norms: Count = lambda d: 4 * d,
    final: Count = lambda d: 2 * d,
    layers: Count = lambda n: n,
) -> int:
    d = d_model
    block = attention(d) + feed_forward(d) + norms(d)
    outside = tokens(n_vocab, d) + positions(n_ctx, d) + final(d)
    return outside + layers(n_layers) * block


def _with(**parts: Any) -> Callable[..., int]:
    """Return a whole wrong version: amounts in proportion to d_model add up ambiguously."""
    return partial(_counted, **parts)


def _off(c: Context) -> str:
    """Say how far the count is off, and how many digits that makes."""
    own, right = int(c.got), int(c.expected)
    more = "too many" if own > right else "too few"
    of = "GPT-2 small" if c.kind == "example" else "this shape"
    return f"For {of} you have {own:,}: {abs(own - right):,} {more} (right: {right:,})."


def _explained(c: Context) -> str | None:
    n_layers, d, n_vocab, n_ctx = (int(size) for size in c.given.values())
    own, right = int(c.got), int(c.expected)
    difference = abs(own - right)
    units = (
        ("n_vocab · d_model", n_vocab * d),
        ("n_ctx · d_model", n_ctx * d),
        ("n_layers · d_model²", n_layers * d * d),
        ("d_model²", d * d),
        ("n_layers · d_model", n_layers * d),
        ("d_model", d),
    )
    for name, unit in units:
        times, rest = divmod(difference, unit)
        if times and not rest and times <= 40:
            much = name if times == 1 else f"{times} · {name}"
            return (
                f"{_off(c)} The difference is {much}: which part has that size? Write down the "
                "parts one by one: embeddings, attention, feed-forward network, norms, final norm."
            )
    return (
        f"{_off(c)} Count the parts one by one: token and position embeddings; in each block "
        "attention, feed-forward network and two norms; the final norm."
    )


exercise = Exercise(
    solution=gpt_parameters,
    place=40,
    section="Counting parameters",
    task="""
Write `gpt_parameters(n_layers, d_model, n_vocab, n_ctx)`: the number of learned parameters of a
GPT-2 of this shape, a whole number. It consists of: a vector of width d_model for each of n_vocab
tokens, and one for each of n_ctx positions; n_layers blocks; a final layer norm. Each block has two
layer norms, an attention layer with square matrices W_Q, W_K, W_V, W_O, and a feed-forward network
with d_ff = 4 d_model. All six matrices of a block have biases, each layer norm a gain and a bias.
The last step, from vectors to scores of the tokens, uses the token vectors again. For GPT-2 small,
with shape (12, 768, 50257, 1024), your function should give its published 124 million.
""",
    cases=_cases,
    variant=_counted,
    use=_whole,
    arguments=("n_layers", "d_model", "n_vocab", "n_ctx"),
    kinds={
        "medium": Kind("for GPT-2 medium, (24, 1024, 50257, 1024)"),
        "plain": Kind(
            "for other shapes", "A number in your code that should be an argument?"
        ),
        "one": Kind("for a single layer"),
    },
    faults=(
        Fault(
            "untied",
            {"tokens": lambda n_vocab, d: 2 * n_vocab * d},
            lambda c: (
                f"{_off(c)} You count the token vectors twice, as embedding and as output matrix. "
                "GPT-2 uses the same matrix for both (tied)."
            ),
        ),
        Fault(
            "no-tokens",
            {"tokens": lambda n_vocab, d: 0},
            lambda c: (
                f"{_off(c)} The token vectors are missing: n_vocab · d_model."
            ),
        ),
        Fault(
            "no-positions",
            {"positions": lambda n_ctx, d: 0},
            lambda c: (
                f"{_off(c)} The learned positions are missing: a vector for each of n_ctx places."
            ),
        ),
        Fault(
            "four-missing",
            _with(attention=lambda d: 4 * d * d),
            lambda c: (
                f"{_off(c)} That is 4 d_model in each block. Two parts have that size, and one of "
                "them is missing: the biases of the four attention matrices, or the gains and "
                "biases of the two norms."
            ),
        ),
        Fault(
            "no-output-bias",
            _with(attention=lambda d: 4 * d * d + 3 * d),
            lambda c: (
                f"{_off(c)} In the attention layer you count biases for Q, K and V only; W_O has "
                "one, too."
            ),
        ),
        Fault(
            "no-output-matrix",
            {"attention": lambda d: 3 * d * d + 3 * d},
            lambda c: (
                f"{_off(c)} W_O, which mixes the heads, is missing with its bias: an attention "
                "layer has four matrices, not three."
            ),
        ),
        Fault(
            "no-feed-forward-biases",
            _with(feed_forward=lambda d: 8 * d * d),
            lambda c: (
                f"{_off(c)} The biases of the feed-forward networks are missing: b_1 has 4 d_model "
                "numbers and b_2 d_model."
            ),
        ),
        Fault(
            "narrow-biases",
            _with(feed_forward=lambda d: 8 * d * d + 2 * d),
            lambda c: (
                f"{_off(c)} In the feed-forward network you count d_model numbers for each bias. "
                "b_1 is added to the hidden features, so it has 4 d_model."
            ),
        ),
        Fault(
            "wide-biases",
            _with(feed_forward=lambda d: 8 * d * d + 8 * d),
            lambda c: (
                f"{_off(c)} In the feed-forward network you count 4 d_model numbers for each bias. "
                "b_2 is added to the result, so it has d_model."
            ),
        ),
        Fault(
            "not-widened",
            {"feed_forward": lambda d: 2 * d * d + 2 * d},
            lambda c: (
                f"{_off(c)} Your feed-forward network has d_ff = d_model. It is four times as "
                "wide: W_1 has shape (d_model, 4 d_model), W_2 the other way round."
            ),
        ),
        Fault(
            "one-matrix",
            {"feed_forward": lambda d: 4 * d * d + 4 * d},
            lambda c: (
                f"{_off(c)} Your feed-forward network has one matrix only: the way back, W_2 with "
                "its bias, is missing."
            ),
        ),
        Fault(
            "half-the-norms",
            _with(norms=lambda d: 2 * d),
            lambda c: (
                f"{_off(c)} You count 2 d_model for the norms of a block. There are two norms, and "
                "each has a gain *and* a bias: 4 d_model."
            ),
        ),
        Fault(
            "no-final-norm",
            {"final": lambda d: 0},
            lambda c: (
                f"{_off(c)} Nearly: that is 2 d_model. After the last block stands one more layer "
                "norm."
            ),
        ),
        Fault(
            "final-norm-half",
            {"final": lambda d: d},
            lambda c: (
                f"{_off(c)} Nearly: that is d_model. The final norm has a gain *and* a bias."
            ),
        ),
        Fault(
            "no-biases",
            {"attention": lambda d: 4 * d * d, "feed_forward": lambda d: 8 * d * d},
            lambda c: (
                f"{_off(c)} The biases of all six matrices of a block are missing: 4 d_model in "
                "attention, 5 d_model in the feed-forward network."
            ),
        ),
        Fault(
            "matrices-only",
            lambda n_layers, d_model, n_vocab, n_ctx: (
                (n_vocab + n_ctx) * d_model + 12 * n_layers * d_model**2
            ),
            lambda c: (
                f"{_off(c)} You count matrices only, the good rule of thumb 12 n_layers d_model². "
                "For the exact number biases and norms come on top."
            ),
        ),
        Fault(
            "no-norms",
            {"norms": lambda d: 0, "final": lambda d: 0},
            lambda c: (
                f"{_off(c)} No layer norm is counted: each has a gain and a bias, there are two "
                "in a block and one at the end."
            ),
        ),
        Fault(
            "blocks-only",
            _with(
                tokens=lambda n_vocab, d: 0,
                positions=lambda n_ctx, d: 0,
                final=lambda d: 0,
            ),
            lambda c: (
                f"{_off(c)} You count the blocks only; the token vectors, the positions and the "
                "final norm are parameters, too."
            ),
        ),
        Fault(
            "one-block",
            {"layers": lambda n: 1},
            lambda c: (
                f"{_off(c)} You count one block; there are {int(c.given['n_layers'])}, each with "
                "parameters of its own."
            ),
        ),
    ),
    properties=(Property("difference", _explained),),
    hints=(
        "How many numbers has a matrix with a bias, from width a to width b? And a layer norm?",
        "A block: 4 matrices d × d with biases, one d × 4d and one 4d × d with biases (how long is "
        "each bias?), and two norms with 2d numbers each. That times n_layers, plus what stands "
        "outside.",
        "Attention has 4 (d² + d), the feed-forward network 8 d² + 5 d, the norms 4 d; outside "
        "stand (n_vocab + n_ctx) d and the final norm.",
    ),
)
