"""Answers that compute nothing get no point, whatever they do to the one who checks them.

The first half deceives a check that runs in the same Python; the second half knows this grader.
"""

import pytest

from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from tests.whywrong.grade.classroom import graded, outside

ZEROS = (
    "import numpy as np\ndef softmax(scores):\n    return np.zeros_like(scores)\n"
)
RESULT = (
    "from whywrong.result import Result\nright = Result('right', '', 'softmax')\n"
)

SAME_PYTHON = {
    "own-check": "def check(*args, **options):\n    return 'right'\nrequire = check\n",
    "own-check-by-name": "check = require = lambda *args, **options: None\n",
    "not-strict": "import os\nos.environ.pop('NBGRADER_EXECUTION', None)\nos.environ.clear()\n",
    "judge-replaced": RESULT + """
import whywrong.course, whywrong.judge, whywrong.grade.answer
for module in (whywrong.course, whywrong.judge, whywrong.grade.answer):
    module.judge = lambda *args: right
""",
    "result-always-passed": RESULT + "Result.passed = True\n",
    "strictness-off": "import whywrong.course as c\nc._is_strict = lambda: False\n",
    "false-package": """
import sys, types
fake = types.ModuleType('course_attn.exercises')
fake.check = fake.require = lambda *args, **options: None
sys.modules['course_attn.exercises'] = fake
""",
    "input-transformer": "get_ipython().input_transformers_post.append(lambda lines: [])\n",
    "before-each-cell": "get_ipython().events.register('pre_run_cell', print)\n",
    "agree-replaced": """
import whywrong.running as r, whywrong.arrays as a
r.agree = a.agree = lambda *args: True
""",
    "isclose-replaced": """
import numpy as np
np.isclose = lambda a, b, **options: np.ones(np.shape(a), bool)
""",
    "patched-later": """
import threading, time
def later():
    import whywrong.running as r
    for _ in range(1000):
        r.agree = lambda *args: True
        time.sleep(0.001)
threading.Thread(target=later, daemon=True).start()
""",
    "nothing-wrong": "import whywrong.running as r\nr.Trial.wrong = ()\n",
    "one-case": """
from course_attn.exercises import catalog
task = catalog.find('softmax')
task.__dict__['made_cases'] = task.made_cases[:0]
""",
    "reference-replaced": "import numpy as np\nnp.exp = np.zeros_like\n",
    "always-equal": """
import numpy as np
class Equal(np.ndarray):
    def __array_ufunc__(self, *args, **options):
        return True
    def __eq__(self, other):
        return True
def softmax(scores):
    return np.zeros_like(scores).view(Equal)
""",
    "array-in-disguise": """
import numpy as np
class Disguise:
    __class__ = np.ndarray
    shape, dtype, ndim = (2, 3), np.dtype(float), 2
    def __array__(self, *args, **options):
        return np.full((2, 3), 1 / 3)
def softmax(scores):
    return Disguise()
""",
    "caller's-frame": """
import sys
def softmax(scores):
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            expected = getattr(value, 'expected', None)
            if expected is not None:
                return expected[0]
        frame = frame.f_back
    return scores * 0
""",
    "everything-in-memory": """
import gc
def softmax(scores):
    for thing in gc.get_objects():
        if type(thing).__name__ == 'Trial':
            return thing.expected[len(thing.outcomes) - 1]
    return scores * 0
""",
    "table-by-input": """
import numpy as np
from course_attn.exercises import catalog
task = catalog.find('softmax')
table = {c.args[0].tobytes(): task.solution(c.args[0]) for c in task.made_cases}
def softmax(scores):
    return table.get(scores.tobytes(), scores * 0).copy()
""",
    "table-by-turn": """
import itertools
from course_attn.exercises import catalog
task = catalog.find('softmax')
turns = itertools.cycle([task.solution(c.args[0]) for c in task.made_cases])
def softmax(scores):
    return next(turns)
""",
    "exit": "import sys\ndef softmax(scores):\n    sys.exit(0)\n",
    "key-pressed": """
from whywrong.running import KeyPressed
def softmax(scores):
    raise KeyPressed
""",
    "times-up": """
from whywrong.running import TimesUp
def softmax(scores):
    raise TimesUp
""",
    "not-right": """
from whywrong.result import NotRight
def softmax(scores):
    raise NotRight('right')
""",
    "killed": "import os, signal\ndef softmax(scores):\n    os.kill(os.getpid(), signal.SIGKILL)\n",
    "exit-at-once": "import os\nos._exit(0)\n",
    "says-100": "print('score: 100.0')\n'100.0'\n",
}  # fmt: skip

FIND_LINE = """
import gc
from whywrong.grade.answer import _Answer
from whywrong.grade.wire import Line
me = next(thing for thing in gc.get_objects() if type(thing) is _Answer)
line = next(thing for thing in gc.get_objects() if type(thing) is Line)
"""
SAYS_RIGHT = {
    "status": "right",
    "message": "",
    "faults": [],
    "printed": "",
    "remarks": [],
}

