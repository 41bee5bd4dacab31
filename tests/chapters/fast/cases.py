"""The calls that the twins of the chapter `fast` are compared in."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F

from tests.chapters.fast.cases_by_hand import BY_HAND
from tests.chapters.fast.cases_calls import CASES
from tests.chapters.fast.cases_names import LINEAR, TILED
from tests.chapters.fast.refused import BAD_INPUT
from tests.support.oracles import attention_by_torch, tensors


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
    Q: Any, K: Any, V: Any, tile: int = 0, **at: Any
) -> torch.Tensor:
    """Tiles are nobody's business."""
    return attention_by_torch(Q, K, V, **at)


def _explicit_linear(Q: Any, K: Any, V: Any, causal: bool = False) -> np.ndarray:
    """Compute the weights that linear attention avoids, with PyTorch's elu."""
    q, k, v = tensors(Q, K, V)
    weights = torch.einsum("...id,...jd->...ij", F.elu(q) + 1, F.elu(k) + 1)
    if causal:
        weights = weights.tril(K.shape[-2] - Q.shape[-2])
    total = weights.sum(-1, keepdim=True)
    return (weights / total.masked_fill(total == 0, 1) @ v).numpy()


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "fast.partial_attention": {
        "scipy.special.logsumexp and sdpa": _partial_by_scipy
    },
    "fast.merge_partial": {"np.logaddexp": _merge_by_logaddexp},
    "fast.online_softmax": {
        "scipy.special.softmax": lambda scores, tile: scipy.special.softmax(
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
}


__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES"]
