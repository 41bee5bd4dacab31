"""Folded cells: each with a label, and those that a reader needs not see behind one switch.

A cell with the tag ``hide-input`` begins with a comment that says what it does, such as ``# Check:
every row sums to 1``; the page shows this as the label of the folded code. Labels of code that
shows nothing, or whose picture speaks for itself, are quiet: `folds.js` hides them until they are
asked for. The code of a question holds its answer, so the page does not have it.
"""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

__all__ = ["FoldedLabels", "setup"]

_QUESTION = "Ask"
_SPEAKS_FOR_ITSELF = ("Draw", "Recall")


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


def _is_quiet(node: HideCodeCellNode) -> bool:
    """Say whether code shows nothing, or what speaks for itself."""
    kind, _, _ = node["prompt_show"].partition(":")
    shows = any(
        part.get("nb_element") == "cell_code_output" for part in node.parent
    )
    return kind in _SPEAKS_FOR_ITSELF or not shows


def _open_fold(writer: HTML5Translator, node: HideCodeCellNode) -> None:
    """Begin a folded cell; unlike MyST-NB's own, its label is what a screen reader says."""
    if node["prompt_show"].startswith(f"{_QUESTION}:"):
        raise nodes.SkipNode
    label = writer.encode(node["prompt_show"])
    classes = ["admonition", "hide", *["quiet"] * _is_quiet(node), *node["classes"]]
    writer.body.append(
        f'<details class="{" ".join(classes)}">\n'
        f'<summary><p class="admonition-title">{label}</p></summary>\n'
    )


def _close_fold(writer: HTML5Translator, node: HideCodeCellNode) -> None:
    writer.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Label folded cells, and leave out the code of questions."""
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(_open_fold, _close_fold))
    app.add_transform(FoldedLabels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
