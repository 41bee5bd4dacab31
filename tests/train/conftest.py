"""What the tests of training share: a text, and a run that nothing has interrupted."""

from pathlib import Path

import pytest

from tests.train import small


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a text file."""
    return small.write_text(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="session")
def whole(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run from the first step to the last; not to be written to."""
    return small.train(text, tmp_path_factory.mktemp("whole") / "run")
