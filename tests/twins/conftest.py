"""No test of the twins runs as long as a function is left out of them."""

from functools import cache

import pytest

from tests.support.completeness import complaints
from tests.twins import cases


@cache
def found_complaints() -> list[str]:
    """Look once, not for each file that is collected."""
    return complaints(cases)


def pytest_collect_file() -> None:
    """Name every public function without a twin or a case, with its file and line.

    A `CollectError` is shown without a traceback, and by xdist, too, which a `UsageError` confuses.
    """
    if found := found_complaints():
        raise pytest.Collector.CollectError("\n".join(found))
