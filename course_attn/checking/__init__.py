"""The engine of the autograded cells. It knows nothing about attention."""

from course_attn.checking.context import Context, number, span
from course_attn.checking.declare import (
    BuiltIn,
    Case,
    Exercise,
    Fault,
    Kind,
    Property,
    Question,
    Reason,
    fault,
)
from course_attn.checking.judge import judge
from course_attn.checking.patches import BadDeclaration
from course_attn.checking.question import as_letters, as_number, as_shape
from course_attn.checking.result import NotRight, Result
from course_attn.checking.use import WrongForm

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
    "fault",
    "judge",
    "number",
    "span",
]
