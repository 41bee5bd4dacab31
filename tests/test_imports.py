"""Who may import whom, and what importing the package costs.

The rules are read off the sources, so that a forbidden import inside a function is found too, and
then tried in fresh interpreters.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "course_attn"
STANDARD = sys.stdlib_module_names

# What each folder may import besides the standard library: by its first name for other people's
# packages, in full for ours. Pillow comes with matplotlib, matplotlib_inline with IPython.
ALLOWED = {
    "in_numpy": {
        "numpy",
        "jaxtyping",
        "course_attn._check_options",
        "threadpoolctl",  # if installed
        "course_attn._checks",
        "course_attn.in_numpy",
    },
    "in_torch": {
        "torch",
        "jaxtyping",
        "course_attn._check_options",
        "course_attn._checks",
        "course_attn.in_torch",
    },
    "figures": {
        "numpy",
        "matplotlib",
        "PIL",
        "matplotlib_inline",
        "course_attn.figures",
    },
}
# What each folder must not import, where it may import everything else.
FORBIDDEN = {
    "checking": {
        "course_attn.in_numpy",
        "course_attn.in_torch",
        "course_attn.exercises",
        "course_attn.figures",
    },
    "exercises": {"course_attn.figures"},
}
SOURCES = sorted(
    path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.py")
)


def dotted(path: str) -> str:
    """Return the name of a module: `course_attn/in_numpy/__init__.py` is `course_attn.in_numpy`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(source: str, path: str) -> set[str]:
    """Return the full names of everything that a source imports, at any depth.

    `from a.b import c` gives both `a.b` and `a.b.c`, since c may be a module.
    """
    package = (
        dotted(path)
        if path.endswith("__init__.py")
        else dotted(path).rpartition(".")[0]
    )
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        if isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            above = ".".join(
                [
                    *(base if node.level else []),
                    *([node.module] if node.module else []),
                ]
            )
            found |= {above} | {f"{above}.{name.name}" for name in node.names}
    return found


def within(name: str, parents: set[str]) -> bool:
    """Say whether a module is one of these or lies in one of them."""
    return any(
        name == parent or name.startswith(f"{parent}.") for parent in parents
    )


def chapters_in_order() -> list[str]:
    """Return the slugs of the chapters as the table of contents orders them."""
    return re.findall(
        r"file:\s*book/(\w+)$",
        (ROOT / "_toc.yml").read_text(encoding="utf-8"),
        re.M,
    )


def chapter_of(module: str, order: list[str]) -> str:
    """Return the slug of a module: `_multi_head_layers` is a part of `multi_head`."""
    private = [slug for slug in order if module.startswith(f"_{slug}_")]
    return max(private, key=len, default=module)


def offences(source: str, path: str, order: list[str]) -> set[str]:
    """Return the imports of a source that break a rule."""
    names = imports(source, path)
    folder, module = path.split("/")[1], path.rpartition("/")[2].removesuffix(".py")
    names = {name for name in names if name.partition(".")[0] not in STANDARD}
    found = {name for name in names if within(name, FORBIDDEN.get(folder, set()))}
    if folder in ALLOWED:
        found |= {n for n in names if not within(n, ALLOWED[folder])} - {
            "course_attn"
        }
    if folder in ("in_numpy", "in_torch") and module != "__init__":
        slug = chapter_of(module, order)
        assert slug in order, f"{module} is no chapter of _toc.yml"
        later = order[order.index(slug) :]
        found |= {
            n
            for n in names
            if within(n, {f"course_attn.{folder}.{slug}" for slug in later})
        }
    if folder not in (
        "exercises",
        "__init__.py",
    ):  # exercises stand at the end of every chain
        found |= {n for n in names if within(n, {"course_attn.exercises"})}
    return found


