"""How the kernels of chapter 10 work inside: blocks, threads, memory, gradients, 16 bits."""

import itertools
import threading
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from course_attn.in_numpy import _threads, fast
from course_attn.in_numpy.fast import tiled_attention
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention
from course_attn.in_torch.fast import tiled_attention as tiled_by_torch
from course_attn.in_torch.language_model import KVCache
from course_attn.in_torch.qkv import attention as attention_by_torch
from tests.support.attention_inputs import inputs, normal, random_mask
from tests.support.comparison import HALF, assert_close, each_of_16_bits
from tests.support.oracles import tensors
from tests.support.twin_table import convert, in_numpy, public, twin


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut seven queries into blocks of three."""
    monkeypatch.setattr(_threads, "_QUERIES_AT_ONCE", 3)


@pytest.mark.parametrize(
    ("n_q", "n_k"), [(7, 11), (11, 7), (7, 7), (1, 11), (2, 0)]
)
@pytest.mark.parametrize("size", [1.0, 100.0])
def test_tiled_attention_does_not_show_blocks_of_queries(
    small_blocks: None, size: float, n_q: int, n_k: int, subtests: pytest.Subtests
) -> None:
    Q, K, V = inputs(2, 3, n_q=n_q, n_k=n_k)
    Q *= size
    mask = np.random.default_rng(0).random((3, n_q, n_k)) < 0.7
    bias = normal(2, 1, n_q, n_k)
    for causal, tile in itertools.product([False, True], [1, 2, 5, 100]):
        options = {"causal": causal, "tile": tile}
        with subtests.test(**options):
            allowed = mask & causal_mask(n_q, n_k) if causal else mask
            found = tiled_attention(Q, K, V, mask=mask, bias=bias, **options)
            wanted = attention(Q, K, V, mask=allowed, bias=bias)
            assert_close(found, wanted, 1e-11)
            found = tiled_attention(Q, K, V, **options)
            seen = causal_mask(n_q, n_k) if causal else None
            assert_close(found, attention(Q, K, V, mask=seen), 1e-11)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_tiled_attention_does_not_show_threads(
    small_blocks: None, monkeypatch: pytest.MonkeyPatch, n_threads: int
) -> None:
    monkeypatch.setattr(_threads, "n_threads", lambda: n_threads)
    Q, K, V = inputs(2, 3)
    wanted = attention(Q, K, V, mask=causal_mask(7, 11))
    assert_close(tiled_attention(Q, K, V, causal=True, tile=2), wanted, 1e-12)


def test_tiled_attention_works_without_threadpoolctl(
    small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread here, and as many in BLAS as it likes."""
    used = set()
    block = fast._attend_in_tiles
    monkeypatch.setattr(
        fast,
        "_attend_in_tiles",
        lambda *args: used.add(threading.current_thread()) or block(*args),
    )
    monkeypatch.setitem(__import__("sys").modules, "threadpoolctl", None)
    _threads.blas.cache_clear()
    try:
        Q, K, V = inputs(2, 3)
        assert_close(tiled_attention(Q, K, V), attention(Q, K, V), 1e-12)
    finally:
        _threads.blas.cache_clear()
    assert used == {threading.main_thread()}


def blas_threads() -> list[int]:
    """Return how many threads each BLAS would use."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    found = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in found]


def test_tiled_attention_gives_blas_its_threads_back(small_blocks: None) -> None:
    """Also if the work fails."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    Q, K, V = inputs(2, 3)

    def fail(block: Any) -> None:
        raise RuntimeError("as asked")

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        tiled_attention(Q, K, V)
        assert blas_threads() == before
        with pytest.raises(RuntimeError, match="as asked"):
            _threads.in_parallel(fail, [1, 2, 3])
        assert blas_threads() == before
        assert not _threads._BLAS_IS_LIMITED.locked()


def test_tiled_attention_callers_at_once_wait_for_each_other() -> None:
    """The second comes while the first is at work; it begins after the first has ended."""
    pytest.importorskip("threadpoolctl")
    begun, seen = threading.Event(), []

    def work(caller: str) -> None:
        seen.append(f"{caller} begins")
        begun.set()
        time.sleep(0.1)
        seen.append(f"{caller} ends")

    callers = [
        threading.Thread(target=_threads.in_parallel, args=(work, [name] * 2))
        for name in ("first", "second")
    ]
    callers[0].start()
    begun.wait()
    callers[1].start()
    for caller in callers:
        caller.join()
    assert {moment.split()[0] for moment in seen[:4]} == {"first"}
    assert {moment.split()[0] for moment in seen[4:]} == {"second"}


def test_tiled_attention_gives_no_warnings_of_infinities_and_nan(
    small_blocks: None,
) -> None:
    """Threads have their own setting for NumPy's warnings."""
    Q, K, V = inputs(2, 3)
    Q[0, 0, 0], K[1, 1, 4], V[0, 2, 3] = np.inf, np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tiled_attention(Q, K, V)
    with np.errstate(all="ignore"):
        wanted = attention(Q, K, V)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_tiled_attention_memory_does_not_grow_with_the_square(
    causal: bool,
) -> None:
    """At n = 4096 one matrix of weights takes 64 MiB; two threads need two tiles of 1 MiB."""
    Q, K, V = (normal(2, 4096, 16, seed=s).astype(np.float32) for s in range(3))
    tiled_attention(Q[:, :2], K[:, :2], V[:, :2])
    tracemalloc.start()
    out = tiled_attention(Q, K, V, causal=causal)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    n_threads = _threads.n_threads()
    assert peak - out.nbytes < (2 + 2 * n_threads) * 2**20


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


def visited(n_q: int, n_k: int, tile: int, block: int) -> Iterator[int]:
    """Give the number of scores in every tile that NumPy's kernel computes."""
    with patch.object(_threads, "_QUERIES_AT_ONCE", block):
        shares = list(_threads.shares((n_q, n_k), True))
    for (queries,), (keys_seen,) in shares:
        n_rows, n_seen = queries.stop - queries.start, keys_seen.stop
        for rows, keys in fast._tiles(n_rows, n_seen, tile, True):
            yield (rows.stop - rows.start) * (keys.stop - keys.start)


@pytest.mark.parametrize(("n_q", "n_k"), [(100, 100), (40, 100), (100, 40)])
def test_tiled_attention_skips_causal_tiles(n_q: int, n_k: int) -> None:
    """What is computed is what may be seen, and half a tile for every query."""
    tile = 8
    seen = causal_mask(n_q, n_k).sum()
    waste = n_q * tile / 2
    assert seen <= sum(visited(n_q, n_k, tile, 16)) <= seen + waste
    Q, K, V = tensors(*inputs(n_q=n_q, n_k=n_k))
    with FlopCounterMode(display=False) as counter:
        tiled_by_torch(Q, K, V, causal=True, tile=tile)
    computed = counter.get_total_flops() / (2 * (Q.shape[-1] + V.shape[-1]))
    assert seen <= computed <= seen + waste


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


def test_tiled_attention_skips_alike_in_both_twins() -> None:
    """One tile a query: with causal attention the twins differ in nothing but the library."""
    arrays = inputs(2, 3, n_q=5, n_k=9)
    found = [
        twin(library, "fast.tiled_attention")(*arrays, causal=True, tile=1)
        for library in ("in_numpy", "in_torch")
    ]
    assert_close(found[0], found[1], 1e-13)
