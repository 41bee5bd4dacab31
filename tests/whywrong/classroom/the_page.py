"""The page *Grading a class*: its commands and its files, as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "book/grading.md"

_FILE = re.compile(r":::\{code-block\} \w+\n:caption: `(\S+)`\n\n(.*?):::", re.S)
_FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.S | re.M)


def section(heading: str) -> str:
    """Return what stands below a heading of the second level."""
    (found,) = re.findall(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)",
        PAGE.read_text("utf-8"),
        re.S | re.M,
    )
    return found


def blocks(heading: str, kind: str) -> list[str]:
    """Return the blocks of one kind below a heading."""
    return [
        match["text"]
        for match in _FENCE.finditer(section(heading))
        if match["kind"] == kind
    ]


def commands(heading: str, first_word: str = "") -> list[str]:
    """Return the lines of a shell below a heading, all or those that begin with some words."""
    lines = [line for block in blocks(heading, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith(first_word)]


def files(heading: str) -> dict[str, str]:
    """Return the files that stand below a heading, by their names."""
    return dict(_FILE.findall(section(heading)))


def run(
    command: str, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a line of the page in a folder, with this environment activated."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NBGRADER_EXECUTION", "COURSE_ATTN_STRICT")
    }
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        env=inherited | {"PATH": path, "PYTHONPATH": str(ROOT)} | environment,
    )


def done(command: str, folder: Path, **environment: str) -> str:
    """Run a line that must succeed; return what it printed."""
    ran = run(command, folder, **environment)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    return ran.stdout
