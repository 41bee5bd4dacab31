"""Chapter 8, `order`: attention and position."""

import numpy as np
from jaxtyping import Float, Int

from course_attn._check_options import check_even
from course_attn._checks import (
    check_arguments,
    check_count,
    check_flag,
    check_float_dtype,
    check_positive,
)
from course_attn.in_numpy.masks import _steps_back

_DType = type[np.floating] | np.dtype  # np.float32 and np.dtype("float32")

__all__ = ["alibi_bias", "rotary", "sinusoidal_encoding"]


def sinusoidal_encoding(
    n: int,
    d_model: int,
    *,
    base: float = 10000.0,
    dtype: _DType | None = None,
) -> Float[np.ndarray, "n d_model"]:
    """Describe each of n positions by sines and cosines, to be added to the elements.

    p_(i, 2f) = sin(i w_f) and p_(i, 2f + 1) = cos(i w_f) with w_f = base^(-2f / d_model), for the
    positions i = 0, ..., n - 1 and the pairs f = 0, ..., d_model / 2 - 1 (interleaved).

    Parameters
    ----------
    n : int
        The number of positions, 0 or more.
    d_model : int
        The width of the elements: even, and at least 2.
    base : float
        Sets the slowest frequencies, any finite number greater than 0. The wavelengths, in
        positions, grow from 2 pi to nearly 2 pi times base.
    dtype : dtype or None
        The floating-point dtype of the result; None means the library's default (float64 in
        NumPy, `torch.get_default_dtype()` in PyTorch).

    Returns
    -------
    array, shape (n, d_model)
        One row for each position, computed in float64 and then rounded to the dtype. (In PyTorch
        it is on the default device; take it to the elements with ``.to(X.device)``.)

    Raises
    ------
    TypeError
        If a size is no whole number, `base` no real number or `dtype` no floating-point dtype.
    ValueError
        If `n` is negative; if `d_model` is below 2 or odd; if `base` is not a finite number
        greater than 0.

    Examples
    --------
    >>> sinusoidal_encoding(3, 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.5. Chapter: `order`.
    """
    check_count(0, n=n)
    check_count(2, d_model=d_model)
    check_even(d_model=d_model)
    check_positive(base=base)
    dtype = np.float64 if dtype is None else dtype
    check_float_dtype(np.empty(0), dtype=dtype)
    angles = _angles(np.arange(n), d_model, base)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return waves.reshape(n, d_model).astype(dtype)


def _angles(
    positions: Int[np.ndarray, "n"], d: int, base: float
) -> Float[np.ndarray, "n pairs"]:
    """Return the angle i w_f of each position and pair, with w_f = base^(-2f / d).

    In float64 whatever the dtype of the elements: far away an angle in fewer bits is wrong.
    """
    frequencies = float(base) ** (-np.arange(0, d, 2) / max(d, 1))
    return positions[:, None] * frequencies


@check_arguments
def rotary(
    X: Float[np.ndarray, "*batch n d_k"],
    positions: Int[np.ndarray, "n"],
    *,
    base: float = 10000.0,
    interleaved: bool = False,
) -> Float[np.ndarray, "*batch n d_k"]:
    """Turn each pair of features by an angle proportional to the position of its row.

    (a, b) becomes (a cos t - b sin t, a sin t + b cos t) with t = i w_f for the row at position i
    and its pair f, where w_f = base^(-2f / d_k). Turn queries and keys, not values: then scores
    depend on distances only.

    Parameters
    ----------
    X : array, shape (..., n, d_k)
        Queries or keys, one a row; d_k must be even.
    positions : array of int, shape (n,)
        The position of each row: any whole numbers, in any order. With a cache, new rows go on
        where the old ones ended.
    base : float
        Sets the slowest frequencies, any finite number greater than 0.
    interleaved : bool
        Which features form pair f: False takes f and f + d_k / 2 (half-split), True takes the
        neighbors 2f and 2f + 1. A model must be used with the layout that it was trained with.

    Returns
    -------
    array, shape of `X`
        The turned rows, each as long as before, in the dtype of `X` (16-bit input is computed in
        32 bits). NaN and infinite entries spread to their pair.

    Raises
    ------
    TypeError
        If `X` is no array or not floating-point; if `positions` is no array of integers; if
        `base` is no real number or `interleaved` neither True nor False.
    ValueError
        If `positions` has not one entry for each row; if d_k is odd; if `base` is not a finite
        number greater than 0.

    Examples
    --------
    >>> X, positions = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1])
    >>> rotary(X, positions).round(4)  # pairs (1, 3) and (2, 4)
    array([[-1.9841,  1.9599,  2.4624,  4.0198]])
    >>> rotary(X, positions, interleaved=True).round(4)  # pairs (1, 2) and (3, 4)
    array([[-1.1426,  1.9221,  2.9599,  4.0298]])

    Notes
    -----
    Source: Su et al. (2021), section 3.2.2, who pair neighbors. Chapter: `order`.
    """
    check_even(X=X)
    check_positive(base=base)
    check_flag(interleaved=interleaved)
    wide = X.astype(np.promote_types(X.dtype, np.float32), copy=False)
    angles = _angles(positions, X.shape[-1], base)
    cos, sin = (wave(angles).astype(wide.dtype) for wave in (np.cos, np.sin))
    a, b = _pairs(wide, interleaved)
    turned = _joined(a * cos - b * sin, a * sin + b * cos, interleaved)
    return turned.astype(X.dtype, copy=False)


