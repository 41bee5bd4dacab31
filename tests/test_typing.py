"""A user's own file is checked against the types of the installed package."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

# A wrong call is marked as one; where mypy finds nothing wrong there, the mark itself is an error.
USE = """
from typing import assert_type

import numpy as np
from torch import Tensor, ones

import course_attn.in_torch as everything
from course_attn.costs import attention_flops
from course_attn.in_numpy import attention as attention_of_arrays
from course_attn.in_numpy import no_such_name  # type: ignore[attr-defined]
from course_attn.in_numpy import softmax
from course_attn.in_torch import MultiHeadAttention, Transformer, attention

A = np.zeros((2, 3))
assert_type(softmax(A), np.ndarray)
assert_type(attention_of_arrays(A, A, A, causal=True), np.ndarray)
softmax([1.0, 2.0])  # type: ignore[arg-type]
softmax(A, axis="rows")  # type: ignore[arg-type]

X = ones(5, 6)
assert_type(attention(X, X, X), Tensor)
assert_type(everything.attention(X, X, X), Tensor)
attention(X, X)  # type: ignore[call-arg]

layer = MultiHeadAttention(6, n_heads=2)
assert_type(layer.forward(X), Tensor)
assert_type(layer.forward_with_weights(X), tuple[Tensor, Tensor])
layer.forward(X, need_weights=True)  # type: ignore[call-arg]
MultiHeadAttention(6, n_heads="2")  # type: ignore[arg-type]

model = Transformer(1, 6, 2, norm="post")
assert_type(model.forward(X), Tensor)
Transformer(1, 6, 2, norm="before")  # type: ignore[arg-type]

assert_type(attention_flops(5, 5, 2, 3, 1), int)
"""


@pytest.mark.exhaustive
def test_strict_users_get_the_types_of_the_installed_package(
    wheel: Path, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    (tmp_path / "use.py").write_text(USE, "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "use.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        timeout=1_800,
    )
    assert run.stdout == "Success: no issues found in 1 source file\n", run.stderr
