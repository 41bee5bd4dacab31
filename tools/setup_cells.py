"""Write the setup cell of every notebook from the repository's address in _config.yml.

Run it after changing that address: ``python -m tools.setup_cells``. With ``--check`` it writes
nothing and exits with 1 if a notebook's setup cell is not the one it would write.
"""

import sys
from pathlib import Path

import yaml

from tools import book
from tools.book import ROOT

SETUP = """\
# In Colab this installs the course's package; elsewhere it does nothing.
import sys

if "google.colab" in sys.modules:
    %pip install -q "course_attn[book] @ git+{url}"
"""


def setup_source() -> str:
    """Return the setup cell's source for the address in _config.yml."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    return SETUP.format(url=config["repository"]["url"]).rstrip()


def with_setup(path: Path) -> str:
    """Return a notebook's text with the setup cell as its first code cell."""
    notebook = book.read(path)
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = setup_source()
    return book.as_text(notebook)


def main(arguments: list[str]) -> int:
    outdated = [
        path
        for path in book.notebooks()
        if with_setup(path) != path.read_text("utf-8")
    ]
    for path in outdated:
        print(f"{path.relative_to(ROOT)}: setup cell differs from _config.yml")
        if "--check" not in arguments:
            path.write_text(with_setup(path), "utf-8")
    return int("--check" in arguments and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
