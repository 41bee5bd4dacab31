"""Exercise `extend_beams`."""

from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    listed,
    number,
)
from whywrong.declare import put_to_use

__all__ = ["exercise"]


def extend_beams(prefixes, sums, log_probs, n_beams, end):
    """Keep the best of all extensions by one token, and do not extend what has ended."""
    n_vocab = log_probs.shape[-1]
    has_ended = prefixes[:, -1:] == end
    only_end = np.where(np.arange(n_vocab) == end, 0.0, -np.inf)
    steps = np.where(has_ended, only_end, log_probs)
    totals = (sums[:, None] + steps).reshape(-1)
    best = np.argsort(-totals)[:n_beams]
    parents = prefixes[best // n_vocab]
    tokens = best[:, None] % n_vocab
    longer = np.concatenate([parents, tokens], axis=-1)
    return longer, totals[best]


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261205)

    def given(
        n: int,
        n_vocab: int,
        n_beams: int,
        ended: tuple[int, ...],
        *,
        n_rows: int = 0,
    ) -> tuple[Any, ...]:
        """Draw prefixes of n tokens with their sums; some of them have ended."""
        end = n_vocab // 3
        others = np.setdiff1d(np.arange(n_vocab), [end])
        prefixes = rng.choice(others, (n_rows or n_beams, n))
        prefixes[list(ended), -1] = end
        sums = -np.sort(rng.uniform(0.5, 3.5, len(prefixes)))
        p = rng.dirichlet(np.full(n_vocab, 0.8), len(prefixes))
        p[:, end] = rng.uniform(0.3, 0.6, len(prefixes))
        return (
            prefixes,
            sums,
            np.log(p / p.sum(axis=-1, keepdims=True)),
            n_beams,
            end,
        )

    example = (
        np.array([[3, 2], [3, 0]]),
        np.log([0.5, 0.3]),
        np.log([[0.12, 0.17, 0.25, 0.46], [0.35, 0.28, 0.22, 0.15]]),
        2,
        0,
    )
    alike = given(4, 6, 3, ())
    alike[1][1:] -= 6.0
    again = given(4, 6, 3, (1,))
    again[0][:, 0] = again[4]
    start = (np.array([[5]]), np.zeros(1), *given(1, 7, 4, (), n_rows=1)[2:])
    return (
        Case(example, "example"),
        Case(given(3, 7, 5, ())),
        Case(given(4, 11, 2, ())),
        Case(alike, "one-family"),
        Case(start, "start"),
        Case(given(5, 8, 3, (1,)), "ended"),
        Case(given(6, 9, 4, (0, 2)), "ended"),
        Case(given(2, 5, 4, (3,)), "ended"),
        Case(given(4, 7, 3, (0, 1, 2)), "all-ended"),
        Case(given(3, 6, 1, ()), "greedy"),
        Case(again, "again"),
        Case(given(5, 5, 5, (2,)), "square"),
    )


def _in_any_order(answer: Any, *given: Any) -> Any:
    """Call the answer where `np.argpartition` keeps no more order than NumPy promises.

    What is equal stays in its order, as NumPy sorts it on some machines only.
    """
    numpy: Any = np
    partitioned, sorted_by = numpy.argpartition, numpy.argsort

    def unordered(a: Any, kth: Any, axis: Any = -1, **more: Any) -> np.ndarray:
        places = np.atleast_1d(partitioned(a, kth, axis, **more))
        if places.ndim == 1 and np.ndim(kth) == 0:
            k = int(kth) % len(places)
            places[:k], places[k + 1 :] = (
                places[:k][::-1].copy(),
                places[:k:-1].copy(),
            )
        return places

    def stable(a: Any, axis: Any = -1, kind: Any = None, **more: Any) -> np.ndarray:
        is_free = (
            kind is None and "stable" not in more
        )  # NumPy 2 takes one of the two
        return sorted_by(a, axis, "stable" if is_free else kind, **more)

    numpy.argpartition, numpy.argsort = unordered, stable
    try:
        return put_to_use(answer, None, ("prefixes", "sums"))(*given)
    finally:
        numpy.argpartition, numpy.argsort = partitioned, sorted_by


