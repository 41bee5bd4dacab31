"""Known mistakes in `merge_partial`."""

import numpy as np

from course_attn.checking import Context, Fault, Property, number
from course_attn.exercises.fast._merge import (
    across,
    divided,
    merged,
    mix_means,
    ones,
    through_powers,
)
from course_attn.exercises.fast._steps import finite, known_here, place, same

__all__ = ["FAULTS", "PROPERTIES"]


def _at(where: tuple[int, ...]) -> str:
    return f"query {where[0]}" if len(where) == 1 else f"query {list(where)}"


def _first_wrong(c: Context) -> str:
    """Compute the first wrong number by hand, from the case's own numbers."""
    result = c.given["result"]
    if c.got.shape != c.expected.shape:
        return f"Your `{result}` has shape {c.got.shape}; asked for is {c.expected.shape}."
    where = place(c)
    query = where[: c.given["m1"].ndim]
    m1, m2 = (float(c.given[name][query]) for name in ("m1", "m2"))
    have, want = number(c.got[where]), number(c.expected[where])
    if np.isneginf(max(m1, m2)):
        return f"For {_at(query)}, in both parts empty, your `{result}` is {have}."
    if result == "m":
        return (
            f"For {_at(query)}, with m1 = {number(m1)} and m2 = {number(m2)}, your m is {have}; "
            f"{want} is right."
        )
    x1, x2 = (number(c.given[f"{result}{part}"][where]) for part in (1, 2))
    f1, f2 = (number(np.exp(m - max(m1, m2))) for m in (m1, m2))
    feature = f", feature {where[-1]}" if result == "o" else ""
    return (
        f"For {_at(query)}{feature}: m1 = {number(m1)} and m2 = {number(m2)}, so that "
        f"`{result}` is {f1} · {x1} + {f2} · {x2} = {want}; you have {have}."
    )


def _overflow(c: Context) -> str:
    """Say what the powers are where the first wrong number stands."""
    where = place(c)
    query = where[: c.given["m1"].ndim]
    m = [float(c.given[name][query]) for name in ("m1", "m2")]
    extreme = max(m, key=lambda x: abs(x) if np.isfinite(x) else 0.0)
    power = "infinite" if extreme > 0 else "0"
    have = number(c.got[where]).replace("nan", "NaN")
    return (
        f"But exp({number(extreme)}) is {power} for a computer, and your "
        f"`{c.given['result']}` of {_at(query)} becomes {have}."
    )


