"""Several JavaScript modules as one classic script, which also works where modules may not load.

A page that is opened from a folder may not load modules, and an output of a notebook has no address
to load them from. So the files are written as modules, which editors and checkers understand, and
are put one after the other here, each after what it imports. Nothing is renamed: a name may be used
by one file only.
"""

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["joined", "without_comments"]

_IMPORT = re.compile(
    r'^import \{ (\w+(?:, \w+)*) \} from "(\.{1,2}/[\w./-]+)";\n', re.M
)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class|const|let)", re.M)
_EXPORTED = re.compile(
    r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.M
)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)
# Comments that fill lines, types within a line, and empty lines.
_COMMENTS = re.compile(
    r"^ *(?://.*|/\*\*(?s:.*?)\*/)\n|/\*\*(?s:.*?)\*/ |^\n", re.M
)
_NAME = re.compile(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", re.M)


def joined(entry: Path | Iterable[Path]) -> str:
    r"""Return modules and all that they import as one script, in a scope of its own.

    Parameters
    ----------
    entry : Path, or several
        The modules that are wanted.

    Returns
    -------
    str
        The script.

    Raises
    ------
    ValueError
        If two files define one name at their top level, a file imports what another does not
        export, or itself by way of others, or it imports or exports in a way that is not
        ``import { … } from "./…";`` or ``export function …``.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "twice.js").write_text("export const twice = (x) => 2 * x;\n")
    >>> _ = (folder / "use.js").write_text('import { twice } from "./twice.js";\ntwice(2);\n')
    >>> print(joined(folder / "use.js"))
    (() => {
    "use strict";
    const twice = (x) => 2 * x;
    twice(2);
    })();
    """
    texts: dict[Path, str] = {}
    for path in [entry] if isinstance(entry, Path) else entry:
        _add(path.resolve(), texts)
    owner: dict[str, Path] = {}
    for path, text in texts.items():
        for name in _NAME.findall(text):
            if name in owner:
                raise ValueError(
                    f"{path.name} and {owner[name].name} both define {name} at their top level"
                )
            owner[name] = path
    return '(() => {\n"use strict";\n' + "".join(texts.values()) + "})();"


def without_comments(script: str) -> str:
    r"""Return a script as a page carries it, without comments and empty lines.

    Examples
    --------
    >>> without_comments("// why\n\nconst one = 1;\n")
    'const one = 1;\n'
    """
    return _COMMENTS.sub("", script)


def _add(
    path: Path, texts: dict[Path, str], waiting: tuple[Path, ...] = ()
) -> None:
    """Add a file to the texts, after those that it imports; others wait for it."""
    if path in texts:
        return
    if path in waiting:
        raise ValueError(f"{path.name} imports itself by way of {waiting[-1].name}")
    source = path.read_text("utf-8")
    for names, name in _IMPORT.findall(source):
        imported = (path.parent / name).resolve()
        _add(imported, texts, (*waiting, path))
        exported = _EXPORTED.findall(imported.read_text("utf-8"))
        if missing := set(names.split(", ")).difference(exported):
            raise ValueError(
                f"{path.name}: {imported.name} exports no {', '.join(sorted(missing))}"
            )
    text = _EXPORT.sub("", _IMPORT.sub("", source))
    if left := _LEFT.search(text):
        raise ValueError(f"{path.name}: cannot be joined: {left[0]!r}")
    texts[path] = text
