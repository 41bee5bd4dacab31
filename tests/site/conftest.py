"""What the tests of the book share: a Python that finds what it would find in Colab."""

from pathlib import Path

import pytest

from tests.site.colab import make_colab_env

# A helper whose failed assertions shall be explained as in the tests.
pytest.register_assert_rewrite("tests.site.cheat_sheet")


@pytest.fixture(scope="session")
def path_in_colab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the PYTHONPATH with which a Python finds what it would find in Colab."""
    return make_colab_env(tmp_path_factory.mktemp("colab"), wheel)


@pytest.fixture
def colab(
    path_in_colab: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Start every Python as in Colab from now on; return an empty folder for it to work in."""
    monkeypatch.setenv("PYTHONPATH", path_in_colab)
    return tmp_path
