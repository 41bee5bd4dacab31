"""The calls of the functions of the chapter `multi_head` that must be refused."""

from typing import Any

from tests.support.refusals import bad_count, bad_flag, misfit
from tests.support.twin_table import Bad

BOTH = ("multi_head.multi_head_attention", "multi_head.multi_head_attention_loop")

_SHAPES = {
    "X": (2, 7, 6),
    "W_Q": (6, 10),
    "W_K": (6, 10),
    "W_V": (6, 15),
    "W_O": (15, 3),
}


def _misfits(function: str) -> list[Bad]:
    """Try shapes that do not fit, each in one argument."""
    wrong: list[tuple[str, tuple[int, ...], str, dict[str, Any]]] = [
        ("W_Q", (5, 10), "d_model = 6 from X", {}),
        ("W_Q", (6, 0), "at least one element along axis 1", {"W_K": (6, 0)}),
        ("W_K", (6, 5), "heads_d_k = 10 from W_Q", {}),
        ("W_K", (6, 1), "heads_d_k = 10 from W_Q", {}),
        ("W_K", (4, 10), "d_model = 6 from X", {"W_V": (4, 15)}),
        ("W_V", (4, 15), "d_model = 6 from X", {}),
        ("W_V", (1, 15), "d_model = 6 from X", {}),
        ("W_O", (10, 3), "heads_d_v = 15 from W_V", {}),
        ("W_O", (3, 15), "heads_d_v = 15 from W_V", {}),
        ("X", (6,), "(*batch, n_q, d_model)", {}),
        ("Z", (2, 11, 4), "d_z = 6 from W_K", {}),
        ("Z", (11, 6), "batch = (2,) from X", {}),
        ("Z", (1, 11, 6), "batch = (2,) from X", {}),
        ("mask", (7, 5), "n_q = 7 from X", {}),
        ("mask", (7, 7), "n_k = 11 from Z", {"Z": (2, 11, 6)}),
        ("mask", (3, 7), "n_q = 7 from X", {}),
        ("mask", (5, 7, 7), "batch = (2,) from X", {}),
        ("mask", (2, 5, 7, 7), "batch = (2,) from X", {}),
        ("mask", (7,), "got 1 axes", {}),
        ("bias", (7, 7), "(*batch, n_heads, n_q, n_q)", {}),
        ("bias", (3, 7, 7), "with n_heads = 5, got", {}),
        ("bias", (2, 7, 7), "with n_heads = 5, got", {}),
        ("bias", (5, 7, 2), "n_q = 7 from X", {}),
        ("bias", (3, 5, 7, 7), "batch = (2,) from X", {}),
    ]
    return [
        misfit(function, name, says, **_SHAPES | more | {name: shape}, n_heads=5)
        for name, shape, says, more in wrong
    ]


_PARTS = "a multiple of n_heads = 3"

BAD_INPUT = [
    misfit("multi_head.split_heads", "X", "(*batch, n, d)", X=(6,), n_heads=3),
    misfit("multi_head.split_heads", "X", _PARTS, X=(7, 10), n_heads=3),
    misfit("multi_head.split_heads", "X", _PARTS, X=(2, 6, 10), n_heads=3),
    misfit("multi_head.split_heads", "X", "n_heads = 7", X=(5, 6), n_heads=7),
    *bad_count("multi_head.split_heads", "n_heads", 0, X=(5, 6)),
    misfit("multi_head.merge_heads", "X", "(*batch, n_heads, n, d_head)", X=(5, 6)),
    *(bad for function in BOTH for bad in _misfits(function)),
    *(bad for f in BOTH for bad in bad_count(f, "n_heads", 0, **_SHAPES)),
    *(bad for f in BOTH for bad in bad_flag(f, "causal", n_heads=5, **_SHAPES)),
    *(
        misfit(f, name, _PARTS, **_SHAPES | shapes, n_heads=3)
        for f in BOTH
        for name, shapes in (
            # embd = 10 with 3 heads, and values whose width is not divisible.
            ("W_Q", {"W_V": (6, 9), "W_O": (9, 3)}),
            ("W_V", {"W_Q": (6, 9), "W_K": (6, 9), "W_V": (6, 10), "W_O": (10, 3)}),
        )
    ),
]  # fmt: skip
