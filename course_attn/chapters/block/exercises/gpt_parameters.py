"""Exercise `gpt_parameters`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault,
    fault_list,
    number,
)

__all__ = ["exercise"]


def gpt_parameters(n_layers, d_model, n_vocab, n_ctx):
    """Count the parameters of a GPT-2 of this shape."""
    hidden_width = 4 * d_model
    token_vectors = n_vocab * d_model
    positions = n_ctx * d_model
    attention = 4 * d_model**2 + 4 * d_model
    first_layer = d_model * hidden_width + hidden_width
    second_layer = hidden_width * d_model + d_model
    layer_norm = 2 * d_model
    blocks = n_layers * (attention + first_layer + second_layer + 2 * layer_norm)
    return token_vectors + positions + blocks + layer_norm


def _cases() -> tuple[Case, ...]:
    return (
        Case((12, 768, 50257, 1024), "example"),
        Case((24, 1024, 50257, 1024), "medium"),
        Case((2, 6, 101, 17)),
        Case((7, 30, 11, 503)),
        Case((1, 10, 29, 13), "one"),
    )


def _whole(count: Callable[..., Any], *shape: int) -> Any:
    """Read the answer as one whole number, which may be a float."""
    found, unit = count(*shape), ""
    if found is None:
        return None
    try:
        if shape[1] > 500 and 100 < found < 1000:
            unit = " (in millions?)"
        elif int(found) == found:
            return np.array(int(found))
    except (TypeError, ValueError, OverflowError):
        pass
    message = f"You return {found!r:.30}{unit}; return one whole number, such as 124439808."
    raise WrongForm(message, "no-number")


def _off(c: Context) -> str:
    """Say how far the count is off."""
    own, right = int(c.got), int(c.expected)
    more = "too many" if own > right else "too few"
    shape = tuple(map(int, c.given.values()))
    of = "GPT-2 small" if c.kind == "example" else f"the shape {shape}"
    return f"For {of} you have {own:,}: {abs(own - right):,} {more}."


# What a count may consist of: its name, how often that is right, and what it stands for.
_TERMS = (
    (lambda L, d, V, C: V * d, "n_vocab · d_model", 1, "the token vectors, used again at the end"),
    (lambda L, d, V, C: C * d, "n_ctx · d_model", 1, "a vector for each position"),
    (lambda L, d, V, C: L * d * d, "n_layers · d_model²", 12, "4 in attention, 8 in the network"),
    (lambda L, d, V, C: L * d, "n_layers · d_model", 13,
     "4 for the biases of attention, 4 + 1 for those of the network, 2 for each of the two norms"),
    (lambda L, d, V, C: d, "d_model outside the blocks", 2, "gain and bias of the final norm"),
    (lambda L, d, V, C: V, "n_vocab", 0, "the last step has no bias"),
    (lambda L, d, V, C: L * V * d, "n_layers · n_vocab · d_model", 0, "the tokens are there once"),
    (lambda L, d, V, C: L * C * d, "n_layers · n_ctx · d_model", 0, "the positions are there once"),
    (lambda L, d, V, C: 1, "1", 0, "nothing is there just once"),
)  # fmt: skip


def _term_by_term(c: Context) -> str | None:
    """Find out by calls with other shapes which terms the count consists of."""
    shapes = np.random.default_rng(20260913).integers(1, 30, size=(20, 4)).tolist()
    counts = [n for shape in shapes if (n := c.call(*shape)) is not None]
    if len(counts) < len(shapes):
        return None
    if {int(count) for count in counts} == {int(c.got)}:
        return f"Your function returns {int(c.got):,} for every shape: count from its arguments."
    sizes = np.array(
        [[term[0](*shape) for term in _TERMS] for shape in shapes], float
    )
    wanted = np.array(counts, dtype=float)
    found = np.linalg.lstsq(sizes, wanted, rcond=None)[0].round(4) + 0.0
    if not np.allclose(sizes @ found, wanted, atol=1e-3):
        return None
    wrong = [
        f"Your count has {number(own)} × {name}; {right} × is right ({stands_for})."
        for own, (_, name, right, stands_for) in zip(found, _TERMS, strict=True)
        if own != right
    ]
    return f"{_off(c)} {' '.join(wrong)}" if len(wrong) < 5 else None


# What may be wrong where a block has so many vectors, instead of 13. As bodies, no two of these
# faults are put together: they would add up to one another.
_VECTORS = {
    10: "3 d_model too few in each block: did you give the network's first bias d_model, or leave "
    "out one norm and one bias?",
    15: "2 d_model too many in each block, the size of a norm: the final norm comes once.",
    16: "3 d_model too many in each block: did you give the network's second bias 4 d_model?",
}
_WITH = "return (n_vocab + n_ctx + 2) * d_model + n_layers * (12 * d_model**2 + {} * d_model)"


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers(2, 60, size=(4, 4)).tolist()
    return tuple(Case(tuple(four)) for four in sizes)


exercise = Exercise(
    gpt_parameters,
    place=40,
    minutes=15,
    level="medium",
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
    drawn=_drawn,
    cases=_cases,
    use=_whole,
    arguments=("n_layers", "d_model", "n_vocab", "n_ctx"),
    terms={"off": _off},
    kinds={
        "medium": Kind("for GPT-2 medium, (24, 1024, 50257, 1024)"),
        "plain": Kind(
            "for other shapes", "A number in your code that should be an argument?"
        ),
        "one": Kind("for a single layer"),
    },
    faults=(
        *fault_list("""
