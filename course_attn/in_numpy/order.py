"""Attention and position."""

from typing import Annotated

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from course_attn._contracts import (
    Count,
    Flag,
    Positive,
    Size,
    check_arguments,
)
from course_attn._rules import Even, EvenWidth
from course_attn.in_numpy._numerics import DType, relative_positions, upcast

__all__ = ["alibi_bias", "rotary", "sinusoidal_encoding"]


@check_arguments
def sinusoidal_encoding(
    n: Size,
    d_model: Annotated[Count, Even],
    *,
    base: Positive = 10000.0,
    dtype: DType | None = None,
) -> Float[Array, "n d_model"]:
    """Describe each of n positions by sines and cosines, to be added to the elements.

    p_(i, 2f) = sin(i w_f) and p_(i, 2f + 1) = cos(i w_f) with w_f = base^(-2f / d_model), for the
    positions i = 0, ..., n - 1 and the pairs f = 0, ..., d_model / 2 - 1 (interleaved). The
    wavelengths, in positions, grow from 2 pi to nearly 2 pi times base. Computed in float64, then
    rounded to `dtype`, by default the library's (float64 in NumPy, `torch.get_default_dtype()` in
    PyTorch). In PyTorch the result is on the default device; take it to the elements with
    ``.to(X.device)``. Source: Vaswani et al. (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_encoding(3, 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]])
    """
    dtype = np.float64 if dtype is None else dtype
    angles = _angles(np.arange(n), d_model, base)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return waves.reshape(n, d_model).astype(dtype)


def _angles(positions: Array, d: int, base: float) -> Array:
    """Return the angle i w_f of each position and pair, with w_f = base^(-2f / d).

    In float64 whatever the dtype of the elements: far away an angle in fewer bits is wrong.
    """
    even = np.arange(0, d, 2)
    return positions[:, None] * float(base) ** (-even / max(d, 1))


@check_arguments
def rotary(
    X: Annotated[Float[Array, "*batch n d_k"], EvenWidth("d_k")],
    positions: Int[Array, "n"],
    *,
    base: Positive = 10000.0,
    interleaved: Flag = False,
) -> Float[Array, "*batch n d_k"]:
    """Turn each pair of features by an angle proportional to the position of its row.

    (a, b) becomes (a cos t - b sin t, a sin t + b cos t) with t = i w_f for the row at position i
    and its pair f, where w_f = base^(-2f / d_k). Turn queries and keys, not values: then scores
    depend on distances only. Pair f is made of features f and f + d_k / 2 (half-split) or, where
    `interleaved`, of the neighbors 2f and 2f + 1; a model must be used with the layout that it was
    trained with. Positions are any whole numbers, in any order; with a cache, new rows go on where
    the old ones ended. Rows keep their lengths; NaN and infinite entries spread to their pair.
    Source: Su et al. (2021), section 3.2.2, who pair neighbors.

    Examples
    --------
    >>> X, positions = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1])
    >>> rotary(X, positions).round(4)  # pairs (1, 3) and (2, 4)
    array([[-1.9841,  1.9599,  2.4624,  4.0198]])
    """
    wide = upcast(X)
    angles = _angles(positions, X.shape[-1], base)
    cos, sin = np.cos(angles).astype(wide.dtype), np.sin(angles).astype(wide.dtype)
    a, b = _split_pairs(wide, interleaved)
    turned = _join_pairs(a * cos - b * sin, a * sin + b * cos, interleaved)
    return turned.astype(X.dtype, copy=False)


def _split_pairs(X: Array, interleaved: bool) -> tuple[Array, Array]:
    """Return the first and the second feature of every pair."""
    half = X.shape[-1] // 2
    if interleaved:
        return X[..., 0::2], X[..., 1::2]
    return X[..., :half], X[..., half:]


def _join_pairs(a: Array, b: Array, interleaved: bool) -> Array:
    """Put the features of all pairs back into their places."""
    if interleaved:
        return np.stack([a, b], axis=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return np.concatenate([a, b], axis=-1)


@check_arguments
def alibi_bias(
    n_heads: Count,
    n_q: Size,
    n_k: Size | None = None,
    *,
    dtype: DType | None = None,
) -> Float[Array, "n_heads n_q n_k"]:
    """Lower each score in proportion to the distance between query and key, head by head.

    b_hij = -slope_h |i + n_k - n_q - j|: the n_q queries are the last ones of n_k positions (by
    default n_q), as in `causal_mask`. The slopes are 2^(-8h / n_heads) for h = 1, ..., n_heads if
    n_heads is a power of two. If not, take the slopes for the next lower power, and then every
    second one, from the first, of those for the next higher power, as many as are missing. Add it
    to the scores after scaling. It hides nothing: keys after the query are lowered by their
    distance, too, until a causal mask hides them. `dtype` and device as in `sinusoidal_encoding`.
    Source: Press, Smith and Lewis (2022), section 3, and for other numbers of heads the code that
    they published with it.

    Examples
    --------
    >>> alibi_bias(2, 3)[0] * 16  # the slopes are 1/16 and 1/256
    array([[ 0., -1., -2.],
           [-1.,  0., -1.],
           [-2., -1.,  0.]])
    """
    dtype = np.float64 if dtype is None else dtype
    # The power of two not above n_heads; further heads stand halfway between its slopes.
    power = 2 ** (int(n_heads).bit_length() - 1)
    steps = [*range(1, power + 1), *(h + 0.5 for h in range(n_heads - power))]
    slopes = [2.0 ** (-8 * step / power) for step in steps]
    distances = np.abs(relative_positions(n_q, n_k))
    bias = np.array(slopes)[:, None, None] * -distances
    return bias.astype(dtype)
