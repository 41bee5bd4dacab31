"""One process or several: who takes which part, and what they tell each other.

``torchrun`` starts the processes, on one computer or on several, and says in environment variables
which one each is. Without it there is one, and nothing here needs a network.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

__all__ = ["Group", "join", "pick_device"]


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
        if self.size == 1:
            return [thing]
        things = [None] * self.size
        dist.all_gather_object(things, thing)
        return things

    def together(self, act: Callable[[], None], *, all_ranks: bool = False) -> None:
        """Let the first process (or all) do something, and raise the same error in all."""
        error = None
        if all_ranks or self.rank == 0:
            try:
                act()
            except Exception as caught:
                error = caught
        found = [error, *self.gather(error)]
        first = next((e for e in found if e is not None), None)
        if first is not None:
            raise first


def pick_device(name: str) -> torch.device:
    """Return the device of that name; "auto" is a GPU if there is one.

    Raises
    ------
    ValueError
        If PyTorch cannot use it here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        if (
            device.type == "cuda"
            and device.index is None
            and torch.cuda.is_available()
        ):
            device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        said = str(error).splitlines()[0]
        raise ValueError(
            f"--device must be auto, cpu, or a device that PyTorch finds here, "
            f"got {name}: {said}"
        ) from None
    return device


@contextmanager
def join(device: torch.device) -> Iterator[Group]:
    """Join the processes that ``torchrun`` has started, or stay alone."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        yield Group()
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    store, rank, size = next(rendezvous("env://"))
    dist.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        store=PrefixStore(_room(store, rank, size), store),
        rank=rank,
        world_size=size,
    )
    yield Group(dist.get_rank(), dist.get_world_size())
    # Not after an error: others may be gone, and this would wait for them.
    dist.destroy_process_group()


def _room(store: Any, rank: int, size: int) -> str:
    """Agree on a new name under which these processes leave each other their addresses.

    `torchrun` keeps one store for all restarts. What processes that are gone have left there must
    not be taken for that of those that are here: so the first process invents a name, and each of
    the others believes in it once its own, new as well, is on the list that the first gives.
    """
    me = uuid4().hex
    if rank == 0:
        store.set("room", me)
        names = [
            store.get(f"{me}/{other}") for other in range(1, size)
        ]  # waits for each
        store.set(f"{me}/list", b" ".join(names))
        return me
    while True:
        room = store.get("room").decode()
        store.set(f"{room}/{rank}", me)
        on_list = f"{room}/list"
        if store.check([on_list]) and me.encode() in store.get(on_list).split():
            return room
        time.sleep(0.02)
