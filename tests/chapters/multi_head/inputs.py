"""What the tests of the chapter on several heads are given, and one head by its definition."""

import math

import numpy as np
from hypothesis import strategies as st

# Distinct primes, so that no two axes can be swapped unnoticed.
N_Q, N_K, HEADS, D_K, D_V, D_MODEL, D_Z = 5, 7, 3, 2, 13, 11, 17


seeds = st.integers(0, 10_000)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def elements(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Z."""
    return normal(seed, N_Q, D_MODEL), normal(seed, N_K, D_Z)


def matrices(seed: int = 0) -> list[list[np.ndarray]]:
    """Return W_Q^h, W_K^h, W_V^h and W_O^h of every head, as four lists."""
    shapes = [(D_MODEL, D_K), (D_Z, D_K), (D_Z, D_V), (D_V, D_MODEL)]
    return [
        [normal(seed + h, *shape) / math.sqrt(shape[0]) for h in range(HEADS)]
        for shape in shapes
    ]


def one_head(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return sum_j a_ij v_j with a_ij = exp(q_i . k_j / sqrt(d_k)) / (...), in loops."""
    out = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        scores = [math.fsum(Q[i] * k) / math.sqrt(Q.shape[1]) for k in K]
        exps = [math.exp(s) for s in scores]
        for j in range(len(K)):
            out[i] += exps[j] / math.fsum(exps) * V[j]
    return out


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
