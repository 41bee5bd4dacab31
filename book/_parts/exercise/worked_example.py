"""A small input of an exercise and the right answer to it, as squares with their numbers."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from whywrong.arrays import side_of
from whywrong.declare import Exercise, Question, parameter_names

__all__ = ["worked_example"]

# What fits a phone, or nearly.
_MOST_ENTRIES = 60
_MOST_COLUMNS = 8
# What is so small beside the largest entry is what rounding leaves of 0.
_ROUNDING = 1e-12


def worked_example(task: Exercise | Question) -> str:
    """Return the first small case of an exercise as HTML; nothing where none can be drawn."""
    if (
        isinstance(task, Question)
        or task.arguments
        or isinstance(task.solution, type)
    ):
        return ""
    side = side_of(task.library)
    names = parameter_names(task.solution)
    for case in task.made_cases:
        if len(case.args) != len(names) or not _can_be_drawn(case.args):
            continue
        given = [side.native(side.copy(value)) for value in case.args]
        try:
            right = task.used(task.solution)(*given)
        except ValueError:  # a case that has no right answer
            continue
        results = right if isinstance(right, tuple) else (right,)
        results = [side.as_numpy(result) for result in results]
        has_array = any(np.ndim(value) for value in (*case.args, *results))
        if has_array and _can_be_drawn(results):
            return _drawn(task.name, names, case.args, results)
    return ""


def _can_be_drawn(values: Sequence[Any]) -> bool:
    """Whether all are numbers, rows or matrices, and few enough numbers altogether."""
    arrays = [np.asarray(value) for value in values]
    return (
        all(array.dtype.kind in "biuf" and array.ndim <= 2 for array in arrays)
        and all(
            0 < array.shape[-1] <= _MOST_COLUMNS for array in arrays if array.ndim
        )
        and 0 < sum(array.size for array in arrays) <= _MOST_ENTRIES
    )


def _drawn(
    name: str, names: Sequence[str], given: Sequence[Any], results: Sequence[Any]
) -> str:
    """Draw the arguments, an arrow and the results."""
    known = [_value(*pair) for pair in zip(names, given, strict=True)]
    made = [_value("", result) for result in results]
    call = f"{name}({', '.join(names)})"
    return (
        '<figure class="attn-example"><figcaption>For example</figcaption>'
        f'<div class="attn-example-row">{"".join(known)}'
        f'<div class="attn-example-out"><div class="attn-arrow">'
        f'<span aria-hidden="true">→</span> <code>{escape(call)}</code></div>'
        f"{''.join(made)}</div></div></figure>"
    )


def _value(name: str, value: Any) -> str:
    """Draw a number, a row or a matrix with its name and its shape."""
    array = np.asarray(value)
    shape = " × ".join(map(str, array.shape)) if array.ndim else ""
    label = f"<code>{escape(name)}</code>" if name else "result"
    label += f" {shape}" if shape else ""
    largest = np.abs(array[np.isfinite(array)]).max(initial=0) or 1
    rows = [
        "<tr>" + "".join(_cell(entry, largest) for entry in row) + "</tr>"
        for row in np.atleast_2d(array)
    ]
    return f"<table><caption>{label}</caption>{''.join(rows)}</table>"


def _cell(entry: Any, largest: float) -> str:
    strength = min(abs(float(entry)) / largest, 1) if np.isfinite(entry) else 0
    if isinstance(entry, np.floating) and 0 < strength < _ROUNDING:
        entry = 0.0
    sign = ' class="attn-negative"' if entry < 0 else ""
    return f'<td{sign} style="--w:{strength:.2f}">{_number(entry)}</td>'


def _number(entry: Any) -> str:
    if isinstance(entry, bool | np.bool_):
        return "✓" if entry else "·"
    if np.isinf(entry):
        return "−∞" if entry < 0 else "∞"
    return f"{entry:.3g}".replace("-", "−")
