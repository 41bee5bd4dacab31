"""Python as a page runs it: a bare page on disk with the runtime, in any of the browsers."""

import ast
import inspect
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from book._parts.runtime.runtime import packages_script, python_script
from course_attn.exercises import catalog
from tests.exercises.answers import Answer
from tests.site.bare import bare_page
from tools import runtime

needs_runtime = pytest.mark.skipif(
    runtime.problem() is not None,
    reason="needs Python for the page: `python -m tools.runtime`",
)
NUMPY = [
    name
    for name, module in catalog.modules.items()
    if not module.endswith("_torch") and catalog.find(name).library == "numpy"
]


def page_with_python(folder: Path) -> str:
    """Write a page that can ask Python, and return its address."""
    live = folder / "_static" / "live"
    live.mkdir(parents=True)
    (live / "python.js").write_text(python_script(), "utf-8")
    (live / "packages.js").write_text(packages_script(), "utf-8")
    names = {"runtime.js": "askPython, startPython"}
    return bare_page(folder, names, vendor=False)


def asking(question: dict[str, Any], seconds: float = 600) -> str:
    """Return an expression that asks Python, and gives its answer or what went wrong."""
    return (
        f"askPython({json.dumps(question)}, {seconds}).catch((error) => "
        "({trouble: error.kind, said: error.message}))"
    )


def check_of(name: str, code: str) -> dict[str, Any]:
    """Return what a page asks to have an answer checked."""
    return {"task": "check", "name": name, "code": code, "earlier": {}}


def text_of(function: Callable[..., Any], name: str) -> str:
    """Return a function as a learner would write it on the page, under the exercise's name."""
    source = textwrap.dedent(inspect.getsource(function))
    own = source[source.index(f"def {function.__name__}") :]
    other = (
        "" if function.__name__ == name else f"\n\n{name} = {function.__name__}\n"
    )
    return f"{_around(function)}\n{own}{other}"


def _around(function: Callable[..., Any]) -> str:
    """Return what the module of a function defines for it: imports, helpers, numbers."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))
    defined = {name: node for node in tree.body for name in _defined_by(node)}
    used, new = set(), {defined[function.__name__]}
    while new:
        used |= new
        names = {
            part.id
            for node in new
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
        }
        new = {defined[name] for name in names & defined.keys()} - used
    used.discard(defined[function.__name__])
    kept = [node for node in tree.body if node in used and not _is_of_tests(node)]
    for node in kept:  # an answer that another one calls is noted by the tests
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    return ast.unparse(ast.Module(kept, []))


def _defined_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        parts = (part for target in node.targets for part in ast.walk(target))
        return [part.id for part in parts if isinstance(part, ast.Name)]
    return []


def _is_of_tests(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and str(node.module).startswith(
        "tests."
    )


def runs_without_torch(answer: Answer) -> bool:
    """Whether an answer is made of what the page has."""
    source = inspect.getsource(answer.function)
    return not any(
        word in source for word in ("torch", "scipy", "matplotlib", "sys.")
    )
