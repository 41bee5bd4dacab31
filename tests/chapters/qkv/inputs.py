"""What the tests of the chapter `qkv` are given, and attention by its definition."""

import math

import numpy as np
from hypothesis import strategies as st

# Distinct primes, so that no two axes can be swapped unnoticed.
N_Q, N_K, D_MODEL, D_K, D_V = 5, 7, 11, 3, 2


seeds = st.integers(0, 10_000)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def elements(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Z."""
    return normal(seed, N_Q, D_MODEL), normal(seed + 1, N_K, D_MODEL)


def matrices(seed: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return W_Q, W_K and W_V, small enough for scores of about 1."""
    widths = (D_K, D_K, D_V)
    return tuple(
        normal(seed + p, D_MODEL, w) / math.sqrt(D_MODEL)
        for p, w in enumerate(widths)
    )


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Multiply two matrices entry by entry, in plain Python numbers."""
    return np.array(
        [[math.fsum(a * b for a, b in zip(row, col, strict=True)) for col in B.T] for row in A]
    )  # fmt: skip


def by_definition(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return sum_j a_ij v_j with a_ij = exp(q_i . k_j) / sum_m exp(q_i . k_m), in loops."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        exps = [math.exp(math.fsum(q[i] * k_j)) for k_j in k]
        for j in range(len(k)):
            out[i] += exps[j] / math.fsum(exps) * v[j]
    return out


def china() -> np.ndarray:
    """Return the chapter's 1024 pixels, with colors from 0 to 255."""
    # Here, because all workers of a test run would wait a second for it.
    from sklearn.datasets import load_sample_image

    return load_sample_image("china.jpg")[:416:13, 112:528:13].reshape(-1, 3)
