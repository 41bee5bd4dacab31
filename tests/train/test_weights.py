"""The weights that the package brings, and those that anyone keeps."""

import hashlib
import io
import json
import math
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from course_attn import weights
from course_attn.in_torch import GPT, GPTConfig
from course_attn.train import __main__, batches, loop
from course_attn.train.settings import Run, Settings
from tests.conftest import ROOT
from tests.train import small

KEPT = ROOT / "course_attn" / "kept"


@pytest.fixture(scope="module")
def mine(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the weights of a small run are kept, under another name."""
    out = shutil.copytree(whole, tmp_path_factory.mktemp("kept") / "run")
    given = [f"--out={out}", "--resume", "--device=cpu"]
    assert __main__.main([*given, f"--keep={out}/mine", "--keep-as=tiny"]) == 0
    return out / "mine"


def test_kept_weights_are_those_of_the_run(
    text: Path, whole: Path, mine: Path
) -> None:
    """In half precision; the log, the command and the text are those of the run."""
    kept = weights.load("tiny", folder=mine)
    model = GPT(GPTConfig(**kept.config))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in kept.params.items()})
    corpus = batches.read_corpus(str(text), 7)
    rows = small.measured(whole)
    validation = loop.validation_loss(model, corpus.validation)
    assert validation == pytest.approx(rows[-1].validation, abs=1e-3)
    assert validation == pytest.approx(kept.log["validation_of_these"])
    assert kept.log["losses"] == [round(row.loss, 5) for row in rows[1:]]
    assert list(kept.log["validation"]) == ["0", "4", "8"]
    assert kept.log["samples"].keys() == {"4"}
    assert kept.characters == corpus.characters.characters
    written = hashlib.sha256(text.read_bytes()).hexdigest()
    assert kept.log["text"]["sha256"] == written
    assert kept.log["command"].startswith("python -m course_attn.train --text=")
    assert all(array.dtype == np.float32 for array in kept.params.values())


def test_damaged_weights_are_refused(
    mine: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    data = bytearray((mine / "tiny.npz").read_bytes())
    data[len(data) // 2] ^= 1
    about = json.loads((mine / "tiny.json").read_text("utf-8"))
    del about["sha256"]
    for name, file, content in (
        ("one bit", "tiny.npz", bytes(data)),
        ("shortened", "tiny.npz", bytes(data[:100])),
        ("no hash", "tiny.json", json.dumps(about).encode()),
        ("torn", "tiny.json", b'{"sha256": "'),
        ("deep", "tiny.json", b"[" * 100_000),
    ):
        with subtests.test(name=name):
            folder = shutil.copytree(mine, tmp_path / name)
            (folder / file).write_bytes(content)
            with pytest.raises(
                ValueError, match="are damaged or do not belong together"
            ):
                weights.load("tiny", folder=folder)
            (folder / file).unlink()
            with pytest.raises(ValueError, match="damaged|must be that of weights"):
                weights.load("tiny", folder=folder)


def written(write: Callable[..., None], *arguments: Any, **named: Any) -> bytes:
    """Return what a function writes into a file."""
    file = io.BytesIO()
    write(file, *arguments, **named)
    return file.getvalue()


def foreign_zip(file: io.BytesIO, **members: str) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (written(np.save, np.zeros(3)), "hold arrays of numbers"),
        (written(foreign_zip, readme="no array"), "hold arrays of numbers"),
        (written(np.savez, embedding=np.array(["a"])), "hold arrays of numbers"),
        (b"hello", "hold arrays of numbers"),
        (written(foreign_zip), "hold the arrays of a model and is empty"),
    ],
    ids=["one array", "a foreign zip", "texts", "no zip", "an empty zip"],
)
def test_weights_that_are_none_are_refused_though_their_hash_is_right(
    mine: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    folder = shutil.copytree(mine, tmp_path / "tampered")
    about = json.loads((folder / "tiny.json").read_text("utf-8"))
    about["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / "tiny.json").write_text(json.dumps(about), "utf-8")
    (folder / "tiny.npz").write_bytes(content)
    with pytest.raises(ValueError, match=rf"tiny\.npz must {message}") as refused:
        weights.load("tiny", folder=folder)
    assert "install or write it anew" in str(refused.value)


def test_unknown_weights_are_refused_with_what_there_is(
    mine: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="which are tiny; got 'gpt'"):
        weights.load("gpt", folder=mine)
    with pytest.raises(ValueError, match="which are dates, gpt; got 'bert'"):
        weights.load("bert")
    with pytest.raises(ValueError, match="which are none; got 'gpt'"):
        weights.load("gpt", folder=tmp_path / "nowhere")


# --- those of the course --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course() -> weights.Kept:
    return weights.load()


def near(log: dict, corpus: batches.Corpus) -> float:
    """Return how near losses must be: the text is of another Python where its hash differs.

    On the same text other processors round differently, by far less.
    """
    return 2e-3 if corpus.sha256 == log["text"]["sha256"] else 0.15


def test_course_weights_have_the_size_that_was_promised(
    course: weights.Kept,
) -> None:
    assert (KEPT / "gpt.npz").stat().st_size <= 1_000_000
    assert (KEPT / "gpt.json").stat().st_size <= 100_000
    assert sum(array.size for array in course.params.values()) == 467_520
    with np.load(KEPT / "gpt.npz") as arrays:
        assert {arrays[name].dtype for name in arrays.files} == {
            np.dtype(np.float16)
        }


def test_course_weights_log_says_how_they_came_to_be(course: weights.Kept) -> None:
    """The defaults of the command make them; every loss is there, and no path of anyone's."""
    log = course.log
    assert Settings(**log["settings"]) == Settings()
    assert len(log["losses"]) == 3000
    assert log["losses"][0] == pytest.approx(math.log(96), abs=0.05)
    assert log["validation"]["3000"] < 1.5
    assert list(log["samples"]) == ["10", "100", "1000", "3000"]
    assert {len(sample) for sample in log["samples"].values()} == {300}
    assert log["command"].endswith(
        "course_attn.train --out runs/kept --keep course_attn/kept"
    )


def test_course_weights_begin_as_the_log_says(
    course: weights.Kept, tmp_path: Path
) -> None:
    """The first three steps of the same training; batches and first weights are drawn anew."""
    settings = Settings(**course.log["settings"])
    corpus = batches.read_corpus(None, settings.context)
    run = Run(out=tmp_path, device=torch.device("cpu"))
    training = loop.Training(settings, corpus, run)
    losses = [training.learn().item() for _ in range(3)]
    wanted = course.log["losses"][:3]
    assert losses == pytest.approx(wanted, abs=near(course.log, corpus))


def test_course_weights_predict_as_well_as_the_log_says(
    course: weights.Kept,
) -> None:
    model = GPT(GPTConfig(**course.config))
    model.load_state_dict(
        {k: torch.from_numpy(v) for k, v in course.params.items()}
    )
    corpus = batches.read_corpus(None, course.config["n_context"])
    found = loop.validation_loss(model, corpus.validation)
    wanted = course.log["validation_of_these"]
    assert found == pytest.approx(wanted, abs=near(course.log, corpus))
    assert wanted == pytest.approx(course.log["validation"]["3000"], abs=5e-3)