untied: token_vectors = n_vocab → token_vectors = 2 * n_vocab
    You count the token vectors twice: as embedding and as output matrix? GPT-2 uses the same matrix
    for both (tied). {off}
no-positions: positions = n_ctx → positions = 0 * n_ctx
    The position vectors are missing: there is one for each of n_ctx positions. {off}
numbers-for-positions: positions = n_ctx * d_model → positions = n_ctx
    You count one number for each of n_ctx positions. What is learned for a position is added to the
    vector of a token: of which width is it? {off}
one-bias-each: 4 * d_model**2 + 4 * d_model → 4 * d_model**2 + 4
    In each block you count 4 where 4 d_model is right, as if the bias of a matrix of attention were
    one number. A bias has one for each feature that comes out. {off}
no-biases: 4 * d_model**2 + 4 * d_model → 4 * d_model**2
        and d_model * hidden_width + hidden_width → d_model * hidden_width
        and hidden_width * d_model + d_model → hidden_width * d_model
    The biases of all six matrices of a block are missing: 4 d_model in attention, 5 d_model in the
    feed-forward network. {off}
four-vectors: 4 * d_model**2 + 4 * d_model → 4 * d_model**2
    In each block 4 d_model are missing. The biases of the four matrices of attention are that many,
    and so are the first bias of the network, and the two norms: which do you leave out? {off}
hard-coded: hidden_width = 4 * d_model → hidden_width = 3072
    You count 3072 hidden features, whatever d_model is. There are 4 d_model of them, which is 3072
    for d_model = 768 only. {off}
no-final-norm: blocks + layer_norm → blocks
    The final layer norm is missing: 2 d_model numbers, once, after all blocks. {off}
final-in-every-block: return (n_vocab + n_ctx + 15 * n_layers + 12 * n_layers * d_model) * d_model
    {off} That is as if the final layer norm stood in every block. A block has two norms; the
    final one comes once, after all blocks.
one-norm: 2 * layer_norm) → layer_norm)
    In each block 2 d_model numbers are missing, as many as one layer norm has. Are there two norms
    in yours, each with a gain *and* a bias? {off}
gains-only: layer_norm = 2 * d_model → layer_norm = d_model
    You count d_model for each norm, two in a block and the final one. Each has a gain *and* a bias:
    2 d_model. {off}
"""),
        *(
            fault(
                f"vectors-{n}",
                _WITH.format(n),
                says=f"{{off}} That is {why}",
            )
            for n, why in _VECTORS.items()
        ),
    ),
    properties=(Property("terms", _term_by_term, tells_all=True),),
    hints=(
        "How many numbers are in a matrix from width a to width b, with its bias? In a layer norm?",
        "A block: 4 matrices d × d with biases, one d × 4d and one 4d × d (how long are theirs?), "
        "two norms with 2d numbers each. That times n_layers, plus what is outside the blocks.",
        "Attention has 4 (d² + d), the feed-forward network 8 d² + 5 d, the norms 4 d; outside "
        "there are (n_vocab + n_ctx) d and the final norm.",
    ),
)
