"""A notebook of a class, written before the engine was a package of its own, still works.

`handed_out.json` holds the code cells of what ``classroom write softmax:softmax,entropy --seed
"a word"`` wrote then.
"""

from pathlib import Path

import nbformat
import pytest

from tests.exercises.solutions import TASKS, reference_source
from tests.whywrong.classroom.kernels import IN_BITS, with_answers
from whywrong import NotRight
from whywrong.classroom.restore import restore_checks

NOTEBOOK = nbformat.read(Path(__file__).with_name("handed_out.json"), as_version=4)
RIGHT = {name: reference_source(TASKS[name]) for name in ("softmax", "entropy")}


def refused(notebook):
    """Run the cells one after the other; return those whose check is not content."""
    names, found = {}, set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            try:
                exec(cell.source, names)
            except NotRight:
                found.add(cell["id"])
    return found


@pytest.mark.parametrize(
    ("answers", "checks"),
    [
        (RIGHT, set()),
        (RIGHT | {"entropy": IN_BITS}, {"entropy-check"}),
        ({}, {"softmax-check", "entropy-check"}),
    ],
)
def test_answers_get_what_they_deserve(answers, checks):
    handed_in = with_answers(NOTEBOOK, answers)
    assert refused(handed_in) == checks
    assert refused(restore_checks(NOTEBOOK, handed_in)) == checks
