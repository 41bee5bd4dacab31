"""What one sees inside a GPT, and what is left of it without some heads."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import GPT, ablate_heads, attention_maps, logit_lens
from tests.chapters.language_model.test_layers import (
    HEADS,
    LAYERS,
    N_VOCAB,
    D,
    made,
    text,
)
from tests.support.comparison import assert_close


def test_attention_maps_are_the_weights_of_every_head() -> None:
    model, tokens = made(), text(2, 5)
    maps = attention_maps(model, tokens)
    assert maps.shape == (2, 5, LAYERS, HEADS, 7, 7)
    assert_close(maps.sum(dim=-1), torch.ones(maps.shape[:-1]), 1e-12)
    assert (
        not maps.triu(1).any() and (maps.tril() > 0).sum() == maps.numel() * 4 / 7
    )
    X = model.embed(tokens)
    for layer, block in enumerate(model.transformer.blocks):
        seen = block.norm_1(X)
        _, weights = block.attention.forward_with_weights(seen, causal=True)
        assert_close(maps[:, :, layer], weights, 1e-12)
        X = block(X, causal=True)
    assert not maps.requires_grad


def test_logit_lens_is_what_models_with_fewer_blocks_predict() -> None:
    model, tokens = made(n_layers=4), text(2, 3)
    stages = logit_lens(model, tokens)
    assert stages.shape == (2, 3, 5, 7, N_VOCAB)
    for n_layers in range(1, 5):
        shorter = made(n_layers=n_layers)
        shorter.load_state_dict(model.state_dict(), strict=False)
        assert_close(stages[:, :, n_layers], shorter(tokens), 1e-12)
    last = model.transformer.final_norm
    first = F.embedding(tokens, model.embedding) + model.positions.P[:7]
    first = F.layer_norm(first, (D,), last.gain, last.bias) @ model.embedding.T
    assert_close(stages[:, :, 0], first, 1e-12)
    assert_close(stages[:, :, -1], model(tokens), 1e-12)
    assert not stages.requires_grad


@contextmanager
def silenced(model: GPT, heads: list[tuple[int, int]]) -> Iterator[None]:
    """Take away, by hooks, what these heads add: a_(i, j) v_j W_O, with their rows of W_O."""

    def without(head: int) -> Callable[..., torch.Tensor]:
        def subtract(
            attention: Any, args: Any, options: Any, out: torch.Tensor
        ) -> torch.Tensor:
            width = D // HEADS
            own = slice(head * width, (head + 1) * width)
            _, weights = attention.forward_with_weights(*args, causal=True)
            values = args[0] @ attention.W_V[:, own]
            return out - weights[..., head, :, :] @ values @ attention.W_O[own]

        return subtract

    hooks = [
        model.transformer.blocks[layer].attention.register_forward_hook(
            without(head), with_kwargs=True
        )
        for layer, head in heads
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@pytest.mark.parametrize(
    "heads", [[(0, 0)], [(1, 2)], [(0, 1), (1, 0), (1, 1)], []]
)
def test_ablated_heads_add_nothing(heads: list[tuple[int, int]]) -> None:
    model, tokens = made(), text(2)
    before, state = model(tokens), copy.deepcopy(model.state_dict())
    ablated = ablate_heads(model, heads)
    with silenced(model, heads):
        wanted = model(tokens)
    assert_close(ablated(tokens), wanted, 1e-12)
    assert bool((wanted != before).any()) == bool(heads)
    assert torch.equal(model(tokens), before)
    assert all(torch.equal(p, state[n]) for n, p in model.state_dict().items())
    assert ablated is not model and not ablated.training
    assert all(p.requires_grad for p in ablated.parameters())
    once_more = ablate_heads(ablated, heads)
    assert torch.equal(once_more(tokens), ablated(tokens))


@pytest.mark.without_hook
def test_ablated_heads_may_be_of_any_library_and_come_from_a_generator() -> None:
    model, tokens = made(), text(2)
    wanted = ablate_heads(model, [(1, 2)])(tokens)
    for heads in (
        np.array([[1, 2]]),
        torch.tensor([[1, 2]]),
        [[1, 2]],
        {(1, 2)},
        ((l, 2) for l in (1,)),
    ):
        assert torch.equal(ablate_heads(model, heads)(tokens), wanted)


def test_ablating_all_heads_leaves_every_token_to_itself() -> None:
    model, tokens = made(), text(2)
    alone = ablate_heads(
        model, [(l, h) for l in range(LAYERS) for h in range(HEADS)]
    )
    before = alone(tokens)
    changed = tokens.clone()
    changed[:, 3] = (changed[:, 3] + 1) % N_VOCAB
    same = torch.arange(7) != 3
    assert_close(alone(changed)[:, same], before[:, same], 1e-13)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("heads", "error", "words"),
    [
        (
            [(2, 0)],
            ValueError,
            r"heads must be pairs .* below \(2, 3\), got \(2, 0\)",
        ),
        (
            [(0, 3)],
            ValueError,
            r"heads must be pairs .* below \(2, 3\), got \(0, 3\)",
        ),
        ([(0, 1), (-1, 0)], ValueError, r"got \(-1, 0\)"),
        ([(0, -1)], ValueError, r"got \(0, -1\)"),
        ((0, 1), TypeError, r"heads must be pairs \(layer, head\), got 0"),
        ([(0, 1, 2)], TypeError, r"heads must be pairs .*got \(0, 1, 2\)"),
        ([(0.0, 1)], TypeError, r"heads must be pairs .*got \(0.0, 1\)"),
        (["01"], TypeError, "heads must be pairs .*got '01'"),
    ],
)
def test_ablate_heads_refuses_heads_that_there_are_not(
    heads: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ablate_heads(made(), heads)