def _pairs(
    X: Float[np.ndarray, "*batch n d_k"], interleaved: bool
) -> tuple[
    Float[np.ndarray, "*batch n pairs"], Float[np.ndarray, "*batch n pairs"]
]:
    """Return the first and the second feature of every pair."""
    half = X.shape[-1] // 2
    if interleaved:
        return X[..., 0::2], X[..., 1::2]
    return X[..., :half], X[..., half:]


def _joined(
    a: Float[np.ndarray, "*batch n pairs"],
    b: Float[np.ndarray, "*batch n pairs"],
    interleaved: bool,
) -> Float[np.ndarray, "*batch n d_k"]:
    """Put the features of all pairs back into their places."""
    if interleaved:
        return np.stack([a, b], axis=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return np.concatenate([a, b], axis=-1)


def alibi_bias(
    n_heads: int,
    n_q: int,
    n_k: int | None = None,
    *,
    dtype: _DType | None = None,
) -> Float[np.ndarray, "n_heads n_q n_k"]:
    """Lower each score in proportion to the distance between query and key, head by head.

    b_hij = -slope_h |i + n_k - n_q - j|: the n_q queries are the last ones of n_k positions, as in
    `causal_mask`. The slopes are 2^(-8h / n_heads) for h = 1, ..., n_heads if n_heads is a
    power of two. If not, take the slopes for the next lower power, and then every second one,
    from the first, of those for the next higher power, as many as are missing.

    Parameters
    ----------
    n_heads : int
        The number of heads, at least 1.
    n_q : int
        The number of queries, 0 or more.
    n_k : int or None
        The number of keys, 0 or more; None means n_q.
    dtype : dtype or None
        The floating-point dtype of the scores; None means the library's default (float64 in
        NumPy, `torch.get_default_dtype()` in PyTorch).

    Returns
    -------
    array, shape (n_heads, n_q, n_k)
        The bias to add to scores of shape (..., n_heads, n_q, n_k) after scaling. It hides
        nothing: keys after the query are lowered by their distance, too, until a causal mask
        hides them. Without a mask, the bias is the same to both sides. (In PyTorch it is on the
        default device; take it to the scores with ``.to(scores.device)``.)

    Raises
    ------
    TypeError
        If a size is no whole number; if `dtype` is no floating-point dtype.
    ValueError
        If `n_heads` is below 1; if `n_q` or `n_k` is negative.

    Examples
    --------
    >>> alibi_bias(2, 3) * 256  # the slopes are 1/16 and 1/256
    array([[[  0., -16., -32.],
            [-16.,   0., -16.],
            [-32., -16.,   0.]],
    <BLANKLINE>
           [[  0.,  -1.,  -2.],
            [ -1.,   0.,  -1.],
            [ -2.,  -1.,   0.]]])

    Notes
    -----
    Source: Press, Smith and Lewis (2022), section 3, and for other numbers of heads the code
    that they published with it. Chapter: `order`.
    """
    check_count(1, n_heads=n_heads)
    dtype = np.float64 if dtype is None else dtype
    check_float_dtype(np.empty(0), dtype=dtype)
    distance = np.abs(_steps_back(n_q, n_k))
    slopes = np.array(_slopes(n_heads))
    return (slopes[:, None, None] * -distance).astype(dtype)


def _slopes(n_heads: int) -> list[float]:
    """Return how much each head lowers a score per step of distance."""
    below = 2 ** (
        int(n_heads).bit_length() - 1
    )  # the power of two not above n_heads
    slopes = [2.0 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2.0 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1, 2)]
    return slopes + between[: n_heads - below]
