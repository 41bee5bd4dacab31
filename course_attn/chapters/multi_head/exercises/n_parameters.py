"""Exercise `n_parameters`."""

from itertools import combinations
from typing import Any

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise", "said"]


def n_parameters(d_model, n_heads, d_k, d_v, biases):
    """Count the learned numbers of multi-head attention."""
    width_of_keys = n_heads * d_k
    width_of_values = n_heads * d_v
    queries = d_model * width_of_keys
    keys = d_model * width_of_keys
    values = d_model * width_of_values
    output = width_of_values * d_model
    matrices = queries + keys + values + output
    vectors = width_of_keys + width_of_keys + width_of_values + d_model
    return matrices + vectors if biases else matrices


def _cases() -> tuple[Case, ...]:
    return (
        Case((10, 3, 5, 2, False), "example"),
        Case((512, 8, 64, 64, False)),
        Case((10, 3, 5, 2, True), "biases"),
        Case((512, 8, 64, 64, True), "biases"),
        Case((7, 2, 11, 13, False)),
        Case((5, 1, 3, 7, True), "biases"),
        Case((9, 4, 1, 6, False)),
    )


def said(c: Context) -> str:
    """Quote the sizes and both counts."""
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    return f"For {sizes} you count {c.got.item():.12g}; {int(c.expected)} is right."


def _difference(c: Context) -> str:
    """Name the parts that are missing or counted twice, where the difference shows them."""
    d, n_heads, d_k, d_v, biases = c.given.values()
    if n_heads > 1 and c.got == n_heads * c.expected:
        return f"{said(c)} That is {n_heads} times as many: is n_heads in twice?"
    sizes = {
        "d_model·n_heads·d_k (W_Q, or W_K)": d * n_heads * d_k,
        "d_model·n_heads·d_v (W_V, or W_O)": d * n_heads * d_v,
        "n_heads·d_k (bias of queries, or of keys)": biases * n_heads * d_k,
        "n_heads·d_v (bias of values)": biases * n_heads * d_v,
        "d_model (bias of the output)": biases * d,
    }
    terms = [name for name in sizes if sizes[name]]
    gap = c.got.item() - int(c.expected)
    for count in range(1, 4):
        found = {
            " + ".join(sorted(parts, key=terms.index))
            for parts in combinations(2 * terms, count)
            if sum(sizes[part] for part in parts) == abs(gap)
        }
        if len(found) == 1:
            what = "counted too often" if gap > 0 else "missing"
            parts = found.pop()
            return f"{said(c)} The difference, {abs(gap):.12g}, is {parts}: is that {what}?"
    listed = "; ".join(f"{name}: {sizes[name]}" for name in terms)
    return f"{said(c)} Compare term by term. {listed}."


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers(2, 30, size=(4, 4)).tolist()
    kinds = ("plain", "biases") * 2
    drawn = zip(sizes, kinds, strict=True)
    return tuple(Case((*four, kind == "biases"), kind) for four, kind in drawn)


