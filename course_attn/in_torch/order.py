"""Chapter 8, `order`: attention and position."""

import torch
from jaxtyping import Float, Int

from course_attn._check_options import check_even
from course_attn._checks import (
    check_arguments,
    check_count,
    check_flag,
    check_float_dtype,
    check_positive,
)
from course_attn.in_torch.masks import _steps_back

__all__ = ["LearnedPositions", "alibi_bias", "rotary", "sinusoidal_encoding"]


def sinusoidal_encoding(
    n: int,
    d_model: int,
    *,
    base: float = 10000.0,
    dtype: torch.dtype | None = None,
) -> Float[torch.Tensor, "n d_model"]:
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
    >>> sinusoidal_encoding(3, 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.5. Chapter: `order`.
    """
    check_count(0, n=n)
    check_count(2, d_model=d_model)
    check_even(d_model=d_model)
    check_positive(base=base)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    check_float_dtype(torch.empty(0), dtype=dtype)
    angles = _angles(torch.arange(n), d_model, base)
    waves = torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1)
    return waves.reshape(n, d_model).to(dtype)


def _angles(
    positions: Int[torch.Tensor, "n"], d: int, base: float
) -> Float[torch.Tensor, "n pairs"]:
    """Return the angle i w_f of each position and pair, with w_f = base^(-2f / d).

    In float64 whatever the dtype of the elements: far away an angle in fewer bits is wrong.
    """
    on_mps = positions.device.type == "mps"  # which has no float64
    even = torch.arange(
        0,
        d,
        2,
        dtype=torch.float32 if on_mps else torch.float64,
        device=positions.device,
    )
    return positions[:, None] * float(base) ** (-even / max(d, 1))


@check_arguments
def rotary(
    X: Float[torch.Tensor, "*batch n d_k"],
    positions: Int[torch.Tensor, "n"],
    *,
    base: float = 10000.0,
    interleaved: bool = False,
) -> Float[torch.Tensor, "*batch n d_k"]:
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
    >>> X, positions = torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.tensor([1])
    >>> rotary(X, positions)  # pairs (1, 3) and (2, 4)
    tensor([[-1.9841,  1.9599,  2.4624,  4.0198]])
    >>> rotary(X, positions, interleaved=True)  # pairs (1, 2) and (3, 4)
    tensor([[-1.1426,  1.9221,  2.9599,  4.0298]])

    Notes
    -----
    Source: Su et al. (2021), section 3.2.2, who pair neighbors. Chapter: `order`.
    """
    check_even(X=X)
    check_positive(base=base)
    check_flag(interleaved=interleaved)
    wide = X.to(torch.promote_types(X.dtype, torch.float32))
    angles = _angles(positions, X.shape[-1], base)
    cos, sin = (wave(angles).to(wide.dtype) for wave in (torch.cos, torch.sin))
    a, b = _pairs(wide, interleaved)
    turned = _joined(a * cos - b * sin, a * sin + b * cos, interleaved)
    return turned.to(X.dtype)


def _pairs(
    X: Float[torch.Tensor, "*batch n d_k"], interleaved: bool
) -> tuple[
    Float[torch.Tensor, "*batch n pairs"], Float[torch.Tensor, "*batch n pairs"]
]:
    """Return the first and the second feature of every pair."""
    half = X.shape[-1] // 2
    if interleaved:
        return X[..., 0::2], X[..., 1::2]
    return X[..., :half], X[..., half:]


def _joined(
    a: Float[torch.Tensor, "*batch n pairs"],
    b: Float[torch.Tensor, "*batch n pairs"],
    interleaved: bool,
) -> Float[torch.Tensor, "*batch n d_k"]:
    """Put the features of all pairs back into their places."""
    if interleaved:
        return torch.stack([a, b], dim=-1).reshape(*a.shape[:-1], 2 * a.shape[-1])
    return torch.cat([a, b], dim=-1)


def alibi_bias(
    n_heads: int,
    n_q: int,
    n_k: int | None = None,
    *,
    dtype: torch.dtype | None = None,
) -> Float[torch.Tensor, "n_heads n_q n_k"]:
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
    tensor([[[  0., -16., -32.],
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
    dtype = torch.get_default_dtype() if dtype is None else dtype
    check_float_dtype(torch.empty(0), dtype=dtype)
    distance = _steps_back(n_q, n_k).abs()
    slopes = torch.tensor(_slopes(n_heads), dtype=torch.float64)
    return (slopes[:, None, None] * -distance).to(dtype)


def _slopes(n_heads: int) -> list[float]:
    """Return how much each head lowers a score per step of distance."""
    below = 2 ** (
        int(n_heads).bit_length() - 1
    )  # the power of two not above n_heads
    slopes = [2.0 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2.0 ** (-8 * h / (2 * below)) for h in range(1, 2 * below + 1, 2)]
    return slopes + between[: n_heads - below]


class LearnedPositions(torch.nn.Module):
    """Add to each element a learned vector that belongs to its position.

    X + P, row by row: row i of the learned matrix P is added to the element at position i. There
    are n_max rows, and nothing for positions beyond.

    Parameters
    ----------
    n_max : int
        The number of positions, at least 1.
    d_model : int
        The width of the elements, at least 1.

    Examples
    --------
    >>> layer = LearnedPositions(7, 3)
    >>> layer
    LearnedPositions(n_max=7, d_model=3)
    >>> layer(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 3])

    Notes
    -----
    Source: Gehring et al. (2017), section 3.1. Chapter: `order`.
    """

    def __init__(self, n_max: int, d_model: int) -> None:
        super().__init__()
        check_count(1, n_max=n_max)
        check_count(1, d_model=d_model)
        self.n_max, self.d_model = n_max, d_model
        self.P = torch.nn.Parameter(torch.empty(n_max, d_model))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the rows anew, with unit variance, like those of `nn.Embedding`."""
        torch.nn.init.normal_(self.P, generator=generator)

    def extra_repr(self) -> str:
        """Say the sizes."""
        return f"n_max={self.n_max}, d_model={self.d_model}"

    def forward(
        self, X: Float[torch.Tensor, "*batch n d_model"], *, offset: int = 0
    ) -> Float[torch.Tensor, "*batch n d_model"]:
        """Return the elements, each with the vector of its position added.

        Parameters
        ----------
        X : array, shape (..., n, d_model)
            The elements, one a row.
        offset : int
            The position of the first row, 0 or more. With a cache, the number of elements that
            came before.

        Returns
        -------
        array, shape (..., n, d_model)
            X + P, with the rows offset to offset + n - 1 of P.

        Raises
        ------
        TypeError
            If `X` is no array, or its dtype is not that of P; if `offset` is no whole number.
        ValueError
            If the sequence ends beyond position n_max - 1; if the width does not fit; if
            `offset` is negative.
        """
        check_count(0, offset=offset)
        return _plus_rows(X, self.P, offset)


@check_arguments
def _plus_rows(
    X: Float[torch.Tensor, "*batch n d_model"],
    P: Float[torch.Tensor, "n_max d_model"],
    offset: int,
) -> Float[torch.Tensor, "*batch n d_model"]:
    """Add the rows of P from `offset` on."""
    n, n_max = X.shape[-2], len(P)
    if offset + n > n_max:
        raise ValueError(
            f"X must end within n_max = {n_max} positions, got {n} rows from position {offset} "
            "on; there are no learned vectors beyond"
        )
    return X + P[offset : offset + n]
