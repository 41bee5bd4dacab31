"""Attention backwards, by hand."""

from itertools import product
from numbers import Real
from typing import Annotated, Any

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from course_attn._contracts import (
    Count,
    Divides,
    Finite,
    Flag,
    Function,
    NonEmpty,
    NotNegative,
    Positive,
    check_arguments,
)
from course_attn.in_numpy._numerics import default_scale, upcast
from course_attn.in_numpy.block import BlockParams, layer_norm, relu
from course_attn.in_numpy.multi_head import (
    merge_heads,
    multi_head_attention,
    split_heads,
)
from course_attn.in_numpy.qkv import attention, attention_weights

__all__ = [
    "attention_backward",
    "feed_forward_backward",
    "layer_norm_backward",
    "multi_head_attention_backward",
    "numerical_gradient",
    "softmax_backward",
    "transformer_block_backward",
]


@check_arguments
def softmax_backward(
    weights: Float[Array, "*batch n"], d_weights: Float[Array, "*batch n"]
) -> Float[Array, "*batch n"]:
    """Take the gradient of a loss from the weights of a softmax back to its scores.

    ds = a * (da - sum over j of a_j da_j), row by row: only how far da lies above its mean under
    the weights counts, and the entries of ds sum to 0. A masked weight, 0, passes nothing on.
    Source: derived in the chapter; Dao et al. (2022), section B.2.

    Examples
    --------
    >>> softmax_backward(np.array([0.25, 0.75]), np.array([8.0, 4.0]))
    array([ 0.75, -0.75])
    """
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - mean)


