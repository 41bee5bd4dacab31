"""Exercise `score_variance`."""

from typing import Any

from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import number

__all__ = ["exercise"]


def score_variance(d_k, mean, shared):
    """Predict the variance of the dot product of two random vectors."""
    squared_mean = mean**2
    variance_of_product = 1 + 2 * squared_mean
    variance_of_square = 2 + 4 * squared_mean
    return d_k * (variance_of_square if shared else variance_of_product)


def _cases() -> tuple[Case, ...]:
    return (
        Case((64, 0.0, False), "example"),
        Case((7, 0.5, False), "mean"),
        Case((64, 0.0, True), "shared"),
        Case((11, 1.5, True), "both"),
        Case((3, -2.0, False), "mean"),
        Case((5, -0.7, True), "both"),
        Case((1, 0.0, True), "shared"),
        Case((1, 1.0, False), "mean"),
    )


def _asked(c: Context) -> str:
    vectors = "q = k" if c.given["shared"] else "q and k independent"
    return (
        f"For d_k = {c.given['d_k']}, mean {number(c.given['mean'])} and {vectors} you have "
        f"{number(c.got)}, and {number(c.expected)} is right"
    )


def _drawn(c: Context) -> str | None:
    """Notice that the formula is right nowhere and nearly so everywhere."""
    for given in ((64, 0.0, False), (64, 0.5, False), (64, 0.0, True)):
        got = c.call(*given)
        ratio = 0.0 if got is None else float(got) / score_variance(*given)
        if not 1e-9 < abs(ratio - 1) < 0.2:
            return None
    return f"Near, but not exact. {_asked(c)}. Do not draw and measure: find the formula."


def _more(rng: Any) -> tuple[Case, ...]:
    sizes, means = rng.integers(2, 50, size=4).tolist(), rng.normal(size=4).round(2)
    kinds = ("mean", "both", "mean", "both")
    drawn = zip(sizes, means.tolist(), kinds, strict=True)
    return tuple(Case((d, mean, kind == "both"), kind) for d, mean, kind in drawn)


