"""Exercise `token_probabilities`."""

import numpy as np

from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    listed,
    number,
)

__all__ = ["exercise"]


def token_probabilities(logits, temperature, top_k, top_p):
    """Turn logits into the probabilities that the next token is drawn with."""
    scaled = logits / temperature
    order = np.argsort(-scaled)
    exps = np.exp(scaled[order] - scaled.max())
    exps[top_k:] = 0
    ranked = exps / exps.sum()
    sums_before = np.cumsum(ranked) - ranked
    kept = np.where(sums_before < top_p, ranked, 0)
    probabilities = np.zeros_like(logits)
    probabilities[order] = kept / kept.sum()
    return probabilities


def _cases() -> tuple[Case, ...]:
    def logits(*shares: float, seed: int, temperature: float = 1.0) -> np.ndarray:
        """Return logits of these shares at a temperature, mixed and moved."""
        mixed = np.random.default_rng(seed).permutation(np.log(shares))
        return temperature * mixed + seed % 7 - 3.3

    example = np.log([1.0, 4.0, 2.0, 3.0])
    ten = (0.3, 0.2, 0.13, 0.11, 0.08, 0.06, 0.05, 0.04, 0.02, 0.01)
    seven = (0.45, 0.25, 0.12, 0.08, 0.05, 0.03, 0.02)
    return (
        Case((example, 1.0, 3, 0.7), "example"),
        Case((example + 1.0, 2.0, 4, 1.0), "temperature"),
        Case((logits(*ten, seed=1), 0.6, 10, 1.0), "temperature"),
        Case((logits(*ten, seed=2), 1.0, 4, 1.0), "top-k"),
        Case((logits(*seven, seed=3), 1.0, 1, 1.0), "first-crosses"),
        Case((logits(*ten, seed=4), 1.0, 10, 0.55), "top-p"),
        Case((logits(*seven, seed=5), 1.0, 7, 0.8), "top-p"),
        Case((logits(*seven, seed=6), 1.0, 7, 0.1), "first-crosses"),
        Case((logits(*ten, seed=8, temperature=0.7), 0.7, 6, 0.9), "all"),
        Case((logits(*ten, seed=9, temperature=1.6), 1.6, 5, 0.72), "all"),
        Case((logits(*seven, seed=10, temperature=0.5), 0.5, 4, 0.6), "all"),
        Case((logits(*seven, seed=11) - 4000.0, 1.0, 5, 0.85), "large"),
        Case((2500.0 * logits(*ten, seed=12) + 9e3, 2500.0, 6, 0.7), "large"),
        Case((logits(*ten, seed=13).astype("f4"), 1.3, 8, 0.77), "float32"),
    )


def _kept(c: Context) -> str:
    """Say which tokens are kept, and which should be."""
    own, right = np.flatnonzero(c.got).tolist(), np.flatnonzero(c.expected).tolist()
    if own == right or c.got.shape != c.expected.shape:
        return c.worst_row
    scaled = np.sort(c.given["logits"] / c.given["temperature"])[::-1]
    exps = np.exp(scaled - scaled[0])[: c.given["top_k"]]
    sums = listed(np.cumsum(exps / exps.sum()).round(3))
    return (
        f"With top_k = {c.given['top_k']} and top_p = {c.given['top_p']:g} you keep the tokens "
        f"{own}; {right} are right: after top_k the sums, from the likeliest down, are {sums}."
    )


def _made(c: Context) -> str:
    """Quote the arguments and the row, where both are short."""
    if c.got.shape != c.expected.shape or len(c.got) > 4:
        return c.worst_row
    given = ", ".join(f"{name} = {c.given[name]:g}" for name in list(c.given)[1:])
    return f"The logits are {c.row(0, 'logits')}, {given}. {c.worst_row}"


def _zero_logits(c: Context) -> str | None:
    found = c.call(np.array([2.0, 1.0, -1.0, 0.5]), 1.0, 2, 1.0)
    exps = np.exp([2.0, 1.0, 0.0, 0.0])
    if (
        found is None
        or found.shape != (4,)
        or not np.allclose(found, exps / exps.sum())
    ):
        return None
    return (
        "You give the logit 0 to the tokens that are left out. 0 is a logit like any other, and e "
        "to 0 is 1: they can be drawn. It is −∞ that gives the probability 0. "
        + _kept(c)
    )


