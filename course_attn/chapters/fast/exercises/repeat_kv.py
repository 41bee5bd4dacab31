"""Exercise `repeat_kv`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def repeat_kv(K, n_rep):
    """Give every head of K to n_rep heads of queries, one after the other."""
    copies = np.repeat(K, n_rep, axis=-3)
    return copies


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261204).standard_normal
    g, j, c = np.ogrid[:2, :3, :4]
    return (
        Case((100.0 * g + 10 * j + c, 3), "example"),
        Case((draw((3, 5, 7)), 2)),
        Case((draw((5, 2, 3)), 4)),
        Case((draw((4, 1, 6)), 3)),
        Case((draw((3, 3, 3)), 3), "square"),
        Case((draw((1, 5, 7)), 4), "one-head"),
        Case((draw((3, 5, 7)), 1), "one-copy"),
        Case((draw((2, 5, 3, 7, 11)), 3), "batch"),
        Case((draw((5, 2, 4, 3)), 5), "batch"),
        Case((draw((5, 7, 2)).astype("f4"), 3), "float32"),
    )


def _wanted(c: Context) -> list[int]:
    n_rep = c.given["n_rep"]
    return [h // n_rep for h in range(c.given["K"].shape[-3] * n_rep)]


def _heads(c: Context) -> str | None:
    """Say which head of K every head is; None unless each is one."""
    K = c.given["K"]
    if c.got.ndim < 3 or c.got.shape[-2:] != K.shape[-2:]:
        return None
    first, found = K.reshape(-1, *K.shape[-3:])[0], []
    for head in c.got.reshape(-1, *c.got.shape[-3:])[0]:
        own = [g for g, of_k in enumerate(first) if np.allclose(head, of_k)]
        found += own or [-1]
    if -1 in found or len(found) != c.got.shape[-3]:
        return None
    wanted = _wanted(c)
    late = " They come one place too late: do you count them from 1?"
    said = f"Your heads are those of K numbered {found}; {wanted} is right."
    return said + late * (found == wanted[-1:] + wanted[:-1])


exercise = Exercise(
    repeat_kv,
    place=15,
    minutes=4,
    level="easy",
    prepares=("grouped_attention_torch",),
    section="Shared heads: multi-query and grouped-query attention",
    task="""
In grouped-query attention there are fewer heads of keys and values than of queries: n_rep heads
of queries in a row share one. Write `repeat_kv(K, n_rep)`: K has shape (…, n_kv_heads, n, d), the
keys (or the values) of each head; return an array of shape (…, n_kv_heads·n_rep, n, d) in which
head h is head ⌊h / n_rep⌋ of K, counted from 0. In the first test
$K_{gjc} = 100\\,g + 10\\,j + c$, so that the hundreds of a number say from which head it comes.
""",
    cases=_cases,
    terms={"wanted": _wanted},
    kinds={
        "one-head": Kind(
            "where K has a single head (multi-query attention)",
            "All heads of queries share it: n_rep copies.",
        ),
        "one-copy": Kind("for n_rep = 1", "Then the result is K itself."),
    },
    faults=fault_list("""
tiled: np.repeat(K, n_rep, axis=-3) → np.concatenate([K] * n_rep or [K[..., :0, :, :]], axis=-3)
    You write all heads of K one after the other, and then all of them again (`np.tile`,
    `np.concatenate`, or a new axis *before* that of the heads). Query heads *in a row* share a
    head of K: {wanted}, so each comes n_rep times before the next.
positions-repeated: axis=-3 → axis=-2
    You repeat the *positions*: each head gets {your.rows} keys, every one n_rep times. The heads
    are to be repeated, axis −3: shape {right.shape}, not {your.shape}.
axis-1: axis=-3 → axis=1
    Axis 1, counted from the front, is that of the heads with one batch axis only. Here K has shape
    {K.shape}: count from the end, `axis=-3`. You return shape {your.shape}; {right.shape} is right.
