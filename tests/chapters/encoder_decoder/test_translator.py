"""`translator`: the table without its script, what a page loads, and refusals."""

import re

import numpy as np
import pytest

from book._parts.writing.writing import scripts_of
from course_attn.chapters.encoder_decoder import dates
from course_attn.chapters.encoder_decoder.widgets.translator import translator
from course_attn.drawing.page import Widget
from course_attn.weights import load
from tests.support.output import Reader, data_of

KEPT = load("dates")
N_HEADS = KEPT.config["n_heads"]
TEXT, ANSWER, OPENED = "the twenty-sixth of September 2187", "2187-09-26", 3


def shown(text=TEXT, **options) -> Widget:
    return translator(KEPT.params, text, **{"n_heads": N_HEADS} | options)


def loaded() -> Widget:
    """Return what a page has after a reader has loaded the model, in one output."""
    output = shown(opened=OPENED)
    scripts = "".join(
        f"<script>\n{text}</script>\n" for text in scripts_of("translator").values()
    )
    page = output._repr_html_().replace("</figure>", f"{scripts}</figure>")
    caption = repr(output).partition(": ")[2].removesuffix(">")
    return Widget(page, "translator", caption)


EXAMPLES = {"translator": loaded}


@pytest.mark.parametrize("text", [TEXT, "3.5.1998", "3 May 1998"])
def test_the_table_has_the_answer_and_what_each_character_has_read(text):
    torch = pytest.importorskip("torch")
    from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig

    model = EncoderDecoder(EncoderDecoderConfig(**KEPT.config))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in KEPT.params.items()})
    head, *rows = Reader(shown(text)).table
    assert head == ["", "has read most of", "at place", "weight"]
    answer = "".join(row[0][0] for row in rows)
    assert answer == (ANSWER if text == TEXT else "1998-05-03") + ">"
    assert rows[-1][0] == ">, the end"
    source = torch.from_numpy(dates.SOURCE.encode(text))
    target = torch.tensor([dates.START, *dates.TARGET.encode(answer)[:-1]])
    with torch.no_grad():
        _, weights = model.forward_with_weights(source, target)
    for row, mean in zip(
        rows, torch.stack(weights.cross).mean(dim=(0, 1)), strict=True
    ):
        best = int(row[2])
        assert row[1] == ("a space" if text[best] == " " else f"“{text[best]}”")
        assert float(mean[best]) == pytest.approx(float(mean.max()), abs=1e-5)
        assert float(row[3]) == pytest.approx(float(mean.max()), abs=0.00501)


def test_the_caption_says_what_the_opened_character_has_read():
    row = Reader(shown()).table[1 + OPENED]
    said = str(shown(opened=OPENED))
    assert (
        f"“{TEXT}” becomes “{ANSWER}”. Its “7” at place 3 has read most of" in said
    )
    assert f"{row[1]} at place {row[2]}: {row[3]} of its weight" in said
    assert "Its “2” at place 0 has read most of “2” at place 30" in str(shown())


def test_the_page_holds_no_script_and_its_script_the_text():
    html = shown(opened=OPENED)._repr_html_()
    assert Reader(html).attributes("script") == [{"type": "application/json"}]
    assert data_of(html) == {"text": TEXT, "opened": OPENED}
    assert not re.search(r"https?:|url\(|@import", html) and "<button" not in html


def test_the_model_has_at_most_half_a_megabyte():
    texts = scripts_of("translator")
    assert list(texts) == ["dates", "translator"]
    assert sum(len(text.encode()) for text in texts.values()) <= 500_000


@pytest.mark.parametrize(
    ("likeliest", "rows"), [("9", ["9"] * dates.N_TARGET), (">", [">, the end"])]
)
def test_an_answer_stops_at_its_end_or_is_cut(likeliest, rows):
    """Whatever it reads, the model finds one character the likeliest."""
    params = {name: np.zeros_like(array) for name, array in KEPT.params.items()}
    params["decoder.final_norm.bias"] += 1
    params["target_embedding"][dates.TARGET.encode(likeliest)] = 1
    table = Reader(translator(params, "3.5.1998", n_heads=N_HEADS)).table
    assert [row[0] for row in table[1:]] == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": ""}, "text must be a str of 1 to 36 characters, got ''"),
        ({"text": "1" * 37}, "text must be a str of 1 to 36 characters, got '11"),
        ({"text": 3}, "text must be a str of 1 to 36 characters, got 3"),
        ({"text": "3/5/1998"}, "text must have only the characters .*, got '/' at place 1"),
        ({"text": "3_5"}, "text must have no '_', which is padding, got '3_5'"),
        ({"opened": 11}, "opened must be a place of the answer, 0 to 10, got 11"),
        ({"opened": -1}, "opened must be a place of the answer, 0 to 10, got -1"),
        ({"opened": True}, "opened must be a place of the answer, 0 to 10, got True"),
        ({"n_heads": 5}, "must have a width that is a multiple of n_heads = 5"),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_fit_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        shown(**options)
