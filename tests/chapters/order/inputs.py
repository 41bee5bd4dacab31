"""What the tests of the chapter on order share: sizes, a mask, biases and rotations."""

import math

import numpy as np

from tests.support.twin_table import twin

N, D = 7, 6  # words; width of the vectors, even for the rotations

FLOAT64 = np.dtype("float64")


def causal(n: int) -> np.ndarray:
    """Write the causal mask down."""
    return np.array([[j <= i for j in range(n)] for i in range(n)])


def alibi(library: str, n_heads: int, n_q: int, n_k: int | None = None):
    """Return the bias in float64."""
    return twin(library, "order.alibi_bias")(n_heads, n_q, n_k, dtype=FLOAT64)


def frequency(f: int, d: int, base: float = 10000.0) -> float:
    """Return the frequency of pair f, by a formula of its own."""
    return math.exp(-2 * f / d * math.log(base))


def rotation(shift: float, d: int, base: float = 10000.0) -> np.ndarray:
    """Return the block matrix R_shift of the chapter, which turns row vectors."""
    R = np.zeros((d, d))
    for f in range(d // 2):
        t = shift * frequency(f, d, base)
        R[2 * f : 2 * f + 2, 2 * f : 2 * f + 2] = [
            [math.cos(t), math.sin(t)],
            [-math.sin(t), math.cos(t)],
        ]
    return R
