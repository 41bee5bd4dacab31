"""Chapter 9, `block`: the transformer block."""

from collections.abc import Callable, Mapping
from math import erf
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from course_attn._check_options import (
    check_choice,
    check_entries,
    check_function,
    check_not_negative,
)
from course_attn._checks import check_arguments, check_axis
from course_attn.in_numpy.multi_head import multi_head_attention

_Activation = Callable[[Any], Any]

__all__ = [
    "feed_forward",
    "gelu",
    "layer_norm",
    "relu",
    "rms_norm",
    "transformer_block",
]

_ENTRIES = (
    *("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2"),
    *("gain_1", "bias_1", "gain_2", "bias_2"),
)
_erf = np.vectorize(erf, otypes=[np.float64])


@check_arguments
def relu(X: Float[np.ndarray, "*batch n"]) -> Float[np.ndarray, "*batch n"]:
    """Keep what is positive and replace the rest by 0.

    relu(x) = max(x, 0), entry by entry.

    Parameters
    ----------
    X : array, shape (..., n)
        Any real numbers.

    Returns
    -------
    array, shape of `X`
        In the dtype of `X`. NaN stays NaN. Where an entry is 0, the derivative is taken to be 0.

    Raises
    ------
    TypeError
        If `X` is no array or not floating-point.
    ValueError
        If `X` has no axis at all.

    Examples
    --------
    >>> relu(np.array([-2.0, 0.0, 3.0]))
    array([0., 0., 3.])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 2. Chapter: `block`.
    """
    return np.maximum(X, 0)


@check_arguments
def gelu(X: Float[np.ndarray, "*batch n"]) -> Float[np.ndarray, "*batch n"]:
    """Multiply each number by the probability that a standard normal number lies below it.

    gelu(x) = x * Phi(x) with Phi(x) = (1 + erf(x / sqrt(2))) / 2, entry by entry: a ReLU without
    the kink. This is the exact form, not the approximation by tanh.

    Parameters
    ----------
    X : array, shape (..., n)
        Any real numbers.

    Returns
    -------
    array, shape of `X`
        In the dtype of `X` (16-bit input is computed in more). NaN and -inf give NaN.

    Raises
    ------
    TypeError
        If `X` is no array or not floating-point.
    ValueError
        If `X` has no axis at all.

    Examples
    --------
    >>> gelu(np.array([-3.0, 0.0, 1.0, 3.0])).round(4)
    array([-0.004 ,  0.    ,  0.8413,  2.996 ])

    Notes
    -----
    Source: Hendrycks and Gimpel (2016), section 2. Chapter: `block`.
    """
    wide = X.astype(np.float64, copy=False)
    below = (1 + _erf(wide / np.sqrt(2.0))) / 2
    return (wide * below).astype(X.dtype, copy=False)


@check_arguments
def layer_norm(
    X: Float[np.ndarray, "*batch d_model"],
    gain: Float[np.ndarray, "d_model"],
    bias: Float[np.ndarray, "d_model"],
    *,
    eps: float = 1e-5,
) -> Float[np.ndarray, "*batch d_model"]:
    """Give every element mean 0 and variance 1 across its own features, then rescale these.

    y = gain * (x - mean(x)) / sqrt(var(x) + eps) + bias, where mean and variance go over the
    d_model features of one element: the variance divides by d_model, not by d_model - 1.

    Parameters
    ----------
    X : array, shape (..., d_model)
        The elements, one a row; at least one feature.
    gain : array, shape (d_model,)
        A learned factor for each feature.
    bias : array, shape (d_model,)
        A learned number for each feature, added last.
    eps : float
        Added to the variance, inside the root; 0 or more. With 0, an element whose features are
        all equal gives NaN.

    Returns
    -------
    array, shape of `X`
        In the dtype of the arguments (16-bit input is computed in 32 bits). Each row depends on
        the same row of `X` only.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if `eps` is no
        real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if there are
        no features; if `eps` is negative, infinite or NaN.

    Examples
    --------
    >>> X = np.array([[1.0, 3.0], [10.0, 30.0]])
    >>> layer_norm(X, np.ones(2), np.zeros(2)).round(3)
    array([[-1.,  1.],
           [-1.,  1.]])

    Notes
    -----
    Source: Ba, Kiros and Hinton (2016), section 3. Chapter: `block`.
    """
    check_axis(-1, X=X)
    check_not_negative(eps=eps)
    wide = X.astype(np.promote_types(X.dtype, np.float32), copy=False)
    centered = wide - wide.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    normed = centered / np.sqrt(variance + float(eps))
    return (gain * normed + bias).astype(X.dtype, copy=False)


