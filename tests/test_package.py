"""The package as it is shipped, and the documentation that its public functions owe."""

import email
import inspect
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, get_args

import pytest
from twin_table import LIBRARIES, chapters, functions, module, raw

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {"__pycache__", ".ipynb_checkpoints"}


# --- length ---------------------------------------------------------------------------------------

FOLDERS = ["benchmarks", "book/_extensions", "course_attn", "tests", "tools"]


def test_every_module_is_short() -> None:
    modules = {folder: list((ROOT / folder).rglob("*.py")) for folder in FOLDERS}
    assert all(modules.values()) and len(modules["course_attn"]) > 50
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for paths in modules.values()
        for path in paths
    }
    assert [name for name, length in lengths.items() if length >= 400] == []


# --- the wheel ------------------------------------------------------------------------------------


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
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


def test_the_wheel_needs_numpy_and_jaxtyping_only(wheel: Path) -> None:
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


def test_the_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
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


# --- the public face ------------------------------------------------------------------------------

MODULES = [
    (library, chapter) for library in LIBRARIES for chapter in chapters(library)
]
FUNCTIONS = [
    (library, path) for library in LIBRARIES for path in functions(library)
]
each_module = pytest.mark.parametrize(("library", "chapter"), MODULES)
each_function = pytest.mark.parametrize(("library", "path"), FUNCTIONS)
SECTIONS = ["Parameters", "Returns", "Raises", "Examples", "Notes"]


@each_module
def test_all_names_what_the_module_defines_in_order(
    library: str, chapter: str
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


@each_module
def test_a_module_names_its_chapter(library: str, chapter: str) -> None:
    assert re.match(
        rf"Chapter \d+, `{chapter}`: .+\.", inspect.getdoc(module(library, chapter))
    )


@each_function
def test_every_argument_and_result_is_annotated(library: str, path: str) -> None:
    signature = inspect.signature(raw(library, path))
    nothing = inspect.Parameter.empty
    assert all(p.annotation is not nothing for p in signature.parameters.values())
    assert signature.return_annotation is not nothing


def sections(path: str, library: str) -> dict[str, str]:
    """Split a docstring at its underlined titles; what comes before the first is `""`."""
    text = inspect.getdoc(raw(library, path)) or ""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


@each_function
def test_a_docstring_has_all_its_sections(library: str, path: str) -> None:
    found = sections(path, library)
    assert list(found) == ["", *SECTIONS]
    assert all(text.strip() for text in found.values())
    summary, blank, *equation = found[""].splitlines()
    assert summary.endswith(".") and not blank
    assert " ".join(equation).strip(), "the equation is missing"


@each_function
def test_a_docstring_lists_the_arguments_with_their_shapes(
    library: str, path: str
) -> None:
    found = sections(path, library)
    listed = re.findall(r"^(\w+) : (.+)$", found["Parameters"], flags=re.MULTILINE)
    parameters: dict[str, Any] = dict(
        inspect.signature(raw(library, path)).parameters
    )
    assert [name for name, _ in listed] == list(parameters)
    for name, kind in listed:
        annotation = parameters[name].annotation
        is_array = any(
            hasattr(kind, "dim_str") for kind in (annotation, *get_args(annotation))
        )
        assert "shape" in kind if is_array else "array" not in kind, name
    returned = inspect.signature(raw(library, path)).return_annotation
    if any(hasattr(kind, "dim_str") for kind in (returned, *get_args(returned))):
        assert "shape" in found["Returns"].splitlines()[0]


@each_function
def test_a_docstring_says_what_is_refused(library: str, path: str) -> None:
    refused = sections(path, library)["Raises"]
    errors = re.findall(r"^(\w+)$", refused, flags=re.MULTILINE)
    assert errors in (["TypeError", "ValueError"], ["TypeError"])


@each_function
def test_a_docstring_names_its_source_and_chapter(library: str, path: str) -> None:
    notes = sections(path, library)["Notes"]
    assert re.search(r"Source: \S.*\(\d{4}\)", notes), "no source with a year"
    assert f"Chapter: `{path.split('.')[0]}`." in notes
