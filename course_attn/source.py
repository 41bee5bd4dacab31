"""Show a function's source in a notebook, so that no copy of it is pasted there."""

from whywrong.source import show_source

__all__ = ["show_source"]
