"""`triton_attention` against `attention`: in Triton's interpreter, and compiled where a GPU is.

Triton reads TRITON_INTERPRET when it is imported, as `torch.compile` in any other test may have
done. So the interpreter has a process of its own, which all tests of this file share.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
import torch

from course_attn import in_torch
from course_attn.in_torch import attention, fast_triton, repeat_kv, triton_attention
from tests.support.comparison import HALF, TOLERANCE, assert_close

# The smallest tiles that there are, so that short sequences have several.
SMALL = {"ROWS": 16, "KEYS": 32}


class Case(NamedTuple):
    """A call, by its sizes; the inputs are drawn."""

    n_q: int
    n_k: int
    causal: bool = False
    heads: tuple[int, ...] = ()
    kv_heads: tuple[int, ...] = ()
    d: int = 16
    scale: float | None = None
    size: float = 1.0
    dtype: str = "float32"
    tiles: dict[str, int] | None = SMALL


def inputs(case: Case) -> list[torch.Tensor]:
    """Draw Q, K, V, and the gradient of the outputs."""
    draw = torch.Generator().manual_seed(0)
    kv_heads = case.kv_heads or case.heads
    shapes = [(*case.heads, case.n_q), *2 * [(*kv_heads, case.n_k)]]
    return [
        torch.randn(*shape, case.d, generator=draw)
        .mul(case.size)
        .to(getattr(torch, case.dtype))
        for shape in (*shapes, shapes[0])
    ]


def results(function: Callable[..., Any], case: Case, arrays: Any) -> Any:
    """Return the outputs and the gradients of Q, K and V."""
    *QKV, d_out = arrays
    QKV = [X.clone().requires_grad_() for X in QKV]
    out = function(*QKV, causal=case.causal, scale=case.scale)
    out.backward(d_out)
    return out, *(X.grad for X in QKV)


def by_triton(case: Case, device: str = "cpu") -> tuple[np.ndarray, ...]:
    """Return what the kernels give for a case; no process can send a bfloat16 through NumPy."""
    arrays = [X.to(device) for X in inputs(case)]
    with patch.object(fast_triton, "_tiles", tiles_of(case)):
        found = results(triton_attention, case, arrays)
    assert {str(X.dtype) for X in found} == {f"torch.{case.dtype}"}
    assert {X.device.type for X in found} == {device}
    return tuple(X.detach().cpu().float().numpy() for X in found)


def tiles_of(case: Case) -> Callable[..., dict[str, int]]:
    """Return the function that chooses tiles: the package's own if the case says nothing."""
    chosen = case.tiles
    return (lambda *_: chosen) if chosen else fast_triton._tiles


def grouped_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, **options: Any
) -> torch.Tensor:
    """Repeat the heads of K and V, and attend with explicit weights."""
    if Q.ndim > 2 and Q.shape[-3] != K.shape[-3]:
        K, V = (repeat_kv(X, Q.shape[-3] // K.shape[-3]) for X in (K, V))
    return attention(Q, K, V, **options)


def exact(case: Case) -> Any:
    """Return what explicit weights give for the same numbers in float64."""
    return results(grouped_attention, case, [X.double() for X in inputs(case)])


def start_interpreter() -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    torch.set_num_threads(1)


Run = Callable[..., Any]


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Run]:
    """Return what calls a function in the process in which Triton interprets."""
    pytest.importorskip("triton")
    with ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), start_interpreter
    ) as pool:
        yield lambda function, *args: pool.submit(function, *args).result()


# --- the kernels ----------------------------------------------------------------------------------

