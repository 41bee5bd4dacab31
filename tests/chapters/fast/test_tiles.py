"""How tiled attention works inside: memory, the tiles that it skips, gradients, 16 bits."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course_attn.in_numpy.fast import tiled_attention
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention
from course_attn.in_torch.fast import tiled_attention as tiled_by_torch
from course_attn.in_torch.language_model import KVCache
from course_attn.in_torch.qkv import attention as attention_by_torch
from tests.support.attention_inputs import inputs, normal, random_mask
from tests.support.comparison import HALF, assert_close, each_of_16_bits
from tests.support.oracles import tensors
from tests.support.twin_table import convert, in_numpy, module, public, twin


@pytest.mark.parametrize("causal", [False, True])
def test_tiled_attention_memory_does_not_grow_with_the_square(
    causal: bool,
) -> None:
    """Where one matrix of weights takes 64 MiB, a tile of all queries takes 1 MiB."""
    Q, K, V = (normal(4096, 16, seed=s).astype(np.float32) for s in range(3))
    tiled_attention(Q[:2], K[:2], V[:2])
    tracemalloc.start()
    tiled_attention(Q, K, V, causal=causal, tile=64)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


class Largest(TorchDispatchMode):
    """Remember the number of entries of the largest tensor that any operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for made in out if isinstance(out, tuple | list) else (out,):
            if isinstance(made, torch.Tensor) and not made._is_view():
                self.entries = max(self.entries, made.numel())
        return out


@pytest.mark.parametrize("causal", [False, True])
def test_tiled_attention_makes_no_tensor_larger_than_queries_times_tile(
    causal: bool,
) -> None:
    Q, K, V = tensors(*inputs(2, n_q=101, n_k=103))
    with Largest() as explicit:
        attention_by_torch(Q, K, V)
    assert explicit.entries >= 2 * 101 * 103  # what it measures can be exceeded
    with Largest() as tiled:
        tiled_by_torch(Q, K, V, causal=causal, tile=16)
    assert tiled.entries <= 2 * 101 * 17


@pytest.mark.parametrize(("n_q", "n_k"), [(100, 100), (40, 100), (100, 40)])
def test_tiled_attention_skips_causal_tiles(
    n_q: int, n_k: int, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed is what may be seen, and half a tile for every query."""
    fast, computed = module(library, "fast"), []
    partial = fast.partial_attention

    def count(scores: Any, V: Any) -> Any:
        computed.append(scores.shape[-2] * scores.shape[-1])
        return partial(scores, V)

    monkeypatch.setattr(fast, "partial_attention", count)
    tile, seen = 8, causal_mask(n_q, n_k).sum()
    arrays = inputs(n_q=n_q, n_k=n_k)
    twin(library, "fast.tiled_attention")(*arrays, causal=True, tile=tile)
    assert seen <= sum(computed) <= seen + n_q * tile / 2


# --- gradients and 16 bits ------------------------------------------------------------------------


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_tiled_attention_gradients_are_those_of_attention(
    masked: bool, causal: bool
) -> None:
    """Rows with nothing allowed included, whose gradient is 0 and not NaN."""
    mask = torch.from_numpy(random_mask()) if masked else None
    lower = torch.ones(7, 11, dtype=torch.bool).tril(4) if causal else None
    both = [m for m in (mask, lower) if m is not None]
    allowed = torch.stack(both).all(0) if both else None
    grads = []
    for run in (
        lambda Q, K, V, B: attention_by_torch(Q, K, V, mask=allowed, bias=B),
        lambda Q, K, V, B: tiled_by_torch(
            Q, K, V, mask=mask, bias=B, causal=causal, tile=3
        ),
    ):
        given = [x.requires_grad_() for x in tensors(*inputs(2, 3), normal(7, 11))]
        out = run(*given)
        (out * torch.arange(out.numel()).reshape(out.shape)).sum().backward()
        grads.append([x.grad for x in given])
    for found, wanted in zip(grads[1], grads[0], strict=True):
        assert torch.isfinite(found).all()
        assert_close(found, wanted, 1e-11)


def test_merge_partial_of_parts_without_keys_has_gradients() -> None:
    """Nothing is NaN where both maxima are -inf."""
    merge = public("in_torch", "fast.merge_partial")
    m = torch.tensor([-torch.inf, -torch.inf, 1.0], dtype=torch.float64)
    l, o = torch.tensor([0.0, 0.0, 2.0]).double(), torch.zeros(3, 2).double()
    given = [x.clone().requires_grad_() for x in (m, l, o, m.roll(1), l.roll(1), o)]
    _, l_out, o_out = merge(*given)
    (l_out.sum() + o_out.sum()).backward()
    for x in given:
        assert x.grad is None or not torch.isnan(x.grad).any()


@each_of_16_bits
def test_tiled_attention_in_16_bits_rounds_once(library: str, dtype: str) -> None:
    """Scores of 90000, above float16's largest number, and sums over tiles are in 32 bits."""
    Q, K = 100 * normal(7, 29), 100 * normal(23, 29, seed=1)
    V = normal(23, 5, seed=2)
    coarse = [convert(library, x, dtype) for x in (Q, K, V)]
    found = public(library, "fast.tiled_attention")(*coarse, tile=4)
    exact = attention(*(in_numpy(x).astype(float) for x in coarse))
    assert str(found.dtype).endswith(dtype)
    np.testing.assert_allclose(
        in_numpy(found).astype(float), exact, rtol=1.1 * HALF[dtype], atol=1e-5
    )


def test_kv_cache_lets_no_gradient_through() -> None:
    K = torch.ones(2, 3, requires_grad=True)
    cache = KVCache()
    cache.append(K, K)
    keys, values = cache.append(K, 2 * K)
    assert not keys.requires_grad and not values.requires_grad


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_kv_cache_stays_on_the_gpu(dtype: str) -> None:
    one = torch.ones(2, 1, 3, device="cuda", dtype=getattr(torch, dtype))
    cache = KVCache()
    for _ in range(3):
        K, V = cache.append(one, one)
    assert K.device.type == V.device.type == "cuda"
    assert K.shape == (2, 3, 3)
