"""The book's drawing vocabulary: matrices, heatmaps, graphs, arcs, animations, live pictures.

What belongs to one chapter is in `course_attn.chapters`.
"""

from course_attn.drawing.animation import animate
from course_attn.drawing.explorer import explore_weights
from course_attn.drawing.graphs import arcs, graph
from course_attn.drawing.matrices import heatmap, matrix
from course_attn.drawing.style import INK, ROLES, canvas, role_color, use_style

__all__ = [
    "INK",
    "ROLES",
    "animate",
    "arcs",
    "canvas",
    "explore_weights",
    "graph",
    "heatmap",
    "matrix",
    "role_color",
    "use_style",
]
