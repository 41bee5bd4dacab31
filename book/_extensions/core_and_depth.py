"""Folded cells and starred sections, as the book shows them.

A cell with the tag ``hide-input`` begins with a comment that says what it does, such as ``# Check:
every row sums to 1``; the page shows this as the label of the folded cell. A section whose heading
ends in ★ gets a class, by which the page draws it as one that can be left out.
"""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

from tools.reading_times import STAR

__all__ = ["FoldedLabels", "StarredSections", "setup"]


class FoldedLabels(SphinxTransform):
    """Makes the comment that begins a folded cell its label."""

    default_priority = 300

    def apply(self) -> None:
        """Set the label of each folded cell of the page."""
        for cell in self.document.findall(nodes.container):
            if cell.get("hide_mode") and (
                source := cell.next_node(nodes.literal_block)
            ):
                label = source.astext().split("\n")[0].removeprefix("# ")
                cell["prompt_show"] = cell["prompt_hide"] = label


class StarredSections(SphinxTransform):
    """Gives the sections that can be left out at first reading a class."""

    default_priority = 300

    def apply(self) -> None:
        """Mark each starred section of the page."""
        for section in self.document.findall(nodes.section):
            title = section.next_node(nodes.title)
            if title is not None and title.astext().endswith(STAR):
                section["classes"].append("starred")


def _open_fold(writer: HTML5Translator, node: HideCodeCellNode) -> None:
    """Begin a folded cell; unlike MyST-NB's own, its label is what a screen reader says."""
    label = writer.encode(node["prompt_show"])
    writer.body.append(
        f'<details class="admonition hide {" ".join(node["classes"])}">\n'
        f'<summary><p class="admonition-title">{label}</p></summary>\n'
    )


def _close_fold(writer: HTML5Translator, node: HideCodeCellNode) -> None:
    writer.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Label folded cells and mark starred sections."""
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(_open_fold, _close_fold))
    app.add_transform(FoldedLabels)
    app.add_transform(StarredSections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
