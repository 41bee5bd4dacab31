"""Exercise `n_parameters` of chapter 7."""

from collections.abc import Callable
from typing import Any

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property

__all__ = ["exercise"]


def n_parameters(d_model, n_heads, d_k, d_v, bias):
    """Count the learned numbers of multi-head attention."""
    queries = keys = n_heads * d_k * (d_model + bias)
    values = n_heads * d_v * (d_model + bias)
    output = (n_heads * d_v + bias) * d_model
    return queries + keys + values + output


def _cases() -> tuple[Case, ...]:
    return (
        Case((512, 8, 64, 64, False), "example"),
        Case((10, 3, 5, 2, False)),
        Case((10, 3, 5, 2, True), "bias"),
        Case((512, 8, 64, 64, True), "bias"),
        Case((7, 2, 11, 13, False)),
        Case((768, 12, 64, 64, True), "bias"),
        Case((5, 1, 3, 7, True), "bias"),
    )


def _counted(
    d_model: int,
    n_heads: int,
    d_k: int,
    d_v: int,
    bias: bool,
    *,
    widths: Callable[..., Any] = lambda d_model, n_heads, d_k, d_v: (d_k, d_v),
    heads: Callable[..., Any] = lambda n_heads: n_heads,
    asked: Callable[..., Any] = lambda d_model, queries, values: (
        2 * d_model * queries
    ),
    given: Callable[..., Any] = lambda d_model, queries, values: d_model * values,
    output: Callable[..., Any] = lambda d_model, n_heads, d_v: (
        n_heads * d_v * d_model
    ),
    biases: Callable[..., Any] = lambda queries, values, d_model: (
        2 * queries + values + d_model
    ),
    added: Callable[..., Any] = bool,
) -> int:
    d_k, d_v = widths(d_model, n_heads, d_k, d_v)
    queries, values = heads(n_heads) * d_k, heads(n_heads) * d_v
    matrices = asked(d_model, queries, values) + given(d_model, queries, values)
    count = matrices + output(d_model, n_heads, d_v)
    return round(count + added(bias) * biases(queries, values, d_model))


def _said(c: Context) -> str:
    """Quote the sizes and both counts."""
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    return f"For {sizes} you count {int(c.got)}, and there are {int(c.expected)}."


def _difference(c: Context) -> str | None:
    """Name the part that is missing or counted twice, where the difference is exactly one."""
    d, n_heads, d_k, d_v, bias = c.given.values()
    parts = {
        "W_Q (or W_K)": d * n_heads * d_k,
        "W_V (or W_O)": d * n_heads * d_v,
    }
    if bias:
        parts["the bias of the queries (or of the keys)"] = n_heads * d_k
        parts["the bias of the values"] = n_heads * d_v
        parts["the bias of the output"] = d
    gap = int(c.got) - int(c.expected)
    for name, size in parts.items():
        if abs(gap) == size and list(parts.values()).count(size) == 1:
            what = "one time too many" if gap > 0 else "one time too few"
            return (
                f"{_said(c)} The difference, {abs(gap)}, is {name}: counted {what}?"
            )
    if n_heads > 1 and c.got == n_heads * c.expected:
        return f"{_said(c)} That is {n_heads} times as many: did n_heads come in twice?"
    return f"{_said(c)} Write down the shape of each matrix, and what is in it."


