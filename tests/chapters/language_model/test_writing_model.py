"""A language model at work on one text: the picture without a script, and refusals."""

import re

import numpy as np
import pytest

from book._parts.writing.writing import model_script, widget_script
from course_attn import in_numpy
from course_attn.chapters.language_model.widgets.writing_model import (
    _maps,
    writing_model,
)
from course_attn.drawing.style import ROLES
from course_attn.weights import load
from tests.chapters.language_model.refused import (
    HEADS,
    N_CONTEXT,
    N_VOCAB,
    params,
)
from tests.support.output import Reader, data_of

PARAMS = params(2)
CHARACTERS = "\n ab<>&\"'cdefghijklmnopqrstuvwxyz"[:N_VOCAB]
TEXT = "ab ba\nab"


def shown(text=TEXT, **options):
    given = {"params": PARAMS, "characters": CHARACTERS, "n_heads": HEADS}
    return writing_model(text=text, **given | options)


def tokens_of(text):
    return np.array([CHARACTERS.index(character) for character in text])


def test_the_table_has_the_most_probable_characters():
    logits = in_numpy.gpt(tokens_of(TEXT), PARAMS, n_heads=HEADS)
    probs = in_numpy.token_probabilities(logits[-1])
    rows = Reader(shown()).table
    names = {" ": "space", "\n": "new line"}
    order = np.argsort(-probs)[:8]
    assert [row[0] for row in rows[1:]] == [
        names.get(CHARACTERS[token], CHARACTERS[token]) for token in order
    ]
    assert [float(row[1].strip("< ")) for row in rows[1:]] == pytest.approx(
        probs[order], abs=0.001
    )


def test_the_caption_says_what_was_computed():
    logits = in_numpy.gpt(tokens_of(TEXT), PARAMS, n_heads=HEADS)
    probs = in_numpy.token_probabilities(logits[-1])
    scores = in_numpy.previous_token_score(_maps(tokens_of(TEXT), PARAMS, HEADS))
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    said = str(shown())
    assert (
        f"with {probs.max():.2f}." in said and f"({len(scores)} × {HEADS})" in said
    )
    assert (
        f"head {head + 1} of block {layer + 1} looks most at the character before, "
        f"with {scores.max():.2f} of its weight" in said
    )


def test_the_maps_are_those_of_the_model():
    """What the last block makes of them leads to the logits of `gpt`."""
    tokens = tokens_of(TEXT)
    maps = _maps(tokens, PARAMS, HEADS)
    assert maps.shape == (2, HEADS, len(TEXT), len(TEXT))
    np.testing.assert_allclose(maps.sum(axis=-1), 1)
    assert not np.triu(maps, 1).any()
    torch = pytest.importorskip("torch")
    from course_attn.in_torch import GPT, GPTConfig, attention_maps

    config = GPTConfig(n_vocab=5, n_context=9, n_layers=3, d_model=8, n_heads=2)
    model = GPT(config).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter))
    arrays = {name: array.numpy() for name, array in model.state_dict().items()}
    given = np.array([0, 4, 4, 2, 1, 3])
    wanted = attention_maps(model, torch.from_numpy(given))
    np.testing.assert_allclose(_maps(given, arrays, 2), wanted, atol=1e-12)


def cells(html):
    """Return how strong each square of each map is: 0 to 8."""
    found = []
    for group in re.findall(r"<g transform[^>]*>(.*?)</g>", html, re.S):
        strength = np.zeros((len(TEXT), len(TEXT)))
        for d, opacity in re.findall(
            r'<path d="(.*?)" fill-opacity="(.*?)"', group
        ):
            for start, row, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", d):
                first = int(start)
                strength[int(row), first : first + int(length)] += 8 * float(
                    opacity
                )
        found.append(strength)
    return np.array(found)


def test_the_picture_shows_all_weights():
    maps = _maps(tokens_of(TEXT), PARAMS, HEADS)
    wanted = np.round(8 * np.sqrt(maps)).reshape(-1, *maps.shape[-2:])
    np.testing.assert_array_equal(cells(shown()._repr_html_()), wanted)


def test_the_page_holds_no_script_and_its_script_the_text():
    html = shown()._repr_html_()
    assert Reader(html).attributes("script") == [{"type": "application/json"}]
    assert data_of(html) == {"text": TEXT}
    assert not re.search(r"https?:|url\(|@import", html)
    assert ROLES["weight"] in html and "<button" not in html


def test_the_model_has_at_most_a_megabyte_and_a_half():
    texts = model_script(load("gpt")), widget_script("writing_model")
    assert sum(len(text.encode()) for text in texts) <= 1_500_000


def test_a_picture_of_the_longest_text_is_small():
    wide = params(2) | {"positions.P": np.zeros((64, PARAMS["embedding"].shape[1]))}
    assert len(shown((TEXT * 8)[:64], params=wide)._repr_html_()) < 200_000


@pytest.mark.parametrize("character", ["<", ">", "&", '"', "'"])
def test_characters_are_never_markup(character):
    found, plain = (Reader(shown(text)).names for text in (f"a{character}", "ab"))
    assert [tag for tag in found if tag != "path"] == [
        tag for tag in plain if tag != "path"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": ""}, "text must be a str of 2 to 64 characters, got ''"),
        ({"text": "a"}, "text must be a str of 2 to 64 characters, got 'a'"),
        ({"text": "a" * 65}, "text must be a str of 2 to 64 characters"),
        ({"text": 3}, "text must be a str of 2 to 64 characters, got 3"),
        ({"text": "abé"}, "text must have characters of the vocabulary only, got 'é'"),
        ({"text": "ab" * N_CONTEXT}, "n_context"),
        ({"characters": "ab"}, f"characters must be a str of {N_VOCAB} different ones"),
        ({"characters": "a" * N_VOCAB}, "characters must be a str of .* got 'aaa"),
        ({"characters": list(CHARACTERS)}, "characters must be a str of"),
        ({"n_heads": 2}, "W_Q must have a width that is a multiple of n_heads = 2"),
        ({"params": {}}, "params must .* embedding"),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_fit_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        shown(**options)
