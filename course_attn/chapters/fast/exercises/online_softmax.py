"""Exercise `online_softmax`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault_list,
    number,
)

__all__ = ["exercise"]


def online_softmax(scores, tile):
    """Take the softmax of each row while looking at `tile` scores at a time."""
    n = scores.shape[-1]
    starts = range(0, n, tile)
    weights = np.zeros_like(scores)
    m = np.full((*scores.shape[:-1], 1), -np.inf, dtype=scores.dtype)
    l = np.zeros_like(m)
    for start in starts:
        part = scores[..., start : start + tile]
        tile_maximum = part.max(axis=-1, keepdims=True)
        new_m = np.maximum(m, tile_maximum)
        shift = np.where(new_m == -np.inf, 0.0, new_m)  # −∞ − 0 is not NaN
        factor = np.exp(m - shift)
        exps = np.exp(part - shift)
        l = l * factor + exps.sum(axis=-1, keepdims=True)
        m = new_m
    final_shift = np.where(m == -np.inf, 0.0, m)
    total = np.where(l == 0, 1.0, l)
    for i in starts:
        exps = np.exp(scores[..., i : i + tile] - final_shift)
        weights[..., i : i + tile] = exps / total
    return weights


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261202)
    draw = rng.standard_normal
    rows = np.array([[0.0], [3000.0], [-2500.0], [40.0], [-70000.0]])
    columns = np.repeat([0.0, -900.0, 1200.0, 300.0], 3)[:11]
    hidden = 2 * draw((7, 11))
    hidden[rng.uniform(size=hidden.shape) < 0.3] = -np.inf
    hidden[[1, 4], :3], hidden[2, 8:], hidden[5] = -np.inf, -np.inf, -np.inf
    hidden[3, 6:9] = -np.inf  # between other tiles
    hidden[[0, 1, 2, 3, 4, 6], 4] = 1.5
    float32 = 3 * draw((11, 17)) + np.resize([0.0, 150.0, -150.0], (11, 1))
    return (
        Case((np.log([[1.0, 4, 2, 1, 8], [6.0, 1, 1, 1, 3]]), 2), "example"),
        Case((2 * draw((5, 13)), 4)),
        Case((2 * draw((3, 12)), 3), "whole"),
        Case((2 * draw((7, 10)), 1), "one-by-one"),
        Case((2 * draw((5, 3)), 7), "one-block"),
        Case((2 * draw((4, 1)), 3), "one-block"),
        Case((2 * draw((2, 3, 5, 9)), 4), "batch"),
        Case((2 * draw(11), 4), "vector"),
        Case((draw((5, 11)) + rows, 3), "large"),
        Case((draw((5, 11)) + rows + columns, 3), "large"),
        Case((hidden, 3), "minus-infinity"),
        Case((float32.astype("f4"), 5), "float32"),
    )


class _Watched(np.ndarray):
    """Scores that note of how many of them at once the largest is taken."""

    def __array_finalize__(self, parent):
        self.lengths = getattr(parent, "lengths", [])

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method == "reduce" and ufunc in (np.maximum, np.fmax, np.logaddexp):
            shape, axis = np.shape(inputs[0]), options.get("axis", 0)
            self.lengths.append(
                np.size(inputs[0]) if axis is None else np.take(shape, axis)
            )
        if "out" in options:
            options["out"] = tuple(map(np.asarray, options["out"]))
        options = {name: _plain(value) for name, value in options.items()}
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        if not isinstance(result, np.ndarray):
            return result
        watched: Any = result.view(_Watched)
        watched.lengths = self.lengths
        return watched


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, _Watched) else value


def _in_tiles(answer: Callable[..., Any], scores: np.ndarray, tile: int) -> Any:
    """Return the answer's weights; refuse one that takes a whole row at a time."""
    watched: Any = scores.view(_Watched)
    n = scores.shape[-1]
    weights = answer(watched, tile)
    if 1 < tile < n and n in map(int, watched.lengths):
        raise WrongForm(
            f"You look for the largest of all {n} scores of a row at once. The point is to do "
            f"without that: look at `tile` = {tile} scores at a time, and keep only m and l.",
            "whole-rows",
        )
    return _plain(weights)


_LONGEST_PART = 5  # of a row, in any of the cases


def _takes_whole_rows(given: Mapping[str, Any]) -> bool:
    """Whether a softmax is given more of a row than any tile holds, and nothing is hidden."""
    scores = next(iter(given.values()))
    axis, shape = given.get("axis", given.get("dim", -1)), np.shape(scores)
    if given.get("mask") is not None or not shape:
        return False
    return (np.prod(shape) if axis is None else shape[axis]) > _LONGEST_PART


def _row_sums(c: Context) -> str | None:
    if c.got.shape != c.expected.shape:
        return None
    wanted, sums = c.expected.sum(axis=-1), c.got.sum(axis=-1)
    wrong = ~np.isclose(sums, wanted, atol=1e-3)
    if not wrong.any():
        return None
    first = tuple(np.argwhere(wrong)[0])
    at = f"Your row {', '.join(map(str, first))}" if first else "Your row"
    return (
        f"{at} sums to {number(sums[first])}, and it should sum to {number(wanted[first])}, "
        f"whatever the tile (with tile = {c.given['tile']} here)."
    )


