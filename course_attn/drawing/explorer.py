"""Attention weights to explore, token by token and head by head, in a page without a kernel."""

import html
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.animation import MAX_BYTES
from course_attn.drawing.style import DARK_ROLES, INK, ROLES

__all__ = ["Explorer", "explore_weights"]

# What the page holds are whole numbers, so that Python and JavaScript round alike.
_ONE = 100_000


class Explorer:
    """Weights to explore with the pointer or the keyboard; a notebook shows them as HTML."""

    def __init__(self, page: str, caption: str, n_heads: int) -> None:
        self._page, self._caption, self._n_heads = page, caption, n_heads

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        """Say in one line what there is to explore."""
        heads = "1 head" if self._n_heads == 1 else f"{self._n_heads} heads"
        return f"<weights of {heads} to explore: {self._caption}>"


def explore_weights(
    weights: ArrayLike,
    tokens: Sequence[str],
    *,
    keys: Sequence[str] | None = None,
    heads: Sequence[str] | None = None,
    average: bool = False,
    query: int = 0,
    columns: int | None = None,
    alt: str,
    caption: str,
) -> Explorer:
    """Let the reader pick a head and a token, and see and read what that token looks at.

    It works in the built page, in JupyterLab and in Colab, with the mouse, the finger and the
    keyboard, and asks nothing from any other place. Without JavaScript it is a table of the first
    head's weights.

    Parameters
    ----------
    weights : array, shape (n_heads, n_q, n_k) or (n_q, n_k)
        Each row sums to 1, or to 0 where all of it is masked.
    tokens : sequence of str
        The tokens that ask, n_q of them.
    keys : sequence of str, optional
        The tokens that are looked at, n_k of them; by default the same.
    heads : sequence of str, optional
        What to choose from, one name for each head; by default "head 1", "head 2" and so on.
    average : bool
        Whether the mean over the heads can be chosen, too.
    query : int
        The position of the token that asks at first.
    columns : int, optional
        How many tokens stand in a line, for patches of an image; by default as many as fit.
    alt : str
        What there is to see as a whole, for those who cannot see it.
    caption : str
        What the weights say.

    Returns
    -------
    Explorer
        Shown as HTML where a cell ends with it.

    Raises
    ------
    ValueError
        If an argument does not fit the others, a row of weights is none, or the page that it makes
        is larger than 400 kB.

    Examples
    --------
    >>> weights = [[0.9, 0.1], [0.5, 0.5]]
    >>> explore_weights(weights, ["a", "b"], alt="Two rows.", caption="Sharp, even.")
    <weights of 1 head to explore: Sharp, even.>
    """
    weights = _stacked(weights)
    n_heads = len(weights)
    names = [f"head {h + 1}" for h in range(n_heads)] if heads is None else heads
    _check_names("heads", names, n_heads, "heads")
    _check_names("tokens", tokens, weights.shape[1], "rows of weights")
    looked_at = ("tokens", tokens) if keys is None else ("keys", keys)
    _check_names(*looked_at, weights.shape[2], "columns of weights")
    if not 0 <= query < len(tokens):
        raise ValueError(f"query must be from 0 to {len(tokens) - 1}, got {query}")
    if columns is not None and columns < 1:
        raise ValueError(f"columns must be at least 1, got {columns}")
    for name, text in (("alt", alt), ("caption", caption)):
        if not text.strip():
            raise ValueError(f"{name} must say something, got {text!r}")
    if average and n_heads > 1:
        weights = np.concatenate([weights, weights.mean(axis=0, keepdims=True)])
        names = [*names, "mean of all heads"]
    data = {
        "heads": list(names),
        "queries": list(tokens),
        "keys": None if keys is None else list(keys),
        "weights": _whole(weights).tolist(),
        "query": query,
        "width": columns or 0,
    }
    page = _page(data, alt=alt, caption=caption)
    if len(page.encode()) > MAX_BYTES:
        raise ValueError(
            f"the explorer has {len(page.encode())} bytes, more than {MAX_BYTES}: "
            "give fewer heads or tokens"
        )
    return Explorer(page, caption, n_heads)


def _stacked(weights: ArrayLike) -> np.ndarray:
    """Return weights with an axis for the heads, after checking them."""
    weights = np.asarray(weights, dtype=float)
    if weights.ndim not in (2, 3) or 0 in weights.shape:
        raise ValueError(
            "weights must have shape (n_heads, n_q, n_k) or (n_q, n_k), "
            f"got {weights.shape}"
        )
    sums = weights.sum(axis=-1)
    off = np.minimum(np.abs(sums - 1), np.abs(sums))
    if not (weights >= 0).all() or not (off < 1e-3).all():
        raise ValueError(
            "weights must be at least 0, and each row must sum to 1, or to 0 if masked: the axis "
            f"of the keys comes last; got sums from {sums.min():.3g} to {sums.max():.3g}"
        )
    return weights if weights.ndim == 3 else weights[None]


def _check_names(
    argument: str, names: Sequence[str], needed: int, what: str
) -> None:
    """Check that there is a name for each; a single string is not taken letter by letter."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{argument} must be a sequence of str, got {names!r}")
    if len(names) != needed:
        raise ValueError(
            f"{argument} must have length {needed}, for {needed} {what}, got {len(names)}"
        )


def _whole(weights: np.ndarray) -> np.ndarray:
    """Return weights as whole hundred-thousandths.

    What is not 0 does not become 0, and what rounds to 0.07 still does.
    """
    hundredths = np.floor(weights * 100 + 0.5) * (_ONE // 100)
    whole = np.clip(np.round(weights * _ONE), hundredths - 500, hundredths + 499)
    return np.maximum(whole, weights > 0).astype(int)


def _number(weight: int) -> str:
    """Write a weight; 0 without decimals is a weight that is exactly 0, such as a masked one."""
    return f"{(weight + 500) // 1000 / 100:.2f}" if weight else "0"


def _page(data: dict[str, Any], *, alt: str, caption: str) -> str:
    """Put weights and words into the explorer's HTML: a table, and a script that enhances it."""
    folder = files(__package__)
    page, style, script = (
        folder.joinpath(f"explorer.{kind}").read_text("utf-8")
        for kind in ("html", "css", "bundle.js")
    )
    colors = {role: ROLES[role] for role in ("query", "weight")}
    colors |= {f"dark_{role}": DARK_ROLES[role] for role in colors}
    in_script = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    in_script = in_script.replace("<", "\\u003c")
    first = html.escape(data["heads"][0])
    rows = [
        f"<tr>{_cells('th', [token], 'row')}{_cells('td', map(_number, row))}</tr>"
        for token, row in zip(data["queries"], data["weights"][0], strict=True)
    ]
    return Template(page).substitute(
        style=Template(style).substitute(colors, ink=INK).strip(),
        script=script.strip(),
        data=in_script,
        alt=html.escape(alt),
        caption=html.escape(caption),
        said=f"The weights of {first}: a row for each token that asks, a column for each token "
        "that is looked at.",
        legend=f"All weights of {first}",
        columns=_cells("th", data["keys"] or data["queries"], "col"),
        rows="\n".join(rows),
    )


def _cells(tag: str, texts: Iterable[str], scope: str = "") -> str:
    """Return cells of a table; `scope` says what a header heads."""
    start = f'{tag} scope="{scope}"' if scope else tag
    return "".join(f"<{start}>{html.escape(text)}</{tag}>" for text in texts)
