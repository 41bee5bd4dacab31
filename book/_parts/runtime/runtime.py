"""Python for the pages: it is put beside them as scripts, to be loaded when a reader asks for it.

`python_script` holds Pyodide, its NumPy and the worker that runs them, `packages_script` the
course's own packages and what these need. `tools/runtime.py` fetches the first.
"""

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tools import runtime

__all__ = ["packages_script", "python_script"]

_HERE = Path(__file__).parent
_PARTS = _HERE.parent
# The packages that Python on the page needs beside NumPy, without what it never imports.
_PACKAGES = ("course_attn", "whywrong", "jaxtyping", "wadler_lindig")
_LEFT_OUT = {
    *("in_torch", "drawing", "train", "kept", "benchmark_results", "__pycache__"),
    *("classroom", "grade", "widgets", "weights.py"),
    *("figures.py", "questions.py", "cards.py", "tiles.py"),
}
# What runs there and lies beside the pages.
_OF_THE_PAGES = ("exercise/on_page.py",)


def python_script() -> str:
    """Return Python, NumPy and the worker that runs them as a script, so that a folder will do."""
    files = {}
    for name in runtime.FILES:
        content = (runtime.FOLDER / name).read_bytes()
        if Path(name).suffix in (".mjs", ".wasm"):  # the others are packed
            name, content = f"{name}.gz", gzip.compress(content, 9, mtime=0)
        files[name] = base64.b64encode(content).decode()
    worker = (_HERE / "worker.bundle.js").read_text("utf-8")
    notice = (_PARTS / "exercise/vendor/PYTHON-LICENSES.txt").read_text("utf-8")
    content = json.dumps({"worker": worker, "abi": runtime.ABI, "files": files})
    return f"/*!\n{notice}*/\nself.courseRuntime={content};\n"


def packages_script() -> str:
    """Return the course's package, and what it needs, as a script."""
    packed = io.BytesIO()
    with zipfile.ZipFile(
        packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9
    ) as archive:
        for path, name in _modules():
            # A fixed date: the same packages give the same file.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    text = base64.b64encode(packed.getvalue()).decode()
    return f'self.coursePackages="{text}";\n'


def _modules() -> Iterator[tuple[Path, str]]:
    """Yield the files of the packages, their licenses among them, with their places."""
    for package in _PACKAGES:
        folder = Path(find_spec(package).origin).parent
        licenses = folder.parent.glob(f"{package}-*.dist-info/licenses/*")
        for path in [*sorted(folder.rglob("*.py")), *sorted(licenses)]:
            inside = path.relative_to(folder.parent)
            if not _LEFT_OUT & set(inside.parts):
                yield path, inside.as_posix()
    for name in _OF_THE_PAGES:
        yield _PARTS / name, Path(name).name
