"""Question `two_losses`."""

from typing import Any

import numpy as np

from whywrong import Question, Reason
from whywrong.context import number

__all__ = ["exercise"]


def two_losses():
    """Give loss in nats, loss in bits and perplexity of the models A and B."""
    a = (np.log(64), 6, 64)
    b = (np.log(4), 2, 4)
    return (*a, *b)


def _read(value: Any) -> np.ndarray:
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.size != 6 or not np.isfinite(found).all():
        raise ValueError(
            "Return six finite numbers: nats, bits and perplexity of A, then the same of B."
        )
    return found.ravel()


_NAMES = ("A's loss in nats", "A's loss in bits", "A's perplexity") + (
    "B's loss in nats",
    "B's loss in bits",
    "B's perplexity",
)
_RIGHT = (np.log(64), 6.0, 64.0, np.log(4), 2.0, 4.0)
_MEAN = (0.5 + 0.125) / 2


def _is(found: float, wrong: float) -> bool:
    return bool(np.isclose(found, wrong, atol=0.006, rtol=1e-3))


def _slip(id: str, i: int, wrong: float, why: str) -> Reason:
    message = f"{_NAMES[i]} is not {number(wrong)}: {why}"
    return Reason(id, lambda found: _is(found[i], wrong), message)


_BASE_10 = "that is the logarithm to base 10. Nats take base e, bits base 2."
_REMINDERS = (
    "It is the mean of −log p over the places, with the natural logarithm.",
    "It is the mean of −log p over the places, with the logarithm to base 2.",
    "It is e to the loss in nats, or 2 to the loss in bits.",
)

exercise = Question(
    two_losses,
    place=30,
    minutes=8,
    level="easy",
    section="What a loss means",
    task="""
Two models read the same text, which has 64 different characters. **A** gives each of the 64 the
same probability, always. **B** gives the character that comes next the probability 1/2 at half of
the places, and 1/8 at the other half. Let `two_losses()` return six numbers: A's loss in nats per
character, A's loss in bits per character, A's perplexity, and then the same three of B. (At least
three digits; `np.log` may help, though a pencil does for four of them.)
""",
    read=_read,
    reasons=(
        Reason(
            "models-swapped",
            lambda f: _is(f[0], _RIGHT[3]) and _is(f[3], _RIGHT[0]),
            "The two models are swapped: A, which spreads its guess over 64 characters, comes "
            "first.",
        ),
        Reason(
            "by-kind",
            lambda f: _is(f[1], _RIGHT[3]) and _is(f[2], _RIGHT[1]),
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
        _slip("a-base-10", 0, np.log10(64), _BASE_10),
        _slip(
            "a-nats-are-bits", 0, 6, "6 is the logarithm of 64 to base 2, in bits."
        ),
        _slip(
            "a-96", 0, np.log(96), "log 96 is for 96 characters; this text has 64."
        ),
        _slip(
            "a-probability",
            0,
            1 / 64,
            "1/64 is the probability. The loss is −log of it.",
        ),
        _slip(
            "a-times-log-2",
            1,
            6 * np.log(2) ** 2,
            "from nats to bits you *divide* by log 2 = 0.693: a bit is less than a nat.",
        ),
        _slip(
            "a-bits-are-nats",
            1,
            np.log(64),
            "that is in nats. Divide by log 2, or use base 2.",
        ),
        _slip("a-bits-base-10", 1, np.log10(64), _BASE_10),
        _slip(
            "a-bits-of-8",
            1,
            8,
            "8 bits is what a file spends on a character. 6 yes-or-no questions single out one "
            "of 64.",
        ),
        _slip(
            "a-loss-is-perplexity",
            2,
            np.log(64),
            "e to this loss gives the perplexity.",
        ),
        _slip(
            "a-e-to-bits",
            2,
            np.exp(6),
            "you raise e to the loss in *bits*. e goes with nats.",
        ),
        _slip(
            "a-2-to-nats",
            2,
            64 ** np.log(2),
            "you raise 2 to the loss in *nats*. 2 goes with bits.",
        ),
        _slip(
            "a-inverse",
            2,
            1 / 64,
            "that is the probability; the perplexity is 1 over it here.",
        ),
        _slip(
            "b-mean-probability",
            3,
            -np.log(_MEAN),
            "you take the logarithm of the mean probability, 0.3125. The mean is of the two "
            "*logarithms*: half of log 2 and half of log 8.",
        ),
        _slip(
            "b-bits-of-mean",
            4,
            -np.log2(_MEAN),
            "you take the logarithm of the mean probability, 0.3125. The mean is of the two "
            "*logarithms*: half of 1 bit and half of 3 bits.",
        ),
        _slip(
            "b-nats-are-bits",
            3,
            2,
            "2 is in bits: the mean of 1 and 3. Times log 2 gives nats.",
        ),
        _slip(
            "b-divided-by-log-2",
            3,
            2 / np.log(2),
            "from bits to nats you *multiply* by log 2 = 0.693: a bit is less than a nat.",
        ),
        _slip(
            "b-summed",
            3,
            np.log(16),
            "you add the two logarithms; their mean is asked for.",
        ),
        _slip(
            "b-bits-summed",
            4,
            4,
            "you add 1 bit and 3 bits; their mean is asked for.",
        ),
        _slip(
            "b-bits-are-nats",
            4,
            np.log(4),
            "that is in nats. Divide by log 2, or use base 2.",
        ),
        _slip(
            "b-inverse-of-mean",
            5,
            1 / _MEAN,
            "3.2 is 1 over the mean probability. The perplexity is e to the mean of −log p: the "
            "places with 1/8 weigh more.",
        ),
        _slip(
            "b-mean-of-inverses",
            5,
            5,
            "5 is the mean of 2 and 8, the two perplexities. The *logarithms* are averaged, and "
            "then comes the power.",
        ),
        _slip(
            "b-loss-is-perplexity",
            5,
            np.log(4),
            "e to this loss gives the perplexity.",
        ),
        _slip(
            "b-e-to-bits",
            5,
            np.exp(2),
            "you raise e to the loss in *bits*. e goes with nats.",
        ),
        _slip(
            "b-2-to-nats",
            5,
            4 ** np.log(2),
            "you raise 2 to the loss in *nats*. 2 goes with bits.",
        ),
        *(
            Reason(
                f"other-{i}",
                lambda found, i=i: not _is(found[i], _RIGHT[i]),  # type: ignore[misc]
                lambda found, i=i: (  # type: ignore[misc]
                    f"{_NAMES[i]} is not {number(found[i])}. {_REMINDERS[i % 3]}"
                ),
            )
            for i in range(6)
        ),
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
