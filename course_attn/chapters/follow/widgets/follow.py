"""One number followed through a model of one block, step by step, each entry with its sum."""

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

from course_attn.chapters.follow.widgets.follow_steps import (
    Step,
    Table,
    Target,
    steps_of,
)
from course_attn.chapters.follow.widgets.follow_sums import final, finer
from course_attn.drawing.page import Widget, plain_table, widget
from course_attn.in_numpy.language_model import gpt

__all__ = ["CHAPTERS", "SECTIONS", "follow"]

# Where a step is explained: the page's name and its title.
CHAPTERS = {
    "weighted_sum": "Mixing by relevance",
    "scores": "Measuring relevance",
    "softmax": "From scores to weights",
    "qkv": "Queries, keys and values",
    "scaling": "Why divide by √d",
    "masks": "Who may see whom",
    "multi_head": "Many heads",
    "order": "Attention and position",
    "block": "The transformer block",
    "language_model": "A model that writes",
}
# The section of its chapter in which a step is explained, where it is not the chapter as a whole.
SECTIONS = {
    "embedding": "first-place-add-a-vector",
    "first norm": "layer-norm-and-rms-norm",
    "queries, keys, values": "in-one-line-the-matrix-form",
    "scores": "in-one-line-all-pairs-at-once",
    "mask": "in-one-line-where-or-a-sum",
    "heads": "in-one-line-matrices-side-by-side",
    "first addition": "two-places-for-the-norm",
    "second norm": "layer-norm-and-rms-norm",
    "hidden features": "feed-forward-network-relu-and-gelu",
    "activation": "feed-forward-network-relu-and-gelu",
    "feed-forward output": "feed-forward-network-relu-and-gelu",
    "second addition": "two-places-for-the-norm",
    "final norm": "two-places-for-the-norm",
    "logits": "in-one-line-from-tokens-to-logits",
    "probabilities": "choosing-the-next-character",
}
_LONGEST, _WIDEST = 6, 6


def follow(
    text: str,
    params: Mapping[str, np.ndarray],
    *,
    n_heads: int,
    characters: str,
    caption: str,
) -> Widget:
    """Let the reader step through a GPT of one block, and open every number into its sum.

    Without JavaScript and on paper it is a table for every array, and one sum for each.

    Parameters
    ----------
    text : str
        What the model reads: 2 to 6 of its characters.
    params : mapping from str to array
        Its state dict, with at most 6 entries along each axis, which a phone has room for.
    n_heads : int
        How many heads its block has.
    characters : str
        Its vocabulary: token t is ``characters[t]``.
    caption : str
        What there is to find out.

    Returns
    -------
    Widget
        Shown as HTML where a cell ends with it. A page that it stands on opens at a step if its
        address ends in the step's slug, as in ``#step-softmax``.

    Examples
    --------
    >>> one, zero = np.ones((2, 2)), np.zeros(2)
    >>> block = dict.fromkeys(["attention.W_Q", "attention.W_K", "attention.W_V"], one)
    >>> block |= dict.fromkeys(["attention.W_O", "feed_forward.W_1", "feed_forward.W_2"], one)
    >>> block |= dict.fromkeys(["norm_1.gain", "norm_1.bias", "norm_2.gain"], zero)
    >>> block |= dict.fromkeys(["norm_2.bias", "feed_forward.b_1", "feed_forward.b_2"], zero)
    >>> params = {f"transformer.blocks.0.{name}": array for name, array in block.items()}
    >>> params |= {"embedding": one, "positions.P": one}
    >>> params |= {"transformer.final_norm.gain": zero, "transformer.final_norm.bias": zero}
    >>> follow("ab", params, n_heads=1, characters="ab", caption="Two letters.")
    <follow: Two letters.>
    """
    arrays = _checked(text, params, n_heads, characters)
    tables, steps = steps_of(text, arrays, n_heads=n_heads, characters=characters)
    return widget(
        __file__,
        {
            "tokens": [characters.index(c) for c in text],
            "tables": {name: _table_data(table) for name, table in tables.items()},
            "steps": [_step_data(step) for step in steps],
        },
        fallback="\n".join(
            _plain(number, step, tables) for number, step in enumerate(steps, 1)
        ),
        alt=f"The {len(steps)} steps of a small model that reads “{text}”: tables of what each "
        "reads and writes. Every number opens into the sum behind it.",
        caption=caption,
    )


