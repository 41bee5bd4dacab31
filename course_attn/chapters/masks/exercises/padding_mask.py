"""Exercise `padding_mask`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from course_attn.chapters.masks.exercises.causal_mask import seen_by
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def padding_mask(lengths, n_k):
    """Let every query of a sequence see its real keys, and not the padding behind them."""
    position = np.arange(n_k)
    length = lengths[:, None, None]
    mask = position < length
    return mask


def _cases() -> tuple[Case, ...]:
    return (
        Case((np.array([3, 1]), 5), "example"),
        Case((np.array([5, 2, 7]), 7)),
        Case((np.array([4, 4, 1, 9, 11]), 11)),
        Case((np.array([1, 3, 2]), 3), "square"),
        Case((np.array([0, 2, 5]), 5), "empty"),
        Case((np.array([2]), 7), "one"),
        Case((np.array([6, 6, 6, 6]), 6), "full"),
        Case((np.array([1, 0, 1]), 1), "empty"),
    )


def _wrong_sequence(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or c.got.shape != c.expected.shape:
        return None
    if np.array_equal(c.got, c.expected):
        return None
    b = int(np.argwhere(c.got != c.expected)[0][0])
    return (
        f"Sequence {b}, counted from 0, has length {c.given['lengths'][b]}, so it may "
        f"see {seen_by(c.expected[b, 0])}; yours allows {seen_by(c.got[b, 0])}."
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    return tuple(Case((rng.integers(1, n + 1, size=4), n)) for n in (6, 9, 13))


exercise = Exercise(
    padding_mask,
    place=5,
    minutes=6,
    level="easy",
    prepares=("from_torch_masks",),
    section="Padding: sentences of different lengths",
    task="""
Write `padding_mask(lengths, n_k)`: `lengths` is an array of integers (batch,), the number of real
keys of each sequence, which come first; the rest of its n_k keys are padding. Return a bool array
of shape (batch, 1, n_k), True where the key is real, so that it broadcasts over the queries:
$m_{b1j}$ is True if $j < \\mathrm{length}_b$. A length may be 0.
""",
    drawn=_drawn,
    cases=_cases,
    terms={
        "first": lambda c: c.given["lengths"][0],
        "first_sees": lambda c: seen_by(c.got.reshape(-1, c.got.shape[-1])[0]),
        "full_row": lambda c: _wrong_sequence(c) or "",
    },
    kinds={
        "empty": Kind("where a sequence has length 0"),
        "one": Kind("for a batch of one sequence"),
        "full": Kind("where no sequence has any padding"),
    },
    faults=fault_list("""
one-too-many: length = → length = 1 +
    Off by one: positions count from 0, so a sequence of length {first} ends just before position
    {first}. Yours allows {first_sees}: `<`, not `<=`.
one-too-few: length = → length = -1 +
    Off by one: for a sequence of length {first}, yours allows {first_sees}. Positions count from 0,
    and `<` leaves out the length itself already.
at-least-one: position < length → position < np.maximum(length, 1)
    You let a sequence of length 0 see key 0, as if it had length 1. A length may be 0: all of its
    keys are padding then, and its row has no True.
longest: np.arange(n_k) → np.arange(lengths.max())
    Your mask is as wide as the longest sequence, {lengths.max}, and n_k plays no part. There are
    n_k = {n_k} keys, the last of which may be padding in every sequence: shape {right.shape}.
one-for-all: lengths[:, None, None] → np.full_like(lengths, lengths.max())[:, None, None]
    Every sequence gets the mask of the longest one. Each has a length of its own: the lengths stand
    along the first axis, the positions along the last, and a comparison of the two fills the table.
polarity: position < length → position >= length
    The polarity is flipped: True marks the padding. The first sequence has {first} real keys, and
    yours allows {first_sees}.
turned: position < length → position > length
    The keys *before* position {first} are real, of a sequence of length {first}; yours allows
    {first_sees}. Is the comparison turned around, or is it `<=` and the whole flipped?
negative-slice: position < length → position < np.where(length == n_k, 0, length)
    {full_row} Do you count the padding from the right end, by a negative number in a slice? Without
    padding this is `-0`: `-0:` is the whole row, and `:-0` none of it.
filled-in-front: np.arange(n_k) → np.arange(n_k)[::-1]
    You take the padding to come first. Here the real keys do: for a sequence of length {first},
    yours allows {first_sees}.
last-by-slice: position < length → (n_k - position <= length) | (length == 0)
    `-length:` marks the *last* keys, and `-0:` the whole row. The real keys come first: `:length`.
    {full_row}
no-query-axis: lengths[:, None, None] → lengths[:, None]
    The shape is {your.shape}: beside scores (batch, n_q, n_k) that lines up the sequences with the
    *queries*. Which axis of length 1 is missing, and where does it stand?
query-axis-last: return mask → return mask.swapaxes(-1, -2)
    Your shape is {your.shape}; {right.shape} is right. The axis of length 1 stands for the queries,
    so it comes before that of the keys.
numbers: return mask → return mask.astype(int)
    You return the numbers 0 and 1, and truth values are asked for. An array
    made with `dtype=bool`, a comparison and `.astype(bool)` give them.
queries-too: return mask → return mask & mask.swapaxes(-1, -2)
    Your shape is {your.shape}: you combine the mask with itself, once for the queries and once for
    the keys. Only the *keys* are asked for: one row, whose axis of length 1 broadcasts over any
    number of queries.
row-per-query: return mask → return np.repeat(mask, n_k, axis=1)
    Your shape is {your.shape}: you repeat the row, taking it that there are as many queries as
    keys. One row is enough: an axis of length 1 broadcasts over any number of queries.
axis-for-heads: lengths[:, None, None] → lengths[:, None, None, None]
    Your shape is {your.shape}, with one more axis, as for heads. {right.shape} is asked for.
axis-in-front: return mask → return mask.swapaxes(0, 1)
    Your shape is {your.shape}: the axis of length 1 stands before that of the sequences. The first
    axis counts the sequences; which one does the axis of length 1 stand for?
to-be-added: return mask → return np.where(mask, 0.0, -np.inf)
    You return numbers, 0 and −∞, to be added to scores. Truth values are asked for: True where?
"""),
    properties=(Property("wrong-sequence", _wrong_sequence),),
    hints=(
        "Which positions of a sequence of length 3 are real?",
        "Compare the positions 0 … n_k − 1 with each sequence's length: a row against a column.",
        "`lengths[:, None, None]` has shape (batch, 1, 1), and `np.arange(n_k)` has shape (n_k,).",
    ),
    built_ins=twins("masks.padding_mask"),
)
