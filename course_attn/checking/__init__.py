"""The engine of the autograded cells. It knows nothing about attention."""

from course_attn.checking.context import Context, listed, number, span
from course_attn.checking.declare import (
    BuiltIn,
    Case,
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
from course_attn.checking.judge import (
    as_letters,
    as_number,
    as_shape,
    contains,
    judge,
    lacks,
)
from course_attn.checking.patches import BadDeclaration
from course_attn.checking.result import NotRight, Result

__all__ = [
    "BadDeclaration",
    "BuiltIn",
    "Case",
    "Context",
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
]
