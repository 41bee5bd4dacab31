"""The course's functions in NumPy: ``from course_attn.in_numpy import attention``.

Each chapter has a module, such as ``course_attn.in_numpy.softmax``; all its names are here too.
`course_attn` says what common arguments mean and what is refused.
"""

from course_attn.in_numpy.block import *
from course_attn.in_numpy.encoder_decoder import *
from course_attn.in_numpy.fast import *
from course_attn.in_numpy.gradients import *
from course_attn.in_numpy.heads import *
from course_attn.in_numpy.language_model import *
from course_attn.in_numpy.masks import *
from course_attn.in_numpy.multi_head import *
from course_attn.in_numpy.order import *
from course_attn.in_numpy.perspective import *
from course_attn.in_numpy.qkv import *
from course_attn.in_numpy.scaling import *
from course_attn.in_numpy.scores import *
from course_attn.in_numpy.softmax import *
from course_attn.in_numpy.weighted_sum import *

__all__ = sorted(
    name
    for name, thing in globals().items()
    if getattr(thing, "__module__", "").startswith(f"{__name__}.")
)
