"""Question `two_losses`."""

import numpy as np

from course_attn.chapters.several_numbers import Asked, reader, reasons_for
from whywrong import Question, Reason

__all__ = ["exercise"]


def two_losses():
    """Give loss in nats, loss in bits and perplexity of the models A and B."""
    a = (np.log(64), 6, 64)
    b = (np.log(4), 2, 4)
    return (*a, *b)


_NATS = "It is the mean of −log p over the places, with the natural logarithm."
_BITS = "It is the mean of −log p over the places, with the logarithm to base 2."
_PERPLEXITY = "It is e to the loss in nats, or 2 to the loss in bits."
_MEAN = (0.5 + 0.125) / 2

_NUMBERS = (
    Asked(
        "a-nats",
        "A's loss in nats",
        np.log(64),
        {
            np.log10(
                64
            ): "that is the logarithm to base 10. Nats take base e, bits base 2.",
            6: "6 is the logarithm of 64 to base 2, in bits.",
        },
        _NATS,
    ),
    Asked(
        "a-bits",
        "A's loss in bits",
        6,
        {np.log(64): "that is in nats. Divide by log 2, or use base 2."},
        _BITS,
    ),
    Asked(
        "a-perplexity",
        "A's perplexity",
        64,
        {
            np.log(64): "e to this loss gives the perplexity.",
            np.exp(6): "you raise e to the loss in *bits*. e goes with nats.",
            64 ** np.log(2): "you raise 2 to the loss in *nats*. 2 goes with bits.",
            1 / 64: "that is the probability; the perplexity is 1 over it here.",
        },
        _PERPLEXITY,
    ),
    Asked(
        "b-nats",
        "B's loss in nats",
        np.log(4),
        {
            -np.log(
                _MEAN
            ): "you take the logarithm of the mean probability, 0.3125. The mean is "
            "of the two *logarithms*: half of log 2 and half of log 8.",
            2
            / np.log(
                2
            ): "from bits to nats you *multiply* by log 2 = 0.693: a bit is less than "
            "a nat.",
            np.log(16): "you add the two logarithms; their mean is asked for.",
        },
        _NATS,
    ),
    Asked("b-bits", "B's loss in bits", 2, {}, _BITS),
    Asked(
        "b-perplexity",
        "B's perplexity",
        4,
        {
            1
            / _MEAN: "3.2 is 1 over the mean probability. The perplexity is e to the mean of "
            "−log p: the places with 1/8 weigh more.",
            5: "5 is the mean of 2 and 8, the two perplexities. The *logarithms* are averaged, and "
            "then comes the power.",
        },
        _PERPLEXITY,
    ),
)


def _is(found: float, value: float) -> bool:
    return bool(np.isclose(found, value, atol=0.006, rtol=1e-3))


exercise = Question(
    two_losses,
    place=30,
    minutes=8,
    level="easy",
    section="What a loss means",
    task="""
Two models read the same text, which has 64 different characters. **A** gives each of the 64 the
same probability, always. **B** gives the character that comes next the probability 1/2 at half of
the places, and 1/8 at the other half. Give six numbers: A's loss in nats per character, A's loss in
bits per character, A's perplexity, and then the same three of B. (At least three digits; `np.log`
may help, though a pencil does for four of them.)
""",
    read=reader(
        6,
        "Return six finite numbers: nats, bits and perplexity of A, then the same of B.",
    ),
    fields=tuple(
        f"{what} of {model}"
        for model in "AB"
        for what in ("nats", "bits", "perplexity")
    ),
    reasons=(
        Reason(
            "models-swapped",
            lambda f: _is(f[0], np.log(4)) and _is(f[3], np.log(64)),
            "The two models are swapped: A, which spreads its guess over 64 characters, comes "
            "first.",
        ),
        Reason(
            "by-kind",
            lambda f: _is(f[1], np.log(4)) and _is(f[2], 6),
            "Your order is nats of both, bits of both, perplexities. Return A's three numbers "
            "first, then B's.",
        ),
        Reason(
            "units-swapped",
            lambda f: _is(f[0], 6) and _is(f[1], np.log(64)),
            "Nats and bits are swapped. A bit is the smaller unit, log 2 = 0.693 nats, so that "
            "there are more of them: the logarithm to base 2 gives bits, that to base e nats.",
        ),
        Reason(
            "negative",
            lambda f: (f < 0).any(),
            "Some of your numbers are negative, as log p is. The loss is −log p: never negative.",
        ),
        *reasons_for(_NUMBERS, _is),
    ),
    hints=(
        "How surprised is A by any character, whatever comes? How surprised is B at each of its "
        "two kinds of places?",
        "The loss is the mean of −log p: base e for nats, base 2 for bits. 1/64 is 2 to the power "
        "−6, 1/8 is 2 to the power −3.",
        "B's loss in bits is the mean of 1 and 3. Bits times log 2 give nats, and 2 to the bits "
        "(or e to the nats) gives the perplexity.",
    ),
)
