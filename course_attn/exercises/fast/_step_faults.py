"""Known mistakes in `cached_step`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from course_attn.checking import Context, Fault, Property, number
from course_attn.exercises.fast._steps import known_here, place, same

__all__ = ["FAULTS", "PROPERTIES", "stepped"]


def _append(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.concatenate([cache, new], axis=-2)


def _prepend(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.concatenate([new, cache], axis=-2)


def _replace_last(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.concatenate([cache[..., :-1, :], new], axis=-2)


def _drop_oldest(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.concatenate([cache[..., 1:, :], new], axis=-2)


def _only_new(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return new


def _along_0(cache: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.concatenate([cache, new], axis=0)


def _powers(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = _powers(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def stepped(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    K_cache: np.ndarray,
    V_cache: np.ndarray,
    *,
    put_key: Callable[..., Any] = _append,
    put_value: Callable[..., Any] = _append,
    seen: Callable[..., Any] = lambda cache, new, everything: everything,
    divisor: Callable[..., Any] = lambda d_k, n: d_k**0.5,
    hide: Callable[..., Any] = same,
    weigh: Callable[..., Any] = _softmax,
    give: Callable[..., Any] = lambda cache, everything: everything,
    order: Callable[..., Any] = lambda out, K, V: (out, K, V),
) -> tuple[np.ndarray, ...]:
    K, V = put_key(K_cache, k), put_value(V_cache, v)
    keys, values = seen(K_cache, k, K), seen(V_cache, v, V)
    scores = q @ np.swapaxes(keys, -1, -2)
    scores = scores / divisor(q.shape[-1], max(keys.shape[-2], 1))
    out = weigh(hide(scores)) @ values
    return order(out, give(K_cache, K), give(V_cache, V))


def _first_key_only(scores: np.ndarray) -> np.ndarray:
    """Hide what a causal mask hides if it is aligned to the top left."""
    return np.where(np.arange(scores.shape[-1]) == 0, scores, -1e9)


def _sizes(c: Context) -> str:
    n = c.given["K_cache"].shape[-2]
    return f"{n} position{'' if n == 1 else 's'} in the cache and 1 new one make {n + 1}"


def _said(c: Context) -> str:
    """Quote the first row that is wrong."""
    result = c.given["result"]
    if c.got.shape != c.expected.shape:
        return f"Your `{result}` has shape {c.got.shape}; asked for is {c.expected.shape}."
    where = place(c)
    row = int(np.ravel_multi_index(where[:-1], c.got.shape[:-1]))
    which = (
        f"row {where[-2]} of your `{result}`" if result != "out" else "your `out`"
    )
    return (
        f"In this step {which} is {c.row(row)}; {c.row(row, 'expected')} is right."
    )


def _nan(c: Context) -> str | None:
    if c.given["result"] != "out" or not np.isnan(c.got).any():
        return None
    return f"Your `out` holds NaN. {_sizes(c)}; is there a score for each of them?"


def _cache_lost(c: Context) -> str | None:
    """Say what became of the rows of the cache, or of the new one."""
    result = c.given["result"]
    if result == "out" or c.got.shape != c.expected.shape:
        return None
    cache = c.given[f"{result}_cache"]
    if not np.allclose(c.got[..., :-1, :], cache, rtol=1e-4):
        return (
            f"The first {cache.shape[-2]} rows of your `{result}` should be those of "
            f"`{result}_cache`, unchanged. {_said(c)}"
        )
    return f"The last row of your `{result}` should be the new `{result.lower()}`. {_said(c)}"


def _scores_off(c: Context) -> str | None:
    if c.given["result"] != "out" or c.got.shape != c.expected.shape:
        return None
    q, K = (c.given[name] for name in ("q", "K_cache"))
    K = np.concatenate([K, c.given["k"]], axis=-2)
    if q.ndim > 2:
        return None
    scores = (q @ K.T / np.sqrt(q.shape[-1]))[0]
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    shown = ", ".join(number(w) for w in weights[:6])
    more = ", …" if len(weights) > 6 else ""
    return f"{_said(c)} The weights of the {len(weights)} positions should be [{shown}{more}]."


FAULTS = (
    Fault(
        "does-not-see-itself",
        {"seen": lambda cache, new, everything: cache},
        lambda c: (
            "You attend to the old cache: the new position does not see itself. Its own key "
            f"and value are the last it may attend to. {_sizes(c)}. {_said(c)}"
        ),
    ),
    Fault(
        "sees-itself-only",
        {"seen": lambda cache, new, everything: new},
        lambda c: (
            "You attend to the new key alone: `out` is v, whatever the cache holds. The query "
            f"attends to all {c.given['K_cache'].shape[-2] + 1} positions. {_said(c)}"
        ),
    ),
    Fault(
        "not-kept",
        {"give": lambda cache, everything: cache},
        lambda c: (
            f"You return the old cache: the `{c.given['result']}` that comes back has "
            f"{c.got.shape[-2]} rows. The next step would know nothing of this one. Return "
            f"the {c.expected.shape[-2]} rows with the new one."
        ),
    ),
    Fault(
        "only-the-new",
        partial(stepped, put_key=_only_new, put_value=_only_new),
        lambda c: (
            "Your K and V are the new key and value alone, and the cache is forgotten. "
            f"{_sizes(c)}: `np.concatenate([K_cache, k], axis=-2)`."
        ),
    ),
    Fault(
        "prepended",
        {"put_key": _prepend, "put_value": _prepend},
        lambda c: (
            "You put the new position *first*. The output does not notice, since attention "
            "knows no order, but whoever asks the cache for position 0, or hides what lies "
            f"outside a window, finds the wrong one. New rows come last. {_said(c)}"
        ),
    ),
    Fault(
        "keys-prepended",
        {"put_key": _prepend},
        lambda c: (
            "The new key comes first in K, and the new value last in V: now every key stands "
            f"beside the value of another position. Both come last. {_said(c)}"
        ),
    ),
    Fault(
        "values-prepended",
        {"put_value": _prepend},
        lambda c: (
            "The new value comes first in V, and the new key last in K: now every key stands "
            f"beside the value of another position. Both come last. {_said(c)}"
        ),
    ),
    Fault(
        "last-overwritten",
        {"put_key": _replace_last, "put_value": _replace_last},
        lambda c: (
            "You write the new position over the last one of the cache. It is appended: "
            f"{_sizes(c)}. {_said(c)}"
        ),
    ),
    Fault(
        "oldest-dropped",
        {"put_key": _drop_oldest, "put_value": _drop_oldest},
        lambda c: (
            "You drop the oldest position when the new one comes, as a sliding window does. "
            f"Here the cache grows: {_sizes(c)}. {_said(c)}"
        ),
    ),
    Fault(
        "along-axis-0",
        {"put_key": _along_0, "put_value": _along_0},
        lambda c: (
            "Without a batch that would do. In a batch, axis 0 counts sequences: you append the "
            f"new key as another *sequence*, and your `{c.given['result']}` has shape "
            f"{c.got.shape} instead of {c.expected.shape}. Positions are axis −2: "
            "`np.concatenate([K_cache, k], axis=-2)`."
        ),
    ),
    Fault(
        "unscaled",
        {"divisor": lambda d_k, n: 1.0},
        lambda c: (
            "The scores are not divided by √d_k = "
            f"{number(c.given['q'].shape[-1] ** 0.5)}. {_said(c)}"
        ),
    ),
    Fault(
        "divided-by-d",
        {"divisor": lambda d_k, n: d_k},
        lambda c: (
            f"You divide the scores by d_k = {c.given['q'].shape[-1]}, where its root, "
            f"{number(c.given['q'].shape[-1] ** 0.5)}, is asked for. {_said(c)}"
        ),
    ),
    Fault(
        "root-of-n",
        {"divisor": lambda d_k, n: n**0.5},
        lambda c: (
            "You divide the scores by √n, and n grows with every step: the weights would get "
            "more and more even. The scale is √d_k, with the number of *features*, "
            f"d_k = {c.given['q'].shape[-1]}. {_said(c)}"
        ),
    ),
    Fault(
        "mask-top-left",
        partial(stepped, hide=_first_key_only),
        lambda c: (
            "Your mask is aligned to the top left: the single query counts as position 0 and "
            "sees the first key only. It stands at the *last* key and may see all; with one "
            f"query there is nothing to mask. {_said(c)}"
        ),
    ),
    Fault(
        "softmax-over-the-queries",
        {"weigh": lambda scores: np.ones_like(scores)},
        lambda c: (
            "All your weights are 1: `out` is the sum of all values. There is a single query, "
            "and a softmax along its axis has nothing to compare. It runs along the keys, "
            f"`axis=-1`. {_said(c)}"
        ),
    ),
    Fault(
        "not-normalized",
        {"weigh": _powers},
        lambda c: (
            "The powers are not divided by their sum: the weights do not sum to 1. "
            f"{_said(c)}"
        ),
    ),
    Fault(
        "no-softmax",
        {"weigh": same},
        lambda c: (
            f"The scores weigh the values directly, without softmax. {_said(c)}"
        ),
    ),
    Fault(
        "caches-first",
        {"order": lambda out, K, V: (K, V, out)},
        "The three are right but returned in another order: yours come as K, V, out; asked for "
        "are out, K, V.",
    ),
    Fault(
        "values-before-keys",
        {"order": lambda out, K, V: (out, V, K)},
        "The three are right but returned in another order: yours come as out, V, K; asked for "
        "are out, K, V.",
    ),
)

PROPERTIES = (
    known_here(stepped, FAULTS, ("out", "K", "V")),
    Property("nan", _nan),
    Property("cache", _cache_lost),
    Property("weights", _scores_off),
)
