"""The course's functions and modules in PyTorch: ``from course_attn.in_torch import attention``.

Each chapter has a module with its functions, ``course_attn.in_torch.multi_head``, and where it has
layers one with these, ``course_attn.in_torch.multi_head_layers``; all their names are here, too.
What the arguments mean that many functions take, and what is refused, is said in `course_attn`.
"""

from course_attn.in_torch.block import *
from course_attn.in_torch.block_layers import *
from course_attn.in_torch.fast import *
from course_attn.in_torch.masks import *
from course_attn.in_torch.multi_head import *
from course_attn.in_torch.multi_head_layers import *
from course_attn.in_torch.order import *
from course_attn.in_torch.order_layers import *
from course_attn.in_torch.qkv import *
from course_attn.in_torch.qkv_layers import *
from course_attn.in_torch.scaling import *
from course_attn.in_torch.scores import *
from course_attn.in_torch.softmax import *
from course_attn.in_torch.weighted_sum import *

__all__ = sorted(
    name
    for name, thing in globals().items()
    if getattr(thing, "__module__", "").startswith(f"{__name__}.")
)
