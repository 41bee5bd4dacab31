"""Notebooks with answers, and a kernel that inherits nothing."""

import json
import sys
from pathlib import Path

import nbformat

from tests.whywrong.classroom.the_page import ROOT

OVERFLOWS = """
def softmax(scores):
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)
"""
LOOPS = """
import time

def softmax_with_temperature(scores, temperature):
    while True:
        time.sleep(0.1)
"""
IN_BITS = """
def entropy(weights):
    return -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=-1)
"""
# A helper with the name of the check, which says yes to everything; and the answer calls it.
OWN_CHECK = """
def check(weights):
    return bool(np.allclose(weights.sum(axis=-1), 1))

{answer}
_softmax = softmax

def softmax(scores):
    weights = _softmax(scores)
    assert check(weights) is True
    return weights
"""


def with_answers(notebook, answers):
    """Return a copy of a notebook in which some stubs are replaced; None takes the cell out."""
    copy = nbformat.reads(nbformat.writes(notebook), as_version=4)
    kept = []
    for cell in copy.cells:
        name = cell["id"].removesuffix("-answer")
        if name != cell["id"] and name in answers:
            if answers[name] is None:
                continue
            cell["source"] = answers[name]
        kept.append(cell)
    copy.cells = kept
    return copy


def bare_kernel(folder: Path) -> dict[str, str]:
    """Install a kernel that starts in an empty environment; return where Jupyter finds it."""
    spec = folder / "kernels/bare"
    spec.mkdir(parents=True)
    empty = ["env", "-i", "PATH=/usr/bin:/bin", f"HOME={folder}"]
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    settings = {
        "argv": [*empty, f"PYTHONPATH={ROOT}", *start],
        "display_name": "bare",
        "language": "python",
    }
    (spec / "kernel.json").write_text(json.dumps(settings), "utf-8")
    return {"JUPYTER_PATH": str(folder)}
