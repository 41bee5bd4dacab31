"""What a cell of one notebook shows, shown again on another page.

``:::{output-of} book/qkv explored-sentence`` stands for the output of the cell with that id. The
notebook runs once; the page that repeats its output needs no kernel.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from tools import book

__all__ = ["OutputOf", "Outputs", "setup"]

_LOGGER = getLogger(__name__)


class _Placeholder(nodes.General, nodes.Element):
    """Stands where the output of another page's cell will be."""


class OutputOf(SphinxDirective):
    """Show the output of a cell of another notebook: its page, and the id of the cell."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Leave a place for the output, which exists when all pages have been read."""
        page, cell = self.arguments
        self.env.note_dependency(str(book.ROOT / f"{page}.ipynb"))
        return [_Placeholder(page=page, cell=cell)]


class Outputs(SphinxPostTransform):
    """Puts the outputs in their places, before MyST-NB chooses how each is shown."""

    default_priority = 3

    def run(self, **kwargs: object) -> None:
        """Replace every placeholder of the page."""
        for place in list(self.document.findall(_Placeholder)):
            found = self._output(place["page"], place["cell"])
            if found is None:
                where = f"{place['page']}.ipynb has no cell {place['cell']!r} with an output"
                _LOGGER.warning(where, location=place)
                place.parent.remove(place)
            else:
                place.replace_self(found)

    def _output(self, page: str, cell_id: str) -> nodes.Element | None:
        """Return a copy of what a cell shows, or None if it shows nothing."""
        ids = [cell.get("id") for cell in book.cells(book.ROOT / f"{page}.ipynb")]
        for cell in self.env.get_doctree(page).findall(nodes.container):
            index = cell.get("cell_index")
            if index is not None and ids[index] == cell_id:
                for part in cell.children:
                    if part.get("nb_element") == "cell_code_output":
                        shown = nodes.container(classes=["cell"])
                        shown += part.deepcopy()
                        return shown
        return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, and the transform that gives it something to show."""
    app.add_node(_Placeholder)
    app.add_directive("output-of", OutputOf)
    app.add_post_transform(Outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
