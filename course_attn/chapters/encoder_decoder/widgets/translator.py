"""A model that reads a date in words and writes it in ISO form, and what each character has read.

The table is static wherever a notebook is shown. In the built book the course's kept model runs in
the page when the reader asks for it: course_attn/chapters/encoder_decoder/widgets/translator.js.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import ndarray as Array

from course_attn.chapters.encoder_decoder import dates
from course_attn.drawing.page import Widget, plain_table, widget
from course_attn.in_numpy.block import layer_norm, transformer_block
from course_attn.in_numpy.encoder_decoder import (
    DECODER_BLOCK_NAMES,
    blocks_of,
    decoder_block,
    encoder_decoder,
    pre_norm_residual,
)
from course_attn.in_numpy.language_model import BLOCK_NAMES
from course_attn.in_numpy.multi_head import split_heads
from course_attn.in_numpy.qkv import attention_weights

__all__ = ["translator"]

_TRY = (
    "Try: point at a digit of the answer. Which characters has it read? Type a date of your own, "
    "or one that does not exist. Then a short one, 3.5.1998: switch off the mask, a head, or "
    "cross-attention."
)


def translator(
    params: Mapping[str, Array], text: str, *, n_heads: int, opened: int = 0
) -> Widget:
    """Show what a model writes for a date in words, and what it has read for each character.

    The output is a table, in any notebook and on paper. The pages of the built book have a button
    beneath it, which loads the course's kept model and runs it there on what the reader types.

    Parameters
    ----------
    params : dict of arrays
        The parameters, under the names that they have in ``EncoderDecoder(config).state_dict()``,
        with the vocabularies of `course_attn.chapters.encoder_decoder.dates`.
    text : str
        What the model reads: 1 to 36 characters of `dates.SOURCE`, without its padding.
    n_heads : int
        The number of heads in each block.
    opened : int
        The place of the answer whose weights the page shows at first.

    Examples
    --------
    >>> from course_attn.weights import load
    >>> kept = load("dates")
    >>> shown = translator(kept.params, "3 May 1998", n_heads=kept.config["n_heads"])
    >>> print(str(shown)[:47])
    <translator: “3 May 1998” becomes “1998-05-03”.
    """
    if not isinstance(text, str) or not 1 <= len(text) <= dates.N_SOURCE:
        raise ValueError(
            f"text must be a str of 1 to {dates.N_SOURCE} characters, got {text!r}"
        )
    source = dates.SOURCE.encode(text)
    if dates.PADDING in source:
        raise ValueError(
            f"text must have no {dates.SOURCE.decode([dates.PADDING])!r}, which is padding, "
            f"got {text!r}"
        )
    answer = _answer(source, params, n_heads)
    written = dates.TARGET.decode(answer)
    if type(opened) is not int or not 0 <= opened < len(answer):
        raise ValueError(
            f"opened must be a place of the answer, 0 to {len(answer) - 1}, got {opened!r}"
        )
    target = np.concatenate([[dates.START], answer[:-1]])
    weights = _weights(source, target, params, n_heads)
    best = weights.argmax(axis=1)
    rows = [
        [_named(text[j]), j, f"{row[j]:.2f}"]
        for row, j in zip(weights, best, strict=True)
    ]
    end = dates.TARGET.decode([dates.END])
    table = plain_table(
        f"What “{text}” becomes",
        [f"{c}, the end" if c == end else c for c in written],
        ["has read most of", "at place", "weight"],
        rows,
    )
    return widget(
        __file__,
        {"text": text, "opened": opened},
        fallback=table,
        alt="The answer of a model to a date in words, and the places of the source that each of "
        "its characters has read.",
        caption=f"“{text}” becomes “{written.rstrip(end)}”. Its “{written[opened]}” at place "
        f"{opened} has read most of {rows[opened][0]} at place {best[opened]}: "
        f"{rows[opened][2]} of its weight, the mean of all heads of cross-attention. Places are "
        f"counted from 0. In the book's page, a button runs the model. {_TRY}",
        on_request=True,
    )


def _answer(source: Array, params: Mapping[str, Array], n_heads: int) -> Array:
    """Return the likeliest tokens, one after the other, up to the end."""
    target = [dates.START]
    while len(target) <= dates.N_TARGET and target[-1] != dates.END:
        logits = encoder_decoder(source, np.array(target), params, n_heads=n_heads)
        target.append(int(logits[-1].argmax()))
    return np.array(target[1:])


def _weights(
    source: Array, target: Array, params: Mapping[str, Array], n_heads: int
) -> Array:
    """Return the cross-attention (n_target, n_source), the mean over all heads and blocks."""
    Z = (
        params["source_embedding"][source]
        + params["source_positions.P"][: len(source)]
    )
    for block in blocks_of(params, "encoder", BLOCK_NAMES):
        Z = transformer_block(Z, block, n_heads=n_heads)
    last = "encoder.final_norm"
    Z = layer_norm(Z, params[f"{last}.gain"], params[f"{last}.bias"])
    X = (
        params["target_embedding"][target]
        + params["target_positions.P"][: len(target)]
    )
    found = []
    for block in blocks_of(params, "decoder", DECODER_BLOCK_NAMES):
        entered: list[Array] = []

        def watched(
            X: Array, part: Any, norm: Any, entered: Any = entered
        ) -> Array:
            entered.append(norm(X))
            return pre_norm_residual(X, part, norm)

        X = decoder_block(X, Z, block, n_heads=n_heads, residual=watched)
        Q = split_heads(entered[1] @ block["cross_W_Q"], n_heads)
        K = split_heads(Z @ block["cross_W_K"], n_heads)
        found.append(attention_weights(Q, K))
    return np.mean(found, axis=(0, 1))


def _named(character: str) -> str:
    """Return a character as it is written in a sentence."""
    return "a space" if character == " " else f"“{character}”"
