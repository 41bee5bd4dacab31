"""The tests; their helpers, too, shall explain a failed assertion."""

import pytest

pytest.register_assert_rewrite("cheat_sheet", "tests.chapters", "tests.support")