exercise = Exercise(
    n_parameters,
    place=5,
    minutes=10,
    level="easy",
    prepares=("gpt_parameters",),
    section="What it costs",
    task="""
Write `n_parameters(d_model, n_heads, d_k, d_v, biases)`: how many numbers does multi-head attention
learn? Count the entries of $W_Q$, $W_K$, $W_V$ and $W_O$, for n_heads heads whose queries and keys
have d_k features each and whose values have d_v; outputs have d_model features, like the inputs.
If `biases` is True, each of the four linear maps adds a vector, as long as one row of its result,
to every row: count those too. All five arguments are always given; return a whole number (an
`int`).
""",
    drawn=_drawn,
    cases=_cases,
    kinds={
        "biases": Kind(
            "with biases",
            "Each of the four maps has one vector, as long as a row of its result.",
        ),
    },
    terms={
        "said": said,
        "width_k": lambda c: c.given["n_heads"] * c.given["d_k"],
        "width_v": lambda c: c.given["n_heads"] * c.given["d_v"],
    },
    faults=fault_list("""
four-squares: width_of_keys = n_heads * d_k → width_of_keys = d_model
        and width_of_values = n_heads * d_v → width_of_values = d_model
    You count 4·d_model². That is right only if n_heads·d_k and n_heads·d_v are both d_model;
    here they are {width_k} and {width_v}. {said}
all-of-width-d-k: width_of_values = n_heads * d_v → width_of_values = n_heads * d_k
    You count values with d_k = {d_k} features per head. They have d_v = {d_v}: W_V has
    as many columns for each head, and W_O as many rows. {said}
values-matrix-of-width-d-k: d_model * width_of_values → d_model * width_of_keys
        and width_of_keys + width_of_keys + width_of_values + d_model → 3 * width_of_keys + d_model
    One of your matrices is {width_k} wide where {width_v} is right. Is it W_V, counted like W_K?
    Values have d_v = {d_v} features per head. {said}
one-matrix-of-width-d-k: d_model * width_of_values → d_model * width_of_keys
    You count W_V (or the rows of W_O) with n_heads·d_k = {width_k} where n_heads·d_v = {width_v} is
    right. Values have d_v = {d_v} features per head. {said}
no-output-matrix: + output → (nothing)
    A matrix of d_model·n_heads·d_v numbers is missing: W_O, which takes the {width_v} features
    of all heads together to d_model (or W_V, which has as many). {said}
output-square: output = width_of_values * d_model → output = d_model * d_model
    You count W_O as (d_model, d_model). It has a row for each of the n_heads·d_v features of the
    heads side by side. {said}
output-of-one-head: output = width_of_values * d_model → output = d_v * d_model
    You count W_O (or W_V) with the d_v features of one head. Both belong to *all* heads, with
    n_heads·d_v. {said}
output-in-every-head: output = width_of_values * d_model
            → output = n_heads * width_of_values * d_model
    You count one matrix of d_model·n_heads·d_v numbers {n_heads} times over: is it W_O (or W_V), in
    a loop over the heads? A whole matrix of that size serves all heads together. {said}
keys-missing: queries + keys → queries
        and width_of_keys + width_of_keys → width_of_keys
    The keys are missing, or the queries, which are as many: both have a matrix of their own, of
    d_model·n_heads·d_k numbers (and with biases a vector). {said}
always-biases: matrices + vectors if biases else matrices → matrices + vectors
    You count the biases always. Where `biases` is False there are none. {said}
bias-ignored: matrices + vectors if biases else matrices → matrices
    With `biases=True` there are four vectors more: n_heads·d_k each for queries and keys,
    n_heads·d_v for the values, d_model for the output. {said}
no-output-bias: width_of_values + d_model → width_of_values
    The output's bias is missing: d_model = {d_model} numbers, added after W_O. {said}
no-values-bias: width_of_values + d_model → d_model
    The values' bias is missing: n_heads·d_v = {width_v} numbers, added after W_V. {said}
output-bias-per-head: width_of_values + d_model → width_of_values + n_heads * d_model
    You count the output's bias once for each head. It is added after W_O, to all heads together:
    d_model = {d_model} numbers, once. {said}
biases-of-width-d-model: width_of_keys + width_of_keys + width_of_values + d_model → 4 * d_model
    You count d_model for each bias. A bias is as long as a row of the map's *result*: for
    queries and keys n_heads·d_k = {width_k}, for the values {width_v}. {said}
biases-of-one-head: width_of_keys + width_of_keys + width_of_values + d_model
            → d_k + d_k + d_v + d_model
    You count the biases of one head. All {n_heads} together have {width_k} numbers for the
    queries, {width_k} for the keys, {width_v} for the values. {said}
one-head: width_of_keys = n_heads * d_k → width_of_keys = d_k
        and width_of_values = n_heads * d_v → width_of_values = d_v
    You count a single head. Each of the {n_heads} heads has its own queries, keys and values: how
    wide are they side by side? {said}
projections-of-one-head: queries + keys + values → (queries + keys + values) // n_heads
    You count W_Q, W_K and W_V of one head only. Each of the {n_heads} heads has its own: how wide
    are they side by side? {said}
output-bias-of-width-d-v: width_of_values + d_model → width_of_values + width_of_values
    You count n_heads·d_v = {width_v} numbers for the output's bias. It is as long as a row of the
    *result* of W_O: how many features has that? {said}
one-number-each: width_of_keys + width_of_keys + width_of_values + d_model → 4
    You count one number for each bias. A bias is a vector: to what is it added? {said}
"""),
    properties=(Property("difference", _difference),),
    hints=(
        "What shape does each of the four matrices have, with those of the heads side by side?",
        "W_Q and W_K: (d_model, n_heads·d_k); W_V: (d_model, n_heads·d_v); W_O takes the heads "
        "back to d_model. A bias is as long as its matrix has columns.",
        "`d_model * n_heads * (2 * d_k + d_v) + …`; if `biases`, the four numbers of columns, too.",
    ),
    built_ins=("course_attn.costs.n_parameters",),
)
