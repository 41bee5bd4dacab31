"""Blocks and encoder layers of PyTorch with random parameters, and what they are given."""

from typing import Any

import numpy as np
import pytest
import torch

BATCH, N, HEADS, D, D_FF, LAYERS = 2, 7, 3, 3 * 5, 19, 3

each_norm = pytest.mark.parametrize("norm", ["pre", "post"])


def elements(*batch: int, seed: int = 0) -> torch.Tensor:
    """Draw elements."""
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(*batch, N, D)))


def shaken(module: torch.nn.Module, seed: int = 0) -> Any:
    """Make a module float64, and draw all its parameters, so that no gain is 1 and no bias 0."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4, generator=generator)
    return module


def layer_of_torch(
    norm: str = "pre", activation: str = "relu", **options: Any
) -> Any:
    """Make one of PyTorch's encoder layers."""
    options = {"dropout": 0.0, "batch_first": True} | options
    layer = torch.nn.TransformerEncoderLayer(
        D, HEADS, D_FF, activation=activation, norm_first=norm == "pre", **options
    )
    return shaken(layer)
