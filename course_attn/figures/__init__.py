"""The book's drawing vocabulary: matrices, heatmaps, graphs, arcs, animations, live pictures.

Scenes that belong to one chapter are in the module with that chapter's name.
"""

from course_attn.figures.animation import animate
from course_attn.figures.explorer import explore_weights
from course_attn.figures.graphs import arcs, graph
from course_attn.figures.live.attention_lab import attention_lab
from course_attn.figures.live.follow import follow
from course_attn.figures.live.hopfield_memory import hopfield_memory
from course_attn.figures.live.mask_painter import mask_painter
from course_attn.figures.live.random_widths import random_widths
from course_attn.figures.live.rotary_dials import rotary_dials
from course_attn.figures.live.row_term import row_term
from course_attn.figures.live.soft_convolution import soft_convolution
from course_attn.figures.live.softmax_bars import softmax_bars
from course_attn.figures.live.two_arrows import two_arrows
from course_attn.figures.live.value_triangle import value_triangle
from course_attn.figures.live.writing_model import writing_model
from course_attn.figures.matrices import heatmap, matrix
from course_attn.figures.style import INK, ROLES, canvas, role_color, use_style

__all__ = [
    "INK",
    "ROLES",
    "animate",
    "arcs",
    "attention_lab",
    "canvas",
    "explore_weights",
    "follow",
    "graph",
    "heatmap",
    "hopfield_memory",
    "mask_painter",
    "matrix",
    "random_widths",
    "role_color",
    "rotary_dials",
    "row_term",
    "soft_convolution",
    "softmax_bars",
    "two_arrows",
    "use_style",
    "value_triangle",
    "writing_model",
]
