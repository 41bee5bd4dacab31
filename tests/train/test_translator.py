"""The model that reads dates: its kept weights, and the command that makes them."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from course_attn import weights
from course_attn.chapters.encoder_decoder import dates
from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig
from course_attn.train import translator
from tests.conftest import ROOT

KEPT = ROOT / "course_attn" / "kept"


@pytest.fixture(scope="module")
def course() -> weights.Kept:
    return weights.load("dates")


def model_of(kept: weights.Kept) -> EncoderDecoder:
    model = EncoderDecoder(EncoderDecoderConfig(**kept.config))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in kept.params.items()})
    return model


def test_kept_weights_are_small(course: weights.Kept) -> None:
    assert (KEPT / "dates.npz").stat().st_size <= 300_000
    assert (KEPT / "dates.json").stat().st_size <= 10_000
    assert sum(array.size for array in course.params.values()) == 136_464
    with np.load(KEPT / "dates.npz") as arrays:
        assert {arrays[k].dtype for k in arrays.files} == {np.dtype(np.float16)}


def test_kept_weights_get_unseen_dates_right(course: weights.Kept) -> None:
    """As many as the log says, on the dates of the log and on others."""
    unseen, model = dates.split_dates()[1], model_of(course)
    for seed, n in ((99, 1000), (7, 500)):
        pairs = dates.draw_pairs(unseen, n, np.random.default_rng(seed))
        right = translator.share_right(model, pairs)
        assert right >= 0.95
        if seed == 99:
            assert right == pytest.approx(
                course.log["right_of_1000_unseen"], abs=2e-3
            )


def test_share_right_counts_whole_answers(course: weights.Kept) -> None:
    """Wrong ones are not counted, and an answer that ends too early is wrong."""
    model, unseen = model_of(course), dates.split_dates()[1]
    pairs = dates.draw_pairs(unseen, 4, np.random.default_rng(0))
    assert translator.share_right(model, pairs) == 1
    other = [pairs[0], *(pair._replace(target="1600-01-01") for pair in pairs[1:])]
    assert translator.share_right(model, other) == 0.25
    with torch.no_grad():
        model.target_embedding.zero_()
        model.target_embedding[dates.END] = 100
        model.decoder.final_norm.gain.zero_()
        model.decoder.final_norm.bias.fill_(1)
    assert translator.share_right(model, pairs) == 0


def test_log_says_how_the_weights_came_to_be(course: weights.Kept) -> None:
    log = course.log
    assert len(log["losses"]) == log["settings"]["steps"] == 700
    assert log["losses"][0] == pytest.approx(math.log(len(dates.TARGET)), abs=0.05)
    assert log["losses"][-1] < 0.02
    assert course.characters == dates.SOURCE.characters
    assert log["target_characters"] == dates.TARGET.characters
    assert log["command"].endswith(
        "course_attn.train.translator --keep course_attn/kept"
    )


def test_command_begins_as_the_log_says(
    course: weights.Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first steps of the same training; its rate is another, since it ends sooner."""
    threads = torch.get_num_threads()
    translator.main(["--keep", str(tmp_path / "mine"), "--steps", "2"])
    torch.set_num_threads(threads)
    mine = weights.load("dates", folder=tmp_path / "mine")
    assert mine.config == course.config
    assert mine.log["settings"] == course.log["settings"] | {"steps": 2}
    assert mine.log["losses"] == pytest.approx(course.log["losses"][:2], abs=2e-3)
    assert mine.log["right_of_1000_unseen"] == 0
    assert capsys.readouterr().out == "Done: 0.0% of 1000 unseen dates are right\n"
    assert {a.dtype for a in mine.params.values()} == {np.dtype(np.float32)}
