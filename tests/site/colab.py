"""Colab, as far as a notebook can tell: few packages, ours from a wheel, and no checkout.

A notebook that is opened in Colab finds there what its first cell installs, the package with the
extra "book". Here the same is left of a whole environment by hiding the rest. Colab has some
hundred packages more; that a chapter does without them keeps it alive when Colab drops one.
"""

import os
import sys
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Python runs this file when it starts, before anything else is imported.
SITECUSTOMIZE = '''\
"""Leave of the environment only what a notebook finds in Colab."""

import os
import sys
from importlib.machinery import PathFinder

HIDDEN = frozenset({hidden})


class Finder(PathFinder):
    """Finds what the standard one finds, without what is hidden."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        hidden = fullname.partition(".")[0] in HIDDEN
        return None if hidden else super().find_spec(fullname, path, target)


sys.meta_path[:] = [Finder if f is PathFinder else f for f in sys.meta_path]
# An editable installation puts the checkout on the path, and with it more than the package.
sys.path[:] = [
    path for path in sys.path if not os.path.exists(os.path.join(path, "pyproject.toml"))
]
'''


def make_colab_env(folder: Path, wheel: Path) -> str:
    """Unpack the wheel and hide the rest, in a folder; return the PYTHONPATH that has them."""
    installed, start = folder / "installed", folder / "start"
    zipfile.ZipFile(wheel).extractall(installed)
    start.mkdir()
    (start / "sitecustomize.py").write_text(
        SITECUSTOMIZE.replace("{hidden}", repr(sorted(hidden(installed)))), "utf-8"
    )
    return os.pathsep.join(map(str, (start, installed)))


def hidden(installed: Path) -> set[str]:
    """Return the installed modules that neither the unpacked package nor a kernel brings along."""
    kept = {
        *dependency_closure("course_attn[book]", installed),
        *dependency_closure("ipykernel"),
    }
    return {
        module
        for module, names in metadata.packages_distributions().items()
        if kept.isdisjoint(map(canonicalize_name, names))
    }


def dependency_closure(
    wanted: str, installed: Path | None = None
) -> dict[str, list[Requirement]]:
    """Return what is installed with a package: each name, its own too, with what that needs."""
    found: dict[str, list[Requirement]] = {}
    done: set[tuple[str, str]] = set()
    to_do = [Requirement(wanted)]
    while to_do:
        requirement = to_do.pop()
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras} - {e for n, e in done if n == name}:
            done.add((name, extra))
            needed = needs(name, extra, installed)
            found.setdefault(name, []).extend(needed)
            to_do += needed
    return found


def needs(name: str, extra: str, installed: Path | None) -> list[Requirement]:
    """Return what a package needs here, with an extra or none; nothing if it is not there.

    Of the course's package, unpacked in a folder, the wheel says it.
    """
    ours = installed is not None and name == "course-attn"
    places = [str(installed)] if ours else sys.path
    known = next(iter(metadata.distributions(name=name, path=places)), None)
    stated = map(Requirement, (known and known.requires) or ())
    return [
        requirement
        for requirement in stated
        if requirement.marker is None
        or requirement.marker.evaluate({"extra": extra})
    ]
