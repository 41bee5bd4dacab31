"""Queries, keys and values."""

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor as Array
from torch.nn.attention import SDPBackend, sdpa_kernel

from course_attn._contracts import (
    Default,
    Finite,
    Flag,
    NonEmpty,
    Positive,
    Probability,
    check_arguments,
)
from course_attn.in_torch._numerics import (
    default_scale,
    relative_positions,
    safe_softmax,
    upcast,
)
from course_attn.in_torch.scores import dot_scores
from course_attn.in_torch.softmax import softmax
from course_attn.in_torch.weighted_sum import weighted_sum

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
    >>> X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> swap, add = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([[1.0], [1.0]])
    >>> project_qkv(X, torch.eye(2), swap, add, Z=X[:1])[1:]
    (tensor([[2., 1.]]), tensor([[3.]]))
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
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0986, 5.0], [0.0, 5.0], [9.0, 9.0]])
    >>> allowed = torch.tensor([[True, True, False]])
    >>> attention_weights(Q, K, mask=allowed, scale=1.0)
    tensor([[0.7500, 0.2500, 0.0000]])
    """
    scores = dot_scores(upcast(Q), upcast(K)) * default_scale(scale, Q)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    if causal:
        positions = relative_positions(*scores.shape[-2:], device=Q.device)
        scores = torch.where(positions >= 0, scores, -torch.inf)
    return safe_softmax(scores).to(Q.dtype)


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
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> attention(Q, K, V)
    tensor([[4., 2.]])
    """
    return weighted_sum(
        attention_weights(Q, K, mask=mask, bias=bias, causal=causal, scale=scale), V
    )


@check_arguments
def fused_attention(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
    dropout: Probability = 0.0,
) -> Float[Array, "*batch n_q d_v"]:
    """Compute `attention` at the library's best speed, without storing its weights.

    Y = softmax(scale * Q K^T + bias) V: the same result as `attention`, but for rounding; a query
    with nothing allowed, or without keys, gets zeros. In NumPy, this is `tiled_attention` made
    quick, in several threads if threadpoolctl is installed. In PyTorch, it is PyTorch's own
    function, which picks the fastest of its kernels that fits device and dtype; where `causal` is
    all there is to hide, and n_q = n_k, the kernel skips the later keys. Only PyTorch has
    `dropout`, the probability with which a weight is set to 0, at every call, in training or not;
    the others grow by 1 / (1 - dropout). What NaN and infinite entries do, even at masked keys,
    depends on the kernel. Source: Vaswani et al. (2017), eq. 1; among PyTorch's kernels is that of
    Dao et al. (2022).

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> fused_attention(Q, K, torch.tensor([[8.0, 0.0], [0.0, 4.0]]))
    tensor([[4., 2.]])
    """
    n_q, n_k = Q.shape[-2], K.shape[-2]
    # The kernel's own causal mask is aligned to the top left, ours to the bottom right.
    use_causal_kernel = causal and n_q == n_k and mask is bias is None
    if causal and n_q > 1 and not use_causal_kernel:
        is_earlier = relative_positions(n_q, n_k, device=Q.device) >= 0
        mask = is_earlier if mask is None else mask & is_earlier
    is_empty = None
    if mask is not None and not _may_see_empty_rows(Q.device):
        is_empty = ~mask.any(dim=-1, keepdim=True)
        mask = mask | is_empty
    # The kernel takes a mask or a bias, not both.
    if mask is not None and bias is not None:
        mask = torch.where(mask, bias, -torch.inf)
    attn_mask = bias if mask is None else mask
    with _kernels(Q.device, n_q, mask, bias):
        out = F.scaled_dot_product_attention(
            Q, K, V, attn_mask, dropout, is_causal=use_causal_kernel, scale=scale
        )
    return out if is_empty is None else out.masked_fill(is_empty, 0.0)


def _may_see_empty_rows(device: torch.device) -> bool:
    """Tell whether a device's kernels give zeros to a query with nothing allowed: on a CPU, all do.

    On a GPU cuDNN's gives it the output without a mask. There no kernel sees such a row: it attends
    to all keys, and its output is set to zeros afterwards.
    """
    return device.type == "cpu"


def _kernels(
    device: torch.device, n_q: int, mask: Array | None, bias: Array | None
) -> AbstractContextManager[Any]:
    """Say which of PyTorch's kernels may be used: all, but on a GPU not always cuDNN's.

    - A bias of -inf may hide all keys of a query, as a mask may: with a bias, no cuDNN.
    - One query without mask and bias has a growing cache, and other shapes at every step. cuDNN's
      kernel plans anew for each, which takes longer than the rest of the step: no cuDNN.

    Kernels that a caller has switched off stay so, and cuDNN's stays if the others are. Under
    `torch.compile` the second rule does not count, and nor does the one on biases.
    """
    may_be_cudnn = bias is None and (mask is not None or n_q > 1)
    if may_be_cudnn or device.type != "cuda" or torch.compiler.is_compiling():
        return nullcontext()
    others = {
        SDPBackend.FLASH_ATTENTION: torch.backends.cuda.flash_sdp_enabled(),
        SDPBackend.EFFICIENT_ATTENTION: torch.backends.cuda.mem_efficient_sdp_enabled(),
        SDPBackend.MATH: torch.backends.cuda.math_sdp_enabled(),
    }
    on = [kernel for kernel, is_on in others.items() if is_on]
    return sdpa_kernel(on) if on else nullcontext()


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
    >>> keys, values = torch.eye(2), torch.tensor([[10.0], [20.0]])
    >>> soft_lookup(torch.tensor([0.0, 1.0]), keys, values)
    tensor([17.3106])
    """
    scores = dot_scores(query[None], keys)[0]
    return weighted_sum(softmax(scores, temperature=temperature), values)
