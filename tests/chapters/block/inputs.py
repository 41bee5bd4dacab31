"""What the tests of the chapter on the block are given."""

import numpy as np

N, D, D_FF = 5, 4, 7


def block_params(
    d: int = D, d_ff: int = D_FF, seed: int = 0
) -> dict[str, np.ndarray]:
    """Draw the arrays of a block; no gain is 1 and no bias 0."""
    rng = np.random.default_rng(seed)
    shapes = {name: (d, d) for name in ("W_Q", "W_K", "W_V", "W_O")}
    shapes |= {"W_1": (d, d_ff), "b_1": (d_ff,), "W_2": (d_ff, d), "b_2": (d,)}
    shapes |= {name: (d,) for name in ("gain_1", "bias_1", "gain_2", "bias_2")}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}
