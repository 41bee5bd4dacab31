"""Several values within one test: they are ways to check one statement, not statements."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

from tests.support.twin_table import named


def for_each(
    names: str | tuple[str, ...], values: Collection[Any]
) -> Callable[..., Any]:
    """Call a test for each value within one id; a failure names the value.

    Written like `pytest.mark.parametrize`, which makes an id of each.
    """
    given = (names,) if isinstance(names, str) else names

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**arguments: Any) -> None:
            for value in values:
                row = (value,) if isinstance(names, str) else value
                chosen = dict(zip(given, row, strict=True))
                with named(*(f"{name} = {v}" for name, v in chosen.items())):
                    test(**arguments, **chosen)

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[
                p for n, p in signature.parameters.items() if n not in given
            ]
        )
        return run

    return decorate
