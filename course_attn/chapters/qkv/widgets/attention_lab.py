"""Attention of a few tokens, with numbers to change and every result as its sum."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_names,
    checked_number,
    plain_table,
    widget,
)
from course_attn.in_numpy.masks import masked_softmax
from course_attn.in_numpy.scaling import scaled_scores

__all__ = ["attention_lab"]

_LARGEST = 100.0
_CHANGES = ("d", "scale", "T")


def attention_lab(
    Q: ArrayLike | None = None,
    K: ArrayLike | None = None,
    V: ArrayLike | None = None,
    *,
    tokens: Sequence[str],
    scores: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scaled: bool = True,
    temperature: float = 1.0,
    changes: Collection[str] = (),
    features: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    opened: tuple[str, int, int] = ("S", 0, 0),
    alt: str | None = None,
    caption: str,
) -> Widget:
    """Let the reader change the numbers of attention and open each result into its sum.

    Give queries, keys and values, or the scores alone. Without JavaScript it is the tables.

    Parameters
    ----------
    Q, K : array, shape (n, d_k)
        Queries and keys, with entries from -100 to 100.
    V : array, shape (n, d_v), optional
        Values; without them there are no outputs.
    tokens : sequence of str
        Names of the n tokens, from 2 to 6.
    scores : array, shape (n, n), optional
        Scores to change in place of Q and K; they are not divided by the square root of d_k.
    mask : array of bool, shape (n, n), optional
        True where a token may see another. The reader can paint it.
    scaled : bool
        Whether scores are divided by the square root of d_k at first.
    temperature : float
        By what else scores are divided at first, from 0.1 to 10.
    changes : collection of str
        What else can be changed: "d" (how many of the columns of Q and K are used), "scale"
        (whether scores are divided by the square root of d), "T" (the temperature).
    features, outputs : sequence of str, optional
        Names of the columns of Q and K, and of V; by default their numbers.
    opened : tuple of str, int and int
        What is spelled out at first: "S", "A" or "Y", row and column.
    alt : str, optional
        What there is to see as a whole, for those who cannot see it.
    caption : str
        What the numbers say.

    Examples
    --------
    >>> vectors = [[1.0, 0.0], [0.0, 2.0]]
    >>> attention_lab(vectors, vectors, vectors, tokens=["a", "b"], caption="Two tokens.")
    <attention_lab: Two tokens.>
    """
    n = len(tokens)
    if isinstance(tokens, str) or not 2 <= n <= 6:
        raise ValueError(f"tokens must be a sequence of 2 to 6 str, got {tokens!r}")
    tokens = checked_names("tokens", tokens, n, "tokens")
    if (scores is None) == (Q is None) or (Q is None) != (K is None):
        raise ValueError("give either Q and K, or scores")
    arrays = _arrays(n, Q=Q, K=K, V=V, scores=scores)
    d_k = arrays["Q"].shape[1] if "Q" in arrays else 0
    d_v = arrays["V"].shape[1] if "V" in arrays else 0
    if unknown := [name for name in changes if name not in _CHANGES]:
        raise ValueError(
            f"changes must be among {', '.join(_CHANGES)}, got {unknown[0]!r}"
        )
    if "scores" in arrays and (set(changes) - {"T"}):
        raise ValueError("changes must be 'T' only where scores are given")
    data: dict[str, Any] = {name: array.tolist() for name, array in arrays.items()}
    data |= {
        "tokens": tokens,
        "features": _columns("features", features, d_k, "columns of Q"),
        "outputs": _columns("outputs", outputs, d_v, "columns of V"),
        "scaled": bool(scaled),
        "temperature": checked_number("temperature", temperature, 0.1, 10),
        "changes": [name for name in _CHANGES if name in changes],
        "opened": _opened(opened, n, d_v),
    }
    allowed = np.ones((n, n), dtype=bool)
    if mask is not None:
        allowed = np.asarray(mask)
        if allowed.dtype != bool or allowed.shape != (n, n):
            raise ValueError(
                f"mask must be bool of shape ({n}, {n}), "
                f"got {allowed.dtype} of shape {allowed.shape}"
            )
        data["mask"] = allowed.tolist()
    tables = _tables(arrays, tokens, data, allowed)
    alt = alt or (
        f"Tables of {', '.join(tables)} for {', '.join(tokens)}: numbers to change, and results "
        "that open into the sums behind them."
    )
    return widget(
        __file__,
        data,
        fallback=f'<div class="attn-row">\n{"".join(tables.values())}\n</div>',
        alt=alt,
        caption=caption,
    )


def _arrays(n: int, **given: ArrayLike | None) -> dict[str, np.ndarray]:
    """Return those that are given, after checking that they fit n tokens and one another."""
    found: dict[str, np.ndarray] = {}
    for name, value in given.items():
        if value is None:
            continue
        width = {"scores": n, "K": found["Q"].shape[1] if "Q" in found else None}
        columns = width.get(name)
        what = f"({n}, {columns})" if columns else f"({n}, any)"
        found[name] = checked_array(name, value, (n, columns), what)
        if (np.abs(found[name]) > _LARGEST).any() or found[name].shape[1] > 6:
            raise ValueError(
                f"{name} must have entries from -100 to 100 in at most 6 columns, got "
                f"{np.abs(found[name]).max():g} at most in {found[name].shape[1]}"
            )
    return found


def _columns(
    argument: str, names: Sequence[str] | None, needed: int, what: str
) -> list[str]:
    """Return the names of columns, by default their numbers."""
    if names is None:
        return [str(f + 1) for f in range(needed)]
    return checked_names(argument, names, needed, what)


def _opened(opened: tuple[str, int, int], n: int, d_v: int) -> list[Any]:
    """Return which result is spelled out at first, after checking that it is there."""
    letters = {"S": n, "A": n} | ({"Y": d_v} if d_v else {})
    try:
        letter, i, j = opened
        there = 0 <= i < n and 0 <= j < letters[letter]
    except (KeyError, TypeError, ValueError):
        there = False
    if not there:
        raise ValueError(
            f"opened must be one of {', '.join(letters)}, a row and a column, got {opened!r}"
        )
    return [letter, i, j]


def _tables(
    arrays: dict[str, np.ndarray],
    tokens: list[str],
    data: dict[str, Any],
    allowed: np.ndarray,
) -> dict[str, str]:
    """Return what is given and what follows from it as plain tables, by their letters."""
    columns = {"scores": tokens, "V": data["outputs"]}
    tables = {
        name: plain_table(
            name,
            tokens,
            columns.get(name, data["features"]),
            [[f"{entry:g}" for entry in row] for row in array],
        )
        for name, array in arrays.items()
    }
    if "scores" in arrays:
        S = arrays["scores"]
    else:
        scale = None if data["scaled"] else 1.0
        S = scaled_scores(arrays["Q"], arrays["K"], scale=scale)
    S = np.where(allowed, S / data["temperature"], -np.inf)
    A = masked_softmax(S)
    root = " ÷ √d" if data["scaled"] else ""
    tables["S"] = plain_table(
        "S, masked" if "scores" in arrays else f"S = Q Kᵀ{root}",
        tokens,
        tokens,
        _written(S),
    )
    # A weight of 0 without decimals is exactly 0.
    weights = [[_number(a) if a else "0" for a in row] for row in A]
    tables["A"] = plain_table("A = softmax(S)", tokens, tokens, weights)
    if "V" in arrays:
        tables["Y"] = plain_table(
            "Y = A V", tokens, data["outputs"], _written(A @ arrays["V"])
        )
    return tables


def _written(array: np.ndarray) -> list[list[str]]:
    """Write numbers as the script does: two decimals, a true minus, and none before 0."""
    return [
        ["−∞" if entry == -np.inf else _number(entry) for entry in row]
        for row in array
    ]


def _number(x: float) -> str:
    return f"{x + 0.0:z.2f}".replace("-", "−")
