"""Write the setup cell of every notebook, for the version of the course it belongs to.

The repository's address stands in _config.yml, the version in course_attn/__init__.py; run
``python -m tools.setup_cells`` after changing one. With ``--check`` it writes nothing and exits
with 1 if a notebook's setup cell is not the one it would write.
"""

import re
import sys
from pathlib import Path

import yaml

from tools import book
from tools.book import ROOT

SETUP = """\
# In Colab this installs the course's package; elsewhere it does nothing.
import sys

if "google.colab" in sys.modules:
    {install}
"""
# A release may not be on the index yet; the shell then goes on to the repository.
RELEASED = """\
!pip install -q "course_attn[book]=={version}" 2> /dev/null || \\
        pip install -q "course_attn[book] @ git+{url}@v{version}\""""
IN_DEVELOPMENT = '!pip install -q "course_attn[book] @ git+{url}@{branch}"'


def current_version() -> str:
    """Return the version of the package."""
    text = (ROOT / "course_attn" / "__init__.py").read_text("utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.M)[1]


def setup_source() -> str:
    """Return the source of the setup cell for the current version."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    return source_for(current_version(), **config["repository"])


def source_for(version: str, url: str, branch: str) -> str:
    """Return the source of the setup cell for a version in a repository."""
    install = IN_DEVELOPMENT if ".dev" in version else RELEASED
    line = install.format(version=version, url=url, branch=branch)
    return SETUP.format(install=line).rstrip()


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
        print(f"{path.relative_to(ROOT)}: setup cell is not that of this version")
        if "--check" not in arguments:
            path.write_text(with_setup(path), "utf-8")
    return int("--check" in arguments and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