exercise = Exercise(
    online_softmax,
    place=30,
    minutes=25,
    level="hard",
    section="By hand: one score after the other",
    task="""
Write `online_softmax(scores, tile)`: the softmax of every row (last axis), but look at no more
than `tile` scores of a row at a time. Shape (…, n) in and out; a single row (n,) too. A first
pass over the tiles keeps only the largest score so far, m, and the sum $l = \\sum_j e^{s_j - m}$
over the scores so far; a second pass writes the weights $e^{s_j - m} / l$. The last tile may be
shorter than the others, and `tile` may exceed n. Scores may have any size: tiles and rows may
lie thousands apart. Entries may be −∞ (weight 0), whole tiles too; a row of −∞ alone gets zeros.
""",
    cases=_cases,
    use=_in_tiles,
    arguments=("scores", "tile"),
    kinds={
        "whole": Kind("where the tiles fit exactly"),
        "one-by-one": Kind("with tiles of a single score", "m may grow at each."),
        "one-block": Kind(
            "where one tile is longer than the row",
            "A slice that reaches beyond the end stops at the end; a loop over `n // tile` "
            "tiles does nothing at all.",
            apart=True,
        ),
        "large": Kind(
            "where rows or tiles lie thousands apart",
            "m has to be each row's own and may only grow; then exp(m_old − m_new) is at most 1.",
            apart=True,
        ),
        "minus-infinity": Kind(
            "where scores, tiles or whole rows are −∞",
            "As long as m is −∞, no score may have it subtracted: −∞ − (−∞) is NaN.",
            apart=True,
        ),
    },
    faults=fault_list("""
not-rescaled: l * factor → l
    The old sum is not rescaled when the maximum grows: before the tile's exponentials are added, it
    has to shrink by exp(m_old − m_new). (If you do multiply: does m still hold the *old* maximum at
    that line?) Your rows sum to {your.sums}. {worst_row}
new-tile-shrunk-too: l * factor + exps.sum(axis=-1, keepdims=True)
            → (l + exps.sum(axis=-1, keepdims=True)) * np.where(m == -np.inf, 1.0, factor)
    The sum is rescaled too late, when the new tile is in it already: the tile's exponentials stand
    against the new maximum and must not shrink. Rescale the old l first, then add. {worst_row}
sign: np.exp(m - shift) → np.exp(shift - m)
    The old sum is rescaled by exp(m_new − m_old), which is infinite while m_old is −∞, and above 1
    later. What was summed up before has to *shrink*: exp(m_old − m_new).
upside-down: np.exp(m - shift) → np.exp(np.where(l == 0, 0.0, shift - m))
    The old sum is rescaled by exp(m_new − m_old), which is 1 or more. When the maximum grows, does
    what was summed up so far have to grow or to shrink? {worst_row}
maximum-of-the-block: np.maximum(m, tile_maximum) → tile_maximum
    Your m is the maximum of the latest tile, so it can fall again. Where an earlier tile was
    higher by 800, exp(m_old − m_new) overflows: m only ever grows, `np.maximum(m, …)`.
unshifted: -np.inf, dtype= → 0.0, dtype=
        and np.maximum(m, tile_maximum) → m
    No maximum is subtracted. The scores here reach from {scores.min} to {scores.max}, and exp of
    more than 709 is infinite, of less than −745 it is 0. Keep a running maximum m beside the sum.
maximum-from-0: -np.inf, dtype= → 0.0, dtype=
    Your running maximum starts at 0, so for rows of negative scores it stays 0, and the
    exponentials of scores far below vanish. Let it start at −∞ (or at the first tile's maximum).
    {worst_row}
one-maximum-for-all-rows: part.max(axis=-1, keepdims=True) → part.max()
    You take one maximum over all rows. A row that lies 800 below it underflows: each row needs its
    own, `axis=-1, keepdims=True`. {worst_row}
last-tile: range(0, n, tile) → range(0, n // tile * tile, tile)
    The last tile, if it is shorter, never enters: here of {scores.last} scores with a tile of
    {tile}. Does your loop end too early, for example after `n // tile` tiles?
first-not-written: for i in starts → for i in starts[1:]
    The scores of the first tile get no weight, though l counts them: where does your second pass
    begin? {worst_row}
tail-not-written: for i in starts → for i in range(0, n // tile * tile, tile)
    The scores that do not fill a tile, the last of {scores.last} with a tile of {tile}, get no
    weight, though l counts them: does your second pass end too early, for example after `n // tile`
    tiles?
tail-not-summed: for start in starts → for start in range(0, n // tile * tile, tile)
    The scores that do not fill a tile, the last of {scores.last} with a tile of {tile}, get
    weights, but l does not count them: `n // tile` rounds down; `range(0, n, tile)` reaches all.
    Your rows sum to {your.sums}. {worst_row}
last-tile-not-summed: for start in starts → for start in range(0, n - tile, tile)
    Your first pass ends one tile too early: the scores of the last tile get weights, but neither m
    nor l knows of them. Before which number does your `range` stop? {worst_row}
infinity-minus-infinity: np.where(new_m == -np.inf, 0.0, new_m) → new_m
        and np.where(m == -np.inf, 0.0, m) → m
    Where a row begins with a tile of −∞, its m is still −∞ after it, and −∞ − (−∞) is NaN:
    {your.nan_rows} of your rows here. Subtract 0 in place of such an m: exp(−∞ − 0) is 0.
empty-row: np.where(l == 0, 1.0, l) → l
    Rows in which every score is −∞ become NaN: there m is −∞ and l is 0, and both −∞ − (−∞) and
    0/0 are NaN. Such a row gets zeros, as in `masked_softmax`.
empty-even: return weights
            → return np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 1 / n, weights)
    A row of −∞ alone gets equal weights in yours, 1/n. What is such a row to get?
block-by-block: exps / total → exps / exps.sum(axis=-1, keepdims=True)
    You take the softmax of every tile by itself, so that your rows sum to {your.sums}. The tiles
    share one maximum and one sum: run through all of them for m and l first. {worst_row}
mean-of-the-tiles: exps / total → exps / exps.sum(axis=-1, keepdims=True) / len(starts)
    You take the softmax of every tile by itself and divide by the number of tiles: each tile gets
    the same share, whatever its scores. All tiles share one maximum and one sum. {worst_row}
too-early: m = new_m → m = new_m ⏎ weights[..., start : start + tile] = exps / l
        and weights[..., i : i + tile] = exps / total → pass
    The weights of a tile are final too early, with m and l as they are after this tile. Go through
    the tiles a second time. Your rows sum to {your.sums}. {worst_row}
old-maximum: m = new_m → m = new_m ⏎ weights[..., start : start + tile] = exps
        and np.exp(scores[..., i : i + tile] - final_shift) → weights[..., i : i + tile]
    The exponentials of the earlier tiles still stand against the maximum of their time, while l
    counts in units of the last: rescale them, too, or compute exp(score − m) afresh. {worst_row}
tile-maximum-at-last: for i in starts:
            → for i in starts: ⏎         m = scores[..., i : i + tile].max(axis=-1, keepdims=True)
        and - final_shift) → - np.where(m == -np.inf, 0.0, m))
    In the second pass you subtract each tile's own maximum, but l is the sum of exp(s − m) with
    the m of the whole row. Your rows sum to {your.sums}. {worst_row}
unshifted-at-last: scores[..., i : i + tile] - final_shift → scores[..., i : i + tile]
    Your second pass divides exp(score) by l, which is a sum of exp(score − m). What is missing in
    the exponent? {worst_row}
not-divided: exps / total → exps
    Your weights are exp(s − m), and the sum l plays no part in them. What has to be done for each
    row to sum to 1? {worst_row}
log-forgotten: exps / total → exps * np.exp(-total)
    You subtract l in the exponent. To divide by l there, its *logarithm* is subtracted:
    exp(score − m − log l) is exp(score − m) / l. {worst_row}
overwritten: l * factor + exps.sum → exps.sum
    Your l is the sum of the latest tile alone: what has become of the sum over the tiles before it?
    Your rows sum to {your.sums}. {worst_row}
tile-maximum-in-the-sum: np.exp(part - shift)
            → np.exp(part - np.where(tile_maximum == -np.inf, 0.0, tile_maximum))
    In the first pass the exponentials of a tile stand against its own maximum. All that is added up
    in l has to stand against the same one: which? {worst_row}
"""),
    properties=(Property("row-sums", _row_sums),),
    wrong_lines=("sign", "maximum-of-the-block", "maximum-from-0"),
    hints=(
        "You have m = 2 and l = 1.5 from the first scores, and the next is 5. What is the new m, "
        "and by what does the old l have to be multiplied?",
        "For each tile: the new maximum; shrink the old l by exp(m_old − m_new); add the tile's "
        "exp(score − m_new). Which exponent is NaN while all scores so far are −∞?",
        "With `shift`, the new m, or 0 where that is −∞: "
        "`l = l * np.exp(m - shift) + np.exp(part - shift).sum(axis=-1, keepdims=True)`.",
    ),
    built_ins=(
        *twins("fast.online_softmax"),
        "torch.softmax",
        "torch.Tensor.softmax",
        *(
            BuiltIn(name, when=_takes_whole_rows)
            for name in (
                "scipy.special.softmax",
                "sklearn.utils.extmath.softmax",
                "course_attn.in_numpy.softmax.softmax",
                "course_attn.in_numpy.masks.masked_softmax",
                "course_attn.in_torch.softmax.softmax",
                "course_attn.in_torch.masks.masked_softmax",
            )
        ),
    ),
)
