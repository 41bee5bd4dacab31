"""The book's drawing vocabulary: matrices, heatmaps, graphs, arcs, animations, an explorer.

Scenes that belong to one chapter are in the module with that chapter's name.
"""

from course_attn.figures.animation import animate
from course_attn.figures.explorer import explore_weights
from course_attn.figures.graphs import arcs, graph
from course_attn.figures.matrices import heatmap, matrix
from course_attn.figures.style import INK, ROLES, canvas, role_color, use_style

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
