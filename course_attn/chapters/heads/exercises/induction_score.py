"""Exercise `induction_score`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def induction_score(weights, period):
    """Measure how much each head looks at what came after its token one period ago."""
    n = weights.shape[-1]
    rows = np.arange(period, n)
    columns = rows - period + 1
    found = weights[..., rows, columns]
    scores = found.mean(axis=-1)
    return scores


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261128)

    def drawn(n: int, *batch: int) -> np.ndarray:
        """Draw causal weights: no row is like another."""
        exps = np.exp(2 * rng.standard_normal((*batch, n, n))) * np.tri(n)
        return exps / exps.sum(axis=-1, keepdims=True)

    def open_maps(n: int, *batch: int) -> np.ndarray:
        """Draw weights without a mask: every token sees all others."""
        exps = np.exp(rng.standard_normal((*batch, n, n)))
        return exps / exps.sum(axis=-1, keepdims=True)

    def head(n: int, period: int) -> np.ndarray:
        """Return a head that looks where it should with 0.7 (and at itself before it can)."""
        weights = 0.3 * drawn(n) + 0.7 * np.eye(n)
        back = np.arange(period, n)
        weights[back, back] -= 0.7
        weights[back, back - period + 1] += 0.7
        return weights

    example = np.array(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.3, 0.7, 0.0, 0.0, 0.0],
            [0.1, 0.3, 0.6, 0.0, 0.0],
            [0.0, 0.8, 0.2, 0.0, 0.0],
            [0.1, 0.1, 0.6, 0.2, 0.0],
        ]
    )
    return (
        Case((example, 3), "example"),
        Case((drawn(11), 4), "one-map"),
        Case((drawn(7), 2), "one-map"),
        Case((head(13, 5), 5), "one-map"),
        Case((drawn(9, 4), 3), "batch"),
        Case((drawn(12, 2, 3), 5), "batch"),
        Case((drawn(5, 5), 2), "square"),
        Case((drawn(6, 3), 5), "one-row"),
        Case((drawn(8, 2), 1), "period-1"),
        Case((drawn(10, 3).astype("f4"), 4), "float32"),
        Case((open_maps(9, 2), 3), "no-mask"),
    )


def _entries(c: Context) -> str | None:
    """Find out which entries of a map the learner's score is made of, one call for each."""
    n, period = 7, 3
    right = [(i, i - period + 1) for i in range(period, n)]
    read: dict[tuple[int, int], float] = {}
    for i, j in np.ndindex(n, n):
        one = np.zeros((n, n))
        one[i, j] = 1.0
        found = c.call(one, period)
        if found is None or found.shape or np.isnan(found):
            return None
        if found != 0:
            read[i, j] = float(found)
    if [*read] != right:
        places = ", ".join(map(str, [*read][:8])) + ", …" * (len(read) > 8)
        said = (
            f"In a map of {n} tokens with period {period} you read the entries (row, column) "
            f"{places or 'of no place'}; {', '.join(map(str, right))} are right."
        )
        if read and all(i < j for i, j in read):
            said += (
                " Rows and columns are swapped: the row is the token that looks."
            )
            read = {(i, j): share for (j, i), share in read.items()}
        rows, back = sorted({i for i, _ in read}), {i - j for i, j in read}
        if read.keys() > {*right} and rows[0] == period:
            extra = [place for place in read if place not in right]
            places = ", ".join(map(str, extra[:4])) + ", …" * (len(extra) > 4)
            said += (
                f" Too many are {places}: in each row one entry counts, that of the token after "
                "the *last* occurrence."
            )
        if len(back) == 1 and rows[0] != period:
            said += (
                f" The first token that counts is {rows[0]} in yours; {period} is the first that "
                "has been there before."
            )
        if len(back) == 1 and min(back) not in (period - 1, 0):
            said += f" In row i you read column i − {min(back)}; i − {period - 1} is right."
        return said
    shares = {number(share) for share in read.values()}
    if shares == {number(1 / len(right))}:
        return None
    return (
        f"In a map of {n} tokens with period {period} you read the right entries, "
        f"{', '.join(map(str, right))}, but they count {', '.join(sorted(shares))} times; in a "
        f"mean of {len(right)} numbers each counts {number(1 / len(right))} times."
    )


