"""Attention over a sequence that lies on several processes, each with a share of the positions.

There is no twin in NumPy: an array of NumPy lies in one process.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Annotated, Any

import torch
import torch.distributed as dist
from jaxtyping import Float, Int
from torch import Tensor as Array

from course_attn._contracts import (
    Count,
    Finite,
    Flag,
    NonEmpty,
    Size,
    check_arguments,
)
from course_attn.in_torch._numerics import (
    default_scale,
    relative_positions,
    upcast,
)
from course_attn.in_torch.fast import merge_partial, partial_attention

__all__ = ["ring_attention", "ring_positions"]


# --- who has what ---------------------------------------------------------------------------------


@check_arguments
def ring_positions(
    n: Count, rank: Size, n_processes: Count
) -> Int[Array, "n_local"]:
    """Say which of n positions a process holds, so that all have equal work under `causal`.

    Of 2P equal chunks of the sequence, process p of P has chunks p and 2P - 1 - p: early queries,
    which see few keys, and late ones, which see many. So n must be a multiple of 2P. The share of X
    is ``X[..., ring_positions(n, rank, P), :]``, and the positions are what `rotary` needs of it.
    They are on the default device.
    Source: Zhu (2024), issue 2 of ring-flash-attention.

    Examples
    --------
    >>> [ring_positions(8, rank, 2).tolist() for rank in range(2)]
    [[0, 1, 6, 7], [2, 3, 4, 5]]
    """
    if rank >= n_processes:
        raise ValueError(
            f"rank must be less than n_processes = {n_processes}, got {rank}"
        )
    if n % (2 * n_processes):
        raise ValueError(
            f"n must be a multiple of 2 n_processes = {2 * n_processes}, got {n}"
        )
    chunks = torch.arange(n).chunk(2 * n_processes)
    return torch.cat([chunks[rank], chunks[-1 - rank]])


# --- attention ------------------------------------------------------------------------------------


@check_arguments
def ring_attention(
    Q: Annotated[Float[Array, "*batch n_local d_k"], NonEmpty("d_k")],
    K: Float[Array, "*#batch n_local d_k"],
    V: Float[Array, "*#batch n_local d_v"],
    *,
    causal: Flag = False,
    scale: Finite | None = None,
    group: dist.ProcessGroup | None = None,
) -> Float[Array, "*batch n_local d_v"]:
    """Compute `attention` over a sequence of which every process of a group has a share.

    Each gives its positions, as many as the others, and gets their outputs; under `causal`, its
    positions must be those of `ring_positions`. Keys and values go around; each block that comes is
    merged in (`merge_partial`) while the next is under way, and of the scores only its own are
    held. On the way back the weights are computed anew, exp(s_ij - L_i) with L_i = m_i + log l_i,
    and the gradients of keys and values go around with them, home. Where heads share keys and
    values, give these the length 1 along an axis: one copy travels. All processes must call it, and
    `backward`. With gloo, the next exchange with a process that has ended raises `RuntimeError`.
    There are no gradients of gradients.
    Source: Liu, Zaharia and Abbeel (2023); Dao (2023), section 3.1, for the way back.

    Examples
    --------
    >>> ring_attention(torch.ones(4, 3), torch.ones(4, 3), torch.ones(4, 3))
    Traceback (most recent call last):
    RuntimeError: call torch.distributed.init_process_group first, or fused_attention in one process
    """
    ring, scale = _Ring(group), default_scale(scale, Q)
    arrays = {"Q": Q, "K": K, "V": V}
    needs_gradient = any(X.requires_grad for X in arrays.values())
    ring.agree(
        {f"the shape of {name}": tuple(X.shape) for name, X in arrays.items()}
        | {"the dtype of Q, K and V": Q.dtype, "causal": causal, "scale": scale}
        | {
            "whether a gradient is needed": needs_gradient
            and torch.is_grad_enabled()
        }
    )
    if causal and Q.shape[-2] % 2:
        raise ValueError(
            "Q must have an even number of positions under causal, as ring_positions "
            f"gives, got shape {tuple(Q.shape)}"
        )
    K, V = K.contiguous(), V.contiguous()
    out: Array = _RingAttention.apply(Q, K, V, bool(causal), scale, ring)
    return out


class _RingAttention(torch.autograd.Function):
    """The outputs, and the gradients, of the positions that this process has."""

    @staticmethod
    def forward(
        ctx: Any,
        Q: Array,
        K: Array,
        V: Array,
        causal: bool,
        scale: float,
        ring: "_Ring",
    ) -> Array:
        """Return the outputs, and keep what the way back needs: no weights, but their L."""
        q = upcast(Q) * scale
        m = q.new_full(q.shape[:-1], -torch.inf)
        l, o = torch.zeros_like(m), q.new_zeros(*q.shape[:-1], V.shape[-1])
        for visitor, k, v in ring.visits(K, V):
            k, v = upcast(k), upcast(v)
            for rows, keys, same in ring.pairs(visitor, Q.shape[-2], causal):
                S = _scores(q[..., rows, :], k[..., keys, :], same)
                v_j = v[..., keys, :].expand(*S.shape[:-2], -1, -1)
                so_far = m[..., rows], l[..., rows], o[..., rows, :]
                merged = merge_partial(*so_far, *partial_attention(S, v_j))
                m[..., rows], l[..., rows], o[..., rows, :] = merged
        out = (o / torch.where(l == 0, 1, l)[..., None]).to(Q.dtype)
        ctx.save_for_backward(Q, K, V, out, m + l.log())
        ctx.options = causal, scale, ring
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Array) -> tuple[Array | None, ...]:
        """Return dQ, dK and dV, the last two from all processes."""
        if torch.is_grad_enabled():
            raise RuntimeError(
                "ring_attention has no gradients of gradients: leave create_graph at False"
            )
        Q, K, V, out, L = ctx.saved_tensors
        causal, scale, ring = ctx.options
        q, dY = upcast(Q) * scale, upcast(d_out)
        D = (dY * upcast(out)).sum(dim=-1)
        dQ = torch.zeros_like(q)
        arrive: Callable[[], list[Array]] = list  # nothing, at first
        for visitor, k, v in ring.visits(K, V):
            k, v = upcast(k), upcast(v)
            dK, dV = torch.zeros_like(k), torch.zeros_like(v)
            for rows, keys, same in ring.pairs(visitor, Q.shape[-2], causal):
                q_i, dy_i = q[..., rows, :], dY[..., rows, :]
                k_j, v_j = k[..., keys, :], v[..., keys, :]
                A = torch.exp(_scores(q_i, k_j, same) - L[..., rows, None])
                dS = A * (dy_i @ v_j.mT - D[..., rows, None])
                dQ[..., rows, :] += scale * (dS @ k_j)
                # The gradient of keys that heads share is the sum of theirs.
                dK[..., keys, :] += (dS.mT @ q_i).sum_to_size(k_j.shape)
                dV[..., keys, :] += (A.mT @ dy_i).sum_to_size(v_j.shape)
            for dX, came in zip((dK, dV), arrive(), strict=False):
                dX += came
            arrive = ring.pass_on(dK, dV)
        dK, dV = arrive()
        gradients = (dX.to(Q.dtype) for dX in (dQ, dK, dV))
        return *gradients, None, None, None


def _scores(q: Array, k: Array, same: bool) -> Array:
    """Compute scores; where queries and keys are one chunk, hide the later keys."""
    S = q @ k.mT
    if not same:
        return S
    return S.masked_fill(
        relative_positions(*S.shape[-2:], device=S.device) < 0, -torch.inf
    )


# --- the ring -------------------------------------------------------------------------------------


class _Ring:
    """The processes of a group, each of which passes arrays on to the next."""

    def __init__(self, group: dist.ProcessGroup | None) -> None:
        if not (dist.is_available() and dist.is_initialized()):
            raise RuntimeError(
                "call torch.distributed.init_process_group first, or fused_attention in one process"
            )
        self.group: Any = dist.group.WORLD if group is None else group
        self.rank, self.size = (
            dist.get_rank(self.group),
            dist.get_world_size(self.group),
        )
        if self.size == 1:
            raise ValueError(
                "group must have several processes, got 1: use fused_attention"
            )

    def agree(self, facts: dict[str, Any]) -> None:
        """Raise the same error on all processes if they differ in one of the facts."""
        told: list[dict[str, Any]] = [{}] * self.size
        with _answering():
            dist.all_gather_object(told, facts, self.group)
        for fact, first in told[0].items():
            for rank, other in enumerate(told):
                if other[fact] != first:
                    raise ValueError(
                        f"{fact} must be the same on all processes, got {first} on "
                        f"process 0 and {other[fact]} on process {rank} of the group"
                    )

    def visits(self, K: Array, V: Array) -> Iterator[tuple[int, Array, Array]]:
        """Give the keys and values of all, one's own first, and whose they are.

        While the caller computes with them, they are on their way to the next process.
        """
        for step in range(self.size):
            is_last = step == self.size - 1
            arrive = None if is_last else self.pass_on(K, V)
            yield (self.rank - step) % self.size, K, V
            if arrive is not None:
                K, V = arrive()

    def pairs(
        self, visitor: int, n: int, causal: bool
    ) -> Iterator[tuple[slice, slice, bool]]:
        """Give queries and visiting keys that they may see, and whether these are one chunk."""
        if not causal:
            yield slice(0, n), slice(0, n), False
            return
        halves = slice(0, n // 2), slice(n // 2, n)
        own, others = (
            zip((p, 2 * self.size - 1 - p), halves, strict=True)
            for p in (self.rank, visitor)
        )
        for (i, rows), (j, keys) in product(own, others):
            if j <= i:
                yield rows, keys, i == j

    def pass_on(self, *arrays: Array) -> Callable[[], list[Array]]:
        """Begin to pass arrays on; a call of the result waits for those of the process before."""
        before, after = (
            dist.get_global_rank(self.group, (self.rank + step) % self.size)
            for step in (-1, 1)
        )
        came = [torch.empty_like(X) for X in arrays]
        # Begun together: no order of sends and receipts can block.
        with _answering():
            works = dist.batch_isend_irecv(
                [dist.P2POp(dist.isend, X, after, self.group) for X in arrays]
                + [dist.P2POp(dist.irecv, X, before, self.group) for X in came]
            )

        def arrive() -> list[Array]:
            with _answering():
                for work in works:
                    work.wait()
            return came

        return arrive


@contextmanager
def _answering() -> Iterator[None]:
    """Say what it means when an exchange fails."""
    try:
        yield
    except RuntimeError as error:
        said = str(error).splitlines()[0]
        raise RuntimeError(
            "ring_attention cannot go on: an exchange with the other processes failed, "
            f"as it does when one of them has ended: {said}"
        ) from error
