"""Make the scripts that pages carry; with ``--check``, say which are out of date.

A page opened from a folder may not load modules, and an output of a notebook has no address to load
them from. So a script that no other imports becomes one classic script with all that it uses of the
others: ``<name>.bundle.js`` beside ``<name>.js``. Bundles are committed: a widget is shown wherever
the package is installed, and the book is built where npm's registry is out of reach. Only a change
of a script needs the registry, once: the deno of ``requirements.txt`` fetches esbuild from it, in
the one version that it was made for (deno 2.9.8: esbuild 0.25.5).
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.book import ROOT
from tools.deno import deno

__all__ = ["BundleError", "NoBundler", "bundle", "bundle_path", "entries"]

FOLDERS = (ROOT / "course_attn", ROOT / "book")
_ENDING = ".bundle.js"
# Sphinx takes scripts from _static as they are; what is in vendor was bundled by others.
_ELSEWHERE = {"_static", "vendor"}
_IMPORTED = re.compile(r'^(?:import|.*\bfrom) "(\.[^"]+)";$', re.M)


class BundleError(Exception):
    """A script, or what it imports, is not what it should be."""


class NoBundler(Exception):
    """Deno cannot get esbuild."""


def entries(folders: Iterable[Path] = FOLDERS) -> list[Path]:
    """Return the scripts in folders that none of the others imports."""
    scripts = [
        path.resolve()
        for folder in folders
        for path in sorted(folder.rglob("*.js"))
        if not path.name.endswith((_ENDING, ".test.js"))
        and not _ELSEWHERE.intersection(path.parts)
    ]
    imported = {
        (path.parent / name).resolve()
        for path in scripts
        for name in _IMPORTED.findall(path.read_text("utf-8"))
    }
    return [path for path in scripts if path not in imported]


def bundle_path(script: Path) -> Path:
    """Return where the bundle of a script lies."""
    return script.with_suffix(_ENDING)


def bundle(script: Path) -> str:
    """Return a module, with what it uses of those that it imports, as a classic script."""
    options = ["--quiet", "--platform=browser", "--format=iife", "--minify"]
    done = deno("bundle", "--no-config", *options, str(script))
    if done.returncode:
        said = done.stderr.partition("\n\nStack backtrace")[0]
        raise (NoBundler if "@esbuild/" in said else BundleError)(said)
    # A module is strict, and esbuild does not say so in what it makes of one.
    return done.stdout.replace("(()=>{", '(()=>{"use strict";', 1)


def main(arguments: list[str]) -> int:
    """Write the bundles that are not those of their scripts, or only name them."""
    check = "--check" in arguments
    bundles = {bundle_path(script): script for script in entries()}
    old = {path for folder in FOLDERS for path in folder.rglob(f"*{_ENDING}")}
    outdated = old - bundles.keys()
    try:
        for path, script in bundles.items():
            text = bundle(script)
            if path not in old or path.read_text("utf-8") != text:
                outdated.add(path)
                if not check:
                    path.write_text(text, "utf-8")
    except NoBundler as reason:
        print(f"The bundles are not {'checked' if check else 'made'}: {reason}")
        return int(not check)
    for path in sorted(outdated):
        name = path.relative_to(ROOT)
        if check:
            print(f"{name}: not that of its script; run `make bundles`")
        elif path not in bundles:
            path.unlink()
    return int(check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
