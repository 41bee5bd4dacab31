"""What all tests share: reproducible property tests, the two libraries, GPU tests that skip."""

import pytest
from hypothesis import settings

# Property tests draw the same examples on every machine, with no clock and no stored state.
settings.register_profile(
    "course",
    derandomize=True,
    deadline=None,
    max_examples=30,
    database=None,
    print_blob=False,
)
settings.load_profile("course")


@pytest.fixture(scope="session", params=["in_numpy", "in_torch"])
def library(request: pytest.FixtureRequest) -> str:
    """Run a test once for each twin."""
    return request.param


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the chapters, which take longest: no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.path.name != "test_deterministic.py")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip GPU tests, with the reason, where there is no CUDA device."""
    if item.get_closest_marker("gpu") is None:
        return
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip(
            "needs a CUDA device, and torch.cuda.is_available() is False here"
        )