def _checked(
    text: str, params: Mapping[str, np.ndarray], n_heads: int, characters: str
) -> dict[str, np.ndarray]:
    """Return the parameters with 64 bits after checking that all arguments fit."""
    if not isinstance(text, str) or not 2 <= len(text) <= _LONGEST:
        raise ValueError(
            f"text must be a str of 2 to {_LONGEST} characters, got {text!r}"
        )
    if not isinstance(characters, str) or len(set(characters)) != len(characters):
        raise ValueError(
            f"characters must be a str without repetition, got {characters!r}"
        )
    if unknown := [c for c in text if c not in characters]:
        raise ValueError(
            f"text must have characters among {characters!r} only, got {unknown[0]!r}"
        )
    if "transformer.blocks.1.norm_1.gain" in params:
        raise ValueError("params must hold one block, got more")
    arrays = {name: np.asarray(x, np.float64) for name, x in params.items()}
    for name, array in arrays.items():
        if max(array.shape, default=0) > _WIDEST:
            raise ValueError(
                f"params[{name!r}] must have at most {_WIDEST} entries along each axis, "
                f"got shape {array.shape}"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"params[{name!r}] must have finite entries only")
    gpt(np.array([characters.index(c) for c in text]), arrays, n_heads=n_heads)
    if len(characters) != len(arrays["embedding"]):
        raise ValueError(
            f"characters must have length {len(arrays['embedding'])}, for the rows of "
            f"params['embedding'], got {len(characters)}"
        )
    return arrays


# --- for the script -------------------------------------------------------------------------------


def _table_data(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "rows": list(table.rows),
        "columns": list(table.columns),
        "role": table.role,
        "perHead": table.per_head,
        "values": _texts(table),
    }


def _step_data(step: Step) -> dict[str, Any]:
    return {
        "slug": step.slug,
        "name": step.name,
        "says": step.says,
        "shapes": step.shapes,
        "chapter": [
            step.chapter,
            CHAPTERS[step.chapter],
            SECTIONS.get(step.name, ""),
        ],
        "opened": step.opened,
        "targets": [
            {
                "table": target.table,
                "words": target.words,
                "reads": [[r.table, r.rows, r.columns] for r in target.reads],
                "sums": target.sums,
                "finer": [
                    [int(finer(text)) for text in row] for row in target.sums
                ],
            }
            for target in step.targets
        ],
    }


def _texts(table: Table) -> list[list[str]]:
    """Return the numbers as they are written; a weight of 0 without decimals is exactly 0."""
    exact = table.role == "weight"
    return [
        ["0" if exact and x == 0 else final(float(x)) for x in row]
        for row in table.values
    ]


# --- without the script ---------------------------------------------------------------------------


def _plain(number: int, step: Step, tables: Mapping[str, Table]) -> str:
    """Return a step as HTML: what happens, parameters that are new, results, one sum for each."""
    said = f"<p><strong>{number}. {html.escape(step.name.capitalize())}.</strong> "
    said += f"{html.escape(step.says)} ({html.escape(CHAPTERS[step.chapter])}.) "
    said += f"Shapes: {html.escape(step.shapes)}.</p>"
    read = dict.fromkeys(r.table for target in step.targets for r in target.reads)
    shown = [name for name in read if tables[name].given]
    shown += [target.table for target in step.targets]
    grids = "".join(
        plain_table(table.title, table.rows, table.columns, _texts(table))
        for table in (tables[name] for name in shown)
    )
    sums = "".join(
        f"<p>{html.escape(_sum(step, target, tables)).replace(chr(10), '<br>')}</p>"
        for target in step.targets
    )
    return f'{said}\n<div class="attn-row">\n{grids}\n</div>\n{sums}'


def _sum(step: Step, target: Target, tables: Mapping[str, Table]) -> str:
    """Return the sum of the entry that is picked first, in the last row."""
    table = tables[target.table]
    column = min(step.opened, len(table.columns) - 1)
    words = target.words.format(row=table.rows[-1], column=table.columns[column])
    line = target.sums[-1][column]
    if finer(line):
        words += " (with more decimals)"
    return f"{words}:{chr(10) if chr(10) in line else ' '}{line}"