exercise = Exercise(
    score_variance,
    place=80,
    minutes=15,
    level="hard",
    section="When an assumption fails",
    task="""
Write `score_variance(d_k, mean, shared)`: the variance of the *unscaled* score $q \\cdot k$, as one
number, by a formula and not by drawing. The d_k components are independent normal numbers with the
given mean $\\mu$ and variance 1. `shared` is False for q and k independent of each other, and True
for $k = q$. (For a normal z with mean 0 and variance 1, $E[z^3] = 0$ and $E[z^4] = 3$.)
""",
    drawn=_more,
    cases=_cases,
    kinds={
        "mean": Kind("where the mean is not 0", "E[(qk)²] is no longer 1 then."),
        "example": Kind("for mean 0 and independent vectors"),
        "shared": Kind("where k = q with mean 0", "It is a sum of squares then."),
        "both": Kind("where k = q with another mean", "Expand (μ + z)²."),
    },
    terms={"asked": _asked},
    faults=fault_list("""
mean-ignored: mean**2 → 0.0
    The mean plays no part in your formula, but it widens the spread. {asked}.
mean-once: mean**2 → mean**2 / 2
    You count μ² half as often as you should, for k = q too. The mean enters twice, once through q
    and once through k: multiply out E[q²] E[k²] − E[q]² E[k]². {asked}.
shared-ignored: 2 + 4 * squared_mean → 1 + 2 * squared_mean
    You treat k = q as if the two were independent. Then the score is a sum of squares, which
    spread more. {asked}.
only-d: (variance_of_square if shared else variance_of_product) → 1
    d_k alone is right for mean 0 and independent q and k. Another mean adds more, and so does
    k = q. {asked}.
mean-of-the-score: 2 + 4 * squared_mean → 1 + squared_mean
    For k = q you return the *mean* of the score, E[q · q] = d_k (1 + μ²). How far does it spread
    around that? {asked}.
root: return d_k * (variance_of_square if shared else variance_of_product)
    → return np.sqrt(d_k * (variance_of_square if shared else variance_of_product))
    You return a square root, the standard deviation; asked for is the variance. {asked}.
half-shared: 2 + 4 * squared_mean → 2 + 2 * squared_mean
    For k = q you take 2 + 2μ² for each component, right only for μ = 0. Expand (μ + z)²: what is
    the variance of the middle term, 2μz? {asked}.
quarter-shared: 2 + 4 * squared_mean → 2 + squared_mean
    For k = q you take 2 + μ² for each component, right only for μ = 0. Multiply out (μ + z)⁴: how
    often does μ²z² stand in it? {asked}.
d-squared: return d_k * → return d_k**2 *
    You multiply by d_k², as if all products were the same number. They are independent: what is the
    variance of a sum of d_k such products? {asked}.
mean-ignored-shared: 2 + 4 * squared_mean → 2
    For k = q you take 2 for each component, whatever the mean. In (μ + z)² = μ² + 2μz + z² the
    middle term has variance 4μ². {asked}.
four-times: 2 + 4 * squared_mean → 4 + 8 * squared_mean
    For k = q you take four times the variance of the independent case, as for one score doubled.
    But the variance of a square z² is E[z⁴] − E[z²]² = 2. {asked}.
branches-swapped: 1 + 2 * squared_mean → 2 + 4 * squared_mean
        and 2 + 4 * squared_mean → 1 + 2 * squared_mean
    The two cases are exchanged: where k = q, the variance is larger. {asked}.
scaled: return d_k * → return
    Your number is the variance of the *scaled* score q · k / √d_k, in which d_k cancels. Asked for
    is that of the plain score, a sum of d_k products. {asked}.
mean-added: return → return d_k * squared_mean +
    You add d_k μ², the mean of the score. A variance is measured from the mean. {asked}.
kurtosis: 2 + 4 * squared_mean → 3 + 4 * squared_mean
    For k = q one square z² has variance E[z⁴] − E[z²]² = 3 − 1 = 2; you take 3. {asked}.
square-constant: 2 + 4 * squared_mean → 4 * squared_mean
    For k = q you take E[z⁴] = 1, as if z² were always 1: with mean 0 your score would not vary at
    all. What is E[z⁴] − E[z²]² of a normal z? {asked}.
second-moment-alone: 1 + 2 * squared_mean → (1 + squared_mean) ** 2
    For independent q and k you take E[(q k)²] = (1 + μ²)² for each component. From a second moment
    the squared mean has to be subtracted: μ⁴. {asked}.
mean-once-independent: 1 + 2 * squared_mean → 1 + squared_mean
    For independent q and k you take 1 + μ² for each component. But the mean enters twice, once
    through q and once through k: multiply out E[q²] E[k²] − E[q]² E[k]². {asked}.
mean-of-the-sum: 1 + 2 * squared_mean → (1 + squared_mean) ** 2 - d_k * squared_mean**2
    For independent q and k you subtract (d_k μ²)², the squared mean of the whole score, from the
    second moments of single products. Take both of one product, then add up d_k of them. {asked}.
second-moment-shared: 2 + 4 * squared_mean → 3 + 6 * squared_mean + squared_mean**2
    For k = q you take E[q⁴] = 3 + 6μ² + μ⁴ for each component. The variance of q² is E[q⁴] −
    E[q²]²: subtract (1 + μ²)². {asked}.
mean-of-the-sum-shared: 2 + 4 * squared_mean
            → 3 + 6 * squared_mean + squared_mean**2 - d_k * (1 + squared_mean) ** 2
    For k = q you subtract the square of the mean of the whole score, d_k (1 + μ²). Take the
    variance of one q², E[q⁴] − E[q²]², and multiply that by d_k. {asked}.
mean-to-the-fourth: 2 + 4 * squared_mean → 3 + 6 * squared_mean
    For k = q you subtract μ⁴ from E[q⁴]. What has to be subtracted is the square of E[q²], which is
    1 + μ², not μ². {asked}.
doubled-second-moment-shared: 2 + 4 * squared_mean → 2 * (1 + squared_mean) ** 2
    For k = q you take 2 (1 + μ²)² for each component, right only for μ = 0. Expand the square: in
    (μ + z)² = μ² + 2μz + z² the last two terms vary. {asked}.
mean-not-squared: mean**2 → mean
    The mean is not squared in your formula, so that its sign would count. A variance has the unit
    of a square. {asked}.
root-of-d: return d_k * → return d_k**0.5 *
    You multiply by √d_k. That is how the *spread* grows, the standard deviation; what adds up over
    d_k independent products? {asked}.
"""),
    properties=(Property("nearly", _drawn),),
    hints=(
        "The variances of the d_k products add up. What is the variance of *one* product?",
        "Var[ab] = E[a²]E[b²] − (E[a]E[b])² for independent a and b. For k = q expand (μ + z)².",
        "1 + 2μ² for one product of independent components; Var[2μz + z²] = 4μ² + 2 for a square.",
    ),
    built_ins=("course_attn.costs.expected_score_variance",),
)