@check_arguments
def attention_backward(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    d_out: Float[Array, "*batch n_q d_v"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
) -> tuple[
    Float[Array, "*batch n_q d_k"],
    Float[Array, "*batch n_k d_k"],
    Float[Array, "*batch n_k d_v"],
]:
    """Take the gradient of a loss from the outputs of attention back to Q, K and V.

    dV = A^T dY, dA = dY V^T, dS = `softmax_backward` of A and dA, dQ = scale * dS K and
    dK = scale * dS^T Q. The weights A are computed anew. A query with nothing allowed gets and
    gives zeros. Source: derived in the chapter; Dao et al. (2022), section B.2.

    Examples
    --------
    >>> Q, K = np.array([[1.0]]), np.array([[0.0], [0.0]])  # both keys weigh 1/2
    >>> V, d_out = np.array([[2.0], [6.0]]), np.array([[1.0]])
    >>> attention_backward(Q, K, V, d_out)[1:]  # dK and dV
    (array([[-1.],
           [ 1.]]), array([[0.5],
           [0.5]]))
    """
    A = attention_weights(Q, K, mask=mask, bias=bias, causal=causal, scale=scale)
    A, q, k, v, d = (upcast(x) for x in (A, Q, K, V, d_out))
    dV = A.swapaxes(-2, -1) @ d
    dS = softmax_backward(A, d @ v.swapaxes(-2, -1)) * default_scale(scale, Q)
    dQ, dK, dV = (
        x.astype(Q.dtype, copy=False) for x in (dS @ k, dS.swapaxes(-2, -1) @ q, dV)
    )
    return dQ, dK, dV


@check_arguments
def multi_head_attention_backward(
    X: Float[Array, "*batch n d_model"],
    W_Q: Annotated[Float[Array, "d_model heads_d_k"], NonEmpty("heads_d_k")],
    W_K: Float[Array, "d_model heads_d_k"],
    W_V: Float[Array, "d_model heads_d_v"],
    W_O: Float[Array, "heads_d_v d_out"],
    d_out: Float[Array, "*batch n d_out"],
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    mask: Bool[Array, "*#batch #n #n"] | None = None,
    causal: Flag = False,
) -> tuple[
    Float[Array, "*batch n d_model"],
    Float[Array, "d_model heads_d_k"],
    Float[Array, "d_model heads_d_k"],
    Float[Array, "d_model heads_d_v"],
    Float[Array, "heads_d_v d_out"],
]:
    """Take the gradient of a loss from the outputs of `multi_head_attention` back to X and the W's.

    Through the product with W_O, `attention_backward` of every head, and the projections, whose
    three ways back to X add up: dX = dQ W_Q^T + dK W_K^T + dV W_V^T, and dW_Q = X^T dQ, summed over
    all sequences. For self-attention, Z = X. Returns dX, dW_Q, dW_K, dW_V and dW_O.
    Source: the chain rule; Rumelhart et al. (1986).

    Examples
    --------
    >>> X, one = np.array([[1.0], [3.0]]), np.array([[1.0]])
    >>> zero, d_out = 0 * one, np.array([[1.0], [0.0]])
    >>> multi_head_attention_backward(X, zero, zero, one, one, d_out, n_heads=1)[0]
    array([[0.5],
           [0.5]])
    """
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    # The same mask for all heads.
    mask = None if mask is None else mask[..., None, :, :]
    heads = merge_heads(attention(Q, K, V, mask=mask, causal=causal))
    d_heads = split_heads(d_out @ W_O.swapaxes(-2, -1), n_heads)
    back = attention_backward(Q, K, V, d_heads, mask=mask, causal=causal)
    d_q, d_k, d_v = (merge_heads(d) for d in back)
    dX = (
        d_q @ W_Q.swapaxes(-2, -1)
        + d_k @ W_K.swapaxes(-2, -1)
        + d_v @ W_V.swapaxes(-2, -1)
    )
    dW_Q, dW_K, dW_V = (_over_all_rows(X, d) for d in (d_q, d_k, d_v))
    return dX, dW_Q, dW_K, dW_V, _over_all_rows(heads, d_out)


def _over_all_rows(X: Array, d_out: Array) -> Array:
    """Return the gradient X^T dY of the matrix W in Y = X W, summed over all sequences."""
    return X.reshape(-1, X.shape[-1]).T @ d_out.reshape(-1, d_out.shape[-1])


@check_arguments
def layer_norm_backward(
    X: Annotated[Float[Array, "*batch d_model"], NonEmpty("d_model")],
    gain: Float[Array, "d_model"],
    d_out: Float[Array, "*batch d_model"],
    *,
    eps: NotNegative = 1e-5,
) -> tuple[
    Float[Array, "*batch d_model"], Float[Array, "d_model"], Float[Array, "d_model"]
]:
    """Take the gradient of a loss from the outputs of `layer_norm` back to X, gain and bias.

    With z = (x - mean(x)) / s, s = sqrt(var(x) + eps) and dz = gain * dy, row by row:
    dx = (dz - mean(dz) - z mean(dz * z)) / s. d_gain sums dy * z over all rows, d_bias sums dy.
    Source: Ba, Kiros and Hinton (2016), differentiated in the chapter.

    Examples
    --------
    >>> X, gain = np.array([[1.0, 3.0]]), np.array([1.0, 1.0])
    >>> layer_norm_backward(X, gain, np.array([[5.0, 2.0]]), eps=0.0)
    (array([[0., 0.]]), array([-5.,  2.]), array([5., 2.]))
    """
    x, g, d = upcast(X), upcast(gain), upcast(d_out)
    centered = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + float(eps))
    z, dz = centered / s, g * d
    rest = dz.mean(axis=-1, keepdims=True) + z * (dz * z).mean(
        axis=-1, keepdims=True
    )
    d_gain, d_bias = (_sum_of_rows(rows) for rows in (d * z, d))
    dX, d_gain, d_bias = (
        part.astype(X.dtype, copy=False)
        for part in ((dz - rest) / s, d_gain, d_bias)
    )
    return dX, d_gain, d_bias


def _sum_of_rows(X: Array) -> Array:
    return X.reshape(-1, X.shape[-1]).sum(axis=0)


@check_arguments
def feed_forward_backward(
    X: Float[Array, "*batch d_model"],
    W_1: Float[Array, "d_model d_ff"],
    b_1: Float[Array, "d_ff"],
    W_2: Float[Array, "d_ff d_model"],
    d_out: Float[Array, "*batch d_model"],
) -> tuple[
    Float[Array, "*batch d_model"],
    Float[Array, "d_model d_ff"],
    Float[Array, "d_ff"],
    Float[Array, "d_ff d_model"],
    Float[Array, "d_model"],
]:
    """Take the gradient of a loss from the outputs of `feed_forward`, with `relu`, to its input.

    With h = x W_1 + b_1, dh = dy W_2^T where h > 0 and 0 elsewhere; dx = dh W_1^T. The gradients of
    the matrices and biases sum over all rows. Returns dX, dW_1, db_1, dW_2 and db_2.
    Source: Rumelhart, Hinton and Williams (1986).

    Examples
    --------
    >>> W, b, X = np.array([[1.0]]), np.array([0.0]), np.array([[-3.0], [2.0]])
    >>> feed_forward_backward(X, W, b, W, np.array([[5.0], [7.0]]))[0]
    array([[0.],
           [7.]])
    """
    h = X @ W_1 + b_1
    dh = (d_out @ W_2.swapaxes(-2, -1)) * (h > 0)
    dW_1, dW_2 = _over_all_rows(X, dh), _over_all_rows(relu(h), d_out)
    return (
        dh @ W_1.swapaxes(-2, -1),
        dW_1,
        _sum_of_rows(dh),
        dW_2,
        _sum_of_rows(d_out),
    )


