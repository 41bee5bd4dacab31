"""Exercise `attention_flops` of chapter 10."""

from collections.abc import Callable
from functools import partial

from course_attn.checking import Case, Context, Exercise, Fault, Property

__all__ = ["exercise"]


def attention_flops(n_q, n_k, d_k, d_v, n_heads):
    """Count the operations of attention's two matrix products, in all heads."""
    scores = 2 * n_q * d_k * n_k
    mixing = 2 * n_q * n_k * d_v
    return n_heads * (scores + mixing)


def _cases() -> tuple[Case, ...]:
    sizes = ((10, 30, 4, 5, 2), (7, 11, 5, 13, 3), (1, 17, 7, 2, 5))
    more = ((4096, 4096, 64, 64, 8), (13, 5, 11, 7, 1))
    return tuple(
        Case(given, "plain" if i else "example")
        for i, given in enumerate(sizes + more)
    )


def _counted(
    n_q: int,
    n_k: int,
    d_k: int,
    d_v: int,
    n_heads: int,
    *,
    each: int = 2,
    pairs: Callable[..., int] = lambda n_q, n_k: n_q * n_k,
    width: Callable[..., int] = lambda d_k, d_v: d_k + d_v,
    heads: Callable[..., int] = lambda n_heads: n_heads,
) -> int:
    return each * heads(n_heads) * pairs(n_q, n_k) * width(d_k, d_v)


def _exactly(n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int) -> int:
    return n_heads * (n_q * n_k * (2 * d_k - 1) + n_q * d_v * (2 * n_k - 1))


def _said(c: Context) -> str:
    """Quote the sizes and both counts."""
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    return f"For {sizes} you count {float(c.got):.17g}, and there are {int(c.expected)}."


def _parts(c: Context) -> str:
    n_q, n_k, d_k, d_v, n_heads = c.given.values()
    return (
        f"{_said(c)} In each of the {n_heads} heads the scores take {2 * n_q * n_k * d_k}, and the "
        f"mixing of the values {2 * n_q * n_k * d_v}."
    )


exercise = Exercise(
    solution=attention_flops,
    place=10,
    section="Where do time and memory go?",
    task="""
How many operations does attention take? Write `attention_flops(n_q, n_k, d_k, d_v, n_heads)` for
one sequence: in every head, n_q queries and n_k keys of d_k features each, and n_k values of d_v.
Count the two matrix products only, the scores $Q K^T$ and the mixing $A V$, and in them 2
operations, a multiplication and an addition, for each term of each sum: the product of an (a, b)
matrix with a (b, c) matrix takes $2\\,a\\,b\\,c$. The projections, the scaling, the softmax and
masks are not counted. Return a whole number (an `int`).
""",
    cases=_cases,
    variant=_counted,
    faults=(
        Fault(
            "additions-forgotten",
            {"each": 1},
            lambda c: (
                "You count the multiplications only, half of the operations: each term of a sum "
                f"takes a multiplication *and* an addition. {_said(c)}"
            ),
        ),
        Fault(
            "twice-too-many",
            partial(_counted, each=4),
            lambda c: (
                "You count everything twice: 2 operations for each term, and two products of "
                "*different* sizes; the sum d_k + d_v holds both already. "
                f"{_said(c)}"
            ),
        ),
        Fault(
            "scores-only",
            {"width": lambda d_k, d_v: d_k},
            lambda c: (
                "You count the scores Q Kᵀ, and not the second product, in which the weights, "
                f"{c.given['n_q']} × {c.given['n_k']}, mix values of {c.given['d_v']} features. "
                f"{_said(c)}"
            ),
        ),
        Fault(
            "mixing-only",
            {"width": lambda d_k, d_v: d_v},
            lambda c: (
                "You count the mixing of the values, and not the scores, in which every query is "
                f"multiplied with every key, {c.given['d_k']} features each. {_said(c)}"
            ),
        ),
        Fault(
            "values-as-wide-as-keys",
            {"width": lambda d_k, d_v: 2 * d_k},
            lambda c: (
                "You take the values to be as wide as the keys. They have a width of their own, "
                f"d_v = {c.given['d_v']}: the second product, (n_q, n_k) times (n_k, d_v), takes "
                f"2 · n_q · n_k · d_v. {_said(c)}"
            ),
        ),
        Fault(
            "keys-as-wide-as-values",
            {"width": lambda d_k, d_v: 2 * d_v},
            lambda c: (
                "You take the keys to be as wide as the values. They have d_k = "
                f"{c.given['d_k']} features, as the queries have: the scores take "
                f"2 · n_q · n_k · d_k. {_said(c)}"
            ),
        ),
        Fault(
            "widths-multiplied",
            {"width": lambda d_k, d_v: d_k * d_v},
            lambda c: (
                "You multiply d_k by d_v, but no product has both: the scores sum over d_k, and "
                "the mixing gives d_v numbers. The two counts are *added*. "
                f"{_said(c)}"
            ),
        ),
        Fault(
            "widths-squared",
            {"width": lambda d_k, d_v: d_k**2 + d_v**2},
            lambda c: (
                "You square the widths. A (d, d) matrix is multiplied in the projections, which "
                "are not counted here; in the scores every pair of a query and a key takes d_k "
                f"terms, once. {_said(c)}"
            ),
        ),
        Fault(
            "one-head",
            {"heads": lambda n_heads: 1},
            lambda c: (
                f"You count one head; there are {c.given['n_heads']}, and d_k and d_v are the "
                f"widths in each of them. {_said(c)}"
            ),
        ),
        Fault(
            "heads-squared",
            {"heads": lambda n_heads: n_heads**2},
            lambda c: (
                "You multiply by n_heads twice. The heads do not look at each other: each has its "
                f"own two products. {_said(c)}"
            ),
        ),
        Fault(
            "n-q-squared",
            {"pairs": lambda n_q, n_k: n_q**2},
            lambda c: (
                "You take n_q² for the number of scores. There are as many keys as n_k says: "
                f"{c.given['n_q']} × {c.given['n_k']} scores here. {_said(c)}"
            ),
        ),
        Fault(
            "n-k-squared",
            {"pairs": lambda n_q, n_k: n_k**2},
            lambda c: (
                "You take n_k² for the number of scores. There are n_q queries: "
                f"{c.given['n_q']} × {c.given['n_k']} scores here, and with a cache, in decoding, "
                f"only 1 × n_k. {_said(c)}"
            ),
        ),
        Fault(
            "one-addition-less",
            _exactly,
            lambda c: (
                "You count one addition less than multiplications in each sum. That is exact, but "
                "the custom, and the task, is to count 2 for each term (the first is added to 0). "
                f"{_said(c)}"
            ),
        ),
    ),
    properties=(Property("parts", _parts),),
    hints=(
        "Write down the shapes of both factors of Q Kᵀ, and of the weights times V, in one head.",
        "(n_q, d_k) times (d_k, n_k), then (n_q, n_k) times (n_k, d_v): 2abc for each.",
        "`n_heads * (2 * n_q * d_k * n_k + …)`.",
    ),
    built_ins=("course_attn.costs.attention_flops",),
)
