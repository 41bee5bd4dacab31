"""The package as it is shipped, and the documentation that its public functions owe."""

import email
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.twin_table import (
    LIBRARIES,
    functions,
    module,
    public,
)

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {"__pycache__", ".ipynb_checkpoints"}


# --- the wheel ------------------------------------------------------------------------------------


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Every file of both packages is in it, and the saved benchmarks, which a chapter shows."""
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        name
        for name in names
        if not re.match(r"course_attn-[^/]+\.dist-info/", name)
    }
    sources = {
        path.relative_to(ROOT).as_posix()
        for package in ("course_attn", "whywrong")
        for path in (ROOT / package).rglob("*")
        if path.is_file()
        and not LEFT_BEHIND & set(path.parts)
        and not path.name.endswith(".test.js")
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
        timeout=600,
    )
    origin, result = run.stdout.splitlines()
    assert origin.startswith(str(wheel))
    assert result == "[0.5 0.5]"


# --- the public face ------------------------------------------------------------------------------

each_function = pytest.mark.parametrize(
    ("library", "path"),
    [(library, path) for library in LIBRARIES for path in functions(library)],
)


def modules() -> list[str]:
    """Return the names of the modules that a chapter has in either library, and of `costs`."""
    found = [
        f"{library}.{part.name}"
        for library in LIBRARIES
        for part in pkgutil.iter_modules(module(library).__path__)
        if not part.name.startswith("_")
    ]
    return [*found, "costs"]


@pytest.mark.parametrize("name", modules())
def test_all_names_what_the_module_defines_in_order(name: str) -> None:
    found = importlib.import_module(f"course_attn.{name}")
    # What is engineering, or what came before, lies beside its chapter's module.
    beside = (
        "course_attn.in_numpy._fused",
        "course_attn.in_torch._encoder_decoder_recurrent",
    )
    public = {
        thing_name
        for thing_name, thing in vars(found).items()
        if not thing_name.startswith("_")
        and getattr(thing, "__module__", None) in (found.__name__, *beside)
    }
    assert set(found.__all__) <= public
    assert found.__all__ == sorted(found.__all__)
    # What another module needs, and no user.
    assert public - set(found.__all__) <= {
        "Cache",
        "Translator",
        "blocks_of",
        "one_each",
    }


@pytest.mark.parametrize("name", modules())
def test_module_says_in_one_line_what_it_is_about(name: str) -> None:
    found = importlib.import_module(f"course_attn.{name}")
    assert (inspect.getdoc(found) or "").splitlines()[0].endswith(".")


def test_flat_face_has_every_name_of_every_module(library: str) -> None:
    """A function hides the module of the same name, whichever was imported first."""
    face = module(library)
    names: list[str] = []
    for name in modules():
        if name.startswith(f"{library}."):
            found = importlib.import_module(f"course_attn.{name}")
            names += found.__all__
            assert all(getattr(face, n) is getattr(found, n) for n in found.__all__)
    assert face.__all__ == sorted(names)
    assert "attention" in names


@each_function
def test_annotation_of_every_argument_and_result(library: str, path: str) -> None:
    signature = inspect.signature(public(library, path))
    nothing = inspect.Parameter.empty
    assert all(p.annotation is not nothing for p in signature.parameters.values())
    assert signature.return_annotation is not nothing


# --- docstrings: what the annotations cannot say -------------------------------------------------

LINES = 18  # of a docstring, at most


@each_function
def test_docstring_has_a_summary_an_example_and_a_source(
    library: str, path: str
) -> None:
    """Few lines: the example calls the function, and the source is named with its year."""
    call = re.compile(rf"^(>>>|\.\.\.) .*\b{path.split('.')[1]}\(", re.MULTILINE)
    text = inspect.getdoc(public(library, path)) or ""
    about, examples = text.split("\n\nExamples\n--------\n")
    summary, *rest = about.splitlines()
    assert summary.endswith(".") and not rest[0]
    assert call.search(examples), "no example calls it"
    source = re.search(r"\bSource: .*", about, re.DOTALL)
    assert source, "no source"
    assert re.search(r"\b\d{4}\b|^Source: PyTorch's layer", source[0]), "no year"
    assert len(text.splitlines()) <= LINES
