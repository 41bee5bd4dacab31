"""The calls that the twins of the chapter `masks` are compared in."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F

from tests.chapters.masks.refused import BAD_INPUT
from tests.support.arrays import (
    BATCH,
    CAUSAL,
    D_K,
    D_V,
    N_K,
    N_Q,
    N,
    batched,
    normal,
    random_mask,
    with_entries,
)
from tests.support.oracles import tensors
from tests.support.twin_table import INF, NAN, Case, hand

__all__ = ["BAD_INPUT", "BY_HAND", "CASES", "ORACLES", "READS_NUMBERS"]

READS_NUMBERS = {"masks.padding_mask"}

CASES = [
    *(
        Case(f"masks.{name}", f"{sizes | options}", {}, sizes | options)
        for name, options in (
            ("causal_mask", {}),
            ("sliding_window_mask", {"window": 1}),
            ("sliding_window_mask", {"window": 3}),
            ("sliding_window_mask", {"window": 100}),
        )
        for sizes in (
            {"n_q": N_Q},
            {"n_q": N_Q, "n_k": N_Q},
            {"n_q": N_Q, "n_k": N_K},
            {"n_q": N_K, "n_k": N_Q},
            {"n_q": 1, "n_k": N_K},
        )
    ),
    Case(
        "masks.padding_mask",
        "four sequences",
        {"lengths": np.array([3, 0, 7, 1])},
        {"n_k": 7},
    ),
    Case(
        "masks.padding_mask",
        "int32",
        {"lengths": np.array([3, 1], np.int32)},
        {"n_k": 5},
    ),
    Case(
        "masks.mask_to_bias",
        "a mask",
        {"mask": random_mask(N_Q, N_K)},
        {"dtype": np.dtype("float64")},
    ),
    Case(
        "masks.mask_to_bias",
        "padded keys",
        {"mask": random_mask(*BATCH, 1, N_K, empty=None)},
        {"dtype": np.dtype("float64")},
    ),
    *batched("masks.masked_softmax", scores=(..., N_Q, N_K)),
    *(
        Case("masks.masked_softmax", about, {"scores": scores, "mask": mask})
        for about, scores, mask in (
            ("causal", normal(N_Q, N_K), CAUSAL),
            ("an empty row", normal(N_Q, N_K), random_mask(N_Q, N_K)),
            (
                "a mask each",
                normal(*BATCH, N_Q, N_K),
                random_mask(*BATCH, N_Q, N_K),
            ),
            (
                "padded keys",
                normal(2, N_Q, N_K),
                random_mask(2, 1, N_K, empty=None),
            ),
            ("a mask of the queries", normal(N_Q, N_K), random_mask(N_Q, 1)),
            ("a single row", normal(N), random_mask(1, N, empty=None)[0]),
            (
                "one row for all",
                normal(*BATCH, N),
                random_mask(1, N, empty=None)[0],
            ),
            ("offset by -2e6", normal(N_Q, N_K) - 2e6, random_mask(N_Q, N_K)),
            ("offset by 2e6", normal(N_Q, N_K) + 2e6, random_mask(N_Q, N_K)),
        )
    ),
    Case(
        "masks.masked_softmax",
        "a masked NaN and inf",
        {
            "scores": with_entries(
                with_entries(normal(N_Q, N), [2], np.nan), [5], np.inf
            ),
            "mask": ~np.isin(np.arange(N), [2, 5]),
        },
        differentiable=False,  # differences at NaN are NaN; the gradient is tested to be finite
    ),
    *batched(
        "masks.causal_attention",
        Q=(..., N_Q, D_K),
        K=(..., N_K, D_K),
        V=(..., N_K, D_V),
    ),
    Case(
        "masks.causal_attention",
        "square",
        {name: normal(N, d) for name, d in (("Q", D_K), ("K", D_K), ("V", D_V))},
    ),
    Case(
        "masks.causal_attention",
        "more queries than keys, and a scale",
        {"Q": normal(N_K, D_K), "K": normal(N_Q, D_K), "V": normal(N_Q, D_V)},
        {"scale": 0.9},
    ),
]


def _rows_by_scipy(scores: np.ndarray, mask: Any = None) -> np.ndarray:
    """Take the softmax of what is allowed in each row, and put it back where it was."""
    mask = np.broadcast_to(True if mask is None else mask, scores.shape)
    out = np.zeros_like(scores)
    for at in np.ndindex(scores.shape[:-1]):
        if mask[at].any():
            out[at][mask[at]] = scipy.special.softmax(scores[at][mask[at]])
    return out


def _causal_by_torch(Q: Any, K: Any, V: Any, scale: Any = None) -> torch.Tensor:
    """Use PyTorch's own mask that is aligned to the bottom right, where it can."""
    # Importing it takes as long as all of PyTorch.
    from torch.nn.attention.bias import causal_lower_right

    n_q, n_k = Q.shape[-2], K.shape[-2]
    q, k, v = tensors(Q, K, V)
    lower_right = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    if n_q <= n_k:
        lower_right = causal_lower_right(n_q, n_k)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=lower_right, scale=scale
    )


