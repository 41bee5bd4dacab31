"""Exercise `multi_head_flops` of chapter 7."""

from collections.abc import Callable
from functools import partial
from typing import Any

from course_attn.checking import Case, Context, Exercise, Fault, Property

__all__ = ["exercise"]


def multi_head_flops(n, d_model, n_heads):
    """Count the operations of the matrix products of multi-head attention."""
    d_k = d_model // n_heads
    projections = 4 * (2 * n * d_model * d_model)
    scores = n_heads * (2 * n * d_k * n)
    mixing = n_heads * (2 * n * n * d_k)
    return projections + scores + mixing


def _cases() -> tuple[Case, ...]:
    sizes = ((10, 6, 3), (7, 20, 5), (11, 14, 7), (128, 512, 8), (5, 3, 1))
    return tuple(
        Case(given, "plain" if i else "example") for i, given in enumerate(sizes)
    )


def _product(m: int, k: int, n: int) -> int:
    return 2 * m * k * n


def _counted(
    n: int,
    d_model: int,
    n_heads: int,
    *,
    of_product: Callable[..., Any] = _product,
    maps: int = 4,
    heads: Callable[..., Any] = lambda d_model, n_heads: (
        n_heads,
        d_model // n_heads,
    ),
    queries: Callable[..., Any] = lambda n: n,
    products: int = 2,
) -> int:
    projections = maps * of_product(n, d_model, d_model)
    n_heads, d_k = heads(d_model, n_heads)
    return projections + n_heads * products * of_product(queries(n), d_k, n)


def _said(c: Context) -> str:
    """Quote the sizes and both counts."""
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    return f"For {sizes} you count {int(c.got)}, and there are {int(c.expected)}."


def _parts(c: Context) -> str:
    n, d, _ = c.given.values()
    return (
        f"{_said(c)} Each of the four products with a matrix takes {2 * n * d * d}, the scores of "
        f"all heads together {2 * n * n * d}, and the mixing as many again."
    )


exercise = Exercise(
    solution=multi_head_flops,
    place=60,
    section="What it costs",
    task="""
How many operations does self-attention with several heads take? Write
`multi_head_flops(n, d_model, n_heads)` for one sequence of n elements, with
$d_k = d_v = d_\\text{model} / n_\\text{heads}$ (n_heads divides d_model). Count the
matrix products only: that of an (a, b) matrix with a (b, c) matrix takes
$2\\,a\\,b\\,c$ operations, a multiplication and an addition for each term of each
sum. There are the products with $W^Q$, $W^K$, $W^V$ and $W^O$, and in each head the
scores and the mixing of the values. Return a whole number (an `int`: divide by `//`).
""",
    cases=_cases,
    variant=_counted,
    faults=(
        Fault(
            "additions-forgotten",
            {"of_product": lambda a, b, c: a * b * c},
            lambda c: (
                "You count the multiplications only, half of the operations: each term of a sum "
                f"takes a multiplication *and* an addition. {_said(c)}"
            ),
        ),
        Fault(
            "full-width-heads",
            {"heads": lambda d_model, n_heads: (n_heads, d_model)},
            lambda c: (
                f"You give each head all {c.given['d_model']} features. It compares and mixes only "
                f"its own d_k = {c.given['d_model'] // c.given['n_heads']}: that is why more "
                f"heads cost no more. {_said(c)}"
            ),
        ),
        Fault(
            "one-head",
            {"heads": lambda d_model, n_heads: (1, d_model // n_heads)},
            lambda c: (
                "You count the scores and the mixing of one head; there are "
                f"{c.given['n_heads']}. {_said(c)}"
            ),
        ),
        Fault(
            "no-output-matrix",
            {"maps": 3},
            lambda c: (
                "One product with a matrix is missing. Is it the last, with W_O? There are four: "
                f"W_Q, W_K, W_V and W_O. {_said(c)}"
            ),
        ),
        Fault(
            "one-projection",
            partial(_counted, maps=2),
            lambda c: (
                "You count two products with a matrix. There are three for queries, keys and "
                f"values, one each, and that with W_O. {_said(c)}"
            ),
        ),
        Fault(
            "one-product",
            {"products": 1},
            lambda c: (
                "In each head you count one of two products: there are the scores, Q Kᵀ, and the "
                f"mixing, the weights times V, which takes as many operations. {_said(c)}"
            ),
        ),
        Fault(
            "projections-only",
            {"products": 0},
            lambda c: (
                "You count the products with the four matrices, and nothing within the heads: "
                "the scores and the mixing are missing, and they are what grows with n². "
                f"{_said(c)}"
            ),
        ),
        Fault(
            "linear-in-n",
            {"queries": lambda n: 1},
            lambda c: (
                "You count the scores and the mixing of one query. Each of the "
                f"{c.given['n']} elements asks: n² scores in every head. {_said(c)}"
            ),
        ),
    ),
    properties=(Property("parts", _parts),),
    hints=(
        "Write down the shapes of both factors for each product. Which products happen once, and "
        "which in every head?",
        "X W_Q is (n, d_model) times (d_model, d_model), and so are three others. In a head, Q Kᵀ "
        "is (n, d_k) times (d_k, n), and the weights times V are (n, n) times (n, d_k).",
        "`4 * 2 * n * d_model**2 + n_heads * (2 * n * d_k * n + …)`, with "
        "`d_k = d_model // n_heads`.",
    ),
)