exercise = Exercise(
    solution=n_parameters,
    place=50,
    section="What it costs",
    task="""
Write `n_parameters(d_model, n_heads, d_k, d_v, bias)`: how many numbers does multi-head attention
learn? Count the entries of $W^Q$, $W^K$, $W^V$ and $W^O$, for n_heads heads whose queries and keys
have d_k features each and whose values have d_v; outputs have d_model features, like the inputs.
If `bias` is True, each of the four linear maps adds a vector, as long as one row of its result, to
every row: count those too. All five arguments are always given; return a whole number (an `int`).
""",
    cases=_cases,
    variant=_counted,
    kinds={
        "bias": Kind(
            "with biases",
            "Each of the four maps has one vector, as long as a row of its result.",
        ),
    },
    faults=(
        Fault(
            "four-squares",
            {
                "widths": lambda d_model, n_heads, d_k, d_v: (
                    d_model / n_heads,
                    d_model / n_heads,
                )
            },
            lambda c: (
                "You count 4·d_model². That is right only if n_heads·d_k and n_heads·d_v are both "
                f"d_model; here they are {c.given['n_heads'] * c.given['d_k']} and "
                f"{c.given['n_heads'] * c.given['d_v']}, and d_model is {c.given['d_model']}. "
                f"{_said(c)}"
            ),
        ),
        Fault(
            "all-of-width-d-k",
            {"widths": lambda d_model, n_heads, d_k, d_v: (d_k, d_k)},
            lambda c: (
                f"You count values with d_k = {c.given['d_k']} features a head. They have their "
                f"own width, d_v = {c.given['d_v']}: W_V has that many columns for each head, and "
                f"W_O that many rows. {_said(c)}"
            ),
        ),
        Fault(
            "all-of-width-d-v",
            {"widths": lambda d_model, n_heads, d_k, d_v: (d_v, d_v)},
            lambda c: (
                f"You count queries and keys with d_v = {c.given['d_v']} features a head. That is "
                f"the width of the values; theirs is d_k = {c.given['d_k']}. {_said(c)}"
            ),
        ),
        Fault(
            "one-head",
            {
                "heads": lambda n_heads: 1,
                "output": lambda d_model, n_heads, d_v: d_v * d_model,
            },
            lambda c: (
                f"You count the matrices of one head; there are {c.given['n_heads']}, each with "
                f"matrices of its own. {_said(c)}"
            ),
        ),
        Fault(
            "one-head-projections",
            {"heads": lambda n_heads: 1},
            lambda c: (
                "W_O is counted rightly, but W_Q, W_K and W_V for one head only: each of the "
                f"{c.given['n_heads']} heads has its own. {_said(c)}"
            ),
        ),
        Fault(
            "no-output-matrix",
            {"output": lambda d_model, n_heads, d_v: 0},
            lambda c: (
                "W_O is missing: it takes the n_heads·d_v = "
                f"{c.given['n_heads'] * c.given['d_v']} features of the heads together to "
                f"d_model = {c.given['d_model']}. {_said(c)}"
            ),
        ),
        Fault(
            "output-of-one-head",
            {"output": lambda d_model, n_heads, d_v: d_v * d_model},
            lambda c: (
                "You count W_O as (d_v, d_model). It takes *all* heads, side by side: its shape "
                f"is (n_heads·d_v, d_model). {_said(c)}"
            ),
        ),
        Fault(
            "output-square",
            {"output": lambda d_model, n_heads, d_v: d_model**2},
            lambda c: (
                "You count W_O as (d_model, d_model). It has a row for each feature of the heads "
                f"side by side, n_heads·d_v = {c.given['n_heads'] * c.given['d_v']}. {_said(c)}"
            ),
        ),
        Fault(
            "values-of-width-d-k",
            {"given": lambda d_model, queries, values: d_model * queries},
            lambda c: (
                f"You count W_V with d_k = {c.given['d_k']} features a head. Values have their "
                f"own width, d_v = {c.given['d_v']}. {_said(c)}"
            ),
        ),
        Fault(
            "keys-of-width-d-v",
            {
                "asked": lambda d_model, queries, values: (
                    d_model * (queries + values)
                ),
                "given": lambda d_model, queries, values: d_model * values,
            },
            lambda c: (
                f"You count W_K (or W_Q) with d_v = {c.given['d_v']} features a head. Queries and "
                "keys are compared by a dot product, so both have d_k = "
                f"{c.given['d_k']}. {_said(c)}"
            ),
        ),
        Fault(
            "keys-forgotten",
            {"asked": lambda d_model, queries, values: d_model * queries},
            lambda c: (
                "One of the matrices of queries and keys is missing: W_Q and W_K are two, of the "
                f"same shape. {_said(c)}"
            ),
        ),
        Fault(
            "bias-ignored",
            {"added": lambda bias: 0},
            lambda c: (
                "With `bias=True` there are four vectors more: n_heads·d_k each for queries and "
                f"keys, n_heads·d_v for the values, d_model for the output. {_said(c)}"
            ),
        ),
        Fault(
            "bias-always",
            {"added": lambda bias: 1},
            lambda c: f"You count biases though `bias` is False. {_said(c)}",
        ),
        Fault(
            "no-output-bias",
            {"biases": lambda queries, values, d_model: 2 * queries + values},
            lambda c: (
                "The output's bias is missing: d_model = "
                f"{c.given['d_model']} numbers, added after W_O. {_said(c)}"
            ),
        ),
        Fault(
            "output-bias-of-heads",
            {"biases": lambda queries, values, d_model: 2 * queries + 2 * values},
            lambda c: (
                "You count n_heads·d_v numbers for the output's bias. It is added *after* W_O, to "
                f"rows of d_model = {c.given['d_model']} features. {_said(c)}"
            ),
        ),
        Fault(
            "biases-of-width-d-model",
            {"biases": lambda queries, values, d_model: 4 * d_model},
            lambda c: (
                "You count d_model for each of the four biases. A bias is as long as a row of the "
                "map's *result*: for queries and keys n_heads·d_k = "
                f"{c.given['n_heads'] * c.given['d_k']}, for the values "
                f"{c.given['n_heads'] * c.given['d_v']}. {_said(c)}"
            ),
        ),
        Fault(
            "four-numbers",
            {"biases": lambda queries, values, d_model: 4},
            lambda c: (
                "You count a single number for each bias. It is a vector: one number for each "
                f"feature of the map's result. {_said(c)}"
            ),
        ),
    ),
    properties=(Property("difference", _difference),),
    hints=(
        "Which shape has each of the four matrices, when the heads' matrices stand side by side?",
        "W_Q and W_K: (d_model, n_heads·d_k); W_V: (d_model, n_heads·d_v); W_O takes the heads "
        "back to d_model. A bias is as long as its matrix has columns.",
        "`2 * d_model * n_heads * d_k + d_model * n_heads * d_v + …`; and if `bias`, the four "
        "numbers of columns as well.",
    ),
    built_ins=("course_attn.costs.n_parameters",),
)
