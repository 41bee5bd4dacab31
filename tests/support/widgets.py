"""All widgets of the chapters, and the examples of each that its test shows."""

from collections.abc import Callable
from importlib import import_module

from course_attn.drawing.page import Widget
from tools.book import ROOT

__all__ = ["EXAMPLES", "NAMED", "WIDGETS"]

# The model that writes is no part of an output: its script comes when a reader asks for it.
WIDGETS = {
    path.stem: path
    for path in sorted(ROOT.glob("course_attn/chapters/*/widgets/*.js"))
    if path.with_suffix(".py").exists() and path.stem != "writing_model"
}
_TESTS = [
    import_module(f"tests.chapters.{path.parents[1].name}.test_{name}")
    for name, path in WIDGETS.items()
]
# By a name that begins with the widget's.
EXAMPLES: dict[str, Callable[[], Widget]] = {
    name: make for test in _TESTS for name, make in test.EXAMPLES.items()
}
# Those that show names which a writer gives: what makes one with a name.
NAMED: dict[str, Callable[[str], Widget]] = {
    test.__name__.partition("test_")[2]: test.named
    for test in _TESTS
    if hasattr(test, "named")
}