def _what(c: Context) -> str:
    """Say which extension is the first that is wrong, or what is wrong with its sum."""
    result = c.given["result"]
    if c.got.shape != c.expected.shape:
        return f"Your `{result}` have shape {c.got.shape}; {c.expected.shape} is right."
    if result == "sums":
        return f"Your `sums` are {c.row()}; {c.row(0, 'expected')} is right."
    i = int((c.got != c.expected).any(axis=-1).argmax())
    mine, right = c.got[i].tolist(), c.expected[i].tolist()
    before, sums, log_probs, _, end, _ = c.given.values()
    steps = ", ".join(map(listed, log_probs)) if log_probs.size < 9 else ""
    return (
        f"Of {before.tolist()} with the sums {listed(sums)} and the end {end} you make "
        f"row {i} {mine}; {right} is right."
        + f" (The log-probabilities are {steps}.)"
        * bool(steps)
    )


def _best_first(c: Context) -> str | None:
    """See whether the right ones are kept in another order."""
    if c.got.shape != c.expected.shape or np.array_equal(c.got, c.expected):
        return None
    mine, right = (sorted(a.tolist()) for a in (c.got, c.expected))
    if not np.allclose(mine, right):
        return None
    return f"You keep the right ones, in another order: the best comes first. {_what(c)}"


def _ended_extended(c: Context) -> str | None:
    """See whether something stands behind an end."""
    end, rows = c.given["end"], c.got
    if c.given["result"] != "prefixes" or rows.ndim != 2 or rows.shape[-1] < 2:
        return None
    after = (rows[:, -2] == end) & (rows[:, -1] != end)
    if not after.any():
        return None
    row = rows[int(after.argmax())].tolist()
    return (
        f"You keep {row}, in which a token stands behind the end token {end}. What has ended is "
        "not extended: which single token may follow, and at what cost?"
    )


def _one_of_each(c: Context) -> str | None:
    """See whether all that is kept comes from different prefixes, and should not."""
    if c.given["result"] != "prefixes" or c.got.ndim != 2 or len(c.got) < 2:
        return None
    mine, right = (
        len({*map(tuple, a[:, :-1].tolist())}) for a in (c.got, c.expected)
    )
    keeps_one_of_each = _kept(c, -0.1, -5.0, 2) == [[1, 0], [3, 0]]
    if not right < mine == len(c.got) or not keeps_one_of_each:
        return None
    return (
        "All that you keep come from different prefixes. Two of the best may come from the same "
        f"prefix, and none from another: among which extensions is to be compared? {_what(c)}"
    )


def _last_alone(c: Context) -> str | None:
    """See whether the sums are log-probabilities of single tokens."""
    prefixes, before, log_probs, n_beams, end, _ = c.given.values()
    sums = c.call(prefixes, before, log_probs, n_beams, end, "sums")
    right = extend_beams(prefixes, before, log_probs, n_beams, end)[1]
    if sums is None or sums.shape == right.shape and np.allclose(sums, right):
        return None
    if not before.all() or not np.isin(sums, [*log_probs.ravel(), 0.0]).all():
        return None
    return (
        f"Your `sums` are {listed(sums)}, the log-probabilities of the last tokens alone. Should a "
        f"good token behind a bad beginning count as much as one behind a good one?{_after_end(c)}"
    )


def _chosen_by_token(c: Context) -> str | None:
    """See whether the next tokens alone decide, and the sums only come in afterward."""
    if c.given["result"] != "prefixes" or _kept(c, -0.1, -9.0, 1) != [[3, 0]]:
        return None
    return (
        "You choose by the log-probabilities of the next tokens, and add the sums only afterward. "
        f"Should a good token behind a bad beginning win? {_what(c)}{_after_end(c)}"
    )


