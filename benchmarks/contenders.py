"""What is measured: for given settings, functions without arguments, by name."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from course_attn import in_numpy, in_torch
from course_attn.in_numpy import _fused

Contenders = dict[str, Callable[[], Any]]
# Attention by Q, K and V, causal or not.
Kernel = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, bool], torch.Tensor]
HEADS, WIDTH = 8, 64
FLEX = "FlexAttention, compiled"


class NotHere(RuntimeError):
    """A contender cannot run on this machine, and the message says why."""


def _numbers(n: int, dtype: str, seed: int = 0) -> list[np.ndarray]:
    """Draw Q, K and V of eight heads."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(HEADS, n, WIDTH)).astype(dtype) for _ in range(3)]


def numpy_attention(n: int, dtype: str) -> Contenders:
    """Attention on the CPU, ours in NumPy beside PyTorch's kernel."""
    Q, K, V = _numbers(n, dtype)
    q, k, v = (torch.from_numpy(X)[None] for X in (Q, K, V))
    return {
        "PyTorch fused": lambda: F.scaled_dot_product_attention(q, k, v),
        "PyTorch fused, causal": lambda: F.scaled_dot_product_attention(
            q, k, v, is_causal=True
        ),
        "NumPy fused": lambda: in_numpy.fused_attention(Q, K, V),
        "NumPy fused, causal": lambda: in_numpy.fused_attention(
            Q, K, V, causal=True
        ),
        # With scores this large the running maximum cannot be left out.
        "NumPy fused, scale 1": lambda: in_numpy.fused_attention(
            Q, K, V, scale=1.0
        ),
        "NumPy fused, BLAS threads only": partial(_without_threadpoolctl, Q, K, V),
        "NumPy tiled": lambda: in_numpy.tiled_attention(Q, K, V),
        "PyTorch explicit": lambda: in_torch.attention(q, k, v),
        "NumPy explicit": lambda: in_numpy.attention(Q, K, V),
    }


def _without_threadpoolctl(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray
) -> np.ndarray:
    """Do what happens where threadpoolctl is not installed."""
    with patch.object(_fused, "_blas", lambda: None):
        return in_numpy.fused_attention(Q, K, V)


def growing(n: int, dtype: str = "float32") -> Contenders:
    """What grows with n in different ways."""
    found = numpy_attention(n, dtype)
    Q, K, V = _numbers(n, dtype)
    q, k, v = (torch.from_numpy(X)[None] for X in (Q, K, V))
    names = [
        name for name in found if name.split()[-1] in ("explicit", "fused", "tiled")
    ]
    return {name: found[name] for name in names} | {
        "PyTorch tiled": lambda: in_torch.tiled_attention(q, k, v),
        "NumPy linear": lambda: in_numpy.linear_attention(Q, K, V),
        "PyTorch linear": lambda: in_torch.linear_attention(q, k, v),
    }


# --- modules --------------------------------------------------------------------------------------


def fused(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, causal: bool
) -> torch.Tensor:
    """PyTorch's kernel."""
    return F.scaled_dot_product_attention(Q, K, V, is_causal=causal)


def flex() -> Kernel:
    """Return FlexAttention, compiled anew for each shape; its mask is made once."""
    torch.compiler.reset()  # else it stops compiling after a few shapes
    compiled = torch.compile(flex_attention, dynamic=False)
    blocks = cache(_causal_blocks)

    def kernel(
        Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, causal: bool
    ) -> torch.Tensor:
        mask = blocks(K.shape[-2], K.device) if causal else None
        try:
            return compiled(Q, K, V, block_mask=mask)
        except (NotImplementedError, RuntimeError) as error:
            raise NotHere(str(error).splitlines()[0]) from error

    return kernel


def _causal_blocks(n: int, device: torch.device) -> Any:
    return create_block_mask(
        lambda batch, head, i, j: i >= j, None, None, n, n, device
    )


