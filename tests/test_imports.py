"""Who may import whom, and what importing the NumPy side pulls in.

The rules are import-linter's, in pyproject.toml, and `make lint` applies them. Here they are shown
to be able to fail.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.book import ROOT

# For every rule: where a line breaks it, the line, and the module whose import the rule names
# (below course_attn if it is ours).
BREAKS = {
    "A chapter imports earlier chapters only": [
        ("in_numpy/scores.py", "from course_attn.in_numpy.softmax import f", "in_numpy.softmax"),
        ("in_numpy/weighted_sum.py", "from course_attn.in_numpy import scores", "in_numpy.scores"),
        ("in_numpy/softmax.py", "from .qkv import attention", "in_numpy.qkv"),
        ("in_numpy/qkv.py", "from . import scaling", "in_numpy.scaling"),
        ("in_torch/scaling.py", "def f():\n    from ..in_torch import masks", "in_torch.masks"),
        ("in_torch/order_layers.py", "from course_attn.in_torch import block", "in_torch.block"),
        ("in_torch/_order_more.py", "import course_attn.in_torch.fast", "in_torch.fast"),
    ],
    "Imports run one way": [
        ("in_torch/softmax.py", "from course_attn.in_numpy import softmax", "in_numpy.softmax"),
        ("in_numpy/masks.py", "from ..in_torch import scores", "in_torch.scores"),
        ("in_numpy/__init__.py", "from ..drawing import matrix", "drawing"),
        ("in_torch/masks.py", "import course_attn.chapters.qkv.cards", "chapters.qkv.cards"),
        ("drawing/graphs.py", "from course_attn import exercises", "exercises"),
        ("drawing/style.py", "from course_attn.chapters.qkv import cards", "chapters.qkv.cards"),
        ("chapters/masks/figures.py", "from course_attn import train", "train"),
        ("source.py", "from course_attn import exercises", "exercises"),
        ("weights.py", "from course_attn import text", "text"),
    ],
    "The engine knows nothing of the course": [
        ("../whywrong/running.py", "from course_attn.in_torch import softmax", "in_torch.softmax"),
        ("../whywrong/judge.py", "from course_attn import exercises", "exercises"),
    ],
    "The exercises draw nothing": [
        (
            "chapters/scores/exercises/dot_scores.py",
            "from course_attn.drawing import graph",
            "drawing",
        ),
    ],
    "The NumPy side and the drawings need no PyTorch, not even indirectly": [
        ("in_numpy/order.py", "def f():\n    from torch.nn import functional", "torch"),
        ("drawing/matrices.py", "from course_attn.in_torch import qkv", "in_torch.qkv"),
        ("drawing/graphs.py", "import torch", "torch"),
        ("weights.py", "def g():\n    import torch", "torch"),
    ],
    "in_numpy needs NumPy and jaxtyping": [("in_numpy/block.py", "import scipy.special", "scipy")],
    "in_torch needs PyTorch and jaxtyping, its kernels Triton": [
        ("in_torch/block.py", "import numpy", "numpy"),
    ],
    "drawing needs NumPy and Matplotlib": [
        ("drawing/graphs.py", "import sklearn", "sklearn"),
        ("drawing/matrices.py", "import whywrong.judge", "whywrong.judge"),
    ],
    "train needs PyTorch, Matplotlib and tqdm": [("train/log.py", "import pandas", "pandas")],
}  # fmt: skip


def lint_imports(folder: Path) -> str:
    """Return what import-linter says of a folder that holds the package and its rules."""
    program = "from importlinter.cli import lint_imports_command as main; main()"
    run = subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of what the rules are about."""
    folder = tmp_path_factory.mktemp("copied")
    for name in ("course_attn", "whywrong", "tools"):
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    for name in ("pyproject.toml", "_toc.yml"):
        shutil.copy(ROOT / name, folder)
    return folder


def dotted(path: str) -> str:
    """Return the name of a module: `in_numpy/__init__.py` is `in_numpy`."""
    bare = path.removeprefix("../").removesuffix(".py").removesuffix("/__init__")
    return bare.replace("/", ".")


def test_import_rules__each_notices_what_breaks_it(copied: Path) -> None:
    assert " 0 broken." in lint_imports(copied)
    for path, line, _ in itertools.chain(*BREAKS.values()):
        with (copied / "course_attn" / path).open("a", encoding="utf-8") as module:
            module.write(f"\n{line}\n")
    said = lint_imports(copied).replace("course_attn.", "")
    _, *sections = re.split(
        r"^(.+)\n-{4,}\n", said.split("Broken contracts\n")[1], flags=re.M
    )
    found = dict(zip(sections[::2], sections[1::2], strict=True))
    assert found.keys() == BREAKS.keys()
    for rule, broken in BREAKS.items():
        wanted = [f"{dotted(path)} -> {name} (l." for path, _, name in broken]
        assert [pair for pair in wanted if pair not in found[rule]] == [], rule


def test_import_rules__refuse_a_module_of_no_chapter(copied: Path) -> None:
    (copied / "course_attn/in_numpy/extra.py").touch()
    assert "- course_attn.in_numpy.extra\n" in lint_imports(copied)


# --- in a fresh interpreter -----------------------------------------------------------------------


HEAVY = ["torch", "matplotlib", "beartype", "scipy", "sklearn", "IPython"]
NUMPY_SIDE = sorted(
    dotted(path.relative_to(ROOT).as_posix())
    for path in (ROOT / "course_attn/in_numpy").glob("*.py")
)
IMPORT_ALL = f"import sys, course_attn, {', '.join(NUMPY_SIDE)}"


def python(*lines: str) -> str:
    """Run lines in a fresh interpreter; return what it printed."""
    command = [sys.executable, "-c", "\n".join(lines)]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_in_numpy__loads_neither_torch_nor_matplotlib() -> None:
    found = python(IMPORT_ALL, f"print([n for n in {HEAVY} if n in sys.modules])")
    assert found == "[]"


def test_in_numpy__works_where_there_is_no_torch() -> None:
    """As in a browser: an import of torch fails there."""
    zeros = "course_attn.in_numpy.softmax(numpy.zeros(4))"
    hide = f"import sys; sys.modules.update(dict.fromkeys({HEAVY}))"
    found = python(hide, IMPORT_ALL, "import numpy", f"print({zeros})")
    assert found == "[0.25 0.25 0.25 0.25]"
