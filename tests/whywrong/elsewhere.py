"""A place where the engine is installed, and neither the course on attention nor PyTorch."""

import shutil
from pathlib import Path

import whywrong

__all__ = ["installed"]

_ABSENT = ("course_attn", "jaxtyping", "torch")


def installed(folder: Path) -> dict[str, str]:
    """Copy the engine and the small course; return the environment that finds them."""
    site = folder / "installed"
    for package in (
        Path(whywrong.__file__).parent,
        Path(__file__).parent / "small_course",
    ):
        shutil.copytree(
            package, site / package.name, ignore=shutil.ignore_patterns("*.pyc")
        )
    for name in _ABSENT:
        (site / f"{name}.py").write_text(
            f"raise ModuleNotFoundError('No module named {name!r}', name={name!r})\n"
        )
    return {"PYTHONPATH": str(site), "COURSE_ATTN_PROGRESS": str(folder / "p.json")}
