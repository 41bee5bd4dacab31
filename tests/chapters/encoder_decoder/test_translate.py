"""Greedy translation of a batch, with caches and without."""

from typing import Any

import pytest
import torch

from course_attn.in_torch import (
    GPT,
    AdditiveEncoderDecoder,
    EncoderDecoder,
    GPTConfig,
    RecurrentEncoderDecoder,
    beam_search,
    translate,
)
from course_attn.in_torch.softmax import log_softmax
from tests.chapters.encoder_decoder.inputs import (
    CONFIG,
    N_SOURCE,
    real,
    source,
    vectors,
)
from tests.support.twin_table import public

START, END, N_MAX, BATCH = 12, 3, 11, 40
LENGTHS = [1 + i % N_SOURCE for i in range(BATCH)]
SOURCE, MASK = source(BATCH), real(*LENGTHS)


def talkative(model: Any) -> Any:
    """Draw the matrices such that what is written depends on what is read, and its length, too."""
    generator = torch.Generator().manual_seed(2)
    for parameter in model.double().parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.6, generator=generator)
    return model.eval()


def made() -> EncoderDecoder:
    """Return a transformer."""
    return talkative(EncoderDecoder(CONFIG))


def recurrent(kind: Any) -> RecurrentEncoderDecoder:
    """Return a recurrent model."""
    model = kind(n_source_vocab=23, n_target_vocab=13, d_model=15)
    model.reset_parameters(torch.Generator().manual_seed(1))
    return talkative(model)


every_model = pytest.mark.parametrize(
    "model",
    [made(), recurrent(RecurrentEncoderDecoder), recurrent(AdditiveEncoderDecoder)],
    ids=lambda model: type(model).__name__,
)


def written_anew(model: Any, row: torch.Tensor) -> list[int]:
    """Choose the largest logit each time, and read everything again for it."""
    tokens = [START]
    while len(tokens) <= N_MAX and END not in tokens[1:]:
        logits = model(row[None], torch.tensor([tokens]))
        tokens.append(int(logits[0, -1].argmax()))
    return tokens[1:]


@every_model
def test_translate_writes_each_row_as_if_it_were_alone(model: Any) -> None:
    """Up to its first end, without padding and without caches; then only ends follow."""
    both = [
        translate(
            model,
            SOURCE,
            start=START,
            end=END,
            n_max=N_MAX,
            source_mask=MASK,
            cached=cached,
        )
        for cached in (True, False)
    ]
    assert torch.equal(*both)
    lengths = set()
    for row, n, written in zip(SOURCE, LENGTHS, both[0].tolist(), strict=True):
        wanted = written_anew(model, row[:n])
        lengths.add(len(wanted))
        assert written == wanted + [END] * (len(written) - len(wanted))
    assert len(lengths) > 2, "some are short, some are cut"
    assert both[0].shape[1] == max(lengths)


def test_translate_says_where_it_was_cut() -> None:
    """A row whose last token is not the end has none."""
    model, ends = made(), 0
    for n_max in (1, 3, N_MAX):
        found = translate(model, SOURCE, start=START, end=END, n_max=n_max)
        assert found.shape[1] <= n_max
        is_cut = found[:, -1] != END
        assert torch.equal(is_cut, ~(found == END).any(dim=1))
        assert found.shape[1] == n_max or not is_cut.any()
        ends += int((~is_cut).sum())
    assert 0 < ends < 3 * BATCH


def test_translate_stops_when_all_have_ended() -> None:
    model, calls = made(), []
    decode = model.decode
    model.decode = lambda *a, **k: calls.append(1) or decode(*a, **k)
    found = translate(model, SOURCE[:1], start=START, end=END, n_max=N_MAX)
    end = int(found[0, 0])
    calls.clear()
    found = translate(model, SOURCE[:1], start=START, end=end, n_max=N_MAX)
    assert found.tolist() == [[end]] and len(calls) == 1


def test_translate_encodes_once_and_reads_each_token_once() -> None:
    model, encoded, read = made(), [], []
    encode, decode = model.encode, model.decode

    def note(target: torch.Tensor, *others: Any, **options: Any) -> torch.Tensor:
        read.append(target.shape[-1])
        return decode(target, *others, **options)

    model.encode = lambda *a, **k: encoded.append(1) or encode(*a, **k)
    model.decode = note
    options = {"start": START, "end": END, "n_max": 5}
    for cached, wanted in ((True, [1] * 5), (False, [1, 2, 3, 4, 5])):
        read.clear()
        translate(model, SOURCE, cached=cached, **options)
        assert read == wanted
    assert len(encoded) == 2


