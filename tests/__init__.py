"""The tests; their helpers, too, shall explain a failed assertion."""

import pytest

pytest.register_assert_rewrite("tests.chapters", "tests.support")
