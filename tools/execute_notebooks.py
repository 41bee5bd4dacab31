"""Execute the notebooks side by side, into the cache from which the build takes their outputs.

The build alone would execute them one after another. What is in the cache is not executed again. A
notebook that measures time is left to the build, where it runs alone; so is one that fails, and the
build says why. Run it as ``python -m tools.execute_notebooks``.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor

from tools.book import BOOK, ROOT, cells, notebooks

CACHE = ROOT / "_build" / ".jupyter_cache"
SECONDS_A_CELL = 900


def measures(notebook: Path) -> bool:
    """Say whether a notebook has a cell that shows times just taken."""
    return any(
        "measured" in cell["metadata"].get("tags", ()) for cell in cells(notebook)
    )


def main() -> None:
    """Execute the chapters, then the exercises, one for each core and in one thread each."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    chapters_first = sorted(notebooks(), key=lambda path: path.parent != BOOK)
    cache = get_cache(CACHE)
    records = [
        cache.add_nb_to_project(str(notebook))
        for notebook in chapters_first
        if not measures(notebook)
    ]
    executor = load_executor("local-serial", cache)
    print(f"Executing those of {len(records)} notebooks that are not in {CACHE}")
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for record in records:
            workers.submit(
                executor.run_and_cache,
                filter_uris=[record.uri],
                timeout=SECONDS_A_CELL,
            )


if __name__ == "__main__":
    main()
