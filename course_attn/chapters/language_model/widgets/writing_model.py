"""A language model at work on one text: what may come next, and what every head looks at.

The picture is static wherever a notebook is shown. In the built book the same model runs in the
page when the reader asks for it: course_attn/chapters/language_model/widgets/writing_model.js.
"""

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy import ndarray as Array

from course_attn.drawing.page import Widget, plain_table, widget
from course_attn.drawing.style import ROLES
from course_attn.in_numpy.block import feed_forward, gelu, layer_norm
from course_attn.in_numpy.heads import previous_token_score
from course_attn.in_numpy.language_model import gpt, token_probabilities
from course_attn.in_numpy.multi_head import merge_heads, split_heads
from course_attn.in_numpy.qkv import attention_weights

__all__ = ["writing_model"]

_SHOWN = 8  # of the characters that may come next
_LONGEST = 64  # characters of the text in a picture
_SIDE, _GAP, _EDGE = 96, 14, 62  # of a map, between maps, left of them: in pixels
_SHADES = 8  # a map has so many, and white

_TRY = (
    "Try: type a sentence of your own. Where is the model sure of the next character, and where "
    "not? Open the head that looks at the character before, and switch it off; then switch off "
    "the positions."
)


def writing_model(
    params: Mapping[str, Array], characters: str, text: str, *, n_heads: int
) -> Widget:
    """Show what a GPT expects after a text, and the attention weights of all its heads.

    The output is a table and a picture, in any notebook and on paper. The pages of the built book
    have a button beneath it, which loads the course's kept model and runs it there on what the
    reader types.

    Parameters
    ----------
    params : dict of arrays
        The parameters, under the names that they have in ``GPT(config).state_dict()``.
    characters : str
        The vocabulary: one character for each row of the embedding.
    text : str
        What the model reads: 2 to 64 of these characters.
    n_heads : int
        The number of heads in each block.

    Examples
    --------
    >>> one, E = np.ones((1, 1)), np.array([[2.0], [3.0]])
    >>> block = dict.fromkeys(["attention.W_Q", "attention.W_K", "attention.W_V"], one)
    >>> block |= dict.fromkeys(["attention.W_O", "feed_forward.W_1", "feed_forward.W_2"], one)
    >>> block |= dict.fromkeys(["norm_1.gain", "norm_1.bias", "norm_2.gain"], np.ones(1))
    >>> block |= dict.fromkeys(["norm_2.bias", "feed_forward.b_1", "feed_forward.b_2"], np.ones(1))
    >>> params = {f"transformer.blocks.0.{name}": array for name, array in block.items()}
    >>> params |= {"embedding": E, "positions.P": np.zeros((5, 1))}
    >>> params |= {"transformer.final_norm.gain": np.ones(1)}
    >>> params |= {"transformer.final_norm.bias": np.ones(1)}
    >>> shown = writing_model(params, "ab", "abba", n_heads=1)
    >>> print(str(shown)[:72])
    <writing_model: After “abba” the most probable next character is “b”, wi
    """
    tokens = _encoded(text, characters, params)
    logits = gpt(tokens, params, n_heads=n_heads)
    maps = _maps(tokens, params, n_heads)
    probs = token_probabilities(logits[-1])
    best = np.argsort(-probs, kind="stable")[:_SHOWN]
    n_layers = len(maps)
    scores = previous_token_score(maps)
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    of_all = f"{n_layers} × {n_heads}" if n_layers * n_heads > 1 else "the only one"
    table = plain_table(
        "Next character",
        [_named(characters[token]) for token in best],
        ["probability"],
        [["< 0.001" if probs[t] < 0.0005 else f"{probs[t]:.3f}"] for t in best],
    )
    return widget(
        __file__,
        {"text": text},
        fallback=f'<div class="attn-row">\n{table}\n{_picture(maps)}\n</div>',
        alt="A table of the characters that the model expects next, and the attention weights of "
        "every head of every block as small maps.",
        caption=f"After “{text}” the most probable next character is "
        f"{_quoted(characters[best[0]])}, with {probs[best[0]]:.2f}. Each map is a head "
        f"({of_all}): its rows are the characters that ask, from the first at the top, its columns "
        "those that they look at; more color is more weight. Of all heads, head "
        f"{head + 1} of block {layer + 1} looks most at the character before, with "
        f"{scores[layer, head]:.2f} of its weight on average: the line next to the diagonal. "
        "In the book's page, a button runs the model. " + _TRY,
        on_request=True,
    )