def _own_probability(c: Context) -> str | None:
    logits = np.log([0.3, 0.25, 0.2, 0.15, 0.1])
    found = [c.call(logits, 1.0, 5, top_p) for top_p in (0.78, 0.87)]
    if [np.count_nonzero(kept) for kept in found if kept is not None] != [2, 4]:
        return None
    return (
        "You compare each token's *own* probability with 1 − top_p, it seems: of 0.3, 0.25, 0.2, "
        "0.15 and 0.1, with top_p = 0.78, you keep those above 0.22. It is their *sum*, from the "
        "likeliest down, that has to reach top_p: 0.3, 0.55, 0.75, 0.9, so that four are kept."
    )


def _which(c: Context) -> str | None:
    if c.got.shape != c.expected.shape:
        return (
            f"You return shape {c.got.shape}; shape {c.expected.shape} is asked for, a probability "
            "for every token: 0 for those that are left out."
        )
    if not np.isfinite(c.got).all():
        return None
    own, right = np.flatnonzero(c.got), np.flatnonzero(c.expected)
    is_last_lost = np.array_equal(
        own, right[c.expected[right] > c.expected[right].min()]
    )
    crossing = c.call(np.log([0.4, 0.3, 0.2, 0.1]), 1.0, 4, 0.8)
    if is_last_lost and crossing is not None and np.count_nonzero(crossing) == 2:
        return f"You drop the token with which the sum reaches top_p. {_kept(c)}"
    alone = c.call(*[*c.given.values()][:-1], 1.0)
    if alone is not None and np.count_nonzero(alone) != c.given["top_k"]:
        return (
            f"After top_k alone, with top_p = 1, you keep {np.count_nonzero(alone)} tokens "
            f"instead of {c.given['top_k']}. {_kept(c)}"
        )
    if not np.array_equal(own, right):
        return _kept(c)
    if not np.isclose(c.got.sum(), 1, atol=1e-3):
        return f"You keep the right tokens, but your probabilities sum to {number(c.got.sum())}."
    return f"You keep the right tokens, but not in the right proportions. {c.worst_row}"


