"""No test of the twins runs as long as a function is left out of them."""

import pytest

from tests.support.completeness import complaints
from tests.twins import cases


def pytest_collection_modifyitems() -> None:
    """Name every public function without a twin or a case, with its file and line."""
    if found := complaints(cases):
        raise pytest.UsageError("\n".join(found))