@check_arguments
def transformer_block_backward(
    X: Float[Array, "*batch n d_model"],
    params: BlockParams,
    d_out: Float[Array, "*batch n d_model"],
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    mask: Bool[Array, "*#batch #n #n"] | None = None,
    causal: Flag = False,
) -> tuple[Float[Array, "*batch n d_model"], dict[str, Array]]:
    """Take the gradient of a loss from the outputs of a pre-norm `transformer_block` back.

    Y = H + feed_forward(norm_2(H)) and H = X + attention(norm_1(X)), with `relu`: on the way back
    each sum hands its gradient on to both of its terms. Returns dX and the gradients of the
    entries of `params`, under their names. Source: the chain rule; Rumelhart et al. (1986).

    Examples
    --------
    >>> W, one, zero = np.ones((1, 1)), np.ones(1), np.zeros(1)
    >>> params = dict(W_Q=W, W_K=W, W_V=W, W_O=W, W_1=W, b_1=one, W_2=W, b_2=zero,
    ...               gain_1=one, bias_1=one, gain_2=one, bias_2=one)
    >>> X = np.array([[5.0], [7.0]])
    >>> transformer_block_backward(X, params, 0 * X + 3, n_heads=1)[0]  # dX
    array([[3.],
           [3.]])
    """
    W_Q, W_K, W_V, W_O = (params[name] for name in ("W_Q", "W_K", "W_V", "W_O"))
    gain_1, gain_2 = params["gain_1"], params["gain_2"]
    W_1, b_1, W_2 = params["W_1"], params["b_1"], params["W_2"]
    # forward, up to what the way back needs
    normed_1 = layer_norm(X, gain_1, params["bias_1"])
    H = X + multi_head_attention(
        normed_1, W_Q, W_K, W_V, W_O, n_heads=n_heads, mask=mask, causal=causal
    )
    normed_2 = layer_norm(H, gain_2, params["bias_2"])
    # back
    d_normed, *d_network = feed_forward_backward(normed_2, W_1, b_1, W_2, d_out)
    dH, *d_norm_2 = layer_norm_backward(H, gain_2, d_normed)
    dH = dH + d_out
    d_normed, *d_W = multi_head_attention_backward(
        normed_1, W_Q, W_K, W_V, W_O, dH, n_heads=n_heads, mask=mask, causal=causal
    )
    dX, *d_norm_1 = layer_norm_backward(X, gain_1, d_normed)
    dX = dX + dH
    names = ["W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2"]
    names += ["gain_1", "bias_1", "gain_2", "bias_2"]
    found = d_W + d_network + d_norm_1 + d_norm_2
    return dX, dict(zip(names, found, strict=True))


@check_arguments
def numerical_gradient(
    f: Function, x: Float[Array, "*shape"], *, eps: Positive = 1e-6
) -> Float[Array, "*shape"]:
    """Measure the gradient of a function by moving each entry of x a little, both ways.

    (f(x + eps e_i) - f(x - eps e_i)) / (2 eps) for every entry i. The error of the formula falls
    with eps^2 while that of rounding grows with 1/eps: in float64, 1e-6 suits numbers around 1.
    `f` takes an array of the shape of x and returns a single number; x is not changed.
    Source: Press et al. (2007), section 5.7.

    Raises
    ------
    ValueError, TypeError
        If `f` returns more than a single number, or none.

    Examples
    --------
    >>> x = np.array([1.0, -2.0])
    >>> numerical_gradient(lambda x: (x**2).sum(), x).round(3)
    array([ 2., -4.])
    """
    gradient = np.empty_like(x)
    for i in product(*map(range, x.shape)):
        above, below = x.copy(), x.copy()
        above[i] += float(eps)
        below[i] -= float(eps)
        gradient[i] = (_number(f(above)) - _number(f(below))) / (2 * float(eps))
    return gradient


def _number(found: Any) -> float:
    """Return the one number that a function has found."""
    shape = tuple(getattr(found, "shape", ()))
    if shape:
        raise ValueError(f"f must return a single number, got shape {shape}")
    if not hasattr(found, "shape") and not isinstance(found, Real):
        raise TypeError(
            f"f must return a single number, got {type(found).__name__}"
        )
    return float(found)