@pytest.mark.parametrize("path", SOURCES)
def test_imports_keep_their_direction(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert offences(source, path, chapters_in_order()) == set()


def test_the_chapters_are_found_in_their_order() -> None:
    assert chapters_in_order()[:3] == ["weighted_sum", "scores", "softmax"]
    assert "course_attn/in_numpy/softmax.py" in SOURCES


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("in_numpy/scores.py", "import torch"),
        ("in_numpy/scores.py", "def f():\n    from torch.nn import functional"),
        ("in_numpy/scores.py", "import scipy.special"),
        ("in_numpy/scores.py", "from course_attn.in_numpy.softmax import softmax"),
        ("in_numpy/scores.py", "from course_attn.in_numpy import softmax"),
        ("in_numpy/scores.py", "from .softmax import softmax"),
        ("in_numpy/scores.py", "from . import softmax"),
        ("in_numpy/scores.py", "from ..in_torch import scores"),
        ("in_numpy/scores.py", "from course_attn import in_torch"),
        ("in_numpy/__init__.py", "from ..figures import matrix"),
        (
            "in_torch/scores.py",
            "from course_attn.in_numpy.weighted_sum import weighted_sum",
        ),
        ("in_torch/scores.py", "import course_attn.exercises.scores.dot_scores"),
        ("figures/matrices.py", "from course_attn.in_numpy.softmax import softmax"),
        ("figures/matrices.py", "import torch"),
        ("checking/trial.py", "from course_attn.in_torch import softmax"),
        ("checking/trial.py", "from course_attn import exercises"),
        (
            "exercises/scores/dot_scores.py",
            "from course_attn.figures import matrix",
        ),
        ("source.py", "from course_attn import exercises"),
    ],
)
def test_a_forbidden_import_is_noticed(path: str, line: str) -> None:
    """The rules above, shown to be able to fail."""
    assert offences(
        line, f"course_attn/{path}", ["weighted_sum", "scores", "softmax"]
    )


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            "in_numpy/scores.py",
            "import math\nimport numpy as np\nfrom jaxtyping import Float",
        ),
        (
            "in_numpy/scores.py",
            "from course_attn.in_numpy.weighted_sum import weighted_sum",
        ),
        ("in_numpy/scores.py", "from .weighted_sum import weighted_sum"),
        ("in_numpy/scores.py", "from course_attn._checks import check_axis"),
        (
            "in_torch/softmax.py",
            "import torch.nn.functional as F\nfrom . import scores",
        ),
        (
            "figures/graphs.py",
            "from .matrices import matrix\nimport matplotlib.pyplot as plt",
        ),
        (
            "checking/torch_side.py",
            "import torch\nfrom course_attn.checking import trial",
        ),
        (
            "exercises/scores/dot_scores.py",
            "from course_attn.in_torch import scores",
        ),
    ],
)
def test_an_allowed_import_passes(path: str, line: str) -> None:
    assert not offences(
        line, f"course_attn/{path}", ["weighted_sum", "scores", "softmax"]
    )


# --- in a fresh interpreter -----------------------------------------------------------------------

NUMPY_MODULES = sorted(
    dotted(p) for p in SOURCES if p.startswith("course_attn/in_numpy/")
)
IMPORT_ALL = f"import course_attn, {', '.join(NUMPY_MODULES)}"


def fresh_python(*args: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter in the repository's root."""
    return subprocess.run(
        [sys.executable, *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_the_numpy_side_loads_neither_torch_nor_matplotlib_nor_beartype() -> None:
    heavy = {"torch", "matplotlib", "beartype", "scipy", "sklearn", "IPython"}
    code = f"{IMPORT_ALL}\nimport sys\nprint(*sorted({{n.partition('.')[0] for n in sys.modules}}))"
    loaded = set(fresh_python("-c", code).stdout.split())
    assert {"numpy", "course_attn"} <= loaded
    assert not heavy & loaded


def test_the_numpy_side_works_where_there_is_no_torch() -> None:
    """As in a browser: an import of torch fails there."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['torch', 'matplotlib', 'beartype']))\n"
        f"{IMPORT_ALL}\n"
        "import numpy as np\n"
        "print(course_attn.in_numpy.softmax.softmax(np.zeros(4)))"
    )
    assert fresh_python("-c", code).stdout.strip() == "[0.25 0.25 0.25 0.25]"


def seconds_beyond_numpy() -> float:
    """Sum what `python -X importtime` reports for the modules loaded after numpy."""
    report = fresh_python(
        "-X", "importtime", "-c", f"import numpy\n{IMPORT_ALL}"
    ).stderr
    lines = re.findall(
        r"^import time:\s*(\d+) \|\s*\d+ \| ( *\S+)$", report, flags=re.MULTILINE
    )
    names = [name.lstrip() for _, name in lines]
    after = lines[
        names.index("numpy") + 1 :
    ]  # a module's line comes after those it imports
    assert any("course_attn" in name for _, name in after)
    return sum(int(microseconds) for microseconds, _ in after) / 1e6


def test_importing_the_numpy_side_is_quick() -> None:
    """Below 0.25 s over `import numpy`: the best of three, since the machine may be busy."""
    assert min(seconds_beyond_numpy() for _ in range(3)) < 0.25