class BareComposition(nn.Module):
    """Project, call a kernel, project: nothing that could be left out."""

    def __init__(self, d_model: int, n_heads: int, kernel: Kernel = fused) -> None:
        super().__init__()
        self.n_heads, self.kernel = n_heads, kernel
        self.into = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def project(self, X: torch.Tensor) -> list[torch.Tensor]:
        return [
            part.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for part in self.into(X).chunk(3, dim=-1)
        ]

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        heads = self.kernel(*self.project(X), True)
        return self.out(heads.transpose(1, 2).flatten(-2))

    def step(self, X: torch.Tensor) -> Callable[[], torch.Tensor]:
        """Return a function that computes the last output; earlier keys and values are kept."""
        _, K, V = (part.contiguous() for part in self.project(X))
        last = X[:, -1:]

        def step() -> torch.Tensor:
            Q, K[..., -1:, :], V[..., -1:, :] = self.project(last)
            heads = self.kernel(Q, K, V, False)
            return self.out(heads.transpose(1, 2).flatten(-2))

        return step


class HeadLoop(nn.Module):
    """The loop over separate heads of introductory articles, with explicit weights."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        d = d_model // n_heads
        self.heads = nn.ModuleList(
            nn.ModuleList(nn.Linear(d_model, d) for _ in "qkv")
            for _ in range(n_heads)
        )
        self.out = nn.Linear(d_model, d_model)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        n = X.shape[-2]
        later = torch.ones(n, n, dtype=torch.bool, device=X.device).triu(1)
        found = []
        for to_q, to_k, to_v in self.heads:
            Q, K, V = to_q(X), to_k(X), to_v(X)
            scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
            weights = torch.softmax(
                scores.masked_fill(later, float("-inf")), dim=-1
            )
            found.append(weights @ V)
        return self.out(torch.cat(found, dim=-1))


def modules(
    d_model: int, n: int
) -> dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    """Return causal multi-head attention by all, each a function of X; ours where there is one."""
    found: dict[str, Any] = {
        "linear + fused + linear": BareComposition(d_model, HEADS),
        "ours": _our_module(d_model),
        "nn.MultiheadAttention": _torch_module(d_model, n),
        FLEX: BareComposition(d_model, HEADS, flex()),
        "x-transformers, flash": _x_transformers(d_model),
        "per-head loop": HeadLoop(d_model, HEADS),
    }
    return {name: module for name, module in found.items() if module is not None}


class _Called(nn.Module):
    """A module that is called with fixed options."""

    def __init__(self, inner: nn.Module, call: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.inner, self.call = inner, call

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.call(self.inner, X)


def _our_module(d_model: int) -> nn.Module:
    module = in_torch.MultiHeadAttention(d_model, HEADS)
    return _Called(module, lambda inner, X: inner(X, causal=True))


def _torch_module(d_model: int, n: int) -> nn.Module:
    module = nn.MultiheadAttention(d_model, HEADS, batch_first=True)
    # A buffer goes to the GPU with the module, once, and not in each call.
    drop = nn.Transformer.generate_square_subsequent_mask(n)
    module.register_buffer("drop", drop, persistent=False)

    def call(inner: nn.Module, X: torch.Tensor) -> torch.Tensor:
        options = {
            "attn_mask": inner.drop,
            "is_causal": True,
            "need_weights": False,
        }
        return inner(X, X, X, **options)[0]

    return _Called(module, call)


def _x_transformers(d_model: int) -> nn.Module | None:
    try:
        from x_transformers.x_transformers import Attention
    except ImportError:
        return None
    width = d_model // HEADS
    module = Attention(
        d_model, heads=HEADS, dim_head=width, causal=True, flash=True
    )

    def call(inner: nn.Module, X: torch.Tensor) -> torch.Tensor:
        found = inner(X)
        return found[0] if isinstance(found, tuple) else found

    return _Called(module, call)


def forward(
    n: int,
    batch: int = 4,
    d_model: int = 512,
    device: str = "cpu",
    dtype: str = "float32",
) -> Contenders:
    """Run every module without gradients."""
    return _of_modules(n, batch, d_model, device, dtype, backward=False)


def forward_and_backward(
    n: int,
    batch: int = 4,
    d_model: int = 512,
    device: str = "cpu",
    dtype: str = "float32",
) -> Contenders:
    """Run every module and compute the gradients of its parameters and of its input."""
    return _of_modules(n, batch, d_model, device, dtype, backward=True)


def _of_modules(
    n: int, batch: int, d_model: int, device: str, dtype: str, *, backward: bool
) -> Contenders:
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    X = torch.randn(batch, n, d_model, device=device, dtype=kind)
    X.requires_grad_(backward)
    # x-transformers chooses another path in evaluation mode; nobody drops anything.
    found = {
        name: module.to(device, kind).train()
        for name, module in modules(d_model, n).items()
    }

    def run(module: nn.Module) -> torch.Tensor:
        if not backward:
            with torch.no_grad():
                return module(X)
        return torch.autograd.grad(module(X).sum(), [X, *module.parameters()])[0]

    return {name: partial(run, module) for name, module in found.items()}


# --- attention alone, and one more token ----------------------------------------------------------


def attention(n: int, dtype: str, device: str = "cpu") -> Contenders:
    """Causal attention of given queries, keys and values, without gradients."""
    return _of_kernels(n, dtype, device, backward=False)


def attention_and_backward(n: int, dtype: str, device: str = "cpu") -> Contenders:
    """Causal attention of given queries, keys and values, with the gradients of all three."""
    return _of_kernels(n, dtype, device, backward=True)


def _of_kernels(n: int, dtype: str, device: str, *, backward: bool) -> Contenders:
    torch.manual_seed(0)
    shape, kind = (1, HEADS, n, WIDTH), getattr(torch, dtype)
    inputs = [
        torch.randn(shape, device=device, dtype=kind, requires_grad=backward)
        for _ in range(3)
    ]
    kernels: dict[str, Kernel] = {
        "PyTorch fused": fused,
        "ours, fused": lambda *QKV: in_torch.fused_attention(
            *QKV[:3], causal=QKV[3]
        ),
        FLEX: flex(),
        "ours, tiled": lambda *QKV: in_torch.tiled_attention(
            *QKV[:3], causal=QKV[3], tile=1024 if device == "cuda" else 256
        ),
        "ours, explicit": lambda *QKV: in_torch.attention(*QKV[:3], causal=QKV[3]),
    }

    def run(kernel: Kernel) -> Any:
        if not backward:
            return kernel(*inputs, True)
        return torch.autograd.grad(kernel(*inputs, True).sum(), inputs)

    return {name: partial(run, kernel) for name, kernel in kernels.items()}


def one_token(
    n: int, batch: int, d_model: int, device: str = "cpu", dtype: str = "float32"
) -> Contenders:
    """Compute the output of the last of n tokens; whoever keeps keys and values has the others'."""
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    X = torch.randn(batch, n, d_model, device=device, dtype=kind)
    found = {name: m.to(device, kind) for name, m in modules(d_model, n).items()}
    with torch.no_grad():
        ours = found["ours"].inner
        steps = {
            "linear + fused + linear": found["linear + fused + linear"].step(X),
            "ours": _our_step(ours, X, in_torch.KVCache()),
            "ours, n_max": _our_step(ours, X, in_torch.KVCache(n_max=n)),
            "nn.MultiheadAttention": _torch_step(
                found["nn.MultiheadAttention"].inner, X
            ),
            FLEX: found[FLEX].step(X),
        }
        if "x-transformers, flash" in found:
            inner = found["x-transformers, flash"].inner
            steps["x-transformers, flash"] = _x_transformers_step(inner, X)
    steps["per-head loop"] = lambda: found["per-head loop"](X)[:, -1:]
    return {name: torch.no_grad()(step) for name, step in steps.items()}


