"""How one number came about, written out so that what is written is true.

A line is a chain: ``0.5·1.2 + 1·(−0.25) ≈ 0.35``. Its numbers are rounded, and a sum of rounded
numbers may miss the rounded sum. So each function here tries with 2, then 3 and more decimals until
the last number of a line is what every part before it gives, as written and then rounded, and that
of the last line is the number that the table shows. Where nothing is rounded, the sign is ``=``.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import erf, exp, inf, sqrt

import numpy as np

__all__ = [
    "addition",
    "final",
    "finer",
    "gaussian_share",
    "masking",
    "normalization",
    "number",
    "products",
    "quotient",
    "share",
]

DECIMALS = 2  # of what the tables show
_MOST_DECIMALS = 7
_LEAST_TOTAL, _LARGEST_TOTAL = 0.1, 1e5


@dataclass(frozen=True)
class _Part:
    """A piece of a chain: what is written, and its value computed from what is written."""

    text: str
    value: float
    decimals: int | None = None  # to which it is rounded, if it ends a chain


_Row = Sequence[float] | np.ndarray
_Lines = list[tuple[str, list[_Part]]]


def number(x: float, decimals: int = DECIMALS) -> str:
    """Write a number with so many decimals and a true minus, which 0 has not."""
    if x in (inf, -inf):
        return "∞" if x > 0 else "−∞"
    return f"{x:z.{decimals}f}".replace("-", "−")


def final(x: float) -> str:
    """Write a number as the tables do.

    Examples
    --------
    >>> final(-0.001), final(-1.5), final(float("-inf"))
    ('0.00', '−1.50', '−∞')
    """
    return number(x)


def finer(text: str) -> bool:
    """Return whether a sum has digits that the tables hide.

    The small number that layer norm adds under the root stands in no table.

    Examples
    --------
    >>> finer("0.225·0.4 = 0.09"), finer("2·(3 − 2) ÷ √(1 + 0.00001) + 0.5 ≈ 2.50")
    (True, False)
    """
    return re.search(r"\.\d{3,}", re.sub(r" \+ 0\.0+1\)", ")", text)) is not None


# --- the sums -------------------------------------------------------------------------------------


def products(x: _Row, y: _Row, result: float, *, plus: float | None = None) -> str:
    """Write a dot product, and what is added to it.

    Examples
    --------
    >>> products([0.5, 1.0], [1.2, -0.25], 0.35)
    '0.5·1.2 + 1·(−0.25) = 0.35'
    >>> products([1 / 3], [1 / 3], 1.0, plus=8 / 9)
    '0.33·0.33 + 0.89 ≈ 1.00'
    """

    def lines(d: int) -> _Lines:
        terms = [(_brief(a, d), _brief(b, d)) for a, b in zip(x, y, strict=True)]
        text = " + ".join(
            (_factor(a) if f else a.text) + "·" + _factor(b)
            for f, (a, b) in enumerate(terms)
        )
        value = sum(a.value * b.value for a, b in terms)
        if plus is not None:
            bias = _brief(plus, d)
            text, value = f"{text} + {_factor(bias)}", value + bias.value
        return [("", [_Part(text, value)])]

    return _written(lines, result)


def addition(x: float, y: float, result: float) -> str:
    """Write the sum of two numbers.

    Examples
    --------
    >>> addition(0.5, -0.25, 0.25)
    '0.5 + (−0.25) = 0.25'
    """

    def lines(d: int) -> _Lines:
        a, b = _brief(x, d), _brief(y, d)
        return [("", [_Part(f"{a.text} + {_factor(b)}", a.value + b.value)])]

    return _written(lines, result)


def quotient(x: float, squared: int, result: float) -> str:
    """Write a number divided by the square root of a whole number.

    Examples
    --------
    >>> quotient(1.0, 2, 2**-0.5)
    '1 ÷ √2 ≈ 0.71'
    """

    def lines(d: int) -> _Lines:
        a = _brief(x, d)
        return [("", [_Part(f"{a.text} ÷ √{squared}", a.value / sqrt(squared))])]

    return _written(lines, result)


def masking(score: float, *, allowed: bool) -> str:
    """Write what a mask adds to a score.

    Examples
    --------
    >>> masking(0.5, allowed=True), masking(0.5, allowed=False)
    ('0.5 + 0 = 0.50', '0.5 + (−∞) = −∞')
    """
    added = _Part("0", 0.0) if allowed else _Part("(−∞)", -inf)

    def lines(d: int) -> _Lines:
        a = _brief(score, d)
        return [("", [_Part(f"{a.text} + {added.text}", a.value + added.value)])]

    return _written(lines, score + added.value)


def share(scores: _Row, place: int, result: float) -> str:
    """Write one weight of a softmax; a score of minus infinity has e^(−∞) = 0.

    Examples
    --------
    >>> share([0.0, -float("inf")], 0, 1.0)
    'e^0 ÷ (e^0 + e^(−∞)) = 1 ÷ 1 = 1.00'
    """

    def lines(d: int) -> _Lines:
        row = [_brief(s, d) for s in scores]
        exps = [
            _Part(f"e^{_factor(s)}", 0.0 if s.value == -inf else exp(s.value))
            for s in row
        ]
        total = sum(part.value for part in exps)
        text = f"{exps[place].text} ÷ ({' + '.join(p.text for p in exps)})"
        chain = [_Part(text, exps[place].value / total)]
        # Very small and very large exponentials are not written out.
        if _LEAST_TOTAL <= total <= _LARGEST_TOTAL:
            over, under = _brief(exps[place].value, d), _brief(total, d)
            chain.append(
                _Part(f"{over.text} ÷ {under.text}", over.value / under.value)
            )
        return [("", chain)]

    return _written(lines, result)


def normalization(
    row: _Row, place: int, gain: float, bias: float, eps: float, result: float
) -> str:
    """Write one entry of a layer norm in three lines.

    Examples
    --------
    >>> print(normalization([1.0, 3.0], 1, 2.0, 0.5, 0.0, 2.5))
    mean: (1 + 3) ÷ 2 = 2
    variance: ((1 − 2)² + (3 − 2)²) ÷ 2 = 1
    result: 2·(3 − 2) ÷ √(1 + 0) + 0.5 = 2.50
    """

    def lines(d: int) -> _Lines:
        x = [_brief(a, d) for a in row]
        n = len(x)
        summed = x[0].text + "".join(f" + {_factor(a)}" for a in x[1:])
        exact = sum(a.value for a in x) / n
        mean = _brief(exact, d)
        apart = [
            _Part(f"({a.text} − {_factor(mean)})", a.value - mean.value) for a in x
        ]
        spread = sum(a.value**2 for a in apart) / n
        variance = _brief(spread, d)
        squares = " + ".join(f"{a.text}²" for a in apart)
        g, b = _brief(gain, d), _brief(bias, d)
        small = f"{eps:.10f}".rstrip("0").rstrip(".")
        text = f"{g.text}·{apart[place].text} ÷ √({variance.text} + {small}) + {_factor(b)}"
        root = sqrt(variance.value + eps)
        value = g.value * apart[place].value / root + b.value if root else inf
        return [
            ("mean", [_Part(f"({summed}) ÷ {n}", exact), mean]),
            ("variance", [_Part(f"({squares}) ÷ {n}", spread), variance]),
            ("result", [_Part(text, value)]),
        ]

    return _written(lines, result)


def gaussian_share(x: float, result: float) -> str:
    """Write one entry of a GELU: x times the probability that a normal number lies below x.

    Examples
    --------
    >>> gaussian_share(1.0, 0.8413)
    '1·Φ(1) ≈ 1·0.84 = 0.84'
    """

    def lines(d: int) -> _Lines:
        a = _brief(x, d)
        exact = (1 + erf(a.value / sqrt(2))) / 2
        below = _brief(exact, d)
        return [
            (
                "",
                [
                    _Part(f"{a.text}·Φ({a.text})", a.value * exact),
                    _Part(f"{a.text}·{_factor(below)}", a.value * below.value),
                ],
            )
        ]

    return _written(lines, result)


# --- how they are written -------------------------------------------------------------------------


def _brief(x: float, decimals: int) -> _Part:
    """Write a number with at most so many decimals: 2, −0.5, −∞."""
    text = number(x, decimals)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _Part(text, _value(text), decimals)


def _value(text: str) -> float:
    """Return the number that a text says."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def _factor(part: _Part) -> str:
    """Write a number that follows a sign: a negative one gets parentheses."""
    return f"({part.text})" if part.text.startswith("−") else part.text


def _written(lines: Callable[[int], _Lines], result: float) -> str:
    """Write lines, the last of which ends with the result, with as few decimals as are true."""
    for d in range(DECIMALS, _MOST_DECIMALS + 1):
        chains = lines(d)
        chains[-1][1].append(_Part(final(result), _value(final(result)), DECIMALS))
        if all(_follows(chain) for _, chain in chains):
            return "\n".join(
                (f"{name}: " if name else "") + _chain(chain)
                for name, chain in chains
            )
    raise ValueError(f"result must be what the numbers give, got {result!r}")


def _follows(chain: list[_Part]) -> bool:
    """Return whether the last part is what each one before it gives, rounded as it is."""
    last = chain[-1]
    half = 0.5 * 10.0 ** -(last.decimals or 0) + 1e-12
    return all(
        part.value == last.value or abs(part.value - last.value) <= half
        for part in chain[:-1]
    )


def _chain(chain: list[_Part]) -> str:
    """Join the parts by "=" where nothing is rounded, else by "≈"."""
    text = chain[0].text
    for a, b in zip(chain, chain[1:], strict=False):
        same = a.value == b.value or abs(a.value - b.value) < 1e-12
        text += f" {'=' if same else '≈'} {b.text}"
    return text
