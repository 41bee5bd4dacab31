"""What answers must not see: the class, and where this machine's services listen."""

import importlib.util
import os
import site
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["CannotHide", "folder_of", "places_to_hide"]

# What nbgrader keeps in a class's folder, which the first two tell from others.
_OF_NBGRADER = (
    "gradebook.db",
    "nbgrader_config.py",
    "autograded",
    "exchange",
    "feedback",
    "release",
    "source",
    "submitted",
)


class CannotHide(Exception):
    """A place cannot be hidden, for Python's files lie in it."""


def folder_of(package: str) -> str:
    """Return the folder from which a package is imported; nothing if there is none."""
    spec = importlib.util.find_spec(package.partition(".")[0])
    if spec is None:
        return ""
    places = spec.submodule_search_locations or [spec.origin or ""]
    return str(Path(places[0]).resolve().parent)


def places_to_hide(
    package: str, submissions: Sequence[Path], others: Sequence[Path]
) -> tuple[str, ...]:
    """Return the files and folders to hide; raise `CannotHide` if one cannot be.

    Parameters
    ----------
    package : str
        The course.
    submissions : sequence of Path
        Folders and files that were handed in. Of a file, its folder is hidden, too, where that can
        be, and of a folder of nbgrader's the class's others.
    others : sequence of Path
        Whatever else is the class's.
    """
    needed = _python_folders(package)

    def can_be_hidden(place: str) -> bool:
        return not any(
            os.path.commonpath((path, place)) == place for path in needed
        )

    places = [os.path.realpath(path) for path in others]
    for path in map(os.path.realpath, submissions):
        folder = os.path.dirname(path)
        around = not os.path.isdir(path) and can_be_hidden(folder)
        places += [folder if around else path, *_nbgrader_files_around(path)]
    for place in places:
        if not can_be_hidden(place):
            raise CannotHide(
                f"{place}: answers would see it, for Python's files lie in it"
            )
    listening = filter(can_be_hidden, _service_places())
    return tuple(dict.fromkeys([*places, *listening]))


def _python_folders(package: str) -> list[str]:
    """Return the folders from which Python loads what an answer may need."""
    here = os.getcwd()  # "python -m" looks for modules here, an answer does not
    own = (
        sys.prefix,
        sys.base_prefix,
        folder_of("whywrong"),
        folder_of(package),
        site.getusersitepackages(),
        *os.environ.get("PYTHONPATH", "").split(os.pathsep),
        *(path for path in sys.path if path != here),
    )
    return [os.path.realpath(path) for path in own if path]


def _nbgrader_files_around(path: str) -> Iterator[str]:
    for folder in (path, *map(str, Path(path).parents)):
        kept = [os.path.join(folder, name) for name in _OF_NBGRADER]
        if any(map(os.path.exists, kept[:2])):
            yield from filter(os.path.exists, kept)
            return


def _service_places() -> Iterator[str]:
    """Yield where sockets lie, for a network of its own does not keep an answer from these."""
    bus = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "").partition(",")[0]
    places = (
        "/run",
        "/var/run",
        "/tmp",
        "/var/tmp",
        tempfile.gettempdir(),
        os.environ.get("XDG_RUNTIME_DIR"),
        os.environ.get("SSH_AUTH_SOCK"),
        bus.removeprefix("unix:path="),
    )
    yield from (os.path.realpath(place) for place in places if place)