def test_translate_is_the_search_with_one_beam() -> None:
    """And the model, a step of any search, gives it the logarithms of its probabilities."""
    model = made()
    for row in SOURCE[:10]:
        Z = model.encode(row)

        def step(prefixes: torch.Tensor, Z: torch.Tensor = Z) -> torch.Tensor:
            logits = model.decode(prefixes, Z.expand(len(prefixes), *Z.shape))
            return log_softmax(logits[:, -1])

        options = {"end": END, "n_max": N_MAX}
        with torch.no_grad():
            (found,), _ = beam_search(
                step, torch.tensor([START]), n_beams=1, **options
            )
        assert torch.equal(found, translate(model, row, start=START, **options))


def test_translate_takes_a_single_source_and_none() -> None:
    model, options = made(), {"start": START, "end": END, "n_max": 3}
    one = translate(model, SOURCE[0], **options)
    assert one.ndim == 1
    assert torch.equal(one, translate(model, SOURCE[:1], **options)[0])
    several = translate(model, SOURCE[:6].reshape(2, 3, -1), **options)
    assert several.shape[:2] == (2, 3)
    assert translate(model, SOURCE[:0], **options).shape[0] == 0


def test_translate_leaves_the_model_as_it_was() -> None:
    for training in (True, False):
        model = made().train(training)
        state = {name: p.clone() for name, p in model.state_dict().items()}
        before = SOURCE.clone()
        found = translate(model, SOURCE, start=START, end=END, n_max=3)
        found[:] = 0
        assert torch.equal(SOURCE, before) and model.training is training
        assert all(torch.equal(p, state[n]) for n, p in model.state_dict().items())
        assert all(p.grad is None for p in model.parameters())


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        (
            {"start": 13},
            ValueError,
            "start must be less than n_target_vocab = 13, go",
        ),
        (
            {"end": 13},
            ValueError,
            "end must be less than n_target_vocab = 13, got 13",
        ),
        ({"start": -1}, ValueError, "start must be at least 0, got -1"),
        ({"end": 1.0}, TypeError, "end must be a whole number, got float 1.0"),
        ({"n_max": 0}, ValueError, "n_max must be at least 1, got 0"),
        ({"n_max": 12}, ValueError, "at most n_target_context = 11, got 12"),
        ({"cached": 1}, TypeError, "cached must be True or False, got int 1"),
        (
            {"source": SOURCE[:, :0]},
            ValueError,
            "source must have at least one elem",
        ),
        ({"source": vectors(3)}, TypeError, "source must be of an integer dtype"),
        (
            {"source_mask": MASK[:, 1:]},
            ValueError,
            "source_mask must have .* = 7 fr",
        ),
        ({"model": 3}, TypeError, "model must be a Translator, got builtins.int"),
    ],
)
def test_translate_refuses_what_makes_no_sense(
    changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    arguments = {
        "model": made(),
        "source": SOURCE,
        "start": 0,
        "end": 1,
        "n_max": 3,
    }
    with pytest.raises(error, match=words):
        public("in_torch", "encoder_decoder.translate")(**arguments | changed)


@pytest.mark.without_hook
def test_translate_refuses_a_model_that_reads_no_source() -> None:
    sizes = {
        "n_vocab": 7,
        "n_context": 5,
        "n_layers": 1,
        "d_model": 4,
        "n_heads": 2,
    }
    gpt = GPT(GPTConfig(**sizes))
    with pytest.raises(TypeError, match="model must be a Translator, got .*GPT"):
        public("in_torch", "encoder_decoder.translate")(
            gpt, SOURCE, start=0, end=1, n_max=3
        )


@pytest.mark.gpu
def test_translate_writes_the_same_on_the_gpu() -> None:
    model, options = made(), {"start": START, "end": END, "n_max": N_MAX}
    wanted = translate(model, SOURCE, source_mask=MASK, **options)
    found = translate(
        model.to("cuda"), SOURCE.to("cuda"), source_mask=MASK.to("cuda"), **options
    )
    assert isinstance(model, EncoderDecoder) and CONFIG == model.config
    assert torch.equal(found.cpu(), wanted)
