"""What each process of a ring does in the tests: it saves what it found; then one dies."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch import Tensor

from course_attn.in_torch import fast_ring
from course_attn.in_torch.fast_ring import ring_attention, ring_positions


class Case(NamedTuple):
    """One call; the sizes are those of the whole sequence."""

    n: int = 24
    batch: tuple[int, ...] = ()
    of_keys: tuple[int, ...] | None = None  # their leading axes, if other ones
    dtype: torch.dtype = torch.float64
    options: dict[str, Any] = {}

    def inputs(self) -> list[Tensor]:
        """Return Q, K, V, and the weights of the sum of outputs that is differentiated."""
        draw = torch.Generator().manual_seed(0)
        of_keys = self.batch if self.of_keys is None else self.of_keys
        shapes = [(*of, self.n, d) for of, d in (
            (self.batch, 5), (of_keys, 5), (of_keys, 7), (self.batch, 7)
        )]  # fmt: skip
        wide = [torch.randn(s, generator=draw, dtype=torch.float64) for s in shapes]
        return [X.to(self.dtype) for X in wide]

    def positions(self, rank: int, n_processes: int) -> Tensor:
        """Return those of a process; without `causal` any will do, an odd number too."""
        if self.options.get("causal"):
            return ring_positions(self.n, rank, n_processes)
        return torch.arange(self.n).chunk(n_processes)[rank]


CAUSAL = {"causal": True}
CASES = {
    "all to all": Case(batch=(2, 3)),
    "causal": Case(batch=(2, 3), options=CAUSAL),
    "an odd number of positions": Case(n=42),
    "causal, without leading axes": Case(options=CAUSAL),
    "heads that share keys": Case(batch=(2, 3), of_keys=(2, 1), options=CAUSAL),
    "sequences that share keys": Case(batch=(2, 3), of_keys=(3,)),
    "another scale": Case(options={"causal": True, "scale": -0.7}),
    "equal weights": Case(options={"causal": True, "scale": 0.0}),
    "one position in a chunk": Case(n=12, options=CAUSAL),
    "float32": Case(batch=(3,), dtype=torch.float32, options=CAUSAL),
    "bfloat16": Case(batch=(3,), dtype=torch.bfloat16, options=CAUSAL),
}


def be_one(rank: int, n_processes: int, folder: Path) -> None:
    """Join the others, try everything, and save what came of it."""
    torch.set_num_threads(1)
    meeting = (folder / "meeting").as_uri()
    dist.init_process_group(
        "gloo",
        init_method=meeting,
        timeout=timedelta(minutes=3),  # where one would wait forever
        rank=rank,
        world_size=n_processes,
    )
    found: dict[str, Any] = {name: attend(case) for name, case in CASES.items()}
    found |= {f"refused: {about}": said for about, said in refusals().items()}
    if n_processes == 3:
        found |= in_a_pair(rank)
    torch.save(found, folder / f"{rank}.pt")
    # In its way forward among two, in its way back among three.
    said = said_of(go_on, dies_at=2 * n_processes - 2 if rank == 1 else None)
    (folder / f"{rank}.txt").write_text(said, encoding="utf-8")


def attend(
    case: Case, group: dist.ProcessGroup | None = None
) -> dict[str, Tensor | int]:
    """Compute outputs and gradients of this process's positions; count bytes and operations."""
    rank, n_processes = dist.get_rank(group), dist.get_world_size(group)
    here = case.positions(rank, n_processes)
    *QKV, d_out = (X[..., here, :] for X in case.inputs())
    # Not contiguous, as the heads of a layer are not.
    QKV = [X.mT.contiguous().mT.requires_grad_() for X in QKV]
    with counted() as forward:
        out = ring_attention(*QKV, **case.options, group=group)
    with counted() as backward:
        (out * d_out).sum().backward()
    results = {"out": out.detach()}
    results |= {f"d{name}": X.grad for name, X in zip("QKV", QKV, strict=True)}
    return (
        results
        | {"forward": (forward.sent, forward.flops)}
        | {"backward": (backward.sent, backward.flops)}
    )


class Counts:
    """The bytes that this process sends, and the operations of its products."""

    sent = flops = 0


@contextmanager
def counted() -> Iterator[Counts]:
    counts, begin, multiply = Counts(), dist.batch_isend_irecv, Tensor.__matmul__

    def begin_counted(operations: list[dist.P2POp]) -> list[dist.Work]:
        sends = [p.tensor for p in operations if p.op is dist.isend]
        counts.sent += sum(X.numel() * X.element_size() for X in sends)
        return begin(operations)

    def multiply_counted(A: Tensor, B: Tensor) -> Tensor:
        product = multiply(A, B)
        counts.flops += 2 * product.numel() * A.shape[-1]
        return product

    with (
        patch.object(dist, "batch_isend_irecv", begin_counted),
        patch.object(Tensor, "__matmul__", multiply_counted),
    ):
        yield counts


def said_of(act: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the error."""
    try:
        act(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def refusals() -> dict[str, str]:
    """Give each process something else; all must go on afterward."""
    rank, n_processes = dist.get_rank(), dist.get_world_size()
    is_last = rank == n_processes - 1
    Q = torch.ones(4, 3)
    longer = torch.ones(6 if is_last else 4, 3)
    alone = [dist.new_group([r]) for r in range(n_processes)][rank]
    out = ring_attention(*[Q.clone().requires_grad_()] * 3)
    calls: dict[str, tuple[list[Tensor], dict[str, Any]]] = {
        "lengths": ([longer] * 3, {}),
        "widths": ([Q, Q, Q[:, : 2 + is_last]], {}),
        "dtypes": ([Q.double() if is_last else Q] * 3, {}),
        "causal": ([Q] * 3, {"causal": is_last}),
        "scale": ([Q] * 3, {"scale": 1.0 + is_last}),
        "gradients": ([Q, Q, Q.clone().requires_grad_(is_last)], {}),
        "odd": ([torch.ones(5, 3)] * 3, {"causal": True}),
        "alone": ([Q] * 3, {"group": alone}),
    }
    said = {
        about: said_of(ring_attention, *arrays, **options)
        for about, (arrays, options) in calls.items()
    }
    return said | {"twice": said_of(out.sum().backward, create_graph=True)}


def in_a_pair(rank: int) -> dict[str, Any]:
    """Compute in a group of the processes 0 and 2; process 1 has no part in it."""
    pair = dist.new_group([0, 2])
    if rank == 1:
        Q = torch.ones(4, 3)
        return {"outside": said_of(ring_attention, Q, Q, Q, group=pair)}
    return {"in a pair": attend(CASES["causal"], pair)}


def go_on(dies_at: int | None) -> None:
    """Train until something ends it; for one process this is a certain block of scores."""
    compute, calls = fast_ring._scores, count(1)

    def scores(*args: Any) -> Tensor:
        if next(calls) == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return compute(*args)

    Q = torch.ones(4, 3, requires_grad=True)
    with patch.object(fast_ring, "_scores", scores):
        while True:
            ring_attention(Q, Q, Q).sum().backward()
