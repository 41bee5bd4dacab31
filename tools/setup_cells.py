"""Write the setup cell of every notebook, for the version of the course it belongs to.

The repository's address stands in _config.yml, the version in course_attn/__init__.py; run
``python tools/setup_cells.py`` after changing one. With ``--check`` it writes nothing and exits
with 1 if a notebook's setup cell is not the one it would write.
"""

import json
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]

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


def notebooks() -> list[Path]:
    """Return the book's notebooks."""
    found = sorted((ROOT / "book").rglob("*.ipynb"))
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def with_setup(text: str) -> str:
    """Return a notebook's text with the setup cell as its first code cell."""
    notebook = json.loads(text)
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = setup_source().splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    outdated = [
        p
        for p in notebooks()
        if with_setup(p.read_text("utf-8")) != p.read_text("utf-8")
    ]
    for path in outdated:
        print(f"{path.relative_to(ROOT)}: setup cell is not that of this version")
        if "--check" not in arguments:
            path.write_text(with_setup(path.read_text("utf-8")), "utf-8")
    return int("--check" in arguments and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
