"""Layers and stacks that decode: causal without a mask, caches, and parameters drawn anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import (
    FeedForward,
    KVCache,
    LayerNorm,
    LearnedPositions,
    MultiHeadAttention,
    SelfAttention,
    Transformer,
    TransformerBlock,
    causal_mask,
)
from tests.support.comparison import assert_close

N, D, HEADS, LAYERS, BATCH = 11, 15, 3, 2, 2
PIECES = [[1] * N, [3, 1, 1, 4, 2], [5, 6], [N]]

MODULES = {
    "SelfAttention": lambda: SelfAttention(D),
    "MultiHeadAttention": lambda: MultiHeadAttention(D, HEADS),
    "TransformerBlock, pre": lambda: TransformerBlock(D, HEADS),
    "TransformerBlock, post": lambda: TransformerBlock(D, HEADS, norm="post"),
    "Transformer": lambda: Transformer(LAYERS, D, HEADS),
}
each_module = pytest.mark.parametrize("name", MODULES)
each_norm = pytest.mark.parametrize("norm", ["pre", "post"])


def elements() -> torch.Tensor:
    torch.manual_seed(1)
    return torch.randn(BATCH, N, D, dtype=torch.float64)


def made(name: str) -> Any:
    torch.manual_seed(0)
    return MODULES[name]().double().eval()


@contextmanager
def kernel_calls() -> Iterator[list[dict[str, Any]]]:
    """Give a list that takes up the options of every call of PyTorch's kernel."""
    calls: list[dict[str, Any]] = []
    kernel = F.scaled_dot_product_attention

    def noted(q: Any, k: Any, v: Any, mask: Any = None, *args: Any, **options: Any):
        calls.append({"mask": mask} | options)
        return kernel(q, k, v, mask, *args, **options)

    with patch.object(F, "scaled_dot_product_attention", noted):
        yield calls


@each_module
def test_causal_is_the_causal_mask(name: str) -> None:
    module, X = made(name), elements()
    assert_close(module(X, causal=True), module(X, mask=causal_mask(N)), 1e-12)
    later = causal_mask(N) & ~torch.eye(N, dtype=torch.bool)
    both = module(X, mask=~later, causal=True)
    assert_close(both, module(X, mask=~later & causal_mask(N)), 1e-12)


@each_module
def test_causal_reaches_the_kernels_fast_path(name: str) -> None:
    """No mask is made, and the kernel skips the later keys, as far as it can."""
    module, X = made(name), elements()
    with kernel_calls() as calls:
        module(X, causal=True)
    assert calls == [{"mask": None, "is_causal": True, "scale": None}] * len(calls)
    assert len(calls) == (LAYERS if name == "Transformer" else 1)
    with kernel_calls() as calls:
        module(X, causal=True, mask=causal_mask(N))
    assert all(not c["is_causal"] and c["mask"] is not None for c in calls)


@each_norm
@pytest.mark.parametrize("n_max", [None, N, N + 2])
def test_transformer_with_caches_gives_the_rows_of_the_full_run(
    n_max: int | None, norm: str
) -> None:
    torch.manual_seed(0)
    stack = Transformer(LAYERS, D, HEADS, norm=norm).double().eval()
    X = elements()
    wanted, of_all = stack.forward_with_weights(X, causal=True)
    for pieces in PIECES:
        caches = [KVCache(n_max) for _ in range(LAYERS)]
        out, start = [], 0
        for n in pieces:
            rows = slice(start, start + n)
            found, weights = stack.forward_with_weights(
                X[:, rows], causal=True, caches=caches
            )
            for ours, full in zip(weights, of_all, strict=True):
                assert_close(
                    ours[..., : rows.stop], full[..., rows, : rows.stop], 1e-12
                )
                assert not ours[..., rows.stop :].any()
            out.append(found)
            start += n
        assert_close(torch.cat(out, dim=1), wanted, 1e-12)
        assert [len(cache) for cache in caches] == [N] * LAYERS


def test_multi_head_attention_with_a_cache_needs_no_mask_for_one_query() -> None:
    module, cache, X = made("MultiHeadAttention"), KVCache(), elements()
    module(X[:, :-1], causal=True, cache=cache)
    with kernel_calls() as calls:
        last = module(X[:, -1:], causal=True, cache=cache)
    assert calls == [{"mask": None, "is_causal": False, "scale": None}]
    assert_close(last, module(X, causal=True)[:, -1:], 1e-12)


