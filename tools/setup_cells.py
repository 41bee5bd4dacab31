"""Write the setup cell of every notebook from the repository's address in _config.yml.

Run it after changing that address: ``python tools/setup_cells.py``. With ``--check`` it writes
nothing and exits with 1 if a notebook's setup cell is not the one it would write.
"""

import json
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]

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
        print(f"{path.relative_to(ROOT)}: setup cell differs from _config.yml")
        if "--check" not in arguments:
            path.write_text(with_setup(path.read_text("utf-8")), "utf-8")
    return int("--check" in arguments and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
