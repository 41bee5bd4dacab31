"""What the benchmarks have saved, and where it lies."""

import json
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "read"]

_PACKAGE = Path(__file__).parents[1]
# In the repository, and where a wheel puts them.
RESULTS = (
    _PACKAGE.parent / "benchmarks" / "results",
    _PACKAGE / "benchmark_results",
)


def read(name: str, command: str = "make bench") -> dict[str, Any]:
    """Return what the benchmarks have saved as ``<name>.json``.

    Raises
    ------
    FileNotFoundError
        If neither the repository nor the installed package has it; it names the command.
    """
    for folder in RESULTS:
        if (folder / f"{name}.json").exists():
            found: dict[str, Any] = json.loads(
                (folder / f"{name}.json").read_text("utf-8")
            )
            return found
    raise FileNotFoundError(
        f"no {name}.json in "
        + " or ".join(map(str, RESULTS))
        + f": run `{command}` in the repository"
    )
