"""What a run does and leaves behind, and what it refuses."""

import io
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from course_attn.in_numpy import cross_entropy, gpt
from course_attn.in_torch import GPT
from course_attn.text import PLAIN, Characters, course_text
from course_attn.train import __main__, batches, loop
from course_attn.train.processes import Group
from course_attn.train.settings import Settings
from tests.train import small


def test_training_measures_every_step_and_validates_where_it_should(
    whole: Path,
) -> None:
    rows = small.measured(whole)
    settings = Settings(**small.SETTINGS)
    assert [row.step for row in rows] == list(range(9))
    assert [row.step for row in rows if row.validation is not None] == [0, 4, 8]
    assert rows[0].loss is None
    assert all(
        row.learning_rate == loop.learning_rate(settings, row.step)
        for row in rows[1:]
    )
    assert rows[-1].validation < rows[0].validation


def test_training_leaves_a_curve_a_text_and_its_last_checkpoints(
    whole: Path,
) -> None:
    assert small.checkpoints(whole) == [
        "checkpoint-00000004.pt",
        "checkpoint-00000008.pt",
    ]
    samples = json.loads((whole / "samples.json").read_text("utf-8"))
    assert {step: len(text) for step, text in samples.items()} == {"4": 300}
    drawn = ElementTree.parse(whole / "losses.svg").getroot()
    assert drawn.tag.endswith("svg")
    assert not [path for path in whole.rglob("*") if path.name.endswith(".part")]


def test_training_gives_the_losses_of_a_plain_loop(
    text: Path, tmp_path: Path
) -> None:
    """The same model and batches; optimizer, clipping and schedule written anew."""
    wanted = Settings(**small.SETTINGS, clip=0.3, weight_decay=0.2, seed=5)
    written = text.read_text("utf-8")
    characters = Characters(sorted(set(written)))
    tokens = characters.encode(written[: len(written) - round(len(written) / 10)])
    model = GPT(wanted.config(len(characters)))
    model.reset_parameters(torch.Generator().manual_seed(5))
    momenta = [
        (torch.zeros_like(p), torch.zeros_like(p)) for p in model.parameters()
    ]
    losses = []
    for step in range(1, 9):
        starts = batches.draw_starts(5, step, 4, len(tokens) - 7)
        read = torch.tensor(np.stack([tokens[s : s + 8] for s in starts]))
        probs = model(read[:, :-1]).softmax(-1)
        of_targets = probs[np.arange(4)[:, None], np.arange(7), read[:, 1:]]
        loss = -of_targets.log().mean()
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        length = math.sqrt(sum((g**2).sum().item() for g in gradients))
        turn = (step - 2) / 6 * math.pi
        rate = 0.01 * (
            step / 2 if step < 2 else 0.1 + 0.9 * (1 + math.cos(turn)) / 2
        )
        with torch.no_grad():
            for p, g, (m, v) in zip(
                model.parameters(), gradients, momenta, strict=True
            ):
                g = g * min(1.0, 0.3 / length)
                m += 0.1 * (g - m)
                v += 0.05 * (g * g - v)
                p *= 1 - rate * (0.2 if p.ndim == 2 else 0)
                p -= (
                    rate
                    * m
                    / (1 - 0.9**step)
                    / ((v / (1 - 0.95**step)).sqrt() + 1e-8)
                )
    out = small.train(text, tmp_path / "run", clip=0.3, weight_decay=0.2, seed=5)
    found = [row.loss for row in small.measured(out)[1:]]
    assert found == pytest.approx(losses, rel=1e-5)


def test_training_in_bfloat16_stays_near_float32(
    text: Path, whole: Path, tmp_path: Path
) -> None:
    mixed = small.measured(small.train(text, tmp_path / "run", dtype="bfloat16"))
    for row, exact in zip(mixed[1:], small.measured(whole)[1:], strict=True):
        assert row.loss == pytest.approx(exact.loss, rel=0.01)
    assert mixed[1:] != small.measured(whole)[1:]


