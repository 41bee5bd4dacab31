import numpy as np


def to_torch_mha_mask__1(mask):
    # mistake: handed over as it is
    return mask.copy()


def to_torch_mha_mask__2(mask):
    # mistake: 0 and -inf as floats instead of bool
    return np.where(mask, 0.0, -np.inf)


def to_torch_mha_mask__9(mask):
    # mistake: always the causal mask, whatever the argument
    n, m = mask.shape[-2:]
    return np.broadcast_to(np.triu(np.ones((n, m), dtype=bool), k=1), mask.shape)


def to_torch_mha_mask__15(mask):
    # mistakes: additive mask in floats; wrong polarity
    return np.where(mask, -np.inf, 0.0)


def to_torch_mha_mask__16(mask):
    # mistakes: not inverted; transposed
    return mask.T.copy()
