"""The course's functions and modules in PyTorch: ``from course_attn.in_torch import attention``.

Each chapter has a module of functions, such as ``course_attn.in_torch.multi_head``; some have a
second one of layers, such as ``course_attn.in_torch.multi_head_layers``, and `fast` has kernels for
a GPU, in ``fast_triton``, and a ring of processes, in ``fast_ring``. All their names are here too.
`course_attn` says what common arguments mean and what is refused.
"""

from course_attn.in_torch.block import *
from course_attn.in_torch.block_layers import *
from course_attn.in_torch.encoder_decoder import *
from course_attn.in_torch.encoder_decoder_layers import *
from course_attn.in_torch.fast import *
from course_attn.in_torch.fast_ring import *
from course_attn.in_torch.fast_triton import *
from course_attn.in_torch.gradients import *
from course_attn.in_torch.gradients_layers import *
from course_attn.in_torch.heads import *
from course_attn.in_torch.heads_layers import *
from course_attn.in_torch.language_model import *
from course_attn.in_torch.language_model_layers import *
from course_attn.in_torch.masks import *
from course_attn.in_torch.multi_head import *
from course_attn.in_torch.multi_head_layers import *
from course_attn.in_torch.order import *
from course_attn.in_torch.order_layers import *
from course_attn.in_torch.perspective import *
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