def _without(n_q: int, n_k: int | None, entries: Any) -> np.ndarray:
    """Return a mask that allows everything but these entries."""
    mask = np.ones((n_q, n_k or n_q), bool)
    mask[entries] = False
    return mask


ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    "masks.causal_mask": {
        "torch.tril": lambda n_q, n_k=None: torch.ones(
            n_q, n_q if n_k is None else n_k, dtype=torch.bool
        ).tril((n_q if n_k is None else n_k) - n_q),
        "np.triu_indices": lambda n_q, n_k=None: _without(
            n_q, n_k, np.triu_indices(n_q, (n_k or n_q) - n_q + 1, n_k)
        ),
    },
    "masks.sliding_window_mask": {
        "torch.tril and triu": lambda n_q, n_k=None, *, window: (
            torch.ones(n_q, n_k or n_q, dtype=torch.bool)
            .tril((n_k or n_q) - n_q)
            .triu((n_k or n_q) - n_q - window + 1)
        )
    },
    "masks.padding_mask": {
        "nn.utils.rnn.pad_sequence": lambda lengths, n_k: (
            torch.nn.utils.rnn.pad_sequence(
                [torch.ones(n, dtype=torch.bool) for n in (*lengths.tolist(), n_k)],
                batch_first=True,
            )[:-1, None]
        )
    },
    "masks.mask_to_bias": {
        "torch.masked_fill": lambda mask, dtype: torch.zeros(
            mask.shape
        ).masked_fill(~torch.from_numpy(mask.copy()), -INF)
    },
    "masks.masked_softmax": {"scipy.special.softmax, row by row": _rows_by_scipy},
    "masks.causal_attention": {"torch.nn.attention.bias": _causal_by_torch},
}

BY_HAND = [
    hand(
        "masks.causal_mask",
        "square",
        [[True, False, False], [True, True, False], [True, True, True]],
        n_q=3,
    ),
    hand(
        "masks.causal_mask",
        "two new queries and a cache of two keys",
        [[True, True, True, False], [True, True, True, True]],
        n_q=2,
        n_k=4,
    ),
    hand(
        "masks.causal_mask",
        "more queries than keys: the first see nothing",
        [[False, False], [True, False], [True, True]],
        n_q=3,
        n_k=2,
    ),
    *(
        hand(
            "masks.causal_mask",
            f"empty {shape}",
            np.zeros(shape, bool),
            n_q=shape[0],
            n_k=shape[1],
        )
        for shape in ((0, 0), (0, 3), (3, 0))
    ),
    hand(
        "masks.sliding_window_mask",
        "two keys at most",
        [[True, False, False], [True, True, False], [False, True, True]],
        n_q=3,
        window=2,
    ),
    hand(
        "masks.sliding_window_mask",
        "with a cache of two keys",
        [[False, True, True, False], [False, False, True, True]],
        n_q=2,
        n_k=4,
        window=2,
    ),
    hand(
        "masks.sliding_window_mask",
        "more queries than keys",
        [[False, False], [True, False], [False, True]],
        n_q=3,
        n_k=2,
        window=1,
    ),
    hand(
        "masks.padding_mask",
        "the keys that are real come first",
        [[[True, True, False]], [[False, False, False]], [[True, True, True]]],
        lengths=[2, 0, 3],
        n_k=3,
    ),
    hand(
        "masks.padding_mask",
        "no sequences",
        np.zeros((0, 1, 3), bool),
        lengths=np.zeros(0, int),
        n_k=3,
    ),
    hand(
        "masks.padding_mask",
        "no keys",
        np.zeros((1, 1, 0), bool),
        lengths=[0],
        n_k=0,
    ),
    hand(
        "masks.mask_to_bias",
        "nothing is added where attending is allowed",
        [[0, -INF], [-INF, 0]],
        mask=[[True, False], [False, True]],
        dtype=np.dtype("float32"),
    ),
    # exp(0) : exp(log 3) = 1 : 3 among those allowed; the largest score of all is masked.
    hand(
        "masks.masked_softmax",
        "a mask, and a row with nothing allowed",
        [[0.25, 0.75, 0], [0, 0, 0], [0, 0, 1]],
        scores=[[0, log(3), 99], [1, 2, 3], [-5, 0, -7]],
        mask=[[True, True, False], [False, False, False], [False, False, True]],
    ),
    hand(
        "masks.masked_softmax",
        "offset by -2e6: a fill of -1e6 would attend to the masked score alone",
        [0.5, 0.5, 0],
        scores=[-2e6, -2e6, 0],
        mask=[True, True, False],
    ),
    hand(
        "masks.masked_softmax",
        "-inf counts as masked, also without a mask",
        [[0, 1], [0, 0]],
        scores=[[-INF, 3], [-INF, -INF]],
    ),
    hand(
        "masks.masked_softmax",
        "+inf and NaN spoil their rows, unless masked",
        [[NAN, NAN], [NAN, NAN], [1, 0], [1, 0]],
        scores=[[INF, 1], [NAN, 1], [1, INF], [1, NAN]],
        mask=[[True, True], [True, True], [True, False], [True, False]],
    ),
    hand(
        "masks.masked_softmax",
        "no scores",
        np.zeros((2, 0)),
        scores=np.zeros((2, 0)),
    ),
    # Means of the first one, two and three values.
    hand(
        "masks.causal_attention",
        "running means",
        [[2], [3], [5]],
        Q=[[0], [0], [0]],
        K=[[0], [0], [0]],
        V=[[2], [4], [9]],
    ),
    hand(
        "masks.causal_attention",
        "the last query sees all keys",
        [[3], [5]],
        Q=[[0], [0]],
        K=[[0], [0], [0]],
        V=[[2], [4], [9]],
    ),
    # Scores 2 log 3 over sqrt(4), then 0: 3 : 1. The first query sees nothing.
    hand(
        "masks.causal_attention",
        "scaled; a query before the first key gets zeros",
        [[0], [8], [6]],
        Q=[[1, 1, 1, 1], [5, 5, 5, 5], [2, 0, 0, 0]],
        K=[[log(3), 0, 0, 0], [0, 0, 0, 0]],
        V=[[8], [0]],
    ),
    hand(
        "masks.causal_attention",
        "scale 1",
        [[8], [6]],
        Q=[[0], [1]],
        K=[[log(3)], [0]],
        V=[[8], [0]],
        scale=1.0,
    ),
]