def _kept(c: Context, first: float, second: float, n: int) -> list[list[int]]:
    """Return which extensions of the prefixes [1] and [3], with these sums, are kept."""
    steps = np.log([[0.5, 0.3, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1]])
    sums = np.array([first, second])
    kept = c.call(np.array([[1], [3]]), sums, steps, n, 2, "prefixes")
    return [] if kept is None else kept.tolist()


def _after_end(c: Context) -> str:
    """Say, where it is so, what becomes of a prefix that has ended, besides."""
    steps = np.log([[0.3, 0.25, 0.25, 0.2], [0.4, 0.3, 0.1, 0.2]])
    prefixes, sums = np.array([[3], [2]]), np.array([-9.0, -0.1])
    kept = c.call(prefixes, sums, steps, 2, 2, "prefixes")
    if kept is None or kept.ndim != 2 or kept.shape[-1] != 2:
        return ""
    wrong = [row for row in kept.tolist() if row[0] == 2 != row[1]]
    if wrong:
        after = f" Besides, of the prefix [2], which the end token 2 has ended, you make {wrong[0]}"
        return f"{after}: which single token follows?"
    if [2, 2] not in kept.tolist():
        return " Besides, what has ended is lost: with which sum does it compete?"
    return ""


def _sum_of_kept(c: Context) -> str:
    """Say what the best sum is made of."""
    if c.given["result"] != "sums" or c.got.shape != c.expected.shape:
        return _what(c)
    i = int(np.abs(np.nan_to_num(c.got - c.expected, nan=np.inf)).argmax())
    prefixes, before, log_probs, n_beams, end, _ = c.given.values()
    best = extend_beams(prefixes, before, log_probs, n_beams, end)[0][i]
    parent = (prefixes == best[:-1]).all(axis=-1).argmax()
    return (
        f"Row {i} should be {best.tolist()}, with the sum {number(c.expected[i])} (its prefix has "
        f"{number(before[parent])}); your sum there is {number(c.got[i])}."
    )


