"""The calls that the twins of chapter 10, `fast`, are compared in."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from tests.support.oracles import attention_by_torch, tensors
from tests.twins.cases._fast_by_hand import BY_HAND
from tests.twins.cases._fast_calls import CASES
from tests.twins.cases._fast_names import LINEAR, TILED
from tests.twins.cases._fast_refused import BAD_INPUT


def _partial_by_scipy(scores: np.ndarray, V: np.ndarray) -> Any:
    """Compute l from the logarithm of the sum, and o as the output times l."""
    m = np.array([max(row) for row in scores.reshape(-1, scores.shape[-1])])
    m = m.reshape(scores.shape[:-1])
    with np.errstate(invalid="ignore"):
        l = np.nan_to_num(np.exp(scipy.special.logsumexp(scores, axis=-1) - m))
    zeros = np.zeros((*scores.shape[:-1], 1))
    weights_times_v = attention_by_torch(
        np.ones_like(zeros), np.zeros((*V.shape[:-1], 1)), V, bias=scores.copy()
    )
    return m, l, weights_times_v.numpy() * l[..., None]


def _merge_by_logaddexp(
    m1: Any, l1: Any, o1: Any, m2: Any, l2: Any, o2: Any
) -> Any:
    """Work with the logarithms of the sums of exponentials of all scores."""
    m = np.where(m1 > m2, m1, m2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [m1 + np.log(l1), m2 + np.log(l2)]
        l = np.nan_to_num(np.exp(np.logaddexp(*logs) - m))
        shares = [
            np.nan_to_num(np.exp(log_l - m) / l_)
            for log_l, l_ in zip(logs, (l1, l2), strict=True)
        ]
    return m, l, shares[0][..., None] * o1 + shares[1][..., None] * o2


def _tiled_by_torch(
    Q: Any,
    K: Any,
    V: Any,
    mask: Any = None,
    bias: Any = None,
    causal: bool = False,
    scale: Any = None,
    tile: int = 0,
) -> torch.Tensor:
    """Fold the causal mask into the mask; tiles are nobody's business."""
    if causal:
        lower = np.tri(
            Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2], dtype=bool
        )
        mask = lower if mask is None else mask & lower
    return attention_by_torch(Q, K, V, mask, bias, scale)


def _explicit_linear(Q: Any, K: Any, V: Any, causal: bool = False) -> np.ndarray:
    """Compute the weights that linear attention avoids, with PyTorch's elu."""
    q, k, v = tensors(Q, K, V)
    weights = torch.einsum("...id,...jd->...ij", F.elu(q) + 1, F.elu(k) + 1)
    if causal:
        weights = weights.tril(K.shape[-2] - Q.shape[-2])
    total = weights.sum(-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1) @ v).numpy()


def _flops_by_torch(n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int) -> Any:
    """Let PyTorch count the operations of two products."""
    with FlopCounterMode(display=False) as counter:
        scores = torch.empty(n_heads, n_q, d_k) @ torch.empty(n_heads, d_k, n_k)
        scores @ torch.empty(n_heads, n_k, d_v)
    return np.float64(counter.get_total_flops())


def _bytes_of(*shapes: tuple[int, ...], itemsize: int) -> np.ndarray:
    """Add up the sizes of arrays."""
    kind = {2: torch.float16, 4: torch.float32}[itemsize]
    arrays = [torch.empty(*shape, dtype=kind, device="meta") for shape in shapes]
    return np.float64(sum(a.numel() * a.element_size() for a in arrays))


def _moved(
    n_q: int,
    n_k: int,
    d_k: int,
    d_v: int,
    n_heads: int,
    itemsize: int = 4,
    *,
    times: int,
) -> Any:
    """Add up Q, K, V, Y, and so many matrices of scores."""
    inputs = (n_heads, n_q, d_k), (n_heads, n_k, d_k), (n_heads, n_k, d_v)
    rest = (n_heads, n_q, d_v), *[(n_heads, n_q, n_k)] * times
    return _bytes_of(*inputs, *rest, itemsize=itemsize)


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "fast.partial_attention": {
        "scipy.special.logsumexp and sdpa": _partial_by_scipy
    },
    "fast.merge_partial": {"np.logaddexp": _merge_by_logaddexp},
    "fast.online_softmax": {
        "scipy.special.softmax": lambda scores, block: scipy.special.softmax(
            scores, axis=-1
        )
    },
    TILED: {"F.scaled_dot_product_attention": _tiled_by_torch},
    "fast.repeat_kv": {
        "torch.repeat_interleave": lambda K, n_rep: tensors(K)[0].repeat_interleave(
            n_rep, -3
        ),
        "expand and reshape": lambda K, n_rep: (
            tensors(K)[0]
            .unsqueeze(-3)
            .expand(*K.shape[:-2], n_rep, *K.shape[-2:])
            .flatten(-4, -3)
        ),
    },
    LINEAR: {"weights first": _explicit_linear},
    "fast.attention_flops": {"torch's FlopCounterMode": _flops_by_torch},
    "fast.explicit_bytes": {
        "sizes of tensors": lambda **sizes: _moved(**sizes, times=4)
    },
    "fast.fused_bytes": {
        "sizes of tensors": lambda **sizes: _moved(**sizes, times=0)
    },
    "fast.kv_cache_bytes": {
        "sizes of tensors": lambda n, d_k, d_v, n_kv_heads, n_layers=1, itemsize=4: (
            _bytes_of(
                *[(n_kv_heads, n, d_k), (n_kv_heads, n, d_v)] * n_layers,
                itemsize=itemsize,
            )
        )
    },
}


__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]
