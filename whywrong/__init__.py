"""The engine of the autograded cells: it says why an answer is wrong, hence its name.

It knows nothing about attention; README.md, beside this file, shows a course of another subject.

`declare` says what an exercise is made of, and finds it; `result` holds what a learner sees and
what is remembered. In between, `judge` comes to a verdict: `running` calls the learner's function,
`observe` says what can be seen in the answer, `diagnose` recognizes the mistake, among those that
were declared and those of `slips`, and `repair` looks for it in the learner's own code. `course`
joins these for the exercises of one course, `inputs` draws other inputs, and `sound` tries a
declaration. What a
sentence may quote is in `context`, and what is to be known about NumPy's and PyTorch's arrays in
`arrays`.
"""

from whywrong.context import Context, listed, number, span, told_apart
from whywrong.course import Course
from whywrong.declare import (
    BadDeclaration,
    BuiltIn,
    Case,
    Catalog,
    Exercise,
    Fault,
    Kind,
    Property,
    Question,
    Reason,
    WrongForm,
    fault,
    fault_list,
)
from whywrong.judge import judge
from whywrong.questions import as_letters, as_number, as_shape, contains, lacks
from whywrong.result import NotRight, Result

__version__ = "0.2.0.dev0"

__all__ = [
    "BadDeclaration",
    "BuiltIn",
    "Case",
    "Catalog",
    "Context",
    "Course",
    "Exercise",
    "Fault",
    "Kind",
    "NotRight",
    "Property",
    "Question",
    "Reason",
    "Result",
    "WrongForm",
    "as_letters",
    "as_number",
    "as_shape",
    "contains",
    "fault",
    "fault_list",
    "listed",
    "judge",
    "lacks",
    "number",
    "span",
    "told_apart",
]
