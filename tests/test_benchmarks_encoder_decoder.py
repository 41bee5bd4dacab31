"""The experiments with two sequences: what is wrong in each model, and what is copied."""

from datetime import date

import numpy as np
import pytest
import torch

from benchmarks import encoder_decoder, fixed_vector
from course_attn.chapters.encoder_decoder import dates
from course_attn.in_torch import translate

PAIRS = [dates.write(date(1998, 5, day), dates.FORMS[0]) for day in (3, 4, 5)]


@pytest.fixture(autouse=True)
def few_threads() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("mistake", "leak", "reads", "unseen"),
    [
        ("none", None, True, 0.0),
        ("keys and values from the decoder", 0, False, 1.0),
        # Row i sees i + 1 of ten elements, but for the last, which sees all ten.
        ("a causal mask on cross-attention", None, True, 45 / 110),
        ("the source's padding not masked", None, True, 0.0),
        ("targets not shifted", None, True, 0.0),
        ("queries exchanged with keys and values", 0, True, 0.0),
    ],
)
def test_detect_tells_the_mistakes_of_cross_attention_apart(
    mistake: str, leak: int | None, reads: bool, unseen: float
) -> None:
    model = encoder_decoder.build(mistake, seed=0).eval()
    found = encoder_decoder.detect(model, mistake, PAIRS)
    assert found["leak"] == leak
    assert (found["source"] > 1e-4) == reads
    assert found["unseen"] == pytest.approx(unseen)


def test_detect_finds_the_padding_that_is_not_masked() -> None:
    moved = {
        mistake: encoder_decoder.detect(
            encoder_decoder.build(mistake, seed=0), mistake, PAIRS
        )["padding"]
        for mistake in ("none", "the source's padding not masked")
    }
    assert moved["none"] < 1e-5 < 1e-3 < moved["the source's padding not masked"]


def test_given_shifts_the_goals_unless_that_is_the_mistake() -> None:
    _, mask, inputs, goals = encoder_decoder.given(PAIRS, "none")
    assert mask is not None and torch.equal(inputs[:, 1:], goals[:, :-1])
    _, _, inputs, goals = encoder_decoder.given(PAIRS, "targets not shifted")
    assert torch.equal(inputs, goals)
    assert (
        encoder_decoder.given(PAIRS, "the source's padding not masked")[1] is None
    )


def test_written_is_what_translate_writes() -> None:
    """As far as its first end: an untrained model may write one early."""
    model = encoder_decoder.build("none", seed=0)
    source, mask, *_ = encoder_decoder.given(PAIRS, "none")
    options = {"start": dates.START, "end": dates.END, "n_max": dates.N_TARGET}
    wanted = translate(model, source, source_mask=mask, **options)
    found = encoder_decoder.written(model, PAIRS, "none")
    for ours, row in zip(found.tolist(), wanted.tolist(), strict=True):
        n = row.index(dates.END) + 1 if dates.END in row else len(row)
        assert ours[:n] == row[:n]


def test_strings_are_to_be_copied_between_a_start_and_an_end() -> None:
    source, mask, inputs, goals = fixed_vector.strings(
        5, 7, np.random.default_rng(0)
    )
    assert mask is None and source.shape == (5, 7)
    assert torch.equal(inputs[:, 1:], source) and torch.equal(goals[:, :-1], source)
    assert (inputs[:, 0] == 10).all() and (goals[:, -1] == 11).all()