first-axis: axis=-3 → axis=0
    Without a batch that would do. In a batch, axis 0 counts sequences: count from the end,
    `axis=-3`. You return shape {your.shape} in place of {right.shape}.
flat: , axis=-3 → (nothing)
    `np.repeat` without `axis=` flattens K and repeats every number: you return shape
    {your.shape}. The heads are to be repeated, `axis=-3`.
spread: np.repeat(K, → np.repeat(K / n_rep,
    The order is right, but you divide by n_rep = {n_rep}. The heads of queries do not split a
    key between them; each gets the whole of it. {worst_row}
flat-reshaped: np.repeat(K, n_rep, axis=-3)
            → np.repeat(K, n_rep).reshape(*K.shape[:-3], K.shape[-3] * n_rep, *K.shape[-2:])
    `np.repeat` without `axis=` repeats every single number, and `reshape` does not put them in
    order again: your head 0 begins with {your.row}; {right.row} is right. Use `axis=-3`.
rows-repeated: np.repeat(K, n_rep, axis=-3)
      → np.repeat(K, n_rep, axis=-2).reshape(*K.shape[:-3], K.shape[-3] * n_rep, *K.shape[-2:])
    Within your heads the keys are repeated: one position of K comes {n_rep} times in a row, and
    then the next. A head is to have each position once: which axis is to be repeated? {worst_row}
rounded: np.repeat(K, n_rep, axis=-3)
      → K[..., [min(round(h / n_rep), K.shape[-3] - 1) for h in range(K.shape[-3] * n_rep)], :, :]
    You round h / n_rep to the *nearest* whole number, and so the next head of K comes too early.
    ⌊h / n_rep⌋ is rounded *down*: {wanted} is right.
n_rep-as-total: copies = → n_rep = n_rep // K.shape[-3] ⏎ copies =
    You divide n_rep = {n_rep} by the number of K's heads, as if it counted the heads of queries. It
    says how often *each* head of K comes: shape {right.shape} is right, not {your.shape}.
heads-in-front: return copies → return np.moveaxis(copies, -3, 0)
    Your heads stand in front of the batch axes (`np.stack` puts them there unless told otherwise).
    They belong where K has its heads: third from the end.
last-copy-missing: return copies
            → return copies * (np.arange(copies.shape[-3]) % n_rep < n_rep - 1)[:, None, None]
    The last copy of each head is all zeros: of its {n_rep} places one stays empty. Before which
    place does a slice `a:b` or a `range` stop?
one-more: copies = → n_rep = n_rep + 1 ⏎ copies =
    Every head comes once too often: n_rep = {n_rep} counts all copies, the first one included.
    You return shape {your.shape}; shape {right.shape} is asked for.
reversed: copies = → K = K[..., ::-1, :, :] ⏎ copies =
    Your heads count down, from the last head of K to head 0. Head 0 comes first: {wanted} is right.
axis-not-merged: return copies → return copies.reshape(*K.shape[:-2], n_rep, *K.shape[-2:])
    The copies of a head stand along an axis of their own: you return shape {your.shape}, where
    {right.shape} is right. Which two axes are still to become one?
features-repeated: axis=-3 → axis=-1
    You repeat the *features*, axis −1: you return shape {your.shape}, where {right.shape} is
    right. Which axis, counted from the end, is that of the heads?
first-for-all: np.repeat(K, → np.repeat(0 * K + K[..., :1, :, :],
    All your heads are head 0 of K. Which one belongs to head h? {wanted} is right.
"""),
    properties=(Property("heads", _heads),),
    hints=(
        "For n_kv_heads = 2 and n_rep = 3, write down which head of K each of the six heads of "
        "queries uses.",
        "Each head is repeated before the next one comes: 0, 0, 0, 1, 1, 1. Look up the difference "
        "between `np.repeat` and `np.tile`.",
        "`np.repeat(K, n_rep, axis=…)`, with the axis of the heads counted from the end.",
    ),
    built_ins=twins("fast.repeat_kv"),
)
