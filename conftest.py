"""What the examples in docstrings use without importing it, as help on a function shows them."""

import importlib.util

import numpy as np
import pytest

# Its import needs Triton, and it has no examples.
collect_ignore = ["course_attn/in_torch/_fast_kernels.py"]


@pytest.fixture(autouse=True)
def libraries(doctest_namespace: dict[str, object]) -> None:
    """Let examples say `np` and, where it is installed, `torch`."""
    doctest_namespace["np"] = np
    if importlib.util.find_spec("torch"):
        import torch

        doctest_namespace["torch"] = torch
