"""What to say about a result of the wrong shape."""

import numpy as np

from course_attn.checking.context import Finding

__all__ = ["shape_problem", "shape_words"]


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as Python writes it."""
    return str(tuple(int(size) for size in shape))


def shape_problem(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say how the shape differs; None if it does not."""
    if got.shape == expected.shape:
        return None
    have, want = shape_words(got.shape), shape_words(expected.shape)
    said = f"You return shape {have}; shape {want} is asked for."
    return Finding(
        ("shape",), f"{said} {_explained(got.shape, expected.shape)}".strip()
    )


def _explained(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if want == ():
        return "One number is asked for."
    if _without_ones(have) == _without_ones(want):
        return _ones(have, want)
    if len(have) == len(want):
        return _same_length(have, want)
    if len(have) < len(want) and _is_part(have, want):
        return "An axis is missing: something was summed or averaged over too much."
    if len(have) > len(want) and _is_part(want, have):
        return "There is an axis too many: something still has to be summed or picked out."
    return ""


def _ones(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if len(have) > len(want):
        return "There is an axis of length 1 too many: `keepdims=True` or `[None]` left it there."
    if len(have) == len(want):
        return "The axis of length 1 stands in the wrong place."
    return "An axis of length 1 is missing: `keepdims=True` keeps it."


def _same_length(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if len(have) >= 2 and have == (*want[:-2], want[-1], want[-2]):
        return "The last two axes are swapped."
    if sorted(have) == sorted(want):
        return "The axes are in another order."
    wrong = [
        axis
        for axis, sizes in enumerate(zip(have, want, strict=True))
        if len(set(sizes)) > 1
    ]
    return f"Axis {wrong[0]} has the wrong length." if len(wrong) == 1 else ""


def _without_ones(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size != 1]


def _is_part(short: tuple[int, ...], long: tuple[int, ...]) -> bool:
    """Whether the sizes of one shape occur in this order among those of the other."""
    rest = iter(long)
    return all(size in rest for size in short)
