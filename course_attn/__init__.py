"""The attention mechanism, from one weighted sum to a working transformer.

Every function of the course exists twice, under the same name: in NumPy
(``course_attn.in_numpy``) and in PyTorch (``course_attn.in_torch``).
"""

__version__ = "0.2.0.dev0"

__all__ = ["__version__"]
