"""How NumPy's `fused_attention` works inside: blocks, threads, memory, no needless shift."""

import threading
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest

from course_attn.in_numpy import _fused
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention, fused_attention
from tests.support.attention_inputs import inputs, normal
from tests.support.comparison import assert_close


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut seven queries into blocks of three, and their keys into tiles of two."""
    monkeypatch.setattr(_fused, "_QUERIES_AT_ONCE", 3)
    monkeypatch.setattr(_fused, "_KEYS_AT_ONCE", 2)


@pytest.mark.parametrize("tile", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("n_q", "n_k"), [(7, 11), (11, 7), (7, 7), (1, 11), (2, 0)]
)
@pytest.mark.parametrize("size", [1.0, 100.0])
def test_fused_attention_does_not_show_blocks_of_queries(
    small_blocks: None,
    monkeypatch: pytest.MonkeyPatch,
    size: float,
    n_q: int,
    n_k: int,
    tile: int,
) -> None:
    """Small scores need no shift, large ones do."""
    monkeypatch.setattr(_fused, "_KEYS_AT_ONCE", tile)
    Q, K, V = inputs(2, 3, n_q=n_q, n_k=n_k)
    Q *= size
    mask = np.random.default_rng(0).random((3, n_q, n_k)) < 0.7
    bias = normal(2, 1, n_q, n_k)
    for causal in (False, True):
        allowed = mask & causal_mask(n_q, n_k) if causal else mask
        found = fused_attention(Q, K, V, mask=mask, bias=bias, causal=causal)
        assert_close(found, attention(Q, K, V, mask=allowed, bias=bias), 1e-11)
        found = fused_attention(Q, K, V, causal=causal)
        seen = causal_mask(n_q, n_k) if causal else None
        assert_close(found, attention(Q, K, V, mask=seen), 1e-11)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_fused_attention_does_not_show_threads(
    small_blocks: None, monkeypatch: pytest.MonkeyPatch, n_threads: int
) -> None:
    monkeypatch.setattr(_fused, "_n_threads", lambda: n_threads)
    Q, K, V = inputs(2, 3)
    wanted = attention(Q, K, V, mask=causal_mask(7, 11))
    assert_close(fused_attention(Q, K, V, causal=True), wanted, 1e-12)


def test_fused_attention_works_without_threadpoolctl(
    small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread here, and as many in BLAS as it likes."""
    used = set()
    block = _fused._attend_in_tiles
    monkeypatch.setattr(
        _fused,
        "_attend_in_tiles",
        lambda *args: used.add(threading.current_thread()) or block(*args),
    )
    monkeypatch.setitem(__import__("sys").modules, "threadpoolctl", None)
    _fused._blas.cache_clear()
    try:
        Q, K, V = inputs(2, 3)
        assert_close(fused_attention(Q, K, V), attention(Q, K, V), 1e-12)
    finally:
        _fused._blas.cache_clear()
    assert used == {threading.main_thread()}


def blas_threads() -> list[int]:
    """Return how many threads each BLAS would use."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    found = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in found]


def test_fused_attention_gives_blas_its_threads_back(small_blocks: None) -> None:
    """Also if the work fails."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    Q, K, V = inputs(2, 3)

    def fail(block: Any) -> None:
        raise RuntimeError("as asked")

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        fused_attention(Q, K, V)
        assert blas_threads() == before
        with pytest.raises(RuntimeError, match="as asked"):
            _fused._work_in_parallel(fail, [1, 2, 3])
        assert blas_threads() == before
        assert not _fused._BLAS_IS_LIMITED.locked()


def test_fused_attention_callers_at_once_wait_for_each_other() -> None:
    """The second comes while the first is at work; it begins after the first has ended."""
    pytest.importorskip("threadpoolctl")
    begun, seen = threading.Event(), []

    def work(caller: str) -> None:
        seen.append(f"{caller} begins")
        begun.set()
        time.sleep(0.1)
        seen.append(f"{caller} ends")

    callers = [
        threading.Thread(target=_fused._work_in_parallel, args=(work, [name] * 2))
        for name in ("first", "second")
    ]
    callers[0].start()
    begun.wait()
    callers[1].start()
    for caller in callers:
        caller.join()
    assert {moment.split()[0] for moment in seen[:4]} == {"first"}
    assert {moment.split()[0] for moment in seen[4:]} == {"second"}


def test_fused_attention_gives_no_warnings_of_infinities_and_nan(
    small_blocks: None,
) -> None:
    """Threads have their own setting for NumPy's warnings."""
    Q, K, V = inputs(2, 3)
    Q[0, 0, 0], K[1, 1, 4], V[0, 2, 3] = np.inf, np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fused_attention(Q, K, V)
    with np.errstate(all="ignore"):
        wanted = attention(Q, K, V)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_fused_attention_memory_does_not_grow_with_the_square(
    causal: bool,
) -> None:
    """At n = 4096 one matrix of weights takes 64 MiB; two threads need two tiles of 1 MiB."""
    Q, K, V = (normal(2, 4096, 16, seed=s).astype(np.float32) for s in range(3))
    fused_attention(Q[:, :2], K[:, :2], V[:, :2])
    tracemalloc.start()
    out = fused_attention(Q, K, V, causal=causal)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    n_threads = _fused._n_threads()
    assert peak - out.nbytes < (2 + 2 * n_threads) * 2**20


@pytest.mark.parametrize(("n_q", "n_k"), [(100, 100), (40, 100), (100, 40)])
def test_fused_attention_skips_causal_tiles(
    n_q: int, n_k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed is what may be seen, and half a tile for every query."""
    computed: list[int] = []
    hide = _fused._hide
    monkeypatch.setattr(_fused, "_QUERIES_AT_ONCE", 16)
    monkeypatch.setattr(_fused, "_KEYS_AT_ONCE", 8)
    monkeypatch.setattr(
        _fused, "_hide", lambda S, *rest: computed.append(S.size) or hide(S, *rest)
    )
    fused_attention(*inputs(n_q=n_q, n_k=n_k), causal=True)
    seen = causal_mask(n_q, n_k).sum()
    assert seen <= sum(computed) <= seen + n_q * 8 / 2
