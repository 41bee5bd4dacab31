"""The engine of the autograded cells: it says why an answer is wrong, hence its name.

It knows nothing about attention; README.md, beside this file, shows a course of another subject.

An exercise is declared with `declare`, `faults` and `patches`, found by a `catalog`, and tried with
`sound`; `inputs` draws other inputs for it. `judge` comes to a verdict: `running` has the learner's
function called (`calls`, `limits`, and `stops` where it crashes), and `explain` asks one after the
other what is wrong. `form`, `observe` and `gradients` say what can be seen in the answer,
`mistakes` recognizes the mistake among those that were declared and those of `slips`, and `mend`
looks for it in the learner's own code, which `learner` finds. `result` is what is shown, `store`
what is remembered; `course` joins all this for the exercises of one course. What a sentence may
quote is in `context`, and what is to be known of arrays in `arrays`.
"""

from whywrong.catalog import Catalog
from whywrong.context import Context, listed, number, span, told_apart
from whywrong.course import Course
from whywrong.declare import (
    BuiltIn,
    Case,
    Exercise,
    Kind,
    Property,
    Question,
    Reason,
    WrongForm,
)
from whywrong.faults import Fault, fault, fault_list
from whywrong.judge import judge
from whywrong.patches import BadDeclaration
from whywrong.question import Letters, as_number, as_shape, contains, lacks
from whywrong.result import NotRight, Result

__version__ = "0.2.0.dev0"

__all__ = ["BadDeclaration", "BuiltIn", "Case", "Catalog", "Context", "Course"]
__all__ += [
    "Exercise",
    "Fault",
    "Kind",
    "Letters",
    "NotRight",
    "Property",
    "Question",
]
__all__ += ["Reason", "Result", "WrongForm", "as_number", "as_shape"]
__all__ += ["contains", "fault", "fault_list", "judge", "lacks", "listed", "number"]
__all__ += ["span", "told_apart"]
