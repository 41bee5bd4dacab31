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
    drawn = loop.draw_starts

    def draw_starts(seed: int, now: int, *sizes: int):
        if now == step:
            act()
        return drawn(seed, now, *sizes)

    monkeypatch.setattr(loop, "draw_starts", draw_starts)


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
    assert small.checkpoints(out) == [
        "checkpoint-00000004.pt",
        "checkpoint-00000005.pt",
    ]
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
    assert small.checkpoints(tmp_path / "run") == ["checkpoint-00000004.pt"]


def test_run_that_lost_its_power_goes_on_from_the_last_checkpoint(
    whole: Path, tmp_path: Path
) -> None:
    """The table is ahead and torn, the texts are lost, and a checkpoint is half written."""
    out = shutil.copytree(whole, tmp_path / "run")
    torn = out / ".checkpoint-00000008.pt.0a1b2c3d"
    (out / "checkpoint-00000008.pt").rename(torn)
    with (out / "losses.csv").open("ab") as table:
        table.write(b"9,1.2\xff")
    (out / "samples.json").write_text("[", "utf-8")
    assert small.resume(out) == 0
    assert small.measured(out) == small.measured(whole)
    assert small.checkpoints(out) == small.checkpoints(whole)
    assert (out / "samples.json").read_bytes() == (
        whole / "samples.json"
    ).read_bytes()
    assert not torn.exists()


def test_finished_run_is_left_as_it_is(whole: Path, tmp_path: Path) -> None:
    out = shutil.copytree(whole, tmp_path / "run")
    assert small.resume(out) == 0
    assert small.files(out) == small.files(whole)


@pytest.mark.parametrize("where", ["checkpoint", "table"])
def test_full_disk_is_named_and_loses_nothing(
    text: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    where: str,
) -> None:
    """The disk is full from step 5 on."""
    out = tmp_path / "run"
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(out))

    def fail(*arguments: object) -> None:
        raise error

    def fail_for_checkpoint(descriptor: int) -> None:
        if list(out.glob(".checkpoint-*")):
            raise error

    with monkeypatch.context() as patch:
        act = {
            "table": lambda: patch.setattr(Log, "add", fail),
            "checkpoint": lambda: patch.setattr(os, "fsync", fail_for_checkpoint),
        }[where]
        at_step(patch, 5, act)
        assert __main__.main(small.arguments(text, out)) == 1
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert f"Go on with: python -m course_attn.train --out {out} --resume" in said
    # Half a checkpoint, which would take room for nothing, is gone.
    assert not list(out.glob(".*"))
    assert small.checkpoints(out) == ["checkpoint-00000004.pt"]
    assert small.resume(out) == 0
    assert small.measured(out) == small.measured(whole)
    assert small.checkpoints(out) == small.checkpoints(whole)


# --- checkpoints that cannot be used ------------------------------------------------------------


def shorten(checkpoint: Path) -> None:
    data = checkpoint.read_bytes()
    checkpoint.write_bytes(data[: len(data) // 2])


def flip_a_bit(checkpoint: Path) -> None:
    """In one of the numbers of the embedding."""
    data = bytearray(checkpoint.read_bytes())
    state = torch.load(checkpoint, weights_only=True)
    data[data.index(state["model"]["embedding"].numpy().tobytes()) + 5] ^= 1
    checkpoint.write_bytes(data)


class Trap:
    """What runs when it is read by `pickle`."""

    def __reduce__(self) -> tuple:
        return exec, ("raise SystemExit('caught')",)


DAMAGES = {
    "shortened": (shorten, "it is damaged (BadZipFile)"),
    "one bit": (flip_a_bit, "it is damaged (ValueError)"),
    "empty": (lambda c: c.write_bytes(b""), "cannot be read as a checkpoint"),
    "text": (lambda c: c.write_text('{"format": '), "cannot be read"),
    "folder": (lambda c: (c.unlink(), c.mkdir()), "(IsADirectoryError)"),
    "other": (lambda c: torch.save([1], c), "cannot be read as a checkpoint"),
    "trap": (lambda c: torch.save(Trap(), c), "(UnpicklingError)"),
    "foreign": (
        lambda c: torch.save({"format": "other"}, c),
        "is of another kind",
    ),
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
            damage(out / "checkpoint-00000008.pt")
            before = small.files(out)
            assert small.resume(out) == 1
            said = capsys.readouterr().err
            assert says in said
            assert "to go on from checkpoint-00000004.pt" in said
            assert small.files(out) == before
    (out / "checkpoint-00000008.pt").unlink()
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
    (out / "checkpoint-00000008.pt").unlink()
    assert __main__.main([*given, "--resume-if-any"]) == 0
    assert small.measured(out) == small.measured(whole)


def test_resume_needs_a_checkpoint(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*small.arguments(text, tmp_path / "new"), "--resume"]
    assert __main__.main(given) == 1
    assert "--resume needs a checkpoint in --out" in capsys.readouterr().err