def _encoded(text: str, characters: str, params: Mapping[str, Array]) -> Array:
    """Return the numbers of a text's characters after checking both."""
    # `gpt` says what is missing.
    n_vocab = len(params.get("embedding", characters))
    if not isinstance(characters, str) or not (
        len(characters) == len(set(characters)) == n_vocab
    ):
        raise ValueError(
            f"characters must be a str of {n_vocab} different ones, one for each row of the "
            f"embedding, got {characters!r}"
        )
    if not isinstance(text, str) or not 2 <= len(text) <= _LONGEST:
        raise ValueError(
            f"text must be a str of 2 to {_LONGEST} characters, got {text!r}"
        )
    for character in text:
        if character not in characters:
            raise ValueError(
                f"text must have characters of the vocabulary only, got {character!r}"
            )
    return np.array([characters.index(character) for character in text])


def _maps(tokens: Array, params: Mapping[str, Array], n_heads: int) -> Array:
    """Return the weights (n_layers, n_heads, n, n), by the steps of `gpt`."""
    X = params["embedding"][tokens] + params["positions.P"][: len(tokens)]
    maps: list[Array] = []
    while (start := f"transformer.blocks.{len(maps)}.") + "norm_1.gain" in params:
        block = {
            name.removeprefix(start): array
            for name, array in params.items()
            if name.startswith(start)
        }
        normed = layer_norm(X, block["norm_1.gain"], block["norm_1.bias"])
        Q, K, V = (
            split_heads(normed @ block[f"attention.W_{name}"], n_heads)
            for name in "QKV"
        )
        maps.append(attention_weights(Q, K, causal=True))
        X = X + merge_heads(maps[-1] @ V) @ block["attention.W_O"]
        normed = layer_norm(X, block["norm_2.gain"], block["norm_2.bias"])
        network = [
            block[f"feed_forward.{name}"] for name in ("W_1", "b_1", "W_2", "b_2")
        ]
        X = X + feed_forward(normed, *network, activation=gelu)
    return np.stack(maps)


def _named(character: str) -> str:
    """Return a character as it is written alone."""
    return {" ": "space", "\n": "new line"}.get(character, character)


def _quoted(character: str) -> str:
    """Return a character as it is written in a sentence."""
    name = _named(character)
    return f"“{name}”" if name == character else f"a {name}"


def _picture(maps: Array) -> str:
    """Draw the weights of all heads: a row for each block, a column for each head."""
    n_layers, n_heads = maps.shape[:2]
    step = _SIDE + _GAP
    width, height = _EDGE + n_heads * step, 22 + n_layers * step
    parts = [
        f'<text x="{_EDGE + h * step + _SIDE // 2}" y="14" text-anchor="middle">head {h + 1}</text>'
        for h in range(n_heads)
    ]
    for layer, heads in enumerate(maps):
        y = 22 + layer * step
        parts.append(
            f'<text x="0" y="{y + _SIDE // 2 + 5}">block {layer + 1}</text>'
        )
        for head, weights in enumerate(heads):
            x = _EDGE + head * step
            parts.append(_map(weights, x, y))
    return (
        f'<svg class="maps" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escape(_in_words(maps))}">\n' + "\n".join(parts) + "\n</svg>"
    )


def _in_words(maps: Array) -> str:
    """Say where each head looks, as far as one number can."""
    scores = previous_token_score(maps)
    told = [
        f"block {layer + 1}: " + ", ".join(f"{score:.2f}" for score in heads)
        for layer, heads in enumerate(scores)
    ]
    return (
        "Maps of the weights of all heads. Mean weight of the character before, head by head, in "
        + "; ".join(told)
        + "."
    )


def _map(weights: Array, x: int, y: int) -> str:
    """Draw one head's weights, a path for each shade: the square root of the weight."""
    n = len(weights)
    shades = np.round(_SHADES * np.sqrt(weights)).astype(int)
    paths = []
    for shade in range(1, _SHADES + 1):
        runs = "".join(
            f"M{start} {i}h{end - start}v1h{start - end}z"
            for i, row in enumerate(shades == shade)
            for start, end in _runs(row)
        )
        if runs:
            paths.append(f'<path d="{runs}" fill-opacity="{shade / _SHADES:g}"/>')
    scale = round(_SIDE / n, 4)
    return (
        f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}" fill="none"/>'
        f'<g transform="translate({x} {y}) scale({scale})" fill="{ROLES["weight"]}" '
        f'stroke="none">{"".join(paths)}</g>'
    )


def _runs(row: Array) -> list[tuple[int, int]]:
    """Return where a row of booleans is true: each begin and end."""
    changes = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))
