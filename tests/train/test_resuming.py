"""Runs that end before their last step, and what is lost: nothing."""

import errno
import os
import shlex
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from course_attn.train import __main__, loop
from course_attn.train.log import Log
from tests.train import small


def at_step(monkeypatch: pytest.MonkeyPatch, step: int, act) -> None:
    """Do something while a step is computed."""
    drawn = loop.batch_starts

    def batch_starts(seed: int, now: int, *sizes: int):
        if now == step:
            act()
        return drawn(seed, now, *sizes)

    monkeypatch.setattr(loop, "batch_starts", batch_starts)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_saves_and_the_resumed_run_is_the_same_to_the_last_bit(
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: signal.Signals,
) -> None:
    """With dropout: its draws must not depend on where the run was stopped."""
    wanted = small.measured(small.train(text, tmp_path / "whole", dropout=0.3))
    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        at_step(patch, 5, lambda: signal.raise_signal(number))
        status = __main__.main(small.arguments(text, out, dropout=0.3))
    assert status == 128 + number
    assert small.checkpoints(out) == ["checkpoint-00000004", "checkpoint-00000005"]
    assert small.measured(out) == wanted[:6]
    said = capsys.readouterr().out
    assert "Stopped after step 5, which is saved" in said
    _, _, command = said.partition("Go on with: python -m course_attn.train ")
    assert __main__.main(shlex.split(command) + small.EVERY) == 0
    assert small.measured(out) == wanted


