"""`triton_attention` against `attention`: in Triton's interpreter, and compiled where a GPU is.

Triton reads TRITON_INTERPRET when it is imported, as `torch.compile` in any other test may have
done. So the interpreter has a process of its own, which all tests of this file share.
"""

import doctest
import importlib
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
import torch

from course_attn.in_torch import attention, fast_triton, repeat_kv, triton_attention
from tests.support.comparison import HALF, TOLERANCE, assert_close

KERNELS = "course_attn.in_torch._fast_kernels"
# Small ones, so that short sequences have several.
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
    # whether heads lie behind positions in memory, as where they were split
    split: bool = False
    tiles: dict[str, int] | None = SMALL


def inputs(case: Case) -> list[torch.Tensor]:
    """Draw Q, K, V, and the gradient of the outputs."""
    draw = torch.Generator().manual_seed(0)
    kv_heads = case.kv_heads or case.heads
    shapes = [(*case.heads, case.n_q), *2 * [(*kv_heads, case.n_k)]]
    arrays = [
        torch.randn(*shape, case.d, generator=draw) * case.size
        for shape in (*shapes, shapes[0])
    ]
    if case.split:
        arrays = [
            X.transpose(-3, -2).contiguous().transpose(-3, -2) for X in arrays
        ]
    return [X.to(getattr(torch, case.dtype)) for X in arrays]


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
    "heads that were split": Case(17, 17, True, (2, 2), split=True),
    "tiles of other sizes": Case(37, 71, True, tiles={"ROWS": 32, "KEYS": 16}),
    "the tiles of the package": Case(37, 71, True, d=64, tiles=None),
    "the tiles of the package, wide": Case(
        37, 71, True, d=128, dtype="float16", tiles=None
    ),
    "a width that is padded": Case(17, 37, True, d=20),
    "a width below the narrowest": Case(17, 37, True, d=3),
    "a negative scale": Case(5, 7, scale=-0.5),
    "scores whose exp is beyond float32": Case(5, 71, scale=15.0),
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


def first_query_before_keys_of_nan() -> bool:
    """Tell whether NaN in a later key leaves a query's output as it is.

    The padding of a narrow row must not be read from the row after it, the first of NaN here.
    """
    Q, K, V, _ = inputs(Case(5, 36, d=20))
    with patch.object(fast_triton, "_tiles", lambda *_: SMALL):
        wanted = triton_attention(Q, K, V, causal=True)[0]
        K[32:] = torch.nan
        return triton_attention(Q, K, V, causal=True)[0].equal(wanted)


def test_triton_attention_reads_no_key_after_the_query(interpreter: Run) -> None:
    assert interpreter(first_query_before_keys_of_nan)


@pytest.mark.gpu
@each_case
def test_triton_attention_is_attention_where_it_is_compiled(case: Case) -> None:
    tolerance = (TOLERANCE | SIXTEEN)[case.dtype]
    assert_close(by_triton(case, "cuda"), exact(case), tolerance)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("dtype", "d"),
    [
        *(("bfloat16", d) for d in (16, 32, 64, 80, 128)),
        *(("float16", 64), ("float32", 64), ("float32", 128)),
    ],
)
@pytest.mark.parametrize("causal", [False, True])
def test_triton_attention_compiled_has_many_tiles_of_the_package(
    dtype: str, d: int, causal: bool
) -> None:
    case = Case(1009, 1511, causal, (4,), (2,), d, dtype=dtype, tiles=None)
    tolerance = (TOLERANCE | SIXTEEN)[dtype]
    assert_close(by_triton(case, "cuda"), exact(case), tolerance)


