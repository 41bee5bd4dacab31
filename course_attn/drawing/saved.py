"""Where the results lie that the benchmarks have saved."""

from pathlib import Path

__all__ = ["RESULTS"]

_PACKAGE = Path(__file__).parents[1]
# In the repository, and where a wheel puts them.
RESULTS = (
    _PACKAGE.parent / "benchmarks" / "results",
    _PACKAGE / "benchmark_results",
)