@pytest.mark.slow
@pytest.mark.exhaustive
def test_training_compiled_has_the_same_losses(
    text: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert __main__.main([*small.arguments(text, out), "--compile"]) == 0
    small.assert_close(out, whole)


def test_validation_loss_is_the_mean_over_stretches_side_by_side() -> None:
    """By the NumPy twin, one stretch after the other."""
    model = GPT(Settings(**small.SETTINGS).config(11))
    tokens = np.random.default_rng(0).integers(11, size=300)
    params = {name: array.numpy() for name, array in model.state_dict().items()}
    found = [
        cross_entropy(gpt(some[:-1], params, n_heads=2), some[1:])
        for some in (tokens[s : s + 8] for s in range(0, 300 - 7, 7))
    ]
    wanted = np.mean(found)
    assert loop.validation_loss(model, torch.tensor(tokens)) == pytest.approx(
        wanted
    )


def test_batch_is_the_same_for_any_number_of_processes() -> None:
    starts = batches.draw_starts(3, 14, 12, 1000)
    for size in (1, 2, 3, 4, 6, 12):
        parts = [Group(rank, size).share(starts) for rank in range(size)]
        assert [len(part) for part in parts] == [12 // size] * size
        assert np.concatenate(parts).tolist() == starts.tolist()
    others = [batches.draw_starts(*key, 12, 1000) for key in ((3, 15), (4, 14))]
    assert all((other != starts).any() for other in others)
    assert 0 <= starts.min() and starts.max() < 1000


def test_corpus_of_the_course_is_in_plain_characters() -> None:
    corpus = batches.read_corpus(None, 128)
    assert corpus.characters is PLAIN
    both = torch.cat([corpus.training, corpus.validation])
    assert PLAIN.decode(both.tolist()) == course_text()


# --- what is said -------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A place where someone looks."""

    def isatty(self) -> bool:
        return True


def test_progress_bar_shows_loss_and_tokens_per_second(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", seen := Terminal())
    small.train(text, tmp_path / "run")
    last = seen.getvalue().split("\r")[-1]
    loss = small.measured(tmp_path / "run")[-1].loss
    assert re.search(rf"8/8 .*loss {loss:.3f}, [\d,]+ tokens/s", last)


def test_without_matplotlib_the_curve_is_missing_and_nothing_else(
    text: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = small.train(text, tmp_path / "run")
    assert "pip install 'course_attn[train]'" in capsys.readouterr().out
    assert not (out / "losses.svg").exists()
    assert small.measured(out) == small.measured(whole)


@pytest.mark.parametrize("missing", ["torch", "tqdm"])
def test_without_what_it_needs_it_is_said_what_to_install(missing: str) -> None:
    without = f"import runpy, sys; sys.modules[{missing!r}] = None"
    start = f"{without}; runpy.run_module('course_attn.train', run_name='__main__')"
    run = subprocess.run(
        [sys.executable, "-c", start], capture_output=True, text=True
    )
    assert run.returncode == 1
    says = f"training needs {missing}: pip install 'course_attn[train]'"
    assert run.stderr.strip() == says


def test_help_names_every_setting_and_its_default() -> None:
    said = " ".join(__main__.make_parser().format_help().split())
    for name, default in asdict(Settings()).items():
        about = rf"--{name.replace('_', '-')} \S+ (?:(?!\(default).)*"
        assert re.search(rf"{about}\(default: {default}\)", said), name


def test_loss_that_is_no_number_ends_the_run_and_harms_nothing(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert __main__.main(small.arguments(text, out, lr=1e30, clip=1e30)) == 1
    assert "A smaller --lr" in capsys.readouterr().err
    assert small.checkpoints(out) == []


# --- what is refused ------------------------------------------------------------------------------

SIZE = "must be a whole number from 1 to 100,000, got"
EVERY = "must be a whole number from 1 to 100,000,000, got"
COUNT = "must be a whole number from 0 to 100,000,000, got"
REFUSED = [
    ("--layers=0", f"argument --layers: {SIZE} 0"),
    ("--layers=two", f"argument --layers: {SIZE} two"),
    ("--width=1000000", f"argument --width: {SIZE} 1000000"),
    ("--context=0", f"argument --context: {SIZE} 0"),
    ("--steps=0", f"argument --steps: {EVERY} 0"),
    ("--batch=-1", f"argument --batch: {SIZE} -1"),
    ("--batch=100000000", f"argument --batch: {SIZE} 100000000"),
    ("--lr=0", "argument --lr: must be a number above 0, got 0"),
    ("--lr=nan", "argument --lr: must be a number above 0, got nan"),
    ("--clip=inf", "argument --clip: must be a number above 0, got inf"),
    ("--warmup=-1", f"argument --warmup: {COUNT} -1"),
    (
        "--dropout=1",
        "argument --dropout: must be at least 0 and less than 1, got 1",
    ),
    ("--final-lr=2", "argument --final-lr: must be a number from 0 to 1, got 2"),
    ("--weight-decay=-1", "--weight-decay: must be a number of at least 0, got -1"),
    ("--seed=-3", "argument --seed: must be a whole number from 0 to 9,223,"),
    (f"--seed={2**70}", "argument --seed: must be a whole number from 0 to 9,223,"),
    ("--dtype=float16", "argument --dtype: invalid choice: 'float16'"),
    ("--device=gpu", "argument --device: must be auto, cpu, or a device"),
    ("--device=meta", "argument --device: must be auto, cpu, or a device"),
    ("--threads=0", "--threads: must be a whole number from 1 to 1,024, got 0"),
    ("--threads=100000", "--threads: must be a whole number from 1 to 1,024, got"),
    ("--log-every=0", f"argument --log-every: {EVERY} 0"),
    ("--checkpoint-every=-1", f"argument --checkpoint-every: {COUNT} -1"),
    ("--sample-at=-4", f"argument --sample-at: {EVERY} -4"),
    ("--keep-as=../../up", "argument --keep-as: must be a name of letters"),
    ("--keep-as=", "argument --keep-as: must be a name of letters"),
    ("--width=9", "error: --width must be a multiple of --heads = 2, got 9"),
    ("--context=999", "error: --text must have at least 10000 characters"),
]


@pytest.mark.parametrize(("given", "says"), REFUSED, ids=[r[0] for r in REFUSED])
def test_settings_that_say_nothing_are_refused_by_name(
    text: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    given: str,
    says: str,
) -> None:
    out = tmp_path / "run"
    try:
        status = __main__.main([*small.arguments(text, out), given])
    except SystemExit as end:  # which is how argparse ends
        status = end.code
    assert status == 2
    assert says in capsys.readouterr().err
    assert not out.exists()


def test_folder_that_cannot_keep_weights_is_refused_before_the_first_step(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*small.arguments(text, tmp_path / "run"), f"--keep={text}"]
    assert __main__.main(given) == 1
    assert "File exists" in capsys.readouterr().err
    assert not (tmp_path / "run" / "losses.csv").exists()


def test_model_too_large_for_any_memory_is_refused(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = small.arguments(text, tmp_path / "run", width=100_000, layers=1_000)
    assert __main__.main(given) == 1
    assert "there is not enough memory" in capsys.readouterr().err


def test_text_that_cannot_be_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(
        tmp_path / "pipe.txt"
    )  # which nobody writes into: to read it waits for ever
    (tmp_path / "short.txt").write_text("a few words", "utf-8")
    (tmp_path / "latin.txt").write_bytes("naïve".encode("latin-1") * 99)
    for name, status, says in (
        ("empty.txt", 2, "empty.txt is empty"),
        ("short.txt", 2, "--text must have at least 80 characters"),
        ("latin.txt", 2, "byte 2 of"),
        ("absent.txt", 2, "--text must be a text file, and there is none"),
        ("folder.txt", 2, "--text must be a text file, and there is none"),
        ("pipe.txt", 2, "--text must be a text file, and there is none"),
    ):
        with subtests.test(name=name):
            given = small.arguments(tmp_path / name, tmp_path / "run")
            assert __main__.main(given) == status
            said = capsys.readouterr().err
            assert says in said and name in said
            assert not (tmp_path / "run").exists()


def test_folder_of_another_run_is_refused(
    text: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = small.files(whole)
    assert __main__.main(small.arguments(text, whole)) == 2
    assert "--out must be a new folder" in capsys.readouterr().err
    assert small.files(whole) == before
