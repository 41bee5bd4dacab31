"""Attention on several processes is that of one, whichever of them has which positions.

Each number of processes is started once; see `in_ring.py` for what they do. These tests are about
what came of it.
"""

import signal
import sys
from math import prod
from multiprocessing import set_forkserver_preload
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.multiprocessing import get_context

from course_attn.chapters.fast.ring import START, run_ring
from course_attn.costs import ring_bytes, ring_flops
from course_attn.in_torch import attention, causal_mask
from course_attn.in_torch.fast_ring import ring_attention, ring_positions
from tests.chapters.fast import in_ring
from tests.chapters.fast.in_ring import CASES, Case
from tests.support.comparison import HALF, TOLERANCE, assert_close

TOLERANCES = TOLERANCE | {"bfloat16": 2 * HALF["bfloat16"]}


@pytest.fixture(scope="module", params=[2, 3])
def folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Start two processes, then three, which end by themselves; return where they wrote."""
    if sys.platform == "win32":
        pytest.skip("Windows has no signal that kills")
    n, folder = request.param, tmp_path_factory.mktemp("ring")
    context: Any = get_context(START)
    set_forkserver_preload([in_ring.__name__])
    processes = [
        context.Process(target=in_ring.be_one, args=(rank, n, folder))
        for rank in range(n)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=600)
        process.kill()
        process.join()
    ended = [process.exitcode for process in processes]
    assert ended == [0, -signal.SIGKILL, 0][:n]
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> list[dict[str, Any]]:
    """Return what each process found."""
    paths = sorted(folder.glob("*.pt"))
    return [torch.load(path, weights_only=False) for path in paths]


# --- the same as one process's --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_ring_attention_is_attention_with_its_gradients(
    name: str, found: list[dict[str, Any]]
) -> None:
    assert_attention(CASES[name], [of[name] for of in found])


def assert_attention(case: Case, results: list[dict[str, Any]]) -> None:
    """Compare what the processes have, each at its positions, with what one computes."""
    *QKV, d_out = (X.double() for X in case.inputs())
    QKV = [X.requires_grad_() for X in QKV]
    full = [X.expand(*case.batch, -1, -1) for X in QKV]
    out = attention(*full, **case.options)
    (out * d_out).sum().backward()
    wanted = {"out": out} | {
        f"d{n}": X.grad for n, X in zip("QKV", QKV, strict=True)
    }
    for rank, result in enumerate(results):
        here = case.positions(rank, len(results))
        for name, array in wanted.items():
            assert result[name].dtype == case.dtype
            tolerance = TOLERANCES[str(case.dtype).removeprefix("torch.")]
            assert_close(result[name], array[..., here, :], tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("folder", [3], indirect=True)
def test_ring_attention_works_in_a_part_of_the_processes(
    found: list[dict[str, Any]],
) -> None:
    pair = [found[rank]["in a pair"] for rank in (0, 2)]
    assert_attention(CASES["causal"], pair)
    assert found[1]["outside"].startswith("TypeError: group must be a ProcessGroup")


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_run_ring_puts_the_outputs_together(causal: bool) -> None:
    Q, K, V, _ = CASES["causal"].inputs()
    wanted = attention(Q, K, V, causal=causal)
    assert_close(run_ring(2, Q, K, V, causal=causal), wanted, 1e-12)


# --- the same work for all ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_ring_attention_sends_and_computes_what_the_costs_say_on_each_process(
    name: str, found: list[dict[str, Any]]
) -> None:
    case, P = CASES[name], len(found)
    of_keys = case.batch if case.of_keys is None else case.of_keys
    widths = {"d_k": 5, "d_v": 7, "n_processes": P}
    for direction in ("forward", "backward"):
        back = {"backward": direction == "backward"}
        n_bytes = ring_bytes(
            case.n,
            n_kv_heads=prod(of_keys),
            itemsize=case.dtype.itemsize,
            **widths,
            **back,
        )
        flops = ring_flops(
            case.n,
            n_heads=prod(case.batch),
            causal="causal" in case.options,
            **widths,
            **back,
        )
        assert [of[name][direction] for of in found] == [(n_bytes, flops)] * P


@pytest.mark.parametrize("n_processes", [1, 2, 3, 7])
def test_ring_positions_give_each_process_as_many_keys_to_see(
    n_processes: int,
) -> None:
    n = 10 * n_processes
    mine = [ring_positions(n, rank, n_processes) for rank in range(n_processes)]
    assert sorted(torch.cat(mine).tolist()) == list(range(n))
    seen = [causal_mask(n)[here].sum().item() for here in mine]
    assert seen == [n * (n + 1) // (2 * n_processes)] * n_processes


# --- what is refused ------------------------------------------------------------------------------


REFUSED = {
    "lengths": "ValueError: the shape of Q must be the same on all processes, got (4, 3) on "
    "process 0 and (6, 3) on process {last} of the group",
    "widths": "ValueError: the shape of V must be the same on all processes, got (4, 2) on "
    "process 0 and (4, 3) on process {last} of the group",
    "dtypes": "ValueError: the dtype of Q, K and V must be the same on all processes, got "
    "torch.float32 on process 0 and torch.float64 on process {last} of the group",
    "causal": "ValueError: causal must be the same on all processes, got False on process 0 and "
    "True on process {last} of the group",
    "scale": "ValueError: scale must be the same on all processes, got 1.0 on process 0 and 2.0 "
    "on process {last} of the group",
    "gradients": "ValueError: whether a gradient is needed must be the same on all processes, "
    "got False on process 0 and True on process {last} of the group",
    "odd": "ValueError: Q must have an even number of positions under causal, as "
    "ring_positions gives, got shape (5, 3)",
    "alone": "ValueError: group must have several processes, got 1: use fused_attention",
    "twice": "RuntimeError: ring_attention has no gradients of gradients: leave create_graph "
    "at False",
}


@pytest.mark.slow
@pytest.mark.parametrize("about", REFUSED)
def test_ring_attention_refuses_alike_on_all_processes_and_goes_on(
    about: str, found: list[dict[str, Any]]
) -> None:
    wanted = REFUSED[about].format(last=len(found) - 1)
    assert [of[f"refused: {about}"] for of in found] == [wanted] * len(found)


@pytest.mark.slow
def test_ring_attention_ends_in_all_processes_when_one_is_killed(
    folder: Path,
) -> None:
    said = [path.read_text(encoding="utf-8") for path in folder.glob("*.txt")]
    assert len(said) == len(list(folder.glob("*.pt"))) - 1
    for line in said:
        assert line.startswith(
            "RuntimeError: ring_attention cannot go on: an exchange "
        )
        assert "\n" not in line


def test_ring_attention_needs_processes() -> None:
    Q = torch.ones(4, 3)
    with pytest.raises(
        RuntimeError, match="init_process_group first, or fused_attention"
    ):
        ring_attention(Q, Q, Q)


def test_ring_positions_refuse_what_cannot_be_cut_and_who_is_not_there() -> None:
    with pytest.raises(
        ValueError, match="n must be a multiple of 2 n_processes = 6, got 10"
    ):
        ring_positions(10, 0, 3)
    with pytest.raises(
        ValueError, match="rank must be less than n_processes = 3, got 3"
    ):
        ring_positions(12, 3, 3)
