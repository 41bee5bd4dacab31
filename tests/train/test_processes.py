"""Several processes give what one gives, whatever happens to them on the way.

Each start of ``torchrun`` imports PyTorch three times, which is most of what these tests take.
"""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course_attn.train.__main__ import main
from tests.conftest import ROOT
from tests.train import small

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.name == "nt", reason="PyTorch for Windows has no torchrun"
    ),
]


ALONE = ["--standalone", "--nproc-per-node=2"]


def start(
    *command: str,
    where: list[str],
    interfere: str | None = None,
    max_restarts: int = 0,
    **environment: str,
) -> subprocess.Popen[str]:
    """Start the command in the processes of one computer."""
    module = "tests.train.interfere" if interfere else "course_attn.train"
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "torch.distributed.run", *where),
            *(f"--max-restarts={max_restarts}", "-m", module, *command),
        ],
        cwd=ROOT,
        env=os.environ
        | {"INTERFERE": interfere or "", "OMP_NUM_THREADS": "1"}
        | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of a run; return its status and what it said."""
    try:
        out, err = run.communicate(timeout=1_200)
    except subprocess.TimeoutExpired:
        # Asked politely, torchrun ends its processes, too.
        run.terminate()
        out, err = run.communicate(timeout=300)
        pytest.fail(f"{out}\n{err}\nis not over after 20 minutes")
    return run.returncode, out, err


def torchrun(*command: str, **options: Any) -> tuple[int, str, str]:
    """Run the command in two processes, which find each other at a free port."""
    return ended(start(*command, where=ALONE, **options))


def test_two_processes_have_the_losses_of_one_and_it_can_read_what_they_wrote(
    text: Path, whole: Path, tmp_path: Path
) -> None:
    """Process 1 alone is asked to stop; both do, after a step that both have done."""
    out = tmp_path / "run"
    given = small.arguments(text, out)
    _, said, errors = torchrun(*given, interfere=f"SIGINT 5 {tmp_path}/done")
    assert "Stopped after step 6" in said, errors
    assert "--nproc-per-node=2" in said
    assert small.checkpoints(out) == [
        "checkpoint-00000004.pt",
        "checkpoint-00000006.pt",
    ]
    assert small.resume(out) == 0
    small.assert_close(out, whole)


@pytest.mark.exhaustive
def test_two_processes_can_read_what_one_wrote(whole: Path, tmp_path: Path) -> None:
    out = shutil.copytree(whole, tmp_path / "run")
    (out / "checkpoint-00000008.pt").unlink()
    given = [f"--out={out}", "--device=cpu", "--resume", *small.EVERY]
    status, _, errors = torchrun(*given)
    assert status == 0, errors
    small.assert_close(out, whole)


@pytest.mark.exhaustive
def test_killed_process_is_started_again_and_nothing_is_lost(
    text: Path, whole: Path, tmp_path: Path
) -> None:
    """Kill -9 in step 7: both go on behind the checkpoint of step 4, by themselves."""
    out = tmp_path / "run"
    given = small.arguments(text, out)
    status, _, errors = torchrun(
        *given, interfere=f"SIGKILL 7 {tmp_path}/done", max_restarts=1
    )
    assert status == 0, errors
    assert "exitcode: -9" in errors
    small.assert_close(out, whole)


@pytest.mark.exhaustive
def test_batch_that_cannot_be_divided_is_refused(
    text: Path, tmp_path: Path
) -> None:
    given = small.arguments(text, tmp_path / "run", batch=3)
    status, _, errors = torchrun(*given)
    assert status != 0
    says = "--batch must be a multiple of the number of processes = 2, got 3"
    assert says in errors
    assert not (tmp_path / "run").exists()


def test_several_computers_restart_only_with_a_new_store_for_each_start(
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in (
        ("TORCHELASTIC_RUN_ID", "x"),
        ("TORCHELASTIC_USE_AGENT_STORE", "True"),
        ("TORCHELASTIC_MAX_RESTARTS", "3"),
        ("LOCAL_WORLD_SIZE", "1"),
        ("WORLD_SIZE", "2"),
    ):
        monkeypatch.setenv(name, value)
    assert main(small.arguments(text, tmp_path / "run")) == 2
    assert "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_two_computers_go_on_together_when_one_loses_its_process(
    text: Path, whole: Path, tmp_path: Path
) -> None:
    """As on two computers, each with a `torchrun` of its own: only one counts a restart."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    where = [
        "--nnodes=2",
        "--nproc-per-node=1",
        "--rdzv-backend=c10d",
        "--rdzv-id=x",
    ]
    where.append(f"--rdzv-endpoint=localhost:{port}")
    out = tmp_path / "run"
    given = small.arguments(text, out)
    options = {
        "where": where,
        "interfere": f"SIGKILL 7 {tmp_path}/done",
        "max_restarts": 1,
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }
    runs = [start(*given, **options) for _ in range(2)]
    results = [ended(run) for run in runs]
    assert [status for status, *_ in results] == [0, 0], results
    assert sum("exitcode: -9" in errors for *_, errors in results) == 1
    small.assert_close(out, whole)