def _our_step(
    module: nn.Module, X: torch.Tensor, kept: in_torch.KVCache
) -> Callable[[], torch.Tensor]:
    module(X[:, :-1], causal=True, cache=kept)

    def step() -> torch.Tensor:
        out = module(X[:, -1:], causal=True, cache=kept)
        kept._length -= 1  # the same token again, next time
        return out

    return step


def _torch_step(module: nn.Module, X: torch.Tensor) -> Callable[[], torch.Tensor]:
    """It keeps nothing: all keys and values are computed again."""
    return lambda: module(X[:, -1:], X, X, need_weights=False)[0]


def _x_transformers_step(
    module: nn.Module, X: torch.Tensor
) -> Callable[[], torch.Tensor]:
    _, kept = module(X[:, :-1], return_intermediates=True)
    return lambda: module(X[:, -1:], cache=kept, return_intermediates=True)[0]


# --- decoding -------------------------------------------------------------------------------------


def decoder(
    n: int, d_model: int = 512, n_layers: int = 4
) -> tuple[in_torch.Transformer, torch.Tensor]:
    """Return a stack of blocks and n random vectors in place of embedded tokens."""
    torch.manual_seed(0)
    stack = in_torch.Transformer(n_layers, d_model, HEADS, activation=in_torch.gelu)
    return stack.eval(), torch.randn(1, n, d_model)