exercise = Exercise(
    induction_score,
    place=20,
    minutes=12,
    level="medium",
    section="By hand: two numbers for a head",
    task="""
A random text is repeated again and again: token i is the same as token i − period. So what comes
after token i is known: the token that came after it one period ago. An induction head looks at
that one. Write `induction_score(weights, period)`: `weights` of shape (…, n, n) are attention maps,
one for each head; row i says where token i looks, both counted from 0. For each map, return
the mean weight that the tokens i ≥ period, which have been there before, give to the token *after
their occurrence one period ago*. Shape (…) out: one number if there is a single map. period is at
least 1 and below n.
""",
    cases=_cases,
    kinds={
        "one-map": Kind("for a single map"),
        "one-row": Kind(
            "where a single token has been there before", "n = period + 1."
        ),
        "period-1": Kind(
            "for a period of 1",
            "The token after the last occurrence is then the token itself.",
        ),
        "no-mask": Kind(
            "for maps without a causal mask",
            "Do you divide by something that is 1 only where nobody sees later tokens?",
        ),
    },
    faults=fault_list("""
own-token: rows - period + 1 → rows - period
    You measure how much token i looks at its own last occurrence, i − period. An induction head
    looks at the token *after* it, one further on. {worst_row}
token-before: rows - period + 1 → rows - period - 1
    You measure how much token i looks at the token *before* its last occurrence. Which came after
    it? {worst_row}
first-axes: weights[..., rows, columns] → np.moveaxis(weights[rows, columns], 0, -1)
    You index the *first* two axes of `weights`. With several maps these are not the rows and
    columns of a map: which axes are, however many stand before them?
transposed: weights[..., rows, columns] → weights[..., columns, rows]
    Rows and columns are swapped: you read how much the *earlier* token looks at the later one, and
    under a causal mask these weights are all 0. Does the row of a map say who is looking, or the
    column? {worst_row}
one-row-too-many: np.arange(period, n) → np.arange(period - 1, n)
    You begin one row too early, at i = period − 1 (the whole diagonal, `np.diagonal`, begins
    there). That token has not been there before. {worst_row}
one-row-too-few: np.arange(period, n) → np.arange(period + 1, n)
    You begin one row too late: token i = period is the first that has been there before.
    {worst_row}
hits: weights[..., rows, columns] → (weights.argmax(axis=-1)[..., rows] == columns)
    You count in how many rows the *largest* weight lies there. Asked for is the mean of the weight
    itself: one of 0.6 counts 0.6, not 1. {worst_row}
divided-by-n: found.mean(axis=-1) → found.sum(axis=-1) / n
    You divide by n. The mean is taken over the tokens that have been there before: of n tokens, how
    many are these? {worst_row}
sum: found.mean(axis=-1) → found.sum(axis=-1)
    You return the sum of the weights. Their mean is asked for: by how many tokens is it to be
    divided? {worst_row}
up-to-itself: found.mean(axis=-1)
        → (found / np.tril(weights).sum(axis=-1)[..., period:]).mean(axis=-1)
    You divide each weight by what its row gives to the tokens up to its own. A causal mask makes
    that 1; without one it is not, and the mean of the weights themselves is asked for.
    {worst_row}
over-heads: found.mean(axis=-1) → found.mean()
    You average over all maps, too, to a single number. Return one score for each map, here shape
    {right.shape}.
every-pair: weights[..., rows, columns] → weights[..., rows, :][..., columns].mean(axis=-1)
    You take every row with every column, a whole rectangle. Row i goes with the column i − period +
    1 only: index with both at once, `weights[..., rows, columns]`. {worst_row}
every-row: np.arange(period, n) → np.arange(n)
    You begin at row 0, where nothing has been there before (and a negative column counts from the
    end). Which is the first token that has? {worst_row}
previous-token: rows - period + 1 → rows - 1
    You measure how much token i looks at the token before it, i − 1, whatever the period. Where did
    it stand last, and what came after it? {worst_row}
last-row-missing: np.arange(period, n) → np.arange(period, n - 1)
    The last row is missing: the rows are counted from 0 to n − 1. Where does a loop or slice of
    yours end? {worst_row}
"""),
    properties=(Property("entries", _entries),),
    wrong_lines=("own-token", "one-row-too-many", "over-heads"),
    hints=(
        "The text is A B C A B C, with period 3. The second A is token 3. Where did it stand last, "
        "and what came after it? That is the token to look at.",
        "From row i it is the column i − period + 1, for all i from period on. These entries form "
        "a diagonal; two arrays of indices take them all.",
        "`weights[..., rows, rows - period + 1]` with `rows = np.arange(period, n)`.",
    ),
    built_ins=twins("heads.induction_score"),
)