FAULTS = (
    Fault(
        "not-rescaled",
        {"factors": ones},
        lambda c: (
            "You add the two parts as they are. l1 and o1 count in units of exp(m1), l2 and o2 in "
            "units of exp(m2); before they can be added, both must be brought to the unit of the "
            f"new maximum, by the factors exp(m1 − m) and exp(m2 − m). {_first_wrong(c)}"
        ),
    ),
    Fault(
        "first-not-rescaled",
        {"factors": lambda m1, m2, m: (np.ones_like(m1), np.exp(m2 - m))},
        lambda c: (
            "The first part is not rescaled. Where the second part has the larger maximum, what "
            "has been summed up so far is too large: l1 and o1 need the factor exp(m1 − m) just "
            f"as the others need exp(m2 − m). {_first_wrong(c)}"
        ),
    ),
    Fault(
        "second-not-rescaled",
        {"factors": lambda m1, m2, m: (np.exp(m1 - m), np.ones_like(m2))},
        lambda c: (
            "The second part is not rescaled. That is right only where its maximum is the larger "
            "one; l2 and o2 need the factor exp(m2 − m), which is 1 there and less elsewhere. "
            f"{_first_wrong(c)}"
        ),
    ),
    Fault(
        "l-not-rescaled",
        {"add": lambda f1, l1, f2, l2: l1 + l2},
        lambda c: (
            "You add the sums l without the factors, unlike the o: o/l would mix two units. l "
            f"is rescaled exactly as o is. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "o-not-rescaled",
        {"mix": lambda f1, f2, one, two, l: one[2] + two[2]},
        lambda c: (
            "You add the weighted sums o without the factors, unlike the l. Each term of o has "
            "the same power of e in it as in l, so o is rescaled exactly as l is. "
            f"{_first_wrong(c)}"
        ),
    ),
    Fault(
        "sign",
        {"factors": lambda m1, m2, m: (np.exp(m - m1), np.exp(m - m2))},
        lambda c: (
            "The sign in the exponent is wrong: exp(m − m1) is 1 or more, and for maxima far apart "
            "it overflows. A sum taken against a smaller maximum has to *shrink*: exp(m1 − m). "
            f"{_first_wrong(c)}"
        ),
    ),
    Fault(
        "factors-swapped",
        {"factors": lambda m1, m2, m: (np.exp(m2 - m), np.exp(m1 - m))},
        lambda c: (
            "The factors are swapped: the first part shrinks by exp(m1 − m), with its own maximum, "
            f"and the second by exp(m2 − m). {_first_wrong(c)}"
        ),
    ),
    Fault(
        "difference-of-the-two",
        {"factors": lambda m1, m2, m: (np.exp(m1 - m2), np.ones_like(m2))},
        lambda c: (
            "You rescale the first part by exp(m1 − m2) and leave the second as it is: both then "
            "count in units of exp(m2). Where m1 is the larger one, that is not the unit of m, and "
            "for maxima far apart the factor overflows. Take the differences to m = max(m1, m2). "
            f"{_first_wrong(c)}"
        ),
    ),
    Fault(
        "unshifted",
        {"factors": lambda m1, m2, m: (np.exp(m1), np.exp(m2))},
        lambda c: (
            "Your factors are exp(m1) and exp(m2). That gives the sums of exp(score), which belong "
            "to a maximum of 0 and not to the m that you return; and for large scores they "
            f"overflow. Subtract m in the exponent: exp(m1 − m). {_first_wrong(c)}"
        ),
    ),
    Fault(
        "through-the-powers",
        through_powers,
        lambda c: (
            "For small scores this is right: you multiply by exp(m1) and exp(m2) and divide by "
            f"exp(m). {_overflow(c)} Take the difference first, exp(m1 − m): it is never above 1."
        ),
    ),
    Fault(
        "m1-for-the-maximum",
        {"largest": lambda m1, m2: m1},
        lambda c: (
            "You keep m1 as the maximum. Where the second part holds a larger score, exp(m2 − m1) "
            "is above 1 and, for scores far apart, infinite: that is what the maximum is there to "
            f"prevent. Take the larger of m1 and m2, query by query. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "m2-for-the-maximum",
        {"largest": lambda m1, m2: m2},
        lambda c: (
            "You take m2, the maximum of the new part, for that of both. Where m1 is larger, "
            "exp(m1 − m2) is above 1 and, for scores far apart, infinite. Take the larger of m1 "
            f"and m2, query by query. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "sum-of-the-maxima",
        {"largest": np.add},
        lambda c: (
            "You add the maxima. The largest score of both parts together is the larger of m1 and "
            f"m2: `np.maximum(m1, m2)`. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "minimum",
        {"largest": np.minimum},
        lambda c: (
            "You take the *smaller* of the two maxima, so that the exponents become positive and "
            f"overflow: m is the larger one, `np.maximum(m1, m2)`. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "one-maximum-for-all",
        {"largest": lambda m1, m2: np.max([m1, m2])},
        lambda c: (
            "You take one maximum over all queries, and m comes back as one number. Each query has "
            "its own; one whose scores lie 800 below the others' would underflow to l = 0. "
            f"`np.maximum(m1, m2)` compares query by query. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "infinity-minus-infinity",
        {"guard": same},
        lambda c: (
            "Where a query sees no key in either part, its m1, m2 and m are all "
            f"−∞, and −∞ − (−∞) is NaN ({int(np.isnan(c.got).sum())} of {c.got.size} numbers of "
            f"`{c.given['result']}` here). They should stay empty: m = −∞, l = 0, o = 0. "
            "Subtract 0 in place of m where m is −∞; −∞ − 0 is −∞, and exp(−∞) is 0."
        ),
    ),
    Fault(
        "divided",
        {"mix": divided},
        lambda c: (
            "You divide o by l. That gives the final output, but it is too early: this result may "
            "be merged again with more keys, and o must still be the plain sum then, in the same "
            f"units as l. Divide once, at the very end. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "averaged",
        {"mix": mix_means},
        lambda c: (
            "You treat o1 and o2 as outputs that have been divided by l1 and l2, multiply them by "
            "l again, and divide by the new l. Here they are the plain sums of exp(score − m) "
            f"times value: they are rescaled and added, as l is. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "l-twice",
        {
            "mix": lambda f1, f2, one, two, l: (
                (f1 * one[1])[..., None] * one[2]
                + (f2 * two[1])[..., None] * two[2]
            )
        },
        lambda c: (
            "You multiply o1 by l1 and o2 by l2. They are plain sums already, not divided by "
            f"anything: exp(m1 − m) · o1 + exp(m2 − m) · o2. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "down-the-columns",
        {"mix": across},
        lambda c: (
            "Your factors have one number for each query, shape "
            f"{c.given['m1'].shape}, and o1 one *row* for each query. Multiplied as they are, "
            "factor i meets column i, or does not fit at all. Turn them into a column, "
            "`factor[..., None] * o1`."
        ),
    ),
    Fault(
        "log-of-the-sum",
        {"order": lambda m, l, o: (m, finite(m) + np.log(l), o)},
        lambda c: (
            "You return m + log l in place of l. That number alone would do the work of m and l "
            f"together, but asked for is l, the sum itself. {_first_wrong(c)}"
        ),
    ),
    Fault(
        "sum-first",
        {"order": lambda m, l, o: (l, m, o)},
        "The three are right but returned in another order: yours come as l, m, o; asked for are "
        "m, l, o.",
    ),
    Fault(
        "output-first",
        {"order": lambda m, l, o: (o, m, l)},
        "The three are right but returned in another order: yours come as o, m, l; asked for are "
        "m, l, o.",
    ),
    Fault(
        "sum-last",
        {"order": lambda m, l, o: (m, o, l)},
        "The three are right but returned in another order: yours come as m, o, l; asked for are "
        "m, l, o.",
    ),
)


def _not_empty(c: Context) -> str | None:
    empty = np.isneginf(c.expected)
    if (
        c.given["result"] != "m"
        or not empty.any()
        or np.isneginf(c.got[empty]).all()
    ):
        return None
    query = tuple(int(i) for i in np.argwhere(empty)[0])
    return (
        f"For {_at(query)} both parts are empty, m1 = m2 = −∞, and your m is "
        f"{number(c.got[query])}: it should stay −∞, the sign that no key has been seen."
    )


PROPERTIES = (
    known_here(merged, FAULTS, ("m", "l", "o")),
    Property("not-empty", _not_empty),
    Property("by-hand", _first_wrong),
)