@check_arguments
def rms_norm(
    X: Float[np.ndarray, "*batch d_model"],
    gain: Float[np.ndarray, "d_model"],
    *,
    eps: float = 1e-6,
) -> Float[np.ndarray, "*batch d_model"]:
    """Divide every element by the root of the mean square of its features, then rescale these.

    y = gain * x / sqrt(mean(x^2) + eps): layer normalization without the mean and the bias.

    Parameters
    ----------
    X : array, shape (..., d_model)
        The elements, one a row; at least one feature.
    gain : array, shape (d_model,)
        A learned factor for each feature.
    eps : float
        Added to the mean square, inside the root; 0 or more. With 0, an element of zeros gives
        NaN.

    Returns
    -------
    array, shape of `X`
        In the dtype of the arguments (16-bit input is computed in 32 bits). Each row depends on
        the same row of `X` only.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if `eps` is no
        real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if there are
        no features; if `eps` is negative, infinite or NaN.

    Examples
    --------
    >>> rms_norm(np.array([[3.0, 4.0]]), np.ones(2)).round(3)
    array([[0.849, 1.131]])

    Notes
    -----
    Source: Zhang and Sennrich (2019), eq. 4. Chapter: `block`.
    """
    check_axis(-1, X=X)
    check_not_negative(eps=eps)
    wide = X.astype(np.promote_types(X.dtype, np.float32), copy=False)
    mean_square = (wide**2).mean(axis=-1, keepdims=True)
    return (gain * (wide / np.sqrt(mean_square + float(eps)))).astype(
        X.dtype, copy=False
    )


@check_arguments
def feed_forward(
    X: Float[np.ndarray, "*batch d_model"],
    W_1: Float[np.ndarray, "d_model d_ff"],
    b_1: Float[np.ndarray, "d_ff"],
    W_2: Float[np.ndarray, "d_ff d_model"],
    b_2: Float[np.ndarray, "d_model"],
    *,
    activation: _Activation = relu,
) -> Float[np.ndarray, "*batch d_model"]:
    """Process every element on its own: widen it, bend it, narrow it again.

    y = activation(x W_1 + b_1) W_2 + b_2, the same for every row.

    Parameters
    ----------
    X : array, shape (..., d_model)
        The elements, one a row.
    W_1 : array, shape (d_model, d_ff)
        Makes d_ff hidden features of an element.
    b_1 : array, shape (d_ff,)
        Added to the hidden features before the activation.
    W_2 : array, shape (d_ff, d_model)
        Takes the hidden features back to the width of an element.
    b_2 : array, shape (d_model,)
        Added to the result.
    activation : function
        What bends the hidden features, entry by entry, such as `relu` or `gelu`.

    Returns
    -------
    array, shape of `X`
        In the dtype of the arguments. Each row depends on the same row of `X` only.

    Raises
    ------
    TypeError
        If an array argument is no array, is not floating-point, or if the dtypes differ; if
        `activation` is no function.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> W_1, W_2 = np.array([[1.0, -1.0]]), np.array([[1.0], [1.0]])
    >>> feed_forward(np.array([[-3.0], [2.0]]), W_1, np.zeros(2), W_2, np.zeros(1))
    array([[3.],
           [2.]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 2. Chapter: `block`.
    """
    check_function(activation=activation)
    return activation(X @ W_1 + b_1) @ W_2 + b_2