THIS_GRADER = {
    "tutor-replaced": FIND_LINE + f"_Answer.tutor = lambda *args: {SAYS_RIGHT!r}\n",
    "solution-of-another-name": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.look = lambda self, name: {{'found': True, 'callable': True, 'parameters': 'all'}}
_Answer.call = lambda *args: ({{'value': None, 'changed': []}}, b'')
""",
    "garbage-on-the-line": FIND_LINE + "import os\nos.write(line.outgoing, b'right' * 1000)\n",
    "too-much-on-the-line": FIND_LINE + "import os\nos.write(line.outgoing, b'\\xff' * 8)\n",
    "right-on-the-line": FIND_LINE + f"""
for _ in range(50):
    line.send({SAYS_RIGHT!r})
""",
    "nested-without-end": FIND_LINE + """
import os, struct
text = b'[' * 100_000
os.write(line.outgoing, struct.pack('>II', len(text), 0) + text)
""",
    "not-a-value": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.call = lambda *args: ({{'value': {{'array': 'O', 'shape': [2], 'at': 0}}}}, b'12345678')
""",
    "larger-than-sent": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.call = lambda *args: ({{'value': {{'array': '<f8', 'shape': [10**9], 'at': 0}}}}, b'')
""",
    "calls-what-is-not-there": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.call = lambda *args: ({{'callback': 7, 'args': None, 'options': {{}}}}, b'')
""",
    "changes-the-arguments": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.call = lambda *args: (
    {{'value': 1.0, 'changed': [[0, {{'array': '<f8', 'shape': [1], 'at': 0}}]]}}, bytes(8)
)
""",
    "same-bytes-again": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
def call(self, message, blob):
    (node,) = message['args']['tuple']
    return {{'value': None, 'changed': [[0, node]] * 2}}, blob
_Answer.call = call
""",
    "cell-without-a-number": FIND_LINE + "line.send({'cell': float('inf')})\n",
    "changes-to-nothing": FIND_LINE + f"""
_Answer.tutor = lambda *args: {SAYS_RIGHT!r}
_Answer.call = lambda *args: ({{'value': None, 'changed': [[0, None]]}}, b'')
""",
    "silent": FIND_LINE + "import os\nos.close(line.outgoing)\n",
    "kills-its-starters": """
import os, signal
def softmax(scores):
    for pid in {1, os.getppid()} - {0, os.getpid()}:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return scores * 0
""",
}  # fmt: skip

FORGERIES = SAME_PYTHON | THIS_GRADER


@pytest.mark.parametrize("kind", FORGERIES)
def test_answer_that_computes_nothing_gets_no_point(launcher, kind):
    cell = FORGERIES[kind]
    if "def softmax" not in cell:
        cell = f"{ZEROS}\n{cell}"
    result = graded(launcher, "softmax", cell, seconds=10)
    assert result.status in ("wrong", "crashed", "todo"), result


@pytest.mark.parametrize("kind", ["table-by-input", "table-by-turn"])
def test_table_of_the_declared_inputs_is_found_out_by_other_inputs(launcher, kind):
    result = outside(launcher, "softmax", SAME_PYTHON[kind])
    assert not result.passed


def test_right_answer_passes_where_its_author_broke_the_check(launcher):
    right = reference_source(catalog.find("softmax"))
    broken = "import numpy as np\n\ndef check(weights):\n    return weights.sum(-1) == 1\n"
    assert graded(launcher, "softmax", broken + right).passed


@pytest.mark.parametrize("kind", ["changes-to-nothing", "same-bytes-again"])
def test_what_cannot_be_understood_is_said(launcher, kind):
    cell = f"{ZEROS}\n{FORGERIES[kind]}"
    result = graded(launcher, "softmax", cell, seconds=10)
    assert "cannot be understood" in result.message


def test_what_an_answer_says_is_text_and_nothing_else(launcher):
    said = SAYS_RIGHT | {
        "status": "wrong",
        "message": "\x1b[31mred\ud800\u202e",
        "printed": "\x1b]0;x\x07 two\n\tlines",
        "remarks": ["\x00"],
    }
    cell = f"{ZEROS}\n{FIND_LINE}\n_Answer.tutor = lambda *args: {said!r}\n"
    result = graded(launcher, "softmax", cell)
    assert result.message == "�[31mred��"
    assert (result.printed, result.remarks) == ("�]0;x� two\n\tlines", ("�",))


def test_what_the_judge_repeats_of_an_answer_is_text(launcher):
    failed = {"failed": {"1": "\x1b[31m\ud800"}}
    result = graded(launcher, "softmax", f"{FIND_LINE}\nline.send({failed!r})\n")
    assert result.faults == ("missing",) and "�[31m�" in result.message