CASES = {
    "lengths that no tile divides": Case(37, 53),
    "a causal mask": Case(37, 37, causal=True),
    "causal, lengths that tiles divide": Case(32, 64, causal=True),
    "causal, with keys before": Case(21, 83, causal=True),
    "causal, more queries than a tile see nothing": Case(41, 19, causal=True),
    "one query, as in decoding": Case(1, 37, True, (4,), (2,)),
    "grouped heads": Case(19, 23, True, (2, 2), (2, 1)),
    "one head of keys for all": Case(17, 5, False, (3,), (1,)),
    "tiles of other sizes": Case(37, 71, True, tiles={"ROWS": 32, "KEYS": 16}),
    "the tiles of the package": Case(37, 71, True, d=64, tiles=None),
    "the tiles of the package, wide": Case(
        37, 71, True, d=128, dtype="float16", tiles=None
    ),
    "a width that is padded": Case(17, 37, True, d=20),
    "a width below the narrowest": Case(17, 37, True, d=3),
    "a negative scale": Case(5, 7, scale=-0.5),
    "equal weights": Case(5, 7, scale=0.0),
    "no keys": Case(3, 0),
    "no queries": Case(0, 3),
    "no heads": Case(3, 5, False, (2, 0), (2, 0)),
    "float16": Case(21, 45, True, (2,), (1,), dtype="float16"),
    "bfloat16": Case(21, 45, True, (2,), (1,), dtype="bfloat16"),
    # Their products are beyond float16's largest number, 65504.
    "float16, large scores": Case(5, 37, scale=1e-4, size=128, dtype="float16"),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)

# In 16 bits, weights are rounded before they meet values, outputs before the gradients' mean, and
# every result once more. The interpreter cuts bfloat16 off, which errs by up to two roundings.
SIXTEEN = {dtype: 4 * half for dtype, half in HALF.items()}


@each_case
def test_triton_attention_is_attention_with_its_gradients(
    case: Case, interpreter: Run
) -> None:
    found = interpreter(by_triton, case)
    assert_close(found, exact(case), (TOLERANCE | SIXTEEN)[case.dtype])


@pytest.mark.gpu
@pytest.mark.skipif(
    not torch.cuda.is_available(),
    reason="needs a CUDA device, and torch.cuda.is_available() is False here",
)
@each_case
def test_triton_attention_compiled_is_attention_with_its_gradients(
    case: Case,
) -> None:
    pytest.importorskip("triton")
    found = by_triton(case, "cuda")
    assert_close(found, exact(case), (TOLERANCE | SIXTEEN)[case.dtype])


# --- what is refused ------------------------------------------------------------------------------

REFUSED = {
    "float64": (
        [torch.zeros(5, 16, dtype=torch.float64)] * 3,
        TypeError,
        "Q must be float32, float16 or bfloat16, got torch.float64",
    ),
    "too wide": (
        [torch.zeros(5, 129)] * 3,
        ValueError,
        "Q must have a width of at most 128",
    ),
    "no features": ([torch.zeros(5, 0)] * 3, ValueError, "Q must"),
    "heads that do not divide": (
        [torch.zeros(3, 5, 16), *2 * [torch.zeros(2, 7, 16)]],
        ValueError,
        "a number of heads that divides it, got .2,.",
    ),
    "another batch": (
        [torch.zeros(2, 4, 5, 16), *2 * [torch.zeros(3, 4, 7, 16)]],
        ValueError,
        "K must have the leading axes of Q, .2, 4.",
    ),
    "another dtype": (
        [torch.zeros(5, 16), *2 * [torch.zeros(7, 16, dtype=torch.float16)]],
        TypeError,
        "dtype",
    ),
    "neither a GPU nor the interpreter": (
        [torch.zeros(5, 16)] * 3,
        ValueError,
        "Q must be on a GPU, got one on cpu; without a GPU, set TRITON_INTERPRET=1",
    ),
}


@pytest.mark.without_hook
@pytest.mark.parametrize(("arrays", "error", "said"), REFUSED.values(), ids=REFUSED)
def test_triton_attention_refuses(
    arrays: list[torch.Tensor], error: type[Exception], said: str
) -> None:
    pytest.importorskip("triton")
    with pytest.raises(error, match=said) as refused:
        triton_attention(*arrays)
    assert "\n" not in str(refused.value)


def test_without_triton_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.delitem(
        sys.modules, "course_attn.in_torch._fast_kernels", raising=False
    )
    monkeypatch.delattr(in_torch, "_fast_kernels", raising=False)
    Q = torch.zeros(5, 16)
    with pytest.raises(ImportError, match=r"pip install 'course_attn\[triton\]'"):
        triton_attention(Q, Q, Q)
