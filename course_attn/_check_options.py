"""The checks of options: choices, functions, shares, names of entries, heads and their widths.

Like `_checks`, they serve both twins.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from course_attn._checks import check_count, check_finite

__all__ = [
    "check_choice",
    "check_entries",
    "check_even",
    "check_function",
    "check_not_negative",
    "check_share",
    "check_split",
    "widths_of_heads",
]


def check_choice(choices: Iterable[str], **option: Any) -> None:
    """Check that the one option given is one of these words.

    Raises
    ------
    TypeError
        If it is no string.
    ValueError
        If it is another string.
    """
    ((name, value),) = option.items()
    wanted = " or ".join(repr(choice) for choice in choices)
    if not isinstance(value, str):
        raise TypeError(
            f"{name} must be {wanted}, got {type(value).__qualname__} {value!r}"
        )
    if value not in choices:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def check_function(**option: Any) -> None:
    """Check that the one option given can be called.

    Raises
    ------
    TypeError
        If it cannot, also if it is the name of a function.
    """
    ((name, value),) = option.items()
    if not callable(value):
        raise TypeError(
            f"{name} must be a function, such as relu or gelu of this module, "
            f"got {type(value).__qualname__} {value!r}"
        )


def check_not_negative(**number: Any) -> None:
    """Check that the one number given is real, finite and not below zero.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it is negative, infinite or NaN.
    """
    ((name, value),) = number.items()
    check_finite(**number)
    if value < 0:
        raise ValueError(f"{name} must be at least 0, got {value}")


def check_entries(names: Iterable[str], **mapping: Any) -> None:
    """Check that the one mapping given has an entry under each of these names, and no other.

    Raises
    ------
    TypeError
        If it is no mapping.
    ValueError
        If a name is missing, or unknown.
    """
    ((argument, entries),) = mapping.items()
    if not isinstance(entries, Mapping):
        raise TypeError(
            f"{argument} must be a mapping of names to arrays, such as a dict, "
            f"got {type(entries).__module__}.{type(entries).__qualname__}"
        )
    missing = [name for name in names if name not in entries]
    unknown = [name for name in entries if name not in names]
    if missing or unknown:
        wrong = [
            f"{word} {', '.join(map(str, found))}"
            for word, found in (("misses", missing), ("has unknown", unknown))
            if found
        ]
        raise ValueError(
            f"{argument} must have the entries {', '.join(names)}, but {' and '.join(wrong)}"
        )


def check_even(**whole: Any) -> None:
    """Check that the width of the one array given, or the one number given, is even.

    Raises
    ------
    ValueError
        If it is odd.
    """
    ((name, value),) = whole.items()
    is_array = hasattr(value, "shape")
    if (value.shape[-1] if is_array else value) % 2:
        must = "have an even width" if is_array else "be even"
        got = tuple(value.shape) if is_array else value
        raise ValueError(
            f"{name} must {must}, since features come in pairs, got {got}"
        )


def check_share(**number: Any) -> None:
    """Check that the one number given is real and lies between 0 and 1.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it lies outside, or is NaN.
    """
    ((name, value),) = number.items()
    check_finite(**number)
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value}")


def check_split(n_heads: int, **whole: Any) -> None:
    """Check that the last axis of the array given, or the one number, splits into equal parts.

    Raises
    ------
    TypeError
        If `n_heads` is not a whole number.
    ValueError
        If `n_heads` is below 1, or does not divide the width.
    """
    ((name, value),) = whole.items()
    check_count(1, n_heads=n_heads)
    is_array = hasattr(value, "shape")
    if (value.shape[-1] if is_array else value) % n_heads:
        must = "have a width that is" if is_array else "be"
        got = tuple(value.shape) if is_array else value
        raise ValueError(
            f"{name} must {must} a multiple of n_heads = {n_heads}, got {got}"
        )


def widths_of_heads(
    d_model: int, n_heads: int, d_k: int | None, d_v: int | None
) -> tuple[int, int]:
    """Return d_k and d_v, by default d_model divided among the heads, and check all four.

    Raises
    ------
    TypeError
        If one is not a whole number.
    ValueError
        If one is below 1, or if `n_heads` does not divide `d_model` where it must.
    """
    check_count(1, d_model=d_model)
    check_count(1, n_heads=n_heads)
    if d_k is None or d_v is None:
        check_split(n_heads, d_model=d_model)
    d_k = d_model // n_heads if d_k is None else d_k
    d_v = d_model // n_heads if d_v is None else d_v
    check_count(1, d_k=d_k)
    check_count(1, d_v=d_v)
    return d_k, d_v