exercise = Exercise(
    extend_beams,
    place=50,
    minutes=20,
    level="medium",
    prepares=("beam_scores",),
    section="Beam search",
    task="""
One step of a beam search. Write `extend_beams(prefixes, sums, log_probs, n_beams, end)`:
`prefixes`, integers of shape (n_prefixes, n), are the beginnings kept so far; `sums`,
(n_prefixes,), are the sums of the log-probabilities of their tokens; `log_probs`, (n_prefixes,
n_vocab), has for each of them the log-probability of every next token. Of all extensions by one
token, keep the n_beams ones with the largest sums, wherever they come from. A prefix whose last
token is `end` has ended. It is not extended, but competes with its sum: `end` is written behind it
once more, at no cost, so that all rows stay equally long. Return two arrays, the best first:
`prefixes` (n_beams, n + 1) and their `sums` (n_beams,). There are always n_beams extensions or
more, and no two sums are equal. (The course's `beam_search` sets aside what has ended; here it
keeps its place among the beams.) Do not change the arguments.
""",
    cases=_cases,
    use=_in_any_order,
    results=("prefixes", "sums"),
    terms={"what": _what, "sum": _sum_of_kept},
    kinds={
        "one-family": Kind(
            "where all of the best extensions belong to one prefix",
            "The best n_beams of *all* are kept, even if other prefixes go without.",
        ),
        "start": Kind(
            "in the first step, where there is one prefix",
            "There are fewer prefixes than beams: all n_beams come from the same one.",
        ),
        "ended": Kind(
            "where some prefixes have ended",
            "They compete with their sums, and only `end` may follow.",
        ),
        "all-ended": Kind("where all prefixes have ended"),
        "greedy": Kind("for a single beam"),
        "again": Kind(
            "where the end token stands at the beginning, too, as in GPT-2",
            "Only the *last* token says whether a prefix has ended.",
        ),
    },
    faults=fault_list("""
end-extended: np.where(has_ended, only_end, log_probs) → log_probs
    You extend what has ended: tokens are written behind the end. What does the task say of a prefix
    whose last token is {end}? {what}
first-token-decides: prefixes[:, -1:] == end → prefixes[:, :1] == end
    You ask whether a prefix *begins* with {end}. Which of its tokens says that it has ended? {what}
ended-anywhere: prefixes[:, -1:] == end → (prefixes == end).any(axis=-1, keepdims=True)
    You take a prefix for ended if the end stands *anywhere* in it. In GPT-2 the token that starts
    is the one that ends: which place decides? {what}
end-has-a-price: == end, 0.0, -np.inf) → == end, log_probs, -np.inf)
    You add the log-probability of `end` once more to what has already ended, so that its sum falls
    while it waits. What does an `end` that only fills the row up cost? {sum}
ended-summed-twice: == end, 0.0, -np.inf) → == end, sums[:, None], -np.inf)
    What has ended competes with twice its sum, and falls behind. What does an `end` that only fills
    the row up add to it? {what}
others-follow: == end, 0.0, -np.inf) → == end, 0.0, log_probs)
    Behind what has ended your `end` is free, but other tokens may follow, too. What may stand
    behind an `end`? {what}
zero-for-the-end: np.arange(n_vocab) == end → np.arange(n_vocab) == 0
    Behind what has ended you write token 0, and here {end} is the end. {what}
ended-lost: == end, 0.0, -np.inf) → == end, -np.inf, -np.inf)
    What has ended is lost: none of the finished answers is among those that you keep. With which
    sum does it compete? {what}
ended-thrown-away: == end, 0.0, -np.inf) → == end, -np.inf, -np.inf)
        and np.argsort(-totals)[:n_beams]
            → np.argsort(-totals)[: min(n_beams, np.isfinite(totals).sum())]
    What has ended is thrown away; if all have, nothing is left. With which sum does a finished
    answer compete? {what}
ended-many-times: np.where(np.arange(n_vocab) == end, 0.0, -np.inf) → np.zeros(n_vocab)
    What has ended comes back once for every token of the vocabulary, each time for free. How many
    extensions does it have? {what}
not-summed: (sums[:, None] + steps) → (0 * sums[:, None] + steps)
        and np.argsort(-totals) → np.argsort(-totals, kind="stable")
    You compare the next tokens alone: a good token behind a bad beginning wins. What has to be
    compared is the whole sequence. {what}
chosen-by-token: np.argsort(-totals) → np.argsort(-steps.reshape(-1))
    You choose by the log-probabilities of the next tokens, and add the sums only afterward. Should
    a good token behind a bad beginning win? {what}
chosen-by-token-sorted: np.argsort(-totals)[:n_beams]
            → np.argsort(-steps.reshape(-1))[:n_beams]
        and parents = → best = best[np.argsort(-totals[best])] ⏎ parents =
    What you keep is sorted by its sums, but not chosen by them: you choose by the log-probabilities
    of the next tokens. Should a good token behind a bad beginning win? {what}
multiplied: (sums[:, None] + steps) → -(sums[:, None] * steps)
    You multiply the logarithms. What becomes of a product of probabilities if its logarithm is
    taken? {what}
probabilities: (sums[:, None] + steps) → (sums[:, None] + np.exp(steps))
    You add the probability of the next token to a sum of *log*-probabilities. What has to be added,
    so that it is the logarithm of a product? {what}
products: (sums[:, None] + steps) → np.exp(sums[:, None] + steps)
    The ones that you keep are right, and your sums are probabilities. Their logarithms are asked
    for: of a long sequence a product would be rounded to 0. {sum}
best-of-each: np.argsort(-totals)[:n_beams] → np.arange(len(sums)) * n_vocab + steps.argmax(axis=-1)
    You keep the best extension of *each* prefix. Two of the best may come from the same prefix, and
    none from another: among which extensions is to be compared? {what}
worst: np.argsort(-totals)[:n_beams] → np.argsort(totals)[:n_beams]
    You keep the *smallest* sums: `np.argsort` goes from the smallest up. Which ones are the most
    probable? {what}
best-last: np.argsort(-totals)[:n_beams] → np.argsort(totals)[-n_beams:]
    The best has to come first, and yours does not. (`argsort` goes from the smallest up;
    `argpartition` finds the best, but does not sort them.) {what}
wrong-parents: prefixes[best // n_vocab] → prefixes[: len(best)]
    Your tokens are right, and they stand behind the wrong prefixes: row i is extended by the token
    of extension i. From which prefix does each of the chosen tokens come? {what}
other-way-round: best // n_vocab → best % len(prefixes)
        and best[:, None] % n_vocab → best[:, None] // len(prefixes)
    You read the places wrongly: in an array of shape (n_prefixes, n_vocab) that is laid out flat,
    how many places does one prefix take? {what}
divided-by-prefixes: best // n_vocab → best // len(prefixes)
        and best[:, None] % n_vocab → best[:, None] % len(prefixes)
    You divide the places by the number of prefixes, and some lead to a prefix that is not there. In
    an array of shape (n_prefixes, n_vocab) that is laid out flat, how many places does one prefix
    take? {what}
only-the-last: totals[best] → steps.reshape(-1)[best]
    You return the log-probabilities of the last tokens. The next step needs the *sums* that the
    extensions were compared by. {sum}
sums-of-prefixes: totals[best] → sums[best // n_vocab]
    You return the sums of the prefixes: what the new tokens add to them is missing. {sum}
mean: totals[best] → totals[best] / longer.shape[-1]
    You divide the sums by the length already. The next step adds to the sums, so they have to stay
    as they are: dividing comes at the very end. {sum}
token-in-front: [parents, tokens] → [tokens, parents]
    You put the new token in front. Where does a sequence go on? {what}
not-extended: return longer → return parents
    You return the prefixes without their new tokens. Where does a sequence go on?
results-exchanged: return longer, totals[best] → return totals[best], longer
    You return the sums first. In which order are the two arrays asked for?
only-the-tokens: return longer → return tokens
    You return the new tokens alone. The rows are asked for, prefix and new token: shape
    {right.shape}, not {your.shape}.
as-many-as-before: [:n_beams] → [: len(prefixes)]
    You keep as many extensions as there were prefixes, {prefixes.rows}. How many are asked for, in
    the first step, too? {what}
all-kept: [:n_beams] → (nothing)
    You keep all extensions. How many are asked for? {what}
sign-left: return longer, totals[best] → return longer, -totals[best]
    Your sums have the opposite sign: was it turned for the sorting? {sum}
"""),
    properties=(
        Property("best-first", _best_first, any_shape=True),
        Property("last-alone", _last_alone, any_shape=True),
        Property("chosen-by-token", _chosen_by_token, any_shape=True),
        Property("one-of-each", _one_of_each, any_shape=True),
        Property("behind-the-end", _ended_extended, any_shape=True),
        Property("what", _what, any_shape=True),
    ),
    wrong_lines=("end-extended", "chosen-by-token", "wrong-parents"),
    hints=(
        "How many extensions are there altogether, and what is the sum of each? Two of the best "
        "may come from the same prefix.",
        "First make a table (n_prefixes, n_vocab) of all sums; in the row of a prefix that has "
        "ended, only the column of `end` counts. Then find the largest of the whole table.",
        "`np.argsort(-totals.reshape(-1))[:n_beams]` are places in the flat table: divided by "
        "n_vocab, the whole part is the prefix, the rest is the token.",
    ),
)
