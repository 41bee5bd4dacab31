"""How to look inside a GPT, and how to take heads away."""

from collections.abc import Iterable
from copy import deepcopy
from operator import index

import torch
from jaxtyping import Float, Int
from torch import Tensor as Array

from course_attn._contracts import check_arguments
from course_attn.in_torch.language_model_layers import GPT

__all__ = [
    "ablate_heads",
    "attention_maps",
    "logit_lens",
]


@torch.no_grad()
@check_arguments
def attention_maps(
    model: GPT, tokens: Int[Array, "*batch n"]
) -> Float[Array, "*batch n_layers n_heads n n"]:
    """Return the attention weights of every head of every layer.

    Entry (l, h, i, j) says how much token i attends to token j in head h of block l, both counted
    from 0. Source: Vig (2019), who shows them side by side.

    Examples
    --------
    >>> from course_attn.in_torch import GPTConfig
    >>> config = GPTConfig(n_vocab=7, n_context=5, n_layers=3, d_model=8, n_heads=2)
    >>> attention_maps(GPT(config), torch.tensor([3, 1, 4, 1])).shape
    torch.Size([3, 2, 4, 4])
    """
    _, weights = model.forward_with_weights(tokens)
    return torch.stack(weights, dim=-4)


@torch.no_grad()
@check_arguments
def logit_lens(
    model: GPT, tokens: Int[Array, "*batch n"]
) -> Float[Array, "*batch n_stages n n_vocab"]:
    """Read a prediction off the stream of elements before the first block and after each.

    The elements there go through the final norm and E^T, as if no block followed: n_layers + 1
    stages, of which the last is what the model predicts. Source: nostalgebraist (2020).

    Examples
    --------
    >>> from course_attn.in_torch import GPTConfig
    >>> config = GPTConfig(n_vocab=7, n_context=5, n_layers=3, d_model=8, n_heads=2)
    >>> logit_lens(GPT(config), torch.tensor([3, 1])).shape
    torch.Size([4, 2, 7])
    """
    X = model.embed(tokens)
    stages = [X]
    for block in model.blocks:
        X = block(X, causal=True)
        stages.append(X)
    return model.unembed(model.transformer.final_norm(torch.stack(stages, dim=-3)))


@torch.no_grad()
def ablate_heads(model: GPT, heads: Iterable[tuple[int, int]]) -> GPT:
    """Return a copy of the model in which some heads contribute nothing.

    A head is a pair (layer, head), both counted from 0. Its rows of W_O are 0 in the copy, so that
    what it finds is added to no element; the other heads are as before.
    Source: Michel, Levy and Neubig (2019), section 3.

    Raises
    ------
    ValueError
        If there is no such head.
    TypeError
        If one of the heads is no pair of whole numbers.

    Examples
    --------
    >>> from course_attn.in_torch import GPTConfig
    >>> config = GPTConfig(n_vocab=7, n_context=5, n_layers=3, d_model=8, n_heads=2)
    >>> ablate_heads(GPT(config), [(2, 1)]).transformer.blocks[2].attention.W_O[4:].any()
    tensor(False)
    """
    config, copy = model.config, deepcopy(model)
    blocks = copy.blocks
    for pair in heads:
        try:
            layer, head = map(index, pair)
        except (TypeError, ValueError):
            raise TypeError(
                f"heads must be pairs (layer, head), got {pair!r}"
            ) from None
        if not (0 <= layer < config.n_layers and 0 <= head < config.n_heads):
            raise ValueError(
                f"heads must be pairs (layer, head) below "
                f"({config.n_layers}, {config.n_heads}), got {(layer, head)}"
            )
        attention = blocks[layer].attention
        rows = slice(head * attention.d_v, (head + 1) * attention.d_v)
        attention.W_O[rows] = 0
    return copy
