"""Exercise `multi_head_flops`."""

from typing import Any

from course_attn.chapters.multi_head.exercises.n_parameters import said
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def multi_head_flops(n, d_model, n_heads):
    """Count the operations of the matrix products of multi-head attention."""
    d_k = d_model // n_heads
    projection = n * d_model * d_model
    scores = n * d_k * n
    mixing = n * n * d_k
    terms = 4 * projection + n_heads * (scores + mixing)
    return 2 * terms


def _cases() -> tuple[Case, ...]:
    return (
        Case((7, 20, 5), "example"),
        *map(Case, ((10, 6, 3), (11, 14, 7), (128, 512, 8))),
        Case((5, 3, 1), "one-head"),
        Case((4, 9, 9), "narrow"),
        Case((1, 12, 4), "one-element"),
    )


def _parts(c: Context) -> str:
    """Name the product that is missing or counted too often, where the difference shows it."""
    n, d, n_heads = c.given.values()
    product, inside, entries = 2 * n * d * d, 2 * n * n * d, n_heads * n * n
    gap = c.got.item() - int(c.expected)
    for size, of in (
        (product, f"2·n·d_model² = {product}, a product with one of the matrices"),
        (
            product // 2,
            f"n·d_model² = {product // 2}, half of a product with a matrix",
        ),
        (inside, f"2·n²·d_model = {inside}, the scores (or mixing) of all heads"),
        (entries, f"n_heads·n² = {entries}. Only products of matrices count"),
    ):
        if (
            gap % size == 0
            and 0 < abs(gap) <= 8 * size
            and (gap > 0 or size != entries)
        ):
            way = "too much" if gap > 0 else "missing"
            return f"{said(c)} What is {way} is exactly {abs(gap) // size:g} times {of}."
    others = 6 * n * d * (d - d // n_heads)
    for size, of in (
        (
            inside,
            f"2·n²·d_model = {inside} is what the scores of all heads take, or the mixing: is one "
            "of the two missing?",
        ),
        (
            others,
            f"The products with W_Q, W_K and W_V take {others} for all heads but one: do you count "
            "them for one head only?",
        ),
    ):
        more = gap + size
        if 0 < more <= 6 * entries and more % entries == 0:
            return (
                f"{said(c)} What is missing is {size} − {more}. {of} And {more} is "
                f"{more // entries:g} times n_heads·n²: do you count anything besides products of "
                "matrices, such as the softmax?"
            )
    return (
        f"{said(c)} Each of the four products with a matrix takes 2·n·d_model² = {product}, the "
        f"scores of all heads together 2·n²·d_model = {inside}, the mixing as many."
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers(2, 12, size=(4, 3)).tolist()
    return tuple(Case((n, d_k * n_heads, n_heads)) for n, d_k, n_heads in sizes)


exercise = Exercise(
    multi_head_flops,
    place=60,
    minutes=10,
    level="medium",
    prepares=("attention_flops",),
    section="What it costs",
    task="""
How many operations does self-attention with several heads take? Write
`multi_head_flops(n, d_model, n_heads)` for one sequence of n elements, with
$d_k = d_v = d_\\text{model} / n_\\text{heads}$ (n_heads divides d_model). Count the
matrix products only: that of an (a, b) matrix with a (b, c) matrix takes
$2\\,a\\,b\\,c$ operations, a multiplication and an addition for each term of each
sum. There are the products with $W_Q$, $W_K$, $W_V$ and $W_O$, and in each head the
scores and the mixing of the values. Return a whole number (an `int`: divide by `//`).
""",
    drawn=_drawn,
    cases=_cases,
    kinds={
        "one-head": Kind("for a single head"),
        "narrow": Kind("where every head has a single feature"),
        "one-element": Kind("for a sequence of one element"),
    },
    terms={
        "said": said,
        "d_k": lambda c: c.given["d_model"] // c.given["n_heads"],
        "product": lambda c: 2 * c.given["n"] * c.given["d_model"] ** 2,
    },
    faults=fault_list("""
additions-forgotten: 2 * terms → terms
    A factor of 2 is missing: each term of a sum takes a multiplication *and* an addition. Does each
    of the six products (with W_Q, W_K, W_V and W_O, scores, mixing) have it?
    {said}
projections-halved: 2 * terms → terms
        and n_heads * ( → 2 * n_heads * (
    For the products with W_Q, W_K, W_V and W_O you count half of what is needed. Is the factor 2
    there, as in the heads, and are there four of them? {said}
softmax-counted: 2 * terms → 2 * terms + 3 * n_heads * n * n
    You count 3·n_heads·n² operations besides the products, three for each score: is that the
    softmax? Only products of matrices are counted. {said}
one-addition-less: 2 * terms → 2 * terms - 5 * n * d_model - n_heads * n * n
    You count b multiplications and b − 1 additions for every sum of b terms. The task counts an
    addition for *each* term, 2·a·b·c, as most accounts of FLOPs do. {said}
full-width-heads: d_model // n_heads → d_model
    You give each head all {d_model} features. It compares and mixes only its own d_k = {d_k}:
    that is why more heads cost no more. {said}
full-width-scores: n * d_k * n → n * d_model * n
    In each head you count the scores, or the mixing, with all {d_model} features. A head compares
    and mixes only its own d_k = {d_k}. {said}
one-head: d_k = d_model // n_heads → d_k, n_heads = d_model // n_heads, 1
    You count the scores and the mixing of one head; there are {n_heads}. {said}
one-product: scores + mixing → scores
    Within the heads you count half of what is needed. Did you forget the factor 2, or one of the
    two products (scores, Q Kᵀ, and mixing, the weights times V)? {said}
no-output-matrix: terms = → terms = -projection +
    One product with a matrix is missing, 2·n·d_model² = {product}. Is it the last, with W_O?
    There are four. {said}
projections-in-every-head: n * d_model * d_model → n_heads * n * d_model * d_model
    You count the products with W_Q, W_K, W_V and W_O {n_heads} times. The heads *share* them: one
    product X W_Q gives the queries of all heads, {d_k} columns for each. {said}
whole-matrix-in-every-head: 4 * projection → (3 * n_heads + 1) * projection
    In each of the {n_heads} heads you count W_Q, W_K and W_V with all {d_model} columns. A head has
    its own d_k = {d_k} columns of each. {said}
projections-of-one-head: 4 * projection → 3 * n * d_model * d_k + projection
    You count the products with W_Q, W_K and W_V for the d_k = {d_k} columns of one head. All
    {n_heads} heads have {d_model}: 2·n·d_model² = {product} operations for each matrix. {said}
one-matrix-for-one-head: 4 * projection → 3 * projection + n * d_k * d_model
    You count one of the four products with matrices as if there were d_k = {d_k} features in place
    of {d_model}. Is it W_O? It reads the results of all heads, side by side. {said}
heads-only: 4 * projection → 0
    You count what happens within the heads. The four products with W_Q, W_K, W_V and W_O are
    missing, 2·n·d_model² = {product} each. {said}
n-forgotten: n * d_model * d_model → d_model * d_model
    You count the products with W_Q, W_K, W_V and W_O for a single element. X has {n} rows, and each
    is multiplied by the matrices. {said}
one-matrix: 4 * projection → projection
    You count one product with a whole matrix. With how many matrices is something multiplied, from
    X to the output? {said}
"""),
    properties=(Property("parts", _parts),),
    hints=(
        "Write down the shapes of both factors. Which products happen once, which in every head?",
        "X W_Q is (n, d_model) times (d_model, d_model), and so are three others. In a head, Q Kᵀ "
        "is (n, d_k) times (d_k, n), and the weights times V are (n, n) times (n, d_k).",
        "`8 * n * d_model**2 + n_heads * (2 * n * d_k * n + …)`; `d_k` is `d_model // n_heads`.",
    ),
)
