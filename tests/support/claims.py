"""Tests of equations and theorems say truly whether the package's code is behind the claim.

A test with the mark ``equation("eq-name")`` or ``theorem("thm-name")`` must call a function of the
package, and one with ``equation("eq-name", formula=True)`` must call none: the book's page of all
equations tells the reader which of the two it is. Both are watched while the test runs.
"""

import inspect
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import course_attn

PACKAGE = Path(course_attn.__file__).parent
CODE = tuple(
    str(PACKAGE / name) for name in ("in_numpy", "in_torch", "costs.py")
)  # fmt: skip


@contextmanager
def noting_calls() -> Iterator[list[str]]:
    """Give a list that takes up the first function of the package's that is called."""
    called: list[str] = []
    before = sys.getprofile()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # What runs when a module is imported is no function, nor is the body of a class.
        is_function = code.co_flags & inspect.CO_OPTIMIZED
        if event == "call" and is_function and code.co_filename.startswith(CODE):
            called.append(code.co_qualname)
            sys.setprofile(before)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test that passes, but whose marks say something else than it does."""
    marks = [*item.iter_markers("equation"), *item.iter_markers("theorem")]
    if not marks:
        return (yield)
    with noting_calls() as called:
        result = yield
    for mark in marks:
        if said := contradiction(mark, called):
            pytest.fail(said)
    return result


def contradiction(mark: pytest.Mark, called: list[str]) -> str:
    """Say in what a mark contradicts what was called; nothing if it does not."""
    (label,), formula = mark.args, mark.kwargs.get("formula", False)
    if called and formula:
        return f"{label}: it has formula=True, but the test calls {called[0]}"
    if not called and not formula:
        return (
            f"{label}: the test calls no function of the package; call the one that computes"
            " this, or, where there is none, mark the test with formula=True"
        )
    return ""
