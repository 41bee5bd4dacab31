"""`ring_attention` on this computer, from a notebook: the processes are started, and end."""

import sys
from multiprocessing import set_forkserver_preload
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import Tensor
from torch.multiprocessing.spawn import start_processes

from course_attn.in_torch import ring_attention, ring_positions

__all__ = ["START", "run_ring"]

# On Linux one process imports PyTorch, at the first start, and all others are copies of it.
START = "forkserver" if sys.platform == "linux" else "spawn"


def run_ring(
    n_processes: int, Q: Tensor, K: Tensor, V: Tensor, *, causal: bool = False
) -> Tensor:
    """Share the positions among so many processes; return the outputs of all, in order."""
    out = torch.empty(*Q.shape[:-1], V.shape[-1], dtype=Q.dtype).share_memory_()
    if START == "forkserver":
        set_forkserver_preload([__name__])
    with TemporaryDirectory() as folder:
        meeting = Path(folder, "meeting").as_uri()
        shared = n_processes, meeting, Q, K, V, causal, out
        start_processes(_attend, shared, n_processes, start_method=START)
    return out


def _attend(
    rank: int,
    n_processes: int,
    meeting: str,
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    causal: bool,
    out: Tensor,
) -> None:
    """Be one of the processes, which find each other by a file."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=meeting, rank=rank, world_size=n_processes
    )
    here = ring_positions(Q.shape[-2], rank, n_processes)
    share = (X[..., here, :] for X in (Q, K, V))
    out[..., here, :] = ring_attention(*share, causal=causal)
    dist.destroy_process_group()