@check_arguments
def transformer_block(
    X: Float[np.ndarray, "*batch n d_model"],
    params: Mapping[str, Any],
    *,
    n_heads: int,
    mask: Bool[np.ndarray, "*#batch #n #n"] | None = None,
    norm: str = "pre",
    activation: _Activation = relu,
) -> Float[np.ndarray, "*batch n d_model"]:
    """Let the elements exchange information, then process each on its own; add both to X.

    With norm="pre", H = X + attention(norm_1(X)) and Y = H + feed_forward(norm_2(H)). With
    norm="post", H = norm_1(X + attention(X)) and Y = norm_2(H + feed_forward(H)). The attention
    is `multi_head_attention` of the elements to each other, the norms are `layer_norm`.

    Parameters
    ----------
    X : array, shape (..., n, d_model)
        The elements, one a row.
    params : mapping
        The learned arrays by name, with the shapes of `multi_head_attention` (W_Q, W_K, W_V, W_O),
        `feed_forward` (W_1, b_1, W_2, b_2) and, twice, of `layer_norm` (gain_1, bias_1 for the
        attention, gain_2, bias_2 for the feed-forward network). No more and no fewer.
    n_heads : int
        The number of heads; it divides the widths of W_Q, W_K and W_V.
    mask : array of bool, shape that broadcasts to (..., n, n), or None
        True where element i may attend to element j, in all heads; None allows everything.
    norm : str
        Where the norms stand: "pre", before each part, or "post", after each sum.
    activation : function
        The activation of the feed-forward network, such as `relu` or `gelu`.

    Returns
    -------
    array, shape of `X`
        In the dtype of the arguments: blocks can be stacked.

    Raises
    ------
    TypeError
        If an array is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `params` is no mapping; if `n_heads`
        is no whole number, `norm` no string, or `activation` no function.
    ValueError
        If an entry of `params` is missing or unknown; if the shapes do not fit, an axis of length
        1 against a longer one included (but in `mask`, which broadcasts); if `n_heads` is below 1
        or does not divide the widths; if `norm` is neither "pre" nor "post".

    Examples
    --------
    >>> W, one, zero = np.ones((1, 1)), np.ones(1), np.zeros(1)
    >>> params = dict(W_Q=W, W_K=W, W_V=W, W_O=W, W_1=W, b_1=one, W_2=W, b_2=zero,
    ...               gain_1=one, bias_1=one, gain_2=one, bias_2=one)
    >>> transformer_block(np.array([[5.0], [7.0]]), params, n_heads=1)
    array([[ 8.],
           [10.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.1, for "post"; Xiong et al. (2020), section 3, for
    "pre". Chapter: `block`.
    """
    check_entries(_ENTRIES, params=params)
    check_choice(("pre", "post"), norm=norm)
    check_function(activation=activation)
    _check_block(X, **params)
    matrices = [params[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    hidden = [params[name] for name in ("W_1", "b_1", "W_2", "b_2")]

    def attend(H: Any) -> Any:
        return multi_head_attention(H, *matrices, n_heads=n_heads, mask=mask)

    def process(H: Any) -> Any:
        return feed_forward(H, *hidden, activation=activation)

    def norm_1(H: Any) -> Any:
        return layer_norm(H, params["gain_1"], params["bias_1"])

    def norm_2(H: Any) -> Any:
        return layer_norm(H, params["gain_2"], params["bias_2"])

    if norm == "pre":
        H = X + attend(norm_1(X))
        return H + process(norm_2(H))
    H = norm_1(X + attend(X))
    return norm_2(H + process(H))


@check_arguments
def _check_block(
    X: Float[np.ndarray, "*batch n d_model"],
    *,
    W_Q: Float[np.ndarray, "d_model heads_k"],
    W_K: Float[np.ndarray, "d_model heads_k"],
    W_V: Float[np.ndarray, "d_model heads_v"],
    W_O: Float[np.ndarray, "heads_v d_model"],
    W_1: Float[np.ndarray, "d_model d_ff"],
    b_1: Float[np.ndarray, "d_ff"],
    W_2: Float[np.ndarray, "d_ff d_model"],
    b_2: Float[np.ndarray, "d_model"],
    gain_1: Float[np.ndarray, "d_model"],
    bias_1: Float[np.ndarray, "d_model"],
    gain_2: Float[np.ndarray, "d_model"],
    bias_2: Float[np.ndarray, "d_model"],
) -> None:
    """Check the entries of a block against each other and against X."""