exercise = Exercise(
    token_probabilities,
    place=60,
    minutes=18,
    level="medium",
    prepares=("draw_tokens",),
    section="Choosing the next character",
    task="""
Write `token_probabilities(logits, temperature, top_k, top_p)`: with what probabilities is the next
token drawn? `logits` has shape (n_vocab,), and so has the result. Four steps, in this order.
(1) Divide the logits by the temperature, which is above 0, and take the softmax. (2) Keep the
`top_k` likeliest tokens (1 to n_vocab), and divide by the sum of theirs. (3) Go through these from
the likeliest down and add up; keep tokens until the sum reaches `top_p` (above 0, at most 1). The
token with which it is reached is kept, too. (4) Divide by the sum of what is left; all other tokens
have probability 0. With top_k = n_vocab and top_p = 1 all are kept. No two logits are equal, and no
sum hits top_p exactly unless that is 1. Logits may be large. Do not change `logits`. You may use
the course's function: `from course_attn.in_numpy import softmax`.
""",
    cases=_cases,
    terms={"kept": _kept, "made": _made},
    kinds={
        "temperature": Kind(
            "where only the temperature acts",
            "top_k = n_vocab and top_p = 1 keep all tokens.",
        ),
        "top-k": Kind(
            "where only top_k acts", "The top_k likeliest are kept, no more."
        ),
        "top-p": Kind(
            "where only top_p acts",
            "The token that makes the sum reach top_p is kept.",
        ),
        "first-crosses": Kind(
            "where the likeliest token alone reaches top_p",
            "One token is always kept.",
            apart=True,
        ),
        "all": Kind(
            "where temperature, top_k and top_p act together",
            "top_p is compared with sums of probabilities that have been divided by *their* sum "
            "after top_k.",
        ),
        "large": Kind(
            "where logits are large",
            "exp of them is infinite, or 0: subtract the largest first. Is a stand-in for −∞ "
            "low enough?",
        ),
    },
    faults=fault_list("""
multiplied: logits / temperature → logits * temperature
    You multiply by the temperature. A high one is to even the probabilities out: divide.
    {made}
unused: logits / temperature → logits
    The temperature changes nothing in yours. Does it divide *probabilities*? Their sum cancels it
    again. It divides the *logits*, before the softmax. {made}
temperature-last: logits / temperature → logits
        and kept / kept.sum() → kept**(1 / temperature) / (kept**(1 / temperature)).sum()
    You apply the temperature last. It comes first: what it does to the probabilities decides which
    tokens are kept. {kept}
one-more: exps[top_k:] → exps[top_k + 1:]
    You keep one token too many, top_k + 1. {kept}
one-fewer: exps[top_k:] → exps[top_k - 1:]
    You keep one token too few, top_k − 1. {kept}
least-likely: exps[top_k:] → exps[:-top_k]
    Of the tokens you keep the top_k *least* likely. Do you sort from the smallest number upward? At
    which end do the likeliest stand then? {kept}
one-beyond: sums_before < top_p → np.append(0, sums_before[:-1]) < top_p
    You keep the token *after* the one with which the sum reaches top_p, too: do you look at the sum
    only after one more token is in? {kept}
crossing-dropped: sums_before < top_p → sums_before + ranked <= top_p + 1e-9
    You drop the token with which the sum reaches top_p. It is kept: without it, the sum is still
    below. Where the first token alone reaches top_p, nothing would be left. {kept}
crossing-dropped-not-first: sums_before < top_p
        → (sums_before + ranked <= top_p + 1e-9) | (sums_before == 0)
    You drop the token with which the sum reaches top_p, unless it is the first. It is kept: without
    it, the sum is still below. {kept}
share-of-tokens: sums_before < top_p → np.arange(len(ranked)) < np.ceil(top_p * len(ranked))
    You keep a share top_p of the *tokens*. It is a share of the probability: how many tokens that
    takes depends on how sure the model is. {kept}
not-renormalized: kept / kept.sum() → kept
    The last division is missing: what is left sums to {your.sums}. {made}
top-p-of-all: exps.sum() → np.exp(scaled - scaled.max()).sum()
    You compare top_p with the probabilities from *before* top_k. Divide by the sum after top_k
    first: then fewer tokens are needed to reach top_p. {kept}
tokens: return probabilities → return order[kept > 0]
    You return the tokens that are kept, {your}. Their probabilities are asked for, and 0 for all
    others: an array of shape {right.shape}.
sorted: probabilities[order] = → probabilities[:] =
    Your probabilities stand in the order of their size, and no longer belong to their tokens. Put
    them back: with `order = np.argsort(…)`, `result[order] = …`. {made}
wrong-way-back: probabilities[order] = kept / kept.sum()
            → probabilities[:] = (kept / kept.sum())[order]
    The way back is not by `[order]` on the right side: that sorts a second time. Write
    `result[order] = …`, or index by `np.argsort(order)`. {made}
no-shift: scaled[order] - scaled.max() → scaled[order]
    exp of a large logit is infinite, and of a low one 0: ∞/∞ and 0/0 are NaN. Subtract the largest
    first.
ascending: np.argsort(-scaled) → np.argsort(scaled)
    You keep the *least* likely tokens: `np.argsort` begins with the smallest number. At which end
    of the order do the likeliest stand? {kept}
top-k-unused: exps[top_k:] = 0 → pass
    top_k plays no part in yours. How many tokens are left after step 2? {kept}
top-p-unused: sums_before < top_p → sums_before < 2
    top_p plays no part in yours. At which token does the sum reach it? {kept}
all-alike: np.where(sums_before < top_p, ranked, 0)
            → np.where(sums_before < top_p, np.ones_like(ranked), 0)
    All tokens that you keep are equally likely. Do their probabilities stay in proportion? {made}
"""),
    properties=(
        Property("zero-logits", _zero_logits, any_shape=True),
        Property("own-probability", _own_probability, any_shape=True),
        Property("which", _which, any_shape=True),
    ),
    wrong_lines=("multiplied", "one-more", "sorted"),
    hints=(
        "Take the probabilities 0.4, 0.3, 0.2, 0.1 and top_k = 3, top_p = 0.7 on paper: what do "
        "they become after step 2, and which are kept in step 3?",
        "Sort with `np.argsort(-scaled)`. In sorted order top_k is a slice, and a token is kept if "
        "the sum *before* it is below top_p. At the end, put the probabilities back.",
        "`np.cumsum(ranked) - ranked < top_p` says which are kept, and "
        "`result[order] = kept / kept.sum()` puts them back.",
    ),
    built_ins=(
        BuiltIn(
            "course_attn.in_numpy.language_model.token_probabilities",
            when=lambda given: (
                given.get("top_p") is not None and given.get("top_k") is not None
            ),
        ),
        BuiltIn(
            "course_attn.in_torch.language_model.token_probabilities",
            when=lambda given: (
                given.get("top_p") is not None and given.get("top_k") is not None
            ),
        ),
    ),
)
