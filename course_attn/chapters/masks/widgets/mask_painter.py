"""Masks to paint, layer by layer, and a lamp that says whether a later word leaks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_names,
    plain_table,
    widget,
)
from course_attn.in_numpy.qkv import attention

__all__ = ["mask_painter"]

Masks = Sequence[ArrayLike | None]


def mask_painter(
    tokens: Sequence[str],
    plans: Mapping[str, Masks] | None = None,
    *,
    inputs: ArrayLike | None = None,
    others: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    changed: int | None = None,
    layer: int = 0,
    alt: str | None = None,
    caption: str,
) -> Widget:
    """Let the reader paint the masks of a small model, and see which outputs a word reaches.

    Each layer is attention, added to its input, and then tanh of one matrix product on every row,
    added again. The page computes all of it anew after every stroke: for each word, the outputs
    with it and with another in its place. The lamp is on if an output changes with a later word.
    Without JavaScript it is a table of which vectors change, for every plan.

    Parameters
    ----------
    tokens : sequence of str
        The n words, from 2 to 10.
    plans : mapping from str to sequence of arrays, optional
        Masks to start from, by name: one of shape (n, n) for each layer, True where a word may see
        another; None allows all. The first is shown first. By default one causal layer.
    inputs, others : array, shape (n, d), optional
        The vector of each word, and the one that it is exchanged for; drawn if they are not given.
    weights : array, shape (n_layers, 4, d, d), optional
        The matrices of each layer: W_Q, W_K, W_V, and that of the step; drawn if not given.
    changed : int, optional
        The word that is exchanged at first, by default the last.
    layer : int
        The layer whose mask is shown at first, counted from 0.
    alt : str, optional
        What there is to see as a whole, for those who cannot see it.
    caption : str
        What there is to find out.

    Examples
    --------
    >>> mask_painter(["the", "cat", "sat"], caption="Who sees whom?")
    <mask_painter: Who sees whom?>
    """
    n = len(tokens)
    if isinstance(tokens, str) or not 2 <= n <= 10:
        raise ValueError(
            f"tokens must be a sequence of 2 to 10 str, got {tokens!r}"
        )
    tokens = checked_names("tokens", tokens, n, "tokens")
    masks = _masks(
        {"causal": [np.tri(n, dtype=bool)]} if plans is None else plans, n
    )
    n_layers = len(next(iter(masks.values())))
    model = _model(n, n_layers, inputs, others, weights)
    changed = n - 1 if changed is None else changed
    for argument, place, end in (
        ("changed", changed, n),
        ("layer", layer, n_layers),
    ):
        if not 0 <= place < end:
            raise ValueError(f"{argument} must be from 0 to {end - 1}, got {place}")
    data: dict[str, Any] = {
        "tokens": tokens,
        "plans": {name: np.stack(all_).tolist() for name, all_ in masks.items()},
        "changed": int(changed),
        "layer": int(layer),
    } | {name: array.tolist() for name, array in model.items()}
    rows, cells = [], []
    for name, plan in masks.items():
        for k, moved in enumerate(_moved(model, plan, changed)[1:]):
            rows.append(f"{name}, layer {k + 1}")
            cells.append(["●" if moves else "·" for moves in moved])
    what = f"● changes when “{tokens[changed]}” is exchanged, · stays"
    return widget(
        __file__,
        data,
        fallback=plain_table(what, rows, tokens, cells),
        alt=alt
        or f"A mask of {n} by {n} squares to tap or draw, and squares that say which vectors "
        f"change when a word of “{' '.join(tokens)}” is exchanged.",
        caption=caption,
    )


def _masks(plans: Mapping[str, Masks], n: int) -> dict[str, list[np.ndarray]]:
    """Return every plan as a list of masks, after checking that they fit n words."""
    if not plans or not all(plans.values()):
        raise ValueError(
            "plans must hold at least one plan, and each at least one mask"
        )
    found: dict[str, list[np.ndarray]] = {}
    for name, plan in plans.items():
        all_ = [
            np.ones((n, n), dtype=bool) if mask is None else np.asarray(mask)
            for mask in plan
        ]
        for mask in all_:
            if mask.dtype != bool or mask.shape != (n, n):
                raise ValueError(
                    f"plans[{name!r}] must hold bool masks of shape ({n}, {n}), "
                    f"got {mask.dtype} of shape {mask.shape}"
                )
        found[name] = all_
    lengths = {name: len(plan) for name, plan in found.items()}
    if len(set(lengths.values())) > 1 or max(lengths.values()) > 4:
        raise ValueError(
            f"plans must have the same number of layers, 4 at most, got {lengths}"
        )
    return found


def _model(
    n: int,
    n_layers: int,
    inputs: ArrayLike | None,
    others: ArrayLike | None,
    weights: ArrayLike | None,
) -> dict[str, np.ndarray]:
    """Return the vectors and matrices, drawn where they are not given, with three decimals."""
    rng = np.random.default_rng(0)
    given = next((x for x in (inputs, others, weights) if x is not None), None)
    d = 4 if given is None else np.shape(given)[-1] if np.ndim(given) else 0
    shapes = {
        "inputs": (inputs, (n, d), 1.0),
        "others": (others, (n, d), 1.0),
        "weights": (weights, (n_layers, 4, d, d), max(d, 1) ** -0.5),
    }
    return {
        name: checked_array(
            name,
            rng.normal(0, size, shape) if array is None else array,
            shape,
            str(shape),
        ).round(3)
        for name, (array, shape, size) in shapes.items()
    }


def _moved(
    model: Mapping[str, np.ndarray], masks: Sequence[np.ndarray], changed: int
) -> list[np.ndarray]:
    """Return for the input and after each layer which vectors change with one word."""
    X, Z = model["inputs"], model["inputs"].copy()
    Z[changed] = model["others"][changed]
    found = [(X != Z).any(axis=-1)]
    for (W_Q, W_K, W_V, W), mask in zip(model["weights"], masks, strict=True):
        X, Z = (x + attention(x @ W_Q, x @ W_K, x @ W_V, mask=mask) for x in (X, Z))
        X, Z = X + np.tanh(X @ W), Z + np.tanh(Z @ W)
        found.append((X != Z).any(axis=-1))
    return found