@pytest.fixture(
    params=[signal.default_int_handler, signal.SIG_IGN],
    ids=["foreground", "background"],
)
def started(request: pytest.FixtureRequest) -> Iterator[None]:
    """Stand for a shell: what it starts in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("started")
def test_signal_again_ends_at_once(
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    at_step(monkeypatch, 5, twice)
    assert __main__.main(small.arguments(text, tmp_path / "run")) == 130
    assert "stopped at once" in capsys.readouterr().err
    assert small.checkpoints(tmp_path / "run") == ["checkpoint-00000004"]


def test_run_that_lost_its_power_goes_on_from_the_last_checkpoint(
    whole: Path, tmp_path: Path
) -> None:
    """The table is ahead of the checkpoint, its last line is torn, a checkpoint half written."""
    out = shutil.copytree(whole, tmp_path / "run")
    (out / "checkpoint-00000008").rename(out / "checkpoint-00000008.part")
    with (out / "losses.csv").open("a", encoding="utf-8") as table:
        table.write("9,1.2")
    assert small.resume(out) == 0
    assert small.measured(out) == small.measured(whole)
    assert small.checkpoints(out) == small.checkpoints(whole)


def test_finished_run_is_left_as_it_is(whole: Path, tmp_path: Path) -> None:
    out = shutil.copytree(whole, tmp_path / "run")
    assert small.resume(out) == 0
    assert small.files(out) == small.files(whole)


@pytest.mark.parametrize("where", ["checkpoint", "writer", "facts", "table"])
def test_full_disk_is_named_and_loses_nothing(
    text: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    where: str,
) -> None:
    """The disk is full from step 5 on: in PyTorch's file, in our own, or in the table.

    `torch.save` says it in words of its own: those that it had for a disk that was really full.
    """
    out = tmp_path / "run"
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(out))

    def fail(*arguments: object) -> None:
        raise error

    def fail_to_save(*arguments: object) -> None:
        raise RuntimeError("[enforce fail at …:672] . unexpected pos 704 vs 598")

    def fail_for_facts(descriptor: int) -> None:
        if list(out.glob("*.part/.facts.json.*")):
            raise error

    def fail_for_data(descriptor: int) -> None:
        if list(out.glob("*.part/*.distcp")):
            raise error

    with monkeypatch.context() as patch:
        act = {
            "table": lambda: patch.setattr(Log, "add", fail),
            "facts": lambda: patch.setattr(os, "fsync", fail_for_facts),
            "writer": lambda: patch.setattr(torch, "save", fail_to_save),
            "checkpoint": lambda: patch.setattr(os, "fsync", fail_for_data),
        }[where]
        at_step(patch, 5, act)
        assert __main__.main(small.arguments(text, out)) == 1
    said = capsys.readouterr().err
    full = "is the disk full?" if where == "writer" else "No space left on device"
    assert full in said
    assert f"Go on with: python -m course_attn.train --out {out} --resume" in said
    # Half a checkpoint, which would take room for nothing, is gone.
    assert small.checkpoints(out) == ["checkpoint-00000004"]
    assert small.resume(out) == 0
    assert small.measured(out) == small.measured(whole)
    assert small.checkpoints(out) == small.checkpoints(whole)


# --- checkpoints that cannot be used ------------------------------------------------------------


def shorten(checkpoint: Path) -> None:
    data = (checkpoint / "__0_0.distcp").read_bytes()
    (checkpoint / "__0_0.distcp").write_bytes(data[: len(data) // 2])


def flip_a_bit(checkpoint: Path) -> None:
    data = bytearray((checkpoint / "__0_0.distcp").read_bytes())
    data[len(data) // 2] ^= 1
    (checkpoint / "__0_0.distcp").write_bytes(data)


def foreign(checkpoint: Path) -> None:
    (checkpoint / "facts.json").write_text('{"format": "other"}', "utf-8")


DAMAGES = {
    "shortened": (shorten, "__0_0.distcp is not as it was written"),
    "one bit": (flip_a_bit, "__0_0.distcp is not as it was written"),
    "missing": (lambda c: (c / "__0_0.distcp").unlink(), "__0_0.distcp is missing"),
    "no facts": (
        lambda c: (c / "facts.json").unlink(),
        "cannot be read as a checkpoint",
    ),
    "torn facts": (
        lambda c: (c / "facts.json").write_text('{"format": '),
        "cannot be read as a checkpoint",
    ),
    "other facts": (
        lambda c: (c / "facts.json").write_text("[1]"),
        "cannot be read as a checkpoint",
    ),
    "foreign": (foreign, "is of another kind"),
}


def test_damaged_checkpoint_is_named_and_the_one_before_serves(
    whole: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    for name, (damage, says) in DAMAGES.items():
        with subtests.test(name=name):
            out = shutil.copytree(whole, tmp_path / name)
            damage(out / "checkpoint-00000008")
            before = small.files(out)
            assert small.resume(out) == 1
            said = capsys.readouterr().err
            assert says in said
            assert "to go on from checkpoint-00000004" in said
            assert small.files(out) == before
    shutil.rmtree(out / "checkpoint-00000008")
    assert small.resume(out) == 0
    assert small.measured(out) == small.measured(whole)


def test_checkpoint_of_other_settings_is_refused_with_what_differs(
    text: Path,
    whole: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    before = small.files(whole)
    other = tmp_path / "other.txt"
    other.write_text(text.read_text("utf-8").replace("not", "now"), "utf-8")
    given = [f"--out={whole}", "--resume", "--device=cpu"]
    for more, *says in (
        (["--width=16", "--seed=3"], "--width 16, not 8", "--seed 3, not 0"),
        (["--steps=9"], "--steps 9, not 8"),
        ([f"--text={other}"], "another text"),
    ):
        with subtests.test(more=more):
            assert __main__.main([*given, *more]) == 1
            said = capsys.readouterr().err
            assert all(part in said for part in says)
            assert small.files(whole) == before
    # What is said again and is the same is no difference.
    assert (
        __main__.main([*given, "--width=8", f"--text={text}", "--validate-every=0"])
        == 0
    )


def test_run_that_has_saved_nothing_says_how_to_begin_again(
    text: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    given = small.arguments(text, out)
    with monkeypatch.context() as patch:

        def fail(*arguments: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        at_step(patch, 2, lambda: patch.setattr(Log, "add", fail))
        assert __main__.main(given) == 1
    assert "Nothing was saved yet: begin again" in capsys.readouterr().err
    assert __main__.main(given) == 2
    assert "--resume-if-any to begin it anew" in capsys.readouterr().err
    assert __main__.main([*given, "--resume-if-any"]) == 0
    assert small.measured(out) == small.measured(whole)
    # And where there is a checkpoint, it goes on there.
    shutil.rmtree(out / "checkpoint-00000008")
    assert __main__.main([*given, "--resume-if-any"]) == 0
    assert small.measured(out) == small.measured(whole)


def test_resume_needs_a_checkpoint(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*small.arguments(text, tmp_path / "new"), "--resume"]
    assert __main__.main(given) == 1
    assert "--resume needs a checkpoint in --out" in capsys.readouterr().err
