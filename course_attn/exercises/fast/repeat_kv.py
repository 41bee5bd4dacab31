"""Exercise `repeat_kv` of chapter 10."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.fast._steps import same

__all__ = ["exercise"]


def repeat_kv(K, n_rep):
    """Give every head of K to n_rep heads of queries, one after the other."""
    return np.repeat(K, n_rep, axis=-3)


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261204).standard_normal
    g, j, c = np.ogrid[:2, :3, :4]
    return (
        Case((100.0 * g + 10 * j + c, 3), "example"),
        Case((draw((3, 5, 7)), 2)),
        Case((draw((5, 2, 3)), 4)),
        Case((draw((3, 3, 3)), 3), "square"),
        Case((draw((1, 5, 7)), 4), "one-head"),
        Case((draw((3, 5, 7)), 1), "one-copy"),
        Case((draw((2, 5, 3, 7, 11)), 3), "batch"),
        Case((draw((5, 7, 2)).astype("f4"), 3), "float32"),
    )


def _copied(
    K: np.ndarray,
    n_rep: int,
    *,
    count: Callable[..., Any] = same,
    copy: Callable[..., Any] = lambda K, count: np.repeat(K, count, axis=-3),
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    return finish(copy(K, count(n_rep)), K)


def _tiled(K: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([K] * count, axis=-3)


def _split(copies: np.ndarray, K: np.ndarray) -> np.ndarray:
    *batch, n_heads, n, d = K.shape
    return copies.reshape(*batch, n_heads, -1, n, d)


def _order(c: Context) -> str:
    """Say which head of K each head should be."""
    heads, n_rep = c.given["K"].shape[-3], c.given["n_rep"]
    wanted = [h // n_rep for h in range(heads * n_rep)]
    return (
        f"With {heads} heads in K and n_rep = {n_rep}, your heads should be those of K numbered "
        f"{_listed(wanted)}."
    )


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return f"{shown}, …" if len(numbers) > 8 else shown


def _which(c: Context) -> list[int] | None:
    """Find for every head which head of K it is; None unless each is one."""
    K = c.given["K"]
    if c.got.ndim < 3 or c.got.shape[-2:] != K.shape[-2:]:
        return None
    of_k = K.reshape(-1, *K.shape[-3:])[0]
    found = []
    for head in c.got.reshape(-1, *c.got.shape[-3:])[0]:
        equal = [g for g, own in enumerate(of_k) if np.allclose(head, own)]
        if len(equal) != 1:
            return None
        found += equal
    return found


def _heads(c: Context) -> str | None:
    found = _which(c)
    if not found:
        return None
    return f"Your heads are those of K numbered {_listed(found)}. {_order(c)}"


def _shapes(c: Context) -> str:
    return (
        f"K has shape {c.given['K'].shape} and n_rep is {c.given['n_rep']}: you return shape "
        f"{c.got.shape}; asked for is {c.expected.shape}."
    )


exercise = Exercise(
    solution=repeat_kv,
    place=50,
    section="Shared heads: multi-query and grouped-query attention",
    task="""
In grouped-query attention there are fewer heads of keys and values than of queries: n_rep heads
of queries in a row share one. Write `repeat_kv(K, n_rep)`: K has shape (…, n_kv_heads, n, d), the
keys (or the values) of each head; return an array of shape (…, n_kv_heads·n_rep, n, d) in which
head h is head ⌊h / n_rep⌋ of K, counted from 0. In the first test
$K_{gjc} = 100\\,g + 10\\,j + c$, so that the hundreds of a number say from which head it comes.
""",
    cases=_cases,
    variant=_copied,
    kinds={
        "one-head": Kind(
            "where K has a single head (multi-query attention)",
            "All heads of queries share it: n_rep copies.",
        ),
        "one-copy": Kind("for n_rep = 1", "Then the result is K itself."),
        "square": Kind("where all sizes are equal"),
    },
    faults=(
        Fault(
            "tiled",
            {"copy": _tiled},
            lambda c: (
                "The shape is right, but not the order: you write all heads of K one after the "
                "other, and then all of them again. Query heads *in a row* share a head of K, so "
                f"each comes n_rep times before the next. {_heads(c) or _order(c)} (`np.repeat` "
                "repeats each, `np.tile` and `np.concatenate` the whole.)"
            ),
        ),
        Fault(
            "positions-repeated",
            {"copy": lambda K, count: np.repeat(K, count, axis=-2)},
            lambda c: (
                "You repeat the *positions*: every key stands there n_rep times, and each head "
                f"gets {c.got.shape[-2]} keys. The heads are to be repeated, axis −3. {_shapes(c)}"
            ),
        ),
        Fault(
            "features-repeated",
            {"copy": lambda K, count: np.repeat(K, count, axis=-1)},
            lambda c: (
                "You repeat the *features*: every number of a key stands there n_rep times. The "
                f"heads are to be repeated, axis −3. {_shapes(c)}"
            ),
        ),
        Fault(
            "flat",
            np.repeat,
            lambda c: (
                "`np.repeat` without `axis=` flattens K and repeats every number. The heads are to "
                f"be repeated, `axis=-3`. {_shapes(c)}"
            ),
        ),
        Fault(
            "first-axis",
            {"copy": lambda K, count: np.repeat(K, count, axis=0)},
            lambda c: (
                "Without a batch that would do. In a batch, axis 0 is not that of the heads: you "
                f"repeat sequences. Count from the end, `axis=-3`. {_shapes(c)}"
            ),
        ),
        Fault(
            "second-axis",
            {"copy": lambda K, count: np.repeat(K, count, axis=1)},
            lambda c: (
                "You repeat along axis 1. Which axis that is depends on how many batch axes there "
                f"are; the heads are axis −3. {_shapes(c)}"
            ),
        ),
        Fault(
            "not-joined",
            {"finish": _split},
            lambda c: (
                "The copies have an axis of their own: shape "
                f"{c.got.shape}. Join it with that of the heads by a `reshape`, "
                f"{c.expected.shape}."
            ),
        ),
        Fault(
            "one-more",
            {"count": lambda n_rep: n_rep + 1},
            lambda c: (
                "Every head comes once too often: n_rep counts all copies, the first one "
                f"included. {_shapes(c)}"
            ),
        ),
        Fault(
            "spread",
            lambda K, n_rep: np.repeat(K / n_rep, n_rep, axis=-3),
            lambda c: (
                "The order is right, but the numbers are divided by n_rep = "
                f"{c.given['n_rep']}. The heads of queries do not split a key between them; each "
                "gets the whole of it."
            ),
        ),
        Fault(
            "flat-reshaped",
            lambda K, n_rep: np.repeat(K, n_rep).reshape(
                *K.shape[:-3], K.shape[-3] * n_rep, *K.shape[-2:]
            ),
            lambda c: (
                "The shape is right, but the numbers are in the wrong places: `np.repeat` without "
                "`axis=` repeats every single number, and `reshape` does not put them in order "
                f"again. Your head 0 begins with {c.row()}; it should begin with "
                f"{c.row(0, 'expected')}. Repeat whole heads, `axis=-3`."
            ),
        ),
    ),
    properties=(Property("heads", _heads),),
    hints=(
        "For n_kv_heads = 2 and n_rep = 3, write down which head of K each of the six heads of "
        "queries uses.",
        "Each head is repeated before the next one comes: 0, 0, 0, 1, 1, 1. Look up the difference "
        "between `np.repeat` and `np.tile`.",
        "`np.repeat(K, n_rep, axis=…)`, with the axis of the heads counted from the end.",
    ),
    built_ins=("course_attn.in_numpy.fast.repeat_kv",),
)
