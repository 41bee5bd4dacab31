"""Queries, keys and values."""

from typing import Annotated

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from course_attn._contracts import (
    Default,
    Finite,
    Flag,
    NonEmpty,
    Positive,
    check_arguments,
)
from course_attn.in_numpy._fused import fused_attention
from course_attn.in_numpy._numerics import (
    default_scale,
    relative_positions,
    safe_softmax,
    upcast,
)
from course_attn.in_numpy.scores import dot_scores
from course_attn.in_numpy.softmax import softmax
from course_attn.in_numpy.weighted_sum import weighted_sum

__all__ = [
    "attention",
    "attention_weights",
    "fused_attention",
    "project_qkv",
    "soft_lookup",
]


@check_arguments
def project_qkv(
    X: Float[Array, "*batch n_q d_model"],
    W_Q: Float[Array, "d_model d_k"],
    W_K: Float[Array, "d_model d_k"],
    W_V: Float[Array, "d_model d_v"],
    *,
    Z: Annotated[Float[Array, "*batch n_k d_model"] | None, Default("X")] = None,
) -> tuple[
    Float[Array, "*batch n_q d_k"],
    Float[Array, "*batch n_k d_k"],
    Float[Array, "*batch n_k d_v"],
]:
    """Make queries, keys and values from the elements by three learned matrices.

    Q = X W_Q, K = Z W_K, V = Z W_V: what an element looks for, what it offers to be found by, and
    what it gives. Self-attention has Z = X; in cross-attention the queries come from one sequence
    and the keys and values from another. Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> swap, add = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [1.0]])
    >>> project_qkv(X, np.eye(2), swap, add, Z=X[:1])[1:]
    (array([[2., 1.]]), array([[3.]]))
    """
    Z = X if Z is None else Z
    return X @ W_Q, Z @ W_K, Z @ W_V


@check_arguments
def attention_weights(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q n_k"]:
    """Decide how much every query attends to every key.

    A = softmax(scale * Q K^T + bias), row by row, over the keys that `mask` and `causal` allow. A
    score of -inf counts as not allowed. Each row sums to 1; one with nothing allowed, or without
    keys, gets zeros. Where an allowed score is +inf or NaN the row is NaN; the score of a masked
    key has no effect. Source: Vaswani et al. (2017), eq. 1, without V.

    Examples
    --------
    >>> Q, K = np.array([[1.0, 0.0]]), np.array([[np.log(3.0), 5.0], [0.0, 5.0], [9.0, 9.0]])
    >>> allowed = np.array([[True, True, False]])
    >>> attention_weights(Q, K, mask=allowed, scale=1.0).round(2)
    array([[0.75, 0.25, 0.  ]])
    """
    scores = dot_scores(upcast(Q), upcast(K)) * default_scale(scale, Q)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    if causal:
        positions = relative_positions(*scores.shape[-2:])
        scores = np.where(positions >= 0, scores, -np.inf)
    return safe_softmax(scores).astype(Q.dtype, copy=False)


@check_arguments
def attention(
    Q: Float[Array, "*batch n_q d_k"],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Give every query the mixture of the values whose keys it matches.

    Y = softmax(scale * Q K^T + bias) V, with the weights that `attention_weights` gives: a query
    with nothing allowed, or without keys, gets zeros. NaN and infinite entries in a value spread to
    every output of their column, even through a weight of 0.
    Source: Vaswani et al. (2017), eq. 1.

    Examples
    --------
    >>> Q, K = np.array([[1.0, 0.0]]), np.array([[np.log(3.0), 5.0], [0.0, 5.0]])
    >>> V = np.array([[8.0, 0.0], [0.0, 4.0]])
    >>> attention(Q, K, V, scale=1.0)
    array([[6., 1.]])
    """
    return weighted_sum(
        attention_weights(Q, K, mask=mask, bias=bias, causal=causal, scale=scale), V
    )


@check_arguments
def soft_lookup(
    query: Float[Array, "d_k"],
    keys: Annotated[Float[Array, "n_k d_k"], NonEmpty("n_k")],
    values: Float[Array, "n_k d_v"],
    *,
    temperature: Positive = 1.0,
) -> Float[Array, "d_v"]:
    """Look a query up in a dictionary that answers with a mixture of its values.

    y = sum over j of a_j v_j, where a = softmax(q K^T / T): the value of the key with the largest
    dot product for T -> 0, the mean of all values for T -> infinity. T must not round to 0 in the
    dtype of the arrays. NaN where a score is NaN or +inf.
    Source: Miller et al. (2016); Graves, Wayne and Danihelka (2014), eq. 2 and 5.

    Examples
    --------
    >>> keys, values = np.eye(2), np.array([[10.0], [20.0]])
    >>> soft_lookup(np.array([0.0, 1.0]), keys, values).round(2)
    array([17.31])
    """
    scores = dot_scores(query[None], keys)[0]
    return weighted_sum(softmax(scores, temperature=temperature), values)