def test_multi_head_attention_with_a_cache_takes_a_mask_of_all_keys() -> None:
    module, cache, X = made("MultiHeadAttention"), KVCache(), elements()
    module(X[:, :4], cache=cache)
    mask = torch.rand(7, N) < 0.7
    found = module(X[:, 4:], mask=mask, causal=True, cache=cache)
    wanted = module(X[:, 4:], X, mask=mask, causal=True)
    assert_close(found, wanted, 1e-12)


def test_multi_head_attention_with_a_cache_of_fixed_size_takes_masks_and_biases() -> (
    None
):
    """Of n_max keys; without `causal`, the cache still hides what is not written."""
    module, X, n_max = made("MultiHeadAttention"), elements(), N + 2
    mask, bias = torch.rand(7, n_max) < 0.7, torch.randn(HEADS, 7, n_max).double()
    for causal in (True, False):
        cache = KVCache(n_max)
        module(X[:, :4], cache=cache)
        options = {"mask": mask, "bias": bias, "causal": causal}
        found = module(X[:, 4:], **options, cache=cache)
        options |= {"mask": mask[:, :N], "bias": bias[..., :N]}
        assert_close(found, module(X[:, 4:], X, **options), 1e-12)


@pytest.mark.without_hook
def test_multi_head_attention_with_a_cache_of_fixed_size_refuses_other_masks() -> (
    None
):
    module, X = made("MultiHeadAttention"), elements()
    says = r"mask must .*n_k = 13 from cache, got \(11, 11\)"
    with pytest.raises(ValueError, match=says):
        module(X, mask=causal_mask(N), cache=KVCache(N + 2))


@pytest.mark.slow
@pytest.mark.without_hook
def test_multi_head_attention_with_a_cache_of_fixed_size_compiles_as_one_graph() -> (
    None
):
    """One graph for all steps: nothing of it changes, and nothing waits for the device."""

    class Unread(KVCache):
        def __len__(self) -> int:
            raise AssertionError("this reads a number on the device")

    torch._dynamo.reset()
    module, cache, X = made("MultiHeadAttention"), KVCache(N), elements()
    wanted = module(X, causal=True)
    module(X[:, :3], causal=True, cache=cache)
    cache.__class__ = Unread
    with torch._dynamo.config.patch(error_on_recompile=True), torch.no_grad():
        step = torch.compile(module, backend="aot_eager", fullgraph=True)
        for i in range(3, N):
            found = step(X[:, i : i + 1], causal=True, cache=cache)
            assert_close(found, wanted[:, i : i + 1], 1e-12)


def test_transformer_refuses_caches_that_are_not_one_for_each_block() -> None:
    stack, X = made("Transformer"), elements()
    one = KVCache()
    for caches, n, different in (([one], 1, 1), ([one] * 2, 2, 1), ([], 0, 0)):
        says = f"caches must be 2 different caches, .*got {n}, {different} of them"
        with pytest.raises(ValueError, match=says):
            stack(X, caches=caches)
    assert len(one) == 0


@pytest.mark.without_hook
def test_multi_head_attention_refuses_what_is_no_cache() -> None:
    module, X = made("MultiHeadAttention"), elements()
    for given, got in (({}, "builtins.dict"), (True, "builtins.bool")):
        with pytest.raises(TypeError, match=f"cache must be a Cache, got {got}"):
            module(X, cache=given)


@pytest.mark.without_hook
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_wrong_widths_are_refused_in_our_words(norm: str) -> None:
    says = r"X must have shape .*d_model\) with d_model = 15 from the \w+, got \(3, 5\)"
    modules = LayerNorm(D), FeedForward(D, 7), LearnedPositions(N, D)
    stacks = (
        TransformerBlock(D, HEADS, norm=norm),
        Transformer(1, D, HEADS, norm=norm),
    )
    for module in (*modules, *stacks):
        with pytest.raises(ValueError, match=says):
            module(torch.ones(3, 5))


@each_module
def test_reset_parameters_draws_all_of_them_as_at_first(name: str) -> None:
    torch.manual_seed(0)
    module = MODULES[name]()
    first = {n: p.clone() for n, p in module.named_parameters()}
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(torch.nan)
    torch.manual_seed(0)
    module.reset_parameters()
    for n, parameter in module.named_parameters():
        assert torch.equal(parameter, first[n]), n
    draws = []
    for _ in range(2):
        module.reset_parameters(torch.Generator().manual_seed(3))
        draws.append([p.clone() for p in module.parameters()])
    assert all(map(torch.equal, *draws))
    assert not all(map(torch.equal, draws[0], first.values()))