@pytest.mark.gpu
def test_triton_attention_memory_grows_with_n_also_for_gradients() -> None:
    """The weights alone would take 512 MiB, what is kept and computed takes below 32."""
    n = 2**14
    Q, K, V = torch.randn(3, n, 64, device="cuda", dtype=torch.bfloat16)
    QKV = [X.clone().requires_grad_() for X in (Q, K, V)]
    triton_attention(*QKV, causal=True).sum().backward()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    triton_attention(*QKV, causal=True).sum().backward()
    assert torch.cuda.max_memory_allocated() - before < 32 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "code"), [("float32", "fp32"), ("bfloat16", "bf16")]
)
@pytest.mark.parametrize("name", ["forward", "backward_queries", "backward_keys"])
def test_kernels_compile_for_a_gpu_that_is_not_here(
    name: str,
    dtype: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The interpreter takes more than the compiler does. An A100 has 163 KB of shared memory."""
    compiler = pytest.importorskip("triton.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernel = getattr(importlib.import_module(KERNELS), name)
    d, D = 3, fast_triton._padded(3)
    tiles = fast_triton._tiles(name, D, getattr(torch, dtype))
    options = {o: tiles.pop(o) for o in ("num_warps", "num_stages")}
    constants = tiles | {"d": d, "D": D, "CAUSAL": True}
    kinds = {"n_q": "i32", "n_k": "i32", "n_rep": "i32", "scale": "fp32"}
    kinds |= {"L": "*fp32", "MEAN": "*fp32"} | dict.fromkeys(constants, "constexpr")
    signature = {p: kinds.get(p, f"*{code}") for p in kernel.arg_names}
    source = compiler.ASTSource(kernel, signature, constants)
    compiled = compiler.compile(source, target("cuda", 80, 32), options)
    assert compiled.metadata.shared < 163 * 2**10


# --- what is refused ------------------------------------------------------------------------------


def call(
    Q: tuple[int, ...], K: tuple[int, ...], dtype: str = "float32", **options: Any
) -> None:
    """Attend with arrays of these shapes; V is on the device of K."""
    kind = getattr(torch, dtype)
    on = {"dtype": kind, "device": options.pop("device", "cpu")}
    triton_attention(
        torch.ones(Q, dtype=kind),
        torch.ones(K, **on),
        torch.ones(K, **on),
        **options,
    )


@pytest.mark.parametrize(
    ("error", "says", "arguments"),
    [
        (
            TypeError,
            "Q must be float32, float16 or bfloat16, got torch.float64",
            {"Q": (3, 16), "K": (5, 16), "dtype": "float64"},
        ),
        (
            ValueError,
            "Q must have a width of at most 128, got (3, 129)",
            {"Q": (3, 129), "K": (5, 129)},
        ),
        (
            ValueError,
            "K must have shape (*batch_k, n_k, d) with d = 16 from Q, got (5, 8); "
            "axes of length 1 are not broadcast",
            {"Q": (3, 16), "K": (5, 8)},
        ),
        (
            ValueError,
            "K must have the leading axes of Q, (2, 6), or instead of the last a number of "
            "heads that divides it, got (2, 4)",
            {"Q": (2, 6, 3, 16), "K": (2, 4, 5, 16)},
        ),
        (
            ValueError,
            "K must have the leading axes of Q, (2, 6), or instead of the last a number of "
            "heads that divides it, got (1, 6)",
            {"Q": (2, 6, 3, 16), "K": (1, 6, 5, 16)},
        ),
        (
            ValueError,
            "K must have the leading axes of Q, (), or instead of the last a number of heads "
            "that divides it, got (1,)",
            {"Q": (3, 16), "K": (1, 5, 16)},
        ),
        (
            ValueError,
            "K must be on cpu as Q is, got meta",
            {"Q": (3, 16), "K": (5, 16), "device": "meta"},
        ),
        (
            ValueError,
            "scale must be a finite number, got inf",
            {"Q": (3, 16), "K": (5, 16), "scale": float("inf")},
        ),
    ],
)
def test_triton_attention_refuses_what_its_kernels_cannot_do(
    error: type[Exception], says: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(error, match=f"^{re.escape(says)}$"):
        call(**arguments)


def test_triton_attention_says_what_to_do_without_a_gpu() -> None:
    pytest.importorskip("triton")
    says = (
        "Q must be on a GPU, got one on cpu; without a GPU, set TRITON_INTERPRET=1 in the "
        "environment and start Python anew"
    )
    with pytest.raises(ValueError, match=f"^{says}$"):
        call((3, 16), (5, 16))


def test_triton_attention_says_what_to_do_without_triton_which_no_other_function_needs():
    program = (
        "import sys, torch\n"
        "sys.modules['triton'] = None\n"
        "from course_attn.in_torch import attention, triton_attention\n"
        "X = torch.ones(3, 16)\n"
        "assert attention(X, X, X).equal(X)\n"
        "try:\n"
        "    triton_attention(X, X, X)\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=600
    )
    assert run.stderr == ""
    assert run.stdout == (
        "triton_attention needs Triton, on Linux: pip install 'course_attn[triton]'\n"
    )


def gradient_of_the_gradient() -> None:
    X = torch.ones(3, 16, requires_grad=True)
    out = triton_attention(X, X, X)
    (dX,) = torch.autograd.grad(out.sum(), X, create_graph=True)
    (dX.sum() + out.sum()).backward()


def test_triton_attention_refuses_gradients_of_gradients(interpreter: Run) -> None:
    says = "triton_attention has no gradients of gradients; leave create_graph out"
    with pytest.raises(RuntimeError, match=f"^{says}$"):
        interpreter(gradient_of_the_gradient)


def example_fails() -> int:
    """Run the example of the docstring, which no run of all examples can."""
    names = {"torch": torch, "triton_attention": triton_attention}
    (test,) = doctest.DocTestFinder().find(
        triton_attention, "triton_attention", module=False, globs=names
    )
    for example in test.examples:
        example.options.clear()
    result = doctest.DocTestRunner().run(test)
    assert result.attempted == 3
    return result.failed


def test_triton_attention_has_an_example_that_is_true(interpreter: Run) -> None:
    assert interpreter(example_fails) == 0
