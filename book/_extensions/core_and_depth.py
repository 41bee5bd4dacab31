"""Starred sections, and theorems, as the book shows them.

A section whose heading ends in ★ gets a class, by which the page draws it as one that can be left
out.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from tools.reading_times import STAR

__all__ = ["OwnIds", "StarredSections", "setup"]

# What sphinx-proof calls each proof, and what each theorem says.
_CALLED_ALIKE = ("proof", "proof-content")


class StarredSections(SphinxTransform):
    """Gives the sections that can be left out at first reading a class."""

    default_priority = 300

    def apply(self) -> None:
        """Mark each starred section of the page."""
        for section in self.document.findall(nodes.section):
            title = section.next_node(nodes.title)
            if title is not None and title.astext().endswith(STAR):
                section["classes"].append("starred")


class OwnIds(SphinxTransform):
    """Numbers what sphinx-proof calls alike; theorems keep the ids of their labels."""

    default_priority = 300

    def apply(self) -> None:
        """Give the proofs of the page, and what its theorems say, numbers."""
        for called in _CALLED_ALIKE:
            alike = [
                part
                for part in self.document.findall(nodes.Element)
                if part.get("ids") == [called]
            ]
            for k, part in enumerate(alike, start=1):
                part["ids"] = [f"{called}-{k}"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Mark starred sections, and number what has no id of its own."""
    app.add_transform(StarredSections)
    app.add_transform(OwnIds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
