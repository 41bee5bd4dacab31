"""The models that the tests of the chapter `encoder_decoder` look at, and what they read."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig
from tests.support.block_layers import shaken

N_SOURCE, N_TARGET, LAYERS, HEADS, D, D_FF = 7, 5, 2, 3, 15, 19
CONFIG = EncoderDecoderConfig(
    n_source_vocab=23,
    n_target_vocab=13,
    n_source_context=17,
    n_target_context=11,
    n_layers=LAYERS,
    d_model=D,
    n_heads=HEADS,
    d_ff=D_FF,
)


def made(**changed: Any) -> EncoderDecoder:
    """Return a model in float64 whose parameters are all drawn, in evaluation mode."""
    return shaken(EncoderDecoder(replace(CONFIG, **changed))).eval()


def tokens(*shape: int, n_vocab: int, seed: int = 0) -> torch.Tensor:
    """Draw tokens."""
    rng = np.random.default_rng([seed, *shape])
    return torch.from_numpy(rng.integers(0, n_vocab, size=shape))


def source(*batch: int, n: int = N_SOURCE, seed: int = 0) -> torch.Tensor:
    """Draw what is read."""
    return tokens(*batch, n, n_vocab=CONFIG.n_source_vocab, seed=seed)


def target(*batch: int, n: int = N_TARGET, seed: int = 1) -> torch.Tensor:
    """Draw what is written."""
    return tokens(*batch, n, n_vocab=CONFIG.n_target_vocab, seed=seed)


def real(*lengths: int, n: int = N_SOURCE) -> torch.Tensor:
    """Mark the first tokens of each source as real, and the rest as padding."""
    return torch.arange(n) < torch.tensor(lengths)[:, None]


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    """Draw elements."""
    return torch.from_numpy(
        np.random.default_rng([seed, *shape]).normal(size=shape)
    )
