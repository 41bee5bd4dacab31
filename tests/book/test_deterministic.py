"""Two executions of a chapter give the same outputs: text, pictures and animations.

Of a cell with the tag "measured", which shows a picture of times just taken, only the kinds of its
outputs are compared.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from book_sources import CHAPTERS, name
from nbclient import NotebookClient


def outputs(path: Path) -> list[list[dict]]:
    """Execute a notebook in a new kernel, and return the outputs of each code cell."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": path.parent}}
    ).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        [sorted(shown(output)) for output in cell.outputs]
        if "measured" in cell.metadata.get("tags", ())
        else merged([shown(output) for output in cell.outputs])
        for cell in code
    ]


def test_only_pictures_are_measured():
    """Numbers that differ each time may be drawn, never printed."""
    for path in CHAPTERS:
        for cell in nbformat.read(path, as_version=4).cells:
            if "measured" in cell.metadata.get("tags", ()):
                assert "figure" in cell.metadata["mystnb"]
                assert "print(" not in cell.source


def merged(outputs: list[dict]) -> list[dict]:
    """Join pieces of one stream: where the kernel cuts what is printed is up to its clock."""
    joined: list[dict] = []
    for output in outputs:
        (stream,) = output if len(output) == 1 else (None,)
        if (
            joined
            and stream in ("stdout", "stderr")
            and set(joined[-1]) == {stream}
        ):
            joined[-1] = {stream: joined[-1][stream] + output[stream]}
        else:
            joined.append(output)
    return joined


def shown(output: dict) -> dict:
    """Return what an output shows: a stream's text, or the data of a result by type."""
    return output["data"] if "data" in output else {output["name"]: output["text"]}


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_two_executions_give_the_same_outputs(path):
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(outputs, [path, path])
    assert any(first)
    for number, (one, other) in enumerate(zip(first, second, strict=True), start=1):
        assert one == other, f"code cell {number} shows something else each time"
