"""Steps that several exercises of `weighted_sum` share."""

from typing import Any

__all__ = ["same"]


def same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array
