"""A class that hands in right, wrong, untouched, crashing, endless and forged notebooks."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import nbformat

from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from tests.whywrong.grade.classroom import notebook
from tests.whywrong.grade.test_forgeries import FORGERIES, ZEROS

__all__ = ["ASKED", "KINDS", "hand_in"]

ASKED = ("softmax", "softmax_with_temperature", "softmax_torch")
KINDS = ("right", "wrong", "stub", "crash", "loop", "forged")

CRASHES = (
    "def softmax(scores):\n    return scores / undefined\n",
    "import os\nos._exit(3)\n",
    "def softmax(scores):\n    return softmax(scores)\n",
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nraise SystemExit\n",
    "def softmax(scores):\n    return scores.reshape(1, 2, 3)\n",
    "hoard = []\ndef softmax(scores):\n    while True:\n        hoard.append(bytearray(2**28))\n",
    "def softmax(scores):\n    for i in range(9**9): open(f'{i}', 'w').write('x' * 10**7)\n",
)  # fmt: skip
LOOPS = (
    "def softmax(scores):\n    while True:\n        pass\n",
    "import time\ntime.sleep(1000)\n",
    "def softmax(scores):\n    while True:\n        try:\n            while True: pass\n"
    "        except BaseException: pass\n",
)  # fmt: skip


def _right() -> dict[str, str]:
    return {name: reference_source(catalog.find(name)) for name in ASKED}


def _wrong(number: int) -> dict[str, str]:
    """Return answers with one of the declared mistakes each."""
    answers = {}
    for name in ASKED:
        task = catalog.find(name)
        faults = [fault for fault in task.faults if fault.patches]
        answers[name] = task.wrong_source(faults[number % len(faults)])
    return answers


def hand_in(folder: Path, number: int) -> Mapping[str, tuple[str, ...]]:
    """Write a class's submissions and return which exercises of whom are right.

    Parameters
    ----------
    folder : Path
        Gets them, as nbgrader lays them out.
    number : int
        How many.
    """
    right, forgeries = {}, itertools.cycle(FORGERIES.values())
    for i in range(number):
        kind, turn = KINDS[i % len(KINDS)], i // len(KINDS)
        student, answers, good = f"{kind}-{i:03}", _right(), ASKED
        if kind == "wrong":
            answers, good = _wrong(turn), ()
        elif kind == "stub":
            answers, good = {}, ()
        elif kind in ("crash", "loop"):
            sources = CRASHES if kind == "crash" else LOOPS
            answers["softmax"] = sources[turn % len(sources)]
            good = ASKED[1:]
        elif kind == "forged":
            cell = next(forgeries)
            answers = {
                "softmax": cell if "def softmax" in cell else f"{ZEROS}\n{cell}"
            }
            good = ()
        right[student] = tuple(good)
        place = folder / student / "week3" / "softmax.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(notebook("softmax", answers), place)
    return right
