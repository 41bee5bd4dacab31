"""Two kinds of rules on imports for import-linter, which pyproject.toml applies to the package."""

import sys
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.layers import LayersContract

from tools.book import ROOT, chapters

__all__ = ["ChaptersContract", "ThirdPartyContract"]

# Below all chapters: what they need of floating point, and what is quick but explains nothing.
BELOW = ("_numerics", "_fused")


class ChaptersContract(LayersContract):
    """Of the folders `containers`, a chapter's modules import no later chapter's.

    The table of contents orders the chapters. To one belong `<slug>.py`, which must be there, and
    any `<slug>_….py` and `_<slug>_….py`. A module of no chapter breaks the rule.
    """

    type_name = "chapters"

    def __init__(
        self,
        name: str,
        session_options: dict[str, Any],
        contract_options: dict[str, Any],
    ) -> None:
        """Make the layers, the highest first, as a rule of the type "layers" spells them out."""
        containers = contract_options["containers"]
        folders = [ROOT / container.replace(".", "/") for container in containers]
        made = {"layers": layers(folders), "exhaustive": "True"}
        super().__init__(name, session_options, contract_options | made)


def layers(folders: list[Path]) -> list[str]:
    """Return the modules of each chapter, from the last to the first, and what is below all."""
    slugs = chapters()
    parts: dict[str, list[str]] = {slug: [] for slug in slugs}
    modules = {path.stem for folder in folders for path in folder.glob("*.py")}
    for module in sorted(modules):
        public = module.removeprefix("_")
        owners = [slug for slug in slugs if public.startswith(f"{slug}_")]
        if owners and module not in slugs:
            parts[max(owners, key=len)].append(f"({module})")
    ordered = [" : ".join([slug, *parts[slug]]) for slug in reversed(slugs)]
    return [*ordered, " : ".join(f"({module})" for module in BELOW)]


class ThirdPartyContract(Contract):
    """Of other people's packages, `source` and what is in it import those in `allowed` only."""

    type_name = "third_party"

    source = fields.StringField()
    allowed = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import, at any depth of a module."""
        ours = {self.source, *graph.find_descendants(self.source)}
        known = sys.stdlib_module_names | {
            self.source.partition(".")[0],
            *self.allowed,
        }
        found = [
            detail
            for importer in sorted(ours)
            for imported in sorted(
                graph.find_modules_directly_imported_by(importer)
            )
            if imported.partition(".")[0] not in known
            for detail in graph.get_import_details(
                importer=importer, imported=imported
            )
        ]
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name the imports."""
        for detail in check.metadata["found"]:
            output.print_error(
                "- {importer} -> {imported} (l.{line_number})".format(**detail),
                bold=False,
            )
