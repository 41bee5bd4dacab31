"""Arrays and masks that tests give to attention; the same for the same shape and seed."""

import numpy as np
import torch

from tests.support.twin_table import twin

BATCH, HEADS, N_Q, N_K, D_K, D_V = 2, 3, 7, 11, 5, 13


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Draw a standard normal array; the same for the same shape and seed."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def normal_tensor(
    *shape: int, seed: int = 0, dtype: torch.dtype = torch.float64
) -> torch.Tensor:
    """Draw a standard normal tensor; the same for the same shape and seed."""
    return torch.from_numpy(normal(*shape, seed=seed)).to(dtype)


def random_mask(n_q: int = N_Q, n_k: int = N_K, seed: int = 0) -> np.ndarray:
    """Draw a mask whose third row is empty and no other."""
    mask = np.random.default_rng(seed).random((n_q, n_k)) < 0.5
    mask[:, 0] |= ~mask.any(axis=-1)
    mask[2] = False
    return mask


def inputs(*batch: int, n_q: int = N_Q, n_k: int = N_K) -> tuple[np.ndarray, ...]:
    """Draw queries, keys and values."""
    return (
        normal(*batch, n_q, D_K),
        normal(*batch, n_k, D_K, seed=1),
        normal(*batch, n_k, D_V, seed=2),
    )


def masks_of_every_kind(library: str) -> dict[str, np.ndarray | None]:
    """Return masks for two sequences with three heads, all made by the package's functions."""
    causal = twin(library, "masks.causal_mask")(N_Q, N_K)
    window = twin(library, "masks.sliding_window_mask")(N_Q, N_K, window=3)
    padding = twin(library, "masks.padding_mask")(np.array([N_K, 4]), N_K)[:, None]
    nothing = twin(library, "masks.padding_mask")(np.array([N_K, 0]), N_K)[:, None]
    return {
        "none": None,
        "causal": causal,
        "sliding window": window,
        "padding": padding,
        "padding of a whole sequence": nothing,
        "causal and padding": causal & padding,
        "random with an empty row": random_mask(),
        "a mask for each head": np.stack([causal, window, random_mask()]),
    }


KINDS = list(masks_of_every_kind("in_numpy"))
