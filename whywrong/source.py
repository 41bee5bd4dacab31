"""Show a function's source in a notebook, so that no copy of it is pasted there."""

import ast
import inspect
import textwrap
from collections.abc import Callable

__all__ = ["Source", "show_source", "without_docstring"]


class Source:
    """The source of a function; a notebook shows it highlighted."""

    def __init__(self, code: str) -> None:
        self.code = code

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.code}\n```"

    def __repr__(self) -> str:
        """Give the code as plain text."""
        return self.code


def show_source(function: Callable[..., object] | Source) -> Source:
    """Show how a function is written, without its docstring; ``TypeError`` if it has no source.

    A notebook shows it highlighted. What is a `Source` already is shown as it is.

    >>> show_source(Source.__repr__)
    def __repr__(self) -> str:
        return self.code
    """
    if isinstance(function, Source):
        return function
    return without_docstring(textwrap.dedent(inspect.getsource(function)).rstrip())


def without_docstring(code: str) -> Source:
    """Return a definition's source less its docstring."""
    definition = ast.parse(code).body[0]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    if not isinstance(definition, kinds):
        raise TypeError("function must be one that def or class defines")
    lines = code.splitlines()
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return Source("\n".join(lines))
