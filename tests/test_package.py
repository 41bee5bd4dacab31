"""The package as it is shipped, and the documentation that its public functions owe."""

import email
import inspect
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.twin_table import (
    LIBRARIES,
    chapters,
    functions,
    module,
    named,
    public,
)

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {"__pycache__", ".ipynb_checkpoints"}


# --- the wheel ------------------------------------------------------------------------------------


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Every file of `course_attn` is in it, and the saved benchmarks, which a chapter shows."""
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        name
        for name in names
        if not re.match(r"course_attn-[^/]+\.dist-info/", name)
    }
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "course_attn").rglob("*")
        if path.is_file() and not LEFT_BEHIND & set(path.parts)
    }
    results = {
        f"course_attn/benchmark_results/{path.name}"
        for path in (ROOT / "benchmarks" / "results").iterdir()
    }
    assert results
    assert shipped == sources | results
    assert {"course_attn/py.typed", "course_attn/in_torch/softmax.py"} <= shipped


def test_wheel_needs_numpy_and_jaxtyping_only(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (
            n for n in archive.namelist() if n.endswith(".dist-info/METADATA")
        )
        metadata = email.message_from_bytes(archive.read(name))
    required = [
        line
        for line in metadata.get_all("Requires-Dist", [])
        if "extra ==" not in line
    ]
    assert {re.match(r"[\w-]+", line)[0] for line in required} == {
        "numpy",
        "jaxtyping",
    }  # type: ignore[index]
    assert {"torch", "book", "dev"} <= set(metadata.get_all("Provides-Extra", []))
    assert metadata["Requires-Python"] == ">=3.11"


def test_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    code = (
        "import numpy as np, course_attn\n"
        "from course_attn.in_numpy.softmax import softmax\n"
        "print(course_attn.__file__)\n"
        "print(softmax(np.zeros(2)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    origin, result = run.stdout.splitlines()
    assert origin.startswith(str(wheel))
    assert result == "[0.5 0.5]"


# --- importing it ---------------------------------------------------------------------------------


IMPORT_ALL = (
    "import course_attn, course_attn.in_numpy as side\n"
    "import importlib, pkgutil, sys\n"
    "for found in pkgutil.iter_modules(side.__path__, 'course_attn.in_numpy.'):\n"
    "    importlib.import_module(found.name)\n"
)


def test_in_numpy_loads_neither_torch_nor_matplotlib_nor_beartype() -> None:
    heavy = {"torch", "matplotlib", "beartype", "scipy", "sklearn", "IPython"}
    code = IMPORT_ALL + "print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(run_python(code).split())
    assert {"numpy", "course_attn"} <= loaded
    assert not heavy & loaded


def test_in_numpy_works_where_there_is_no_torch() -> None:
    """As in a browser: an import of torch fails there."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['torch', 'matplotlib', 'beartype']))\n"
        f"{IMPORT_ALL}"
        "import numpy as np\n"
        "print(side.softmax.softmax(np.zeros(4)))"
    )
    assert run_python(code) == "[0.25 0.25 0.25 0.25]"


def run_python(code: str) -> str:
    """Run code in a fresh interpreter, and return what it prints."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return run.stdout.strip()


# --- the public face ------------------------------------------------------------------------------

each_chapter = pytest.mark.parametrize("chapter", chapters("in_numpy"))
ALL = {library: set(functions(library)) for library in LIBRARIES}
each_function = pytest.mark.parametrize("path", sorted(set().union(*ALL.values())))


def versions(path: str) -> Iterator[Any]:
    """Give a function in every library that has it."""
    for library in LIBRARIES:
        if path in ALL[library]:
            with named(library):
                yield public(library, path)


@each_chapter
def test_all_names_what_the_module_defines_in_order(
    chapter: str, library: str
) -> None:
    found = module(library, chapter)
    own = re.compile(rf"course_attn\.{library}\.({chapter}|_{chapter}_\w+)")
    public = {
        name
        for name, thing in vars(found).items()
        if not name.startswith("_")
        and own.fullmatch(str(getattr(thing, "__module__", None)))
    }
    assert sorted(public) == found.__all__


@each_chapter
def test_module_names_its_chapter(chapter: str, library: str) -> None:
    summary = (inspect.getdoc(module(library, chapter)) or "").splitlines()[0]
    assert f"`{chapter}`" in summary and summary.endswith(".")


@each_function
def test_annotation_of_every_argument_and_result(path: str) -> None:
    for function in versions(path):
        signature = inspect.signature(function)
        nothing = inspect.Parameter.empty
        assert all(
            p.annotation is not nothing for p in signature.parameters.values()
        )
        assert signature.return_annotation is not nothing


# --- docstrings: what the annotations cannot say -------------------------------------------------

LINES = 16  # of a docstring, at most


def sections(function: Any) -> dict[str, str]:
    """Split a docstring at its underlined titles; what comes before the first is `""`."""
    text = inspect.getdoc(function) or ""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


@each_function
def test_docstring_has_a_summary_an_example_and_a_source(path: str) -> None:
    """Few lines: the example calls the function, and the source is named with its year."""
    call = re.compile(rf"^(>>>|\.\.\.) .*\b{path.split('.')[1]}\(", re.MULTILINE)
    for function in versions(path):
        found = sections(function)
        summary, *rest = found[""].splitlines()
        assert summary.endswith(".") and (not rest or not rest[0])
        assert call.search(found.get("Examples", "")), "no example calls it"
        source = re.search(
            r"Source: .*\b\d{4}\b", found.get("Notes", ""), re.DOTALL
        )
        assert source, "no source with a year"
        assert len((inspect.getdoc(function) or "").splitlines()) <= LINES
