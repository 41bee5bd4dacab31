"""One process or several: who takes which part, and what they tell each other.

``torchrun`` starts the processes, on one computer or on several, and says in environment variables
which one each is. Without it there is one, and nothing here needs a network.
"""

import os
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

__all__ = ["Group", "join", "pick_device"]

T = TypeVar("T")


@dataclass(frozen=True)
class Group:
    """One process among the `size` that train a model together; the first has the rank 0."""

    rank: int = 0
    size: int = 1

    def share(self, things: Any) -> Any:
        """Return the part of this process; those of all, side by side, are the whole.

        Examples
        --------
        >>> Group(rank=1, size=3).share("abcdef"), Group(rank=0, size=3).share("abcd")
        ('cd', 'a')
        """
        n = len(things)
        start, end = (n * r // self.size for r in (self.rank, self.rank + 1))
        return things[start:end]

    def sum(self, numbers: Tensor) -> Tensor:
        """Add up what all processes give."""
        if self.size > 1:
            dist.all_reduce(numbers)
        return numbers

    def gather(self, thing: Any) -> list[Any]:
        """Return what all processes give, in the order of their ranks; each waits for all."""
        things = [thing] * self.size
        if self.size > 1:
            dist.all_gather_object(things, thing)
        return things

    def let_first(self, act: Callable[[], T]) -> T:
        """Let the first process act; return its result, or raise its error, in all."""
        outcome: list[Any] = [None, None]
        if self.rank == 0:
            try:
                outcome[0] = act()
            except Exception as raised:
                outcome[1] = raised
        if self.size > 1:
            dist.broadcast_object_list(outcome)
        result, error = outcome
        if error is not None:
            raise error
        return result


def pick_device(name: str) -> torch.device:
    """Return the device of that name; "auto" is a GPU if there is one.

    Raises
    ------
    ArgumentTypeError
        If PyTorch cannot use it here.
    """
    found = torch.cuda.is_available()
    if name == "auto":
        name = "cuda" if found else "cpu"
    try:
        device = torch.device(name)
        if device.type == "cuda" and device.index is None and found:
            device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        # A device without numbers, as "meta", fails here.
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        said = str(error).splitlines()[0]
        raise ArgumentTypeError(
            "must be auto, cpu, or a device that PyTorch finds here, "
            f"got {name}: {said}"
        ) from None
    return device


@contextmanager
def join(device: torch.device) -> Iterator[Group]:
    """Join the processes that ``torchrun`` has started, or stay alone."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        yield Group()
        return
    shared = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    alone = os.environ["LOCAL_WORLD_SIZE"] == os.environ["WORLD_SIZE"]
    if shared and not alone and os.environ["TORCHELASTIC_MAX_RESTARTS"] != "0":
        # Each computer counts the restarts for itself.
        raise ValueError(
            "restarts on several computers need --rdzv-backend=c10d, and in the environment "
            "of each torchrun TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1"
        )
    if device.type == "cuda":
        torch.cuda.set_device(device)
    store, rank, size = next(rendezvous("env://"))
    if shared:
        # One store serves all restarts: each gets a part of its own, so that nobody takes
        # the address of a process that is gone for that of one that is here.
        store = PrefixStore(os.environ["TORCHELASTIC_RESTART_COUNT"], store)
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=size)
    yield Group(rank, size)
    # Not after an error: others may be gone, and this would wait for them.
    dist.destroy_process_group()
